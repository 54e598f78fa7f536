"""Sentences that have nothing to do with a bench, to store beside its documents: made-up facts and real prose.

Half are facts of people, places and works that do not exist, in the forms in which such facts are written, some of them
overwritten later; half are sentences of docstrings. The same count, the same sentences (on one installation).
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.texts import sentences

__all__ = ["unrelated"]

_SEED = 19
_SYLLABLES = "ba ko ri ven tul sha dor mi lek no zan fu gar el quo pim ost wex dra hul".split()  # noqa: SIM905
_ENDINGS = ("", "n", "th", "rk", "s", "l", "dt")
_FORMS = (
    "{person} is a citizen of {place}.",
    "{person} was born in the city of {place}.",
    "{person} lives in {place}.",
    "{person} is married to {person}.",
    "{person} works for {place} Industries.",
    "{person} plays the position of {word}.",
    "{person} is famous for {work}.",
    "{person}'s manager is {person}.",
    "{place} is located in the district of {place}.",
    "{place} {word} team is associated with the sport of {word}.",
    "{work} was written by {person}.",
    "{work} was performed by {person}.",
    "The capital of {place} is {place}.",
    "The author of {work} is {person}.",
    "The head coach of {place} {word} club is {person}.",
    "The official language of {place} is {place}ish.",
    "The company that produced {work} is {place} Works.",
    "The school where {person} was educated is {place} College.",
    "The port of the {word} service is {number}.",
    "{place} has a population of {number}.",
)
_OVERWRITTEN = 0.3
"""Which share says something else of what was said before."""


class _Made:
    """Words that do not exist, each field of a form by its name."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def __getitem__(self, field: str) -> str:
        """One of this kind."""
        if field == "number":
            return str(self._rng.randrange(1000, 100_000))
        count = {"person": 2, "work": 3}.get(field, 1)
        words = [self._word() for _ in range(count)]
        return " ".join(words) if field == "word" else " ".join(word.capitalize() for word in words)

    def _word(self) -> str:
        return "".join(self._rng.choices(_SYLLABLES, k=self._rng.randint(2, 3))) + self._rng.choice(_ENDINGS)


def _facts(count: int) -> Sequence[str]:
    rng = random.Random(_SEED)
    made, said = _Made(rng), list[tuple[str, str]]()
    while len(said) < count:
        if said and rng.random() < _OVERWRITTEN:
            begun, end = said[rng.randrange(len(said))]
        else:
            form = rng.choice(_FORMS)
            at = form.rindex("{")
            begun, end = form[:at].format_map(made), form[at:]  # type: ignore[arg-type]
        said.append((begun, end))
    return [begun + end.format_map(made) for begun, end in said]  # type: ignore[arg-type]


def unrelated(count: int) -> list[str]:
    """So many sentences, in no order."""
    prose = sentences(count // 2)
    mixed = [*prose, *_facts(count - len(prose))]
    random.Random(_SEED).shuffle(mixed)
    return mixed
