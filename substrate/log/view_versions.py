"""Cursors: which version of each view a store has, and how far it has got. Rows of META, written with the view's rows.

    applied:NAME   seq (8): the view has all entries before it, its *applied seq*
    applied:       JSON: the version of each view that is not at version 1, {"NAME": 2}; of one that is being made,
                   {"NAME": {"version": 2, "seq": 4000, "trace": hex}}

1. Without a row `applied:`, all views are at version 1: so are those of stores that were written before there were
   versions. A program of that time refuses to append to a store with such a row, since it takes it for another view.
2. A view that is being made has applied the entries before `seq`, and of traces written at that size those up to the
   key `trace`. Without `seq` its tables are being emptied. Its row `applied:NAME` means nothing meanwhile.
3. Who appends must know every view the store has, or that view would silently miss what was appended. A view that is
   unknown here, or of a higher version, was written by a later program: FormatTooNew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from substrate.errors import Denied, FormatTooNew, StoreDamaged
from substrate.kv.api import ReadTransaction, WriteTransaction, behind
from substrate.log.replay import View
from substrate.log.tables import META, read_seq, seq_key
from substrate.messages import REBUILD

__all__ = [
    "APPLIED",
    "Cursor",
    "begin_views",
    "check_views",
    "mark_applied",
    "outdated_views",
    "parse_cursors",
    "put_cursor",
    "read_cursors",
    "refuse_newer",
]

APPLIED: Final = b"applied:"
_FIRST: Final = 1
"""The version of every view in a store that says nothing of versions."""


class Cursor(NamedTuple):
    """How far a view has got. `seq` None: its tables are being emptied. `whole`: it is not being made any more."""

    version: int = 0
    seq: int | None = None
    trace: bytes = b""
    whole: bool = True

    def is_current(self, view: View, size: int) -> bool:
        """Whether the tables are those that this program would have written from `size` entries."""
        return self.whole and self.version == view.version and self.seq is not None and self.seq >= size


_ABSENT: Final = Cursor()


def read_cursors(transaction: ReadTransaction) -> dict[str, Cursor]:
    """The cursor of every view that the store has. StoreDamaged if they are malformed."""
    return parse_cursors(dict(transaction.scan(META, APPLIED, behind(APPLIED))))


def parse_cursors(rows: Mapping[bytes, bytes]) -> dict[str, Cursor]:
    """The same, from the rows of META that begin with APPLIED."""
    versions = _versions(rows.get(APPLIED))
    try:
        applied = {at.removeprefix(APPLIED).decode(): read_seq(row) for at, row in rows.items() if at != APPLIED}
        cursors = {name: Cursor(_FIRST, seq) for name, seq in applied.items()}
        for name, said in versions.items():
            cursors[name] = _cursor(said, applied.get(name))
    except (KeyError, TypeError, ValueError, UnicodeDecodeError):
        raise _malformed() from None
    return cursors


def _cursor(said: Any, applied: int | None) -> Cursor:  # noqa: ANN401 - as JSON has it
    if isinstance(said, dict):
        seq = said.get("seq")
        return Cursor(
            int(said["version"]), None if seq is None else int(seq), bytes.fromhex(said.get("trace", "")), whole=False
        )
    return Cursor(int(said), applied)


def _versions(row: bytes | None) -> dict[str, Any]:
    try:
        versions = {} if row is None else json.loads(row)
    except ValueError:
        raise _malformed() from None
    if not isinstance(versions, dict):
        raise _malformed()
    return versions


def _malformed() -> StoreDamaged:
    return StoreDamaged("table meta does not say how far the views have got: run ", REBUILD)


def put_cursor(transaction: WriteTransaction, name: str, cursor: Cursor) -> None:
    """Write down how far a view has got."""
    versions = _versions(transaction.get(META, APPLIED))
    versions.pop(name, None)
    if not cursor.whole:
        said: dict[str, Any] = {"version": cursor.version}
        if cursor.seq is not None:
            said["seq"] = cursor.seq
        versions[name] = said | ({"trace": cursor.trace.hex()} if cursor.trace else {})
    elif cursor.version != _FIRST:
        versions[name] = cursor.version
    if cursor.whole:
        transaction.put(META, APPLIED + name.encode(), seq_key(cursor.seq or 0))
    _put_versions(transaction, versions)


def _put_versions(transaction: WriteTransaction, versions: Mapping[str, Any]) -> None:
    if versions:
        transaction.put(META, APPLIED, _encoded(versions))
    else:
        transaction.delete(META, APPLIED)


def _encoded(versions: Mapping[str, Any]) -> bytes:
    return json.dumps(versions, separators=(",", ":"), sort_keys=True).encode()


def begin_views(transaction: WriteTransaction, views: Iterable[View]) -> None:
    """Write down the versions of the views of a new log."""
    for view in views:
        if view.version != _FIRST:
            put_cursor(transaction, view.name, Cursor(view.version, 0))


def mark_applied(transaction: WriteTransaction, views: Sequence[View], size: int) -> None:
    """Write down that the views have all of the log's first `size` entries."""
    transaction.put_many(META, _applied(views, size).items())


@lru_cache(maxsize=8)
def _rows_of(names: tuple[str, ...]) -> tuple[bytes, ...]:
    """The keys of the rows that say how far these views have got, in order."""
    return tuple(sorted(APPLIED + name.encode() for name in names))


def _applied(views: Sequence[View], size: int) -> dict[bytes, bytes]:
    at = seq_key(size)
    return dict.fromkeys(_rows_of(tuple([view.name for view in views])), at)


def outdated_views(cursors: Mapping[str, Cursor], views: Sequence[View], size: int) -> list[View]:
    """The views whose tables are missing, of an older version, half made, or behind a log of `size` entries."""
    return [view for view in views if not cursors.get(view.name, _ABSENT).is_current(view, size)]


def refuse_newer(cursors: Mapping[str, Cursor], views: Sequence[View]) -> None:
    """FormatTooNew if the store has a view that is not among the views of this program, or a later version of one.

    Without any views this says nothing: the log alone has no versions.
    """
    if not views:
        return
    known = {view.name: view.version for view in views}
    for name, cursor in sorted(cursors.items()):
        if cursor.version > known.get(name, -1):
            what = f"version {cursor.version} of the view {name}" if name in known else f"the view {name}"
            raise FormatTooNew(
                f"a later version of substrate wrote this store: it has {what}, which this version does not know. "
                "Upgrade substrate to open it (nothing was changed)"
            )


@lru_cache(maxsize=8)
def _versions_row(views: tuple[tuple[str, int], ...]) -> dict[bytes, bytes]:
    """The row that names the versions of views with these names and versions, if there is one."""
    versions = {name: version for name, version in views if version != _FIRST}
    return {APPLIED: _encoded(versions)} if versions else {}


def check_views(transaction: ReadTransaction, views: Sequence[View], size: int) -> None:
    """Return if just the views of this store are given and all have followed: else one would miss entries.

    FormatTooNew if a later program has upgraded the store; Denied if views are missing here, or outdated there.
    """
    rows = dict(transaction.scan(META, APPLIED, behind(APPLIED)))
    if rows == _applied(views, size) | _versions_row(tuple([(view.name, view.version) for view in views])):
        return  # as the append before left them: every append asks
    cursors = parse_cursors(rows)
    refuse_newer(cursors, views)
    if cursors.keys() != {view.name for view in views} or outdated_views(cursors, views, size):
        raise Denied(
            f"this store has the views {sorted(cursors) or 'none'}, and not all are up to date: "
            "close it and open it again for writing, with just these"
        )
