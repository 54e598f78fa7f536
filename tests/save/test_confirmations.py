"""Traces are not proven, so they are not believed: a row that cannot have been written here is found, not shown."""

from __future__ import annotations

import pytest

from substrate.errors import StoreDamaged
from substrate.log.copies.check import check_store
from substrate.log.tables import CONFIRMED, EXPECTED
from substrate.memory import Memory
from substrate.views.catalogue import CHECKS, VIEWS

A, B = "v1.fact.a", "v1.fact.b"


def damage(memory: Memory) -> str | None:
    return check_store(memory._store.log.path, views=VIEWS, checks=CHECKS).damage


def put(memory: Memory, table: str, key: bytes, value: bytes) -> None:
    with memory._store.log._store.write() as transaction:
        transaction.put(table, key, value)


def ids(memory: Memory) -> tuple[bytes, bytes]:
    (edge,) = memory.edges(A)
    return bytes.fromhex(edge.source_id.replace("-", "")), bytes.fromhex(edge.target_id.replace("-", ""))


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.checkpoint([f"{A} = 1"], edges=[{"source": A, "type": "needs", "target": B}])
    memory.checkpoint([f"{A} = 1"])
    assert damage(memory) is None
    return memory


@pytest.mark.parametrize("name", [b"\xff\xfe", b"v1.fact.evil\x1b[31m", b"v1.fact.a", b"v1.fact.other"])
def test_a_name_that_is_not_of_its_id_is_not_shown(told: Memory, name: bytes) -> None:
    target = ids(told)[1]
    put(told, EXPECTED, target, name)
    (edge,) = told.edges(A)
    assert edge.target == edge.target_id
    assert EXPECTED in str(damage(told))


@pytest.mark.parametrize("row", [b"x", bytes(20), (10**9).to_bytes(8, "big") + bytes(12)])
def test_a_confirmation_of_what_is_not_there_is_found(told: Memory, row: bytes) -> None:
    put(told, CONFIRMED, ids(told)[0], row)
    assert "confirm" in str(damage(told))


def test_a_malformed_confirmation_is_an_error_of_ours(told: Memory) -> None:
    put(told, CONFIRMED, ids(told)[0], b"x")
    with pytest.raises(StoreDamaged):
        told.access(A)
