"""The parts of the model, read out of rows: each says who is needed, as shares that sum to at most one.

| part | from | who |
|---|---|---|
| next | the atom opened last | what came right after it |
| skip | the last eight opened, the newer the more | what came within ten steps |
| spread | the best of skip: twelve, or sixty if the whole session is meant | one step further |
| episodes | the last twenty opened | what past sessions like this one needed |
| start | the domain | what sessions of it began with |
| usage, recent | the domain | what its sessions used: slowly decayed, and of the last dozens |
| repeat | the session itself | what was opened before, the newer the more |
| edges | the last eight opened; of a goal the best matches | what stated edges join to them |
| goals | the objective | what past sessions with such objectives needed: by words and by meaning |
| taught | the objective | of these, and of what matches well, what trainings of full weight had: corrections |
| match | the objective | what a search for it finds (handed in) |
| seeds | the best of goals and match | one step along arcs |

A row of which little is known says little: its shares are of its mass and of one event more. What it leaves is left to
the other parts. What is counted over all domains together says little of a session that is like none of the past: who
has an objective, or opened what no session knows, hears next to nothing of it. An atom that took another's place
inherits its rows; that is seen here, by `Heirs`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import islice
from math import log, sqrt
from typing import Final, Literal

from substrate.atoms.supersedes import Heirs
from substrate.kv.api import kept_by
from substrate.learn.mixture import Part, Scaled, Wide, best, highest
from substrate.log.tables import ARCS
from substrate.snapshot import Snapshot
from substrate.values.edges import SUPERSEDES
from substrate.veil import hidden_in
from substrate.views.cards import cards_of
from substrate.views.edges import links_of
from substrate.views.learned.counts import ATOM, START, USAGE, Cells, Tally, read_cells
from substrate.views.learned.episodes import (
    Needed,
    episode_count,
    episodes_for,
    episodes_with,
    needed_in,
    numbers_of,
    objective_terms,
    of_domain,
    trainings_in,
)
from substrate.views.learned.sessions import HOLE

__all__ = ["Reader"]

_FADE: Final = 0.75
_SKIP: Final = 8
_SPREAD: Final = 12
_SPREAD_WHOLE: Final = 60
_LIKE: Final = 20
_SESSIONS_OF: Final = 300
_NEIGHBOURS: Final = 100
_REPEAT: Final = 12
_EDGES: Final = 24
"""Edges of one atom, each way, that count: of a hub's thousands none says much."""
_GOALS: Final = 25
_NEAR: Final = 200
"""Past objectives that are near in meaning, at most."""
_FULL: Final = 3
"""The weight of a training that corrects."""
_WELL: Final = 0.25
"""Of the best match's share: what has as much matches well."""
_FITS: Final = 0.3
"""How like this objective another one must be, for what was taught or needed there to be so for this one."""
_LITTLE: Final = 0.1
_FEW: Final = 3
"""Where nothing matches the objective well, the few objectives that are a little like it say more than weak matches."""
_SEEDS: Final = 10
_ANYWHERE: Final = 1e-4
"""How far use of whatever domain counts, if there is an objective: it may fill room, and displaces nobody."""
_USES: Final = 5
"""Of so many uses half of what they say is believed; a single training has two or three, some sessions have dozens."""
_SESSIONS: Final = 3
"""Past sessions of a domain from which on any that is a little like this one says something of it."""
_COMMON: Final = 0.1
"""A term that all objectives have says next to nothing; not nothing, since it may be all there is to go by."""
_STATED_NOT_NEEDED: Final = SUPERSEDES


