"""The file of the official memory server (`@modelcontextprotocol/server-memory`): a graph as JSON Lines.

    {"type": "entity", "name": ..., "entityType": ..., "observations": [...]}
    {"type": "relation", "from": ..., "to": ..., "relationType": ...}

An entity becomes an entity of ours, each observation a note that mentions it, a relation an edge. A note's name has a
digest of the observation in it, so that the same file again is the same notes, in whatever order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from substrate.atoms.domains import DOMAIN
from substrate.entities.naming import entity_name
from substrate.errors import InputError, SchemaInvalid, SubstrateError
from substrate.files import bounded_lines, users_file
from substrate.limits import LIMITS
from substrate.moving.line import Line, Lines, Read, at_line
from substrate.names import escape_part

__all__ = ["open_server_memory"]

_DIGITS: Final = 12


@contextmanager
def open_server_memory(path: Path, domain: str) -> Iterator[Lines]:
    """The lines of such a file, its entities in the domain of this name. InputError if it cannot be read."""
    with users_file(path):
        try:
            with path.open(encoding="utf-8-sig") as file:
                yield Lines(_lines(bounded_lines(file, LIMITS["line_bytes"]), domain), path.stat().st_size)
        except FileNotFoundError:
            raise InputError(f"there is no file {path}") from None
        except UnicodeDecodeError:
            raise InputError(f"{path} is not UTF-8 text") from None


def _lines(texts: Iterator[str], domain: str) -> Iterator[Read]:
    read = 0
    for number, text in enumerate(texts, 1):
        read += len(text) + 1
        if not text.strip():
            continue
        try:
            for kind, fields, size in _read(text, domain):
                yield Line(number, kind, fields, size, read)
        except SubstrateError as error:
            yield at_line(number, error.code, error.message)


def _read(text: str, domain: str) -> Iterator[tuple[str, dict[str, object], int]]:
    try:
        said = json.loads(text) if len(text) <= LIMITS["line_bytes"] else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise SchemaInvalid("it is not a JSON object; the last line of a file may have been cut off")
    kind = said.get("type")
    if kind == "entity":
        yield from _entity(said, domain)
    elif kind == "relation":
        source, target = (entity_name(domain, _text(said, word)) for word in ("from", "to"))
        fields: dict[str, object] = {"source": source, "type": _text(said, "relationType"), "target": target}
        yield "edge", fields, len(text)
    else:
        raise SchemaInvalid("its type is neither entity nor relation")


def _entity(said: Mapping[str, object], domain: str) -> Iterator[tuple[str, dict[str, object], int]]:
    display = _text(said, "name")
    name = entity_name(domain, display)
    kind = said.get("entityType")
    attrs: dict[str, object] = {"imported": {"from": "server-memory", "id": display}}
    attrs |= {"type": kind} if isinstance(kind, str) and kind else {}
    yield "put", {"name": name, "value": display, "attrs": attrs}, len(display)
    observed = said.get("observations", [])
    if not isinstance(observed, list) or not all(isinstance(text, str) for text in observed):
        raise SchemaInvalid("its observations are not a list of texts")
    prefix = f"v1.note.{escape_part(domain.removeprefix(DOMAIN))}"
    for text in observed:
        if text.strip():
            digest = sha256(f"{name}\0{text}".encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
            note = {"name": f"{prefix}.{digest}", "value": text, "entities": [display], "attrs": dict(attrs)}
            yield "put", note, len(text)


def _text(said: Mapping[str, object], word: str) -> str:
    text = said.get(word)
    if not isinstance(text, str) or not text.strip():
        raise SchemaInvalid(f"its {word} is not a text")
    return text
