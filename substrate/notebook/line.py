"""A line of `%memory`, taken apart: into words, into options and free text, with variables put in where they belong.

Splitting comes before expansion: what a variable holds is one word, or free text, whatever is in it.
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
from IPython.utils.text import FullEvalFormatter

from substrate.notebook.spelling import suggestion
from substrate.notebook.verb import Verb

__all__ = ["Word", "asks_for_help", "expanded", "parse_line", "split_line"]

_VARIABLE = re.compile(r"\$\$?[^\W\d]\w*")
_HELP = ("--help", "-h")
Names = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line, without the quotes around it; where it begins and ends there, with them."""

    text: str
    start: int
    end: int

    @property
    def is_option(self) -> bool:
        """Whether it reads like one: `--limit`, `-o`."""
        return bool(re.match(r"--?[A-Za-z]", self.text))


def split_line(line: str, start: int = 0) -> Iterator[Word]:
    """The words from `start` on. Quotes hold a word together where they open and close one; else they are letters.

    So `"two words"` is one, and `what's` needs no care. Braces hold together what they enclose: `{" ".join(names)}`.
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
    end = pairs.quote(at) if line[at : at + 1] in ("'", '"') else None
    return None if end is None else Word(line[at + 1 : end], at, end + 1)


def _plain(line: str, at: int, pairs: _Pairs) -> Word:
    end = at
    while end < len(line) and not line[end].isspace():
        end = (pairs.braces.get(end, end) if line[end] == "{" else end) + 1
    flag, equals, _ = line[at:end].partition("=")
    if equals and flag.startswith("--"):  # --objective="two words"
        value = _quoted(line, at + len(flag) + 1, pairs)
        if value is not None:
            return Word(f"{flag}={value.text}", at, value.end)
    return Word(line[at:end], at, end)


# -- variables ---------------------------------------------------------------------------------------------------------


def expanded(text: str, names: Names) -> str:
    """The text with `$name` and `{expression}` put in; each that means nothing stays as it is. `$$` and `{{` escape."""
    parts = []
    at = 0
    pairs = _Pairs(text)
    while at < len(text):
        end = at + 1
        if text[at] == "{":
            end = pairs.braces.get(at, at) + 1
        elif (found := _VARIABLE.match(text, at)) is not None:
            end = found.end()
        parts.append(_put_in(text[at:end], names))
        at = end
    return "".join(parts)


def _put_in(part: str, names: Names) -> str:
    """One `$name` or `{expression}`, evaluated; any other text as it is."""
    if part.startswith("$"):
        return part[1:] if part.startswith("$$") else str(names[part[1:]]) if part[1:] in names else part
    if not part.startswith("{") or len(part) <= len("{}"):
        return part
    try:
        return str(FullEvalFormatter().vformat(part, args=[], kwargs=names))
    except Exception:  # noqa: BLE001 - any expression may fail in any way; then it was none
        return part


def _expanded_word(text: str, names: Names) -> list[str]:
    """A word as the words that it stands for: several if it is a variable that holds a list."""
    value = names.get(text[1:]) if text.startswith("$") else None
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return [expanded(text, names)]


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
    return any(line[word.start : word.end] in _HELP for word in places)


def parse_line(verb: Verb, line: str, names: Names) -> Namespace:
    """What the line gives to the verb. UsageError in a line, with the nearest option for one that there is not."""
    options, plain, rest = _sorted(verb, line)

    def put_in(texts: list[str]) -> list[str]:
        return [word for text in texts for word in _expanded_word(text, names)]

    given = [part for flag, values in options for part in _option(flag, put_in(values))]
    if not verb.rest:
        # Behind `--` nothing is taken for an option, whatever a variable holds.
        return verb.parser.parse_args([*given, "--", *put_in(plain)] if plain else given)
    parsed = verb.parser.parse_args(given)
    setattr(parsed, verb.rest, rest if verb.stores else expanded(rest, names))
    return parsed


def _option(flag: str, values: list[str]) -> list[str]:
    """As one word, so that a value that begins with a dash is a value all the same."""
    joined = flag + "=" if flag.startswith("--") else flag
    return [joined + value for value in values] or [flag]


def _sorted(verb: Verb, line: str) -> tuple[list[tuple[str, list[str]]], list[str], str]:
    """The options with their values; the other words; and, as it was typed, all that is no option."""
    options: list[tuple[str, list[str]]] = []
    plain: list[str] = []
    kept: list[str] = []
    words = split_line(line)
    since = 0
    for word in words:
        if word.text == "--":
            plain += [other.text for other in words]
            kept.append(line[since : word.start])
            since = word.end
            break
        within_text = bool(verb.rest) and word.text in _HELP  # else it would have been heeded: `asks_for_help`
        if not word.is_option or line[word.start] in "\"'" or within_text:
            if verb.stores:
                break
            plain.append(word.text)
            continue
        flag, equals, value = word.text.partition("=")
        known = verb.command.option(flag)
        if known is None:
            raise UsageError(f"%memory {verb.name} has no option {flag}{suggestion(flag, verb.command.flags)}")
        end, values = word.end, [value] if equals else []
        if known.takes_value and not equals:
            following = next(words, None)
            if following is None:
                raise UsageError(f"{flag} needs a value")
            values, end = [following.text], following.end
        options.append((flag, values))
        kept.append(line[since : word.start])
        since = end
    kept.append(line[since:])
    return options, plain, _unquoted(" ".join(part.strip() for part in kept if part.strip()), verb)


def _unquoted(text: str, verb: Verb) -> str:
    """Free text without quotes around all of it, since a habit of shells puts them there. Never what is stored."""
    quoted = None if verb.stores else re.fullmatch(r"""(["'])(.*)\1""", text, re.DOTALL)
    return quoted[2] if quoted is not None and quoted[1] not in quoted[2] else text
