"""What search keeps between calls, and what a query is looked up in: columns, vectors, the model that embeds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from substrate.embed.query import Meaning, QueryVector
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.search.candidates import Lists, is_part
from substrate.search.columns.documents import Columns, Documents, Mask
from substrate.search.columns.members import DomainMasks
from substrate.search.columns.objectives import PastObjectives
from substrate.search.columns.scopes import all_of
from substrate.search.conversation.question import NOBODY, read_addressed
from substrate.search.directory.rows import EntityRows
from substrate.search.filters import Filters
from substrate.search.scope import scope_of
from substrate.search.when import When, Which, read_when
from substrate.search.words import score_words
from substrate.snapshot import Snapshot
from substrate.text.terms import QueryTerm, query_terms
from substrate.veil import bare
from substrate.views.nearest.index import Spaces
from substrate.views.vectors import embedded_upto
from substrate.views.words import NONE

__all__ = ["Query", "SearchIndex", "not_embedded"]

_TERMS: Final = 100
"""Words of a query that are looked up. Of a whole page the first hundred different ones say what it is about."""
_EACH_ONCE: Final = frozenset({Which.PREVIOUS, Which.ALL})
_WORDS_ALONE: Final = "words alone were asked for"
_NAME: Final = re.compile(r"(?<!^)(?<![.?!]\s)\b[^\W\d_a-z]\w+")
"""A word with a capital that does not begin a sentence."""


class Query(NamedTuple):
    """A question, prepared before there is a snapshot: its time, its vector, its words."""

    text: str
    when: When
    vector: QueryVector
    terms: tuple[QueryTerm, ...]


def not_embedded(lists: Lists, query: Query) -> int:
    """How many versions a query is not compared with by meaning, because they are not embedded yet."""
    said = lists.documents.said
    lag = int(np.count_nonzero(said[embedded_upto(lists.snapshot.transaction, query.vector.space) :]))
    if lists.nearest is not None and lists.nearest.waiting:  # of unlocked domains
        lag += int(np.count_nonzero(said[lists.nearest.waiting]))
    return lag


class SearchIndex:
    """What one open store keeps for searching. Safe to share between threads."""

    def __init__(self, meaning: Meaning, nearest: Spaces, columns: Columns, domains: DomainMasks) -> None:
        self._meaning = meaning
        self._nearest = nearest
        self._columns = columns
        self.entities = EntityRows()
        self.domains = domains
        self.objectives = PastObjectives()

    def query(  # noqa: PLR0913
        self, text: str, log: Log, asked_at: int, wait_s: float, *, meaning: bool = True, guess: bool = False
    ) -> Query:
        """A question that is asked at a time: `last month` is the one before it. Waits so long for the model.

        Without `meaning` it is one of words alone. `log`: as who asks has it. `guess`: see `Meaning.embed`; then it is
        good if `is_of` says so.
        """
        when = read_when(text, asked_at)
        if not meaning:
            return Query(text, when, QueryVector(why=_WORDS_ALONE), tuple(query_terms(when.text)[:_TERMS]))
        # Dates say nothing about what is sought; "now" and "before the current one" say a little.
        vector = self._meaning.embed(when.text if when.asked is Which.SPAN else text, log, wait_s, guess=guess)
        return Query(text, when, vector, tuple(query_terms(when.text)[:_TERMS]))

    def is_of(self, query: Query, transaction: ReadTransaction) -> bool:
        """Whether what was guessed of the query is so in this snapshot."""
        return self._meaning.is_searched(bare(transaction), query.vector)

    def objective(self, text: str, log: Log, wait_s: float) -> Query:
        """What a session is for, as a question: words of time in it are words like others."""
        vector = self._meaning.embed(text, log, wait_s)
        return Query(text, When(Which.ANY, text), vector, tuple(query_terms(text)[:_TERMS]))

    def documents(self, transaction: ReadTransaction) -> Documents:
        """Every version of this snapshot, as search sees it."""
        return self._columns.at(transaction)

    def among(self, snapshot: Snapshot, filters: Filters) -> Sequence[bool] | None:
        """Whether each version, by its seq, passes the filters; None: all do."""
        scope = scope_of(snapshot, self.documents(snapshot.transaction), filters, self.domains)
        return None if scope is None else scope.tolist()

    def lists(self, snapshot: Snapshot, documents: Documents, query: Query, filters: Filters, *, past: bool) -> Lists:
        """What the query is looked up in. `past`: earlier versions, and what is superseded, may answer too.

        Where it matters when something was said, each time that it was said counts; else the last time.
        """
        mask = documents.in_use(snapshot.upto) if past else documents.current(snapshot.upto, snapshot.valid_at)
        scope = scope_of(snapshot, documents, filters, self.domains)
        if scope is not None:
            mask = all_of(documents, (mask, scope))
        words = score_words(snapshot.transaction, documents, [term.term for term in query.terms], mask)
        if past and query.when.asked in _EACH_ONCE:
            mask = documents.stated(snapshot.upto, None if scope is None else mask)
            words = words.within(mask)
        asked = query.vector
        nearest = None
        if asked.vector is not None:
            nearest = self._nearest.at(snapshot.transaction, asked.space, asked.dimensions, documents.size)
        return Lists(
            snapshot,
            documents,
            mask,
            words,
            _names(query.when.text),
            vector=asked.vector,
            nearest=nearest,
            addressed=read_addressed(query.text) if documents.speaks else NOBODY,
            window=_window(documents, query.when),
        )

    def dated(self, snapshot: Snapshot, documents: Documents, query: Query, filters: Filters) -> Query:
        """The query with the time of the event that it speaks of: when that was first told; as it is, if nothing tells.

        An event is told by what has the names in it, or all its words if it has none; best with the other names, too.
        A turn of a talk tells later what was: it begins a time, and ends none.
        """
        if not query.when.event:
            return query
        event, names = [term.term for term in query_terms(query.when.event)], _names(query.when.text)
        meant = [term for term in event if term in names] or event
        if not meant:  # `before -- --`
            return query
        mask = documents.in_use(snapshot.upto)
        scope = scope_of(snapshot, documents, filters, self.domains)
        mask = mask if scope is None else mask & scope
        scores = score_words(snapshot.transaction, documents, [*meant, *names.difference(meant)], mask)
        told = [scores.has(place, scores.seqs) for place in range(len(scores.terms))]
        found, closer = np.logical_and.reduce(told[: len(meant)]), np.logical_and.reduce(told)
        seqs = scores.seqs[closer if closer.any() else found]
        if not len(seqs):
            return query
        first = int(seqs[np.argmin(documents.when[seqs])])
        time = int(documents.when[first])
        if is_part(snapshot.transaction, first):
            since = When(Which.SPAN, query.when.text, start=time)
            return query if query.when.is_end else query._replace(when=since)
        when = query.when.at(time)
        return query._replace(when=when, terms=tuple(query_terms(when.text)[:_TERMS]))


def _window(documents: Documents, when: When) -> Mask | None:
    if when.asked is not Which.SPAN:
        return None
    start, end = (NONE if when.start is None else when.start), when.end
    return (documents.when >= start) & (True if end is None else documents.when < end)


def _names(text: str) -> frozenset[str]:
    return frozenset(term for word in _NAME.findall(text) for term in _terms_of(word))


@lru_cache(maxsize=1024)
def _terms_of(word: str) -> tuple[str, ...]:
    return tuple(term.term for term in query_terms(word))
