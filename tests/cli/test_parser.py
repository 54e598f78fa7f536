from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import substrate
from substrate.cli.catalogue import TITLES, VERBS
from substrate.cli.dispatch import RUNS
from substrate.commands import meant
from substrate.commands.command import Command
from tests.cli.run import Commands
from tests.scale import PATIENCE_S
from tests.test_import_cost import loaded_by

GROUPED = {
    "save": ["remember", "checkpoint", "edit", "rename", "replace", "merge", "undo", "relate", "ingest"],
    "read": ["access", "list", "edges", "history", "diff", "document"],
    "find": [
        "search",
        "which",
        "context",
        "path",
        "associate",
        "groups",
        "vet",
        "stale",
        "entities",
        "extract",
        "cues",
        "index",
        "model",
    ],
    "learn": ["observe", "train", "predict", "bootstrap", "watch"],
    "judge": ["conflicts", "resolve", "pending", "compare"],
    "fade": ["touch", "fading", "due", "sweep", "promote"],
    "prove": ["head", "pin", "key", "prove", "verify"],
    "care": [
        *("forget", "encrypt", "unlock"),
        "stats",
        "tier",
        "fsck",
        "rebuild",
        "compact",
        *("tend", "tending", "prune"),
        *("export", "import", "backup", "restore"),
    ],
    "serve": ["mcp", "mcp-config", "surfaces", "token", "quota", "hooks", "hook", "transcript", "proposed"],
    "shell": ["completion"],
}
NAMES = [name for names in GROUPED.values() for name in names]


def test_the_verbs_are_these() -> None:
    assert {group: [verb.name for verb in VERBS if verb.group == group] for group in TITLES} == GROUPED
    assert list(RUNS) == [verb.name for verb in VERBS]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_teaches(run: Commands, verb: Command) -> None:
    ran = run.ok(verb.name, "--help")
    assert verb.summary in ran.out
    assert verb.about.split()[:5] == ran.out.split(verb.summary)[1].split()[:5]
    assert 2 <= len(verb.examples) <= 4
    assert all(f"  {example.command}\n      {example.does}\n" in ran.out for example in verb.examples)
    assert f"substrate {verb.name}" in verb.examples[0].command or verb.name == "forget"
    assert run(verb.name, "-h") == ran


def test_the_help_lists_every_verb_with_its_sentence(run: Commands) -> None:
    text = run.ok("--help").out
    assert all(f"  {verb.name:<12}{verb.summary}\n" in text for verb in VERBS)
    assert max(map(len, text.splitlines())) <= 100


def test_the_version_is_told(run: Commands) -> None:
    assert run.ok("--version").out == f"substrate {substrate.__version__}\n"


@pytest.mark.usefixtures("run")
def test_python_can_run_it_as_a_module() -> None:
    command = [sys.executable, "-m", "substrate", "access", "v1.no.thing"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("substrate: there is no store in substrate-store.")


MAIN = """
import io, sys
from substrate.cli import main
sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
main({words!r})
sys.stdout = sys.__stdout__
"""


@pytest.mark.usefixtures("run")
def test_help_loads_neither_the_store_nor_rich() -> None:
    for words in (["--help"], ["list", "--help"], ["--version"], ["completion", "bash"], ["lits"]):
        _, modules = loaded_by(MAIN.format(words=words))
        assert not modules & {"rich", "lmdb", "cryptography", "pymerkle", "numpy"}, words


@pytest.mark.usefixtures("store")
def test_a_pipe_never_loads_rich() -> None:
    for words in (["list"], ["stats"], ["access", "v1.fact.provider"], ["verify", "nowhere"]):
        _, modules = loaded_by(MAIN.format(words=words))
        assert not modules & {"rich", "numpy", "scipy", "IPython", "mcp"}, words


def test_the_probe_sees_rich_when_it_is_loaded() -> None:
    assert "rich" in loaded_by("import substrate.cli.terminal")[1]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["chekpoint"], "did you mean checkpoint?"),
        (["LIST"], "did you mean list?"),
        (["explore"], "it is one of notebooks. In a cell: %memory explore --help"),
        (["lock", "health"], "nothing stays unlocked here"),
        (["zzz"], "substrate --help lists the verbs"),
        ([], "no verb was given"),
        (["list", "--limt", "3"], "did you mean --limit?"),
        (["list", "--zzz"], "list has no option --zzz"),
        (["list", "a", "b"], "1 too many"),
        (["access"], "required: NAME"),
        (["list", "--limit"], "expected one argument"),
        (["list", "--limit", "many"], "argument --limit: not a whole number"),
        (["--stroe", "x", "list"], "--stroe"),
        (["list", "--json=yes"], "takes no value"),
        (["completion", "tcsh"], "one of bash, zsh, fish"),
        (["v1.fact.x = y"], "substrate checkpoint 'NAME = VALUE'"),
        (["v1.fact.x"], "the first word must be a verb"),
    ],
)
def test_wrong_usage_says_what_is_right(run: Commands, words: list[str], hint: str) -> None:
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert hint in ran.err
    assert ran.err.count("\n") == 1
    assert run(*words, "--json").error["code"] == "input"


