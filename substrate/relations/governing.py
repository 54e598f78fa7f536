"""Verbs that stand before another verb, and what they make of it: `failed to acquire`, `keeps using`.

What stands behind such a verb is not said to be so, unless the verb carries it out. Each has its meaning:

    carries it out   manage, begin, continue: what follows is so
    denies it        fail, refuse, stop: what follows is not so, or not any more
    leaves it open   plan, want, try, and all others before `to`: nobody knows
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from substrate.relations.phrases import forms_of, is_gerund, word_set

__all__ = ["CARRIES", "DENIES", "OPEN", "Governed", "governed"]

CARRIES: Final = "carries"
DENIES: Final = "denies"
OPEN: Final = "open"
_MEANS: Final = {
    verb: meaning
    for meaning, verbs in {
        CARRIES: "manage begin start continue keep come proceed resume happen remember",
        DENIES: "fail refuse decline stop cease quit avoid neglect omit forget deny resist abandon unable "
        "discontinue unwilling reluctant",
        OPEN: "plan want wish hope intend try attempt consider contemplate discuss propose suggest recommend promise "
        "agree threaten offer expect aim seek decide prefer delay postpone risk mention imagine about close",
    }.items()
    for verb in verbs.split()
}
_BEFORE_INFINITIVE: Final = word_set("be been have")
"""What may stand between `to` and a verb: `to be acquired`."""
_MODALS: Final = word_set("can must need needs")
"""Those that leave open what follows, beside the words of doubt."""


class Governed(NamedTuple):
    """What stands before the verbs that govern another one, and what they make of it together."""

    between: tuple[str, ...]
    meaning: str


def governed(between: Sequence[str], verb: str, light: frozenset[str], be: frozenset[str]) -> Governed | None:
    """What the words between a name and a verb make of the verb. None: it is not said of that name (`A using B`).

    `light`: words that change nothing here; `be`: the forms of *be*.
    """
    rest, means = list(between), list[str]()
    has_gerund = is_gerund(verb)
    while True:
        _drop(rest, light)
        if "to" in rest[-3:-1] and rest[-1] in _BEFORE_INFINITIVE:
            rest.pop()
            continue
        is_infinitive = bool(rest) and rest[-1] == "to"
        if is_infinitive:
            rest.pop()
        elif not has_gerund or (rest and rest[-1] in be):
            break
        _drop(rest, light)
        if not rest or rest[-1] in be:  # `is to acquire`, `A to acquire B`
            if not is_infinitive:
                return None
            means.append(OPEN)
            break
        governor = rest.pop()
        meaning = next((_MEANS[form] for form in forms_of(governor) if form in _MEANS), None)
        if meaning is None and not is_infinitive:
            return None
        means.append(meaning or OPEN)
        has_gerund = is_gerund(governor)
    if not _MODALS.isdisjoint(between):
        means.append(OPEN)
    return Governed(tuple(rest), _together(means))


def _drop(words: list[str], light: frozenset[str]) -> None:
    while words and (words[-1] in light or words[-1].endswith("ly")):
        words.pop()


def _together(means: Sequence[str]) -> str:
    denied = means.count(DENIES)
    if OPEN in means or denied > 1:
        return OPEN
    return DENIES if denied else CARRIES
