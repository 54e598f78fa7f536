"""Newest first: of several atoms that say the same of the same subject with different values, the one that is meant.

`Ada lives in Rome`, and a year later under another name `Ada lives in Oslo`: the vectors and the words of the two are
about as near to a question, and the plausible one is often nearer than the true one. Here time decides. Two of the best
candidates are *statements of one thing* if

1. their claims contradict each other (`substrate.claims`): both cannot hold, so the newer one took the other's place,
   unless somebody settled that both do; or
2. they begin with the same words and end with others, and the question says just what they share: `Ada is famous for`
   one work and another. Both may hold, but nothing in the question tells them apart.

The statements of one thing share out their scores anew: the one that the question's time means gets the best of them.
A statement is outdated only by one that contradicts it itself. That the office is no longer in Leipzig says nothing
against Halle, and comes behind it: it says less.
One that has a word of the question that the newest does not have is asked for by that word, and keeps its place; not
if the newest is about just that in another word, as `Lena took over billing` is about who owns it. Parts of a whole
(turns of a talk, passages) are told, not stated: they stay as they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, compress, takewhile
from operator import not_
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from substrate import claims
from substrate.atoms.supersedes import is_superseded
from substrate.claims.fault import FORESEEN, log_fault
from substrate.conflicts.detect import is_settled
from substrate.search.candidates import Gathered, Lists
from substrate.search.ranking import Ranked, ordered
from substrate.search.statements.order import Statement, denies, joined, outdated_in
from substrate.search.when import When, Which
from substrate.search.words import TermScore
from substrate.text.terms import query_terms, spans
from substrate.views.beside.conflicts import ConflictRow
from substrate.views.claims import Kept, claim_of, kept_claims

if TYPE_CHECKING:
    from substrate.claims import Claim

__all__ = ["Newest", "newest_first"]

_LOOKED_AT: Final = 32
"""Of so many of the best."""
_BEGUN: Final = 2
"""Words that two sentences begin with, at least, to be looked at as one form with two endings."""
_SENTENCE: Final = 160
_ENDING: Final = 8
"""Characters of such a sentence, and words of its ending, at most."""
_UNASKED: Final = 1
"""Words that they may share beyond those of the question."""
_STEP: Final = 1e-5
"""By how much each stands behind the one before it, where their scores are equal: more than an order leaves aside."""
_INGESTED: Final = "ingested"


class Newest(NamedTuple):
    """The candidates in their new order; and of each that is outdated, by its seq, the seq of what took its place.

    What a person said is not outdated by what an agent wrote down later: the two are `disputed`.
    """

    ranked: Ranked
    newer: Mapping[int, int]
    disputed: Mapping[int, int]


class _Asked:
    """Which words of the question each of these has. Looked up for all at once, when one is asked: most never are."""

    def __init__(self, lists: Lists, stated: Sequence[Statement]) -> None:
        self._words = lists.words
        self._stated = stated

    @property
    def terms(self) -> Sequence[TermScore]:
        """The words of the question."""
        return self._words.terms

    def by(self, one: Statement) -> frozenset[int]:
        """Those that this one has, by their numbers."""
        return self._by_place[one.at]

    @cached_property
    def _by_place(self) -> dict[int, frozenset[int]]:
        terms = range(len(self._words.terms))
        columns = self._words.matches(np.array([one.seq for one in self._stated], np.int64)).T.tolist()
        return {one.at: frozenset(compress(terms, column)) for one, column in zip(self._stated, columns, strict=True)}


def newest_first(lists: Lists, gathered: Gathered, ranked: Ranked, when: When) -> Newest:
    """The candidates, with those first among the statements of one thing that the question's time means."""
    stated = _stated(lists, gathered, ranked)
    asked = _Asked(lists, stated)
    compared = _Compared(lists, stated)
    contradicting, alike = compared.contradicting(), _alike(asked, stated)
    if when.asked in {Which.ANY, Which.NOW, Which.SINCE}:
        contradicting, alike = (_in_force(lists, pairs) for pairs in (contradicting, alike))
    if not contradicting and not alike:
        return Newest(ranked, {}, {})
    snapshot, documents = lists.snapshot, lists.documents
    groups = joined(snapshot, documents, contradicting)
    newer: dict[int, int] = {}
    disputed: dict[int, int] = {}
    for group in groups:
        outdated = outdated_in(snapshot, group, compared.is_replaced)
        newer |= outdated.newer
        disputed |= outdated.disputed
    score = ranked.score.copy()
    if when.asked is not Which.ALL:
        for group in joined(snapshot, documents, [*contradicting, *alike]) if alike else groups:
            meant = _meant(lists, compared.telling_first(group, newer), when)
            places = [one.at for one in meant if _is_no_more_asked(asked, one, meant[0])]
            score[places] = -np.sort(-score[places]) - _STEP * np.arange(len(places))
    time = ranked.parts["time"] + (score - ranked.score)
    parts = {**ranked.parts, "time": time.astype(np.float32)}
    return Newest(replace(ranked, order=ordered(gathered.candidates, score), score=score, parts=parts), newer, disputed)


