"""Rows of named columns: CSV, TSV, JSON Lines, data frames."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.errors import InputError, ItemsRefused, SchemaInvalid
from substrate.memory import Memory
from substrate.moving.move import refuse_first_import
from substrate.moving.table import Columns, frame_lines, open_csv


def file(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_row_becomes_an_atom_with_the_fields_that_its_columns_say(memory: Memory, tmp_path: Path) -> None:
    path = file(
        tmp_path,
        "facts.csv",
        "Name,Value,Tags,Confidence,Owner\r\n"
        'v1.fact.provider,"Stripe, since May",payments; billing,0.9,Ana\r\n'
        "refund limit,50 EUR,,,\r\n",
    )
    imported = memory.import_file(path, type="constraint")
    assert (imported.kind, imported.recorded) == ("csv", ("v1.fact.provider", "v1.constraint.refund limit"))
    atom = memory.access("v1.fact.provider").atom
    assert (atom.value, atom.tags, atom.confidence) == ("Stripe, since May", ("payments", "billing"), 0.9)
    assert (atom.attrs, atom.origin, atom.source) == ({"Owner": "Ana"}, None, "facts.csv")


def test_the_same_file_again_changes_nothing_and_keeps_what_a_person_added(memory: Memory, tmp_path: Path) -> None:
    path = file(tmp_path, "notes.tsv", "text\ttags\nBackups run at 2\tops\nDeploys need two eyes\t\n")
    first = memory.import_file(path)
    named = first.recorded[0]
    assert named.startswith("v1.note.backups_run")
    memory.checkpoint([{"name": named, "value": "Backups run at 2", "tags": ["ops", "night"]}])
    size = memory.stats().entries
    again = memory.import_file(path)
    assert (again.recorded, len(again.confirmed), again.older) == ((), 1, (named,))
    assert (memory.access(named).atom.tags, memory.stats().entries) == (("ops", "night"), size)


def test_rows_whose_atoms_were_forgotten_come_back_and_are_named(memory: Memory, tmp_path: Path) -> None:
    path = file(tmp_path, "f.csv", "name,value\nvat,19 percent\nada,Ada was ill in May\n")
    assert memory.import_file(path).forgotten == ()
    memory.forget("v1.note.ada")
    assert memory.import_file(path, dry_run=True).forgotten == ("v1.note.ada",)
    assert memory.import_file(path).forgotten == ("v1.note.ada",)
    assert memory.import_file(path).forgotten == ()
    memory.checkpoint(tombstones=["v1.note.ada"])
    path.write_text("name,value\nada,Ada is well\n")
    imported = memory.import_file(path)  # it was there again since, and out of use
    assert (imported.recorded, imported.forgotten) == (("v1.note.ada",), ())


def test_rows_of_one_name_and_two_texts_are_two_atoms_at_every_import(memory: Memory, tmp_path: Path) -> None:
    path = file(tmp_path, "talks.csv", "title,text\nMeeting,first talk\nMeeting,second talk\nMeeting,first talk\n")
    imported = memory.import_file(path)
    assert imported.confirmed == ()  # the third row repeats the first, and nothing was there before
    first, second = imported.recorded
    assert (first, memory.access(first).value) == ("v1.note.Meeting", "first talk")
    assert (second[:16], memory.access(second).value) == ("v1.note.Meeting_", "second talk")
    assert set(memory.import_file(path).confirmed) == {first, second}


def test_columns_with_other_names_are_mapped_and_a_missing_text_column_is_told(memory: Memory, tmp_path: Path) -> None:
    path = file(tmp_path, "odd.csv", "Who;Remark\nAna;Keeps the keys\n")
    with pytest.raises(InputError, match=r"no column is called value or text. The columns are: 'Who', 'Remark'"):
        memory.import_file(path)
    with pytest.raises(InputError, match="there is no column 'Remarks'"):
        memory.import_file(path, columns={"value": "Remarks"})
    with pytest.raises(InputError, match="has no field values"):
        memory.import_file(path, columns={"values": "Remark"})
    assert memory.import_file(path, columns={"value": "Remark", "name": "Who"}).recorded == ("v1.note.Ana",)


def test_rows_that_cannot_be_taken_are_listed_with_their_line_and_the_rest_is_saved(
    memory: Memory, tmp_path: Path
) -> None:
    key = "AKIA" + "Z7Q4M2X9C5V8B3N6"
    text = f'name,value,confidence\na,one,\nb,"two\nlines",\nc,,\nd,four,high\ne,five,0.5,more\nf,{key},\ng,seven,\n'
    path = file(tmp_path, "mixed.csv", text)
    imported = memory.import_file(path)
    assert imported.recorded == ("v1.note.a", "v1.note.b", "v1.note.g")
    assert [refused.item for refused in imported.refused] == ["line 5", "line 6", "line 7", "line 8"]
    assert key not in str(imported.refused)
    with pytest.raises(ItemsRefused, match="line 8"):
        memory.import_file(path, partial=False)


def test_a_dry_run_tells_what_would_come_and_writes_nothing(memory: Memory, tmp_path: Path) -> None:
    path = file(tmp_path, "facts.csv", "key,text\na,one\nb,two\nv1.fact.c,\n")
    size = memory.stats().entries
    told = memory.import_file(path, dry_run=True)
    assert (told.dry_run, told.recorded, len(told.refused)) == (True, ("v1.note.a", "v1.note.b"), 1)
    assert memory.stats().entries == size
    assert memory.import_file(path).recorded == told.recorded
    assert memory.import_file(path, dry_run=True).recorded == ()


def test_lines_of_json_without_a_kind_are_rows(memory: Memory, tmp_path: Path) -> None:
    lines = [{"name": "v1.fact.a", "value": "1", "tags": ["x"]}, {"value": "Free text", "score": 2}, ["no object"]]
    path = file(tmp_path, "rows.jsonl", "\n".join(map(json.dumps, lines)))
    imported = memory.import_file(path)
    assert imported.kind == "jsonl"
    assert [item.item for item in imported.refused] == ["line 3"]
    assert memory.access(imported.recorded[1]).atom.attrs == {"score": 2}


def test_each_line_of_json_has_columns_of_its_own(memory: Memory, tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"name": "a", "value": "one"},
        {"title": "b", "text": "two", "labels": "x"},
        {"text": "three"},
        {"title": "d", "mood": "none"},
        {},
        {"name": "f", "value": "six"},
    ]
    imported = memory.import_file(file(tmp_path, "t.jsonl", "\n".join(map(json.dumps, lines))))
    texts = [(name, memory.access(name).atom.value) for name in imported.recorded]
    assert texts[:2] == [("v1.note.a", "one"), ("v1.note.b", "two")]
    assert [text for _, text in texts[2:]] == ["three", "six"]
    assert memory.access("v1.note.b").atom.tags == ("x",)
    told = [(item.item, item.reason) for item in imported.refused]
    assert [item for item, _ in told] == ["line 4", "line 5"]
    assert told[0][1].startswith("no column is called value or text. The columns are: 'title', 'mood'.")
    assert "The columns are: none." in told[1][1]


def test_a_named_column_is_needed_in_each_line_of_json_only_if_it_is_the_text(memory: Memory, tmp_path: Path) -> None:
    lines = [{"Remark": "one", "Who": "a"}, {"Remark": "two"}, {"Who": "c", "text": "three"}]
    path = file(tmp_path, "t.jsonl", "\n".join(map(json.dumps, lines)))
    imported = memory.import_file(path, columns={"value": "Remark", "name": "Who"})
    assert [memory.access(name).atom.value for name in imported.recorded] == ["one", "two"]
    assert [(item.item, item.reason) for item in imported.refused] == [
        ("line 3", "there is no column 'Remark'. The columns are: 'Who', 'text'")
    ]


def test_one_import_can_be_forgotten_as_a_whole(memory: Memory, tmp_path: Path) -> None:
    memory.checkpoint(["v1.fact.own = stays"])
    memory.import_file(file(tmp_path, "facts.csv", "name,value\na,one\nb,two\n"))
    assert memory.forget(session="import:facts.csv").atoms == 2
    assert [atom.name for atom in memory.list()] == ["v1.fact.own"]


def test_what_others_do_with_imported_atoms_is_not_told_as_an_import(memory: Memory, tmp_path: Path) -> None:
    memory.import_file(file(tmp_path, "facts.csv", "name,value\na,one\nb,two\n"))
    memory.rename("v1.note.a", "v1.note.c")
    assert (memory.undo().imported, memory.undo().imported) == (None, None)
    memory.checkpoint(["v1.note.b = three"])
    assert (memory.undo().imported, memory.undo().imported) == (None, None)


def test_the_origin_is_whose_word_the_caller_says_it_is(memory: Memory, tmp_path: Path) -> None:
    memory.import_file(file(tmp_path, "facts.csv", "name,value\na,one\n"), origin="user", actor="ana")
    atom = memory.access("v1.note.a").atom
    assert (atom.origin, atom.actor) == ("user", "ana")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"name,value\na,caf\xe9\n", "not UTF-8"),
        (b'name,value\na,"never closed\n', "not CSV"),
        (b"name,name,value\na,b,c\n", "two columns have the same name"),
        (b"", "nothing to import"),
        (b"name,value\n", "nothing to import"),
    ],
)
def test_a_broken_table_is_refused_and_nothing_is_saved(
    memory: Memory, tmp_path: Path, text: bytes, error: str
) -> None:
    size = memory.stats().entries
    broken = file(tmp_path, "broken.csv", text)
    with pytest.raises(InputError, match=error):
        memory.import_file(broken)
    assert memory.stats().entries == size
    with pytest.raises(InputError, match=error):  # also before a store is made for it
        refuse_first_import(broken)


def test_a_data_frame_is_taken_in_row_by_row(memory: Memory) -> None:
    frame = pd.DataFrame(
        {
            "name": ["a", "b", None],
            "text": ["one", "two", "three of them"],
            "date": [pd.Timestamp("2026-05-01", tz="UTC"), pd.NaT, pd.NaT],
            "hits": [1, 2, 3],
            "ratio": [0.5, float("nan"), 1.0],
        }
    )
    imported = memory.import_frame(frame, source="sales.parquet", type="metric")
    assert imported.recorded[:2] == ("v1.metric.a", "v1.metric.b")
    first = memory.access("v1.metric.a").atom
    assert (first.occurred_at, first.attrs) == (datetime(2026, 5, 1, tzinfo=UTC), {"hits": 1, "ratio": 0.5})
    assert memory.access("v1.metric.b").atom.attrs == {"hits": 2}
    assert memory.import_frame(frame, source="sales.parquet", type="metric").recorded == ()
    with pytest.raises(SchemaInvalid, match="data frame of pandas or polars"):
        memory.import_frame([1, 2])


class Polars:
    """What a frame of polars has of what is used: it is no part of the tests' environment."""

    columns = ("name", "value")

    def iter_rows(self) -> list[tuple[object, ...]]:
        return [("a", "one"), ("b", None)]


