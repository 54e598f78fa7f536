"""How many bytes an entry takes on disk, in all and by table."""

from __future__ import annotations

from benchmarks.raw_lmdb import data_file
from benchmarks.stores import Stores
from benchmarks.table import Beside, Result

__all__ = ["measure_sizes"]


def measure_sizes(stores: Stores) -> list[Result]:
    """Bytes per entry, right after filling: the whole file, and the pages of each table in it."""
    size = stores.size
    ours, sqlite = data_file(stores.path).stat().st_size / size, stores.sqlite.file_bytes() / size
    unit = "bytes/entry"
    beside = [Beside("SQLite, with its index", sqlite, unit, ours / sqlite)]
    tables = sorted(stores.full.table_bytes().items(), key=lambda item: -item[1])
    used = sum(pages for _, pages in tables) / size
    beside += [Beside(f"of which {name}", pages / size, unit) for name, pages in tables if pages / size >= 1]
    beside.append(Beside("of which free pages", ours - used, unit))
    return [Result("file size", size, ours, unit, None, beside)]
