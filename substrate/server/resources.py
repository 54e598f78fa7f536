"""Resources: an atom by its key, the latest head, and the guide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources import ResourceSecurity
from pydantic import Field

from substrate.errors import InputError, NotFound, SubstrateError
from substrate.messages import Words, render
from substrate.server.clients import Clients
from substrate.server.logs import log_fault
from substrate.surfaces.atoms.shapes import Accessed
from substrate.surfaces.shape import shown

__all__ = ["add_resources"]

_ANY_TEXT: Final = ResourceSecurity(exempt_params={"key"})
"""A key is looked up in a table and never used as a path: `v1.fact.a/../b` is a name like any other."""


def add_resources(server: MCPServer[Any], clients: Clients, told: str, words: Words) -> None:
    """Give a server its resources, `told` as the guide; those that show what is stored only with the scope `read`."""
    surface = clients.launch.surfaces[0]  # whoever reads an atom here and there is one client, with one session

    def guide() -> str:
        """How to work with this memory: sessions, keys, edges, corrections, high stakes."""
        return told

    def head() -> str:
        """A pin: the latest signed head and its key. Kept elsewhere, it shows whether history was rewritten."""
        with _explained(words):
            return str(clients.named("resources", surface).memory.pin())

    def atom(ctx: Context[Any, Any], key: Annotated[str, Field(description="exact key, percent-encoded")]) -> str:
        """An atom as JSON: value, version, who said it and when. To read it counts as an access."""
        with _explained(words):
            found = clients.of(ctx, surface).memory.access(key, predictions=0)
            said = Accessed.of(found, len(found.value), 0)
            return shown(said.model_dump_json(by_alias=True, exclude_none=True))

    server.resource("memory://guide", title="How to work with this memory", mime_type="text/markdown")(guide)
    if "read" in clients.launch.granted:
        server.resource("memory://head", title="The latest signed head", mime_type="text/plain")(head)
        server.resource(
            "memory://atom/{key}", title="An atom, by its key", mime_type="application/json", security=_ANY_TEXT
        )(atom)


@contextmanager
def _explained(words: Words) -> Iterator[None]:
    """Errors as the SDK sends them on: with what to do, and without what is stored."""
    try:
        yield
    except (NotFound, InputError) as error:  # what cannot be the key of an atom is not there either
        raise ResourceNotFoundError(shown(f"{error.code}: {render(error.message, words)}")) from None
    except SubstrateError as error:
        raise ResourceError(shown(f"{error.code}: {render(error.message, words)}")) from None
    except Exception as error:  # noqa: BLE001 - the SDK would log what it says
        log_fault("a resource", error)
        raise ResourceError("bug: this is an error in Substrate; the server's log says more") from None
