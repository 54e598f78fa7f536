from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

import substrate
from substrate.errors import InputError, NotFound
from substrate.notebook.recording import record
from substrate.notebook.trail import trail_of
from substrate.notebook.watching import Watch


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[substrate.Memory]:
    with substrate.open(tmp_path / "store", home=tmp_path / "home", actor="ada") as opened:
        opened.checkpoint(["v1.fact.rate = 0.19", "v1.fact.net = 100", "v1.fact.other = 7"])
        yield opened


@pytest.fixture
def shell(memory: substrate.Memory) -> Iterator[InteractiveShell]:
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.user_ns["memory"] = memory
    yield shell
    InteractiveShell.clear_instance()


def derived(memory: substrate.Memory, name: str) -> set[str]:
    return {edge.target for edge in memory.edges(name, direction="out", type="derived_from")}


GROSS = """
rate = float(memory.access("v1.fact.rate").value)
net = float(memory.access("v1.fact.net").value)
net * (1 + rate)
"""


def test_a_recorded_cell_is_run_and_its_result_kept_with_what_it_was_made_of(
    shell: InteractiveShell, memory: substrate.Memory
) -> None:
    recorded = record(shell, memory, "v1.metric.gross", GROSS, {"tags": ["money"]})
    assert recorded is not None
    assert (recorded.value, recorded.kind, recorded.is_new) == ("119.0", "number", True)
    assert recorded.derived_from == ("v1.fact.rate", "v1.fact.net")
    atom = memory.access("v1.metric.gross").atom
    assert (atom.value, atom.tags) == ("119.0", ("money",))
    assert atom.attrs["result"] == {"kind": "number"}
    assert atom.attrs["notebook"]["code"] == GROSS
    assert derived(memory, "v1.metric.gross") == {"v1.fact.rate", "v1.fact.net"}
    assert shell.user_ns["net"] == 100.0


def test_run_again_it_is_confirmed_and_no_new_version(shell: InteractiveShell, memory: substrate.Memory) -> None:
    record(shell, memory, "v1.metric.gross", GROSS)
    again = record(shell, memory, "v1.metric.gross", GROSS)
    assert again is not None
    assert not again.is_new
    assert len(memory.history("v1.metric.gross")) == 1


def test_what_a_later_run_does_not_access_it_no_longer_comes_from(
    shell: InteractiveShell, memory: substrate.Memory
) -> None:
    record(shell, memory, "v1.metric.gross", GROSS)
    stated = {"source": "v1.metric.gross", "type": "derived_from", "target": "v1.fact.other"}
    memory.checkpoint(edges=[stated])
    record(shell, memory, "v1.metric.gross", "float(memory.access('v1.fact.net').value) * 2")
    assert derived(memory, "v1.metric.gross") == {"v1.fact.net", "v1.fact.other"}, "what a person stated stays"


def test_a_cell_that_fails_records_nothing(
    shell: InteractiveShell, memory: substrate.Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record(shell, memory, "v1.metric.gross", "1 / 0") is None
    assert "Nothing was recorded" in capsys.readouterr().err
    with pytest.raises(NotFound):
        memory.access("v1.metric.gross")


@pytest.mark.parametrize("code", ["x = 1", "object()", "None"])
def test_a_cell_without_a_result_that_can_be_kept_records_nothing(
    shell: InteractiveShell, memory: substrate.Memory, code: str
) -> None:
    with pytest.raises(InputError):
        record(shell, memory, "v1.metric.gross", code)
    with pytest.raises(NotFound):
        memory.access("v1.metric.gross")


def test_code_that_holds_a_credential_is_not_kept(shell: InteractiveShell, memory: substrate.Memory) -> None:
    secret = "AKIA" + "Z7QW3E5R9T1Y2U4I"
    record(shell, memory, "v1.metric.one", f"key = '{secret}'\n1")
    attrs = memory.access("v1.metric.one").atom.attrs
    assert secret not in str(attrs)
    assert "credential" in str(attrs)


def test_the_trail_leads_back_to_what_nobody_derived(shell: InteractiveShell, memory: substrate.Memory) -> None:
    record(shell, memory, "v1.metric.gross", GROSS)
    record(shell, memory, "v1.metric.double", "2 * float(memory.access('v1.metric.gross').value)")
    trail = trail_of(memory, "v1.metric.double")
    assert [(step.depth, step.name) for step in trail] == [
        (0, "v1.metric.double"),
        (1, "v1.metric.gross"),
        (2, "v1.fact.net"),
        (2, "v1.fact.rate"),
    ]
    lines = repr(trail).splitlines()
    assert lines[0].startswith("v1.metric.double = 238.0 (")
    assert lines[2].startswith("    derived_from: v1.fact.net = 100 (")
    assert "2 * float" in str(trail[0].notebook["code"])


def test_the_trail_says_what_has_changed_since(shell: InteractiveShell, memory: substrate.Memory) -> None:
    record(shell, memory, "v1.metric.gross", GROSS)
    memory.checkpoint(["v1.fact.rate = 0.20"])
    first = trail_of(memory, "v1.metric.gross")[0]
    assert any("v1.fact.rate" in reason for reason in first.stale)


def test_a_trail_in_a_circle_ends(memory: substrate.Memory) -> None:
    ends = ["v1.fact.rate", "v1.fact.net"]
    edges = [
        {"source": a, "type": "depends_on", "target": b}
        for a, b in (ends, ends[::-1], [ends[0], "v1.fact.not_there_yet"])
    ]
    memory.checkpoint(edges=edges)
    trail = trail_of(memory, "v1.fact.rate")
    assert [(step.name, step.seen, step.absent) for step in trail] == [
        ("v1.fact.rate", False, ""),
        ("v1.fact.net", False, ""),
        ("v1.fact.rate", True, ""),
        ("v1.fact.not_there_yet", False, "not there"),
    ]


def test_to_ask_why_is_no_access(memory: substrate.Memory) -> None:
    with memory.accesses() as names:
        trail_of(memory, "v1.fact.rate")
    assert names == []


def test_a_long_trail_is_cut_and_says_so(memory: substrate.Memory) -> None:
    names = [f"v1.fact.step_{at}" for at in range(12)]
    edges = [{"source": a, "type": "derived_from", "target": b} for a, b in pairwise(names)]
    memory.checkpoint([f"{name} = x" for name in names], edges=edges)
    trail = trail_of(memory, names[0])
    assert trail.more
    assert len(trail) == 9


def test_watching_shows_what_is_likely_next_under_cells_that_access(
    shell: InteractiveShell, memory: substrate.Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    memory.train(["v1.fact.rate", "v1.fact.net"], 3)
    watch = Watch(shell, lambda: memory, lambda: 3)
    access = "_ = memory.access('v1.fact.rate')"
    watch.turn(on=True)
    shell.run_cell(access)
    assert "v1.fact.net" in capsys.readouterr().out
    shell.run_cell("1 + 1;")
    assert "v1.fact" not in capsys.readouterr().out
    record(shell, memory, "v1.metric.gross", GROSS)
    assert derived(memory, "v1.metric.gross") == {"v1.fact.rate", "v1.fact.net"}
    capsys.readouterr()
    watch.turn(on=False)
    shell.run_cell(access)
    assert "v1.fact.net" not in capsys.readouterr().out
