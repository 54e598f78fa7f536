"""The verb entities: the directory of a domain, page by page, with how many atoms mention each.

Mentions are counted in the postings of `entities`, over the versions in use. A page reads the postings of its names at
once; what is in use is known from the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import Body, VersionFound, bodies_of
from substrate.atoms.domains import read_domain
from substrate.atoms.supersedes import is_superseded
from substrate.atoms.validity import version_at
from substrate.entities.naming import ENTITY, aliases_of, entity_prefix, names_of, read_name
from substrate.errors import Forgotten, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit, check_prefix
from substrate.log.identity import id_text
from substrate.log.tables import POSTINGS
from substrate.messages import Arg
from substrate.names import escape_rest
from substrate.proof.entry import Kind
from substrate.search.columns import Documents
from substrate.search.index import SearchIndex
from substrate.snapshot import Snapshot
from substrate.text.canonical import canonical, is_canonical_key
from substrate.values.entities import EntityEntry, EntityPage
from substrate.views.atoms import VersionRow, names, versions_of
from substrate.views.words import BLOCK, Field, keyword_term, posting_keys

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
    found = list(islice(_entities(snapshot, wanted, after, limit + offset + 1), offset, offset + limit + 1))
    page = found[:limit]
    documents = index.documents(snapshot.transaction)
    counts = _count(snapshot, documents, page)
    entries = [_entry(version, body, count) for (version, body), count in zip(page, counts, strict=True)]
    return EntityPage(tuple(entries), entries[-1].atom if len(found) > limit else None)


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
            rest = escape_rest(canonical(prefix))
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


def _entities(snapshot: Snapshot, wanted: _Wanted, after: str | None, portion: int) -> Iterator[VersionFound]:
    """What each entity says that is in use at the moment asked about, and not superseded."""
    rows = _rows(snapshot.transaction, wanted, after)
    while listed := list(islice(rows, portion)):
        for version, body in _said(snapshot, listed):
            if body.damage is None and read_name(str(version.name)) and not is_superseded(snapshot, version.subject):
                yield version, body


def _said(snapshot: Snapshot, rows: Sequence[VersionRow]) -> Iterator[VersionFound]:
    transaction = snapshot.transaction
    if snapshot.upto is None and snapshot.valid_at is None:
        live = [row for row in rows if row.kind is Kind.PUT]
        for row, body in zip(live, bodies_of(transaction, [row.seq for row in live]), strict=True):
            if body is not None:
                yield row, body
        return
    for row in rows:
        latest: VersionRow | None = row
        if snapshot.upto is not None and row.seq > snapshot.upto:
            latest = next(versions_of(transaction, row.subject, upto=snapshot.upto), None)
        try:
            found = None if latest is None else version_at(snapshot, latest)
        except Forgotten:
            continue
        if found is not None:
            yield found


def _entry(version: VersionRow, body: Body, mentions: int) -> EntityEntry:
    name = str(version.name)
    read = read_name(name)
    attrs = body.members.get("attrs")
    kind = attrs.get("type") if isinstance(attrs, dict) else None
    return EntityEntry(
        str(body.members.get("value")),
        name,
        id_text(version.subject),
        "" if read is None else read.domain,
        kind if isinstance(kind, str) else None,
        aliases_of(attrs),
        mentions,
    )


def _count(snapshot: Snapshot, documents: Documents, page: Sequence[VersionFound]) -> list[int]:
    """How many atoms in use list one of the names of each entity, but for itself."""
    keys: list[bytes] = []
    owners: list[int] = []
    several = np.zeros(len(page), np.bool_)
    for owner, (version, body) in enumerate(page):
        said = names_of(str(version.name), str(body.members.get("value")), body.members.get("attrs"))
        terms = {keyword_term(Field.ENTITY, name) for name in said}
        several[owner] = len(terms) > 1
        for term in terms:
            listed = posting_keys(Field.ENTITY, term, documents.size)
            keys += listed
            owners += [owner] * len(listed)
    seqs, owner_of = _postings(snapshot.transaction, keys, owners)
    own = np.array([version.seq for version, _ in page], np.int64)
    counted = documents.current(snapshot.upto, snapshot.valid_at)[seqs] & (seqs != own[owner_of])
    seqs, owner_of = seqs[counted], owner_of[counted]
    if several.any():  # an atom may list two names of one entity
        both = np.unique(owner_of * documents.size + seqs)
        owner_of = both // max(documents.size, 1)
    counts: list[int] = np.bincount(owner_of, minlength=len(page)).tolist()
    return counts


def _postings(
    transaction: ReadTransaction, keys: Sequence[bytes], owners: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The seqs in the rows of these keys, and whose each is."""
    offsets, counts, blocks, whose = [], [], [], []
    for key, owner, row in zip(keys, owners, transaction.get_many(POSTINGS, keys), strict=True):
        if row is not None:
            count = len(row) // 3
            offsets.append(row[: count * 2])
            counts.append(count)
            blocks.append(int.from_bytes(key[:4], "big") * BLOCK)
            whose.append(owner)
    seqs = np.frombuffer(b"".join(offsets), "<u2").astype(np.int64)
    repeated = np.array(counts, np.int64)
    seqs += np.repeat(np.array(blocks, np.int64), repeated)
    return seqs, np.repeat(np.array(whose, np.int64), repeated)
