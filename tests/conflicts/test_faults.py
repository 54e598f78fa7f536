"""A detector that fails stops no save: what it could not check is saved, named, and logged once."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pytest

from substrate import claims
from substrate.claims import Claim, Contradiction
from substrate.cli.verbs.save import saved_answer
from substrate.errors import StoreDamaged
from substrate.log.copies.check import check_store
from substrate.log.tables import CLAIMS, CONFLICTS
from substrate.memory import Memory
from substrate.notebook.display.saved import saved as show_saved
from substrate.surfaces.atoms.shapes import Checkpointed
from substrate.views.catalogue import CHECKS, VIEWS

MARK = "Zzyzx"
A, B = "v1.fact.payment_provider", "v1.fact.payments.provider"


@pytest.fixture(autouse=True)
def nothing_logged_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("substrate.claims.fault._logged", set())


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin of the reader: it fails on a marked text."""
    read_claim = claims.read_claim

    def read(name: str, value: str, entities: Sequence[str] = ()) -> Claim | None:
        if MARK in value:
            raise IndexError("list index out of range")
        return read_claim(name, value, entities)

    monkeypatch.setattr("substrate.claims.read_claim", read)


@pytest.fixture
def incomparable(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], None]:
    """The broken twin of the comparison, to be given the error that it ends in on a marked text."""
    contradiction = claims.contradiction

    def fail_with(error: Exception) -> None:
        def compare(a: Claim, b: Claim) -> Contradiction | None:
            if MARK in a.written or MARK in b.written:
                raise error
            return contradiction(a, b)

        monkeypatch.setattr("substrate.claims.contradiction", compare)

    return fail_with


def rows(memory: Memory) -> dict[str, dict[bytes, bytes]]:
    with memory._store.log.snapshot() as transaction:
        return {table: dict(transaction.scan(table)) for table in (CLAIMS, CONFLICTS)}


def assert_a_rebuild_changes_nothing(memory: Memory) -> None:
    live = rows(memory)
    assert check_store(memory._store.log.path, views=VIEWS, checks=CHECKS).damage is None
    memory.rebuild()
    assert rows(memory) == live


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "substrate.claims.fault"]


@pytest.mark.usefixtures("unreadable")
def test_an_atom_whose_claim_cannot_be_read_is_saved_and_named_and_the_others_are_compared(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    memory.checkpoint([f"{A} = Stripe"])
    saved = memory.checkpoint([f"v1.fact.odd = {MARK}", f"{B} = Adyen"])
    assert saved.recorded == ("v1.fact.odd", B)
    assert saved.unchecked == ("v1.fact.odd",)
    assert [(found.first, found.second) for found in saved.conflicts] == [(A, B)]
    assert memory.access("v1.fact.odd").value == MARK
    assert memory.checkpoint([f"v1.fact.odder = {MARK}"]).unchecked == ("v1.fact.odder",)
    assert logged(caplog) == [
        "finding conflicts failed (IndexError): the atom is saved, but its conflicts may be missed",
        "reading a claim failed (IndexError): the atom is saved, but its conflicts may be missed",
    ], "once each, however often it fails"
    assert_a_rebuild_changes_nothing(memory)


@pytest.mark.usefixtures("unreadable")
def test_a_version_whose_claim_cannot_be_read_takes_the_claim_of_the_one_before_away(memory: Memory) -> None:
    memory.checkpoint([f"{A} = Stripe"])
    memory.checkpoint([f"{A} = {MARK}"])
    assert memory.checkpoint([f"{B} = Adyen"]).conflicts == ()
    assert_a_rebuild_changes_nothing(memory)


def test_an_atom_that_cannot_be_compared_is_saved_and_named(
    memory: Memory, incomparable: Callable[[Exception], None]
) -> None:
    incomparable(ZeroDivisionError())
    memory.checkpoint([f"{A} = Stripe"])
    assert memory.checkpoint([f"{B} = {MARK}"]).unchecked == (B,)
    assert memory.access(B).value == MARK
    assert_a_rebuild_changes_nothing(memory)


def test_a_conflict_is_listed_also_if_the_reason_cannot_be_told(
    memory: Memory, incomparable: Callable[[Exception], None]
) -> None:
    memory.checkpoint([f"{A} = Stripe"])
    assert memory.checkpoint([f"{B} = {MARK}"]).conflicts[0].reason == f"Stripe is not {MARK}"
    incomparable(ZeroDivisionError())
    assert [found.reason for found in memory.conflicts()] == ["value"]


@pytest.mark.parametrize("error", [StoreDamaged("a row is malformed"), MemoryError()])
def test_an_error_of_the_store_or_of_the_machine_is_raised_with_nothing_written(
    memory: Memory, incomparable: Callable[[Exception], None], error: Exception
) -> None:
    incomparable(error)
    memory.checkpoint([f"{A} = Stripe"])
    with pytest.raises(type(error)):
        memory.checkpoint([f"{B} = {MARK}"])
    assert [atom.name for atom in memory.list()] == [A]


@pytest.mark.usefixtures("unreadable")
def test_an_import_and_every_face_name_what_was_not_checked(memory: Memory) -> None:
    lines = '{"kind":"put","name":"v1.fact.odd","value":"Zzyzx"}\n'
    saved = memory.import_lines(io.StringIO(lines))
    assert saved.to_dict()["unchecked"] == ["v1.fact.odd"]
    answer = saved_answer(saved, ())
    assert "('unchecked', 'v1.fact.odd')" in str(answer)
    assert any("unchecked" in hint for hint in answer.hints)
    assert "not checked for conflicts" in show_saved(saved)
    assert Checkpointed.of(saved, reveals=False).unchecked == ["v1.fact.odd"]


def test_where_all_was_checked_nothing_is_said_of_it(memory: Memory) -> None:
    saved = memory.checkpoint([f"{A} = Stripe"])
    assert "unchecked" not in saved.to_dict()
    assert Checkpointed.of(saved, reveals=True).unchecked is None
