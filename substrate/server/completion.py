"""Completion: what someone may be about to type in a prompt or in an address, as the surface that has it says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio.to_thread
from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference

from substrate.errors import SubstrateError
from substrate.server.clients import Clients
from substrate.server.logs import log_fault
from substrate.server.selection import Selection
from substrate.surfaces.surface import COMPLETED, Surface

__all__ = ["completer"]

Reference = PromptReference | ResourceTemplateReference
Completer = Callable[[Reference, CompletionArgument, CompletionContext | None], Awaitable[Completion | None]]


def completer(clients: Clients, selection: Selection) -> Completer:
    """What completes arguments. Without the scope `read` it knows nothing."""

    async def complete(
        ref: Reference, argument: CompletionArgument, _context: CompletionContext | None
    ) -> Completion | None:
        surface = next((one for one in selection.surfaces if _has(one, ref)), None)
        launch = clients.launch
        if surface is None or argument.name not in surface.completion:
            return None
        if "read" not in launch.granted or not launch.store.is_dir():  # which it would make
            return None
        return await anyio.to_thread.run_sync(_completed, clients, surface, argument)

    return complete


def _has(surface: Surface, ref: Reference) -> bool:
    """Whether the prompt or the address is one of this surface."""
    if isinstance(ref, PromptReference):
        return any(prompt.name == ref.name for _, prompt in surface.prompts)
    return any(resource.address == ref.uri for resource in surface.resources)


def _completed(clients: Clients, surface: Surface, argument: CompletionArgument) -> Completion | None:
    try:
        if "read" not in clients.scopes_of():
            return None
        with clients.serving():
            memory = clients.named("completion", surface.name).memory
            values, more = surface.completion[argument.name](memory, argument.value)
    except SubstrateError:  # such as a prefix that no key can have
        return None
    except Exception as error:  # noqa: BLE001 - the SDK would log what it says
        log_fault("completion", error)
        return None
    return Completion(values=list(values[:COMPLETED]), total=None, has_more=more or len(values) > COMPLETED)
