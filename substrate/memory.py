"""The facade: one store, open, with all its verbs. Each is a signature, a contract, and a short walk.

A verb that reads gets a snapshot, which is opened here; one that writes gets the log.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO, TypeVar

from substrate.atoms.access import access
from substrate.atoms.diff import diff
from substrate.atoms.domains import domain_of, read_domain
from substrate.atoms.edges import edges
from substrate.atoms.history import history
from substrate.atoms.list import list_atoms
from substrate.atoms.meant.part_names import names_with
from substrate.atoms.meant.policy import in_force
from substrate.atoms.meant.which import which
from substrate.atoms.moments import Moment, Time, last_seq, read_time, snapshot_of
from substrate.atoms.resolve import read_end, read_ends
from substrate.atoms.stale import stale_atoms
from substrate.care.export import export
from substrate.care.growth import growth
from substrate.care.heads import heads
from substrate.care.stats import stats
from substrate.client import Client
from substrate.clock import Clock
from substrate.conflicts.detect import list_conflicts
from substrate.conflicts.settle import settle
from substrate.documents.document import document
from substrate.documents.whole import forget_whole
from substrate.errors import Denied, SchemaInvalid, SubstrateError
from substrate.extras import require
from substrate.fading.choice import choose_decay
from substrate.fading.named import fading_of
from substrate.fading.touch import touch
from substrate.forget.compaction import compact_now, rewrite
from substrate.forget.forget import forget
from substrate.forget.select import Selection
from substrate.groups.merge import Merger, merge, take_back
from substrate.learn.around import around
from substrate.learn.labels import read_label, read_objective
from substrate.learn.observe import SessionInput, observe, read_sessions
from substrate.learn.predict import FLOOR, check_count, check_predict, context_of, predict, predict_next
from substrate.learn.recorder import OpenSession
from substrate.learn.session import Session
from substrate.learn.train import train
from substrate.learn.watch import is_watched, watch
from substrate.learn.write_sessions import drop_malformed_sessions
from substrate.limits import LIMITS, check_limit
from substrate.log.tables import SESSIONS
from substrate.messages import WATCH, Arg
from substrate.moving.move import Move, import_file, import_frame, import_lines
from substrate.proof.bundle import Bundle
from substrate.proof.head import Pin, SignedHead
from substrate.proof.note import VerifierKey
from substrate.proof.verify import Verdict, Verifier
from substrate.relate.context import context
from substrate.relate.path import path
from substrate.result import Result, Tabular, compact
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.input import AtomInput, EdgeInput, ExpectInput, TombstoneInput
from substrate.save.place import accesses, note_access
from substrate.save.proposed import confirm
from substrate.save.quota import quota_of, set_quota
from substrate.save.remember import read_statement, remember
from substrate.save.rename import rename
from substrate.save.replace import Replacement
from substrate.save.replace import replace as replace_atom
from substrate.save.undo import undo
from substrate.search.filters import Filters
from substrate.store import OpenStore, open_store
from substrate.values.atoms import Access, History, Listing, Name
from substrate.values.behind import Behind, BehindWarning
from substrate.values.conflicts import Conflicts
from substrate.values.documents import Document, Ingested
from substrate.values.edges import Edges
from substrate.values.embedding import Embedding, Indexed
from substrate.values.entities import EntityPage, ExtractedEntities
from substrate.values.growth import Diff, Growth, Heads
from substrate.values.hits import Cues, Found, Matches
from substrate.values.predictions import Around, Observed, Predictions, Trained
from substrate.values.progress import Progress
from substrate.values.relations import Associations, Context, Group, Groups, Merged, PathFound
from substrate.values.review.fading import FadingAtoms, FadingModel, Swept, Touched
from substrate.values.review.stale import StaleAtoms
from substrate.values.saved import Forgot, Imported, Refused, Remembered, Saved, Stats, TranscriptRead, Undone
from substrate.views.catalogue import CACHE_CHECKS

if TYPE_CHECKING:
    from substrate.bootstrap.bootstrap import Request
    from substrate.learn.matrix import Transitions
    from substrate.search.objective import Match
    from substrate.values.opening import Opening, OpeningAtom

__all__ = ["Memory", "open_memory"]

_Saved = TypeVar("_Saved")
_ANYTHING = "what was decided"
"""To be searched for where it does not matter what is found."""


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
    progress: Progress | None = None,
) -> Memory:
    """Open the store in the folder `path`; make it if there is none and `create` is set.

    Public as `substrate.open`. `home` is where signing keys live (default: settings). `actor` is who writes, where a
    call does not say. `origin` names a *new* store's log. With `read_only` nothing is written at all, and no key is
    needed. `model` is the name or folder of the model that embeds, where the store does not name another; `none` for
    search by words alone (default: settings). What is saved is embedded in the background, unless `background` is
    False; then `index()` does it. What is accessed is learnt from, unless `observe` is False.

    The first open for writing after an upgrade of the package may take long: `progress` is called with (done, total)
    then. Raises NotFound, Denied, InputError, FormatTooNew, StoreDamaged, RolledBack (an emptied store), Busy.

    A store that is behind, since a copy of its folder was written to, opens with a BehindWarning: every verb that reads
    answers, nothing is learnt, and what writes or proves what is current raises RolledBack. `memory.behind` has it all.
    """
    actor = read_label(actor, Arg("actor"))
    store = open_store(
        path,
        read_only=read_only,
        create=create,
        home=home,
        origin=origin,
        clock=clock,
        model=model,
        background=background,
        progress=progress,
    )
    memory = Memory(store, Client(store, actor, observe=observe, owner=True))
    if (behind := memory.behind) is not None:
        try:
            warnings.warn(str(behind), BehindWarning, stacklevel=2)
        except BehindWarning:  # who makes errors of warnings gets no store, so none is left open
            memory.close()
            raise
    return memory


class Memory(Tabular):
    """An open store. Safe to share between threads. Each call sees one snapshot of its own: the newest there is."""

    def __init__(self, store: OpenStore, client: Client) -> None:
        """Use `open_memory`."""
        self._store = store
        self._client = client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        behind = None
        with suppress(SubstrateError):  # closed, perhaps
            behind = self.behind
        return f"<Memory {self._store.log.path}{'' if behind is None else ', which is behind: see memory.behind'}>"

    @property
    def behind(self) -> Behind | None:
        """What this store lacks of its log, which is ahead in another copy, and what to type; None if it is current.

        It may come to be behind while it is open, when a copy of its folder is written to.
        """
        return self._store.log.behind()

    def close(self) -> None:
        """Release the store. What was acknowledged is on disk already; what is not embedded yet, another time.

        Sessions end, those of clients first. See `client` for what it does there.
        """
        self._client.close()

    def client(self, actor: str, session: str | None = None) -> Memory:
        """The same open store for another who uses it, such as one of several agents behind a server.

        What is held in memory is shared. Its own are: `actor`, who writes and accesses; and its sessions, also the one
        that goes on outside of `session()`. They are called `session`, if they do not say their own name, and so are
        its checkpoints: `forget(session=...)` finds all of it. `close` ends its sessions and leaves the store open;
        its verbs still answer after that, but what they access is not learnt from. When the store is closed, so are
        its clients. Raises SchemaInvalid, TooLarge, SecretFound.
        """
        client = Client(
            self._store,
            actor=read_label(actor, Arg("actor")),
            session=read_label(session, Arg("session")),
            observe=self._client.observe,
        )
        return Memory(self._store, client)

    # -- save ----------------------------------------------------------------------------------------------------------

    def _woken(self, saved: _Saved) -> _Saved:
        """The same; from now on what was saved is embedded in the background."""
        self._store.follower.wake()
        return saved

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
        batch = Batch.of(atoms, edges, tombstones, unedges, task, self._client.place())
        said = self._client.said(actor, origin, session, source)
        return self._woken(
            checkpoint(self._store.log, batch, expect=expect, said=said, partial=partial, allow_secrets=allow_secrets)
        )

    def remember(  # noqa: PLR0913
        self,
        text: str,
        type: str | None = None,  # noqa: A002 - the word for it
        *,
        title: str | None = None,
        tags: Iterable[str] = (),
        actor: str | None = None,
        origin: str | None = None,
        session: str | None = None,
        source: str | None = None,
        strength: float | None = None,
        allow_secrets: bool = False,
        **fields: object,
    ) -> Remembered:
        """Save a text as an atom, under a name that is made for it: `remembered.name`.

        The name is `v1.<type>.<words>`: the first words of the text that say something, and a digest too if another
        text has that name. With a `title`, its words make the name, and `attrs` keeps it. Without `type`, the wording
        decides where it is clear (decision, preference, goal, constraint, procedure, task, event, fact), else the type
        is `note`. The same text again confirms the same atom, and revives it if it was tombstoned. With a `strength`
        from 1 to 2 it fades the later (see `fading`). `fields` are further fields of the atom, as in `checkpoint`.

        Raises InputError if there is no text; else as `checkpoint`.
        """
        more = {**fields, **({"tags": list(tags)} if tags else {})}
        said, place = self._client.said(actor, origin, session, source), self._client.place()
        statement = read_statement(text, type, title)
        return self._woken(
            remember(
                self._store.log,
                statement,
                more,
                said=said,
                place=place,
                strength=strength,
                allow_secrets=allow_secrets,
            )
        )

    def transcript(
        self,
        path: str | Path,
        *,
        session: str | None = None,
        kinds: Iterable[str] | None = None,
        dry_run: bool = False,
    ) -> TranscriptRead:
        """Record what a person stated in a transcript of Claude Code, in the person's own words.

        Rules read the human turns alone: constraints, decisions, preferences and corrections, or only some `kinds` of
        these. Each sentence becomes an atom with the tag `proposed`, its source, and no expiry. It is no rule of
        openings, and unconfirmed there, until a person confirms it (`confirm`, `remember`). What is known, or was and
        is out of use, is left alone. What looks like a credential is refused. With `dry_run` nothing is recorded.

        Raises InputError for an unknown kind or if there is no such file, Denied if it is no plain one.
        """
        from substrate.transcripts.claude_code import human_turns  # noqa: PLC0415 - few need it
        from substrate.transcripts.record import read_kinds, record_decisions  # noqa: PLC0415

        read = record_decisions(
            self._store.log, human_turns(Path(path)), session=session, kinds=read_kinds(kinds), dry_run=dry_run
        )
        return self._woken(read)

    def confirm(
        self,
        names: Iterable[Name] = (),
        *,
        decline: Iterable[Name] = (),
        actor: str | None = None,
        session: str | None = None,
    ) -> Saved:
        """Confirm what rules read out of a transcript, in a person's name, and `decline` others. One checkpoint.

        `recent(tags="proposed")` lists what waits. Confirmed, an atom has no longer that tag, and is a rule of openings
        if its type says so. Declined, it is tombstoned, and the same transcript does not bring it back. InputError for
        an atom that does not wait; NotFound; Conflict if a writer was faster.
        """
        said, place = self._client.said(actor, None, session), self._client.place()
        return self._woken(confirm(self._store.log, tuple(names), tuple(decline), said=said, place=place))

    def replace(  # noqa: PLR0913
        self,
        name: Name,
        new: str | None,
        value: str,
        *,
        at: Time | None = None,
        reason: str | None = None,
        actor: str | None = None,
        origin: str | None = None,
        session: str | None = None,
        source: str | None = None,
        allow_secrets: bool = False,
        **fields: object,
    ) -> Saved:
        """From `at` on (None: now), `value` under the name `new` takes the place of what `name` says. One checkpoint.

        What `name` says ends at `at`, `new` begins then, and a `supersedes` edge that holds from then on leads from
        `new` to `name`, with the `reason`. Asked with `valid_at`, a time before finds the one, a later one the other.
        If `new` is None or the same name, it is a new version that holds from `at` on, and there is no edge. `fields`
        are further fields of the new atom (tags, confidence, ...), as in `checkpoint`.

        NotFound if `name` is not in use; InputError if it does not hold before `at`; Conflict if another atom
        supersedes it, or a writer was faster. Else as `checkpoint`.
        """
        given = Replacement(name, new, value, at, reason, source, origin, fields)
        said, place = self._client.said(actor, None, session), self._client.place()
        return self._woken(replace_atom(self._store.log, given, said=said, place=place, allow_secrets=allow_secrets))

    def rename(
        self,
        name: Name,
        new: str,
        *,
        reason: str | None = None,
        actor: str | None = None,
        session: str | None = None,
    ) -> Saved:
        """Let what `name` says go on under the name `new`. One checkpoint.

        The new atom gets value, fields and edges; the old one is tombstoned, and an edge `renamed_to` leads to the new
        one. Proofs made before stay valid. `access` by the old name answers with the new atom (`renamed_from`), what
        was learnt of the one counts for the other, and forgetting either erases both.

        NotFound if `name` is not in use; Conflict if `new` is another atom's name, in use or not, or a writer was
        faster; InputError for documents and chunks. Else as `checkpoint`.
        """
        said = self._client.said(actor, None, session)
        return self._woken(rename(self._store.log, name, new, said=said, reason=reason, place=self._client.place()))

    def undo(self, *, dry_run: bool = False, actor: str | None = None, session: str | None = None) -> Undone:
        """Take the last checkpoint back by another one, whoever made it. Nothing is erased; `dry_run` only tells.

        Atoms that it recorded anew are tombstoned, those that it changed say again what they said before, those that
        it tombstoned are in use again; edges likewise. An undo is a checkpoint: undone, it does all of it again. What
        only confirmed made no checkpoint. InputError after a forget, a training, a choice of model or a new key;
        NotFound in a new store; HeadMoved if a writer was faster. Else as `checkpoint`.
        """
        said, place = self._client.said(actor, None, session), self._client.place()
        return self._woken(undo(self._store.log, dry_run=dry_run, said=said, place=place))

    def import_lines(
        self,
        lines: str | Path | TextIO,
        *,
        partial: bool = False,
        allow_secrets: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Replay a plain export into this store, as checkpoints of at most 1,000 lines each.

        Fields stay as they were, but ids, seqs and times of recording are new; a version that took the place of an
        earlier one, and does not say when it occurred, gets the time at which it was recorded before, so that
        `valid_at` answers stay what they were. Raises as `checkpoint` does, naming the line; what came before it is
        saved then. With `dry_run` nothing is written: the answer says what would be.
        """
        move = Move.of(partial=partial, allow_secrets=allow_secrets, dry_run=dry_run)
        return self._woken(import_lines(self._store.log, lines, move, progress))

    def import_file(  # noqa: PLR0913
        self,
        path: str | Path,
        from_kind: str | None = None,
        *,
        domain: str | None = None,
        columns: Mapping[str, str] | None = None,
        type: str | None = None,  # noqa: A002 - the word for it
        origin: str | None = None,
        actor: str | None = None,
        partial: bool | None = None,
        allow_secrets: bool = False,
        dry_run: bool = False,
        secret: str | bytes | None = None,
        unverified: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Take in a file of this or another system. `imported.kind` says as what it was read.

        `from_kind` is `substrate` (a plain export), `server-memory` (the official memory server's JSON Lines),
        `hydramem` (its signed export, or its sessions.json), `csv`, `tsv` or `jsonl` (rows of named columns); without
        it, the file is looked at. Documents and folders of them are `ingest`ed.

        Of rows, `columns` says which column is which field where its name does not, as `{"value": "Remark"}`; other
        columns become attrs. `type` is that of atoms whose name or row says none. Entities of `server-memory` belong
        to `domain`, and have the origin `agent`; rows have none, as in a checkpoint that says none. `origin` says
        otherwise: `ingested` for a file that others wrote. There is one session for each file. The same file again
        changes nothing.

        A HydraMem export is taken if it is signed with `secret`, or with `unverified` as it is; its origin is
        `ingested`, and its project is the domain unless `domain` says another. Denied if the signature does not fit.

        Of other systems, what cannot be taken is listed in `refused` with its line, and the rest is saved, unless
        `partial` is False. A plain export is refused as `import_lines` does, unless it is True. With `dry_run` nothing
        is written: the answer says what would be. InputError if the file is of no kind that is known.
        """
        move = Move.of(
            domain=domain,
            columns=columns,
            type=type,
            said={"origin": origin, "actor": actor},
            partial=partial,
            allow_secrets=allow_secrets,
            dry_run=dry_run,
            secret=secret,
            unverified=unverified,
        )
        return self._woken(import_file(self._store.log, path, from_kind, move, progress))

    def import_frame(  # noqa: PLR0913
        self,
        frame: object,
        *,
        columns: Mapping[str, str] | None = None,
        type: str | None = None,  # noqa: A002 - the word for it
        source: str | None = None,
        origin: str | None = None,
        actor: str | None = None,
        partial: bool = True,
        allow_secrets: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Take in the rows of a pandas or polars data frame, each as an atom; as `import_file` does those of a CSV.

        `source` says where it comes from; frames of one source are one session. `refused` counts rows from 1.
        """
        move = Move.of(
            columns=columns,
            type=type,
            said={"origin": origin, "actor": actor},
            partial=partial,
            allow_secrets=allow_secrets,
            dry_run=dry_run,
        )
        return self._woken(import_frame(self._store.log, frame, source, move, progress))

    def ingest(  # noqa: PLR0913
        self,
        what: Path | str,
        *,
        domain: Name | None = None,
        title: str | None = None,
        source: str | None = None,
        media_type: str | None = None,
        root: str | Path | None = None,
        entities: bool = True,
        prune: bool = False,
        dry_run: bool = False,
        actor: str | None = None,
        session: str | None = None,
        allow_secrets: bool = False,
        progress: Progress | None = None,
    ) -> Ingested:
        """Take in a file, a folder or a text: each becomes a document and its chunks, which joined are the text.

        A `pathlib.Path` is a file or a folder; a str is always the text itself. Markdown, plain text,
        reStructuredText, HTML, Jupyter notebooks, and PDF where pypdf is there, of at most 10 MB each, in UTF-8. All
        go into the `domain` (default: main), which is made if there is none. The same source again is compared chunk
        by chunk: only what changed is recorded, what vanished is tombstoned, and nothing at all if nothing changed.

        `source` is where a text comes from; of files it takes the place of the root's own name in front of their path.
        `title` and `media_type` are of one document. With `root`, a path must be below that folder, else PathEscape.
        No link is followed. With `entities`, each chunk lists the names in its text, and a name becomes an atom
        `v1.entity.<domain>.*` with the second text that has it; without, an ingest takes half the time. Asked for
        later, names are looked for in texts that were ingested without. With `prune`, documents whose files are gone
        from the folder are taken out of use; otherwise `missing` names them. `dry_run` compares
        and writes nothing. `progress`: bytes read, of how many.

        A file of a folder that cannot be taken is one of `failed`, with code and reason: nothing of it is saved, and
        the others are. What looks like a credential is such a reason, unless `allow_secrets`. Of a single file or text
        that is unreadable or too large, that is raised: InputError, Denied, PathEscape, TooLarge, SchemaInvalid.
        """
        from substrate.documents.ingest import Request, ingest  # noqa: PLC0415 - few who open a store ingest

        request = Request.of(
            domain=domain,
            title=title,
            source=source,
            media_type=media_type,
            root=root,
            said=self._client.said(actor, None, session),
            allow_secrets=allow_secrets,
            prune=prune,
            dry_run=dry_run,
            entities=entities,
        )
        return self._woken(ingest(self._store.log, what, request, progress))

    def follow(  # noqa: PLR0913
        self,
        folder: Path,
        *,
        domain: Name | None = None,
        source: str | None = None,
        root: str | Path | None = None,
        entities: bool = True,
        actor: str | None = None,
        session: str | None = None,
        allow_secrets: bool = False,
        every: float = 2.0,
        stop: threading.Event | None = None,
    ) -> Iterator[Ingested]:
        """Ingest a folder, and again whenever it changes: yields what each look at it came to, unless that is nothing.

        It looks every so many seconds, at sizes and times of files, and at digests where these differ. The document
        of a file that is gone is taken out of use. If the folder is missing, cannot be read, or is suddenly empty,
        nothing is, and `note` says so. It ends when the caller stops asking, or after the look in which `stop` is set.
        Arguments are those of `ingest`.
        """
        from substrate.documents.ingest import Request  # noqa: PLC0415
        from substrate.documents.watch import FolderWatch  # noqa: PLC0415

        request = Request.of(
            domain=domain,
            source=source,
            root=root,
            said=self._client.said(actor, None, session),
            allow_secrets=allow_secrets,
            entities=entities,
        )
        watch = FolderWatch(self._store.log, folder, request)
        for ingested in watch.looks(every, stop or threading.Event()):
            self._store.follower.wake()
            yield ingested

    # -- read ----------------------------------------------------------------------------------------------------------

    def document(self, name: Name, *, as_of: Moment | None = None) -> Document:
        """A document as a whole, by its name or id: its text as it was ingested, exactly, and its chunks in order.

        `as_of`: as it was known then. The text is checked against the digest of what was ingested: `exact` is False if
        chunks were forgotten since, and `edited` names those that someone changed. Of HTML, notebooks and PDF it is
        the text that was found in them. NotFound, Forgotten.
        """
        with self._store.read(as_of) as snapshot:
            found = document(snapshot, name)
        note_access(self._store.log.path, found.name)
        return found

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
        message says whether it was tombstoned); Forgotten, with the proof of that as `.proof`, if it was erased;
        RolledBack if a proof is asked for that a store that is behind cannot give.

        A read of what is now belongs to the current session, which is learnt from; `predictions` are the atoms that
        will probably be needed next, at most so many.
        """
        session = self._client.recorder.current()
        if proof and as_of is None and valid_at is None:
            self._store.log.check_current()
        elif proof:
            self._store.log.check_unforked()
        with self._store.read(as_of, valid_at) as snapshot:
            found = access(snapshot, name, proof=proof)
            subject = bytes.fromhex(found.atom.id.replace("-", ""))
            if snapshot.is_now:
                check_count(predictions, Arg("predictions"))
                if predictions:
                    opened = session.opened_with(subject)
                    foreseen = predict_next(snapshot, opened, predictions, session.domain)
                    found = replace(found, predictions=foreseen)
        if as_of is None and valid_at is None:
            self._client.recorder.note(session, subject)
        note_access(self._store.log.path, found.name)
        return found

    def accesses(self) -> AbstractContextManager[list[str]]:
        """`with memory.accesses() as names:` gives the names of the atoms that the caller accesses in the block.

        In order, each as often as it is accessed, by whichever memory of this store; not what other threads access.
        """
        return accesses(self._store.log.path)

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
        with self._store.read(as_of, valid_at) as snapshot:
            return list_atoms(
                snapshot,
                prefix,
                limit=limit,
                offset=offset,
                after=after,
                tombstoned=tombstoned,
                superseded=superseded,
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

        A type is given by either of its names: `member_of` out of an atom is `has_member` into it.

        An atom that edges point to but that is not there yet can be asked for too. NotFound if there is neither.
        """
        with self._store.read(as_of, valid_at) as snapshot:
            return edges(snapshot, name, direction=direction, type=type, limit=limit, offset=offset)

    def history(
        self, name: Name, *, as_of: Moment | None = None, valid_at: Time | None = None, limit: int = 1000
    ) -> History:
        """The versions of an atom, oldest first, tombstones and gaps (what was forgotten) among them.

        If there are more than `limit`, the newest; with `as_of` one gets at the older ones.

        With `as_of` those known then; with `valid_at` those that hold at that time. NotFound if the store never held
        it.
        """
        with self._store.read(as_of, valid_at) as snapshot:
            return history(snapshot, name, limit=limit)

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
        log = self._store.log
        with log.snapshot() as transaction:
            until = last_seq(transaction) if stop is None else stop
            before = snapshot_of(transaction, log.clock, start, valid_at, Arg("start"))
            after = snapshot_of(transaction, log.clock, until, valid_at, Arg("stop"))
            return diff(before, after, prefix=prefix, limit=limit)

    def stale(self, prefix: str = "", *, limit: int = 100, after: str | None = None) -> StaleAtoms:
        """Atoms to be reviewed, by name: what they depend on has changed since they were last said. With the reasons.

        By `depends_on` and `derived_from` edges, over any number of steps (1,000 edges from each atom). To say an atom
        again, as it is or anew, clears it. Looks at every name with the prefix until the page is full; go on with
        `after=page.next`.
        """
        with self._store.read() as snapshot:
            return stale_atoms(snapshot, prefix, limit=limit, after=after)

    # -- find ----------------------------------------------------------------------------------------------------------

    def search(  # noqa: PLR0913
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        type: str | Iterable[str] | None = None,  # noqa: A002 - the word for it
        prefix: str | None = None,
        domain: str | Iterable[str] | None = None,
        without_domains: str | Iterable[str] = (),
        tags: str | Iterable[str] = (),
        any_tags: str | Iterable[str] = (),
        without_tags: str | Iterable[str] = (),
        entities: str | Iterable[str] = (),
        source: str | None = None,
        origin: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        as_of: Moment | None = None,
        valid_at: Time | None = None,
        hops: int = 0,
        walk: str = "best",
        min_score: float | None = None,
        wait: float = 0,
        ingested: bool = True,
        meaning: bool = True,
    ) -> Found:
        """Atoms that answer a question: by word, by meaning and by time, best first, each with its reasons.

        All filters given must hold; they come before ranking. Of several types, domains or `any_tags` one must hold; of
        `tags` all; of `without_tags` and `without_domains` none. A domain has members by two `member_of` edges; `since`
        and `until` are about when it happened. Words of time in the query (now, before the current one, in May 2025)
        say which of several statements comes first; `as_of` and `valid_at` go back exactly. Until the model is up it is
        a search by words, and `meaning` says so; `wait` waits so many seconds for it, and for what is not embedded yet.
        With `hops` (1 to 3), walks of so many edges that hold begin at the best hits: what they reach is found too,
        under the same filters, with the part `walk` and the edges in `via`, and never above the hit that led there.
        `walk` says by what: `best` (the best path) or `pagerank` (how often a random walk stands there).
        Without `ingested`, text that was taken in from elsewhere is left out; without `meaning` words alone decide.
        Raises InputError, TooLarge, NotFound (a domain that is not there).
        """
        filters = Filters.of(
            type=type,
            prefix=prefix,
            domain=domain,
            without_domains=without_domains,
            tags=tags,
            any_tags=any_tags,
            without_tags=without_tags,
            entities=entities,
            source=source,
            origin=origin,
            actor=actor,
            session=session,
            since=since,
            until=until,
            ingested=ingested,
        )
        from substrate.search.search import check_search, check_walk, search  # noqa: PLC0415 - loads numpy

        check_search(query, limit, offset, min_score, wait)
        check_walk(hops, walk)
        store = self._store
        if wait > 0:
            store.follower.wait(wait)
        asked = store.index.query(query, store.time_at(as_of, valid_at), wait, meaning=meaning)
        with store.read(as_of, valid_at) as snapshot:
            found = search(
                snapshot,
                store.index,
                asked,
                filters,
                hops=hops,
                walk=walk,
                min_score=min_score,
                limit=limit,
                offset=offset,
            )
        if found.lag:
            store.follower.wake()  # what another process saved, it may have had no time to embed
        return found

    def which(self, text: str, kind: str | None = None) -> Matches:
        """The atom that a text means: given by its id or the beginning of one, name, short id, title or alias.

        A document is also meant by its source. `kind` is a type of atoms, such as `domain`: only these are meant.
        The `verdict` is `exact` if just one is called so; `close` if up to three may be meant, each with its score
        (0.6 to 1) and the reason; else `none`. Letters of all scripts count, their case does not. Only of what is in
        use. SchemaInvalid, TooLarge; InputError if the text has neither letters nor digits.
        """
        with self._store.read() as snapshot:
            return which(snapshot, text, kind, in_force())

    def names_with(self, part: str, *, limit: int = 10) -> tuple[str, ...]:
        """Names in use that have this text in them, for one who types: `read_ex` finds `v1.note.pandas.read_excel`.

        In any case; where a word of the name begins with it comes first, then the shorter. The first 100,000 names are
        looked at. InputError, TooLarge.
        """
        check_limit(limit)
        with self._store.read() as snapshot:
            return names_with(snapshot.transaction, part, limit)

    def recent(  # noqa: PLR0913
        self,
        *,
        limit: int = 10,
        offset: int = 0,
        type: str | Iterable[str] | None = None,  # noqa: A002 - the word for it
        prefix: str | None = None,
        domain: str | Iterable[str] | None = None,
        without_domains: str | Iterable[str] = (),
        tags: str | Iterable[str] = (),
        any_tags: str | Iterable[str] = (),
        without_tags: str | Iterable[str] = (),
        entities: str | Iterable[str] = (),
        source: str | None = None,
        origin: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        as_of: Moment | None = None,
        count: bool = False,
    ) -> Found:
        """What was recorded last, newest first: atoms in use, each as it is now, or was known at `as_of`.

        As a search without a question: the same filters, and hits without a score. With `count`, `total` says how many
        there are on all pages, if at most 10,000 pass the filters. Raises InputError, TooLarge, NotFound (a domain that
        is not there).
        """
        from substrate.search.recent import recent  # noqa: PLC0415 - loads numpy

        filters = Filters.of(
            type=type,
            prefix=prefix,
            domain=domain,
            without_domains=without_domains,
            tags=tags,
            any_tags=any_tags,
            without_tags=without_tags,
            entities=entities,
            source=source,
            origin=origin,
            actor=actor,
            session=session,
            since=since,
            until=until,
        )
        with self._store.read(as_of) as snapshot:
            return recent(snapshot, self._store.index, filters, limit=limit, offset=offset, count=count)

    def entities(  # noqa: PLR0913
        self,
        domain: str | None = None,
        *,
        prefix: str = "",
        limit: int = 100,
        offset: int = 0,
        after: str | None = None,
        as_of: Moment | None = None,
    ) -> EntityPage:
        """The directory of what a domain is about, or of all domains: entities by name, with how often each is named.

        An entity is an atom `v1.entity.<domain>.<canonical name>`: its value is the name as it is shown, `attrs` has
        its type and its aliases. A name that one ingested text alone mentions is listed too, with `id` None: it has no
        atom yet. A page may be shorter than `limit`; the last one has `next` None.

        `prefix`: those whose canonical name begins so, in any case and spelling. Those that
        are superseded are left out. Go on with `after=page.next`. A domain that is not there has none. SchemaInvalid,
        NameInvalid, TooLarge.
        """
        from substrate.search.directory.page import list_entities  # noqa: PLC0415 - loads numpy

        with self._store.read(as_of) as snapshot:
            return list_entities(
                snapshot, self._store.index, domain=domain, prefix=prefix, limit=limit, offset=offset, after=after
            )

    def extract(self, text: str) -> ExtractedEntities:
        """The names in a text: people, places, products, acronyms, identifiers, files, addresses, titles.

        By how they are written, without a model; nothing is recorded. Each once, in their order; of more than a hundred
        the first, and how many `more` there are. SchemaInvalid, TooLarge.
        """
        from substrate.entities.extract import extract_entities  # noqa: PLC0415 - its lists of words take a moment

        return extract_entities(text)

    def cues(self, text: str) -> Cues:
        """Whether a message asks to keep or to recall something, by its wording alone; nothing is recorded.

        `keep` and `recall` are from 0 to 1, `advice` is keep, ask or leave, `query` is what to search for, `phrases`
        says why. SchemaInvalid, InputError if there is no text, TooLarge.
        """
        from substrate.save.cues import cues_of  # noqa: PLC0415 - its tables take a moment

        return cues_of(text)

    def context(  # noqa: PLR0913
        self,
        keys: Name | Iterable[Name],
        *,
        depth: int = 1,
        limit: int = 100,
        offset: int = 0,
        type: str | None = None,  # noqa: A002 - the word for it
        as_of: Moment | None = None,
        valid_at: Time | None = None,
    ) -> Context:
        """What surrounds atoms: the edges around them in both directions, up to `depth` (3) away, the nearest first.

        With the atoms that these lead to (and whether they are superseded, out of use or not there yet; of those asked
        about, whether they are to be reviewed), and the arcs beside them. Only edges that hold at the moments; of one
        `type` or all. An atom further on is followed over 25 edges in each direction; `cut` names those that have
        more. The same page is the same edges, as long as nothing is written. Those asked about that are not there are
        `missing`; NotFound or Forgotten if none is. InputError, TooLarge (behind 10,000 edges: narrow it by type, or
        use `edges`).
        """
        with self._store.read(as_of, valid_at) as snapshot:
            return context(snapshot, keys, depth=depth, limit=limit, offset=offset, type=type)

    def path(
        self,
        a: Name,
        b: Name,
        *,
        as_of: Moment | None = None,
        valid_at: Time | None = None,
        most: int = LIMITS["path_steps"],
    ) -> PathFound:
        """A shortest path between two atoms along stated edges, walked in either direction; up to `most` (6) edges.

        Only edges that hold at the moments, through atoms in use that hold then. Of an atom with more than 200 edges so
        many are followed, and `cut` names it: a shorter way may lead through it. Without a path it is empty, `found` is
        False, and `remarks` says how far the search went. InputError; NotFound or Forgotten if one of the two is not
        there.
        """
        with self._store.read(as_of, valid_at) as snapshot:
            return path(snapshot, a, b, most=most)

    def associate(
        self,
        atoms: Name | Iterable[Name],
        *,
        domain: str | None = None,
        all_domains: str | Iterable[str] | None = None,
        limit: int = 10,
    ) -> Associations:
        """Unexpected connections of atoms to atoms of other domains, the strongest first, each with its reason.

        Strong by meaning, by rare words, by arcs or by shared neighbours; and not stated: no edge joins the two, nor
        did one that was taken back. `association.edge` is what accepts it. The domains of an atom are those it belongs
        to, and `domain`; those looked in are `all_domains`, or all others. Atoms without a domain are as one of their
        own. Uses the vectors that there are; `meaning` says so if some are not. Atoms that are not there are `missing`;
        NotFound or Forgotten if none is, or if there is no such domain. InputError, TooLarge.
        """
        associator = self._store.associator
        with self._store.read() as snapshot:
            return associator.associate(snapshot, atoms, domain=domain, all_domains=all_domains, limit=limit)

    def groups(  # noqa: PLR0913
        self,
        *,
        threshold: float = 0.83,
        most: int = 12,
        limit: int = 20,
        pairs: bool = False,
        type: str | Iterable[str] | None = None,  # noqa: A002 - the word for it
        prefix: str | None = None,
        domain: str | Iterable[str] | None = None,
        tags: str | Iterable[str] = (),
        surface: str | None = None,
        progress: Progress | None = None,
    ) -> Groups:
        """Groups of atoms that say nearly the same, at most `most` (2 to 100) in one, the most alike first.

        Two atoms are joined if their similarity reaches the `threshold`: the cosine of their vectors or, where one has
        none yet, of their rare words; `meaning` says so then. Each with a number that the other lacks, or one of them
        negated, are less alike. `cohesion` is the mean of all pairs of a group. With `pairs`, single pairs are listed
        instead. Texts that were ingested and superseded atoms are left out; `surface`: only what that surface alone
        wrote. Up to 30,000 atoms are compared with each other, up to 200,000 by the index of vectors. Nothing of it
        counts as an access. InputError, TooLarge, NotFound (a domain that is not there).
        """
        from substrate.groups.groups import Wanted  # noqa: PLC0415 - loads numpy

        filters = Filters.of(type=type, prefix=prefix, domain=domain, tags=tags)
        with self._store.read() as snapshot:
            wanted = Wanted.of(threshold, most, limit, filters, pairs=pairs, surface=surface)
            return self._store.grouper.groups(snapshot, wanted, progress)

    def merge(  # noqa: PLR0913
        self,
        names: str | Iterable[Name],
        into: str | None = None,
        *,
        back: bool = False,
        dry_run: bool = False,
        expect: Mapping[str, int] | None = None,
        surface: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        **fields: object,
    ) -> Merged:
        """Put one atom in the place of several: of the group with this id, or of these names. One checkpoint.

        It says what all of them say, once, under the name `into` or one that is made for it, with the tags and
        entities of all; `fields` say otherwise. Edges `supersedes` and `consolidated_from` lead to its members: they
        leave searches, stay readable, and a time before finds them. What was learnt of them counts for it. `dry_run`
        shows what would be. `back`: `names` is an atom that a merge made; its members are in use again, and it is not.

        `expect`, {name: seq}, are the versions that were looked at; of a group, those that were shown. Conflict if one
        has changed since or is superseded, NotFound if one is out of use or there is no such group, Denied if `surface`
        did not write all of it. Else as `checkpoint`.
        """
        log, said, place = self._store.log, self._client.said(actor, None, session), self._client.place()
        if back:
            return self._woken(take_back(log, read_end(names, Arg("names")), said=said, place=place))
        group = self.group(names, surface=surface) if isinstance(names, str) else None
        merger = Merger.of(names, group, into=into, expect=expect or {}, surface=surface, fields=fields)
        return self._woken(merge(log, merger, said=said, place=place, dry_run=dry_run))

    def group(self, id: str, *, surface: str | None = None) -> Group:  # noqa: A002 - the word for it
        """The group with this id, as it was shown here, or as `groups` finds it without arguments.

        Conflict if one of its members changed since it was shown; NotFound if there is no such group.
        """
        with self._store.read() as snapshot:
            return self._store.grouper.group(snapshot, id, surface)

    def index(self, progress: Progress | None = None, *, limit: int | None = None) -> Indexed:
        """On return every version that was there has its vectors: for scripts, after bulk loads, before a measurement.

        Without it, that happens in the background. It goes on where it was, also after a kill. With `limit`, so many
        versions are embedded at most. Raises ModelUnavailable (with what to do), InputError, Denied, Busy, Full.
        """
        return self._store.follower.index(progress, limit)

    def use_model(self, spec: str | Path) -> Embedding:
        """From here on this model embeds: a name, or a folder that sentence-transformers saved.

        The log says so. What there is is embedded anew, in the background or by `index()`; until that is done, search
        uses the old vectors. ModelUnavailable, with nothing changed, if it is not on this machine or cannot be run.
        """
        return self._store.follower.use(spec)

    def model(self) -> Embedding:
        """Which model embeds, and how far it has got."""
        return self._store.follower.status()

    # -- sessions ------------------------------------------------------------------------------------------------------

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
        state = OpenSession(
            objective=read_objective(objective),
            domain_name=read_domain(domain),
            name=read_label(name, "the name of a session") or self._client.session,
            actor=self._client.actor,
            observed=observe and self._client.learns,
        )
        with self._store.read() as snapshot:
            state.domain = domain_of(snapshot.transaction, state.domain_name)
        if state.objective and state.observed:
            state.match = self._store.search.match(state.objective)
        return Session(self, self._client.recorder, state)

    def watch(self, on: bool = True) -> None:  # noqa: FBT001, FBT002 - watch(False) reads well
        """Whether sessions of this store are observed, by anyone who has it open; they are, until it is said."""
        watch(self._store.log, on=on)

    @property
    def watching(self) -> bool:
        """Whether what is accessed here is learnt from."""
        return self._client.learns and self.watched

    @property
    def watched(self) -> bool:
        """Whether sessions of this store are observed, as `watch` said; also where this memory observes none."""
        with self._store.read() as snapshot:
            return is_watched(snapshot.transaction)

    def observed(self) -> int:
        """How many sessions, and parts of sessions, are written down. To ask takes microseconds.

        What is learnt from use adds no entry to the log: who follows a store looks at this, too.
        """
        with self._store.read() as snapshot:
            return snapshot.transaction.count(SESSIONS)

    # -- learn ---------------------------------------------------------------------------------------------------------

    def observe(  # noqa: PLR0913
        self,
        sequence: Iterable[Name] | Iterable[SessionInput],
        *,
        at: Time | None = None,
        objective: str | None = None,
        domain: Name | None = None,
        session: str | None = None,
        progress: Progress | None = None,
    ) -> Observed:
        """Take in what was accessed elsewhere or before: the names of one session, in order; or many sessions at once.

        Many: mappings with `items` and as far as known `at`, `objective`, `domain`, `session`. `at` is when (default:
        now); the longer ago, the less it weighs. On return it is on disk and learnt. What is not in use is skipped, and
        said to be. Many are written in portions: an error names its session, and those of the portions before it are
        taken in. Raises InputError, TooLarge, SecretFound, Denied (read-only, or nobody may watch), Busy, Full.
        """
        self._check_learns()
        sessions = read_sessions(sequence, {"at": at, "objective": objective, "domain": domain, "session": session})
        return observe(
            self._store.log, sessions, actor=self._client.actor, search=self._store.search, progress=progress
        )

    def train(
        self,
        atoms: Iterable[Name],
        passes: int = 1,
        *,
        objective: str | None = None,
        domain: Name | None = None,
    ) -> Trained:
        """Learn on your word that these atoms are needed together, in this order. It is logged.

        As one session that weighs as much as `passes`: 1 in general, 2 for a way that worked, 3 after a correction;
        more are taken as 3, which is said. Without `objective` and `domain` those of the current session hold. What is
        unknown, tombstoned or forgotten is skipped, and said to be. Raises InputError, TooLarge, Denied, Busy, Full.
        """
        current = self._client.recorder.current()
        return train(
            self._store.log,
            atoms,
            passes,
            objective=current.objective if objective is None else read_objective(objective),
            domain=_domain(current, objective, domain),
            session=current.name,
            actor=self._client.actor,
            after=current.opened[-1] if current.opened else None,
        )

    def predict(  # noqa: PLR0913
        self,
        context: Name | Iterable[Name] | None = None,
        k: int = 5,
        *,
        objective: str | None = None,
        domain: Name | None = None,
        horizon: str = "next",
        again: bool = False,
        floor: float = FLOOR,
    ) -> Predictions:
        """What will be needed after these atoms were opened, in this order; the likeliest first, with the reasons.

        Without `context`: in the current session. If nothing is open, by the objective, the domain and what is in use.
        `horizon`: what is opened `next`, or what the whole `session` will need. What is open already is left out,
        unless it may be opened `again`. What is less likely than `floor` is not said. Raises InputError.
        """
        check_predict(k, horizon, floor)
        current = self._client.recorder.current()
        names = None if context is None else read_ends(context, Arg("context"))
        said = current.objective if objective is None else read_objective(objective)
        of = _domain(current, objective, domain)
        opening = not (current.opened if names is None else names)
        match = self._store.search.match(said) if said and opening else None
        skipped: list[Refused] = []
        with self._store.read() as snapshot:
            opened = current.opened if names is None else context_of(snapshot.transaction, names, skipped)
            return predict(
                snapshot,
                opened,
                k,
                domain=domain_of(snapshot.transaction, of),
                objective=said,
                match=match,
                horizon=horizon,
                again=again,
                floor=floor,
                skipped=skipped,
            )

    def around(self, name: Name, k: int = 12, *, part: str | None = None, domain: Name | None = None) -> Around:
        """What is needed after an atom, and after which atoms it is needed: at most `k` each, the likeliest first.

        `part`: as one part of the model says, alone: `next`, `skip`, `edges` (what was stated) or `episodes`. It goes
        by no session, and counts as no access. Of an atom that follows more than a thousand others the best of some
        are found, and `more` says so. Raises NotFound, Forgotten, InputError.
        """
        with self._store.read() as snapshot:
            return around(snapshot, name, k, part, domain_of(snapshot.transaction, read_domain(domain)))

    def transition_matrix(self, *, kind: str = "skip", prefix: str = "") -> Transitions:
        """All arcs as a sparse matrix (scipy CSR) of probabilities, with the names of its rows and columns.

        `kind`: `next` (what came right after) or `skip` (what came within ten steps). `prefix`: only atoms whose names
        begin so. It is made when it is asked for, from every row there is: keep it, for as long as it will do.
        """
        require("notebook", "a sparse matrix", "scipy")
        from substrate.learn.matrix import transition_matrix  # noqa: PLC0415 - loads scipy

        with self._store.read() as snapshot:
            return transition_matrix(snapshot, kind, prefix)

    # -- bootstrap -----------------------------------------------------------------------------------------------------

    def bootstrap(  # noqa: PLR0913
        self,
        objective: str | None = None,
        *,
        max_tokens: int = 1200,
        high_impact: bool = False,
        evidence_threshold: float | None = None,
        domain: Name | None = None,
        ingested: bool = False,
        wait: float = 0,
        shown: Callable[[Result], str | tuple[str, ...]] = compact,
        begin: bool = True,
    ) -> Opening:
        """What a session with this objective should know when it begins; the whole reply within `max_tokens`.

        Atoms that are needed and well supported, with the reasons; goals, constraints and preferences; open conflicts;
        what was left out and why; what is absent. `high_impact` keeps what has evidence of 0.65, `evidence_threshold`
        of another number. A `domain` (v1.domain.x, or x) makes its members more needed, and excludes nobody.
        `ingested` also shows text that was taken in from elsewhere. Until the model is up, the objective is matched by
        words alone, and `meaning` says so; `wait` waits so many seconds for it. Nothing of it counts as an access. The
        reply says by what its tokens are counted. Outside of `session()`, a session with this objective begins here;
        unless `begin` is False: then nothing does, and this is a look at what it would open with.

        The budget is that of `opening.json()`; who sends another text says with `shown` how the opening, and each item
        of it, becomes text: then `shown(opening)` is within it, and `tokens` counts that. Several texts, of which each
        reader sees one: then the largest is. Raises InputError (fewer than
        50 tokens, or than the shortest reply takes), TooLarge, SchemaInvalid, NameInvalid, SecretFound.
        """
        from substrate.bootstrap.bootstrap import Request  # noqa: PLC0415 - loads numpy

        current = self._client.recorder.explicit() or OpenSession()  # outside of one, another begins here
        asked = Request.of(
            current.objective or None if objective is None else read_objective(objective),
            max_tokens=max_tokens,
            high_impact=high_impact,
            evidence_threshold=evidence_threshold,
            domain=_domain(current, objective, domain),
            ingested=ingested,
        )
        opening, match = self._opening(asked, wait, shown)
        if begin:
            self._client.recorder.begin(asked.objective, asked.domain, match)
            self._store.follower.wake_if_behind()  # what sessions before this one were for may wait to be embedded
        return opening

    def _opening(
        self, asked: Request, wait: float = 0, shown: Callable[[Result], str | tuple[str, ...]] = compact
    ) -> tuple[Opening, Match | None]:
        """An opening, with which no session begins; and how its objective was matched."""
        from substrate.bootstrap.bootstrap import bootstrap  # noqa: PLC0415 - loads numpy

        store = self._store
        match = None if asked.objective is None else self._store.search.match(asked.objective, wait)
        by_words = match.why if match is not None and store.models.wanted else ""
        with store.read() as snapshot:
            return bootstrap(snapshot, store.index, asked, match, meaning=by_words, shown=shown), match

    def weigh(self, names: Iterable[Name]) -> tuple[OpeningAtom, ...]:
        """These atoms as an opening would show them: with `evidence`, how well each is supported, and its `grounds`.

        What is superseded or does not hold now is left out. Nothing of it counts as an access. Raises NotFound,
        Forgotten, InputError.
        """
        from substrate.bootstrap.support import weigh  # noqa: PLC0415 - only for those who ask

        with self._store.read() as snapshot:
            return weigh(snapshot, read_ends(names, Arg("context")))

    def warm(self) -> None:
        """Load what search, bootstrap and predict need, so that the next of them is fast. Returns when that is done.

        That takes seconds, and more where the model must be made ready first: a server calls it in a thread. Nothing of
        it counts as an access. What cannot be loaded is left to who needs it, and refused there; so it raises no
        SubstrateError.
        """
        from substrate.bootstrap.bootstrap import Request  # noqa: PLC0415 - loads numpy

        # The verbs themselves: whatever they load, now and in later versions, is loaded by this.
        with suppress(SubstrateError):
            self._store.search.match(_ANYTHING, threading.TIMEOUT_MAX)
        with suppress(SubstrateError):
            self.search(_ANYTHING)
        with suppress(SubstrateError):
            self._opening(Request.of(_ANYTHING))

    # -- fade ----------------------------------------------------------------------------------------------------------

    def touch(self, names: Name | Iterable[Name], *, boost: bool = False) -> Touched:
        """These atoms were used: they fade from now on anew, and more slowly. At most 100; all are touched, or none.

        On return it is on disk, and it counts as an access. With `boost` an atom's strength grows by 0.1, up to 2.
        Each touch is a trace of its own, so scores of any past moment stay exact. Time never steps back for an atom,
        whatever the clock does. NotFound, Forgotten, InputError, Denied, Busy, Full.
        """
        session = self._client.recorder.current()
        touched = touch(self._store.log, read_ends(names, Arg("names")), boost=boost)
        for one in touched:
            self._client.recorder.note(session, bytes.fromhex(one.id.replace("-", "")))
        return touched

    def fading(  # noqa: PLR0913
        self,
        names: Name | Iterable[Name] | None = None,
        *,
        status: str | Iterable[str] = ("active", "promoted"),
        any_tags: str | Iterable[str] = (),
        used_since: Time | None = None,
        min_score: float | None = None,
        order: str = "faded",
        limit: int = 100,
        offset: int = 0,
        as_of: Moment | None = None,
    ) -> FadingAtoms:
        """How far atoms have faded, now or at `as_of`: these ones, or all that are in use, but no ingested text.

        An atom's score falls with the time since it was last touched, and grows with its touches and its strength
        (docs/fading.md). `status` is all, or some of active, promoted and archived. `order` is `faded` (the lowest
        scores first), `present` (the highest), `recent` (what was recorded last) or `due` (what a review helps most,
        and nothing else). `total`, `mean_score` and `mean_uses` are of all pages. Nothing of it counts as an access.
        InputError, TooLarge, NotFound.
        """
        if names is not None:
            with self._store.read(as_of) as snapshot:
                return fading_of(snapshot, read_ends(names, Arg("names")))
        from substrate.fading.listing import Wanted  # noqa: PLC0415 - loads numpy

        wanted = Wanted.of(
            status=status,
            any_tags=any_tags,
            used_since=None if used_since is None else read_time(used_since, Arg("used_since")),
            min_score=min_score,
            order=order,
            limit=limit,
            offset=offset,
        )
        with self._store.read(as_of) as snapshot:
            return self._store.fading.list(snapshot, wanted)

    def due(self, *, limit: int = 100, offset: int = 0) -> FadingAtoms:
        """Atoms that a review would help most now: `fading` in the order `due`. To `touch` one clears it."""
        return self.fading(order="due", limit=limit, offset=offset)

    def use_fading(self, model: str | None = None, half_life: float | str | None = None) -> FadingModel:
        """How atoms of this store fade, for all who have it open; what is left out stays as it was.

        `model` is power_law (the default), exponential or two_component; `half_life` a number of days, or 3d, 36h.
        Only how scores are worked out changes, of past moments too. InputError, Denied.
        """
        return choose_decay(self._store.log, model, half_life)

    def sweep(  # noqa: PLR0913
        self,
        *,
        archive: bool = False,
        limit: int | None = None,
        surface: str | None = None,
        dry_run: bool = False,
        actor: str | None = None,
        session: str | None = None,
    ) -> Swept:
        """Take notes out of use that have faded below 0.05, the lowest scores first. Nothing is erased.

        Only notes that one surface alone has written, and that nobody has said again: this client's, else `surface`
        (default: cortexgraph). Never promoted ones. With `archive` they are put away, and `fading` still lists them by
        that status. `limit` is at most 10,000. With `dry_run` nothing is written. InputError, Conflict, Denied.
        """
        from substrate.fading.sweep import Sweep, sweep  # noqa: PLC0415 - loads numpy

        asked = Sweep.of(self._client.surface or surface, archive=archive, limit=limit, dry_run=dry_run)
        return sweep(self._store.log, self._store.fading, asked, self._client.said(actor, None, session))

    # -- judge ---------------------------------------------------------------------------------------------------------

    def conflicts(
        self, name: Name | None = None, *, limit: int = 100, offset: int = 0, ingested: bool = False
    ) -> Conflicts:
        """Open conflicts: atoms in use of which not both can be right, those that came up last first.

        With `name`, those of this atom. They are found when an atom is recorded (docs/conflicts.md says which are found
        and which are not); a conflict ends when one of the two gets another value, is tombstoned, forgotten or
        superseded, or when it is resolved. `ingested` also lists those with text that was taken in from elsewhere.
        `limit` is at most 1,000. NotFound if there is no such atom.
        """
        with self._store.read() as snapshot:
            return list_conflicts(snapshot, name, limit=limit, offset=offset, ingested=ingested)

    def resolve(  # noqa: PLR0913
        self,
        first: Name,
        second: Name,
        *,
        keep: Name | None = None,
        reason: str | None = None,
        actor: str | None = None,
        expect: Mapping[str, int] | None = None,
        allow_secrets: bool = False,
    ) -> Saved:
        """Settle the conflict of two atoms, by an edge that the log keeps with who stated it.

        With `keep`, one of the two, it supersedes the other. Without, both are right: `consistent_with` is stated, and
        the two are no conflict as long as that is not taken back and both say what they say now. NotFound if the two
        are not in conflict; InputError if `keep` is neither; Conflict if another writer changed one of them meanwhile.
        `expect`, {name: seq}, are the versions that were judged, for one who looked at them before. A `reason` that
        looks like it holds a credential is refused, unless `allow_secrets`.
        """
        with self._store.read() as snapshot:
            settlement = settle(snapshot, first, second, keep, reason)
        return checkpoint(
            self._store.log,
            Batch(edges=(settlement.edge,)),
            expect=settlement.expect | dict(expect or {}),
            said=self._client.said(actor),
            allow_secrets=allow_secrets,
        )

    # -- prove ---------------------------------------------------------------------------------------------------------

    def prove(self, name: str, *, since: Pin | str | None = None, trusting: VerifierKey | str | None = None) -> Bundle:
        """What `name` is at the latest head: current, tombstoned, forgotten or absent.

        With `since`, the bundle also connects that pin to the head; with `trusting`, it leads from that (older) key
        to the one in force. RolledBack if the pin is not of this history, or if this store is behind.
        """
        return self._store.log.prove(name, since=since, trusting=trusting)

    def prove_entry(
        self, seq: int, *, since: Pin | str | None = None, trusting: VerifierKey | str | None = None
    ) -> Bundle:
        """That entry `seq` is in the log, with its body. NotFound, or Forgotten if the body was erased.

        It names its head. RolledBack if the log forked; one that is merely behind can prove what it holds.
        """
        return self._store.log.prove_entry(seq, since=since, trusting=trusting)

    def prove_extended(self, since: Pin | str, *, until: int | None = None) -> Bundle:
        """That the log contains all of the pinned one: the log of now, or as it was at the head of size `until`.

        RolledBack if it does not, or if it forked. NotFound if no head was signed at that size, InputError if the pin
        is newer.
        """
        return self._store.log.prove_extended(since, until=until)

    def verify(
        self,
        bundle: Bundle | str,
        *,
        pin: Pin | str | None = None,
        key: VerifierKey | str | None = None,
        name: str | None = None,
        claim: str | None = None,
    ) -> Verdict:
        """Check a bundle against a pin, a key, or without either this store's own key. ProofInvalid if it is not true.

        `against` of the verdict says which. This store's own key is no independent witness: its owner can have signed
        anything. Someone else uses `substrate.Verifier`, or the script, with a key or pin that came to them separately.
        """
        text = bundle.to_json() if isinstance(bundle, Bundle) else bundle
        if not isinstance(text, str):
            raise SchemaInvalid("a bundle is a Bundle, or the text of a proof file")
        if key is None and pin is None:
            verifier = Verifier(self._store.log.key(), against="this store's own key")
        else:
            verifier = Verifier(key, pin)
        return verifier.verify(text, name=name, claim=claim)

    def head(self) -> SignedHead:
        """The latest head."""
        return self._store.log.head()

    def pin(self, size: int | None = None) -> Pin:
        """The latest head, or the one of this size, and the key in force after it, to be remembered outside the store.

        NotFound if no head was signed at that size.
        """
        return self._store.log.pin(size)

    def heads(self, *, before: int | None = None, limit: int = 100) -> Heads:
        """The heads that were signed, newest first, each with what it added; go on with `before=heads.next`.

        `before` is a size: heads of fewer entries are meant. `limit` is at most 1,000. Reads the entries that the
        heads of the page added, not their bodies.
        """
        with self._store.read() as snapshot:
            return heads(snapshot, before=before, limit=limit)

    def growth(
        self, start: Moment | None = None, stop: Moment | None = None, *, parts: int = 200, by: str = "time"
    ) -> Growth:
        """How the log grew after `start` until `stop` (None: from its beginning, until now), for an overview.

        The stretch is cut into at most so many equal `parts` (up to 1,000), of `time` or of `entries`; each item says
        from which head to which the log grew in one of them, and parts without a head are left out. However many
        heads there are, a few rows are read for each part.
        """
        with self._store.read() as snapshot:
            return growth(snapshot, start, stop, parts=parts, by=by)

    def check_pin(self, pin: Pin | str) -> None:
        """Return if this log contains the pinned one; RolledBack, naming both heads, if not."""
        self._store.log.check_pin(pin)

    def key(self) -> VerifierKey:
        """The verifier key in force: what an auditor needs, and should get by another way than the bundle."""
        return self._store.log.key()

    def rotate_key(self) -> VerifierKey:
        """Put a new signing key in force and destroy the old one. Old heads stay valid under the old verifier key."""
        return self._store.log.rotate_key()

    # -- care ----------------------------------------------------------------------------------------------------------

    def forget(  # noqa: PLR0913
        self,
        names: Name | Iterable[Name] = (),
        *,
        source: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        seqs: range | None = None,
        whole: Name | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Forgot:
        """Erase for good: atoms by name or id; or all versions and edges of a source, actor, session or range of seqs.

        Give one of these. Of an atom named, all goes: versions, edges from and to it, traces. An edge or a training
        goes by its id, as does a damaged entry that fsck names: that reads the whole log. Otherwise the versions
        and edges that match go; an atom left without a version is forgotten as a whole, and one that loses its
        current version only is tombstoned. `whole` is a document or another atom with parts: all of both goes, in all
        versions, and so do entities that were found in it and that nothing else speaks of; `kept` names those that
        stay. `dry_run` counts and writes nothing. On return the bytes are gone from the store's files (`compacted`;
        False if readers did not let go in time: then `compact()` later). Not from backups and exports. NotFound if
        nothing matches.
        """
        selection = Selection.of(names, source=source, actor=actor, session=session, seqs=seqs, whole=whole)
        store = self._store
        if not dry_run:
            store.write_down()  # or what waits to be would bring back what is to go
        erase = forget if whole is None else forget_whole
        forgot = erase(store.log, selection, dry_run=dry_run, progress=progress)
        if not dry_run:
            store.nearest.close()  # of files that had to go nothing is held open
            store.follower.wake()  # and they are made anew
        return forgot

    @property
    def quota(self) -> int | None:
        """How many atoms may be in use here; None: as many as there is room for."""
        with self._store.read() as snapshot:
            return quota_of(snapshot.transaction)

    def set_quota(self, most: int | None) -> None:
        """Allow at most so many atoms in use; None: no limit. It holds for all who have this store open.

        What would pass it is refused with QuotaReached, and nothing of it is written.
        """
        set_quota(self._store.log, most)

    def stats(self) -> Stats:
        """How much the store holds. Reads counts that are kept, and a row for each name that edges wait for."""
        log = self._store.log
        with self._store.read() as snapshot:
            return stats(snapshot, log.size_on_disk(), self.behind)

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make every table that follows from the log anew, beside the store, and put it in place.

        Others go on reading.
        """
        log = self._store.log
        log.check_current()
        rewrite(log, lambda: log.rebuild(progress, CACHE_CHECKS))
        drop_malformed_sessions(log)

    def compact(self) -> None:
        """Rewrite the store's file without freed pages: what was erased is gone from it after. Others go on."""
        self._store.log.check_current()
        compact_now(self._store.log)

    def export(self, to: str | Path | TextIO, *, full: bool = False, progress: Progress | None = None) -> int:
        """Write the store as JSON Lines; the number of lines. `full`: what a verifiable clone needs, salts included.

        Otherwise: every version and edge statement in order, by name, as `import_lines` and other programs read it.
        A file must not be there yet.
        """
        return export(self._store.log, to, full=full, progress=progress)

    def backup(self, target: str | Path, progress: Progress | None = None) -> Pin:
        """Copy the store into the new folder `target`, as of one moment, while others write; the pin of that moment.

        The signing key is not in it. `substrate.restore` brings it back.
        """
        return self._store.log.backup(target, progress)

    # -- show ----------------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, object]:
        """Which store it is, and who works in it. How much it holds, `stats` counts."""
        actor = {} if self._client.actor is None else {"actor": self._client.actor}
        return {"store": str(self._store.log.path), **actor, "read_only": self._store.read_only}

    def explore(self, query: str = "", **traits: Any) -> Any:  # noqa: ANN401 - a widget, of a class not known here
        """Search as you type, narrow down, and see all there is to know of an atom."""
        return self._widget("Explorer", query=query, **traits)

    def show_proof(self, name: Name, **traits: Any) -> Any:  # noqa: ANN401
        """The proof of what an atom is, drawn from leaf to signed head; change a byte, and see where it breaks."""
        return self._widget("ProofViewer", selected=name, **traits)

    def preview(self, objective: str = "", **traits: Any) -> Any:  # noqa: ANN401
        """What a session with this objective would open with, in which order and why; and conflicts to settle."""
        return self._widget("BootstrapPreview", objective=objective, **traits)

    def transitions(self, name: Name = "", **traits: Any) -> Any:  # noqa: ANN401
        """What is needed after what, as a graph around one atom."""
        return self._widget("Transitions", selected=name, **traits)

    def timeline(self, **traits: Any) -> Any:  # noqa: ANN401
        """The store's heads over time: what changed between any two, and travel to any of them."""
        return self._widget("Timeline", **traits)

    def _widget(self, kind: str, **traits: object) -> object:
        # The widgets know this package; it does not know them: they are looked up by name, when one is asked for.
        require("notebook", "a widget", "anywidget", "ipywidgets")
        made: object = getattr(import_module("substrate_widgets"), kind)(self, **traits)
        return made

    # -- within --------------------------------------------------------------------------------------------------------

    def _check_learns(self) -> None:
        if self._store.read_only:
            raise Denied("the store is open for reading only: to take sessions in, open it for writing")
        if not self._client.observe:
            raise Denied("this memory was opened with observe=False: open it without, to take sessions in")
        if not self.watched:
            raise Denied("this store is not to be observed; ", WATCH)


def _domain(current: OpenSession, objective: str | None, domain: Name | None) -> str | None:
    """The domain given, or the session's; but not for another objective than the session's."""
    return current.domain_name if domain is None and objective is None else read_domain(domain)
