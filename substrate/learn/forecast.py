"""Forecasts: who will be needed, as of one snapshot, with what each part of the model says. What the verbs share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from substrate.atoms.supersedes import Heirs
from substrate.kv.api import ReadTransaction
from substrate.learn.mixture import Part, Parts, best, in_factors, leading, mix, question_of, weights_of
from substrate.learn.parts import Reader
from substrate.snapshot import Snapshot
from substrate.veil import hidden_in
from substrate.views.learned.counts import times_used
from substrate.views.learned.mixing import read_mixing
from substrate.views.learned.sessions import HOLE

if TYPE_CHECKING:
    from substrate.search.objective import Match

__all__ = ["Forecaster", "Need", "uses_of"]


_Weighed: TypeAlias = tuple[str, Mapping[bytes, float], float, float]
_SLIGHT = 0.003
"""A part that is believed less is not worth its reads."""
_DEAR = ("episodes",)
_FAINT = 0.02
"""Nor is a dear one that is believed less than this, where nobody asks for shares as small."""
_NOT_LEARNT = ("edges", "repeat")
_STATED = 0.5
_BESIDE = frozenset(("seeds", "edges", "start", "usage", "recent"))
"""Parts that say nothing of an objective by themselves: two of them lead from what is needed to what is beside it."""
_BEST = 3
"""Matches that an opening has in any case."""
_SPARE = 4
"""So many more are looked at than asked for: one may gain by what it inherits."""


class Forecaster:
    """Reads the model in one snapshot, as of now."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._heirs = Heirs(snapshot)
        self._reader = Reader(snapshot, self._heirs)
        hidden = hidden_in(snapshot.transaction)
        self._hidden: Container[bytes] = () if hidden is None else hidden.atoms
        """What is never told, and so takes no place of what is: see `leading`."""
        self._well: Collection[bytes] = ()
        self.set_aside = self.lag = 0
        """Pages that match the objective of `before` well, and were set aside for what people said."""
        self.is_known = True
        """Whether something matches that objective well beyond doubt, or it is settled what one like it needs."""
        self.is_met = False
        """Whether past sessions had an objective like it."""

    # -- what each part says, for who weighs them -----------------------------------------------------------------

    def after(
        self, opened: Sequence[bytes], domain: bytes, *, whole: bool = False, wanted: Collection[str] | None = None
    ) -> dict[str, Part]:
        """The parts, in a session in which these were opened; of what comes next, or of the `whole` rest of it."""
        return self._reader.after(list(_newest_first(opened)), domain, whole=whole, wanted=wanted)

    def before(self, domain: bytes, objective: str = "", match: Match | None = None) -> dict[str, Part]:
        """The parts, in a session in which nothing was opened yet."""
        if match is None or not objective:
            return self._reader.before(domain, objective)
        matched = match.shares(self._snapshot, None if domain == HOLE else domain)
        found, self._well, self.set_aside, self.lag, is_sure = matched
        parts = self._reader.before(domain, objective, found, match.alike(self._snapshot.transaction))
        self.is_known = is_sure or self._reader.is_settled
        self.is_met = bool(self._reader.fitting)
        return parts

    def weights(self, question: str) -> dict[str, float]:
        """How far each part is believed, for a question with its evidence."""
        return weights_of(question, read_mixing(self._snapshot.transaction, question))

    # -- who is needed --------------------------------------------------------------------------------------------

    def next(
        self, opened: Sequence[bytes], domain: bytes, count: int, *, again: bool = False, least: float = 0.0
    ) -> list[Need]:
        """What will be opened next. With `again` it may be what is open already.

        What has less of a share than `least` may be left out: then its reasons are not added up.
        """
        seen = _newest_first(opened)
        if not again:
            return self._likeliest(*self._new(list(seen), domain, least), count, seen, least)
        weights = self.weights(question_of("next", len(seen)))
        parts, new = self._new(list(seen), domain, least, _heavy(weights, least))
        if not _is_learnt(parts):
            weights = {**weights, "edges": new["edges"]}
        others = mix(parts, new, seen)
        # One distribution of both: of what is open as the one question has it, and what that leaves, by the other.
        mixed = mix(parts, weights)
        left = sum(share for item, share in mixed.items() if item not in seen) / (sum(others.values()) or 1)
        scaled = {part: weight * left for part, weight in new.items()}
        both = {item: share * left for item, share in others.items()}
        both |= {item: mixed[item] for item in seen if item in mixed}
        both = {item: share for item, share in both.items() if item not in self._hidden} if self._hidden else both
        shares, meant = self._standing(best(both, _looked_at(count)), count, ())
        of_open, of_others = _weighed(parts, weights), _weighed(parts, scaled)
        return [
            Need(heir, share, _reasons(meant[heir], lambda item: of_open if item in seen else of_others))
            for heir, share in best(shares, count)
        ]

    def _new(
        self, distinct: Sequence[bytes], domain: bytes, least: float = 0.0, also: Collection[str] = ()
    ) -> tuple[dict[str, Part], dict[str, float]]:
        """The parts that say what new is opened next, and others if asked for; and how far each is believed.

        `distinct`: the atoms that were opened, each once, the newest first. `least`: shares below it are not asked for.
        """
        weights = self.weights(question_of("new", len(distinct)))
        wanted = _heavy(weights, least).union(also)
        parts = self._reader.after(distinct, domain, wanted=wanted)
        if not _is_learnt(parts):
            parts |= self._reader.after(distinct, domain, wanted=_heavy(weights, 0.0).union(("edges",)) - wanted)
        if not _is_learnt(parts):  # what is stated is all there is to go by
            weights = {**weights, "edges": _STATED}
        return parts, weights

    def alone(self, part: str, opened: Sequence[bytes], domain: bytes, count: int) -> list[Need]:
        """What one part says will be opened next, as if there were no others."""
        parts = self.after(opened, domain, wanted=(part,))
        weights = {part: 1.0}
        return self._likeliest(parts, weights, count, set(opened))

    def led(self, source: bytes, target: bytes, domain: bytes, part: str | None = None) -> Need:
        """How likely the target is next, when the source was opened: by all parts, or by one. Under the source's id."""
        if part is None:
            parts, weights = self._new((source,), domain)
        else:
            parts, weights = self.after((source,), domain, wanted=(part,)), {part: 1.0}
        added: dict[str, float] = {}
        for item in self.stands_for(target):
            for name, said in parts.items():
                if weights.get(name) and item in said:
                    added[name] = added.get(name, 0.0) + weights[name] * said[item]
        return Need(source, sum(added.values()), added)

    def stands_for(self, subject: bytes) -> tuple[bytes, ...]:
        """An atom, and those whose place it took."""
        return subject, *self._heirs.inherited(subject)

    def heir(self, subject: bytes) -> bytes | None:
        """The atom that stands for this one now; None if nobody does."""
        return self._heirs.heir(subject)

    def needed(self, opened: Sequence[bytes], domain: bytes, count: int) -> list[Need]:
        """What else a session will need in which these were opened."""
        seen = _newest_first(opened)
        weights = self.weights(question_of("need", len(seen)))
        parts = self._reader.after(list(seen), domain, whole=True, wanted=_heavy(weights, 0.0))
        if not _is_learnt(parts):
            parts |= self._reader.after(list(seen), domain, whole=True, wanted=("edges",))
            weights = {**weights, "edges": _STATED}
        return self._likeliest(parts, weights, count, seen)

    def opening(self, domain: bytes, objective: str, match: Match | None, count: int) -> list[Need]:
        """What a session will need that begins: by its domain, and by its objective if it has one.

        Behind the first `count` come corrections and the best matches that are not among these.
        """
        parts = self.before(domain, objective, match)
        weights = self.weights(question_of("goal" if objective.strip() else "need", 0))
        needs = self._likeliest(parts, weights, count, ())
        needs += self._spoken_for(parts, weights, count, {need.subject for need in needs})
        fits = self._reader.fitting if self._well else self._reader.fitting | self._reader.near
        fitting = {self._heirs.heir(item) for item in fits}
        weak = {need.subject for need in needs if "match" in need.parts} - set(self._well)
        waiting = weak - fitting if any(need.subject in fitting for need in needs) else set()
        is_lost = not self.is_known and not self._reader.fitting
        near = {self._heirs.heir(item) for item in self._reader.near} if is_lost else set()

        def is_beside(need: Need) -> bool:
            is_led = need.subject in weak or _BESIDE.issuperset(need.parts)
            return is_lost and is_led and need.subject not in near

        return [Need(*need[:3], need.subject in weak, need.subject in waiting, is_beside(need)) for need in needs]

    def _spoken_for(self, parts: Parts, weights: Mapping[str, float], count: int, known: set[bytes]) -> Iterator[Need]:
        """What was taught for the objective, and what matches it best, but for those known.

        However little either was believed after sessions that needed something else: what the objective itself says,
        and what a person corrected, is no habit.
        """
        said = _weighed(parts, weights)
        sure = [*best(parts.get("taught", {}), count), *best(parts.get("match", {}), _BEST)]
        for item, _ in sure:
            heir = self._heirs.heir(item)
            if heir is not None and heir not in known:
                known.add(heir)
                reasons = _reasons([item], lambda _: said)
                yield Need(heir, sum(reasons.values()), reasons)

    def _likeliest(
        self, parts: Parts, weights: Mapping[str, float], count: int, gone: Container[bytes], least: float = 0.0
    ) -> list[Need]:
        """So many that are needed most by these parts, but for some atoms, and those that have less than `least`."""
        gone = _Either(gone, self._hidden) if self._hidden else gone
        for looked_at in (count + 2 * _SPARE, _looked_at(count)):  # mostly nearly all are in use, and the few will do
            first = leading(parts, weights, looked_at, gone)
            shares, meant = self._standing(first, count, gone)
            if len(shares) >= count + _SPARE or len(first) < looked_at:
                break
        said = _weighed(parts, weights)
        return [
            Need(heir, share, _reasons(meant[heir], lambda _: said))
            for heir, share in best(shares, count)
            if share >= least
        ]

    def _standing(
        self, first: Sequence[tuple[bytes, float]], count: int, gone: Container[bytes]
    ) -> tuple[dict[bytes, float], dict[bytes, list[bytes]]]:
        """The first of these, by the atoms that stand for them now: their shares, and for which ones each stands.

        What is out of use falls away.
        """
        shares: dict[bytes, float] = {}
        meant: dict[bytes, list[bytes]] = {}
        for item, share in first:
            heir = self._heirs.heir(item)
            if heir is None or heir in gone or heir == HOLE:
                continue
            shares[heir] = shares.get(heir, 0.0) + share
            meant.setdefault(heir, []).append(item)
            if len(shares) >= count + _SPARE:  # what follows is less likely than all that are here
                break
        return shares, meant


