"""The facade: one store, open, with all its verbs.

Each verb is one file beside this one; only this one knows them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from copy import copy
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO, TypeVar
from uuid import UUID

from substrate.clock import Clock
from substrate.engine.access import access
from substrate.engine.batch import Batch
from substrate.engine.caring import Caring
from substrate.engine.checkpoint import checkpoint
from substrate.engine.diff import diff
from substrate.engine.edges import edges
from substrate.engine.forget import forget
from substrate.engine.history import history
from substrate.engine.importing import import_lines
from substrate.engine.intake import AtomInput, EdgeInput, ExpectInput, TombstoneInput
from substrate.engine.judging import Judging
from substrate.engine.learning import Learning
from substrate.engine.listing import list_atoms
from substrate.engine.moments import Moment, Time
from substrate.engine.observing import read_label
from substrate.engine.owed import settle_late
from substrate.engine.progress import Progress
from substrate.engine.provenance import accesses, note_access
from substrate.engine.proving import Proving
from substrate.engine.selection import Selection
from substrate.engine.session import Session
from substrate.engine.showing import Showing
from substrate.engine.stores import open_memory_log
from substrate.errors import SchemaInvalid
from substrate.growth import Diff
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.model import Access, Atom, Edge, Edges, Forgot, History, Listing, Name, Saved
from substrate.places import place

__all__ = ["Memory", "open_memory"]

_Item = TypeVar("_Item")


def open_memory(  # noqa: PLR0913 - one way to open, everything by keyword
    path: str | Path,
    *,
    read_only: bool = False,
    create: bool = True,
    home: str | Path | None = None,
    actor: str | None = None,
    origin: str | None = None,
    clock: Clock | None = None,
    model: str | Path | None = None,
    background: bool = True,
    observe: bool = True,
) -> Memory:
    """Open the store in the folder `path`; make it if there is none and `create` is set.

    Public as `substrate.open`. `home` is where signing keys live (default: settings). `actor` is who writes, where a
    call does not say. `origin` names a *new* store's log. With `read_only` nothing is written at all, and no key is
    needed. `model` is the name or folder of the model that embeds, where the store does not name another; `none` for
    search by words alone (default: settings). What is saved is embedded in the background, unless `background` is
    False; then `index()` does it. What is accessed is learnt from, unless `observe` is False. Raises NotFound, Denied,
    InputError, FormatTooNew, StoreDamaged, RolledBack, Busy.
    """
    actor = read_label(actor, "actor")
    log = open_memory_log(path, read_only=read_only, create=create, home=home, origin=origin, clock=clock)
    if not read_only:
        settle_late(log)
    return Memory(log, actor, model=model, read_only=read_only, background=background, observe=observe)


def _some(items: Iterable[_Item]) -> tuple[_Item, ...]:
    """The items, or one more than there may be: those of an iterator without end are not drawn to it."""
    if isinstance(items, str | bytes | Mapping | Atom | Edge) or not isinstance(items, Iterable):
        raise SchemaInvalid("atoms, edges, tombstones and unedges are lists: put a single one into brackets")
    return tuple(islice(items, LIMITS["checkpoint_items"] + 1))


class Memory(Proving, Learning, Judging, Caring, Showing):
    """An open store. Safe to share between threads. Each call sees one snapshot of its own: the newest there is."""

    def __init__(  # noqa: PLR0913
        self,
        log: Log,
        actor: str | None = None,
        *,
        model: str | Path | None = None,
        read_only: bool = False,
        background: bool = True,
        observe: bool = True,
    ) -> None:
        """Use `open_memory`."""
        super().__init__(log, model=model, read_only=read_only, background=background)
        self._actor = actor
        self._session_name: str | None = None
        self._recording = None
        self._is_client = False
        self._read_only = read_only
        self._observes = observe
        self._background = background

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Memory {self._log.path}>"

    def close(self) -> None:
        """Release the store. What was acknowledged is on disk already; what is not embedded yet, another time.

        Sessions end, those of clients first. See `client` for what it does there.
        """
        if self._is_client:
            self._shared.drop(self._recorder)
            return
        try:
            self._shared.stop_recording()
        finally:
            self._shared.close()
            self._log.close()

    def client(self, actor: str, session: str | None = None) -> Memory:
        """The same open store for another who uses it, such as one of several agents behind a server.

        What is held in memory is shared. Its own are: `actor`, who writes and accesses; and its sessions, also the one
        that goes on outside of `session()`. They are called `session`, if they do not say their own name, and so are
        its checkpoints: `forget(session=...)` finds all of it. `close` ends its sessions and leaves the store open;
        its verbs still answer after that, but what they access is not learnt from. When the store is closed, so are
        its clients. Raises SchemaInvalid, TooLarge, SecretFound.
        """
        client = copy(self)
        client._actor = read_label(actor, "actor")  # noqa: SLF001
        client._session_name = read_label(session, "session")  # noqa: SLF001
        client._recording = None  # noqa: SLF001
        client._is_client = True  # noqa: SLF001
        return client

    # -- save ----------------------------------------------------------------------------------------------------

    def checkpoint(  # noqa: PLR0913
        self,
        atoms: Iterable[AtomInput] = (),
        *,
        edges: Iterable[EdgeInput] = (),
        tombstones: Iterable[TombstoneInput] = (),
        unedges: Iterable[EdgeInput | str] = (),
        expect: ExpectInput | None = None,
        actor: str | None = None,
        origin: str | None = None,
        session: str | None = None,
        source: str | None = None,
        task: Name | None = None,
        partial: bool = False,
        allow_secrets: bool = False,
    ) -> Saved:
        """Save atoms and edges, take atoms (`tombstones`) and edges (`unedges`) out of use: as one, or not at all.

        An atom is `"v1.type.rest = value"`, a mapping with the fields of `Atom`, or an Atom; an edge a mapping with
        `source`, `type`, `target` and the further fields of `Edge` (ends by name or id), or an Edge; an unedge the
        same, or an edge's id. `actor`, `origin`, `session` and `source` hold for items that do not say their own.
        `task` gets a `produced_by` edge from every atom recorded. The same said again confirms and makes no new
        version.

        `expect`: {name: seq, or None for absent} or a head; Conflict or HeadMoved if another writer was faster. An
        invalid item: ItemsRefused, naming each, with nothing written; with `partial` the others are saved and
        `refused` tells. What looks like a credential is refused too, unless `allow_secrets`. Also raises TooLarge,
        Denied, Busy, Full, StoreDamaged, RolledBack; always with nothing written.
        """
        batch = Batch(_some(atoms), _some(edges), _some(tombstones), _some(unedges), task, place())
        saved = checkpoint(
            self._log,
            batch,
            expect=expect,
            said={
                "actor": actor or self._actor,
                "origin": origin,
                "session": session or self._session_name,
                "source": source,
            },
            partial=partial,
            allow_secrets=allow_secrets,
        )
        self._follower.wake()
        return saved

    # -- sessions ------------------------------------------------------------------------------------------------

    def session(
        self,
        objective: str | None = None,
        *,
        domain: Name | None = None,
        name: str | None = None,
        observe: bool = True,
    ) -> Session:
        """A session of its own: `with memory.session("fix the login"):`; what is accessed in it belongs to it.

        Its objective and domain say what it is for, and hold for `train` and `bootstrap` in it. What it accesses is
        learnt when it ends, unless `observe` is False. `name` is by what `forget(session=...)` finds it. Accesses
        outside of any session are one too, which ends after half an hour without any. Raises InputError, NotFound
        (a domain that is not there), SecretFound.
        """
        return Session(self, self._recorder, self._begin(objective, domain, name, observed=observe))

    # -- read ----------------------------------------------------------------------------------------------------

    def access(
        self,
        name: Name,
        *,
        as_of: Moment | None = None,
        valid_at: Time | None = None,
        proof: bool = False,
        predictions: int = 5,
    ) -> Access:
        """The atom of this name or id: as it is now, as we knew it at `as_of`, as it was in the world at `valid_at`.

        `as_of` is a seq, a time or a head; times are datetimes or ISO 8601. With `proof`, also the proof that it is
        current, or, with `as_of` or `valid_at`, that this version was recorded. NotFound if there is none (the
        message says whether it was tombstoned); Forgotten, with the proof of that as `.proof`, if it was erased.

        A read of what is now belongs to the current session, which is learnt from; `predictions` are the atoms that
        will probably be needed next, at most so many.
        """
        session = self._recorder.current()
        found = access(
            self._log,
            name,
            as_of=as_of,
            valid_at=valid_at,
            proof=proof,
            foresee=lambda transaction, subject: self._foresee(transaction, session, subject, predictions),
        )
        if as_of is None and valid_at is None:
            self._recorder.note(session, UUID(found.atom.id).bytes)
        note_access(self._log.path, found.name)
        return found

    def accesses(self) -> AbstractContextManager[list[str]]:
        """`with memory.accesses() as names:` gives the names of the atoms that the caller accesses in the block.

        In order, each as often as it is accessed, by whichever memory of this store; not what other threads access.
        """
        return accesses(self._log.path)

    def list(  # noqa: PLR0913
        self,
        prefix: str = "",
        *,
        limit: int = 100,
        offset: int = 0,
        after: str | None = None,
        tombstoned: bool = False,
        superseded: bool = False,
        as_of: Moment | None = None,
        valid_at: Time | None = None,
        count: bool = False,
    ) -> Listing:
        """Atoms whose names begin with `prefix`, by name. `limit` is at most 1,000; go on with `after=listing.next`.

        Those out of use are left out unless `tombstoned` or `superseded` ask for them. With `count`, `total` says how
        many there are on all pages, if at most 10,000 names begin so.
        """
        return list_atoms(
            self._log,
            prefix,
            limit=limit,
            offset=offset,
            after=after,
            tombstoned=tombstoned,
            superseded=superseded,
            as_of=as_of,
            valid_at=valid_at,
            count=count,
        )

    def edges(  # noqa: PLR0913
        self,
        name: Name,
        *,
        direction: str = "both",
        type: str | None = None,  # noqa: A002 - the word for it
        as_of: Moment | None = None,
        valid_at: Time | None = None,
        limit: int = 1000,
        offset: int = 0,
    ) -> Edges:
        """The edges of an atom, `in`, `out` or `both`, of one type or all, those taken back left out.

        An atom that edges point to but that is not there yet can be asked for too. NotFound if there is neither.
        """
        return edges(
            self._log,
            name,
            direction=direction,
            type=type,
            as_of=as_of,
            valid_at=valid_at,
            limit=limit,
            offset=offset,
        )

    def history(
        self, name: Name, *, as_of: Moment | None = None, valid_at: Time | None = None, limit: int = 1000
    ) -> History:
        """The versions of an atom, oldest first, tombstones and gaps (what was forgotten) among them.

        If there are more than `limit`, the newest; with `as_of` one gets at the older ones.

        With `as_of` those known then; with `valid_at` those that hold at that time. NotFound if the store never held
        it.
        """
        return history(self._log, name, as_of=as_of, valid_at=valid_at, limit=limit)

    def diff(
        self,
        start: Moment,
        stop: Moment | None = None,
        *,
        prefix: str = "",
        valid_at: Time | None = None,
        limit: int | None = None,
    ) -> Diff:
        """What became of atoms and edges after `start` until `stop` (None: now): seqs, times or heads.

        With `limit` (at most 1,000), the changes made last; `left_out` says how many were not looked at.
        """
        return diff(self._log, start, stop, prefix=prefix, valid_at=valid_at, limit=limit)

    # -- care ----------------------------------------------------------------------------------------------------

    def forget(  # noqa: PLR0913
        self,
        names: Name | Iterable[Name] = (),
        *,
        source: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        seqs: range | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Forgot:
        """Erase for good: atoms by name or id; or all versions and edges of a source, actor, session or range of seqs.

        Give one of these. Of an atom named, all goes: versions, edges from and to it, traces. Otherwise the versions
        and edges that match go; an atom left without a version is forgotten as a whole, and one that loses its
        current version only is tombstoned. `dry_run` counts and writes nothing. On return the bytes are gone from the
        store's files (`compacted`; False if readers did not let go in time: then `compact()` later). Not from backups
        and exports. NotFound if nothing matches.
        """
        selection = Selection.of(names, source=source, actor=actor, session=session, seqs=seqs)
        if not dry_run:
            self._shared.write_down()  # or what waits to be would bring back what is to go
        forgot = forget(self._log, selection, dry_run=dry_run, progress=progress)
        if not dry_run:
            self._nearest.close()  # of files that had to go nothing is held open
            self._follower.wake()  # and they are made anew
        return forgot

    def import_lines(
        self,
        lines: str | Path | TextIO,
        *,
        partial: bool = False,
        allow_secrets: bool = False,
        progress: Progress | None = None,
    ) -> Saved:
        """Replay a plain export into this store, as checkpoints of at most 1,000 lines each.

        Fields stay as they were, but ids, seqs and times of recording are new; a version that took the place of an
        earlier one, and does not say when it occurred, gets the time at which it was recorded before, so that
        `valid_at` answers stay what they were. Raises as `checkpoint` does, naming the line; what came before it is
        saved then.
        """
        unsigned = copy(self)  # who wrote a line is what the line says
        unsigned._actor = unsigned._session_name = None  # noqa: SLF001
        return import_lines(
            unsigned.checkpoint,
            lines,
            partial=partial,
            allow_secrets=allow_secrets,
            progress=progress,
        )
