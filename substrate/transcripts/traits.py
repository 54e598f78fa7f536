"""What a sentence is judged by as a whole: which rules and forms apply to it, how they add up, and its runs of words.

Rules were weighed by people, on the sets at hand. Here each is a trait without a weight. What it counts is fitted to
labelled sentences by many authors (`transcripts/wording.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import log
from typing import Final, NamedTuple

from substrate.cues.clauses import CLAUSES, weigh
from substrate.cues.decisions import Said
from substrate.cues.shapes import objection, objections_of
from substrate.cues.statements import forms_of

__all__ = ["Traits", "traits_of"]

_WORD: Final = re.compile(r"[\w']+|[,:;]")
_DIGITS: Final = re.compile(r"\d+")
_LONGEST_RUN: Final = 3
_MOST_WORDS: Final = 80
"""Words whose runs are looked at: a sentence has fewer."""
_FEW, _MORE = 2, 3
_BEGIN, _END = "<", ">"
_HELD, _HELD_WORDS = 4.0, 6.0
"""How far the sums of rules are followed."""
_BIAS, _FURTHER = -2.1, 0.6
"""As rules add up where they decide alone (`cues/decisions.py`)."""


class Traits(NamedTuple):
    """The traits of a sentence."""

    named: Mapping[str, float]
    """What it has, and how much of it."""
    runs: tuple[str, ...]
    """Its words, pairs and triples of them, each once: small letters, and 0 for each number."""
    bare: str
    """The sentence without words that say nothing of it."""
    at: int
    """Its place in the message, from 0."""


def traits_of(said: Said) -> Traits:
    """The traits of a sentence."""
    sentence, bare, found, at, count = said
    forms = list(forms_of(bare))
    pros = sorted((cue.weight for cue in found if cue.weight > 0), reverse=True)[:_MORE]
    by_rules = sum(cue.weight for cue in found if cue.weight < 0) + sum(form.weight for form in forms)
    by_rules += _BIAS + sum(weight * (_FURTHER if after else 1.0) for after, weight in enumerate(pros))
    against = objection(sentence.judged, bare)
    whole = weigh(bare, by_rules + against, opens=False)
    words = len(bare.split())
    named = {f"{cue.kind}: {cue.called}": 1.0 for cue in found}
    named |= {f"form: {form.called}": 1.0 for form in forms}
    named |= {f"clause: {form.called}": 1.0 for form in CLAUSES if form.has(bare)}
    named |= {f"objection: {called}": 1.0 for called in objections_of(sentence.judged, bare)}
    named |= {
        "rules": whole / 3,
        "rules, held": max(-_HELD, min(whole, _HELD)) / 3,
        "words of rules": max(-_HELD_WORDS, min(by_rules, _HELD_WORDS)) / 3,
        "objections": against / 3,
        "strongest": (pros[0] if pros else 0.0) / 3,
        "length": log(words + 1),
    }
    has = {
        "one word": words <= 1,
        "two words": words == _FEW,
        "three words": words == _MORE,
        "first of several": at == 0 and count > 1,
        "last of several": 0 < at == count - 1,
        "alone": count == 1,
        "in a list of rules": sentence.is_rule,
        "capital": sentence.text[:1].isupper(),
        "full stop": sentence.text.endswith((".", "!")),
    }
    named |= {name: 1.0 for name, holds in has.items() if holds}
    return Traits(named, _runs(bare), bare, at)


def _runs(bare: str) -> tuple[str, ...]:
    found = _WORD.findall(_DIGITS.sub("0", bare.lower()))[:_MOST_WORDS]
    words = [_BEGIN, *found, _END]
    runs = (
        " ".join(words[at : at + size]) for size in range(1, _LONGEST_RUN + 1) for at in range(len(words) - size + 1)
    )
    return tuple(dict.fromkeys(runs))
