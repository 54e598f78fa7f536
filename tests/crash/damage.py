"""What can happen to a data file: single bits, lost sectors, pages in each other's place, a lost end.

Two kinds aim at the inner pages of LMDB's trees, which are few and decide whether a row is found by its key.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["damage"]

SECTOR, PAGE = 512, 4096
HEADER, BRANCH = 16, 1


def flip_a_bit(data: bytearray, rng: random.Random) -> str:
    at, bit = rng.randrange(len(data)), rng.randrange(8)
    data[at] ^= 1 << bit
    return f"bit {bit} of byte {at}"


def zero_a_sector(data: bytearray, rng: random.Random) -> str:
    at = rng.randrange(len(data) // SECTOR) * SECTOR
    data[at : at + SECTOR] = bytes(SECTOR)
    return f"sector at {at} zeroed"


def swap_two_pages(data: bytearray, rng: random.Random) -> str:
    one, two = (page * PAGE for page in rng.sample(range(len(data) // PAGE), 2))
    data[one : one + PAGE], data[two : two + PAGE] = data[two : two + PAGE], data[one : one + PAGE]
    return f"pages at {one} and {two} swapped"


def cut_off(data: bytearray, rng: random.Random) -> str:
    size = rng.choice((rng.randrange(len(data)), rng.randrange(len(data) // PAGE) * PAGE))
    del data[size:]
    return f"cut off at {size}"


def flip_a_separator(data: bytearray, rng: random.Random) -> str:
    branch = rng.choice(branches(data))
    at, size = rng.choice(branch.keys)
    at += rng.randrange(size)
    data[at] ^= 1 << rng.randrange(8)
    return f"a separator's byte {at} is now {data[at]}"


def swap_two_siblings(data: bytearray, rng: random.Random) -> str:
    one, two = (page * PAGE for page in rng.sample(rng.choice(branches(data)).children, 2))
    data[one : one + PAGE], data[two : two + PAGE] = data[two : two + PAGE], data[one : one + PAGE]
    return f"sibling pages at {one} and {two} swapped"


@dataclass(frozen=True, slots=True)
class Branch:
    """An inner page of one of LMDB's trees, perhaps one that is not in use any more."""

    keys: list[tuple[int, int]]
    """Where in the file each separator is, and how long it is."""
    children: list[int]
    """The numbers of the pages below."""


def branches(data: bytes | bytearray) -> list[Branch]:
    found = []
    for start in range(2 * PAGE, len(data), PAGE):
        flags, lower, _ = struct.unpack_from("<HHH", data, start + 10)
        if flags != BRANCH:
            continue
        nodes = [start + at for (at,) in struct.iter_unpack("<H", data[start + HEADER : start + lower])]
        sizes = [struct.unpack_from("<H", data, node + 6)[0] for node in nodes]
        # The first node stands for all that is smaller than the second: its key is not used.
        keys = [(node + 8, size) for node, size in zip(nodes[1:], sizes[1:], strict=True)]
        found.append(Branch(keys, [int.from_bytes(data[node : node + 6], "little") for node in nodes]))
    return found


KINDS: dict[Callable[[bytearray, random.Random], str], int] = {
    flip_a_bit: 5,
    zero_a_sector: 3,
    swap_two_pages: 2,
    cut_off: 1,
    flip_a_separator: 3,
    swap_two_siblings: 1,
}
"""Each with its share."""


def damage(data: bytes, rng: random.Random) -> tuple[bytes, str]:
    """The data, damaged in one way, and what was done."""
    damaged = bytearray(data)
    done = rng.choices(list(KINDS), KINDS.values())[0](damaged, rng)
    return bytes(damaged), done
