"""The one store that a server has open, and those who call its tools.

1. The store is opened when it is first needed: a client that only lists tools waits for nothing. What cannot be opened
   is tried again at the next call, and the error is that call's answer.
2. Each client, told apart by its name and, where there is one, its connection, has a session of its own, whichever
   surfaces it uses; and for each surface an actor, `mcp:<surface>:<client>`. A name is what the client says of itself:
   it is recorded, and decides nothing. All of them are under the policy of agents: they see no sensitive domain.
3. There are never more than some; the one that was quiet for longest has to go, and what it accessed is written down.
"""

from __future__ import annotations

import logging
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Self

import anyio
import anyio.to_thread

from substrate.errors import Busy, Denied, NotFound, StoreDamaged, SubstrateError
from substrate.messages import Words
from substrate.policy import AGENTS
from substrate.server.launch import Launch, ungranted
from substrate.server.metering import Meter
from substrate.server.selection import select
from substrate.surfaces import load_surface
from substrate.surfaces.client import note_of
from substrate.text.secrets import find_secrets
from substrate.values.actors import surface_actor

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.server.context import ServerRequestContext
    from mcp.server.mcpserver import Context

    from substrate.memory import Memory

__all__ = ["Caller", "Clients"]

_log = logging.getLogger(__name__)

_MOST: Final = 32
_NAME_CHARACTERS: Final = 60
_UNNAMED: Final = "unnamed"
_LOOK_S: Final = 0.01
"""How often who waits looks whether it is over."""


class NamedSessions:
    """The sessions that one client names itself. Of more than some, the one that was quiet for longest ends."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Memory] = OrderedDict()
        self._guard = threading.Lock()

    def of(self, memory: Memory, actor: str, name: str) -> Memory:
        """The same store for this actor, in a session of this name."""
        leaving = None
        with self._guard:
            if name not in self._open:
                self._open[name] = memory.client(actor, name)
            self._open.move_to_end(name)
            if len(self._open) > _MOST:
                leaving = self._open.popitem(last=False)[1]
            found = self._open[name]
        if leaving is not None:
            leaving.close()
        return found

    def close(self) -> None:
        """End them all."""
        with self._guard:
            ending, self._open = list(self._open.values()), OrderedDict()
        for memory in ending:
            memory.close()


@dataclass(frozen=True, slots=True)
class Caller:
    """One client of the server, as it uses one surface."""

    memory: Memory
    scopes: frozenset[str]
    session: str
    launch: Launch
    words: Words
    meter: Meter
    actor: str = ""
    sessions: NamedSessions = field(default_factory=NamedSessions)

    @property
    def store(self) -> str:
        """The path of the store's folder."""
        return "STORE" if self.launch.hosted else str(self.launch.store)

    @property
    def project(self) -> str:
        """The project that holds if a call says none."""
        return self.launch.project

    @property
    def roots(self) -> tuple[Path, ...]:
        """Folders below which files may be read."""
        return self.launch.roots

    def in_session(self, name: str) -> Memory:
        """The memory of this client in a session that it names. Raises what `Memory.client` raises."""
        return self.sessions.of(self.memory, self.actor, name) if name and name != self.session else self.memory

    @property
    def vault(self) -> str | None:
        """The folder of the vault that the user has named."""
        hidden = self.launch.vault is None or self.launch.hosted  # tenants do not share one
        return None if hidden else str(self.launch.vault)

    def require(self, scope: str, what: str) -> None:
        """Denied, with what the user can do, if this call has no such scope."""
        if scope not in self.scopes:
            raise Denied(ungranted(self.launch, scope, what))


@dataclass(frozen=True, slots=True)
class _Session:
    """One client, as it was seen: what its session is called, and who it is by each surface."""

    name: str
    callers: dict[str, Caller] = field(default_factory=dict)


