"""A line is left out if the store has something else of its atom or edge that was recorded later."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from substrate import open as open_store
from substrate.memory import Memory
from substrate.moving import past, record

EARLY, LATE = "2001-01-01T00:00:00Z", "2001-02-01T00:00:00Z"
EDGE = {"source": "v1.fact.a", "type": "references", "target": "v1.fact.b"}


@pytest.fixture
def other(stores: Callable[[], Memory]) -> Memory:
    return stores()


@pytest.fixture
def stores(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[], Memory]:

    made: list[Memory] = []

    def make() -> Memory:
        made.append(open_store(tmp_path / f"store{len(made)}", model="none"))
        request.addfinalizer(made[-1].close)
        return made[-1]

    return make


def line(name: str, value: object, time: str = EARLY, **fields: object) -> dict[str, object]:
    return {"kind": "put", "recorded_at": time, "name": name, "value": value, **fields}


def lines(*given: dict[str, object]) -> io.StringIO:
    return io.StringIO("".join(json.dumps(one) + "\n" for one in given))


def exported(memory: Memory) -> io.StringIO:
    file = io.StringIO()
    memory.export(file)
    return io.StringIO(file.getvalue())


@pytest.mark.parametrize("table", [False, True])
def test_what_another_says_during_an_import_stays(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, table: bool
) -> None:
    """It was judged before, and news then. The twin: what nobody said is recorded."""
    monkeypatch.setattr(record, "_BATCH", 3)
    names = [f"v1.note.a{at}" for at in range(8)]
    path = tmp_path / "facts.csv"
    path.write_text("name,value\n" + "".join(f"{name},file\n" for name in names), encoding="utf-8")
    if table:
        memory.import_file(path)
        path.write_text("name,value,tags\n" + "".join(f"{name},file,t\n" for name in names), encoding="utf-8")
    said: list[str] = []

    def speak(_: int, __: int) -> None:
        if not said:
            said.extend(memory.checkpoint(["v1.note.a5 = a person"]).recorded)

    if table:
        imported = memory.import_file(path, progress=speak)
    else:
        imported = memory.import_lines(lines(*(line(name, "file") for name in names)), progress=speak)
    assert (memory.access("v1.note.a5").value, imported.older) == ("a person", ("v1.note.a5",))
    assert [memory.access(name).value for name in names].count("file") == 7


def test_a_part_of_which_all_was_said_meanwhile_writes_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "_BATCH", 1)
    said: list[str] = []

    def speak(_: int, __: int) -> None:
        if not said:
            said.extend(memory.checkpoint(["v1.note.b = a person"]).recorded)

    given = lines(line("v1.note.a", "file"), line("v1.note.b", "file"), line("v1.note.c", "file"))
    imported = memory.import_lines(given, progress=speak)
    assert (imported.recorded, imported.older) == (("v1.note.a", "v1.note.c"), ("v1.note.b",))


def test_a_value_that_was_said_later_stays_also_if_the_file_once_said_the_same(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = Stripe", "v1.fact.b = 1"], edges=[EDGE])
    imported = memory.import_lines(
        lines(
            line("v1.fact.a", "Stripe"),
            line("v1.fact.a", "Adyen", LATE),
            line("v1.fact.b", "1"),
            {"kind": "tombstone", "recorded_at": LATE, "name": "v1.fact.b"},
            {"kind": "edge", "recorded_at": EARLY, **EDGE},
            {"kind": "unedge", "recorded_at": LATE, **EDGE},
        )
    )
    assert [memory.access(name).value for name in ("v1.fact.a", "v1.fact.b")] == ["Stripe", "1"]
    assert len(memory.edges("v1.fact.a")) == 1
    assert imported.older == ("v1.fact.a", "v1.fact.b", "v1.fact.a references v1.fact.b")


def test_the_later_of_two_stores_holds_in_whichever_order_their_exports_come(
    stores: Callable[[], Memory],
) -> None:
    one, two, first, second = (stores() for _ in range(4))
    one.checkpoint(["v1.fact.a = January"])
    two.checkpoint(["v1.fact.a = November"])
    first.import_lines(exported(one))
    assert first.import_lines(exported(two)).older == ()
    second.import_lines(exported(two))
    assert second.import_lines(exported(one)).older == ("v1.fact.a",)
    assert [store.access("v1.fact.a").value for store in (first, second)] == ["November", "November"]


def test_what_older_put_back_counts_from_then(memory: Memory) -> None:
    memory.import_lines(lines(line("v1.fact.a", "new", LATE)))
    memory.import_lines(lines(line("v1.fact.a", "old")), older=True)
    assert memory.import_lines(lines(line("v1.fact.a", "middle", "2001-03-01T00:00:00Z"))).older == ("v1.fact.a",)
    assert memory.access("v1.fact.a").value == "old"


def test_a_stores_own_export_changes_nothing_in_it_and_nothing_is_left_out(memory: Memory, other: Memory) -> None:
    """Versions, ends, undone versions, and two equal lines in a row."""
    for value in ("A", "B", "A"):
        memory.checkpoint([f"v1.fact.a = {value}", "v1.fact.b = 1"], edges=[EDGE])
        memory.checkpoint(tombstones=["v1.fact.b"], unedges=[EDGE])
    memory.checkpoint(["v1.fact.a = C"])
    memory.undo()
    for store in (memory, other):
        store.import_lines(exported(memory))
        size = store.head().head.size
        again = store.import_lines(exported(memory))
        assert (again.older, again.recorded, store.head().head.size) == ((), (), size)


def test_what_the_store_has_said_is_named_only_if_it_says_something_else_now(memory: Memory) -> None:
    memory.import_lines(lines(line("v1.fact.a", "1"), line("v1.fact.a", "2", LATE)))
    assert memory.import_lines(lines(line("v1.fact.a", "1"), line("v1.fact.a", "2", LATE))).older == ()
    memory.checkpoint(["v1.fact.a = mine"])
    assert memory.import_lines(lines(line("v1.fact.a", "1"), line("v1.fact.a", "2", LATE))).older == ("v1.fact.a",)


def test_both_took_it_out_of_use(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.a = 1"])
    memory.checkpoint(tombstones=["v1.fact.a"])
    end = {"kind": "tombstone", "recorded_at": "2099-01-01T00:00:00Z", "name": "v1.fact.a"}
    assert memory.import_lines(lines(line("v1.fact.b", "1"), end)).recorded == ("v1.fact.b",)


LONG, HALF = "v1.fact." + "x" * 3000, "v1.fact.\ud800"


@pytest.mark.parametrize(
    "bad",
    [
        {"kind": "edge", **EDGE, "type": "l" * 700},
        {"kind": "edge", **EDGE, "source": LONG},
        {"kind": "put", "name": LONG, "value": "x"},
        {"kind": "put", "name": HALF, "value": "x"},
        {"kind": "put", "name": "", "value": "x"},
        {"kind": "put", "name": "v1.fact.a", "value": ["x"]},
        {"kind": "tombstone", "name": HALF},
        {"kind": "unedge", **EDGE, "source": HALF},
    ],
    ids=lambda bad: f"{bad['kind']}-{str(bad)[10:40]}".encode("ascii", "replace").decode(),
)
def test_a_line_that_cannot_be_judged_is_refused_with_its_number(memory: Memory, bad: dict[str, object]) -> None:
    memory.checkpoint(["v1.fact.a = 1"])
    given = lines(line("v1.fact.y", "fine"), {"recorded_at": EARLY, **bad}, line("v1.fact.z", "fine"))
    imported = memory.import_lines(given, partial=True)
    assert (imported.recorded, imported.older) == (("v1.fact.y", "v1.fact.z"), ())
    assert [refused.item for refused in imported.refused] == ["line 2"]


def test_digests_of_few_versions_are_kept_and_the_answer_is_the_same(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [line(f"v1.fact.a{at % 5}", str(at), f"2001-01-01T00:00:{at:02d}Z") for at in range(40)]
    memory.import_lines(lines(*given))
    size = memory.head().head.size
    monkeypatch.setattr(past, "_KEPT", 9)
    again = memory.import_lines(lines(*given))
    assert (again.older, memory.head().head.size) == ((), size)


def test_a_row_with_another_tag_does_not_put_its_value_over_a_correction(memory: Memory, tmp_path: Path) -> None:
    """The twin: where nobody corrected the value, the tag comes."""
    path = tmp_path / "facts.csv"
    path.write_text("name,value,tags\na,one,t\nb,one,t\n", encoding="utf-8")
    memory.import_file(path)
    memory.checkpoint(["v1.note.a = corrected"])
    path.write_text("name,value,tags\na,one,u\nb,one,u\n", encoding="utf-8")
    assert memory.import_file(path).older == ("v1.note.a",)
    assert (memory.access("v1.note.a").value, memory.access("v1.note.b").atom.tags) == ("corrected", ("u",))
