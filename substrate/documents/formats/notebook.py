"""Jupyter notebooks: the sources of their cells as Markdown, code in fences. Outputs are left out."""

from __future__ import annotations

import json
import re
from typing import Final

from substrate.documents.chunk import Section
from substrate.documents.formats.extracted import Extracted, decode
from substrate.documents.formats.markdown import sections_of
from substrate.errors import SchemaInvalid

__all__ = ["read_notebook"]

_TICKS: Final = re.compile("`{3,}")
_CELL: Final = 7
"""How deep a section a cell is: any heading is higher."""


def read_notebook(data: bytes) -> Extracted:
    """The text of a notebook of format 4. SchemaInvalid if it is none."""
    try:
        notebook = json.loads(decode(data).removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        raise SchemaInvalid("it is not JSON, and so no notebook: open it in JupyterLab and save it again") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise SchemaInvalid("it has no cells: save it again with a Jupyter of today, which writes cells")
    parts: list[str] = []
    starts = []
    at = 0
    for cell in cells:
        said = _source(cell)
        if said.strip():
            starts.append(Section(at, _CELL))
            parts.append(said.rstrip("\n") + "\n\n")
            at += len(parts[-1])
    text = "".join(parts)
    headings, title = sections_of(text)
    depths = {section.start: section for section in (*starts, *headings)}
    return Extracted(text, tuple(depths[start] for start in sorted(depths)), title, exact=False)


def _source(cell: object) -> str:
    """What a cell says, as Markdown. SchemaInvalid if it is no cell."""
    source = cell.get("source") if isinstance(cell, dict) else None
    joined = "".join(source) if isinstance(source, list) and all(isinstance(line, str) for line in source) else source
    if not isinstance(joined, str) or not isinstance(cell, dict):
        raise SchemaInvalid("one of its cells has no source")
    try:
        joined.encode()
    except UnicodeEncodeError:
        raise SchemaInvalid("one of its cells holds a lone surrogate, which has no UTF-8") from None
    if "\x00" in joined:
        raise SchemaInvalid("one of its cells holds a NUL")
    if cell.get("cell_type") != "code" or not joined.strip():
        return joined
    longest = max(map(len, _TICKS.findall(joined)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}\n{joined.rstrip(chr(10))}\n{fence}"
