"""What the README and the examples show is what happens."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import Commands, Ran
from tests.scale import PATIENCE_S

ROOT = Path(__file__).parents[1]


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=5 * PATIENCE_S)


def test_the_demo_runs_and_catches_what_it_should(tmp_path: Path, cache: Path) -> None:
    assert cache.exists()
    done = run(sys.executable, str(ROOT / "examples" / "first_session.py"), str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    # A lost update, an untrusted proof, a changed file (twice), a forged proof, what was forgotten, a rollback.
    assert re.findall(r"exit code (\d+)", done.stdout) == ["6", "3", "10", "1", "1", "5", "11"]
    assert done.stdout.count("  VERIFIED") == 4
    assert "hold the bytes jane_doe: 0" in done.stdout
    assert "v1.procedure.release\tRun the tests, build the wheel, push a tag\tmeaning +" in done.stdout
    assert "(earlier) Stripe" in done.stdout
    # What was trained is what the same objective opens with, and the first in line after its neighbour was read.
    before, after = re.findall(r"\$ substrate bootstrap .*?\n(.*?)  tokens", done.stdout, re.DOTALL)
    trained = re.findall(r"^  learnt\t(\S+)$", done.stdout, re.MULTILINE)
    assert len(trained) == 3
    assert [name in before for name in trained] != [True] * 3
    assert [name in after for name in trained] == [True] * 3
    assert "(stale: v1.fact.payment_provider changed" in after
    assert "needed next: v1.procedure.bank_file" in done.stdout
    assert done.stdout.endswith("make lab opens the tour in JupyterLab.\n")


def test_an_agents_two_conversations_go_as_the_example_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    done = run(sys.executable, str(ROOT / "examples" / "agent_session.py"), str(tmp_path / "store"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "trained: v1.procedure.always_run_the_ledger_tests (3 passes)" in done.stdout
    assert "constraints: v1.constraint.amounts = Amounts are integers, in cents" in done.stdout
    assert "atoms: v1.procedure.always_run_the_ledger_tests = Run the ledger tests" in done.stdout
    assert "v1.fact.payment_provider = Stripe: current, checked against this store's own key" in done.stdout
    assert "near it: v1.fact.payment_provider" in done.stdout


README = (ROOT / "README.md").read_text(encoding="utf-8")
TO_DATA_SCIENTISTS = (ROOT / "docs" / "for-data-scientists.md").read_text(encoding="utf-8")
TO_AUDITORS = (ROOT / "docs" / "for-auditors.md").read_text(encoding="utf-8")
TO_AGENT_BUILDERS = (ROOT / "docs" / "for-agent-builders.md").read_text(encoding="utf-8")


@pytest.fixture
def home(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with keys of its own, where the command is on the path."""
    assert cache.exists()
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    return tmp_path


def test_the_readmes_python_prints_what_it_says(home: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (printed,) = re.findall(r"It prints:\n\n```\n(.*?)```", README, re.DOTALL)
    done = run(sys.executable, "-c", code, cwd=home)
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")


def test_the_python_for_data_scientists_does_what_it_says(home: Path) -> None:
    code, _ = re.findall(r"```python\n(.*?)```", TO_DATA_SCIENTISTS, re.DOTALL)
    done = run(sys.executable, "-c", code, cwd=home)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Adyen\nStripe\nHistory of 2\n")
    assert "current True" in done.stdout
    assert "v1.fact.payment_provider Adyen meaning +" in done.stdout


def test_the_session_for_data_scientists_is_learnt_from(home: Path) -> None:
    _, code = re.findall(r"```python\n(.*?)```", TO_DATA_SCIENTISTS, re.DOTALL)
    done = run(sys.executable, "-c", code, cwd=home)
    assert (done.returncode, done.stderr) == (0, "")
    *opening, following = done.stdout.splitlines()
    shown = [line.split(" = ")[0] for line in opening if " = " in line]
    assert sorted(shown[:2]) == ["v1.decision.ledger", "v1.procedure.bank_file"]
    assert following.startswith("[('v1.procedure.bank_file', 0.")


@pytest.mark.parametrize(
    ("page", "count"),
    [
        pytest.param(README, 5, id="readme"),
        pytest.param(TO_AUDITORS, 10, id="auditors"),
        pytest.param(TO_AGENT_BUILDERS, 4, id="agent builders"),
    ],
)
def test_the_commands_of_a_page_do_what_they_say(
    home: Path, page: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What follows the # says the exit code, or how the output begins, or what is somewhere in it."""
    lines = re.findall(r"^((?:substrate|python examples/)\S* .*?|substrate \S+)  +# (.*)$", page, re.MULTILINE)
    assert len(lines) == count
    monkeypatch.chdir(home)
    here = Commands(home, monkeypatch)
    for command, words in lines:
        if re.search(r"[|<>&;$]|^python", command):
            ran = run("sh", "-c", command.replace("examples/", f"{ROOT}/examples/"), cwd=home)
            done = Ran(ran.returncode, ran.stdout, ran.stderr)
        else:  # the demo has the like as processes of their own, which each load the model
            done = here(*shlex.split(command)[1:])
        code = re.match(r"exit code (\d): (.*)", words)
        assert done.code == (int(code[1]) if code else 0), done.err
        if code:
            assert code[2] in done.out.lower()
        elif found := re.match(r"(?:saves|finds) (v1\.\S+)", words):
            assert found[1] in done.out.splitlines()[0]
        elif found := re.match(r"(\w+): the state", words):
            assert done.out.strip() == found[1]


def test_every_example_is_run_by_a_test() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    assert [path.name for path in (ROOT / "examples").glob("*.py") if path.name not in tests] == []
