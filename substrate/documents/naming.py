"""The names of documents and their chunks.

    v1.document.<domain>.<key>              value: the title
    v1.chunk.<domain>.<key>.<position>      value: a slice of the text; its parent is the document

The domain is escaped (`a.b` is `a%2Eb`), so no two domains share a name. The key follows from the domain and the
source, so that whoever ingests the same source again finds the document; of a text without a source from all of it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from substrate.atoms.domains import DOMAIN
from substrate.names import escape_part

__all__ = ["CHUNK", "DOCUMENT", "chunk_name", "chunk_prefix", "document_name", "has_utf8"]

DOCUMENT: Final = "v1.document."
CHUNK: Final = "v1.chunk."
_KEY_DIGITS: Final = 30
"""Hexadecimal ones: enough that nobody finds two sources with the same key."""
_DIGITS: Final = 8


def has_utf8(source: str) -> bool:
    """Whether a document can have this source. In a file name, bytes that are not UTF-8 become half characters."""
    try:
        source.encode()
    except UnicodeEncodeError:
        return False
    return True


def document_name(domain: str, source: str | None, digest: str = "") -> str:
    """The name of the document of a source, or else of a text with this digest, in the domain of this name."""
    said = f"source\0{source}" if source is not None else f"text\0{digest}"
    key = sha256(said.encode()).hexdigest()[:_KEY_DIGITS]
    return f"{DOCUMENT}{escape_part(domain.removeprefix(DOMAIN))}.{key}"


def chunk_prefix(document: str) -> str:
    """What the names of a document's chunks begin with."""
    return f"{CHUNK}{document.removeprefix(DOCUMENT)}."


def chunk_name(document: str, position: int) -> str:
    """The name of the chunk at a position. Names sort as positions do."""
    return f"{chunk_prefix(document)}{position:0{_DIGITS}d}"
