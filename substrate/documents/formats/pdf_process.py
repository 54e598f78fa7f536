"""Run as a process: a PDF on standard input, the text of its pages as JSON on standard output. Nothing else is read."""

from __future__ import annotations

import io
import json
import resource
import sys
from typing import Final

__all__ = ["main"]

_MEMORY: Final = 1024**3
_CPU_S: Final = 60
_MOST: Final = 20_000_000
"""Characters of text: more is no document."""


def main() -> None:
    """Fails, by exit code or signal, if it cannot be read within the limits."""
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    from pypdf import PdfReader  # noqa: PLC0415 - under the limits

    reader = PdfReader(io.BytesIO(sys.stdin.buffer.read()))
    pages: list[str] = []
    left = _MOST
    for page in reader.pages:
        # What fonts call nothing comes as NUL or half a character.
        text = page.extract_text().replace("\x00", "").encode(errors="replace").decode()
        left -= len(text)
        if left < 0:
            sys.exit(1)
        pages.append(text)
    title = reader.metadata.title if reader.metadata is not None else None
    said = title.encode(errors="replace").decode() if isinstance(title, str) else ""
    json.dump({"pages": pages, "title": said.replace("\x00", "")}, sys.stdout)


if __name__ == "__main__":
    main()
