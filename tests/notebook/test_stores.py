"""Which store `%memory` uses, what it remembers, and what becomes of stores that are open."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import substrate
from substrate.errors import Denied
from substrate.notebook.bookmarks import Bookmark, Bookmarks
from substrate.notebook.stores import Stores
from tests.scale import PATIENCE_S


def test_a_store_that_is_opened_is_made_and_said_so_and_remembered_for_the_folder(notebook: Any, folder: Path) -> None:
    assert f"made a new store in {folder / 'mine'}" in notebook.printed("%memory open mine")
    assert "made" not in notebook.printed("%memory open mine")
    notebook.run("%memory checkpoint v1.fact.a = x")
    fresh = Stores()
    assert fresh.path() == (folder / "mine", "remembered for this folder")
    assert fresh.current().access("v1.fact.a").value == "x"
    fresh.close()


def test_another_folder_has_another_store(notebook: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook.run("%memory open mine")
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert Stores().path() == (elsewhere / "substrate-store", "the default here")
    assert notebook.run("%memory status").store == str(folder / "mine")  # a kernel keeps to what it has opened


def test_a_kernel_keeps_to_the_store_that_it_found(notebook: Any, folder: Path) -> None:
    for here in ("first", "second"):
        (folder / here).mkdir()
    notebook.run("%cd -q first\n%memory checkpoint v1.fact.a = x")
    assert notebook.run("%cd -q ../second\n%memory status").store == str(folder / "first" / "substrate-store")
    notebook.run("%memory checkpoint v1.fact.b = y")
    assert [atom.name for atom in notebook.run("%memory list")] == ["v1.fact.a", "v1.fact.b"]
    assert not list((folder / "second").iterdir())
    notebook.run("%config MemoryMagics.store = 'third'\n%memory checkpoint v1.fact.c = z")
    assert [atom.name for atom in notebook.run("%memory list")] == ["v1.fact.c"]
    notebook.run("%memory open fourth")
    assert not notebook.run("%memory list")


def test_what_is_set_comes_before_what_is_remembered(notebook: Any, folder: Path) -> None:
    notebook.run("%memory open mine")
    with substrate.open(folder / "other") as other:
        other.checkpoint(["v1.fact.other = y"])
    stores = Stores()
    stores.preferred = "other"
    assert stores.path()[0] == folder / "other"


def test_the_environment_says_which_where_nothing_is_remembered(
    notebook: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUBSTRATE_STORE", str(folder / "from-environment"))
    notebook.run("%memory checkpoint v1.fact.a = x")
    assert (folder / "from-environment").is_dir()


@pytest.mark.parametrize("line", ["status", "list", "search x", "access v1.fact.a", "bootstrap x", "forget v1.fact.a"])
def test_what_reads_makes_no_store_and_says_what_to_do(notebook: Any, folder: Path, line: str) -> None:
    printed = notebook.error(f"%memory {line}")
    assert printed.startswith(f"UsageError: there is no store in {folder / 'substrate-store'} (the default here).")
    assert "%memory open PATH" in printed
    assert list(folder.iterdir()) == []


def test_stores_that_were_opened_stay_open(notebook: Any) -> None:
    notebook.run("first = %memory open one\n%memory checkpoint v1.fact.a = x")
    notebook.run("second = %memory open two")
    assert notebook.run("first.access('v1.fact.a').value") == "x"
    assert notebook.run("%memory list").items == ()


def test_a_store_that_was_closed_is_opened_again(notebook: Any) -> None:
    notebook.run("memory = %memory open\n%memory checkpoint v1.fact.a = x")
    notebook.shell.magics_manager.registry["MemoryMagics"].stores.close()
    assert notebook.run("%memory access v1.fact.a").value == "x"


def test_a_store_can_be_opened_for_reading_only(notebook: Any) -> None:
    notebook.run("%memory checkpoint v1.fact.a = x")
    notebook.run("%memory open --read-only")
    assert notebook.run("%memory status").read_only
    assert notebook.run("%memory access v1.fact.a").value == "x"
    assert "UsageError" in notebook.error("%memory checkpoint v1.fact.b = y")
    notebook.run("%memory open")
    notebook.run("%memory checkpoint v1.fact.b = y")


def test_who_works_here_is_the_login_name_unless_it_is_said(notebook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "grace")
    notebook.run("%memory checkpoint v1.fact.a = x")
    atom = notebook.run("%memory access v1.fact.a").atom
    assert atom.actor == "grace"
    assert atom.session.startswith("notebook ")
    notebook.run("%memory open --actor ada\n%memory checkpoint --actor someone v1.fact.b = y")
    assert notebook.run("%memory access v1.fact.b").atom.actor == "someone"
    assert notebook.run("%memory status").actor == "ada"


def test_a_store_that_is_opened_for_reading_only_stays_open_for_who_writes(notebook: Any) -> None:
    notebook.run("memory = %memory open mine\nreader = %memory open mine --read-only")
    notebook.run("memory.checkpoint(['v1.fact.a = x'])")
    assert notebook.run("reader.access('v1.fact.a').value") == "x"
    assert "UsageError" in notebook.error("%memory checkpoint v1.fact.b = y")
    notebook.run("again = %memory open mine\n%memory checkpoint v1.fact.b = y")
    assert notebook.run("memory is again")
    assert [atom.name for atom in notebook.run("reader.list()")] == ["v1.fact.a", "v1.fact.b"]


def test_the_last_word_on_who_works_here_holds(notebook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "grace")

    def who() -> tuple[str, str]:
        saved = notebook.run(f"%memory checkpoint v1.fact.a = {uuid4().hex}").recorded[0]
        return notebook.run(f"%memory access {saved}").atom.actor, notebook.run("%memory status").actor

    assert who() == ("grace", "grace")
    notebook.run("%config MemoryMagics.actor = 'bob'")
    assert who() == ("bob", "bob")
    notebook.run("%memory open mine --actor ada")
    assert who() == ("ada", "ada")
    notebook.run("%memory open mine --read-only\n%memory open mine\n%reload_ext substrate")
    assert who() == ("ada", "ada")
    notebook.run("%memory open other")
    assert who() == ("bob", "bob")
    notebook.run("%memory open mine\n%config MemoryMagics.actor = 'carl'")
    assert who() == ("carl", "carl")


def test_a_store_that_was_only_read_is_only_read_by_the_next_kernel(notebook: Any, folder: Path) -> None:
    notebook.run("%memory open mine\n%memory open mine --read-only")
    fresh = Stores()
    assert fresh.path() == (folder / "mine", "remembered for this folder")
    with pytest.raises(Denied):
        fresh.current(create=True).checkpoint(["v1.fact.a = x"])
    assert fresh.read_only
    notebook.run("%memory open mine")
    assert not Stores().read_only
    fresh.close()


@pytest.mark.parametrize("path", ["file", "file/below", "~nosuchuser/store", '"a\0b"'])
def test_a_path_that_can_be_no_store_is_told_in_a_line(notebook: Any, folder: Path, path: str) -> None:
    (folder / "file").write_text("x")
    printed = notebook.error(f"%memory open {path}")
    assert printed.startswith("UsageError: ")
    assert printed.count("\n") == 1


# -- the file ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"format": "other"}', '{"stores": 1}', "\udcff", "[" * 9**5])
def test_a_file_that_is_broken_or_foreign_is_said_once_and_replaced(notebook: Any, folder: Path, text: str) -> None:
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    (home / "notebook-stores.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    printed = notebook.printed("%memory open mine")
    assert printed.count("what was remembered is not used") == 1
    assert "remembered" not in notebook.printed("%memory open mine")
    assert json.loads((home / "notebook-stores.json").read_text())["stores"] == {str(folder): str(folder / "mine")}


def test_a_file_of_a_newer_version_is_left_as_it_is(notebook: Any, folder: Path) -> None:
    file = folder.parent / "home" / "notebook-stores.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text('{"format": "substrate-notebook-stores/2", "folders": []}')
    assert "left as it is" in notebook.printed("%memory open mine")
    assert file.read_text() == '{"format": "substrate-notebook-stores/2", "folders": []}'


def test_what_is_left_out_of_many_is_what_was_opened_longest_ago(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("substrate.notebook.bookmarks._MOST", 2)
    known = Bookmarks(tmp_path, [])
    for name in ("first", "second", "first", "third"):
        known.remember(Path(name), Bookmark(Path("store")))
    assert [known.store_for(Path(name)) is None for name in ("first", "second", "third")] == [False, True, False]


def test_a_folder_of_settings_that_cannot_be_written_is_no_error(folder: Path) -> None:
    home = folder.parent / "file"
    home.write_text("not a folder")
    news: list[str] = []
    Bookmarks(home, news).remember(folder, Bookmark(folder / "mine"))
    assert "not remembered" in news[-1]


REMEMBER = """
import sys
from pathlib import Path
from substrate.notebook.bookmarks import Bookmark, Bookmarks
home, mine = Path(sys.argv[1]), sys.argv[2]
for at in range(25):
    Bookmarks(home, []).remember(Path(f"/projects/{mine}/{at}"), Bookmark(Path(f"/stores/{mine}/{at}")))
"""


def test_kernels_that_remember_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", REMEMBER, str(tmp_path), name]) for name in "abc"]
    assert [writer.wait(timeout=PATIENCE_S) for writer in writers] == [0, 0, 0]
    known = Bookmarks(tmp_path, [])
    for name in "abc":
        assert all(
            known.store_for(Path(f"/projects/{name}/{at}")) == Bookmark(Path(f"/stores/{name}/{at}"))
            for at in range(25)
        )


@pytest.mark.parametrize("cell", ["%memory checkpoint bad name = x", "%memory record badname 6 * 7"])
def test_a_first_checkpoint_that_is_refused_makes_no_store(notebook: Any, folder: Path, cell: str) -> None:
    notebook.error(cell)
    assert list(folder.iterdir()) == []
    assert "made a new store" in notebook.printed("%memory checkpoint v1.fact.a = x")
