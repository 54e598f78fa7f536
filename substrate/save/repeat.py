"""What is said again: whether it is the same, and what holds if it is said with other fields.

Where in a notebook a thing is said (`PLACE` in its attrs: path, cell, execution) does not make it another thing; by
which code it was worked out does, if that is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from substrate.atoms.domains import CAP, TIER
from substrate.errors import InputError
from substrate.policy import check_tier
from substrate.proof.encoding import Json
from substrate.schema import UNDOES
from substrate.text.terms import unnamed
from substrate.values.actors import is_person, surface_of

__all__ = [
    "PLACE",
    "by_whom",
    "check_domain_attrs",
    "compared",
    "is_same",
    "merged",
    "placed_by",
    "repeats",
    "with_tier",
]

PLACE: Final = "notebook"
"""Under which of its attrs an atom or edge says where in a notebook it was recorded."""
_UNCOMPARED: Final = ("actor", "session", "origin", UNDOES)
"""Who says a thing again does not make it another thing, nor does what it was said instead of; but see `is_same`."""
_TESTIMONY: Final = ("confidence", "source", "occurred_at", "valid_from", "valid_to")
"""What only a person can state of a person's words so that it is the person's, too."""
_WHERE: Final = ("path", "cell", "execution")
"""Of a place: nor does where."""


def merged(known: Mapping[str, Json], said: Mapping[str, Json], cleared: tuple[str, ...]) -> dict[str, Json]:
    """What holds when the same is said again: what is said now, and what was known of which it does not speak."""
    both = {key: member for key, member in known.items() if key not in cleared and key not in _UNCOMPARED}
    both.update(said)
    if isinstance(said.get("attrs"), dict) and "attrs" not in cleared:
        both["attrs"] = _merged_attrs(_mapping(known.get("attrs")), _mapping(said["attrs"]))
    start, end = both.get("valid_from"), both.get("valid_to")
    if isinstance(start, int) and isinstance(end, int) and start >= end:
        raise InputError("valid_from must be earlier than valid_to, also than the one that was said before")
    return both


def with_tier(said: dict[str, Json], known: Mapping[str, Json]) -> dict[str, Json]:
    """A domain's atom with the tier and cap that it had, if it says neither: to clear its attrs does not open it."""
    own = _mapping(said.get("attrs"))
    kept = {key: known[key] for key in (TIER, CAP) if key in known and key not in own}
    return said if not kept else {**said, "attrs": {**own, **kept}}


def check_domain_attrs(attrs: Json) -> None:
    """InputError if a domain's atom is to have a tier that there is not."""
    if isinstance(attrs, dict) and TIER in attrs:
        check_tier(attrs[TIER])


def placed_by(said: Mapping[str, Json], both: dict[str, Json]) -> dict[str, Json]:
    """What is recorded of both: the place is that of who says it now, or none. The version before was made there."""
    attrs = _mapping(both.get("attrs"))
    if isinstance(attrs.get(PLACE), dict):
        own = _mapping(said.get("attrs")).get(PLACE)
        rest = {key: value for key, value in attrs.items() if key != PLACE} | ({} if own is None else {PLACE: own})
        return {key: value for key, value in both.items() if key != "attrs"} | ({"attrs": rest} if rest else {})
    return both


def by_whom(known: Mapping[str, Json], said: dict[str, Json]) -> dict[str, Json]:
    """What is recorded of the same value said again: an agent that adds to a person's words does not make them its own.

    The origin stays the person's, but not over what the agent states of the words itself: how sure they are, where they
    come from, when they hold, whom they are about. The author is who says it now. Where only the origin tells that it
    is an agent, it is recorded as said: else nothing would tell that this version is no person's.
    """
    is_agents = surface_of(_text(said.get("actor"))) is not None
    if not is_agents or UNDOES in said or not (is_person(known) or known.get("origin") == "user"):
        return said
    if any(said.get(field) != known.get(field) for field in _TESTIMONY) or _about(said) != _about(known):
        return {**said, "origin": "agent"} if said.get("origin") == "user" else said
    rest = {key: value for key, value in said.items() if key != "origin"}
    return {**rest, "origin": known["origin"]} if "origin" in known else rest


def _about(said: Mapping[str, Json]) -> frozenset[str]:
    entities = said.get("entities")
    named = [str(one) for one in entities] if isinstance(entities, list) else []
    return frozenset(unnamed(str(said.get("value")), named) if named else ())


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def repeats(said: Mapping[str, Json], known: Mapping[str, Json]) -> bool:
    """Whether the session that says it again is the one that said it first.

    It may have looked at it again, so it was last said now; but that is no second witness.
    """
    return said.get("session") is not None and said.get("session") == known.get("session")


def is_same(both: Mapping[str, Json], known: Mapping[str, Json], cleared: tuple[str, ...]) -> bool:
    """Whether what would hold now (see `merged`) is what was known. A place that is to go makes a difference.

    So does an undo: what is known may be the last of several versions that it takes back.
    """
    if UNDOES in both:
        return False
    if "attrs" in cleared and "attrs" not in both and known.get("attrs"):
        return False
    return compared(both) == compared(known)


def compared(members: Mapping[str, Json]) -> dict[str, Json]:
    """The members that make one saying another than the one before."""
    said = {key: value for key, value in members.items() if key not in _UNCOMPARED}
    attrs = said.get("attrs")
    if isinstance(attrs, dict) and isinstance(attrs.get(PLACE), dict):
        place = {key: value for key, value in _mapping(attrs[PLACE]).items() if key not in _WHERE}
        rest = {key: value for key, value in attrs.items() if key != PLACE} | ({PLACE: place} if place else {})
        del said["attrs"]
        said |= {"attrs": rest} if rest else {}
    return said


def _merged_attrs(known: Mapping[str, Json], said: Mapping[str, Json]) -> dict[str, Json]:
    """Attrs are said as a whole, but for the place: who says nothing else of them leaves the others as they are."""
    both = {**known, **said} if said.keys() == {PLACE} else dict(said)
    place = {**_mapping(known.get(PLACE)), **_mapping(said.get(PLACE))}
    return {**both, PLACE: place} if place and isinstance(said.get(PLACE, {}), dict) else both


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}
