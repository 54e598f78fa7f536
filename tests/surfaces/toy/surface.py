from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver.prompts import Prompt
from mcp.types import CallToolResult
from pydantic import Field

from substrate.errors import InputError
from substrate.messages import Words
from substrate.surfaces.arguments import Caller
from substrate.surfaces.client import Client, client_of
from substrate.surfaces.shape import Shape, reply
from substrate.surfaces.surface import Completed, Divergence, Resource, Surface
from substrate.surfaces.tool import Tool
from substrate.surfaces.words import agent_words

if TYPE_CHECKING:
    from substrate.memory import Memory

NAME = "toy"
STATUS = {"not_found": 404, "arguments": 400, "denied": 403}


def _caller(ctx: Caller) -> Client:
    return client_of(ctx, NAME)


class Label(Shape):
    label_text: str
    label_weight: float = 1.0


class Kept(Shape):
    success: bool
    note_id: str | None = None
    message: str | None = None


class Note(Shape):
    note_id: str
    note_text: str


class Notes(Shape):
    found_notes: list[Note]
    more_notes: bool


class Metrics(Shape):
    operations: dict[str, dict[str, float]]


def keep(
    ctx: Caller,
    *,
    note_text: Annotated[str, Field(min_length=1, description="what to keep")],
    labels: Annotated[list[Label], Field(description="labels, each with a weight")] = [],  # noqa: B006
) -> Annotated[CallToolResult, Kept]:
    """Keep a note. Call it when something is worth it."""
    name = f"v1.note.{len(note_text)}"
    tags = [label.label_text for label in labels]
    _caller(ctx).memory.checkpoint([{"name": name, "value": note_text, "tags": tags}], origin="agent")
    return reply(Kept(success=True, note_id=name))


def find(ctx: Caller, *, query: str, as_of: str = "", known_at: str = "") -> Annotated[CallToolResult, Notes]:
    """Find notes that toy.keep has kept. Call it before you say that there is none."""
    found = _caller(ctx).memory.search(query, as_of=known_at or None, valid_at=as_of or None, prefix="v1.note.")
    notes = [Note(note_id=hit.atom.name, note_text=hit.atom.value) for hit in found]
    return reply(Notes(found_notes=notes, more_notes=found.more))


def read(ctx: Caller, *, note_id: str, erase: bool = False) -> Annotated[CallToolResult, Note]:
    """Read a note by its id. Call it when you know it."""
    client = _caller(ctx)
    if erase:
        client.require("forget", "erase true")
        raise InputError("no note was found that may be erased")
    atom = client.memory.access(note_id).atom
    return reply(Note(note_id=atom.name, note_text=atom.value))


def metrics(ctx: Caller, *, reset: bool = False) -> Annotated[CallToolResult, Metrics]:
    """How often tools were called. Call it when the user asks how fast it is."""
    meter = _caller(ctx).meter
    said = {tool: dict(counts) for tool, counts in meter.read().items()}
    if reset:
        meter.reset()
    return reply(Metrics(operations=said))


def tend(ctx: Caller) -> Annotated[CallToolResult, Kept]:
    """Tidy up. Call it at night."""
    _caller(ctx)
    return reply(Kept(success=True))


def failure(message: str) -> dict[str, Any]:
    return {"success": False, "message": message}


def note(ctx: Caller, note_id: Annotated[str, Field(description="the note's id")]) -> str:
    """A note as plain text."""
    return _caller(ctx).memory.access(note_id).atom.value


def review(note_id: str) -> str:
    """Look at a note again."""
    return f"Call toy.read with note_id {note_id}."


def _ids(memory: Memory, typed: str) -> Completed:
    return Completed([atom.name for atom in memory.list(typed or "v1.note.")])


def words_for(store: str | None, tools: Mapping[str, str]) -> Words:
    return agent_words(
        store,
        tools,
        camel=False,
        arguments={"as_of": "known_at", "valid_at": "as_of", "name": "note_id"},
        verbs={"list": "toy.find"},
        nouns={"atom": "note", "an atom": "a note", "atoms": "notes"},
    )


SURFACE = Surface(
    name=NAME,
    purpose="tests",
    tools=(
        Tool(keep, "Keep a note", "write", writes=True, wire_name="toy.keep", failure=failure),
        Tool(find, "Find notes", "read", wire_name="toy.find"),
        Tool(read, "Read a note", "read", wire_name="toy.read"),
        Tool(metrics, "How fast", "", wire_name="toy.metrics"),
        Tool(tend, "Tidy up", "write", writes=True, wire_name="toy.tend", also=("train",), verb="compact"),
    ),
    ids="a name such as v1.note.12",
    words_for=words_for,
    most_bytes=4_000,
    guide="# Notes\n\nKeep them with toy.keep.\n",
    instructions=(("toy.keep", "Keep notes with toy.keep."), ("toy.find", "Look with toy.find.")),
    prompts=(("toy.read", Prompt.from_function(review, title="Review a note")),),
    resources=(Resource("toy://note/{note_id}", note, "A note", "text/plain"),),
    completion={"note_id": _ids},
    divergences=(
        Divergence("toy.keep", "forgets", "keeps", "on purpose", "tests/surfaces/test_seam.py::test_nothing"),
    ),
    error_fields=lambda code: {"status": STATUS.get(code, 500)},
)