def _is_no_more_asked(asked: _Asked, one: Statement, first: Statement) -> bool:
    """Whether no word of the question asks for this one rather than for the first."""
    alone = asked.by(one) - asked.by(first)
    return not alone or _is_about(first, [asked.terms[i].term for i in alone])


def _is_about(one: Statement, words: Sequence[str]) -> bool:
    """Whether what it claims is about all these, in whatever words."""

    def is_about() -> bool:
        claim = claim_of(one.said)
        return claim is not None and all(claims.is_about(claim, word) for word in words)

    return _safely(is_about, otherwise=False)


_T = TypeVar("_T")


def _safely(compare: Callable[[], _T], otherwise: _T) -> _T:
    """What a comparison says; if it fails, by a fault of our own, `otherwise`."""
    try:
        return compare()
    except FORESEEN:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is: any text can be saved, and is found all the same
        log_fault("comparing what search found", error)
        return otherwise


def _stated(lists: Lists, gathered: Gathered, ranked: Ranked) -> list[Statement]:
    """The best candidates that were looked into and are no parts of a whole, best first."""
    best = ranked.order[:_LOOKED_AT]
    read = [
        (at, seq, said)
        for at, seq in zip(best.tolist(), gathered.seqs[best].tolist(), strict=True)
        if (said := gathered.read.get(seq)) is not None and said.get("parent") is None
    ]
    if len(read) < 2:  # noqa: PLR2004 - newer takes two
        return []
    subjects = lists.documents.subjects(np.array([seq for _, seq, _ in read], np.int64))
    return [Statement(at, seq, subject, said) for (at, seq, said), subject in zip(read, subjects, strict=True)]


_Pair = tuple[Statement, Statement]


def _in_force(lists: Lists, pairs: list[_Pair]) -> list[_Pair]:
    """Those of which neither is superseded by an edge."""
    return [pair for pair in pairs if not any(is_superseded(lists.snapshot, one.subject) for one in pair)]


class _Compared:
    """What the candidates claim, compared where that can matter."""

    def __init__(self, lists: Lists, stated: Sequence[Statement]) -> None:
        self._lists = lists
        self._stated = stated
        self._held: dict[int, Claim | None] = {}
        """What was read of them, by their places among the candidates."""
        self._kept: dict[int, Kept] = {}
        self._known: dict[tuple[int, int], bool] = {}

    def contradicting(self) -> list[_Pair]:
        """Pairs of which not both can hold: enough to join all that are statements of one thing."""
        return _safely(self._by_claims, [])

    def is_replaced(self, one: Statement, other: Statement) -> bool:
        """Whether not both can hold, and the newer one takes the other's place. Two versions of an atom never do."""
        if one.subject == other.subject:
            return one.said.get("value") != other.said.get("value")
        pair = min(one.at, other.at), max(one.at, other.at)
        known = self._known.get(pair)
        if known is None:
            contradict = _safely(lambda: self._contradict(one, other), otherwise=False)
            known = self._known[pair] = contradict and _is_replaced(self._lists, one, other)
        return known

    def telling_first(self, group: list[Statement], outdated: Mapping[int, object]) -> list[Statement]:
        """Statements of one thing, newest first, but for a newest one that only denies an older value.

        What that leaves in force comes before it.
        """
        if not self._denies(group[0]):
            return group
        told = next((one for one in group[1:] if one.seq not in outdated and not self._denies(one)), None)
        return group if told is None else [told, *(one for one in group if one is not told)]

    def _denies(self, one: Statement) -> bool:
        return denies(_safely(lambda: self._claim(one), None))

    def _claim(self, one: Statement) -> Claim | None:
        if one.at not in self._held:
            kept = self._kept.get(one.at)
            self._held[one.at] = None if kept is None else kept.held(one.subject).claim
        return self._held[one.at]

    def _contradict(self, one: Statement, other: Statement) -> bool:
        a, b = self._claim(one), self._claim(other)
        return a is not None and b is not None and claims.contradiction(a, b) is not None

    def _by_claims(self) -> list[_Pair]:
        lists, stated = self._lists, self._stated
        keyed: dict[bytes, dict[object, list[Statement]]] = defaultdict(dict)
        rows = kept_claims(lists.snapshot.transaction, [one.subject for one in stated])
        for one, kept in zip(stated, rows, strict=True):
            said: object
            if kept is not None and kept.seq == one.seq:
                self._kept[one.at] = kept
                keys, said = kept.keys, kept.said
            elif kept is None and lists.snapshot.upto is None and lists.documents.now[one.seq]:
                continue
            else:  # an earlier version, or an earlier time: what it claims is not kept
                self._held[one.at] = claim = claim_of(one.said)
                if claim is None or claim.kind == "truth":
                    continue
                keys, said = claims.keys_of(claim), claim[2:]
            for key in keys:
                keyed[key].setdefault(said, []).append(one)
        # Those that say the same cannot contradict each other: of each value one is compared, then the others of its
        # value.
        found: dict[tuple[int, int], _Pair] = {}
        for ours, theirs in (pair for values in keyed.values() for pair in combinations(values.values(), 2)):
            if self._contradict(ours[0], theirs[0]):
                for pair in (*((one, theirs[0]) for one in ours), *((ours[0], other) for other in theirs[1:])):
                    if pair[0].subject != pair[1].subject and self.is_replaced(*pair):
                        found[pair[0].at, pair[1].at] = pair
        return list(found.values())


