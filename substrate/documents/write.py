"""Writing what an ingest takes in: documents, several to a checkpoint, and the report of it.

Each document is whole in its checkpoint. So a crash amid a folder leaves each document whole or as it was, and the next
ingest goes on where it stopped: what is there is compared, and not recorded again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from time import monotonic
from typing import Final, TypeAlias

from substrate.atoms.domains import DOMAIN
from substrate.documents.files import Listed, Root
from substrate.documents.formats.catalogue import MARKDOWN, PLAIN
from substrate.documents.links import Linked, Targets, find_links
from substrate.documents.plan import (
    Incoming,
    Known,
    Plan,
    Prepared,
    find_document,
    plan_document,
    plan_gone,
    plan_same,
    texts_of,
    was_forgotten,
)
from substrate.documents.request import Request
from substrate.documents.slots import INGESTED
from substrate.documents.sources import Stored, documents_of, gone_from, mark_of
from substrate.errors import Conflict, Denied, InputError, ItemsRefused, QuotaReached, SubstrateError
from substrate.garbage import uncollected
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.messages import Message
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.quota import check_quota
from substrate.text.quote import in_quotes
from substrate.text.secrets import find_secrets
from substrate.values.documents import Ingested, IngestedDocument
from substrate.values.saved import Refused
from substrate.views.atoms import find_name

__all__ = ["Writer"]

_TOGETHER: Final = 1000
"""Items of documents that are written in one checkpoint."""
_CHARACTERS: Final = 2_000_000
_SHORT: Final = 20_000
"""Bytes of a text that is prepared while a snapshot is open: that takes a few milliseconds."""
_PAUSE_S: Final = 10.0
"""Seconds for which documents that wait keep the collector of cyclic garbage away: other files may be as they were."""
_TRIES: Final = 5
"""How often a document is worked out again when others write to it meanwhile."""
_STAYS_OUT: Final = (
    "it was forgotten, and following the folder does not bring it back. To take it in again, ingest the folder once"
)
_Make: TypeAlias = Callable[[ReadTransaction], Plan | None]
"""Works a document out from what is there."""


class Writer:
    """Writes documents, several to a checkpoint, and keeps the report."""

    def __init__(self, log: Log, request: Request) -> None:
        self.request = request
        self.skipped: dict[str, int] = {}
        self.unknown: tuple[str, ...] = ()
        self._log = log
        self._waiting: list[tuple[Plan, _Make]] = []
        self._while_waiting = ExitStack()
        self._waits_since = 0.0
        self._done: list[IngestedDocument] = []
        self._failed: list[Refused] = []
        self._missing: tuple[Stored, ...] = ()
        self._note = ""
        self._beside = request.beside
        self._recorded = 0
        self._items = self._characters = 0
        self._names: dict[str, bool] = {}
        """Of the documents that wait; see `Plan.names`."""
        self._named = request.beside is not None and request.domain in _names_in(request.beside)
        self._targets: Targets | None = None
        self._linking: dict[str, int] = {}
        """How many documents link to each source."""
        self._listed: tuple[Iterable[str], str | None] = ((), None)
        """The sources that were listed, and the folder of which they are all there are."""

    def mark_of(self, root: Root) -> str:
        """The mark of a folder in the store that is written to."""
        with self._log.snapshot() as transaction:
            return mark_of(transaction, root)

    def link_among(self, sources: Iterable[str], folder: str, *, is_root: bool) -> None:
        """Let links lead to these sources: all there are in a folder, which is the whole root or lies in it."""
        self._listed = sources, folder
        self._targets = Targets(sources) if is_root else None

    def add(self, incoming: Incoming) -> None:
        """Take in a document; when enough wait, they are written. InputError, SchemaInvalid, SecretFound."""
        if len(incoming.data) <= _SHORT and incoming.media_type in (MARKDOWN, PLAIN):
            self._add_short(incoming)
            return
        for refused in self.add_all({0: incoming}).values():
            raise refused

    def _add_short(self, incoming: Incoming) -> None:
        """Take in a document in one snapshot: to open another would cost about as much as to plan a note."""
        incoming = self._with_links_of(incoming)
        with self._log.snapshot() as transaction:
            self._named = self._named or find_name(transaction, self.request.domain) is not None
            known, plan, there = self._look(transaction, incoming)
            prepared = None
            if plan is None:
                prepared = self._prepare(incoming, there)
                plan = plan_document(transaction, self.request.domain, prepared, known, self._names)
            self._keep(plan, self._making(incoming, prepared))
        if self._is_enough():
            self._flush()

    @uncollected()
    def add_all(self, documents: Mapping[int, Incoming]) -> dict[int, SubstrateError]:
        """Take in documents as `add` does. What was refused, and why, by the number it has.

        They are looked up, and planned, in one snapshot each: to open one costs about as much as to plan a note.
        """
        if self._waiting and monotonic() - self._waits_since > _PAUSE_S:
            self._while_waiting.close()
        refused: dict[int, SubstrateError] = {}
        came = {at: self._with_links_of(incoming) for at, incoming in documents.items()}
        looked: dict[int, tuple[Known, Plan | None, Collection[str]]] = {}
        with self._log.snapshot() as transaction:
            for at, incoming in came.items():
                try:
                    looked[at] = self._look(transaction, incoming)
                except (InputError, Denied) as error:
                    refused[at] = error
        makes: dict[int, _Make] = {}
        for at, (_, same, there) in looked.items():
            if same is not None and same.items == 0:
                self._done.append(same.report)
                continue
            try:
                prepared = None if same is not None else self._prepare(came[at], there)
            except (InputError, Denied) as error:
                refused[at] = error
                continue
            makes[at] = self._making(came[at], prepared)
        return refused | self._plan(makes)

    def _making(self, incoming: Incoming, prepared: Prepared | None) -> _Make:
        """What works the document out from what is there then. Without `prepared`, it was there as it comes in."""
        domain, entities = self.request.domain, self.request.entities

        def make(now: ReadTransaction) -> Plan:
            known = self._find(now, incoming)
            again = plan_same(now, domain, incoming, known, entities=entities)
            if again is not None:
                return again
            return plan_document(now, domain, prepared or self._prepare(incoming, ()), known, self._names)

        return make

    def _find(self, transaction: ReadTransaction, incoming: Incoming) -> Known:
        """What is there of a document. InputError if it was forgotten, by now, and is to stay out."""
        known = find_document(transaction, self.request.domain, incoming)
        if self.request.keeps_out and known.version is None and was_forgotten(transaction, known.name):
            raise InputError(_STAYS_OUT)
        return known

    def _look(self, transaction: ReadTransaction, incoming: Incoming) -> tuple[Known, Plan | None, Collection[str]]:
        """What is there of a document; its plan if it is there as it comes in; else the texts of its chunks."""
        domain, entities = self.request.domain, self.request.entities
        known = self._find(transaction, incoming)
        same = plan_same(transaction, domain, incoming, known, entities=entities)
        return known, same, texts_of(transaction, known) if same is None and entities else ()

    def _prepare(self, incoming: Incoming, there: Collection[str]) -> Prepared:
        request = self.request
        return Prepared.of(incoming, there, entities=request.entities, allow_secrets=request.allow_secrets)

    def _with_links_of(self, incoming: Incoming) -> Incoming:
        links = self._links_of(incoming)
        return incoming if links is incoming.links else replace(incoming, links=links)

    def _links_of(self, incoming: Incoming) -> Linked | None:
        """Where the links of a file lead; None if it is no file in Markdown."""
        if incoming.media_type != MARKDOWN or incoming.modified is None or incoming.source is None:
            return None
        links, more = find_links(incoming.data.decode(errors="replace"))
        if not links:
            return Linked(())
        if self._targets is None:
            self._targets = self._find_targets(incoming.source, incoming.root)
        linked = self._targets.resolve(incoming.source, links, more)
        for source in linked.sources:
            self._linking[source] = self._linking.get(source, 0) + 1
        return linked

    def _find_targets(self, own: str, mark: str | None) -> Targets:
        """The sources that were listed, and those of documents beside them that came with the same folder."""
        listed, folder = self._listed
        root = own.partition("/")[0] + "/"
        with self._log.snapshot() as transaction:
            stored = list(documents_of(transaction, self.request.domain, root))
        beside = [
            one.source
            for one in stored
            if mark in (None, one.mark) and (folder is None or not one.source.startswith(f"{folder}/"))
        ]
        return Targets([*beside, *listed, own])

    def drop(self, name: str) -> None:
        """Take a document out of use, with its chunks; or report why it stays."""
        for error in self._plan({0: lambda now: plan_gone(now, name)}).values():
            self.fail(name, error)

    def fail(self, shown: str, error: SubstrateError) -> None:
        """Report what was not taken."""
        hidden = "a file whose name looks like it holds a credential"
        safe = shown.encode(errors="backslashreplace").decode()
        refused = getattr(error, "refused", ())
        first = refused[0] if refused and isinstance(refused[0], Refused) else None
        code, reason = (error.code, error.message) if first is None else (first.code, first.reason)
        self._failed.append(Refused(hidden if find_secrets(safe) else safe, code, reason))

    def note_missing(self, root: Root, below: tuple[str, ...], listed: Listed) -> None:
        """Find documents of this folder whose files are gone: report them, or take them out of use if that is asked.

        One whose bytes stand in another file of the folder was moved there: it goes out of use in any case, after the
        other is written. A folder that is suddenly empty, such as one that is not mounted, takes nothing out of use.
        """
        with self._log.snapshot() as transaction:
            gone = gone_from(transaction, self.request, root, below, listed)
        if self.request.prune and gone and not listed.files:
            self._note = f"the folder {in_quotes(root.name)} has no documents any more: nothing was taken out of use"
        if self.request.prune and listed.files:
            for document in gone:
                self.drop(document.name)
        else:
            self._flush()
            there = {report.digest for report in self._done}
            for document in gone:
                if document.digest in there:
                    self.drop(document.name)
            self._missing = tuple(document for document in gone if document.digest not in there)

    @uncollected()
    def finish(self) -> Ingested:
        """Write what waits, and report all."""
        self._flush()
        if self.request.dry_run and self._recorded:
            self._name_domain()
        if self._beside is not None and not self._failed and not self.request.dry_run:
            self._name_domain()
            self._write(self._beside, {})  # the document is there as it is
        return self._report()

    def close(self) -> None:
        """Let the collector of cyclic garbage come back, if documents still wait: an error has ended the ingest."""
        self._while_waiting.close()

    def told(self, full: QuotaReached) -> QuotaReached:
        """The same with what was saved before, and the report of it."""
        if self._recorded == 0:
            return full
        saved = sum(item.status not in {"kept", "gone"} for item in self._done)
        what = f"{saved:,} documents are saved, the rest is not" if saved else "no document is saved as a whole"
        return full.after(what, self._report())

    def _report(self) -> Ingested:
        return Ingested(
            tuple(sorted(self._done, key=lambda item: (item.source or "", item.name))),
            tuple(map(self._with_links, self._failed)),
            dict(self.skipped),
            tuple(document.name for document in self._missing),
            self._recorded,
            self.request.domain,
            self.request.dry_run,
            self._note,
            missing_sources=tuple(document.source for document in self._missing),
            unknown=self.unknown,
        )

    def _with_links(self, refused: Refused) -> Refused:
        """What was not taken, and how many documents link to it: their edges wait for it."""
        count = self._linking.get(refused.item, 0)
        if not count:
            return refused
        words = "; 1 document links to it" if count == 1 else f"; {count:,} documents link to it"
        return replace(refused, reason=Message(refused.reason, words))

    # -- within --------------------------------------------------------------------------------------------------------

    def _plan(self, makes: Mapping[int, _Make]) -> dict[int, SubstrateError]:
        """Work out documents, and write those that wait whenever they are enough. What was refused, by its number."""
        refused: dict[int, SubstrateError] = {}
        waiting = iter(makes.items())
        while True:
            with self._log.snapshot() as transaction:
                for at, make in waiting:
                    try:
                        self._keep(make(transaction), make)
                    except (InputError, Denied) as error:
                        refused[at] = error
                    if self._is_enough():
                        break
                else:
                    return refused
            self._flush()

    def _keep(self, plan: Plan | None, make: _Make) -> None:
        """Let a document wait until it is written, or report it if there is nothing to write."""
        if plan is None:
            return
        self._names.update(plan.names)
        if plan.items == 0 or self.request.dry_run:
            self._done.append(plan.report)
            self._recorded += plan.items
            return
        if not self._waiting:
            self._while_waiting.enter_context(uncollected())
            self._waits_since = monotonic()
        self._waiting.append((plan, make))
        self._items += plan.items
        self._characters += plan.characters

    def _is_enough(self) -> bool:
        """Whether what waits is as much as one checkpoint should take."""
        return self._items > _TOGETHER or self._characters > _CHARACTERS

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._items = self._characters = 0
        self._names = {}
        try:
            if waiting:
                self._write_all(waiting)
        finally:
            waiting.clear()  # what lives now is looked through when the collector comes back
            self._while_waiting.close()

    def _write_all(self, waiting: Sequence[tuple[Plan, _Make]]) -> None:
        self._name_domain()
        if len(waiting) == 1:
            self._write_one(*waiting[0])
            return
        small = [plan for plan, _ in waiting if plan.items <= _TOGETHER]
        if len(small) == len(waiting):
            try:
                self._write(_together(small), {plan.name: plan.version for plan in small})
            except (Conflict, ItemsRefused):
                pass  # one of them is at fault, or was changed by another: each by itself
            else:
                self._done += [plan.report for plan in small]
                return
        for plan, make in waiting:
            # An atom of a name that two of them have is with the first, which may not be written.
            again = self._make_again(plan, make)
            if again is not None:
                self._write_one(again, make)

    def _make_again(self, plan: Plan, make: _Make) -> Plan | None:
        """The document worked out again; None, and it is told, if nothing is left to do or another folder has it."""
        try:
            with self._log.snapshot() as transaction:
                again = make(transaction)
        except InputError as refused:
            self.fail(plan.report.source or plan.report.title, refused)
            return None
        if again is None or again.items == 0:
            self._done.append((again or plan).report)
            return None
        return again

    def _write_one(self, plan: Plan, make: _Make) -> None:
        """One document, in as many checkpoints as it takes; worked out again if another writer was faster."""
        for left in reversed(range(_TRIES)):
            try:
                *first, last = plan.batches()
                if first:
                    self._check_quota(plan)
                for batch in (*first, last if self._beside is None else _joined(last, self._beside)):
                    self._write(batch, {plan.name: plan.version})
                self._beside = None
                self._done.append(plan.report)
            except Conflict as error:
                if not left:
                    self.fail(plan.report.source or plan.report.title, error)
                    return
                again = self._make_again(plan, make)
                if again is None:
                    return
                plan = again
            except InputError as error:
                self.fail(plan.report.source or plan.report.title, error)
                return
            else:
                return

    def _check_quota(self, plan: Plan) -> None:
        """QuotaReached if there is no room for a document of several checkpoints: else some would be without it."""
        beside = () if self._beside is None else _names_in(self._beside)
        items = plan.atoms if plan.document is None else [*plan.atoms, plan.document]
        names = dict.fromkeys([*(str(item["name"]) for item in items), *map(str, beside)])
        with self._log.snapshot() as transaction:
            check_quota(transaction, list(names), len(plan.tombstones))

    def _write(self, batch: Batch, expect: Mapping[str, int | None]) -> None:
        said = {**self.request.said, "origin": INGESTED, "source": None}
        # What looks like a credential was refused before, in the text as a whole.
        saved = checkpoint(self._log, batch, expect=expect, said=said, allow_secrets=True)
        self._recorded += len(saved.seqs)

    def _name_domain(self) -> None:
        """Make the domain's atom, if there never was one: it is named by the caller, not by a file."""
        if self._named:
            return
        name = self.request.domain
        with self._log.snapshot() as transaction:
            if find_name(transaction, name) is not None:
                self._named = True
                return
        if self.request.dry_run:
            self._recorded += 1
            return
        atom = {"name": name, "value": name.removeprefix(DOMAIN)}
        try:
            saved = checkpoint(self._log, Batch(atoms=(atom,)), expect={name: None}, said=self.request.said)
            self._recorded += len(saved.seqs)
        except Conflict:
            pass  # somebody else has made it
        self._named = True


def _names_in(beside: Batch) -> set[object]:
    return {atom["name"] for atom in beside.atoms if isinstance(atom, Mapping)}


def _joined(batch: Batch, beside: Batch) -> Batch:
    """Both in one checkpoint; of an atom that both have, the one of `beside`."""
    names = _names_in(beside)
    others = [atom for atom in batch.atoms if not (isinstance(atom, Mapping) and atom["name"] in names)]
    return replace(batch, atoms=(*beside.atoms, *others), edges=(*batch.edges, *beside.edges))


def _together(plans: Iterable[Plan]) -> Batch:
    """Small documents as one checkpoint."""
    batches = [batch for plan in plans for batch in plan.batches()]
    return replace(
        batches[0],
        atoms=tuple(atom for batch in batches for atom in batch.atoms),
        edges=tuple(edge for batch in batches for edge in batch.edges),
        unedges=tuple(edge for batch in batches for edge in batch.unedges),
        tombstones=tuple(stone for batch in batches for stone in batch.tombstones),
        tombstones_first=True,
    )
