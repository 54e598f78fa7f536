"""The one table of limits. `docs/limits.md` shows the same table; a test holds them equal."""

from __future__ import annotations

from typing import Final

from substrate.errors import InputError, SchemaInvalid, TooLarge
from substrate.messages import Arg, Message

__all__ = ["LIMITS", "check_limit", "check_prefix", "check_size"]

LIMITS: Final[dict[str, int]] = {
    "name_bytes": 400,
    "value_bytes": 1024 * 1024,
    "body_bytes": 7 * 1024 * 1024,
    "body_depth": 16,
    "tags": 50,
    "tag_characters": 100,
    "entities": 100,
    "entity_characters": 400,
    "text_characters": 1000,
    "attrs_bytes": 64 * 1024,
    "attrs_depth": 8,
    "windows": 100,
    "edge_type_characters": 100,
    "list_items": 1000,
    "query_characters": 50_000,
    "objective_characters": 10_000,
    "search_items": 100,
    "opening_tokens": 1_000_000,
    "names": 100,
    "context_depth": 3,
    "context_edges": 10_000,
    "walk_hops": 3,
    "walk_edges": 200,
    "path_steps": 6,
    "line_bytes": 16 * 1024 * 1024,
    "checkpoint_items": 10_000,
    "checkpoint_bytes": 64 * 1024 * 1024,
    "file_bytes": 10 * 1024 * 1024,
    "folder_files": 100_000,
    "folder_depth": 64,
    "proposals": 1000,
    "wire_items": 1000,
    "wire_checkpoint_bytes": 4 * 1024 * 1024,
}
"""In UTF-8 bytes where it says bytes. One over is TooLarge; nothing is cut off silently."""
_FARTHEST: Final = 2**53
"""No list is as long. A greater number is no offset: some languages cannot count so far."""


def check_size(field: str, size: int, limit: str, unit: str = "bytes", instead: str = "") -> None:
    """TooLarge, naming the field and what to do `instead`, if its size is over this one of the LIMITS."""
    if size > LIMITS[limit]:
        raise TooLarge(field, size, LIMITS[limit], unit, instead)


def check_limit(limit: object, offset: object = None, most: int = LIMITS["list_items"]) -> None:
    """InputError or TooLarge unless these can be the limit and the offset of a page; None: the verb takes no offset."""
    for number, least in ((limit, 1), (0 if offset is None else offset, 0)):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise InputError(Arg("limit"), " is a whole number from 1 on, ", Arg("offset"), " one from 0 on")
    if isinstance(offset, int) and offset > _FARTHEST:
        raise TooLarge(Arg("offset"), offset, _FARTHEST, "")
    if isinstance(limit, int) and limit > most:
        rest = "" if offset is None else Message("call again with ", Arg("offset"), " for the rest")
        raise TooLarge(Arg("limit"), limit, most, "", rest)


def check_prefix(prefix: object, after: object) -> None:
    """SchemaInvalid unless these can be the beginning of names, and a name to go on after."""
    if not isinstance(prefix, str) or not (after is None or isinstance(after, str)):
        raise SchemaInvalid(Arg("prefix"), " and ", Arg("after"), " are strings: the beginning of a name, and a name")
    if any("\ud800" <= character <= "\udfff" for character in prefix + (after or "")):
        raise SchemaInvalid(Arg("prefix"), " and ", Arg("after"), " must not contain a lone surrogate: no name does")
