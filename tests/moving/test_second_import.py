"""The same table again: lines that did not change put nothing over what was said since."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.memory import Memory

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
