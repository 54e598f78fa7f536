"""What a text is in a conversation: who speaks, whether it says anything, and whether it asks for something for good.

1. *The label*: `user: ...`, `Assistant: ...`, `Caroline: ...` at the beginning, or after a time in brackets.
2. *A filler* has nothing to say: all of its words are those of thanks, greetings and assent. A name may follow them.
3. *A question* is nothing but questions: what is sought may follow it, and does not stand in it.
4. *A standing instruction* is recognised by its form: a sentence that begins with an imperative, and has always, never,
   from now on, or the occasion (whenever I ask about ...). What somebody always does is none, nor what somebody said.

English; of other languages labels alone are read. Pure, and quick: every text that is saved comes by.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache
from typing import Final, NamedTuple

__all__ = ["Role", "Spoken", "guess_role", "instructs", "is_filler", "is_question", "read_label", "role_of"]


class Role(IntEnum):
    """Who speaks to whom, where that is known."""

    UNKNOWN = 0
    USER = 1
    ASSISTANT = 2
    OTHER = 3
    """Somebody with a name, who may be either."""


class Spoken(NamedTuple):
    """Who a text says that it is from (empty: it does not say), and what is left of it."""

    speaker: str
    text: str


_ROLES: Final = {
    **dict.fromkeys(("user", "human", "me"), Role.USER),
    **dict.fromkeys(
        ("assistant", "ai", "agent", "bot", "chatbot", "chatgpt", "gpt", "claude", "gemini", "copilot", "model", "llm"),
        Role.ASSISTANT,
    ),
}
_WHO: Final = "|".join((*_ROLES, "ai assistant", "system"))
_LABEL: Final = re.compile(
    r"\s*(?:[\[(][^\])\n]{1,40}[\])]\s*)?[*_\[(]{0,3}"
    rf"((?i:{_WHO})|[^\W\d_a-z][\w.'-]{{0,24}}(?:[ _][^\W\d_a-z][\w.'-]{{0,24}}|[ _]\d{{1,3}}){{0,2}})"
    r"[*_\])]{0,3}\s?:[*_]{0,2}\s+(?=\S)"
)
"""Before a colon: a role, or up to three words with capitals."""
_FIRST: Final = 64
"""Characters in which a colon must come."""


def read_label(text: str) -> Spoken:
    """Who speaks, as the text itself says it."""
    if ":" in text[:_FIRST] and (found := _LABEL.match(text)) is not None:
        return Spoken(found[1], text[found.end() :])
    return Spoken("", text)


def role_of(speaker: str) -> Role:
    """The role that somebody who is called so has."""
    return _ROLES.get(speaker.lower().removeprefix("ai ") if speaker != "ai" else speaker, Role.OTHER)


_OWN: Final = re.compile(r"\b(?:I|I'm|I've|I'd|my|My|mine|myself|our|Our)\b")
_YOURS: Final = re.compile(r"\b(?:you|your|yours|yourself|you're|you've|you'd)\b", re.IGNORECASE)


def guess_role(text: str) -> Role:
    """Who of the two seems to speak, where nothing says it: one tells of oneself, the other speaks to `you`."""
    text = text[:_LONG]
    if "?" in text:  # to ask, both say `you`
        text = " ".join(sentence for sentence in _SENTENCE.split(text) if not sentence.endswith("?"))
    own, yours = len(_OWN.findall(text)), len(_YOURS.findall(text))
    return Role.UNKNOWN if own == yours else Role.USER if own > yours else Role.ASSISTANT


# -- fillers and questions ---------------------------------------------------------------------------------------------

_SAY_NOTHING: Final = """
okay ok k kk yes yeah yep yup ya no nope nah sure thanks thank thx ty you u great cool nice awesome perfect excellent
wonderful amazing good fine alright right wow oh ah aha hmm hm mm mhm mmhmm uh um huh haha ha lol hey hi hello bye
goodbye see seeya later soon welcome very much so a lot that s that's thats is it it's its sounds got get gotcha will do
let me know if need anything else happy glad help helps helped to here please of course absolutely definitely exactly
indeed agreed problem worries fantastic love i i'm i'll we understand understood talk take care have day night evening
weekend morning appreciate the your and too are you're was just all well then now sorry again any anytime time my
pleasure makes sense idea interesting really totally true same for be back there this hope with more questions question
feel free ask don't hesitate reach out go ahead on continue could can not can't wait looking forward sweet brilliant
super neat noted done who whoa yay aw aww ooh cheers best wishes luck keep up work
"""
_BEFORE_A_NAME: Final = "thanks thank you hey hi hello bye wow great cool sure yeah yes okay ok"
_EMPTY: Final = frozenset(_SAY_NOTHING.split())
_NAMED_AFTER: Final = frozenset(_BEFORE_A_NAME.split())
"""Behind these a word with a capital is who it is said to."""
_MOST: Final = 14
_LONGEST: Final = 100
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


def is_filler(text: str) -> bool:
    """Whether a text (without its label) has nothing to say."""
    if len(text) > _LONGEST:
        return False
    words = _WORD.findall(text)
    if len(words) > _MOST:
        return False
    before = ""
    for word in words:
        plain = word.lower().replace("\u2019", "'")
        if plain not in _EMPTY and not (word[0].isupper() and before in _NAMED_AFTER):
            return False
        before = plain
    return True


_SENTENCE: Final = re.compile(r"(?<=[.!?;\n])\s+|\n+")


def is_question(text: str) -> bool:
    """Whether a text (without its label) is nothing but questions."""
    if not text.rstrip().endswith("?") or len(text) > _LONG:
        return False
    return all(sentence.rstrip().endswith("?") or is_filler(sentence) for sentence in _SENTENCE.split(text))


# -- standing instructions ---------------------------------------------------------------------------------------------

_LONG: Final = 2000
"""Characters in which an instruction is looked for: in more, it is no more than said beside."""
_HINT: Final = re.compile(
    r"\b(?:always|never|ever|whenever|every time|each time|any ?time|when (?:i|we|you)|if i ask|from now on|"
    r"going forward|from (?:here|today|this point) on|in (?:the )?future|henceforth|by default|otherwise|prefer|"
    r"(?:i want|i expect|i(?:'d| would) like) (?:all|your)|(?:your|all) (?:of your )?(?:answers|replies|responses))",
    re.IGNORECASE,
)
_TELL: Final = (
    "answer|reply|respond|explain|format|write|cite|quote|address|speak|talk|translate|summari[sz]e|phrase|mention|suggest|"
    "recommend|refer|describe|present|structure|spell|call"
)
"""What one who answers is told to do, and nobody else."""
_DO: Final = (
    rf"{_TELL}|give|use|include|show|provide|add|list|name|make|tell|say|remind|assume|avoid|put|return|convert|express|"
    "highlight|consider|check|confirm|offer|break|round|order|sort|state|specify|note|link|share|compare|double-check|"
    "verify|be|stick|limit|stop|skip|omit|remember|treat|follow|ensure|sign|wrap|begin|start|end|organi[sz]e|number|"
    "generate|produce|create|propose|reference|prioriti[sz]e|focus|point|warn|expand|define|apply|keep|ask|do|split|"
    "attach|indicate|supply|detail|outline|label|tag|render|print|output|report|abbreviate|repeat|correct"
)
_OPEN: Final = (
    r"(?:(?:and|also|oh|so|but|hey|hi|ok|okay|one more thing|btw|by the way|remember|important|note)\b[,:!-]?\s+)*"
    r"(?:please[,]?\s+|kindly\s+|just\s+|make sure (?:to|you|that you)\s+|remember to\s+|be sure to\s+|"
    r"(?:i(?:'d| would) like|i want|i need|i expect|i ask) you to\s+|(?:can|could|will|would) you\s+(?:please\s+)?|"
    r"you (?:should|must|are to|need to)\s+|try to\s+)*"
)
"""What may stand before the verb."""
_SINCE: Final = (
    r"(?:from (?:now|here|today|this point) on(?:wards?)?|going forward|in (?:the )?future|henceforth|by default|"
    r"(?:un(?:less|til) i (?:say|tell you|ask you) otherwise))"
)
_WHEN: Final = (
    r"(?:(?:when(?:ever)?|every time|each time|any ?time|if)\s+(?:i|we)(?:'m| am)?\s+(?:ever\s+)?"
    r"(?:ask|asking|inquire|request|mention|bring up|talk|speak|discuss)|"
    r"(?:whenever|every time|each time|any ?time)\s+(?:i|we)\s+(?:want|need|say|write|share|send|describe)|"
    r"when(?:ever)?\s+you(?:'re| are)?\s+(?:answer|reply|respond|explain|suggest|recommend)\w*)\b"
)
"""The occasion."""
_NOT: Final = r"(?:do not|don't|don\u2019t|never|avoid)"
_ANSWERS: Final = r"(?:answers|replies|responses|explanations)"
_FORMS: Final = (
    rf"^{_OPEN}(?:always|never|(?:do not|don't|don\u2019t) ever)\s+(?:{_DO})\b",
    rf"^{_OPEN}{_SINCE}\s*,?\s+{_OPEN}(?:always\s+|{_NOT}\s+)?(?:{_DO})\b",
    rf"^{_OPEN}(?:{_NOT}\s+)?(?:{_DO})\b.*\b{_SINCE}\s*[.!]*$",
    rf"^{_OPEN}{_WHEN}[^.?!]*[,:]\s*{_OPEN}(?:always\s+|{_NOT}\s+)?(?:{_DO})\b",
    rf"^{_OPEN}(?:{_NOT}\s+|always\s+)?(?:{_DO})\b[^.?!]*\b{_WHEN}",
    rf"^(?:i (?:would |always )?(?:prefer|want|like|expect)|i'd (?:prefer|like))\s+(?:\w+\s+){{0,3}}{_ANSWERS}\b",
    rf"^(?:please\s+)?(?:all (?:of )?)?your {_ANSWERS} (?:should|must|need to|have to)\b",
)
"""Of a sentence without its label. The last two need no occasion: they are about answers as such."""
_STRICT: Final = re.compile(rf"\b(?:{_TELL}|i|me|my|you|your|{_SINCE})\b", re.IGNORECASE)
_IDIOM: Final = re.compile(r"\bnever (?:give up|stop|say never|be afraid|do that|be able)\b", re.IGNORECASE)
_PAST: Final = re.compile(r"\b(?:when|if|every time)\s+(?:i|we)\s+\w+ed\b", re.IGNORECASE)


def instructs(text: str, *, strictly: bool) -> bool:
    """Whether a text (without its label) tells the one who answers what to do from now on.

    `strictly`: it is not known who speaks, so that advice must be told apart: to answer, or to you and me.
    """
    text = text[:_LONG]
    if _HINT.search(text) is None:
        return False
    return any(_is_standing(sentence, strictly=strictly) for sentence in _SENTENCE.split(text))


def _is_standing(sentence: str, *, strictly: bool) -> bool:
    sentence = sentence.strip()
    if (
        not sentence
        or sentence.endswith("?")
        or _HINT.search(sentence) is None
        or _PAST.search(sentence)
        or _IDIOM.search(sentence)
    ):
        return False
    if strictly and not _STRICT.search(sentence):
        return False
    return any(form.match(sentence) for form in _forms())


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    """Compiled when the first text has a hint of an instruction: few do, and it takes 40 ms, a fifth of an opening."""
    return tuple(re.compile(form, re.IGNORECASE) for form in _FORMS)
