"""The verb groups: atoms that say nearly the same. Nothing is written.

Up to 30,000 atoms are compared with each other by their vectors, more by the nearest index. What has no vector yet is
compared with all others by its words, and that is said. Rows are ordered by the ids of the atoms, so that every process
finds the same groups.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import bodies_of
from substrate.atoms.supersedes import is_superseded
from substrate.embed.query import Models
from substrate.errors import Conflict, InputError, NotFound, SchemaInvalid, TooLarge
from substrate.groups.link import group_id, linked
from substrate.groups.pairs import EACH, Floats, Pair, in_blocks, one_by_one
from substrate.groups.wording import Wordings, apart, differ
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS, check_limit
from substrate.log.identity import id_text
from substrate.messages import INDEX, Arg, Message, Verb
from substrate.search.columns.authors import Authors
from substrate.search.columns.documents import Columns, Documents
from substrate.search.columns.members import DomainMasks
from substrate.search.filters import Filters
from substrate.search.scope import pages_of, scope_of
from substrate.snapshot import Snapshot
from substrate.text.quote import if_needed
from substrate.values.progress import Progress
from substrate.values.relations import Alike, Group, Grouped, Groups
from substrate.veil import hidden_in
from substrate.views.atoms import find_names
from substrate.views.models import model_searched
from substrate.views.nearest.index import NearestIndex
from substrate.views.vectors import vectors_of

__all__ = ["Grouper", "Wanted"]

_ALL_WITH_ALL: Final = 30_000
"""Atoms of which each is compared with each. It takes some ten seconds."""
_AT_MOST: Final = 200_000
_THRESHOLD, _MOST = 0.83, 12
"""How groups are found that nobody was shown here: as `Memory.groups` does it without arguments."""
_SHOWN: Final = 1000
"""Groups whose members are remembered after they were shown."""
_PREVIEW: Final = 300
_ROUNDING: Final = 1e-4
"""Similarities are rounded to four digits: so 0.99996 is 1, in every process."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for, checked."""

    threshold: float
    most: int
    limit: int
    pairs: bool
    filters: Filters
    surface: str | None

    @classmethod
    def of(  # noqa: PLR0913
        cls, threshold: float, most: int, limit: int, filters: Filters, *, pairs: bool = False, surface: str | None
    ) -> Wanted:
        """InputError or TooLarge, naming the argument."""
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            raise InputError(Arg("threshold"), " is a number from 0 to 1")
        if isinstance(most, bool) or not isinstance(most, int) or not 2 <= most <= LIMITS["names"]:  # noqa: PLR2004
            raise InputError(Arg("most"), f" is a whole number from 2 to {LIMITS['names']}")
        check_limit(limit)
        return cls(float(threshold), most, limit, pairs, filters, surface)


class _Rows(NamedTuple):
    """The atoms that are compared, in the order of their ids."""

    seqs: NDArray[np.int64]
    ids: list[bytes]
    vectors: Floats
    bare: NDArray[np.int64]
    """Rows that have no vector yet."""


def _no_group(group_id: str) -> NotFound:
    return NotFound(
        f"there is no group {group_id}: its members may have changed, or another threshold found it. Call ",
        Verb("groups"),
    )


