"""docs/testing.md says of each promise which tests hold it; and those tests exist."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "testing.md"


def named_in(files: Iterable[Path]) -> set[str]:
    """The tests of files, by name."""
    return {name for file in files for name in re.findall(r"def (test_\w+)\(", file.read_text(encoding="utf-8"))}


def faults(page: str) -> list[str]:
    """What the table promises that is not there. A twin stands in a file beside those of its row."""
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| ")]
    found = [] if rows else ["there is no table"]
    for promise, _, held_by, twins in rows[1:]:
        named = [name.partition("::") for name in re.findall(r"`([^`]+)`", held_by)]
        if not named or not all(test for _, _, test in named):
            found.append(f"{promise.strip()}: it must name tests, as `tests/file.py::test_name`")
            continue
        missing = [f"{file}::{test}" for file, _, test in named if test not in named_in(ROOT.glob(file))]
        beside = named_in(near for file, _, _ in named for near in (ROOT / file).parent.glob("test_*.py"))
        missing += [twin for twin in re.findall(r"`(test_\w+)`", twins) if twin not in beside]
        found += [f"{promise.strip()}: there is no {name}" for name in missing]
    return found


def test_every_row_names_tests_that_exist() -> None:
    assert faults(PAGE.read_text(encoding="utf-8")) == []


HEAD = "| promise | what is done | held by | twin |\n|---|---|---|---|\n"
HERE = "`tests/test_testing_page.py::test_every_row_names_tests_that_exist`"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("| a | b | | |", "a: it must name tests"),
        ("| a | b | `tests/test_testing_page.py` | |", "a: it must name tests"),
        (f"| a | b | {HERE}, `tests/test_nowhere.py::test_x` | |", "a: there is no tests/test_nowhere.py::test_x"),
        ("| a | b | `tests/test_testing_page.py::test_every_row` | |", "a: there is no tests/test_testing_page.py"),
        (f"| a | b | {HERE} | a broken one (`test_not_there`) |", "a: there is no test_not_there"),
        ("", "there is no table"),
    ],
)
def test_a_page_that_names_no_test_or_a_wrong_one_is_found_out(row: str, fault: str) -> None:
    assert faults(f"{HEAD}| sound | b | {HERE} | |\n") == []
    (found,) = faults(HEAD * bool(row) + row)
    assert found.startswith(fault)
