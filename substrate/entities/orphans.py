"""Entities that nothing mentions any more, once some atoms are gone: for who forgets a document with its chunks.

An entity can go if it was read out of texts alone: no other atom lists one of its names, in any version that can still
be read; no edge leads to it or from it; and every version of it is `ingested`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from substrate.atoms.bodies import Body, bodies_or_damage
from substrate.entities.lookup import Lookup, mentions, subjects_at
from substrate.entities.naming import ENTITY, INGESTED, names_of, read_name
from substrate.kv.api import ReadTransaction
from substrate.names import unescape_rest
from substrate.proof.entry import Kind
from substrate.text.canonical import is_canonical_key
from substrate.views.atoms import VersionRow, versions_of
from substrate.views.edges import is_linked

__all__ = ["Orphans", "mentioned_by", "unmentioned"]


@dataclass(frozen=True, slots=True)
class Orphans:
    """Which entities can go, by id; and which stay, by name with the reason."""

    unmentioned: tuple[bytes, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()


def mentioned_by(transaction: ReadTransaction, atoms: Iterable[bytes]) -> tuple[bytes, ...]:
    """The ids of the entities, each in the domain that the atom's name says, that any version of these atoms lists."""
    texts: dict[str, dict[str, None]] = {}
    for subject in atoms:
        for version in versions_of(transaction, subject):
            (body,) = _says(transaction, version) if version.kind is Kind.PUT else (None,)
            listed = None if body is None else body.members.get("entities")
            if version.name and isinstance(listed, list) and (domain := _domain_of(version.name)) is not None:
                said = (text for text in listed if isinstance(text, str) and is_canonical_key(text))
                texts.setdefault(domain, {}).update(dict.fromkeys(said))
    found: dict[bytes, None] = {}
    for domain, names in texts.items():
        lookup = Lookup(transaction, domain)
        for name, row in zip(names, lookup.named(list(names)), strict=True):
            rows = [row] if row is not None else [known.row for known in lookup.aliased(name)]
            found.update(dict.fromkeys(one.subject for one in rows))
    return tuple(found)


def unmentioned(transaction: ReadTransaction, entities: Iterable[bytes], besides: Collection[bytes]) -> Orphans:
    """Which of these entities can go with the atoms `besides`, and why the others stay.

    Ids of what is not an entity are in neither.
    """
    going = set(besides)
    gone: list[bytes] = []
    kept: list[tuple[str, str]] = []
    for subject in dict.fromkeys(entities):
        versions = list(versions_of(transaction, subject))
        name = next((version.name for version in versions if version.name is not None), None)
        if name is None or not name.startswith(ENTITY) or subject in going:
            continue
        reason = _reason_to_stay(transaction, subject, versions, going)
        if reason is None:
            gone.append(subject)
        else:
            kept.append((name, reason))
    return Orphans(tuple(gone), tuple(kept))


def _reason_to_stay(
    transaction: ReadTransaction, subject: bytes, versions: list[VersionRow], going: set[bytes]
) -> str | None:
    names: dict[str, None] = {}
    for version in versions:
        (body,) = _says(transaction, version)
        if body is None or version.name is None:
            continue
        if body.damage is not None:
            return "it is damaged"
        if body.members.get("origin") != INGESTED:
            return "a person or an agent recorded it"
        if version.kind is Kind.PUT:
            said = names_of(version.name, str(body.members.get("value")), body.members.get("attrs"))
            names.update(dict.fromkeys(said))
    if is_linked(transaction, subject):
        return "edges join it to other atoms"
    others = dict.fromkeys(subjects_at(transaction, list(mentions(transaction, list(names)))))
    if any(other != subject and other not in going for other in others):
        return "other atoms mention it"
    return None


def _says(transaction: ReadTransaction, version: VersionRow) -> list[Body | None]:
    """What a version says, also if it is damaged; None: it was erased."""
    return bodies_or_damage(transaction, [version.seq]) if version.name else [None]


def _domain_of(name: str) -> str | None:
    """The domain, by what follows `v1.domain.`, that the name of a chunk, document or entity says; None: none."""
    if (read := read_name(name)) is not None:
        return read.domain
    kind, _, rest = name.removeprefix("v1.").partition(".")
    part, dot, _ = rest.partition(".")
    return unescape_rest(part) if kind in ("document", "chunk") and dot and part else None
