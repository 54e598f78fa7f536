"""The verbs fading and due: atoms, each with how far it has faded, now or at any moment before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import bodies_of, require_bodies
from substrate.atoms.load import atom_of
from substrate.atoms.moments import Time, read_time
from substrate.atoms.supersedes import is_superseded
from substrate.errors import InputError, SchemaInvalid
from substrate.fading.choice import decay_of, told_model
from substrate.fading.columns import Scores, TouchColumns, Uses
from substrate.fading.decay import FORGET, OLD_DAYS, REVIEW, Decay, priority_of
from substrate.fading.named import ARCHIVED, PROMOTED_TAG
from substrate.limits import check_limit
from substrate.messages import Arg
from substrate.proof.entry import Kind
from substrate.search.columns.authors import Authors
from substrate.search.columns.documents import Documents, Mask
from substrate.search.filters import Filters
from substrate.search.index import SearchIndex
from substrate.search.scope import scope_of
from substrate.search.words import keyword_mask
from substrate.snapshot import Snapshot
from substrate.values.edges import SUPERSEDES
from substrate.values.review.fading import FadingAtom, FadingAtoms
from substrate.values.times import from_microseconds
from substrate.views.atoms import VersionRow
from substrate.views.joins import type_number
from substrate.views.words import Field

__all__ = ["ORDERS", "STATUSES", "FadingIndex", "Scored", "Wanted"]

STATUSES: Final = ("active", "promoted", "archived")
ORDERS: Final = ("faded", "present", "recent", "due")
"""The lowest scores first, the highest, what was recorded last, what a review helps most."""
_DAY: Final = 86_400_000_000
_RUN: Final = 128
"""Keys in a row of which the least is looked at first."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which atoms are asked about, in which order."""

    statuses: tuple[str, ...] = STATUSES[:2]
    any_tags: tuple[str, ...] = ()
    used_since: int | None = None
    min_score: float | None = None
    order: str = ORDERS[0]
    limit: int = 100
    offset: int = 0

    @classmethod
    def of(  # noqa: PLR0913, PLR0917
        cls,
        status: str | Iterable[str],
        any_tags: str | Iterable[str],
        used_since: Time | None,
        min_score: float | None,
        order: str,
        limit: int,
        offset: int,
    ) -> Wanted:
        """As a caller asks, checked. InputError, SchemaInvalid, TooLarge."""
        listed = (status,) if isinstance(status, str) else tuple(status)
        listed = STATUSES if listed == ("all",) else listed
        if not listed or not set(listed) <= set(STATUSES):
            raise InputError(Arg("status"), f" is all, or some of {', '.join(STATUSES)}")
        if order not in ORDERS:
            raise InputError(Arg("order"), f" is one of {', '.join(ORDERS)}")
        if min_score is not None and (isinstance(min_score, bool) or not isinstance(min_score, int | float)):
            raise SchemaInvalid(Arg("min_score"), " must be a number, such as 0.3")
        check_limit(limit, offset)
        since = None if used_since is None else read_time(used_since, Arg("used_since"))
        return cls(listed, Filters.of(any_tags=any_tags).any_tags, since, min_score, order, limit, offset)


