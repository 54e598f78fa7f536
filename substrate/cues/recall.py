"""Whether a message asks for something that was said before, and for what.

Some phrases say so by themselves: *what did I say about*, *remind me of*. Others do in a question, or where something
is to be shown or looked for: *my*, *did we*, *I told you*, *last time*. What is asked of the world, and not of memory,
has none of these: *what is the capital of Mongolia?* Some forms of a question count whatever its words: one
with *I* or *we* and a past (*the screws I bought*), with a habit of the person (*do I take milk?*), with something of
theirs, or about an earlier talk. Not so if it is about the work at hand: it speaks of the last minutes.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from substrate.cues.phrases import Cue, Phrases, any_of, pattern

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
            "can/could/would you recall/remember the/my/our/your/his/her/their/that/me/us",
            "can/could/would you recall/remember what/who/which/when/where/how/why/if",
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
_MINE: Final = "mine"
"""Of the person: it does not count in a question about the work at hand."""
_BEFORE: Final = "before"
"""Of an earlier time: it counts in any sentence of a message that asks something."""
_WHERE_ASKED: Final = Phrases(
    {
        _MINE: (
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
            "in/on/from your notes",
            "i wrote/noted it down",
            "^as discussed/agreed",
            "you've got it",
            "our discussion/conversation/talk on/about",
            "we had two/three/four/several/some options/ideas/candidates/names",
        ),
        "again": ("again ?", "last time/week/month", "in the end", "the other day", "i forgot", "i forget"),
        "": (
            "what's/who's/is/are my/our best/next/only",
            "do we have a/an/any function/method/way/helper/class/library/tool",
            "what am i looking/missing/doing/seeing",
            "have you got a",
            "do you have a/an/some",
            "can/could/would you recall/remember",
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
_LONGEST: Final = 300
"""A question is short. What is longer was pasted."""
_DID: Final = (
    r"(?:(?!need|used to)\w+ed|"
    + any_of(
        "bought took gave chose sent wrote said told saw met found made went had kept left put paid sold got heard "
        "read spoke thought knew built drew began cut set"
    )
    + r")"
)
_AT_WORK: Final = pattern(
    r"\b(?:",
    any_of(
        r"errors? wrong fail\w* crash\w* bugs? i_tried just if would should could mistake output function code query "
        r"library (?<!on_)files? install\w* stack traceback test(?:s|ed)? build compil\w* commit missing screen "
        r"(?:re)?start(?:s|ed) grammar sentence text paragraph essay formula results? upload\w* server script page "
        r"data columns? tables? regex attached pasted marked above below here this(?!_(?:year|month|week)) "
        r"looking best next correctly spell"
    ),
    r")\b",
)
_WHAT: Final = (
    r"\b(?:what|what's|whats|which|who|who's|whom|whose|where|when|why|how|any idea|(?:is|was|wasn't) there)\b"
)
_FACT: Final = r"(?:what|what's|whats|which|who|who's|where|when|how (?:old|tall|long|much|many|often|big|high|far))"
"""What asks for a fact: *why* and *how do I* ask for help."""
_TALKS: Final = any_of("chats? talks? calls? sessions? conversations? discussions? meetings? messages? trips?")
_OF_US: Final = (
    ("(what I or we did)", pattern(
        _WHAT, r".*?\b(?<!do )(?:i|we)(?:'ve|'d| had| have)? (?:\w+ly |ever |once )?", _DID, r"\b")),
    ("(were we)", pattern(
        r"(?:^|[,.] |", _WHAT, r".{0,30} )(?:(?:were|weren't|had|hadn't|did|didn't) we|(?:had|have|did|didn't) i)\b",
        r"(?! ", any_of("get do miss break need supposed been"), r"\b)")),
    ("(am I)", pattern(
        r"^\W*(?:\w+, )?(?:do i (?:\w+ly )?(?!",
        any_of("need have want get look understand see go start know put write say spell use"),
        r"\b)\w+ (?!the|it)|do we still |am i (?!",
        any_of(r"right wrong correct missing supposed allowed too the \w+ing"), r"\b))")),
    ("(a fact of mine)", pattern(
        r"^\W*(?:\w+,? )?", _FACT, r"\b(?!.*\b(?:good|can|should|could|happened|due)\b).{0,40}?(?: |'s )",
        r"(?:(?:of|to|for|on|in|with) )?(?:my|our) \w+|\b(?:to us|me back|(?:take|took|cost) me)\b")),
    ("(what I do)", pattern(
        _FACT, r"\b.{0,60}? (?:(?:did|have|had|was|am) i (?!", any_of("do get need miss break"),
        r"\b)|do i (?:", any_of("currently usually normally always still own like prefer live take owe see"), r")\b)")),
    ("(a list of mine)", pattern(r"^\W*(?:(?:list|name) .*\bi(?:'ve| have) |(?:tell me|show me|list) (?:my|our) )")),
    ("(an earlier talk)", pattern(
        r"\b(?:on file|on record|stored|according to (?:your|my|our) notes|in your notes|you've got it|you had the|",
        rf"(?:in|from|during|to) (?:our|my|the last|the previous|one of our) (?:\w+ )?{_TALKS}|yesterday's {_TALKS}|",
        r"the (?:message|mail|note|chat|conversation) (?:where|in which)|as (?:discussed|agreed))\b")),
    ("(is it settled)", pattern(
        r"\b(?:has|have|is|are) (?:the|our|my) .*\b(?:been )?",
        any_of("fixed decided settled agreed chosen booked approved"), r" (?:already|yet)\b")),
)  # fmt: skip
"""Forms of a question, whatever its words."""
_WHAT_WAS: Final = pattern(
    r"^\W*(?:(?:so|and|hey|ok),? )*(?:what|which|who|why|how)\b.{0,40}? (?:was|were) (?:the|that) "
    r"(?!(?:first|last|most|\w+est|\w+ans|\w+eeks)\b)"
)
_NAME: Final = re.compile(r"\S\s+[A-Z]\w|\d{3}")
"""What has a name or a year may be of the world: *why was the Berlin wall built?*"""
_ANEW: Final = pattern(
    r"\b(?:refresh my memory|(?:catch|bring|get) me up|fill me in|recap|run ?down|slip\w* my mind|escapes? me|",
    r"(?:everything|all|what) (?:that )?we(?:'ve| have)? \w+ed|decisions? (?:on|about|for) .*so far|",
    r"(?:continue|go on|carry on|back) (?:with|to) .*\bfrom (?:yesterday|last|earlier|before|\w+day)\b)",
)
"""Requests that say it by themselves, wherever they stand."""
_QUOTED: Final = re.compile(r"[\"\u201c][^\"\u201c\u201d]*[\"\u201d]")
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
    """What a message asks to recall; None if nothing. What stands in quotation marks asks for nothing."""
    own = _QUOTED.sub('""', message)
    found = _read(own)
    return found if found is None or own == message else _read(message)


def _read(message: str) -> Recall | None:
    clear = [cue for cue in _CLEAR.find(message) if cue.kind]
    if clear:
        return Recall(is_clear=True, query=_query(clear[0].rest_of(message)) or _query(message), phrases=_once(clear))
    asked, before = "", list[Cue]()
    for found in _SENTENCE.finditer(message):
        sentence = found[0].strip()
        if (anew := _asks_anew(sentence)) is not None:
            query = _query(sentence[anew.end() :]) or _query(sentence)
            return Recall(is_clear=False, query=query, phrases=(anew[0].lower(),))
        cues = _WHERE_ASKED.find(sentence if sentence.endswith("?") else sentence + " ?")
        if _asks(sentence):
            if cues and not (_is_at_work(sentence) and all(cue.kind == _MINE for cue in cues)):
                return Recall(is_clear=False, query=_query(sentence), phrases=_once(cues))
            if forms := _forms(sentence):
                return Recall(is_clear=False, query=_query(sentence), phrases=forms)
            asked = asked or sentence
        before += [cue for cue in cues if cue.kind == _BEFORE]
    if asked and before:
        longest = max(_SENTENCE.findall(message), key=len)
        return Recall(is_clear=False, query=_query(longest), phrases=_once(before))
    return None


def _is_at_work(sentence: str) -> bool:
    """Whether a question is about the work at hand: there *I* and *we* speak of the last minutes."""
    return _AT_WORK.search(sentence) is not None


def _forms(sentence: str) -> tuple[str, ...]:
    """The forms of a question about what was that a sentence has; none if it is about the work at hand."""
    if len(sentence) > _LONGEST or _is_at_work(sentence):
        return ()
    if _WHAT_WAS.match(sentence) and not _NAME.search(sentence):
        return ("(what was)",)
    return tuple(called for called, form in _OF_US if form.search(sentence))


def _asks_anew(sentence: str) -> re.Match[str] | None:
    """Where a sentence asks for what was said or left off, as a question or not: *catch me up on the tender*."""
    return _ANEW.search(sentence) if len(sentence) <= _LONGEST else None


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
