"""What help and docs show is what happens."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from substrate.cli import catalogue
from substrate.cli.document import page
from substrate.cli.parser import main_help
from substrate.cli.verb import Example
from tests.cli.running import PROGRAM, Commands

ROOT = Path(__file__).parents[2]


def failures(examples: list[Example]) -> list[str]:
    """Examples that do not end as they say, run in order by a real shell in the working folder."""
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    failed = []
    for example in examples:
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {example.command}"],
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if done.returncode != example.exit or "Traceback" in done.stderr:
            failed.append(f"{example.command}: exit code {done.returncode}\n{done.stderr}")
    return failed


@pytest.mark.usefixtures("run", "cache")
def test_every_example_does_what_it_says_in_order() -> None:
    assert failures([example for verb in catalogue.VERBS for example in verb.examples]) == []


@pytest.mark.usefixtures("run")
def test_an_example_that_fails_is_noticed() -> None:
    (failed,) = failures([Example("substrate list", "there is no store"), Example("substrate --version", "works")])
    assert failed.startswith("substrate list: exit code 4")


def test_the_lines_at_the_top_of_the_help_work(run: Commands) -> None:
    lines = re.findall(r"^  (substrate (?:checkpoint|access|prove) .*)$", main_help(), re.MULTILINE)
    assert len(lines) == 3
    assert failures([Example(line, "") for line in lines]) == []
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
