"""Which store a command is about: the one that is named, else the nearest from the working folder upwards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.run import Commands


@pytest.fixture
def below(run: Commands, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, two below the one of a project with a store that holds v1.fact.a = project."""
    run.ok("checkpoint", "v1.fact.a = project")
    folder = run.folder / "src" / "deep"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def value(run: Commands, *options: str) -> str:
    return run.ok("access", "v1.fact.a", *options).out.strip()


def test_a_store_is_found_from_the_folders_below_it_and_written_to(run: Commands, below: Path) -> None:
    assert value(run) == "project"
    run.ok("remember", "the office is in Berlin")
    assert not (below / "substrate-store").exists()
    run.ok("checkpoint", "v1.fact.a = inner", "--store", "../.substrate")
    assert value(run) == "inner"


def test_a_named_store_comes_before_the_variable_and_that_before_the_nearest(
    run: Commands, below: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("named", "variable"):
        run.ok("checkpoint", f"v1.fact.a = {name}", "--store", str(below / name))
    monkeypatch.setenv("SUBSTRATE_STORE", str(below / "variable"))
    assert value(run) == "variable"
    assert value(run, "--store", "named") == "named"


def test_the_search_ends_at_the_home_folder(run: Commands, below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(below.parent))
    assert run("access", "v1.fact.a").code == 4
    run.ok("remember", "x", "--store", str(below.parent / ".substrate"))
    assert run.ok("list").rows[0][0] == "v1.note.x"


def test_a_link_and_an_empty_folder_are_no_store(run: Commands, below: Path) -> None:
    (below / ".substrate").mkdir()
    (below.parent / "elsewhere").symlink_to(run.folder / "substrate-store")
    (below.parent / "substrate-store").symlink_to(run.folder / "substrate-store")
    run.ok("checkpoint", "v1.fact.a = other", "--store", str(run.folder / "other"))
    (below.parent / ".substrate").symlink_to(run.folder / "other")
    assert value(run) == "project"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_store_of_another_user_is_used_only_if_it_is_named(run: Commands, below: Path) -> None:
    assert below.exists()
    os.chown(run.folder / "substrate-store", 12345, 12345)
    for words in (["access", "v1.fact.a"], ["remember", "x"]):
        ran = run(*words)
        assert (ran.code, "another user" in ran.err) == (9, True), ran.err
    assert value(run, "--store", str(run.folder / "substrate-store")) == "project"
    assert not (below / "substrate-store").exists()
    for own in (True, False):  # in the working folder itself, where all may write: a link of theirs, to theirs or ours
        (below / "substrate-store").symlink_to(run.folder / "substrate-store")
        os.lchown(below / "substrate-store", 0 if own else 12345, 0)
        os.chown(run.folder / "substrate-store", 12345 if own else 0, 0)
        assert "another user" in run("access", "v1.fact.a").err
        (below / "substrate-store").unlink()


def test_a_new_store_is_announced_and_a_verb_that_reads_makes_none(run: Commands) -> None:
    assert "there is no store" in run("list").err
    assert not (run.folder / "substrate-store").exists()
    ran = run.ok("remember", "the office is in Berlin")
    assert f"made a new store in {run.folder / 'substrate-store'}" in ran.err
    assert "made a new store" not in run.ok("remember", "the office is in Rome").err
