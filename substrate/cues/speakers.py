"""Whose word a sentence is, and whether it still holds.

1. What somebody else says, thinks or recommends is theirs, with quotation marks or without: `Jonas thinks we should`.
   The law, a contract, a client or a board speaks for the person.
2. What was said, planned or done at first is over, unless the sentence goes on to what holds now.
3. `no wait`, `scratch that`, `hold on`: what was said just before is taken back.
4. `max 3 hours a day`, later `make it max 4 hours a day`: the later one holds. All words but the amount are the same,
   so a rule for one more thing replaces none.
"""

from __future__ import annotations

import re
from typing import Final

from substrate.cues.phrases import any_of, pattern

__all__ = [
    "is_former",
    "is_of_others",
    "takes_back",
    "takes_itself_back",
    "takes_last_turn_back",
    "topic_of",
    "words_after_taking_back",
    "words_of",
]

_BINDING: Final = any_of(
    "client customer legal law contract guide guidelines policy call sop licen[cs]e boss board management compliance "
    "regulator brief principal council insurance landlord agreement statute team"
)
"""Who is asked before one goes against them."""
_CLAIMS: Final = any_of(
    "thinks? thought believes? believed claims? claimed argues? argued swears? swore reckons? reckoned feels "
    "suggests? suggested recommends? recommended advises? advised jokes? joked complains? complained mentions "
    "mentioned insisted_that proposed_that would_say used_to_say saying telling_(?:me|us) answered replied commented "
    "posted mumbled wrote writes?_(?:in|that|me|us|to_me|:|quoted)"
)
_SAYS: Final = any_of("says? said (?:told|tells?)_(?:me|us|him|her|them|everyone|everybody|people)")
_NO_ONE_ELSE: Final = any_of(
    "i we you it that this what which who where when if as unless let's in please not is are be been gets? was were "
    "has have must should can may"
)
_SOMEBODY: Final = rf"(?:(?!{_NO_ONE_ELSE}\b|\w+n't|\S*[,:;])\S+ ){{1,7}}?"
"""Up to seven words that name somebody, and neither I, we nor you."""
_OTHERS: Final = pattern(
    rf"according to (?!our|the {_BINDING})|{_SOMEBODY}{_CLAIMS}(?!\w)",
    rf"|(?!(?:the |our |my |their )?(?:\S+ ){{0,2}}{_BINDING}s?\b){_SOMEBODY}{_SAYS}(?!\w)",
)
_QUOTES: Final = pattern(
    rf"\b(?:{_SAYS}|{_CLAIMS}|writes?|reads?|tells?|told|asks?|asked|like)\b[^,;]{{0,40}}\bquoted\b|: quoted\b"
)
_OWN_PART: Final = pattern(
    r"[,;.]\s*(?:and |but )?(?:so |hence |therefore |fine, |ok,? )",
    any_of("we i no never don't let's please the it all every"),
    r"\b",
)
"""What the person makes of it: `legal said no, so we drop it`."""

_FORMER: Final = pattern(
    any_of("at_first initially originally in_the_beginning back_then previously formerly"),
    r"\b|(?:i|we|they) (?:had (?:once |first |originally |initially )?",
    any_of("said planned wanted thought agreed intended hoped"),
    r"\b|(?:once|first|originally|initially) \w+|used to\b|(?:was|were) ",
    any_of("going about planning hoping thinking supposed"),
    r" |(?:wanted|planned|hoped|tried|thought) )",
    r"|(?:the|my|our) (?:original|initial|old|earlier|former) (?:\w+ ){1,2}(?:was|were|had|said|always|\w+ed)\b",
)
_NOW: Final = pattern(r"\b", any_of("now instead but anymore any_more no_longer today changed until"), r"\b")

