"""Simple predictors of what comes next, to compare with: popularity, recency, first-order Markov, V-SKNN. In memory."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import Any

__all__ = ["Markov1", "Popularity", "Recency", "VSknn"]

Meta = Mapping[str, Any]


def _best(scores: Mapping[str, float], k: int) -> list[str]:
    return nlargest(k, scores, key=lambda key: (scores[key], key))


class Predictor(ABC):
    """The scorer's protocol. Whatever a method does not know it fills up with what is popular in the group."""

    def __init__(self) -> None:
        self._popular: dict[str, Counter[str]] = defaultdict(Counter)

    def observe_session(self, seq: Sequence[str], meta: Meta) -> None:
        """Learn one session."""
        self._popular[meta["group"]].update(set(seq))
        self.learn(seq, meta)

    def predict(self, context: Sequence[str], k: int, meta: Meta) -> list[str]:
        """Keys, best first."""
        own = self.rank(context, k, meta)
        more = (key for key, _ in self._popular[meta["group"]].most_common(k + len(own)))
        return list(dict.fromkeys([*own, *more]))[:k]

    @abstractmethod
    def learn(self, seq: Sequence[str], meta: Meta) -> None:
        """Learn what else there is to learn."""

    @abstractmethod
    def rank(self, context: Sequence[str], k: int, meta: Meta) -> list[str]:
        """Its own ranking."""


class Popularity(Predictor):
    """What most sessions of the group used."""

    def learn(self, seq: Sequence[str], meta: Meta) -> None:
        """Nothing more."""

    def rank(self, context: Sequence[str], k: int, meta: Meta) -> list[str]:  # noqa: ARG002
        """Nothing of its own."""
        return []


class Recency(Predictor):
    """What was opened last: in this session, then in the group (LRU)."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, dict[str, None]] = defaultdict(dict)

    def learn(self, seq: Sequence[str], meta: Meta) -> None:
        """The order of last use."""
        last = self._last[meta["group"]]
        for key in seq:
            last.pop(key, None)
            last[key] = None

    def rank(self, context: Sequence[str], k: int, meta: Meta) -> list[str]:
        """The newest first, but for the one that is open."""
        newest = dict.fromkeys([*reversed(context), *reversed(self._last[meta["group"]])])
        return [key for key in newest if not context or key != context[-1]][:k]


class Markov1(Predictor):
    """What followed the last one, by count."""

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[str, Counter[str]] = defaultdict(Counter)

    def learn(self, seq: Sequence[str], meta: Meta) -> None:
        """Every pair, and what begins."""
        for before, after in zip([f"\0{meta['group']}", *seq], seq, strict=False):
            self._next[before][after] += 1

    def rank(self, context: Sequence[str], k: int, meta: Meta) -> list[str]:
        """The row of the last one."""
        return _best(self._next[context[-1] if context else f"\0{meta['group']}"], k)


class VSknn(Predictor):
    """Sessions most like this one, where the newer of its items count more (Ludewig and Jannach 2018)."""

    def __init__(self, neighbours: int = 100, sample: int = 500) -> None:
        super().__init__()
        self._neighbours, self._sample = neighbours, sample
        self._sessions: list[set[str]] = []
        self._with: dict[str, list[int]] = defaultdict(list)

    def learn(self, seq: Sequence[str], meta: Meta) -> None:  # noqa: ARG002
        """The session as a set."""
        self._sessions.append(set(seq))
        for key in set(seq):
            self._with[key].append(len(self._sessions) - 1)

    def rank(self, context: Sequence[str], k: int, meta: Meta) -> list[str]:  # noqa: ARG002
        """What the neighbours have."""
        newest = list(dict.fromkeys(reversed(context)))
        like: dict[int, float] = defaultdict(float)
        for place, key in enumerate(newest):
            numbers = self._with[key]
            weight = (len(newest) - place) / len(newest) * math.log(1 + len(self._sessions) / max(1, len(numbers)))
            for number in numbers[-self._sample :]:
                like[number] += weight
        scores: dict[str, float] = defaultdict(float)
        for number in nlargest(self._neighbours, like, key=lambda number: (like[number], number)):
            for key in self._sessions[number]:
                if not context or key != context[-1]:
                    scores[key] += like[number]
        return _best(scores, k)
