"""The verb undo: the last checkpoint, or all of an import, taken back by another one. Nothing is erased.

What it recorded anew is tombstoned, what it changed says again what it said before, what it tombstoned is in use again;
edges likewise. The undo is a checkpoint too: undoing it does again what was undone.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, NamedTuple
from uuid import UUID

from substrate.atoms.bodies import body_of
from substrate.atoms.diff import diff
from substrate.atoms.moments import snapshot_of
from substrate.ciphers import CIPHERTEXT
from substrate.encryption.domains import encrypted_domains
from substrate.encryption.unlocked import UnlockedDomains
from substrate.entities.naming import INGESTED
from substrate.errors import Denied, HeadMoved, InputError, NotFound
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.append import Decision
from substrate.log.heads import require_head
from substrate.log.identity import id_text
from substrate.log.log import Log
from substrate.log.replay import replay
from substrate.messages import ATOM, Verb
from substrate.proof.entry import Kind
from substrate.proof.head import SignedHead
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint, read_batch
from substrate.save.input import fields_of
from substrate.save.place import Place
from substrate.save.work import Made, Work, last_work, made_by, stopped_work, subjects_in
from substrate.values.atoms import Atom
from substrate.values.edges import Edge
from substrate.values.growth import Change
from substrate.values.saved import Saved, Undone
from substrate.values.times import from_microseconds
from substrate.veil import bare, hidden_in
from substrate.views.beside.parts import Part
from substrate.views.edges import statement_at

__all__ = ["inverse", "undo", "versions_in", "whole"]

_ITEMS: Final = LIMITS["checkpoint_items"] // 2
_BYTES: Final = LIMITS["checkpoint_bytes"] // 4
"""How many items, and about how many bytes, one checkpoint of an undo has that takes back several."""
_TRIES: Final = 20
"""How often the rest of an undo in several checkpoints is worked out again while others write."""


def undo(
    log: Log, *, dry_run: bool, said: Mapping[str, object], place: Place | None = None, unlocked: UnlockedDomains
) -> Undone:
    """See `Memory.undo`.

    What one checkpoint cannot take back is taken back by several. All of it is tried first, so that what is refused
    is refused before anything is written. Killed in between, the next undo goes on.
    """
    planned = _plan(log, place, unlocked, None)
    if dry_run or len(planned.steps) > 1:
        _try(log, planned, said, unlocked)
    changes, kept, seqs = planned.changes, planned.kept, None
    if not dry_run:
        changes, kept, seqs = _write(log, planned, place, said, unlocked)
    made = planned.made
    return Undone(
        dry_run=dry_run,
        undone=range(planned.work.start, planned.work.parts[-1].stop),
        parts=planned.work.parts,
        tombstoned=_named(changes, "added", "revived"),
        restored=_named(changes, "changed"),
        revived=_named(changes, "tombstoned"),
        unedged=_named(changes, "edge_added"),
        edges=_named(changes, "edge_removed", "edge_changed"),
        kept=kept,
        seqs=seqs,
        imported=made.imported,
        ingested=made.ingested,
        verb=made.verb,
        recorded_at=from_microseconds(made.time),
        actor=made.actor,
        went_on=bool(planned.work.steps),
    )


class _Planned(NamedTuple):
    """An undo, worked out from one state of the log."""

    head: SignedHead
    work: Work
    made: Made
    changes: tuple[Change, ...]
    kept: tuple[str, ...]
    """What others have changed since."""
    batch: Batch
    """All that takes it back."""
    steps: list[Batch]
    """The same in batches of which each fits into a checkpoint."""


class _Written(NamedTuple):
    """What an undo came to."""

    changes: tuple[Change, ...]
    """Those that it took back, and that nobody has made again since."""
    kept: tuple[str, ...]
    seqs: range


def _plan(log: Log, place: Place | None, unlocked: UnlockedDomains, work: Work | None) -> _Planned:
    """Work out how to take back what is to be undone, or this work, of which a part may be taken back already."""
    with log.snapshot() as stored:
        transaction = unlocked.cover(stored)
        if transaction is None:  # another thread has seen a later state already: what is unlocked is that of then
            raise HeadMoved("the log went on meanwhile, so nothing was undone: read again, then repeat")
        head = require_head(transaction)
        size = head.head.size
        found = _to_undo(log, transaction, size) if work is None else work
        changes, kept = _changes(log, transaction, found, size)
        if work is None:
            _check(transaction, found, changes)
        batch = inverse(whole(transaction, changes), versions_in(transaction, range(found.start, size)), place)
        batch = replace(batch, unedges=_unedges(transaction, found.start - 1, changes))
        steps = [batch] if len(found.parts) == 1 or _fits(batch) else list(_steps(batch))
        return _Planned(head, found, made_by(transaction, found), changes, kept, batch, steps if changes else [])


def _to_undo(log: Log, transaction: ReadTransaction, size: int) -> Work:
    """The work of which an undo was stopped, if something is left of it; else the last.

    If others wrote since, and what is left cannot be taken back (now, or by this client), it is the last, too.
    """
    stopped = stopped_work(transaction, size)
    changes = () if stopped is None else _changes(log, transaction, stopped, size)[0]
    if stopped is None or not changes:
        return last_work(transaction, size)
    try:
        _check(transaction, stopped, changes)
    except (Denied, InputError):
        last = last_work(transaction, size)
        return stopped if last.parts[-1] == stopped.steps[-1] else last
    return stopped


def _changes(
    log: Log, transaction: ReadTransaction, work: Work, size: int
) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """What became of atoms and edges by this work that is still so, and the names of what others have changed since."""
    before, after = (snapshot_of(transaction, log.clock, seq, None) for seq in (work.start - 1, size - 1))
    changes = [one for one in diff(before, after, prefix="", limit=None).items if not one.kind.endswith("forgotten")]
    others = work.others(transaction, size)
    if not others:
        return tuple(changes), ()
    own = {subject for part in work.parts for subject in subjects_in(transaction, part)}
    kept = [one for one in changes if UUID(one.id).bytes in others and UUID(one.id).bytes in own]
    return tuple(one for one in changes if UUID(one.id).bytes not in others), _named(kept)


def _fits(batch: Batch) -> bool:
    items = (*batch.unedges, *batch.tombstones, *batch.atoms, *batch.edges)
    return len(items) <= _ITEMS and sum(len(str(item)) for item in items) <= _BYTES


def _steps(batch: Batch) -> Iterator[Batch]:
    """The same in batches of which each fits into a checkpoint: edges go before the atoms, and come back after them."""
    for field in ("unedges", "tombstones", "atoms", "edges"):
        items: list[object] = []
        size = 0
        for item in getattr(batch, field):
            if items and (len(items) >= _ITEMS or size >= _BYTES):
                yield _only(batch, field, items)
                items, size = [], 0
            items.append(item)
            size += len(str(item))
        if items:
            yield _only(batch, field, items)


def _only(batch: Batch, field: str, items: list[object]) -> Batch:
    none: dict[str, Any] = dict.fromkeys(("unedges", "tombstones", "atoms", "edges"), ())
    return replace(batch, **(none | {field: tuple(items)}))


def _write(
    log: Log, planned: _Planned, place: Place | None, said: Mapping[str, object], unlocked: UnlockedDomains
) -> _Written:
    """Take it back. Each step but the last says that the undo is to go on, and with what."""
    work, now = planned.work, planned
    before = len(work.steps)
    tries = _TRIES
    while now.steps:
        try:
            head, steps = now.head, deque(now.steps)
            while steps:
                saved = _write_step(
                    log, steps[0], work, expect=head, said=said, unlocked=unlocked, is_last=len(steps) == 1
                )
                steps.popleft()
                work, head = replace(work, steps=(*work.steps, saved.seqs)), saved.head
            break
        except HeadMoved:
            if len(work.steps) == before:
                raise
        now, tries = _plan_rest(log, place, unlocked, work, tries)
    seqs = range(work.steps[before].start, work.steps[-1].stop)
    changes = planned.changes if now is planned else _written(log, planned.changes, work, before)
    return _Written(changes, now.kept, seqs)


def _write_step(  # noqa: PLR0913
    log: Log,
    batch: Batch,
    work: Work,
    *,
    expect: SignedHead,
    said: Mapping[str, object],
    unlocked: UnlockedDomains,
    is_last: bool,
) -> Saved:
    undoes = None if is_last else work.parts[-1].start
    after = work.steps[-1].start if work.steps else None
    part = Part("undo", after, undoes) if undoes is not None or after is not None else None
    # It was said before: what looks like a credential in it was let pass then.
    batch = replace(batch, part=part)
    return checkpoint(log, batch, expect=expect, said=said, allow_secrets=True, unlocked=unlocked)


def _plan_rest(
    log: Log, place: Place | None, unlocked: UnlockedDomains, work: Work, tries: int
) -> tuple[_Planned, int]:
    """What is left of an undo that others came between, and how often that may happen again."""
    while tries:
        tries -= 1
        with suppress(HeadMoved):
            return _plan(log, place, unlocked, work), tries
    raise HeadMoved("others wrote again and again, so only a part is taken back. To take back the rest, undo again")


def _written(log: Log, changes: tuple[Change, ...], work: Work, before: int) -> tuple[Change, ...]:
    """Those of these that the steps after so many took back, and that nobody has made again since."""
    with log.snapshot() as transaction:
        own = {subject for step in work.steps[before:] for subject in subjects_in(transaction, step)}
        own -= work.others(transaction, work.steps[-1].stop)
    return tuple(change for change in changes if UUID(change.id).bytes in own)


def _check(transaction: ReadTransaction, work: Work, changes: tuple[Change, ...]) -> None:
    """Refuse to take back what changed nothing, what is hidden in part, and what is encrypted."""
    if not changes:
        raise NotFound("the last checkpoint changed nothing that could be taken back")
    hidden = hidden_in(transaction)
    if hidden is not None and any(hidden.hides_seq(seq) for part in work.parts for seq in part):
        raise Denied("this client may not undo the last checkpoint. Nothing was changed: ask a person to do it")
    domains = {domain.subject for domain in encrypted_domains(bare(transaction))}
    for change in changes:
        name = change.name or ""
        if name.startswith(CIPHERTEXT) and not change.kind.startswith("edge_"):
            raise InputError(
                "the last checkpoint changed an encrypted ", ATOM, ". To undo it, first use ", Verb("unlock")
            )
        if change.kind in {"added", "revived"} and UUID(change.id).bytes in domains:
            raise InputError(f"the last checkpoint recorded {name}, which is encrypted since: it cannot be undone")


def _try(log: Log, planned: _Planned, said: Mapping[str, object], unlocked: UnlockedDomains) -> None:
    """Raise what the undo would raise. Its steps are tried as one: each needs what those before it do."""
    whole = len(planned.steps) > 1
    planner, _ = read_batch(planned.batch, expect=None, said=said, partial=False, allow_secrets=True, whole=whole)
    planner.unlocked = unlocked

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        if require_head(transaction) != planned.head:
            raise HeadMoved("the log went on meanwhile: read again, then repeat")
        return planner.plan(transaction, time)

    log.consider(plan)


def _named(changes: Iterable[Change], *kinds: str) -> tuple[str, ...]:
    return tuple(change.name or change.id for change in changes if not kinds or change.kind in kinds)


def versions_in(transaction: ReadTransaction, seqs: range) -> Counter[str]:
    """How many versions of each atom or edge these entries are, by its id."""
    entries = replay(transaction, seqs.start, seqs.stop)
    kinds = (Kind.PUT, Kind.TOMBSTONE, Kind.EDGE, Kind.UNEDGE)
    return Counter(id_text(entry.subject) for entry in entries if entry.kind in kinds)


def whole(transaction: ReadTransaction, changes: Iterable[Change]) -> list[Change]:
    """The same, with what an edge cited also where this client may not see it: the edge is stated as it was."""
    return [
        replace(change, before=replace(change.before, cited=_cited(transaction, change.before.seq)))
        if isinstance(change.before, Edge) and hidden_in(transaction) is not None
        else change
        for change in changes
    ]


def _cited(transaction: ReadTransaction, seq: int) -> str | None:
    body = body_of(transaction, seq)
    cited = None if body is None else body.members.get("cited")
    return cited if isinstance(cited, str) else None


def inverse(changes: Sequence[Change], versions: Mapping[str, int], place: Place | None) -> Batch:
    """What takes these changes back. `versions`: how many versions of each came with them, the last it has."""
    atoms = [_atom(change.before) for change in changes if isinstance(change.before, Atom) and change.kind != "revived"]
    gone = [change.name for change in changes if change.kind in ("added", "revived") and change.name is not None]
    edges = [_edge(change.before) for change in changes if isinstance(change.before, Edge)]
    unedges = [change.id for change in changes if change.kind == "edge_added"]
    undoes = {
        change.id.replace("-", "") if change.kind.startswith("edge_") else change.name: versions[change.id]
        for change in changes
        if change.name and change.id in versions
    }
    return Batch(tuple(atoms), tuple(edges), tuple(gone), tuple(unedges), place=place, may_rename=True, undoes=undoes)


def _unedges(
    transaction: ReadTransaction, before: int, changes: Sequence[Change]
) -> tuple[Mapping[str, object] | str, ...]:
    """Edges to take back. What an ingest stated, the next may state again, unless a person had taken it back before."""
    found: list[Mapping[str, object] | str] = []
    for change in changes:
        if change.kind == "edge_added":
            edge = change.after
            if isinstance(edge, Edge) and edge.origin == INGESTED and not _is_declined(transaction, edge, before):
                found.append({**_ends(edge), "origin": INGESTED})
            else:
                found.append(change.id)
    return tuple(found)


def _is_declined(transaction: ReadTransaction, edge: Edge, upto: int) -> bool:
    """Whether an edge had been taken back after seq `upto`, and not by an ingest."""
    link = statement_at(transaction, UUID(edge.id).bytes, upto)
    if link is None or link.kind is not Kind.UNEDGE:
        return False
    body = body_of(transaction, link.seq)
    return body is None or body.members.get("origin") != INGESTED


def _atom(atom: Atom) -> dict[str, object]:
    """The atom as it was: also without the fields that it did not have."""
    return {**fields_of(atom), "name": atom.name, "value": atom.value}


def _edge(edge: Edge) -> dict[str, object]:
    """The same of an edge."""
    return {**fields_of(edge), **_ends(edge)}


def _ends(edge: Edge) -> dict[str, object]:
    ends = {"source": edge.source_id.replace("-", ""), "target": edge.target_id.replace("-", "")}
    return {**ends, "type": edge.type}
