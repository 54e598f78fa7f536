"""How many bytes an entry takes on disk, in all and by table."""

from __future__ import annotations

from pathlib import Path

from benchmarks.raw_lmdb import RawLmdb, data_file
from benchmarks.stores import Stores
from benchmarks.table import Beside, Result

__all__ = ["file_size", "measure_sizes"]


def measure_sizes(stores: Stores) -> list[Result]:
    """Bytes per entry, right after filling: the whole file, and the pages of each table in it."""
    return file_size(stores.size, "entry", stores.path, stores.full, stores.sqlite.file_bytes())


def file_size(size: int, what: str, path: Path, raw: RawLmdb, sqlite: int) -> list[Result]:
    """Bytes per `what`, of which there are `size`; `raw` is a copy of our file, `sqlite` the bytes of that one."""
    ours, theirs = data_file(path).stat().st_size / size, sqlite / size
    unit = f"bytes/{what}"
    beside = [Beside("SQLite, with its indexes", theirs, unit, ours / theirs)]
    tables = sorted(raw.table_bytes().items(), key=lambda item: -item[1])
    used = sum(pages for _, pages in tables) / size
    beside += [Beside(f"of which {name}", pages / size, unit) for name, pages in tables if pages / size >= 1]
    beside.append(Beside("of which free pages", ours - used, unit))
    return [Result("file size", size, ours, unit, None, beside)]
