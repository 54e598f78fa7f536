"""A session: one client's stream of accesses, with its objective and its domain."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from substrate.errors import Busy, InputError, SubstrateError
from substrate.learn.recorder import OpenSession, Recorder

if TYPE_CHECKING:
    from substrate.values.atoms import Access, Name
    from substrate.values.opening import Opening
    from substrate.values.predictions import Predictions, Trained

__all__ = ["Session"]


class Verbs(Protocol):
    """The verbs of a memory in a session; see there."""

    @property
    def access(self) -> Callable[..., Access]: ...
    @property
    def predict(self) -> Callable[..., Predictions]: ...
    @property
    def train(self) -> Callable[..., Trained]: ...
    @property
    def bootstrap(self) -> Callable[..., Opening]: ...


class Session:
    """See `Memory.session`. Use it as a context manager, or call its verbs, and `close` at the end."""

    def __init__(self, memory: Verbs, recorder: Recorder, state: OpenSession) -> None:
        self._memory = memory
        self._recorder = recorder
        self._state = state
        self._closed = False

    @property
    def objective(self) -> str | None:
        """Its purpose."""
        return self._state.objective or None

    @property
    def domain(self) -> str | None:
        """The name of its domain."""
        return self._state.domain_name

    @property
    def accesses(self) -> int:
        """How many atoms it has accessed, each time counted."""
        return self._state.accesses

    def __repr__(self) -> str:
        return f"<Session {self.objective or 'without objective'}: {self.accesses} accesses>"

    def __enter__(self) -> Self:
        self._recorder.enter(self._state)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._recorder.leave(self._state)
        try:
            self.close()
        except Busy:  # reading must not fail because others write; it is tried again
            self._recorder.end_soon(self._state)
        except SubstrateError:
            if error is None:
                raise
            self._recorder.end_soon(self._state)  # what went wrong in the block is what is to be told

    def close(self) -> None:
        """It is over: what it accessed is written down and learnt. Raises Busy, Full, Denied; then call it again."""
        self._closed = True
        self._recorder.end(self._state)

    def access(self, name: Name, **options: Any) -> Access:  # noqa: ANN401 - those of Memory.access
        """As `Memory.access`, in this session."""
        if self._closed:
            raise InputError("this session is closed: begin another one with memory.session()")
        with self._recorder.within(self._state):
            return self._memory.access(name, **options)

    def predict(self, context: Name | Iterable[Name] | None = None, k: int = 5, **options: Any) -> Predictions:  # noqa: ANN401
        """As `Memory.predict`, in this session: without `context`, from what it has accessed."""
        with self._recorder.within(self._state):
            return self._memory.predict(context, k, **options)

    def train(self, atoms: Iterable[Name], passes: int = 1, **options: Any) -> Trained:  # noqa: ANN401
        """As `Memory.train`, with the objective and the domain of this session."""
        with self._recorder.within(self._state):
            return self._memory.train(atoms, passes, **options)

    def bootstrap(self, objective: str | None = None, **options: Any) -> Opening:  # noqa: ANN401
        """As `Memory.bootstrap`, with the objective and the domain of this session, unless others are given."""
        with self._recorder.within(self._state):
            return self._memory.bootstrap(objective, **options)
