"""The first checkpoint of a store that is not there yet: if it is refused, no store is made for it.

It is tried against what a new store holds, and raises here what it would raise there. Then the store is made, and the
checkpoint decides once more under the write lock: if another process was faster, it meets what that one saved.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from substrate.errors import ItemsRefused
from substrate.kv.api import WriteTransaction
from substrate.kv.memory import MemoryStore
from substrate.log.append import check_batch
from substrate.log.expect import Expect
from substrate.log.names import Naming
from substrate.log.tables import ENTRIES, HEADS, META, TABLES, seq_key
from substrate.proof.bundle import MAP_SALT_BYTES
from substrate.proof.hashes import EMPTY, EMPTY_ROOT, map_root
from substrate.proof.head import Head, SignedHead
from substrate.proof.note import Note, generate_signer
from substrate.save.batch import Batch
from substrate.save.checkpoint import read_batch
from substrate.save.input import AtomInput, EdgeInput, ExpectInput, TombstoneInput
from substrate.save.remember import read_statement
from substrate.views.catalogue import VIEWS

__all__ = ["is_new", "refuse_first_checkpoint", "refuse_first_text"]


def is_new(path: Path) -> bool:
    """Whether a store would be made in this folder: there is nothing in it."""
    try:
        return not path.is_dir() or next(path.iterdir(), None) is None
    except OSError:
        return False  # opening it says what is wrong


def refuse_first_checkpoint(  # noqa: PLR0913 - as `Memory.checkpoint`
    atoms: Sequence[AtomInput] = (),
    *,
    edges: Sequence[EdgeInput] = (),
    tombstones: Sequence[TombstoneInput] = (),
    unedges: Sequence[EdgeInput | str] = (),
    expect: ExpectInput | None = None,
    actor: str | None = None,
    origin: str | None = None,
    session: str | None = None,
    source: str | None = None,
    task: str | None = None,
    partial: bool = False,
    allow_secrets: bool = False,
    is_import: bool = False,
) -> None:
    """Raise what `Memory.checkpoint` raises in a new store; ItemsRefused also if `partial` leaves nothing to save."""
    planner, expected = read_batch(
        Batch(atoms, edges, tombstones, unedges, task),
        expect=expect,
        said={"actor": actor, "origin": origin, "session": session, "source": source},
        partial=partial,
        allow_secrets=allow_secrets,
    )
    planner.is_import = is_import
    with MemoryStore([*TABLES, *(table for view in VIEWS for table in view.tables)]).write() as transaction:
        head, salt = _begin(transaction)
        Naming(transaction, salt, (), expected or Expect(), head)
        drafts = planner.plan(transaction, 0).drafts
    if not drafts:
        raise ItemsRefused("nothing was saved: every item was refused", tuple(planner.refusals.items))
    check_batch(drafts)


def refuse_first_text(text: str, type: str | None, *, tags: Iterable[str], said: Mapping[str, Any]) -> None:  # noqa: A002
    """Raise what `Memory.remember` raises in a new store. `said` is for `refuse_first_checkpoint`."""
    statement = read_statement(text, type)
    refuse_first_checkpoint([statement.item(statement.names()[0], {"tags": list(tags)} if tags else {})], **said)


def _begin(transaction: WriteTransaction) -> tuple[Head, bytes]:
    """Write what a new store holds, as far as a checkpoint reads it: its key entry, a head over it, and a salt."""
    salt, signer = os.urandom(MAP_SALT_BYTES), generate_signer("substrate-new")
    head = Head(signer.key.name, 1, EMPTY_ROOT, map_root(salt, EMPTY))
    signed = SignedHead(head, Note(head.text(), (signer.sign(head.text()),)))
    transaction.put(META, b"map_salt", salt)
    transaction.put(ENTRIES, seq_key(0), b"")
    transaction.put(HEADS, seq_key(1), str(signed).encode())
    return head, salt