def test_a_frame_with_the_methods_of_polars_is_read() -> None:
    lines = list(frame_lines(Polars(), Columns.of(None, None)).lines)
    assert lines[0].fields == {"name": "v1.note.a", "value": "one"}
    assert lines[1].reason == "its text is empty"


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=30)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
def test_any_cells_come_through_as_they_were_written(rows: list[tuple[str, str]]) -> None:
    import csv  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.csv"
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out)
            writer.writerows([("name", "value"), *rows])
        with open_csv(path, Columns.of(None, None)) as lines:
            read = list(lines.lines)
    wanted = [value for name, value in rows if value.strip()]
    assert [line.fields["value"] for line in read if hasattr(line, "fields")] == wanted


def test_atoms_that_were_there_before_and_get_a_new_version_are_counted_in_a_dry_run_too(
    memory: Memory, tmp_path: Path
) -> None:
    memory.checkpoint(["v1.fact.a = mine", "v1.fact.b = the same", "v1.fact.gone = old"])
    memory.checkpoint(tombstones=["v1.fact.gone"])
    rows = "name,value\nv1.fact.a,theirs\nv1.fact.b,the same\nv1.fact.gone,new\nv1.fact.c,new\n"
    path = file(tmp_path, "t.csv", rows)
    dry, done = (memory.import_file(path, dry_run=is_dry) for is_dry in (True, False))
    assert dry.changed == done.changed == ("v1.fact.a", "v1.fact.b")  # the second one has a source now
    assert memory.import_file(path).changed == ()


