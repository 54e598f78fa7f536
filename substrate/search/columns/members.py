"""Masks of domains: which versions are of atoms that belong to one. The rule is that of `atoms/domains.py`.

1. Of now, a mask is kept for each domain that is asked for, and follows the log: after a write, only atoms that it may
   concern are looked at again, one by one, by the rule itself. Of what these are groups or wholes to, so are theirs.
2. It also follows the clock: edges that begin or cease to hold meanwhile concern their atoms.
3. Of any other moment, and where very much has changed, the mask is worked out for all atoms at once, over columns.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.domains import DOMAIN, Domain, Domains, prefixes_of
from substrate.atoms.links import holds_at, is_live, times_of
from substrate.kv.api import ReadTransaction
from substrate.proof.entry import Kind
from substrate.search.columns.documents import Documents, Mask
from substrate.search.columns.ids import Ids, ids_of
from substrate.search.columns.joins import JoinColumns, Joins
from substrate.search.words import keyword_mask
from substrate.snapshot import Snapshot
from substrate.values.edges import MEMBER_OF
from substrate.views.atoms import VersionRow, versions_of
from substrate.views.follow import erased_between
from substrate.views.joins import ERASED, FOR_GOOD, FROM_EVER, PART, SEVERAL, WINDOW, type_number
from substrate.views.words import ERASED as GONE
from substrate.views.words import Field

__all__ = ["DomainMasks"]

_MEMBER: Final = type_number(MEMBER_OF)
_KEPT: Final = 16
"""Domains of which masks are kept."""
_CONCERNED: Final = 2000
"""Atoms that are looked at one by one; if more may be concerned, all are worked out at once."""
_EVERY: Final = DOMAIN.rstrip(".")

_NOBODY: Final = ids_of(())

Levels = NDArray[np.uint8]
"""Of each version in how many steps its atom belongs to the domain; 0 if it does not."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is known of a domain, as of a size of the log: good from the time `at` until before `until`."""

    size: int
    at: int
    until: int
    era: object
    levels: Levels
    mask: Mask


class DomainMasks:
    """The masks of one open memory. Safe to share between threads."""

    def __init__(self, joins: JoinColumns | None = None, *, dormant: bool = False, most: int = _KEPT) -> None:
        """`dormant`: what is out of use counts too, see `Domains`. `most`: how many masks are kept."""
        self._joins = JoinColumns() if joins is None else joins
        self._dormant = dormant
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[Domain, _Kept] = OrderedDict()

    def joins(self, transaction: ReadTransaction) -> Joins:
        """All that joins atoms in this snapshot."""
        return self._joins.at(transaction)

    def strictly(self, most: int) -> DomainMasks:
        """Masks of the same store in which what is out of use counts too; of at most so many domains."""
        return DomainMasks(self._joins, dormant=True, most=most)

    def mask(self, snapshot: Snapshot, documents: Documents, domain: Domain) -> Mask:
        """The versions of all atoms that belong to a domain. Read only. `documents` are of the snapshot."""
        # What is kept is shared: it is worked out from all there is, and who may not see all has masks of its own.
        snapshot, documents = snapshot.bare(), documents.whole
        joins = self._joins.at(snapshot.transaction)
        with self._lock:
            kept = self._kept.get(domain)
            if not snapshot.is_now or (kept is not None and kept.size > documents.size and kept.era is joins.era):
                return _all_at_once(snapshot, documents, joins, domain, dormant=self._dormant) > 0
            self._kept.pop(domain, None)
            if kept is not None and (kept.era is not joins.era or kept.at > snapshot.at):
                kept = None
            if kept is None or kept.size < documents.size or snapshot.at >= kept.until:
                kept = _follow(snapshot, documents, joins, domain, kept, dormant=self._dormant)
            self._kept[domain] = kept
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return kept.mask


def _follow(  # noqa: PLR0913
    snapshot: Snapshot, documents: Documents, joins: Joins, domain: Domain, kept: _Kept | None, *, dormant: bool
) -> _Kept:
    """What is known of the domain now."""
    levels = None if kept is None else _carried(snapshot, documents, joins, domain, kept, dormant=dormant)
    if levels is None:
        levels = _all_at_once(snapshot, documents, joins, domain, dormant=dormant)
    mask = levels > 0
    mask.flags.writeable = False
    until = None if kept is None else _still_until(snapshot, joins, kept)
    if until is None:
        until = _until(snapshot, joins)
    return _Kept(documents.size, snapshot.at, until, joins.era, levels, mask)


def _still_until(snapshot: Snapshot, joins: Joins, kept: _Kept) -> int | None:
    """What is known of when the next edge begins or ceases to hold, if no edge with a window came since."""
    fresh = joins.flags[joins.rows_from(kept.size)]
    return kept.until if snapshot.at < kept.until and not (fresh & WINDOW).any() else None


