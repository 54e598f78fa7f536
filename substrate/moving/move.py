"""The verbs that take in what is there already: import, of a file, and of a data frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from substrate.atoms.domains import domain_name
from substrate.errors import InputError
from substrate.files import expanded
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.messages import IMPORT_FULL, INGEST, Arg
from substrate.moving.cortexgraph import ACTOR
from substrate.moving.kind import (
    CORTEXGRAPH,
    DOCUMENTS,
    FULL,
    GRAPHNOSIS,
    HYDRAMEM,
    PLAIN,
    READABLE,
    SERVER_MEMORY,
    kind_of,
    open_lines,
)
from substrate.moving.line import Lines
from substrate.moving.plain import open_plain
from substrate.moving.record import Recording, record, refuse_first
from substrate.moving.table import Columns, frame_lines
from substrate.values.progress import Progress
from substrate.values.saved import IMPORT_SESSION, Imported

__all__ = ["Move", "import_file", "import_frame", "import_lines", "refuse_first_import", "refuse_first_lines"]

_ORIGINS: Final = {SERVER_MEMORY: "agent", HYDRAMEM: "ingested", CORTEXGRAPH: "agent", GRAPHNOSIS: "ingested"}
"""Whose word a file of another memory server is, unless the caller says it."""


@dataclass(frozen=True, slots=True)
class Move:
    """What an import is asked for, checked. See `Memory.import_file`."""

    domain: str | None
    """The name of its atom; None: none is said."""
    columns: Columns
    said: Mapping[str, object]
    partial: bool | None = None
    allow_secrets: bool = False
    dry_run: bool = False
    secret: str | bytes | None = None
    unverified: bool = False
    older: bool = False

    @classmethod
    def of(  # noqa: PLR0913
        cls,
        *,
        domain: str | None = None,
        columns: Mapping[str, str] | None = None,
        type: str | None = None,  # noqa: A002 - the word for it
        said: Mapping[str, object] | None = None,
        partial: bool | None = None,
        allow_secrets: bool = False,
        dry_run: bool = False,
        secret: str | bytes | None = None,
        unverified: bool = False,
        older: bool = False,
    ) -> Move:
        """InputError, NameInvalid, SchemaInvalid."""
        name = None if domain is None else domain_name(domain)
        read = Columns.of(columns, type)
        return cls(name, read, said or {}, partial, allow_secrets, dry_run, secret, unverified, older)

    def recording(self, kind: str, source: str) -> Recording:
        """How lines of a file of this kind are recorded.

        Whoever imports a table says what stands in it, as with a checkpoint; what a memory server holds, an agent said.
        One session a file, so that it can be forgotten as a whole, and the same file again is no second witness.
        """
        if kind == PLAIN:
            partial = bool(self.partial)
            return Recording(kind, {}, partial, self.allow_secrets, self.dry_run, old_names=True, older=self.older)
        session = f"{IMPORT_SESSION}{source}"[: LIMITS["text_characters"]]
        said = {key: value for key, value in self.said.items() if value is not None}
        said = {
            **({"origin": _ORIGINS[kind]} if kind in _ORIGINS else {}),
            **({"actor": ACTOR} if kind == CORTEXGRAPH else {}),
            "session": session,
            "source": source,
            **said,
        }
        partial = self.partial is not False
        return Recording(kind, said, partial, self.allow_secrets, self.dry_run, older=self.older)


def import_lines(log: Log, source: str | Path | TextIO, move: Move, progress: Progress | None = None) -> Imported:
    """See `Memory.import_lines`."""
    with open_plain(source) as lines:
        return record(log, lines, move.recording(PLAIN, ""), progress)


def import_file(log: Log, path: str | Path, kind: str | None, move: Move, progress: Progress | None = None) -> Imported:
    """See `Memory.import_file`."""
    with _opened(path, kind, move) as (lines, how):
        return record(log, lines, how, progress)


def import_frame(log: Log, frame: object, source: str | None, move: Move, progress: Progress | None = None) -> Imported:
    """See `Memory.import_frame`."""
    return record(log, frame_lines(frame, move.columns), move.recording("frame", source or "data frame"), progress)


def refuse_first_import(path: str | Path, kind: str | None = None, **options: Any) -> None:  # noqa: ANN401 - as there
    """Raise what `Memory.import_file` raises before it saves anything, so that no store is made for it."""
    with _opened(path, kind, Move.of(**options)) as (lines, how):
        refuse_first(lines, how)


def refuse_first_lines(source: str | Path | TextIO, **options: Any) -> None:  # noqa: ANN401 - as there
    """The same for `Memory.import_lines`. A file that is open already is to be read from its start again."""
    with open_plain(source) as lines:
        refuse_first(lines, Move.of(**options).recording(PLAIN, ""))


@contextmanager
def _opened(path: str | Path, kind: str | None, move: Move) -> Iterator[tuple[Lines, Recording]]:
    file = expanded(path)
    if kind is not None and kind not in READABLE:
        raise InputError(Arg("from_kind"), f" is one of {', '.join(READABLE)}")
    kind = kind_of(file) if kind is None else kind
    if kind == FULL:
        raise InputError("this is a full export, which makes a new store: ", IMPORT_FULL)
    if kind == DOCUMENTS:
        raise InputError("these are documents: ", INGEST, " takes them in")
    with open_lines(
        file, kind, domain=move.domain, columns=move.columns, secret=move.secret, unverified=move.unverified
    ) as lines:
        yield lines, move.recording(kind, file.name)
