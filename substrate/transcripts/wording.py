"""Whether a sentence states something to keep: its wording as a whole, judged where there is the small language model.

Rules know words and forms that somebody thought of, and weighed by the sets at hand. Each author has others. So two
logistic regressions, fitted to labelled sentences by many authors (`python -m benchmarks.fit_wording`), judge it:

1. over which rules apply and how they add up (`transcripts/traits.py`), where the sentence stands, what the model had
   asked before it, and the sentence's vector (`embed/early.py`);
2. over its runs of up to three words.

Their log-odds are added. What they say of one sentence, `substrate transcript FILE --dry-run` shows as a rule. Without
the model's files, rules decide alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from substrate.cues.decisions import Decision, decisions
from substrate.transcripts.claude_code import Turn
from substrate.transcripts.traits import Traits, traits_of

if TYPE_CHECKING:
    from substrate.embed.early import EarlyLayers

__all__ = ["WEIGHTS", "Spoken", "Weights", "content_words", "features_of", "read_weights", "spoken_in", "wording_odds"]

WEIGHTS: Final = Path(__file__).with_name("wording.json")
_LIKELY: Final = -4.0
"""The log-odds without its vector from which a sentence has one made: a vector adds 3 at most, but for one in 100."""
_WORD: Final = re.compile(r"[^\W_]+")
_NO_CONTENT: Final = (
    "the a an of to in on at for and or is are it this that i we you with as be not no do yes ok so then have has was "
    "by from but if would should can could will what which how there just now one use"
)
_SAYS_NOTHING: Final = frozenset(_NO_CONTENT.split())
_FEW_WORDS: Final = 4
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")
_OFFERS: Final = re.compile(r"\bor\b|\beither\b|\bwhich\b|,\s*\w+\?", re.IGNORECASE)
_OR: Final = re.compile(r"\bor\b", re.IGNORECASE)
_WHICH: Final = re.compile(r"which|what|how|where|who|when", re.IGNORECASE)
_SHALL: Final = re.compile(r"shall|should|do|does|would|can|want", re.IGNORECASE)


class Spoken(NamedTuple):
    """A sentence with its traits, and where in the session it was said."""

    text: str
    traits: Traits
    answers: str = ""
    """What the model wrote before the turn."""
    earlier: frozenset[str] = frozenset()
    """Words that it wrote before the two turns before."""
    opens: bool = False
    """Whether it is of the first turn."""


class Weights(NamedTuple):
    """What each trait, each run of words and each part of a vector counts, and what is added."""

    bias: float
    named: Mapping[str, float]
    runs: Mapping[str, float]
    parts: tuple[float, ...]
    inputs: str
    """Digest of the labelled sentences that they were fitted to."""


@cache
def read_weights() -> Weights:
    """The weights that come with us."""
    said = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return Weights(said["bias"], said["named"], said["runs"], tuple(said["weights"]), said["inputs"])


def content_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about."""
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in _SAYS_NOTHING)


def spoken_in(turns: Iterable[Turn], kinds: Collection[str]) -> list[list[tuple[Decision, Spoken | None]]]:
    """The sentences of each turn that are no questions. What the person asks to remember is not to be judged: None."""
    written: list[frozenset[str]] = []
    found = []
    for at, turn in enumerate(turns):
        earlier = frozenset().union(*written[-2:])
        written.append(content_words(turn.answers))
        found.append(
            [
                (
                    one,
                    None if one.said is None else Spoken(one.text, traits_of(one.said), turn.answers, earlier, at == 0),
                )
                for one in decisions(turn.text, kinds, for_wording=True)
            ]
        )
    return found


def features_of(spoken: Spoken) -> dict[str, float]:
    """The traits of a sentence, with those of its place in the session."""
    traits = spoken.traits
    asked = spoken.answers.strip()
    last = _SENTENCE_END.split(asked)[-1] if asked.endswith("?") else ""
    words = content_words(traits.bare)
    answered = content_words(asked)
    first, few = traits.at == 0, len(words) <= _FEW_WORDS
    shared = len(words & answered) / len(words) if words else 0.0
    before = len((words & spoken.earlier) - answered) / len(words) if words else 0.0
    either = _OR.search(last) is not None
    which = _WHICH.match(last) is not None
    shall = not either and _SHALL.match(last) is not None
    offers = bool(last) and _OFFERS.search(asked) is not None
    length = len(spoken.text.split())
    found: dict[str, float] = {
        "asked before": bool(last),
        "answers": bool(last) and first,
        "alternatives before": offers,
        "answers alternatives": offers and first,
        "nothing before": not asked,
        "in the first turn": spoken.opens,
        "opens the session": spoken.opens and first,
        "answers in five words": bool(last) and first and length <= _FEW_WORDS + 1,
        "answers in two words": bool(last) and first and length <= 2,  # noqa: PLR2004
        "shared": shared,
        "shared earlier": before,
        "shared, few words": shared * few,
        "shared earlier, few words": before * few,
        "takes up, few words first": shared > 0 and few and first,
        "takes up earlier, few words first": before > 0 and few and first,
        "shared in an answer": shared * (bool(last) and first),
        "takes up one of two": shared > 0 and either and first,
        "to one of two": either and first,
        "to which": which and first,
        "to shall I": shall and first,
        "to one of two, few words": either and first and few,
        "to which, few words": which and first and few,
        "to shall I, few words": shall and first and few,
        "takes up, few words": shared > 0 and few,
        "takes up earlier, few words": before > 0 and few,
        "new, few words": shared == before == 0 and few,
        "no words": not words,
    }
    return {**traits.named, **{name: float(value) for name, value in found.items() if value}}


def wording_odds(sentences: Sequence[Spoken]) -> list[float] | None:
    """The log-odds that each is to be kept; None without the model."""
    layers = _layers() if sentences else None
    if layers is None:
        return None
    weights = read_weights()
    odds = [_without_vector(one, weights) for one in sentences]
    likely = [at for at, one in enumerate(odds) if one >= _LIKELY]
    try:
        vectors = layers.vectors([sentences[at].text for at in likely])
    except (OSError, ValueError, IndexError):  # files of another model under the same name
        return None
    for at, by_vector in zip(likely, vectors @ weights.parts if likely else (), strict=True):
        odds[at] += float(by_vector)
    return odds


def _without_vector(spoken: Spoken, weights: Weights) -> float:
    by_traits = sum(weights.named.get(name, 0.0) * value for name, value in features_of(spoken).items())
    return weights.bias + by_traits + sum(weights.runs.get(run, 0.0) for run in spoken.traits.runs)


@cache
def _layers() -> EarlyLayers | None:
    from substrate.embed.early import load_early_layers  # noqa: PLC0415 - numpy and the tokenizer take a moment

    return load_early_layers()