class Grouper:
    """What grouping in one open store needs between calls. Safe to share between threads."""

    def __init__(self, models: Models, nearest: NearestIndex, columns: Columns, domains: DomainMasks) -> None:
        self._models, self._nearest, self._columns, self._domains = models, nearest, columns, domains
        self._authors = Authors()
        self._shown: OrderedDict[str, Group] = OrderedDict()
        self._lock = Lock()

    def groups(self, snapshot: Snapshot, wanted: Wanted, progress: Progress | None) -> Groups:
        """See `Memory.groups`."""
        documents = self._columns.at(snapshot.transaction)
        rows = self._rows(snapshot, documents, wanted)
        words = _Words(snapshot.transaction, rows)
        least = wanted.threshold - _ROUNDING
        pairs = [*self._by_meaning(snapshot, documents, rows, least, progress), *words.near(least)]
        pairs = [pair for one in pairs if (pair := words.apart(one)).similarity >= wanted.threshold]
        note = self._note(rows)
        if wanted.pairs:
            best = sorted(pairs, key=lambda pair: (-pair.similarity, pair.first, pair.second))
            found = tuple(words.alike(pair) for pair in best[: wanted.limit])
            return Groups((), pairs=found, total=len(best), compared=len(rows.ids), meaning=note)
        groups = [words.group(members) for members in linked(pairs, wanted.most)]
        groups.sort(key=lambda group: (-group.cohesion, group.id))
        self._remember(reversed(groups))  # the best are kept longest
        return Groups(tuple(groups[: wanted.limit]), total=len(groups), compared=len(rows.ids), meaning=note)

    def group(self, snapshot: Snapshot, group_id: object, surface: str | None) -> Group:
        """See `Memory.group`."""
        if not isinstance(group_id, str):
            raise SchemaInvalid("a group is given by its id")
        wanted = group_id.strip().lower()
        group = self._known(wanted)
        if group is None:
            self.groups(snapshot, Wanted.of(_THRESHOLD, _MOST, 1, Filters(), surface=surface), None)
            group = self._known(wanted)
        if group is None:
            raise _no_group(wanted)
        rows = find_names(snapshot.transaction, [member.name for member in group.members])
        if hidden_in(snapshot.transaction) is not None and None in rows:  # another client was shown it
            raise _no_group(wanted)
        for member, row in zip(group.members, rows, strict=True):
            if row is None or row.seq != member.seq or is_superseded(snapshot, row.subject):
                with self._lock:
                    self._shown.pop(wanted, None)
                raise Conflict(
                    f"the group changed since it was shown: {if_needed(member.name)} is another now. Call ",
                    Verb("groups"),
                )
        return group

    def _known(self, group_id: str) -> Group | None:
        with self._lock:
            return self._shown.get(group_id)

    def _remember(self, groups: Iterable[Group]) -> None:
        with self._lock:
            for group in groups:
                self._shown[group.id] = group
                self._shown.move_to_end(group.id)
            while len(self._shown) > _SHOWN:
                self._shown.popitem(last=False)

    def _rows(self, snapshot: Snapshot, documents: Documents, wanted: Wanted) -> _Rows:
        transaction = snapshot.transaction
        mask = documents.now & ~pages_of(transaction, documents)
        scope = scope_of(snapshot, documents, wanted.filters, self._domains)
        seqs = np.flatnonzero(mask if scope is None else mask & scope)
        if len(seqs) > _AT_MOST:
            raise TooLarge("this comparison", len(seqs), _AT_MOST, "items", "narrow it by type, domain or tags")
        if wanted.surface is not None:
            seqs = self._authors.written_by(snapshot, documents, wanted.surface, seqs)
        subjects = dict(zip(documents.subjects(seqs), seqs.tolist(), strict=True))
        ids = sorted(one for one in subjects if not is_superseded(snapshot, one))
        ordered = np.array([subjects[one] for one in ids], np.int64)
        vectors, has = self._vectors(transaction, ordered)
        return _Rows(ordered, ids, vectors, np.flatnonzero(~has))

    def _vectors(self, transaction: ReadTransaction, seqs: NDArray[np.int64]) -> tuple[Floats, NDArray[np.bool_]]:
        """A vector of length one for each version, the mean of its pieces; and which versions have one."""
        model = model_searched(transaction) if self._models.wanted else None
        width = 1 if model is None else model.dimensions
        vectors, has = np.zeros((len(seqs), width), np.float32), np.zeros(len(seqs), np.bool_)
        if model is None:
            return vectors, has
        for row, stored in enumerate(vectors_of(transaction, model.space, seqs.tolist())):
            pieces = np.frombuffer(stored or b"", "<f2").reshape(-1, width).astype(np.float32)
            mean = pieces.mean(axis=0) if len(pieces) else vectors[row]
            length = float(np.linalg.norm(mean))
            if 0 < length < float("inf"):
                vectors[row], has[row] = mean / length, True
        return vectors, has

    def _by_meaning(
        self,
        snapshot: Snapshot,
        documents: Documents,
        rows: _Rows,
        least: float,
        progress: Progress | None,
    ) -> list[Pair]:
        count = len(rows.ids)

        def tell(done: int) -> None:
            if progress is not None:
                progress(done, count)

        if count <= _ALL_WITH_ALL:
            # A vector of zeros, which stands for none, is near nothing.
            return in_blocks(rows.vectors, max(least, _ROUNDING), tell)
        model = model_searched(snapshot.transaction)
        if model is None or not self._models.wanted:
            raise TooLarge("a comparison by words", count, _ALL_WITH_ALL, "items", "narrow it by type or tags")
        index = self._nearest.at(snapshot.transaction, model.space, model.dimensions, documents.size)
        place = np.full(documents.size, -1, np.int64)
        place[rows.seqs] = np.arange(count)
        mask = place >= 0
        return one_by_one(rows.vectors, least, tell, lambda query: place[index.search(query, EACH, mask)[0]])

    def _note(self, rows: _Rows) -> str:
        if not len(rows.bare):
            return ""
        if not self._models.wanted:
            return "compared by rare words only: semantic search is off (model = none)"
        how = "compared by rare words" if len(rows.ids) <= _ALL_WITH_ALL else "not compared, since there are so many"
        return Message(f"{len(rows.bare):,} have no vector yet and were {how}; ", INDEX)


