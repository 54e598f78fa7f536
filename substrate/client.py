"""A client: who uses an open store, and what holds for all that it does."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from substrate.errors import Denied
from substrate.learn.recorder import Recorder
from substrate.policy import Policy
from substrate.save.place import Place, place
from substrate.store import OpenStore
from substrate.values.actors import surface_of

__all__ = ["Client"]

_MAKING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Client:
    """Who writes and accesses. `session` names its sessions and checkpoints, where they do not name themselves.

    `observe`: whether what it accesses is learnt from. `owner`: whether the store is closed with it. `policy`: what it
    may read, which `store` holds it to; None: all.
    """

    store: OpenStore
    actor: str | None = None
    session: str | None = None
    observe: bool = True
    owner: bool = False
    policy: Policy | None = None
    _recorders: list[Recorder] = field(default_factory=list, repr=False, compare=False)
    """Its own, once there is one."""

    @property
    def surface(self) -> str | None:
        """Through which surface it writes; None of a person or a script. Its maintenance touches only its own."""
        return surface_of(self.actor)

    @property
    def learns(self) -> bool:
        """Whether what it accesses is learnt from, as far as it is up to this client."""
        return self.observe and not self.store.read_only

    def require_person(self, command: str) -> None:
        """Denied to a client under a policy: a person types this command."""
        if self.policy is not None:
            raise Denied(f"only a person does this: ask for {command}")

    @property
    def recorder(self) -> Recorder:
        """Made when it is first needed: a process that was forked after the store was opened has its own."""
        if not self._recorders:
            with _MAKING:
                if not self._recorders:
                    self._recorders.append(self.store.add(self._new_recorder()))
        return self._recorders[0]

    def _new_recorder(self) -> Recorder:
        store = self.store
        return Recorder(store.log, self.actor, self.session, observed=self.learns, background=store.background)

    def place(self) -> Place | None:
        """Where in a notebook it is when it records something, if someone knows."""
        return place()

    def said(
        self,
        actor: str | None = None,
        origin: str | None = None,
        session: str | None = None,
        source: str | None = None,
    ) -> dict[str, object]:
        """What holds for items that do not say their own: what the call says, else what this client says."""
        return {
            "actor": actor or self.actor,
            "origin": origin,
            "session": session or self.session,
            "source": source,
        }

    def close(self) -> None:
        """End its sessions; of the owner all sessions, and the store."""
        if self.owner:
            self.store.close()
        else:
            self.store.drop(self.recorder)