def test_a_pipe_is_refused_and_not_waited_for(memory: Memory, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for kind in (None, "csv", "jsonl", "substrate", "server-memory"):
        with pytest.raises(InputError, match="not a plain file"):
            memory.import_file(tmp_path / "pipe.csv", kind)
    with pytest.raises(InputError, match="not a plain file"):
        memory.import_lines(tmp_path / "pipe.csv")


def test_a_line_confirms_what_was_there_also_if_later_lines_change_it(memory: Memory, tmp_path: Path) -> None:
    """The twin: a line that repeats one of the same file confirms nothing."""
    lines = [f'{{"kind": "put", "name": "v1.fact.{name}", "value": "{value}"}}\n' for name, value in (
        ("a", "one"), ("a", "two"), ("a", "one"), ("b", "two"), ("b", "two"),
    )]  # fmt: skip
    for dry_run in (True, False):
        memory.checkpoint(["v1.fact.a = one", "v1.fact.b = one"])
        imported = memory.import_lines(file(tmp_path, "lines.jsonl", "".join(lines)), dry_run=dry_run)
        assert imported.confirmed == ("v1.fact.a",)
        assert set(imported.recorded) == {"v1.fact.a", "v1.fact.b"}


@pytest.mark.parametrize("turn", [1, -1])
def test_a_named_column_may_be_missing_in_any_line_of_json_but_not_in_all(
    memory: Memory, tmp_path: Path, turn: int
) -> None:
    rows = [{"text": "no tag"}, {"text": "a tag", "labels2": "x"}, {"id": "k"}][::turn]
    path = file(tmp_path, "rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    imported = memory.import_file(path, columns={"tags": "labels2"})
    assert sorted(atom.tags for atom in memory.list()) == [(), ("x",)]
    assert [refused.item for refused in imported.refused] == [f"line {rows.index({'id': 'k'}) + 1}"]
    with pytest.raises(InputError, match="there is no column 'label'"):
        memory.import_file(path, columns={"tags": "label"})


INDENTED = "    indented code\n    second line\n"


def test_texts_and_attrs_keep_the_spaces_at_their_start_and_end(memory: Memory, tmp_path: Path) -> None:
    row = {"id": " a ", "text": INDENTED, "more": " b ", "deep": {"c": [" d "]}, "tags": [" t "], "empty": "  "}
    path = file(tmp_path, "t.jsonl", json.dumps(row) + "\n")
    memory.import_file(path)
    atom = memory.access("v1.note.a").atom
    assert (atom.value, atom.tags, atom.attrs) == (INDENTED, ("t",), {"more": " b ", "deep": {"c": [" d "]}})
    assert memory.import_file(path).recorded == ()
    path = file(tmp_path, "t.csv", 'name,value,type\nb," x\r\n y\t", fact \n')
    memory.import_file(path)
    assert memory.access("v1.fact.b").value == " x\r\n y\t"


def test_rows_of_one_name_whose_texts_differ_in_spaces_are_two_atoms_in_any_order(tmp_path: Path) -> None:
    for texts in (("x", "b", "b ", " b"), ("x", "b ", " b", "b")):
        path = file(tmp_path, "t.csv", "name,value\n" + "".join(f'n,"{text}"\n' for text in texts))
        with open_csv(path, Columns.of(None, None)) as lines:
            names = {line.fields["value"]: line.fields["name"] for line in lines.lines if hasattr(line, "fields")}
        assert (len(names), len(set(names.values()))) == (4, 4)
        assert names[texts[1]] == "v1.note.n_3e23e816"  # as when spaces were not kept


def test_what_was_trimmed_by_an_earlier_version_is_changed_in_spaces_only_and_then_never_again(
    memory: Memory, tmp_path: Path
) -> None:
    """`a` and the one without a name were trimmed; `b` has another text now."""
    table = 'name,value,more\na,"  x ",y\nb, z,y\n," no name",y\n'
    memory.import_file(file(tmp_path, "t.csv", table.replace('"  x "', "x").replace(" z", "w").replace('" n', '"n')))
    path = file(tmp_path, "t.csv", table)
    dry, done = (memory.import_file(path, dry_run=is_dry) for is_dry in (True, False))
    assert dry.spaces == done.spaces == tuple(name for name in done.changed if name != "v1.note.b")
    assert (len(done.spaces), len(done.changed), memory.access("v1.note.a").value) == (2, 3, "  x ")
    again = memory.import_file(path)
    assert (again.recorded, again.spaces, again.older) == ((), (), ())


def test_a_file_that_was_trimmed_does_not_come_over_what_a_person_changed_since(memory: Memory, tmp_path: Path) -> None:
    memory.checkpoint([{"name": "v1.note.b", "value": "y", "source": "t.csv"}])
    memory.import_file(file(tmp_path, "t.csv", "name,value\na,x\nb,y\n"))
    memory.checkpoint(["v1.note.a = mine", "v1.note.b = mine"])
    assert memory.import_file(file(tmp_path, "t.csv", "name,value\na, x\nb, y\n")).older == ("v1.note.a", "v1.note.b")
    assert memory.access("v1.note.a").value == "mine"


def test_rows_with_the_name_of_an_earlier_row_and_another_text_are_told_each_time(
    memory: Memory, tmp_path: Path
) -> None:
    path = file(tmp_path, "t.csv", "name,value\nlimit,50\nlimit,60\nother,1\nother,1\n")
    for imported in (memory.import_file(path, dry_run=True), memory.import_file(path), memory.import_file(path)):
        (own,) = imported.shared_names
        assert (own[:14], imported.shared_names[own]) == ("v1.note.limit_", "v1.note.limit")
    assert memory.access(own).value == "60"


@pytest.mark.parametrize("columns", [{"value": "Antwrt"}, None])
def test_a_column_that_is_not_there_is_told_with_one_to_map(tmp_path: Path, columns: dict[str, str] | None) -> None:
    path = file(tmp_path, "t.csv", "id,Antwort\na,b\n")
    with (
        pytest.raises(InputError, match=r"Name the column that holds the text with columns, such as value=Antwort$"),
        open_csv(path, Columns.of(columns, None)) as lines,
    ):
        list(lines.lines)


def test_a_file_of_a_spreadsheet_is_refused_with_what_to_do(memory: Memory, tmp_path: Path) -> None:
    path = file(tmp_path, "t.XLSX", "PK")
    with pytest.raises(InputError, match=r"Save the sheet as CSV, or call memory.import_frame\(pandas.read_excel"):
        memory.import_file(path)
