from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.run import Commands


def test_an_export_can_be_imported_elsewhere(store: Commands) -> None:
    assert store.ok("export", "all.jsonl").rows[0] == ["exported", "7 lines"]
    assert store("export").out == Path("all.jsonl").read_text(encoding="utf-8")
    said = dict(store.ok("import", "all.jsonl", "--store", "second").rows)
    assert (said["recorded"], said["edges"]) == ("3", "1")
    columns = [[row[:2] for row in store("list", "--store", path).rows] for path in ("substrate-store", "second")]
    assert columns[0] == columns[1]
    assert [row[4] for row in store("history", "v1.fact.provider", "--store", "second").rows] == ["Stripe", "Adyen"]


def test_an_import_comes_from_standard_input_too(store: Commands) -> None:
    lines = store("export").out
    assert store.ok("import", "-", "--store", "second", "--json", stdin=lines).json["recorded"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not JSON",
        '{"kind":"put","name":"bad name","value":"x"}',
        '{"kind":"put","name":"v1.fact.a","value":"x"}\n{"kind":"tombstone","name":"v1.fact.b"}',
    ],
)
def test_an_import_into_a_new_store_that_is_refused_leaves_nothing(run: Commands, text: str) -> None:
    (run.folder / "lines.jsonl").write_text(text)
    assert run("import", "lines.jsonl").code == 2
    assert run("import", "-", stdin=text).code == 2
    assert [path.name for path in run.folder.iterdir()] == ["lines.jsonl"]


def test_an_import_into_a_new_store_keeps_the_lines_that_are_valid_with_partial(run: Commands) -> None:
    lines = '{"kind":"put","name":"bad name","value":"x"}\n'
    assert run("import", "-", "--partial", stdin=lines).code == 2
    assert list(run.folder.iterdir()) == []
    assert run("import", "-", "--partial", stdin=lines + '{"kind":"put","name":"v1.fact.a","value":"x"}\n').code == 12
    assert "v1.fact.a" in run.ok("list").out


def test_an_export_does_not_overwrite_a_file(store: Commands) -> None:
    Path("all.jsonl").write_text("mine", encoding="utf-8")
    assert store("export", "all.jsonl").code == 2
    assert Path("all.jsonl").read_text(encoding="utf-8") == "mine"


def test_an_export_as_json_needs_a_file(store: Commands) -> None:
    assert store("export", "--json").code == 2
    assert store.ok("export", "x.jsonl", "--json").json == {"file": "x.jsonl", "lines": 7, "full": False}


def test_lines_that_are_refused_are_named(run: Commands) -> None:
    lines = ['{"kind": "put", "name": "v1.fact.a", "value": "1"}', '{"kind": "put", "name": "nothing", "value": "2"}']
    text = "\n".join(lines)
    ran = run("import", "-", stdin=text)
    assert (ran.code, "nothing was saved; refused: 1" in ran.err, "line 2" in ran.err) == (2, True, True)
    assert run("list", "--names").out == ""
    ran = run("import", "-", "--partial", stdin=text)
    assert ran.code == 12
    assert ran.rows[-1][0] == "refused"
    assert run("list", "--names").out == "v1.fact.a\n"


def test_an_import_of_nothing_is_invalid(run: Commands) -> None:
    assert run("import", "nowhere.jsonl").code == 2
    assert run("import", "-", stdin="{}").code == 2


def test_a_full_export_makes_a_clone_with_the_same_head(store: Commands) -> None:
    ran = store.ok("export", "--full", "clone.jsonl")
    assert "salts" in ran.err
    said = store.ok("import", "clone.jsonl", "--full", "--store", "twin", "--json").json
    assert said["entries"] == 6
    assert store("head", "--store", "twin").out == store("head").out
    assert store("list", "--store", "twin").out == store("list").out
    assert store("fsck", "--store", "twin").code == 0
    assert store("import", "clone.jsonl", "--full", "--store", "twin").code != 0
    assert store("import", "clone.jsonl", "--full", "--partial", "--store", "other").code == 2


def test_a_backup_is_brought_back(store: Commands) -> None:
    said = store.ok("backup", "copy", "--json").json
    assert (said["entries"], said["pin"]) == (6, store("pin").out)
    assert store("backup", "copy").code == 2
    ran = store.ok("restore", "copy", "--store", "back")
    assert ran.rows[0] == ["restored", "back"]
    assert store("list", "--store", "back").out == store("list").out
    assert store("fsck", "--store", "back").code == 0
    assert store("restore", "copy").code == 2
    assert store("restore", "nowhere", "--store", "again").code in (2, 4)


def test_a_backup_behind_the_store_goes_on_under_another_origin(store: Commands) -> None:
    store.ok("backup", "copy")
    store.ok("pin", "-o", "me.pin")
    store.ok("checkpoint", "v1.fact.later = too late")
    said = store.ok("restore", "copy", "--store", "back", "--json").json
    assert said["abandoned"]["size"] == 7
    assert said["origin"] != said["abandoned"]["origin"]
    assert store("key", "--store", "back").out == said["key"] + "\n"
    assert store("access", "v1.fact.later", "--store", "back").code == 4
    assert store("pin", "--check", "me.pin", "--store", "back").code == 11
    assert "a new origin and a new key" in store.ok("restore", "copy", "--store", "again").err
    assert [store("fsck", "--store", path).code for path in ("substrate-store", "back", "again")] == [0, 0, 0]


@pytest.mark.parametrize("verb", ["export", "backup copy"])
def test_copies_of_no_store_are_not_found(run: Commands, verb: str) -> None:
    assert run(*verb.split()).code == 4
    assert list(run.folder.iterdir()) == []


def test_an_export_line_is_json(store: Commands) -> None:
    kinds = [json.loads(line)["kind"] for line in store("export").out.splitlines()]
    assert kinds == ["plain", "put", "put", "put", "put", "edge", "plain"]


def test_a_restore_says_each_time_that_origin_and_key_are_new(store: Commands) -> None:
    origin = store("head", "--json").json["origin"]
    store.ok("backup", "copy")
    beside = store.ok("restore", "copy", "--store", "r 1")
    assert ["before", origin] in beside.rows
    assert "a new origin and a new key" in beside.err
    assert "substrate key --store 'r 1'" in beside.err
    store.ok("checkpoint", "v1.fact.later = 1")
    Path("substrate-store").rename("away")
    back = store.ok("restore", "copy", "--json").json
    assert (back["before"], back["abandoned"]["origin"]) == (origin, origin)


def test_a_restore_of_what_is_gone_goes_on_as_it_was_and_says_nothing_of_a_new_key(store: Commands) -> None:
    store.ok("backup", "copy")
    shutil.rmtree("substrate-store")
    ran = store.ok("restore", "copy")
    assert ("new key" in ran.err, [row[0] for row in ran.rows]) == (False, ["restored", "origin"])
