"""The whole reply inside its budget: how an atom is shown, and what is given up first if all is too much. Pure.

The reply is measured as it is sent, envelope and all. What is packed was added up before, so there is little to give
up; but it is the measure that holds, not the sum. As compact JSON, a reply takes what its items take and what is
around them, exactly: there it is the sum that is the measure, and no reply is written out to be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from substrate.embed.tokens import TokenCounter, adds_up, cut
from substrate.errors import InputError
from substrate.messages import Arg
from substrate.result import Result, compact, compact_json
from substrate.values.opening import Absent, ConflictingFacts, LeftOut, Opening, OpeningAtom

__all__ = ["LEAST_TOKENS", "Form", "Measure", "Shown", "brief", "cost_of", "fit", "form_of", "is_countable", "room_in"]

LEAST_TOKENS: Final = 50
"""The smallest budget: into this, counter and counts fit, also by bytes; and by tokens a short atom beside them."""
_LEAST_VALUE: Final = 8
"""Tokens of a value: a shorter beginning says nothing."""
_LETTERS: Final = 8
"""More for each token than texts have: what is longer is not counted whole."""
_SECTIONS: Final = ("goals", "constraints", "preferences", "atoms")
_IN_ALL: Final = "in_all"
_MANY: Final = 400
_LIKELY: Final = ("no_room", "rule_no_room", "less_needed")
"""Why most are left out. If there are other reasons too, something less is shown."""
_PROBE: Final = 20
"""Characters by which a text is made longer, to see how often it is shown."""
_FEW: Final = 10
"""Atoms from which on JSON is longer than text, by what is around each; with fewer, words may be longer than codes."""
_KEPT: Final = 100
_HEADINGS: Final[dict[Hashable, int]] = {}
"""What headings take. As below, it is read once: threads share both, and any of them may empty them."""
_TIMES: Final[dict[Hashable, tuple[int, int]]] = {}
"""How often a form of reply shows a value, and the number of tokens. The same for all replies of a form: kept."""
_LONG: Final = 400
"""Characters from which on a text is counted in parts: a reply that is made smaller has most of them as before."""
_BETWEEN: Final = ("\n", "},{")
"""What stands between the items of a reply: of one in lines, else of one in JSON. No piece of a text reaches across."""
_UNKNOWN: Final[Mapping[str, int]] = MappingProxyType({})


Shown: TypeAlias = Callable[[Result], str | tuple[str, ...]]
"""How an opening, and each item of it, is sent: as one text, or as several of which each reader sees one."""


def _forms(shown: str | tuple[str, ...]) -> tuple[str, ...]:
    return (shown,) if isinstance(shown, str) else shown


class Form(NamedTuple):
    """An atom as it would be shown, and what it takes."""

    atom: OpeningAtom
    cost: int


@dataclass(frozen=True, slots=True)
class Measure:
    """What a reply and its items take, as they are shown: as compact JSON, or as the caller says that he sends them."""

    counter: TokenCounter
    shown: Shown = compact
    copies: int = 1
    """How often a value is in an atom that is shown."""
    counts: int = 1
    """How often the number of tokens is in a reply that is shown."""
    known: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
    """What was counted of the parts of long texts."""

    @classmethod
    def of(cls, counter: TokenCounter, shown: Shown) -> Measure:
        """The measure of a form of reply. Forms that are equal show everything alike."""
        if shown is compact:
            return cls(counter)
        times = _TIMES.get((shown, counter.name))
        if times is None:
            if len(_TIMES) >= _KEPT:
                _TIMES.clear()
            times = _TIMES[shown, counter.name] = cls._times(counter, shown)
        return cls(counter, shown, *times)

    @staticmethod
    def _times(counter: TokenCounter, shown: Shown) -> tuple[int, int]:
        """What is shown twice is seen by how much longer a longer text makes it."""

        def more(short: Result, long: Result) -> int:
            grown = (len(two) - len(one) for one, two in zip(_forms(shown(short)), _forms(shown(long)), strict=True))
            return max(1, max(grown) // _PROBE)

        name, digits = "v1.fact.a", 10 ** (_PROBE + 1)
        copies = more(OpeningAtom(name, "x"), OpeningAtom(name, "x" * (_PROBE + 1)))
        counts = more(Opening(counter.name, 10, 10), Opening(counter.name, digits, 10))
        return copies, counts

    def count(self, item: Result) -> int:
        """How many tokens it takes: in the largest of the forms in which it is sent."""
        return max(map(self._tokens, _forms(self.shown(item))))

    def _tokens(self, text: str) -> int:
        """As the counter says, which adds up a long text by its parts."""
        count, known = self.counter.count, self.known
        if len(text) < _LONG or not adds_up(self.counter):
            return count(text)
        between = next((sign for sign in _BETWEEN if sign in text), "")
        if not between:
            return count(text)
        parts = text.split(between)
        total = (len(parts) - 1) * count(between)
        for part in parts:
            tokens = known.get(part)
            if tokens is None:
                if part.strip() != part or not part:  # white space that would be counted with what is between
                    return count(text)
                tokens = known[part] = count(part)
            total += tokens
        return total

    @property
    def adds_up(self) -> bool:
        """Whether a reply takes what its items take and what is around them: one text, by a counter that adds up."""
        return self.shown is compact and adds_up(self.counter)

    def whole(self, opening: Opening, costs: Mapping[str, int] = _UNKNOWN) -> int:
        """How many tokens a reply takes. `costs`: what `cost_of` says of atoms in it, by name, where that is known."""
        if not costs or not self.adds_up:
            return self.count(opening)
        total = self.counter.count(compact_json(opening.outline()))
        for atoms in (opening.goals, opening.constraints, opening.preferences, opening.atoms):
            total += sum(costs[atom.name] if atom.name in costs else cost_of(atom, self) for atom in atoms)
            total -= bool(atoms)  # there is no comma behind the last one
        for items in (opening.conflicting_facts, opening.absent):
            total += sum(cost_of(item, self) for item in items) - bool(items)
        return total


def cost_of(item: Result, measure: Measure) -> int:
    """What an item of a list takes: itself, and a comma."""
    return measure.count(item) + 1


def brief(atom: OpeningAtom) -> OpeningAtom:
    """Shown with name, value, of whom it speaks and why; whether to look at it again, or confirm it."""
    return replace(atom, brief=True)


def form_of(atom: OpeningAtom, room: int, longest: int, measure: Measure) -> Form | None:
    """The fullest form that takes at most `room`: whole; with `longest` tokens of its value; name and value; or None.

    What is cut says so.
    """
    if is_countable(atom.value, longest) and (cost := cost_of(atom, measure)) <= longest <= room:
        return Form(atom, cost)  # as most are: counted once
    shown = _shortened(atom, longest, measure)
    cost = cost_of(shown, measure)
    if cost <= room:
        return Form(shown, cost)
    shown = _shortened(brief(atom), room, measure)
    cost = cost_of(shown, measure)
    if cost > room:
        around = cost_of(replace(shown, value="", shortened=len(atom.value)), measure)
        if room - around < _LEAST_VALUE * measure.copies:
            return None
        shown = _shortened(brief(atom), room - around, measure)
        cost = cost_of(shown, measure)
    return Form(shown, cost) if cost <= room and shown.value else None


def is_countable(value: str, longest: int) -> bool:
    """Whether a value may take at most so many tokens. What is longer is not counted whole."""
    return len(value) <= _LETTERS * longest


def _shortened(atom: OpeningAtom, most: int, measure: Measure) -> OpeningAtom:
    """The atom with so much of its value that this takes at most so many tokens, wherever it is shown."""
    value = cut(atom.value, most // measure.copies, measure.counter)
    return atom if value == atom.value else replace(atom, value=value, shortened=len(atom.value))


def room_in(envelope: Opening, measure: Measure) -> int:
    """What is left for items, beside an envelope that says why how many were left out; or, if little is, the least.

    InputError if not even that is within the budget, in the form in which it is shown.
    """
    max_tokens = envelope.max_tokens
    reasons = dict.fromkeys(_LIKELY, _MANY)
    full = replace(envelope, left_out=LeftOut(reasons, brief=True), tokens=max_tokens)
    room = max_tokens - measure.count(full) - _headings(max_tokens, measure, *_SECTIONS, "conflicting_facts", "absent")
    if 2 * room >= max_tokens:
        return room
    least = Opening(envelope.counter, max_tokens, max_tokens, cut=True)
    room = max_tokens - measure.count(least)
    if room < 0:
        raise InputError(
            Arg("max_tokens"), f" must be at least {max_tokens - room}: the shortest reply in this form takes that much"
        )
    return room - _headings(max_tokens, measure, "preferences")


def _headings(max_tokens: int, measure: Measure, *sections: str) -> int:
    """What the headings of these sections take, beside what stands under them. The same for all such replies: kept."""
    key = (measure.counter.name, measure.shown, max_tokens, sections)
    tokens = _HEADINGS.get(key)
    if tokens is None:
        if len(_HEADINGS) >= _KEPT:
            _HEADINGS.clear()
        tokens = _headings_of(Opening(measure.counter.name, max_tokens, max_tokens), measure, *sections)
        _HEADINGS[key] = tokens
    return tokens


def _headings_of(opening: Opening, measure: Measure, *sections: str) -> int:
    name = "v1.fact.a"
    items: dict[str, Result] = dict.fromkeys(_SECTIONS, OpeningAtom(name, "x"))
    items |= {"conflicting_facts": ConflictingFacts(name, name, "x", "x"), "absent": Absent(name, "x")}
    held = replace(opening, **{section: (items[section],) for section in sections})  # type: ignore[arg-type]
    return measure.count(held) - measure.count(opening) - sum(measure.count(items[section]) for section in sections)


def fit(draft: Opening, weakest: Sequence[str], measure: Measure, costs: Mapping[str, int] = _UNKNOWN) -> Opening:
    """The draft, or what is left of it when so much is given up that it is within `max_tokens`, as it is shown.

    `weakest`: the names of all atoms in it, in the order in which to give them up, each made shorter first. `costs`:
    see `Measure.whole`.
    """
    known = dict(costs)
    for smaller in _ever_smaller(draft, weakest, measure, known):
        fitted = _counted(smaller, measure, known)
        if fitted is not None:
            return fitted
    return Opening(draft.counter, draft.max_tokens, draft.max_tokens, cut=True)


def _counted(opening: Opening, measure: Measure, costs: Mapping[str, int]) -> Opening | None:
    """The opening with its own count in it; None if that is too much."""
    most, count = opening.max_tokens, measure.counter.count
    around = measure.whole(replace(opening, tokens=most), costs) - measure.counts * count(str(most))
    tokens = around
    while (needed := around + measure.counts * count(str(tokens))) > tokens:
        tokens = needed
    if measure.shown is not compact:  # which may show the number in whatever way: so it is looked at
        while tokens <= most and (needed := measure.count(replace(opening, tokens=tokens))) > tokens:
            tokens = needed
    counted = replace(opening, tokens=tokens)
    if tokens > most or (measure.shown is compact and len(counted) < _FEW and count(counted.text()) > most):
        return None
    return counted


def _ever_smaller(
    opening: Opening, weakest: Sequence[str], measure: Measure, costs: dict[str, int]
) -> Iterator[Opening]:
    """The opening, and without one thing more each time: what can be missed first, one atom last.

    `costs`: what atoms take. Of one that was made shorter, it is changed.
    """
    yield opening
    while opening.left_out.best:
        fewer = dict(list(opening.left_out.best.items())[:-1])
        opening = replace(opening, left_out=replace(opening.left_out, best=fewer))
        yield opening
    if opening.left_out.reasons:
        opening = replace(opening, left_out=replace(opening.left_out, brief=True))
        yield opening
    opening = replace(opening, objective=None)
    yield opening
    opening = replace(opening, domain=None)
    yield opening
    *others, best = weakest or ("",)
    for name in others:
        yield from _shorter(opening, name, measure, costs)
        opening = _without(opening, name)
        yield opening
    while opening.absent:
        opening = replace(opening, absent=opening.absent[:-1])
        yield opening
    while opening.conflicting_facts:
        opening = replace(opening, conflicting_facts=opening.conflicting_facts[:-1])
        yield opening
    counts = opening.left_out.reasons.values()
    opening = replace(opening, left_out=LeftOut({_IN_ALL: sum(counts)} if counts else {}))
    yield opening
    opening = replace(opening, left_out=LeftOut(), cut=bool(counts))
    yield opening
    opening = replace(opening, seq=None)
    yield opening
    yield from _shorter(opening, best, measure, costs)
    yield replace(_without(opening, best), cut=True)


def _shorter(opening: Opening, name: str, measure: Measure, costs: dict[str, int]) -> Iterator[Opening]:
    """The opening with so much of an atom's value as there is room for; nothing if that says nothing."""
    atom = next((atom for atom in opening if atom.name == name), None)
    if atom is None:
        return
    over = measure.whole(replace(opening, tokens=opening.max_tokens), costs) - opening.max_tokens
    shown = replace(atom, shortened=atom.shortened or len(atom.value))
    room = cost_of(atom, measure) - over - cost_of(replace(shown, value=""), measure)
    if over <= 0 or room < _LEAST_VALUE * measure.copies:
        return
    shown = replace(shown, value=cut(atom.value, room // measure.copies, measure.counter))
    costs[name] = cost_of(shown, measure)
    shown = replace(shown, tokens=costs[name])
    yield _mapped(opening, lambda atoms: tuple(shown if atom.name == name else atom for atom in atoms))


def _mapped(opening: Opening, change: Callable[[tuple[OpeningAtom, ...]], tuple[OpeningAtom, ...]]) -> Opening:
    """The opening with what becomes of its atoms."""
    return replace(
        opening,
        goals=change(opening.goals),
        constraints=change(opening.constraints),
        preferences=change(opening.preferences),
        atoms=change(opening.atoms),
    )


def _without(opening: Opening, name: str) -> Opening:
    """The opening without an atom and what is said of it. Where there is a count of what had no room, it counts."""

    def others(atoms: tuple[OpeningAtom, ...]) -> tuple[OpeningAtom, ...]:
        return tuple(atom for atom in atoms if atom.name != name)

    left = opening.left_out
    if left.reasons:
        left = replace(left, reasons={**left.reasons, "no_room": left.reasons.get("no_room", 0) + 1})
    shown = {atom.name for atom in opening} - {name}
    return replace(
        _mapped(opening, others),
        conflicting_facts=tuple(
            clash for clash in opening.conflicting_facts if clash.first in shown or clash.second in shown
        ),
        absent=tuple(absent for absent in opening.absent if absent.needed_by != name),
        left_out=left,
    )
