"""What a message asks of memory: to keep something, to recall something, or neither; by its wording alone.

Each kind of cue counts once, and adds to the log-odds. A statement that should be kept (`cues/decisions.py`) speaks for
keeping it as an explicit request does; doubt and plain questions speak against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Final, NamedTuple

from substrate.cues.decisions import decisions
from substrate.cues.facts import own_facts
from substrate.cues.phrases import Phrases
from substrate.cues.recall import read_recall
from substrate.cues.types import type_cue

__all__ = ["Signals", "is_marked", "read_signals"]

_PHRASES: Final = Phrases(
    {
        "keep": (
            "remember this/that",
            "^remember/remember :",
            "please remember",
            "don't/do not forget",
            "save/store/record this/that/it",
            "keep/bear in mind",
            "remember for next/later/the",
            "jot/write down that",
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
    "statement": 3.0,
    "fact": 3.0,
    "critical": 3.0,
    "importance": 2.0,
    "exclusion": -5.0,
    "doubt": -3.0,
}
_BIAS: Final = -2.0
_LEAST: Final = -1.0
"""The log-odds from which a statement counts: a message to memory is a tale less often than a turn of a session is."""
_RECALL: Final = log(9)
"""So that a clear request to recall has 0.9, and a message without one 0.1."""
_MAYBE: Final = log(3)
"""The same for a question that only seems to be about what was said: 0.75."""


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
    for cue in _PHRASES.find(message):
        if cue.phrase not in found.get(cue.kind, ()):
            found[cue.kind] = (*found.get(cue.kind, ()), cue.phrase)
    recall = read_recall(message)
    stated = list(decisions(message, least=_LEAST))
    if stated:
        found["statement"] = tuple(dict.fromkeys(rule for one in stated for rule in one.rules))
    if told := own_facts(message):
        found["fact"] = told
    if recall is not None:
        found["recall"] = recall.phrases
    counted = _counted(found, is_question=message.rstrip().endswith("?"))
    kind = None
    if {"keep", "statement", "fact"} & counted:
        clear = next((one.type for one in stated if one.is_clear), "fact") if stated else None
        kind = type_cue(message) or ("fact" if told else clear)
    return Signals(
        _logistic(_BIAS + sum(_WEIGHTS[one] for one in counted)),
        _logistic(-_RECALL if recall is None else _RECALL if recall.is_clear else _MAYBE),
        "" if recall is None else recall.query,
        kind,
        found,
    )


def is_marked(message: str) -> bool:
    """Whether a word of the message says that it matters: a hundredth of the work of `read_signals`."""
    return any(cue.kind in ("critical", "importance") for cue in _PHRASES.find(message))


def _counted(found: Mapping[str, object], *, is_question: bool) -> set[str]:
    """The kinds of cues that count for or against keeping, of those that were found."""
    counted = {kind for kind in found if kind in _WEIGHTS}
    if "critical" in counted:
        counted.discard("importance")
    if "statement" in counted:
        counted.discard("fact")  # it says the same
    if "recall" in found:
        return {"exclusion", *(counted & {"keep"})}
    if {"keep", "statement", "fact"} & counted and not is_question:
        counted.discard("exclusion")  # "What matters: never push to main" is no question; one is marked as such
    return counted


def _logistic(total: float) -> float:
    return 1 / (1 + exp(-total))