@dataclass(frozen=True, slots=True)
class _Either:
    """What is in one of the two. To put hidden atoms into one set with others takes longer than a prediction."""

    some: Container[bytes]
    others: Container[bytes]

    def __contains__(self, item: object) -> bool:
        return item in self.some or item in self.others


def uses_of(transaction: ReadTransaction, subjects: Sequence[bytes]) -> list[float]:
    """How often each of these atoms was accessed."""
    return [float(times) for times in times_used(transaction, subjects)]


def _newest_first(opened: Sequence[bytes]) -> dict[bytes, None]:
    """Each atom once, where it was opened last. What this takes is what a long session adds to each prediction."""
    return dict.fromkeys(reversed(opened))


def _weighed(parts: Parts, weights: Mapping[str, float]) -> list[_Weighed]:
    """The parts that are believed: as amounts, what each is to be multiplied by, and how far they are."""
    return [(name, *in_factors(part), weights[name]) for name, part in parts.items() if weights.get(name)]


def _reasons(items: Sequence[bytes], said_of: Callable[[bytes], Sequence[_Weighed]]) -> dict[str, float]:
    """How much each part gave to these atoms together. `said_of`: what the parts say that speak of an atom."""
    added: dict[str, float] = {}
    for item in items:
        for name, amounts, factor, weight in said_of(item):
            amount = amounts.get(item)
            if amount is not None:
                added[name] = added.get(name, 0.0) + weight * (amount * factor)
    return added


