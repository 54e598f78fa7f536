"""Of several statements of one thing, which is the newest, and which it outdates: one answer for every verb.

Two are statements of one thing if not both can hold. The newest is the one that holds now, that was said last, that was
recorded last. It outdates those that it contradicts itself. What a person said is not outdated by what an agent wrote
down later: the two are in dispute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from substrate.atoms.validity import is_persons_word
from substrate.proof.encoding import Json
from substrate.search.columns.documents import Documents
from substrate.snapshot import Snapshot
from substrate.views.words import NONE

if TYPE_CHECKING:
    from substrate.claims import Claim

__all__ = ["Outdated", "Statement", "denies", "joined", "newness", "outdated_in"]


class Statement(NamedTuple):
    """What may state something: its place among others, its version, what it says."""

    at: int
    seq: int
    subject: bytes
    said: Mapping[str, Json]


class Outdated(NamedTuple):
    """Of each that a newer one contradicts, by its seq, the seq of that: it took its place, or disputes it."""

    newer: Mapping[int, int]
    disputed: Mapping[int, int]


def newness(snapshot: Snapshot, documents: Documents, one: Statement) -> tuple[bool, int, int]:
    """By what the newest of several is the greatest: whether it holds now, its time, its seq."""
    now, start, end = snapshot.at, int(documents.valid_from[one.seq]), int(documents.valid_to[one.seq])
    holds = start <= now and (end == NONE or now < end)
    when = int(documents.when[one.seq])
    # A date in the future would be the newest for good: such a statement is as new as its entry.
    return holds, when if when <= now else int(documents.time[one.seq]), one.seq


def joined(
    snapshot: Snapshot, documents: Documents, pairs: Iterable[tuple[Statement, Statement]]
) -> list[list[Statement]]:
    """The statements of each thing, the newest first. `pairs` join all that are of one thing."""
    group: dict[int, list[Statement]] = {}
    for one, other in pairs:
        ours, theirs = group.get(one.at, [one]), group.get(other.at, [other])
        if ours is not theirs:
            ours = ours + theirs
            group.update((member.at, ours) for member in ours)
    several = {id(members): members for members in group.values()}
    return [
        sorted(members, key=lambda one: newness(snapshot, documents, one), reverse=True) for members in several.values()
    ]


def outdated_in(
    snapshot: Snapshot, group: Sequence[Statement], is_replaced: Callable[[Statement, Statement], bool]
) -> Outdated:
    """Which of the statements of one thing, given newest first, are outdated, and which are in dispute.

    `is_replaced`: whether not both of two can hold, and the newer one takes the other's place.
    """
    newer: dict[int, int] = {}
    disputed: dict[int, int] = {}
    for at, one in enumerate(group):
        if one.said.get("value") != group[0].said.get("value"):
            against = [other for other in group[:at] if is_replaced(one, other)]
            by = _outdates(snapshot, against, one)
            if against:
                (disputed if by is None else newer)[one.seq] = against[0].seq if by is None else by.seq
    return Outdated(newer, disputed)


def _outdates(snapshot: Snapshot, newer: Sequence[Statement], one: Statement) -> Statement | None:
    """The newest that takes the place of this one; None: an agent contradicts a person, and only a person can tell."""
    others = [by for by in newer if by.said.get("value") != one.said.get("value")]
    if others and _is_persons(snapshot, one):
        others = [by for by in others if _is_persons(snapshot, by)]
    return next(iter(others), None)


def _is_persons(snapshot: Snapshot, one: Statement) -> bool:
    return is_persons_word(snapshot.transaction, one.subject, one.seq, one.said)


def denies(claim: Claim | None) -> bool:
    """Whether a claim only denies a value, and so tells none."""
    return claim is not None and claim.kind != "truth" and not claim.affirmed
