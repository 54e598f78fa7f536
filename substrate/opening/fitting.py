"""The whole reply inside its budget: how an atom is shown, and what is given up first if all is too much. Pure.

The reply is measured as it is sent, envelope and all. What is packed was added up before, so there is little to give
up; but it is the measure that holds, not the sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from substrate.opening.tokens import TokenCounter, cut
from substrate.openings import LEFT_OUT, LeftOut, Opening, OpeningAtom
from substrate.results import Result, compact

__all__ = ["LEAST_TOKENS", "Form", "brief", "cost_of", "fit", "form_of", "room_in"]

LEAST_TOKENS: Final = 50
"""The smallest budget: into this, counter and counts fit, also by bytes; and by tokens a short atom beside them."""
_LEAST_VALUE: Final = 8
"""Tokens of a value: a shorter beginning says nothing."""
_LETTERS: Final = 8
"""More for each token than texts have: what is longer is not counted whole."""
_SECTIONS: Final = ("goals", "constraints", "preferences", "atoms")
_IN_ALL: Final = "in_all"
_MANY: Final = 400


class Form(NamedTuple):
    """An atom as it would be shown, and what it takes."""

    atom: OpeningAtom
    cost: int


def cost_of(item: Result, counter: TokenCounter) -> int:
    """What an item of a list takes: its JSON, and a comma."""
    return counter.count(compact(item)) + 1


def brief(atom: OpeningAtom) -> OpeningAtom:
    """Name and value alone; and that it is to be looked at again, if it is."""
    return OpeningAtom(atom.name, atom.value, stale=atom.stale)


def form_of(atom: OpeningAtom, room: int, longest: int, counter: TokenCounter) -> Form | None:
    """The fullest form that takes at most `room`: whole; with `longest` tokens of its value; name and value; or None.

    What is cut says so.
    """
    if len(atom.value) <= _LETTERS * longest and (cost := cost_of(atom, counter)) <= longest <= room:
        return Form(atom, cost)  # as most are: counted once
    shown = _shortened(atom, longest, counter)
    cost = cost_of(shown, counter)
    if cost <= room:
        return Form(shown, cost)
    shown = _shortened(brief(atom), room, counter)
    cost = cost_of(shown, counter)
    if cost > room:
        around = cost_of(replace(shown, value="", shortened=len(atom.value)), counter)
        if room - around < _LEAST_VALUE:
            return None
        shown = _shortened(brief(atom), room - around, counter)
        cost = cost_of(shown, counter)
    return Form(shown, cost) if cost <= room and shown.value else None


def _shortened(atom: OpeningAtom, most: int, counter: TokenCounter) -> OpeningAtom:
    value = cut(atom.value, most, counter)
    return atom if value == atom.value else replace(atom, value=value, shortened=len(atom.value))


def room_in(envelope: Opening, counter: TokenCounter) -> int:
    """What is left for items, beside an envelope that says why how many were left out; or, if little is, the least."""
    max_tokens = envelope.max_tokens
    reasons = dict.fromkeys(LEFT_OUT, _MANY)
    full = replace(envelope, left_out=LeftOut(reasons), tokens=max_tokens)
    headings = counter.count("".join(f'"{section}":[],' for section in (*_SECTIONS, "conflicting_facts", "absent")))
    room = max_tokens - counter.count(compact(full)) - headings
    if 2 * room >= max_tokens:
        return room
    least = Opening(envelope.counter, max_tokens, max_tokens)
    return max_tokens - counter.count(compact(least)) - counter.count('"preferences":[],')


def fit(draft: Opening, weakest: Sequence[str], counter: TokenCounter) -> Opening:
    """The draft, or what is left of it when so much is given up that its JSON is within `max_tokens`.

    `weakest`: the names of all atoms in it, in the order in which to give them up.
    """
    for smaller in _ever_smaller(draft, weakest):
        fitted = _counted(smaller, counter)
        if fitted is not None:
            return fitted
    return replace(Opening(draft.counter, draft.max_tokens, draft.max_tokens), tokens=draft.max_tokens)


def _counted(opening: Opening, counter: TokenCounter) -> Opening | None:
    """The opening with its own count in it; None if that is too much."""
    most = opening.max_tokens
    around = counter.count(compact(replace(opening, tokens=most))) - counter.count(str(most))
    tokens = around
    while (needed := around + counter.count(str(tokens))) > tokens:
        tokens = needed
    return replace(opening, tokens=tokens) if tokens <= most else None


def _ever_smaller(opening: Opening, weakest: Sequence[str]) -> Iterator[Opening]:
    """The opening, and without one thing more each time: what can be missed first, one atom last."""
    yield opening
    while opening.left_out.best:
        fewer = dict(list(opening.left_out.best.items())[:-1])
        opening = replace(opening, left_out=replace(opening.left_out, best=fewer))
        yield opening
    opening = replace(opening, objective=None)
    yield opening
    opening = replace(opening, domain=None)
    yield opening
    *others, best = weakest or ("",)
    for name in others:
        opening = _without(opening, name)
        yield opening
    while opening.absent:
        opening = replace(opening, absent=opening.absent[:-1])
        yield opening
    while opening.conflicting_facts:
        opening = replace(opening, conflicting_facts=opening.conflicting_facts[:-1])
        yield opening
    counts = opening.left_out.reasons.values()
    for left_out in (LeftOut({_IN_ALL: sum(counts)} if counts else {}), LeftOut()):
        opening = replace(opening, left_out=left_out)
        yield opening
    opening = replace(opening, seq=None)
    yield opening
    yield _without(opening, best)


def _without(opening: Opening, name: str) -> Opening:
    """The opening without an atom and what is said of it. Where there is a count of what had no room, it counts."""

    def others(atoms: tuple[OpeningAtom, ...]) -> tuple[OpeningAtom, ...]:
        return tuple(atom for atom in atoms if atom.name != name)

    left = opening.left_out
    if left.reasons:
        left = replace(left, reasons={**left.reasons, "no_room": left.reasons.get("no_room", 0) + 1})
    shown = {atom.name for atom in opening} - {name}
    return replace(
        opening,
        goals=others(opening.goals),
        constraints=others(opening.constraints),
        preferences=others(opening.preferences),
        atoms=others(opening.atoms),
        conflicting_facts=tuple(
            clash for clash in opening.conflicting_facts if clash.first in shown or clash.second in shown
        ),
        absent=tuple(absent for absent in opening.absent if absent.needed_by != name),
        left_out=left,
    )
