"""The verb checkpoint: atoms, edges and tombstones as one. All is written, or nothing, or what the caller lets pass.

What an item says is checked first, without any lock. What it means beside what is there already (is it new, or said
again? is there such an atom to tombstone?) is decided under the write lock, in the transaction that writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from substrate.atoms.bodies import body_of, require_body
from substrate.atoms.domains import DOMAIN, last_attrs
from substrate.atoms.edge_kinds import BUILT_IN, SCHEMA, EdgeKinds, edge_kinds
from substrate.atoms.meant.near_names import MOST_SUGGESTED, or_near
from substrate.atoms.moments import last_seq
from substrate.atoms.resolve import find_subject, name_of
from substrate.atoms.supersedes import Chains, is_by_person, is_hidden_by_agent
from substrate.atoms.validity import is_persons_word
from substrate.codec import Draft, draft_other, draft_put, draft_tombstone, read_body
from substrate.conflicts.detect import NewVersion, detect, own_conflicts
from substrate.encryption.domains import is_any_encrypted
from substrate.encryption.unlocked import UnlockedDomains
from substrate.entities.naming import with_names
from substrate.errors import InputError, NameInvalid, NotFound
from substrate.kv.api import ReadTransaction
from substrate.limits import check_size
from substrate.log.append import Decision
from substrate.log.expect import Expect
from substrate.log.identity import draw_id, id_text
from substrate.log.log import Log
from substrate.log.tables import BODIES, EXPECTED, seq_key
from substrate.messages import AN_ATOM, ATOM, Item
from substrate.names import check_new_name, type_of
from substrate.proof.encoding import Json
from substrate.proof.entry import SALT_BYTES, Kind
from substrate.proof.head import SignedHead
from substrate.save.batch import Batch
from substrate.save.encrypted import Encrypter, check_versions
from substrate.save.input import (
    AtomGiven,
    EdgeGiven,
    ExpectInput,
    TombstoneGiven,
    read_expect,
    read_said,
    turn_edge,
)
from substrate.save.quota import check_quota
from substrate.save.reading import Items, Refusals, read_items
from substrate.save.repeat import by_whom, is_same, merged, placed_by, repeats, with_tier
from substrate.schema import RENAMED, UNDOES
from substrate.snapshot import Snapshot
from substrate.text.refuse_secrets import refuse_secrets
from substrate.values.actors import is_person
from substrate.values.edges import CONTRADICTS, PRODUCED_BY, RENAMED_TO, SUPERSEDES
from substrate.values.saved import Contradicted, Saved
from substrate.veil import bare
from substrate.views.atoms import VersionRow, find_name, find_names, latest_version, versions_of
from substrate.views.beside.conflicts import ConflictRow
from substrate.views.beside.recorded import came_from, recorded_row
from substrate.views.beside.witnesses import HERE, MOST_MARKS, Marks, mark_of_line, mark_of_session, marks_of, marks_row
from substrate.views.edges import Link, find_link, is_linked, statement_at
from substrate.views.touches import Touch, TouchKind, touch_traces
from substrate.views.traces import Trace, confirmation_of, expected_name, trace_confirmed, trace_expected

__all__ = ["Planner", "checkpoint", "read_batch"]

_EdgeKey = tuple[bytes, str, bytes]


def checkpoint(  # noqa: PLR0913
    log: Log,
    batch: Batch,
    *,
    expect: ExpectInput | None = None,
    said: Mapping[str, object],
    partial: bool = False,
    allow_secrets: bool = False,
    is_import: bool = False,
    check: Callable[[ReadTransaction], object] | None = None,
    unlocked: UnlockedDomains | None = None,
) -> Saved:
    """See `Memory.checkpoint`. An import may bring names that a store before this one took, and a new one may not.

    `check` is called under the write lock, before anything is decided: what it raises, the caller gets. Without
    `unlocked`, nothing is saved in an encrypted domain.
    """
    planner, expected = read_batch(batch, expect=expect, said=said, partial=partial, allow_secrets=allow_secrets)
    planner.is_import = is_import
    planner.unlocked = unlocked
    versions: Mapping[str, int | None] = {}
    if unlocked is not None and unlocked.is_any:
        # The map has opaque names only. Which atom has which of them may change until the lock is held.
        expected, versions = replace(expected, versions={}), expected.versions

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        if versions and unlocked is not None:
            check_versions(transaction, unlocked, versions)
        if check is not None:
            check(transaction)
        return planner.plan(transaction, time)

    appended = log.decide(plan, expect=expected)
    return planner.saved(appended.seqs, appended.head, appended.subjects)


def read_batch(  # noqa: PLR0913
    batch: Batch,
    *,
    expect: ExpectInput | None,
    said: Mapping[str, object],
    partial: bool,
    allow_secrets: bool,
    whole: bool = False,
) -> tuple[Planner, Expect]:
    """The batch, each item checked for itself, ready to be decided once; and what the caller expects of the store.

    `whole`: it is planned and never written, so it may be larger than a checkpoint.
    """
    expected, common = read_expect(expect), read_said(said)
    if batch.count() == 0:
        raise InputError("nothing to save: give at least one ", ATOM, ", edge or tombstone")
    if not whole:
        check_size("checkpoint", batch.count(), "checkpoint_items", "items", "save it in several checkpoints")
    if not allow_secrets:
        refuse_secrets(None, "", common)
    refusals = Refusals(partial)
    items = read_items(batch, common, refusals, allow_secrets=allow_secrets, whole=whole)
    return Planner(batch, common, items, refusals, whole=whole), expected


@dataclass(slots=True)
class _Known:
    """What a name or an edge is at within this checkpoint: its id, its version (None: of this checkpoint), its body."""

    subject: bytes
    seq: int | None
    members: Mapping[str, Json] | None
    """None if it is out of use."""
    place: int | None = None
    """Which draft of this checkpoint it is, if it is one."""


@dataclass(slots=True)
class Planner:
    """One checkpoint: decides what its items come to, given what is there."""

    batch: Batch
    common: Mapping[str, str | None]
    items: Items
    refusals: Refusals
    is_import: bool = False
    whole: bool = False
    """Whether it is planned only to see what is refused: a contradiction is not, so none is looked for."""
    unlocked: UnlockedDomains | None = None
    recorded: dict[str, None] = field(default_factory=dict)
    confirmed: dict[str, None] = field(default_factory=dict)
    tombstoned: dict[str, None] = field(default_factory=dict)
    stated: dict[bytes, None] = field(default_factory=dict)
    unedged: dict[bytes, None] = field(default_factory=dict)
    dangling: dict[str, None] = field(default_factory=dict)
    conflicts: list[Contradicted] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    _contested: list[Contradicted] = field(default_factory=list)
    """Open conflicts of what is only confirmed."""
    _drafts: list[Draft] = field(default_factory=list)
    _traces: list[Trace] = field(default_factory=list)
    _names: dict[str, _Known | None] = field(default_factory=dict)
    _places: dict[str, int] = field(default_factory=dict)
    """Which draft is the last version of a name."""
    _gone: dict[str, bytes] = field(default_factory=dict)
    """Atoms that are tombstoned: their ids by name."""
    _renamed: set[bytes] = field(default_factory=set)
    """Atoms that go on under another name."""
    _links: dict[_EdgeKey, _Known | None] = field(default_factory=dict)
    _subjects: dict[str, bytes] = field(default_factory=dict)
    """The ids of what atoms are parts of, and of the ends of edges, by name: many name the same."""
    _shown: Mapping[str, str] = field(default_factory=dict)
    """What to call encrypted atoms, by the names that the log knows them by."""
    _chains: Chains | None = None
    _kinds: EdgeKinds | None = None
    _recorded_at: list[int | None] = field(default_factory=list)
    """Of each draft, if the batch says it."""
    _marks: dict[int, Marks] = field(default_factory=dict)
    """Of versions that are said again: all that they have from now on."""
    _alike: dict[int, dict[bytes, None]] = field(default_factory=dict)
    """Marks of versions that this checkpoint brings, by draft: of lines that say the same again."""
    _witnesses: dict[bytes, int] = field(default_factory=dict)
    """How often an atom or edge was said again in this checkpoint, as far as that counts."""

    def plan(self, transaction: ReadTransaction, time: int) -> Decision:
        """What the items come to, given what is there."""
        if is_any_encrypted(transaction):
            self._encrypt(transaction, time)
        self._look_up(transaction)
        waited_for = bare(transaction).any(EXPECTED)
        if self.batch.may_rename:
            sources = (edge.source for _, edge in self.items.edges if edge.type == RENAMED_TO)
            self._renamed = {find_subject(transaction, source) for source in sources}
        puts = [
            (item, atom.name, lambda item=item, atom=atom: self._put(transaction, item, atom, time, waited_for))
            for item, atom in self.items.atoms
        ]
        stones = [
            (item, stone.name, lambda stone=stone: self._tombstone(transaction, stone))
            for item, stone in self.items.tombstones
        ]
        for step in (*stones, *puts) if self.batch.tombstones_first else (*puts, *stones):
            self._try(*step)
        edges = self.items.edges
        if self.items.task is not None:
            task = find_subject(transaction, self.items.task)
            produced = [name for name in self.recorded if find_subject(transaction, name) != task]
            members = {key: text for key, text in self.common.items() if text is not None and key != "source"}
            edges = [
                *edges,
                *(("task", EdgeGiven(name, PRODUCED_BY, self.items.task, dict(members))) for name in produced),
            ]
        for item, unedge in self.items.unedges:
            self._try(item, None, lambda unedge=unedge: self._unedge(transaction, unedge))  # type: ignore[misc]
        for item, edge in edges:
            self._try(item, None, lambda item=item, edge=edge: self._state(transaction, item, edge, time))  # type: ignore[misc]
        self.refusals.stop()
        check_quota(transaction, list(self.recorded), len(self.tombstoned))
        if not self.whole:
            self._compare(transaction, time)
        touches = touch_traces(transaction, list(self._touches(transaction, time)))
        beside = self._beside(last_seq(transaction) + 1) if self._drafts else ()
        return Decision(self._drafts, [*self._traces, *touches, *beside])

    def _beside(self, start: int) -> Iterator[Trace]:
        """What is said of the checkpoint, which begins with this entry, beside the log."""
        if self.batch.part is not None:
            yield self.batch.part.row(start)
        if self.batch.recorded_at:
            yield recorded_row(start, self._recorded_at, counts_now=self.batch.counts_now)
        for place, marks in self._alike.items():
            yield marks_row(start + place, list(marks)[:MOST_MARKS])

    def _encrypt(self, transaction: ReadTransaction, time: int) -> None:
        """From here on, what belongs to encrypted domains is ciphertext under opaque names."""
        encrypter = Encrypter(transaction, time, self.unlocked, self.common)
        if self.batch.may_rename:
            for stone in self.items.tombstones:
                encrypter.check_rename(stone[1].name)
        self.items = encrypter.encrypted(self.items, self.refusals.add)
        self._shown = encrypter.shown
        self.refusals.stop()

    def _touches(self, transaction: ReadTransaction, time: int) -> Iterator[Touch]:
        """With which strength what is recorded begins to fade, how it was used before, and what is put away."""
        if self.batch.strength is not None:
            for name in self.recorded:
                yield Touch(find_subject(transaction, name), time, 0, self.batch.strength, TouchKind.SAVED)
        for name in dict.fromkeys(self.recorded) if self.batch.touches else ():
            for touch in self.batch.touches.get(name, ()):
                yield touch._replace(subject=find_subject(transaction, name), time=min(touch.time, time))
        for subject in self._gone.values() if self.batch.archives else ():
            yield Touch(subject, time, 0, 0, TouchKind.ARCHIVED)

    def saved(self, seqs: range, head: SignedHead, subjects: Sequence[bytes] | None = None) -> Saved:
        """What the items came to, given the ids of what was appended; without them, what they would come to."""
        return Saved(
            seqs,
            head,
            tuple(map(self._show, self.recorded)),
            tuple(map(self._show, self.confirmed)),
            tuple(map(self._show, self.tombstoned)),
            tuple(str(UUID(bytes=edge)) for edge in self.stated),
            tuple(str(UUID(bytes=edge)) for edge in self.unedged),
            tuple(self.dangling),
            tuple(self.refusals.items),
            (*self.conflicts, *self._contested),
            tuple(self.unchecked),
            {} if subjects is None else self._ids(subjects),
        )

    def _ids(self, subjects: Sequence[bytes]) -> dict[str, str]:
        """The id of each atom by name, given those of what was appended."""
        found = {name: known.subject for name in self.confirmed if (known := self._names.get(name)) is not None}
        found |= {name: subjects[place] for name, place in self._places.items()}
        return {self._show(name): id_text(subject) for name, subject in (found | self._gone).items()}

    def _show(self, name: str) -> str:
        return self._shown.get(name, name)

    def _compare(self, transaction: ReadTransaction, time: int) -> None:
        """Which of the versions contradict others, now that all of them are known."""
        size = last_seq(transaction) + 1
        recorded = [
            NewVersion(name, known.subject, size + place, known.members)
            for name, place in self._places.items()
            if (known := self._names[name]) is not None and known.members is not None
        ]
        if recorded or self._gone or any(kind == CONTRADICTS for _, kind, _ in self._links):
            stated = [key for key, known in self._links.items() if known is not None and known.seq is None]
            detected = detect(Snapshot(transaction, None, None, time), recorded, set(self._gone.values()), stated)
            self.conflicts, self.unchecked = detected.conflicts, detected.unchecked
            self._traces += detected.traces

    def _try(self, item: str, name: str | None, step: Callable[[], None]) -> None:
        try:
            step()
        except (InputError, NotFound) as error:
            self.refusals.add(item, error, name)
        if self.batch.recorded_at and len(self._drafts) > len(self._recorded_at):
            self._recorded_at.append(self._said_at(item))

    def _look_up(self, transaction: ReadTransaction) -> None:
        """The latest version of every atom named, with its body, in two reads."""
        wanted = list(dict.fromkeys(atom.name for _, atom in self.items.atoms))
        rows = find_names(transaction, wanted)
        live = [row for row in rows if row is not None and row.kind is Kind.PUT]
        bodies = transaction.get_many(BODIES, [seq_key(row.seq) for row in live])
        said = {row.seq: body for row, body in zip(live, bodies, strict=True) if body is not None}
        for name, row in zip(wanted, rows, strict=True):
            if row is None:
                self._names[name] = None
            else:
                body = said.get(row.seq)
                members, damage = ({}, "") if body is None else read_body(Kind.PUT, body[SALT_BYTES:])
                self._names[name] = _Known(row.subject, row.seq, members if damage is None else None)

    def _put(
        self,
        transaction: ReadTransaction,
        item: str,
        atom: AtomGiven,
        time: int,
        waited_for: bool,  # noqa: FBT001
    ) -> None:
        members = atom.members
        if "parent" in members:
            members["parent"] = self._subject(transaction, str(members["parent"])).hex()
        known = self._names[atom.name]
        if known is None:
            self._check_first(transaction, atom.name)
        said: dict[str, Json] = {**members, "name": atom.name, "value": atom.value}
        if known is not None and atom.name.startswith(DOMAIN) and not self.batch.may_rename:
            said = with_tier(said, self._attrs(transaction, known, atom.name))
        if known is not None and known.members is not None and known.members["value"] == atom.value:
            both = merged(known.members, said, atom.cleared)
            is_known = is_same(both, known.members, atom.cleared)
            is_known = is_known and not self._brings_back(transaction, item, known, said)
            if is_known and not self._is_last_word(transaction, known, said, time):
                self.confirmed[atom.name] = None
                self._confirm(transaction, item, known, said, time)
                return
            said = placed_by(said, both)
            if self.batch.part is None:  # an import says of each version whose word it was
                said = by_whom(known.members, said)
        said = with_names(said, None if known is None else known.members)
        members = {key: member for key, member in said.items() if key not in ("name", "value")}
        self._places[atom.name] = len(self._drafts)
        self._drafts.append(draft_put(atom.name, atom.value, members))
        self.recorded[atom.name] = None
        subject = known.subject if known is not None else b""
        if known is None and waited_for:
            subject = self._subject(transaction, atom.name)
            self._traces.append(trace_expected(subject, None))
        self._names[atom.name] = _Known(subject, None, said, self._places[atom.name])

    def _brings_back(self, transaction: ReadTransaction, item: str, known: _Known, said: Mapping[str, Json]) -> bool:
        """Whether a person says again what an agent has superseded: a version of its own, so that it is in use.

        A line of an import does so if it says that it was recorded after the edge.
        """
        said_at = None if self.batch.counts_now else self._said_at(item)
        if known.seq is None or not is_person(said) or (self.batch.part is not None and said_at is None):
            return False
        return is_hidden_by_agent(transaction, known.subject, said_at)

    def _is_last_word(self, transaction: ReadTransaction, known: _Known, said: Mapping[str, Json], time: int) -> bool:
        """Whether what is said again contradicts what was said since: a version of its own, so that it is the newest.

        An agent that repeats something has no last word against a person's. Its open conflicts are told all the same.
        """
        if not self.batch.is_statement or known.seq is None:
            return False
        found = own_conflicts(Snapshot(transaction, None, None, time), known.subject)
        since = [row for row, _ in found if row.first == known.subject]
        if since and (is_person(said) or not any(self._is_persons(transaction, row) for row in since)):
            return True
        self._contested += [contradicted for _, contradicted in found]
        return False

    @staticmethod
    def _is_persons(transaction: ReadTransaction, row: ConflictRow) -> bool:
        """Whether a person said the newer of the two."""
        members = require_body(transaction, row.second_seq).members
        return is_persons_word(transaction, row.second, row.second_seq, members)

    def _said_at(self, item: str) -> int | None:
        """When an item was recorded in the store that it comes from, if the batch says it."""
        if not self.batch.recorded_at or not isinstance(item, Item):
            return None
        return self.batch.recorded_at[item.argument][item.at]

    def _attrs(self, transaction: ReadTransaction, known: _Known, name: str) -> Mapping[str, Json]:
        """The attrs that an atom said last, be it in use or not."""
        if known.members is not None:
            attrs = known.members.get("attrs")
            return attrs if isinstance(attrs, dict) else {}
        row = find_name(transaction, name)
        return {} if row is None else last_attrs(transaction, row)

    def _check_first(self, transaction: ReadTransaction, name: str) -> None:
        """Refuse a name that first appears here and that a new atom cannot have. One that edges wait for is not new."""
        if self.is_import:
            return
        try:
            check_new_name(name)
        except NameInvalid:
            if expected_name(transaction, find_subject(transaction, name)) is None:
                raise

    def _confirm(
        self, transaction: ReadTransaction, item: str, known: _Known, said: Mapping[str, Json], time: int
    ) -> None:
        """Note that a version was said again. An imported line that was there before says nothing again.

        Nor does one behind the line of the same import that brought the version: an undo makes such a line.
        """
        said_at = self._said_at(item) if self._is_of_import() else None
        if known.seq is None:
            if known.place is not None and said_at is not None:
                self._alike.setdefault(known.place, {})[mark_of_line(said_at)] = None
            return
        if known.members is None:
            raise AssertionError("what is confirmed is a version that was there")
        counts = not repeats(said, known.members)
        if self._is_of_import():
            is_first = self._is_first(transaction, known.seq, said_at, str(said.get("session", "")))
            is_own = self.batch.begun is not None and known.seq >= self.batch.begun
            if said_at is not None and (is_own or not is_first):
                return
            counts = counts and is_first
        elif UNDOES in known.members or came_from(transaction, known.seq) is not None:
            self._mark(transaction, known.seq, HERE)
        before = confirmation_of(transaction, known.subject, known.seq)
        # Each line of an import may be another witness; who says a thing twice in one checkpoint is one.
        added = self._witnesses.get(known.subject, 0)
        added = added + counts if self._is_of_import() else max(added, counts)
        self._witnesses[known.subject] = added
        self._traces.append(trace_confirmed(known.subject, known.seq, time, before, counts=added))

    def _is_of_import(self) -> bool:
        return self.batch.part is not None and self.batch.part.verb == "import"

    def _is_first(self, transaction: ReadTransaction, seq: int, said_at: int | None, session: str) -> bool:
        """Whether no import before has brought this line or row, nor does this store have it of its own. It is noted.

        The version itself may be it: one that an earlier import brought, or the one that the export was made of.
        """
        if said_at is None:
            return self._mark(transaction, seq, mark_of_session(transaction, seq, session))
        if came_from(transaction, seq) == said_at:
            return False
        body = body_of(transaction, seq)
        return (body is None or body.time != said_at) and self._mark(transaction, seq, mark_of_line(said_at))

    def _mark(self, transaction: ReadTransaction, seq: int, mark: bytes) -> bool:
        """Give a version this mark. False if it has it, or has so many that another adds nothing."""
        marks = self._marks[seq] if seq in self._marks else marks_of(transaction, seq)
        if mark in marks or (mark != HERE and len(marks) - (HERE in marks) >= MOST_MARKS):
            return False
        self._marks[seq] = (*marks, mark)
        self._traces.append(marks_row(seq, self._marks[seq]))
        return True

    def _tombstone(self, transaction: ReadTransaction, stone: TombstoneGiven) -> None:
        row = _find(transaction, stone.name)
        name = stone.name if row is None or row.name is None else row.name
        if name in self.recorded or name in self.confirmed or name in self.tombstoned:
            raise InputError("this checkpoint also records or tombstones it: keep one of the two")
        if row is None:
            near = or_near(transaction, stone.name) if len(self.refusals.items) < MOST_SUGGESTED else ""
            raise NotFound("there is no such ", ATOM, f" to tombstone{near}")
        if row.kind is Kind.TOMBSTONE:
            raise NotFound("it is tombstoned already")
        renamed = {RENAMED: True} if row.subject in self._renamed else {}
        self._drafts.append(draft_tombstone(name, {**stone.members, **renamed}))
        self._gone[name] = row.subject
        self.tombstoned[name] = None

    def _who(self) -> dict[str, Json]:
        return {key: text for key, text in self.common.items() if text is not None}

    def _state(self, transaction: ReadTransaction, item: str, edge: EdgeGiven, time: int) -> None:
        edge = self._as_kept(transaction, edge)
        if edge.type == RENAMED_TO and not (self.batch.may_rename or self.is_import):
            raise InputError("an edge of the type renamed_to comes with a rename only")
        source, target = self._end(transaction, edge.source), self._end(transaction, edge.target)
        if edge.type == SUPERSEDES and self._chain(transaction).closes_circle(source, target):
            raise self._circle(transaction, edge, source, target)
        key = (source, edge.type, target)
        known = self._link(transaction, key)
        if known is not None and known.subject in self.unedged:
            raise InputError("this checkpoint both states it and takes it back: keep one of the two")
        said: dict[str, Json] = {**edge.members, "source": source.hex(), "type": edge.type, "target": target.hex()}
        said |= {} if known is None else self._undoes(known.subject)
        if known is not None and known.members is not None:
            both = merged(known.members, said, edge.cleared)
            if is_same(both, known.members, edge.cleared) and not self._takes_over(transaction, edge, known, said):
                self.confirmed[f"{edge.source} {edge.type} {edge.target}"] = None
                self._confirm(transaction, item, known, said, time)
                return
            said = placed_by(said, both)
        ends = ((source, edge.source), (target, edge.target))
        dangling = [(end, name) for end, name in ends if self._is_absent(transaction, name)]
        for _, name in dangling:
            self._check_first(transaction, name)
        subject = draw_id() if known is None else known.subject
        self._links[key] = _Known(subject, None, said, len(self._drafts))
        self._drafts.append(draft_other(Kind.EDGE, said, subject=subject))
        if edge.type == SUPERSEDES:
            self._chain(transaction).add(source, target)
        self.stated[subject] = None
        for end, name in dangling:
            self.dangling[name] = None
            self._traces.append(trace_expected(end, name))

    def _takes_over(
        self, transaction: ReadTransaction, edge: EdgeGiven, known: _Known, said: Mapping[str, Json]
    ) -> bool:
        """Whether a person states what only agents said supersedes another: then it is a person's word from now on."""
        if edge.type != SUPERSEDES or known.members is None or not is_person(said):
            return False
        own = known.seq is None and is_person(known.members)
        return not own and not is_by_person(transaction, known.subject)

    def _circle(self, transaction: ReadTransaction, edge: EdgeGiven, source: bytes, target: bytes) -> InputError:
        """Why an edge is refused that would close a circle, and which edge to take back, if it is just one."""
        other = self._link(transaction, (target, SUPERSEDES, source))
        told = [AN_ATOM, " cannot supersede itself, or one that supersedes it"]
        if other is not None and other.members is not None and other.subject not in self.unedged:
            back = f"{self._show(edge.target)} {SUPERSEDES} {self._show(edge.source)}"
            told.append(f": take back the edge {back} first")
        return InputError(*told)

    def _as_kept(self, transaction: ReadTransaction, edge: EdgeGiven) -> EdgeGiven:
        """The edge under the name that it is kept under. InputError if the table of edge types does not allow it."""
        kinds = self._edge_kinds(transaction)
        if kinds is not BUILT_IN and not self.is_import:
            kinds.check(edge.type, *(self._type(transaction, end) for end in (edge.source, edge.target)))
        inverse = kinds.inverse(edge.type)
        if inverse is None or kinds.is_own(edge.type):
            return edge
        source, target = self._end(transaction, edge.source), self._end(transaction, edge.target)
        if not kinds.is_own(inverse) and self._is_stated(transaction, (source, edge.type, target)):
            return edge
        if self._is_stated(transaction, (target, inverse, source)):
            return turn_edge(edge, inverse)
        return turn_edge(edge, inverse, label=True) if kinds.is_own(inverse) else edge

    def _is_stated(self, transaction: ReadTransaction, key: _EdgeKey) -> bool:
        """Whether there is such an edge, and this checkpoint does not take it back."""
        known = self._link(transaction, key)
        return known is not None and known.members is not None and known.subject not in self.unedged

    def _edge_kinds(self, transaction: ReadTransaction) -> EdgeKinds:
        """The table of edge types, as this checkpoint leaves it."""
        if self._kinds is None:
            known = self._names.get(SCHEMA)
            value = None if known is None or known.members is None else str(known.members["value"])
            self._kinds = BUILT_IN if SCHEMA in self.tombstoned else edge_kinds(transaction, value=value)
        return self._kinds

    def _type(self, transaction: ReadTransaction, end: str) -> str | None:
        """The type of the atom at an edge's end; None if nobody knows its name."""
        name = end if "." in end else name_of(transaction, bytes.fromhex(end))
        return None if name is None else type_of(name)

    def _is_absent(self, transaction: ReadTransaction, end: str) -> bool:
        """Whether an edge's end is a name that no atom has, neither in the store nor in this checkpoint."""
        return "." in end and self._names.get(end) is None and find_name(transaction, end) is None

    def _chain(self, transaction: ReadTransaction) -> Chains:
        self._chains = self._chains or Chains(transaction, self.unedged)
        return self._chains

    def _end(self, transaction: ReadTransaction, end: str) -> bytes:
        """The id of an edge's end. A name may be of an atom that is not there yet; an id may not."""
        subject = self._subject(transaction, end)
        if "." not in end and latest_version(transaction, subject) is None and not is_linked(transaction, subject):
            raise NotFound("there is no ", ATOM, f" with the id {UUID(bytes=subject)}")
        return subject

    def _subject(self, transaction: ReadTransaction, name: str) -> bytes:
        """The id that the atom of this name or id has, or will have."""
        subject = self._subjects.get(name)
        if subject is None:
            subject = self._subjects[name] = find_subject(transaction, name)
        return subject

    def _link(self, transaction: ReadTransaction, key: _EdgeKey) -> _Known | None:
        """The edge between two atoms, as it is within this checkpoint."""
        if key not in self._links:
            link = find_link(transaction, *key)
            if link is None:
                self._links[key] = None
            else:
                body = body_of(transaction, link.seq) if link.kind is Kind.EDGE else None
                said = None if body is None or body.damage is not None else body.members
                self._links[key] = _Known(link.edge, link.seq, said)
        return self._links[key]

    def _unedge(self, transaction: ReadTransaction, unedge: EdgeGiven | str) -> None:
        if isinstance(unedge, str):
            link = statement_at(transaction, bytes.fromhex(unedge), 2**63 - 2)
            who = {"cited" if key == "source" else key: text for key, text in self._who().items()}
        else:
            link = self._named_link(transaction, unedge)
            who = {key: text for key, text in unedge.members.items() if key in ("actor", "session", "origin", "cited")}
        if link is None or link.kind is Kind.UNEDGE:
            raise NotFound("there is no such edge, or it was taken back already")
        if link.edge in self.unedged:
            raise InputError("it is taken back twice in the same checkpoint")
        said = {**who, "source": link.source.hex(), "type": link.type, "target": link.target.hex()}
        said |= self._undoes(link.edge)
        self._drafts.append(draft_other(Kind.UNEDGE, said, subject=link.edge))
        self.unedged[link.edge] = None

    def _undoes(self, edge: bytes) -> dict[str, Json]:
        """What a statement says of those before it, if it takes them back."""
        count = self.batch.undoes.get(edge.hex())
        return {} if count is None else {UNDOES: count}

    def _named_link(self, transaction: ReadTransaction, edge: EdgeGiven) -> Link | None:
        """The edge that is stated between two atoms, by either of its names; else the one that was, by this name."""
        source, target = find_subject(transaction, edge.source), find_subject(transaction, edge.target)
        link = find_link(transaction, source, edge.type, target)
        if link is None or link.kind is Kind.UNEDGE:
            inverse = self._edge_kinds(transaction).inverse(edge.type)
            other = None if inverse is None else find_link(transaction, target, inverse, source)
            link = other if other is not None and other.kind is Kind.EDGE else link
        return link


def _find(transaction: ReadTransaction, name: str) -> VersionRow | None:
    """The latest version of an atom by its name or id."""
    if "." in name:
        return find_name(transaction, name)
    return next(versions_of(transaction, bytes.fromhex(name)), None)
