"""Names by their capitals: which words belong together, and which of them are a name. For `extract`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from substrate.text.no_names import (
    ABBREVIATIONS,
    ADDRESSED,
    ADJECTIVES,
    AUXILIARIES,
    CALENDAR,
    COMMON,
    COMMON_ELSEWHERE,
    DETERMINERS,
    ENGLISH,
    FUNCTION,
    FUNCTION_ELSEWHERE,
    GERMAN,
    GERMAN_NOUNS,
    GERMAN_PREPOSITIONS,
    INSTITUTIONS,
    JOINING,
    LABELS,
    NO_ACRONYMS,
    NOT_GERMAN,
    PARTICLES,
    PAST,
    ROMANCE,
    ROMANCE_AUXILIARIES,
    SMALL_IN_TITLES,
    TITLES,
    UNCOUNTED,
    VERBS_OF_ONE,
)
from substrate.text.signs import CASELESS, HIDE, Sign, has_caseless

__all__ = ["find_capitals"]

_LETTERS: Final = rf"[^\W_{CASELESS}]"
_ASCII_WORD: Final = re.compile(
    r"([A-Za-z0-9]++(?:(?=['&+#-])(?:['&-][A-Za-z0-9]++)*+(?:\+\+|[+#](?!\w))?+|))"  # most words end at the first look
)
"""A word of a text of nothing but ASCII."""
_DASH: Final = re.compile("[\u2010\u2011-]")
_ELIDED: Final = re.compile("(?:[ldjcnmst]|qu|all|dell|nell|sull|dall|un)['\u2019]", re.IGNORECASE)
_POSSESSIVE: Final = re.compile("['\u2019]s$", re.IGNORECASE)
_AFTER_OF: Final = frozenset({"the", "la", "las", "los", "le", "les", "der", "den"})
_OF: Final = JOINING - PARTICLES
_AND: Final = frozenset({"and", "or", "et", "y", "e", "\u0438", "und"})
_ENDS: Final = ".!?…:。\uff01\uff1f"
_QUOTES: Final = "\"“„«\u2018'"
_NOUNS: Final = ("ing", "ion", "ions", "ment", "ness", "ity", "ance", "ence", "ship", "cy", "ism", "ware", "ly", "age")
_GERMAN_ENDINGS: Final = (
    *("ung", "ungen", "heit", "keit", "schaft", "tion", "tät", "nis", "tum"),
    "ment",
    "ismus",
)
_OF_ONE: Final = frozenset({"is", "isn't", "was", "wasn't", "has", "hasn't", "does", "doesn't"})
_MONTHS_THAT_ARE_NAMES: Final = frozenset({"May", "March", "August", "April", "June"})
_CURRENCIES: Final = frozenset({"EUR", "USD", "GBP", "CHF", "JPY"})
_DEGREES: Final = frozenset({"PhD", "MSc", "BSc"})

_NEVER: Final = FUNCTION | TITLES | CALENDAR
_NEVER_ELSEWHERE: Final = FUNCTION_ELSEWHERE | TITLES | CALENDAR
"""Words that alone are no name, wherever they stand: most of those that begin a sentence."""
_JOINS: Final = frozenset({" ", " & ", "\n", ".", ". "})
"""What may stand between two words of a name."""

_LONGEST_RUN: Final = 12
"""Words of a name."""
_HEADING: Final = 40
"""Words of a line that are looked at."""
_HEADING_WORDS, _MARKED_HEADING_WORDS = 5, 2
"""Words with capitals from which on a line of nothing else is a heading: without and with a `#` before it."""
_SOFT_LINE: Final = 50
"""Characters from which on a line that has no end of a sentence goes on in the next."""
_SHORT: Final = 32
_PAIR: Final = 2
_SHOUTED: Final = 3


class _Token(NamedTuple):
    start: int
    end: int
    word: str


def find_capitals(text: str) -> Iterator[Sign]:
    """The names of a text by their capitals, in order."""
    parts = (_ASCII_WORD if text.isascii() else _word()).split(text)  # what is between words, and words, in turn
    if len(parts) > 1:
        yield from _Reader(text, parts).names()


@cache
def _word() -> re.Pattern[str]:
    """A word of any script with capitals. Compiled when it is first needed: it takes as long as some dozen chunks."""
    inside = rf"(?:[\u0300-\u036f]++{_LETTERS}*+|['\u2019\u02bc&\u2010\u2011-]{_LETTERS}++)*+"
    return re.compile(rf"({_LETTERS}++{inside}(?:\+\+|[+#](?!\w))?+)")


# -- how a word is written ---------------------------------------------------------------------------------------------

_TITLE, _CAPITALS, _MIXED, _LETTER = "title", "capitals", "mixed", "letter"


def _shape(word: str) -> str:
    """How a word is written; empty if it has no capital that counts."""
    return _shape_of_short(word) if len(word) <= _SHORT else _shape_of(word)


def _shape_of(word: str) -> str:
    if word.islower() or not word[0].isalpha():
        return ""
    letters = [character for character in word if character.isalpha()]
    if len(letters) == 1:
        return _LETTER if len(word) == 1 else _CAPITALS
    if all(map(str.isupper, letters)):
        return _CAPITALS
    if any(any(map(str.isupper, part[1:])) and not part.isupper() for part in _DASH.split(word)):
        return _MIXED
    return _TITLE if word[0].isupper() else ""


_shape_of_short = lru_cache(maxsize=4096)(_shape_of)
"""The same words are met again and again."""


def _trim(token: _Token, *, romance: bool, german: bool) -> tuple[_Token, bool]:
    """The part of a word that can be a name, and whether a name ends with it."""
    start, _, word = token
    if word.isalpha() and not word[:-1].isupper():  # as most are
        return token, False
    elided = _ELIDED.match(word)
    if elided is not None and (word[0].islower() or romance):
        start += elided.end()
        word = word[elided.end() :]
    elif elided is not None and word[elided.end()].islower():  # L'équipe
        return _Token(start, start, ""), True
    ends = False
    possessive = _POSSESSIVE.search(word)
    if possessive is not None and possessive.start() > 1:
        word, ends = word[: possessive.start()], True
    if _DASH.search(word):
        parts = _DASH.split(word)
        if german and _shape(parts[0]) == _CAPITALS and _shape(parts[-1]) == _TITLE:  # DSGVO-Prüfung
            word, ends = parts[0], True
        elif parts[-1].islower() and not parts[0].islower():  # Berlin-based, but not X-ray
            word, ends = parts[0] if len(parts[0]) > 1 else "", True
        elif parts[0].islower() and len(parts[0]) > 1:  # non-English
            word, ends = "", True
    if len(word) > _PAIR and word[-1] == "s" and word[:-1].isupper():  # APIs
        word = word[:-1]
    return _Token(start, start + len(word), word), ends


# -- which words are a name --------------------------------------------------------------------------------------------


class _Reader:
    """One text. What the whole text says about its capitals is found out once.

    Most words are small and are passed over: nothing is made of them one by one but what C makes.
    """

    def __init__(self, text: str, parts: list[str]) -> None:
        self._text, self._words = text, parts[1::2]
        self._places = list(accumulate(map(len, parts)))
        words = self._words
        self._large = [at for at, word in enumerate(words) if not (word.islower() or word.isdigit())]
        english = not ENGLISH.isdisjoint(words)  # mostly, one of the first few is
        self._function, self._common = (FUNCTION, COMMON) if english else (FUNCTION_ELSEWHERE, COMMON_ELSEWHERE)
        self._never = _NEVER if english else _NEVER_ELSEWHERE
        self._german = NOT_GERMAN.isdisjoint(words) and len(GERMAN.intersection(words)) >= _PAIR
        self._romance = not english and len(ROMANCE.intersection(words)) >= _PAIR
        self._joining = PARTICLES if self._german else JOINING
        self._caseless = has_caseless(text)
        shouted = len([at for at in self._large if words[at].isupper() and len(words[at]) > 1])
        self._shouted = shouted >= _SHOUTED and shouted * 2 > len(words)
        self._lines = [0, *accumulate([len(line) + 1 for line in text.split("\n")[:-1]])]
        self._headings: dict[int, bool] = {}

    def names(self) -> Iterator[Sign]:
        words, caseless, upto = self._words, self._caseless, 0
        joining, never, places, text = self._joining, self._never, self._places, self._text
        last = len(words) - 1
        for at in range(len(words)) if caseless else self._large:
            if at < upto:
                continue
            word = words[at]
            if caseless and (word.islower() or word.isdigit()):
                if self._is_set_in(token := self._token(at)):
                    yield Sign(*token, "name")
                continue
            # Most are words of letters with one capital, their first, and nothing behind them can be of the same name.
            # What `_run` and `_judge` come to for these is found by a shorter way.
            if word[1:].islower() and word.isalpha() and word[0].isupper():
                behind = words[at + 1] if at < last else "x"
                if (behind.islower() and behind not in joining) or (
                    text[places[2 * at + 1] : places[2 * at + 2]] not in _JOINS
                ):
                    lower = word.lower()
                    if lower not in never and self._is_name_alone(at, lower):
                        yield Sign(places[2 * at], places[2 * at + 1], word, "name")
                    continue
            run, upto = self._run(at)
            sign = self._judge(run, at, upto) if run else None
            if sign is not None:
                yield sign

    def _is_name_alone(self, at: int, lower: str) -> bool:
        """Whether a word with one capital that has no other word of the same name beside it is a name."""
        opens = not self._caseless and self._begins(at)
        if (opens and lower in self._common) or self._is_heading(at):
            return False
        if not (opens or self._german):
            return lower not in LABELS  # no function word either: the caller has seen to it
        return self._stands(self._token(at), at + 1, opens=opens)

    def _token(self, at: int) -> _Token:
        return _Token(self._places[2 * at], self._places[2 * at + 1], self._words[at])

    def _is_set_in(self, token: _Token) -> bool:
        """Whether a word of small letters stands right inside Chinese, Japanese or Korean, as names of tools do."""
        around = self._text[max(0, token.start - 1) : token.start] + self._text[token.end : token.end + 1]
        is_word = len(token.word) > _PAIR and token.word.isascii() and token.word.isalpha()
        return is_word and "\u2e80" <= max(around, default="") <= "\ud7ff"

    # -- words that follow each other --

    def _gap(self, before: _Token, at: int) -> str:
        return self._text[before.end : self._places[2 * at]]

    def _run(self, at: int) -> tuple[list[_Token], int]:
        """The words with capitals from here on that follow each other, with what joins them; and who comes behind."""
        run: list[_Token] = []
        while at < len(self._words) and len(run) < _LONGEST_RUN:
            token, ends = _trim(self._token(at), romance=self._romance, german=self._german)
            if not token.word or not _shape(token.word):
                break
            run.append(token)
            at += 1
            step = 0 if ends or at == len(self._words) else self._step(token, at)
            if step == 0:
                break
            run += map(self._token, range(at, at + step - 1))  # what joins
            at += step - 1
        while run and run[-1].word.islower():
            run.pop()
            at -= 1
        return run, at

    def _step(self, before: _Token, at: int) -> int:
        """How many tokens on the next word of the same name is; 0: there is none."""
        gap, word = self._gap(before, at), self._words[at]
        if gap in (". ", "."):
            dotted = before.word.lower() in ABBREVIATIONS or (len(before.word) == 1 and before.word != "I")
            return 1 if dotted and word[0].isupper() else 0
        if (gap in (" ", " & ") or (gap == "\n" and not self._begins(at))) and _shape(word):
            return 1
        if gap == " " and word in self._joining and _shape(before.word) == _TITLE:
            return 2 if self._is_next(at + 1) else 3 if self._is_next(at + 2, behind=_AFTER_OF) else 0
        return 0

    def _is_next(self, at: int, behind: frozenset[str] | None = None) -> bool:
        """Whether this token has a capital, and a space before it; and one of these words, if any, before that."""
        if at >= len(self._words) or not self._words[at][0].isupper():
            return False
        return self._is_spaced(at) and (behind is None or self._words[at - 1] in behind)

    def _is_spaced(self, at: int) -> bool:
        """Whether a space is all between this token and the one before it."""
        return self._text[self._places[2 * at - 1] : self._places[2 * at]] == " "

    # -- is it a name --

    def _judge(self, run: list[_Token], at: int, behind: int) -> Sign | None:
        """The name in words with capitals that follow each other, if there is one."""
        if len(run) > 1 and _is_shouted(run):
            return None
        opens = not self._caseless and run[0].start == self._places[2 * at] and self._begins(at)
        bare = self._without_opener(run) if opens else self._without_function(run)
        kept = _without_titles(bare)
        if not kept:
            return None
        titled = len(kept) == 1 and kept[0] is not bare[0] and bare[0].word.lower() in TITLES
        opens = opens and kept[0] is run[0]
        if opens and len(kept) > _PAIR and kept[1].word in _OF and not self._may_open(kept[0].word):
            kept = kept[3:] if kept[2].word in _AFTER_OF else kept[2:]  # Shares of Novo Nordisk
            opens = False
        if self._is_heading(at) and all(_shape(token.word) in (_TITLE, _LETTER, "") for token in kept):
            return None
        if len(kept) > 1:
            start, end = kept[0].start, kept[-1].end
            return Sign(start, end, self._text[start:end], "name")
        if titled and _shape(kept[0].word) == _TITLE:
            return Sign(*kept[0], "name")
        return self._judge_one(kept[0], behind, opens=opens)

    def _judge_one(self, token: _Token, behind: int, *, opens: bool) -> Sign | None:
        word, shape = token.word, _shape(token.word)
        if shape == _CAPITALS:
            if not self._shouted and word.upper() not in NO_ACRONYMS and not self._is_amount(token):
                return Sign(*token, "acronym")
        elif (shape == _MIXED and word not in _DEGREES and word.upper() not in NO_ACRONYMS) or (
            shape == _TITLE and self._stands(token, behind, opens=opens)
        ):
            return Sign(*token, "name")
        return None

    def _without_function(self, run: list[_Token]) -> list[_Token]:
        """Words inside a sentence, without one that is no name wherever it stands."""
        first = run[0].word
        if first == "I" or (len(run) > 1 and first in NO_ACRONYMS):  # CEO Tim Cook
            return _rest(run, 1)
        return [] if len(run) == 1 and first.lower() in self._function and not _is_acronym(first) else run

    def _without_opener(self, run: list[_Token]) -> list[_Token]:
        """Words that begin a sentence, without those in front that need not be names."""
        at = 0
        while at < len(run) and (run[at].word.islower() or self._is_opener(run[at].word, alone=at == len(run) - 1)):
            at += 1
        return run[at:]

    def _is_opener(self, word: str, *, alone: bool) -> bool:
        lower = word.lower()
        if lower in self._common:
            return not _is_acronym(word) and (alone or lower not in ADJECTIVES)
        is_verb = word.endswith(("ing", "ed")) and len(word) > 5 and word.isascii()  # noqa: PLR2004
        return not alone and (word in NO_ACRONYMS or (is_verb and lower not in INSTITUTIONS))

    def _may_open(self, word: str) -> bool:
        """Whether a name with `of` in it may begin a sentence with this word."""
        lower = word.lower()
        return lower in INSTITUTIONS or not (self._romance or lower in UNCOUNTED or word.endswith("s"))

    def _begins(self, at: int) -> bool:
        """Whether a sentence begins with this token."""
        end = self._places[2 * at - 1] if at else 0
        gap = self._text[end : self._places[2 * at]]
        if gap == " ":
            return False
        if at == 0:
            return HIDE not in gap
        if gap[-1:] in _QUOTES:
            return True
        if "\n" in gap:
            line = end - self._lines[bisect_right(self._lines, end) - 1]
            return gap.strip() != "" or gap.count("\n") > 1 or line < _SOFT_LINE
        gap = gap[gap.rfind(HIDE) + 1 :]
        if not any(sign in gap for sign in _ENDS):
            return False
        return not (gap == ". " and self._words[at - 1].lower() in ABBREVIATIONS)

    def _is_heading(self, at: int) -> bool:
        """Whether in the line of this token every word of weight has a capital: there, capitals say nothing."""
        line = bisect_right(self._lines, self._places[2 * at]) - 1
        known = self._headings.get(line)
        if known is None:
            known = self._headings[line] = self._read_heading(line, at)
        return known

    def _read_heading(self, line: int, at: int) -> bool:
        begin = self._lines[line]
        end = self._lines[line + 1] if line + 1 < len(self._lines) else len(self._text)
        large = 0
        # Asked about is the first word with a capital: one before it can only be small.
        first = at - 1 if at and self._places[2 * at - 2] >= begin else at
        for number, word in enumerate(self._words[first : first + _HEADING], first):
            if self._places[2 * number] >= end:
                break
            if word[0].islower() and word not in SMALL_IN_TITLES:
                return False
            large += word[0].isupper()
        return large >= (_MARKED_HEADING_WORDS if self._text.startswith("#", begin) else _HEADING_WORDS)

    def _is_amount(self, token: _Token) -> bool:
        """Whether it is a currency behind a number: 20 EUR."""
        before = self._text[max(0, token.start - 2) : token.start]
        return token.word in _CURRENCIES and any(map(str.isdigit, before))

    # -- a single word with one capital --

    def _stands(self, token: _Token, behind: int, *, opens: bool) -> bool:
        """Whether it is a name. `opens`: a sentence begins with it."""
        lower = token.word.lower()
        if lower in self._function or lower in LABELS:
            return False
        if self._german:
            return not opens and self._stands_in_german(lower, behind - 1)
        if not opens:
            return True
        if lower in self._common or lower in UNCOUNTED or lower.endswith(_NOUNS):
            return False
        if self._words[behind - 1] != token.word:
            return _POSSESSIVE.search(self._words[behind - 1]) is not None
        return behind < len(self._words) and self._is_subject(token, lower, behind)

    def _is_subject(self, token: _Token, lower: str, behind: int) -> bool:
        """Whether what follows needs a subject without an article, or lists names."""
        gap, following = self._gap(token, behind), self._words[behind]
        if gap == " " and following[0].isdigit() and behind + 1 < len(self._words):  # Postgres 16 is
            behind += 1
            following = self._words[behind]
        third = self._words[behind + 1] if behind + 1 < len(self._words) else ""
        if gap == ", ":
            return following in ADDRESSED or self._is_other_name(following)
        if gap != " ":
            return False
        if following in _AND:
            return third != "" and self._is_other_name(third)
        if self._romance or following in ROMANCE_AUXILIARIES:
            return following in ROMANCE_AUXILIARIES and (self._romance or len(following) > _PAIR)
        return _is_verb(following, third, lower)

    def _is_other_name(self, word: str) -> bool:
        return _shape(word) != "" and word.lower() not in self._common

    def _stands_in_german(self, lower: str, at: int) -> bool:
        """Whether a German noun is a name: behind a preposition, without an article."""
        if at < 1 or not self._is_spaced(at):
            return False
        before = self._words[at - 1]
        if before not in GERMAN_PREPOSITIONS or lower in GERMAN_NOUNS or lower.endswith(_GERMAN_ENDINGS):
            return False
        return before in ("in", "nach", "aus") or not lower.endswith(("chen", "en", "er", "ern", "e"))


def _is_verb(word: str, after: str, subject: str) -> bool:
    """Whether a word can be the verb of a subject that has no article."""
    if subject.endswith("s") and not subject.endswith(("ss", "us", "is", "as", "os")):  # a plural, if its verb allows
        return word in _OF_ONE or word in VERBS_OF_ONE or (word.endswith("s") and after in DETERMINERS)
    if word in AUXILIARIES or word in PAST or word in VERBS_OF_ONE or (word.endswith("ed") and len(word) > 4):  # noqa: PLR2004
        return True
    return word.endswith("s") and not word.endswith(("ss", "us")) and (after in DETERMINERS or after[:1].isupper())


# -- words in front ----------------------------------------------------------------------------------------------------


def _is_shouted(run: list[_Token]) -> bool:
    """Whether they are words of capitals, a function word among them: DO NOT RUN THIS."""
    capitals = all(_shape(token.word) in (_CAPITALS, _LETTER) for token in run)
    return capitals and any(token.word.lower() in FUNCTION for token in run)


def _is_acronym(word: str) -> bool:
    return _shape(word) == _CAPITALS and word not in NO_ACRONYMS


def _without_titles(run: list[_Token]) -> list[_Token]:
    """Without forms of address in front, and without days and months at either end."""
    at = 0
    while at < len(run) and (run[at].word.lower() in TITLES or run[at].word.lower() in CALENDAR):
        at += 1
    run = _rest(run, at)
    while run and run[-1].word.lower() in CALENDAR and (len(run) == 1 or run[-1].word not in _MONTHS_THAT_ARE_NAMES):
        run = run[:-1]
    return run


def _rest(run: list[_Token], at: int) -> list[_Token]:
    """What is left of words behind those that were dropped, without what joined them."""
    while 0 < at < len(run) and run[at].word.islower():
        at += 1
    return run[at:]