def _is_replaced(lists: Lists, one: Statement, other: Statement) -> bool:
    """Of two that contradict each other, whether the newer one takes the other's place."""
    if (one.said.get("origin") == _INGESTED) != (other.said.get("origin") == _INGESTED):
        return False
    row = ConflictRow(one.subject, other.subject, one.seq, other.seq, "value", 0)
    return not is_settled(lists.snapshot.transaction, row)


def _alike(asked: _Asked, stated: Sequence[Statement]) -> list[_Pair]:
    """The pairs that begin alike and end otherwise, where the question says just what they share."""
    if not asked.terms:
        return []
    begun: dict[tuple[str, ...], list[tuple[Statement, str]]] = defaultdict(list)
    for one in stated:
        value = one.said.get("value")
        if isinstance(value, str) and len(value) <= _SENTENCE:
            begun[*value.split(None, _BEGUN)[:_BEGUN]].append((one, value))
    terms = {term.term for term in asked.terms}
    judged: dict[str, bool] = {}  # many pairs share the same beginning
    found = []
    for several in begun.values():
        if len(several) == 1:
            continue
        group = [(one, value.split()) for one, value in several]
        for (one, words), (other, others) in combinations(group, 2):
            shared = _shared(words, others)
            if shared < _BEGUN or any(len(asked.by(each)) < len(asked.terms) for each in (one, other)):
                continue
            beginning = " ".join(words[:shared])
            if beginning not in judged:
                judged[beginning] = _is_asked(beginning, terms)
            if judged[beginning]:
                found.append((one, other))
    return found


def _shared(words: list[str], others: list[str]) -> int:
    """How many words two sentences begin with alike; 0 if their endings are too long, or one of them has none."""
    least = max(0, max(len(words), len(others)) - _ENDING)
    if words[:least] != others[:least]:
        return 0
    for i in range(least, min(len(words), len(others))):
        if words[i] != others[i]:
            return i
    return 0


def _is_asked(shared: str, asked: set[str]) -> bool:
    """Whether the words of the question are just those that two sentences share."""
    if not asked.issubset(term for span in spans(shared) for term in span.terms):
        return False
    return len({term.term for term in query_terms(shared)} - asked) <= _UNASKED


def _meant(lists: Lists, group: list[Statement], when: When) -> list[Statement]:
    """The statements of one thing, newest first, in the order that the question's time means."""
    if when.asked is Which.FIRST:
        return group[::-1]
    if when.asked in {Which.SINCE, Which.PREVIOUS}:
        value = group[0].said.get("value")
        holds = list(takewhile(lambda one: one.said.get("value") == value, group))
        before = group[len(holds) :]
        return [*holds[::-1], *before] if when.asked is Which.SINCE else [*before[:1], *holds, *before[1:]]
    if when.asked is Which.SPAN:
        times = lists.documents.when
        start = when.start if when.end is None else None  # before a span is not outside: it may have held on
        outside = [
            (start is not None and times[one.seq] < start) or (when.end is not None and times[one.seq] >= when.end)
            for one in group
        ]
        return [*compress(group, map(not_, outside)), *compress(group, outside)]
    return group
