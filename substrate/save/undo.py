"""The verb undo: the last checkpoint taken back by another one. Nothing is erased.

What it recorded anew is tombstoned, what it changed says again what it said before, what it tombstoned is in use again;
edges likewise. The undo is a checkpoint too: undoing it does again what was undone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from substrate.atoms.diff import diff
from substrate.atoms.moments import snapshot_of
from substrate.errors import InputError, NotFound
from substrate.kv.api import ReadTransaction
from substrate.log.decode import stored_entry
from substrate.log.heads import require_head
from substrate.log.log import Log
from substrate.log.replay import replay
from substrate.log.tables import ENTRIES, HEADS, read_seq, seq_key
from substrate.messages import FORGET_SEQS
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.proof.head import SignedHead
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.save.input import ATOM_FIELDS, EDGE_FIELDS
from substrate.save.place import Place
from substrate.values.atoms import Atom
from substrate.values.edges import Edge
from substrate.values.growth import Change
from substrate.values.saved import IMPORT_SESSION, Undone

__all__ = ["inverse", "undo"]

_SPEAKER: Final = ("actor", "session")
"""Who said it stays, as far as it was told: who forgets that must not leave a copy. Else who undoes it says it."""
_LASTING: Final = {
    Kind.FORGET: "the last change was a forget: what it erased is gone for good",
    Kind.TRAIN: "the last change was a training. To unlearn it, forget its entry: ",
    Kind.MODEL: "the last change chose a model for search. To go back, choose the other one",
    Kind.KEY: "the last change was of the signing key, which cannot be taken back",
}
"""Kinds of entries that no checkpoint takes back."""


def undo(log: Log, *, dry_run: bool, said: Mapping[str, object], place: Place | None = None) -> Undone:
    """See `Memory.undo`."""
    with log.snapshot() as transaction:
        head = require_head(transaction)
        seqs = _last(transaction, head)
        before = snapshot_of(transaction, log.clock, seqs.start - 1, None)
        after = snapshot_of(transaction, log.clock, seqs.stop - 1, None)
        changes = diff(before, after, prefix="", limit=None).items
        imported = _import_of(changes, _session_at(transaction, seqs.start - 1))
    if not changes:
        raise NotFound("the last checkpoint changed nothing that could be taken back")
    batch = inverse(changes, place)
    # It was said before: what looks like a credential in it was let pass then.
    saved = None if dry_run else checkpoint(log, batch, expect=head, said=said, allow_secrets=True)
    return Undone(
        dry_run=dry_run,
        undone=seqs,
        tombstoned=_named(changes, "added", "revived"),
        restored=_named(changes, "changed"),
        revived=_named(changes, "tombstoned"),
        unedged=_named(changes, "edge_added"),
        edges=_named(changes, "edge_removed", "edge_changed"),
        seqs=None if saved is None else saved.seqs,
        imported=imported,
    )


def _import_of(changes: tuple[Change, ...], session_before: Json) -> str | None:
    """The session of the import that made all these changes, if one did; not a rename or an undo of what it brought.

    Those keep the session too: but a rename takes an atom out of use, and an undo adds none and follows what it undoes.
    """
    sessions = {None if change.after is None else change.after.session for change in changes}
    session = sessions.pop() if len(sessions) == 1 else None
    if session is None or not session.startswith(IMPORT_SESSION):
        return None
    adds = any(change.kind == "added" for change in changes)
    return session if adds or session == session_before else None


def _session_at(transaction: ReadTransaction, seq: int) -> Json:
    """In which session an entry was recorded, if that is told."""
    return next((entry.read()[0].get("session") for entry in replay(transaction, seq, seq + 1) if entry.body), None)


def _named(changes: tuple[Change, ...], *kinds: str) -> tuple[str, ...]:
    return tuple(change.name or change.id for change in changes if change.kind in kinds)


def _last(transaction: ReadTransaction, head: SignedHead) -> range:
    """The entries of the last checkpoint. InputError if one of them cannot be taken back, NotFound if there is none."""
    sizes = [read_seq(at) for at, _ in transaction.scan(HEADS, reverse=True, limit=2)]
    seqs = range(sizes[1] if len(sizes) > 1 else 0, head.head.size)
    for seq in seqs:
        kind = stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))).kind
        if seq == 0:
            raise NotFound("there is nothing to undo: the store is new")
        if kind in _LASTING:
            entry = (FORGET_SEQS, f" {seq}:{seq + 1}") if kind is Kind.TRAIN else ()
            raise InputError(_LASTING[kind], *entry)
    return seqs


def inverse(changes: Sequence[Change], place: Place | None) -> Batch:
    """What takes these changes back."""
    atoms = [_atom(change.before) for change in changes if isinstance(change.before, Atom) and change.kind != "revived"]
    gone = [change.name for change in changes if change.kind in ("added", "revived") and change.name is not None]
    edges = [_edge(change.before) for change in changes if isinstance(change.before, Edge)]
    unedges = [change.id for change in changes if change.kind == "edge_added"]
    return Batch(tuple(atoms), tuple(edges), tuple(gone), tuple(unedges), place=place, is_rename=True)


def _atom(atom: Atom) -> dict[str, object]:
    """The atom as it was: also without the fields that it did not have."""
    fields = {key: getattr(atom, key) or None for key in ATOM_FIELDS if key not in _SPEAKER}
    for number in ("confidence", "position"):
        fields[number] = getattr(atom, number)
    return {**fields, **_speaker(atom), "name": atom.name, "value": atom.value}


def _edge(edge: Edge) -> dict[str, object]:
    """The same of an edge."""
    fields = {key: getattr(edge, key) or None for key in EDGE_FIELDS if key not in _SPEAKER}
    fields |= {"confidence": edge.confidence, "windows": list(edge.windows)}
    ends = {"source": edge.source_id.replace("-", ""), "target": edge.target_id.replace("-", "")}
    return {**fields, **_speaker(edge), **ends, "type": edge.type}


def _speaker(said: Atom | Edge) -> dict[str, object]:
    return {key: who for key in _SPEAKER if (who := getattr(said, key)) is not None}
