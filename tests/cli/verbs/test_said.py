"""What answers and refusals say beside: what else to know, and the command to type next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import Commands

KEY = "AKIA" + "Z7Q3M5K2R8T4W6Y1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("access", "Provider"),
            "'Provider' is not the name of an atom, such as v1.fact.payment_provider. To find the one",
        ),
        (("forget", "Provider", "--yes"), "To find the one that is meant, use `substrate which`"),
        (("history", "fact_provider"), "is not a valid name. Use v1.fact.provider"),
        (("list", "--type", "fcat"), "no atom has the type fcat. Types here: fact, goal"),
        (("search", "money", "--type", "fcat"), "no atom has the type fcat"),
        (("diff", "0", "--limit", "1"), "these are the latest; 3 changes before them are left out"),
    ],
)
def test_a_verb_that_reads_says_what_to_do(store: Commands, words: tuple[str, ...], said: str) -> None:
    assert said in store(*words).err


def test_the_history_of_a_new_name_leads_to_the_earlier_versions(store: Commands) -> None:
    store.ok("rename", "v1.fact.provider", "v1.fact.payment_provider")
    assert "earlier versions: substrate history v1.fact.provider" in store.ok("history", "v1.fact.payment_provider").err
    assert "renamed" not in store.ok("history", "v1.fact.currency").err


def test_who_proves_a_superseded_atom_is_told_so_beside_the_proof(store: Commands) -> None:
    assert "superseded" not in store.ok("prove", "v1.fact.currency").err
    store.ok("checkpoint", "v1.fact.euro = EUR", "--edge", "v1.fact.euro supersedes v1.fact.currency")
    proven = store.ok("prove", "v1.fact.currency")
    assert "note: v1.fact.currency is superseded by v1.fact.euro; the proof says nothing of edges" in proven.err
    assert "euro" not in proven.out


def test_an_undo_of_a_training_names_the_command_that_unlearns_it(store: Commands) -> None:
    store.ok("train", "v1.fact.provider", "v1.fact.currency")
    refused = store("undo").err
    assert "To unlearn it, forget its entry: substrate forget --seqs 6:7" in refused
    assert "trainings" in store.ok("forget", "--seqs", "6:7", "--yes").out


def test_a_forget_of_many_tells_its_entries_as_ranges(store: Commands) -> None:
    store.ok("checkpoint", *(f"v1.note.n{at} = note {at}" for at in range(5)), "--session", "s1")
    assert "forget entries\t11 to 15" in store.ok("forget", "--session", "s1", "--yes").out


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("empty.csv", "", "there is nothing to import: the file is empty"),
        ("header.csv", "name,value\n", "there is nothing to import: it has no rows"),
        ("rows.json", '[{"name": "a", "value": "b"}]', "this is a JSON array: write one object on each line"),
        ("rows.json", '[\n  {"name": "a", "value": "b"}\n]', "this is a JSON array: write one object on each line"),
        ("keys.csv", f"name,value\na,the key is {KEY}\n", "to save it anyway, repeat with --allow-secrets"),
    ],
)
def test_an_import_that_takes_nothing_says_why(run: Commands, tmp_path: Path, file: str, text: str, said: str) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert said in run("import", file).err


def test_refused_lines_are_told_in_the_order_of_the_file_and_in_words_of_the_command_line(
    run: Commands, tmp_path: Path
) -> None:
    rows = ["name,value,confidence", f"a,the key is {KEY},1", "b,fine,1", "c,x,high"]
    (tmp_path / "rows.csv").write_text("\n".join(rows), encoding="utf-8")
    told = run("import", "rows.csv", "--partial")
    refused = [row[1] for row in told.rows if row[0] == "refused"]
    assert [text.partition(":")[0] for text in refused] == ["line 2", "line 4"]
    assert "--allow-secrets" in refused[0]


def test_a_dry_run_says_that_nothing_was_written_and_offers_nothing_to_settle(store: Commands, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Hello\n\nWorld", encoding="utf-8")
    assert "Nothing was written. Repeat without --dry-run" in store.ok("ingest", "a.md", "--dry-run").err
    (tmp_path / "rows.csv").write_text("name,value\nv1.fact.psp,The provider is Stripe\n", encoding="utf-8")
    assert "to settle it" not in store.ok("import", "rows.csv", "--dry-run").err


def test_a_new_token_comes_with_the_command_that_revokes_it(run: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "our tenants"
    folder.mkdir()
    said = run.ok("token", "add", "acme", "--tenants", str(folder)).err
    assert f"--tenants '{folder}'" in said
    assert "DIR" not in said
