"""What a store has embedded, looked up in its tables: what the tests of embedding share."""

from __future__ import annotations

from collections.abc import Callable

from substrate.embed.query import Meaning, QueryVector
from substrate.log.tables import EMBEDDED, VECTORS, read_seq
from substrate.memory import Memory
from substrate.views.models import model_searched
from substrate.views.vectors import embedded_upto

__all__ = ["ATOMS", "Reopen", "fill", "rows_of", "searched", "spaces_of", "vector_of"]

Reopen = Callable[..., Memory]
ATOMS = ["v1.fact.payment_provider = Stripe", "v1.fact.pet = a dog called Rex", "v1.goal.launch = In March"]


def rows_of(memory: Memory) -> dict[tuple[int, bytes], bytes]:
    with memory._store.log.snapshot() as transaction:
        return {(read_seq(key[:8]), key[8:]): row for key, row in transaction.scan(VECTORS)}


def spaces_of(memory: Memory) -> dict[bytes, int]:
    with memory._store.log.snapshot() as transaction:
        return {space: read_seq(row) for space, row in transaction.scan(EMBEDDED)}


def searched(memory: Memory) -> tuple[bytes, int] | None:
    with memory._store.log.snapshot() as transaction:
        model = model_searched(transaction)
        return None if model is None else (model.space, embedded_upto(transaction, model.space))


def vector_of(memory: Memory, text: str) -> QueryVector:
    return Meaning(memory._store.log, memory._store.models).embed(text, memory._store.log, wait_s=60)


def fill(memory: Memory, count: int) -> None:
    memory.checkpoint([f"v1.fact.number_{i} = the value of {i}" for i in range(count)])
