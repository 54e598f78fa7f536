"""What an atom claims, in a form that can be compared with what others claim. Pure: no store, no model, no network.

    lexicon.py    the words that matter: which are one word, which are opposites, which say nothing
    amounts.py    numbers with units, dates and times of day, as they are written
    words.py      the words of a name and of a sentence
    sentences.py  what a sentence is about, and the thing that it says of it
    doubts.py     words that leave a sentence open, and nouns that look like them
    changes.py    sentences that tell a change, as what holds since; times of the week
    read.py       from a name and a value to a claim
    silent.py     which atoms claim nothing
    compare.py    whether two claims contradict each other, and under which keys they would meet
    fault.py      what a fault of our own in all this comes to: a line in the log, and no claim

Precision comes first: what is not understood claims nothing, and so contradicts nothing. Names are loaded when they are
first used: the lexicon needs the stemmer, and whoever only reads a store does not.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from substrate.claims.compare import Contradiction, contradiction, is_about, keys_of
    from substrate.claims.read import Claim, pack_claim, read_claim, unpack_claim

__all__ = [
    "Claim",
    "Contradiction",
    "contradiction",
    "drop_cached",
    "is_about",
    "keys_of",
    "pack_claim",
    "read_claim",
    "unpack_claim",
]

_COMPARING = ("Contradiction", "contradiction", "is_about", "keys_of")


def drop_cached() -> None:
    """Let go of what was read and compared so far. Where nothing was, nothing is loaded for it."""
    if "substrate.claims.read" in sys.modules:
        import_module("substrate.claims.compare").drop_cached()


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module("substrate.claims.compare" if name in _COMPARING else "substrate.claims.read")
    value: object = getattr(module, name)
    globals()[name] = value
    return value
