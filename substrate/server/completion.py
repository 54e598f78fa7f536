"""Completion: keys and domains, while someone fills in a prompt or the address of an atom."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import anyio.to_thread
from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference

from substrate.errors import SubstrateError
from substrate.server.clients import Clients
from substrate.server.logs import log_fault
from substrate.text.quote import is_seen

__all__ = ["completer"]

_MOST: Final = 100
"""As many values as the protocol allows."""
_PREFIXES: Final = {"key": "", "about": "", "domain": "v1.domain."}
"""For each argument that has atoms as values: what their keys begin with."""

Completer = Callable[
    [PromptReference | ResourceTemplateReference, CompletionArgument, CompletionContext | None],
    Awaitable[Completion | None],
]


def completer(clients: Clients, surface: str) -> Completer:
    """What completes arguments. Without the scope `read` it knows nothing."""

    async def complete(
        _ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        _context: CompletionContext | None,
    ) -> Completion | None:
        prefix = _PREFIXES.get(argument.name)
        launch = clients.launch
        if prefix is None or "read" not in launch.granted or not launch.store.is_dir():  # which it would make
            return None
        typed = argument.value
        begun = typed if typed.startswith(prefix) or prefix.startswith(typed) else prefix + typed
        return await anyio.to_thread.run_sync(_keys, clients, surface, max(begun, prefix, key=len))

    return complete


def _keys(clients: Clients, surface: str, prefix: str) -> Completion | None:
    try:
        listing = clients.named("completion", surface).memory.list(prefix, limit=_MOST)
    except SubstrateError:  # such as a prefix that no key can have
        return None
    except Exception as error:  # noqa: BLE001 - the SDK would log what it says
        log_fault("completion", error)
        return None
    # Whoever chooses one must see what it is; a tool takes an id as well.
    values: list[Any] = [atom.name if is_seen(atom.name) else atom.id for atom in listing]
    return Completion(values=values, total=None, has_more=listing.next is not None)
