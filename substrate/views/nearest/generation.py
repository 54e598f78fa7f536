"""Generations: sealed files of vectors, in the folder `nearest` of a store. A cache: any of them may be deleted.

    <space>-<upto>-<drawn>.generation    one generation, never changed
    .<name>.new                          one that is being written
    build.lock, publish.lock             empty files to lock

A file is a header (magic, digest of the manifest, manifest) and four sections, each with its length and digest in the
manifest: `vectors` (rows of half floats), `ids` (the seq of each row), `sums` (a checksum of each row), `codes` (the
compressed vectors, in the words of who searches them).

1. A generation says which log it was made from: the digest of a head of it. It holds the vectors of all versions before
   `upto` that had any then; what was forgotten after that head, its user must leave out.
2. All but the vectors is read into memory when it is opened, and refused if its digest is wrong: codes are never
   parsed unchecked. Vectors are mapped, and each row is checked whenever it is used. So no damage, whenever it happens,
   gives an answer.
3. A file gets its name when it is whole, on disk, and nothing that it holds has been forgotten: both are looked at
   under `publish.lock`. Who forgets removes generations under the same lock, after its commit, and with them whatever
   is being written. So no file appears, or stays, that holds what was forgotten.
4. There is one builder at a time: `build.lock`. A lock dies with its process.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from substrate.errors import Busy, Denied
from substrate.files import flush, flush_descriptor, make_folder, open_lock, try_lock, typed_errors
from substrate.foreign_files import is_folder, open_file

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

__all__ = [
    "BadGeneration",
    "Draft",
    "Generation",
    "Manifest",
    "alone",
    "erase_where",
    "generations_of",
    "padded",
    "peek",
]

_MAGIC: Final = b"substrate nearest 1\n"
_DIGEST: Final = 32
_HEADER: Final = 8192
_SECTIONS: Final = ("vectors", "ids", "sums", "codes")
_SUFFIX: Final = ".generation"
_NEW: Final = ".new"
_BUILD, _PUBLISH = "build.lock", "publish.lock"
_WAIT_S: Final = 10.0
_WORD: Final = 4
"""Half floats in a word of a checksum: rows are padded with zeros to a multiple of this."""


class BadGeneration(Exception):
    """A generation cannot be used: it is damaged, or not of this log."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation says of itself."""

    space: str
    dimensions: int
    count: int
    upto: int
    size: int
    head: str
    """Digest of the head at `size`."""
    recall: float
    """Of its codes, when it was sealed."""
    sections: dict[str, tuple[int, int, str]]
    """Offset, length, digest."""


