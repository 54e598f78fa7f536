"""The verb search: by word, by meaning, by time, in one ranking, with the reasons for each hit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from substrate.engine.filters import Filters
from substrate.engine.intake import check_limit
from substrate.engine.meaning import Meaning
from substrate.engine.moments import Moment, Time
from substrate.engine.reading import Moments, atom_of, moments_of, require_body, superseders
from substrate.engine.scope import scope_of
from substrate.errors import InputError, SchemaInvalid, TooLarge
from substrate.findings import Found, Hit
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.model import from_microseconds
from substrate.proof.entry import Kind
from substrate.search.candidates import Gathered, Lists, gather
from substrate.search.columns import Columns
from substrate.search.ranking import Ranked, rank
from substrate.search.snippet import snippet_of
from substrate.search.when import Asked, When, read_when
from substrate.search.words import score_words
from substrate.terms import QueryTerm, query_terms
from substrate.views.atoms import VersionRow
from substrate.views.nearest import NearestIndex
from substrate.views.vectors import embedded_upto

__all__ = ["Searcher"]

_CANDIDATES: Final = 100
"""Of each list; more if a page lies further down."""
_TERMS: Final = 100
"""Words of a query that are looked up. Of a whole page the first hundred different ones say what it is about."""
_PAST: Final = frozenset({Asked.PREVIOUS, Asked.FIRST, Asked.SPAN, Asked.ALL})
"""Questions that earlier versions, and what is superseded, may answer."""
_NOTHING: Final = 5e-5
"""A part that adds less is not worth saying."""
_NAME: Final = re.compile(r"(?<!^)(?<![.?!]\s)\b[^\W\d_a-z]\w+")
"""A word with a capital that does not begin a sentence."""


class Searcher:
    """What searching one open memory keeps between calls. Safe to share between threads."""

    def __init__(self, log: Log, meaning: Meaning, nearest: NearestIndex) -> None:
        self._log = log
        self._meaning = meaning
        self._nearest = nearest
        self._columns = Columns()

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
        _check(query, limit, offset, min_score)
        when = read_when(query, self._log.clock.now())
        # Dates say nothing about what is sought; "now" and "before the current one" say a little.
        asked = self._meaning.embed(when.text if when.asked is Asked.SPAN else query, wait_s)
        with self._log.snapshot() as transaction:
            documents = self._columns.at(transaction)
            moments = moments_of(transaction, self._log.clock, as_of, valid_at)
            past = when.asked in _PAST and as_of is None and valid_at is None
            mask = documents.in_use if past else documents.current(moments.upto, moments.valid_at)
            scope = scope_of(transaction, documents, filters, moments)
            if scope is not None:
                mask = mask & scope
            terms = query_terms(when.text)[:_TERMS]
            nearest = None
            lag = 0
            if asked.vector is not None:
                nearest = self._nearest.at(transaction, asked.space, asked.dimensions, documents.size)
                lag = int(np.count_nonzero(documents.said[embedded_upto(transaction, asked.space) :]))
            lists = Lists(
                transaction,
                documents,
                mask,
                score_words(transaction, documents, [term.term for term in terms], mask),
                _names(when.text),
                asked.vector,
                nearest,
            )
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
            unembedded=asked.unembedded,
            more=more,
        )


def _check(query: object, limit: int, offset: int, min_score: object) -> None:
    if not isinstance(query, str):
        raise SchemaInvalid(f"query must be a text, not {type(query).__name__}")
    if len(query) > LIMITS["query_characters"]:
        raise TooLarge("query", len(query), LIMITS["query_characters"], "characters")
    if not query.strip():
        raise InputError("query is empty: say what to look for; to see all atoms, use list")
    check_limit(limit, offset, LIMITS["search_items"])
    if min_score is not None and (isinstance(min_score, bool) or not isinstance(min_score, int | float)):
        raise SchemaInvalid("min_score must be a number, such as 0.3")


def _names(text: str) -> frozenset[str]:
    return frozenset(term.term for word in _NAME.findall(text) for term in query_terms(word))


class _Page:
    """One search's hits, in order, drawn until a page is full."""

    def __init__(  # noqa: PLR0913
        self, lists: Lists, moments: Moments, when: When, terms: list[QueryTerm], *, past: bool, lag: int
    ) -> None:
        self._lists = lists
        self._moments = moments
        self._when = when
        self._spelling = {term.term: term.spelling for term in terms}
        self._past = past
        self._lag = lag

    def take(self, offset: int, limit: int, min_score: float | None) -> tuple[tuple[Hit, ...], bool]:
        """The hits from `offset` on, and whether there is more behind them."""
        count = max(_CANDIDATES, 2 * (offset + limit))
        while True:
            gathered = gather(self._lists, count)
            ranked = rank(gathered.candidates, self._lists.vector, self._when)
            drawn = list(self._draw(gathered, ranked, offset + limit + 1, min_score))
            if len(drawn) > offset + limit or gathered.all:
                page = drawn[offset : offset + limit]
                return tuple(self._hits(gathered, ranked, page)), len(drawn) > offset + limit
            count *= 4  # too much of what was found is superseded, or too weak

    def _draw(self, gathered: Gathered, ranked: Ranked, count: int, min_score: float | None) -> Iterator[int]:
        """Places of the first so many candidates that are to be shown."""
        for place in ranked.order.tolist():
            if not count:
                return
            if ranked.score[place] <= 0 or (min_score is not None and ranked.score[place] < min_score):
                continue
            subject = self._lists.documents.subject(int(gathered.seqs[place]))
            if self._past or not superseders(self._lists.transaction, subject, self._moments):
                count -= 1
                yield place

    def _hits(self, gathered: Gathered, ranked: Ranked, page: list[int]) -> Iterator[Hit]:
        words = self._lists.words
        has = words.matches(gathered.seqs[page])
        for column, place in enumerate(page):
            matched = [term.term for term, row in zip(words.terms, has, strict=True) if row[column]]
            yield self._hit(int(gathered.seqs[place]), ranked, place, matched)

    def _hit(self, seq: int, ranked: Ranked, place: int, matched: list[str]) -> Hit:
        lists = self._lists
        body = require_body(lists.transaction, seq)
        version = VersionRow(lists.documents.subject(seq), seq, Kind.PUT, str(body.members.get("name")))
        atom = atom_of(lists.transaction, version, body, self._moments)
        snippet = snippet_of(atom.value, frozenset(matched))
        return Hit(
            atom=atom,
            score=float(ranked.score[place]),
            parts={
                part: round(float(added[place]), 4)
                for part, added in ranked.parts.items()
                if abs(added[place]) > _NOTHING
            },
            matched=tuple(dict.fromkeys(self._spelling[term] for term in matched)),
            snippet=snippet.text,
            marks=snippet.marks,
            current=not self._past or (bool(lists.documents.now[seq]) and not atom.superseded_by),
            seq=lists.documents.size - 1,
            lag=self._lag,
        )
