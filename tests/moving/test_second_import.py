"""The same table again: lines that did not change put nothing over what was said since."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from substrate import open as open_store
from substrate.memory import Memory
from substrate.moving import past, record

ROWS = {"a": "one", "b": "two", "c": "three"}


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    def write(*, name: str = "facts.csv", **rows: str) -> Path:
        path = tmp_path / name
        lines = (f"{key},{value},t,2020-01-01\n" for key, value in {**ROWS, **rows}.items())
        path.write_text("name,value,tags,valid_from\n" + "".join(lines), encoding="utf-8")
        return path

    return write


def values(memory: Memory) -> dict[str, str]:
    return {atom.name.removeprefix("v1.note."): atom.value for atom in memory.list()}


def test_the_same_file_changes_nothing_where_a_person_changed_an_atom_since(
    memory: Memory, table: Callable[..., Path]
) -> None:
    """Changed, tagged, renamed or out of use. The twin: `older` puts the file's values back."""
    memory.import_file(table(d="four"))
    memory.checkpoint(
        ["v1.note.a = mine", {"name": "v1.note.b", "value": "two", "tags": ["u"]}], tombstones=["v1.note.c"]
    )
    memory.rename("v1.note.d", "v1.note.e")
    size, before = memory.head().head.size, values(memory)
    left = ("v1.note.a", "v1.note.b", "v1.note.c", "v1.note.d")
    assert memory.import_file(table(d="four"), dry_run=True).older == left
    assert memory.import_file(table(d="four")).older == left
    assert (values(memory), memory.head().head.size) == (before, size)
    forced = memory.import_file(table(d="four"), older=True)
    assert (forced.older, values(memory)) == ((), {**ROWS, "d": "four", "e": "four"})


def test_a_changed_line_is_imported_also_back_to_what_the_file_said_earlier(
    memory: Memory, table: Callable[..., Path]
) -> None:
    for word in ("one", "other", "one"):
        memory.checkpoint(["v1.note.a = mine", "v1.note.b = mine"])
        assert "v1.note.a" in memory.import_file(table(a=word)).recorded
        assert memory.access("v1.note.a").value == word
    assert memory.access("v1.note.b").value == "mine"


def test_what_the_store_still_says_is_confirmed_and_a_file_of_another_name_is_another_word(
    memory: Memory, table: Callable[..., Path]
) -> None:
    memory.import_file(table())
    again = memory.import_file(table())
    assert (again.recorded, again.older, len(again.confirmed)) == ((), (), 3)
    memory.checkpoint(["v1.note.a = mine"])
    assert memory.import_file(table(name="other.csv", a="one")).older == ()
    assert memory.access("v1.note.a").value == "one"


def test_a_file_that_only_confirmed_what_was_there_does_not_bring_it_back(
    memory: Memory, table: Callable[..., Path]
) -> None:
    own = {"name": "v1.note.a", "value": "one", "tags": ["t"], "source": "facts.csv", "valid_from": "2020-01-01"}
    memory.checkpoint([own])
    assert memory.import_file(table()).confirmed == ("v1.note.a",)
    memory.checkpoint(["v1.note.a = mine"])
    assert memory.import_file(table()).older == ("v1.note.a",)


def test_an_import_that_was_undone_is_news_again(memory: Memory, table: Callable[..., Path]) -> None:
    memory.import_file(table())
    memory.undo()
    assert values(memory) == {}
    assert len(memory.import_file(table()).recorded) == 3
    assert values(memory) == ROWS


def same_rows(folder: Path, *cells: str) -> Path:
    """A table whose rows have one name and text, and these cells."""
    path = folder / "same.csv"
    path.write_text("name,value,tags,owner\n" + "".join(f"a,one,{row}\n" for row in cells), encoding="utf-8")
    return path


@seed(7)
@settings(max_examples=40, deadline=None, database=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["x,", "y,", "x,ann", "y,bob", ",ann", ","]), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    )
)
def test_rows_of_one_name_and_text_change_nothing_the_second_time_and_say_what_the_last_ones_say(
    files: list[list[str]],
) -> None:
    with TemporaryDirectory() as folder:
        memory = open_store(Path(folder) / "store", model="none")
        tags: tuple[str, ...] = ()
        try:
            for cells in files:
                memory.import_file(same_rows(Path(folder), *cells))
                size, atom = memory.head().head.size, memory.access("v1.note.a").atom
                tags = next((tuple(row.split(",")[:1]) for row in reversed(cells) if row[0] != ","), tags)
                assert atom.tags == tags
                again = memory.import_file(same_rows(Path(folder), *cells))
                assert (again.recorded, again.older, again.confirmed) == ((), (), ("v1.note.a",))
                assert (memory.head().head.size, memory.access("v1.note.a").atom.tags) == (size, tags)
        finally:
            memory.close()