def _until(snapshot: Snapshot, joins: Joins) -> int:
    """When the next edge begins or ceases to hold; one that is taken back may be among those that are looked at."""
    times = _times(snapshot.transaction, joins, _timed(joins))
    return min((time for time in times if time > snapshot.at), default=FOR_GOOD)


def _timed(joins: Joins) -> NDArray[np.int64]:
    rows = joins.windowed
    found: NDArray[np.int64] = rows[joins.type[rows] == _MEMBER]
    return found


def _times(transaction: ReadTransaction, joins: Joins, rows: NDArray[np.int64]) -> Iterator[int]:
    """When these edges begin and cease to hold."""
    plain = rows[joins.flags[rows] & SEVERAL == 0]
    for times in (joins.start[plain], joins.end[plain]):
        yield from np.unique(times[(times != FROM_EVER) & (times != FOR_GOOD)]).tolist()
    for seq in joins.seq[rows[joins.flags[rows] & SEVERAL != 0]].tolist():
        yield from times_of(transaction, seq)


# -- what changed ------------------------------------------------------------------------------------------------------


def _carried(  # noqa: PLR0913
    snapshot: Snapshot, documents: Documents, joins: Joins, domain: Domain, kept: _Kept, *, dormant: bool
) -> Levels | None:
    """The levels of now, out of those of before; None if too much has changed for that."""
    fresh = kept.size + np.flatnonzero(documents.kind[kept.size :])
    rows = joins.rows_from(kept.size)
    if (joins.flags[rows] & ERASED).any():  # what it stated is gone: nobody can tell whom it concerned
        return None
    rows = rows[(joins.type[rows] == _MEMBER) | (joins.type[rows] == PART)]
    turned = _turned(snapshot, joins, kept)
    if len(fresh) + len(rows) + len(turned) > _CONCERNED:
        return None
    sources = (documents.ids(fresh), joins.source.at(rows), joins.source.at(turned))
    waiting = dict.fromkeys(one for ids in sources for one in ids.listed())
    waiting |= dict.fromkeys(_leaning_on(joins, _forgotten(snapshot.transaction, documents, kept.size)))
    if domain.subject in waiting:
        return None
    levels = np.zeros(documents.size, np.uint8)
    levels[: kept.size] = kept.levels
    rule, seen = Domains(snapshot, dormant=dormant), set[bytes]()
    while waiting:
        changed: list[bytes] = []
        for subject in waiting:
            versions = list(versions_of(snapshot.transaction, subject))
            if (
                not versions
            ):  # a name that nobody recorded is in use for nobody; out of use it may be a hub all the same
                changed += [subject] if dormant else []
            elif _set_level(documents, levels, kept, versions, rule.steps(subject, domain.subject)):
                if (versions[0].name or "").startswith(DOMAIN):  # names lean on it, and there may be many
                    return None
                changed.append(subject)
        seen.update(waiting)
        waiting = dict.fromkeys(one for one in _leaning_on(joins, changed) if one not in seen)
        if len(seen) + len(waiting) > _CONCERNED:
            return None
    return levels


def _set_level(documents: Documents, levels: Levels, kept: _Kept, versions: Sequence[VersionRow], steps: int) -> bool:
    """Set the level of an atom's versions; whether that may change what others belong to, which lean on it."""
    before = next((version.seq for version in versions if version.seq < kept.size), None)
    was = (0, False) if before is None else (int(kept.levels[before]), bool(documents.kind[before] == Kind.PUT))
    levels[[version.seq for version in versions]] = steps
    # Of an atom that belonged nowhere and belongs nowhere, in use or not, nobody has anything who leans on it.
    return was != (steps, versions[0].kind is Kind.PUT) and bool(was[0] or steps)


def _turned(snapshot: Snapshot, joins: Joins, kept: _Kept) -> NDArray[np.int64]:
    """The edges that began or ceased to hold since."""
    if snapshot.at < kept.until:
        return np.zeros(0, np.int64)
    rows = _timed(joins)
    several = joins.flags[rows] & SEVERAL != 0
    turned = several.copy()
    for times in (joins.start[rows], joins.end[rows]):
        turned |= (times > kept.at) & (times <= snapshot.at)
    found: NDArray[np.int64] = rows[turned]
    return found


def _forgotten(transaction: ReadTransaction, documents: Documents, size: int) -> list[bytes]:
    """The atoms of which the entries from `size` on erased versions that were there before."""
    gone = [seq for seq in erased_between(transaction, size, documents.size) if seq < size]
    if not gone:
        return []
    erased = np.array(gone, np.int64)
    return documents.ids(erased[documents.kind[erased] != 0]).listed()


def _leaning_on(joins: Joins, subjects: Sequence[bytes]) -> Iterable[bytes]:
    """The atoms with an edge to one of these, or that are parts of one, whether that still holds or not."""
    if not subjects:
        return ()
    rows = np.flatnonzero(joins.target.are_in(ids_of(subjects)))
    rows = rows[(joins.type[rows] == _MEMBER) | (joins.type[rows] == PART)]
    return joins.source.at(rows).listed()


