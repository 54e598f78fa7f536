"""What help and docs show is what happens."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from substrate.cli import catalogue
from substrate.cli.document import page
from substrate.cli.parser import main_help
from substrate.commands.command import Example
from tests.cli.run import PROGRAM, Commands
from tests.scale import PATIENCE_S

ROOT = Path(__file__).parents[2]


NEEDS_A_SHELL = re.compile(r"[|<>;]|^[A-Z]+=|&& (?!substrate )")


def failures(run: Commands, examples: list[Example]) -> list[str]:
    """Examples that do not end as they say, in order: in this process, or by a real shell where they need one."""
    failed = []
    for example in examples:
        if NEEDS_A_SHELL.search(example.command):
            code, err = in_shell(example.command)
        else:
            code, err = in_process(run, example.command)
        if code != example.exit or "Traceback" in err:
            failed.append(f"{example.command}: exit code {code}\n{err}")
    return failed


def in_process(run: Commands, command: str) -> tuple[int, str]:
    """One command after the other, as long as they succeed."""
    for one in command.split(" && "):
        program, *words = shlex.split(one)
        assert program == "substrate", command
        ran = run(*words)
        if ran.code:
            break
    return ran.code, ran.err


def in_shell(command: str) -> tuple[int, str]:
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    words = ["bash", "-c", f"set -o pipefail; {command}"]
    done = subprocess.run(
        words, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    return done.returncode, done.stderr


@pytest.mark.usefixtures("cache")
def test_every_example_does_what_it_says_in_order(run: Commands) -> None:
    assert failures(run, [example for verb in catalogue.VERBS for example in verb.examples]) == []


@pytest.mark.parametrize("command", ["substrate list", "substrate list | cat"])
def test_an_example_that_fails_is_noticed(run: Commands, command: str) -> None:
    (failed,) = failures(run, [Example(command, "there is no store"), Example("substrate --version", "works")])
    assert failed.startswith(f"{command}: exit code 4")


def test_the_lines_at_the_top_of_the_help_work(run: Commands) -> None:
    lines = re.findall(r"^  (substrate (?:remember|search|checkpoint|prove) .*?) +# .+$", main_help(), re.MULTILINE)
    assert len(lines) == 4
    assert failures(run, [Example(line, "") for line in lines]) == []
    assert run("verify", "proof.json").code == 3


def test_the_page_about_the_command_line_is_up_to_date() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == page(), "run make docs"


def test_a_page_that_is_behind_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = page()
    monkeypatch.setattr("substrate.cli.document.VERBS", catalogue.VERBS[:-1])
    assert page() != before


def test_the_page_names_every_verb_option_and_exit_code() -> None:
    text = page()
    for verb in catalogue.VERBS:
        assert f"\n### {verb.name}\n" in text
        assert all(flag in text for item in verb.options for flag in item.flags if flag.startswith("-"))
