"""The records that every contender stores: the same names and values for all, made from their number alone."""

from __future__ import annotations

import random
from collections.abc import Iterable

from substrate.codec import Draft, draft_put

__all__ = ["BATCH", "FILL", "drafts", "name_of", "some_numbers", "value_of"]

BATCH = 1_000
"""Entries in a measured append."""
FILL = 10_000
"""Entries in an append that fills a store; the largest one allowed."""

_TYPES = ("fact", "decision", "task", "person", "event")
_SENTENCE = "the provider of payments is asked again when an amount in cents does not fit its ledger for that day"
_SHORTEST, _LONGEST = 20, 220
_TEXT = " ".join(random.Random(7).choices(_SENTENCE.split(), k=20_000))


def name_of(number: int) -> str:
    """Some 30 characters, each number another name."""
    return f"v1.{_TYPES[number % len(_TYPES)]}.project_{number % 97}_topic_{number}"


def value_of(number: int) -> str:
    """20 to 220 characters of text, 120 in the mean."""
    mixed = number * 2_654_435_761 & 0xFFFFFFFF
    start = mixed % (len(_TEXT) - _LONGEST)
    return _TEXT[start : start + _SHORTEST + mixed // 977 % (_LONGEST - _SHORTEST + 1)]


def drafts(numbers: Iterable[int]) -> list[Draft]:
    """What our store is given."""
    return [draft_put(name_of(number), value_of(number)) for number in numbers]


def some_numbers(count: int, size: int) -> list[int]:
    """Numbers of records to ask for, spread over all of a store of `size` records."""
    return random.Random(size).choices(range(size), k=count)
