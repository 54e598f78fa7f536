"""Who still names an atom that is to be forgotten, without anyone having said so: the code that a cell was recorded by.

`%%memory record` keeps the code of a cell with what it came to, and an edge from that to each atom which the cell read,
taken back by now perhaps. So whoever was ever linked to an atom is looked at, in all versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from substrate.codec import decode_body
from substrate.kv.api import ReadTransaction
from substrate.log.replay import replay
from substrate.save.repeat import PLACE
from substrate.views.atoms import VersionRow, versions_of
from substrate.views.edges import ever_linked

__all__ = ["Mentions"]


class Mentions:
    """Atoms whose recorded code names one of some others, as they are in this snapshot."""

    def __init__(self, transaction: ReadTransaction, subjects: Iterable[bytes]) -> None:
        """`subjects` are the ids of atoms that may be forgotten."""
        self._names: dict[bytes, str] = {}
        self._mentioned: dict[bytes, set[bytes]] = {}
        """By the id of who mentions: whom."""
        for subject in subjects:
            name = next((row.name for row in versions_of(transaction, subject) if row.name is not None), None)
            for other in dict.fromkeys(ever_linked(transaction, subject)) if name else ():
                for row in versions_of(transaction, other):
                    if name and row.name and _has_in_code(transaction, row, name):
                        self._names[other] = row.name
                        self._mentioned.setdefault(other, set()).add(subject)
                        break

    def left(self, is_gone: Callable[[bytes], bool]) -> tuple[str, ...]:
        """The names of those that are still there, and mention what is gone."""
        return tuple(
            sorted(
                self._names[other]
                for other, whom in self._mentioned.items()
                if not is_gone(other) and any(map(is_gone, whom))
            )
        )


def _has_in_code(transaction: ReadTransaction, row: VersionRow, name: str) -> bool:
    (entry,) = replay(transaction, row.seq, row.seq + 1)
    if entry.body is None or name.encode() not in entry.body:
        return False
    attrs = decode_body(entry.body).get("attrs")
    place = attrs.get(PLACE) if isinstance(attrs, dict) else None
    return isinstance(place, dict) and name in str(place.get("code"))