def _looked_at(count: int) -> int:
    """Of how many it is seen who stands for them, to find so many."""
    return 2 * count + 16


def _heavy(weights: Mapping[str, float], least: float) -> set[str]:
    """The parts that are worth their reads, for who asks for shares of `least` and more."""
    heavy = {part for part, weight in weights.items() if weight >= _SLIGHT}
    return heavy.difference(part for part in _DEAR if weights.get(part, 0.0) < _FAINT <= least)


def _is_learnt(parts: Parts) -> bool:
    """Whether one of these parts says something that was learnt."""
    return any(part for name, part in parts.items() if name not in _NOT_LEARNT)


class Need(NamedTuple):
    """An atom that will be needed: its share of all need (shares sum to 1 at most), and which part gave how much."""

    subject: bytes
    share: float
    parts: Mapping[str, float]
    """Such as match, goals, usage, edges; `parts.py` says what each is."""
    is_weak: bool = False
    """Whether it is a match of the objective, and no good one."""
    waits: bool = False
    """Whether it is a weak match, and there are others that sessions or trainings for such an objective needed."""
    is_beside: bool = False
    """Whether it is a weak match, or only stands beside such, where nothing is known to be needed."""

    @property
    def is_taught(self) -> bool:
        """Whether it was corrected, or taught with full weight, for an objective like this one."""
        return self.parts.get("taught", 0.0) > 0
