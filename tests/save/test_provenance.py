from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import substrate
from substrate.limits import LIMITS
from substrate.save.place import Place, recorded_by
from tests.scale import rounds


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[substrate.Memory]:
    with substrate.open(tmp_path / "store", home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def where() -> Iterator[dict[str, Place | None]]:
    """Where the process is: to be changed by the test."""
    now: dict[str, Place | None] = {"place": {"path": "a.ipynb", "cell": "c1", "execution": 1}}
    recorded_by(lambda: now["place"])
    yield now
    recorded_by(None)


def test_what_is_recorded_in_a_notebook_knows_where(memory: substrate.Memory, where: dict[str, Place | None]) -> None:
    memory.checkpoint(
        ["v1.fact.a = x", {"name": "v1.fact.b", "value": "y", "attrs": {"unit": "EUR"}}],
        edges=[{"source": "v1.fact.b", "type": "derived_from", "target": "v1.fact.a"}],
    )
    assert memory.access("v1.fact.a").atom.attrs == {"notebook": where["place"]}
    assert memory.access("v1.fact.b").atom.attrs == {"unit": "EUR", "notebook": where["place"]}
    assert memory.edges("v1.fact.b")[0].attrs == {"notebook": where["place"]}


def test_outside_of_a_notebook_nothing_is_said_of_one(memory: substrate.Memory, where: dict[str, Place | None]) -> None:
    where["place"] = None
    memory.checkpoint(["v1.fact.a = x"])
    assert memory.access("v1.fact.a").atom.attrs == {}


def test_what_is_recorded_is_saved_also_if_where_cannot_be_told_which_is_said_once(
    memory: substrate.Memory, caplog: pytest.LogCaptureFixture
) -> None:
    def fails() -> Place | None:
        raise KeyError("parent")

    recorded_by(fails)
    try:
        memory.checkpoint(["v1.fact.a = x"])
        memory.checkpoint(["v1.fact.b = y"])
    finally:
        recorded_by(None)
    assert memory.access("v1.fact.a").atom.attrs == memory.access("v1.fact.b").atom.attrs == {}
    (said,) = (record for record in caplog.records if record.name == "substrate.save.place")
    assert "cannot be told" in said.message
    assert said.exc_info is not None, "with the reason"


def test_to_run_a_cell_again_makes_no_new_version(memory: substrate.Memory, where: dict[str, Place | None]) -> None:
    items = ["v1.fact.a = x", {"name": "v1.fact.b", "value": "y", "attrs": {"unit": "EUR"}}]
    edges = [{"source": "v1.fact.b", "type": "derived_from", "target": "v1.fact.a"}]
    memory.checkpoint(items, edges=edges)
    where["place"] = {"path": "a.ipynb", "cell": "c1", "execution": 2}
    again = memory.checkpoint(items, edges=edges)
    assert again.recorded == ()
    assert set(again.confirmed) == {"v1.fact.a", "v1.fact.b", "v1.fact.b derived_from v1.fact.a"}
    where["place"] = None
    assert memory.checkpoint(items, edges=edges).recorded == ()


def test_the_same_said_again_in_a_notebook_keeps_the_other_attrs(
    memory: substrate.Memory, where: dict[str, Place | None]
) -> None:
    first, where["place"] = where["place"], None
    memory.checkpoint([{"name": "v1.fact.b", "value": "y", "attrs": {"unit": "EUR"}}])
    where["place"] = first
    assert memory.checkpoint(["v1.fact.b = y"]).recorded == ()
    memory.checkpoint([{"name": "v1.fact.b", "value": "y", "tags": ["new"]}])
    assert memory.access("v1.fact.b").atom.attrs == {"unit": "EUR", "notebook": first}
    memory.checkpoint([{"name": "v1.fact.b", "value": "y", "attrs": None}])
    assert memory.access("v1.fact.b").atom.attrs == {"notebook": first}
    assert memory.checkpoint([{"name": "v1.fact.b", "value": "y", "attrs": None}]).recorded == ()


def test_outside_of_a_notebook_a_place_can_be_taken_out(
    memory: substrate.Memory, where: dict[str, Place | None]
) -> None:
    memory.checkpoint(["v1.fact.a = x"])
    where["place"] = None
    assert memory.checkpoint(["v1.fact.a = x"]).recorded == ()
    assert memory.checkpoint([{"name": "v1.fact.a", "value": "x", "attrs": None}]).recorded == ("v1.fact.a",)
    assert memory.access("v1.fact.a").atom.attrs == {}


def test_a_version_that_another_caller_makes_does_not_inherit_the_place(
    memory: substrate.Memory, where: dict[str, Place | None]
) -> None:
    memory.checkpoint([{"name": "v1.fact.a", "value": "x", "attrs": {"unit": "EUR"}}])
    where["place"] = None
    memory.client("agent").checkpoint([{"name": "v1.fact.a", "value": "x", "tags": ["new"]}])
    assert memory.access("v1.fact.a").atom.attrs == {"unit": "EUR"}
    assert memory.access("v1.fact.a").atom.actor == "agent"


def test_other_code_with_the_same_result_is_another_version(
    memory: substrate.Memory, where: dict[str, Place | None]
) -> None:
    def record(code: str | None, execution: int) -> tuple[str, ...]:
        place = {"path": "a.ipynb", "execution": execution} | ({"code": code} if code else {})
        return memory.checkpoint([{"name": "v1.fact.a", "value": "2", "attrs": {"notebook": place}}]).recorded

    assert where["place"]
    assert [bool(record(code, at)) for at, code in enumerate(["1 + 1", "1 + 1", None, "4 / 2", "4 / 2"])] == [
        *(True, False, False),
        *(True, False),
    ]
    assert memory.access("v1.fact.a").atom.attrs["notebook"] == {"path": "a.ipynb", "execution": 3, "code": "4 / 2"}


def test_an_attr_of_the_users_own_that_has_the_same_name_counts(memory: substrate.Memory) -> None:
    def say(notebook: object) -> bool:
        saved = memory.checkpoint([{"name": "v1.fact.a", "value": "x", "attrs": {"notebook": notebook}}])
        return bool(saved.recorded)

    assert [say(brand) for brand in ("Moleskine", "Moleskine", "Leuchtturm")] == [True, False, True]
    assert memory.access("v1.fact.a").atom.attrs == {"notebook": "Leuchtturm"}


def test_a_place_for_which_there_is_no_room_is_left_out(
    memory: substrate.Memory, where: dict[str, Place | None], tmp_path: Path
) -> None:
    where["place"] = {"path": "p" * 400}
    attrs = {"a": "y" * (LIMITS["attrs_bytes"] - 50)}
    memory.checkpoint([{"name": "v1.fact.a", "value": "x", "attrs": attrs}])
    assert memory.access("v1.fact.a").atom.attrs == attrs
    memory.export(tmp_path / "lines")
    where["place"] = None
    with substrate.open(tmp_path / "other", home=tmp_path / "home") as other:
        other.import_lines(tmp_path / "lines")
        assert other.access("v1.fact.a").atom.attrs == attrs


def test_what_the_caller_says_of_the_place_holds(memory: substrate.Memory, where: dict[str, Place | None]) -> None:
    assert where["place"]
    memory.checkpoint([{"name": "v1.fact.a", "value": "x", "attrs": {"notebook": {"path": "other.ipynb"}}}])
    assert memory.access("v1.fact.a").atom.attrs == {"notebook": {"path": "other.ipynb"}}


def test_imported_lines_carry_only_the_place_they_bring(
    memory: substrate.Memory, where: dict[str, Place | None], tmp_path: Path
) -> None:
    where["place"] = None
    memory.checkpoint(["v1.fact.a = x"])
    where["place"] = at = {"path": "first.ipynb", "cell": "c7", "execution": 3}
    memory.checkpoint(["v1.fact.b = y"], edges=[{"source": "v1.fact.b", "type": "derived_from", "target": "v1.fact.a"}])
    memory.export(tmp_path / "lines")
    where["place"] = {"path": "importing.ipynb", "cell": "c1", "execution": 1}
    with substrate.open(tmp_path / "other", home=tmp_path / "home") as other:
        other.client("agent").import_lines(tmp_path / "lines")
        assert other.access("v1.fact.a").atom.attrs == {}
        assert other.access("v1.fact.b").atom.attrs == other.edges("v1.fact.b")[0].attrs == {"notebook": at}
        other.checkpoint(["v1.fact.c = z"])
        assert other.access("v1.fact.c").atom.attrs == {"notebook": where["place"]}, "what is saved here is from here"


_ATTRS = st.dictionaries(st.sampled_from(["unit", "kind"]), st.integers(0, 2))
_PLACES = st.none() | st.fixed_dictionaries({"path": st.sampled_from("ab"), "execution": st.integers(0, 3)})


@settings(
    max_examples=rounds(12, 1000), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(said=st.lists(st.tuples(_ATTRS, _PLACES), min_size=1, max_size=6))
def test_where_it_is_said_never_decides_whether_there_is_a_new_version(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[dict[str, int], Place | None]]
) -> None:
    folder = tmp_path_factory.mktemp("pair")
    now: dict[str, Place | None] = {"place": None}
    recorded_by(lambda: now["place"])
    try:
        with (
            substrate.open(folder / "here", home=folder / "home") as here,
            substrate.open(folder / "nowhere", home=folder / "home") as nowhere,
        ):
            for attrs, place in said:
                item = {"name": "v1.fact.a", "value": "x", **({"attrs": attrs} if attrs else {})}
                now["place"] = place
                placed = here.checkpoint([item])
                now["place"] = None
                assert placed.recorded == nowhere.checkpoint([item]).recorded
    finally:
        recorded_by(None)


def test_accesses_are_those_of_the_block_and_of_this_store(memory: substrate.Memory, tmp_path: Path) -> None:
    memory.checkpoint(["v1.fact.a = x", "v1.fact.b = y"])
    memory.access("v1.fact.a")
    with substrate.open(tmp_path / "other", home=tmp_path / "home") as other, memory.accesses() as names:
        other.checkpoint(["v1.fact.elsewhere = z"])
        other.access("v1.fact.elsewhere")
        memory.access("v1.fact.b")
        with memory.session("looking") as session, memory.accesses() as inner:
            session.access("v1.fact.a")
        memory.client("agent").access("v1.fact.b", as_of=2)
        memory.search("x")
    memory.access("v1.fact.a")
    assert names == ["v1.fact.b", "v1.fact.a", "v1.fact.b"]
    assert inner == ["v1.fact.a"]


def test_a_block_that_ends_before_one_inside_it_takes_nothing_from_that_one(memory: substrate.Memory) -> None:
    memory.checkpoint(["v1.fact.a = x", "v1.fact.b = y"])
    outer, inner = memory.accesses(), memory.accesses()
    names, inside = outer.__enter__(), inner.__enter__()
    memory.access("v1.fact.a")
    outer.__exit__(None, None, None)
    memory.access("v1.fact.b")
    inner.__exit__(None, None, None)
    memory.access("v1.fact.a")
    assert (names, inside) == (["v1.fact.a"], ["v1.fact.a", "v1.fact.b"])
