"""Which format a file has, by its name, and reading it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from substrate.documents.formats.extracted import Extracted, decode
from substrate.documents.formats.html import read_html
from substrate.documents.formats.markdown import read_markdown
from substrate.documents.formats.notebook import read_notebook
from substrate.documents.formats.pdf import read_pdf
from substrate.documents.formats.restructured import read_restructured

__all__ = ["MARKDOWN", "PLAIN", "SUFFIXES", "is_media_type", "media_type_of", "read_document"]

PLAIN: Final = "text/plain"
MARKDOWN: Final = "text/markdown"
_READERS: Final[Mapping[str, Callable[[bytes], Extracted]]] = MappingProxyType(
    {
        PLAIN: lambda data: Extracted(decode(data)),
        MARKDOWN: read_markdown,
        "text/x-rst": read_restructured,
        "text/html": read_html,
        "application/x-ipynb+json": read_notebook,
        "application/pdf": read_pdf,
    }
)
SUFFIXES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".md": MARKDOWN,
        ".markdown": MARKDOWN,
        ".txt": PLAIN,
        ".text": PLAIN,
        ".rst": "text/x-rst",
        ".html": "text/html",
        ".htm": "text/html",
        ".ipynb": "application/x-ipynb+json",
        ".pdf": "application/pdf",
    }
)
"""What a file's name ends with, in lower case, and the format that says."""


def media_type_of(name: str) -> str | None:
    """The format of a file by its name; None if that says none that is known."""
    dot = name.rfind(".")
    return SUFFIXES.get(name[dot:].lower()) if dot > 0 else None


def is_media_type(said: object) -> bool:
    """Whether it is one of the formats that can be read."""
    return isinstance(said, str) and said in _READERS


def read_document(data: bytes, media_type: str) -> Extracted:
    """The text of a file of this format. InputError, SchemaInvalid."""
    return _READERS[media_type](data)
