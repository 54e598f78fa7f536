"""What of a plain export or a table a store knows already, and what it has newer words for.

The lines of a file tell the history of an atom or an edge in its order, and so does the log. What both tell is known. A
line beyond that is news if the store says nothing later: nothing beside what is known, or nothing recorded after the
line. Else it is older, and left out: an import never puts an older value over a newer one. Rows of a table do not say
when they were recorded: a row that says what its file said last is older than whatever was said since. What an undo
took back counts as never said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, TypeVar

from substrate.atoms.bodies import body_of
from substrate.atoms.resolve import find_subject
from substrate.atoms.validity import taken_back
from substrate.care.export import line_of
from substrate.errors import InputError
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.log.replay import replay
from substrate.moving.line import Fields, Line, Read
from substrate.names import normalise
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.save.input import AtomGiven, read_atom, read_said
from substrate.save.repeat import is_same, merged
from substrate.values.saved import Refused
from substrate.views.atoms import VersionRow, find_names, latest_version, versions_of
from substrate.views.edges import Link, find_link, statements_of
from substrate.views.traces import confirmation_of

__all__ = ["Past"]

_PORTION: Final = 1000
_BYTES: Final = 1024 * 1024
"""Lines, and about their size together, that are judged in one snapshot."""
_Version = TypeVar("_Version", VersionRow, Link)
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


class _Imported:
    """What the store says of an atom that a table may have brought before: the table does not say when it was written.

    A row is known if it says what the same file said of this atom last. If something else was said since, it is older.
    """

    def __init__(self, transaction: ReadTransaction, subject: bytes, session: str) -> None:
        self._transaction, self._subject, self._session = transaction, subject, session

    def judge(self, atom: AtomGiven) -> _Verdict:
        latest = latest_version(self._transaction, self._subject)
        if latest is None or self._says(self._said(latest), atom):  # it confirms: mostly so
            return _Verdict.NEWS
        return _Verdict.OLDER if self._says(self._own(), atom) else _Verdict.NEWS

    def _own(self) -> Mapping[str, Json] | None:
        """What the file said of it last. One that only confirmed what was there has no version of its own."""
        versions = _standing(self._transaction, self._subject)
        said = (body for body in map(self._said, versions) if body is not None and body.get("session") == self._session)
        confirmed = (row for row in versions if confirmation_of(self._transaction, row.subject, row.seq) is not None)
        return next(said, None) or next(filter(None, map(self._said, confirmed)), None)

    def _said(self, version: VersionRow) -> Mapping[str, Json] | None:
        body = body_of(self._transaction, version.seq) if version.kind is Kind.PUT else None
        return None if body is None else body.members

    def _says(self, known: Mapping[str, Json] | None, atom: AtomGiven) -> bool:
        """Whether an atom that says this would be confirmed by a row, as a checkpoint judges it."""
        if known is None or known.get("value") != atom.value:
            return False
        said = {**atom.members, "name": atom.name, "value": atom.value}
        if "parent" in said:
            said["parent"] = find_subject(self._transaction, str(said["parent"])).hex()
        try:
            return is_same(merged(known, said, atom.cleared), known, atom.cleared)
        except InputError:
            return False


class Past:
    """Judges the lines of one import by what the store said before it. `said`: who says what the lines say."""

    def __init__(self, log: Log, said: Mapping[str, object]) -> None:
        self._log = log
        self._common = read_said(said)
        self._histories: dict[object, _History | None] = {}
        self.older: dict[str, None] = {}
        """The atoms and edges of which older lines were left out."""
        self.known = 0
        """Lines that say what the store said before."""

    def news(self, lines: Iterator[Read]) -> Iterator[Read]:
        """The lines without those that are known or older. What the store says now is passed on, to be confirmed."""
        while portion := list(_portion(lines)):
            with self._log.snapshot() as transaction:
                there = self._there(transaction, portion)
                verdicts = [self._judge(transaction, line, there) for line in portion]
            for line, verdict in zip(portion, verdicts, strict=True):
                if verdict is _Verdict.NEWS or isinstance(line, Refused):
                    yield line
                elif verdict is _Verdict.KNOWN:
                    self.known += 1
                else:
                    self.older[_told(line)] = None

    def _there(self, transaction: ReadTransaction, portion: Sequence[Read]) -> dict[str, bytes]:
        """The ids of the atoms in these rows that the store knows, by the names that the rows give."""
        if self._common.get("session") is None:
            return {}
        rows = [line for line in portion if not isinstance(line, Refused) and line.recorded_at is None]
        names = list(dict.fromkeys(str(line.fields["name"]) for line in rows if line.kind == "put"))
        found = zip(names, find_names(transaction, list(map(normalise, names))), strict=True)
        return {name: row.subject for name, row in found if row is not None}

    def _judge(self, transaction: ReadTransaction, line: Read, there: Mapping[str, bytes]) -> _Verdict:
        if isinstance(line, Refused):
            return _Verdict.NEWS
        if line.recorded_at is None:
            subject = there.get(str(line.fields["name"])) if line.kind == "put" else None
            return _Verdict.NEWS if subject is None else self._judge_row(transaction, line, subject)
        if line.key not in self._histories:
            self._histories[line.key] = _history(transaction, line)
        history = self._histories[line.key]
        return _Verdict.NEWS if history is None else history.judge(line)

    def _judge_row(self, transaction: ReadTransaction, line: Line, subject: bytes) -> _Verdict:
        try:
            atom = read_atom(line.fields, self._common)
        except InputError:
            return _Verdict.NEWS  # it will be refused, with the reason
        return _Imported(transaction, subject, str(self._common["session"])).judge(atom)


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
    return [] if row is None else [version.seq for version in _standing(transaction, row.subject)]


def _standing(transaction: ReadTransaction, subject: bytes) -> list[VersionRow]:
    """The versions of an atom that no undo took back, latest first."""
    return _not_undone(transaction, versions_of(transaction, subject))


def _not_undone(transaction: ReadTransaction, versions: Iterable[_Version]) -> list[_Version]:
    """These without what an undo took back, and without an end of nothing."""
    rows = list(versions)
    gone = taken_back(transaction, rows)
    standing = [row for row in rows if row.seq not in gone]
    while standing and standing[-1].kind in (Kind.TOMBSTONE, Kind.UNEDGE):
        standing.pop()
    return standing


def _statements(transaction: ReadTransaction, line: Line) -> list[int]:
    """The statements of the edge, latest first."""
    source, target = (find_subject(transaction, str(line.fields.get(end))) for end in ("source", "target"))
    link = find_link(transaction, source, str(line.fields.get("type")), target)
    return [] if link is None else [one.seq for one in _not_undone(transaction, statements_of(transaction, link.edge))]


def _told(line: Line) -> str:
    return str(line.fields["name"]) if line.kind in ("put", "tombstone") else " ".join(map(str, line.key))  # type: ignore[call-overload]
