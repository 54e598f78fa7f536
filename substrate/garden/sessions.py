"""Which entities were accessed in the same sessions, out of the traces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.tables import SESSIONS
from substrate.views.learned.sessions import read_session

__all__ = ["REPEATS", "Together", "accessed_together"]

REPEATS: Final = 2
"""Sessions in which two entities must have been accessed to be worth a look."""
_LAST: Final = 5_000
"""Rows of traces that are read, the last ones."""
_CROWD: Final = 24
"""Entities of one session that are paired, those accessed first."""


@dataclass(slots=True)
class Together:
    """Pairs of entities with the number of sessions that accessed both; and what was counted on the way."""

    pairs: dict[tuple[bytes, bytes], int] = field(default_factory=dict)
    """In the order in which they were accessed first. Only those of `REPEATS` sessions or more."""
    sessions: int = 0
    """That accessed an entity of the domain."""
    sessions_used: int = 0
    """That accessed both of such a pair."""
    entries: int = 0
    """Entities accessed, each once a session."""
    entries_used: int = 0


def accessed_together(transaction: ReadTransaction, entities: Container[bytes]) -> Together:
    """Of these entities, in the last traces. Parts of one session, and those of one name, are one."""
    sessions: dict[object, dict[bytes, None]] = defaultdict(dict)
    for key, row in reversed(list(transaction.scan(SESSIONS, reverse=True, limit=_LAST))):
        try:
            heard = read_session(row)
        except StoreDamaged:
            continue
        of_one = (heard.session, heard.actor) if heard.session else heard.continues or key
        inside = dict.fromkeys(item for item in heard.items if item in entities)
        if inside:
            sessions[of_one].update(inside)
    counts: dict[tuple[bytes, bytes], int] = {}
    for accessed in sessions.values():
        for first, second in combinations(list(accessed)[:_CROWD], 2):
            pair = (second, first) if (second, first) in counts else (first, second)
            counts[pair] = counts.get(pair, 0) + 1
    found = Together({pair: count for pair, count in counts.items() if count >= REPEATS}, len(sessions))
    for accessed in sessions.values():
        pairs = combinations(list(accessed)[:_CROWD], 2)
        used = {end for pair in pairs if pair in found.pairs or pair[::-1] in found.pairs for end in pair}
        found.entries += len(accessed)
        found.entries_used += len(used)
        found.sessions_used += bool(used)
    return found
