"""What an undo takes back: the last checkpoint, or all checkpoints of the import or undo that it is a part of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from substrate.atoms.domains import DOMAIN
from substrate.codec import read_forget
from substrate.entities.naming import INGESTED
from substrate.errors import InputError, NotFound
from substrate.kv.api import ReadTransaction
from substrate.log.decode import stored_entry
from substrate.log.replay import BATCH, replay
from substrate.log.tables import ENTRIES, HEADS, read_seq, seq_key
from substrate.messages import FORGET_SEQS
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.schema import RENAMED, UNDOES
from substrate.values.saved import IMPORT_SESSION
from substrate.views.beside.parts import find_part, parts_until

__all__ = ["Made", "Work", "last_work", "made_by", "subjects_in"]

_LASTING: Final = {
    Kind.FORGET: "the last change was a forget: what it erased is gone for good",
    Kind.TRAIN: "the last change was a training. To unlearn it, forget its entry: ",
    Kind.KEY: "the last change was of the signing key, which cannot be taken back",
}
"""Kinds of entries that no checkpoint takes back."""
_SAID: Final = (Kind.PUT, Kind.TOMBSTONE, Kind.EDGE, Kind.UNEDGE)


@dataclass(frozen=True, slots=True)
class Work:
    """Checkpoints that are taken back together."""

    parts: tuple[range, ...]
    """The entries of each, in order. Others may have written in between."""
    steps: tuple[range, ...] = ()
    """The entries of an undo of it that did not come to its end: what it took back is taken back."""

    @property
    def start(self) -> int:
        """The first entry."""
        return self.parts[0].start

    def others(self, transaction: ReadTransaction, size: int) -> frozenset[bytes]:
        """The ids of atoms and edges that others have written to since it began, in a log of this size."""
        ends = [*self.parts, *self.steps, range(size, size)]
        gaps = [range(one.stop, other.start) for one, other in pairwise(ends)]
        return frozenset(subject for gap in gaps for subject in subjects_in(transaction, gap))


def last_work(transaction: ReadTransaction, size: int) -> Work:
    """What an undo is to take back in a log of this size. InputError if it cannot be; NotFound if there is nothing."""
    last = _last(transaction, size)
    part = find_part(transaction, last.start)
    if part is None:
        return Work((last,))
    parts = tuple(parts_until(transaction, last.start))
    return Work(parts) if part.undoes is None else Work(tuple(parts_until(transaction, part.undoes)), parts)


def _last(transaction: ReadTransaction, size: int) -> range:
    """The entries of the last checkpoint. InputError if one of them cannot be taken back, NotFound if there is none."""
    end = size
    for at, _ in transaction.scan(HEADS, stop=seq_key(size), reverse=True):
        seqs = range(read_seq(at), end)
        kinds = {seq: stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))).kind for seq in seqs}
        for seq, kind in kinds.items():
            if kind in _LASTING:
                entry = (FORGET_SEQS, f" {seq}:{seq + 1}") if kind is Kind.TRAIN else ()
                raise InputError(_LASTING[kind], *entry)
        if set(kinds.values()) != {Kind.MODEL}:
            return seqs
        end = seqs.start
    raise NotFound("there is nothing to undo: the store is new")


def subjects_in(transaction: ReadTransaction, seqs: range) -> Iterator[bytes]:
    """The ids of the atoms and edges that these entries are about."""
    for start in range(seqs.start, seqs.stop, BATCH):
        for entry in replay(transaction, start, min(start + BATCH, seqs.stop)):
            yield entry.subject
            if entry.kind is Kind.FORGET and entry.body is not None:
                yield from read_forget(entry.body)[2]


class Made(NamedTuple):
    """By what a checkpoint was made, and what is beside it in the checkpoint before."""

    verb: str
    time: int
    actor: str | None
    imported: range | None = None
    ingested: range | None = None


def made_by(transaction: ReadTransaction, work: Work) -> Made:
    """What an undo tells of what it takes back."""
    seqs = work.parts[0]
    entries = [entry for entry in replay(transaction, seqs.start, seqs.stop) if entry.kind in _SAID]
    said = [entry.read()[0] for entry in entries if entry.body is not None]
    time = stored_entry(seqs.start, transaction.get(ENTRIES, seq_key(seqs.start))).time
    part = find_part(transaction, seqs.start)
    if (part is not None and part.verb == "undo") or any(UNDOES in members for members in said):
        return Made("undo", time, None)  # what it says again has the author that it had
    first = said[0] if said else {}
    actor = str(first["actor"]) if "actor" in first else None
    if any(RENAMED in members for members in said):
        return Made("rename", time, actor)
    session, before = first.get("session"), _said_at(transaction, seqs.start - 1)
    is_session = isinstance(session, str) and session.startswith(IMPORT_SESSION)
    if part is not None or is_session:
        earlier = _before(transaction, seqs)
        is_import = (one := find_part(transaction, earlier.start)) is not None and one.verb == "import"
        goes_on = is_session and is_import and before.get("session") == session
        return Made("import", time, actor, imported=earlier if goes_on else None)
    if first.get("origin") != INGESTED:
        return Made("checkpoint", time, actor)
    beside = _before(transaction, seqs)
    is_beside = before.get("origin") == INGESTED or (len(beside) == 1 and _names_domain_of(before, first))
    return Made("ingest", time, actor, ingested=beside if is_beside else None)


def _before(transaction: ReadTransaction, seqs: range) -> range:
    """The entries of the checkpoint before, with those of its parts that stand next to each other."""
    earlier = (read_seq(at) for at, _ in transaction.scan(HEADS, stop=seq_key(seqs.start), reverse=True, limit=1))
    start = next(earlier, seqs.start)
    found = range(start, seqs.start)
    for part in reversed(parts_until(transaction, start)[:-1]):
        if part.stop != found.start:
            break
        found = range(part.start, found.stop)
    return found


def _names_domain_of(before: Mapping[str, Json], said: Mapping[str, Json]) -> bool:
    """Whether the entry before made the domain of a document or a chunk: an ingest does so first."""
    domain, name = str(before.get("name")), str(said.get("name"))
    return domain.startswith(DOMAIN) and name.split(".")[2:3] == [domain.removeprefix(DOMAIN)]


def _said_at(transaction: ReadTransaction, seq: int) -> Mapping[str, Json]:
    """What an entry says, if that is told."""
    return next((entry.read()[0] for entry in replay(transaction, seq, seq + 1) if entry.body), {})
