"""The verb search: by word, by meaning, by time, in one ranking, with the reasons for each hit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress, islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import Body, require_bodies
from substrate.atoms.load import atom_of
from substrate.atoms.resolve import name_of
from substrate.atoms.supersedes import is_superseded
from substrate.errors import InputError, SchemaInvalid
from substrate.limits import LIMITS, check_limit, check_size
from substrate.log.identity import id_text
from substrate.messages import ATOMS, Arg, Verb
from substrate.names import normalise
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.search.candidates import Gathered, Lists, gather, others
from substrate.search.filters import Filters
from substrate.search.index import Query, SearchIndex, not_embedded
from substrate.search.near_terms import near_terms
from substrate.search.ranking import FAINT, Ranked, rank, with_named
from substrate.search.statements.newest import newest_first
from substrate.search.walks.reach import STARTS, WALKS, Way, reach
from substrate.search.when import Which
from substrate.snapshot import Snapshot
from substrate.values.hits import Found, Hit, hit_of_fields
from substrate.values.times import from_microseconds
from substrate.views.atoms import VersionRow

__all__ = ["check_search", "check_walk", "search"]

_PAST: Final = frozenset({Which.PREVIOUS, Which.FIRST, Which.SPAN, Which.ALL})
"""Questions that earlier versions, and what is superseded, may answer."""
_TIMELESS: Final = frozenset({Which.ANY, Which.ALL})
"""Questions of which no single statement is meant by its time."""
_TIMES: Final = frozenset({Which.SPAN, Which.NOW})
"""Questions that may be about nothing but a time: `last week`, `today`."""
_NOTHING: Final = 5e-5
"""A part that adds less is not worth saying."""
_FINDS: Final = ("words", "neighbours", "edges", "walk", "rule")
"""Parts that say that an atom has to do with the query."""


def search(  # noqa: PLR0913
    snapshot: Snapshot,
    index: SearchIndex,
    query: Query,
    filters: Filters,
    *,
    hops: int = 0,
    walk: str = WALKS[0],
    min_score: float | None,
    limit: int,
    offset: int,
) -> Found:
    """See `Memory.search`."""
    documents = index.documents(snapshot.transaction)
    query = index.dated(snapshot, documents, query, filters)
    when = query.when
    past = when.asked in _PAST and snapshot.valid_at is None
    lists = index.lists(snapshot, documents, query, filters, past=past)
    lag = not_embedded(lists, query)
    page = _Page(lists, query, hops, walk, past=past, lag=lag)
    hits, more = page.take(offset, limit, min_score)
    return Found(
        items=hits,
        query=query.text,
        asked=when.asked.value,
        start=None if when.start is None else from_microseconds(when.start),
        end=None if when.end is None else from_microseconds(when.end),
        meaning=query.vector.why,
        seq=documents.size - 1,
        lag=lag,
        more=more,
        cut=page.cut,
        near=_near(lists, query) if query.vector.why else (),
        offset=offset,
        best_of_topic=page.best_of_topic,
    )


def _near(lists: Lists, query: Query) -> tuple[str, ...]:
    """Words of the store to try in the place of those that it does not have: meaning would have found them."""
    known = {term.term for term in lists.words.terms if term.found}
    unknown = [term for term in query.terms if term.term not in known]
    return near_terms(lists.snapshot.transaction, lists.documents, lists.mask, unknown)


def check_walk(hops: object, walk: object) -> None:
    """InputError unless a search can walk so."""
    most = LIMITS["walk_hops"]
    if isinstance(hops, bool) or not isinstance(hops, int) or not 0 <= hops <= most:
        raise InputError(Arg("hops"), f" is a whole number from 0 to {most}: how many edges to walk from the best hits")
    if walk not in WALKS:
        raise InputError(Arg("walk"), f" is {' or '.join(WALKS)}")


def check_search(query: object, limit: int, offset: int, min_score: object, wait_s: object) -> None:
    """InputError unless these can be asked for."""
    if not isinstance(query, str):
        raise SchemaInvalid(Arg("query"), f" must be a text, not {type(query).__name__}")
    check_size(Arg("query"), len(query), "query_characters", "characters")
    if not query.strip():
        raise InputError(
            Arg("query"),
            " is empty: give words or a question to search for; to see all ",
            ATOMS,
            ", use ",
            Verb("list"),
        )
    check_limit(limit, offset, LIMITS["search_items"])
    for field, number in ((Arg("min_score"), 0 if min_score is None else min_score), (Arg("wait"), wait_s)):
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise SchemaInvalid(field, " must be a number, such as 0.3")


class _Place(NamedTuple):
    """A hit to be: which version, its score and what that is the sum of."""

    seq: int
    score: float
    parts: Mapping[str, float]


class _Page:
    """One search's hits, in one order, however they are cut into pages."""

    def __init__(  # noqa: PLR0913
        self, lists: Lists, query: Query, hops: int, walk: str, *, past: bool, lag: int
    ) -> None:
        self._lists = lists
        self._hops = hops
        self._walk = walk
        self._walks: Mapping[int, Sequence[Way]] = {}
        self.cut: tuple[str, ...] = ()
        """Atoms of which not all edges were walked along."""
        self.best_of_topic: float | None = math.inf if query.when.asked in _TIMES and not query.when.has_topic else None
        """See `Found`."""
        self._read: Mapping[int, dict[str, Json]] = {}
        """What some of the candidates say, by seq."""
        self._in_force: dict[int, bool] = {}
        self._newer: Mapping[int, int] = {}
        self._disputed: Mapping[int, int] = {}
        self._snapshot = lists.snapshot
        self._when = query.when
        self._asked = query.text.strip()
        self._spelling = {term.term: term.spelling for term in query.terms}
        self._past = past
        self._current = lists.documents.current(lists.snapshot.upto) if past else lists.mask
        self._lag = lag

    def take(self, offset: int, limit: int, min_score: float | None) -> tuple[tuple[Hit, ...], bool]:
        """The hits from `offset` on, and whether there is more behind them."""
        shown = list(islice(self._shown(min_score), offset, offset + limit + 1))
        if self._lists.cut:
            self.cut = tuple(dict.fromkeys((*map(self._name, self._lists.cut), *self.cut)))
        return tuple(self._hits(shown[:limit])), len(shown) > limit

    def _shown(self, min_score: float | None) -> Iterator[_Place]:
        """All hits, best first; each text once, and those that say it again behind all others."""
        gathered = gather(self._lists, self._preference(), timed=self._when.asked not in _TIMELESS)
        self._read = gathered.read
        ranked = rank(gathered.candidates, self._lists.vector, self._when)
        if self._hops:
            gathered, ranked = self._walked(gathered, ranked)
        ranked, self._newer, self._disputed = newest_first(self._lists, gathered, ranked, self._when)
        ranked = with_named(gathered.candidates, ranked, self._named(gathered))
        if self._when.asked is Which.SPAN and self.best_of_topic is None and len(ranked.score):
            self.best_of_topic = float((ranked.score - ranked.parts["time"]).max())
        again: list[_Place] = []
        seen: set[int] = set()
        for at in ranked.order.tolist():
            place = _placed(gathered, ranked, at)
            if not self._is_shown(place, min_score):
                continue
            text = gathered.candidates.texts.item(at)
            if text in seen:
                again.append(place)
            else:
                seen.add(text)
                yield place
        if not gathered.all and (min_score is None or gathered.others_score_at_most >= min_score):
            for seq, score, words, meaning in others(self._lists, gathered):
                place = _Place(seq, score, {"words": words, "meaning": meaning})
                if self._is_shown(place, min_score):
                    yield place
        yield from again

    def _named(self, gathered: Gathered) -> list[int]:
        """Places of the candidates whose name is the query, or ends with it behind a dot."""
        asked = normalise(self._asked).casefold()
        named: list[int] = []
        for seq, said in gathered.read.items():
            name = said.get("name")
            if not isinstance(name, str):
                continue
            name = name.casefold()
            if name.endswith(asked) and asked in {name, name.rpartition(".")[2]}:
                named.append(seq)
        return np.flatnonzero(np.isin(gathered.seqs, named)).tolist() if named else []

    def _walked(self, gathered: Gathered, ranked: Ranked) -> tuple[Gathered, Ranked]:
        """The same with what walks reach from the best that are shown and match by themselves, each text once."""
        starts: dict[int, int] = {}
        if not len(ranked.order):
            return gathered, ranked
        words, meaning = ranked.parts["words"], ranked.parts["meaning"]
        for at in ranked.order.tolist():
            text = gathered.candidates.texts.item(at)
            matches = words.item(at) > 0 or meaning.item(at) >= FAINT
            if matches and text not in starts and self._is_in_force(gathered.seqs.item(at)):
                starts[text] = at
                if len(starts) == STARTS:
                    break
        if not starts:
            return gathered, ranked
        reached = reach(self._lists, gathered, ranked, self._when, [*starts.values()], self._hops, self._walk)
        self._walks = reached.walks
        self.cut = tuple(self._name(subject) for subject in reached.cut)
        return reached.gathered, reached.ranked

    def _name(self, subject: bytes) -> str:
        return name_of(self._snapshot.transaction, subject) or id_text(subject)

    def _is_shown(self, place: _Place, min_score: float | None) -> bool:
        """Whether it has anything to do with the query, scores high enough, and is not superseded."""
        parts = place.parts
        if min_score is not None and place.score < min_score:
            return False
        is_found = parts["words"] > 0 or parts["meaning"] >= FAINT or any(parts.get(part, 0) > 0 for part in _FINDS)
        if not is_found and (self._when.asked is not Which.SPAN or parts.get("time", 0) <= 0):
            return False
        return self._is_in_force(place.seq)

    def _is_in_force(self, seq: int) -> bool:
        """Whether the atom of this version is not superseded, or the past may answer."""
        if self._past:
            return True
        known = self._in_force.get(seq)
        if known is None:
            known = self._in_force[seq] = not is_superseded(self._snapshot, self._lists.documents.subject(seq))
        return known

    def _preference(self) -> NDArray[np.int64]:
        """Which of equals to look at, by seq: those whose time is more likely meant."""
        when = self._lists.documents.when
        if self._when.asked is Which.FIRST:
            return -when
        if self._when.end is not None:
            return np.where(when < self._when.end, when, -when)
        return when

    def _hits(self, places: list[_Place]) -> Iterator[Hit]:
        lists, terms = self._lists, [term.term for term in self._lists.words.terms]
        seqs = [place.seq for place in places]
        bodies = require_bodies(self._snapshot.transaction, seqs, self._read)
        has = lists.words.matches(np.array(seqs, np.int64))
        for place, body, column in zip(places, bodies, has.T.tolist(), strict=True):
            yield self._hit(place, body, list(compress(terms, column)))

    def _hit(self, place: _Place, body: Body, matched: list[str]) -> Hit:
        lists = self._lists
        version = VersionRow(lists.documents.subject(place.seq), place.seq, Kind.PUT, str(body.members.get("name")))
        # Who is shown of what is current is not superseded: that was looked at.
        by = None if self._past else ()
        atom = atom_of(self._snapshot, version, body, superseded_by=by)
        walked = self._walks.get(place.seq, ()) if place.parts.get("walk", 0) > _NOTHING else ()
        newer, disputed = self._newer.get(place.seq), self._disputed.get(place.seq)
        return hit_of_fields((
            frozenset(matched),
            atom,
            place.score,
            {part: round(added, 4) for part, added in place.parts.items() if abs(added) > _NOTHING},
            tuple(dict.fromkeys([self._spelling[term] for term in matched])),
            not self._past or (bool(self._current[place.seq]) and not atom.superseded_by),
            lists.documents.size - 1,
            self._lag,
            None if newer is None else self._name(lists.documents.subject(newer)),
            None if disputed is None else self._name(lists.documents.subject(disputed)),
            tuple([f"{self._name(way.source)} {way.type} {self._name(way.target)}" for way in walked]),
        ))  # fmt: skip


def _placed(gathered: Gathered, ranked: Ranked, at: int) -> _Place:
    parts = {part: added.item(at) for part, added in ranked.parts.items()}
    return _Place(gathered.seqs.item(at), ranked.score.item(at), parts)
