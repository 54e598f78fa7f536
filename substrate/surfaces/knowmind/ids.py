"""Ids as this surface has them: `memory_<words>` or `memory_<uuid>`, `doc_<words>`, `edge_<uuid>`. It takes others too.

An id is short where only one atom is called so; else it is the UUID, which nothing else is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from substrate.errors import NotFound
from substrate.surfaces.client import Client
from substrate.text.quote import in_quotes

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.memory import Memory
    from substrate.values.atoms import Atom
    from substrate.values.edges import Edge

__all__ = ["TYPES", "document_id", "edge_id", "end_id", "meant", "memory_id"]

TYPES: Final = {"semantic": "fact", "episodic": "event", "procedural": "procedure", "reference": "reference"}
"""By kind of memory: the type of atoms that it is."""
_DOCUMENT: Final = "v1.document."
_MAIN: Final = "main."
_SHORT: Final = tuple(f"v1.{kind}." for kind in TYPES.values())


def memory_id(memory: Memory, name: str, uuid: str) -> str:
    """What the atom of this name and UUID is called here."""
    if name.startswith(_DOCUMENT):
        return document_id(name)
    if name.startswith(_SHORT):
        short = f"memory_{name.split('.', 2)[2]}"
        if memory.which(short).name == name:
            return short
    return f"memory_{uuid}"


def document_id(name: str) -> str:
    """What the document of this name is called here."""
    return f"doc_{name.removeprefix(_DOCUMENT).removeprefix(_MAIN)}"


def end_id(memory: Memory, edge: Edge, end: str) -> str:
    """What the `source` or the `target` of an edge is called here."""
    return memory_id(memory, getattr(edge, end), getattr(edge, f"{end}_id"))


def edge_id(uuid: str) -> str:
    """What the edge of this UUID is called here."""
    return f"edge_{uuid}"


def meant(client: Client, text: str) -> Atom:
    """The atom that an id means. NotFound if it is not exactly one in use; who may read is told which may be meant."""
    memory = client.memory
    matches = memory.which(text)
    if matches.name is not None and not matches.name.startswith("v"):  # of an edge, its ends and its type
        raise NotFound(f"{in_quotes(text)} is a relation, not a memory")
    if matches.name is None:
        near = ", ".join(memory_id(memory, one.name, one.id) for one in matches) if "read" in client.scopes else ""
        raise NotFound(f"there is no memory {in_quotes(text)}" + (f"; near it: {near}" if near else ""))
    return memory.access(matches.items[0].id, predictions=0).atom