class Reader:
    """Reads the model as of one snapshot. Each row is read once."""

    def __init__(
        self,
        snapshot: Snapshot,
        heirs: Heirs,
    ) -> None:
        """`heirs`: who took whose place, in the same snapshot."""
        self._transaction = snapshot.transaction
        hidden = hidden_in(snapshot.transaction)
        self._hidden = None if hidden is None else hidden.atoms
        self._now = snapshot.at
        self._inherited = heirs.inherited
        self._readable = heirs.readable
        self._cells: dict[bytes, Cells | None] = {}
        self._kept = kept_by(snapshot.transaction, ARCS)
        self._skipped: tuple[Sequence[bytes], dict[bytes, float]] | None = None
        self.fitting: set[bytes] = set()
        """What sessions and trainings needed that were for an objective like the one of `before`."""
        self.near: set[bytes] = set()
        """The same of the few that are a little like it, if none is more."""
        self.is_settled = False
        """Whether somebody trained what an objective like that one needs, or most sessions for one needed the same."""

    # -- what comes next -----------------------------------------------------------------------------------------

    def after(
        self, distinct: Sequence[bytes], domain: bytes, *, whole: bool = False, wanted: Collection[str] | None = None
    ) -> dict[str, Part]:
        """The parts that speak of a session in which these were opened; all, or those `wanted`.

        `distinct`: each once, the newest first. `whole`: of all that it will need, and not just of what comes next;
        that spreads further.
        """
        newest = distinct[:_SKIP]
        makers: dict[str, Callable[[], Part]] = {
            "next": lambda: self._next(distinct[0]) if distinct else {},
            "skip": lambda: self._skip(newest),
            "spread": lambda: self._step(dict(best(self._skip(newest), _SPREAD_WHOLE if whole else _SPREAD))),
            "episodes": lambda: self._episodes(distinct),
            "repeat": lambda: _shares({item: _FADE**place for place, item in enumerate(distinct[1 : 1 + _REPEAT])}),
            "edges": lambda: self._edges(dict(zip(newest, _faded(len(newest)), strict=True))),
            **self._always(domain, cache(lambda: self._known_part(newest))),
        }
        return {name: make() for name, make in makers.items() if wanted is None or name in wanted}

    def before(
        self, domain: bytes, objective: str = "", match: Part | None = None, alike: Mapping[bytes, float] | None = None
    ) -> dict[str, Part]:
        """All parts that speak of a session in which nothing is open yet.

        `alike`: past sessions by the keys of their traces, and how near their objectives are in meaning; None: nobody
        can tell.
        """
        aimed = bool(objective.strip())
        parts = {name: make() for name, make in self._always(domain, lambda: _ANYWHERE if aimed else 1.0).items()}
        if not aimed:
            return parts
        found = match or {}
        goals, taught = self._goals(objective, domain, alike)
        seeds = dict(best({item: goals.get(item, 0) + found.get(item, 0) for item in {**goals, **found}}, _SEEDS))
        seeds = _shares(seeds)
        return parts | {
            "goals": goals,
            "taught": _shares({**self._corrected(found), **taught}),
            "match": found,
            "seeds": self._step(seeds, 1),
            "edges": self._edges(seeds),
        }

    # -- rows ----------------------------------------------------------------------------------------------------

    def cells(self, kind: bytes, source: bytes) -> Cells | None:
        """A row, with those of the atoms whose place its atom took."""
        key = kind + source
        if key not in self._cells:
            own = read_cells(self._transaction, kind, source, self._now, self._kept)
            if kind == ATOM:
                for earlier in self._inherited(source):
                    own = _joined(own, read_cells(self._transaction, kind, earlier, self._now, self._kept))
            self._cells[key] = own
        return self._cells[key]

    def _known(self, kind: bytes, domain: bytes) -> bytes:
        """The domain, if there is anything of it; else all of them together."""
        return domain if domain != HOLE and self.cells(kind, domain) is not None else HOLE

    def _next(self, source: bytes) -> Part:
        row = self.cells(ATOM, source)
        if row is None:
            return {}
        return Scaled(row.tally.by_target(0), row.sums[0] + 1 / row.scale)

    def _skip(self, distinct: Sequence[bytes]) -> dict[bytes, float]:
        if self._skipped is not None and self._skipped[0] == distinct:
            return self._skipped[1]
        skip: defaultdict[bytes, float] = defaultdict(float)
        for item, fade in zip(distinct, _faded(len(distinct)), strict=True):
            row = self.cells(ATOM, item)
            if row is not None:
                share = fade / (row.sums[1] + 1 / row.scale)
                for target, count in row.tally.by_target(1).items():
                    skip[target] += share * count
        self._skipped = distinct, skip
        return skip

    def _step(self, items: Mapping[bytes, float], unknown: int = 0) -> dict[bytes, float]:
        """One step along arcs from weighed atoms. `unknown`: events that a row is counted to have had besides."""
        reached: defaultdict[bytes, float] = defaultdict(float)
        for item, weight in items.items():
            row = self.cells(ATOM, item)
            if row is not None and row.sums[1]:
                share = weight / (row.sums[1] + unknown / row.scale)
                for target, count in row.tally.by_target(1).items():
                    reached[target] += share * count
        return reached

    def _always(self, domain: bytes, elsewhere: Callable[[], float]) -> dict[str, Callable[[], Part]]:
        """The parts that speak of every session of a domain; if nothing is known of it, of all, by so much less.

        `elsewhere`: how much that is. It takes reads, and of a domain that is known nobody asks.
        """
        return {
            "start": lambda: self._start(domain, elsewhere),
            "usage": lambda: self._usage(domain, 0, elsewhere),
            "recent": lambda: self._usage(domain, 1, elsewhere),
        }

    def _known_part(self, opened: Sequence[bytes]) -> float:
        """Of what was opened, the part that past sessions have met."""
        return sum(self.cells(ATOM, item) is not None for item in opened) / len(opened) if opened else 1.0

    def _start(self, domain: bytes, elsewhere: Callable[[], float]) -> Part:
        of = self._known(START, domain)
        row, heard = self.cells(START, of), self._heard(of, elsewhere)
        return Wide(row.tally, 1, (row.sums[1] + 1 / row.scale) / heard) if row is not None and heard else {}

    def _usage(self, domain: bytes, clock: Literal[0, 1], elsewhere: Callable[[], float]) -> Part:
        of = self._known(USAGE, domain)
        row, heard = self.cells(USAGE, of), self._heard(of, elsewhere)
        return Wide(row.tally, clock, max(row.sums[clock], 1) / heard) if row is not None and heard else {}

    def _heard(self, domain: bytes, elsewhere: Callable[[], float]) -> float:
        """How far a domain's counts are believed: of a few uses next to nothing; of all domains, as far as said."""
        row = self.cells(USAGE, domain)
        if row is None:
            return 0.0
        uses = (row.sums[0] * row.scale / _USES) ** 2
        return uses / (uses + 1) * (elsewhere() if domain == HOLE else 1.0)

    # -- episodes ------------------------------------------------------------------------------------------------

    def _episodes(self, distinct: Sequence[bytes]) -> Part:
        """What the sessions needed that are most like this one, without what is open."""
        newest = distinct[:_LIKE]
        with_earlier = [(item, place) for place, own in enumerate(newest) for item in (own, *self._inherited(own))]
        lists = episodes_with(self._transaction, [item for item, _ in with_earlier])
        count = episode_count(self._transaction)
        like: dict[int, float] = {}
        for (_, place), numbers in zip(with_earlier, lists, strict=True):
            if numbers:
                weight = (len(newest) - place) / len(newest) * log(1 + count / len(numbers))
                for number in numbers[-_SESSIONS_OF:]:
                    like[number] = like[number] + weight if number in like else weight
        earlier = [item for item, _ in with_earlier] if len(with_earlier) > len(newest) else []
        votes = self._votes(like, _NEIGHBOURS, (*distinct, *earlier), weighed=True)
        return Scaled(votes, sum(votes.values())) if votes else {}

    def _goals(self, objective: str, domain: bytes, alike: Mapping[bytes, float] | None) -> tuple[Part, Part]:
        """What the sessions needed whose objectives are like this one; and what trainings of full weight did."""
        terms = objective_terms(objective)
        of = domain if episode_count(self._transaction, domain) else HOLE
        count = episode_count(self._transaction, of)
        shared: dict[int, float] = {}
        whole = 0.0
        for numbers in episodes_for(self._transaction, terms, of):
            rare = log(_COMMON + count / max(1, len(numbers)))
            whole += max(rare, 0.0)
            for number in numbers:
                shared[number] = shared.get(number, 0.0) + rare
        # Long objectives have more words in common by chance. Their lengths are in the rows, so first the likeliest.
        likely = self._likeliest(shared, 4 * _GOALS)
        near = {} if alike is None else self._near(alike, of)
        likely += set(self._likeliest(near, _NEAR)).difference(likely)
        likely, past = self._seen(likely)
        like: dict[int, float] = {}
        for number, episode in zip(likely, past, strict=True):
            same = whole * sqrt((3 + episode.terms) / (3 + len(terms)))  # what the very same words would share
            words = min(1.0, max(0.0, shared.get(number, 0.0)) / same) if same else 0.0
            like[number] = words if alike is None else (words + near.get(number, 0.0)) / 2
        # The same in other words shares no word: what is near enough in meaning alone fits too.
        fits = {number for number in likely if max(like[number], near.get(number, 0.0)) >= _FITS}
        fitting = {number: episode for number, episode in zip(likely, past, strict=True) if number in fits}
        # What is hidden, locked or deleted says nothing of what an objective is about.
        standing = [episode for episode in fitting.values() if any(map(self._readable, episode.items))]
        self.fitting = {item for episode in standing for item in episode.items}
        self.is_settled = self._are_settled(standing)
        if not standing and alike is not None:
            few = highest({number: max(like[number], near.get(number, 0.0)) for number in likely}, _FEW)
            little = {number for fit, number in few if fit >= _LITTLE}
            chosen = (episode.items for number, episode in zip(likely, past, strict=True) if number in little)
            self.near = {item for items in chosen for item in items}
        taught = {number: like[number] for number, episode in fitting.items() if episode.weight >= _FULL}
        goals = _shares(self._votes(like, _GOALS, (), weighed=False))
        known = sum(fit**2 for fit, _ in highest(like, _GOALS))
        # Of a domain with many sessions each says something; of whatever domain just those that are like this one.
        unknown = 1.0 if of == HOLE else 1 / (1 + (count / _SESSIONS) ** 2)
        return _scaled(goals, known / (known + unknown)), _shares(self._votes(taught, _GOALS, (), weighed=False))

    def _likeliest(self, shared: Mapping[int, float], count: int) -> list[int]:
        """So many episodes that share most, as if those of hidden atoms were not there; and as many trainings.

        Of hundreds with one objective, those that were used last would else leave out what a person trained for it.
        """
        if len(shared) <= count:
            return list(shared)
        if self._hidden is not None:
            shared = {number: shared[number] for number in self._seen(list(shared))[0]}
        trained = {number: shared[number] for number in trainings_in(self._transaction) if number in shared}
        return list(dict.fromkeys(number for some in (shared, trained) for _, number in highest(some, count)))

    def _are_settled(self, episodes: Sequence[Needed]) -> bool:
        """Whether one of these was trained, or most of several needed one atom: each `continue` is about another."""
        if any(episode.is_training for episode in episodes):
            return True
        often = Counter(item for episode in episodes for item in set(episode.items)).items()
        several = len(episodes) > 1
        return several and any(2 * times > len(episodes) and self._readable(item) for item, times in often)

    def _corrected(self, match: Part) -> Part:
        """Of what matches the objective well, what a training of full weight had, whatever that one was for."""
        top = best(match, _SEEDS)
        well = {item: share for item, share in top if share >= _WELL * top[0][1]}
        lists = episodes_with(self._transaction, list(well))
        numbers = sorted({number for several in lists for number in several[-_SEEDS:]})
        full = {n for n, one in zip(*self._seen(numbers), strict=True) if one.weight >= _FULL}
        return {item: well[item] for item, several in zip(well, lists, strict=True) if not full.isdisjoint(several)}

    def _near(self, alike: Mapping[bytes, float], domain: bytes) -> dict[int, float]:
        """Past sessions of the domain whose objectives are near in meaning, by their numbers."""
        known = zip(numbers_of(self._transaction, list(alike)), alike.values(), strict=True)
        near = {number: fit for number, fit in known if number is not None}
        return near if domain == HOLE else {at: near[at] for at in of_domain(self._transaction, list(near), domain)}

    def _votes(
        self, like: Mapping[int, float], most: int, gone: Sequence[bytes], *, weighed: bool
    ) -> dict[bytes, float]:
        """What the likeliest episodes needed. `weighed`: a short one says more of each of its atoms, a trained one too.

        Who has the same objective says enough by that: there, weight would only push others aside.
        """
        chosen, past = self._seen(_in_order(like, most))
        likenesses = map(like.__getitem__, chosen)
        votes: dict[bytes, float] = {}
        so_far = votes.get
        for likeness, (_, _, items, each, _) in zip(likenesses, past, strict=True):
            vote = likeness * likeness * each if weighed else likeness * likeness
            for item in items:
                votes[item] = so_far(item, 0.0) + vote
        for item in gone:
            votes.pop(item, None)
        return votes

    def _seen(self, numbers: Sequence[int]) -> tuple[list[int], list[Needed]]:
        """What these episodes needed, as if hidden atoms were not there; one that needed nothing besides is left out.

        Else a training for this objective, of which nothing can be shown, would say that it is settled.
        """
        past = needed_in(self._transaction, numbers)
        if self._hidden is None:
            return list(numbers), past
        seen = [(number, one.without(self._hidden)) for number, one in zip(numbers, past, strict=True)]
        return [number for number, one in seen if one is not None], [one for _, one in seen if one is not None]

    # -- edges ---------------------------------------------------------------------------------------------------

    def _edges(self, items: Mapping[bytes, float]) -> Part:
        """What stated edges join to weighed atoms: one event each, and one more that is left to others."""
        reached: dict[bytes, float] = {}
        for (item, weight), card in zip(items.items(), cards_of(self._transaction, list(items)), strict=True):
            if not card.live:
                continue
            ends = [
                link.target if out else link.source
                for out in (True, False)
                for link in islice(links_of(self._transaction, item, out=out), _EDGES)
                if not (out and link.type == _STATED_NOT_NEEDED)
            ]
            for end in ends:
                reached[end] = reached.get(end, 0.0) + weight / (len(ends) + 1)
        return reached


