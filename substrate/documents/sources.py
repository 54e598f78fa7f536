"""The documents of a domain by their sources, as the store has them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from substrate.atoms.bodies import body_of
from substrate.atoms.domains import DOMAIN
from substrate.documents.naming import DOCUMENT, document_name, has_utf8
from substrate.documents.roots import mark_in
from substrate.documents.slots import attrs_of, ingested_of
from substrate.kv.api import ReadTransaction
from substrate.names import escape_part
from substrate.proof.entry import Kind
from substrate.views.atoms import names

__all__ = ["Stored", "documents_of"]


class Stored(NamedTuple):
    """A document in use: its name, its source, and the mark of the folder that it came from."""

    name: str
    source: str
    mark: str | None


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
            yield Stored(row.name, source, mark_in(attrs_of(body)))
