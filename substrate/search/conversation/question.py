"""Whom a question is about, and what it asks for: by its form. English; other questions are about nobody."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from substrate.text.turns import Role
from substrate.views.turns import speaker_number

__all__ = ["NOBODY", "Addressed", "read_addressed"]

_FIRST_PERSON: Final = re.compile(r"\b(?:I|i|I'm|I've|I'd|my|My|mine|myself|we|We|our|Our)\b")
_THE_USER: Final = re.compile(r"\bthe (?:user|human)\b", re.IGNORECASE)
_SECOND_PERSON: Final = re.compile(
    r"\b(?:did|have|had|were|do) you\b(?! (?:know|remember|think|have))|"
    r"\byou (?:\w+ed|said|told|gave|wrote|made|came up|had|were|showed|sent|taught|found|chose|put)\b|"
    r"\byour (?:\w+ ){0,2}(?:suggestion|recommendation|answer|advice|reply|response|explanation|example|tip|idea)s?\b",
    re.IGNORECASE,
)
_WORK: Final = re.compile(
    r"^\s*(?:(?:please|hey|hi|ok|okay|so|and|now)[,]?\s+)*(?:"
    r"(?:can|could|would|will) you\b(?! (?:remind|recall|remember))|"
    r"how (?:to\b|(?:do|can|could|should|would) (?:i|we|you|one)\b)|"
    r"how [^?]{1,40} (?:should|works?)\b|why (?:is|are|do|does|should|would)\b|"
    r"(?:what|which|where|how)\b[^?]{0,40} (?:should|could|would|can) (?:i|we|you|one)\b|should (?:i|we)\b|"
    r"is it (?:safe|ok|okay|possible|better|worth|true|a good)|any (?:ideas?|tips?|advice|suggestions?)\b|"
    r"(?:write|draft|explain|show|give|suggest|recommend|help|make|create|plan|compare|describe|translate|generate|"
    r"compose|design|outline|propose|prepare|teach|build|implement|fix|solve|calculate|convert|rewrite|provide)\b)",
    re.IGNORECASE,
)
"""Asks for something to be made or explained, rather than for what was said."""
_PRESENT: Final = re.compile(r"\b(?:is|are|am|'s|do|does|have|has|can)\b", re.IGNORECASE)
_PAST: Final = re.compile(
    r"\b(?:why|did|was|were|had|been|used? to|first|ago|last|before|ever|when|since|told|said|mentioned)\b",
    re.IGNORECASE,
)
_DONE: Final = re.compile(r"\b\w\w+ed\b")
"""How things are; how they were, or why; and what was done, where no other verb says that it is so."""
_WHICH_DID: Final = re.compile(r"^\W*(?:which|how (?:many|much))\b([^?]*?)\bdid\b", re.IGNORECASE)
"""Asks for one of a kind, or a number: it holds until it was done again."""
_SPREADS: Final = re.compile(
    r"\b(?:in (?:what|which) (?:order|sequence)|chronolog\w*|(?:order|sequence|timeline) (?:of|in which)|"
    r"summar(?:y|ies|i[sz]e\w*)|overview|recap|list (?:all|every|each|the|out)|(?:what|which) (?:are|were) all|"
    r"all (?:of )?the (?:different|various|things|ways|parts|topics|aspects)|how many (?:different|distinct|separate)|"
    r"(?:the )?(?:different|various) (?:aspects|topics|parts|things|ways|kinds|types)|everything (?:i|we|that|about)|"
    r"walk me through|enumerate|over the course of)\b",
    re.IGNORECASE,
)
_WORDS: Final = re.compile(r"[^\W_]+(?:[.'-][^\W_]+)*")
_POSSESSIVE: Final = re.compile(r"['\u2019]s?$")
_QUESTION: Final = 400
"""Characters; longer texts are no questions."""


@dataclass(frozen=True, slots=True)
class Addressed:
    """Whom a question is about, and what it asks for."""

    role: Role = Role.UNKNOWN
    speakers: frozenset[int] = frozenset()
    """Numbers of all that may be a speaker's name in it."""
    work: bool = False
    """Whether it asks for something to be made or explained."""
    spread: bool = False
    """Whether it asks for an order, a summary or a list."""
    state: bool = False
    """Whether it asks how things are: unless it says otherwise."""


NOBODY: Final = Addressed()


def read_addressed(text: str) -> Addressed:
    """Whom a question is about, by its form."""
    if len(text) > _QUESTION:
        return NOBODY
    role = Role.UNKNOWN
    if _SECOND_PERSON.search(text):
        role = Role.ASSISTANT
    elif _FIRST_PERSON.search(text) or _THE_USER.search(text):
        role = Role.USER
    words = [_POSSESSIVE.sub("", word) for word in _WORDS.findall(text)]
    names = {
        " ".join(words[at : at + count])
        for at, word in enumerate(words)
        if word[0].isupper()
        for count in (1, 2, 3)
        if at + count <= len(words)
    }
    names |= {word for word in words if word in ("user", "assistant")}
    spread = bool(_SPREADS.search(text))
    return Addressed(
        role,
        frozenset(map(speaker_number, names)),
        work=bool(_WORK.search(text)),
        spread=spread,
        state=not spread and _asks_how_things_are(text),
    )


def _asks_how_things_are(text: str) -> bool:
    text = _WHICH_DID.sub(r"\1 do", text)
    return not _PAST.search(text) and bool(_PRESENT.search(text) or not _DONE.search(text))