def _in_order(like: Mapping[int, float], most: int) -> list[int]:
    """The likeliest episodes; of equal ones the newest first. Added up in one order, equal votes stay equal."""
    if len(like) > most:  # to sort numbers alone is fast, and leaves few to be put in order
        least = sorted(like.values(), reverse=True)[most - 1]
        chosen = [number for number, likeness in like.items() if likeness >= least]
    else:
        chosen = list(like)
    chosen.sort(reverse=True)
    chosen.sort(key=like.__getitem__, reverse=True)
    return chosen[:most]


def _faded(count: int) -> list[float]:
    total = sum(_FADE**place for place in range(count))
    return [_FADE**place / total for place in range(count)]


def _shares(votes: Mapping[bytes, float]) -> dict[bytes, float]:
    total = sum(votes.values())
    return {item: vote / total for item, vote in votes.items()} if total > 0 else {}


def _scaled(part: Part, factor: float) -> dict[bytes, float]:
    return {item: share * factor for item, share in part.items()}


def _joined(one: Cells | None, two: Cells | None) -> Cells | None:
    """Two rows as one, in the scale of the one that counts in larger units: so that no number grows beyond bounds."""
    if one is None or two is None:
        return one or two
    large, small = (one, two) if one.scale >= two.scale else (two, one)
    ratio = small.scale / large.scale
    cells = {cell[0]: cell for cell in large.cells}
    for target, first, second in small.cells:
        _, mine, ours = cells.get(target, (target, 0, 0))
        cells[target] = target, mine + int(first * ratio), ours + int(second * ratio)
    return Cells(Tally(list(cells.values())), large.scale)
