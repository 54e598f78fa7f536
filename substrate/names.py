"""The grammar of atom names, and its only validator: `v<number>.<type>.<rest>`, as in v1.fact.payment_provider.

There are two checks. `check_name` takes every name that a store may hold, so that what is there can be read, proven,
versioned, imported and forgotten; `check_known_name` does so where an atom is looked for. `check_new_name` is for a
name that first appears: it also refuses what other languages take for syntax, and what cannot be seen.

And the type of an edge in its one spelling: `Depends on`, `depends-on` and `DependsOn` are `depends_on`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from substrate.errors import NameInvalid, SchemaInvalid
from substrate.limits import LIMITS, check_size
from substrate.messages import AN_ATOM, Verb
from substrate.text.secrets import find_secrets
from substrate.text.terms import FUNCTION_WORDS, find_words
from substrate.text.visible import HIDDEN

__all__ = [
    "DOMAIN",
    "EDGE_TYPE",
    "IN_DOMAINS",
    "TYPES",
    "check_known_name",
    "check_name",
    "check_new_name",
    "domain_part",
    "escape_part",
    "escape_rest",
    "guess_name",
    "normalise",
    "read_edge_type",
    "slug_of",
    "type_of",
    "unescape_rest",
]

EDGE_TYPE: Final = re.compile(r"[a-z][a-z0-9_]*")
DOMAIN: Final = "v1.domain."
"""What the names of domains begin with."""
TYPES = (
    "fact",
    "state",
    "event",
    "procedure",
    "task",
    "domain",
    "hub",
    "goal",
    "constraint",
    "preference",
    "decision",
    "document",
    "chunk",
    "entity",
)
"""The types that everyone uses. Any other word of a-z, 0-9 and _ is a type too."""

IN_DOMAINS: Final = ("document", "chunk", "entity")
"""Types of atoms whose names say to which domain they belong: v1.<type>.<domain>.<rest>."""
_OF_DOMAIN: Final = 4
"""Parts of such a name."""
_GRAMMAR = re.compile(r"v[1-9][0-9]{0,5}\.[a-z][a-z0-9_]*\.[^\s.](?:.*[^\s.])?", re.DOTALL)
_PLAIN: Final = re.compile(r"v[1-9][0-9]{0,5}\.[a-z][a-z0-9_]*\.[!-\-/-~](?:[ -~]*[!-\-/-~])?")
"""Names of printable ASCII, as most are: if it is short enough, nothing else need be looked at."""
_BYTES: Final = LIMITS["name_bytes"]
_FORBIDDEN = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]")
_VERSION = re.compile(r"(?:[vV]0*([1-9][0-9]{0,5})[._:/ -]+)?(.*)", re.DOTALL)
_TYPED = re.compile(rf"({'|'.join(TYPES)})s?[._:/ -]+(.+)", re.DOTALL | re.IGNORECASE)
_SYNTAX: Final = re.compile(r"""[{}$`"\\]|[^\S ]""")
"""What notebooks, shells and templates evaluate, or end a text with. An apostrophe is a letter of many languages."""
_AS_IT_IS: Final = re.compile(r"(?![ .])[ !#&-\[\]-_a-z|~]++(?<![ .])")
"""Printable ASCII that any name can end with, without a percent sign."""
_APOSTROPHES: Final = re.compile("['\u2019\uff07\u02bc\u200c\u200d\ufe0e\ufe0f]")
"""And joiners and selectors: in a slug they join nothing."""
_SHRINKS: Final = 3
"""How many characters, at most, become one when a name is normalised, or bytes one byte."""
_SHOWN = 80
"""Characters of a wrong name that a message repeats."""


def normalise(text: str) -> str:
    """Text in the one spelling (Unicode NFC) in which names are kept."""
    return unicodedata.normalize("NFC", text)


def check_name(name: str) -> str:
    """The name in its one canonical spelling (Unicode NFC). NameInvalid or TooLarge if it is none.

    Allowed after `v1.<type>.`: any characters but control characters, line separators and lone surrogates; it neither
    begins nor ends with a space or a dot. NameInvalid says what is allowed, and the name that was meant, if it can
    guess.
    """
    if not isinstance(name, str):
        raise NameInvalid(f"name must be a string, not {type(name).__name__}")
    return name if len(name) <= _BYTES and _PLAIN.fullmatch(name) is not None else _checked(name)


@lru_cache(maxsize=1024)  # a name is checked where it comes in, and again where it is written
def _checked(name: str) -> str:
    if _FORBIDDEN.search(name):
        guess = _suggested(name)
        raise NameInvalid(
            "the name contains a control character, a line separator or a lone surrogate; any other characters are "
            "allowed" + ("" if guess is None else f". Use {guess}"),
            suggested=guess,
        )
    # To normalise very many accents takes very long. No text becomes shorter than a third of what it was.
    if len(name) > _SHRINKS * LIMITS["name_bytes"]:
        check_size("name", len(name.encode()), "name_bytes")
    name = normalise(name)
    check_size("name", len(name.encode()), "name_bytes")
    if not _GRAMMAR.fullmatch(name):
        shown = name if len(name) <= _SHOWN else name[:_SHOWN] + "…"
        said = "this" if find_secrets(name) else repr(shown)
        guess = _suggested(name)
        if guess is not None:
            raise NameInvalid(f"{said} is not a valid name. Use {guess}", suggested=guess)
        raise NameInvalid(
            f"{said} is not a valid name. Use v1.type.name, for example v1.fact.payment_provider. The type is of a-z, "
            "0-9 and _; the name neither begins nor ends with a space or a dot"
        )
    return name


def check_known_name(name: str) -> str:
    """The same for the name of an atom that should be there: NameInvalid says how to find it, not what to call it."""
    try:
        return check_name(name)
    except NameInvalid as error:
        if error.suggested is None or _FORBIDDEN.search(name) or guess_name(name) is not None:
            raise
        said = f"{name[:_SHOWN]!r} is not the name of "
        told = (said, AN_ATOM, ", such as v1.fact.payment_provider. To find the one that is meant, use ", Verb("which"))
        raise NameInvalid(*told, suggested=error.suggested) from None


def check_new_name(name: str) -> str:
    """The same for a name that first appears in a store. NameInvalid or TooLarge if it cannot be one.

    Refused as well are braces, `$`, backticks, double quotes, backslashes and characters that cannot be seen. Letters
    of all scripts, spaces and apostrophes are fine.
    """
    name = check_name(name)
    # Of printable ASCII nothing is hidden: most names need no second look.
    found = _SYNTAX.search(name) or (None if name.isascii() and name.isprintable() else HIDDEN.search(name))
    if found is None:
        return name
    what = found[0] if found[0].isascii() else f"U+{ord(found[0]):04X}, which cannot be seen"
    cleaned = re.sub("__+", "_", HIDDEN.sub("", _SYNTAX.sub("_", name)).rstrip("_ ."))
    fits = _GRAMMAR.fullmatch(cleaned) is not None and HIDDEN.search(cleaned) is None and not find_secrets(name)
    raise NameInvalid(
        f"a new name cannot hold {what}: leave out braces, $, backticks, double quotes, backslashes and characters "
        "that cannot be seen" + (f". Use {cleaned}" if fits else ""),
        suggested=cleaned if fits else None,
    )


# -- any text as a part of a name --------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)  # the names of entities are met again and again
def escape_rest(text: str) -> str:
    """Any text that is not empty, as the last part of a new name: `50%{x}` is `50%25%7Bx%7D`. Each text has its own.

    For surfaces whose callers choose names freely. What a new name cannot hold is written as in an address: the bytes
    of its UTF-8, a percent sign before each. `unescape_rest` gives back the very text.
    """
    if _AS_IT_IS.fullmatch(text) is not None:  # as most are
        return text
    escaped = _outside().sub(_as_bytes, text)
    if normalise(escaped) != escaped or HIDDEN.search(escaped):  # spelt otherwise in a name; hidden by what was escaped
        escaped = _outside(to_ascii=True).sub(_as_bytes, text)
    return escaped


def escape_part(text: str) -> str:
    """Any text that is not empty, as a part of a new name that others follow: as `escape_rest`, and its dots too.

    So `v1.entity.<part>.<rest>` can be read in one way only: a domain `web.api` is the part `web%2Eapi`.
    `unescape_rest` gives back the very text.
    """
    return escape_rest(text).replace(".", "%2E")


def unescape_rest(rest: str) -> str:
    """The text that `escape_rest` or `escape_part` was given."""
    return unquote(rest, errors="surrogatepass")


@lru_cache(maxsize=2)
def _outside(*, to_ascii: bool = False) -> re.Pattern[str]:
    """What is escaped; or that and all that is not ASCII. Compiled when it is first needed: it takes 2 ms."""
    outside = rf"%|{_FORBIDDEN.pattern}|{_SYNTAX.pattern}|{HIDDEN.pattern}|\A[\s.]|[\s.]\Z"
    return re.compile(rf"[^ -~]|{outside}" if to_ascii else outside)


def _as_bytes(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode(errors="surrogatepass"))


_SLUG_READ: Final = 1_000
_SLUG_WORDS: Final = 6
_SLUG_LENGTH: Final = 60
"""Characters of a text that a slug is made from; its words, and its characters, at most."""


def slug_of(text: str, leave_out: Collection[str] = ()) -> str:
    """The last part of a name for a text: its first words that say something, in small letters, `_` between them.

    Without the words to `leave_out`. Empty if no such word is in it, or if it could not stand in a new name. Two texts
    may have the same.
    """
    words = [word for word in _plain_words(text[:_SLUG_READ]) if word not in leave_out]
    words = [word for word in words if word not in FUNCTION_WORDS] or words
    slug = ""
    for word in words[:_SLUG_WORDS]:
        longer = f"{slug}_{word}" if slug else word[:_SLUG_LENGTH]
        if len(longer) > _SLUG_LENGTH:
            break
        slug = longer
    try:
        check_new_name(f"v1.note.{slug}")
    except NameInvalid:
        return ""
    return "" if find_secrets(slug) else slug


def _plain_words(text: str) -> list[str]:
    """The words in small letters, without apostrophes and without what cannot be seen."""
    if text.isascii():
        return [word.replace("'", "").lower() for word in find_words(text)]
    words = [normalise(_APOSTROPHES.sub("", HIDDEN.sub("", word)).lower()) for word in find_words(text)]
    return [word for word in words if word]


def type_of(name: str) -> str:
    """The middle part of a name; empty of what is no name."""
    return "".join(name.split(".", 2)[1:2])


def domain_part(name: str) -> str | None:
    """The part of a name that says to which domain it belongs, as in v1.chunk.handbook.7: handbook. None of others."""
    parts = name.split(".", 3)
    return parts[2] if len(parts) == _OF_DOMAIN and parts[1] in IN_DOMAINS and parts[0] == "v1" else None


def guess_name(text: str) -> str | None:
    """The name that someone who wrote `text` may have meant: v1.hub.corrections for hub_corrections.

    None if unclear.
    """
    cleaned = normalise(_FORBIDDEN.sub(" ", text)).strip(" .\t")
    version = _VERSION.match(cleaned)
    if version is None:
        return None
    number, rest = version.groups()
    typed = _TYPED.fullmatch(rest)
    if typed is not None:
        kind, rest = typed[1].lower(), typed[2]
    else:
        kind, dot, rest = rest.partition(".")
        if not dot:
            return None
        kind = re.sub(r"[^a-z0-9_]+", "_", kind.lower()).strip("_")
    guess = f"v{number or 1}.{kind}.{rest.strip(' .')}"
    fits = _GRAMMAR.fullmatch(guess) and len(guess.encode()) <= LIMITS["name_bytes"]
    return guess if fits and guess != text else None


def _suggested(name: str) -> str | None:
    """The name to use instead of one that is refused: what was meant, else a note of these words."""
    if len(name) > LIMITS["name_bytes"] or find_secrets(name):
        return None
    words = "_".join(_plain_words(_FORBIDDEN.sub(" ", name))[:_SLUG_WORDS])
    for guess in (guess_name(name), f"v1.note.{words}" if words else None):
        if guess is not None and _GRAMMAR.fullmatch(guess) and not (_SYNTAX.search(guess) or HIDDEN.search(guess)):
            return guess
    return None


def read_edge_type(spelled: object) -> str:
    """The type of an edge in its one spelling. SchemaInvalid if it can be none, TooLarge."""
    if not isinstance(spelled, str) or not spelled.strip():
        raise SchemaInvalid("an edge needs a type, such as depends_on")
    check_size("type", len(spelled), "edge_type_characters", "characters")
    kind = re.sub(r"[\s-]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", spelled.strip())).lower()
    if not EDGE_TYPE.fullmatch(kind):
        raise SchemaInvalid("the type of an edge is of a-z, 0-9 and _, and begins with a letter, such as depends_on")
    return kind
