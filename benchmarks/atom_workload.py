"""The atoms, versions and edges that every contender stores: the same for all, made from their number alone.

Every even number is an atom given as text, `key = value`; every odd one an object with tags, source and confidence.
Of each 50 numbers one has three versions and one has four edges; of each 100 one is tombstoned.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from benchmarks.workload import name_of, value_of

__all__ = [
    "VERSIONS",
    "EdgeGiven",
    "Given",
    "as_fact",
    "as_object",
    "as_text",
    "changed",
    "edges_between",
    "edges_of",
    "given",
    "linked",
    "plain",
    "some",
    "tombstoned",
]

VERSIONS = 3
"""How many versions a changed atom has."""
_GROUP = 50
_CHANGED, _LINKED, _TOMBSTONED = 7, 11, 99
_TYPES = ("depends_on", "references", "member_of", "constrains")
_VERSION_STEP = 1_000_003
_SERVICES = ("billing", "search", "checkout", "ledger", "mailer", "export", "import", "gateway")
_TAGS = ("billing", "ledger", "payments", "review", "urgent", "archive", "question")

Given: TypeAlias = "str | dict[str, object]"
"""What our store is given for one atom."""
EdgeGiven: TypeAlias = "dict[str, object]"


def changed(number: int) -> bool:
    """Whether this atom has three versions."""
    return number % _GROUP == _CHANGED


def linked(number: int) -> bool:
    """Whether this atom has four edges: two from it, two to it."""
    return number % _GROUP == _LINKED


def tombstoned(number: int) -> bool:
    """Whether this atom is out of use."""
    return number % (2 * _GROUP) == _TOMBSTONED


def plain(number: int) -> bool:
    """Whether this atom has one version and is in use, without edges of its own."""
    return not (changed(number) or linked(number) or tombstoned(number))


def _value(number: int, version: int) -> str:
    return value_of(number + version * _VERSION_STEP).strip()


def as_text(number: int, version: int = 0) -> str:
    """The atom as `key = value`."""
    return f"{name_of(number)} = {_value(number, version)}"


def as_fact(number: int) -> str:
    """A short value: the name says what it is of. All differ, as those of a sound store do."""
    return f"v1.fact.{_SERVICES[number % 8]}_{number}.timeout = {number % 90 + 1} s"


def as_object(number: int, version: int = 0) -> dict[str, object]:
    """The atom as a mapping, with what one says of most facts."""
    return {
        "name": name_of(number),
        "value": _value(number, version),
        "tags": [_TAGS[number % 7], _TAGS[number // 7 % 6]],
        "source": f"notes/meeting_{number % 1009}.md",
        "confidence": (number % 89 + 10) / 100,
    }


def given(number: int, version: int = 0) -> Given:
    """The atom in the form that its number has."""
    return as_object(number, version) if number % 2 else as_text(number, version)


def edges_of(number: int) -> list[EdgeGiven]:
    """The four edges of a linked atom, with the four atoms that come next."""
    here = name_of(number)
    ends = [(here, name_of(number + i)) if i < 3 else (name_of(number + i), here) for i in range(1, 5)]
    return [
        {"source": source, "type": kind, "target": target, "confidence": 0.75}
        for (source, target), kind in zip(ends, _TYPES, strict=True)
    ]


def edges_between(numbers: Iterable[int], size: int) -> list[EdgeGiven]:
    """One edge for each number, each another one, between the first `size` atoms."""
    return [
        {
            "source": name_of(number % size),
            "type": "follows",
            "target": name_of((number * 31 + 17 + number // size) % size),
            "confidence": 0.5,
        }
        for number in numbers
    ]


def some(count: int, size: int, wanted: Callable[[int], bool], first: int = 0) -> Iterator[int]:
    """Numbers from `first` to below `size` that are `wanted`, spread over all of them, so many."""
    draw = random.Random(size)
    while count:
        number = draw.randrange(first, size)
        if wanted(number):
            count -= 1
            yield number
