"""Which folder a document came from: a mark of its path, so that two folders of one name are not taken for one.

The path itself is not stored. The key of the mark is the store's own random salt, which stays when a store is restored.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Final

from substrate.documents.files import Root
from substrate.errors import InputError
from substrate.kv.api import ReadTransaction
from substrate.log.tables import META
from substrate.messages import Arg
from substrate.proof.encoding import Json
from substrate.text.quote import in_quotes

__all__ = ["ROOT", "mark_in", "mark_of", "of_another_folder"]

ROOT: Final = "root"
"""The attr of a document that has the mark."""
_BYTES: Final = 8


def mark_of(transaction: ReadTransaction, root: Root) -> str:
    """The mark of a folder in this store."""
    key = transaction.get(META, b"map_salt") or b""
    return blake2b(root.place, digest_size=_BYTES, key=key).hexdigest()


def mark_in(attrs: Mapping[str, Json]) -> str | None:
    """The mark that a document has; None: it was no file, or was ingested before there were marks."""
    mark = attrs.get(ROOT)
    return mark if isinstance(mark, str) else None


def of_another_folder(source: str) -> InputError:
    """Why a file is not taken whose document came from another folder of the same name."""
    name = in_quotes(source.partition("/")[0])
    return InputError(
        f"another folder called {name} was ingested here, with another file of this name. Give this folder its "
        "own name with ",
        Arg("source"),
        f". If it is the same folder in a new place, give it {name} with ",
        Arg("source"),
    )
