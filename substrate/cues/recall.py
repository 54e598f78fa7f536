"""Whether a message asks for something that was said before, and for what.

Some phrases say so by themselves: *what did I say about*, *remind me of*. Others do in a question, or where something
is to be shown or looked for: *my*, *did we*, *I told you*, *last time*. What is asked of the world, and not of memory,
has none of these: *what is the capital of Mongolia?*
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from substrate.cues.phrases import Cue, Phrases

__all__ = ["Recall", "read_recall"]

_TELL: Final = "mention/tell/say/give/discuss/note/write/settle/decide/agree/ask/save/talk/speak/show/send/choose/pick"
_TOLD: Final = "mentioned/told/said/given/discussed/noted/written/settled/decided/agreed/saved/talked/spoken/shown/sent"
_CLEAR: Final = Phrases(
    {
        "recall": (
            "what did i/we/you say/tell/decide/mention/agree/choose/write/note/suggest about/on/for/regarding",
            "what did i/we/you say/tell/decide/mention/agree/choose/note/suggest/recommend",
            "what have i/we/you said/told/decided/mentioned/noted/agreed about/on",
            "what have i/we/you said/told/decided/mentioned/noted/agreed",
            "what do/did you remember/know/recall about/of",
            "what you/we/i remember/know/recall/recorded/saved/noted about/of/on",
            "do/did you remember/recall",
            "can/could/would you recall/remember",
            "have i/we/you mentioned/told/said/talked/discussed/spoken about",
            "have i/we/you mentioned/told/said/discussed",
            "have i/we/you ever/already/previously mentioned/told/said/discussed",
            "did i/we mention/tell/say/discuss/decide/agree",
            f"didn't i/we/you {_TELL}",
            f"did/didn't i/we/you ever/already/once {_TELL}",
            f"haven't/hadn't i/we/you {_TOLD}",
            f"have/had/haven't i/we/you ever/already/previously/once {_TOLD}",
            "did i tell you about",
            "tell/show/explain me again",
            "^remember when/what/how/which/where/who we/i",
            "^recall the/our/my/all/everything",
            "i/we forgot/forget what/which/who/where/when",
            "i/we asked you to keep/remember/save/note/store/record",
            "who/what/which/when/where was it that",
            "remind me what/of/about/which/who/when/where/how/why",
            "recall when/what/how/which",
            "what was/were our/my/the decision/choice/plan/agreement/reason about/on/for/behind",
            "what was/were our/my decision/choice/plan/reason",
            "last time we talked/spoke/discussed/worked",
            "as i/we said/mentioned/discussed before/earlier",
            "look up what i/we said",
            "search/check/look/query your/my/our memory/memories/notes for/about/on",
            "search/check/look in/through your/my/our memory/memories/notes for/about/on",
            "find/show/get/open/list/pull/read my/our/your/the/any/all note/notes/memory/memories about/on/for/of/from",
            "find/show/get/open/list/pull me my/our/your/the/any/all note/notes about/on/for/of/from",
            "any note/notes/memory/memories/record/records about/on/of/from",
            "everything/anything/all/what you/we/i have/had stored/saved/noted/recorded/kept/written about/on/of",
            "everything/anything/all/what you've/we've/i've stored/saved/noted/recorded/kept/written about/on/of",
            "bring/pull up my/our/the notes/decision/memories about/on/for/of",
            "look up my/our",
            "jog my memory",
            "search/check/look your/my/our memory/memories/notes",
            "dig/fetch/retrieve/pull/bring out/up/back/the my/our/the/any/wording/decision/notes",
            "i/we have forgotten",
            "i've/we've forgotten",
            "earlier/previous/past/last conversation/conversations/session/sessions/chat/chats where/in/about/when",
            "anything/something stored/saved/noted/recorded/written about/on",
            "what we've agreed/decided/discussed/settled so/on/about/last",
            "pick/carry/go/continue up/on where we",
            "where we stopped/left",
            "^who/what/which/where/when was it again",
            "as far as i remember/recall/know we",
        ),
        "": ("i don't remember", "remind me to", "do you know how/what/why/if", "remember to"),
    }
)
_BEFORE: Final = "before"
"""Of an earlier time: it counts in any sentence of a message that asks something."""
_WHERE_ASKED: Final = Phrases(
    {
        "mine": (
            "what's/whats/who's/where's/when's my/our",
            "what/who/where/when/which is/are/was/were my/our",
            "what/who/where/when/which is/are/was/were * my/our",
            "name/date/number/address/birthday/size/model of my/our",
            "where/when/what/which do/did/does i/we",
            "what/which * do/did/have/had i/we",
            "what/which * am/was/were i/we",
            "what/which * * do/did/have/had i/we",
            "what/where/who/when was/were/am i/we",
            "who did/do i/we",
            "why/how did we",
            "why did i",
            "do/did i/we like/prefer/use/have/own/want/pick/choose/drop/keep/live",
            "do/did we have/say/settle/decide",
        ),
        "told": (
            "we went/talked/looked/walked through/about/over",
            "i/we told/gave/said/mentioned/wrote/noted/saved/sent/asked/recommended",
            "i've/we've told/given/said/mentioned/written/noted/saved/sent",
            "i/we have told/given/said/mentioned/written/noted/saved",
            "i/we decided/agreed/chose/picked/liked/dropped/wanted/settled/discussed/planned",
            "did i/we/you say/tell/suggest/recommend/decide/choose/pick/mention",
            "you told/said/suggested/recommended/mentioned",
            "do/did/have you got/have/still/saved/kept",
            "do you still have/know/remember",
            "you/do recall/remember",
            "can't/cannot recall/remember",
            "and i/we settle/agree/decide/discuss/plan/choose/pick/want/say",
            "what did * say he/she/they/i/we",
            "what did * want/prefer/choose/decide",
        ),
        _BEFORE: (
            "i/we told/gave/sent/showed you once/before/earlier/already/that/about",
            "previously/earlier we/i",
            "last time you/we/i",
            "you know my/our",
            "i know i told",
            "i told you/u",
            "we had two/three/four/several/some options/ideas/candidates/names",
        ),
        "again": ("again ?", "last time/week/month", "in the end", "the other day", "i forgot", "i forget"),
        "": (
            "what do i do/need/have",
            "what did/do/am i do/doing/get wrong",
            "where did/do i go/put/find/get/start/click",
            "what/where is/was my mistake/error/bug/ip",
            "what do we do/need/have",
            "how did i/we get",
            "do i need/have to",
            "do we need to",
            "try/do/run/say/explain/read/check it/that/this again",
            "try/run again",
            "if i/we/you/they *",
        ),
    }
)
_ASKS: Final = re.compile(
    r"^\W*(?:(?:hey|so|and|but|ok|okay|hm+|um|please|pls|sorry|quick question|by the way|btw)\b\W*)*"
    r"(?:what|whats|who|where|when|which|why|how|whose|did|do|does|have|had|has|was|were|is|are|am|can|could|show|tell|find|"
    r"give|list|search|look|bring|pull|get|remind|recall|check|you know)\b",
    re.IGNORECASE,
)
_ASKS_LAST: Final = re.compile(
    r",\s*(?:and |so |but )?(?:can|could|what|which|who|where|when|how|show|remind|do you|did)\b", re.IGNORECASE
)
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")
_LEADS: Final = frozenset(
    (
        *("about", "on", "of", "for", "that", "what", "which", "my", "our", "the", "a", "an", "we", "i", "you", "said"),
        *("what's", "whats", "who's", "where's", "when's", "who", "where", "when", "why", "how", "is", "are", "was"),
        *(
            "were",
            "did",
            "do",
            "does",
            "have",
            "had",
            "am",
            "can",
            "could",
            "show",
            "tell",
            "find",
            "give",
            "me",
            "say",
        ),
        *("everything", "anything", "all", "to", "told", "saved", "know", "regarding", "with", "please", "i've", "in"),
    )
)
"""Words before what is asked about."""
_ENDS: Final = frozenset(("again", "please", "before", "right", "last", "time"))


class Recall(NamedTuple):
    """A request to recall: how clear it is, what to search for, and the phrases that say so."""

    is_clear: bool
    query: str
    phrases: tuple[str, ...]


def read_recall(message: str) -> Recall | None:
    """What a message asks to recall; None if nothing."""
    clear = [cue for cue in _CLEAR.find(message) if cue.kind]
    if clear:
        return Recall(is_clear=True, query=_query(clear[0].rest_of(message)) or _query(message), phrases=_once(clear))
    asked, before = "", list[Cue]()
    for found in _SENTENCE.finditer(message):
        sentence = found[0].strip()
        cues = _WHERE_ASKED.find(sentence if sentence.endswith("?") else sentence + " ?")
        if _asks(sentence):
            if cues:
                return Recall(is_clear=False, query=_query(sentence), phrases=_once(cues))
            asked = asked or sentence
        before += [cue for cue in cues if cue.kind == _BEFORE]
    if asked and before:
        longest = max(_SENTENCE.findall(message), key=len)
        return Recall(is_clear=False, query=_query(longest), phrases=_once(before))
    return None


def _asks(sentence: str) -> bool:
    return sentence.endswith("?") or _ASKS.match(sentence) is not None or _ASKS_LAST.search(sentence) is not None


def _once(cues: list[Cue]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cue.phrase for cue in cues))


def _query(rest: str) -> str:
    """What is asked about: without the words that lead to it, and without the question mark."""
    words = rest.strip().split("\n", maxsplit=1)[0].strip(" \t?.!,:").split()
    while len(words) > 1 and words[0].lower().strip(",") in _LEADS:
        del words[0]
    while len(words) > 1 and words[-1].lower() in _ENDS:
        del words[-1]
    return " ".join(words)
