"""Text to terms: what is indexed of a text, and what of it is looked up. Pure: the same text, the same terms, always.

A *word* is a run of letters, digits and marks of any script; a pictogram is one too. A word becomes terms:

1. Compatibility forms and case are evened out (NFKC, casefold); `Ada's` is `ada`, `don't` is `dont`.
2. A word with accents is found with and without: its exact form is a term, and so is its form without them.
3. A form of plain Latin letters is cut to its English stem (Snowball), which takes its place.
4. Scripts that write no spaces, and Korean, give overlapping pairs of characters; of Han each character as well, so
   that one alone can be looked for.
5. Of a *name* the parts are words: between dots, underscores, and where small letters turn into capitals.
6. A term has at most 120 bytes. Of a longer one stands its hash.

Every word is indexed. From a query the commonest English words are dropped, as long as another word is left.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import chain, filterfalse, groupby
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

__all__ = [
    "FUNCTION_WORDS",
    "MAX_TERM",
    "QueryTerm",
    "Span",
    "document_words",
    "find_words",
    "fit",
    "has_whole",
    "keyword",
    "matching",
    "query_terms",
    "spans",
    "unnamed",
    "word_count",
]

MAX_TERM: Final = 120
"""Bytes of UTF-8."""
_Analysed: TypeAlias = tuple[int, tuple[str, ...]]
"""How many words a token counts for, and its terms."""

_REMEMBERED: Final = 1 << 16
_MANY: Final = 256
"""Characters of a word from which on marks in it may be very many."""
_LOOKS: Final = 32
"""Places in a text where a part of it is looked at one by one."""
_SHORT: Final = 32
_FEW: Final = 8
_DIGITS: Final = 4
"""What is remembered: so many tokens, none longer than this, none with more terms than this, and no number with more
digits than this. Some 20 MB at most."""

_JOINERS: Final = "\u200c\u200d"
_APOSTROPHES: Final = "'\u2019\uff07\u02bc"
_PICTOGRAMS: Final = "\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u2bff\U0001f000-\U0001faff"
# No spaces between words: Thai, Lao, Myanmar, Khmer, Hangul jamo, radicals to Hangul with all of Kana, compatibility
# ideographs, and the planes of rarer ideographs.
_PAIRED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
_HAN_SIGNS: Final = "[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]"
_APOSTROPHE: Final = re.compile(f"[{_APOSTROPHES}]")
_ASCII_WORD: Final = re.compile(r"[a-zA-Z0-9]++(?:'[a-zA-Z0-9]++)*+")
_APART: Final = bytes(code if chr(code).isalnum() or chr(code) == "'" else ord(" ") for code in range(128)).ljust(256)
"""What parts words of ASCII is a space."""
_new: Final = tuple.__new__
"""A named tuple is made by it in half the time: of each hit every matched word is marked."""
_IGNORED: Final = re.compile("[\u200c\u200d\ufe00-\ufe0f\u20d0-\u20f0\U000e0000-\U000e01ef]")
_WITH_MARKS: Final = ((0x300, 0x3400), (0xA000, 0xAC00), (0xF900, 0x17000), (0x18D00, 0x20001))
_ENDINGS: Final = frozenset({"s", "ll", "re", "ve", "d", "m"})
"""What may follow an English word's apostrophe and is a word of its own."""
_UNDECOMPOSED: Final = str.maketrans(
    {"\u0131": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t"}
)
_LONE_PREFIX: Final = 2

_COMMON: Final = """
a about am an and any are as at be been but by can could did do does for from had has have he her him his
how i if in into is it its me my no not of on or our she should so than that the their them then there these
they this those to us was we were what when where which who whom whose why will with would you your
"""
FUNCTION_WORDS: Final = frozenset(_COMMON.split())
"""The commonest English words: they say little of what a text is about."""


class QueryTerm(NamedTuple):
    """A term to look up, and the word that the user typed for it."""

    term: str
    spelling: str


class Span(NamedTuple):
    """A word's place in its text, and its terms. Pairs of characters overlap."""

    start: int
    end: int
    terms: tuple[str, ...]


def document_words(
    name: str, value: str, tags: Iterable[str] = (), entities: Iterable[str] = ()
) -> tuple[list[str], int]:
    """What is indexed of an atom: its value, tags, entities and the parts of its name but for its version, as one.

    Every term as often as it occurs; and how many words there are.
    """
    terms: list[str] = []
    length = 0
    typed = name.partition(".")[2]
    for token in find_words(typed):
        words, found = _of_name[token]
        length += words
        terms += found
    tokens = _tokens("\n".join((value, *tags, *entities)))
    plain = list(map(_one_term.__getitem__, tokens))
    if "" in plain:
        others = [token for token, term in zip(tokens, plain, strict=True) if not term]
        plain = [term for term in plain if term]
        for token in others:
            words, found = _of_text[token]
            length += words
            terms += found
    return terms + plain, length + len(plain)


def query_terms(text: str) -> list[QueryTerm]:
    """What to look up, each term once, in the order typed. Empty if there is no word in it."""
    found: dict[str, QueryTerm] = {}
    common: dict[str, QueryTerm] = {}
    for spelling in find_words(text):
        word = spelling.lower()
        plain = word if word.isascii() and word.isalnum() else _APOSTROPHE.split(word)[0]
        kept = common if plain in FUNCTION_WORDS else found
        for piece in _pieces(spelling):
            for term in piece.terms:
                kept.setdefault(term, QueryTerm(term, spelling[piece.start : piece.end]))
    return list((found or common).values())


def word_count(terms: Iterable[QueryTerm]) -> float:
    """Of how many words these terms are: accents make two of one, and pairs of characters overlap by half."""
    words: set[str] = set()
    pairs = 0
    for term, spelling in terms:
        if not term.isascii() and _runs_pattern().match(term):
            pairs += 1
        else:
            words.add(spelling)
    return len(words) + pairs / 2


def spans(text: str) -> Iterator[Span]:
    """Every word of a text, in order, with its terms: where one is a term of the query, the query has matched."""
    if text.isascii():  # each word is one piece
        for match in _ASCII_WORD.finditer(text):
            yield Span(match.start(), match.end(), _of_text[match[0]][1])
        return
    for match in _word().finditer(text.replace("_", " ")):
        for start, end, terms in _pieces(match[0], singles=True):
            if terms:
                yield Span(match.start() + start, match.start() + end, terms)


def matching(text: str, wanted: AbstractSet[str]) -> list[Span]:
    """The words of a text that have one of these terms, in order."""
    if not text.isascii():
        return [span for span in spans(text) if not wanted.isdisjoint(span.terms)]
    words = find_words(text)
    terms = list(map(_one_term.__getitem__, words))
    found: list[Span] = []
    if wanted.isdisjoint(terms) and "" not in terms:
        return found
    find, end = text.find, 0
    for word, term in zip(words, terms, strict=True):
        start = find(word, end)  # nothing that a word begins with lies between two words
        end = start + len(word)
        if term in wanted:
            found.append(_new(Span, (start, end, (term,))))
        elif not term and not wanted.isdisjoint(several := _of_text[word][1]):
            found.append(Span(start, end, several))
    return found


def has_whole(text: str, part: str) -> bool:
    """Whether a part stands in a text as whole words: `al` in `to al, and`, not in `malmö`. Both are in one spelling.

    In a script that writes no spaces between words, it may stand anywhere.
    """
    return _has_whole(text, part, lambda: _parted(text))


def _has_whole(text: str, part: str, apart: Callable[[], str]) -> bool:
    at = text.find(part) if part else -1
    for _ in range(_LOOKS):
        if at < 0:
            return False
        end = at + len(part)
        if not (_is_one_word(text[at - 1 : at + 1]) or _is_one_word(text[end - 1 : end + 1])):
            return True
        at = text.find(part, at + 1)
    return at >= 0 and _parted(part) in apart()


def _parted(text: str) -> str:
    """The text, with a line end before and after it, and between two characters that are not of one word.

    Whole words are found in it at once, where a part stands within a great many words.
    """
    return "\n".join(("", *_words_and_signs(is_ascii=text.isascii()).findall(text), ""))


@lru_cache(maxsize=2)
def _words_and_signs(*, is_ascii: bool) -> re.Pattern[str]:
    """Characters that follow each other and are of one word, or any other character. See `_is_one_word`."""
    if is_ascii:
        return re.compile("[0-9a-zA-Z]+|.", re.DOTALL)
    marks = "".join(one for one in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(one)[0] == "M")
    return re.compile(f"(?:[^\\W_{_PAIRED}]+|(?![{_PAIRED}])[{re.escape(marks)}])+|.", re.DOTALL)


def unnamed(text: str, entities: Iterable[str]) -> Iterator[str]:
    """The entities that a text does not name, in whatever case: `Lives in London` does not say who."""
    said = _spoken(text)
    apart = cache(lambda: _parted(said))  # once for all: a text may have a million characters, and 100 entities
    return (entity for entity in entities if not _has_whole(said, _spoken(entity), apart))


def _spoken(text: str) -> str:
    return " ".join(text.casefold().replace("_", " ").split())


def _is_one_word(two: str) -> bool:
    """Whether two characters that follow each other belong to one word. Not so of less than two."""
    if len(two) < 2 or not all(one.isalnum() or unicodedata.category(one)[0] == "M" for one in two):  # noqa: PLR2004
        return False
    return two.isascii() or _runs_pattern().search(two) is None


@lru_cache(maxsize=4096)  # tags and entities are few
def keyword(text: str) -> str:
    """The one spelling in which tags and entities are compared."""
    if text.isascii():
        return text.lower()
    text = text if len(text) <= _MANY else _in_order(text)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _in_order(text: str) -> str:
    """A text that is normalised to the same as this one, but in a time that grows with its length.

    To normalise is to sort marks that follow each other, by a way that takes a second for 30,000 of them. Here they
    come sorted.
    """
    if text.isascii():
        return text
    taken_apart = "".join(unicodedata.normalize("NFKD", character) for character in text)
    runs = groupby(taken_apart, key=lambda character: unicodedata.combining(character) != 0)
    return "".join("".join(sorted(run, key=unicodedata.combining) if are_marks else run) for are_marks, run in runs)


def fit(term: str) -> str:
    """The term, or its hash if it is too long. No word begins as a hash does."""
    if len(term) * 4 <= MAX_TERM:
        return term
    data = term.encode()
    return term if len(data) <= MAX_TERM else "#" + blake2b(data, digest_size=16).hexdigest()


# -- words -------------------------------------------------------------------------------------------------------------


@cache
def _word() -> re.Pattern[str]:
    """A word of any script. Python's own idea of a word breaks off at marks, which is at every vowel of Hindi."""
    marks = "".join(f"{first}-{last}" for first, last in _ranges_of_marks())
    inside = rf"\w[\w{_JOINERS}{marks}]*"
    return re.compile(rf"{inside}(?:[{_APOSTROPHES}]{inside})*|[{_PICTOGRAMS}]")


def _ranges_of_marks() -> Iterator[tuple[str, str]]:
    """The marks of all scripts, as ranges from the first to the last character.

    They lie in the first two planes; variation selectors, far behind, are nothing to look for. Ideographs, Hangul,
    surrogates and private use have none. Of the others few are asked for their category, which takes long.
    """
    characters = chain.from_iterable(map(chr, range(*ends)) for ends in _WITH_MARKS)
    signs = filterfalse(str.isalnum, filter(str.isprintable, characters))
    first = last = ""
    for mark in (sign for sign in signs if unicodedata.category(sign)[0] == "M"):
        if last and ord(mark) == ord(last) + 1:
            last = mark
            continue
        if last:
            yield first, last
        first = last = mark
    yield first, last


@cache
def _han() -> re.Pattern[str]:
    """A Chinese character. Compiled when it is first needed, as the others of many ranges are: most texts have none."""
    return re.compile(_HAN_SIGNS)


@cache
def _runs_pattern() -> re.Pattern[str]:
    """Characters of a script that is indexed by pairs, as many as follow each other."""
    return re.compile(f"([{_PAIRED}]+)")


def find_words(text: str) -> list[str]:
    """The words of a text, as they are spelled, of any script."""
    if text.isascii():
        return _ASCII_WORD.findall(text) if "'" in text else _tokens(text)
    return _word().findall(text.replace("_", " "))


def _tokens(text: str) -> list[str]:
    """The words of a text, some with apostrophes around them, or several with apostrophes between: analysed, the same.

    To find the very words takes twice as long.
    """
    if text.isascii():
        return text.encode().translate(_APART).decode().split()
    return find_words(text)


class _Memo(dict[str, _Analysed]):
    """Tokens that were met before: most words of a text are among a few thousand."""

    def __init__(self, analyse: Callable[[str], _Analysed]) -> None:
        super().__init__()
        self._analyse = analyse

    def __missing__(self, token: str) -> _Analysed:
        analysed = self._analyse(token)
        if _is_to_remember(token) and len(analysed[1]) <= _FEW:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[token] = analysed
        return analysed


def _is_to_remember(token: str) -> bool:
    """There are too many long numbers."""
    return len(token) <= _SHORT and not (len(token) > _DIGITS and token.isdigit())


def _analyse_text(token: str) -> _Analysed:
    if token.isascii() and token.isalnum():
        return 1, (_term_of(token),)
    terms: list[str] = []
    words = 0
    for run in _runs(_even(token)):
        if _runs_pattern().match(run):
            words += max(1, len(run) - 1)
            terms += _pairs(run)
            terms += _singles(run)
        else:
            forms = _forms(run)
            words += bool(forms)
            terms += forms
    return words, tuple(terms)


def _term_of(token: str) -> str:
    """The term of a word of letters and digits of ASCII."""
    word = token.lower()
    return fit(_stem(word) if word.isalpha() else word)


def _analyse_name(token: str) -> _Analysed:
    humps = [] if token.islower() else _humps(token)
    if len(humps) <= 1:
        return _of_text[token]
    whole = _analyse_text(token)[1]
    parts = [_analyse_text(hump) for hump in humps]
    return sum(words for words, _ in parts), (*whole, *(term for _, terms in parts for term in terms))


def _humps(token: str) -> list[str]:
    """`camelCase` as camel and Case, `HTTPServer` as HTTP and Server."""
    humps, begun = [], 0
    for i in range(1, len(token)):
        if token[i].isupper() and (not token[i - 1].isupper() or (i + 1 < len(token) and token[i + 1].islower())):
            humps.append(token[begun:i])
            begun = i
    return [*humps, token[begun:]]


_of_text: Final = _Memo(_analyse_text)
_of_name: Final = _Memo(_analyse_name)


class _OneTerm(dict[str, str]):
    """The term of each token that is one word with one term, as most are; of others nothing. So C looks all up."""

    def __missing__(self, token: str) -> str:
        if token.isdigit() and _DIGITS < len(token) <= _SHORT and token.isascii():
            return token  # its own term, and nothing to remember
        word = token.strip("'")
        if word.isascii() and word.isalnum():
            term = _term_of(word)
        else:
            words, terms = _of_text[token]
            term = terms[0] if words == len(terms) == 1 else ""
        if _is_to_remember(token):
            if len(self) >= _REMEMBERED:
                self.clear()
            self[token] = term
        return term


_one_term: Final = _OneTerm()


def _even(token: str) -> str:
    """The same for all spellings of the same letters."""
    if token.isascii():
        return token.lower()
    return keyword(_IGNORED.sub("", token))


def _runs(text: str) -> list[str]:
    """The words in an evened token: NFKC may have opened it up, and scripts may change in it."""
    if text.isascii() and text.isalnum():
        return [text]
    return [run for word in find_words(text) for run in _runs_pattern().split(word) if run]


def _pieces(token: str, *, singles: bool = False) -> Iterator[Span]:
    """The parts of a word as typed that are looked up on their own, with their places in it."""
    if token.isascii() and token.isalnum():  # as most are: what was met before is known
        yield Span(0, len(token), _of_text[token][1])
        return
    evened = _even(token)
    runs = _runs(evened)
    if len(runs) == 1 and not _runs_pattern().match(evened):
        yield Span(0, len(token), tuple(_forms(evened)))
        return
    # Characters keep their places only if each was evened to just one.
    if len(evened) == len(token) and all(keyword(a) == b for a, b in zip(token, evened, strict=True)):
        at = 0
        for run in runs:
            at = evened.index(run, at)
            yield from _placed(run, at, singles=singles)
            at += len(run)
        return
    for run in runs:
        paired = _runs_pattern().match(run)
        terms = [*_pairs(run), *(_singles(run) if singles else ())] if paired else _forms(run)
        yield Span(0, len(token), tuple(terms))


def _placed(run: str, at: int, *, singles: bool) -> Iterator[Span]:
    if not _runs_pattern().match(run):
        yield Span(at, at + len(run), tuple(_forms(run)))
        return
    for i, pair in enumerate(_pairs(run)):
        if singles and len(run) > 1 and _han().match(run[i]):
            yield Span(at + i, at + i + 1, (run[i],))
        yield Span(at + i, at + i + len(pair), (pair,))
    if singles and len(run) > 1 and _han().match(run[-1]):
        yield Span(at + len(run) - 1, at + len(run), (run[-1],))


# -- forms of a word ---------------------------------------------------------------------------------------------------


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]


