"""Sentences of one form: the same words at the beginning and at the end, and a span between them that differs. Pure.

`Ada ordered green tea at the bar` and `Ada ordered a flat white at the bar` state the same kind of thing. How well such
sentences fit a question is a matter of their form; the words in the span draw single ones towards it by chance.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

__all__ = ["forms_of"]

_WORD: Final = re.compile(r"\w+")
_SHARED: Final = 0.5
"""Which part of the words of the longer one two sentences of a form share, at least."""
_WORDS: Final = 30
"""Words of a sentence, at most. Longer texts say more than one thing."""

_SHORT: Final = 4
_ENDS: Final = (
    (slice(2), _WORDS),
    (slice(-2, None), _WORDS),
    (slice(1), _SHORT),
    (slice(-1, None), _SHORT),
)
"""Two of one form share a quarter of their words at one end: two words; of at most four, one. Only those are compared
that do so: which words are looked at, and of how many words a sentence is at most."""


def forms_of(texts: Sequence[str]) -> list[int]:
    """Of each text the place of another of its form, the same one for all of them; its own if there is none."""
    words = [_WORD.findall(text[: 12 * _WORDS].lower()) for text in texts]
    form = list(range(len(texts)))
    for end, longest in _ENDS:
        met: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at, said in enumerate(words):
            if not 1 < len(said) <= longest:
                continue
            others = met[*said[end]]
            for other in others:
                if form[at] != form[other] and _are_alike(said, words[other]):
                    old, new = max(form[at], form[other]), min(form[at], form[other])
                    form = [new if one == old else one for one in form]
            others.append(at)
    return form


def _are_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether what they share at the beginning and at the end is enough."""
    longest, shortest = max(len(one), len(other)), min(len(one), len(other))
    if shortest < _SHARED * longest:
        return False
    begun = 0
    while begun < shortest and one[begun] == other[begun]:
        begun += 1
    ended = 0
    while ended < shortest - begun and one[-1 - ended] == other[-1 - ended]:
        ended += 1
    return begun + ended >= _SHARED * longest
