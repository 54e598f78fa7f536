"""What a message asks of memory: to keep something, to recall something, or neither; by its wording alone.

Each kind of cue counts once, and adds to the log-odds. A statement that should be kept (`cues/decisions.py`) speaks for
keeping it as an explicit request does; doubt and plain questions speak against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Final, NamedTuple

from substrate.cues.decisions import decisions
from substrate.cues.phrases import Phrases
from substrate.cues.types import type_cue

__all__ = ["Signals", "read_signals"]

_PHRASES: Final = Phrases(
    {
        "keep": (
            "remember this/that",
            "^remember/remember :",
            "please remember",
            "don't/do not forget",
            "save/store/record this/that/it",
            "keep/bear in mind",
            "keep this/that in/for",
            "make/take a note",
            "note that/this/down",
            "^note :",
            "^fyi",
            "for the record",
            "for future reference",
            "write/log/jot this/that/it down",
            "write/jot this/that down",
            "memorize/memorise this/that",
            "add this/that to memory",
        ),
        "critical": (
            "critical",
            "crucial",
            "vital",
            "essential",
            "mandatory",
            "non negotiable",
            "under no circumstances",
        ),
        "importance": (
            "important",
            "importantly",
            "urgent",
            "must",
            "always/never",
            "required",
            "key/main point/thing/constraint/requirement",
            "top priority",
            "above all",
        ),
        "doubt": (
            "maybe/perhaps/possibly/probably/might/unsure/wondering/considering",
            "not sure/certain/decided/yet",
            "i think/guess/suppose",
            "thinking about/of",
            "could/may be",
            "haven't/hasn't decided",
            "some day",
            "at some point",
        ),
        "exclusion": (
            "^what/who/where/why/when/which/how/whose",
            "^what's/who's/where's/how's",
            "tell me about/how/why/what",
            "explain",
            "^can/could/would/will you",
            "^is/are/does/do/did/should/can there/it/this/that/you/we/i/the",
            "how do/to/can/does",
        ),
        "recall": (
            "what did i/we/you say/tell/decide/mention/agree/choose/write/note about/on/for",
            "what did i/we/you say/tell/decide/mention/agree/choose/note",
            "what have i/we said/told/decided/mentioned/noted about/on",
            "what do/did you remember/know/recall about/of",
            "do/did you remember/recall",
            "can/could you recall",
            "have i/we/you mentioned/told/said/talked/discussed about",
            "have i/we/you mentioned/told/said/discussed",
            "did i/we mention/tell/say/discuss/decide",
            "did i tell you about",
            "remind me what/of/about/which/who/when/where/how/why",
            "recall when/what/how/which",
            "what was/were our/my/the decision/choice/plan/agreement/reason about/on/for/behind",
            "what was/were our/my decision/choice/plan/reason",
            "last time we talked/spoke/discussed/worked",
            "as i/we said/mentioned/discussed before/earlier",
            "look up what i/we said",
        ),
        "": (
            "i don't remember",
            "must have been",
            "as always",
            "never mind",
            "remind me to",
            "important files",
        ),
    }
)
_WEIGHTS: Final[Mapping[str, float]] = {
    "keep": 5.0,
    "statement": 4.0,
    "critical": 3.0,
    "importance": 2.0,
    "exclusion": -5.0,
    "doubt": -3.0,
}
_BIAS: Final = -2.0
_RECALL: Final = log(9)
"""So that a clear request to recall has 0.9, and a message without one 0.1."""
_BEFORE_QUERY: Final = frozenset(
    ("about", "on", "of", "for", "that", "what", "which", "my", "our", "the", "a", "an", "we", "i", "you", "said")
)


class Signals(NamedTuple):
    """How sure it is that the message asks to keep or to recall something, and by which phrases of which kind."""

    keep: float
    recall: float
    query: str
    """What is to be recalled; empty if nothing is."""
    type: str | None
    """Which type of atom it would be, if that is clear."""
    phrases: Mapping[str, tuple[str, ...]]


def read_signals(message: str) -> Signals:
    """The cues in a message."""
    found: dict[str, tuple[str, ...]] = {}
    query = ""
    for cue in _PHRASES.find(message):
        if cue.phrase not in found.get(cue.kind, ()):
            found[cue.kind] = (*found.get(cue.kind, ()), cue.phrase)
        if cue.kind == "recall" and not query:
            query = _query(cue.rest_of(message))
    stated = list(decisions(message))
    if stated:
        found["statement"] = tuple(dict.fromkeys(rule for one in stated for rule in one.rules))
    counted = {kind for kind in found if kind in _WEIGHTS}
    if "critical" in counted:
        counted.discard("importance")
    if "recall" in found:
        counted.add("exclusion")
    if "keep" in counted or stated:
        # "What matters: never push to main" is no question; one is marked as such.
        counted = counted if message.rstrip().endswith("?") else counted - {"exclusion"}
    kind = (type_cue(message) or (stated[0].type if stated else None)) if stated or "keep" in counted else None
    return Signals(
        _logistic(_BIAS + sum(_WEIGHTS[one] for one in counted)),
        _logistic(_RECALL if "recall" in found else -_RECALL),
        query,
        kind,
        found,
    )


def _query(rest: str) -> str:
    """What is asked about: without the words that lead to it, and without the question mark."""
    words = rest.split("\n", maxsplit=1)[0].strip(" \t?.!,:").split()
    while len(words) > 1 and words[0].lower() in _BEFORE_QUERY:
        del words[0]
    return " ".join(words)


def _logistic(total: float) -> float:
    return 1 / (1 + exp(-total))
