"""An undo right after an import takes the whole import back, in however many checkpoints it was recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from substrate.codec import draft_other
from substrate.commands.calls import what_was_undone
from substrate.errors import Denied, HeadMoved, QuotaReached
from substrate.limits import LIMITS
from substrate.memory import Memory
from substrate.moving import record
from substrate.policy import Policy
from substrate.proof.entry import Kind
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
    undone = memory.undo()
    assert undone.tombstoned == tuple(f"v1.note.a{i}" for i in (0, 2, 3, 4, 5, 6, 7))
    assert (undone.restored, undone.kept) == (("v1.note.a1", "v1.note.a8"), ("v1.note.a9",))
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


@pytest.mark.usefixtures("short")
def test_an_undo_of_which_others_take_over_the_rest_ends_there_and_tells_what_it_did(
    memory: Memory, facts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.import_file(facts("one"))
    monkeypatch.setattr(undoing, "_ITEMS", 2)
    names = [f"v1.note.a{i}" for i in range(1, 10)]
    others = [f"{name} = changed" for name in names if name != "v1.note.a2"]  # which is gone, and stays so
    monkeypatch.setattr(undoing, "checkpoint", after_steps(1, lambda: memory.checkpoint(others)))
    undone = memory.undo()
    assert (undone.tombstoned, undone.restored) == (("v1.note.a0", "v1.note.a2"), ())
    assert undone.kept == tuple(name for name in names if name != "v1.note.a2")
    assert [atom.name for atom in memory.list(prefix="v1.note.")] == list(undone.kept)


@pytest.mark.usefixtures("short")
def test_an_undo_that_was_stopped_goes_on_also_after_others_wrote_and_says_so(
    memory: Memory, facts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.import_file(facts("one"))
    stop_undo(memory, monkeypatch)
    memory.checkpoint(["v1.fact.other = new", "v1.note.a7 = changed"])
    told, undone = memory.undo(dry_run=True), memory.undo()
    assert told.went_on
    assert undone.went_on
    assert told.tombstoned == undone.tombstoned == ("v1.note.a5", "v1.note.a6", "v1.note.a9")
    assert undone.kept == ("v1.note.a7",)
    said = what_was_undone(undone, "substrate")[0]
    assert said.startswith("taken back: the rest of the import of ")
    assert said.endswith(" (4 checkpoints, entries 4 to 13); an undo of it had been stopped")
    rest = {"fact.other": "new", "fact.own": "stays", "note.a1": "mine", "note.a7": "changed", "note.a8": "mine too"}
    assert in_use(memory) == rest
    again = memory.undo()
    assert (again.verb, again.went_on) == ("undo", False)
    assert in_use(memory) == rest | {f"note.a{i}": f"one {i}" for i in range(10) if i != 7}


@pytest.mark.usefixtures("short")
def test_an_undo_that_others_keep_from_its_end_says_that_a_part_is_taken_back_and_the_next_goes_on(
    memory: Memory, facts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.import_file(facts("one"))
    real, calls = undoing.checkpoint, []

    def meddling(*given: Any, **options: Any) -> Any:
        calls.append("")
        if len(calls) > 1:
            memory.checkpoint([f"v1.fact.other = {len(calls)}"])
        return real(*given, **options)

    with monkeypatch.context() as patched:
        patched.setattr(undoing, "_ITEMS", 2)
        patched.setattr(undoing, "checkpoint", meddling)
        with pytest.raises(HeadMoved, match=r"only a part is taken back\. To take back the rest, undo again"):
            memory.undo()
    assert len(memory.list(prefix="v1.note.")) == 8
    assert memory.undo().went_on
    assert in_use(memory).keys() == {"fact.other", "fact.own", "note.a1", "note.a8"}


@pytest.mark.usefixtures("short")
def test_an_undo_that_was_stopped_stays_as_it_is_after_another_import(
    memory: Memory, facts: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.import_file(facts("one"))
    stop_undo(memory, monkeypatch)
    stopped = state(memory)
    memory.import_file(facts("two", "others.csv"))
    undone = memory.undo()
    assert (undone.verb, undone.went_on, state(memory)) == ("import", False, stopped)


@pytest.mark.usefixtures("short")
def test_an_agent_that_may_not_go_on_with_a_stopped_undo_still_takes_back_what_it_wrote_itself(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = {"source": "v1.note.a9", "type": "member_of", "target": "v1.domain.health"}
    memory.checkpoint(["v1.domain.health = Health", "v1.note.a9 = old"], edges=[member])
    memory.set_tier("health", "sensitive")
    memory.import_file(plain(tmp_path, ({"kind": "put", "name": f"v1.note.a{i}", "value": "x"} for i in range(10))))
    stop_undo(memory, monkeypatch)
    agent = memory.client("bot", policy=Policy())
    with pytest.raises(Denied, match="Nothing was changed"):
        agent.undo()
    agent.checkpoint(["v1.fact.mine = one"])
    assert agent.undo().tombstoned == ("v1.fact.mine",)
    assert memory.undo().went_on
    assert in_use(memory) == {"domain.health": "Health", "note.a9": "old"}


@pytest.mark.usefixtures("short")
def test_what_refuses_a_later_step_of_an_undo_refuses_it_before_the_first(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undoing, "_ITEMS", 2)
    lines = [{"kind": "put", "name": f"v1.note.a{i}", "value": f"x {i}"} for i in range(10)]
    lines[9]["tags"] = ["proposed"]
    memory.import_file(plain(tmp_path, lines))
    full = state(memory)
    for dry_run in (True, False):
        with pytest.raises(Denied, match="only a person"):
            memory.client("bot", policy=Policy()).undo(dry_run=dry_run)
        assert state(memory) == full
    memory.import_file(plain(tmp_path, ({"kind": "tombstone", "name": line["name"]} for line in lines)))
    empty = state(memory)
    memory.set_quota(7)
    for dry_run in (True, False):
        with pytest.raises(QuotaReached):
            memory.undo(dry_run=dry_run)
        assert state(memory) == empty
    memory.set_quota(10)
    memory.undo()
    assert state(memory) == full


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(("kind", "turned"), [("supersedes", "supersedes"), ("uses", "used_by")])
def test_the_dry_run_of_an_undo_in_steps_takes_an_edge_that_an_import_turned_round(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, turned: str
) -> None:
    edge = {"source": "v1.note.a", "type": kind, "target": "v1.note.b"}
    memory.checkpoint(["v1.note.a = 1", "v1.note.b = 2"], edges=[edge])
    before = state(memory)
    lines = [{"kind": "put", "name": f"v1.note.n{i}", "value": f"x {i}"} for i in range(6)]
    lines += [{"kind": "unedge", **edge}]
    lines += [{"kind": "edge", "source": "v1.note.b", "type": turned, "target": "v1.note.a"}]
    memory.import_file(plain(tmp_path, lines), older=True)
    after = state(memory)
    monkeypatch.setattr(undoing, "_ITEMS", 2)
    for expected in (before, after, before):
        told = memory.undo(dry_run=True)
        undone = memory.undo()
        assert (told.unedged, told.edges) == (undone.unedged, undone.edges)
        assert state(memory) == expected


@pytest.mark.usefixtures("short")
def test_an_undo_in_steps_may_be_larger_than_a_checkpoint_and_its_dry_run_too(
    memory: Memory, facts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(memory)
    memory.import_file(facts("one" * 20))
    after = state(memory)
    monkeypatch.setattr(undoing, "_ITEMS", 2)
    monkeypatch.setitem(LIMITS, "checkpoint_items", 3)
    monkeypatch.setitem(LIMITS, "checkpoint_bytes", 600)
    for expected in (before, after, before):
        told, undone = memory.undo(dry_run=True), memory.undo()
        assert (told.tombstoned, told.revived, told.restored) == (undone.tombstoned, undone.revived, undone.restored)
        assert state(memory) == expected


@pytest.mark.usefixtures("short")
def test_an_import_that_was_killed_and_repeated_is_told_with_what_stays_of_it(memory: Memory, tmp_path: Path) -> None:
    path = plain(tmp_path, ({"kind": "put", "name": f"v1.note.a{i}", "value": f"x {i}"} for i in range(10)))

    def kill(_: int, __: int) -> None:
        if len(memory.list(prefix="v1.note.")) >= 6:
            raise Killed

    with pytest.raises(Killed):
        memory.import_file(path, progress=kill)
    memory.import_file(path)
    undone = memory.undo()
    assert (undone.undone, undone.imported) == (range(7, 11), range(1, 7))
    said = what_was_undone(undone, "substrate")[-1]
    assert said.startswith("the checkpoint before it is of an import too, and stays: entries 1 to 6. ")
    assert said.endswith("To erase what that recorded, and nothing else: substrate forget --seqs 1:7")


def test_a_plain_import_after_that_of_a_table_and_the_other_way_round_leave_nothing_to_tell(
    memory: Memory, facts: Callable[[str], Path], tmp_path: Path
) -> None:
    memory.import_file(plain(tmp_path, [{"kind": "put", "name": "v1.note.p", "value": "x"}]))
    memory.import_file(facts("one"))
    assert memory.undo(dry_run=True).imported is None
    memory.import_file(plain(tmp_path, [{"kind": "put", "name": "v1.note.q", "value": "x"}]))
    assert memory.undo(dry_run=True).imported is None


@pytest.mark.usefixtures("short")
def test_of_an_import_by_an_earlier_version_the_last_checkpoint_is_taken_back_and_the_others_are_told(
    memory: Memory, facts: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "Part", lambda *_: None)
    memory.import_file(facts("one", "others.csv"))
    memory.import_file(facts("two"))
    undone = memory.undo()
    assert (undone.verb, undone.undone, undone.imported) == ("import", range(23, 24), range(14, 23))
    memory.import_file(facts("three"))
    memory.undo()
    assert memory.undo().imported is None  # of an undo


def test_a_choice_of_model_between_two_imports_is_passed_over(memory: Memory, facts: Callable[[str], Path]) -> None:
    memory.import_file(facts("one"))
    first = memory.head().head.size
    memory._store.log.append([draft_other(Kind.MODEL, {"model": "all-MiniLM-L6-v2"})])
    memory.import_file(facts("two"))
    assert memory.undo().imported == range(4, first)


def plain(folder: Path, lines: Iterable[dict[str, Any]]) -> Path:
    """A plain export of these lines."""
    path = folder / "plain.jsonl"
    said = (json.dumps({"recorded_at": "2999-01-01T00:00:00Z", **line}) for line in lines)
    path.write_text("\n".join(said), encoding="utf-8")
    return path


def in_use(memory: Memory) -> dict[str, str]:
    """What is in use, by name."""
    return {atom.name.removeprefix("v1."): atom.value for atom in memory.list()}


def stop_undo(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An undo that is killed after two steps of two items."""
    with monkeypatch.context() as patched:
        patched.setattr(undoing, "_ITEMS", 2)
        patched.setattr(undoing, "checkpoint", dying_after(2))
        with pytest.raises(Killed):
            memory.undo()


def after_steps(steps: int, act: Callable[[], object]) -> Callable[..., Any]:
    """What writes checkpoints, and after so many of them something happens."""
    real, done = undoing.checkpoint, []

    def meddling(*given: Any, **options: Any) -> Any:
        if len(done) == steps:
            act()
        done.append("")
        return real(*given, **options)

    return meddling


def dying_after(steps: int) -> Callable[..., Any]:
    """What writes so many checkpoints, and then is killed."""
    real, done = undoing.checkpoint, []

    def dying(*given: Any, **options: Any) -> Any:
        if len(done) == steps:
            raise Killed
        done.append("")
        return real(*given, **options)

    return dying
