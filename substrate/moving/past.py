"""Which lines of a file are news for a store that has something of their atoms already.

A line is left out if the store has something else of its atom or edge that was recorded later. What an import brought
counts from the time that its own line gave. Rows of a table give none: a row is left out if its file brought the same
value last, and the atom has changed since. Spaces at the start and end of a value do not count there: earlier versions
did not keep them. If nothing else has changed since, such a row is news. Several rows of a file may have one name and
text, and other cells: each is recorded over the one before. They are judged together, at the end of the file. What an
undo took back counts as never said. If it was taken back where it comes from, it goes out of use here, unless the
store has more of that atom or edge, or somebody said it again here. A line that cannot be judged is news: the
checkpoint refuses it.

With the older lines, too, all is news but for the ends of what was taken back, which are judged in the same way.

The judgement is made ahead, in a snapshot. If others write meanwhile, it is made again under the write lock.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property
from hashlib import blake2b
from itertools import dropwhile, islice, takewhile
from typing import Final, NamedTuple, TypeGuard, TypeVar

from substrate.atoms.bodies import bodies_of, body_of
from substrate.atoms.moments import last_seq
from substrate.atoms.resolve import find_subject
from substrate.atoms.validity import taken_back
from substrate.entities.naming import with_names
from substrate.errors import InputError
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.moving.line import Line, Read
from substrate.names import normalise
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.save.input import AtomGiven, read_atom, read_edge, read_said, read_tombstone
from substrate.save.repeat import compared, is_same, merged
from substrate.schema import UNDOES
from substrate.values.saved import Refused
from substrate.views.atoms import VersionRow, find_names, latest_version, versions_of
from substrate.views.beside.recorded import came_from, recorded_at
from substrate.views.beside.witnesses import HERE, mark_of_line, marks_of
from substrate.views.edges import Link, find_link, statements_of
from substrate.views.traces import confirmation_of

__all__ = ["Past", "find_known"]

_PORTION: Final = 1000
_BYTES: Final = 1024 * 1024
"""Lines, and about their size together, that are judged in one snapshot."""
_WAITING: Final = 16 * 1024 * 1024
_LINE: Final = 200
"""Characters of rows that wait for the end of the file, at most, with so many for each row itself. Beyond that, they
are news."""
_KEPT: Final = 50_000
"""Versions of which the digests are kept, at most, or those of one atom."""
_ROWS: Final = 64
"""Atoms of which what was looked up for one row is kept for the next."""
_NEVER: Final = -(2**63)
_ENDS: Final = (Kind.TOMBSTONE, Kind.UNEDGE)
_KINDS: Final = {"put": Kind.PUT, "tombstone": Kind.TOMBSTONE, "edge": Kind.EDGE, "unedge": Kind.UNEDGE}
_OCCURRED: Final = "occurred_at"
_Version = TypeVar("_Version", bound=VersionRow | Link)


class _Verdict(Enum):
    NEWS = 1
    SAME = 2
    """The store says it now."""
    KNOWN = 3
    """The store said it, and says something else now."""
    OLDER = 4
    CONFIRMS = 5
    """The store says it now, word for word: it is passed on."""
    WAITS = 6
    """A row that the store said before, with other cells: rows after it may say what the store says now."""


class _Words(NamedTuple):
    """What a line or a version says, as a digest, but for when it occurred. Ends are all alike."""

    kind: Kind
    digest: bytes = b""
    occurred_at: Json = None

    def are_said_by(self, line: _Words, *, is_dated: bool) -> bool:
        """Whether a line says the same. `is_dated`: when it occurred is not its own word."""
        same = self[:2] == line[:2]
        return same and (is_dated or self.kind in _ENDS or self.occurred_at == line.occurred_at)


class _Said(NamedTuple):
    """A version, and from when it counts: mostly when it was recorded in the store that it comes from."""

    words: _Words
    time: int
    came_from: int
    """The same, also if it counts as said when it was imported; of what an undo said again, of what that was."""
    seq: int
    is_again: bool = False
    """Whether an undo said it again, which counts from when it was said first."""


class _History:
    """What the store says of one atom or edge, latest first."""

    def __init__(self, said: Sequence[_Said]) -> None:
        self.said = said
        self.time = max((one.time for one in said if not one.is_again), default=_NEVER)
        self._met: set[bytes] | None = None

    def is_ended(self) -> bool:
        return bool(self.said) and self.said[0].words.kind in _ENDS

    def has_time(self, time: int) -> bool:
        return any(one.time == time for one in self.said)

    def has_met(self, transaction: ReadTransaction, time: int) -> bool:
        """Whether a line recorded then brought a version before the latest, or said one again: it is no witness now."""
        if self._met is None:
            before = self.said[1:]
            brought = (mark_of_line(one) for version in before for one in (version.time, version.came_from))
            again = (mark for version in before for mark in marks_of(transaction, version.seq))
            self._met = {*brought, *again}
        return mark_of_line(time) in self._met

    def says_now(self, words: _Words, line: Line) -> bool:
        return bool(self.said) and self.said[0].words.are_said_by(words, is_dated=line.is_dated)

    def has_said(self, words: _Words, line: Line, time: int | None) -> bool:
        """Whether a line was said, at any time or at this one."""
        return any(
            one.words.are_said_by(words, is_dated=line.is_dated) for one in self.said if time in (None, one.time)
        )


class _Row:
    """Judges the rows of a table of one name, which do not say when they were written, by what the store says of it."""

    def __init__(self, transaction: ReadTransaction, subject: bytes, session: str) -> None:
        self._transaction, self._subject, self._session = transaction, subject, session

    def judge(self, atom: AtomGiven) -> _Verdict:
        if self._latest is None:
            return _Verdict.NEWS
        now = self._now
        if self._says(now, atom):  # mostly so
            return _Verdict.CONFIRMS
        own = self._own
        is_own = own is None or (now is not None and now.get("session") == self._session)
        if is_own and now is not None and now.get("value") != atom.value and _has_words(now, atom):
            return _Verdict.NEWS
        if own is None:
            if self._confirmed is not None and _has_words(self._confirmed, atom):
                atom = replace(atom, value=str(self._confirmed["value"]))
            was_brought = self._says(self._confirmed, atom)
        elif now is not None and now.get("value") == atom.value:  # other cells of the row may be news
            was_brought = self._says(own, atom)
        else:
            was_brought = _has_words(own, atom)
        if was_brought:
            return _Verdict.OLDER
        return _Verdict.WAITS if any(self._says(one, atom) for one in self._before()) else _Verdict.NEWS

    def judge_all(self, atoms: Sequence[AtomGiven]) -> _Verdict:
        """Several rows of one name and text in a file, one recorded over the other: what they come to together."""
        both = own = self._own
        for atom in atoms:
            if both is None or both.get("value") != atom.value:
                return _Verdict.NEWS
            both = merged(both, _members(self._transaction, atom), atom.cleared)
        if own is None or both is None or compared(both) != compared(own):
            return _Verdict.NEWS
        return _Verdict.SAME if self._says(self._now, atoms[-1]) else _Verdict.OLDER

    @cached_property
    def _latest(self) -> VersionRow | None:
        return latest_version(self._transaction, self._subject)

    @cached_property
    def _now(self) -> Mapping[str, Json] | None:
        return None if self._latest is None else self._said(self._latest)

    @cached_property
    def _own(self) -> Mapping[str, Json] | None:
        """What the file brought last."""
        return next(self._from_own(), None)

    @cached_property
    def _confirmed(self) -> Mapping[str, Json] | None:
        """What was confirmed last. A file that only confirmed what was there has no version of its own."""
        versions = self._versions()
        rows = (row for row in versions if confirmation_of(self._transaction, row.subject, row.seq) is not None)
        return next(filter(None, map(self._said, rows)), None)

    def _before(self) -> Iterator[Mapping[str, Json]]:
        """What the atom said before that which the file brought last, latest first."""
        return islice(self._from_own(), 1, None)

    def _from_own(self) -> Iterator[Mapping[str, Json]]:
        said = filter(None, map(self._said, self._versions()))
        return dropwhile(lambda body: body.get("session") != self._session, said)

    def _versions(self) -> list[VersionRow]:
        return _standing(self._transaction, versions_of(self._transaction, self._subject))

    def _said(self, version: VersionRow) -> Mapping[str, Json] | None:
        body = body_of(self._transaction, version.seq) if version.kind is Kind.PUT else None
        return None if body is None else body.members

    def _says(self, known: Mapping[str, Json] | None, atom: AtomGiven) -> bool:
        """Whether an atom that says this would be confirmed by a row, as a checkpoint judges it."""
        if known is None or known.get("value") != atom.value:
            return False
        said = _members(self._transaction, atom)
        try:
            return is_same(merged(known, said, atom.cleared), known, atom.cleared)
        except InputError:
            return False


class Past:
    """Judges the lines of one import by what the store says. `said`: who says what the lines say.

    With `older`, a line is news also if the store has something else that was recorded later.
    """

    def __init__(self, log: Log, said: Mapping[str, object], *, older: bool = False) -> None:
        self._log = log
        self._takes_older = older
        self._common = read_said(said)
        self._session = self._common.get("session")
        self._histories: dict[object, _History] = {}
        self._kept = 0
        self._rows: dict[bytes, _Row] = {}
        """What judges rows, by the atom that they are of, in one transaction."""
        self._passed: dict[object, int] = {}
        """The times of the last lines that are news, by what they are about."""
        self._own = 0
        """Entries that this import wrote."""
        self._others: int | None = None
        """Entries that it did not write, when the first lines were judged; None: no line depends on them."""
        self._older: dict[str, bool] = {}
        """The atoms and edges of which lines were left out; False: all that was left out, the store has said."""
        self._waiting: dict[str, list[Line]] = {}
        """Rows that are judged at the end of the file, by name; with tombstones between them."""
        self._waiting_size = 0
        self._changed: dict[str, int] = {}
        """The atoms that were there and of which a row waits or is news, by name: so are all rows of them behind it.
        With the latest entry of each, as it was judged."""
        self.known = 0
        """Lines that say what the store said before."""

    @property
    def older(self) -> tuple[str, ...]:
        """The atoms and edges of which lines were left out."""
        return tuple(self._older)

    def wrote(self, count: int) -> None:
        """Note that this import wrote entries."""
        self._own += count

    def news(self, lines: Iterator[Read]) -> Iterator[Read]:
        """The lines without those that are left out. What the store says now is passed on, to be confirmed."""
        if self._takes_older:
            yield from self._with_older(lines)
            return
        while portion := list(_portion(lines)):
            with self._log.snapshot() as transaction:
                self._rows.clear()
                self._others = self._written_by_others(transaction) if self._others is None else self._others
                rows = find_known(transaction, (str(one.fields["name"]) for one in portion if _is_of_atom(one)))
                verdicts = [self._judge(transaction, line, rows) for line in portion]
            for line, verdict in zip(portion, verdicts, strict=True):
                if isinstance(line, Refused):
                    yield line
                elif verdict is _Verdict.WAITS:
                    self._waiting[normalise(str(line.fields["name"]))].append(line)
                    self._waiting_size += len(str(line.fields)) + _LINE
                elif self._note(line, verdict):
                    yield line
            if self._waiting_size > _WAITING:
                yield from self._let_go()
        yield from self._judge_waiting()

    def _let_go(self) -> Iterator[Line]:
        """The rows that wait, as news: they are too many."""
        waiting, self._waiting, self._waiting_size = self._waiting, {}, 0
        for lines in waiting.values():
            yield from lines

    def _judge_waiting(self) -> Iterator[Line]:
        """Of the rows that waited: all of a name that came to something else, or the last, which is confirmed."""
        for name, lines in self._waiting.items():
            with self._log.snapshot() as transaction:
                verdict = self._judge_together(transaction, name, lines)
            if verdict is _Verdict.NEWS:
                yield from lines
                continue
            self.known += len(lines) - 1
            if self._note(lines[-1], _Verdict.CONFIRMS if verdict is _Verdict.SAME else verdict):
                yield lines[-1]

    def _judge_together(self, transaction: ReadTransaction, name: str, lines: Sequence[Line]) -> _Verdict:
        row = find_known(transaction, [name]).get(name)
        try:
            if row is not None and self._session is not None and all(line.kind == "put" for line in lines):
                atoms = [read_atom(line.fields, self._common) for line in lines]
                return _Row(transaction, row.subject, self._session).judge_all(atoms)
        except (InputError, UnicodeError):
            pass  # one of them will be refused, with the reason
        return _Verdict.NEWS

    def _with_older(self, lines: Iterator[Read]) -> Iterator[Read]:
        """All lines, but for the ends of what an undo took back, if the store does not have just that."""
        ended: set[object] = set()
        for line in lines:
            if isinstance(line, Refused):
                yield line
                continue
            if line.took_back is None:
                (ended.add if line.kind in ("tombstone", "unedge") else ended.discard)(line.key)
                yield line
                continue
            if line.key in ended:  # by a line before, which is recorded too
                self.known += 1
                continue
            with self._log.snapshot() as transaction:
                rows = find_known(transaction, [str(line.fields["name"])] if _is_of_atom(line) else [])
                verdict = self._judge_undone(transaction, line, line.took_back, rows)
            if self._note(line, verdict):
                yield line

    def only_spaces(self, transaction: ReadTransaction, line: Line, seq: int) -> bool:
        """Whether a line says what an atom said with the entry `seq`, but for spaces at the start or end of texts."""
        body = body_of(transaction, seq)
        if body is None or str(body.members.get("value")).strip() != str(line.fields.get("value")).strip():
            return False
        try:
            atom = read_atom(line.fields, self._common)
            both = merged(body.members, _members(transaction, atom), atom.cleared)
        except InputError:
            return False
        return _without_spaces(compared(both)) == _without_spaces(compared(body.members))

    def stale(self, transaction: ReadTransaction, lines: Sequence[Line]) -> list[Line]:
        """The lines, taken for news, of which others have said something later meanwhile. They are left out then."""
        is_as_judged = self._others is None or self._written_by_others(transaction) == self._others
        # To say a thing again writes no entry, and keeps it.
        judged = [line for line in lines if line.took_back is not None] if is_as_judged else lines
        if not judged:
            return []
        self._histories.clear()
        self._rows.clear()
        self._kept = 0
        rows = find_known(transaction, (str(line.fields["name"]) for line in judged if _is_of_atom(line)))
        return [line for line in judged if self._is_stale(transaction, line, rows)]

    def leave_out(self, lines: Iterable[Line]) -> None:
        """Name the atoms and edges of these lines among those that are left out."""
        self._older |= {_told(line): True for line in lines}

    def _written_by_others(self, transaction: ReadTransaction) -> int:
        return last_seq(transaction) + 1 - self._own

    def _note(self, line: Line, verdict: _Verdict) -> bool:
        """Whether a line is passed on. The last line of an atom decides whether the store says what the file says."""
        told = _told(line) if self._older or verdict is not _Verdict.NEWS else ""
        if verdict is _Verdict.OLDER:
            self._older[told] = True
        elif verdict is _Verdict.KNOWN:
            self._older.setdefault(told, False)
        elif self._older and not self._older.get(told, True):
            del self._older[told]
        self.known += verdict in (_Verdict.SAME, _Verdict.KNOWN)
        return verdict in (_Verdict.NEWS, _Verdict.CONFIRMS)

    def _judge(self, transaction: ReadTransaction, line: Read, rows: Mapping[str, VersionRow]) -> _Verdict:
        if isinstance(line, Refused):
            return _Verdict.NEWS
        try:
            if line.recorded_at is None:
                return self._judge_among(transaction, line, rows)
            return self._judge_dated(transaction, line, line.recorded_at, rows)
        except (InputError, UnicodeError):
            return _Verdict.NEWS  # it will be refused, with the reason

    def _is_stale(self, transaction: ReadTransaction, line: Line, rows: Mapping[str, VersionRow]) -> bool:
        if line.took_back is not None:
            return self._judge_undone(transaction, line, line.took_back, rows) is not _Verdict.NEWS
        try:
            if line.recorded_at is None:
                return self._is_row_stale(transaction, line, rows)
            history = self._history(transaction, line, rows)
            is_later = history.time > line.recorded_at
            return is_later and not history.says_now(_words(transaction, line, self._common), line)
        except (InputError, UnicodeError):
            return False

    def _judge_among(self, transaction: ReadTransaction, line: Line, rows: Mapping[str, VersionRow]) -> _Verdict:
        """Judge a row by the rows of its name before it, too: what these say is not written yet, and comes first."""
        if not _is_of_atom(line):
            return _Verdict.NEWS
        name = normalise(str(line.fields["name"]))
        if name in self._waiting:
            return _Verdict.WAITS
        if name in self._changed:
            return _Verdict.NEWS
        verdict = self._judge_row(transaction, line, rows)
        if verdict is _Verdict.WAITS:
            self._waiting[name] = []
        if verdict in (_Verdict.WAITS, _Verdict.NEWS) and name in rows:
            self._changed[name] = rows[name].seq
        return verdict

    def _is_row_stale(self, transaction: ReadTransaction, line: Line, rows: Mapping[str, VersionRow]) -> bool:
        name = normalise(str(line.fields["name"])) if line.kind == "put" else ""
        row = rows.get(name)
        if row is None or self._changed.get(name) == row.seq:
            return False  # nobody changed it since
        return self._judge_row(transaction, line, rows) is _Verdict.OLDER

    def _judge_row(self, transaction: ReadTransaction, line: Line, rows: Mapping[str, VersionRow]) -> _Verdict:
        row = rows.get(normalise(str(line.fields["name"]))) if line.kind == "put" else None
        if row is None or self._session is None:
            return _Verdict.NEWS
        if row.subject not in self._rows:
            if len(self._rows) >= _ROWS:
                self._rows.clear()
            self._rows[row.subject] = _Row(transaction, row.subject, self._session)
        return self._rows[row.subject].judge(read_atom(line.fields, self._common))

    def _judge_dated(
        self, transaction: ReadTransaction, line: Line, time: int, rows: Mapping[str, VersionRow]
    ) -> _Verdict:
        if line.took_back is not None:
            if line.key in self._passed:
                return _Verdict.SAME
            verdict = self._judge_undone(transaction, line, line.took_back, rows)
            if verdict is _Verdict.NEWS:
                self._passed[line.key] = time
            return verdict
        passed = self._passed.get(line.key)
        if passed is not None and time >= passed:
            self._passed[line.key] = time
            return _Verdict.NEWS
        history = self._history(transaction, line, rows)
        verdict = self._compare(transaction, line, time, history, passed)
        if verdict is _Verdict.NEWS and time >= history.time:
            self._passed[line.key] = time
        return verdict

    def _judge_undone(
        self, transaction: ReadTransaction, line: Line, took_back: frozenset[int], rows: Mapping[str, VersionRow]
    ) -> _Verdict:
        """An undo took all of it back where it comes from: news for a store that has just that, and did not say it."""
        try:
            history = self._history(transaction, line, rows)
        except (InputError, UnicodeError):
            return _Verdict.SAME
        gone = list(takewhile(lambda one: one.came_from in took_back, history.said))
        if not gone:
            return _Verdict.SAME
        is_all = len(gone) == len(history.said) or history.said[len(gone)].words.kind in _ENDS
        is_said_here = any(HERE in marks_of(transaction, one.seq) for one in gone)
        return _Verdict.NEWS if is_all and not is_said_here else _Verdict.OLDER

    def _compare(
        self, transaction: ReadTransaction, line: Line, time: int, history: _History, passed: int | None
    ) -> _Verdict:
        """`passed`: the time of a line before it that is news, and later."""
        later = history.time if passed is None else passed
        is_ended = line.kind in ("tombstone", "unedge") and history.is_ended()
        if time > later and not is_ended and not history.has_time(time):
            return _Verdict.NEWS
        words = _words(transaction, line, self._common)
        if passed is None and history.says_now(words, line):
            is_exact = words.kind not in _ENDS and words == history.said[0].words
            return _Verdict.CONFIRMS if is_exact and not history.has_met(transaction, time) else _Verdict.SAME
        if history.has_said(words, line, time if time >= later else None):
            return _Verdict.KNOWN
        return _Verdict.OLDER if time < later else _Verdict.NEWS

    def _history(self, transaction: ReadTransaction, line: Line, rows: Mapping[str, VersionRow]) -> _History:
        found = self._histories.get(line.key)
        if found is None:
            found = _history(transaction, _versions(transaction, line, rows, self._common))
            self._kept += len(found.said)
            if self._kept > _KEPT:
                self._histories.clear()
                self._kept = len(found.said)
            if found.said:
                self._histories[line.key] = found
        return found


def _portion(lines: Iterator[Read]) -> Iterator[Read]:
    size = 0
    for count, line in enumerate(lines, 1):
        yield line
        size += 0 if isinstance(line, Refused) else line.size
        if count >= _PORTION or size >= _BYTES:
            return


def _is_of_atom(line: Read) -> TypeGuard[Line]:
    return not isinstance(line, Refused) and line.kind in ("put", "tombstone")


def find_known(transaction: ReadTransaction, names: Iterable[str]) -> dict[str, VersionRow]:
    """The latest versions of the atoms that the store knows, by name. What cannot be a name, none has."""
    wanted = list(dict.fromkeys(map(normalise, names)))
    try:
        rows = find_names(transaction, wanted)
    except (InputError, UnicodeError):
        rows = [None if len(wanted) == 1 else find_known(transaction, [name]).get(name) for name in wanted]
    return {name: row for name, row in zip(wanted, rows, strict=True) if row is not None}


def _versions(
    transaction: ReadTransaction, line: Line, rows: Mapping[str, VersionRow], common: Mapping[str, str | None]
) -> Iterable[VersionRow | Link]:
    """The versions of the atom or edge that a line is about, latest first. InputError."""
    if _is_of_atom(line):
        row = rows.get(normalise(str(line.fields["name"])))
        return () if row is None else versions_of(transaction, row.subject)
    edge = read_edge(line.fields, common)
    ends = (find_subject(transaction, end) for end in (edge.source, edge.target))
    link = find_link(transaction, next(ends), edge.type, next(ends))
    return () if link is None else statements_of(transaction, link.edge)


def _history(transaction: ReadTransaction, versions: Iterable[VersionRow | Link]) -> _History:
    """What the versions say, given latest first."""
    standing = _standing(transaction, versions)
    said: list[_Said] = []
    again: list[int] = []
    for row, body in zip(standing, bodies_of(transaction, [row.seq for row in standing]), strict=True):
        if body is not None:
            again += [len(said)] if UNDOES in body.members else []
            counts = recorded_at(transaction, row.seq)
            came = came_from(transaction, row.seq) if counts is None else counts
            words, time = _digest(row.kind, body.members), body.time
            said.append(_Said(words, time if counts is None else counts, time if came is None else came, row.seq))
    for at in reversed(again):  # an undo may say again what another one did
        first = next((one for one in said[at + 1 :] if one.words == said[at].words), None)
        if first is not None:
            said[at] = said[at]._replace(is_again=True, came_from=first.came_from)
    return _History(said)


def _standing(transaction: ReadTransaction, versions: Iterable[_Version]) -> list[_Version]:
    """These without what an undo took back, and without an end of nothing."""
    rows = list(versions)
    gone = taken_back(transaction, rows) if len(rows) > 1 else {}  # mostly there is one, which takes back nothing
    standing = [row for row in rows if row.seq not in gone]
    while standing and standing[-1].kind in _ENDS:
        standing.pop()
    return standing


def _words(transaction: ReadTransaction, line: Line, common: Mapping[str, str | None]) -> _Words:
    """What a line says. InputError if a checkpoint would refuse it."""
    kind = _KINDS[line.kind]
    if kind is Kind.PUT:
        return _digest(kind, with_names(_members(transaction, read_atom(line.fields, common)), None))
    if kind is Kind.TOMBSTONE:
        read_tombstone(line.fields, common)
        return _Words(kind)
    edge = read_edge(line.fields, common)
    source, target = (find_subject(transaction, end).hex() for end in (edge.source, edge.target))
    return _digest(kind, {**edge.members, "source": source, "type": edge.type, "target": target})


def _members(transaction: ReadTransaction, atom: AtomGiven) -> dict[str, Json]:
    said: dict[str, Json] = {**atom.members, "name": atom.name, "value": atom.value}
    if "parent" in said:
        said["parent"] = find_subject(transaction, str(said["parent"])).hex()
    return said


def _has_words(known: Mapping[str, Json], atom: AtomGiven) -> bool:
    """Whether the value is that of a row, but for spaces at its start and end."""
    value = known.get("value")
    return isinstance(value, str) and value.strip() == atom.value.strip()


def _without_spaces(said: Json) -> Json:
    """The same without spaces at the start and end of any text."""
    if isinstance(said, str):
        return said.strip()
    if isinstance(said, list):
        return [_without_spaces(one) for one in said]
    return {key: _without_spaces(one) for key, one in said.items()} if isinstance(said, dict) else said


def _digest(kind: Kind, members: Mapping[str, Json]) -> _Words:
    if kind in _ENDS:
        return _Words(kind)
    said = compared(members)
    occurred_at = said.pop(_OCCURRED, None)
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return _Words(kind, blake2b(text.encode(), digest_size=16).digest(), occurred_at)


def _told(line: Line) -> str:
    return str(line.fields["name"]) if _is_of_atom(line) else " ".join(map(str, line.key))  # type: ignore[call-overload]