# -- all at once -------------------------------------------------------------------------------------------------------


def _all_at_once(
    snapshot: Snapshot, documents: Documents, joins: Joins, domain: Domain, *, dormant: bool = False
) -> Levels:
    """The levels at any moment, over columns."""
    work = _Work(snapshot, documents, joins, dormant=dormant)
    near, members = work.under(domain), _NOBODY
    if dormant or is_live(snapshot.transaction, domain.subject, snapshot.upto):
        members = joins.source.at(work.edges[joins.target.at(work.edges).are(domain.subject)])
        near |= documents.of_ids(members)
    near = work.with_parts(near, members)
    groups = joins.target.at(work.edges).are_in(work.live(near))
    if dormant:
        groups |= joins.target.at(work.edges).are_in(members)
    members = joins.source.at(work.edges[groups])
    further = documents.of_ids(members)
    for inner in work.domains_in(near):
        further |= work.under(inner)
    further = work.with_parts(further, members)
    return np.where(near, np.uint8(1), np.where(further, np.uint8(2), np.uint8(0)))


class _Work:
    """What holds at one moment, for all atoms."""

    def __init__(self, snapshot: Snapshot, documents: Documents, joins: Joins, *, dormant: bool) -> None:
        self._snapshot = snapshot
        self._documents = documents
        self._joins = joins
        self._dormant = dormant
        upto = snapshot.upto
        rows = joins.stated(_MEMBER, upto)
        if dormant:
            self.edges = np.concatenate((rows, self._taken_back_late()))
        else:
            self.edges = rows[self._open(rows)] if len(joins.windowed) else rows
        """The `member_of` edges that hold; if `dormant`, see `Domains`."""
        parts = joins.parts
        answers = documents.spoken if dormant else documents.current(upto, snapshot.valid_at)
        self._parts = parts[answers[joins.seq[parts]]]
        self._has_gaps = bool((documents.flags & GONE).any())
        in_use = documents.last(upto)
        self._in_use = in_use if dormant else in_use & (documents.kind == Kind.PUT)

    def _taken_back_late(self) -> NDArray[np.int64]:
        """The `member_of` edges that were taken back after their atoms went out of use."""
        joins, documents = self._joins, self._documents
        rows = joins.stated(_MEMBER, what=Kind.UNEDGE)
        if not len(rows):
            return rows
        gone = np.flatnonzero(documents.last(None) & (documents.kind == Kind.TOMBSTONE))
        rows = rows[joins.source.at(rows).are_in(documents.ids(gone))]
        ended = dict(zip(documents.subjects(gone), gone.tolist(), strict=True)) if len(rows) else {}
        seqs = zip(joins.source.at(rows).listed(), joins.seq[rows].tolist(), strict=True)
        late: NDArray[np.int64] = rows[[seq > ended[source] for source, seq in seqs]]
        return late

    def _open(self, rows: NDArray[np.int64]) -> Mask:
        at = self._snapshot.at
        joins = self._joins
        held: Mask = (joins.start[rows] <= at) & (at < joins.end[rows])
        for place in np.flatnonzero(joins.flags[rows] & SEVERAL).tolist():
            held[place] = holds_at(self._snapshot, int(joins.seq[rows[place]]))
        return held

    def live(self, mask: Mask) -> Ids:
        """The atoms of the mask that are in use."""
        return self._documents.ids(np.flatnonzero(mask & self._in_use))

    def under(self, domain: Domain) -> Mask:
        """The versions of atoms whose names say to be of a domain."""
        documents = self._documents
        mask = np.zeros(documents.size, np.bool_)
        for prefix in prefixes_of(domain):
            mask |= keyword_mask(self._snapshot.transaction, documents, Field.UNDER, prefix)
        # A tombstone and an erased version have no name, and are versions of their atom all the same.
        if (self._dormant or self._has_gaps) and mask.any():
            mask |= documents.of_ids(documents.ids(np.flatnonzero(mask)))
        return mask

    def with_parts(self, mask: Mask, members: Ids) -> Mask:
        """These, their parts, the parts of their parts; if `dormant`, of `members` too that nobody recorded."""
        fresh = mask
        while len(self._parts) and (fresh.any() or len(members.high)):
            wholes = self._joins.target.at(self._parts)
            theirs = wholes.are_in(self.live(fresh))
            if self._dormant:
                theirs |= wholes.are_in(members)
            fresh = self._documents.of_ids(self._joins.source.at(self._parts[theirs])) & ~mask
            mask, members = mask | fresh, _NOBODY
        return mask

    def domains_in(self, mask: Mask) -> Iterator[Domain]:
        """The domains in use among the atoms of the mask."""
        transaction = self._snapshot.transaction
        inner = mask & keyword_mask(transaction, self._documents, Field.UNDER, _EVERY) if mask.any() else mask
        rule = Domains(self._snapshot)
        for subject in dict.fromkeys(self.live(inner).listed()):
            yield rule.domain(subject)
