"""The grammar of atom names, and its only validator: `v<number>.<type>.<rest>`, as in v1.fact.payment_provider."""

from __future__ import annotations

import re
import unicodedata

from substrate.errors import NameInvalid, TooLarge
from substrate.limits import LIMITS

__all__ = ["check_name"]

_GRAMMAR = re.compile(r"v[1-9][0-9]{0,5}\.[a-z][a-z0-9_]*\.[^\s.](?:.*[^\s.])?", re.DOTALL)
_FORBIDDEN = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]")


def check_name(name: str) -> str:
    """The name in its one canonical spelling (Unicode NFC). NameInvalid or TooLarge if it is none.

    Allowed after `v1.<type>.`: any characters but control characters, line separators and lone surrogates; it neither
    begins nor ends with a space or a dot.
    """
    if not isinstance(name, str):
        raise NameInvalid(f"name must be a string, not {type(name).__name__}")
    if _FORBIDDEN.search(name):
        raise NameInvalid("name contains a control character, a line separator or a lone surrogate")
    name = unicodedata.normalize("NFC", name)
    size = len(name.encode())
    if size > LIMITS["name_bytes"]:
        raise TooLarge("name", size, LIMITS["name_bytes"])
    if not _GRAMMAR.fullmatch(name):
        raise NameInvalid(
            f"{name!r} is no name: it must read v<number>.<type>.<rest>, the type of a-z, 0-9 and _, as in "
            "v1.fact.payment_provider"
        )
    return name
