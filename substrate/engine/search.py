"""The verb search: by word, by meaning, by time, in one ranking, with the reasons for each hit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import compress, islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.engine.filters import Filters
from substrate.engine.forecasting import Match
from substrate.engine.meaning import Meaning, QueryVector
from substrate.engine.moments import Moment, Time
from substrate.engine.paging import check_limit
from substrate.engine.reading import Body, Moments, atom_of, joined_to, moments_of, require_bodies, superseders
from substrate.engine.scope import scope_of
from substrate.errors import InputError, SchemaInvalid, TooLarge
from substrate.findings import Found, Hit
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.model import from_microseconds
from substrate.proof.entry import Kind
from substrate.search.candidates import Gathered, Lists, gather, others
from substrate.search.columns import Columns, Documents, Mask
from substrate.search.ranking import Ranked, rank
from substrate.search.snippet import snippet_of
from substrate.search.when import Asked, When, read_when
from substrate.search.words import score_words
from substrate.terms import QueryTerm, query_terms
from substrate.views.atoms import VersionRow
from substrate.views.edges import find_link, links_of
from substrate.views.nearest import NearestIndex
from substrate.views.sessions import HOLE
from substrate.views.vectors import embedded_upto
from substrate.views.words import NONE

__all__ = ["Searcher"]

_CANDIDATES: Final = 64
"""Of each list: these are ranked. What lies behind them, on later pages, follows by its words and its meaning alone."""
_OUTSIDE: Final = 0.2
"""How much a match counts that is not of the domain."""
_MATCHES: Final = 60
"""Of what an objective is about, so many of the best."""
_TERMS: Final = 100
"""Words of a query that are looked up. Of a whole page the first hundred different ones say what it is about."""
_MEMBER: Final = "member_of"
_FEW: Final = 16
_PAST: Final = frozenset({Asked.PREVIOUS, Asked.FIRST, Asked.SPAN, Asked.ALL})
"""Questions that earlier versions, and what is superseded, may answer."""
_NOTHING: Final = 5e-5
"""A part that adds less is not worth saying."""
_FAINT: Final = 0.05
"""What meaning alone must add: below, texts that have nothing to do with each other are as near."""
_NAME: Final = re.compile(r"(?<!^)(?<![.?!]\s)\b[^\W\d_a-z]\w+")
"""A word with a capital that does not begin a sentence."""


class Searcher:
    """What searching one open memory keeps between calls. Safe to share between threads."""

    def __init__(self, log: Log, meaning: Meaning, nearest: NearestIndex, columns: Columns) -> None:
        self._log = log
        self._meaning = meaning
        self._nearest = nearest
        self._columns = columns

    def search(  # noqa: PLR0913
        self,
        query: str,
        filters: Filters,
        *,
        as_of: Moment | None,
        valid_at: Time | None,
        min_score: float | None,
        limit: int,
        offset: int,
        wait_s: float,
    ) -> Found:
        """See `Memory.search`."""
        _check(query, limit, offset, min_score, wait_s)
        when = read_when(query, self._asked_at(as_of, valid_at))
        # Dates say nothing about what is sought; "now" and "before the current one" say a little.
        asked = self._meaning.embed(when.text if when.asked is Asked.SPAN else query, wait_s)
        terms = query_terms(when.text)[:_TERMS]
        with self._log.snapshot() as transaction:
            documents = self._columns.at(transaction)
            moments = moments_of(transaction, self._log.clock, as_of, valid_at)
            past = when.asked in _PAST and valid_at is None
            lists = self._lists(transaction, documents, moments, filters, when, asked, terms, past=past)
            lag = int(np.count_nonzero(documents.said[embedded_upto(transaction, asked.space) :]))
            page = _Page(lists, moments, when, terms, past=past, lag=lag)
            hits, more = page.take(offset, limit, min_score)
        return Found(
            items=hits,
            query=query,
            asked=when.asked.value,
            start=None if when.start is None else from_microseconds(when.start),
            end=None if when.end is None else from_microseconds(when.end),
            meaning=asked.why,
            seq=documents.size - 1,
            lag=lag,
            more=more,
        )

    def match(self, objective: str, wait_s: float = 0) -> Match:
        """How to find what an objective is about, in whatever snapshot: atoms to shares that sum to one.

        Its words and its vector are worked out here, before there is a snapshot. In there, atoms of the domain (a
        `member_of` edge leads to it) count more. Hits that say little of it count next to nothing: scores are squared.
        """
        asked = self._meaning.embed(objective, wait_s)
        terms = query_terms(objective)[:_TERMS]
        when = When(Asked.ANY, objective)

        def found(transaction: ReadTransaction, domain: bytes) -> dict[bytes, float]:
            documents = self._columns.at(transaction)
            moments = moments_of(transaction, self._log.clock, None, None)
            lists = self._lists(transaction, documents, moments, Filters(), when, asked, terms, past=False)
            gathered = gather(lists, _CANDIDATES, documents.when)
            ranked = rank(gathered.candidates, lists.vector, when)
            scores: dict[bytes, float] = {}
            best = ranked.order[:_MATCHES]
            subjects = documents.subjects(gathered.seqs[best])
            for subject, given in zip(subjects, ranked.score[best].tolist(), strict=True):
                score = max(given, 0.0)
                inside = domain == HOLE or _belongs(transaction, subject, domain)
                scores[subject] = max(scores.get(subject, 0.0), score * score * (1 if inside else _OUTSIDE))
            total = sum(scores.values())
            return {subject: score / total for subject, score in scores.items()} if total > 0 else {}

        return Match(found, asked.why)

    def documents(self, transaction: ReadTransaction) -> Documents:
        """Every version of this snapshot, as search sees it."""
        return self._columns.at(transaction)

    def _asked_at(self, as_of: Moment | None, valid_at: Time | None) -> int:
        """When the question is asked: now, or the moment that it goes back to. `last month` is the one before."""
        if as_of is None and valid_at is None:
            return self._log.clock.now()
        with self._log.snapshot() as transaction:
            return moments_of(transaction, self._log.clock, as_of, valid_at).at

    def _lists(  # noqa: PLR0913, PLR0917
        self,
        transaction: ReadTransaction,
        documents: Documents,
        moments: Moments,
        filters: Filters,
        when: When,
        asked: QueryVector,
        terms: list[QueryTerm],
        *,
        past: bool,
    ) -> Lists:
        mask = documents.in_use(moments.upto) if past else documents.current(moments.upto, moments.valid_at)
        scope = scope_of(transaction, documents, filters, moments)
        if scope is not None:
            mask = mask & scope
        nearest = None
        if asked.vector is not None:
            nearest = self._nearest.at(transaction, asked.space, asked.dimensions, documents.size)
        return Lists(
            transaction,
            documents,
            mask,
            score_words(transaction, documents, [term.term for term in terms], mask),
            _names(when.text),
            lambda subject: joined_to(transaction, subject, moments),
            trusts_now=moments.upto is None,
            vector=asked.vector,
            nearest=nearest,
            window=_window(documents, when),
        )


def _belongs(transaction: ReadTransaction, subject: bytes, domain: bytes) -> bool:
    """Whether at most two `member_of` edges lead from an atom to a domain."""
    first = [link.target for link in islice(links_of(transaction, subject, out=True, kind=_MEMBER), _FEW)]
    if domain in first:
        return True
    links = (find_link(transaction, hub, _MEMBER, domain) for hub in first)
    return any(link is not None and link.kind is Kind.EDGE for link in links)


def _check(query: object, limit: int, offset: int, min_score: object, wait_s: object) -> None:
    if not isinstance(query, str):
        raise SchemaInvalid(f"query must be a text, not {type(query).__name__}")
    if len(query) > LIMITS["query_characters"]:
        raise TooLarge("query", len(query), LIMITS["query_characters"], "characters")
    if not query.strip():
        raise InputError("query is empty: say what to look for; to see all atoms, use list")
    check_limit(limit, offset, LIMITS["search_items"])
    for field, number in (("min_score", 0 if min_score is None else min_score), ("wait", wait_s)):
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise SchemaInvalid(f"{field} must be a number, such as 0.3")


def _window(documents: Documents, when: When) -> Mask | None:
    if when.asked is not Asked.SPAN:
        return None
    start, end = (NONE if when.start is None else when.start), when.end
    return (documents.when >= start) & (True if end is None else documents.when < end)


def _names(text: str) -> frozenset[str]:
    return frozenset(term.term for word in _NAME.findall(text) for term in query_terms(word))


class _Place(NamedTuple):
    """A hit to be: which version, its score and what that is the sum of."""

    seq: int
    score: float
    parts: Mapping[str, float]


class _Page:
    """One search's hits, in one order, however they are cut into pages."""

    def __init__(  # noqa: PLR0913
        self, lists: Lists, moments: Moments, when: When, terms: list[QueryTerm], *, past: bool, lag: int
    ) -> None:
        self._lists = lists
        self._moments = moments
        self._when = when
        self._spelling = {term.term: term.spelling for term in terms}
        self._past = past
        self._current = lists.documents.current(moments.upto) if past else lists.mask
        self._lag = lag

    def take(self, offset: int, limit: int, min_score: float | None) -> tuple[tuple[Hit, ...], bool]:
        """The hits from `offset` on, and whether there is more behind them."""
        shown = list(islice(self._shown(min_score), offset, offset + limit + 1))
        return tuple(self._hits(shown[:limit])), len(shown) > limit

    def _shown(self, min_score: float | None) -> Iterator[_Place]:
        """All hits, best first; each text once, and those that say it again behind all others."""
        gathered = gather(self._lists, _CANDIDATES, self._preference())
        ranked = rank(gathered.candidates, self._lists.vector, self._when)
        again: list[_Place] = []
        seen: set[int] = set()
        for at in ranked.order.tolist():
            place = _placed(gathered, ranked, at)
            if not self._is_shown(place, min_score):
                continue
            text = int(gathered.candidates.texts[at])
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

    def _is_shown(self, place: _Place, min_score: float | None) -> bool:
        """Whether it has anything to do with the query, scores high enough, and is not superseded."""
        parts = place.parts
        if parts["meaning"] < _FAINT and not any(parts.get(part, 0) > 0 for part in ("words", "neighbours", "edges")):
            return self._when.asked is Asked.SPAN and parts.get("time", 0) > 0
        if min_score is not None and place.score < min_score:
            return False
        subject = self._lists.documents.subject(place.seq)
        return self._past or not superseders(self._lists.transaction, subject, self._moments)

    def _preference(self) -> NDArray[np.int64]:
        """Which of equals to look at, by seq: those whose time is more likely meant."""
        when = self._lists.documents.when
        if self._when.asked is Asked.FIRST:
            return -when
        if self._when.end is not None:
            return np.where(when < self._when.end, when, -when)
        return when

    def _hits(self, places: list[_Place]) -> Iterator[Hit]:
        lists, terms = self._lists, [term.term for term in self._lists.words.terms]
        seqs = [place.seq for place in places]
        bodies = require_bodies(lists.transaction, seqs)
        has = lists.words.matches(np.array(seqs, np.int64))
        for place, body, column in zip(places, bodies, has.T.tolist(), strict=True):
            yield self._hit(place, body, list(compress(terms, column)))

    def _hit(self, place: _Place, body: Body, matched: list[str]) -> Hit:
        lists = self._lists
        version = VersionRow(lists.documents.subject(place.seq), place.seq, Kind.PUT, str(body.members.get("name")))
        # Who is shown of what is current is not superseded: that was looked at.
        by = None if self._past else ()
        atom = atom_of(lists.transaction, version, body, self._moments, superseded_by=by)
        snippet = snippet_of(atom.value, frozenset(matched))
        return Hit(
            atom=atom,
            score=place.score,
            parts={part: round(added, 4) for part, added in place.parts.items() if abs(added) > _NOTHING},
            matched=tuple(dict.fromkeys(self._spelling[term] for term in matched)),
            snippet=snippet.text,
            marks=snippet.marks,
            current=not self._past or (bool(self._current[place.seq]) and not atom.superseded_by),
            seq=lists.documents.size - 1,
            lag=self._lag,
        )


def _placed(gathered: Gathered, ranked: Ranked, at: int) -> _Place:
    parts = {part: float(added[at]) for part, added in ranked.parts.items()}
    return _Place(int(gathered.seqs[at]), float(ranked.score[at]), parts)
