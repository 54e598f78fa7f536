"""Which kind of file it is, told by looking at it; and reading a file of each kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from substrate.atoms.domains import domain_name
from substrate.documents.formats.catalogue import media_type_of
from substrate.errors import InputError
from substrate.files import refuse_pipe, users_file
from substrate.messages import Arg
from substrate.moving.cortexgraph import is_cortexgraph, open_cortexgraph
from substrate.moving.graphnosis import is_graphnosis, open_graphnosis
from substrate.moving.hydramem import is_hydramem, open_hydramem, refuse_pickle
from substrate.moving.line import KINDS, Lines
from substrate.moving.plain import open_plain
from substrate.moving.server_memory import open_server_memory
from substrate.moving.table import Columns, open_csv, open_json_rows

__all__ = [
    "CORTEXGRAPH",
    "DOCUMENTS",
    "FULL",
    "GRAPHNOSIS",
    "HYDRAMEM",
    "PLAIN",
    "READABLE",
    "SERVER_MEMORY",
    "kind_of",
    "open_lines",
]

PLAIN: Final = "substrate"
FULL: Final = "substrate-full"
DOCUMENTS: Final = "documents"
SERVER_MEMORY: Final = "server-memory"
HYDRAMEM: Final = "hydramem"
CORTEXGRAPH: Final = "cortexgraph"
GRAPHNOSIS: Final = "graphnosis"
_ROWS: Final = "jsonl"
_SHEETS: Final = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
_TABLES: Final[Mapping[str, str]] = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv"}
READABLE: Final = (PLAIN, SERVER_MEMORY, HYDRAMEM, CORTEXGRAPH, GRAPHNOSIS, "csv", "tsv", _ROWS, DOCUMENTS)
"""What a caller can say a file is."""
_FIRST: Final = 64 * 1024
"""Characters of a first line that tell what a file is."""


def kind_of(path: Path) -> str:  # noqa: PLR0911 - one for each kind
    """The kind of a file or folder. InputError if it is none that is known, naming those that can be said."""
    with users_file(path):
        if path.is_dir():
            return CORTEXGRAPH if is_cortexgraph(path) else DOCUMENTS
        refuse_pipe(path)
        suffix = path.suffix.lower()
        if suffix in _TABLES:
            return _TABLES[suffix]
        if media_type_of(path.name) is not None:
            return DOCUMENTS
        if not path.exists():
            raise InputError(f"there is no file {path}")
        if suffix in _SHEETS:
            raise InputError(
                "files of Excel and other spreadsheets are not read. Save the sheet as CSV, or call "
                "memory.import_frame(pandas.read_excel(...)) in Python"
            )
        refuse_pickle(path)
        if is_graphnosis(path):
            return GRAPHNOSIS
        if is_cortexgraph(path):
            return CORTEXGRAPH
        if is_hydramem(path):
            return HYDRAMEM
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            first = next((line for line in iter(lambda: file.readline(_FIRST), "") if line.strip()), "")
    if first.lstrip().startswith("["):
        return _ROWS  # which says what to do about an array
    kind = _kind_of_line(first)
    if kind is None:
        raise InputError(
            f"{path} is of an unknown kind. Name the kind with ",
            Arg("from_kind"),
            f": {', '.join(READABLE)}",
        )
    return kind


def open_lines(  # noqa: PLR0911, PLR0913
    path: Path,
    kind: str,
    *,
    domain: str | None,
    columns: Columns,
    secret: str | bytes | None = None,
    unverified: bool = False,
) -> AbstractContextManager[Lines]:
    """The lines of a file of this kind. InputError if it is of another. `domain`: the name of its atom, if one is said.

    `secret` and `unverified`: of a file that is signed.
    """
    with users_file(path):
        if not (kind == CORTEXGRAPH and path.is_dir()):
            refuse_pipe(path)
    if kind == SERVER_MEMORY:
        return open_server_memory(path, domain_name(domain))
    if kind == HYDRAMEM:
        return open_hydramem(path, domain, secret=secret, unverified=unverified)
    if kind == CORTEXGRAPH:
        return open_cortexgraph(path)
    if kind == GRAPHNOSIS:
        return open_graphnosis(path, domain_name(domain), secret=secret, unverified=unverified)
    if kind in _TABLES.values():
        return open_csv(path, columns, tabs=kind == "tsv")
    if kind == _ROWS:
        return open_json_rows(path, columns)
    return open_plain(path)


def _kind_of_line(text: str) -> str | None:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        # A line too long to be read whole is that of an export: what it is stands at its beginning, as we write it.
        return PLAIN if text.startswith('{"kind":') else None
    if not isinstance(said, dict):
        return None
    if "substrate" in said:
        return FULL if said.get("kind") == "full" else PLAIN
    if said.get("kind") in KINDS:
        return PLAIN
    if said.get("type") in ("entity", "relation") and ("observations" in said or "relationType" in said):
        return SERVER_MEMORY
    return _ROWS
