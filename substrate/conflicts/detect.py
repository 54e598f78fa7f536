"""Conflicts between atoms: found when one is recorded, kept as long as both versions are current, settled by edges.

1. An atom is compared when it gets a version, under the write lock: with the claims under its keys, at most `COMPARED`
   under each, the newest, those of the same checkpoint among them, until `FOUND` contradict it. That bounds the cost,
   whatever the store holds.
2. A row says that two versions contradict each other. Whether that is an *open* conflict is seen when it is read: not
   if one of the two is superseded, not if it was settled after both were recorded, and not if an earlier release took
   for a contradiction what this one does not.
3. Settled means a live `consistent_with` edge between the two, either way, whose latest statement is later than what
   both say now. Another value, or another time at which it holds, is another claim, and a new conflict. A `contradicts`
   edge *confirms* it in the same way: until then, only the detector says so.
4. Text that was taken in from elsewhere is compared too, but who does not ask is not told of what it contradicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from uuid import UUID

from substrate import claims
from substrate.atoms.bodies import require_body
from substrate.atoms.load import atom_of
from substrate.atoms.resolve import find_subject, name_of, resolve
from substrate.atoms.supersedes import is_superseded, will_be_superseded
from substrate.claims.fault import FORESEEN, log_fault
from substrate.errors import SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.limits import check_size
from substrate.log.tables import CONFLICTS
from substrate.messages import Arg
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.conflicts import Conflict, Conflicts
from substrate.values.edges import CONSISTENT_WITH, CONTRADICTS, SUPERSEDES
from substrate.values.saved import Contradicted
from substrate.values.times import from_microseconds
from substrate.views.atoms import latest_version, versions_of
from substrate.views.beside.conflicts import (
    ConflictRow,
    conflict_keys,
    conflicts_with,
    in_order,
    newest_conflicts,
    trace_conflict,
)
from substrate.views.claims import Held, claim_of, claimants, claims_of, has_claims, window_of
from substrate.views.edges import Link, find_link
from substrate.views.traces import Trace

if TYPE_CHECKING:
    from substrate.claims import Contradiction

__all__ = [
    "COMPARED",
    "FOUND",
    "Clash",
    "Detected",
    "NewVersion",
    "conflicts_of",
    "detect",
    "is_settled",
    "list_conflicts",
    "own_conflicts",
]

COMPARED: Final = 64
"""Claims under one key that an atom is compared with: the newest."""
FOUND: Final = 8
"""Conflicts that are looked for when an atom is recorded: who contradicts so many others is known to be doubtful."""

_INGESTED: Final = "ingested"
Fresh: TypeAlias = Mapping[int, Mapping[str, Json]]
"""What versions say that are about to be written, by their seq."""
_NONE: Final[Fresh] = MappingProxyType({})


class Clash(NamedTuple):
    """An open conflict between the atoms with these ids; the version of `first` was recorded earlier."""

    first: bytes
    second: bytes
    kind: str
    reason: str
    confirmed: bool
    """Whether somebody said so, and not only the detector."""


class Detected(NamedTuple):
    """What the versions of a checkpoint contradict."""

    traces: list[Trace]
    """The rows to write with it."""
    conflicts: list[Contradicted]
    """Those that are open, but for those with ingested text."""
    unchecked: list[str]
    """Atoms that could not be compared, by a fault of ours: it is logged."""


class NewVersion(NamedTuple):
    """A version that a checkpoint is about to write. `subject` is empty if the atom is new."""

    name: str
    subject: bytes
    seq: int
    members: Mapping[str, Json]


# -- found -------------------------------------------------------------------------------------------------------------


def detect(
    snapshot: Snapshot,
    recorded: Iterable[NewVersion],
    gone: AbstractSet[bytes],
    edges: Iterable[tuple[bytes, str, bytes]],
) -> Detected:
    """What the versions of a checkpoint contradict, and which of these conflicts are open. A fault in it stops nothing.

    `gone` are the atoms that it takes out of use, `edges` those that it states.
    """
    written, edges = list(recorded), set(edges)
    search = _Search(snapshot.transaction, written, gone)
    traces: dict[bytes, Trace] = {}
    if snapshot.transaction.any(CONFLICTS):
        for subject in search.changed:
            traces.update({key: (CONFLICTS, key, None) for key in conflict_keys(snapshot.transaction, subject)})
    standing = _Standing(snapshot, written, edges)
    found: list[Contradicted] = []
    unchecked = []
    for atom in written:
        try:
            rows = search.compare(atom)
            told = [contradicted for row, contradicted in rows if standing.is_open(row) and standing.is_own(row)]
        except FORESEEN:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is: to be saved matters more than to be compared
            log_fault("finding conflicts", error)
            unchecked.append(atom.name)
            continue
        for row, _ in rows:
            traces.update({trace[1]: trace for trace in trace_conflict(row._replace(found_at=snapshot.at))})
        found += told
    for row in _stated_rows(snapshot, written, gone, edges):
        traces = {trace[1]: trace for trace in trace_conflict(row)} | traces  # what was found says more
    return Detected(list(traces.values()), found, unchecked)


def _stated_rows(
    snapshot: Snapshot,
    written: list[NewVersion],
    gone: AbstractSet[bytes],
    edges: AbstractSet[tuple[bytes, str, bytes]],
) -> Iterator[ConflictRow]:
    """The conflicts that a checkpoint states by edges, between atoms that are in use before or by it."""
    seqs = {atom.subject: atom.seq for atom in written if atom.subject}
    for source, _, target in sorted(edge for edge in edges if edge[1] == CONTRADICTS):
        for subject in {source, target} - seqs.keys():
            latest = latest_version(snapshot.transaction, subject)
            if latest is not None and latest.kind is Kind.PUT:
                seqs[subject] = latest.seq
        if {source, target} <= seqs.keys() - gone and source != target:
            yield in_order(ConflictRow(source, target, seqs[source], seqs[target], "value", snapshot.at))


class _Standing:
    """Which conflicts of a checkpoint are open once it is written."""

    def __init__(self, snapshot: Snapshot, written: list[NewVersion], stated: set[tuple[bytes, str, bytes]]) -> None:
        self._snapshot = snapshot
        self._fresh = {atom.seq: atom.members for atom in written}
        self._stated = stated
        self._superseded = {target: True for _, kind, target in stated if kind == SUPERSEDES}

    def is_open(self, row: ConflictRow) -> bool:
        """Neither of the two is superseded, and no edge settles it."""
        for subject, seq in ((row.first, row.first_seq), (row.second, row.second_seq)):
            if subject not in self._superseded:  # looked up once: who contradicts one often contradicts several
                said = self._fresh.get(seq)
                self._superseded[subject] = (
                    is_superseded(self._snapshot, subject)
                    if said is None
                    else will_be_superseded(self._snapshot, subject, said)
                )
            if self._superseded[subject]:
                return False
        settled = {(row.first, CONSISTENT_WITH, row.second), (row.second, CONSISTENT_WITH, row.first)} & self._stated
        return not settled and not _is_stated(self._snapshot.transaction, CONSISTENT_WITH, row, self._fresh)

    def is_own(self, row: ConflictRow) -> bool:
        """Neither of the two is text from elsewhere."""
        return _is_own(self._snapshot.transaction, row, self._fresh)


class _Search:
    """One checkpoint's search: among what is stored, and among its own versions."""

    def __init__(self, transaction: ReadTransaction, recorded: list[NewVersion], gone: AbstractSet[bytes]) -> None:
        self._transaction = transaction
        self._any = has_claims(transaction)
        self._fresh: dict[bytes, list[tuple[Held, str]]] = {}
        self.changed = {atom.subject for atom in recorded if atom.subject} | gone

    def compare(self, atom: NewVersion) -> list[tuple[ConflictRow, Contradicted]]:
        """What an atom contradicts, with what a caller is told of it; those compared later meet it."""
        claim = claim_of(atom.members, atom.name)
        if claim is None:
            return []
        held = Held(atom.subject, atom.seq, *window_of(atom.members), claim)
        found = list(islice(self._contradicting(held, atom.name), FOUND))
        for key in claims.keys_of(claim):
            self._fresh.setdefault(key, []).append((held, atom.name))
        return found

    def _contradicting(self, held: Held, name: str) -> Iterator[tuple[ConflictRow, Contradicted]]:
        compared: set[int] = set()
        for other, other_name in self._near(claims.keys_of(held.claim, against=True)):
            if other.seq in compared or not _overlap(held, other):
                continue
            compared.add(other.seq)
            found = claims.contradiction(other.claim, held.claim)
            if found is not None:
                yield self._pair(held, name, other, other_name, found)

    def _near(self, keys: Sequence[bytes]) -> Iterator[tuple[Held, str | None]]:
        """The claims under these keys, those of this checkpoint first: they are the newest."""
        for key in keys:
            fresh = self._fresh.get(key, [])[-COMPARED:]
            yield from reversed(fresh)
            if self._any and len(fresh) < COMPARED:
                near = [
                    subject
                    for subject in claimants(self._transaction, key, COMPARED - len(fresh))
                    if subject not in self.changed
                ]
                for start in range(0, len(near), FOUND):  # few at a time: the first ones may do
                    for held in claims_of(self._transaction, near[start : start + FOUND]):
                        if held is not None:
                            yield held, None

    def _pair(
        self, held: Held, name: str, other: Held, other_name: str | None, found: Contradiction
    ) -> tuple[ConflictRow, Contradicted]:
        first = other.subject or find_subject(self._transaction, other_name or "")
        second = held.subject or find_subject(self._transaction, name)
        row = ConflictRow(first, second, other.seq, held.seq, found.kind, 0)
        other_name = other_name or _name(self._transaction, first)
        return row, Contradicted(other_name, name, found.kind, found.reason)


