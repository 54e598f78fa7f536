"""The verbs export and import: plain JSON Lines, replayed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from substrate.clock import ManualClock
from substrate.errors import InputError, ItemsRefused, TooLarge
from substrate.limits import LIMITS
from substrate.memory import Memory, open_memory
from substrate.values.times import from_microseconds

DAY = 24 * 3600 * 1_000_000


@pytest.fixture
def other(tmp_path: Path) -> Memory:
    return open_memory(tmp_path / "other", home=tmp_path / "home")


@pytest.fixture
def grown(memory: Memory, clock: ManualClock) -> Memory:
    memory.checkpoint(
        [{"name": "v1.fact.a", "value": "1", "tags": ["t"], "attrs": {"x": [1]}, "valid_from": "2026-01-01"}],
        actor="ada",
    )
    clock.advance(DAY)
    memory.checkpoint(
        ["v1.fact.a = 2", "v1.fact.b = x"], edges=[{"source": "v1.fact.a", "type": "Needs", "target": "v1.fact.c"}]
    )
    clock.advance(DAY)
    memory.checkpoint(tombstones=["v1.fact.b"], actor="bob")
    memory.checkpoint([{"name": "v1.chunk.p", "value": "part", "parent": "v1.fact.a", "position": 0}])
    memory.checkpoint(
        ["v1.fact.b = x"],
        edges=[
            {
                "source": "v1.fact.a",
                "type": "references",
                "target": "v1.fact.b",
                "windows": [{"start": "2026-02-03"}, {}],
            }
        ],
    )
    memory.checkpoint(unedges=[{"source": "v1.fact.a", "type": "references", "target": "v1.fact.b"}])
    return memory


def shown(memory: Memory) -> dict[str, object]:
    """All that can be read, without ids, seqs and times of recording."""
    hidden = {"id", "seq", "recorded_at", "source_id", "target_id", "parent"}
    atoms = memory.list(tombstoned=True, superseded=True)
    histories = {
        atom.name: [
            (
                version.kind,
                version.actor,
                version.atom and {k: v for k, v in version.atom.to_dict().items() if k not in hidden},
            )
            for version in memory.history(atom.name)
        ]
        for atom in atoms
    }
    edges = [
        {key: value for key, value in edge.to_dict().items() if key not in hidden}
        for atom in atoms
        for edge in memory.edges(atom.name, direction="out")
    ]
    return {"histories": histories, "edges": edges}


def test_what_was_exported_comes_back_by_an_import(grown: Memory, other: Memory, tmp_path: Path) -> None:
    lines = grown.export(tmp_path / "plain.jsonl")
    assert lines == len((tmp_path / "plain.jsonl").read_text(encoding="utf-8").splitlines())
    saved = other.import_lines(tmp_path / "plain.jsonl")
    assert not saved.refused
    expected = json.loads(json.dumps(shown(grown)))
    # The one thing that is added: when a later version was recorded, so that valid_at answers as before.
    recorded = [version.recorded_at for version in grown.history("v1.fact.a")]
    assert other.history("v1.fact.a")[1].atom.occurred_at == recorded[1]  # type: ignore[union-attr]
    found = json.loads(json.dumps(shown(other)))
    for versions in found["histories"].values():
        for _, _, atom in versions:
            if atom is not None:
                atom.pop("occurred_at", None)
    assert found == expected
    assert other.access("v1.chunk.p").atom.parent == other.access("v1.fact.a").atom.id
    assert other.edges("v1.fact.c")[0].dangling == ("target",)


def test_a_second_import_only_confirms(grown: Memory, other: Memory) -> None:
    file = io.StringIO()
    grown.checkpoint(tombstones=["v1.fact.b"])
    grown.forget("v1.fact.b")
    grown.forget(actor="ada")
    grown.export(file)
    other.import_lines(io.StringIO(file.getvalue()))
    size = other.head().head.size
    assert other.import_lines(io.StringIO(file.getvalue())).confirmed
    assert other.head().head.size == size


def exported(memory: Memory) -> str:
    file = io.StringIO()
    memory.export(file)
    return file.getvalue()


def test_a_second_import_of_several_versions_writes_nothing(grown: Memory, other: Memory) -> None:
    """Atoms with several versions, tombstones, and edges that were taken back."""
    lines = exported(grown)
    other.import_lines(io.StringIO(lines))
    before = exported(other)
    again = other.import_lines(io.StringIO(lines))
    assert exported(other) == before
    assert (again.recorded, again.tombstoned, again.edges, again.unedged, again.older) == ((), (), (), (), ())
    assert again.confirmed


def test_a_dry_run_tells_the_ends_of_what_only_the_file_brings(memory: Memory, other: Memory) -> None:
    edge = {"source": "v1.fact.a", "type": "references", "target": "v1.fact.b"}
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 1"], edges=[edge])
    memory.checkpoint(tombstones=["v1.fact.a"], unedges=[edge])
    memory.checkpoint(["v1.fact.a = 2"])
    memory.checkpoint(tombstones=["v1.fact.a"])
    lines = exported(memory)
    dry, done = other.import_lines(io.StringIO(lines), dry_run=True), other.import_lines(io.StringIO(lines))
    assert (dry.recorded, dry.tombstoned) == (done.recorded, done.tombstoned)
    assert (done.recorded, done.tombstoned) == (("v1.fact.a", "v1.fact.b"), ("v1.fact.a",))
    assert (len(dry.edges), len(dry.unedged)) == (len(done.edges), len(done.unedged)) == (1, 1)
    unknown = '{"kind":"put","name":"v1.fact.z","value":"z"}\n{"kind":"tombstone","name":"v1.fact.y"}'
    with pytest.raises(ItemsRefused, match="line 2: there is no such atom"):
        other.import_lines(io.StringIO(unknown), dry_run=True)


def test_an_import_never_puts_an_older_value_over_a_newer_one(grown: Memory, other: Memory) -> None:
    """The twin: `older` does."""
    lines = exported(grown)
    other.checkpoint(["v1.fact.a = mine", "v1.fact.z = also mine"])
    imported = other.import_lines(io.StringIO(lines))
    assert imported.older == other.import_lines(io.StringIO(lines), dry_run=True).older == ("v1.fact.a",)
    assert "v1.fact.b" in imported.recorded
    assert [version.atom and version.atom.value for version in other.history("v1.fact.a")] == ["mine"]
    assert other.import_lines(io.StringIO(lines), older=True).older == ()
    assert other.access("v1.fact.a").value == "2"


def test_a_plain_export_whose_import_was_undone_is_news_again(memory: Memory, other: Memory) -> None:
    memory.checkpoint(["v1.note.a = one"])
    memory.checkpoint(["v1.note.a = two"])
    for _ in range(2):
        other.import_lines(io.StringIO(exported(memory)))
        assert other.access("v1.note.a").value == "two"
        other.undo()
        assert len(other.list()) == 0


def test_edges_whose_import_was_undone_are_news_again_and_those_undone_before_an_export_are_not_in_it(
    memory: Memory, other: Memory
) -> None:
    edge = {"source": "v1.note.a", "type": "references", "target": "v1.note.b"}
    memory.checkpoint(["v1.note.a = one", "v1.note.b = two"])
    memory.checkpoint(edges=[edge])
    memory.checkpoint(edges=[{**edge, "confidence": 0.5}, {**edge, "type": "depends_on"}])
    assert (memory.undo().verb, memory.undo().verb, memory.undo().verb) == ("checkpoint", "undo", "undo")
    lines = exported(memory)
    stated = [line for line in map(json.loads, lines.splitlines()) if line["kind"] == "edge"]
    assert "0.5" not in lines
    assert {line["type"] for line in stated} == {"references"}
    for _ in range(2):
        other.import_lines(io.StringIO(lines))
        assert [one.type for one in other.edges("v1.note.a")] == ["references"]
        other.undo()
        assert not other.edges("v1.note.a").items


def test_a_change_since_the_import_stays_and_news_of_the_other_store_come(memory: Memory, other: Memory) -> None:
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 1"])
    memory.checkpoint(["v1.fact.a = 2"])
    first = exported(memory)
    memory.checkpoint(["v1.fact.b = 2"])  # before the first import, so its time is no help
    second = exported(memory)
    other.import_lines(io.StringIO(first))
    other.checkpoint(["v1.fact.a = 1"])  # back to what it was, on purpose
    assert other.import_lines(io.StringIO(second)).recorded == ("v1.fact.b",)
    assert [other.access(name).value for name in ("v1.fact.a", "v1.fact.b")] == ["1", "2"]


def test_lines_without_a_time_are_recorded_as_they_stand(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = mine"])
    line = {"kind": "put", "name": "v1.fact.a", "value": "theirs"}
    assert memory.import_lines(io.StringIO(json.dumps(line))).changed == ("v1.fact.a",)


def test_lines_of_another_program_need_no_header(memory: Memory) -> None:
    lines = [
        {"kind": "put", "name": "v1.fact.a", "value": "1"},
        {"kind": "put", "name": "v1.fact.a", "value": "2"},
        {"kind": "tombstone", "name": "v1.fact.a", "actor": "ada"},
        {"kind": "put", "name": "v1.fact.a", "value": "2"},
        {"kind": "edge", "source": "v1.fact.a", "type": "needs", "target": "v1.fact.b"},
        {"kind": "unedge", "source": "v1.fact.a", "type": "needs", "target": "v1.fact.b"},
        {"kind": "edge", "source": "v1.fact.a", "type": "needs", "target": "v1.fact.b"},
    ]
    told: list[tuple[int, int]] = []
    memory.import_lines(
        io.StringIO("\n\n".join(map(json.dumps, lines))), progress=lambda done, total: told.append((done, total))
    )
    assert [version.kind for version in memory.history("v1.fact.a")] == ["put", "put", "tombstone", "put"]
    assert memory.history("v1.fact.a")[2].actor == "ada"
    assert len(memory.edges("v1.fact.a")) == 1
    assert told


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "nothing to import"),
        ("{", "line 1 is not JSON"),
        ("[]", "line 1 is not a JSON object"),
        ('{"kind": "put", "value": "x"}', "line 1 has no name"),
        ('{"kind": "other"}', "line 1: kind must be one of"),
        ('{"substrate": 1, "kind": "full"}', "this is a full export"),
    ],
)
def test_what_is_no_plain_export_is_refused(memory: Memory, text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        memory.import_lines(io.StringIO(text))


def test_a_wrong_line_is_named_by_its_number(memory: Memory) -> None:
    good = json.dumps({"kind": "put", "name": "v1.fact.a", "value": "1"})
    bad = json.dumps({"kind": "put", "name": "wrong", "value": "1"})
    with pytest.raises(ItemsRefused, match=r"line 3: .*nothing was saved"):
        memory.import_lines(io.StringIO(f"{good}\n\n{bad}\n"))
    saved = memory.import_lines(io.StringIO(f"{good}\n\n{bad}\n"), partial=True)
    assert [refused.item for refused in saved.refused] == ["line 3"]
    tombstone = json.dumps({"kind": "tombstone", "name": "v1.fact.a"})
    with pytest.raises(ItemsRefused, match=r"line 3: .*what came before line 2 is saved"):
        memory.import_lines(io.StringIO(f"{tombstone}\n{good}\n{bad}\n"))


def test_a_line_that_is_too_long_is_refused(memory: Memory) -> None:
    with pytest.raises(TooLarge, match="line 1"):
        memory.import_lines(io.StringIO("x" * (LIMITS["line_bytes"] + 1)))


def test_files_that_are_there_or_are_not_are_told(memory: Memory, tmp_path: Path) -> None:
    memory.checkpoint(["v1.fact.a = b"])
    (tmp_path / "there").write_bytes(b"\xff\n")
    with pytest.raises(InputError, match="is there already"):
        memory.export(tmp_path / "there")
    with pytest.raises(InputError, match="is not UTF-8"):
        memory.import_lines(tmp_path / "there")
    with pytest.raises(InputError, match="there is no file"):
        memory.import_lines(tmp_path / "absent")


def test_an_import_takes_over_what_a_version_took_away(memory: Memory, other: Memory) -> None:
    edge: dict[str, object] = {"source": "v1.fact.a", "type": "supersedes", "target": "v1.fact.b"}
    back: dict[str, object] = {"source": "v1.fact.b", "type": "supersedes", "target": "v1.fact.a"}
    window = {"valid_from": "2023-01-01", "valid_to": "2024-01-01"}
    memory.checkpoint([{"name": "v1.fact.a", "value": "y", "tags": ["red"], **window}], edges=[{**edge, **window}])
    cleared = {"name": "v1.fact.a", "value": "y", "tags": [], "valid_from": None, "valid_to": "2023-01-01"}
    memory.checkpoint([cleared], edges=[{**edge, "windows": []}])
    memory.checkpoint(unedges=[edge])
    memory.checkpoint(edges=[back])
    file = io.StringIO()
    memory.export(file)
    other.import_lines(io.StringIO(file.getvalue()))
    again = io.StringIO()
    other.export(again)
    lines = [[json.loads(line) for line in text.getvalue().splitlines()] for text in (file, again)]
    for line in (line for text in lines for line in text):
        line.pop("recorded_at", None)
        line.pop("occurred_at", None)
    for kinds in (("put", "tombstone"), ("edge", "unedge")):
        one, two = ([line for line in text if line["kind"] in kinds] for text in lines)
        assert one == two


def test_who_imports_does_not_become_who_said_it(grown: Memory, tmp_path: Path) -> None:
    file = io.StringIO()
    grown.export(file)
    with open_memory(tmp_path / "named", home=tmp_path / "home", actor="importer") as named:
        named.import_lines(io.StringIO(file.getvalue()))
        actors = {version.actor for name in ("v1.fact.a", "v1.fact.b") for version in named.history(name)}
    assert actors == {None, "ada", "bob"}


def test_an_import_keeps_from_when_something_was_out_of_use(memory: Memory, other: Memory, clock: ManualClock) -> None:
    times = []
    again = [{"name": "v1.fact.a", "value": "2", "tags": ["refined"]}]
    memory.checkpoint([{"name": "v1.fact.a", "value": "1", "tags": ["first"]}])
    clock.advance(DAY)
    for items in (["v1.fact.a = 1"], None, ["v1.fact.a = 2"], again):
        if items is None:
            memory.checkpoint(tombstones=["v1.fact.a"], actor="bob")
        else:
            memory.checkpoint(items)
        times.append(clock.now() + DAY // 2)
        clock.advance(DAY)
    file = io.StringIO()
    memory.export(file)
    other.import_lines(io.StringIO(file.getvalue()))
    for store in (memory, other):
        answers = [[atom.value for atom in store.list(valid_at=from_microseconds(time))] for time in times]
        assert answers == [["1"], [], ["2"], ["2"]]
        assert [atom.value for atom in store.list(valid_at="2001-01-01")] == ["1"]
        assert [version.actor for version in store.history("v1.fact.a") if version.kind == "tombstone"] == ["bob"]


def test_what_a_partial_forget_left_can_be_imported(memory: Memory, other: Memory) -> None:
    edge: dict[str, object] = {"source": "v1.fact.a", "type": "needs", "target": "v1.fact.b"}
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.c = 1"], edges=[edge], actor="ann")
    memory.checkpoint(unedges=[edge], tombstones=["v1.fact.a", "v1.fact.c"])
    memory.checkpoint(["v1.fact.a = 2"])
    memory.checkpoint(["v1.fact.c = 2"], actor="ann")
    memory.checkpoint(tombstones=["v1.fact.c"])
    forgot = memory.forget(actor="ann")
    assert (forgot.atoms, forgot.edges) == (1, 1)
    file = io.StringIO()
    memory.export(file)
    other.import_lines(io.StringIO(file.getvalue()))
    assert [atom.value for atom in other.list()] == ["2"]


def test_what_an_undo_took_back_stays_out_of_a_plain_export(memory: Memory, other: Memory) -> None:
    memory.checkpoint(["v1.fact.b = true"])
    memory.checkpoint(
        [{"name": "v1.fact.b", "value": "false", "valid_from": "2018-01-01"}, "v1.fact.typo = typo"],
        edges=[{"source": "v1.fact.typo", "type": "references", "target": "v1.fact.b"}],
    )
    memory.undo()
    lines = io.StringIO()
    memory.export(lines)
    assert "false" not in lines.getvalue()
    said = [line for line in map(json.loads, lines.getvalue().splitlines()) if "took_back" not in line]
    assert "references" not in json.dumps(said)  # but for the line that ends the edge, for who has it from earlier
    other.import_lines(io.StringIO(lines.getvalue()))
    assert other.access("v1.fact.b", valid_at="2019-01-01").value == "true"
    assert [atom.name for atom in other.list(tombstoned=True)] == ["v1.fact.b"]
    assert not other.edges("v1.fact.b").items


def test_what_several_undos_of_one_atom_took_back_is_named_once_each(memory: Memory, clock: ManualClock) -> None:
    for number in range(3):
        clock.advance(1_000_000)
        memory.checkpoint([f"v1.fact.a = {number}"])
        memory.undo()
    lines = io.StringIO()
    memory.export(lines)
    times = [time for line in map(json.loads, lines.getvalue().splitlines()) for time in line.get("took_back", ())]
    assert len(times) == len(set(times)) == 3
