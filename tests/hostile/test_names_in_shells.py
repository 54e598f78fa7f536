"""Tab in real shells: a stored name is inserted so that the shell takes it literally, whatever is in it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from uuid import UUID

import pytest

from substrate.cli.catalogue import VERBS
from substrate.cli.completion import script
from substrate.text.quote import as_command
from tests.cli.run import Commands
from tests.cli.shells import Terminal, needs
from tests.scale import PATIENCE_S

NAMES = [
    "v1.fact.a`touch PWNED`",
    "v1.fact.b$(touch PWNED)",
    "v1.fact.c$HOME${HOME}",
    "v1.fact.d two  words; touch PWNED",
    "v1.fact.e{x,y}*?[a-z]~#!!&|<>()",
    "v1.fact.f'apos\"quote\\back",
    "v1.fact.g größe ünï ' touch",
]
UNSEEN = "v1.fact.h\u202eevil"
QUOTES = ("", "'", '"')
STARTS = {
    "bash": ("bash", "--norc", "--noprofile", "-i"),
    "zsh": ("zsh", "-f", "-i"),
    "fish": ("fish", "--no-config", "-i", "-C", "function fish_prompt; echo -n 'ready$ '; end"),
}
LOADS = {
    "bash": "source ./script",
    "zsh": "autoload -Uz compinit; compinit -D; source ./script",
    "fish": "source ./script",
}
SHELLS = ["bash", pytest.param("zsh", marks=needs("zsh")), pytest.param("fish", marks=needs("fish"))]
RECORDER = """\
#!/bin/sh
if [ "$1" = list ]; then
    for prefix; do :; done
    while IFS= read -r name; do
        case $name in "$prefix"*) printf '%s\\n' "$name" ;; esac
    done < names.txt
else
    printf '%s\\n' "$*" >> arguments
fi
"""
"""Stands where substrate does: it lists what the real one listed, at once, and writes down what it is given."""
TWIN = """\
_substrate() {
    COMPREPLY=()
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(substrate list -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -F _substrate substrate
"""
"""A script that inserts names as they are."""


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what `substrate list --names` prints of a store with these names, and a program that records."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SUBSTRATE_STORE", raising=False)
    run = Commands(tmp_path, monkeypatch)
    lines = [json.dumps({"kind": "put", "name": name, "value": "x"}) for name in (*NAMES, UNSEEN)]
    (tmp_path / "old.jsonl").write_text("\n".join(lines))
    run.ok("import", "old.jsonl")
    folder = tmp_path / "shell"
    folder.mkdir()
    (folder / "names.txt").write_text(run.ok("list", "--names").out)
    program = folder / "bin" / "substrate"
    program.parent.mkdir()
    program.write_text(RECORDER)
    program.chmod(0o755)
    monkeypatch.chdir(folder)
    return folder


def arguments(folder: Path, shell: str, text: str, typed: list[str]) -> list[str]:
    """What the program is given when each of these is typed as its argument, with Tab after it, and Enter."""
    (folder / "script").write_text(text)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    terminal = Terminal(
        *STARTS[shell], PS1="ready$ ", INPUTRC="/dev/null", PATH=path, HOME=str(folder), LC_ALL="C.UTF-8"
    )
    terminal.wait_for("ready$ ")
    terminal.type(f"{LOADS[shell]}; echo load''ed\n")
    terminal.wait_for("loaded\r\n")
    for number, begun in enumerate(typed):
        terminal.wait_for("ready$ ")
        terminal.type(f"substrate access {begun}\t; echo do''ne {number}\n")
        terminal.wait_for(f"done {number}\r\n")
    terminal.end()
    return [line.removeprefix("access ") for line in (folder / "arguments").read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_a_completed_name_reaches_the_program_as_it_is_stored(listed: Path, shell: str) -> None:
    typed = [quote + name[: len("v1.fact.x")] for quote in QUOTES for name in NAMES]
    assert arguments(listed, shell, script(shell, VERBS), typed) == [*NAMES, *NAMES, *NAMES]
    assert not (listed / "PWNED").exists()


def test_a_script_that_inserts_names_as_they_are_runs_what_is_in_them(listed: Path) -> None:
    """The broken twin: that the tests above notice."""
    assert arguments(listed, "bash", TWIN, ["v1.fact.a"]) != NAMES[:1]
    assert (listed / "PWNED").exists()


def test_a_name_with_characters_that_cannot_be_seen_is_listed_by_its_id(listed: Path) -> None:
    lines = (listed / "names.txt").read_text().splitlines()
    assert lines[:-1] == NAMES
    assert UUID(lines[-1])


SEEN = [*NAMES, "v1.fact.x';touch PWNED #", "v1.fact.x' ;touch PWNED; '", "it'", "-x", "~", "*", "=ls", ""]
NOT_SEEN = [
    UNSEEN,
    "v1.fact.\u00ad\U000e0041'\\u202e",
    "a\nb",
    "v1.fact.\u00ad';touch PWNED #",
    "\u00ad\\';touch PWNED #",
]


def printed_by(shell: str, words: list[str], folder: Path) -> list[str]:
    command = "printf '%s\\0' " + as_command(*words)
    done = subprocess.run(
        [shell, "-c", command], cwd=folder, env={**os.environ, "LC_ALL": "C.UTF-8"}, capture_output=True,
        check=True, timeout=PATIENCE_S,
    )  # fmt: skip
    assert list(folder.iterdir()) == []
    return done.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize("shell", [*SHELLS, "sh"])
def test_a_word_of_a_printed_command_is_taken_literally(tmp_path: Path, shell: str) -> None:
    # In fish a backslash before a quote or another has a meaning between single quotes too. No new name holds one.
    words = SEEN if shell != "fish" else [word for word in SEEN if "\\" not in word]
    assert printed_by(shell, words, tmp_path) == words


@pytest.mark.parametrize("shell", ["bash", pytest.param("zsh", marks=needs("zsh")), "sh"])
def test_a_word_that_cannot_be_seen_is_taken_literally_or_runs_nothing(tmp_path: Path, shell: str) -> None:
    printed = printed_by(shell, NOT_SEEN, tmp_path)
    assert len(printed) == len(NOT_SEEN)
    if shell != "sh":  # dash has no escapes, and prints them
        assert printed == NOT_SEEN
