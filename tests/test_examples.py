"""What the README and the examples show is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=120)


def test_the_demo_runs_and_ends_with_the_rollback_caught(tmp_path: Path) -> None:
    done = run(sys.executable, str(ROOT / "examples" / "first_session.py"), str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert re.findall(r"exit code (\d)", done.stdout) == ["0", "0", "3", "1", "0", "0"]
    assert "no damage" in done.stdout
    assert "RolledBack: this store is at" in done.stdout


def test_the_readmes_python_and_shell_lines_do_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    done = run(sys.executable, "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "current True" in done.stdout
    lines = re.findall(r"^python (examples/\S+) (.*?) +# exit code (\d): (.*)$", readme, re.MULTILINE)
    assert len(lines) == 2
    for script, arguments, code, words in lines:
        done = run(sys.executable, str(ROOT / script), *arguments.split(), cwd=tmp_path)
        assert done.returncode == int(code), done.stdout
        assert words in done.stdout.lower()


def test_every_example_is_run_by_a_test() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    assert [path.name for path in (ROOT / "examples").glob("*.py") if path.name not in tests] == []


def test_every_link_in_the_docs_leads_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