_LEAD: Final = (
    r"\W*+(?:" + any_of("hm+ uh um oh ah no ok okay sorry well wait argh hey so and but actually") + r"\b\W*+)*"
)
"""Signs and spaces are passed over once: what follows begins with a letter."""
_ENDS: Final = r"(?=\s*(?:[^\w\s'\"`(]|$))"
"""And nothing that it is about follows: `wait for the build`, `hold on to the keys`, `forget that branch`."""
_CLEARLY: Final = (
    rf"(?:(?:no,? wait|actually,? (?:no(?=[,.!]|$)|wait(?: no)?|hold on)|(?:scratch|scrap|strike|forget) that){_ENDS}"
    r"|(?:(?:scratch|scrap|strike|forget) what i(?: just)? said|on second thoughts?|i take (?:that|it) back)\b)"
)
_SOMEHOW: Final = (
    rf"(?:{_CLEARLY}|(?:wait,? no|(?:hold|hang) on(?! to\b)|hmm+,? no(?=[,.!]|$)|(?:scrap|forget) it"
    r"|never ?mind(?! the)|nvm|let me think (?:again|about it)|not so fast)\b)"
)
_TAKES_TURN_BACK: Final = pattern(_LEAD, _CLEARLY)
"""A new turn that begins with `wait` or `never mind` is mostly about something else."""
_POINTS_BACK: Final = pattern(r"(?:scratch|scrap|strike|forget) (?:that|what i)|second thoughts?|take (?:that|it) back")
"""Words that name what they take back: `no wait` and `actually no` may be about anything."""
_TAKES_BACK: Final = pattern(_LEAD, _SOMEHOW)
_TAKES_ITSELF_BACK: Final = pattern(r"(?:^|[,;]|(?<!\.)\.{2,}+|\s[-\u2013\u2014])", _LEAD, _SOMEHOW, r"\W*+$")


_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_AMOUNT: Final = re.compile(
    r"\d.*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|half|double|none|zero|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october|"
    r"november|december"
)
_NO_TOPIC: Final = (
    "make it's it the a an is are be so now then actually instead please ok okay no sorry correction let's new from "
    "on change to we i we'll will that this of in for at again wait hm better rather and but set must should can"
)
_SAYS_NOTHING: Final = frozenset(_NO_TOPIC.split())
_FEWEST: Final = 2
"""Words that say what it is about."""
_STEM: Final = 5
_LEAST_LETTERS: Final = 3


def is_of_others(bare: str) -> bool:
    """Whether the sentence tells what somebody else says, and not what the person makes of it."""
    return (_OTHERS.match(bare) is not None or _QUOTES.search(bare) is not None) and _OWN_PART.search(bare) is None


def is_former(bare: str) -> bool:
    """Whether the sentence tells what was said or planned before, and not what holds now."""
    return _FORMER.match(bare) is not None and _NOW.search(bare) is None


def takes_back(sentence: str) -> bool:
    """Whether the sentence takes back what was said just before it."""
    return _TAKES_BACK.match(sentence) is not None


def takes_last_turn_back(message: str) -> bool:
    """Whether a message begins by taking back what the person stated last in the turn before."""
    return _TAKES_TURN_BACK.match(message) is not None


def words_after_taking_back(message: str) -> frozenset[str] | None:
    """What a message is about that begins by taking back what was said before; None if it does not begin so.

    No word, if it only takes back, or says that it does: `no wait, scratch that, bad idea`.
    """
    found = _TAKES_TURN_BACK.match(message)
    if found is None:
        return None
    rest = message[found.end() :].lstrip(" ,.;:!-")
    return frozenset() if _POINTS_BACK.search(found[0]) or _POINTS_BACK.match(rest) else words_of(rest)


def words_of(text: str) -> frozenset[str]:
    """The words that say what a text is about, by their first letters: `launch` and `launches` are one."""
    words = (word for word in _WORD.findall(text.casefold()) if word not in _SAYS_NOTHING)
    return frozenset(word[:_STEM] for word in words if len(word) >= _LEAST_LETTERS)


def takes_itself_back(sentence: str) -> bool:
    """Whether the sentence ends by taking back what it says: `blue it is, no wait`."""
    return _TAKES_ITSELF_BACK.search(sentence) is not None


def topic_of(text: str) -> frozenset[str] | None:
    """The words of a statement without its amounts; None if it has no amount, or too few other words."""
    words = _WORD.findall(text.casefold())
    topic = frozenset(word for word in words if word not in _SAYS_NOTHING and not _AMOUNT.fullmatch(word))
    has_amount = any(map(_AMOUNT.fullmatch, words))
    return topic if has_amount and len(topic) >= _FEWEST else None
