"""The verb entities: the directory of a domain, page by page, with how many atoms mention each.

Mentions are counted in the postings of `entities`, over the versions in use. A page reads the postings of its names at
once; what is in use is known from the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from substrate.atoms.domains import read_domain
from substrate.atoms.supersedes import is_superseded
from substrate.atoms.validity import version_at
from substrate.entities.naming import ENTITY, entity_prefix
from substrate.errors import Forgotten, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit, check_prefix
from substrate.messages import Arg
from substrate.names import escape_rest
from substrate.proof.entry import Kind
from substrate.search.directory.rows import EntityRow, EntityRows
from substrate.search.index import SearchIndex
from substrate.snapshot import Snapshot
from substrate.text.canonical import canonical, is_canonical_key
from substrate.values.entities import EntityPage
from substrate.views.atoms import VersionRow, names, versions_of

__all__ = ["list_entities"]


def list_entities(  # noqa: PLR0913
    snapshot: Snapshot,
    index: SearchIndex,
    *,
    domain: str | None,
    prefix: str,
    limit: int,
    offset: int,
    after: str | None,
) -> EntityPage:
    """See `Memory.entities`."""
    check_limit(limit, offset)
    check_prefix(prefix, after)
    wanted = _Wanted.of(domain, prefix)
    transaction = snapshot.transaction
    rows = _entities(snapshot, index.entities, wanted, after, limit + offset + 1)
    found = list(islice(rows, offset, offset + limit + 1))
    page = found[:limit]
    documents = index.documents(transaction)
    in_use = documents.current(snapshot.upto, snapshot.valid_at)
    counts = index.entities.count(transaction, documents, in_use, page)
    entries = tuple(row.mentioned(count) for row, count in zip(page, counts, strict=True))
    return EntityPage(entries, entries[-1].atom if len(found) > limit else None)


class _Wanted(NamedTuple):
    """Which names are listed: those that begin so, in one domain or in all."""

    start: str
    rest: str
    """In all domains: what the form begins with."""

    @classmethod
    def of(cls, domain: str | None, prefix: str) -> _Wanted:
        name = read_domain(domain)
        rest = ""
        if prefix.strip():
            if not is_canonical_key(prefix):
                raise SchemaInvalid(Arg("prefix"), " must hold a letter or a digit: the beginning of an entity's name")
            rest = escape_rest(canonical(prefix) + "x")[:-1]  # the end of a beginning is no end
        return cls(ENTITY, rest) if name is None else cls(entity_prefix(name) + rest, "")


def _rows(transaction: ReadTransaction, wanted: _Wanted, after: str | None) -> Iterator[VersionRow]:
    """The latest versions of the names that are wanted, in order. A domain in which none begins so is stepped over."""
    if not wanted.rest:
        yield from names(transaction, wanted.start, after)
        return
    while (row := next(names(transaction, ENTITY, after), None)) is not None:
        name = str(row.name)
        start = name[: name.find(".", len(ENTITY)) + 1]
        if len(start) <= len(ENTITY):  # a name without a domain is no entity of one
            after = name
            continue
        yield from names(transaction, start + wanted.rest, after)
        after = start + "\U0010ffff"


def _entities(
    snapshot: Snapshot, known: EntityRows, wanted: _Wanted, after: str | None, portion: int
) -> Iterator[EntityRow]:
    """Each entity that is in use at the moment asked about, and not superseded."""
    rows = _rows(snapshot.transaction, wanted, after)
    while listed := list(islice(rows, portion)):
        versions = [version for version in _current(snapshot, listed) if not is_superseded(snapshot, version.subject)]
        yield from known.of(snapshot.transaction, versions)


def _current(snapshot: Snapshot, rows: Sequence[VersionRow]) -> Iterator[VersionRow]:
    """The version of each that answers, if there is one."""
    upto = snapshot.upto
    for row in rows:
        if upto is None and snapshot.valid_at is None:
            if row.kind is Kind.PUT:
                yield row
            continue
        latest: VersionRow | None = row
        if upto is not None and row.seq > upto:
            latest = next(versions_of(snapshot.transaction, row.subject, upto=upto), None)
        try:
            found = None if latest is None else version_at(snapshot, latest)
        except Forgotten:
            continue
        if found is not None:
            yield found[0]
