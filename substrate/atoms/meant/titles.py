"""Titles of atoms whose names are digests: documents, and the chunks of documents. For people, beside the names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from substrate.atoms.bodies import body_of
from substrate.kv.api import ReadTransaction
from substrate.names import type_of
from substrate.proof.entry import Kind
from substrate.views.atoms import find_name

__all__ = ["titles_of"]

_DOCUMENT: Final = "document"
_CHUNK: Final = "chunk"
_STEP: Final = 1000
"""Between the positions of two chunks, so that there is room for others."""
_LONG: Final = 60


def titles_of(transaction: ReadTransaction, names: Iterable[str]) -> dict[str, str]:
    """The title of each document among the names; of each chunk that of its document, and its number."""
    titles: dict[str, str] = {}
    for name in dict.fromkeys(names):
        kind = type_of(name)
        if kind == _DOCUMENT and (title := _title(transaction, name)):
            titles[name] = title
        elif kind == _CHUNK:
            whole, _, number = name.replace(f".{_CHUNK}.", f".{_DOCUMENT}.", 1).rpartition(".")
            title = titles.get(whole) or _title(transaction, whole)
            if title and number.isdecimal():
                titles[name] = f"{title}, chunk {int(number) / _STEP:g}"
    return titles


def _title(transaction: ReadTransaction, name: str) -> str | None:
    row = find_name(transaction, name)
    body = None if row is None or row.kind is not Kind.PUT else body_of(transaction, row.seq)
    value = None if body is None or body.damage is not None else body.members.get("value")
    if not isinstance(value, str):
        return None
    line = " ".join(value.split())
    return line if len(line) <= _LONG else f"{line[: _LONG - 1]}…"
