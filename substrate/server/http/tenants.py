"""Several tenants behind one server: a folder with a store for each, and who calls by which token.

1. A tenant is a store of its own, with its own key: tenants are kept apart by files, not by filters. The token of a
   call names the tenant, and nothing else does.
2. A call has the scopes of its token, cut by those that the server was started with.
3. At most so many stores are open. The one that was quiet for longest is closed; one with a call under way is not.
4. A store that does not open is the answer of its own tenant's calls, and no one else's.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mcp.server.auth.middleware.auth_context import get_access_token

from substrate.errors import Denied
from substrate.messages import Words
from substrate.server.clients import Caller, Clients
from substrate.server.http.tenant_tokens import check_tenant
from substrate.server.launch import Launch

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.mcpserver import Context

__all__ = ["MOST_OPEN", "Tenants"]

MOST_OPEN: Final = 64


@dataclass(slots=True)
class _Open:
    clients: Clients
    calls: int = 0
    """That are under way."""
    folder: int | None = None
    """Which folder it was, by its number in the file system; None: there was none yet."""


class Tenants(Clients):
    """All stores of a root folder, in the place of one. Safe to share between threads."""

    def __init__(self, root: Path, launch: Launch, most: int = MOST_OPEN) -> None:
        super().__init__(replace(launch, store=root, hosted=True))
        self._root = root
        self._most = most
        self._held_open: OrderedDict[str, _Open] = OrderedDict()
        self._held_guard = threading.Lock()

    @contextmanager
    def serving(self) -> Iterator[Clients]:
        """The store of the tenant who calls, which stays open meanwhile. Denied if no token came along."""
        tenant, leaving = self._tenant(), []
        with self._held_guard:
            held = self._held(tenant)
            held.calls += 1
            leaving = self._too_many()
        try:
            for one in leaving:  # it may wait for a model that is being loaded; others need not
                threading.Thread(target=one.close, name="substrate-close").start()
            yield held.clients
        finally:
            with self._held_guard:
                held.calls -= 1

    def scopes_of(self, _request: ServerRequestContext[Any, Any] | None = None) -> frozenset[str]:
        """What this request may do: what its token says, if the server was started for that too. Else nothing."""
        token = get_access_token()
        return frozenset() if token is None else self.launch.granted & frozenset(token.scopes)

    def of(self, context: Context[Any, Any], surface: str) -> Caller:
        """Who makes this call. Raises what opening the tenant's store raises."""
        return replace(self._clients().of(context, surface), scopes=self.scopes_of())

    def named(self, name: str, surface: str, connection: str = "") -> Caller:
        """The client of this name of the tenant who calls."""
        return replace(self._clients().named(name, surface, connection), scopes=self.scopes_of())

    def note(self, words: Words) -> str:
        """What a reply says of the tenant's store beside its answer."""
        return self._clients().note(words)

    def warm(self, after_s: float = 0.0) -> None:
        """Nothing: which store is wanted, a call says."""

    async def until_warm(self) -> None:
        """Return when a search of the tenant who calls can answer by meaning, or cannot, or has waited enough."""
        await self._clients().until_warm()

    def open_stores(self) -> int:
        """How many are open now."""
        with self._held_guard:
            return len(self._held_open)

    def close(self) -> None:
        """Release all stores."""
        with self._held_guard:
            leaving = [one.clients for one in self._held_open.values()]
            self._held_open.clear()
        for one in leaving:
            one.close()

    def _tenant(self) -> str:
        token = get_access_token()
        if token is None or token.subject is None:
            raise Denied("this call came without a token that names a tenant")
        return check_tenant(token.subject)

    def _clients(self) -> Clients:
        with self._held_guard:
            return self._held(self._tenant()).clients

    def _held(self, tenant: str) -> _Open:
        """Under the guard. Nothing is opened yet: the first call of a tool does."""
        held, folder = self._held_open.get(tenant), _number_of(self._root / tenant)
        if held is not None and held.folder is not None and held.folder != folder and not held.calls:
            threading.Thread(target=held.clients.close, name="substrate-close").start()
            held = None  # another folder is there now, such as one that was restored
        if held is None:
            clients = Clients(replace(self.launch, store=self._root / tenant))
            held = self._held_open[tenant] = _Open(clients)
        held.folder = folder if held.folder is None else held.folder
        self._held_open.move_to_end(tenant)
        return held

    def _too_many(self) -> list[Clients]:
        """Under the guard: those to be closed, the longest quiet first."""
        quiet = [name for name, one in self._held_open.items() if not one.calls]
        leaving = quiet[: max(0, len(self._held_open) - self._most)]
        return [self._held_open.pop(name).clients for name in leaving]


def _number_of(folder: Path) -> int | None:
    try:
        return folder.stat().st_ino
    except OSError:
        return None
