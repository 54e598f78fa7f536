"""The verb import on the command line: what it is told by looking, and what is said of what it cannot take."""

from __future__ import annotations

from pathlib import Path

from tests.cli.run import Commands


def test_the_command_line_tells_the_kind_and_a_folder_is_ingested(run: Commands, tmp_path: Path) -> None:
    table, notes = tmp_path / "facts.csv", tmp_path / "vault"
    table.write_text("key,remark\na,one\nb,\n", encoding="utf-8")
    notes.mkdir()
    (notes / "page.md").write_text("# Heads\n\nA head is signed.\n", encoding="utf-8")
    refused = run("import", str(table))
    assert refused.code == 2
    assert "--column" in refused.err
    assert not (tmp_path / "substrate-store").exists()
    dry = run("import", str(table), "--column", "value=remark", "--dry-run")
    assert (dry.code, "Nothing was written" in dry.err) == (12, True)
    assert not (tmp_path / "substrate-store").exists()
    done = run("import", str(table), "--column", "value=remark", "--type", "fact", "--json")
    assert (done.code, done.json["recorded"], done.json["kind"]) == (12, ["v1.fact.a"], "csv")
    assert done.json["refused"][0]["item"] == "line 3"
    table.write_text("key,remark\na,two\n", encoding="utf-8")
    again = run("import", str(table), "--column", "value=remark", "--type", "fact", "--dry-run")
    assert "were in use before" in again.err
    assert ["of these changed", "1"] in again.rows
    ingested = run.ok("import", str(notes), "--domain", "handbook", "--json")
    assert ingested.json["domain"] == "v1.domain.handbook"
    assert run("import", str(notes), "--type", "fact").code == 2
    assert run("import", str(table), "--full", "--column", "value=remark").code == 2


def test_an_import_leaves_out_counts_of_nothing(run: Commands, tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text("key,text\na,one\n", encoding="utf-8")
    assert run.ok("import", "facts.csv").rows == [["recorded", "1"], ["confirmed", "0"]]


def test_lines_left_out_since_something_newer_stands_there_are_counted_with_what_to_type(run: Commands) -> None:
    (run.folder / "facts.csv").write_text("name,value\na,one\n")
    run.ok("import", "facts.csv")
    run.ok("checkpoint", "v1.note.a = mine")
    again = run.ok("import", "facts.csv")
    assert ["left out", "1"] in again.rows
    assert "the store has something else of 1 atom or edge in this file, recorded later" in again.err
    assert run("access", "v1.note.a").out == "mine\n"
    run.ok("import", "facts.csv", "--older")
    assert run("access", "v1.note.a").out == "one\n"


def test_rows_of_one_name_and_changes_in_spaces_are_counted_with_what_to_type(run: Commands) -> None:
    (run.folder / "facts.csv").write_text("name,value\nlimit,50\n")
    assert "earlier row" not in run.ok("import", "facts.csv").err
    (run.folder / "facts.csv").write_text('name,value\nlimit," 50"\nlimit,60\n')
    again = run.ok("import", "facts.csv")
    assert ["only in spaces", "1"] in again.rows
    assert "1 row has the name of an earlier row and another text" in again.err
    assert "a row of v1.note.limit became v1.note.limit_39fa9ec1. To name rows by another column: --column" in again.err


def test_what_an_import_takes_out_of_use_is_named(run: Commands) -> None:
    there = [f"v1.fact.{name} = x" for name in "abcde"]
    run.ok("checkpoint", *there, "--store", "source")
    for file in ("one.jsonl", "two.jsonl"):
        run.ok("export", file, "--store", "source")
        told = run.ok("import", file, "--store", "target").err
        assert ("taken out of use by this import: v1.fact.a, v1.fact.b, v1.fact.c and 2 more" in told) is (
            file == "two.jsonl"
        )
        run.ok("undo", "--store", "source")


def test_a_new_store_takes_in_the_export_of_one_in_which_something_was_undone(run: Commands) -> None:
    run.ok("checkpoint", "v1.fact.a = one")
    run.ok("checkpoint", "v1.fact.b = two")
    run.ok("undo")
    run.ok("export", "facts.jsonl")
    done = run.ok("import", "facts.jsonl", "--store", "new", "--json")
    assert done.json["recorded"] == ["v1.fact.a"]
