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
from substrate.views.beside.parts import find_part, last_part, parts_until

__all__ = ["Made", "Work", "last_work", "made_by", "stopped_work", "subjects_in"]

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


def stopped_work(transaction: ReadTransaction, size: int) -> Work | None:
    """What the last undo in several checkpoints was to take back, if it is not at its end; None after an import."""
    last = last_part(transaction, size)
    part = None if last is None else find_part(transaction, last)
    if last is None or part is None or part.undoes is None:
        return None
    return Work(tuple(parts_until(transaction, part.undoes)), tuple(parts_until(transaction, last)))


def last_work(transaction: ReadTransaction, size: int) -> Work:
    """What was done last in a log of this size. InputError if it cannot be taken back; NotFound if there is nothing."""
    last = _last(transaction, size)
    return Work(tuple(parts_until(transaction, last.start)))


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
    said = _said_in(transaction, seqs)
    time = stored_entry(seqs.start, transaction.get(ENTRIES, seq_key(seqs.start))).time
    part = find_part(transaction, seqs.start)
    if (part is not None and part.verb == "undo") or any(UNDOES in members for members in said):
        return Made("undo", time, None)  # what it says again has the author that it had
    first = said[0] if said else {}
    actor = str(first["actor"]) if "actor" in first else None
    if any(RENAMED in members for members in said):
        return Made("rename", time, actor)
    session = _import_session(first)
    if part is not None or session is not None:
        find = _table_before if part is None else _import_before
        return Made("import", time, actor, imported=find(transaction, seqs.start, session))
    if first.get("origin") != INGESTED:
        return Made("checkpoint", time, actor)
    beside = _before(transaction, seqs.start)
    before = _said_at(transaction, beside.stop - 1)
    is_beside = before.get("origin") == INGESTED or (len(beside) == 1 and _names_domain_of(before, first))
    return Made("ingest", time, actor, ingested=beside if is_beside else None)


def _import_session(said: Mapping[str, Json]) -> str | None:
    """The session that the import of a table gives to all it records."""
    session = said.get("session")
    return session if isinstance(session, str) and session.startswith(IMPORT_SESSION) else None


def _import_before(transaction: ReadTransaction, start: int, session: str | None) -> range | None:
    """The entries of the import that ends before the entry `start`, if both are of one table, or both of none."""
    found = _before(transaction, start)
    part = find_part(transaction, found.start)
    if part is None or part.verb != "import":
        return None
    if _import_session(_said_at(transaction, found.stop - 1)) != session:
        return None
    for one in reversed(parts_until(transaction, found.start)[:-1]):
        if one.stop != found.start:
            break
        found = range(one.start, found.stop)
    return found


def _table_before(transaction: ReadTransaction, start: int, session: str | None) -> range | None:
    """The same where nobody noted which checkpoints belong together: those of this session, one after the other."""
    found = None
    while earlier := _before(transaction, start if found is None else found.start):
        said = _said_in(transaction, earlier)
        is_other = any(word in members for members in said for word in (UNDOES, RENAMED))
        if not said or is_other or _import_session(said[-1]) != session:
            break
        found = range(earlier.start, earlier.stop if found is None else found.stop)
    return found


def _before(transaction: ReadTransaction, start: int) -> range:
    """The entries of the checkpoint that ends before the entry `start`. A choice of model is passed over."""
    found = range(start, start)
    for at, _ in transaction.scan(HEADS, stop=seq_key(start), reverse=True):
        found = range(read_seq(at), found.start)
        if stored_entry(found.start, transaction.get(ENTRIES, seq_key(found.start))).kind is not Kind.MODEL:
            break
    return found


def _names_domain_of(before: Mapping[str, Json], said: Mapping[str, Json]) -> bool:
    """Whether the entry before made the domain of a document or a chunk: an ingest does so first."""
    domain, name = str(before.get("name")), str(said.get("name"))
    return domain.startswith(DOMAIN) and name.split(".")[2:3] == [domain.removeprefix(DOMAIN)]


def _said_in(transaction: ReadTransaction, seqs: range) -> list[Mapping[str, Json]]:
    """What these entries say of atoms and edges, as far as that is told."""
    entries = (entry for entry in replay(transaction, seqs.start, seqs.stop) if entry.kind in _SAID)
    return [entry.read()[0] for entry in entries if entry.body is not None]


def _said_at(transaction: ReadTransaction, seq: int) -> Mapping[str, Json]:
    """What an entry says, if that is told."""
    return next((entry.read()[0] for entry in replay(transaction, seq, seq + 1) if entry.body), {})
