"""What is said again: whether it is the same, and what holds if it is said with other fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from substrate.errors import InputError
from substrate.proof.encoding import Json

__all__ = ["PLACE", "compared", "merged", "repeats"]

PLACE: Final = "notebook"
"""Under which of its attrs an atom or edge says where in a notebook it was recorded."""

_UNCOMPARED: Final = ("actor", "session", "origin")
"""Who says a thing again does not make it another thing; nor does where (`PLACE`)."""


def merged(known: Mapping[str, Json], said: Mapping[str, Json], cleared: tuple[str, ...]) -> dict[str, Json]:
    """What holds when the same is said again: what is said now, and what was known of which it does not speak."""
    both = {key: member for key, member in known.items() if key not in cleared and key not in _UNCOMPARED}
    both.update(said)
    attrs, before = said.get("attrs"), known.get("attrs")
    unsaid = isinstance(attrs, dict) and attrs.keys() == {PLACE} and "attrs" not in cleared
    if isinstance(before, dict) and isinstance(attrs, dict) and unsaid:
        both["attrs"] = {**before, **attrs}
    start, end = both.get("valid_from"), both.get("valid_to")
    if isinstance(start, int) and isinstance(end, int) and start >= end:
        raise InputError("valid_from must be earlier than valid_to, also than the one that was said before")
    return both


def repeats(caller: Mapping[str, str | None], known: Mapping[str, Json]) -> bool:
    """Whether the session that says it again is the one that said it first.

    It may have looked at it again, so it was last said now; but that is no second witness.
    """
    return caller.get("session") is not None and caller.get("session") == known.get("session")


def compared(members: Mapping[str, Json]) -> dict[str, Json]:
    """The members that make one saying another than the one before."""
    said = {key: value for key, value in members.items() if key not in _UNCOMPARED}
    attrs = said.get("attrs")
    if isinstance(attrs, dict) and PLACE in attrs:
        del said["attrs"]
        said |= {"attrs": rest} if (rest := {key: value for key, value in attrs.items() if key != PLACE}) else {}
    return said
