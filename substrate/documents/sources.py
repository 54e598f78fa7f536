"""The documents of a domain by their sources, as the store has them, and which folder each came from.

A document has a mark of its folder's path, so that two folders of one name are not taken for one. The path itself is
not stored. The key of the mark is the store's own random salt, which stays when a store is restored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from hashlib import blake2b
from typing import Final, NamedTuple

from substrate.atoms.bodies import body_of
from substrate.atoms.domains import DOMAIN
from substrate.documents.files import Listed, Root
from substrate.documents.naming import DOCUMENT, document_name, has_utf8
from substrate.documents.request import Request, source_of
from substrate.documents.slots import attrs_of, ingested_of
from substrate.errors import InputError
from substrate.kv.api import ReadTransaction
from substrate.log.tables import META
from substrate.messages import Arg
from substrate.names import escape_part
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.text.quote import in_quotes
from substrate.views.atoms import names

__all__ = ["ROOT", "Stored", "documents_of", "gone_from", "mark_in", "mark_of", "of_another_folder"]

ROOT: Final = "root"
"""The attr of a document that has the mark."""
_BYTES: Final = 8


class Stored(NamedTuple):
    """A document in use: its name, its source, the mark of the folder that it came from, the digest of its bytes."""

    name: str
    source: str
    mark: str | None
    digest: str | None = None


def documents_of(
    transaction: ReadTransaction, domain: str, start: str, besides: Collection[str] = ()
) -> Iterator[Stored]:
    """The documents in use in the domain of this name whose sources begin so, but for those of some sources."""
    known = {document_name(domain, source) for source in besides if has_utf8(source)}
    part = escape_part(domain.removeprefix(DOMAIN))
    for row in names(transaction, f"{DOCUMENT}{part}."):
        if row.kind is not Kind.PUT or row.name in known:
            continue
        body = body_of(transaction, row.seq)
        ingested = None if body is None else ingested_of(transaction, row, body)
        body = body if ingested is None else ingested[1]
        source = None if body is None else body.members.get("source")
        if body is None or not isinstance(source, str) or not source.startswith(start) or row.name is None:
            continue
        if row.name == document_name(domain, source):
            attrs = attrs_of(body)
            yield Stored(row.name, source, mark_in(attrs), str(attrs["digest"]) if "digest" in attrs else None)


def gone_from(
    transaction: ReadTransaction, request: Request, root: Root, below: tuple[str, ...], listed: Listed
) -> list[Stored]:
    """The documents in use that came from this very folder, and whose files are not in it any more.

    A file that cannot be read now, or lies in a folder that cannot be, is not gone.
    """
    there = {source_of(root.name, file.parts, request) for file in listed.files}
    unread = tuple(source_of(root.name, parts, request) for parts, _ in listed.failed)
    start = source_of(root.name, below, request) + "/"
    mark = mark_of(transaction, root)
    return [
        one
        for one in documents_of(transaction, request.domain, start, there)
        if one.mark == mark  # else it was no file of this folder, whatever its source reads like
        and not any(one.source == path or one.source.startswith(f"{path}/") for path in unread)
    ]


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
