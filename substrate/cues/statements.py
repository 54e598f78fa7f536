"""The plain form of a sentence: whether it states how things are or shall be, or tells what somebody sees just now.

Statements need no word of a rule: `2 px strokes, round caps`, `ssh comes in over the vpn`. So a sentence is weighed by
its form too: whose verb it has, whether it has numbers, names, negations or reasons in it. What each form adds was
fitted to labelled sentences (tests/cues), by a logistic regression, and rounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from substrate.cues.phrases import pattern as _re
from substrate.cues.talk import TASKS

__all__ = ["FORMS", "Form", "forms_of"]


class Form(NamedTuple):
    """What a form adds, what it is called, and which sentences have it."""

    weight: float
    called: str
    has: Callable[[str], object]


_SEES: Final = _re(
    r"\b(?:fail\w*|crash\w*|breaks?|broken?|hang\w*|flicker\w*|jump\w*|lag(?:s|ging)?|leak\w*|overlap(?:s|ping)|"
    r"complain\w*|wrong|weird|ugly|slow|empty|missing|odd|stuck|flaky|bugs?|errors?|problems?|issues?|typos?|looks?|seems?|"
    r"sounds?|feels?|loose|cut off|takes? (?:ages|forever|long)|too(?= \w)|still|again|already|died|red|green|passed|"
    r"worse|better|gorgeous|lovely|huge|tiny|mess|amazing|awesome|boring|annoying|pity|nice|great|good|fine|perfect|cool|thanks?|sorry|lol|haha|interesting|funny|wow|hm+|ugh|stops?|resets?)\b"
)
_PRONOUN: Final = _re(
    r"(?:it|this|that|these|those|there|he|she|they|you|which|what|here|i|i'm|i've|i'd|it's|that's)\b"
)
_ASKS: Final = _re(
    r"(?:what|who|why|when|where|which|how|is|are|do|does|did|can|could|would|should|shall|will|was|were|has|have)\b"
    r"(?!.*,)"
)
_FINITE: Final = _re(
    r"\b(?:is|are|stays?|remains?|means?|counts?|goes|go|comes?|runs?|gets?|has|have|needs?|belongs?|lives?|happens?|"
    r"follows?|uses?|carry|carries|sees?|works?|ends?|starts?|begins?|expires?|arrives?|approves?|wins?|caps?|costs?|"
    r"takes?|holds?|owns?|pays?|does|do|can|may|must|should|shall|will|won't|isn't|aren't|don't|doesn't|can't|cannot|"
    r"knows?|thinks?|reports?|ships?|reads?|writes?)\b|'(?:s|re|ll)\b"
)
_PASSIVE: Final = _re(
    r"\b(?:is|are|gets?|be)\s+(?:not |never |always |only |all )?(?:\w+ed|taken|kept|done|sent|written|held|thrown|"
    r"left|cut|built|made|given|frozen|drawn|known|put|set|read|paid|sold|off(?= \w)|on(?= \w))\b"
)
_PAST: Final = _re(r"\b(?:was|were|did|had|got|tried|went|said|wrote|asked|found|lost|\w{3,}ed)\b")
_NUMBER: Final = _re(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|zero|dozen)\b")
_NEGATION: Final = _re(r"\b(?:not|no|never|nothing|none|nobody|without|neither|nor|zero)\b|n't\b")
_REASON: Final = _re(
    r"[,;]\s*(?:so|because|since|that's|it's|the|we|i'm|they|he|she|as|like)\b"
    r"|\bso (?:we|no|the|don't|it|all|that)\b|\b(?:be)?cause\b|\botherwise\b"
)
_NO_SUBJECT: Final = (
    r"(?!(?:it|this|that|these|those|there|he|she|they|you|which|what|here|i|we|if|when)\b|i'|it's|that's)"
)
_DOES: Final = _re(
    _NO_SUBJECT,
    r"(?:(?:the|an?|our|all|each|every) )?[\w-]+(?: [\w-]+){0,3} (?!is\b|was\b|has\b|does\b|always\b|this\b)"
    r"[a-z]+[^s\W]s (?!(?:is|are|was|were|or|and|do|don't|have|of|left|can|must|should|will|too|out)\b)\w",
)
"""A subject of a few words, then a verb: `the buffer holds 64 frames`."""
_IS: Final = _re(
    _NO_SUBJECT,
    r"\S+(?: \S+){0,3} (?:is|are) (?:the|an?|our|\d+|one|two|three|four|five|six|ten|in|at|for|off|on|valid|not|to)\b",
)
_BARE: Final = _re(
    _NO_SUBJECT, r"(?!one\b|all\b|everything\b|nothing\b)[a-z-]+ is (?:an?|the|our|in|on|off|at|for|\w+ed)\b"
)
"""`batch is a covariate`: what is seen just now has an article, as in `the plot is a mess`."""
_MAY: Final = _re(_NO_SUBJECT, r".*\b(?:can|may) (?!be\b|i\b|we\b|you\b)")
_PREPOSITION: Final = _re(r"\b(?:in|at|on|with|for|per|plus|from|by|to|of|throughout|everywhere)\b")
_EXTENT: Final = _re(
    r"\b(?:all|every|each|any|only|both|always|per|throughout|everywhere|whole|except|unless|until|before|after|first|"
    r"beyond|above|below|over|under|between|at most|at least|instead|plus)\b"
)
_NAME: Final = re.compile(r"\S\s+\W?[A-Z]\w")
_REQUEST_LAST: Final = _re(r"[,;] (?:so |and |please )*(\w+)\b")
_COMMAND: Final = _re(
    r"(?!(?:in|on|at|of|for|from|with|without|by|to|as|per|after|before|when|while|since|until|like|than|both|all|half|not|"
    r"only|just|also|even|such|what|over|under|between|through|inside|within|during|except|plus|about|and|or|but|so|no|we|"
    r"never|always)\b)[a-z]{2,} (?:me|it|them|us|him|her|this|these|those|the|an?|my|our|your|their)\b"
)
"""`remind me`, `polish the intro`: a word with its object is a verb, and with nobody before it a request."""
_POINTS: Final = _re(r"\b(?:it|this|that|them)[.!]*$")
_SOME_WORDS: Final = 4


def _is_request(bare: str) -> bool:
    return bare.lower().split(maxsplit=1)[0].strip(".,:;!") in TASKS if bare else False


def _is_said(bare: str) -> bool:
    """Whether something other than a pronoun does or is something."""
    return not _is_request(bare) and not _PRONOUN.match(bare) and _FINITE.search(bare) is not None


def _is_verbless(bare: str) -> bool:
    return not (_is_request(bare) or _COMMAND.match(bare) or _FINITE.search(bare) or _PAST.search(bare))


def _asks_last(bare: str) -> bool:
    match = _REQUEST_LAST.search(bare)
    return match is not None and match[1].lower() in TASKS


FORMS: Final = (
    Form(0.9, "(what something is or does)", _is_said),
    Form(1.2, "(what is done with something)", lambda bare: not _PRONOUN.match(bare) and _PASSIVE.search(bare)),
    Form(0.8, "(what something does)", lambda bare: not _is_request(bare) and _DOES.match(bare)),
    Form(0.5, "(what something is)", lambda bare: not _is_request(bare) and _IS.match(bare)),
    Form(0.7, "(what is so, without an article)", lambda bare: not _is_request(bare) and _BARE.match(bare)),
    Form(0.5, "(what may be done)", _MAY.match),
    Form(0.85, "(no verb)", _is_verbless),
    Form(0.4, "(no verb, a number)", lambda bare: _NUMBER.search(bare) and _is_verbless(bare)),
    Form(0.3, "(no verb, where or with what)", lambda bare: _PREPOSITION.search(bare) and _is_verbless(bare)),
    Form(0.5, "(a number in what is said)", lambda bare: _NUMBER.search(bare) and _is_said(bare)),
    Form(0.25, "(a number)", _NUMBER.search),
    Form(0.4, "(a negation)", _NEGATION.search),
    Form(0.3, "(how far it holds)", _EXTENT.search),
    Form(1.05, "(a name)", _NAME.search),
    Form(0.9, "(a reason)", _REASON.search),
    Form(1.3, "(a comma)", lambda bare: "," in bare),
    Form(-1.6, "(seen just now)", _SEES.search),
    Form(-0.3, "(asks)", _ASKS.match),
    Form(-1.2, "(few words)", lambda bare: len(bare.split()) < _SOME_WORDS),
    Form(-1.25, "(asks for something at its end)", _asks_last),
    Form(-0.5, "(ends with it)", _POINTS.search),
)


def forms_of(bare: str) -> Iterator[Form]:
    """The forms that a sentence has."""
    return (form for form in FORMS if form.has(bare))
