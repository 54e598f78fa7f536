"""The verb rename: what an atom says goes on under another name. One checkpoint.

The new atom gets the value, the fields and the edges; the old one is tombstoned, and an edge `renamed_to` leads from it
to the new one. Of the time before, the old atom keeps what it said before its present value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from substrate.atoms.bodies import body_of
from substrate.atoms.links import edge_of
from substrate.atoms.load import atom_of, damage_of
from substrate.atoms.renames import same_by_rename
from substrate.atoms.resolve import resolve
from substrate.atoms.validity import Span, spans, version_at
from substrate.errors import Conflict, InputError, NameInvalid, NotFound
from substrate.kv.api import ReadTransaction
from substrate.limits import check_size
from substrate.log.log import Log
from substrate.messages import ATOM
from substrate.names import check_name, guess_name, type_of
from substrate.proof.entry import Kind
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.input import fields_of
from substrate.save.place import Place
from substrate.schema import is_name
from substrate.snapshot import Snapshot
from substrate.text.quote import if_needed
from substrate.text.refuse_secrets import refuse_secrets
from substrate.values.atoms import Atom
from substrate.values.edges import RENAMED_TO, Edge
from substrate.values.saved import Saved
from substrate.values.times import from_microseconds
from substrate.views.atoms import find_name, versions_of
from substrate.views.edges import links_of

__all__ = ["rename"]

_FIXED: Final = ("document", "chunk")
"""Types whose names follow from where a text comes from."""
_EVER: Final = datetime(1, 1, 1, tzinfo=UTC)


def rename(  # noqa: PLR0913
    log: Log, name: str, new: str, *, said: Mapping[str, object], reason: str | None = None, place: Place | None = None
) -> Saved:
    """See `Memory.rename`."""
    now = log.clock.now()
    new = _new_name(name, new)
    refuse_secrets(new, "", {} if reason is None else {"reason": reason})

    def plan(transaction: ReadTransaction) -> tuple[Batch, dict[str, int | None]]:
        return _plan(Snapshot(transaction, None, None, now), name, new, reason)

    with log.snapshot() as transaction:
        batch, expect = plan(transaction)

    def check(transaction: ReadTransaction) -> None:
        """Edges may have come or gone since: they are not told by the version of the atom."""
        if plan(transaction)[0] != batch:
            raise Conflict(f"{if_needed(name)} or its edges changed meanwhile: nothing was renamed. Try again")

    # What is there already may hold what looks like a credential: it is not said for the first time.
    given = replace(batch, place=place)
    return checkpoint(log, given, expect=expect, said=said, allow_secrets=True, check=check)


def _new_name(name: str, new: str) -> str:
    """The new name, checked. NameInvalid: for a free text it suggests a name of the type that the old name has."""
    try:
        return check_name(new)
    except NameInvalid as error:
        suggested = error.suggested
        if suggested is None or guess_name(new) is not None or not is_name(name):
            raise
        typed = f"v1.{type_of(name)}.{suggested.split('.', 2)[2]}"
        raise NameInvalid(f"{error.message.removesuffix(suggested)}{typed}", suggested=typed) from None


def _plan(snapshot: Snapshot, name: str, new: str, reason: str | None) -> tuple[Batch, dict[str, int | None]]:
    """What the checkpoint saves, and what it expects."""
    transaction = snapshot.transaction
    latest = resolve(transaction, name)
    found = version_at(snapshot, latest)
    if found is None:
        raise NotFound(f"there is no {name} to rename: it was tombstoned by entry {latest.seq}")
    atom = atom_of(snapshot, *found)
    if atom.damaged is not None:
        raise damage_of(atom)
    if atom.name == new:
        raise InputError(f"{if_needed(new)} has that name already: nothing would be renamed")
    for end in (atom.name, new):
        if type_of(end) in _FIXED:
            raise InputError(
                "documents and chunks cannot be renamed: their names follow from where the text comes from"
            )
    same = same_by_rename(transaction, latest.subject)
    _check_free(transaction, new, same)
    given, since = _fields(snapshot, atom)
    tombstone: dict[str, object] = {"name": atom.name, "occurred_at": since, "reason": reason or f"renamed to {new}"}
    edges, unedges = _moved(snapshot, latest.subject, new)
    link: dict[str, object] = {"source": atom.id.replace("-", ""), "type": RENAMED_TO, "target": new}
    batch = Batch(
        atoms=({**given, "name": new, "value": atom.value},),
        edges=(*edges, link),
        tombstones=(tombstone,),
        unedges=unedges,
        may_rename=True,
    )
    what = f"the rename of {if_needed(atom.name)}, with its edges,"
    advice = "record the new name, and tombstone the old one; its edges stay with it"
    check_size(what, batch.count(), "checkpoint_items", "items", advice)
    return batch, {atom.name: atom.seq, new: None}


def _check_free(transaction: ReadTransaction, new: str, same: list[bytes]) -> None:
    """Conflict if the new name belongs to another atom, in use or not."""
    row = find_name(transaction, new)
    if row is not None and row.kind is Kind.PUT:
        raise Conflict(f"{if_needed(new)} is in use already: choose another name")
    if row is not None and row.subject not in same:
        raise Conflict(f"{if_needed(new)} is the name of another ", ATOM, ", which is out of use: choose another name")


def _fields(snapshot: Snapshot, atom: Atom) -> tuple[dict[str, object], datetime]:
    """The fields that go with the value; and from when on in the world the new name holds instead of the old one."""
    given = fields_of(atom)
    versions = versions_of(snapshot.transaction, resolve(snapshot.transaction, atom.name).subject)
    span = next(spans(snapshot.transaction, versions))
    start = span.start if isinstance(span, Span) else None
    since = _EVER if start is None else from_microseconds(start)
    if start is not None and given["valid_from"] is None and given["occurred_at"] is None:
        given["valid_from"] = since  # it took the place of another value then
    return given, since


def _moved(snapshot: Snapshot, subject: bytes, new: str) -> tuple[list[Edge], list[str]]:
    """The edges that are stated from and to the atom, as edges of the new name; and the ids of those to take back."""
    transaction = snapshot.transaction
    links = [link for out in (True, False) for link in links_of(transaction, subject, out=out)]
    moved: list[Edge] = []
    taken: dict[str, None] = {}
    for link in links:
        edge = edge_of(snapshot, link, {})
        if edge is None or edge.damaged is not None or edge.id in taken or link.type == RENAMED_TO:
            continue
        taken[edge.id] = None
        source, target = (new if end == subject else end.hex() for end in (link.source, link.target))
        body = body_of(transaction, link.seq)
        cited = None if body is None else body.members.get("cited")  # also one that this client may not see
        cited = cited if isinstance(cited, str) else None
        moved.append(replace(edge, source=source, target=target, dangling=(), cited=cited))
    # Names before stay where they point, one after the other. Of a name that comes back, nothing leads away any more.
    row = find_name(transaction, new)
    for at in (subject, *(() if row is None else (row.subject,))):
        taken |= {str(UUID(bytes=link.edge)): None for link in links_of(transaction, at, out=True, kind=RENAMED_TO)}
    return moved, list(taken)
