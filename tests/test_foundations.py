"""Names, clock, settings, files, bodies and errors: the small parts everything stands on."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

import substrate
from substrate import errors
from substrate.clock import ManualClock, SystemClock
from substrate.codec import decode_body, decode_vkey, draft_forget, draft_put, map_change
from substrate.errors import InputError, StoreDamaged, SubstrateError, TooLarge
from substrate.files import remove_leftovers, replace_file
from substrate.limits import LIMITS, check_limit
from substrate.log.identity import id_text
from substrate.names import check_name
from substrate.proof.entry import Kind
from substrate.settings import load_settings

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", ["v1.fact.a", "v12.my_type2.Größe 5.b", "v1.entity.proj.x=1", "v1.fact.支付"])
def test_a_valid_name_is_taken_as_it_is(name: str) -> None:
    assert check_name(name) == name


def test_a_name_has_one_spelling_whatever_way_it_was_typed() -> None:
    assert check_name("v1.fact.a\u0308") == check_name("v1.fact.\u00e4") == "v1.fact.ä"


@pytest.mark.parametrize(
    "name",
    [
        *["", "fact.a", "v0.fact.a", "v1.Fact.a", "v1..a"],
        *["v1.fact.", "v1.fact. a", "v1.fact.a.", "v1.fact.\x00", "v1.fact.\ud800"],
    ],
)
def test_an_invalid_name_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        check_name(name)


@given(st.text())
def test_whatever_rest_is_accepted_is_canonical_and_within_the_limit(rest: str) -> None:
    try:
        name = check_name("v1.fact." + rest)
    except InputError:
        return
    assert unicodedata.normalize("NFC", name) == name
    assert len(name.encode()) <= LIMITS["name_bytes"]
    assert check_name(name) == name


def test_the_system_clock_never_steps_back(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([5_000, 9_000, 7_000, 10_000])
    monkeypatch.setattr("time.time_ns", lambda: next(times))
    clock = SystemClock()
    assert [clock.now() for _ in range(4)] == [5, 9, 9, 10]


def test_the_manual_clock_does_what_it_is_told() -> None:
    clock = ManualClock(10)
    clock.advance(-3)
    assert clock.now() == 7


@pytest.mark.parametrize("time", [-1, -(2**70), 2**63, 1.5, None, True])
def test_a_clock_that_tells_no_time_an_entry_can_bear_is_an_error_of_ours(tmp_path: Path, time: Any) -> None:
    home, clock = tmp_path / "home", ManualClock(time)
    with pytest.raises(InputError, match="the clock says"):
        substrate.open(tmp_path / "new", home=home, clock=clock)
    with substrate.open(tmp_path / "store", home=home) as memory:
        memory.checkpoint(["v1.fact.a = 1"])
    with substrate.open(tmp_path / "store", home=home, clock=clock) as memory:
        for verb in (lambda: memory.checkpoint(["v1.fact.a = 2"]), lambda: memory.access("v1.fact.a")):
            with pytest.raises(InputError, match="the clock says"):
                verb()
    with substrate.open(tmp_path / "new", home=home) as memory:  # nothing was left that would be in its way
        memory.checkpoint(["v1.fact.a = 1"])


def test_the_home_is_the_platforms_place_unless_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("me"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert load_settings({"SUBSTRATE_HOME": "x"}).home == Path("x").resolve()
    assert load_settings({"XDG_CONFIG_HOME": "relative"}).home == Path("me/.config/substrate")
    assert load_settings({}).home == Path("me/.config/substrate")
    assert load_settings({"XDG_CONFIG_HOME": "/cfg"}).home == Path("/cfg/substrate")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert load_settings({}).home == Path("me/Library/Application Support/substrate")


def test_the_store_is_beside_the_work_unless_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "me")
    assert load_settings({}).store == load_settings({"SUBSTRATE_STORE": ""}).store == Path("substrate-store")
    assert load_settings({"SUBSTRATE_STORE": "x/y"}).store == Path("x/y")
    assert load_settings({"SUBSTRATE_STORE": "~/y"}).store == Path("me/y")


def test_only_settings_read_the_environment() -> None:
    readers = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "substrate").rglob("*.py")
        if re.search(r"os\.(environ|getenv)", path.read_text(encoding="utf-8"))
    ]
    assert readers == ["substrate/settings.py"]


def test_a_replaced_file_is_the_old_one_or_the_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    replace_file(path, b"old")
    assert path.stat().st_mode & 0o777 == 0o600

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="Input/output"):
            replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / ".file.1.new").write_bytes(b"left by a dead process")
    remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == [path]
    replace_file(path, b"new" * 1000)
    assert path.read_bytes() == b"new" * 1000


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3),
    max_leaves=8,
).filter(lambda value: "\ud800" not in str(value))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.dictionaries(st.sampled_from("abc"), json_values))
def test_a_body_gives_back_what_went_in_and_has_one_encoding(value: str, fields: dict[str, object]) -> None:
    try:
        draft = draft_put("v1.fact.a", value, fields)  # type: ignore[arg-type]
    except InputError:
        return
    shuffled = draft_put("v1.fact.a", value, dict(reversed(fields.items())))  # type: ignore[arg-type]
    assert draft.body == shuffled.body
    kept = {key: item for key, item in fields.items() if item is not None}
    assert decode_body(draft.body) == {**kept, "name": "v1.fact.a", "value": value}


@pytest.mark.parametrize("body", [b"", b"\xff", b"[]", b"{", b"[" * 100_000])
def test_a_body_that_is_no_object_is_damage(body: bytes) -> None:
    with pytest.raises(StoreDamaged):
        decode_body(body)


def test_bodies_that_do_not_name_what_their_kind_needs_are_damage() -> None:
    with pytest.raises(StoreDamaged, match="names no vkey"):
        decode_vkey(b"{}")
    with pytest.raises(StoreDamaged, match="put entry names nothing"):
        map_change(Kind.PUT, {"name": 5})
    assert map_change(Kind.FORGET, decode_body(draft_forget(bytes(16), [1]).body)) is None
    assert map_change(Kind.EDGE, {}) is None
    with pytest.raises(StoreDamaged, match="holds no map key"):
        map_change(Kind.FORGET, {"key": "not hex"})


def test_the_error_tree_in_the_docstring_is_the_one_in_the_code() -> None:
    assert errors.__doc__ is not None
    drawn = re.findall(r"(?:├──|└──)\s+(\w+)", errors.__doc__)
    assert sorted([*drawn, "SubstrateError"]) == sorted(errors.__all__)
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), SubstrateError)


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [getattr(errors, name).code for name in errors.__all__]
    assert len(set(codes)) == len(codes)
    assert {name for name in errors.__all__ if getattr(errors, name).retryable} == {"Busy", "Conflict", "HeadMoved"}


def test_too_large_says_field_size_and_limit() -> None:
    error = TooLarge("value", 2_000, 1_000)
    assert (error.field, error.size, error.limit) == ("value", 2_000, 1_000)
    assert str(error) == "value has 2,000 bytes; the limit is 1,000"


def test_a_limit_that_is_too_large_says_how_to_get_the_rest_where_a_verb_can() -> None:
    with pytest.raises(TooLarge, match=r"^limit is 5,000; the most is 1,000: call again with offset for the rest$"):
        check_limit(5_000, 0)
    with pytest.raises(TooLarge, match=r"^limit is 5,000; the most is 1,000$"):
        check_limit(5_000)


def test_the_table_of_limits_in_the_docs_is_the_one_in_the_code() -> None:
    text = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", text, re.MULTILINE)
    assert {name: int(number.replace(",", "")) for name, number in rows} == LIMITS


@given(st.binary(min_size=16, max_size=16))
def test_an_id_is_shown_as_a_uuid(subject: bytes) -> None:
    assert id_text(subject) == str(UUID(bytes=subject))


@pytest.mark.parametrize("body", [b'{"name":"v1.fact.a"}x', b'{"name":"v1.fact.a"}{}', b'{"name":"v1.fact.a"} ', b""])
def test_a_body_with_more_behind_it_is_damaged(body: bytes) -> None:
    with pytest.raises(StoreDamaged, match="well-formed"):
        decode_body(body)


def test_a_name_of_very_many_accents_is_refused_before_they_are_put_in_order() -> None:
    with pytest.raises(TooLarge):
        check_name("v1.fact.a" + "\u0300\u0323" * 1_000_000)
    assert check_name("v1.fact." + "\u1112\u1161\u11ab" * 130) == "v1.fact." + "\ud55c" * 130
