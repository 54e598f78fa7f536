"""Pairs to groups. Pure.

1. Single link: the nearest pair is joined first. Two groups are not joined if they had too many members together.
2. The order of the pairs does not matter: of equal similarities, the order of the rows decides. So rows are to be in
   an order that follows from what they are, and similarities rounded.
3. The id of a group follows from the ids of its members, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID, uuid5

from substrate.groups.pairs import Pair

__all__ = ["group_id", "linked"]

_SPACE: Final = UUID("f54a49fc-180d-5b83-a1e7-f0fa682bcbcf")
"""Of all ids of groups: so none is by chance the id of something else."""


def linked(pairs: Iterable[Pair], most: int) -> list[list[int]]:
    """The rows that belong together, each list in order, at most so many in one; none of a single row."""
    leader: dict[int, int] = {}
    members: dict[int, list[int]] = {}

    def lead(row: int) -> int:
        while (above := leader.setdefault(row, row)) != row:
            leader[row] = leader.setdefault(above, above)
            row = above
        return row

    for first, second, _ in sorted(pairs, key=lambda pair: (-pair.similarity, pair.first, pair.second)):
        one, other = lead(first), lead(second)
        if one == other:
            continue
        together = members.get(one, [one]) + members.get(other, [other])
        if len(together) <= most:
            leader[other] = one
            members[one] = together
            members.pop(other, None)
    return sorted(sorted(rows) for rows in members.values())


def group_id(ids: Sequence[bytes]) -> str:
    """The id of the group that has these atoms as its members, in whichever order they come."""
    return str(uuid5(_SPACE, "".join(one.hex() for one in sorted(ids))))
