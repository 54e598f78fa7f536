"""An undo right after an import takes the whole import back, in however many checkpoints it was recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from substrate.errors import HeadMoved
from substrate.memory import Memory
from substrate.moving import record
from substrate.save import undo as undoing
from tests.save.test_undo import state

CSV = "name,value\n"


class Killed(BaseException):
    """As if the process ended here."""


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints of three lines."""
    monkeypatch.setattr(record, "_BATCH", 3)


@pytest.fixture
def facts(memory: Memory, tmp_path: Path) -> Callable[[str], Path]:
    """A file of ten rows, of which two are there already."""
    memory.checkpoint(["v1.note.a1 = mine", "v1.note.a8 = mine too", "v1.fact.own = stays"], actor="ann")

    def write(word: str, name: str = "facts.csv") -> Path:
        path = tmp_path / name
        path.write_text(CSV + "".join(f"a{i},{word} {i}\n" for i in range(10)), encoding="utf-8")
        return path

    return write


@pytest.mark.usefixtures("short")
def test_an_undo_takes_back_all_checkpoints_of_an_import_and_a_second_one_brings_all_back(
    memory: Memory, facts: Callable[[str], Path]
) -> None:
    before = state(memory)
    memory.import_file(facts("one"))
    after = state(memory)
    told, undone = memory.undo(dry_run=True), memory.undo()
    assert told.parts == undone.parts == (range(4, 7), range(7, 10), range(10, 13), range(13, 14))
    assert (undone.verb, undone.undone, undone.imported) == ("import", range(4, 14), None)
    assert (len(undone.tombstoned), undone.restored) == (8, ("v1.note.a1", "v1.note.a8"))
    assert state(memory) == before
    assert memory.undo().verb == "undo"
    assert state(memory) == after


@pytest.mark.usefixtures("short")
def test_an_earlier_import_of_a_file_of_that_name_stays_and_its_entries_can_be_forgotten_alone(
    memory: Memory, facts: Callable[[str], Path]
) -> None:
    memory.import_file(facts("one"))
    first = state(memory)
    memory.import_file(facts("two"))
    undone = memory.undo()
    assert undone.imported == range(4, 14)
    assert state(memory) == first
    memory.import_file(facts("three"))
    assert memory.undo().imported is None  # an undo is before it, and no import


@pytest.mark.usefixtures("short")
def test_what_others_changed_amid_an_import_stays_and_the_rest_goes(
    memory: Memory, facts: Callable[[str], Path]
) -> None:
    def meddle(_: int, __: int) -> None:
        if not memory.list(prefix="v1.fact.other"):
            memory.checkpoint(["v1.note.a0 = changed", "v1.fact.other = new"])

    memory.import_file(facts("one"), progress=meddle)
    undone = memory.undo()
    assert undone.parts == (range(4, 7), range(9, 12), range(12, 15), range(15, 16))
    assert undone.kept == ("v1.note.a0",)
    told = {atom.name: atom.value for atom in memory.list()}
    assert told == {
        "v1.fact.other": "new",
        "v1.fact.own": "stays",
        "v1.note.a0": "changed",
        "v1.note.a1": "mine",
        "v1.note.a8": "mine too",
    }


@pytest.mark.usefixtures("short")
def test_the_undo_of_a_long_plain_export_takes_its_edges_back_too(memory: Memory, tmp_path: Path) -> None:
    atoms = [f"v1.fact.{i} = value {i}" for i in range(8)]
    edges = [{"source": f"v1.fact.{i}", "type": "references", "target": "v1.fact.7"} for i in range(7)]
    memory.checkpoint(atoms, edges=edges)
    memory.export(tmp_path / "out.jsonl")
    memory.undo()
    before = state(memory)
    memory.import_file(tmp_path / "out.jsonl", older=True)
    assert memory.undo().verb == "import"
    assert state(memory) == before


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("steps", range(1, 5))
def test_an_undo_that_is_killed_between_its_checkpoints_goes_on_with_the_next(
    memory: Memory, facts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    before = state(memory)
    memory.import_file(facts("one"))
    after = state(memory)
    monkeypatch.setattr(undoing, "_ITEMS", 2)
    for here, there in ((after, before), (before, after), (after, before)):
        assert state(memory) == here
        with monkeypatch.context() as patched:
            patched.setattr(undoing, "checkpoint", dying_after(steps))
            with pytest.raises(Killed):
                memory.undo()
        assert state(memory) not in (here, there)
        memory.undo()
        assert state(memory) == there


@pytest.mark.usefixtures("short")
def test_an_undo_in_several_checkpoints_takes_back_the_rest_also_if_others_write_meanwhile(
    memory: Memory, facts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.import_file(facts("one"))
    monkeypatch.setattr(undoing, "_ITEMS", 2)
    real = undoing.checkpoint
    done: list[str] = []

    def meddling(*given: Any, **options: Any) -> Any:
        if len(done) == 2:
            memory.checkpoint(["v1.fact.other = new", "v1.note.a9 = changed"])
        done.append("")
        return real(*given, **options)

    monkeypatch.setattr(undoing, "checkpoint", meddling)
    memory.undo()
    told = {atom.name.removeprefix("v1."): atom.value for atom in memory.list()}
    kept = {"note.a1": "mine", "note.a8": "mine too", "note.a9": "changed"}
    assert told == {"fact.own": "stays", "fact.other": "new", **kept}


def test_an_undo_of_which_nothing_is_done_yet_is_refused_if_others_write_meanwhile(
    memory: Memory, facts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.import_file(facts("one"))
    real = undoing.checkpoint

    def meddling(*given: Any, **options: Any) -> Any:
        memory.checkpoint(["v1.fact.other = new"])
        return real(*given, **options)

    monkeypatch.setattr(undoing, "checkpoint", meddling)
    with pytest.raises(HeadMoved):
        memory.undo()


def dying_after(steps: int) -> Callable[..., Any]:
    """What writes so many checkpoints, and then is killed."""
    real, done = undoing.checkpoint, []

    def dying(*given: Any, **options: Any) -> Any:
        if len(done) == steps:
            raise Killed
        done.append("")
        return real(*given, **options)

    return dying
