"""PDF: the text of its pages, by pypdf, which the extra `pdf` brings. Read in a child process with limits.

A PDF is a program for a machine with many parts, and comes from anybody: one that fills the memory, or never ends,
takes its own process with it and nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

from substrate.documents.chunk import Section
from substrate.documents.formats.extracted import Extracted, title_from
from substrate.errors import SchemaInvalid
from substrate.extras import require

__all__ = ["read_pdf"]

_WAIT_S: Final = 120
_PAGE: Final = 2


def read_pdf(data: bytes) -> Extracted:
    """The text of a PDF. InputError without pypdf; SchemaInvalid if it cannot be read."""
    require("pdf", "reading PDF", "pypdf")
    command = [sys.executable, "-I", "-m", "substrate.documents.formats.pdf_process"]
    try:
        # What it says on standard error may be without end: pypdf warns of every fault.
        done = subprocess.run(  # noqa: S603
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_WAIT_S,
            check=False,
        )
        read = json.loads(done.stdout) if done.returncode == 0 else None
    except (subprocess.TimeoutExpired, ValueError):
        read = None
    if read is None:
        raise SchemaInvalid("this PDF cannot be read: it is damaged, encrypted, or far too complex")
    parts = [page.rstrip() + "\n\n" for page in read["pages"] if page.strip()]
    if not parts:
        raise SchemaInvalid("it has no text: a scanned page needs a program that recognises letters first")
    at, sections = 0, []
    for part in parts:
        sections.append(Section(at, _PAGE))
        at += len(part)
    return Extracted("".join(parts), tuple(sections), title_from(read["title"]), exact=False)
