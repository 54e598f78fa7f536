"""An open store: its log, and what all who use it share in this process. Made once, by `open_store`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from substrate.atoms.moments import Moment, Time, snapshot_of
from substrate.clock import Clock
from substrate.embed.backfill import Follower
from substrate.embed.query import Meaning, Models
from substrate.encryption.unlocked import UnlockedDomains
from substrate.encryption.vectors import UnlockedVectors
from substrate.errors import Forgotten, InputError
from substrate.forget.compaction import compact_late
from substrate.hiding.hidden import HiddenAtoms
from substrate.hiding.log import VeiledLog
from substrate.kv.api import ReadTransaction
from substrate.learn.recorder import Recorder
from substrate.log.log import Log, open_log
from substrate.messages import Arg
from substrate.policy import Policy
from substrate.search.lazy import LazySearch
from substrate.snapshot import Snapshot
from substrate.values.progress import Progress
from substrate.views.catalogue import VIEWS
from substrate.views.nearest.index import NearestIndex

if TYPE_CHECKING:
    from substrate.fading.listing import FadingIndex
    from substrate.groups.groups import Grouper
    from substrate.relate.associate import Associator
    from substrate.search.index import SearchIndex

__all__ = ["OpenStore", "open_store"]


def open_store(  # noqa: PLR0913
    path: str | Path,
    *,
    read_only: bool = False,
    create: bool = True,
    home: str | Path | None = None,
    origin: str | None = None,
    clock: Clock | None = None,
    model: str | Path | None = None,
    background: bool = True,
    progress: Progress | None = None,
) -> OpenStore:
    """See `open_memory`."""
    log = open_log(
        path,
        home=home,
        read_only=read_only,
        create=create,
        views=VIEWS,
        clock=clock,
        origin=origin,
        progress=progress,
    )
    try:
        if not read_only and log.behind() is None:
            compact_late(log)
        return OpenStore(log, model=model, read_only=read_only, background=background)
    except BaseException:
        log.close()
        raise


class _Reading:
    """A snapshot in which unlocked domains are text, as a context manager. Not a generator: every read begins here."""

    __slots__ = ("_inner", "_log", "_unlocked")

    def __init__(self, log: Log, unlocked: UnlockedDomains) -> None:
        self._log = log
        self._unlocked = unlocked

    def __enter__(self) -> ReadTransaction:
        while True:
            inner = self._inner = self._log.snapshot()
            transaction = inner.__enter__()
            try:
                covered = self._unlocked.cover(transaction)
            except BaseException as error:
                inner.__exit__(type(error), error, error.__traceback__)
                raise
            if covered is not None:
                return covered
            inner.__exit__(None, None, None)  # another thread has followed the log further meanwhile

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inner.__exit__(kind, error, trace)


class _ReadAt:
    """A snapshot of a moment, as a context manager. Not a generator either."""

    __slots__ = ("_as_of", "_inner", "_store", "_valid_at")

    def __init__(self, store: OpenStore, as_of: Moment | None, valid_at: Time | None) -> None:
        self._store = store
        self._as_of = as_of
        self._valid_at = valid_at

    def __enter__(self) -> Snapshot:
        inner = self._inner = self._store.snapshot()
        transaction = inner.__enter__()
        try:
            return snapshot_of(transaction, self._store.log.clock, self._as_of, self._valid_at)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inner.__exit__(kind, error, trace)
        if isinstance(error, Forgotten):
            self._store.withhold_proof(error)


class OpenStore:
    """One copy in memory of what its clients share, made when the first of them needs it. Safe between threads."""

    def __init__(self, log: Log, *, model: str | Path | None, read_only: bool, background: bool) -> None:
        self.log = log
        self.read_only = read_only
        self.background = background
        self.models = Models(model)
        self.nearest = NearestIndex(log.cache, read_only=read_only)
        self.follower = Follower(log, self.models, self.nearest, read_only=read_only, background=background)
        self.unlocked = UnlockedDomains()
        self.unlocked_vectors = UnlockedVectors(log, self.models, self.nearest, self.unlocked, background=background)
        self._search = LazySearch(Meaning(log, self.models), self.unlocked_vectors)
        self.hidden = HiddenAtoms(self)
        self._making = threading.RLock()
        self._guard = threading.Lock()
        self._recorders: list[Recorder] = []
        self.follower.wake_if_behind()

    def under(self, policy: Policy) -> OpenStore:
        """The same open store, as a client under this policy has it."""
        return VeiledStore(self, policy)

    # -- reading ---------------------------------------------------------------------------------------------------

    def read(self, as_of: Moment | None = None, valid_at: Time | None = None) -> AbstractContextManager[Snapshot]:
        """In the block: the store as it is now, was known at `as_of`, or was in the world at `valid_at`.

        InputError if one of them is no moment of this log, or no time.
        """
        if isinstance(as_of, int) and as_of < 0:
            raise InputError(Arg("as_of"), f": the first entry of a log is 0, and there is no entry {max(as_of, -99)}")
        return _ReadAt(self, as_of, valid_at)

    def snapshot(self) -> AbstractContextManager[ReadTransaction]:
        """All tables as of now, with the atoms of unlocked domains as text. What is read here is never written."""
        return _Reading(self.log, self.unlocked)

    def drop_indexes(self) -> None:
        """Drop what was worked out of the texts in memory: other domains are locked now than before."""
        with self._making:
            self._search = LazySearch(Meaning(self.log, self.models), self.unlocked_vectors)
            for made in ("_fading", "_associator", "_grouper"):
                vars(self).pop(made, None)

    def withhold_proof(self, error: Forgotten) -> None:
        """What says that a name is forgotten *now* is not proven by a store that is behind."""
        behind = None if error.proof is None else self.log.behind()
        if behind is not None and (behind.forked or getattr(error.proof, "claim", "") != "recorded"):
            error.proof = None

    def time_at(self, as_of: Moment | None, valid_at: Time | None) -> int:
        """The time that such a snapshot asks about, in microseconds."""
        if as_of is None and valid_at is None:
            return self.log.clock.now()
        with self.read(as_of, valid_at) as snapshot:
            return snapshot.at

    @property
    def search(self) -> LazySearch:
        """What searching keeps between calls, until other domains are locked than before."""
        return self._search

    @property
    def index(self) -> SearchIndex:
        """What searching keeps between calls. It loads numpy, so it is made when it is needed."""
        return self.search.index

    @property
    def fading(self) -> FadingIndex:
        """What fading keeps between calls. It loads numpy, too."""
        with self._making:
            return self._fading

    @cached_property
    def _fading(self) -> FadingIndex:
        from substrate.fading.listing import FadingIndex  # noqa: PLC0415 - loads numpy

        return FadingIndex(self.search.index)

    @property
    def associator(self) -> Associator:
        """What associating keeps between calls."""
        with self._making:
            return self._associator

    @cached_property
    def _associator(self) -> Associator:
        from substrate.relate.associate import Associator  # noqa: PLC0415 - loads numpy

        return Associator(self.models, self.nearest, self.search.columns, self.search.domains)

    @property
    def grouper(self) -> Grouper:
        """What grouping keeps between calls."""
        with self._making:
            return self._grouper

    @cached_property
    def _grouper(self) -> Grouper:
        from substrate.groups.groups import Grouper  # noqa: PLC0415 - loads numpy

        return Grouper(self.models, self.nearest, self.search.columns, self.search.domains)

    # -- what records: each client has its own, and all are ended before the store is closed ------------------------

    def add(self, recorder: Recorder) -> Recorder:
        """From now on this one is written down and closed with the others."""
        with self._guard:
            self._recorders.append(recorder)
        return recorder

    def drop(self, recorder: Recorder) -> None:
        """End the sessions of one client; the others go on."""
        recorder.close()
        with self._guard:
            self._recorders = [other for other in self._recorders if other is not recorder]

    def write_down(self) -> None:
        """Write down what was accessed so far, by whichever client."""
        with self._guard:
            recorders = list(self._recorders)
        for recorder in recorders:
            recorder.flush()

    def close(self) -> None:
        """End the sessions of all clients, the newest first; then what goes on in the background; let go of files."""
        with self._guard:
            recorders, self._recorders = self._recorders[::-1], []
        try:
            for recorder in recorders:
                recorder.close()
        finally:
            self.follower.close()
            self.unlocked_vectors.close()
            self.nearest.close()
            self.log.close()


class VeiledStore(OpenStore):
    """An open store as a client under a policy has it: it shows and takes what the policy allows.

    All else is that of the store: what is kept in memory is shared, and has masks for each policy.
    """

    def __init__(self, store: OpenStore, policy: Policy) -> None:
        # Not that of `OpenStore`: nothing is opened.
        self._whole = store
        self._policy = policy
        self.log = VeiledLog(store.log, store.hidden, policy)
        self.read_only, self.background = store.read_only, store.background
        self.models, self.nearest, self.follower = store.models, store.nearest, store.follower
        self.unlocked, self.unlocked_vectors, self.hidden = store.unlocked, store.unlocked_vectors, store.hidden

    def under(self, policy: Policy) -> OpenStore:
        """The same open store under another policy."""
        return self._whole.under(policy)

    @contextmanager
    def snapshot(self) -> Iterator[ReadTransaction]:
        """See `OpenStore.snapshot`; without what is hidden."""
        with self._whole.snapshot() as transaction:
            yield self.hidden.veiled(self._policy, transaction)

    @property
    def search(self) -> LazySearch:
        """See `OpenStore.search`."""
        return self._whole.search

    @property
    def fading(self) -> FadingIndex:
        """See `OpenStore.fading`."""
        return self._whole.fading

    @property
    def associator(self) -> Associator:
        """See `OpenStore.associator`."""
        return self._whole.associator

    @property
    def grouper(self) -> Grouper:
        """See `OpenStore.grouper`."""
        return self._whole.grouper

    def drop_indexes(self) -> None:
        """See `OpenStore.drop_indexes`."""
        self._whole.drop_indexes()

    def add(self, recorder: Recorder) -> Recorder:
        """See `OpenStore.add`."""
        return self._whole.add(recorder)

    def drop(self, recorder: Recorder) -> None:
        """See `OpenStore.drop`."""
        self._whole.drop(recorder)

    def write_down(self) -> None:
        """See `OpenStore.write_down`."""
        self._whole.write_down()

    def close(self) -> None:
        """See `OpenStore.close`."""
        self._whole.close()