def padded(dimensions: int) -> int:
    """How many half floats a row takes."""
    return -(-dimensions // _WORD) * _WORD


def row_sums(vectors: Array) -> Array:
    """A checksum of each row: words times odd numbers, added. Any single changed bit changes it."""
    import numpy as np  # noqa: PLC0415 - loaded by who searches

    words = vectors.view(np.uint64)
    odd = _odd_numbers(words.shape[1])
    sums: Array = np.einsum("ij,j->i", words, odd)
    return sums


@lru_cache(maxsize=8)
def _odd_numbers(count: int) -> Array:
    import numpy as np  # noqa: PLC0415

    drawn = b"".join(sha256(b"row sums %d" % i).digest() for i in range(-(-count // 4)))
    return np.frombuffer(drawn, "<u8")[:count] | np.uint64(1)


# -- reading ---------------------------------------------------------------------------------------------------------


def generations_of(folder: Path, space: bytes | None = None) -> list[Path]:
    """The generations in the folder `nearest`, of this space or of all, the one that goes furthest first.

    None where that is no folder, or a link: without them, every vector is looked at.
    """
    try:
        if not is_folder(folder):
            return []
        names = [name for name in os.listdir(folder) if name.endswith(_SUFFIX)]  # noqa: PTH208 - names are all it takes
    except (Denied, FileNotFoundError, NotADirectoryError):
        return []
    prefix = "" if space is None else space.hex()
    return [folder / name for name in sorted(names, reverse=True) if name.startswith(prefix)]


def read_manifest(descriptor: int) -> Manifest:
    """What an open generation says of itself; BadGeneration unless that is whole and fits the file."""
    header = os.pread(descriptor, _HEADER, 0)
    start = len(_MAGIC) + _DIGEST
    text = header[start:].rstrip(b"\x00")
    if not header.startswith(_MAGIC) or header[len(_MAGIC) : start] != sha256(text).digest():
        raise BadGeneration("its header is damaged")
    try:
        said = json.loads(text)
        sections = {
            name: (int(at), int(length), str(digest)) for name, (at, length, digest) in said["sections"].items()
        }
        manifest = Manifest(**{**said, "sections": sections})
    except (ValueError, TypeError, KeyError):
        raise BadGeneration("its manifest is of another format") from None
    end = max(at + length for at, length, _ in sections.values())
    if tuple(sections) != _SECTIONS or os.fstat(descriptor).st_size != end:
        raise BadGeneration("it is cut off, or longer than it was")
    return manifest


def peek(path: Path) -> Manifest:
    """What a generation says of itself; BadGeneration unless that is whole and fits the file. Nothing else is read."""
    with _opened(path) as descriptor:
        return read_manifest(descriptor)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Also what goes wrong while it is read is a reason not to use it."""
    try:
        descriptor = open_file(path)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
    except Denied as error:
        raise BadGeneration(str(error)) from None
    except OSError as error:
        raise BadGeneration(str(error.strerror)) from None


def read_section(descriptor: int, manifest: Manifest, name: str) -> bytearray:
    """A section, as it was written; BadGeneration if it is not."""
    at, length, digest = manifest.sections[name]
    data, done = bytearray(length), 0
    while done < length and (read := os.preadv(descriptor, [memoryview(data)[done:]], at + done)):
        done += read
    if sha256(data).hexdigest() != digest:
        raise BadGeneration(f"its {name} are damaged")
    return data


class Generation:
    """An open generation. It stays whole while it is held, also when its file is deleted."""

    def __init__(self, path: Path) -> None:
        """BadGeneration if it is damaged."""
        import numpy as np  # noqa: PLC0415

        self.path = path
        with _opened(path) as descriptor:
            self.manifest = read_manifest(descriptor)
            self.ids: Array = np.frombuffer(read_section(descriptor, self.manifest, "ids"), "<i8")
            self._sums: Array = np.frombuffer(read_section(descriptor, self.manifest, "sums"), "<u8")
            self._codes = read_section(descriptor, self.manifest, "codes")
            self._size = os.fstat(descriptor).st_size
            self._vectors = self._map(descriptor)
            self._descriptor = os.dup(descriptor)

    def _map(self, descriptor: int) -> Array:
        import numpy as np  # noqa: PLC0415

        at, length, _ = self.manifest.sections["vectors"]
        width = padded(self.manifest.dimensions)
        if length != 2 * width * len(self.ids) or len(self._sums) != len(self.ids) or not length:
            raise BadGeneration("its parts do not fit each other")
        pages = mmap.mmap(descriptor, at + length, mmap.MAP_SHARED, mmap.PROT_READ)
        return np.frombuffer(pages, np.float16, len(self.ids) * width, at).reshape(-1, width)

    def take_codes(self) -> bytearray:
        """The codes; they are not kept here after."""
        codes, self._codes = self._codes, bytearray()
        return codes

    def rows(self, places: Array | slice) -> Array:
        """A copy of these rows, each of them as it was sealed; BadGeneration if one is not."""
        # Who reads a mapped page that was cut off meanwhile is killed.
        if os.fstat(self._descriptor).st_size != self._size:
            raise BadGeneration("it was cut off")
        rows = self._vectors[places].copy() if isinstance(places, slice) else self._vectors.take(places, axis=0)
        if (row_sums(rows) != self._sums[places]).any():
            raise BadGeneration("its vectors are damaged")
        return rows

    def __del__(self) -> None:
        with suppress(AttributeError):  # it was refused
            os.close(self._descriptor)


# -- writing ---------------------------------------------------------------------------------------------------------


class Draft:
    """A generation that is being written. The caller holds `alone`."""

    def __init__(self, folder: Path, space: bytes, dimensions: int, upto: int) -> None:
        self._name = f"{space.hex()}-{upto:016x}-{os.urandom(4).hex()}{_SUFFIX}"
        self._folder = folder
        self._space, self._dimensions, self._upto = space, dimensions, upto
        self._path = folder / f".{self._name}{_NEW}"
        self._ids: list[Array] = []
        self._sums: list[Array] = []
        self._digest = sha256()
        self._at = _HEADER
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)

    def add(self, ids: Array, vectors: Array) -> None:
        """Append rows, padded, by ascending seq."""
        self._ids.append(ids)
        self._sums.append(row_sums(vectors))
        data = vectors.tobytes()
        self._digest.update(data)
        self._write(data)

    def ids(self) -> Array:
        """The seq of each row so far."""
        import numpy as np  # noqa: PLC0415

        return np.concatenate(self._ids) if self._ids else np.empty(0, np.int64)

    def vectors(self) -> Array:
        """All rows so far, mapped."""
        import numpy as np  # noqa: PLC0415

        pages = mmap.mmap(self._descriptor, self._at, mmap.MAP_SHARED, mmap.PROT_READ)
        return np.frombuffer(pages, np.float16, offset=_HEADER).reshape(-1, padded(self._dimensions))

    def finish(self, codes: bytes, *, size: int, head: bytes, recall: float) -> None:
        """Write the rest. On return all of it is on disk, without a name."""
        import numpy as np  # noqa: PLC0415

        ids = self.ids()
        sections = {"vectors": (_HEADER, self._at - _HEADER, self._digest.hexdigest())}
        parts = {"ids": ids.astype("<i8"), "sums": np.concatenate(self._sums).astype("<u8")}
        for name, data in [*((name, part.tobytes()) for name, part in parts.items()), ("codes", codes)]:
            sections[name] = (self._at, len(data), sha256(data).hexdigest())
            self._write(data)
        log = (size, sha256(head).hexdigest())
        said = Manifest(self._space.hex(), self._dimensions, len(ids), self._upto, *log, recall, sections)
        text = json.dumps(asdict(said)).encode()
        self._at = 0
        self._write(_MAGIC + sha256(text).digest() + text.ljust(_HEADER - len(_MAGIC) - _DIGEST, b"\x00"))
        flush_descriptor(self._descriptor)

    def publish(self, is_clean: Callable[[Array], bool]) -> Path | None:
        """Give it its name and remove the other generations of its space, if `is_clean` says so of its seqs now.

        None, and nothing is left, if not, or if someone who forgot something has removed it.
        """
        with _locked(self._folder, _PUBLISH):
            target = self._folder / self._name
            if not self._is_there() or not is_clean(self.ids()):
                self.discard()
                return None
            self._path.rename(target)
            flush(self._folder)
            for path in generations_of(self._folder, self._space):
                if path != target:
                    path.unlink(missing_ok=True)
        return target

    def _is_there(self) -> bool:
        try:
            return self._path.stat().st_ino == os.fstat(self._descriptor).st_ino
        except FileNotFoundError:
            return False

    def discard(self) -> None:
        """Of this nothing is left, if it has no name yet."""
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.pwrite(self._descriptor, view, self._at)
            self._at += written
            view = view[written:]


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Whether this is the only builder, in the block; makes the folder, and clears what killed builders left in it."""
    if not is_folder(folder):
        make_folder(folder)
    with ExitStack() as held:
        try:
            held.enter_context(_locked(folder, _BUILD, 0.0))
        except Busy:
            yield False
            return
        for path in _unfinished(folder):
            path.unlink(missing_ok=True)
        yield True


@contextmanager
def _locked(folder: Path, name: str, wait_s: float = _WAIT_S) -> Iterator[None]:
    deadline = monotonic() + wait_s
    with open_lock(folder / name) as lock:
        while not try_lock(lock):
            if monotonic() >= deadline:
                raise Busy("another process is at the files of nearest vectors; try again")
            sleep(0.005)
        yield


def _unfinished(folder: Path) -> list[Path]:
    return list(folder.glob(f".*{_SUFFIX}{_NEW}"))


# -- erasing ---------------------------------------------------------------------------------------------------------


def erase_where(folder: Path, erased: Callable[[Manifest], set[int] | None]) -> int:
    """The same, of the versions that `erased` says for each generation; None: it goes in any case.

    It is asked under the lock. What cannot be read, or is being written, may hold anything, and goes too.
    """
    nearest = folder / "nearest"
    if not is_folder(nearest):  # a builder makes it before it reads anything
        return 0
    gone = 0
    with typed_errors(f"erasing in {nearest}"), _locked(nearest, _PUBLISH):
        for path in [*generations_of(nearest), *_unfinished(nearest)]:
            if path.name.endswith(_NEW) or _holds(path, erased):
                path.unlink(missing_ok=True)
                gone += 1
        if gone:
            flush(nearest)
    return gone


def _holds(path: Path, erased: Callable[[Manifest], set[int] | None]) -> bool:
    try:
        with _opened(path) as descriptor:
            manifest = read_manifest(descriptor)
            erased_since = erased(manifest)
            if erased_since is None:
                return True
            wanted = {seq for seq in erased_since if seq < manifest.upto}
            if not wanted:
                return False
            return not wanted.isdisjoint(memoryview(read_section(descriptor, manifest, "ids")).cast("q"))
    except BadGeneration:
        return True
