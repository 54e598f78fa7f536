"""A line of `%memory`, taken apart: into words, into options and free text.

A name from the store is never syntax on such a line. One form is evaluated: an argument, or a question, that as a whole
is `{expression}`, unquoted. No name can be one, since a name begins with `v1.` or the like. A name that was pasted
without quotes may hold spaces, and further words: so behind a word that begins a name nothing is evaluated.

Splitting comes before that: what an expression comes to is one word, or free text, whatever is in it.
"""

from __future__ import annotations

import re
from argparse import Namespace
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile

from IPython.core.error import UsageError

from substrate.notebook.spelling import suggestion
from substrate.notebook.verb import Verb
from substrate.text.quote import ESCAPED_WORD, QUOTE, QUOTED_WORD, unescaped

__all__ = ["Word", "asks_for_help", "parse_line", "split_line"]

_NAME = re.compile(r"[vV][0-9]+\.")
_PART = re.compile(r"\{[^\W\d]\w*\}")
"""`{folder}/store`."""
_FLAG = re.compile(r"--[A-Za-z][\w-]*=")
_QUOTE_IT = "put it in quotes"
_HELP = ("--help", "-h")
Names = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line, without the quotes around it; where it begins and ends there, with them."""

    text: str
    start: int
    end: int
    literal: bool = False
    """Whether it is in quotes, or its value is: `--source="a b"`."""
    quoted: bool = False
    """Whether all of it is in quotes."""

    @property
    def is_option(self) -> bool:
        """Whether it reads like one: `--limit`, `-o`."""
        return not self.quoted and bool(re.match(r"--?[A-Za-z]", self.text))


def split_line(line: str, start: int = 0) -> Iterator[Word]:
    r"""The words from `start` on. Quotes hold a word together where they open and close one; else they are letters.

    So `"two words"` is one, and `what's` needs no care. `'what'\''s new'` and `$'...'` are as in a shell
    (`text/quote.py`). A brace at the beginning of a word holds together what it encloses: `{" ".join(names)}`.
    One after another: who needs the first of them does not read what is to be stored.
    """
    pairs = _Pairs(line)
    at = start
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        word = _quoted(line, at, pairs) or _plain(line, at, pairs)
        yield word
        at = word.end


class _Pairs:
    """Where what is opened in a line is closed. Found in one pass: a line may be long, and most of it left open."""

    def __init__(self, line: str) -> None:
        self._line = line

    @cached_property
    def braces(self) -> dict[int, int]:
        """Of each brace that is closed, where."""
        found: dict[int, int] = {}
        opened: list[int] = []
        for brace in re.finditer("[{}]", self._line):
            if brace[0] == "{":
                opened.append(brace.start())
            elif opened:
                found[opened.pop()] = brace.start()
        return found

    @cached_property
    def _closing(self) -> dict[str, list[int]]:
        return {quote: [found.start() for found in re.finditer(rf"{quote}(?=\s|$)", self._line)] for quote in "\"'"}

    def quote(self, at: int) -> int | None:
        """Where the quote that opens here is closed, at the end of a word; None if there is none, or it is not."""
        places = self._closing.get(self._line[at], [])
        after = bisect_right(places, at)
        return places[after] if after < len(places) else None


def _quoted(line: str, at: int, pairs: _Pairs) -> Word | None:
    """The word in quotes that begins here; None if there is none."""
    if (escaped := ESCAPED_WORD.match(line, at)) is not None:
        try:
            return Word(unescaped(escaped[1]), at, escaped.end(), literal=True, quoted=True)
        except ValueError:
            return None
    if (shells := QUOTED_WORD.match(line, at)) is not None and QUOTE in shells[1]:
        return Word(shells[1].replace(QUOTE, "'"), at, shells.end(), literal=True, quoted=True)
    end = pairs.quote(at) if line[at : at + 1] in ("'", '"') else None
    return None if end is None else Word(line[at + 1 : end], at, end + 1, literal=True, quoted=True)


def _plain(line: str, at: int, pairs: _Pairs) -> Word:
    flag = _FLAG.match(line, at)  # --objective="two words"
    value_at = at if flag is None else flag.end()
    value = None if flag is None else _quoted(line, value_at, pairs)
    if flag is not None and value is not None:
        return Word(flag[0] + value.text, at, value.end, literal=True)
    end = value_at
    if line[end : end + 1] == "{":
        end = pairs.braces.get(end, end)
    while end < len(line) and not line[end].isspace():
        end += 1
    return Word(line[at:end], at, end)


# -- expressions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Given:
    """One argument as it is typed: a word of its own, or the value of the option `flag` (None: it has none)."""

    text: str | None
    literal: bool
    behind_name: bool
    """Whether a name stands before it. It may be part of that name, pasted without quotes: it is never evaluated."""
    flag: str = ""

    def values(self, names: Names) -> list[str]:
        """What it stands for: itself; or, as a whole in braces, what that comes to. A list is several."""
        if self.text is None:
            return []
        if self.literal or not self.text.startswith(("{", "$")):
            return [self.text]
        if not _is_expression(self.text):
            self._refuse_part(names)
            return [self.text]
        value = self._evaluated(names)
        return [str(item) for item in value] if isinstance(value, list | tuple) else [str(value)]

    def _evaluated(self, names: Names) -> object:
        if self.behind_name:
            raise UsageError(
                f"{self.text} stands behind a name, where nothing is evaluated: put it before the name. "
                "If it is part of the name, put the whole name in quotes"
            )
        try:
            return eval(str(self.text)[1:-1].strip(), dict(names))  # noqa: S307 - the user's own code, asked for by braces
        except Exception as error:  # noqa: BLE001 - any expression may fail in any way
            what = f"{type(error).__name__}: {error}"
            raise UsageError(f"{self.text} cannot be evaluated ({what}). If it is meant as text, {_QUOTE_IT}") from None

    def _refuse_part(self, names: Names) -> None:
        """Refuse what was once expanded, and would now be another text than the user means."""
        text = str(self.text)
        if text.startswith("$") and text[1:] in names:
            raise UsageError(f"{text} is not put in: write {{{text[1:]}}}. If it is meant as text, {_QUOTE_IT}")
        if _PART.match(text):
            raise UsageError(
                f"{text} is not evaluated: braces count only around a whole argument, as in {{f'{text}'}}. "
                f"If it is meant as text, {_QUOTE_IT}"
            )


def _is_expression(text: str) -> bool:
    """Whether the braces at its two ends belong together, and there is something in them."""
    return len(text) > len("{}") and _Pairs(text).braces.get(0) == len(text) - 1


# -- options and the rest ----------------------------------------------------------------------------------------------


def asks_for_help(verb: Verb, line: str) -> bool:
    """Whether the line asks what the verb does: `--help` where an option could stand, and not within free text."""
    before = takewhile(lambda word: word.text != "--", split_line(line))
    if verb.stores:
        places = list(islice(before, 1))
    else:
        places = list(before)
        if verb.rest:
            places = [*places[:1], *places[-1:]]
    return any(not word.literal and word.text in _HELP for word in places)


def parse_line(verb: Verb, line: str, names: Names) -> Namespace:
    """What the line gives to the verb. UsageError in a line, with the nearest option for one that there is not."""
    options, plain, rest = _sorted(verb, line)
    given = [part for one in options for part in _option(one.flag, one.values(names))]
    if not verb.rest:
        # Behind `--` nothing is taken for an option, whatever a variable holds.
        words = [word for one in plain for word in one.values(names)]
        return verb.parser.parse_args([*given, "--", *words] if words else given)
    parsed = verb.parser.parse_args(given)
    setattr(parsed, verb.rest, rest.text if verb.stores else _free_text(rest, names))
    return parsed


def _free_text(rest: _Given, names: Names) -> str:
    """A question as it is typed; or, if all of it is an expression, what that comes to."""
    text = rest.text or ""
    if rest.literal or not (_is_expression(text) or (text.startswith("$") and text[1:] in names)):
        return text
    return " ".join(rest.values(names))


def _option(flag: str, values: list[str]) -> list[str]:
    """As one word, so that a value that begins with a dash is a value all the same."""
    joined = flag + "=" if flag.startswith("--") else flag
    return [joined + value for value in values] or [flag]


def _sorted(verb: Verb, line: str) -> tuple[list[_Given], list[_Given], _Given]:
    """The options with their values; the other words; and, as it was typed, all that is no option."""
    options: list[_Given] = []
    plain: list[_Given] = []
    kept: list[str] = []
    words = split_line(line)
    since = 0
    named = ended = False
    text_behind_name: bool | None = None
    for word in words:
        if word.text == "--":
            plain += [_Given(other.text, literal=True, behind_name=named) for other in words]
            kept.append(line[since : word.start])
            since, ended = word.end, True
            break
        within_text = bool(verb.rest) and word.text in _HELP  # else it would have been heeded: `asks_for_help`
        if not word.is_option or within_text:
            text_behind_name = named if text_behind_name is None else text_behind_name
            if verb.stores:
                break
            plain.append(_Given(word.text, word.literal, named))
            named = named or _begins_a_name(word.text)
            continue
        flag, equals, value = word.text.partition("=")
        known = verb.command.option(flag)
        if known is None:
            raise UsageError(f"%memory {verb.name} has no option {flag}{suggestion(flag, verb.command.flags)}")
        end, given = word.end, _Given(value if equals else None, word.literal, named, flag)
        if known.takes_value and not equals:
            following = next(words, None)
            if following is None:
                raise UsageError(f"{flag} needs a value")
            given, end = _Given(following.text, following.literal, named, flag), following.end
        options.append(given)
        named = named or _begins_a_name(given.text or "")
        kept.append(line[since : word.start])
        since = end
    kept.append(line[since:])
    typed = " ".join(part.strip() for part in kept if part.strip())
    text = _unquoted(typed, verb)
    return options, plain, _Given(text, ended or text != typed, bool(text_behind_name))


def _begins_a_name(text: str) -> bool:
    return _NAME.match(text) is not None


def _unquoted(text: str, verb: Verb) -> str:
    """Free text without quotes around all of it, since a habit of shells puts them there. Never what is stored."""
    quoted = None if verb.stores else re.fullmatch(r"""(["'])(.*)\1""", text, re.DOTALL)
    return quoted[2] if quoted is not None and quoted[1] not in quoted[2] else text
