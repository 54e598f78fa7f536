"""The verb replace: from a moment on, another value takes the place of what an atom says. One checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from substrate.atoms.domains import memberships
from substrate.atoms.load import atom_of, damage_of
from substrate.atoms.moments import Time, read_time
from substrate.atoms.resolve import resolve
from substrate.atoms.validity import Span, spans, version_at
from substrate.errors import Conflict, InputError, NotFound, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.messages import Arg, Verb
from substrate.names import check_name
from substrate.proof.entry import Kind
from substrate.result import iso
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.place import Place
from substrate.snapshot import Snapshot
from substrate.text.quote import if_needed
from substrate.values.actors import is_person
from substrate.values.atoms import Atom
from substrate.values.edges import SUPERSEDES
from substrate.values.saved import Saved
from substrate.values.times import from_microseconds
from substrate.views.atoms import find_name, versions_of

__all__ = ["Replacement", "replace"]


@dataclass(frozen=True, slots=True)
class Replacement:
    """What is to be replaced by what, as a caller gives it."""

    name: str
    new: str | None
    value: str
    at: Time | None = None
    reason: str | None = None
    source: str | None = None
    origin: str | None = None
    fields: Mapping[str, object] | None = None
    """Further fields of the new atom."""


def replace(
    log: Log,
    given: Replacement,
    *,
    said: Mapping[str, object],
    place: Place | None = None,
    allow_secrets: bool = False,
) -> Saved:
    """See `Memory.replace`. `said`: actor and session of all that is written."""
    fields = dict(given.fields or {})
    if taken := fields.keys() & {"name", "value", "valid_from"}:
        raise SchemaInvalid(
            f"{min(taken)} cannot be given as a field: ", Arg("at"), " says from when the new one holds"
        )
    fields |= {key: said for key, said in (("source", given.source), ("origin", given.origin)) if said is not None}
    now = log.clock.now()
    at = now if given.at is None else read_time(given.at, Arg("at"))
    begin = from_microseconds(at)

    def look(transaction: ReadTransaction) -> Atom:
        """What is to be replaced. Looked at twice: before anything is made of it, and under the write lock."""
        return _replaceable(Snapshot(transaction, None, None, max(now, at)), given.name, at)

    with log.snapshot() as transaction:
        old = look(transaction)
        new = old.name if given.new is None else check_name(given.new)
        row = find_name(transaction, new)
        expect = {old.name: old.seq, new: None if row is None or row.kind is not Kind.PUT else row.seq}
        belongs = memberships(Snapshot(transaction, None, None, now), [bytes.fromhex(old.id.replace("-", ""))], new)
    if new == old.name:
        if given.value == old.value:
            raise InputError("it says that already: nothing would be replaced")
        attrs = {} if given.reason is None else {"attrs": {**_attrs(fields), "reason": given.reason}}
        batch = Batch(atoms=({**fields, **attrs, "name": new, "value": given.value, "valid_from": begin},), place=place)
    else:
        batch = Batch(
            atoms=(
                *_ended(old, begin, given.origin),
                {**fields, "name": new, "value": given.value, "valid_from": begin},
            ),
            edges=(_edge(given, new, old.name, begin), *belongs),
            place=place,
        )
    return checkpoint(
        log,
        batch,
        expect=expect,
        said=said,
        allow_secrets=allow_secrets,
        check=look,
    )


def _replaceable(snapshot: Snapshot, name: str, at: int) -> Atom:
    """The atom as it is now. NotFound if it is out of use, Conflict if superseded, InputError if it begins later."""
    latest = resolve(snapshot.transaction, name)
    found = version_at(snapshot, latest)
    if found is None:
        raise NotFound(
            f"there is no {name} to replace: it was tombstoned by entry {latest.seq}. To record the new one, call ",
            Verb("checkpoint"),
        )
    atom = atom_of(snapshot, *found)
    if atom.damaged is not None:
        raise damage_of(atom)
    shown = if_needed(atom.name)
    if atom.superseded_by:
        by = ", ".join(map(if_needed, atom.superseded_by))
        raise Conflict(f"{shown} is superseded already, by {by}: replace that one")
    span = next(spans(snapshot.transaction, versions_of(snapshot.transaction, latest.subject)))
    if isinstance(span, Span) and span.start is not None and at <= span.start:
        start = iso(from_microseconds(span.start))
        then = f" must be later than {start}, from when {shown} holds. If that never held, save the right value: "
        raise InputError(Arg("at"), then, Verb("checkpoint"))
    return atom


def _ended(old: Atom, at: datetime, by: str | None) -> tuple[dict[str, object], ...]:
    """The old atom with its end, in all else as it was; nothing to say if it has ended by then.

    `by`: the origin of its end. What an agent says of a person's words is not the person's.
    """
    if old.valid_to is not None and old.valid_to <= at:
        return ()
    origin = by if is_person({"origin": old.origin}) and not is_person({"origin": by}) else old.origin
    return ({"name": old.name, "value": old.value, "valid_to": at, "origin": origin},)


def _edge(given: Replacement, new: str, old: str, at: datetime) -> dict[str, object]:
    edge: dict[str, object] = {"source": new, "type": SUPERSEDES, "target": old, "valid_from": at}
    edge |= {key: said for key, said in (("cited", given.source), ("origin", given.origin)) if said is not None}
    return edge if given.reason is None else {**edge, "attrs": {"reason": given.reason}}


def _attrs(fields: Mapping[str, object]) -> Mapping[str, object]:
    attrs = fields.get("attrs")
    return attrs if isinstance(attrs, Mapping) else {}
