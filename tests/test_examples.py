"""What the README and the examples show is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=120)


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


def test_the_readmes_python_does_what_it_says(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.exists()
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code, _ = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    done = run(sys.executable, "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Adyen\nStripe\nHistory of 2\n")
    assert "current True" in done.stdout
    assert "v1.fact.payment_provider Adyen meaning +" in done.stdout


def test_the_readmes_session_is_learnt_from(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.exists()
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, code = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    done = run(sys.executable, "-c", code, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    *opening, following = done.stdout.splitlines()
    shown = [line.split(" = ")[0] for line in opening if " = " in line]
    assert sorted(shown[:2]) == ["v1.decision.ledger", "v1.procedure.bank_file"]
    assert following.startswith("[('v1.procedure.bank_file', 0.")


def test_the_readmes_commands_do_what_they_say(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.exists()
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^((?:substrate|python examples/)\S* .*?)  +# (.*)$", readme, re.MULTILINE)
    assert len(lines) == 19
    for command, words in lines:
        shown = command.replace("examples/", f"{ROOT}/examples/")
        done = run("sh", "-c", shown, cwd=tmp_path)
        code = re.match(r"exit code (\d): (.*)", words)
        assert done.returncode == (int(code[1]) if code else 0), done.stderr
        if code:
            assert code[2] in done.stdout.lower()
        elif words.startswith("the next session opens with both"):
            assert "v1.procedure.refund = " in done.stdout
            assert "v1.fact.payment_provider = " in done.stdout
        elif words.startswith("finds"):
            assert words.split()[1] in done.stdout.splitlines()[0]
        elif words.startswith(("Adyen", "Stripe")):
            assert done.stdout.strip() == words[:6].rstrip(",:")


def test_every_example_is_run_by_a_test() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    assert [path.name for path in (ROOT / "examples").glob("*.py") if path.name not in tests] == []


def test_every_link_in_the_docs_leads_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))  # what stands in code is no link
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
