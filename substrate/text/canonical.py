"""The one form of an entity's name: names that differ in nothing but spelling have the same, all others their own.

    canonical("Ada  LOVELACE") == canonical("ada lovelace")        canonical("C") != canonical("C++") != canonical("C#")

1. Case, compatibility forms and composed or decomposed marks are evened out, by the rule of `terms.keyword`: so an
   entity's canonical form is its term in the postings.
2. Whitespace of any length is one space, and none stands at the ends. What cannot be seen is left out.
3. Everything else stays, punctuation too: `Node.js` and `NodeJS` are two, and so are equal shapes in two scripts.

In the name of an atom the form is escaped as any text is (`names.escape_rest`); here it stays readable.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from substrate.errors import SchemaInvalid
from substrate.text.terms import keyword
from substrate.text.visible import HIDDEN

__all__ = ["canonical", "is_canonical_key", "spelling"]

_SOLID: Final = re.compile(r"[^\W_]|[+#]")
"""What a name has at least one of: a letter or a digit of any script; `+` and `#` tell names apart.

Some letters cannot be seen, such as the Hangul filler: none of them is left in a form.
"""
_JOINERS: Final = re.compile("[\u200c\u200d\ufe0e\ufe0f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SHOWN: Final = 40


def spelling(name: str) -> str:
    """The name as it is shown: nothing hidden in it, whitespace as single spaces."""
    if not (name.isascii() and name.isprintable()):
        name = HIDDEN.sub(_instead, name)
    return " ".join(name.split())


def canonical(name: str) -> str:
    """The form by which an entity is known. The form of a form is itself.

    SchemaInvalid if the name is not a text, or holds neither a letter nor a digit: nothing could be told apart by it.
    """
    if not isinstance(name, str):
        raise SchemaInvalid(f"the name of an entity must be a text, not {type(name).__name__}")
    form = _key(name)
    if not form:
        shown = spelling(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", name))[:_SHOWN]
        raise SchemaInvalid(f"{shown!r} cannot name an entity: it has neither a letter nor a digit. Give it a name")
    return form


def is_canonical_key(text: str) -> bool:
    """Whether an entity can be known by this text: it has a form, and `canonical` raises nothing."""
    return _SOLID.search(text) is not None and (text.isascii() or bool(_key(text)))


@lru_cache(maxsize=4096)  # the same names are met again and again
def _key(name: str) -> str:
    """The form of a name, or nothing if no entity can be known by it."""
    form = _form(name)
    return form if _SOLID.search(form) is not None else ""


def _form(name: str) -> str:
    if name.isascii() and name.isprintable():
        return " ".join(name.lower().split())
    while True:  # some rare marks are evened out only when what hid them is gone: twice is enough for almost all
        form = " ".join(keyword(_JOINERS.sub("", HIDDEN.sub(_instead, name))).split())
        if form == name:
            return form
        name = form


def _instead(found: re.Match[str]) -> str:
    """Line ends and tabs are spaces; the rest of what cannot be seen is nothing."""
    return " " if found[0].isspace() else ""
