"""Resources: the guide, the latest head, and what surfaces let be read by its address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources import ResourceSecurity

from substrate.errors import Denied, InputError, NotFound, SubstrateError
from substrate.messages import Words, render
from substrate.server.clients import Clients
from substrate.server.logs import log_fault
from substrate.server.selection import Selection
from substrate.surfaces.shape import shown

__all__ = ["add_resources"]

_PART: Final = re.compile(r"\{(\w+)\}")


def add_resources(server: MCPServer[Any], clients: Clients, selection: Selection, told: str) -> None:
    """Give a server its resources, `told` as the guide; those that show what is stored only with the scope `read`."""
    first = selection.surfaces[0]
    words = selection.words(first)

    def guide() -> str:
        """How to work with this memory."""
        return told

    def head() -> str:
        """A pin: the latest signed head and its key. Kept elsewhere, it shows whether history was rewritten."""
        with _reading(clients, words):
            return str(clients.named("resources", first.name).memory.pin())

    server.resource("memory://guide", title="How to work with this memory", mime_type="text/markdown")(guide)
    if "read" not in clients.launch.granted:
        return
    server.resource("memory://head", title="The latest signed head", mime_type="text/plain")(head)
    for surface in selection.surfaces:
        for one in surface.resources:
            # What is in an address is looked up in a table and never used as a path: `a/../b` is a name like any other.
            security = ResourceSecurity(exempt_params=set(_PART.findall(one.address)))
            read = _answering(one.read, clients, selection.words(surface))
            server.resource(one.address, title=one.title, mime_type=one.mime_type, security=security)(read)


def _answering(read: Callable[..., str], clients: Clients, words: Words) -> Callable[..., str]:
    @wraps(read)
    def answering(*parts: object, **named: object) -> str:
        with _reading(clients, words):
            return read(*parts, **named)

    return answering


@contextmanager
def _reading(clients: Clients, words: Words) -> Iterator[None]:
    """For one who may read: of several who call a server, that is decided by each one's token."""
    with _explained(words), clients.serving():
        if "read" not in clients.scopes_of():
            raise Denied("this needs the scope read, which you do not have")
        yield


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