def test_global_options_stand_before_or_after_the_verb(run: Commands) -> None:
    run.ok("--store", "a", "checkpoint", "v1.fact.x = 1")
    run.ok("checkpoint", "--store", "b", "v1.fact.x = 2")
    assert run("--store", "a", "--json", "access", "v1.fact.x").json["value"] == "1"
    assert run("access", "v1.fact.x", "--json", "--store=b").json["value"] == "2"
    assert run("--store=a", "access", "v1.fact.x").out == "1\n"
    assert run("--store", "a", "access", "v1.fact.x", "--store", "b").out == "2\n"


def test_the_store_is_given_or_in_the_environment_or_beside_the_work(
    run: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.ok("checkpoint", "v1.fact.x = here")
    monkeypatch.setenv("SUBSTRATE_STORE", "~/there")
    monkeypatch.setenv("HOME", str(run.folder / "me"))
    run.ok("checkpoint", "v1.fact.x = there")
    assert (run.folder / "me" / "there").is_dir()
    assert run("access", "v1.fact.x").out == "there\n"
    assert run("access", "v1.fact.x", "--store", "substrate-store").out == "here\n"
    monkeypatch.setenv("SUBSTRATE_STORE", "")
    assert run("access", "v1.fact.x").out == "here\n"


def test_two_dashes_end_the_options(store: Commands) -> None:
    assert store("list", "--names", "--", "v1.g").out == "v1.goal.launch\n"
    assert store("list", "--", "--help").code == 0


def test_the_console_script_is_installed() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.scripts]\nsubstrate = "substrate.cli:main"\n' in text


@pytest.mark.parametrize(
    ("word", "verb"),
    [
        ("save", "checkpoint"),
        ("add", "remember"),
        ("find", "search"),
        ("show", "access"),
        ("GET", "access"),
        ("rm", "checkpoint --tombstone"),
        ("delete", "forget"),
        ("mv", "rename"),
        ("change", "edit"),
        ("revert", "undo"),
        ("ls", "list"),
        ("init", "remember"),
    ],
)
def test_a_word_that_others_use_leads_to_the_verb_by_its_meaning(run: Commands, word: str, verb: str) -> None:
    ran = run(word, "x")
    assert (ran.code, f"substrate {verb}" in ran.err) == (2, True), ran.err
    assert "substrate remember TEXT" in run("we moved to Adyen").err


def test_what_a_word_means_is_a_verb_that_there_is() -> None:
    told = [text for table in (meant._WORDS, meant._IN_A_SHELL) for text in table]
    assert {verb for text in told for verb in re.findall(r"\{\} ([a-z]+)", text)} <= set(NAMES)
    words = [word for table in (meant._WORDS, meant._IN_A_SHELL) for line in table.values() for word in line.split()]
    assert len(set(words)) == len(words)
    assert set(words) & set(NAMES) == set()


@pytest.mark.parametrize("option", [["--json"], []])
def test_every_answer_can_go_to_a_file(store: Commands, option: list[str]) -> None:
    printed = store.ok("list", *option).out
    ran = store.ok("list", *option, "-o", "answer.txt")
    assert (ran.out, Path("answer.txt").read_text()) == ("", printed)
    assert store("access", "v1.fact.none", "-o", "none.txt").code == 4
    assert not Path("none.txt").exists()
    assert store.ok("export", "-o", "all.jsonl").code == 0
    assert Path("all.jsonl").read_text() == store.ok("export").out