def _overlap(a: Held, b: Held) -> bool:
    """Whether there is a time at which both hold."""
    return a.start < b.end and b.start < a.end


# -- open or settled ---------------------------------------------------------------------------------------------------


def conflicts_of(snapshot: Snapshot, subject: bytes) -> list[Clash]:
    """The open conflicts of one atom. Reads its rows, and of each the two claims and the edges between them."""
    transaction = snapshot.transaction
    found = []
    for row in map(in_order, conflicts_with(transaction, subject)):
        if not _is_standing(snapshot, row):
            continue
        how, confirmed = _found(transaction, row), _is_stated(transaction, CONTRADICTS, row)
        if how is not None or confirmed:
            found.append(Clash(row.first, row.second, row.kind, _reason(how), confirmed))
    return found


def own_conflicts(snapshot: Snapshot, subject: bytes) -> list[tuple[ConflictRow, Contradicted]]:
    """The open conflicts of one atom but for those with ingested text, with what a caller is told of each."""
    transaction = snapshot.transaction
    found = []
    for row in map(in_order, conflicts_with(transaction, subject)):
        if _is_open(snapshot, row) and _is_own(transaction, row):
            first, second = _name(transaction, row.first), _name(transaction, row.second)
            found.append((row, Contradicted(first, second, row.kind, _reason(_found(transaction, row)))))
    return found


