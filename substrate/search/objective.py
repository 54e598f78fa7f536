"""What an objective is about: the atoms that match it, as shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import body_of
from substrate.atoms.domains import Domains
from substrate.kv.api import ReadTransaction
from substrate.search.candidates import gather
from substrate.search.columns.documents import Documents, Mask
from substrate.search.filters import Filters
from substrate.search.index import Query, SearchIndex, not_embedded
from substrate.search.ranking import FAINT, rank
from substrate.search.scope import pages_of
from substrate.search.words import keyword_mask
from substrate.snapshot import Snapshot
from substrate.text.snippet import together
from substrate.text.terms import query_terms, word_count
from substrate.values.hits import WELL
from substrate.views.words import Field

__all__ = ["Match", "Matched"]

_OUTSIDE: Final = 0.2
"""How much a match counts that is not of the domain."""
_APART: Final = 0.3
"""The cosine of two objectives of which nobody would say that they are alike."""
_MATCHES: Final = 60
"""Of what an objective is about, so many of the best."""
_FAIR: Final = WELL / 4
"""The score of a weak match that may still have to do with an objective of few words: below are the nearest of all."""
_FEW_WORDS: Final = 8
"""An objective of more speaks of several things, and what has to do with one of them scores less by as much."""
_MOST_WEAK: Final = 12
"""Weak matches, at most."""
_MEANT: Final = 0.2
"""What of the score of a good match is meaning, where it is one for sure: a word may be in texts about anything."""
_BEST: Final = 3
"""So many of the best match, however weakly: a search finds them too."""
_GOING_ON: Final = """
again ahead carry catch continue continuation go last left next onward previous proceed resume return stop today
yesterday
"""
"""Words that say to go on, and not with what."""
_BESIDE: Final = """
afternoon back begin day hello hey hi item keep let morning now off pause pick please session start step stuff task
thing time up week work
"""
"""Words that say no more beside others of these: `pick up the work`."""


class Matched(NamedTuple):
    """Atoms that match, by their shares; and those of them that match well."""

    shares: dict[bytes, float]
    well: set[bytes]
    set_aside: int = 0
    """Pages that match well, and are not among them: they would crowd out what people said."""
    lag: int = 0
    """Versions that were compared by words alone, because they are not embedded yet."""
    is_sure: bool = True
    """Whether the store has something that matches well beyond doubt, be it shown or not."""


@dataclass(frozen=True, slots=True)
class Match:
    """An objective, prepared before there is a snapshot, and the index that it is looked up in."""

    index: SearchIndex
    query: Query
    ingested: bool = False
    """Whether documents and what was made of them may take most of the places."""

    @property
    def _has_subject(self) -> bool:
        """Whether the objective says what it is about, and not only that somebody goes on: `continue the last session`.

        Else a word of it that a text has says nothing, however rare the word is and however near the text.
        """
        said = {term.term for term in self.query.terms}
        return not said <= _stems(_GOING_ON) and (len(said) == 1 or not said <= _stems(_GOING_ON) | _stems(_BESIDE))

    @property
    def why(self) -> str:
        """Empty if words and meaning are searched; else why meaning is not."""
        return self.query.vector.why

    def shares(self, snapshot: Snapshot, domain: bytes | None) -> Matched:
        """The atoms that match, with shares that sum to one. Those of the domain, if there is one, count more.

        Hits that say little of the objective count next to nothing: scores are squared. Without a domain, texts that
        have nothing to do with it are no matches: something is always nearest. In a domain, the nearest are of use.
        """
        documents = self.index.documents(snapshot.transaction)
        seqs, points, lag, is_sure = self._best(snapshot, documents, Filters())
        set_aside = 0
        if not self.ingested and _is_crowded(snapshot, documents, seqs):
            set_aside = int((pages_of(snapshot.transaction, documents)[seqs] & self._is_good(points)).sum())
            seqs, points, lag, _ = self._best(snapshot, documents, Filters(without_pages=True))
        if domain is None:
            kept = self._matching(points, lag, self._withheld(snapshot, documents)[seqs])
            seqs, points = seqs[kept], points[kept]
        scores: dict[bytes, float] = {}
        well: set[bytes] = set()
        inside = self._inside(snapshot, documents, domain)[seqs].tolist() if domain is not None else [True] * len(seqs)
        good = self._is_good(points).tolist()
        for subject, given, is_inside, is_good in zip(
            documents.subjects(seqs), points.tolist(), inside, good, strict=True
        ):
            score = max(given, 0.0)
            if is_good:
                well.add(subject)
            scores[subject] = max(scores.get(subject, 0.0), score * score * (1 if is_inside else _OUTSIDE))
        total = sum(scores.values())
        shares = {subject: score / total for subject, score in scores.items()} if total > 0 else {}
        return Matched(shares, well, set_aside, lag, is_sure)

    def _withheld(self, snapshot: Snapshot, documents: Documents) -> Mask:
        """The versions that are not shown, however well they match."""
        if self.ingested:
            return np.zeros(documents.size, np.bool_)
        return keyword_mask(snapshot.transaction, documents, Field.ORIGIN, "ingested")

    def _matching(self, points: NDArray[np.float32], lag: int, withheld: Mask) -> Mask:
        """Which of these scores are those of matches. By words alone, all of texts that have one do.

        What is withheld is counted, and takes no place of what is shown.
        """
        if self.why:
            return points > 0
        matching = np.zeros(len(points), np.bool_)
        fair = max(FAINT, _FAIR * min(1.0, _FEW_WORDS / max(1, word_count(self.query.terms))))
        for some in (withheld, ~withheld):
            given = points[some]
            place = np.argsort(np.argsort(-given, kind="stable"), kind="stable")
            weak = (given >= (FAINT if lag else fair)) & (place < self._is_good(given).sum() + _MOST_WEAK)
            matching[some] = weak | ((given >= FAINT) & (place < _BEST))
        return matching

    def _is_good(self, points: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Which of these scores are those of good matches. By words alone, scores depend on how many there are.

        Of an objective without a subject, none is.
        """
        if not self._has_subject:
            return np.zeros(len(points), bool)
        return np.ones(len(points), bool) if self.why else points >= WELL

    def alike(self, transaction: ReadTransaction) -> dict[bytes, float] | None:
        """Past sessions and trainings whose objectives mean something like this one, by the keys of their traces.

        From 0, which is as far apart as two texts at random, to 1, which is the same. None: there is no vector.
        """
        if self.query.vector.vector is None:
            return None
        near = self.index.objectives.near(transaction, self.query.vector, _APART)
        return {trace: min(1.0, (cosine - _APART) / (1 - _APART)) for trace, cosine in near.items()}

    def _inside(self, snapshot: Snapshot, documents: Documents, domain: bytes) -> Mask:
        return self.index.domains.mask(snapshot, documents, Domains(snapshot).domain(domain))

    def _best(
        self, snapshot: Snapshot, documents: Documents, filters: Filters
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], int, bool]:
        """The versions that match best, with their scores; how many are not embedded yet; and whether any is sure.

        Of these, a long text that has the words of the objective here and there counts less: no meaning speaks for it.
        """
        lists = self.index.lists(snapshot, documents, self.query, filters, past=False)
        gathered = gather(lists, documents.when)
        ranked = rank(gathered.candidates, lists.vector, self.query.when)
        best = ranked.order[:_MATCHES]
        seqs, points = gathered.seqs[best], ranked.score[best]
        lag = 0 if self.why else not_embedded(lists, self.query)
        bare = np.full(len(best), bool(self.why))
        if lag:
            vectors = gathered.candidates.vectors
            bare = np.ones(len(best), bool) if vectors is None else np.isnan(vectors[best, 0])
            points = points * self._together(snapshot, seqs, bare)
        meaning = ranked.parts["meaning"][best] if len(best) else points
        return seqs, points, lag, self._is_sure(points, meaning, bare)

    def _is_sure(self, points: NDArray[np.float32], meaning: NDArray[np.float32], bare: Mask) -> bool:
        """Whether one of these matches well for sure: by what it means too.

        Of `what were we doing` one word can match, and it is in texts about anything. Of texts without a vector
        (`bare`) nobody knows more than words: half of that will do if the objective has several, and if it has one, all
        of it, in a few texts.
        """
        if not self._has_subject:
            return False
        several = word_count(self.query.terms) > 1
        by_words = bare & (points >= (WELL / 2 if several else WELL))
        if not several and np.count_nonzero(by_words) > _MOST_WEAK:
            by_words[:] = False
        return bool((by_words | ((points >= WELL) & (meaning >= _MEANT))).any())

    def _together(self, snapshot: Snapshot, seqs: NDArray[np.int64], bare: Mask) -> NDArray[np.float32]:
        """Of the versions without a vector, which share of their words of the objective stands together; else 1."""
        terms = frozenset(term.term for term in self.query.terms)
        shares = np.ones(len(seqs), np.float32)
        for place in np.flatnonzero(bare).tolist():
            body = body_of(snapshot.transaction, int(seqs[place]))
            if body is not None:
                shares[place] = together(str(body.members.get("value")), terms)
        return shares


@lru_cache(maxsize=2)  # of the two lists
def _stems(words: str) -> frozenset[str]:
    return frozenset(term.term for term in query_terms(words))


def _is_crowded(snapshot: Snapshot, documents: Documents, seqs: NDArray[np.int64]) -> bool:
    """Whether documents and what was made of them take most of the places."""
    return int(pages_of(snapshot.transaction, documents)[seqs].sum()) * 2 > _MATCHES