class Clients:
    """Use it as a context manager, around the server's run. Safe to share between threads."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.meter = Meter()
        self._memory: Memory | None = None
        self._sessions: OrderedDict[tuple[str, str], _Session] = OrderedDict()
        self._guard = threading.Lock()
        self._warming: list[threading.Timer] = []
        self._warm_at = float("inf")
        """When the last of them begins, or began."""
        self._warming_guard = threading.Lock()
        """Held for moments only: the event loop takes it, and must not wait for a store to be opened."""
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def serving(self) -> Iterator[Clients]:
        """The clients of the store that a call is about: these."""
        yield self

    def scopes_of(self, _request: ServerRequestContext[Any, Any] | None = None) -> frozenset[str]:
        """What this request may do: what the server was started for. A token that allows less is asked about here."""
        return self.launch.granted

    def of(self, context: Context[Any, Any], surface: str) -> Caller:
        """Who makes this call. Raises what opening the store raises."""
        caller = self.named(_name_of(context), surface, _connection_of(context))
        scopes = self.scopes_of(context.request_context)
        return caller if scopes == caller.scopes else replace(caller, scopes=scopes)

    def named(self, name: str, surface: str, connection: str = "") -> Caller:
        """The client of this name, through this surface; of several of one name, the one at this connection."""
        client = _tidy(name)
        key, leaving = (client, connection), None
        with self._guard:
            session = self._sessions.get(key)
            if session is None or surface not in session.callers:
                memory = self._open()
                if session is None:
                    session = self._sessions[key] = _Session(self._session_name(client))
                session.callers[surface] = self._new(memory, surface, client, session.name)
            self._sessions.move_to_end(key)
            if len(self._sessions) > _MOST:
                leaving = self._sessions.popitem(last=False)[1]
        if leaving is not None:
            for caller in leaving.callers.values():
                caller.sessions.close()
                caller.memory.close()
        return session.callers[surface]

    def note(self, words: Words) -> str:
        """What a reply says of the store beside its answer; empty: nothing, or it is not open yet."""
        memory = self._memory
        try:
            return "" if memory is None else note_of(memory, words)
        except SubstrateError:  # whoever needs the store is told
            return ""

    def warm(self, after_s: float = 0.0) -> None:
        """Open the store and load what search needs, once, in the background; so many seconds from now, or earlier.

        What cannot be loaded is tried again when it is needed, and whoever needs it is told. A store that is not there
        is not made by it: who only looks around leaves nothing behind.
        """
        if not self.launch.store.is_dir():
            return
        with self._warming_guard:
            begins = time.monotonic() + after_s
            if self._closed or begins >= self._warm_at or self._warm_at <= time.monotonic():
                return
            for later in self._warming:
                later.cancel()
            self._warm_at = begins
            warming = threading.Timer(after_s, self._warm)
            warming.name = "substrate-warm"
            warming.daemon = True
            warming.start()
            self._warming.append(warming)

    async def until_warm(self) -> None:
        """Return when a search can answer by meaning, when it cannot, or after as long as the launch says.

        It waits for the model, and for the first vectors of a store that holds a few texts.
        No thread is held meanwhile, and a call that is cancelled waits no longer. Raises what a look at the store does.
        """
        self.warm()
        with anyio.move_on_after(self.launch.wait_s):
            while any(warming.is_alive() for warming in self._warming):  # noqa: ASYNC110 - a thread ends, and sets no event
                await anyio.sleep(_LOOK_S)
            while (memory := self._memory) is not None:
                if not await anyio.to_thread.run_sync(memory.first_vectors_due):  # it reads the store
                    break
                await anyio.sleep(_LOOK_S)

    def close(self) -> None:
        """Write down what was accessed, and release the store.

        It waits for what is being loaded to be given up: a thread that runs native code while the interpreter goes
        down takes the process with it.
        """
        with self._warming_guard:
            self._closed = True
            for warming in self._warming:
                warming.cancel()
        with self._guard:
            memory, self._memory = self._memory, None
            self._sessions.clear()
        if memory is not None:
            memory.close()
        for warming in self._warming:
            warming.join()

    def _session_name(self, client: str) -> str:
        """By the first surface: a client that uses several is one, and what it reads is one session."""
        return f"mcp:{self.launch.surfaces[0]}:{client}:{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"

    def _new(self, memory: Memory, surface: str, client: str, session: str) -> Caller:
        actor = surface_actor(surface, client)
        own = memory.client(actor, session, policy=AGENTS)
        words = select(self.launch).words(load_surface(surface))
        return Caller(own, self.launch.granted, session, self.launch, words, self.meter, actor)

    def _open(self) -> Memory:
        """The store. Under the guard: it is opened once."""
        if self._closed:
            raise Busy("this server is closing: start it again")
        if self._memory is None:
            import substrate  # noqa: PLC0415 - loads the engine, after the first answer

            launch = self.launch
            try:
                self._memory = substrate.open(
                    launch.store, read_only=launch.read_only, actor="mcp", observe="train" in launch.granted
                )
            except NotFound:
                if launch.hosted:
                    raise NotFound("there is nothing stored yet, and this server only reads") from None
                raise NotFound(
                    f"there is no store in {launch.store}, and this server only reads: start it without --read-only "
                    "once, or with --store PATH"
                ) from None
            except SubstrateError as error:
                if not launch.hosted or error.retryable:
                    raise
                _log.error("the store %s does not open: %s", launch.store.name, error)
                raise StoreDamaged("this store does not open; the server's log says why. Tell its keeper") from None
        return self._memory

    def _warm(self) -> None:
        try:
            with self._guard:
                memory = self._open()
        except SubstrateError:
            return  # whoever calls a tool is told
        memory.warm()


def _name_of(context: Context[Any, Any]) -> str:
    params = context.request_context.session.client_params
    return _UNNAMED if params is None else params.client_info.name


def _connection_of(context: Context[Any, Any]) -> str:
    """Over HTTP, in the era of the protocol that has it: what tells two windows of one program apart."""
    headers = context.headers
    return "" if headers is None else headers.get("mcp-session-id", "")


@lru_cache(_MOST)
def _tidy(name: str) -> str:
    """A client's name as a part of an actor: short, and without what could be taken for something else."""
    tidied = re.sub(r"[^\w.+ -]+", "-", name).strip("- ")[:_NAME_CHARACTERS]
    return _UNNAMED if find_secrets(name) or find_secrets(tidied) else tidied or _UNNAMED