def _singles(run: str) -> list[str]:
    return _han().findall(run) if len(run) > 1 else []


def _forms(word: str) -> list[str]:
    """The terms of an evened word that is written with spaces around it."""
    pieces = _APOSTROPHE.split(word)
    if len(pieces) > 1 and pieces[-1] in _ENDINGS:
        pieces.pop()
    words = ["".join(pieces)]
    if len(pieces) > 1 and len(pieces[0]) <= _LONE_PREFIX and len(pieces[-1]) > _LONE_PREFIX:
        words.append("".join(pieces[1:]))  # `l'amour` is found as amour too
    forms: list[str] = []
    for exact in words:
        folded = exact if exact.isascii() else _fold(exact)
        if not folded:
            continue  # marks and apostrophes without a letter
        if folded != exact:
            forms.append(fit(exact))
        forms.append(fit(_stem(folded) if folded.isascii() and folded.isalpha() else folded))
    return list(dict.fromkeys(forms))


def _fold(word: str) -> str:
    """Without accents and points; digits of any script as 0 to 9. Vowel signs of Indic scripts are letters and stay."""
    kept = [
        str(digit) if (digit := unicodedata.decimal(character, None)) is not None else character
        for character in unicodedata.normalize("NFD", word)
        if not _is_accent(unicodedata.combining(character))
    ]
    return unicodedata.normalize("NFC", "".join(kept)).translate(_UNDECOMPOSED)


def _is_accent(combining: int) -> bool:
    """By its combining class: overlays, points of Hebrew and Arabic, and what stands above or below a letter."""
    return combining == 1 or 10 <= combining <= 36 or combining >= 200  # noqa: PLR2004 - Unicode's numbers


@cache
def _stemmer() -> Callable[[str], str]:
    import Stemmer  # noqa: PLC0415 - `import substrate` stays light

    stem: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord
    return stem


_STEMMING: Final = Lock()
"""One stemmer for all threads: it is not made for two at once."""


def _stem(word: str) -> str:
    with _STEMMING:
        return _stemmer()(word)
