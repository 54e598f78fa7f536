"""An atom by its address; and keys and domains, while someone fills in a prompt or that address."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from substrate.surfaces.arguments import Caller
from substrate.surfaces.atoms.shapes import Accessed
from substrate.surfaces.atoms.tools import NAME
from substrate.surfaces.client import client_of
from substrate.surfaces.shape import shown
from substrate.surfaces.surface import COMPLETED, Completed, Resource
from substrate.text.quote import is_seen

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["ATOM", "COMPLETION"]


def atom(ctx: Caller, key: Annotated[str, Field(description="exact key, percent-encoded")]) -> str:
    """An atom as JSON: value, version, who said it and when. To read it counts as an access."""
    found = client_of(ctx, NAME).memory.access(key, predictions=0)
    said = Accessed.of(found, len(found.value), 0)
    return shown(said.model_dump_json(by_alias=True, exclude_none=True))


ATOM: Final = Resource("memory://atom/{key}", atom, "An atom, by its key")


def _keys(prefix: str) -> Callable[[Memory, str], Completed]:
    """What completes a key that begins so."""

    def complete(memory: Memory, typed: str) -> Completed:
        begun = typed if typed.startswith(prefix) or prefix.startswith(typed) else prefix + typed
        listing = memory.list(max(begun, prefix, key=len), limit=COMPLETED)
        # Whoever chooses one must see what it is; a tool takes an id as well.
        return Completed([atom.name if is_seen(atom.name) else atom.id for atom in listing], listing.next is not None)

    return complete


COMPLETION: Final = {"key": _keys(""), "about": _keys(""), "domain": _keys("v1.domain.")}
