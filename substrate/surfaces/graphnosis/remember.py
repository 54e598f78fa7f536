"""remember: a text goes into an engram that exists. If it is not clear which, the user is asked.

An agent never creates an engram. Where the client cannot ask, the question waits for the user (`substrate pending`).
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from mcp.server.mcpserver import Elicit, Resolve
from mcp.server.mcpserver.resolve import AcceptedElicitation, ElicitationResult
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from substrate.errors import Conflict, Denied, InputError, NotFound, SecretFound
from substrate.limits import LIMITS
from substrate.names import DOMAIN
from substrate.surfaces.arguments import Caller
from substrate.surfaces.client import Client
from substrate.surfaces.graphnosis.engrams import (
    MAIN,
    NAME,
    beginning_of,
    caller,
    candidates,
    engrams_of,
    meant_by,
    require,
)
from substrate.surfaces.graphnosis.shapes import Stored
from substrate.surfaces.shape import reply
from substrate.surfaces.tool import Refusal, Tool
from substrate.text.likeness import slug_of
from substrate.text.quote import as_command, in_quotes

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.memory import Memory
    from substrate.values.documents import Ingested
    from substrate.values.hits import Match

__all__ = ["REMEMBER", "can_ask"]

_CONVERSATION: Final = "ai-conversation"
_NEW: Final = "new"
"""The status of a document that was not there before."""
_APPENDING: Final = threading.Lock()
"""Turns of one conversation come in order: it is read, and written with one more."""
_Name = Annotated[str, Field(max_length=LIMITS["name_bytes"])]


class Place(NamedTuple):
    """Where a text goes: an engram that exists; or the name that was asked for, and those that it may mean."""

    slug: str | None
    asked: str = ""
    near: tuple[Match, ...] = ()


class Choice(BaseModel):
    """The question to the user."""

    engram: str = Field(title="Engram", description="the engram to save into: one of the above, or a new name")
    create: bool = Field(default=False, title="Create it", description="yes: create it, if there is none of that name")


class Unasked(Choice):
    """There was no need to ask, or no way."""


def can_ask(ctx: Caller) -> bool:
    """Whether this client can ask its user something."""
    capabilities = ctx.client_capabilities
    asked = None if capabilities is None else capabilities.elicitation
    return asked is not None and (asked.form is not None or asked.url is None)


def find_place(ctx: Caller, graphId: str, target_engram: str) -> Place:
    """The engram that the arguments mean. NotFound, InputError."""
    memory = caller(ctx).memory
    slug = None
    if graphId:
        slugs = engrams_of(memory)
        if graphId not in slugs:
            raise NotFound(f"there is no engram with the slug {in_quotes(graphId)}; {candidates(memory, ())}")
        slug = graphId
    if not target_engram:
        return Place(slug or MAIN)
    meant = meant_by(memory, target_engram)
    if slug is not None and meant.slug != slug:
        raise InputError("graphId and target_engram name two engrams: give one of them")
    return Place(meant.slug, target_engram, meant.near)


def ask_where(ctx: Caller, text: str, place: Annotated[Place, Resolve(find_place)]) -> Elicit[Choice] | Unasked:
    """The question to the user, where the name is not clear and the client can ask."""
    if place.slug is not None or not can_ask(ctx):
        return Unasked(engram="")
    told = candidates(caller(ctx).memory, place.near)
    none = f"There is none called {in_quotes(place.asked)}; {told}."
    return Elicit(f"Save this text into which engram? {in_quotes(beginning_of(text))}. {none}", Choice)


def remember(
    ctx: Caller,
    *,
    text: Annotated[str, Field(min_length=1)],
    graphId: Annotated[_Name, Field(description="slug of an engram that exists")] = "",  # noqa: ARG001
    target_engram: Annotated[_Name, Field(description="engram by its name; preferred")] = "",  # noqa: ARG001
    label: Annotated[str, Field(max_length=LIMITS["text_characters"])] = "",
    kind: Literal["clip", "ai-conversation"] = "clip",
    place: Annotated[Place, Resolve(find_place)],
    answer: Annotated[ElicitationResult[Choice], Resolve(ask_where)],
) -> Annotated[CallToolResult, Stored]:
    """Save a text into an engram. A name that is not exact is a question to the user: do not retry, tell them.

    kind ai-conversation: a turn of this conversation; turns become parts of one source.
    """
    client = caller(ctx)
    if not text.strip():
        raise InputError("text is blank: there is nothing to save")
    slug = place.slug
    if slug is None:
        choice = answer.data if isinstance(answer, AcceptedElicitation) else None
        if isinstance(choice, Unasked):
            raise _waiting(client, place, text, label, NotFound)
        if choice is None or not choice.engram.strip():
            raise Denied("the user did not pick an engram: nothing was saved")
        try:
            slug = _picked(client.memory, choice)
        except (Denied, NotFound) as error:  # what the user picked is not for an agent, or is not there
            picked = Place(None, choice.engram.strip(), meant_by(client.memory, choice.engram).near)
            raise _waiting(client, picked, text, label, type(error)) from None
    taken = _conversation(client, slug, text, label) if kind == _CONVERSATION else _clip(client, slug, text, label)
    for failed in taken.failed:
        raise (SecretFound if failed.code == SecretFound.code else InputError)(failed.reason)
    document = taken.items[0]
    if document.status != _NEW and kind != _CONVERSATION:
        _require_saved(client.memory, document.id)
    added = document.added if kind == _CONVERSATION else document.chunks
    return reply(Stored(source_id=document.id, graph_id=slug, node_count=added))


def _require_saved(memory: Memory, source: str) -> None:
    """Conflict if the source of this text has not all of it any more: the same text again brings nothing back."""
    there = memory.document(source)
    if there.missing:
        raise Conflict(
            f"this text was saved before, as source {source}, and parts of it were erased since. Nothing was saved: "
            "forget that source first, then save it again"
        )
    if there.edited:
        raise Conflict(
            f"this text was saved before, as source {source}, and was corrected since. Nothing was saved: recall shows "
            "what it says now"
        )


def _waiting(client: Client, place: Place, text: str, label: str, refusal: type[Denied | NotFound]) -> Refusal:
    """What the agent is told, while the question waits for the user."""
    waits = client.memory.propose(text, domain=place.asked, title=label or None)
    command = as_command("substrate", "pending", "--store", client.store, "--accept", waits.id, "--domain", "NAME")
    told = candidates(client.memory, place.near)
    error = refusal(
        f"there is no engram {in_quotes(place.asked)}; {told}. Nothing is saved yet: the user decides. Tell them, and "
        f"do not retry. The text waits for them for a day: {command}, or --create for a new one; in a notebook "
        "%memory pending"
    )
    close = [{"graphId": one.name.removeprefix(DOMAIN), "score": one.score, "reason": one.reason} for one in place.near]
    return Refusal(error, candidates=close, pending=waits.id)


def _picked(memory: Memory, choice: Choice) -> str:
    """The engram that the user picked, or created."""
    meant = meant_by(memory, choice.engram)
    if meant.slug is not None:
        return meant.slug
    if not choice.create:
        return require(memory, choice.engram)
    slug, title = slug_of(choice.engram), choice.engram.strip()
    memory.checkpoint([{"name": DOMAIN + slug, "value": title, "attrs": {"title": title}, "origin": "user"}])
    return slug


def _clip(client: Client, slug: str, text: str, label: str) -> Ingested:
    """A source of its own; the same text again is the same one.

    Without a label it is just a clip: a title out of the text would stay when a chunk is corrected or erased.
    """
    return client.memory.ingest(text, domain=slug, title=label.strip() or "Clip")


def _conversation(client: Client, slug: str, text: str, label: str) -> Ingested:
    """One more part of this client's conversation."""
    memory, key = client.memory, f"{NAME}:{client.session}"
    turn = {"text": f"{text.strip()}\n\n", "cut": True}
    with _APPENDING:
        try:
            before = memory.document(key, domain=slug)
            turns: list[dict[str, object]] = [{"text": part.value} for part in before.chunks]
            title = before.title
        except NotFound:
            turns, title = [], label.strip() or "Conversation"
        return memory.ingest([*turns, turn], domain=slug, title=title, key=key)


REMEMBER = Tool(remember, "Remember", "write", writes=True, asks_user=True, verb="ingest")
