from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from substrate.kv.open import open_store
from substrate.log.tables import META, NODES, TABLES, seq_key
from substrate.memory import Memory
from substrate.values.saved import Forgot
from tests.cli.run import Commands
from tests.hostile.foreign_logs import damaged_entry, store_with


def test_forget_erases_an_atom_and_can_prove_it(store: Commands) -> None:
    ran = store.ok("forget", "v1.fact.provider", "--yes")
    assert ran.rows[0] == ["forgot atoms", "1"]
    assert "backups and exports" in ran.err
    assert store("access", "v1.fact.provider", "--proof", "gone.json").code == 5
    assert store("verify", "gone.json", "--store", "substrate-store", "--claim", "forgotten").code == 0
    assert store("access", "v1.fact.provider", "--json").error["code"] == "forgotten"
    assert store("access", "v1.fact.provider", "--proof", "-").out.startswith("{")


def test_without_yes_it_only_counts_and_a_pipe_gets_a_usage_error(store: Commands) -> None:
    ran = store("forget", "v1.fact.provider")
    assert ran.code == 2
    assert ran.rows[0] == ["would forget atoms", "1"]
    assert "Repeat with --yes" in ran.err
    assert store("access", "v1.fact.provider").out == "Adyen\n"
    ran = store("forget", "v1.fact.provider", "--json")
    assert (ran.code, ran.json["dry_run"], ran.error["code"]) == (2, True, "input")


def test_a_dry_run_writes_nothing_at_all(store: Commands) -> None:
    before = store("head").out
    assert store.ok("forget", "v1.fact.provider", "--dry-run", "--yes", "--json").json["versions"] == 2
    assert store("head").out == before


@pytest.mark.parametrize(
    "words", [["--source", "kick-off"], ["--seqs", "1:2"], ["--actor", "me"], ["--session", "one"]]
)
def test_versions_are_forgotten_by_what_they_say_of_themselves(store: Commands, words: list[str]) -> None:
    store.ok("checkpoint", "v1.fact.x = y", "--actor", "me", "--session", "one")
    assert store.ok("forget", *words, "--yes", "--json").json["versions"] == 1


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["v1.a.b", "--source", "x"],
        ["--seqs", "2:2"],
        ["--source", "", "v1.a.b"],
    ],
)
def test_what_to_forget_is_said_in_one_way(store: Commands, words: list[str]) -> None:
    assert store("forget", *words, "--yes").code == 2


def test_nothing_to_forget_is_not_found(store: Commands) -> None:
    assert store("forget", "--source", "nobody", "--yes").code == 4


