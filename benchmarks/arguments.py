"""What is said to a benchmark that is run at several sizes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

__all__ = ["Arguments", "read_arguments"]

_SIZES = [10_000, 100_000, 1_000_000]


class Arguments(NamedTuple):
    """At which sizes to measure, and where to save the results, if anywhere."""

    sizes: list[int]
    json: Path | None


def read_arguments(module: str, about: str | None, what: str, smallest: int = 10_000) -> Arguments:
    """Read the command line; ends the program if it makes no sense. `what` a store of a size holds so many of."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{module}", description=about)
    parser.add_argument("sizes", nargs="*", type=int, help=f"{what} in the store (default: {_SIZES})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    given = parser.parse_args()
    sizes = given.sizes or _SIZES
    if min(sizes) < smallest:
        parser.error(f"a size is at least {smallest}")
    return Arguments(sizes, given.json)
