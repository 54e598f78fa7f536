"""forget: a chunk or a source is erased for good, after the user's yes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from mcp.server.mcpserver import Elicit, Resolve
from mcp.server.mcpserver.resolve import AcceptedElicitation, ElicitationResult
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from substrate.errors import Denied, InputError, NameInvalid, NotFound
from substrate.limits import LIMITS
from substrate.names import DOMAIN
from substrate.surfaces.arguments import Caller
from substrate.surfaces.graphnosis.engrams import beginning_of, caller
from substrate.surfaces.graphnosis.remember import can_ask
from substrate.surfaces.graphnosis.shapes import Erased
from substrate.surfaces.shape import reply
from substrate.surfaces.tool import Tool, progress_of
from substrate.text.quote import as_command, in_quotes

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.memory import Memory
    from substrate.values.atoms import Atom

__all__ = ["FORGET"]

_DOCUMENT: Final = "document"
_Id = Annotated[str, Field(max_length=LIMITS["name_bytes"])]


class Yes(BaseModel):
    """The question to the user."""

    erase: bool = Field(title="Erase for good", description="yes: erase it; it cannot be brought back")


class Going(NamedTuple):
    """What is to go: an atom, and the text that the user is shown."""

    id: str
    name: str
    value: str
    whole: bool
    """Whether a source goes."""
    only: bool = False
    """Whether that source goes with the only chunk it has."""


def find_going(ctx: Caller, chunkId: str, sourceId: str) -> Going:
    """What the arguments mean. InputError, NotFound."""
    memory = caller(ctx).memory
    if not chunkId and not sourceId:
        raise InputError("give chunkId or sourceId: neither was given")
    source = _atom(memory, sourceId, "source") if sourceId else None
    if not chunkId and source is not None:
        return Going(source.id, source.name, source.value, whole=True)
    chunk = _atom(memory, chunkId, "chunk")
    if source is not None and source.id not in {chunk.parent, chunk.id}:
        raise InputError("the chunk is not of that source: give one of the two ids")
    if chunk.type == _DOCUMENT:
        raise InputError("this is a source: give it as sourceId")
    if chunk.parent is not None and _is_only(memory, chunk):  # or an empty source would say that its text is there
        source = source or _atom(memory, chunk.parent, "source")
        return Going(source.id, source.name, chunk.value, whole=True, only=True)
    return Going(chunk.id, chunk.name, chunk.value, whole=False)


def _is_only(memory: Memory, chunk: Atom) -> bool:
    """Whether its document has no other chunk."""
    try:
        return all(one.id == chunk.id for one in memory.document(str(chunk.parent)).chunks)
    except (NotFound, InputError):
        return False


def _atom(memory: Memory, given: str, what: str) -> Atom:
    """The atom with this id or name, in use or not."""
    try:
        atoms = [version.atom for version in memory.history(given, limit=2) if version.atom is not None]
    except NameInvalid:
        raise NotFound(f"there is no {what} {in_quotes(given)}: take a {what}Id from recall") from None
    if not atoms:
        raise NotFound(f"there is no {what} {in_quotes(given)}")
    if atoms[-1].name.startswith(DOMAIN):
        raise Denied("this is an engram: agents cannot forget one, the user can")
    return atoms[-1]


def ask_to_forget(ctx: Caller, going: Annotated[Going, Resolve(find_going)]) -> Elicit[Yes]:
    """The question to the user: it names what would go."""
    client = caller(ctx)
    words = ("--whole", going.name) if going.whole else ("--", going.name)
    if not can_ask(ctx):
        by_hand = as_command("substrate", "forget", "--store", client.store, *words)
        raise Denied(
            "to forget needs the user's yes, and this client cannot ask for it. The user can do it in a terminal: "
            f"{by_hand}"
        )
    would = client.memory.forget(whole=going.name, dry_run=True) if going.whole else None
    what = "this chunk"
    if would is not None:
        parts = "1 item" if would.atoms == 1 else f"{would.atoms:,} items"
        what = "this chunk and its source" if going.only else f"this source with all its parts ({parts})"
    said = in_quotes(beginning_of(going.value))
    return Elicit(f"Erase {what} for good, with every version and trace? It cannot be brought back: {said}", Yes)


def forget(
    ctx: Caller,
    *,
    chunkId: Annotated[_Id, Field(description="one chunk")] = "",  # noqa: ARG001 - its resolver takes it
    sourceId: Annotated[_Id, Field(description="a source with all its chunks")] = "",  # noqa: ARG001
    going: Annotated[Going, Resolve(find_going)],
    answer: Annotated[ElicitationResult[Yes], Resolve(ask_to_forget)],
) -> Annotated[CallToolResult, Erased]:
    """Erase a chunk or a source for good. The user is asked first. Call it only when they want it erased."""
    if not isinstance(answer, AcceptedElicitation) or not answer.data.erase:
        raise Denied("the user did not agree: nothing was erased")
    memory, report = caller(ctx).memory, progress_of(ctx)
    if not going.whole:
        memory.forget([going.id], progress=report)
        return reply(Erased(deleted=True, chunks_removed=1, source_removed=False))
    chunks = _parts(memory, going)
    memory.forget(whole=going.name, progress=report)
    return reply(Erased(deleted=True, chunks_removed=chunks, source_removed=True))


def _parts(memory: Memory, going: Going) -> int:
    """How many chunks a source has; an atom without parts is its own."""
    try:
        return len(memory.document(going.id).chunks)
    except (NotFound, InputError):
        return 1


FORGET = Tool(
    forget, "Erase for good", "forget", writes=True, destructive=True, idempotent=True, asks_user=True, verb="forget"
)
