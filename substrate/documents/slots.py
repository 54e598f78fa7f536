"""The chunks of a document as the log has them: which are there, what was ingested for each, what became of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from substrate.atoms.bodies import Body, bodies_of, body_of
from substrate.documents.naming import chunk_name, chunk_prefix
from substrate.kv.api import ReadTransaction
from substrate.log.tables import HEADS, read_seq, seq_key
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.schema import MAX_POSITION
from substrate.views.atoms import VersionRow, latest_version, names, versions_of

__all__ = ["INGESTED", "Slot", "attrs_of", "end_of", "ingested_of", "left_out_of", "read_slots"]

INGESTED: Final = "ingested"
"""The origin of what an ingest records."""


class Slot(NamedTuple):
    """A chunk: its position, its latest version of now, and the version that was ingested for a document's version."""

    position: int
    latest: VersionRow
    version: VersionRow
    body: Body
    is_member: bool
    """Whether it is a chunk of that version; False: an ingest that did not come to its end recorded it since."""

    @property
    def text(self) -> str:
        """What was ingested."""
        return str(self.body.members.get("value"))

    @property
    def is_live(self) -> bool:
        """Whether it is in use now."""
        return self.latest.kind is Kind.PUT

    @property
    def is_edited(self) -> bool:
        """Whether it is another version now than the one that was ingested."""
        return self.latest.seq != self.version.seq


def end_of(transaction: ReadTransaction, seq: int) -> int:
    """The last seq of the checkpoint that an entry belongs to."""
    return next((read_seq(size) - 1 for size, _ in transaction.scan(HEADS, seq_key(seq + 1), limit=1)), seq)


def attrs_of(body: Body) -> Mapping[str, Json]:
    """What a document's version says of what was ingested."""
    attrs = body.members.get("attrs")
    return attrs if isinstance(attrs, dict) else {}


def left_out_of(attrs: Mapping[str, Json]) -> frozenset[int]:
    """The positions of chunks that a version of a document has though somebody had taken them out of use."""
    positions = attrs.get("left_out")
    return frozenset(at for at in positions if isinstance(at, int)) if isinstance(positions, list) else frozenset()


def read_slots(
    transaction: ReadTransaction, document: str, upto: int | None, left_out: Collection[int] = ()
) -> list[Slot]:
    """The chunks of the document of this name, by position: those it had at seq `upto`, and those in use now.

    None: there is no version of the document; then only those in use. What people wrote over a chunk is not looked at:
    what was ingested is. `left_out` are positions of chunks that were part of it though somebody had taken them out.
    """
    prefix = chunk_prefix(document)
    rows = {}
    for row in names(transaction, prefix):
        digits = (row.name or "").removeprefix(prefix)
        # Others may save names that begin so. One that no ingest gives is no chunk: two could be at one position.
        position = int(digits) if digits.isascii() and digits.isdigit() else MAX_POSITION
        if position < MAX_POSITION and row.name == chunk_name(document, position):
            rows[position] = row
    if not rows:
        return []  # as of every document that is new
    slots = []
    for is_member in (True, False):
        asked = [
            (at, row, version)
            for at, row in rows.items()
            if (version := _at(transaction, row, upto) if is_member else row) is not None
            and (version.kind is Kind.PUT or (is_member and at in left_out))
        ]
        bodies = bodies_of(transaction, [version.seq for _, _, version in asked])
        for (at, row, version), body in zip(asked, bodies, strict=True):
            found = ingested_of(transaction, version, body)
            if found is not None and found[0].kind is Kind.PUT:
                slots.append(Slot(at, row, *found, is_member))
                del rows[at]
    return sorted(slots)


def _at(transaction: ReadTransaction, row: VersionRow, upto: int | None) -> VersionRow | None:
    """The version of a chunk at a seq, its latest being given."""
    if upto is None:
        return None
    return row if row.seq <= upto else latest_version(transaction, row.subject, upto)


def ingested_of(transaction: ReadTransaction, version: VersionRow, body: Body | None) -> tuple[VersionRow, Body] | None:
    """What an ingest last recorded up to this version, a tombstone perhaps; None if nothing, or if it was erased."""
    if body is not None and _is_ingested(body):
        return version, body
    for before in versions_of(transaction, version.subject, upto=version.seq):
        said = body_of(transaction, before.seq)
        if said is None:
            return None
        if _is_ingested(said):
            return before, said
    return None


def _is_ingested(body: Body) -> bool:
    return body.damage is None and body.members.get("origin") == INGESTED
