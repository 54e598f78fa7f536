"""The files and the database of CortexGraph."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from substrate.errors import InputError
from substrate.memory import Memory

CREATED, USED = 1_690_000_000, 1_699_000_000
IDS = [f"00000000-0000-4000-8000-00000000000{at}" for at in range(5)]


def memory_of(at: int, content: str, **more: object) -> dict[str, object]:
    meta = {"tags": ["home"], "source": "a talk", "context": "kitchen", "extra": {"n": at}}
    said = {"id": IDS[at], "content": content, "meta": meta, "created_at": CREATED, "last_used": USED}
    return {**said, "use_count": 0, "strength": 1.0, "status": "active", "entities": ["Ada"], "embed": None, **more}


MEMORIES = [
    memory_of(0, "an early text"),
    memory_of(0, "The bins go out on Tuesday", use_count=7, strength=1.4),
    memory_of(1, "Ada is allergic to oysters", status="promoted", promoted_to="ada.md"),
    memory_of(2, "The old boiler", status="archived"),
    memory_of(3, "gone by now"),
    {"id": IDS[3], "_deleted": True},
]
RELATIONS = [
    {"id": "r1", "from_memory_id": IDS[0], "to_memory_id": IDS[1], "relation_type": "supports", "strength": 0.5,
     "created_at": CREATED, "metadata": {"why": "x"}},
    {"id": "r2", "from_memory_id": IDS[0], "to_memory_id": IDS[4], "relation_type": "causes", "strength": 1.0,
     "created_at": CREATED, "metadata": {}},
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "jsonl"
    folder.mkdir()
    for name, rows in (("memories.jsonl", MEMORIES), ("relations.jsonl", RELATIONS)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "cortexgraph.db"
    columns = "id, content, meta, created_at, last_used, use_count, strength, status, promoted_to, entities"
    with closing(sqlite3.connect(path)) as made:
        made.execute(f"CREATE TABLE memories ({columns})")
        made.execute(
            "CREATE TABLE relations (id, from_memory_id, to_memory_id, relation_type, strength, created_at, metadata)"
        )
        for row in MEMORIES[1:4]:
            said = [row.get(column.strip()) for column in columns.split(",")]
            values = [json.dumps(one) if isinstance(one, dict | list) else one for one in said]
            made.execute(f"INSERT INTO memories VALUES ({','.join('?' * 10)})", values)  # noqa: S608
        values = [json.dumps(one) if isinstance(one, dict) else one for one in RELATIONS[0].values()]
        made.execute("INSERT INTO relations VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        made.commit()
    return path


def named(memory: Memory, content: str) -> str:
    (found,) = [item.name for item in memory.list("v1.note.", tombstoned=True) if item.value == content]
    return found


@pytest.mark.parametrize("kind", ["folder", "database"])
def test_notes_relations_and_uses_come_over(memory: Memory, kind: str, request: pytest.FixtureRequest) -> None:
    imported = memory.import_file(request.getfixturevalue(kind))
    assert (imported.kind, len(imported.recorded), len(imported.edges)) == ("cortexgraph", 3, 1)
    bins, ada, boiler = memory.fading(
        [named(memory, text) for text in ("The bins go out on Tuesday", "Ada is allergic to oysters", "The old boiler")]
    )
    assert (bins.uses, bins.strength, int(bins.last_used.timestamp())) == (7, 1.4, USED)
    assert (bins.status, ada.status, boiler.status) == ("active", "promoted", "archived")
    assert bins.atom.tags == ("home",)
    assert (bins.atom.entities, bins.atom.source) == (("Ada",), "a talk")
    assert bins.atom.attrs == {
        "imported": {"from": "cortexgraph", "id": IDS[0]},
        "context": "kitchen",
        "meta": {"n": 0},
    }
    assert ada.atom.attrs["promoted_to"] == "ada.md"
    assert bins.atom.occurred_at is not None
    assert int(bins.atom.occurred_at.timestamp()) == CREATED
    (edge,) = memory.edges(bins.name)
    assert (edge.type, edge.target, edge.confidence, edge.attrs) == ("supports", ada.name, 0.5, {"why": "x"})


def test_what_cannot_be_taken_is_told_and_a_torn_last_line_stops_nothing(memory: Memory, folder: Path) -> None:
    with (folder / "memories.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "00000000", "content": "cut o')
    imported = memory.import_file(folder / "memories.jsonl")
    assert len(imported.recorded) == 3
    torn, dangling = imported.refused
    assert "cut off" in torn.reason
    assert "not there" in dangling.reason


def test_the_same_folder_again_changes_nothing_and_the_same_text_is_one_note(memory: Memory, folder: Path) -> None:
    memory.import_file(folder)
    bins = memory.fading([named(memory, "The bins go out on Tuesday")])[0]
    again = memory.import_file(folder)
    assert "The bins go out on Tuesday" not in {
        item.value for item in memory.list("v1.note.") if item.name in again.recorded
    }
    assert memory.fading([bins.name])[0].uses == 7
    assert memory.remember("The bins go out on Tuesday", "note").name == bins.name


def test_a_memory_that_was_promoted_and_is_archived_later_is_out_of_use(memory: Memory, folder: Path) -> None:
    """Its last line says again what the first one did: such a line waits for others, and so does its end."""
    for status in ("active", "promoted", "archived", "archived"):
        text = json.dumps(memory_of(0, "The bins go out on Tuesday", status=status))
        (folder / "memories.jsonl").write_text(text + "\n", encoding="utf-8")
        memory.import_file(folder / "memories.jsonl")
        assert len(memory.list()) == (status != "archived")


def test_the_notes_are_the_surfaces_own(memory: Memory, folder: Path) -> None:
    memory.import_file(folder)
    assert {item.actor for item in memory.list("v1.note.")} == {"mcp:cortexgraph:import"}


def test_what_is_another_database_or_folder_is_not_taken(memory: Memory, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as made:
        made.execute("CREATE TABLE things (id)")
        made.commit()
    with pytest.raises(InputError):
        memory.import_file(other, "cortexgraph")
    with pytest.raises(InputError, match=r"memories\.jsonl"):
        memory.import_file(tmp_path, "cortexgraph")


def test_a_column_that_is_generated_stops_nothing(memory: Memory, database: Path) -> None:
    with closing(sqlite3.connect(database)) as made:
        made.execute("ALTER TABLE memories ADD COLUMN size INTEGER GENERATED ALWAYS AS (length(content)) VIRTUAL")
        made.commit()
    assert len(memory.import_file(database).recorded) == 3
