"""A third opinion on a sentence: how it is put as a whole, by the first layers of the small language model.

Rules know words and forms that somebody thought of. Each author has others. So the vector of a sentence
(`embed/early.py`) is weighed too: 384 numbers, fitted by a logistic regression to labelled sentences
(`python -m benchmarks.fit_wording`), give log-odds that are added to those of the rules. Nobody can read them; what
they add to one sentence, `substrate transcript FILE --dry-run` shows as a rule. Without the model, rules decide alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from substrate.embed.early import EarlyLayers

__all__ = ["WEIGHTS", "Weights", "read_weights", "wording_odds"]

WEIGHTS: Final = Path(__file__).with_name("wording.json")
_DOUBT: Final = 0.3
"""What is taken from it: then as many statements are found as by rules alone, by authors that it was not fitted to."""
_MOST: Final = 2.0
"""What it adds or takes at most: it decides where the rules are in doubt, and seldom against clear words."""


class Weights(NamedTuple):
    """What each part of a vector counts, and what is added."""

    bias: float
    parts: tuple[float, ...]
    inputs: str
    """Digest of the labelled sentences that they were fitted to."""


@cache
def read_weights() -> Weights:
    """The weights that come with us."""
    said = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return Weights(said["bias"], tuple(said["weights"]), said["inputs"])


def wording_odds(sentences: Sequence[str]) -> list[float] | None:
    """What the wording of each as a whole adds to the log-odds that it is to be kept; None without the model."""
    layers = _layers() if sentences else None
    if layers is None:
        return None
    weights = read_weights()
    try:
        vectors = layers.vectors(sentences)
    except (OSError, ValueError, IndexError):  # files of another model under the same name
        return None
    return [max(-_MOST, min(float(one) + weights.bias - _DOUBT, _MOST)) for one in vectors @ weights.parts]


@cache
def _layers() -> EarlyLayers | None:
    from substrate.embed.early import load_early_layers  # noqa: PLC0415 - numpy and the tokenizer take a moment

    return load_early_layers()
