"""The verb ingest: files and texts become documents and chunks.

Documents are written several to a checkpoint, each whole in it. So a crash amid a folder leaves each document whole or
as it was, and the next ingest goes on where it stopped: what is there is compared, and not recorded again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

from substrate.atoms.domains import DOMAIN, domain_name
from substrate.documents.chunk import chunks
from substrate.documents.files import Found, Listed, Root, locate, open_root
from substrate.documents.formats.catalogue import (
    MARKDOWN,
    PLAIN,
    SUFFIXES,
    is_media_type,
    media_type_of,
)
from substrate.documents.formats.extracted import title_from
from substrate.documents.links import Linked, Targets, find_links
from substrate.documents.naming import has_utf8
from substrate.documents.roots import mark_of
from substrate.documents.slots import INGESTED
from substrate.documents.sources import documents_of
from substrate.documents.write import (
    Incoming,
    Part,
    Plan,
    Prepared,
    find_document,
    plan_document,
    plan_gone,
    plan_same,
    texts_of,
)
from substrate.errors import Conflict, Denied, InputError, ItemsRefused, SchemaInvalid, SubstrateError
from substrate.kv.api import ReadTransaction
from substrate.limits import check_size
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.result import iso
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.text.canonical import is_canonical_key, spelling
from substrate.text.extract import Entity
from substrate.text.extract import Extracted as Names
from substrate.text.quote import in_quotes
from substrate.text.secrets import find_secrets
from substrate.values.documents import Ingested, IngestedDocument
from substrate.values.progress import Progress
from substrate.values.saved import Refused
from substrate.views.atoms import find_name

__all__ = ["Request", "Writer", "gone_from", "ingest", "ingest_listed", "refuse_first_ingest", "source_of"]

_TOGETHER: Final = 1000
"""Items of documents that are written in one checkpoint."""
_CHARACTERS: Final = 2_000_000
_READ_TOGETHER: Final = 64
_BYTES: Final = 500_000
"""Files that are read and planned together, and their bytes."""
_TRIES: Final = 5
"""How often a document is worked out again when others write to it meanwhile."""
_FIRST_LINE: Final = 1000
_FIRST_SECOND: Final = int(datetime(1, 1, 1, tzinfo=UTC).timestamp())
_LAST_SECOND: Final = int(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp())
_LIKE_A_PATH: Final = re.compile(rf"\S+(?:{'|'.join(map(re.escape, SUFFIXES))}|/)", re.IGNORECASE)


What: TypeAlias = str | Path | Sequence[Mapping[str, object]]
"""A text, a file or a folder, or the chunks of a text: mappings with `text`, and perhaps `entities` and `relations`."""


_Make: TypeAlias = Callable[[ReadTransaction], Plan | None]
"""Works a document out from what is there."""


@dataclass(frozen=True, slots=True)
class Request:
    """What an ingest is asked for, checked. See `Memory.ingest`."""

    domain: str
    title: str | None = None
    source: str | None = None
    media_type: str | None = None
    root: Path | None = None
    said: Mapping[str, object] = field(default_factory=dict)
    allow_secrets: bool = False
    prune: bool = False
    dry_run: bool = False
    entities: bool = True
    key: str | None = None
    recursive: bool = True
    suffixes: tuple[str, ...] = ()
    """Of a folder only files whose names end so; none: all that can be read."""
    beside: Batch | None = None
    """What is saved in the same checkpoint as the one document, if that is taken."""

    @classmethod
    def of(  # noqa: PLR0913
        cls,
        *,
        domain: str | None = None,
        title: str | None = None,
        source: str | None = None,
        media_type: str | None = None,
        root: str | Path | None = None,
        said: Mapping[str, object],
        allow_secrets: bool = False,
        prune: bool = False,
        dry_run: bool = False,
        entities: bool = True,
        key: str | None = None,
        recursive: bool = True,
        suffixes: Iterable[str] = (),
    ) -> Request:
        """InputError, SchemaInvalid, NameInvalid."""
        for field_name, text in {"title": title, "source": source, "key": key}.items():
            if text is not None and (not isinstance(text, str) or not text.strip()):
                raise SchemaInvalid(Arg(field_name), " must be a text that is not empty")
            if text is not None:
                check_size(Arg(field_name), len(text), "text_characters", "characters")
        if media_type is not None and not is_media_type(media_type):
            raise SchemaInvalid(Arg("media_type"), f" must be one of {', '.join(dict.fromkeys(SUFFIXES.values()))}")
        return cls(
            domain_name(domain),
            None if title is None else title_from(title),
            None if source is None else source.strip(),
            media_type,
            None if root is None else Path(root),
            said,
            allow_secrets,
            prune,
            dry_run,
            entities,
            key,
            recursive,
            tuple(suffix.lower() for suffix in suffixes),
        )

    def wants(self, parts: tuple[str, ...], below: tuple[str, ...]) -> bool:
        """Whether a file of a folder is asked for."""
        if not self.recursive and len(parts) > len(below) + 1:
            return False
        return not self.suffixes or parts[-1].lower().endswith(self.suffixes)


def ingest(log: Log, what: What, request: Request, progress: Progress | None = None) -> Ingested:
    """See `Memory.ingest`."""
    writer = Writer(log, request)
    if isinstance(what, Path):
        folder, below = locate(what, request.root)
        with open_root(folder) as root:
            _ingest_files(writer, root, below, progress)
    elif isinstance(what, str):
        writer.add(_text(what, request))
    elif isinstance(what, list | tuple):
        writer.add(_parts(what, request))
    else:
        raise SchemaInvalid("give a pathlib.Path (a file or folder), a text or a list of its chunks to ingest")
    return writer.finish()


def refuse_first_ingest(what: str | Path, **options: Any) -> None:  # noqa: ANN401 - as `Memory.ingest` has them
    """Raise what `Memory.ingest` raises before it saves anything, so that no store is made for it."""
    said = {word: options.pop(word, None) for word in ("actor", "session")}
    request = Request.of(**options, said=said)
    if not isinstance(what, Path):
        _refuse(_text(what, request), request)
        return
    folder, below = locate(what, request.root)
    with open_root(folder) as root:
        if below and not root.is_folder(below):
            _refuse(read_file(root, below, request), request)
        else:
            _find(root, below, request)


def _refuse(incoming: Incoming, request: Request) -> None:
    Prepared.of(incoming, (), entities=False, allow_secrets=request.allow_secrets)


def _find(root: Root, below: tuple[str, ...], request: Request) -> Listed:
    if request.title is not None or request.media_type is not None:
        raise InputError(Arg("title"), " and ", Arg("media_type"), " are of one document: give a file, not a folder")
    return root.find(below)


def _ingest_files(writer: Writer, root: Root, below: tuple[str, ...], progress: Progress | None) -> None:
    request = writer.request
    if below and not root.is_folder(below):
        # The one file that is asked for: what keeps it from being read is the caller's to know.
        # With a source that is said it may be of a folder above: it keeps the mark it has, or gets that of the folder.
        writer.add(read_file(root, below, request, None if request.source else writer.mark_of(root)))
        return
    listed = _find(root, below, request)
    files = [file for file in listed.files if request.wants(file.parts, below)]
    ingest_listed(writer, root, below, listed, files, progress)
    writer.note_missing(root, below, listed)


def ingest_listed(  # noqa: PLR0913, PLR0917
    writer: Writer,
    root: Root,
    below: tuple[str, ...],
    listed: Listed,
    files: Iterable[Found],
    progress: Progress | None = None,
) -> None:
    """Take in these of the files that were listed. What cannot be read is told, and the others go on."""
    sources = [source_of(root.name, file.parts, writer.request) for file in listed.files]
    writer.link_among(sources, source_of(root.name, below, writer.request), is_root=not below)
    for parts, error in listed.failed:
        writer.fail(source_of(root.name, parts, writer.request), error)
    writer.skipped.update(listed.skipped)
    files = list(files)
    mark = writer.mark_of(root)
    total = sum(file.size for file in files)
    done = 0
    for group in _groups(files):
        refused: dict[int, SubstrateError] = {}
        came: dict[int, Incoming] = {}
        for at, file in enumerate(group):
            try:
                came[at] = read_file(root, file.parts, writer.request, mark)
            except (InputError, Denied) as error:
                refused[at] = error
        refused |= writer.add_all(came)
        for at, file in enumerate(group):
            if at in refused:
                writer.fail(source_of(root.name, file.parts, writer.request), refused[at])
            done += file.size
            if progress is not None:
                progress(done, total)


def _groups(files: Iterable[Found]) -> Iterator[list[Found]]:
    """Files that are read together, in order: several small ones, or a large one."""
    group: list[Found] = []
    size = 0
    for file in files:
        if group and (len(group) == _READ_TOGETHER or size + file.size > _BYTES):
            yield group
            group, size = [], 0
        group.append(file)
        size += file.size
    if group:
        yield group


def source_of(root: str, parts: Iterable[str], request: Request) -> str:
    """Where a file comes from, as its document says it: the name of the root, and the path below it."""
    return "/".join((request.source or root, *parts))


def read_file(root: Root, parts: tuple[str, ...], request: Request, mark: str | None = None) -> Incoming:
    """One file, as it comes in from the folder of this mark. InputError, Denied."""
    data, modified_ns = root.read(parts)
    source = source_of(root.name, parts, request)
    if not has_utf8(source):
        raise SchemaInvalid("its name is not UTF-8: rename it")
    media_type = request.media_type or media_type_of(parts[-1]) or PLAIN
    # Some file systems keep times that no calendar has: whoever made the file may have chosen one.
    seconds = min(max(modified_ns // 1_000_000_000, _FIRST_SECOND), _LAST_SECOND)
    modified = iso(datetime.fromtimestamp(seconds, UTC))
    title = title_from(parts[-1]) or parts[-1]
    said = request.source is not None
    return Incoming(source, data, media_type, request.title, title, modified, mark, said, key=request.key)


def _text(text: str, request: Request) -> Incoming:
    """A text that was handed in. SchemaInvalid, TooLarge, InputError."""
    if request.root is not None:
        raise InputError(Arg("root"), " is of files: a text is given without one")
    if request.title is None and request.source is None and _LIKE_A_PATH.fullmatch(text):
        raise InputError(
            "this text reads like a path. To ingest a file or folder, give pathlib.Path(...); to ingest these very "
            "words, give them a ",
            Arg("title"),
        )
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise SchemaInvalid("the text holds a lone surrogate, which has no UTF-8") from None
    check_size("the text", len(data), "file_bytes")
    first = text.lstrip("\ufeff \t\r\n").partition("\n")[0][:_FIRST_LINE]
    otherwise = title_from(first) or "Untitled"
    return Incoming(request.source, data, request.media_type or MARKDOWN, request.title, otherwise, key=request.key)


def _parts(given: Sequence[Mapping[str, object]], request: Request) -> Incoming:
    """A text that the caller has cut into chunks. Where nothing parts two of them, a blank line does."""
    given = [one for item in given for one in _cut(item)]
    parts: list[Part] = []
    for at, item in enumerate(given):
        text, names = (item.get("text"), item.get("entities", ())) if isinstance(item, Mapping) else (None, ())
        if not isinstance(text, str) or not text.strip():
            raise SchemaInvalid(f"chunk {at} must be a mapping with a text that is not empty")
        check_size(f"chunk {at}", len(text.encode(errors="replace")), "value_bytes")
        if not isinstance(names, Iterable) or isinstance(names, str):
            raise SchemaInvalid(f"the entities of chunk {at} must be a list of names")
        names = [name.get("name") if isinstance(name, Mapping) else name for name in names]
        if not all(isinstance(name, str) for name in names):
            raise SchemaInvalid(f"the entities of chunk {at} must be a list of names")
        apart = at + 1 == len(given) or text[-1:].isspace() or str(given[at + 1].get("text", ""))[:1].isspace()
        known = tuple(Entity(spelling(str(name)), "name") for name in names if is_canonical_key(str(name)))
        parts.append(Part(text if apart else f"{text}\n\n", Names(known)))
    if not parts:
        raise InputError("there are no chunks: give at least one")
    whole = _text("".join(part.text for part in parts), replace(request, title=request.title or request.source))
    return replace(whole, title=request.title, media_type=PLAIN, parts=tuple(parts))


def _cut(item: Mapping[str, object]) -> list[Mapping[str, object]]:
    """A chunk that was given; several if it asks to be `cut` where a text is."""
    text = item.get("text") if isinstance(item, Mapping) else None
    if not isinstance(text, str) or not item.get("cut"):
        return [item]
    return [{**item, "text": piece} for piece in chunks(text)]


class Writer:
    """Writes documents, several to a checkpoint, and keeps the report."""

    def __init__(self, log: Log, request: Request) -> None:
        self.request = request
        self.skipped: dict[str, int] = {}
        self._log = log
        self._waiting: list[tuple[Plan, _Make]] = []
        self._done: list[IngestedDocument] = []
        self._failed: list[Refused] = []
        self._missing: tuple[str, ...] = ()
        self._note = ""
        self._beside = request.beside
        self._recorded = 0
        self._items = self._characters = 0
        self._names: dict[str, bool] = {}
        """Of the documents that wait; see `Plan.names`."""
        self._named = False
        self._targets: Targets | None = None
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
        for refused in self.add_all({0: incoming}).values():
            raise refused

    def add_all(self, documents: Mapping[int, Incoming]) -> dict[int, SubstrateError]:
        """Take in documents as `add` does. What was refused, and why, by the number it has.

        They are looked up, and planned, in one snapshot each: to open one costs about as much as to plan a note.
        """
        domain, request = self.request.domain, self.request
        refused: dict[int, SubstrateError] = {}
        came = {at: replace(incoming, links=self._links_of(incoming)) for at, incoming in documents.items()}
        looked: dict[int, tuple[Plan | None, Collection[str]]] = {}
        with self._log.snapshot() as transaction:
            for at, incoming in came.items():
                try:
                    looked[at] = self._look(transaction, incoming)
                except (InputError, Denied) as error:
                    refused[at] = error
        makes: dict[int, _Make] = {}
        for at, (same, there) in looked.items():
            if same is not None and same.items == 0:
                self._done.append(same.report)
                continue
            try:
                prepared = None if same is not None else self._prepare(came[at], there)
            except (InputError, Denied) as error:
                refused[at] = error
                continue

            def make(now: ReadTransaction, incoming: Incoming = came[at], prepared: Prepared | None = prepared) -> Plan:
                known = find_document(now, domain, incoming)
                again = plan_same(now, domain, incoming, known, entities=request.entities)
                if again is not None:
                    return again
                return plan_document(now, domain, prepared or self._prepare(incoming, ()), known, self._names)

            makes[at] = make
        return refused | self._plan(makes)

    def _look(self, transaction: ReadTransaction, incoming: Incoming) -> tuple[Plan | None, Collection[str]]:
        """The plan of a document that is there as it comes in; else the texts of its chunks that are there."""
        domain, entities = self.request.domain, self.request.entities
        known = find_document(transaction, domain, incoming)
        same = plan_same(transaction, domain, incoming, known, entities=entities)
        return same, texts_of(transaction, known) if same is None and entities else ()

    def _prepare(self, incoming: Incoming, there: Collection[str]) -> Prepared:
        request = self.request
        return Prepared.of(incoming, there, entities=request.entities, allow_secrets=request.allow_secrets)

    def _links_of(self, incoming: Incoming) -> Linked | None:
        """Where the links of a file lead; None if it is no file in Markdown."""
        if incoming.media_type != MARKDOWN or incoming.modified is None or incoming.source is None:
            return None
        links, more = find_links(incoming.data.decode(errors="replace"))
        if not links:
            return Linked(())
        if self._targets is None:
            self._targets = self._find_targets(incoming.source, incoming.root)
        return self._targets.resolve(incoming.source, links, more)

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
        """Take a document out of use, with its chunks."""
        self._plan({0: lambda now: plan_gone(now, name)})

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

        A folder that is suddenly empty, such as one that is not mounted, takes nothing out of use.
        """
        with self._log.snapshot() as transaction:
            gone = gone_from(transaction, self.request, root, below, listed)
        if self.request.prune and gone and not listed.files:
            self._note = f"the folder {in_quotes(root.name)} has no documents any more: nothing was taken out of use"
        if self.request.prune and listed.files:
            for name in gone:
                self.drop(name)
        else:
            self._missing = tuple(gone)

    def finish(self) -> Ingested:
        """Write what waits, and report all."""
        self._flush()
        if self._beside is not None and not self._failed and not self.request.dry_run:
            self._name_domain()
            self._write(self._beside, {})  # the document is there as it is
        return Ingested(
            tuple(sorted(self._done, key=lambda item: (item.source or "", item.name))),
            tuple(self._failed),
            dict(self.skipped),
            self._missing,
            self._recorded,
            self.request.domain,
            self.request.dry_run,
            self._note,
        )

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
                    if self._items > _TOGETHER or self._characters > _CHARACTERS:
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
        self._waiting.append((plan, make))
        self._items += plan.items
        self._characters += plan.characters

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._items = self._characters = 0
        self._names = {}
        if not waiting:
            return
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

    def _write(self, batch: Batch, expect: Mapping[str, int | None]) -> None:
        said = {**self.request.said, "origin": INGESTED, "source": None}
        # What looks like a credential was refused before, in the text as a whole.
        saved = checkpoint(self._log, batch, expect=expect, said=said, allow_secrets=True)
        self._recorded += len(saved.seqs)

    def _name_domain(self) -> None:
        """Make the domain's atom, if there never was one: it is named by the caller, not by a file."""
        name = self.request.domain
        with self._log.snapshot() as transaction:
            if self._named or find_name(transaction, name) is not None:
                self._named = True
                return
        atom = {"name": name, "value": name.removeprefix(DOMAIN)}
        try:
            saved = checkpoint(self._log, Batch(atoms=(atom,)), expect={name: None}, said=self.request.said)
            self._recorded += len(saved.seqs)
        except Conflict:
            pass  # somebody else has made it
        self._named = True


def _joined(batch: Batch, beside: Batch) -> Batch:
    """Both in one checkpoint; of an atom that both have, the one of `beside`."""
    names = {atom["name"] for atom in beside.atoms if isinstance(atom, Mapping)}
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


def gone_from(
    transaction: ReadTransaction, request: Request, root: Root, below: tuple[str, ...], listed: Listed
) -> list[str]:
    """The names of documents in use that came from this very folder, and whose files are not in it any more.

    A file that cannot be read now, or lies in a folder that cannot be, is not gone.
    """
    there = {source_of(root.name, file.parts, request) for file in listed.files}
    unread = tuple(source_of(root.name, parts, request) for parts, _ in listed.failed)
    start = source_of(root.name, below, request) + "/"
    mark = mark_of(transaction, root)
    return [
        one.name
        for one in documents_of(transaction, request.domain, start, there)
        if one.mark == mark  # else it was no file of this folder, whatever its source reads like
        and not any(one.source == path or one.source.startswith(f"{path}/") for path in unread)
    ]
