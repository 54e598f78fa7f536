from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import substrate
from substrate.errors import InputError, NotFound
from substrate.notebook.provenance.record import record
from substrate.notebook.provenance.sources import trail_of
from substrate.notebook.watch import Watch
from substrate.save.place import Place, recorded_by


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


def test_a_result_is_recorded_also_if_where_cannot_be_told(shell: InteractiveShell, memory: substrate.Memory) -> None:
    def fails() -> Place | None:
        raise KeyError("parent")

    recorded_by(fails)
    try:
        record(shell, memory, "v1.metric.x", "6 * 7")
    finally:
        recorded_by(None)
    assert memory.access("v1.metric.x").atom.attrs["notebook"] == {"code": "6 * 7"}


IN_THREADS = """
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
with ThreadPoolExecutor(2) as pool:
    tasks = [pool.submit({run}memory.access, name) for name in ("v1.fact.rate", "v1.fact.net")]
len([task.result() for task in tasks])
"""


def test_what_other_threads_access_is_seen_only_if_the_context_is_handed_on(
    shell: InteractiveShell, memory: substrate.Memory
) -> None:
    assert record(shell, memory, "v1.metric.a", IN_THREADS.format(run="")).derived_from == ()
    handed = record(shell, memory, "v1.metric.b", IN_THREADS.format(run="copy_context().run, "))
    assert set(handed.derived_from) == derived(memory, "v1.metric.b") == {"v1.fact.rate", "v1.fact.net"}


@pytest.mark.parametrize("code", ["1 / 0", "raise KeyboardInterrupt"])
def test_a_cell_that_fails_records_nothing_and_fails(
    shell: InteractiveShell, memory: substrate.Memory, code: str
) -> None:
    with pytest.raises((ZeroDivisionError, KeyboardInterrupt)):
        record(shell, memory, "v1.metric.gross", code)
    with pytest.raises(NotFound):
        memory.access("v1.metric.gross")


def test_a_name_that_is_none_is_refused_before_anything_is_run(
    shell: InteractiveShell, memory: substrate.Memory
) -> None:
    with pytest.raises(InputError):
        record(shell, memory, "gross", "ran = True\n1")
    assert "ran" not in shell.user_ns


def test_a_cell_that_awaits_is_refused_before_it_is_run(shell: InteractiveShell, memory: substrate.Memory) -> None:
    with pytest.raises(InputError, match="awaits cannot be recorded"):
        record(shell, memory, "v1.metric.x", "ran = True\nimport asyncio\nawait asyncio.sleep(0)\n1")
    assert "ran" not in shell.user_ns


def test_a_recorded_cell_may_record_others_and_use_magics(shell: InteractiveShell, memory: substrate.Memory) -> None:
    shell.user_ns["inner"] = lambda: record(shell, memory, "v1.metric.inner", "5")
    recorded = record(shell, memory, "v1.metric.outer", "inner()\n%precision 3\n42")
    assert (recorded.value, memory.access("v1.metric.inner").value) == ("42", "5")


def test_a_result_is_recorded_also_where_output_is_captured(shell: InteractiveShell, memory: substrate.Memory) -> None:
    with capture_output() as captured:
        recorded = record(shell, memory, "v1.metric.x", "6 * 7")
    assert (recorded.value, captured.outputs) == ("42", [])


def test_a_data_frame_is_shown_beside_what_is_recorded_of_it(shell: InteractiveShell, memory: substrate.Memory) -> None:
    with capture_output() as captured:
        record(shell, memory, "v1.metric.x", "import pandas as pd\npd.DataFrame({'n': [1, 2]})")
    assert "<table" in captured.outputs[0].data["text/html"]


def test_an_edge_that_a_person_stated_stays_hers_also_if_a_cell_accessed_it(
    shell: InteractiveShell, memory: substrate.Memory
) -> None:
    stated = {"source": "v1.metric.p", "type": "derived_from", "target": "v1.fact.net"}
    memory.checkpoint(["v1.metric.p = 1"], edges=[stated])
    record(shell, memory, "v1.metric.p", "memory.access('v1.fact.rate')\nlen(memory.access('v1.fact.net').value)")
    record(shell, memory, "v1.metric.p", "3")
    assert derived(memory, "v1.metric.p") == {"v1.fact.net"}


def test_other_code_with_the_same_result_is_another_version(shell: InteractiveShell, memory: substrate.Memory) -> None:
    record(shell, memory, "v1.metric.two", "1 + 1")
    again = record(shell, memory, "v1.metric.two", "4 // 2")
    assert again.is_new
    assert memory.access("v1.metric.two").atom.attrs["notebook"]["code"] == "4 // 2"


def test_long_code_is_kept_by_its_beginning(shell: InteractiveShell, memory: substrate.Memory) -> None:
    record(shell, memory, "v1.metric.one", "# " + "x" * 9000 + "\n1")
    code = memory.access("v1.metric.one").atom.attrs["notebook"]["code"]
    assert len(code) == 4001


def test_whose_code_names_what_is_forgotten_is_told(shell: InteractiveShell, memory: substrate.Memory) -> None:
    memory.checkpoint([{"name": "v1.fact.vat", "value": "0.19", "source": "the law"}])
    record(shell, memory, "v1.metric.vat", "float(memory.access('v1.fact.vat').value)")
    record(shell, memory, "v1.metric.all", "len([memory.access(atom.name) for atom in memory.list('v1.fact.')])")
    for names, source in ((["v1.fact.vat"], None), ([memory.access("v1.fact.vat").atom.id], None), ([], "the law")):
        assert memory.forget(names, source=source, dry_run=True).mentioned_by == ("v1.metric.vat",)
    record(shell, memory, "v1.metric.vat", "1 + 1")  # its edge is taken back; the earlier version has its code
    assert memory.forget(["v1.fact.vat", "v1.metric.vat"], dry_run=True).mentioned_by == ()
    assert memory.forget(["v1.fact.vat"]).mentioned_by == ("v1.metric.vat",)


def test_one_that_keeps_a_version_keeps_its_name(shell: InteractiveShell, memory: substrate.Memory) -> None:
    record(shell, memory, "v1.metric.gross", GROSS)
    memory.checkpoint([{"name": "v1.fact.rate", "value": "0.16", "source": "a rumour"}])
    assert memory.forget(source="a rumour").mentioned_by == ()
    assert memory.forget(["v1.fact.rate"]).mentioned_by == ("v1.metric.gross",)


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
