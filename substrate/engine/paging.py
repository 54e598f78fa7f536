"""What callers ask of pages: limits, offsets, prefixes, checked."""

from __future__ import annotations

from substrate.errors import InputError, SchemaInvalid, TooLarge
from substrate.limits import LIMITS

__all__ = ["check_limit", "check_prefix"]


def check_limit(limit: object, offset: object = 0, most: int = LIMITS["list_items"]) -> None:
    """InputError or TooLarge unless these can be the limit and the offset of a page."""
    for number, least in ((limit, 1), (offset, 0)):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise InputError("limit is a whole number from 1 on, offset one from 0 on")
    if isinstance(limit, int) and limit > most:
        raise TooLarge("limit", limit, most, "items")


def check_prefix(prefix: object, after: object) -> None:
    """SchemaInvalid unless these can be the beginning of names, and a name to go on after."""
    if not isinstance(prefix, str) or not (after is None or isinstance(after, str)):
        raise SchemaInvalid("prefix and after are strings: the beginning of a name, and a name")
    if any("\ud800" <= character <= "\udfff" for character in prefix + (after or "")):
        raise SchemaInvalid("prefix and after must not contain a lone surrogate: no name does")
