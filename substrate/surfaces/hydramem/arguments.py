"""What tools of this surface take, and who calls them.

A project is a domain. Every tool has `project` and `session_id`: a session that is named is one of its own, which is
learnt from, and by which `forget --session` finds what it left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias

from pydantic import Field

from substrate.errors import NotFound
from substrate.limits import LIMITS
from substrate.names import DOMAIN, normalise
from substrate.surfaces.arguments import Caller, IsoTime
from substrate.surfaces.client import Client, client_of

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.memory import Memory

__all__ = [
    "NAME",
    "Confidence",
    "EntityText",
    "Hops",
    "Project",
    "Query",
    "Said",
    "SessionId",
    "When",
    "asked",
    "few_hops",
    "shown_name",
]

NAME: Final = "hydramem"
_PROJECT: Final = "default"


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


# Of texts the engine checks the length: limits and empty defaults in twenty schemas cost every conversation.
Project = Annotated[str, Field(json_schema_extra=_without_default)]
SessionId = Annotated[str, Field(json_schema_extra=_without_default)]
When = Annotated[str, *IsoTime.__metadata__[:1], Field(max_length=64, json_schema_extra=_without_default)]
"""A time in ISO 8601; empty: none."""
EntityText: TypeAlias = str
"""An entity: its name, an alias, or its id."""
Query: TypeAlias = str
Hops = Annotated[int, Field(ge=1)]
Confidence = Annotated[float, Field(ge=0, le=1)]


class Said(NamedTuple):
    """One call: who makes it, the memory in its session, and the project that it is about."""

    client: Client
    memory: Memory
    project: str
    session: str


def asked(ctx: Caller, project: str, session_id: str) -> Said:
    """Who calls, and about which project."""
    client = client_of(ctx, NAME)
    return Said(
        client,
        client.in_session(session_id.strip()),
        _spelt(project.strip() or client.project or _PROJECT),
        session_id.strip() or client.session,
    )


def shown_name(said: Said, atom: str) -> str:
    """What an entity is called; the name of its atom, if it is there no more."""
    try:
        return said.memory.entity(atom, said.project).name
    except NotFound:
        return atom


def _spelt(project: str) -> str:
    """A project as its domain is called, so that two spellings of one are one in replies."""
    if len(project) > LIMITS["text_characters"]:  # too long for a name: the engine says so
        return project
    named = normalise(project)
    return named.removeprefix(DOMAIN) or named


def few_hops(hops: int) -> tuple[int, str | None]:
    """How many edges are walked, and what is said if more were asked for."""
    most = LIMITS["walk_hops"]
    return (hops, None) if hops <= most else (most, f"hops {hops} was taken as {most}, the most there is")
