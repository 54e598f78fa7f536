"""Names that signs set apart: code spans, titles, addresses, files, identifiers. For `extract`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from substrate.text.canonical import is_canonical_key
from substrate.text.no_names import FUNCTION_ELSEWHERE, SYNTAX

__all__ = ["CASELESS", "HIDE", "Sign", "find_signs", "has_caseless", "hide"]


class Sign(NamedTuple):
    """A name and its place in a text. Without a `kind` it is no name, and what is in it is none either."""

    start: int
    end: int
    name: str
    kind: str


CASELESS: Final = (
    "\u0590-\u109f\u10d0-\u139f\u1400-\u1c7f\u1cd0-\u1cff\u2e80-\ua63f\ua800-\uab2f\uabc0-\ud7ff\uf900-\ufaff\ufb1d-\ufdff"
    "\ufe70-\ufefc\uff65-\uffdc\U00011000-\U00011fff\U00016800-\U00018fff\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)
"""The scripts that have no capitals, as a part of a pattern."""
HIDE: Final = "\x01"
"""What stands for each character of what was found: neither a letter, nor a space, nor the end of a sentence."""

_SPANS: Final = re.compile(
    r"[`~《『<\"“„«](?:"  # first what all begin with: the search passes over everything else at once
    r"(?P<fence>(?:(?<=^`)``|(?<=^~)~~)[^\n]*+(?:\n(?!```|~~~)[^\n]*+)*+(?:\n(?:```|~~~)|\Z))"
    r"|(?<=`)(?<!``)(?P<ticks>`{0,2})(?P<code>[^`\n]{1,200})`(?P=ticks)(?!`)"
    r"|(?<=《)(?P<title>[^《》\n]{1,100})》|(?<=『)(?P<book>[^『』\n]{1,100})』"
    r"|(?<=<)(?P<tag>/?[a-z][a-z0-9-]{0,20}(?:\s[^<>\n]{0,120})?/?>)"
    r"|(?<=[\"“„«])(?P<quote>[^\"“”„«»\n]{1,100})[\"”“»])",
    re.MULTILINE,
)
_NO_CODE: Final = tuple("%$&!-<[('\"*=\\")
"""How code begins that names nothing: a flag, a value, an escape, a tag, a mark of some syntax."""
_QUOTED_WORD: Final = re.compile(r"[^\W_][\w'\u2019-]*")
_INNER: Final = re.compile(r"[@_/]|\w\.\w|\w\(\)|(?<!\S)\.[A-Za-z]")
_INNER_SIGN: Final = re.compile(r"[@_/.(](?:(?<![.(])|(?<=\.)(?=\w)|(?<=\()(?=\)))")
"""What every `_INNER` has."""
_CHUNK: Final = re.compile(rf"[^\s{HIDE}{CASELESS}]+")
_LONGEST: Final = 400
"""Characters without a space that are looked at. No entity is longer."""
_SHORT: Final = 48
"""Characters of what is kept, as it may be met again."""
_OPENING: Final = "([{<\"'“\u2018«*|#"
_CLOSING: Final = ".,;:!?)]}>\"'”\u2019»*…|~"
_URL: Final = re.compile(r"(?:https?|ftps?|ssh|git|s3|file)://[^\s<>\"'|\\]+|www\.[\w-]+\.[^\s<>\"'|\\]+")
_MAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HANDLE: Final = re.compile(r"@[A-Za-z0-9][\w-]+(?:/[\w.-]+)?")
_EXTENSIONS: Final = (
    "avi|bash|bat|bib|bin|bz2|c|cc|cfg|conf|cpp|cs|css|csv|dat|db|dll|doc|docx|env|epub|exe|gif|go|gz|h|hpp|htm|html|ico|"
    "ini|ipynb|iso|jar|java|jpeg|jpg|js|json|jsonl|jsx|kt|lock|log|lua|md|mdx|mjs|mov|mp3|mp4|odt|parquet|pdf|php|pkl|"
    "png|ppt|pptx|proto|ps1|psd|py|pyi|rb|rs|rst|rtf|scala|sh|sql|sqlite|svg|swift|tar|tex|tgz|tif|tiff|toml|ts|tsv|tsx|"
    "ttf|txt|vue|wasm|wav|webp|whl|xls|xlsx|xml|yaml|yml|zip|zsh"
)
_SCRIPT_LIBRARY: Final = re.compile(r"[A-Z]\w*\.js")
"""Node.js, Vue.js: a name rather than a file."""
_FILE: Final = re.compile(rf"(?:[~.]{{0,2}}/)?(?:[\w.@+-]+/)*[\w.@+-]*\w\.(?:{_EXTENSIONS})", re.IGNORECASE)
_PATH: Final = re.compile(r"(?:~|\.{1,2})?/[\w.@+-]+(?:/[\w.@+-]+)*/?|[\w.@+-]+(?:/[\w.@+-]+){2,}/?|[a-z][\w.-]+/")
_HIDDEN_FILE: Final = re.compile(r"\.[A-Za-z][\w-]+(?:\.[\w-]+)*")
"""`.env`, and .NET with it."""
_HOST: Final = re.compile(
    r"(?:[a-z0-9][a-z0-9-]*\.)+(?:com|org|net|io|dev|ai|app|edu|gov|info|example|local|eu|uk|us|de|fr|es|it|nl|ch|at|pl|"
    r"se|no|jp|cn|in|br|au|ca|ru|tv|me)(?:/[^\s<>\"']*)?"
)
_IDENTIFIER: Final = re.compile(
    r"(?=[\w.]*[A-Za-z])(?:_*[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_*|__\w+__"  # search_atoms, __init__
    r"|[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+|[A-Za-z_]\w*(?:\.\w+)*(?=\(\)))(?:\(\))?"  # Session.close, close()
)
_WHOLE: Final = (
    ("name", _SCRIPT_LIBRARY, ".js"),
    ("file", _FILE, "."),
    ("address", _HOST, "."),
    ("code", _IDENTIFIER, ""),
    ("file", _PATH, "/"),
    ("file", _HIDDEN_FILE, "."),
)
"""Kinds of names, in the order in which they are tried: each with its pattern, and with what every such name has."""
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}


def find_signs(text: str) -> list[Sign]:
    """What signs set apart: first spans with a sign at both ends, then what has one inside."""
    found = list(_spans(text))
    rest = hide(text, found) if found else text
    at = 0
    while (inner := _INNER_SIGN.search(rest, at)) is not None:
        start, at = _around(rest, at, inner.start())
        if at - start <= _LONGEST:
            chunk = rest[start:at]
            sign = _of_short_chunk(chunk) if len(chunk) <= _SHORT else _of_chunk(chunk)
            if sign is not None:
                found.append(Sign(start + sign.start, start + sign.end, sign.name, sign.kind))
    return found


def _around(text: str, least: int, at: int) -> tuple[int, int]:
    """From where to where the characters without a space around this one go. What is too long begins too late."""
    before = _CHUNK.match(text[max(least, at - _LONGEST) : at][::-1])
    behind = _CHUNK.match(text, at)
    return at - (0 if before is None else before.end()), at + 1 if behind is None else behind.end()


def has_caseless(text: str) -> bool:
    """Whether a character of a script without capitals is in a text."""
    return not text.isascii() and _caseless().search(text) is not None


@cache
def _caseless() -> re.Pattern[str]:
    """Compiled when it is first needed: most texts are of ASCII alone."""
    return re.compile(rf"[{CASELESS}]")


def hide(text: str, signs: list[Sign]) -> str:
    """The text with `HIDE` in place of everything found. Places stay the same."""
    pieces: list[str] = []
    at = 0
    for sign in sorted(signs):
        if sign.start >= at:
            pieces += (text[at : sign.start], HIDE * (sign.end - sign.start))
            at = sign.end
    return "".join((*pieces, text[at:]))


def _spans(text: str) -> Iterator[Sign]:
    for match in _SPANS.finditer(text):
        kind, start, end = match.lastgroup, match.start(), match.end()
        if kind in ("title", "book"):
            yield Sign(start, end, match[kind], "title")
        elif kind == "quote":
            if _is_title(match["quote"], alone=text[start] == "«"):
                yield Sign(start, end, match["quote"], "title")
        elif kind == "code":
            yield Sign(start, end, *_of_code(match["code"]))
        else:
            yield Sign(start, end, "", "")


@lru_cache(maxsize=4096)  # the same names are met again and again
def _of_code(code: str) -> tuple[str, str]:
    """What a code span names, and its kind; no kind if it is more than one name, or a sign of some syntax."""
    name = code.strip().removesuffix("()")
    is_one = not any(map(str.isspace, name)) and not name.startswith(_NO_CODE) and name.lower() not in SYNTAX
    return name, "code" if is_one and any(map(str.isalpha, name)) else ""


def _is_title(quote: str, *, alone: bool) -> bool:
    """Whether a quotation is the title of something: two words (or one `alone`) have a capital, and all of weight."""
    words = _QUOTED_WORD.findall(quote)
    large = sum(word[0].isupper() for word in words)
    if quote[-1] in ".!?," or not (large > 1 or (alone and large == len(words) == 1)):
        return False
    return words[0][0].isupper() and all(not word[0].islower() or word in FUNCTION_ELSEWHERE for word in words)


def _of_chunk(chunk: str) -> Sign | None:
    """The address, file or identifier in a run of characters without a space."""
    if _INNER.search(chunk) is None:
        return None
    url = _URL.search(chunk) if "://" in chunk or "www." in chunk else None
    if url is not None:
        name = _closed(url[0])
        return Sign(url.start(), url.start() + len(name), name, "address")
    bare = chunk.lstrip(_OPENING)
    at = len(chunk) - len(bare)
    called = bare.find("()")
    bare = bare[: called + 2] if called > 0 else bare.rstrip(_CLOSING).removesuffix("'s").removesuffix("\u2019s")
    mail = _MAIL.search(bare) if "@" in bare else None
    if mail is not None:
        return Sign(at + mail.start(), at + mail.end(), mail[0], "address")
    if bare.startswith("@") and _HANDLE.fullmatch(bare):
        return Sign(at, at + len(bare), bare, "address")
    for kind, pattern, sign in _WHOLE:
        if sign in bare and pattern.fullmatch(bare) and is_canonical_key(bare):
            return Sign(at, at + len(bare), bare.removesuffix("()"), kind)
    return None


_of_short_chunk = lru_cache(maxsize=4096)(_of_chunk)
"""Paths and identifiers are met again and again."""


def _closed(url: str) -> str:
    """Without the punctuation behind it. A bracket stays if it was opened inside."""
    while url:
        last = url[-1]
        opening = _PAIRS.get(last)
        if last not in ".,;:!?*…\u201d\u2019\u00bb" and (opening is None or url.count(last) <= url.count(opening)):
            break
        url = url[:-1]
    return url
