"""The verb merge: one atom in the place of several, as one checkpoint; and the way back.

The new atom has what the others say, and `supersedes` and `consolidated_from` edges to each of them, which hold from
now on. So they leave searches, stay readable, and a time before finds them; what was learnt of them counts for it. It
belongs to the domains and hubs that they belong to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from substrate.atoms.bodies import time_of
from substrate.atoms.domains import memberships
from substrate.atoms.load import atom_of, damage_of
from substrate.atoms.resolve import resolve
from substrate.atoms.supersedes import is_superseded
from substrate.atoms.validity import version_at
from substrate.errors import Conflict, Denied, InputError, NotFound, SchemaInvalid
from substrate.fading.decay import MOST_STRENGTH
from substrate.fading.uses import uses_of
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.identity import id_text
from substrate.log.log import Log
from substrate.messages import ATOMS, Arg
from substrate.names import check_name, type_of
from substrate.proof.encoding import Json
from substrate.save.authorship import written_by
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.place import Place
from substrate.save.remember import Statement
from substrate.snapshot import Snapshot
from substrate.text.quote import if_needed
from substrate.values.atoms import Atom
from substrate.values.edges import CONSOLIDATED_FROM, SUPERSEDES
from substrate.values.relations import Group, Merged
from substrate.values.times import from_microseconds
from substrate.views.atoms import find_names
from substrate.views.edges import links_of
from substrate.views.touches import HUNDREDTHS, Touch, TouchKind

__all__ = ["Merger", "merge", "take_back"]

_DEFAULT_TYPE: Final = "note"
_FEWEST: Final = 2
_STATUS: Final = "status:"
"""Tags that begin so say what became of one atom."""


@dataclass(frozen=True, slots=True)
class Merger:
    """What is to be merged, as a caller gives it."""

    names: tuple[str, ...]
    into: str | None = None
    expect: Mapping[str, int] = field(default_factory=dict)
    """The versions that were looked at."""
    surface: str | None = None
    """Only what this surface, and nobody else, wrote may be merged."""
    fields: Mapping[str, object] = field(default_factory=dict)
    """Further fields of the new atom. They come before what the members say."""

    @classmethod
    def of(  # noqa: PLR0913
        cls,
        names: str | Iterable[str],
        group: Group | None,
        *,
        into: str | None,
        expect: Mapping[str, int],
        surface: str | None,
        fields: Mapping[str, object],
    ) -> Merger:
        """Of the members of a group, or of these names. InputError or SchemaInvalid: no names, too few, too many."""
        if group is not None:
            expect = {member.name: member.seq for member in group.members} | dict(expect)
            names = [member.name for member in group.members]
        if not isinstance(names, Iterable) or isinstance(names, bytes | Mapping):
            raise SchemaInvalid(Arg("names"), " is the id of a group, or a list of names")
        listed = tuple(dict.fromkeys(names))
        if not all(isinstance(name, str) for name in listed):
            raise SchemaInvalid(Arg("names"), " is the id of a group, or a list of names")
        if not _FEWEST <= len(listed) <= LIMITS["names"]:
            raise InputError("a merge takes from 2 to ", str(LIMITS["names"]), " different ", ATOMS)
        return cls(listed, into, expect, surface, fields)


def merge(
    log: Log,
    given: Merger,
    *,
    said: Mapping[str, object],
    place: Place | None = None,
    dry_run: bool = False,
) -> Merged:
    """See `Memory.merge`."""
    now = log.clock.now()

    def look(transaction: ReadTransaction) -> list[Atom]:
        """The members. Looked at twice: before anything is made of them, and under the write lock."""
        return _members(Snapshot(transaction, None, None, now), given)

    with log.snapshot() as transaction:
        members = look(transaction)
        fields = _fields(members) | dict(given.fields)
        value = fields.pop("value", None) or joined([member.value for member in members])
        if not isinstance(value, str):
            raise SchemaInvalid("the value must be a string")
        name = _free_name(transaction, given.into, value, members)
        touches = _touches(transaction, members, fields.pop("strength", None))
        belongs = memberships(Snapshot(transaction, None, None, now), map(_id_of, members), name)
    merged = Merged(
        name,
        value,
        tuple(member.name for member in members),
        dry_run=dry_run,
        tags=_texts(fields.get("tags")),
        entities=_texts(fields.get("entities")),
    )
    if dry_run:
        return merged
    begin = from_microseconds(now)
    edges: list[Mapping[str, object]] = [
        {"source": name, "type": kind, "target": member.id.replace("-", ""), "valid_from": begin}
        for member in members
        for kind in (SUPERSEDES, CONSOLIDATED_FROM)
    ]
    edges += belongs
    saved = checkpoint(
        log,
        Batch(
            atoms=({**fields, "name": name, "value": value, "valid_from": begin},),
            edges=tuple(edges),
            place=place,
            touches={name: touches},
        ),
        expect={**{member.name: member.seq for member in members}, name: None},
        said=said,
        # What is there already may hold what looks like a credential: it is not said for the first time.
        allow_secrets="value" not in given.fields,
        check=look,
    )
    return Merged(
        name, value, merged.members, id=saved.ids[name], tags=merged.tags, entities=merged.entities, seqs=saved.seqs
    )


def take_back(log: Log, name: str, *, said: Mapping[str, object], place: Place | None = None) -> Merged:
    """The members of a merge are in use again, and what was made of them is not. See `Memory.merge`."""
    now = log.clock.now()
    with log.snapshot() as transaction:
        snapshot = Snapshot(transaction, None, None, now)
        latest = resolve(transaction, name)
        found = version_at(snapshot, latest)
        atom = None if found is None else atom_of(snapshot, *found)
        made_of = _made_of(transaction, latest.subject)
        if atom is None or not made_of:
            raise NotFound(f"{if_needed(name)} was not made by a merge, or it was taken back already")
        links = [
            link
            for kind in (SUPERSEDES, CONSOLIDATED_FROM)
            for link in links_of(transaction, latest.subject, out=True, kind=kind)
            if link.target in made_of
        ]
        members = tuple(resolve(transaction, id_text(one)).name or id_text(one) for one in sorted(made_of))
    saved = checkpoint(
        log,
        Batch(
            tombstones=({"name": atom.name, "reason": "the merge was taken back"},),
            unedges=tuple(id_text(link.edge) for link in links),
            place=place,
        ),
        expect={atom.name: atom.seq},
        said=said,
    )
    return Merged(atom.name, atom.value, members, taken_back=True, id=atom.id, seqs=saved.seqs)


def joined(texts: Sequence[str]) -> str:
    """One text that says what all of them say: the longest, if it has the others in it; else each that adds to it."""
    longest_first = sorted(dict.fromkeys(text.strip() for text in texts), key=len, reverse=True)
    kept: list[str] = []
    for text in longest_first:
        if not any(text.casefold() in other.casefold() for other in kept):
            kept.append(text)
    return "\n\n".join(kept)


def _members(snapshot: Snapshot, given: Merger) -> list[Atom]:
    transaction = snapshot.transaction
    members, subjects = [], []
    for name in given.names:
        latest = resolve(transaction, name)
        found = version_at(snapshot, latest)
        if found is None:
            raise NotFound(f"there is no {if_needed(name)} to merge: it is out of use")
        atom = atom_of(snapshot, *found)
        if atom.damaged is not None:
            raise damage_of(atom)
        if is_superseded(snapshot, latest.subject):
            raise Conflict(f"{if_needed(atom.name)} is superseded already, by {', '.join(atom.superseded_by)}")
        if given.expect.get(atom.name, atom.seq) != atom.seq:
            raise Conflict(f"{if_needed(atom.name)} changed since it was looked at: look again")
        members.append(atom)
        subjects.append(latest.subject)
    if len(set(subjects)) < len(given.names):
        raise InputError("one of them is named twice: once by its name, once by its id")
    if given.surface is not None and len(written_by(snapshot, given.surface, subjects)) < len(subjects):
        raise Denied(f"one of them was not written by {given.surface} alone: only what it wrote can be merged there")
    return sorted(members, key=lambda atom: atom.id)


def _fields(members: Sequence[Atom]) -> dict[str, object]:
    """What the new atom has from its members: tags and entities of all, sources in a row, the attrs of each.

    That a member was promoted is said of that one alone: no note of the vault has what is made of it.
    """
    attrs: dict[str, Json] = {}
    for member in members:
        attrs |= member.attrs
    attrs.pop("promoted_to", None)
    contexts = list(dict.fromkeys(one for member in members if isinstance(one := member.attrs.get("context"), str)))
    if len(context := "\n\n".join(contexts)) <= LIMITS["text_characters"] and contexts:
        attrs["context"] = context
    attrs["consolidated_from"] = [member.id for member in members]
    sources = list(dict.fromkeys(member.source for member in members if member.source))
    source = "; ".join(sources)
    origins = {member.origin for member in members}
    said: dict[str, object] = {
        "tags": sorted({tag for member in members for tag in member.tags if not tag.startswith(_STATUS)})[
            : LIMITS["tags"]
        ],
        "entities": sorted({one for member in members for one in member.entities})[: LIMITS["entities"]],
        "source": source if len(source) <= LIMITS["text_characters"] else sources[0],
        "origin": origins.pop() if len(origins) == 1 else None,
        "attrs": attrs,
    }
    return {key: value for key, value in said.items() if value}


def _touches(transaction: ReadTransaction, members: Sequence[Atom], strength: object) -> list[Touch]:
    """How the members were used, all together: so what is made of them has faded no more than the freshest of them."""
    uses = [uses_of(transaction, _id_of(atom), time_of(transaction, atom.seq)) for atom in members]
    if strength is not None and not (isinstance(strength, int | float) and 1 <= strength <= MOST_STRENGTH):
        raise InputError(Arg("strength"), f" is a number from 1 to {MOST_STRENGTH}")
    strong = max(one.strength for one in uses) if strength is None else float(strength)
    saved = Touch(b"", max(one.last for one in uses), 0, round(strong * HUNDREDTHS), TouchKind.SAVED)
    return [saved, *(Touch(b"", one.last, one.uses) for one in uses if one.uses)]


def _id_of(atom: Atom) -> bytes:
    return bytes.fromhex(atom.id.replace("-", ""))


def _free_name(transaction: ReadTransaction, into: str | None, value: str, members: Sequence[Atom]) -> str:
    """The name of the new atom: as given, or made of its words."""
    types = {type_of(member.name) for member in members}
    names = (
        [check_name(into)]
        if into is not None
        else Statement(value, types.pop() if len(types) == 1 else _DEFAULT_TYPE, is_typed=True).names()
    )
    for name, row in zip(names, find_names(transaction, names), strict=True):
        if row is None:
            return name
    raise Conflict(f"{if_needed(names[0])} is taken already: choose another name for what is made of them")


def _made_of(transaction: ReadTransaction, subject: bytes) -> set[bytes]:
    """The atoms that this one was made of by a merge, and supersedes still."""
    kinds = [
        {link.target for link in links_of(transaction, subject, out=True, kind=kind)}
        for kind in (SUPERSEDES, CONSOLIDATED_FROM)
    ]
    return kinds[0] & kinds[1]


def _texts(listed: object) -> tuple[str, ...]:
    return tuple(str(one) for one in listed) if isinstance(listed, list | tuple) else ()
