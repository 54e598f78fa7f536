"""Which model embeds from where on, and in which space to search: what the log and the vectors of record say of it.

    models   seq of a model entry (8) -> its body

While another model's space is filled, the one before it is searched; two are never mixed. The new one takes its place
when it has got as far, and what is left of the old one is then erased.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from substrate.codec import Draft, draft_other, read_body, read_forget
from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction, WriteTransaction
from substrate.log.decode import stored_entry
from substrate.log.heads import require_head
from substrate.log.replay import Logged
from substrate.log.tables import BODIES, EMBEDDED, ENTRIES, MODELS, VECTORS, read_seq, seq_key
from substrate.proof.entry import SALT_BYTES, Kind
from substrate.views.vectors import SPACE_BYTES, embedded_upto, is_embedded

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Model",
    "ModelView",
    "abandoned_spaces",
    "check_vectors",
    "draft_model",
    "model_in_force",
    "model_searched",
]

_SEQ_BYTES: Final = 8
_PORTION: Final = 1000
_LENGTH: Final = 0.01
"""How far from 1 the length of a vector may be, for the rounding of half floats."""
_REMEDY: Final = "substrate rebuild throws the vectors away, and they are made again"
"""In the words of a terminal: who is told of damage reads what fsck found there, as text."""


class Model(NamedTuple):
    """A model as a log names it. `digest` tells what it is, `model` what it is called."""

    seq: int
    model: str
    digest: str
    dimensions: int
    space: bytes


def draft_model(model: str, digest: str, dimensions: int, space: bytes) -> Draft:
    """The entry that says: from here on, this model embeds."""
    return draft_other(Kind.MODEL, {"model": model, "digest": digest, "dimensions": dimensions, "space": space.hex()})


class ModelView:
    """A row for each model entry, so that nobody reads the log for it. One that was erased, as damaged, has none."""

    name = "models"
    version = 1
    tables: Sequence[str] = (MODELS,)

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        """See `View`."""
        for entry in entries:
            if entry.kind is Kind.MODEL and entry.body is not None:
                transaction.put(MODELS, seq_key(entry.seq), entry.body)
            elif entry.kind is Kind.FORGET and transaction.any(MODELS):
                for seq in read_forget(entry.body).erased:
                    transaction.delete(MODELS, seq_key(seq))


def _models(transaction: ReadTransaction) -> Iterator[Model]:
    """All models that the log names, the latest first. Entries that do not say what they must are passed over."""
    for at, body in transaction.scan(MODELS, reverse=True):
        if (model := _model(read_seq(at), body)) is not None:
            yield model


@lru_cache(maxsize=64)  # every search asks, and there are few
def _model(seq: int, body: bytes) -> Model | None:
    match read_body(Kind.MODEL, body)[0]:
        case {"model": str(model), "digest": str(digest), "dimensions": int(dimensions), "space": str(space)}:
            if len(space) == 2 * SPACE_BYTES:
                return Model(seq, model, digest, dimensions, bytes.fromhex(space))
    return None


def model_in_force(transaction: ReadTransaction) -> Model | None:
    """The model that embeds; None if no entry names one."""
    return next(_models(transaction), None)


def model_searched(transaction: ReadTransaction) -> Model | None:
    """The model whose space is to be searched: the latest one that no earlier one is ahead of; None if there is none.

    The one in force, but for the time in which its space is filled and the one before it knows more.
    """
    # Of equals, `max` takes the first, which is the latest.
    return max(_models(transaction), key=lambda model: embedded_upto(transaction, model.space), default=None)


def abandoned_spaces(transaction: ReadTransaction) -> list[bytes]:
    """The spaces that nobody searches any more, since the one in force has got as far."""
    model = model_in_force(transaction)
    searched = model_searched(transaction)
    if model is None or searched is None or searched.space != model.space:
        return []
    return [space for space, _ in transaction.scan(EMBEDDED) if space != model.space]


# -- fsck ------------------------------------------------------------------------------------------------------------


def check_vectors(transaction: ReadTransaction) -> None:
    """StoreDamaged, with the remedy, if the vectors cannot be what was written here for the versions that there are.

    Whether they are what the model makes of the texts is not looked at.
    """
    size = require_head(transaction).head.size
    models = {model.space: model for model in _models(transaction)}
    for space, row in transaction.scan(EMBEDDED):
        if space not in models or len(row) != _SEQ_BYTES or read_seq(row) > size:
            raise _damage(EMBEDDED, f"speaks of a model or a seq that the log does not have: {space.hex()}")
    known = {space: models[space].dimensions for space, _ in transaction.scan(EMBEDDED)}
    for rows in _portions(transaction.scan(VECTORS)):
        _check_rows(transaction, rows, known)
    model = model_searched(transaction)
    if model is not None:
        _check_complete(transaction, model.space, embedded_upto(transaction, model.space))


def _check_rows(transaction: ReadTransaction, rows: list[tuple[bytes, bytes]], known: dict[bytes, int]) -> None:
    import numpy as np  # noqa: PLC0415 - for who checks

    at = [key[:_SEQ_BYTES] for key, _ in rows]
    bodies = transaction.get_many(BODIES, at)
    for (key, row), entry, body in zip(rows, transaction.get_many(ENTRIES, at), bodies, strict=True):
        space = key[_SEQ_BYTES:]
        if space not in known or not row or len(row) % (2 * known[space]):
            raise _damage(VECTORS, f"has a row of an unknown space or a wrong size: {key.hex()}")
        if entry is None or body is None or stored_entry(read_seq(key[:_SEQ_BYTES]), entry).kind is not Kind.PUT:
            raise _damage(VECTORS, f"has vectors of entry {read_seq(key[:_SEQ_BYTES])}, which says nothing (any more)")
        vectors = np.frombuffer(row, "<f2").reshape(-1, known[space]).astype(np.float32)
        if not (np.abs(np.linalg.norm(vectors, axis=1) - 1) < _LENGTH).all():
            raise _damage(VECTORS, f"has vectors of entry {read_seq(key[:_SEQ_BYTES])} that are not of length 1")


def _check_complete(transaction: ReadTransaction, space: bytes, upto: int) -> None:
    """Every version before `upto` that has a body, and is one that is embedded, has its vectors."""
    for rows in _portions(transaction.scan(ENTRIES, b"", seq_key(upto))):
        puts = [at for at, entry in rows if stored_entry(read_seq(at), entry).kind is Kind.PUT]
        vectors = transaction.get_many(VECTORS, [at + space for at in puts])
        for at, body, row in zip(puts, transaction.get_many(BODIES, puts), vectors, strict=True):
            if body is not None and row is None and is_embedded(body[SALT_BYTES:]):
                raise _damage(VECTORS, f"lacks those of entry {read_seq(at)}, and {EMBEDDED} says that it has them")


def _damage(table: str, what: str) -> StoreDamaged:
    return StoreDamaged(f"table {table} {what}. ", _REMEDY)


def _portions(rows: Iterable[tuple[bytes, bytes]]) -> Iterator[list[tuple[bytes, bytes]]]:
    portion: list[tuple[bytes, bytes]] = []
    for row in rows:
        portion.append(row)
        if len(portion) >= _PORTION:
            yield portion
            portion = []
    if portion:
        yield portion