def test_what_readers_keep_in_the_file_is_told(store: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    def forget(*_: object, dry_run: bool, **__: object) -> Forgot:
        return Forgot(dry_run=dry_run, atoms=1, versions=1, edges=0, traces=0, seqs=(9,), compacted=False)

    monkeypatch.setattr(Memory, "forget", forget)
    ran = store("forget", "v1.fact.provider", "--yes")
    assert (ran.code, "run substrate compact" in ran.err) == (12, True)


@pytest.mark.parametrize(("answer", "left"), [("yes\n", 5), ("no\n", 0), ("", 0), ("y\n", 0)])
def test_on_a_terminal_it_asks_and_only_yes_is_a_yes(store: Commands, answer: str, left: int) -> None:
    ran = store("forget", "v1.fact.provider", stdin=answer, terminal=True)
    assert "Type yes to go on" in ran.err
    assert ran.code == (0 if left else 130)
    assert store("access", "v1.fact.provider").code == left


def test_stats_count(store: Commands) -> None:
    said = dict(store("stats").rows)
    assert (said["atoms"], said["of type fact"], said["edges"], said["entries"]) == ("3", "2", "1", "6")
    assert said["bytes"].isdecimal()
    document = store("stats", "--json").json
    assert document["types"] == {"fact": 2, "goal": 1}
    assert document["store"] == "substrate-store"


def test_fsck_finds_damage_by_its_exit_code(store: Commands) -> None:
    assert store("fsck").rows[0][0] == "no damage"
    assert store("fsck", "--json").json["ok"] is True
    (data,) = Path("substrate-store").rglob("data.mdb")
    damaged = data.read_bytes().replace(b"Adyen", b"Sumup")
    data.write_bytes(damaged)
    ran = store("fsck")
    assert (ran.code, ran.rows[0][0]) == (1, "damage")
    document = store("fsck", "--json").json
    assert (document["ok"], "entry 4" in document["damage"]) == (False, True)
    assert store("fsck", "--quiet").out == ""
    ran = store("access", "v1.fact.provider", "--json")
    assert (ran.code, ran.error["code"]) == (10, "store_damaged")


def test_what_fsck_says_of_an_entry_that_does_not_fit_is_what_mends_it(run: Commands) -> None:
    damaged = str(store_with(run.folder, damaged_entry("an edge of no type")))
    ran = run("fsck", "--store", "store")
    assert (ran.code, ran.rows[0][0]) == (1, "damage")
    assert f"substrate forget {damaged} erases it" in ran.out
    assert "no copy of this store can be restored or imported" in ran.err
    assert "do not write" not in ran.err
    asked = run("forget", damaged, "--store", "store")
    assert ["to be erased", f'"{damaged}"'] in asked.rows
    run.ok("forget", damaged, "--store", "store", "--yes")
    run.ok("fsck", "--store", "store")


def test_rebuild_mends_a_store_that_cannot_be_opened(store: Commands) -> None:
    before = store("list").out
    damaged = open_store(Path("substrate-store"), TABLES, read_only=False, create=False)
    with damaged.write() as transaction:
        transaction.delete(NODES, seq_key(5))
    damaged.close()
    ran = store("list", "--json")
    assert (ran.code, ran.error["code"]) == (10, "store_damaged")
    assert store("fsck").code == 1
    store.ok("rebuild")
    assert store("list").out == before
    assert store("fsck").code == 0


@pytest.mark.parametrize("current", [None, "garbage\n", ""])
def test_a_lost_current_is_told_by_every_verb_alike_and_brought_back_by_rebuild(
    store: Commands, current: str | None
) -> None:
    folder, before = Path("substrate-store"), store("list").out
    (folder / "CURRENT").unlink()
    if current is not None:
        (folder / "CURRENT").write_text(current, encoding="ascii")
    for verb in ("list", "search x", "remember x", "stats"):
        ran = store(*verb.split(), "--json")
        assert (ran.code, ran.error["code"]) == (10, "store_damaged"), verb
        assert "run substrate rebuild" in ran.error["message"], verb
    assert "run substrate rebuild" in store("fsck").out
    (folder / "recovering" / "env.0001").mkdir(parents=True)  # of a rebuild that was killed
    store.ok("rebuild")
    assert store("list").out == before
    assert store("fsck").code == 0
    assert sorted(path.name for path in folder.glob("[!.]*") if path.is_dir()) == ["env.0002"]


def test_an_environment_that_is_not_sound_never_becomes_the_live_one(store: Commands) -> None:
    folder = Path("substrate-store")
    damaged = open_store(folder, TABLES, read_only=False, create=False)
    with damaged.write() as transaction:  # as a rebuild that was killed leaves it
        transaction.delete(META, b"origin")
    damaged.close()
    (folder / "CURRENT").unlink()
    ran = store("rebuild", "--json")
    assert (ran.code, ran.error["code"]) == (10, "store_damaged")
    assert "env.0001, is not sound" in ran.error["message"]
    assert "restore the store from a backup" in ran.error["message"]
    assert not (folder / "CURRENT").exists()
    assert not (folder / "recovering").exists()


def test_an_environment_that_is_behind_its_mark_never_becomes_the_live_one(store: Commands) -> None:
    folder = Path("substrate-store")
    older = (folder / "env.0001" / "data.mdb").read_bytes()
    store.ok("remember", "one thing more")
    (folder / "CURRENT").unlink()
    (folder / "env.0001" / "data.mdb").write_bytes(older)
    assert "is not sound" in store("rebuild").err
    assert not (folder / "CURRENT").exists()


@pytest.mark.parametrize("beside", ["env.0002", "CREATING"])
def test_of_several_environments_and_of_one_that_is_being_made_none_is_taken(store: Commands, beside: str) -> None:
    folder = Path("substrate-store")
    (folder / "CURRENT").write_text("garbage", encoding="ascii")
    shutil.copytree(folder / "env.0001", folder / beside)
    for verb in ("fsck", "rebuild"):
        ran = store(verb)
        assert "restore the store from a backup" in ran.out + ran.err
        assert "ebuild" not in ran.out + ran.err  # that would lead in a circle
    assert (folder / "CURRENT").read_text(encoding="ascii") == "garbage"


def test_rebuild_and_compact_leave_everything_as_it_was(store: Commands) -> None:
    before = store("list").out, store("edges", "v1.fact.provider").out, store("head").out
    assert store.ok("rebuild").rows == [["rebuilt", "from 6 entries"]]
    assert store.ok("rebuild", "--json").json == {"rebuilt": True, "entries": 6}
    assert store.ok("compact").rows[0][0] == "compacted"
    assert store.ok("compact", "--json").json["compacted"] is True
    assert (store("list").out, store("edges", "v1.fact.provider").out, store("head").out) == before
    assert store("fsck").code == 0