class FadingIndex:
    """What fading keeps between calls, of one open store. Safe to share between threads."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index
        self._columns = TouchColumns()
        self.authors = Authors()

    def list(self, snapshot: Snapshot, wanted: Wanted) -> FadingAtoms:
        """See `Memory.fading`."""
        found = self.scored(snapshot, wanted)
        chosen = found.chosen(wanted.order)
        stop = wanted.offset + wanted.limit
        page = found.ordered(wanted.order, stop)[wanted.offset : stop]
        count, scores = len(chosen), found.scores
        some = slice(None) if count == len(scores.seqs) else chosen
        return FadingAtoms(
            items=tuple(found.atoms(page)),
            model=told_model(found.decay),
            total=count,
            mean_score=float(scores.score[some].mean()) if count else 0.0,
            mean_uses=float(scores.uses[some].mean()) if count else 0.0,
            more=wanted.offset + len(page) < count,
        )

    def scored(self, snapshot: Snapshot, wanted: Wanted) -> Scored:
        """All atoms that are asked about, with their scores."""
        documents = self._index.documents(snapshot.transaction)
        decay = decay_of(snapshot.transaction)
        columns, transaction = self._columns, snapshot.transaction
        uses = columns.at(transaction) if snapshot.upto is None else columns.until(transaction, snapshot.at)
        seqs, status = self._seqs(snapshot, documents, uses, wanted)
        scores = columns.scores(documents, uses, decay, seqs, snapshot.at, keep=snapshot.upto is None)
        kept = np.arange(len(seqs))
        if wanted.min_score is not None:
            kept = kept[scores.score >= wanted.min_score]
        if wanted.used_since is not None:
            kept = kept[scores.last[kept] >= wanted.used_since]
        return Scored(snapshot, documents, decay, scores, status, kept)

    def _seqs(
        self, snapshot: Snapshot, documents: Documents, uses: Uses, wanted: Wanted
    ) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """The versions that are asked about, and of each which status it has: its place in STATUSES."""
        transaction = snapshot.transaction
        mask = documents.current(snapshot.upto)
        scope = scope_of(snapshot, documents, _filters(wanted), self._index.domains)
        mask = mask if scope is None else mask & scope
        mask &= ~self._superseded(snapshot, documents)
        promoted = keyword_mask(transaction, documents, Field.TAG, PROMOTED_TAG)
        if "promoted" not in wanted.statuses:
            mask &= ~promoted
        if "active" not in wanted.statuses:
            mask &= promoted
        seqs = np.flatnonzero(mask)
        status = promoted[seqs].astype(np.int8)
        if ARCHIVED in wanted.statuses:
            away = _archived(snapshot, documents, uses)
            away = away if scope is None else away[scope[away]]
            seqs, status = np.r_[seqs, away], np.r_[status, np.full(len(away), STATUSES.index(ARCHIVED), np.int8)]
        return seqs, status

    def _superseded(self, snapshot: Snapshot, documents: Documents) -> Mask:
        """The versions of atoms whose place another one has at this moment."""
        joins = self._index.domains.joins(snapshot.transaction)
        rows = joins.stated(type_number(SUPERSEDES), snapshot.upto)
        mask = documents.of_ids(joins.target.at(rows)) if len(rows) else np.zeros(documents.size, np.bool_)
        for seq in np.flatnonzero(mask).tolist():  # few, and an edge may hold at some times only
            mask[seq] = is_superseded(snapshot, documents.subject(seq))
        return mask


def _filters(wanted: Wanted) -> Filters:
    return Filters(any_tags=wanted.any_tags, without_pages=True)


def _archived(snapshot: Snapshot, documents: Documents, uses: Uses) -> NDArray[np.int64]:
    """What atoms that are put away said last. A trace says which to look at, and the tombstone decides."""
    stones = np.flatnonzero(documents.last(snapshot.upto) & (documents.kind == Kind.TOMBSTONE))
    places = uses.places(documents.ids(stones))
    known = places >= 0
    known[known] = uses.archived[places[known]] == documents.time[stones[known]]
    stones = stones[known]
    bodies = bodies_of(snapshot.transaction, stones.tolist())
    is_away = [body is not None and body.members.get("reason") == ARCHIVED for body in bodies]
    stones = stones[np.array(is_away, np.bool_)]
    said = np.sort(documents.before[stones])
    said = said[said >= 0]
    return said[documents.said[said]]


@dataclass(frozen=True, eq=False)
class Scored:
    """Atoms with their scores, in one snapshot. `kept` are the places of those that pass the filters."""

    snapshot: Snapshot
    documents: Documents
    decay: Decay
    scores: Scores
    status: NDArray[np.int8]
    kept: NDArray[np.int64]

    def chosen(self, order: str) -> NDArray[np.int64]:
        """The places of those that this order has, those recorded last first."""
        at = self.kept[::-1]
        if order != "due":
            return at
        low, high = REVIEW
        score = self.scores.score[at]
        return at[(score > low) & (score < high)]

    def ordered(self, order: str, first: int | None = None) -> NDArray[np.int64]:
        """The same in this order; of equals, those recorded last come first. `first`: no more than these are needed."""
        at = self.chosen(order)
        by = self._keys(order, at)
        if first is not None and first < len(by):
            few = by <= _bound(by, first)  # to put all in order takes longer
            at, by = at[few], by[few]
        return at[np.argsort(by, kind="stable")][:first]

    def _keys(self, order: str, at: NDArray[np.int64]) -> NDArray[np.float64] | NDArray[np.int64]:
        """What puts those at some places into this order, the least first."""
        if order == "recent":
            return -self.scores.seqs[at]
        score = self.scores.score
        score = score[::-1] if len(at) == len(score) else score[at]  # `at` goes from the last to the first
        if order == "due":
            return np.abs(score - sum(REVIEW) / 2)
        return score if order == "faded" else -score

    def below(self, score: float = FORGET) -> NDArray[np.int64]:
        """The places of those with a lower score than this, the lowest first."""
        at = self.ordered("faded")
        return at[self.scores.score[at] < score]

    def is_new(self, places: NDArray[np.int64]) -> Mask:
        """Of those at some places, whether their only version was recorded within the last day."""
        seqs, documents = self.scores.seqs[places], self.documents
        new: Mask = (documents.before[seqs] < 0) & (documents.time[seqs] > self.snapshot.at - OLD_DAYS * _DAY)
        return new

    def subjects(self, places: NDArray[np.int64]) -> Sequence[bytes]:
        """The ids of the atoms at some places."""
        return self.documents.subjects(self.scores.seqs[places])

    def atoms(self, places: NDArray[np.int64]) -> Iterable[FadingAtom]:
        """Those at some places, as users hold them."""
        seqs = self.scores.seqs[places].tolist()
        bodies = require_bodies(self.snapshot.transaction, seqs)
        strengths = self.scores.strengths(places).tolist()
        for place, seq, body, strength in zip(places.tolist(), seqs, bodies, strengths, strict=True):
            version = VersionRow(self.documents.subject(seq), seq, Kind.PUT, str(body.members.get("name")))
            status = STATUSES[self.status[place]]
            atom = atom_of(self.snapshot, version, body, tombstoned=status == ARCHIVED)
            score = float(self.scores.score[place])
            first = seq
            while (before := int(self.documents.before[first])) >= 0:
                first = before
            created = int(self.documents.time[first])
            yield FadingAtom(
                atom=atom,
                score=score,
                uses=int(self.scores.uses[place]),
                strength=strength,
                last_used=from_microseconds(int(self.scores.last[place])),
                created_at=from_microseconds(created),
                age_days=max(0, self.snapshot.at - created) / _DAY,
                status=status,
                priority=priority_of(score),
            )


def _bound(by: NDArray[np.float64] | NDArray[np.int64], first: int) -> float | int:
    """A key that more than `first` of these are not above, and not many more. There must be more than `first`."""
    runs = len(by) // _RUN
    if runs > 2 * first:  # the least of each run are keys too, and far fewer
        by = by[: runs * _RUN].reshape(runs, _RUN).min(axis=1)
    bound: float | int = np.partition(by, first)[first]
    return bound
