"""Odd input: whatever is handed in, there is an answer or an error of ours, and no item ever spoils the store."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from substrate.errors import InputError, ItemsRefused, SchemaInvalid, SubstrateError
from substrate.memory import Memory, open_memory
from substrate.values.saved import Refused
from tests.scale import rounds

pytestmark = pytest.mark.soak

A = "v1.fact.a"
TIMES = ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"]
KEY = "AKIA" + "Z7QK3M9X2B5T8W1R"

ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 2**63, math.inf, math.nan])
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.sampled_from([A, "v1.fact.b", "\ud800", "x" * 5000, "9" * 5000, *TIMES, "2026-01-01", "v1.fact.\x00", KEY])
    | st.binary(max_size=5)
    | st.datetimes()
    | st.just(object()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3),
    max_leaves=5,
)
FIELDS = st.sampled_from(
    ["name", "value", "tags", "entities", "confidence", "source", "origin", "actor", "session", "occurred_at",
     "valid_from", "valid_to", "parent", "position", "attrs", "type", "target", "windows", "label", "cited", "x"]
)  # fmt: skip
ITEMS = st.dictionaries(FIELDS, ODD, max_size=4)

CALLS: dict[str, Callable[[Memory, Any, Any], object]] = {
    "atoms": lambda memory, odd, item: memory.checkpoint([{"name": A, "value": "x", **item}, odd]),
    "edges": lambda memory, odd, item: memory.checkpoint(
        edges=[{"source": A, "type": "needs", "target": "v1.fact.b", **item}, odd], partial=True
    ),
    "tombstones": lambda memory, odd, _: memory.checkpoint(tombstones=[odd], unedges=[odd], partial=True),
    "whole": lambda memory, odd, _: memory.checkpoint(odd),
    "said": lambda memory, odd, _: memory.checkpoint([f"{A} = x"], actor=odd, session=odd, source=odd),
    "expect": lambda memory, odd, _: memory.checkpoint([f"{A} = x"], expect=odd, task=odd),
    "access": lambda memory, odd, _: memory.access(odd),
    "as_of": lambda memory, odd, _: memory.access(A, as_of=odd),
    "valid_at": lambda memory, odd, _: memory.list(valid_at=odd),
    "edges_at": lambda memory, odd, _: memory.edges(A, valid_at=odd),
    "list": lambda memory, odd, _: memory.list(odd),
    "list after": lambda memory, odd, _: memory.list(after=odd, limit=odd, offset=odd),
    "edges of": lambda memory, odd, _: memory.edges(odd, direction=odd, type=odd),
    "history": lambda memory, odd, _: memory.history(odd),
    "diff": lambda memory, odd, _: memory.diff(odd, odd),
    "diff limit": lambda memory, odd, _: memory.diff(0, limit=odd),
    "diff prefix": lambda memory, odd, _: memory.diff(0, prefix=odd),
    "forget": lambda memory, odd, _: memory.forget(odd, dry_run=True),
    "forget by": lambda memory, odd, _: memory.forget(actor=odd, dry_run=True),
    "forget seqs": lambda memory, odd, _: memory.forget(seqs=odd, dry_run=True),
    "prove": lambda memory, odd, _: memory.prove(odd),
    "since": lambda memory, odd, _: memory.prove(A, since=odd),
    "trusting": lambda memory, odd, _: memory.prove(A, trusting=odd),
    "prove_entry": lambda memory, odd, _: memory.prove_entry(odd),
    "until": lambda memory, odd, _: memory.prove_extended(memory.pin(), until=odd),
    "pin": lambda memory, odd, _: memory.pin(odd),
    "heads": lambda memory, odd, _: memory.heads(before=odd, limit=odd),
    "growth": lambda memory, odd, _: memory.growth(odd, odd, parts=odd),
    "growth from": lambda memory, odd, _: memory.growth(odd),
    "check_pin": lambda memory, odd, _: memory.check_pin(odd),
    "verify": lambda memory, odd, _: memory.verify(odd),
    "import": lambda memory, odd, _: memory.import_lines(io.StringIO(str(odd))),
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    folder = tmp_path_factory.mktemp("odd")
    memory = open_memory(folder / "store", home=folder / "home")
    window = {"start": "2026-01-01"}
    memory.checkpoint([f"{A} = x"], edges=[{"source": A, "type": "needs", "target": "v1.fact.b", "windows": [window]}])
    return memory


@pytest.mark.parametrize("call", CALLS)
def test_odd_input_gets_an_answer_or_an_error_of_ours(shared: Memory, call: str) -> None:
    @settings(max_examples=rounds(10, 2000))
    @given(odd=ODD, item=ITEMS)
    def holds(odd: object, item: dict[str, object]) -> None:
        try:
            CALLS[call](shared, odd, item)
        except SubstrateError as error:
            assert KEY not in str(error)  # noqa: PT017
        shared.list()

    holds()
    shared.export(io.StringIO())
    shared.diff(0)


@pytest.mark.parametrize("time", TIMES)
def test_a_time_that_no_utc_date_can_have_is_refused(memory: Memory, time: str) -> None:
    for field in ("occurred_at", "valid_from", "valid_to"):
        with pytest.raises(ItemsRefused, match="years 1 to 9999"):
            memory.checkpoint([{"name": A, "value": "x", field: time}])
    with pytest.raises(SchemaInvalid):
        memory.list(valid_at=time)


@pytest.mark.parametrize("attrs", [{KEY: {"a": 1}}, {KEY: []}, {"a": [{KEY: {}}]}, {"a": {"b": KEY}}, {"a": [KEY]}])
def test_a_credential_is_found_anywhere_in_attrs(memory: Memory, attrs: dict[str, object]) -> None:
    with pytest.raises(ItemsRefused) as caught:
        memory.checkpoint([{"name": A, "value": "x", "attrs": attrs}])
    (refused,) = caught.value.refused
    assert isinstance(refused, Refused)
    assert refused.code == "secret"
    assert KEY not in str(caught.value)


def test_a_credential_is_found_in_an_edges_type_and_in_a_task(memory: Memory) -> None:
    kind = "sk_live_" + "4ec39hqlyjwdarjtt1zdp7dc"
    with pytest.raises(ItemsRefused, match="stripe_key"):
        memory.checkpoint(edges=[{"source": A, "type": kind, "target": "v1.fact.b"}])
    with pytest.raises(InputError, match="aws_access_key_id"):
        memory.checkpoint([f"{A} = x"], task=f"v1.task.{KEY}")


@pytest.mark.parametrize(
    "item",
    [
        "postgres://user:hunter2correcthorse" + "zq7" * 30 + "@host/db = b",
        {"github_pat_11B5Q7XKA0vWz3rTn8mPqL_" + "d9FhJ2kLs7ZxC4vBnM1qWe8RtY5uIo3PaSdFgHjKlQwErTyUiOpZxCvBnM1": 1},
    ],
)
def test_what_is_cut_short_in_a_message_is_not_repeated_if_it_was_a_credential(memory: Memory, item: Any) -> None:
    with pytest.raises(ItemsRefused) as caught:
        memory.checkpoint([item])
    assert "hunter2" not in str(caught.value)
    assert "11B5Q7XKA0" not in str(caught.value)


def test_a_number_beyond_all_bounds_is_no_moment(memory: Memory) -> None:
    for moment in (10**5000, "9" * 5000):
        with pytest.raises(InputError, match="one so large"):
            memory.access(A, as_of=moment)


def test_an_atom_named_twice_is_forgotten_once(memory: Memory) -> None:
    memory.checkpoint([f"{A} = x"])
    assert memory.forget([A, memory.access(A).atom.id]).atoms == 1


def test_a_head_as_text_can_be_expected(memory: Memory) -> None:
    memory.checkpoint([f"{A} = x"], expect=str(memory.pin()))
    memory.checkpoint([f"{A} = y"], expect=str(memory.head()))
    with pytest.raises(SchemaInvalid, match="expect"):
        memory.checkpoint([f"{A} = z"], expect="nonsense")


@pytest.mark.parametrize("name", ["v1.fact.db_password", "v1.fact.pw", "v1.fact.x"])
@pytest.mark.parametrize(
    "value", ["password: kX9mPq2vLz", "Password = kX9mPq2vLz", "kX9mPq2vLz is the password: kX9mPq2vLz"]
)
def test_a_password_is_found_whatever_the_name_says(memory: Memory, name: str, value: str) -> None:
    with pytest.raises(ItemsRefused, match="password"):
        memory.checkpoint([f"{name} = {value}"])


def test_a_key_is_found_under_a_name_that_speaks_of_one(memory: Memory) -> None:
    with pytest.raises(ItemsRefused, match="looks like a credential"):
        memory.checkpoint(["v1.fact.api_key = api_key: 9f8a7b6c5d4e3f2a1b0c"])


def test_what_is_refused_as_too_large_is_not_looked_through(memory: Memory) -> None:
    deep: dict[str, object] = {}
    for _ in range(8000):
        deep = {"a": deep}
    saved = memory.checkpoint(
        [f"{A} = x", {"name": "v1.fact.deep", "value": "x", "attrs": deep}, "v1.fact.long = " + "x" * 2**24],
        partial=True,
    )
    assert [(refused.code, refused.name) for refused in saved.refused] == [
        ("too_large", "v1.fact.deep"),
        ("too_large", "v1.fact.long"),
    ]