def _name(transaction: ReadTransaction, subject: bytes) -> str:
    return name_of(transaction, subject) or str(UUID(bytes=subject))


def list_conflicts(snapshot: Snapshot, name: str | None, *, limit: int, offset: int, ingested: bool) -> Conflicts:
    """See `Memory.conflicts`."""
    for field, number in ((Arg("limit"), limit), (Arg("offset"), offset)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise SchemaInvalid(field, " must be a whole number from 0 on")
    check_size(Arg("limit"), limit, "list_items", "conflicts")
    if name is None:
        newest = newest_conflicts(snapshot.transaction)
    else:
        rows = map(in_order, conflicts_with(snapshot.transaction, resolve(snapshot.transaction, name).subject))
        newest = iter(sorted(rows, key=lambda row: (-row.second_seq, -row.first_seq)))
    standing = (row for row in newest if _is_open(snapshot, row) and (ingested or _is_own(snapshot.transaction, row)))
    page = list(islice(standing, offset, offset + limit + 1))
    return Conflicts(tuple(_shown(snapshot, row) for row in page[:limit]), len(page) > limit)


def _is_open(snapshot: Snapshot, row: ConflictRow) -> bool:
    if not _is_standing(snapshot, row):
        return False
    return _found(snapshot.transaction, row) is not None or _is_stated(snapshot.transaction, CONTRADICTS, row)


def _is_standing(snapshot: Snapshot, row: ConflictRow) -> bool:
    """Whether both versions are in use, and nothing settles what they say."""
    for subject, seq in ((row.first, row.first_seq), (row.second, row.second_seq)):
        current = latest_version(snapshot.transaction, subject)
        if current is None or current.seq != seq or current.kind is not Kind.PUT:
            return False  # a trace is not proven: the log says which version is current
    if any(is_superseded(snapshot, subject) for subject in (row.first, row.second)):
        return False
    return not is_settled(snapshot.transaction, row)


def is_settled(transaction: ReadTransaction, row: ConflictRow) -> bool:
    """Whether somebody said of what these two versions say that both hold."""
    return _is_stated(transaction, CONSISTENT_WITH, row)


def _is_own(transaction: ReadTransaction, row: ConflictRow, fresh: Fresh = _NONE) -> bool:
    """Whether neither of the two is text that was taken in from elsewhere."""
    said = (fresh.get(seq) or require_body(transaction, seq).members for seq in (row.first_seq, row.second_seq))
    return all(members.get("origin") != _INGESTED for members in said)


def _is_stated(transaction: ReadTransaction, kind: str, row: ConflictRow, fresh: Fresh = _NONE) -> bool:
    """Whether an edge of this type is between the two. `fresh`: what versions say that are about to be written."""
    for source, target in ((row.first, row.second), (row.second, row.first)):
        link = find_link(transaction, source, kind, target)
        if link is not None and link.kind is Kind.EDGE and _covers(transaction, link, row, fresh):
            return True
    return False


def _covers(transaction: ReadTransaction, link: Link, row: ConflictRow, fresh: Fresh) -> bool:
    """Whether the edge was stated about what both say now. Other tags or another source are no other claim."""
    for subject, seq in ((row.first, row.first_seq), (row.second, row.second_seq)):
        if seq < link.seq:
            continue
        then = latest_version(transaction, subject, link.seq)
        if then is None or then.kind is not Kind.PUT or then.name is None:
            return False
        members = fresh.get(seq) or require_body(transaction, seq).members
        if _said(require_body(transaction, then.seq).members) != _said(members):
            return False
    return True


def _said(members: Mapping[str, Json]) -> tuple[Json, int, int]:
    return members.get("value"), *window_of(members)


def _found(transaction: ReadTransaction, row: ConflictRow) -> Contradiction | None:
    """How the two contradict each other, as they are read by this release; None if they do not."""
    first, second = claims_of(transaction, (row.first, row.second))
    try:
        return None if first is None or second is None else claims.contradiction(first.claim, second.claim)
    except FORESEEN:
        raise
    except Exception as error:  # noqa: BLE001 - that they are in conflict is known without it
        log_fault("saying why two atoms are in conflict", error)
        return claims.Contradiction(row.kind, row.kind)


def _reason(found: Contradiction | None) -> str:
    return "an edge says so" if found is None else found.reason


def _shown(snapshot: Snapshot, row: ConflictRow) -> Conflict:
    atoms = []
    for subject in (row.first, row.second):
        version = next(versions_of(snapshot.transaction, subject))
        atoms.append(atom_of(snapshot, version, require_body(snapshot.transaction, version.seq)))
    return Conflict(
        atoms[0], atoms[1], row.kind, _reason(_found(snapshot.transaction, row)), from_microseconds(row.found_at)
    )
