"""The verb undo: the last checkpoint taken back by another one. Nothing is erased.

What it recorded anew is tombstoned, what it changed says again what it said before, what it tombstoned is in use again;
edges likewise. The undo is a checkpoint too: undoing it does again what was undone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple
from uuid import UUID

from substrate.atoms.bodies import body_of
from substrate.atoms.diff import diff
from substrate.atoms.domains import DOMAIN
from substrate.atoms.moments import snapshot_of
from substrate.ciphers import CIPHERTEXT
from substrate.encryption.domains import encrypted_domains
from substrate.encryption.unlocked import UnlockedDomains
from substrate.entities.naming import INGESTED
from substrate.errors import Denied, HeadMoved, InputError, NotFound
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.decode import stored_entry
from substrate.log.heads import require_head
from substrate.log.identity import id_text
from substrate.log.log import Log
from substrate.log.replay import replay
from substrate.log.tables import ENTRIES, HEADS, read_seq, seq_key
from substrate.messages import ATOM, FORGET_SEQS, Verb
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.proof.head import SignedHead
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint, read_batch
from substrate.save.input import fields_of
from substrate.save.place import Place
from substrate.schema import RENAMED, UNDOES
from substrate.values.atoms import Atom
from substrate.values.edges import Edge
from substrate.values.growth import Change
from substrate.values.saved import IMPORT_SESSION, Undone
from substrate.values.times import from_microseconds
from substrate.veil import bare, hidden_in
from substrate.views.edges import statement_at

__all__ = ["inverse", "undo", "versions_in"]

_LASTING: Final = {
    Kind.FORGET: "the last change was a forget: what it erased is gone for good",
    Kind.TRAIN: "the last change was a training. To unlearn it, forget its entry: ",
    Kind.KEY: "the last change was of the signing key, which cannot be taken back",
}
"""Kinds of entries that no checkpoint takes back."""
_SAID: Final = (Kind.PUT, Kind.TOMBSTONE, Kind.EDGE, Kind.UNEDGE)


def undo(
    log: Log, *, dry_run: bool, said: Mapping[str, object], place: Place | None = None, unlocked: UnlockedDomains
) -> Undone:
    """See `Memory.undo`."""
    with log.snapshot() as stored:
        transaction = unlocked.cover(stored)
        if transaction is None:  # another thread has seen a later state already: what is unlocked is that of then
            raise HeadMoved("the log went on meanwhile, so nothing was undone: read again, then repeat")
        head = require_head(transaction)
        seqs = _last(transaction, head)
        before = snapshot_of(transaction, log.clock, seqs.start - 1, None)
        after = snapshot_of(transaction, log.clock, seqs.stop - 1, None)
        changes = diff(before, after, prefix="", limit=None).items
        _check(transaction, seqs, changes)
        made = _made_by(transaction, seqs)
        batch = inverse(changes, versions_in(transaction, seqs), place)
        batch = replace(batch, unedges=_unedges(transaction, seqs.start - 1, changes))
    if dry_run:
        _try(log, head, batch, said, unlocked)
    # It was said before: what looks like a credential in it was let pass then.
    saved = None if dry_run else checkpoint(log, batch, expect=head, said=said, allow_secrets=True, unlocked=unlocked)
    return Undone(
        dry_run=dry_run,
        undone=seqs,
        tombstoned=_named(changes, "added", "revived"),
        restored=_named(changes, "changed"),
        revived=_named(changes, "tombstoned"),
        unedged=_named(changes, "edge_added"),
        edges=_named(changes, "edge_removed", "edge_changed"),
        seqs=None if saved is None else saved.seqs,
        imported=made.imported,
        ingested=made.ingested,
        verb=made.verb,
        recorded_at=from_microseconds(made.time),
        actor=made.actor,
    )


def _check(transaction: ReadTransaction, seqs: range, changes: tuple[Change, ...]) -> None:
    """Refuse to take back what changed nothing, what is hidden in part, and what is encrypted."""
    if not changes:
        raise NotFound("the last checkpoint changed nothing that could be taken back")
    hidden = hidden_in(transaction)
    if hidden is not None and any(map(hidden.hides_seq, seqs)):
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


def _try(log: Log, head: SignedHead, batch: Batch, said: Mapping[str, object], unlocked: UnlockedDomains) -> None:
    """Raise what the undo of the checkpoint that ends at `head` would raise."""
    planner, _ = read_batch(batch, expect=None, said=said, partial=False, allow_secrets=True)
    planner.unlocked = unlocked

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        if require_head(transaction) != head:
            raise HeadMoved("the log went on meanwhile: read again, then repeat")
        return planner.plan(transaction, time)

    log.consider(plan)


class _Made(NamedTuple):
    """By what a checkpoint was made, and what of that work is in the checkpoint before."""

    verb: str
    time: int
    actor: str | None
    imported: str | None = None
    ingested: range | None = None


def _made_by(transaction: ReadTransaction, seqs: range) -> _Made:
    entries = [entry for entry in replay(transaction, seqs.start, seqs.stop) if entry.kind in _SAID]
    said = [entry.read()[0] for entry in entries if entry.body is not None]
    time = stored_entry(seqs.start, transaction.get(ENTRIES, seq_key(seqs.start))).time
    if any(UNDOES in members for members in said):
        return _Made("undo", time, None)  # what it says again has the author that it had
    first = said[0] if said else {}
    actor = str(first["actor"]) if "actor" in first else None
    if any(RENAMED in members for members in said):
        return _Made("rename", time, actor)
    session, before = first.get("session"), _said_at(transaction, seqs.start - 1)
    if isinstance(session, str) and session.startswith(IMPORT_SESSION):
        goes_on = before.get("session") == session
        return _Made("import", time, actor, imported=session if goes_on else None)
    if first.get("origin") != INGESTED:
        return _Made("checkpoint", time, actor)
    earlier = (read_seq(at) for at, _ in transaction.scan(HEADS, stop=seq_key(seqs.start), reverse=True, limit=1))
    part = range(next(earlier, seqs.start), seqs.start)
    is_beside = before.get("origin") == INGESTED or (len(part) == 1 and _names_domain_of(before, first))
    return _Made("ingest", time, actor, ingested=part if is_beside else None)


def _names_domain_of(before: Mapping[str, Json], said: Mapping[str, Json]) -> bool:
    """Whether the entry before made the domain of a document or a chunk: an ingest does so first."""
    domain, name = str(before.get("name")), str(said.get("name"))
    return domain.startswith(DOMAIN) and name.split(".")[2:3] == [domain.removeprefix(DOMAIN)]


def _said_at(transaction: ReadTransaction, seq: int) -> Mapping[str, Json]:
    """What an entry says, if that is told."""
    return next((entry.read()[0] for entry in replay(transaction, seq, seq + 1) if entry.body), {})


def _named(changes: tuple[Change, ...], *kinds: str) -> tuple[str, ...]:
    return tuple(change.name or change.id for change in changes if change.kind in kinds)


def _last(transaction: ReadTransaction, head: SignedHead) -> range:
    """The entries of the last checkpoint. InputError if one of them cannot be taken back, NotFound if there is none."""
    end = head.head.size
    for at, _ in transaction.scan(HEADS, stop=seq_key(head.head.size), reverse=True):
        seqs = range(read_seq(at), end)
        kinds = {seq: stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))).kind for seq in seqs}
        for seq, kind in kinds.items():
            if kind in _LASTING:
                entry = (FORGET_SEQS, f" {seq}:{seq + 1}") if kind is Kind.TRAIN else ()
                raise InputError(_LASTING[kind], *entry)
        if set(kinds.values()) != {Kind.MODEL}:
            return seqs
        end = seqs.start
    raise NotFound("there is nothing to undo: the store is new")


def versions_in(transaction: ReadTransaction, seqs: range) -> Counter[str]:
    """How many versions of each atom these entries are, by its id."""
    entries = replay(transaction, seqs.start, seqs.stop)
    return Counter(id_text(entry.subject) for entry in entries if entry.kind in (Kind.PUT, Kind.TOMBSTONE))


def inverse(changes: Sequence[Change], versions: Mapping[str, int], place: Place | None) -> Batch:
    """What takes these changes back. `versions`: how many versions of each atom came with them, the last it has."""
    atoms = [_atom(change.before) for change in changes if isinstance(change.before, Atom) and change.kind != "revived"]
    gone = [change.name for change in changes if change.kind in ("added", "revived") and change.name is not None]
    edges = [_edge(change.before) for change in changes if isinstance(change.before, Edge)]
    unedges = [change.id for change in changes if change.kind == "edge_added"]
    undoes = {change.name: versions[change.id] for change in changes if change.name and change.id in versions}
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
