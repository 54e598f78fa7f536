"""Arguments that several tools take, with the limits of the document; and pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from substrate.errors import InputError
from substrate.limits import LIMITS
from substrate.surfaces.arguments import Caller, KeyText
from substrate.surfaces.client import Client, client_of

__all__ = [
    "ALL_STATUSES",
    "NAME",
    "RESERVED",
    "Days",
    "MemoryId",
    "MemoryIds",
    "Page",
    "PageSize",
    "Preview",
    "Query",
    "Score",
    "Status",
    "Statuses",
    "Tags",
    "caller",
    "failure",
    "page_of",
    "preview",
    "refuse_reserved",
    "without_reserved",
]

NAME: Final = "cortexgraph"
RESERVED: Final = "status:"
"""Tags that begin so are the engine's: hidden, and refused as input."""
ALL_STATUSES: Final = ("active", "promoted", "archived")
_PAGE_SIZE: Final = 10
_PREVIEW: Final = 300
_Item = TypeVar("_Item")


def _listed(given: object) -> object:
    """One text as a list of one."""
    return [given] if isinstance(given, str) else given


Tag = Annotated[str, Field(min_length=1, max_length=LIMITS["tag_characters"])]
Tags = Annotated[list[Tag], Field(max_length=LIMITS["tags"])]
Query = Annotated[str, Field(max_length=LIMITS["query_characters"])]
Days = Annotated[int | None, Field(ge=1, le=3650)]
Score = Annotated[float | None, Field(ge=0, le=1)]
Page = Annotated[int | None, Field(ge=1)]
PageSize = Annotated[int | None, Field(ge=1, le=100)]
Preview = Annotated[int, Field(ge=0, le=5000)]
Status = Literal["active", "promoted", "archived"]
Statuses = Annotated[
    list[Status],
    BeforeValidator(_listed),
    Field(min_length=1, max_length=len(ALL_STATUSES)),
    WithJsonSchema({"type": ["string", "array"], "default": ["active", "promoted"]}),
]
MemoryId = Annotated[KeyText, Field(description="a memory's id")]
MemoryIds = Annotated[
    list[KeyText],
    BeforeValidator(_listed),
    Field(min_length=1, max_length=LIMITS["names"]),
    WithJsonSchema({"type": ["string", "array"], "items": {"type": "string"}, "maxItems": LIMITS["names"]}),
]


def caller(ctx: Caller) -> Client:
    """Who calls."""
    return client_of(ctx, NAME)


def failure(message: str) -> dict[str, Any]:
    """The structured content of an error."""
    return {"success": False, "message": message}


def refuse_reserved(tags: Sequence[str]) -> None:
    """InputError if one of the tags is the engine's own."""
    if any(tag.strip().casefold().startswith(RESERVED) for tag in tags):
        raise InputError(f"tags that begin with {RESERVED} are reserved: leave them out")


def without_reserved(tags: Sequence[str]) -> list[str]:
    """Tags as they are shown."""
    return [tag for tag in tags if not tag.startswith(RESERVED)]


def preview(text: str, length: int = _PREVIEW) -> str:
    """The beginning of a text; all of it, if the length is 0."""
    return text if not length or len(text) <= length else text[:length] + "..."


def page_of(items: Sequence[_Item], page: int | None, size: int | None) -> tuple[Sequence[_Item], dict[str, Any]]:
    """The items of a page, and what is said of pages. If neither is given, it is one page of all."""
    count = len(items)
    size = size or (max(1, count) if page is None else _PAGE_SIZE)
    page = page or 1
    return items[(page - 1) * size : page * size], pagination(page, size, count)


def pagination(page: int, size: int, count: int) -> dict[str, Any]:
    """What is said of pages."""
    pages = -(-count // size)
    return {
        "page": page,
        "page_size": size,
        "total_count": count,
        "total_pages": pages,
        "has_more": page < pages,
        "has_previous": page > 1,
    }
