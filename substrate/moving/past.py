"""What of a plain export a store knows already, and what it has newer words for.

The lines of a file tell the history of an atom or an edge in its order, and so does the log. What both tell is known. A
line beyond that is news if the store says nothing later: nothing beside what is known, or nothing recorded after the
line. Else it is older, and left out: an import never puts an older value over a newer one.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final

from substrate.atoms.resolve import find_subject
from substrate.care.export import line_of
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.log.replay import replay
from substrate.moving.line import Fields, Line, Read
from substrate.names import normalise
from substrate.values.saved import Refused
from substrate.views.atoms import find_names, versions_of
from substrate.views.edges import find_link, statements_of

__all__ = ["Past"]

_PORTION: Final = 1000
_BYTES: Final = 1024 * 1024
"""Lines, and about their size together, that are judged in one snapshot."""
_NOT_SAID: Final = ("kind", "recorded_at")


class _Verdict(Enum):
    NEWS = 1
    KNOWN = 2
    OLDER = 3


class _History:
    """What the store says of one atom or edge, in order, and how far the lines of the file go along with it."""

    def __init__(self, said: list[tuple[str, Fields]], time: int) -> None:
        self._said = said
        self._time = time
        self._at = 0

    def judge(self, line: Line) -> _Verdict:
        says = line.kind, {word: value for word, value in line.fields.items() if value is not None}
        for at in range(self._at, len(self._said)):
            if self._said[at] == says:
                self._at = at + 1
                is_last = self._at == len(self._said)
                return _Verdict.NEWS if is_last and line.kind in ("put", "edge") else _Verdict.KNOWN  # it confirms
        is_news = self._at == len(self._said) or line.recorded_at is None or line.recorded_at > self._time
        return _Verdict.NEWS if is_news else _Verdict.OLDER


class Past:
    """Judges the lines of one import by what the store said before it."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._histories: dict[object, _History | None] = {}
        self.older: dict[str, None] = {}
        """The atoms and edges of which older lines were left out."""
        self.known = 0
        """Lines that say what the store said before."""

    def news(self, lines: Iterator[Read]) -> Iterator[Read]:
        """The lines without those that are known or older. What the store says now is passed on, to be confirmed."""
        while portion := list(_portion(lines)):
            with self._log.snapshot() as transaction:
                verdicts = [self._judge(transaction, line) for line in portion]
            for line, verdict in zip(portion, verdicts, strict=True):
                if verdict is _Verdict.NEWS or isinstance(line, Refused):
                    yield line
                elif verdict is _Verdict.KNOWN:
                    self.known += 1
                else:
                    self.older[_told(line)] = None

    def _judge(self, transaction: ReadTransaction, line: Read) -> _Verdict:
        if isinstance(line, Refused) or line.recorded_at is None:
            return _Verdict.NEWS
        if line.key not in self._histories:
            self._histories[line.key] = _history(transaction, line)
        history = self._histories[line.key]
        return _Verdict.NEWS if history is None else history.judge(line)


def _portion(lines: Iterator[Read]) -> Iterator[Read]:
    size = 0
    for count, line in enumerate(lines, 1):
        yield line
        size += 0 if isinstance(line, Refused) else line.size
        if count >= _PORTION or size >= _BYTES:
            return


def _history(transaction: ReadTransaction, line: Line) -> _History | None:
    """What the store says of the atom or edge of a line; None if it says nothing."""
    seqs = _versions(transaction, line) if line.kind in ("put", "tombstone") else _statements(transaction, line)
    entries = [replay(transaction, seq, seq + 1)[0] for seq in reversed(seqs)]
    said = [line_of(transaction, entry, entry.body) for entry in entries if entry.body is not None]
    if not said:
        return None
    told: list[tuple[str, Fields]] = [
        (str(one["kind"]), {word: one[word] for word in one if word not in _NOT_SAID}) for one in said
    ]
    return _History(told, entries[-1].time)


def _versions(transaction: ReadTransaction, line: Line) -> list[int]:
    """The versions of the atom, latest first."""
    (row,) = find_names(transaction, [normalise(str(line.fields["name"]))])
    return [] if row is None else [version.seq for version in versions_of(transaction, row.subject)]


def _statements(transaction: ReadTransaction, line: Line) -> list[int]:
    """The statements of the edge, latest first."""
    source, target = (find_subject(transaction, str(line.fields.get(end))) for end in ("source", "target"))
    link = find_link(transaction, source, str(line.fields.get("type")), target)
    return [] if link is None else [statement.seq for statement in statements_of(transaction, link.edge)]


def _told(line: Line) -> str:
    return str(line.fields["name"]) if line.kind in ("put", "tombstone") else " ".join(map(str, line.key))  # type: ignore[call-overload]