class _Words:
    """The texts of the atoms that are compared, as far as they are needed."""

    def __init__(self, transaction: ReadTransaction, rows: _Rows) -> None:
        self._transaction, self._rows = transaction, rows
        self._bare = frozenset(rows.bare.tolist())
        self._texts: dict[int, tuple[str, str]] = {}
        self._marks: dict[int, tuple[frozenset[str], bool]] = {}
        self._wordings: Wordings | None = None

    def near(self, threshold: float) -> list[Pair]:
        """The pairs of which one has no vector, by words."""
        if not self._bare or len(self._rows.ids) > _ALL_WITH_ALL:
            return []
        self._read(range(len(self._rows.ids)))
        self._wordings = Wordings([self._texts[row][1] for row in range(len(self._rows.ids))])
        return self._wordings.near(threshold, lambda _: None, self._rows.bare)

    def apart(self, pair: Pair) -> Pair:
        """The pair, less similar if a number or a negation tells the two apart."""
        similarity = apart(pair.similarity, self._mark(pair.first), self._mark(pair.second))
        return pair._replace(similarity=round(min(1.0, similarity), 4))

    def alike(self, pair: Pair) -> Alike:
        """The pair as it is shown."""
        return Alike(self._member(pair.first), self._member(pair.second), pair.similarity)

    def group(self, members: list[int]) -> Group:
        """The group as it is shown."""
        likeness = [self._similarity(first, second) for at, first in enumerate(members) for second in members[at + 1 :]]
        by_words = any(row in self._bare for row in members)
        shown = tuple(self._member(row) for row in members)
        cohesion = round(sum(likeness) / len(likeness), 4)
        return Group(group_id([self._rows.ids[row] for row in members]), cohesion, shown, by_words=by_words)

    def _similarity(self, first: int, second: int) -> float:
        if self._wordings is not None and not self._bare.isdisjoint((first, second)):
            similarity = self._wordings.similarity(first, second)
        else:
            similarity = float(self._rows.vectors[first] @ self._rows.vectors[second])
        return apart(min(1.0, max(0.0, similarity)), self._mark(first), self._mark(second))

    def _mark(self, row: int) -> tuple[frozenset[str], bool]:
        if row not in self._marks:
            self._marks[row] = differ(self._text(row)[1])
        return self._marks[row]

    def _member(self, row: int) -> Grouped:
        name, text = self._text(row)
        preview = text if len(text) <= _PREVIEW else text[: _PREVIEW - 1] + "\u2026"
        return Grouped(name, id_text(self._rows.ids[row]), int(self._rows.seqs[row]), preview)

    def _text(self, row: int) -> tuple[str, str]:
        if row not in self._texts:
            self._read([row])
        return self._texts[row]

    def _read(self, rows: Iterable[int]) -> None:
        wanted = list(rows)
        bodies = bodies_of(self._transaction, [int(self._rows.seqs[row]) for row in wanted])
        for row, body in zip(wanted, bodies, strict=True):
            said = {} if body is None or body.damage is not None else body.members
            name, text = said.get("name"), said.get("value")
            self._texts[row] = (
                name if isinstance(name, str) else id_text(self._rows.ids[row]),
                text if isinstance(text, str) else "",
            )
