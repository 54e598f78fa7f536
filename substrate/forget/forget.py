"""The verb forget: erase for good, and provably so.

One forget entry for each atom, for each edge that loses statements while its atoms stay, and for each training. What
it erases are bodies; the views drop their rows in the same transaction, traces go with it, and a compaction then takes
the bytes out of the file.

A log from elsewhere may hold edges, trainings and models that do not fit the schema, and that no view lists. They are
found by their id alone, which fsck names, or by what selects all else that matches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from substrate.atoms.bodies import bodies_or_damage
from substrate.atoms.meant.near_names import or_near
from substrate.atoms.moments import last_seq
from substrate.atoms.renames import same_by_rename
from substrate.atoms.resolve import find_subject
from substrate.atoms.validity import taken_back
from substrate.codec import Draft, decode_body, draft_forget, draft_other, draft_tombstone, read_body
from substrate.errors import Busy, Full, NotFound, SubstrateError
from substrate.forget.compaction import compact_owed, mark_owed
from substrate.forget.mentions import Mentions
from substrate.forget.select import Selection
from substrate.forget.titles import Titles
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.append import Decision
from substrate.log.heads import place_of
from substrate.log.log import Log
from substrate.log.replay import BATCH, Logged, replay
from substrate.log.tables import (
    CONFIRMED,
    CONFLICTS,
    DOMAIN_KEYS,
    ENTRIES,
    EXPECTED,
    PROPOSALS,
    SESSIONS,
    read_seq,
    seq_key,
)
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.schema import is_id
from substrate.values.progress import Progress
from substrate.values.saved import Forgot
from substrate.veil import bare
from substrate.views.atoms import VersionRow, latest_version, versions_of
from substrate.views.beside.conflicts import conflict_keys
from substrate.views.beside.proposals import all_proposals, erase_proposals
from substrate.views.edges import Link, edges_touching, statements_of
from substrate.views.learned.objectives import erase_objectives, training_trace
from substrate.views.learned.sessions import all_sessions, session_row
from substrate.views.touches import erase_touches
from substrate.views.traces import Trace
from substrate.views.vectors import erase_vectors

__all__ = ["forget"]

_STEP = 20_000
"""Edges or versions of one atom that are forgotten in one append: a hub may have a million."""
_OF_SESSIONS = ("session", "actor", "objective")
_OF_PROPOSALS = ("session", "actor", "source")
"""Fields that a trace of a session has too."""
_ATOM_KINDS = (Kind.PUT, Kind.TOMBSTONE)
_EDGE_KINDS = (Kind.EDGE, Kind.UNEDGE)


class _Subject(NamedTuple):
    """An atom (PUT) or edge (EDGE) by id, a training (TRAIN) or model (MODEL) by seq, a trace (None) by key."""

    kind: Kind | None
    at: bytes
    seqs: tuple[int, ...] = ()
    """Of an edge: statements that were found in the log. The view of edges may not list them all."""


def forget(log: Log, selection: Selection, *, dry_run: bool, progress: Progress | None = None) -> Forgot:
    """See `Memory.forget`."""
    with log.snapshot() as transaction:
        selection = _with_copies(transaction, selection)
        subjects = list(_select(transaction, selection, progress))
        if not subjects:
            raise NotFound("there is nothing that matches: nothing was forgotten")
        mentions = Mentions(transaction, [one.at for one in subjects if one.kind is Kind.PUT])
        renamed = _other_names(transaction, selection, subjects)
        notes = tuple(_vault_notes(transaction, subjects))
        if dry_run:
            total = _Plan(transaction, selection, whole=True)
            for subject in subjects:
                total.add(subject)
            total.finish()
            return replace(total.told(mentions.left(total.is_gone), dry_run=True), renamed=renamed, vault_notes=notes)
    done = _Told()
    waiting = subjects
    try:
        while waiting:
            waiting = _forget_some(log, selection, waiting, done)
            if progress is not None:
                progress(len(subjects) - len(waiting), len(subjects))
    except SubstrateError:
        _compact(log, done)  # what is forgotten is forgotten, whatever keeps the rest from being so
        raise
    with log.snapshot() as transaction:
        left = mentions.left(lambda at: all(row.name is None for row in versions_of(transaction, at)))
    told = done.told(left, dry_run=False, compacted=_compact(log, done))
    return replace(told, renamed=renamed, vault_notes=notes)


def _compact(log: Log, done: _Told) -> bool:
    """Take the erased bytes out of the file, if any were; whether that was done."""
    try:
        if done.seqs or done.sessions:
            compact_owed(log)
    except (Busy, Full):  # it is forgotten all the same; the bytes go when there is time and room
        return False
    return True


def _forget_some(log: Log, selection: Selection, subjects: list[_Subject], done: _Told) -> list[_Subject]:
    """Forget as many of the subjects as one append takes; those that are left."""
    left: list[_Subject] = []
    told = _Told()

    def plan(transaction: ReadTransaction, _: int) -> Decision:
        forgetting = _Plan(transaction, selection)
        for i, subject in enumerate(subjects):
            if forgetting.is_full() or not forgetting.add(subject):
                left.extend(subjects[i:])
                break
        forgetting.finish()
        told.take(forgetting)
        rows = forgetting.traces()
        return Decision(forgetting.drafts, [*rows, mark_owed()] if forgetting.drafts or rows else [])

    appended = log.decide(plan)
    done.take(told)
    done.seqs += [seq for seq, kind in zip(appended.seqs, told.kinds, strict=True) if kind is Kind.FORGET]
    return left


@dataclass(slots=True)
class _Told:
    """What was forgotten, counted."""

    atoms: int = 0
    versions: int = 0
    edges: int = 0
    traces_erased: int = 0
    trainings: int = 0
    sessions: int = 0
    models: int = 0
    tombstoned: list[str] = field(default_factory=list)
    seqs: list[int] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)

    def take(self, other: _Told) -> None:
        """Add the counts of another."""
        self.atoms += other.atoms
        self.versions += other.versions
        self.edges += other.edges
        self.traces_erased += other.traces_erased
        self.trainings += other.trainings
        self.sessions += other.sessions
        self.models += other.models
        self.tombstoned += other.tombstoned
        self.kinds = other.kinds

    def told(self, mentioned_by: tuple[str, ...], *, dry_run: bool, compacted: bool = False) -> Forgot:
        """As the caller gets it."""
        return Forgot(
            dry_run,
            self.atoms,
            self.versions,
            self.edges,
            self.traces_erased,
            tuple(self.tombstoned),
            tuple(self.seqs),
            compacted,
            self.trainings,
            self.sessions,
            mentioned_by,
            self.models,
        )


class _Plan(_Told):
    """What forgetting some subjects takes, in one snapshot."""

    __slots__ = (
        "_dropped",
        "_edges_gone",
        "_ends",
        "_erased",
        "_gone",
        "_seen",
        "_selection",
        "_sessions_gone",
        "_titles",
        "_transaction",
        "_whole",
        "drafts",
    )

    def __init__(self, transaction: ReadTransaction, selection: Selection, *, whole: bool = False) -> None:
        """`whole`: to count, not to append."""
        super().__init__()
        self._whole = whole
        self._erased = 0
        self._seen = transaction
        self._transaction = bare(transaction)  # all that was said of an atom goes, whoever may see it
        self._selection = selection
        self._edges_gone: set[bytes] = set()
        self._ends: set[bytes] = set()
        self._gone: set[bytes] = set()
        self._sessions_gone: list[bytes] = []
        self._titles = Titles(self._transaction)
        self.drafts: list[Draft] = []
        self._dropped: dict[tuple[str, bytes], None] = {}

    def is_gone(self, subject: bytes) -> bool:
        """Whether nothing is left of an atom."""
        return subject in self._gone

    def is_full(self) -> bool:
        """Whether one append had better not take more."""
        drafts = len(self.drafts) + 2 * self._titles.count
        return drafts >= LIMITS["checkpoint_items"] - 4 or self._erased >= _STEP

    def add(self, subject: _Subject) -> bool:
        """Plan for one subject. False if it has so much that it must be added again next time."""
        kind, at, seqs = subject
        if kind is Kind.PUT:
            return self._add_atom(at)
        if kind is Kind.EDGE:
            self._add_edge(at, seqs)
        elif kind is Kind.TRAIN:
            self.trainings += self._add_entry(read_seq(at))
        elif kind is Kind.MODEL:
            self.models += self._add_entry(read_seq(at))
        else:
            self._sessions_gone.append(at)
            self.sessions += 1
        return True

    def _add_atom(self, at: bytes) -> bool:
        rows = list(versions_of(self._transaction, at))
        there = [row for row in rows if row.name is not None]
        if self._selection.names:
            upto = self._selection.upto
            is_later = upto is not None and bool(there) and there[0].seq > upto
            return is_later or self._forget_atom(at, there)
        gone = [row for row in there if self._is_selected(row.seq)]
        if not gone:
            return True
        also = self._undone_by({row.seq for row in gone}, rows)
        gone = [row for row in there if row in gone or row.seq in also]
        # A tombstone says nothing but the name: it is no reason to keep that.
        if {row.seq for row in there if row.kind is Kind.PUT} <= {row.seq for row in gone}:
            return self._forget_atom(at, there)
        self._forget_versions(at, there, gone)
        return True

    def _undone_by(self, seqs: Collection[int], rows: Sequence[VersionRow]) -> set[int]:
        """What these versions took back. It goes with them: nothing would be left to say that it never held."""
        undone = taken_back(self._transaction, rows)
        there = {row.seq for row in rows if row.name is not None}
        return {seq for seq, by in undone.items() if by in seqs and seq in there}

    def _with_undone(self, draft: Draft, erased: Collection[int]) -> Draft:
        """The same, and what the versions that it erases took back, but for what is `erased` anyway."""
        if draft.subject is None or not draft.erase:
            return draft
        also = self._undone_by(draft.erase, list(versions_of(self._transaction, draft.subject))).difference(erased)
        return draft_forget(draft.subject, {*draft.erase, *also})

    def _add_entry(self, seq: int) -> bool:
        """What one entry says, and no more; whether it said something still."""
        (entry,) = replay(self._transaction, seq, seq + 1)
        if entry.body is not None:
            self._draft(draft_forget(entry.subject, [seq]))
        return entry.body is not None

    def _is_selected(self, seq: int) -> bool:
        (entry,) = replay(self._transaction, seq, seq + 1)
        if entry.body is None:
            return False
        return bool(self._selection.names) or self._selection.matches(seq, decode_body(entry.body))

    def _forget_atom(self, subject: bytes, there: list[VersionRow]) -> bool:
        """All of it: versions, edges from and to it, traces. Of a great many edges or versions first some."""
        touching = [edge for edge in edges_touching(self._transaction, subject) if edge not in self._edges_gone]
        edges = touching if self._whole else touching[:_STEP]
        versions = there if len(there) <= _STEP or self._whole else there[-_STEP:]
        finished = len(edges) == len(touching) and len(versions) == len(there)
        erased = [row.seq for row in versions] if finished or not edges else []
        if erased:
            self._titles.lose(versions)
        for edge in edges:
            statements = [link for link in statements_of(self._transaction, edge) if link.type]
            erased += [link.seq for link in statements]
            self._lose_edge(edge, statements)
        key = None
        if finished:
            self._gone.add(subject)
            self._drop_trace(CONFIRMED, subject)
            self._drop_trace(EXPECTED, subject)
            self._drop_trace(DOMAIN_KEYS, subject)  # of an encrypted domain: what was encrypted stays so for ever
            self._drop_conflicts(subject)
            self._drop_touches(subject)
            self._drop_proposals(subject)
            key = place_of(self._transaction, there[0].name or "") if there else None
            self.atoms += bool(there)
        if erased:
            self._draft(draft_forget(subject, erased, key, edges=edges))
        self._erased += len(erased)
        self.versions += len(versions) if finished or not edges else 0
        self.edges += len(edges)
        return finished

    def _forget_versions(self, subject: bytes, there: list[VersionRow], gone: list[VersionRow]) -> None:
        """Some of its versions. If the current one is among them, the atom is taken out of use first."""
        name = there[0].name or ""
        if there[0].seq == gone[0].seq:  # both begin with the newest
            self._draft(draft_tombstone(name, again=True))
            self.tombstoned += [name] if there[0].kind is Kind.PUT else []
            self._drop_trace(CONFIRMED, subject)
            self._drop_conflicts(subject)
        self._drop_proposals(subject)  # they quote a version
        self._titles.lose(gone)
        self._draft(draft_forget(subject, [row.seq for row in gone]))
        self.versions += len(gone)

    def _add_edge(self, edge: bytes, seqs: Iterable[int]) -> None:
        there = [link for link in statements_of(self._transaction, edge) if link.type]
        gone = [link for link in there if self._is_selected(link.seq)]
        listed = {link.seq for link in there}
        lost = [seq for seq in seqs if seq not in listed and self._is_selected(seq)]
        if edge in self._edges_gone or not (gone or lost):
            return
        # That it was taken back says nothing without what was stated. One with a statement that is not listed is not
        # kept in part: the view has no row of that which could become a gap.
        whole = bool(lost) or {link.seq for link in there if link.kind is Kind.EDGE} <= {link.seq for link in gone}
        gone = there if whole else gone
        if not whole and there[0] in gone:
            self._unedge(there[0])  # also if it was taken back by what goes now: that it is not stated must stay said
        if whole:
            self._lose_edge(edge, gone)
        elif there[0] in gone:
            self._drop_trace(CONFIRMED, edge)
        self._draft(draft_forget(edge, [*lost, *(link.seq for link in gone)], edges=[edge] if whole else []))
        self.edges += 1

    def _lose_edge(self, edge: bytes, statements: Iterable[Link]) -> None:
        """Of this edge nothing stays; its ends may be waited for by others still, or not."""
        self._edges_gone.add(edge)
        self._ends.update(end for link in statements for end in (link.source, link.target))
        self._drop_trace(CONFIRMED, edge)

    def finish(self) -> None:
        """Call when all subjects were added: names that no edge waits for go too, and titles in their words."""
        named = {bytes.fromhex(name) for name in self._selection.names if is_id(name)}  # they go, now or later
        erased = {seq for draft in self.drafts for seq in draft.erase}
        for draft in self._titles.drafts(self._gone | named, erased):
            self._draft(self._with_undone(draft, erased))
            self.versions += len(self.drafts[-1].erase)
        for row in all_proposals(self._seen) if self._selection.field in _OF_PROPOSALS else ():
            if row.said.get(self._selection.field or "") == self._selection.text:
                self._drop_trace(PROPOSALS, row.key)
        for end in self._ends:
            if self._edges_gone.issuperset(edges_touching(self._transaction, end)):
                self._drop_trace(EXPECTED, end)

    def _unedge(self, link: Link) -> None:
        said: dict[str, Json] = {"source": link.source.hex(), "type": link.type, "target": link.target.hex()}
        self._draft(draft_other(Kind.UNEDGE, said, subject=link.edge))

    def traces(self) -> list[Trace]:
        """The rows of traces that go, and the vectors of the versions, sessions and trainings that do."""
        rows: list[Trace] = [(table, key, None) for table, key in self._dropped]
        erased = [seq for draft in self.drafts for seq in draft.erase]
        for seq in erased:
            rows.extend(erase_vectors(self._transaction, seq))
        sessions = self._session_rows()
        gone = [key for _, key, row in sessions if row is None]
        return rows + sessions + list(erase_objectives(self._transaction, [*gone, *map(training_trace, erased)]))

    def _session_rows(self) -> list[Trace]:
        """Traces of sessions that go, and those that get a hole in the place of an atom that goes."""
        rows: list[Trace] = [(SESSIONS, key, None) for key in self._sessions_gone]
        if self._gone:
            known = set(self._sessions_gone)
            for key, heard in all_sessions(self._transaction):
                if heard is None:  # what it says nobody can tell: it may well be of what goes
                    rows.append((SESSIONS, key, None))
                elif key not in known and not self._gone.isdisjoint((*heard.items, heard.domain)):
                    rows.append((SESSIONS, key, session_row(heard.without(self._gone))))
        return rows

    def _draft(self, draft: Draft) -> None:
        self.drafts.append(draft)
        self.kinds.append(draft.kind)

    def _drop_conflicts(self, subject: bytes) -> None:
        for key in conflict_keys(self._transaction, subject):
            self._drop_trace(CONFLICTS, key)

    def _drop_touches(self, subject: bytes) -> None:
        for table, key, _ in erase_touches(self._transaction, subject):
            self._drop_trace(table, key)

    def _drop_proposals(self, subject: bytes) -> None:
        for table, key, _ in erase_proposals(self._transaction, subject):
            self._drop_trace(table, key)

    def _drop_trace(self, table: str, key: bytes) -> None:
        if (table, key) not in self._dropped and self._transaction.get(table, key) is not None:
            self._dropped[table, key] = None
            self.traces_erased += 1


def _select(transaction: ReadTransaction, selection: Selection, progress: Progress | None) -> Iterator[_Subject]:
    """What is concerned, atoms first."""
    if selection.names:
        named = {find_subject(transaction, name): name for name in selection.names}
        # Under another name it says the same: both go, or it would not be forgotten.
        also = [other for subject in named for other in same_by_rename(transaction, subject) if other not in named]
        yield from (_Subject(Kind.PUT, other) for other in dict.fromkeys(also))
        for subject, name in named.items():
            if latest_version(transaction, subject) is not None or edges_touching(transaction, subject):
                yield _Subject(Kind.PUT, subject)
                continue
            others = _gathered(_entries_of(transaction, subject)) if is_id(name) else []
            if not others:
                raise NotFound(f"there is no {name}: nothing was forgotten{or_near(transaction, name)}")
            yield from others
        return
    yield from sorted(
        _gathered(_entries_selected(transaction, selection, progress)), key=lambda one: one.kind is not Kind.PUT
    )
    for key, heard in all_sessions(transaction) if selection.field in _OF_SESSIONS else ():
        if heard is not None and selection.text == getattr(heard, selection.field or ""):
            yield _Subject(None, key)


def _with_copies(transaction: ReadTransaction, selection: Selection) -> Selection:
    """Selected by seqs, a text goes under its other names too: else a rename would keep it."""
    if selection.seqs is None:
        return selection
    said: dict[bytes, set[str]] = {}
    for entry in _entries_selected(transaction, selection, None):
        if entry.kind is Kind.PUT:
            said.setdefault(entry.subject, set()).update(_values(entry))
    copies: set[int] = set()
    for subject, values in said.items():
        for other in same_by_rename(transaction, subject):
            rows = versions_of(transaction, other) if other != subject else ()
            seqs = (row.seq for row in rows if row.kind is Kind.PUT and row.name is not None)
            entries = (entry for seq in seqs for entry in _entry_at(transaction, seq))
            copies.update(entry.seq for entry in entries if not values.isdisjoint(_values(entry)))
    return replace(selection, copies=frozenset(copies) - frozenset(selection.seqs))


def _values(entry: Logged) -> list[str]:
    """What the version says; nothing if it was erased, or is damaged."""
    value = None if entry.body is None else decode_body(entry.body).get("value")
    return [value] if isinstance(value, str) else []


def _entry_at(transaction: ReadTransaction, seq: int) -> Iterable[Logged]:
    return replay(transaction, seq, seq + 1)


def _other_names(transaction: ReadTransaction, selection: Selection, subjects: Iterable[_Subject]) -> tuple[str, ...]:
    """The names of atoms that go because they hold the same as one that is named, or as a seq says."""
    named = {find_subject(transaction, name) for name in selection.names}
    others = [one.at for one in subjects if named and one.kind is Kind.PUT and one.at not in named]
    others += dict.fromkeys(entry.subject for seq in sorted(selection.copies) for entry in _entry_at(transaction, seq))
    latest = (latest_version(transaction, at) for at in others)
    return tuple(row.name for row in latest if row is not None and row.name is not None)


def _vault_notes(transaction: ReadTransaction, subjects: Iterable[_Subject]) -> Iterator[str]:
    """Where in a vault atoms stand that were promoted to it."""
    for subject in subjects:
        versions = versions_of(transaction, subject.at) if subject.kind is Kind.PUT else ()
        put = next((row for row in versions if row.kind is Kind.PUT), None)
        (body,) = (None,) if put is None else bodies_or_damage(transaction, [put.seq])
        attrs = {} if body is None or body.damage is not None else body.members.get("attrs")
        path = attrs.get("promoted_to") if isinstance(attrs, dict) else None
        if isinstance(path, str):
            yield path


def _gathered(entries: Iterable[Logged]) -> list[_Subject]:
    """What these entries are about, each once."""
    found: dict[tuple[Kind, bytes], list[int]] = {}
    for entry in entries:
        if entry.kind in (Kind.TRAIN, Kind.MODEL):
            found[entry.kind, seq_key(entry.seq)] = []
        elif entry.kind in _ATOM_KINDS:
            found[Kind.PUT, entry.subject] = []
        else:
            found.setdefault((Kind.EDGE, entry.subject), []).append(entry.seq)
    return [_Subject(kind, at, tuple(seqs)) for (kind, at), seqs in found.items()]


def _entries_of(transaction: ReadTransaction, subject: bytes) -> Iterator[Logged]:
    """The entries of an edge, a training or a damaged model by its id. Reads the entries of the whole log."""
    for at, data in transaction.scan(ENTRIES):
        if subject in data:
            (entry,) = replay(transaction, read_seq(at), read_seq(at) + 1)
            if entry.subject != subject or entry.body is None:
                continue
            damaged = read_body(entry.kind, entry.body)[1] is not None
            if entry.kind in (*_EDGE_KINDS, Kind.TRAIN) or (entry.kind is Kind.MODEL and damaged):
                yield entry


def _entries_selected(
    transaction: ReadTransaction, selection: Selection, progress: Progress | None
) -> Iterator[Logged]:
    """Every entry that is selected. Reads the whole log, or the seqs given."""
    size = last_seq(transaction) + 1
    wanted = range(size) if selection.seqs is None else range(selection.seqs.start, min(selection.seqs.stop, size))
    for start in range(wanted.start, wanted.stop, BATCH):
        for entry in replay(transaction, start, min(start + BATCH, wanted.stop)):
            if entry.body is None or entry.kind not in (*_ATOM_KINDS, *_EDGE_KINDS, Kind.TRAIN):
                continue
            if selection.matches(entry.seq, decode_body(entry.body)):
                yield entry
        if progress is not None:
            progress(min(start + BATCH, wanted.stop), wanted.stop)
    yield from (entry for seq in sorted(selection.copies) for entry in _entry_at(transaction, seq))
