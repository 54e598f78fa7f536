"""The verb entities: the directory of a domain, page by page, with how many atoms mention each.

Mentions are counted in the postings of `entities`, over the versions in use. A page reads the postings of its names at
once; what is in use is known from the columns. Names that one text alone mentions have no atom: they are found in the
postings, and listed between the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby, islice
from typing import Final, NamedTuple, TypeAlias

from substrate.atoms.domains import read_domain
from substrate.atoms.supersedes import is_superseded
from substrate.atoms.validity import version_at
from substrate.entities.naming import ENTITY, entity_prefix
from substrate.errors import Forgotten, InputError, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit, check_prefix
from substrate.messages import Arg
from substrate.names import escape_rest
from substrate.proof.entry import Kind
from substrate.search.directory.rows import EntityRow, EntityRows, Mention
from substrate.search.directory.unrecorded import CHUNKS, Unrecorded
from substrate.search.index import SearchIndex
from substrate.snapshot import Snapshot
from substrate.text.canonical import canonical, is_canonical_key
from substrate.values.entities import EntityEntry, EntityPage
from substrate.views.atoms import VersionRow, latest_version, names
from substrate.views.cards import cards_of

__all__ = ["BY", "list_entities"]

BY: Final = ("name", "mentions")
"""The orders of the directory."""
_PORTION: Final = 1000


def list_entities(  # noqa: PLR0913
    snapshot: Snapshot,
    index: SearchIndex,
    *,
    domain: str | None,
    prefix: str,
    limit: int,
    offset: int,
    after: str | None,
    by: str = BY[0],
) -> EntityPage:
    """See `Memory.entities`."""
    check_limit(limit, offset)
    check_prefix(prefix, after)
    if by not in BY:
        raise InputError(Arg("by"), f" is {' or '.join(BY)}")
    if by == "mentions":
        if after is not None:
            raise InputError(Arg("after"), " goes on by name: with ", Arg("by"), " mentions, give ", Arg("offset"))
        every = _every(snapshot, index, domain, prefix)
        return EntityPage(every[offset : offset + limit], more=max(len(every) - offset - limit, 0))
    wanted = _Wanted.of(domain, prefix)
    transaction = snapshot.transaction
    documents = index.documents(transaction)
    in_use = documents.current(snapshot.upto, snapshot.valid_at)
    unrecorded = Unrecorded(snapshot, index.entities, documents, in_use)
    listed = _listed(transaction, unrecorded, wanted, after)
    most = limit + offset + 1
    found = list(islice(_entities(snapshot, index.entities, listed, most), most))
    page = found[offset : offset + limit]
    known = [row.told_by(unrecorded.recorded) if isinstance(row, EntityRow) else row for row in page]
    others = [row for row in known if isinstance(row, EntityRow)]
    counts = iter(index.entities.count(transaction, documents, in_use, others))
    entries = tuple([row.mentioned(next(counts)) if isinstance(row, EntityRow) else row for row in known])
    return EntityPage(entries, entries[-1].atom if len(found) == most else None)


def _every(snapshot: Snapshot, index: SearchIndex, domain: str | None, prefix: str) -> tuple[EntityEntry, ...]:
    """All of them, most mentioned first, then by name."""
    found: list[EntityEntry] = []
    after = None
    while True:
        page = list_entities(
            snapshot, index, domain=domain, prefix=prefix, limit=_PORTION, offset=0, after=after, by=BY[0]
        )
        found += page.items
        after = page.next
        if after is None:
            return tuple(sorted(found, key=lambda entry: (-entry.mentions, entry.atom)))


class _Wanted(NamedTuple):
    """Which names are listed."""

    part: str | None
    """The domain, as a part of a name; None: all of them."""
    rest: str
    """What the form begins with."""

    @classmethod
    def of(cls, domain: str | None, prefix: str) -> _Wanted:
        name = read_domain(domain)
        rest = ""
        if prefix.strip():
            if not is_canonical_key(prefix):
                raise SchemaInvalid(Arg("prefix"), " must hold a letter or a digit: the beginning of an entity's name")
            rest = escape_rest(canonical(prefix) + "x")[:-1]  # the end of a beginning is no end
        return cls(None if name is None else entity_prefix(name).removeprefix(ENTITY)[:-1], rest)


_Listed: TypeAlias = VersionRow | Mention
"""A name of the directory: that of an atom, or one that texts mention and that has none yet."""


def _parts(transaction: ReadTransaction, start: str, after: str | None) -> Iterator[str]:
    """The parts of names behind this start that say a domain, each once; from that of the name `after` on."""
    behind = None if after is None else start + after.removeprefix(ENTITY).partition(".")[0]
    while (row := next(names(transaction, start, behind), None)) is not None:
        behind = str(row.name)
        part, dot, _ = behind.removeprefix(start).partition(".")
        if dot:  # a name without a domain is none of one
            yield part
            behind = f"{start}{part}.\U0010ffff"


def _listed(
    transaction: ReadTransaction, unrecorded: Unrecorded, wanted: _Wanted, after: str | None
) -> Iterator[_Listed]:
    """The names that are wanted, in order, domain by domain."""
    of_both = (_parts(transaction, start, after) for start in (ENTITY, CHUNKS))
    parts: Iterable[str] = (part for part, _ in groupby(merge(*of_both, key=lambda part: f"{part}.".encode())))
    for part in parts if wanted.part is None else (wanted.part,):
        prefix = f"{ENTITY}{part}."
        versions = names(transaction, prefix + wanted.rest, after)
        row, there = next(versions, None), None
        for mention in unrecorded.of(part, wanted.rest, after):
            while row is not None and str(row.name) <= mention.name:  # texts compare as their UTF-8 does
                yield row
                row, there = next(versions, None), row
            has_atom = there is not None and there.name == mention.name and unrecorded.was_there(there)
            if not has_atom:
                yield mention
            else:
                unrecorded.recorded[mention.name] = mention
        if row is not None:
            yield row
            yield from versions


def _entities(
    snapshot: Snapshot, known: EntityRows, listed: Iterator[_Listed], portion: int
) -> Iterator[EntityRow | EntityEntry]:
    """Each entity that is in use at the moment asked about, and not superseded.

    Those that have an atom as rows, the mentions of which are not counted yet.
    """
    transaction = snapshot.transaction
    while some := list(islice(listed, portion)):
        rows = [one for one in some if isinstance(one, VersionRow)]
        current = list(_current(snapshot, rows))
        cards = cards_of(transaction, [version.subject for version in current])
        versions = [
            version
            for version, card in zip(current, cards, strict=True)
            if not (card.superseded and is_superseded(snapshot, version.subject))
        ]
        mentions = [one for one in some if isinstance(one, Mention)]
        found: dict[str | None, EntityRow | EntityEntry] = {
            row.entry.atom: row for row in known.of(transaction, versions)
        }
        found |= {entry.atom: entry for entry in known.mentioned(transaction, mentions)}
        for one in some:
            if one.name in found:  # once, though an atom that came later has it too
                yield found.pop(one.name)


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
            latest = latest_version(snapshot.transaction, row.subject, upto)
        try:
            found = None if latest is None else version_at(snapshot, latest)
        except Forgotten:
            continue
        if found is not None:
            yield found[0]
