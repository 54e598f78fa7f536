"""The facade: one store, open, with all its verbs. Each is a signature, a contract, and a short walk.

A verb that reads gets a snapshot, which is opened here; one that writes gets the log.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO, TypeVar

from substrate.atoms.access import access
from substrate.atoms.domains import domain_name, domain_of, read_domain
from substrate.atoms.edges import edges
from substrate.atoms.list import list_atoms
from substrate.atoms.meant.part_names import names_with
from substrate.atoms.meant.which import which
from substrate.atoms.moments import Moment, Time, last_seq, snapshot_of
from substrate.atoms.resolve import read_end, read_ends
from substrate.client import Client
from substrate.clock import Clock
from substrate.errors import Denied, InputError, SchemaInvalid, SubstrateError
from substrate.extras import require
from substrate.learn.labels import read_label, read_objective
from substrate.learn.predict import FLOOR, check_count, check_predict, context_of, predict, predict_next
from substrate.learn.recorder import OpenSession
from substrate.learn.session import Session
from substrate.learn.write_sessions import drop_malformed_sessions
from substrate.limits import LIMITS, check_limit
from substrate.log.tables import SESSIONS
from substrate.messages import WATCH, Arg
from substrate.policy import DomainTiers, Policy, narrowed
from substrate.proof.bundle import Bundle
from substrate.proof.head import Pin, SignedHead
from substrate.proof.note import VerifierKey
from substrate.proof.verify import Verdict, Verifier
from substrate.result import Result, Tabular, compact
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.input import AtomInput, EdgeInput, ExpectInput, TombstoneInput
from substrate.save.place import accesses, note_access
from substrate.save.remember import read_statement, remember
from substrate.search.filters import Filters
from substrate.store import OpenStore, open_store
from substrate.values.atoms import Access, History, Listing, Name
from substrate.values.behind import Behind, BehindWarning
from substrate.values.hits import Cues, Found, Matches
from substrate.values.opening import PROPOSED
from substrate.values.predictions import Around, Observed, Predictions, Trained
from substrate.values.progress import Progress
from substrate.values.saved import (
    DomainCounts,
    Forgot,
    Imported,
    Refused,
    Remembered,
    Saved,
    Stats,
    TranscriptRead,
    Undone,
)
from substrate.views.catalogue import CACHE_CHECKS

if TYPE_CHECKING:
    from substrate.bootstrap.bootstrap import Request
    from substrate.learn.matrix import Transitions
    from substrate.learn.observe import SessionInput
    from substrate.search.objective import Match
    from substrate.values.conflicts import Conflicts
    from substrate.values.documents import Document, Ingested
    from substrate.values.edges import Edges
    from substrate.values.embedding import Embedding, Indexed
    from substrate.values.entities import EntityEntry, EntityPage, ExtractedEntities
    from substrate.values.growth import Diff, Growth, Heads
    from substrate.values.opening import Opening, OpeningAtom
    from substrate.values.relations import (
        Associations,
        Compared,
        Context,
        Gathered,
        Group,
        Groups,
        Merged,
        PathFound,
        Related,
        Vetted,
    )
    from substrate.values.review.encryption import Encrypted, Locked, Unlocked
    from substrate.values.review.fading import FadingAtoms, FadingCurve, FadingModel, Promoted, Swept, Touched
    from substrate.values.review.garden import EdgeMap, EntityMap, Pruned, Tended, Tending
    from substrate.values.review.pending import Accepted, Correction, Declined, Proposal, Proposals
    from substrate.values.review.stale import StaleAtoms

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

    Public as `substrate.open`. `home` is where signing keys live (default: settings). `actor` is the default author.
    `origin` names a *new* store's log. With `read_only` nothing is written at all, and no key is needed. `model` is the
    name or folder of the embedding model, for a store that names none (default: settings). `none` means search by words
    alone. Atoms are embedded in the background; with `background` False, call `index()`. The store learns from
    accesses, unless `observe` is False.

    The first open for writing after an upgrade of the package may take long: `progress` is called with (done, total)
    then. Raises NotFound, Denied, InputError, FormatTooNew, StoreDamaged, RolledBack (an emptied store), Busy.

    A store is behind if a copy of its folder was written to. It opens with a BehindWarning: verbs that read answer, and
    nothing is learned. Verbs that write, or prove the current state, raise RolledBack. `memory.behind` tells more.
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
        """How far this store is behind another copy of its log, and what to type; None if it is current.

        It may come to be behind while it is open, when a copy of its folder is written to.
        """
        return self._store.log.behind()

    def close(self) -> None:
        """Release the store. Saved atoms are on disk already; the next open embeds the rest.

        Sessions end, those of clients first. See `client` for what it does there.
        """
        self._client.close()

    def client(self, actor: str, session: str | None = None, *, policy: Policy | None = None) -> Memory:
        """The same open store for another who uses it, such as one of several agents behind a server.

        Caches are shared. The client has its own `actor` (the author) and its own sessions, also outside of
        `session()`. `session` is the default name of its sessions and checkpoints, for `forget(session=...)`. `close`
        ends its sessions and leaves the store open; its verbs still answer after that, but the store no longer learns
        from them. When the store is closed, so are its clients. Raises SchemaInvalid, TooLarge, SecretFound.

        With a `policy`, atoms of domains whose tier it does not read are, for this client, as if they were not there.
        It cannot write about them, nor set tiers (docs/tiers.md). Its own clients are under its policy too.
        """
        own = narrowed(policy, self._client.policy)
        store = self._store if own is None else self._store.under(own)
        client = Client(
            store,
            actor=read_label(actor, Arg("actor")),
            session=read_label(session, Arg("session")),
            observe=self._client.observe,
            policy=own,
        )
        return Memory(store, client)

    @property
    def policy(self) -> Policy | None:
        """The policy that this client is under; None: it reads all."""
        return self._client.policy

    def tiers(self, domain: str | None = None) -> DomainTiers:
        """The domains that atoms `v1.domain.*` stand for, or one of them, each with its tier. NotFound."""
        from substrate.care.tiers import tiers  # noqa: PLC0415

        with self._store.read() as snapshot:
            return tiers(snapshot, domain, self._client.policy)

    def set_tier(self, domain: str, tier: str, *, max_tokens: int | None = None, actor: str | None = None) -> Saved:
        """Set the tier of a domain: public, personal or sensitive. The log records it, with its author.

        Clients under a policy see what its tiers allow, at once and of all moments, also of the past. `max_tokens`: how
        many tokens of the domain one recall gives at most. InputError, NotFound, Denied (to a client under a policy).
        """
        from substrate.care.tiers import set_tier  # noqa: PLC0415

        given, said = (domain, tier, max_tokens), self._client.said(actor)
        return self._woken(set_tier(self._store.log, self._store.read, given, self._client.policy, said))

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
        """Save atoms and edges, take atoms (`tombstones`) and edges (`unedges`) out of use: all of it, or nothing.

        An atom is `"v1.type.rest = value"`, a mapping with the fields of `Atom`, or an Atom. An edge is a mapping with
        `source`, `type`, `target` and other fields of `Edge`, or an Edge. An unedge is the same, or an edge's id.
        `actor`, `origin`, `session` and `source` are defaults for the items. `task` gets a `produced_by` edge from
        every atom recorded. The same value again confirms and makes no new version.

        `expect`: {name: seq, or None for absent} or a head; Conflict or HeadMoved if another writer was faster. An
        invalid item: ItemsRefused, naming each, with nothing written; with `partial` the others are saved and
        `refused` tells. Texts that look like credentials are refused too, unless `allow_secrets`. Also raises TooLarge,
        Denied, Busy, Full, StoreDamaged, RolledBack; always with nothing written.
        """
        batch = Batch.of(atoms, edges, tombstones, unedges, task, self._client.place())
        said = self._client.said(actor, origin, session, source)
        return self._woken(
            checkpoint(
                self._store.log,
                batch,
                expect=expect,
                said=said,
                partial=partial,
                allow_secrets=allow_secrets,
                unlocked=self._store.unlocked,
            )
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
        keep: Iterable[str] = (),
        allow_secrets: bool = False,
        **fields: object,
    ) -> Remembered:
        """Save a text as an atom, under a name that is made for it: `remembered.name`.

        The name is `v1.<type>.<words>`: the first words of the text that say something, and a digest too if another
        text has that name. With a `title`, its words make the name, and `attrs` keeps it. Without `type`, the wording
        decides where it is clear (decision, preference, goal, constraint, procedure, task, event, fact), else the type
        is `note`. The same text again confirms the same atom, and revives it if it was tombstoned. If another atom has
        contradicted it since, it gets a new version, and is the newest again. With a `strength` from 1 to 2 it fades
        the later (see `fading`). `fields` are further fields of the atom, as in `checkpoint`.
        `keep` is some of tags, attrs and strength: a known text's tags and attrs are added to, its strength stays.

        Raises InputError if there is no text; else as `checkpoint`.
        """
        more = {**fields, **({"tags": list(tags)} if tags else {})}
        said, place = self._client.said(actor, origin, session, source), self._client.place()
        statement = read_statement(text, type, title, strength, keep)
        return self._woken(
            remember(self._store.log, statement, more, said=said, place=place, allow_secrets=allow_secrets)
        )

    def transcript(
        self,
        path: str | Path,
        *,
        session: str | None = None,
        kinds: Iterable[str] | None = None,
        dry_run: bool = False,
    ) -> TranscriptRead:
        """Record a person's statements from a transcript of Claude Code, in the person's own words.

        Rules read the human turns alone: constraints, decisions, preferences, corrections and notes, or only some
        `kinds` of these. A note is what the person asks to remember. The wording of a sentence as a whole counts too,
        by the default model, unless the memory is open without one (`model="none"`). Each sentence becomes an atom with
        the tag `proposed`, its source, and no expiry. It stays unconfirmed, and makes no rule of openings, until a
        person confirms it (`confirm`, `remember`). Known atoms stay as they are, also those out of use. An atom that an
        agent recorded in the same words is not known: it waits too. Texts that look like credentials are refused. With
        `dry_run` nothing is recorded.

        Raises InputError for an unknown kind or if there is no such file, Denied if it is not a plain file. Denied to a
        client under a policy.
        """
        self._client.require_person("`substrate transcript FILE`")
        from substrate.transcripts.claude_code import human_turns  # noqa: PLC0415 - few need it
        from substrate.transcripts.record import read_kinds, record_decisions  # noqa: PLC0415

        read = record_decisions(
            self._store.log,
            human_turns(Path(path)),
            session=session,
            kinds=read_kinds(kinds),
            dry_run=dry_run,
            by_wording=self._store.models.wanted,
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
        an atom that does not wait; NotFound; Conflict if a writer was faster. Denied to a client under a policy.
        """
        from substrate.save.proposed import confirm  # noqa: PLC0415

        self._client.require_person("`substrate proposed --confirm NAME`, or `--decline NAME`")
        said, place = self._client.said(actor, None, session), self._client.place()
        return self._woken(confirm(self._store.log, tuple(names), tuple(decline), said=said, place=place))

    def correction(self, name: Name, change: str) -> Correction:
        """An atom's text as it should be, by what `change` says of it. Nothing is stored, and no model is asked.

        It reads `from A to B`, `A -> B`, `not A but B`, a new text in quotes (`it should read "..."`), and a statement
        that contradicts one sentence of the text. `value` is None if the words do not tell for sure.
        NotFound if the atom is not in use; InputError, TooLarge.
        """
        from substrate.proposals.propose import correction  # noqa: PLC0415 - few need it

        with self._store.read() as snapshot:
            return correction(snapshot, name, change)

    def propose(  # noqa: PLR0913
        self,
        value: str,
        *,
        name: Name | None = None,
        domain: str | None = None,
        title: str | None = None,
        source: str | None = None,
        reason: str | None = None,
        expect: int | None = None,
        minutes: int | None = None,
        actor: str | None = None,
        session: str | None = None,
    ) -> Proposal:
        """Propose another text for an atom (`name`), or a text to keep in a `domain` that a person picks or creates.

        It waits beside the log until somebody accepts or declines it, or its `minutes` are over: ten for a correction,
        a day for a text. Its id is random. A correction is bound to the version of now, or to `expect`, its seq.
        To forget the atom erases the proposal too. InputError if nothing would change; Conflict if the atom is another
        version; NotFound, TooLarge, SecretFound.
        """
        from substrate.encryption.unlock import check_text  # noqa: PLC0415
        from substrate.proposals.propose import Wanted, propose  # noqa: PLC0415

        said = self._client.said(actor, None, session, source) | {"title": title, "reason": reason}
        check_text(self._store.log, self._store.unlocked, name)
        return propose(self._store.log, Wanted(value, name, domain, expect, minutes, said))

    def proposals(self, *, limit: int = 100) -> Proposals:
        """All that waits for a person: corrections, texts without a domain, and statements read out of transcripts.

        The soonest expiry comes first. Statements do not expire. `accept` and `decline` take their ids.
        """
        from substrate.proposals.waiting import waiting, with_statements  # noqa: PLC0415

        with self._store.read() as snapshot:
            rows = waiting(snapshot, limit)
        return with_statements(rows, self.recent(tags=PROPOSED, limit=LIMITS["search_items"]), limit)

    def accept(  # noqa: PLR0913
        self,
        id: str,  # noqa: A002 - the word for it
        *,
        domain: str | None = None,
        create: bool = False,
        kind: str | None = None,
        actor: str | None = None,
        origin: str | None = None,
        session: str | None = None,
    ) -> Accepted:
        """Make a proposal so: a correction becomes a new version, a text a document, a statement a confirmed atom.

        `domain` is where a text goes (default: the one that was asked for), and `create` allows a new domain. With a
        `kind`, only a proposal of that kind. If two accept at once, one wins. Conflict if somebody decided before, or
        the atom changed since; NotFound if it expired, or there is no such domain.
        """
        from substrate.proposals.accept import Decided, accept  # noqa: PLC0415

        if kind != "correction":
            self._client.require_person("`substrate pending --accept ID`")
        said, place = self._client.said(actor, origin, session), self._client.place()
        return self._woken(accept(self._store.log, Decided(id, domain, create, kind), said=said, place=place))

    def decline(self, id: str, *, actor: str | None = None, session: str | None = None) -> Declined:  # noqa: A002
        """Decline a proposal: its texts are erased. A statement goes out of use, and only a person declines one.

        Conflict, NotFound as `accept`. Denied to a client under a policy that declines a statement.
        """
        from substrate.proposals.decline import decline  # noqa: PLC0415
        from substrate.proposals.waiting import is_statement  # noqa: PLC0415

        if is_statement(id):
            self._client.require_person("`substrate pending --decline NAME`")
        return decline(self._store.log, id, said=self._client.said(actor, None, session), place=self._client.place())

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
        """Replace an atom by `value` under the name `new`, from `at` on (None: now). One checkpoint.

        `name` ends at `at` and `new` begins. A `supersedes` edge with the `reason` leads from `new` to `name`. With
        `valid_at`, an earlier time finds `name`, and a later time `new`. `new` belongs to the domains of `name`. If it
        is None or the same name, it is a new version that holds from `at` on, and there is no edge. `fields` are
        further fields of the new atom (tags, confidence, ...), as in `checkpoint`.

        NotFound if `name` is not in use. InputError if it does not hold before `at`. Conflict if another atom
        supersedes it, or a writer was faster. Else as `checkpoint`.
        """
        from substrate.encryption.unlock import check_text  # noqa: PLC0415
        from substrate.save.replace import Replacement  # noqa: PLC0415
        from substrate.save.replace import replace as replace_atom  # noqa: PLC0415

        check_text(self._store.log, self._store.unlocked, name)
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
        """Move an atom to the name `new`. One checkpoint.

        The new atom gets value, fields and edges; the old one is tombstoned, and an edge `renamed_to` leads to the new
        one. Proofs made before stay valid. `access` by the old name answers with the new atom (`renamed_from`).
        Learning counts for both. Forgetting either erases both.

        NotFound if `name` is not in use. Conflict if `new` is another atom's name, in use or not, or a writer was
        faster. InputError for documents and chunks. Else as `checkpoint`.
        """
        from substrate.encryption.unlock import check_text  # noqa: PLC0415
        from substrate.save.rename import rename  # noqa: PLC0415

        check_text(self._store.log, self._store.unlocked, name)
        said = self._client.said(actor, None, session)
        return self._woken(rename(self._store.log, name, new, said=said, reason=reason, place=self._client.place()))

    def undo(self, *, dry_run: bool = False, actor: str | None = None, session: str | None = None) -> Undone:
        """Undo the last checkpoint, by any author, with a new one. Nothing is erased; `dry_run` only tells.

        Of an import, all checkpoints are taken back; what others changed meanwhile stays (`undone.kept`). An undo of
        many items is several checkpoints too, and what is refused is refused before the first. Killed in between, the
        next undo goes on, also if others wrote since (`undone.went_on`).

        New atoms are tombstoned. Changed atoms get their value from before. Tombstoned atoms come back into use; edges
        likewise. An undo is a checkpoint, so a second undo reverts it. A save that only confirms makes no checkpoint.
        A choice of model is passed over. InputError after a forget, a training or a new key; NotFound in a new store.
        HeadMoved if a writer was faster: it says so if a part is taken back. Else as `checkpoint`.
        """
        from substrate.save.undo import undo  # noqa: PLC0415

        said, place = self._client.said(actor, None, session), self._client.place()
        log, unlocked = self._store.log, self._store.unlocked
        return self._woken(undo(log, dry_run=dry_run, said=said, place=place, unlocked=unlocked))

    def relate(  # noqa: PLR0913
        self,
        relations: Mapping[str, Any] | Iterable[Mapping[str, Any]],
        *,
        entities: Iterable[str | Mapping[str, Any]] = (),
        domain: str | None = None,
        least: str = "accepted",
        attrs: Mapping[str, object] | None = None,
        actor: str | None = None,
        origin: str | None = None,
        session: str | None = None,
        allow_secrets: bool = False,
    ) -> Related:
        """State relations between entities of a domain (default: main), each as far as it passes a check (`vet`).

        A relation is a mapping with `source`, `type`, `target`, and perhaps `confidence`, the `text` that speaks for
        it, the chunk `cited`, `judged` (see `vet`), `valid_from` and `valid_to`. Stated is what is
        `accepted`; with `least="unsupported"` what is not rejected, with `least="rejected"` all, but never an entity's
        relation to itself. An edge keeps what its verdict follows from in `attrs.verifier`. Missing entities are made:
        those that are declared, and the ends of stated relations. An entity is a name, or a mapping with `name` and
        `type`. A relation that an edge states already makes no new edge.

        Raises InputError, SchemaInvalid; else as `checkpoint`.
        """
        from substrate.save.relate import RelateRequest, relate  # noqa: PLC0415 - loads numpy

        request = RelateRequest.of(relations, entities=entities, domain=domain, least=least, attrs=attrs)
        store, said = self._store, self._client.said(actor, origin, session)
        return self._woken(relate(store.log, store.index, store.read, request, said, allow_secrets=allow_secrets))

    def import_lines(  # noqa: PLR0913
        self,
        lines: str | Path | TextIO,
        *,
        partial: bool = False,
        allow_secrets: bool = False,
        dry_run: bool = False,
        older: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Replay a plain export into this store, as checkpoints of at most 1,000 lines each.

        Fields stay, but ids, seqs and times of recording are new. A later version without `occurred_at` gets its old
        time of recording, so that `valid_at` gives the same answers. Lines that this store knows already are passed
        over. So are lines that are older than what it says now: `imported.older` names these atoms. With `older` they
        are recorded, and current again. Raises as `checkpoint` does, naming the line; the
        lines before it are saved. With `dry_run` nothing is written: the answer tells what would be.
        """
        from substrate.moving.move import Move, import_lines  # noqa: PLC0415 - few who open a store import

        move = Move.of(partial=partial, allow_secrets=allow_secrets, dry_run=dry_run, older=older)
        self._store.unlocked.check_locked()
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
        older: bool = False,
        secret: str | bytes | None = None,
        unverified: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Import a file of this or another system. `imported.kind` tells how it was read.

        `from_kind` is `substrate` (a plain export) or `server-memory` (the official memory server's JSON Lines). It can
        be `hydramem` (its signed export, or its sessions.json), or rows of named columns: `csv`, `tsv` or `jsonl`.
        Without it, the content decides. Documents and folders are `ingest`ed.

        For rows, `columns` maps fields to columns, such as `{"value": "Remark"}`; other columns become attrs. `type` is
        the default type. Entities of `server-memory` belong to `domain`, and have the origin `agent`; rows have none,
        as in a checkpoint that says none. `origin` says otherwise: `ingested` for a file that others wrote. There is
        one session for each file. The same file again records only lines that changed. A line is left out if the store
        has something else that was recorded later; `imported.older` names the atoms. With `older` it is recorded.

        A HydraMem export needs the `secret` of its signature, or `unverified`. Its origin is `ingested`, and its
        project is the default `domain`. Denied if the signature does not fit.

        For other systems, `refused` lists the invalid lines, and the rest is saved, unless `partial` is False. A plain
        export is refused as `import_lines` does, unless `partial` is True. With `dry_run` nothing is written: the
        answer tells what would be. InputError if the kind of the file is unknown.
        """
        from substrate.moving.move import Move, import_file  # noqa: PLC0415

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
            older=older,
        )
        self._store.unlocked.check_locked()
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
        older: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Import the rows of a pandas or polars data frame, each as an atom, as `import_file` does for a CSV.

        `source` says where it comes from; frames of one source are one session. `refused` counts rows from 1.
        """
        from substrate.moving.move import Move, import_frame  # noqa: PLC0415

        move = Move.of(
            columns=columns,
            type=type,
            said={"origin": origin, "actor": actor},
            partial=partial,
            allow_secrets=allow_secrets,
            dry_run=dry_run,
            older=older,
        )
        self._store.unlocked.check_locked()
        return self._woken(import_frame(self._store.log, frame, source, move, progress))

    def ingest(  # noqa: PLR0913
        self,
        what: Path | str | Sequence[Mapping[str, object]],
        *,
        domain: Name | None = None,
        title: str | None = None,
        source: str | None = None,
        key: str | None = None,
        media_type: str | None = None,
        root: str | Path | None = None,
        recursive: bool = True,
        suffixes: Iterable[str] = (),
        entities: bool = True,
        prune: bool = False,
        dry_run: bool = False,
        actor: str | None = None,
        session: str | None = None,
        origin: str | None = None,
        attrs: Mapping[str, object] | None = None,
        allow_secrets: bool = False,
        progress: Progress | None = None,
    ) -> Ingested:
        """Ingest a file, a folder or a text: each becomes a document and its chunks, which joined are the text.

        A `pathlib.Path` is a file or a folder; a str is always the text itself. InputError if it is the path of one
        that is there, and has neither `title` nor `source`. A list has chunks that the caller cut:
        mappings with `text`, and perhaps the names of its `entities` and `relations` as `relate` takes them. An entity
        with a `type` becomes an atom. Relations are checked, and the accepted ones are saved with the document, with
        these `attrs` and this `origin`; `related` tells. It reads Markdown, plain text, reStructuredText,
        HTML, Jupyter notebooks, and PDF with the extra `pdf`, at most 10 MB each, in UTF-8. All go into the `domain`
        (default: main), which is created if needed. The same source again is compared chunk by chunk: changed chunks
        are recorded, missing ones are tombstoned.

        `source` is where a text comes from; for files it replaces the root's own name in front of their path.
        A text with the same `key`, else with the same source, is the same document. `title`, `key` and `media_type`
        are of one document. `recursive` and `suffixes` select the files of a folder.
        With `root`, a path must be below that folder, else PathEscape.
        No link is followed. With `entities`, each chunk lists the names in its text. A name in two texts becomes an
        atom `v1.entity.<domain>.*`. Without `entities`, an ingest takes half the time; a later ingest with it adds the
        names. With `prune`, documents whose files are gone from the folder are taken out of use; otherwise `missing`
        names them. `dry_run` compares and writes nothing. `progress`: bytes read, of how many.

        In a folder, each refused file is one of `failed`, with code and reason; the others are saved. A text that looks
        like a credential is such a reason, unless `allow_secrets`. Of a single file or text that is unreadable or too
        large, that is raised: InputError, Denied, PathEscape, TooLarge, SchemaInvalid.
        """
        from substrate.documents.ingest import ingest, refuse_path  # noqa: PLC0415 - few who open a store ingest
        from substrate.documents.request import Request  # noqa: PLC0415

        request = Request.of(
            domain=domain,
            title=title,
            source=source,
            key=key,
            media_type=media_type,
            root=root,
            recursive=recursive,
            suffixes=suffixes,
            said=self._client.said(actor, origin, session),
            allow_secrets=allow_secrets,
            prune=prune,
            dry_run=dry_run,
            entities=entities,
        )
        if isinstance(what, str) and self._client.policy is None:  # an agent is not told which paths there are
            refuse_path(what, request)
        if isinstance(what, list | tuple):
            from substrate.documents.relations import ingest_chunks  # noqa: PLC0415 - loads numpy

            store = self._store
            return self._woken(ingest_chunks(store.log, store.index, store.read, what, request, attrs))
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
        """Ingest a folder, and again whenever it changes: yields the result of each look that found changes.

        Every `every` seconds it compares sizes and times of files, then digests. The document of a deleted file goes
        out of use. A document that was forgotten stays out, and `failed` names it: `ingest` takes it in again.
        If the folder is missing, unreadable or suddenly empty, nothing changes, and `note` says so. It ends
        when the caller stops asking, or after the look in which `stop` is set. Arguments are those of `ingest`.
        """
        from substrate.documents.request import Request  # noqa: PLC0415
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

    def document(self, name: Name, *, domain: Name | None = None, as_of: Moment | None = None) -> Document:
        """A document as a whole, by its name or id: its text as it was ingested, exactly, and its chunks in order.

        With a `domain`, the source or the key of the document works too.

        `as_of`: as it was known then. The text is checked against its digest. `exact` is False if chunks were forgotten
        since; `edited` names chunks that someone changed. For HTML, notebooks and PDF it is the extracted text.
        NotFound, Forgotten.
        """
        from substrate.documents.document import document  # noqa: PLC0415

        with self._store.read(as_of) as snapshot:
            found = document(snapshot, name, domain)
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
        """The atom of this name or id: now, as known at `as_of`, or as true in the world at `valid_at`.

        `as_of` is a seq, a time or a head; times are datetimes or ISO 8601. With `proof`, also the proof that it is
        current, or, with `as_of` or `valid_at`, that this version was recorded. NotFound if there is none; the message
        tells whether it was tombstoned. Forgotten, with `.proof`, if it was erased. RolledBack if the store is behind
        and cannot give the proof.

        A read without a moment belongs to the current session, and the store learns from it. `predictions` is the
        maximum number of atoms to predict.
        """
        session = self._client.recorder.current()
        if proof and as_of is None and valid_at is None:
            self._store.log.check_current()
        elif proof:
            self._store.log.check_unforked()
        stored = proof and self._store.unlocked.is_any  # then the proof is not of what is laid over the store
        with self._store.read(as_of, valid_at) as snapshot:
            found = access(snapshot, name, proof=proof and not stored)
            subject = bytes.fromhex(found.atom.id.replace("-", ""))
            if snapshot.is_now:
                check_count(predictions, Arg("predictions"))
                if predictions:
                    opened = session.opened_with(subject)
                    foreseen = predict_next(snapshot, opened, predictions, session.domain)
                    found = replace(found, predictions=foreseen)
        if stored:
            is_now = as_of is None and valid_at is None
            found = replace(found, proof=self.prove(found.atom.name) if is_now else self.prove_entry(found.atom.seq))
        if as_of is None and valid_at is None:
            self._client.recorder.note(session, subject)
        note_access(self._store.log.path, found.name)
        return found

    def accesses(self) -> AbstractContextManager[list[str]]:
        """`with memory.accesses() as names:` gives the names of the atoms that the caller accesses in the block.

        In order, each as often as it is accessed, by any memory of this store. Accesses in other threads are not seen.
        """
        return accesses(self._store.log.path)

    def list(  # noqa: PLR0913
        self,
        prefix: str = "",
        *,
        limit: int = 100,
        offset: int = 0,
        after: str | None = None,
        type: str | Iterable[str] | None = None,  # noqa: A002 - the word for it
        tags: str | Iterable[str] = (),
        domain: str | Iterable[str] | None = None,
        tombstoned: bool = False,
        superseded: bool = False,
        as_of: Moment | None = None,
        valid_at: Time | None = None,
        count: bool = False,
    ) -> Listing:
        """Atoms whose names begin with `prefix`, by name. `limit` is at most 1,000; go on with `after=listing.next`.

        `type`, `tags` and `domain` filter as in `search`; NotFound for an unknown domain.
        Atoms out of use are left out, unless `tombstoned` or `superseded` ask for them. With `count`, `total` is the
        number on all pages, if at most 10,000 names have the prefix.
        """
        filters = Filters.of(type=type, tags=tags, domain=domain)
        with self._store.read(as_of, valid_at) as snapshot:
            # Without filters nothing needs numpy.
            among = None if filters == Filters() else self._store.index.among(snapshot, filters)
            page: dict[str, Any] = {"limit": limit, "offset": offset, "after": after, "count": count}
            return list_atoms(snapshot, prefix, among=among, tombstoned=tombstoned, superseded=superseded, **page)

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

        `name` may also be a name that edges point to and that does not exist yet. NotFound if there is neither.
        """
        with self._store.read(as_of, valid_at) as snapshot:
            return edges(snapshot, name, direction=direction, type=type, limit=limit, offset=offset)

    def history(
        self, name: Name, *, as_of: Moment | None = None, valid_at: Time | None = None, limit: int = 1000
    ) -> History:
        """The versions of an atom, oldest first, tombstones and gaps (what was forgotten) among them.

        If there are more than `limit`, the newest; use `as_of` for older ones.

        With `as_of` those known then; with `valid_at` those that hold at that time. NotFound if the store never held
        it.
        """
        from substrate.atoms.history import history  # noqa: PLC0415

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
        """The changes of atoms and edges after `start` until `stop` (None: now): seqs, times or heads.

        With `limit` (at most 1,000), the latest changes; `left_out` is the number of the others.
        """
        from substrate.atoms.diff import diff  # noqa: PLC0415

        log = self._store.log
        with self._store.snapshot() as transaction:
            until = last_seq(transaction) if stop is None else stop
            before = snapshot_of(transaction, log.clock, start, valid_at, Arg("start"))
            after = snapshot_of(transaction, log.clock, until, valid_at, Arg("stop"))
            return diff(before, after, prefix=prefix, limit=limit)

    def stale(self, prefix: str = "", *, limit: int = 100, after: str | None = None) -> StaleAtoms:
        """Atoms to review, by name, with the reasons: a dependency has changed since they were last saved.

        By `depends_on` and `derived_from` edges, over any number of steps (1,000 edges from each atom). Save an atom
        again, with the same or a new value, to clear it. Looks at every name with the prefix until the page is full;
        continue with `after=page.next`.
        """
        from substrate.atoms.stale import stale_atoms  # noqa: PLC0415

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

        Every filter must hold, and filters come before ranking. Of several types, domains or `any_tags` one must hold;
        of `tags` all; of `without_tags` and `without_domains` none. A domain has members by up to two `member_of`
        edges. `since` and `until` are about `occurred_at`. Words of time in the query (now, in May 2025) decide which
        statement comes first; `as_of` and `valid_at` go back exactly. Until the model is ready, search uses words
        alone, and `meaning` says so. `wait` is the number of seconds to wait for the model and for new vectors. With
        `hops` (1 to 3), walks along current edges begin at the best hits. The atoms they reach are found too, under the
        same filters, with the part `walk` and the edges in `via`. They rank below the hit that led there. `walk` is
        `best` (the best path) or `pagerank` (a random walk). Without `ingested`, text from ingested documents is left
        out. Without `meaning`, words alone decide. Raises InputError, TooLarge, NotFound (an unknown domain).
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
        deadline = time.monotonic() + wait
        if wait > 0:
            store.follower.wait(wait)
            store.unlocked_vectors.wait(deadline - time.monotonic())
        page: dict[str, Any] = {"limit": limit, "offset": offset, "min_score": min_score}
        for guess in (True, False):
            left = max(0.0, deadline - time.monotonic())
            index, at = store.index, store.time_at(as_of, valid_at)
            asked = index.query(query, store.log, at, left, meaning=meaning, guess=guess)
            with store.read(as_of, valid_at) as snapshot:
                if index.is_of(asked, snapshot.transaction):  # else another model is searched than the last time
                    found = search(snapshot, index, asked, filters, hops=hops, walk=walk, **page)
                    break
        if found.lag:
            store.follower.wake()  # what another process saved, it may have had no time to embed
        return found

    def which(self, text: str, kind: str | None = None) -> Matches:
        """The atom that a text names: by its id or the beginning of one, name, short id, title or alias.

        A document also matches by its source. `kind` limits the search to one type of atoms, such as `domain`. The
        `verdict` is `exact` for one match, `close` for up to three similar ones, else `none`. Each has its score (0.6
        to 1) and the reason. Upper and lower case are the same. Only atoms in use match. SchemaInvalid, TooLarge;
        InputError if the text has neither letters nor digits.
        """
        with self._store.read() as snapshot:
            return which(snapshot, text, kind)

    def names_with(self, part: str, *, limit: int = 10) -> tuple[str, ...]:
        """Names in use that contain this text, for completion: `read_ex` finds `v1.note.pandas.read_excel`.

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
        """The latest atoms in use, newest first, each as it is now, or was known at `as_of`.

        As a search without a question: the same filters, and hits without a score. With `count`, `total` is the number
        on all pages, if at most 10,000 pass the filters. Raises InputError, TooLarge, NotFound (a domain that is not
        there).
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
        by: str = "name",
        as_of: Moment | None = None,
    ) -> EntityPage:
        """The people, places and things of a domain, or of all domains, by name, with the number of mentions.

        With `by="mentions"`, the most mentioned come first.

        An entity is an atom `v1.entity.<domain>.<canonical name>`: its value is the name as it is shown, `attrs` has
        its type and its aliases. A name that one ingested text alone mentions is listed too, with `id` None: it has no
        atom yet. The last page has `next` None.

        `prefix`: the beginning of the canonical name, in any case and spelling. Superseded entities are left out.
        Continue with `after=page.next`. An unknown domain has none. SchemaInvalid, NameInvalid, TooLarge.
        """
        from substrate.search.directory.page import list_entities  # noqa: PLC0415 - loads numpy

        with self._store.read(as_of) as snapshot:
            return list_entities(
                snapshot,
                self._store.index,
                domain=domain,
                prefix=prefix,
                limit=limit,
                offset=offset,
                after=after,
                by=by,
            )

    def entity(self, name: str, domain: str | None = None) -> EntityEntry:
        """The entity of a domain (default: main) that a text means: by its name, an alias, its id or its atom's name.

        One that texts mention and that has no atom yet has the `id` None. `mentions` is not counted here. NotFound,
        with names that are near it, if there is none; SchemaInvalid, NameInvalid, TooLarge.
        """
        from substrate.search.directory.find import find_entity  # noqa: PLC0415 - loads numpy

        with self._store.read() as snapshot:
            return find_entity(snapshot, self._store.index, name, domain)

    def gather(  # noqa: PLR0913
        self,
        query: str | None = None,
        *,
        domain: str | None = None,
        entities: str | Iterable[str] = (),
        limit: int = 10,
        hops: int = 1,
        walk: str = "best",
        wait: float = 0,
    ) -> Gathered:
        """Chunks of a domain (default: main) for a question: by words and meaning, and by the entities that it names.

        Walks of at most `hops` edges begin at these entities, and at the given `entities`. Chunks that mention the
        reached entities follow, at most `limit` more. `walk` is `best` (the best path), `pagerank` or `both`. Lists are
        joined by reciprocal ranks. An unknown domain has nothing. InputError, TooLarge.
        """
        from substrate.relate.gather import Request, gather  # noqa: PLC0415 - loads numpy

        request = Request.of(query, domain=domain, entities=entities, limit=limit, hops=hops, walk=walk)
        store = self._store
        asked = None if query is None else store.index.query(query, store.log, store.time_at(None, None), wait)
        with store.read() as snapshot:
            return gather(snapshot, store.index, asked, request)

    def count_tokens(self, text: str) -> int:
        """How many tokens a text takes, by the tokenizer of the model that comes with us, or else by bytes."""
        from substrate.embed.tokens import token_counter  # noqa: PLC0415 - loads the tokenizer

        return token_counter().count(text)

    def extract(self, text: str) -> ExtractedEntities:
        """The names in a text: people, places, products, acronyms, identifiers, files, addresses, titles.

        It looks at the spelling, without a model, and records nothing. Each name once, in order; at most a hundred, and
        `more` counts the rest. SchemaInvalid, TooLarge.
        """
        from substrate.entities.extract import extract_entities  # noqa: PLC0415 - its lists of words take a moment

        return extract_entities(text)

    def cues(self, text: str) -> Cues:
        """Whether a message asks to keep or to recall something, by its wording alone; nothing is recorded.

        `keep` and `recall` are from 0 to 1, `advice` is keep, ask or leave, `query` is what to search for, `phrases`
        says why. SchemaInvalid, InputError if there is no text, TooLarge.
        """
        from substrate.transcripts.cues import cues_of  # noqa: PLC0415 - its tables take a moment

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
        """The neighbours of atoms: edges in both directions, up to `depth` (3) steps, the nearest first.

        With the atoms at the other ends, their state, and the arcs beside them. Only edges that hold at the moments; of
        one `type` or all. An atom further on is followed over 25 edges in each direction; `cut` names those that have
        more. The same page has the same edges, as long as nothing is written. `missing` lists unknown names; NotFound
        or Forgotten if none is known. InputError, TooLarge (behind 10,000 edges: narrow it by type, or use `edges`).
        """
        from substrate.relate.context import context  # noqa: PLC0415

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

        Only edges that hold at the moments, through atoms in use that hold then. It follows at most 200 edges of an
        atom. `cut` names atoms with more: a shorter path may lead through them. Without a path it is empty, `found` is
        False, and `remarks` says how far the search went. InputError; NotFound or Forgotten if one of the two is not
        there.
        """
        from substrate.relate.path import path  # noqa: PLC0415

        with self._store.read(as_of, valid_at) as snapshot:
            return path(snapshot, a, b, most=most)

    def vet(  # noqa: PLR0913
        self,
        source: str,
        type: str,  # noqa: A002 - the word for it
        target: str,
        *,
        domain: str | None = None,
        text: str | None = None,
        confidence: float | None = None,
        judged: Mapping[str, object] | None = None,
    ) -> Vetted:
        """Whether a relation between two entities of a domain (default: main) holds, as far as can be told.

        By the graph: confidence, common neighbours and degrees. By the `text`, else by stored chunks that mention both:
        whether a sentence states it, denies it, or says it the other way round. The verdict is accepted, rejected or
        unsupported, with what decided; the reason names a stored chunk. No model is asked, and nothing is written. A
        model's answer that the caller got is `judged`: `by` (its name), `score` and `quote`. It can raise unsupported
        to accepted, if a text has the quote and the quote names both.
        InputError, SchemaInvalid, TooLarge.
        """
        from substrate.relate.vet import Proposal, vet  # noqa: PLC0415 - loads numpy

        proposal, home = Proposal(source, type, target, confidence, text, judged=judged), domain_name(domain)
        with self._store.read() as snapshot:
            return vet(snapshot, self._store.index, proposal, home)

    def compare(self, first: str, second: str) -> Compared:
        """Whether two passages contradict each other: sentence by sentence, at most 64 of each, without a model.

        The verdict is `conflict`, `agree` or `cannot tell`, with the pairs of sentences that decide. Nothing is
        written. SchemaInvalid, TooLarge.
        """
        from substrate.relate.compare import compare  # noqa: PLC0415 - its lists of words take a moment

        return compare(first, second)

    def associate(
        self,
        atoms: Name | Iterable[Name],
        *,
        domain: str | None = None,
        all_domains: str | Iterable[str] | None = None,
        limit: int = 10,
    ) -> Associations:
        """Related atoms in other domains that no edge links yet, the strongest first, each with its reason.

        It compares meaning, rare words, arcs and shared neighbours. Atoms that an edge links now, or linked before, are
        left out. To accept one, save `association.edge`. The domains of an atom are its own and `domain`; it looks in
        `all_domains`, or in all others. Atoms without a domain count as one domain. It uses the vectors that exist;
        `meaning` tells if some are missing. `missing` lists unknown atoms; NotFound or Forgotten if none is known, or
        the domain does not exist. InputError, TooLarge.
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

        Two atoms are joined if their similarity reaches the `threshold`. It is the cosine of their vectors, or of their
        rare words if one has none yet; then `meaning` says so. Different numbers, or a negation in one of them, make
        them less alike. `cohesion` is the mean of all pairs of a group. With `pairs`, single pairs are listed instead.
        Texts that were ingested and superseded atoms are left out; `surface`: only what that surface alone wrote. Up to
        30,000 atoms are compared with each other, up to 200,000 by the index of vectors. Nothing of it counts as an
        access. InputError, TooLarge, NotFound (a domain that is not there).
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

        It holds the text of all of them, once, with the tags and entities of all; `fields` replace them. Its name is
        `into`, or is made of its words. Edges `supersedes` and `consolidated_from` lead to its members: they leave
        searches, stay readable, and a time before finds them. Learning about them counts for it. It belongs to their
        domains. `dry_run` shows what would be. `back`: `names` is an atom that a merge made; its members are in use
        again, and it is not.

        `expect`, {name: seq}, are the versions that were looked at; of a group, those that were shown. Conflict if one
        has changed since or is superseded. NotFound if one is out of use or there is no such group. Denied if `surface`
        did not write all of it. Else as `checkpoint`.
        """
        from substrate.encryption.unlock import check_text  # noqa: PLC0415
        from substrate.groups.merge import Merger, merge, take_back  # noqa: PLC0415

        log, said, place = self._store.log, self._client.said(actor, None, session), self._client.place()
        if back:
            return self._woken(take_back(log, read_end(names, Arg("names")), said=said, place=place))
        group = self.group(names, surface=surface) if isinstance(names, str) else None
        merger = Merger.of(names, group, into=into, expect=expect or {}, surface=surface, fields=fields)
        check_text(log, self._store.unlocked, *merger.names)
        return self._woken(merge(log, merger, said=said, place=place, dry_run=dry_run))

    def group(self, id: str, *, surface: str | None = None) -> Group:  # noqa: A002 - the word for it
        """The group with this id, as it was shown here, or as `groups` finds it without arguments.

        Conflict if one of its members changed since it was shown; NotFound if there is no such group.
        """
        with self._store.read() as snapshot:
            return self._store.grouper.group(snapshot, id, surface)

    def tend(  # noqa: PLR0913
        self,
        domain: str | None = None,
        *,
        undo: int | None = None,
        dry_run: bool = False,
        actor: str | None = None,
        session: str | None = None,
        progress: Progress | None = None,
    ) -> Tended | Undone:
        """State the relations of a domain's entities (None: `main`) that texts and sessions support. One checkpoint.

        Candidates are entities that a sentence of a chunk joins by a verb, or that two sessions accessed. Each is
        vetted; what is accepted becomes an edge that cites its chunk, by the actor `tend`. A relation that
        someone took back is not stated again, so a second run adds nothing. Lone entities are tombstoned if the surface
        that asks for it made them. Edges of earlier runs are taken back when their chunk no longer states them.

        `undo` takes the run of this number back, as far as nobody has changed what it did; `actor` and `session` say
        who does. With `dry_run` nothing is written. Busy if another gardener is at work; NotFound if there is no such
        run.
        """
        from substrate.garden.undo import undo_run  # noqa: PLC0415

        log, client = self._store.log, self._client
        if undo is not None:
            return self._woken(undo_run(log, undo, dry_run=dry_run, said=client.said(actor, None, session)))
        from substrate.garden.tend import tend  # noqa: PLC0415 - loads numpy

        self._store.write_down()
        of, index = domain_name(domain), self._store.index
        return self._woken(tend(log, index, of, surface=client.surface, dry_run=dry_run, progress=progress))

    def tending(self, domain: str | None = None, *, limit: int = 20) -> Tending:
        """The runs of `tend`, of a domain or of all, the last first; what they come to; whether one is at work."""
        from substrate.garden.status import tending  # noqa: PLC0415

        return tending(self._store.log, None if domain is None else domain_name(domain), limit=limit)

    def prune(self, domain: str | None = None, *, threshold: float = 0.6, dry_run: bool = True) -> Pruned:
        """Edges between a domain's entities (None: `main`) that look spurious, above `threshold`, the worst first.

        A small model learns to tell the edges from other pairs; `auc` is how well it does with edges that it has not
        seen. Below 50 edges fixed weights decide (`heuristic`). Never more than a quarter of the edges is listed.
        Without `dry_run` they are taken back in one checkpoint; a surface takes back only its own, and a gardener's.
        """
        from substrate.garden.prune import Asked, prune  # noqa: PLC0415 - loads numpy

        asked = Asked(domain_name(domain), threshold, dry_run, self._client.surface)
        return self._woken(prune(self._store.log, asked, self._client.said()))

    def edge_map(self, *, limit: int = 120) -> EdgeMap:
        """The atoms with most edges, whatever they are, and the edges that hold between them."""
        from substrate.relate.edge_map import edge_map  # noqa: PLC0415

        with self._store.read() as snapshot:
            return edge_map(snapshot, limit=limit)

    def entity_map(self, domain: str | None = None, *, limit: int = 200) -> EntityMap:
        """The entities of a domain (None: `main`), the most joined first, and the edges that hold between them."""
        from substrate.garden.show import entity_map  # noqa: PLC0415

        with self._store.read() as snapshot:
            return entity_map(snapshot, domain_name(domain), limit=limit)

    def index(self, progress: Progress | None = None, *, limit: int | None = None) -> Indexed:
        """Embed every version that has no vectors yet: for scripts, after bulk loads, before a measurement.

        Without it, that happens in the background. It continues after an interruption. `limit` is the maximum number of
        versions. Without it, atoms of unlocked domains are embedded too, in memory. Raises ModelUnavailable (with what
        to do), InputError, Denied, Busy, Full.
        """
        indexed = self._store.follower.index(progress, limit)
        if limit is None:
            self._store.unlocked_vectors.catch_up()
        return indexed

    def use_model(self, spec: str | Path) -> Embedding:
        """Use this model from now on: a name, or a folder that sentence-transformers saved.

        The log records it. All atoms are embedded again, in the background or by `index()`. Until then, search uses the
        old vectors. ModelUnavailable, with nothing changed, if it is not on this machine or cannot be run.
        """
        return self._store.follower.use(spec)

    def model(self, most: int | None = None) -> Embedding:
        """Which model embeds, and how far it has got. Versions that wait are counted up to `most`, which is quicker."""
        return self._store.follower.status(most, self._store.log)

    def session(
        self,
        objective: str | None = None,
        *,
        domain: Name | None = None,
        name: str | None = None,
        observe: bool = True,
    ) -> Session:
        """A session: `with memory.session("fix the login"):`. Accesses inside belong to it.

        Its objective and domain hold for `train` and `bootstrap` in it. The store learns from its accesses when it
        ends, unless `observe` is False. `name` is for `forget(session=...)`. Accesses outside of any session form one
        too, which ends after half an hour without any. Raises InputError, NotFound (a domain that is not there),
        SecretFound.
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
            state.match = self._store.search.match(state.objective, self._store.log)
        return Session(self, self._client.recorder, state)

    def watch(self, on: bool = True) -> None:  # noqa: FBT001, FBT002 - watch(False) reads well
        """Turn learning from sessions on or off, for everyone who has this store open. Default: on."""
        from substrate.learn.watch import watch  # noqa: PLC0415

        watch(self._store.log, on=on)

    @property
    def watching(self) -> bool:
        """Whether the store learns from accesses of this memory."""
        return self._client.learns and self.watched

    @property
    def watched(self) -> bool:
        """Whether the store learns from sessions, as `watch` set it; also if this memory observes none."""
        from substrate.learn.watch import is_watched  # noqa: PLC0415

        with self._store.read() as snapshot:
            return is_watched(snapshot.transaction)

    def observed(self) -> int:
        """The number of recorded sessions and parts of sessions. The call takes microseconds.

        Learning from use adds no entry to the log. To follow a store, look at this number too.
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
        """Add past sessions, or sessions of other programs: the names of one, in order; or many at once.

        Many: mappings with `items`, and optionally `at`, `objective`, `domain`, `session`. `at` is the time (default:
        now); older sessions weigh less. On return it is on disk and learned. Atoms out of use are skipped, and
        `skipped` names them. Many are written in portions: an error names its session, and earlier portions stay.
        Raises InputError, TooLarge, SecretFound, Denied (read-only, or nobody may watch), Busy, Full.
        """
        from substrate.learn.observe import observe, read_sessions  # noqa: PLC0415

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
        """Teach that these atoms are needed together, in this order. The log records it.

        It counts as one session with the weight `passes`. Use 1 normally, 2 when the order worked well, 3 after a
        correction. More count as 3, and `clamped_from` tells. The defaults of `objective` and `domain` come from the
        current session. Unknown, tombstoned or forgotten atoms are skipped, and `skipped` names them. Raises
        InputError, TooLarge, Denied, Busy, Full.
        """
        from substrate.learn.train import train  # noqa: PLC0415

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
        """The atoms that are needed after these, in this order; the likeliest first, with the reasons.

        Without `context`: in the current session. If nothing is open, the objective and the domain decide. `horizon`:
        the `next` atom, or all atoms that the `session` needs. Open atoms are left out, unless `again`. Atoms less
        likely than `floor` are left out. Raises InputError.
        """
        check_predict(k, horizon, floor)
        current = self._client.recorder.current()
        names = None if context is None else read_ends(context, Arg("context"))
        said = current.objective if objective is None else read_objective(objective)
        of = _domain(current, objective, domain)
        opening = not (current.opened if names is None else names)
        match = self._store.search.match(said, self._store.log) if said and opening else None
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
        """The atoms needed after an atom, and before it: at most `k` each, the likeliest first.

        `part`: one part of the model alone: `next`, `skip`, `edges` or `episodes`. It ignores the session and does not
        count as an access. For an atom that follows more than a thousand others, only some are compared, and `more`
        says so. Raises NotFound, Forgotten, InputError.
        """
        from substrate.learn.around import around  # noqa: PLC0415

        with self._store.read() as snapshot:
            return around(snapshot, name, k, part, domain_of(snapshot.transaction, read_domain(domain)))

    def transition_matrix(self, *, kind: str = "skip", prefix: str = "") -> Transitions:
        """All arcs as a sparse matrix (scipy CSR) of probabilities, with the names of its rows and columns.

        `kind`: `next` (right after) or `skip` (within ten steps). `prefix`: only atoms whose names begin with it. Each
        call reads every row: keep the result.
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
        """The context for a new session with this objective; the whole reply within `max_tokens`.

        It holds the needed atoms with their reasons, goals, constraints and preferences, open conflicts, missing atoms,
        and a count of the atoms left out. `high_impact` keeps atoms with evidence of 0.65 or more, `evidence_threshold`
        of another number. A `domain` (v1.domain.x, or x) makes its members more needed, and excludes nothing.
        `ingested` also shows text from ingested documents. Until the model is ready, the objective is matched by words
        alone, and `meaning` says so. `wait` is the number of seconds to wait for it. It does not count as an access.
        The reply names the tokenizer that counts. Outside of `session()`, a session with this objective begins here.
        With `begin` False no session begins.

        The budget is that of `opening.json()`. For another form, `shown` turns the opening, and each item of it, into
        text. Then `shown(opening)` is within the budget, and `tokens` counts it. If it gives several texts, the largest
        counts. Raises InputError (fewer than 50 tokens, or too few for the shortest reply), TooLarge, SchemaInvalid,
        NameInvalid, SecretFound.
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
        match = None if asked.objective is None else self._store.search.match(asked.objective, store.log, wait)
        by_words = match.why if match is not None and store.models.wanted else ""
        with store.read() as snapshot:
            return bootstrap(snapshot, store.index, asked, match, meaning=by_words, shown=shown), match

    def weigh(self, names: Iterable[Name]) -> tuple[OpeningAtom, ...]:
        """These atoms as an opening would show them: with `evidence`, how well each is supported, and its `grounds`.

        Atoms that are superseded, or do not hold now, are left out. It does not count as an access. Raises NotFound,
        Forgotten, InputError.
        """
        from substrate.bootstrap.support import weigh  # noqa: PLC0415 - only for those who ask

        with self._store.read() as snapshot:
            return weigh(snapshot, read_ends(names, Arg("context")))

    def warm(self) -> None:
        """Load the model and tables for search, bootstrap and predict, so that the next call is fast.

        It takes seconds, so a server calls it in a thread. It does not count as an access. It raises no SubstrateError:
        a part that cannot be loaded fails later, when it is needed.
        """
        from substrate.bootstrap.bootstrap import Request  # noqa: PLC0415 - loads numpy

        # The verbs themselves: whatever they load, now and in later versions, is loaded by this.
        with suppress(SubstrateError):
            self._store.search.match(_ANYTHING, self._store.log, threading.TIMEOUT_MAX)
        with suppress(SubstrateError):
            self.search(_ANYTHING)
        with suppress(SubstrateError):
            self._opening(Request.of(_ANYTHING))

    def first_vectors_due(self) -> bool:
        """Whether a store without any vector gets its first ones within a moment: a server waits for them.

        They are made at once then, in the background. False with more than 64 versions: these take longer.
        """
        return self._store.follower.first_due()

    def touch(self, names: Name | Iterable[Name], *, boost: bool = False, every: float | None = None) -> Touched:
        """Record that these atoms were used: they fade more slowly from now on. At most 100; all or none.

        On return it is on disk, and it counts as an access. With `boost` an atom's strength grows by 0.1, up to 2.
        Each touch is a trace of its own, so scores of any past moment stay exact. Time never steps back for an atom,
        whatever the clock does. With `every`, nothing is touched if this actor did so, with `every`, fewer seconds ago:
        for what touches by itself. NotFound, Forgotten, InputError, Denied, Busy, Full.
        """
        from substrate.encryption.unlock import check_text  # noqa: PLC0415
        from substrate.fading.touch import touch  # noqa: PLC0415

        session, actor = self._client.recorder.current(), self._client.actor
        ends = read_ends(names, Arg("names"))
        check_text(self._store.log, self._store.unlocked, *ends)
        touched = touch(self._store.log, ends, boost=boost, every=every, actor=actor)
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
        from substrate.fading.named import fading_of  # noqa: PLC0415

        if names is not None:
            with self._store.read(as_of) as snapshot:
                return fading_of(snapshot, read_ends(names, Arg("names")))
        from substrate.fading.listing import Wanted  # noqa: PLC0415 - loads numpy

        wanted = Wanted.of(status, any_tags, used_since, min_score, order, limit, offset)
        with self._store.read(as_of) as snapshot:
            return self._store.fading.list(snapshot, wanted)

    def fading_curve(self, name: Name, *, as_of: Moment | None = None) -> FadingCurve:
        """The score of an atom over time, with its touches: as it was, and as it will be if nobody uses it.

        `falls` says when it falls below each threshold. Nothing of it counts as an access. NotFound, Forgotten.
        """
        from substrate.fading.curve import fading_curve  # noqa: PLC0415

        with self._store.read(as_of) as snapshot:
            return fading_curve(snapshot, read_end(name, Arg("name")))

    def due(self, *, limit: int = 100, offset: int = 0) -> FadingAtoms:
        """Atoms that a review would help most now: `fading` in the order `due`. To `touch` one clears it."""
        return self.fading(order="due", limit=limit, offset=offset)

    def use_fading(self, model: str | None = None, half_life: float | str | None = None) -> FadingModel:
        """How atoms of this store fade, for all who have it open; what is left out stays as it was.

        `model` is power_law (the default), exponential or two_component; `half_life` a number of days, or 3d, 36h.
        Only how scores are worked out changes, of past moments too. InputError, Denied.
        """
        from substrate.fading.choice import choose_decay  # noqa: PLC0415

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

    def promote(  # noqa: PLR0913
        self,
        name: Name | None = None,
        *,
        vault: str | Path | None,
        force: bool = False,
        dry_run: bool = False,
        actor: str | None = None,
        session: str | None = None,
    ) -> Promoted:
        """Keep a note for good: write it to the folder `promoted` of a vault, as Markdown, and say so in the log.

        Without `name`, up to 100 notes that one surface alone has written and that are worth it. Worth it: a score of
        0.65, and three uses or an age of a day. Or five uses within 14 days. With `name`, that atom; with `force` in
        any case. The file is there, new and whole, before the log says that it is promoted; such a note
        is never swept. Nothing outside the vault is written, and nothing there is replaced. With `dry_run` nothing is
        written. InputError (no vault, not worth it), Denied (the vault cannot be written), NotFound, Conflict.
        """
        from substrate.fading.promote import Promote, promote  # noqa: PLC0415 - loads numpy

        asked = Promote(name, vault, self._client.surface, force, dry_run)
        return promote(self._store.log, self._store.fading, asked, self._client.said(actor, None, session))

    # -- judge ---------------------------------------------------------------------------------------------------------

    def conflicts(
        self, name: Name | None = None, *, limit: int = 100, offset: int = 0, ingested: bool = False
    ) -> Conflicts:
        """Open conflicts: pairs of current atoms that contradict each other, the newest first.

        With `name`, those of this atom. Recording an atom can start a conflict; docs/conflicts.md tells which are
        found. A conflict ends when one of the two changes or goes out of use, or with `resolve`. `ingested` also lists
        conflicts with text from ingested documents. `limit` is at most 1,000. NotFound if there is no such atom.
        """
        from substrate.conflicts.detect import list_conflicts  # noqa: PLC0415

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
        """Settle the conflict of two atoms, by an edge that the log keeps with its author.

        With `keep`, that atom supersedes the other. Without it, both are right: a `consistent_with` edge ends the
        conflict until one of them changes. NotFound if the two are not in conflict; InputError if `keep` is neither;
        Conflict if another writer changed one of them meanwhile. `expect`, {name: seq}, are the versions that you
        judged. A `reason` that looks like a credential is refused, unless `allow_secrets`.
        """
        from substrate.conflicts.settle import settle  # noqa: PLC0415

        with self._store.read() as snapshot:
            settlement = settle(snapshot, first, second, keep, reason)
        return checkpoint(
            self._store.log,
            Batch(edges=(settlement.edge,)),
            expect=settlement.expect | dict(expect or {}),
            said=self._client.said(actor),
            allow_secrets=allow_secrets,
        )

    # -- encrypted domains ---------------------------------------------------------------------------------------------

    def encrypt(
        self, domain: str, passphrase: str | None = None, *, dry_run: bool = False, progress: Progress | None = None
    ) -> Encrypted:
        """Encrypt a domain: its atoms are ciphertext on disk from now on, and text for this process until `lock`.

        Atoms that are there as text are recorded again, encrypted, and their text is forgotten. Older versions, proofs
        of the text and what was learned about these atoms are lost. Older backups and exports still hold the text.
        `dry_run` counts and writes nothing. If it was broken off, call it again with the same passphrase. Without the
        passphrase nobody can read the atoms again: there is no second way. docs/encryption.md says what stays visible.

        NotFound if there is no such domain, Denied if it is encrypted with another passphrase.
        """
        from substrate.care.encrypt import encrypt_domain  # noqa: PLC0415 - few need it

        self._client.require_person("`substrate encrypt DOMAIN`")
        store = self._store
        if not dry_run:
            store.write_down()
        done = encrypt_domain(store.log, store.unlocked, domain, passphrase, dry_run=dry_run, progress=progress)
        if not dry_run:
            store.nearest.close()
            store.drop_indexes()
        return self._woken(done)

    def unlock(self, domain: str, passphrase: str) -> Unlocked:
        """Read and save atoms of an encrypted domain, in this process, until `lock` or the end of the process.

        They are text in memory alone. All clients of this open store see them. Denied if the passphrase is wrong;
        InputError if the domain is not encrypted.
        """
        from substrate.encryption.unlock import unlock  # noqa: PLC0415

        found = unlock(self._store.log, self._store.unlocked, domain, passphrase)
        self._store.drop_indexes()
        self._store.unlocked_vectors.wake()
        return found

    def lock(self, domain: str | None = None) -> Locked:
        """Drop the key and the texts of a domain, or of all domains, from the memory of this process."""
        from substrate.encryption.unlock import lock  # noqa: PLC0415

        self._client.require_person("`%memory lock`")
        locked = lock(self._store.log, self._store.unlocked, domain)
        self._store.drop_indexes()
        self._store.unlocked_vectors.clear()
        return locked

    def disclose(self, name: Name) -> str:
        """The key of an encrypted atom's current version, to give to an auditor with the proof of `prove`.

        It opens this version and no other; `examples/verify_proof.py --disclosed` shows the text by both. The domain
        must be unlocked, else InputError. NotFound if there is no such atom, or it is out of use.
        """
        from substrate.encryption.unlock import disclose  # noqa: PLC0415

        return disclose(self._store.log, self._store.unlocked, name)

    # -- prove ---------------------------------------------------------------------------------------------------------

    def prove(self, name: str, *, since: Pin | str | None = None, trusting: VerifierKey | str | None = None) -> Bundle:
        """Prove that `name` is current, tombstoned, forgotten or absent at the latest head.

        With `since`, the proof also leads from that pin to the head. With `trusting`, it leads from that older key to
        the current one. RolledBack if the pin is not of this history, or if this store is behind.
        """
        from substrate.encryption.unlock import stored_name  # noqa: PLC0415

        name = stored_name(self._store.log, self._store.unlocked, name)
        return self._store.log.prove(name, since=since, trusting=trusting)

    def prove_entry(
        self, seq: int, *, since: Pin | str | None = None, trusting: VerifierKey | str | None = None
    ) -> Bundle:
        """Prove that entry `seq` is in the log, with its body. NotFound, or Forgotten if the body was erased.

        It names its head. RolledBack if the log forked; a store that is only behind can prove its entries.
        """
        return self._store.log.prove_entry(seq, since=since, trusting=trusting)

    def prove_extended(self, since: Pin | str, *, until: int | None = None) -> Bundle:
        """Prove that the log contains the pinned one: the log now, or at the head of size `until`.

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
        """Check a proof against a pin, a key, or without either this store's own key. ProofInvalid if it is false.

        `against` of the verdict says which. This store's own key proves little: its owner can sign anything. An auditor
        uses `substrate.Verifier`, or the script, with a key or pin that came separately.
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
        """The latest head, or the one of this size, with its key, to keep outside the store.

        NotFound if no head was signed at that size.
        """
        return self._store.log.pin(size)

    def heads(self, *, before: int | None = None, limit: int = 100) -> Heads:
        """The signed heads, newest first, each with its additions; continue with `before=heads.next`.

        `before` is a size: only heads with fewer entries. `limit` is at most 1,000. Reads the entries that the
        heads of the page added, not their bodies.
        """
        from substrate.care.heads import heads  # noqa: PLC0415

        with self._store.read() as snapshot:
            return heads(snapshot, before=before, limit=limit)

    def growth(
        self,
        start: Moment | None = None,
        stop: Moment | None = None,
        *,
        parts: int = 200,
        by: str = "time",
        counts: bool = True,
    ) -> Growth:
        """How the store grew after `start` until `stop` (None: from its beginning, until now). A notebook draws it.

        It has at most `parts` equal parts (up to 1,000), by `time` or by `entries`. Each item tells how the log grew in
        one part, and how many atoms and bytes there were after it. Parts without a head are left out. To count atoms
        and bytes reads every version once. With `counts=False` the cost does not depend on the size of the store.
        """
        from substrate.care.growth import growth  # noqa: PLC0415

        with self._store.read() as snapshot:
            return growth(snapshot, start, stop, parts=parts, by=by, counts=counts)

    def check_pin(self, pin: Pin | str) -> None:
        """Return if this log contains the pinned one; RolledBack, naming both heads, if not."""
        self._store.log.check_pin(pin)

    def key(self) -> VerifierKey:
        """The current verifier key. Give it to the auditor, separately from the proof."""
        return self._store.log.key()

    def rotate_key(self) -> VerifierKey:
        """Make a new signing key and destroy the old one. Old heads stay valid under the old verifier key."""
        return self._store.log.rotate_key()

    # -- care ----------------------------------------------------------------------------------------------------------

    def forget(  # noqa: PLR0913
        self,
        names: Name | Iterable[Name] = (),
        *,
        source: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        objective: str | None = None,
        seqs: range | None = None,
        whole: Name | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Forgot:
        """Erase for good: atoms by name or id; or all versions and edges of a source, actor, session or range of seqs.

        `objective` erases sessions and trainings with this objective.
        Give one of these. A name erases all of an atom: versions, edges, traces. An id erases an edge or a training, or
        a damaged entry that fsck names. The others erase the matching versions and edges. An atom without versions is
        then forgotten; one that loses only its current version is tombstoned. `whole` is a document or another atom
        with parts: it goes with all its parts. Entities that only it mentions go too. `kept` names the others, and
        other documents with the same text.
        `dry_run` counts and writes nothing. If `compacted`, the bytes are gone from the store's files. If not, readers
        were open: call `compact()` later. Backups and exports keep them. NotFound if nothing matches.
        """
        from substrate.documents.forgetting import forget_whole  # noqa: PLC0415
        from substrate.encryption.unlock import stored_name, stored_names  # noqa: PLC0415
        from substrate.forget.forget import forget  # noqa: PLC0415
        from substrate.forget.select import Selection  # noqa: PLC0415

        selection = Selection.of(
            names, source=source, actor=actor, session=session, objective=objective, seqs=seqs, whole=whole
        )
        store = self._store
        if store.unlocked.is_any:
            if whole is not None and stored_name(store.log, store.unlocked, whole) != whole:
                raise InputError(f"{whole} is encrypted: forget it and its parts by their names")
            stored = (one for name in selection.names for one in stored_names(store.log, store.unlocked, name))
            selection = replace(selection, names=tuple(stored))
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
        """The maximum number of atoms in use; None: no limit."""
        from substrate.save.quota import quota_of  # noqa: PLC0415

        with self._store.read() as snapshot:
            return quota_of(snapshot.transaction)

    def set_quota(self, most: int | None) -> None:
        """Set the maximum number of atoms in use; None: no limit. It holds for all who have this store open.

        A checkpoint above it is refused with QuotaReached, and nothing of it is written. An import or an ingest saves
        in several checkpoints. There the error says what was saved before, and its `report` is the result of that part.
        """
        from substrate.save.quota import set_quota  # noqa: PLC0415

        set_quota(self._store.log, most)

    def stats(self) -> Stats:
        """The size of the store. It reads stored counts, and a row for each name that only edges have."""
        from substrate.care.stats import stats  # noqa: PLC0415

        log = self._store.log
        with self._store.read() as snapshot:
            return stats(snapshot, log.size_on_disk(), self.behind)

    def domains(self, of: Name | None = None) -> DomainCounts:
        """The domains of documents, chunks and entities, and how many of these each has. It reads stored counts.

        With `of`, those that this atom belongs to, by name, edge or whole, and no others. NotFound.
        """
        from substrate.care.stats import count_domains  # noqa: PLC0415

        with self._store.read() as snapshot:
            return count_domains(snapshot, of)

    def rebuild(self, progress: Progress | None = None) -> None:
        """Rebuild the derived tables from the log, beside the store, and put them in place.

        Other processes can read meanwhile.
        """
        from substrate.forget.compaction import rewrite  # noqa: PLC0415

        log = self._store.log
        log.check_current()
        rewrite(log, lambda: log.rebuild(progress, CACHE_CHECKS))
        drop_malformed_sessions(log)

    def compact(self) -> None:
        """Rewrite the store's file without free space: erased bytes are then gone. Other processes continue."""
        from substrate.forget.compaction import compact_now  # noqa: PLC0415

        self._store.log.check_current()
        compact_now(self._store.log)

    def export(self, to: str | Path | TextIO, *, full: bool = False, progress: Progress | None = None) -> int:
        """Write the store as JSON Lines; returns the number of lines. `full`: with salts, for a verifiable clone.

        Otherwise: every version and edge in order, for `import_lines` and other programs. The file must not exist.
        """
        from substrate.care.export import export  # noqa: PLC0415

        return export(self._store.log, to, full=full, progress=progress)

    def backup(self, target: str | Path, progress: Progress | None = None) -> Pin:
        """Copy the store into the new folder `target`, while others write; returns the pin of that moment.

        The signing key is not in it. `substrate.restore` restores it.
        """
        return self._store.log.backup(target, progress)

    # -- show ----------------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, object]:
        """The store and its author. `stats` counts its contents."""
        actor = {} if self._client.actor is None else {"actor": self._client.actor}
        return {"store": str(self._store.log.path), **actor, "read_only": self._store.read_only}

    def explore(self, query: str = "", **traits: Any) -> Any:  # noqa: ANN401 - a widget, of a class not known here
        """Search as you type, filter, and see everything about an atom."""
        return self._widget("Explorer", query=query, **traits)

    def show_proof(self, name: Name, **traits: Any) -> Any:  # noqa: ANN401
        """The proof of an atom, drawn from leaf to signed head; change a byte, and see where it breaks."""
        return self._widget("ProofViewer", selected=name, **traits)

    def preview(self, objective: str = "", **traits: Any) -> Any:  # noqa: ANN401
        """The context of a session with this objective, in order, with reasons; and conflicts to settle."""
        return self._widget("BootstrapPreview", objective=objective, **traits)

    def transitions(self, name: Name = "", **traits: Any) -> Any:  # noqa: ANN401
        """The atoms needed before and after an atom, as a graph."""
        return self._widget("Transitions", selected=name, **traits)

    def graph(self, domain: str = "", **traits: Any) -> Any:  # noqa: ANN401
        """The graph of a domain's entities, with the evidence of each edge, and runs of `tend`. A notebook widget.

        With `of="atoms"`, or in a store without entities, it is the map of all edges.
        """
        return self._widget("EntityGraph", domain=domain, **traits)

    def show_fading(self, name: Name = "", **traits: Any) -> Any:  # noqa: ANN401
        """How atoms fade: the curve of one, what is due for review, and what a sweep would take. A notebook widget."""
        return self._widget("Fading", selected=name, **traits)

    def timeline(self, **traits: Any) -> Any:  # noqa: ANN401
        """The store's heads over time: what changed between any two, and travel to any of them."""
        return self._widget("Timeline", **traits)

    def _widget(self, kind: str, **traits: object) -> object:
        # The widgets know this package; it does not know them: they are looked up by name, when one is asked for.
        require("notebook", "a widget", "anywidget", "ipywidgets")
        made: object = getattr(import_module("substrate_widgets"), kind)(self, **traits)
        return made

    def _check_learns(self) -> None:
        if self._store.read_only:
            raise Denied("the store is open for reading only: to add sessions, open it for writing")
        if not self._client.observe:
            raise Denied("this memory was opened with observe=False: open it without that to add sessions")
        if not self.watched:
            raise Denied("learning is off for this store; ", WATCH)


def _domain(current: OpenSession, objective: str | None, domain: Name | None) -> str | None:
    """The domain given, or the session's; but not for another objective than the session's."""
    return current.domain_name if domain is None and objective is None else read_domain(domain)
