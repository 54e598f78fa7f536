"""The verb ingest: files and texts become documents and chunks.

Files and texts are read here, and handed on in groups: see write.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from os.path import lexists
from pathlib import Path
from typing import Any, Final, TypeAlias

from substrate.documents.chunk import chunks
from substrate.documents.files import Found, Listed, Root, locate, open_root
from substrate.documents.formats.catalogue import MARKDOWN, PLAIN, SUFFIXES, media_type_of
from substrate.documents.formats.extracted import title_from
from substrate.documents.naming import has_utf8
from substrate.documents.plan import Incoming, Part, Prepared
from substrate.documents.request import Request, source_of
from substrate.documents.write import Writer
from substrate.errors import Denied, InputError, QuotaReached, SchemaInvalid, SubstrateError
from substrate.limits import check_size
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.result import iso
from substrate.text.canonical import is_canonical_key, spelling
from substrate.text.extract import Entity
from substrate.text.extract import Extracted as Names
from substrate.text.quote import in_quotes
from substrate.text.secrets import find_secrets
from substrate.values.documents import Ingested
from substrate.values.progress import Progress

__all__ = ["ingest", "ingest_listed", "read_file", "refuse_first_ingest", "refuse_path"]

_READ_TOGETHER: Final = 64
_BYTES: Final = 500_000
"""Files that are read and planned together, and their bytes."""
_FIRST_LINE: Final = 1000
_FIRST_SECOND: Final = int(datetime(1, 1, 1, tzinfo=UTC).timestamp())
_LAST_SECOND: Final = int(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp())
_LIKE_A_PATH: Final = re.compile(rf"\S+(?:{'|'.join(map(re.escape, SUFFIXES))}|/)", re.IGNORECASE)


What: TypeAlias = str | Path | Sequence[Mapping[str, object]]
"""A text, a file or a folder, or the chunks of a text: mappings with `text`, and perhaps `entities` and `relations`."""


def ingest(log: Log, what: What, request: Request, progress: Progress | None = None) -> Ingested:
    """See `Memory.ingest`."""
    writer = Writer(log, request)
    try:
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
    except QuotaReached as full:
        raise writer.told(full) from None
    finally:
        writer.close()


def refuse_first_ingest(what: str | Path, **options: Any) -> None:  # noqa: ANN401 - as `Memory.ingest` has them
    """Raise what `Memory.ingest` raises before it saves anything, so that no store is made for it."""
    said = {word: options.pop(word, None) for word in ("actor", "session")}
    request = Request.of(**options, said=said)
    if not isinstance(what, Path):
        refuse_path(what, request)
        _refuse(_text(what, request), request)
        return
    folder, below = locate(what, request.root)
    with open_root(folder) as root:
        if below and not root.is_folder(below):
            _refuse(read_file(root, below, request), request)
        else:
            _find(root, below, request)


def refuse_path(text: str, request: Request) -> None:
    """InputError if the text is the path of a file or folder that is there, and neither title nor source is given.

    It tells whether there is such a path: not for those who may not know that.
    """
    if request.title is None and request.source is None and "\n" not in text and lexists(text):
        raise InputError(
            f"there is a file or folder {in_quotes(text)}, and a text is ingested as it is. To ingest what is in it, "
            f"give pathlib.Path({text!r}); to ingest these very words, give them a ",
            Arg("title"),
        )


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
    unknown = (source_of(root.name, parts, writer.request) for parts in listed.unknown)
    writer.unknown = tuple(path for path in unknown if has_utf8(path) and not find_secrets(path))
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