def test_rows_of_one_name_and_text_put_nothing_over_what_a_person_changed_until_one_of_them_changes(
    memory: Memory, tmp_path: Path
) -> None:
    memory.import_file(same_rows(tmp_path, "x,ann", "y,bob"))
    memory.checkpoint([{"name": "v1.note.a", "value": "one", "tags": ["mine"]}])
    size = memory.head().head.size
    for _ in range(2):
        assert memory.import_file(same_rows(tmp_path, "x,ann", "y,bob")).older == ("v1.note.a",)
        assert (memory.access("v1.note.a").atom.tags, memory.head().head.size) == (("mine",), size)
    memory.import_file(same_rows(tmp_path, "x,ann", "z,bob"))
    assert memory.access("v1.note.a").atom.tags == ("z",)


@pytest.mark.parametrize("rows", [("n,carl", "y,bob"), ("n,carl", "x,ann", "y,bob")])
@pytest.mark.parametrize("is_busy", [False, True])
def test_if_a_row_changes_the_rows_of_its_name_behind_it_are_recorded_too(
    memory: Memory, tmp_path: Path, rows: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, *, is_busy: bool
) -> None:
    """Also if others write something else meanwhile. They were judged by what the store said before that row."""
    memory.import_file(same_rows(tmp_path, "x,ann", "y,bob"))
    memory.checkpoint([{"name": "v1.note.a", "value": "one", "tags": ["mine"]}])
    write = record.checkpoint

    def meddling(*given: Any, **options: Any) -> Any:
        memory.checkpoint([{"name": "v1.note.other", "value": "x", "attrs": {"at": memory.head().head.size}}])
        return write(*given, **options)

    with monkeypatch.context() as patch:
        if is_busy:
            patch.setattr(record, "checkpoint", meddling)
        assert memory.import_file(same_rows(tmp_path, *rows)).older == ()
    assert memory.access("v1.note.a").atom.tags == ("y",)
    size = memory.head().head.size
    again = memory.import_file(same_rows(tmp_path, *rows))
    assert (memory.head().head.size, again.recorded, again.confirmed) == (size, (), ("v1.note.a",))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often the versions of an atom were read: for each row, 2,000 rows of one name and text took a minute."""
    read = [0]
    standing = past._standing

    def counted(*given: Any) -> Any:
        read[0] += 1
        return standing(*given)

    monkeypatch.setattr(past, "_standing", counted)
    return read


def test_the_versions_of_an_atom_are_read_a_few_times_for_all_rows_of_its_name(
    memory: Memory, tmp_path: Path, read: list[int]
) -> None:
    for owners in (range(50), range(50), range(50, 100)):
        memory.import_file(same_rows(tmp_path, *(f"x,owner{at}" for at in owners)))
    assert memory.access("v1.note.a").atom.attrs == {"owner": "owner99"}
    assert read[0] <= 5


@pytest.mark.parametrize("is_own", [True, False])
def test_so_they_are_if_a_person_changed_the_atom_since(
    memory: Memory, tmp_path: Path, read: list[int], *, is_own: bool
) -> None:
    """Also if the file only confirmed what the person had said."""
    rows = [f"x,owner{at if is_own else 0}" for at in range(50)]
    if not is_own:
        said = {"tags": ["x"], "attrs": {"owner": "owner0"}, "source": "same.csv"}
        memory.checkpoint([{"name": "v1.note.a", "value": "one", **said}])
    first = memory.import_file(same_rows(tmp_path, *rows))
    assert (first.recorded != ()) == is_own
    memory.checkpoint(["v1.note.a = mine"])
    size, read[0] = memory.head().head.size, 0
    assert memory.import_file(same_rows(tmp_path, *rows)).older == ("v1.note.a",)
    assert (memory.access("v1.note.a").value, memory.head().head.size) == ("mine", size)
    assert read[0] <= 2


def test_rows_of_which_too_many_would_wait_for_the_end_of_the_file_are_news_each_time(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same table again writes two versions then, where it writes none if its rows can wait. Their cells count."""
    sizes = []
    for most in (0, 2 * past._LINE, past._WAITING):
        monkeypatch.setattr(past, "_WAITING", most)
        memory.import_file(same_rows(tmp_path, "x,ann", "y,bob"))
        assert memory.access("v1.note.a").atom.tags == ("y",)
        sizes.append(memory.head().head.size)
    assert sizes == [sizes[0], sizes[0] + 2, sizes[0] + 2]
