"""Whether a sentence asks to remember something, and what: `please remember that ...`, `for the record, ...`.

Such a request is explicit, so it needs no further evidence. `remember` also means other things: `do you remember`,
`remember when`, `remember to call`, `remember the scroll position` are none. `note that` and `keep in mind` also stand
before what is seen just now, so they count before `we`, `our`, `I` and `my` alone.
"""

from __future__ import annotations

from typing import Final

from substrate.cues.phrases import any_of, pattern

__all__ = ["REQUESTS", "announced", "asks_for_last", "remembered"]

REQUESTS: Final = (
    "please remember that ... / remember: ... / remember we ...",
    "don't forget that ... / don't forget: ...",
    "note that we ... / keep in mind that our ...",
    "for the record, ... / for future reference, ...",
    "make a note: ... / note to self: ... / add this to your memory: ...",
    "..., please remember that / ... Remember this.",
)
"""The forms of a request, for people to read."""

_LEAD: Final = (
    "(?:"
    + any_of(
        "ok okay also and but so btw by_the_way oh hey hi hello well yes yeah yep no right great thanks thank_you thx "
        "fyi important just one_more_thing one_thing another_thing please pls kindly now then again first finally "
        "last(?:ly)? ps sorry hm+ always"
    )
    + r"\b[\s,.:;!\u2013\u2014-]*)*"
)
_WISH: Final = (
    r"(?:(?:i(?:'d| would)? (?:want|like|need) you to|i ask you to|you (?:should|must|need to|have to)|make sure to|"
    r"make sure (?:that )?you|be sure to|let's|let us|(?:can|could|would|will) you|try to) (?:please |also |always )?)?"
)
_THEN: Final = r"\s*[:,\u2013\u2014]\s*|\s+-+\s+"
_OWN: Final = r"(?:we(?:'re|'ve|'ll|'d)?|i(?:'m|'ve|'ll|'d)?|our|ours|my|us)\b"
_FOR_LATER: Final = (
    r"for (?:later|next time|the next time|(?:the|our|your) (?:future|record|records|next \w+)|future \w+|me|us)"
)
_NO_CLAUSE: Final = any_of(
    "time day night evening morning week month year one thing guy bug error issue problem meeting story talk "
    "discussion conversation chat incident mail email"
)
"""What `that` points at: `remember that bug`."""
_THAT: Final = rf"\s+that\s+(?!{_NO_CLAUSE}\b)(?=\S+\s+\S)"
_VERB: Final = any_of(
    "is isn't are aren't was wasn't were weren't has hasn't have had will won't can can't cannot must should may does "
    "doesn't do don't closes opens starts ends runs lives works uses needs wants goes comes means costs takes prefers "
    "likes hates speaks stays begins belongs"
)
_CLAUSE: Final = (
    rf"\s+(?:(?=(?:we|i|you|it|they|he|she|there)\b)|(?=(?:the|an?|our|my|your|\w+'s)\s[^,;]*?\b{_VERB}\b))"
)
"""`remember we have two`, `remember the office closes at six`; not `remember the last page`."""
_OPENS: Final = rf"(?:{_THEN}|{_THAT}|{_CLAUSE})"
_THIS: Final = r"(?:\s+(?:this|the following|these things|all this|one thing|well|please))?"

_ASKS: Final = pattern(
    _LEAD,
    "(?:",
    rf"{_WISH}(?:remember|memori[sz]e|(?:don't|do not|never) forget){_THIS}(?:\s+{_FOR_LATER})?{_OPENS}",
    rf"|(?:please |kindly )?(?:note|take note|(?:keep|bear) in mind)(?:\s+that|{_THEN})?\s*(?<=[\s:,])(?={_OWN})",
    rf"|for (?:the record|future reference|your memory)(?:{_THEN}|\s+(?=(?:{_OWN}|the\b)))",
    rf"|{_WISH}(?:make|take) (?:a )?(?:mental )?note(?:\s+of this)?(?:{_THEN}|{_THAT})",
    rf"|note (?:to self|{_FOR_LATER})(?:{_THEN})",
    rf"|{_WISH}(?:add|save|store|put|commit|record|write|keep)(?:\s+(?:this|that|it|the following))?\s+",
    rf"(?:(?:to|in|into) (?:your |the |our |long-term )*memory|{_FOR_LATER})\s*:\s*",
    rf"|{_WISH}(?:write|jot|note) (?:this|that) down(?:{_THEN})",
    ")",
)
_LAST: Final = (
    r"(?:(?:and|so|please|pls|just|do|also|kindly)\s+)*"
    r"(?:(?:remember|memori[sz]e|note|don't forget|do not forget|make a note of)\s+(?:this|that|it)(?:\s+down)?"
    r"|(?:keep|bear)\s+(?:this|that|it)\s+in\s+mind|(?:save|write|jot|note)\s+(?:this|that|it)\s+down)"
    rf"(?:\s+{_FOR_LATER})?(?:,?\s+please|,?\s+thanks)?[.!]*$"
)
_FOR_LAST: Final = pattern(_LEAD, _WISH, _LAST)
_BEHIND: Final = pattern(
    r"(?:[,;\u2013\u2014]|\s-+)\s*(?:", _LAST, r"|(?:just )?for (?:the record|future reference)[.!]*$)"
)
_ANNOUNCES: Final = pattern(
    _LEAD,
    _WISH,
    r"(?:remember|memori[sz]e|(?:don't|do not|never) forget|for the record|for future reference|take note|note to self|"
    r"(?:make|take) a note|(?:keep|bear) (?:this |these |the following )?in mind|note (?:this|these) down)"
    r"\b([^:.!?]{0,60}):$",
)
_NO_LIST: Final = pattern(r"\s*(?:", any_of("to what when where which who whose why how if whether"), r"\b)")


def remembered(judged: str) -> str | None:
    """What a sentence asks to remember; None if it asks for nothing of its own."""
    if asks_for_last(judged):
        return None
    if (match := _ASKS.match(judged)) is not None:
        return judged[match.end() :]
    match = _BEHIND.search(judged)
    return None if match is None else judged[: match.start()]


def asks_for_last(judged: str) -> bool:
    """Whether a sentence asks to remember what was said just before it: `please remember that`."""
    return _FOR_LAST.match(judged) is not None


def announced(line: str) -> str | None:
    """How a line goes on that asks to remember what follows it: `please remember these rules:`; None if none does."""
    match = _ANNOUNCES.match(line)
    return None if match is None or _NO_LIST.match(match[1]) else match[1] + ":"
