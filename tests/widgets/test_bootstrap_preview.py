"""BootstrapPreview: openings with their reasons, without a session; conflicts that are settled by what one saw."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from substrate.embed import load
from substrate.memory import Memory, open_memory
from substrate.save.place import Place, recorded_by
from substrate_widgets import BootstrapPreview
from tests.scale import PATIENCE_S

A, B = "v1.fact.payment_provider", "v1.fact.payments.provider"
OBJECTIVE = "switch the payment provider"
ATOMS: list[Any] = [
    {"name": A, "value": "Stripe", "origin": "user", "source": "contract.pdf"},
    {"name": B, "value": "Adyen", "confidence": 0.9},
    "v1.goal.faster = Payments settle within a day",
    "v1.constraint.pci = No card numbers in our logs",
    "v1.preference.short = Short answers",
    "v1.domain.shop = the shop",
]


@pytest.fixture
def stored(memory: Memory) -> Memory:
    memory.checkpoint(ATOMS)
    return memory


@pytest.fixture
def preview(stored: Memory) -> Iterator[BootstrapPreview]:
    widget = BootstrapPreview(stored, OBJECTIVE)
    looked(widget)
    yield widget
    widget.close()


def looked(widget: BootstrapPreview) -> None:
    """Until it has shown the store as it is now."""
    widget._moved(widget._memory.head().head.size)
    assert widget.wait()


def shown(widget: BootstrapPreview) -> dict[str, list[dict[str, Any]]]:
    sections: dict[str, list[dict[str, Any]]] = widget.opening["sections"]
    return sections


def settle(widget: BootstrapPreview, do: str, **further: Any) -> dict[str, Any]:
    (conflict,) = widget.conflicts
    first, second = conflict["sides"]
    widget.settle(first["name"], second["name"], (first["seq"], second["seq"]), do, **further)
    assert widget.wait()
    told: dict[str, Any] = widget.settled
    return told


@pytest.mark.usefixtures("cache")
def test_an_objective_matched_by_words_alone_is_matched_again_when_the_model_is_up(tmp_path: Path) -> None:
    with open_memory(tmp_path / "store", home=tmp_path / "home") as memory:
        memory.checkpoint(["v1.fact.limiter = forty requests in a minute"])
        memory.index()
    with open_memory(tmp_path / "store", home=tmp_path / "home") as memory:
        by_meaning = Event()
        with load._lock:  # no model is loaded meanwhile
            widget = BootstrapPreview(memory, "slow callers down")
            assert widget.wait(PATIENCE_S)
            assert widget.opening["meaning"]
            widget.observe(lambda change: change["new"]["meaning"] or by_meaning.set(), "opening")
        assert by_meaning.wait(PATIENCE_S)  # nobody typed
        widget.close()


# -- what would enter --------------------------------------------------------------------------------------------------


def test_what_would_enter_stands_in_its_section_with_the_reasons(preview: BootstrapPreview) -> None:
    sections = shown(preview)
    assert list(sections) == ["goals", "constraints", "preferences", "atoms"]
    first = next(atom for atom in sections["atoms"] if atom["name"] == A)
    assert first["value"] == "Stripe"
    assert first["needs"]["objective"] > 0
    assert sum(first["needs"].values()) == pytest.approx(first["need"])
    assert first["parts"][0]["words"] == "matches the objective"
    assert {ground["part"] for ground in first["grounds"]} >= {"origin", "source", "conflict"}
    assert 0 < sum(atom["tokens"] for atoms in sections.values() for atom in atoms) < preview.opening["tokens"]
    assert preview.opening["conflicting"] == [[A, B]]
    assert preview.domains == ["v1.domain.shop"]


def test_it_begins_no_session_and_counts_as_no_access(stored: Memory, preview: BootstrapPreview) -> None:
    preview.objective = "something else"
    assert preview.wait()
    assert stored.train([A, B]).objective is None
    with stored.session("mine") as session:
        preview.max_tokens = 600
        assert preview.wait()
        assert session.accesses == 0
    assert stored.stats().sessions == 0


@pytest.mark.parametrize("max_tokens", [80, 120, 399])
def test_in_a_small_budget_the_reasons_are_still_shown(preview: BootstrapPreview, max_tokens: int) -> None:
    preview.max_tokens = max_tokens
    assert preview.wait()
    assert preview.opening["tokens"] <= max_tokens
    atoms = [atom for section in shown(preview).values() for atom in section]
    assert atoms
    assert all(0 < atom["evidence"] < 1 for atom in atoms)
    assert all(atom["why"] or atom["parts"] for atom in atoms)


def test_what_was_left_out_and_what_is_absent_are_told(preview: BootstrapPreview) -> None:
    preview.objective = "see v1.fact.nowhere about the payment provider"
    preview.max_tokens = 400
    preview.high_impact = True
    assert preview.wait()
    assert [absent["name"] for absent in preview.opening["absent"]] == ["v1.fact.nowhere"]
    assert any("evidence" in reason["why"] for reason in preview.opening["left_out"])
    assert preview.opening["best"]


def test_a_budget_that_is_none_is_told_and_the_next_one_clears_it(preview: BootstrapPreview) -> None:
    preview.max_tokens = 10
    assert preview.wait()
    assert "at least 50" in preview.problem
    preview.max_tokens = 500
    assert preview.wait()
    assert preview.problem == ""
    assert preview.opening["max_tokens"] == 500


def test_a_long_value_is_sent_by_its_beginning(stored: Memory, preview: BootstrapPreview) -> None:
    stored.checkpoint([{"name": "v1.fact.payment_log", "value": "payment provider " * 60_000}])
    preview.max_tokens = 8000
    looked(preview)
    (atom,) = [atom for atom in shown(preview)["atoms"] if atom["name"] == "v1.fact.payment_log"]
    assert atom["characters"] == 17 * 60_000
    assert len(atom["value"]) <= 1500


def test_what_another_writes_appears(stored: Memory, preview: BootstrapPreview, tmp_path: Path) -> None:
    with open_memory(stored._store.log.path, home=tmp_path / "home") as other:
        other.checkpoint(["v1.goal.cheaper = Payments cost less"])
    looked(preview)
    assert len(shown(preview)["goals"]) == 2


def test_what_is_learnt_from_use_is_shown_though_the_log_is_as_it_was(
    stored: Memory, preview: BootstrapPreview
) -> None:
    before = {atom["name"]: atom["needs"]["sessions"] for atom in shown(preview)["atoms"]}
    for _ in range(5):
        stored.observe([B], objective=OBJECTIVE)
    assert preview.wait()
    after = {atom["name"]: atom["needs"]["sessions"] for atom in shown(preview)["atoms"]}
    assert after[B] > before[B]


@pytest.mark.parametrize("verb", ["preview", "transitions"])
def test_to_make_one_loads_no_numpy(tmp_path: Path, verb: str) -> None:
    code = f"""
import sys
import substrate
from substrate_widgets.work import Worker
Worker.submit = lambda *_: None  # what the thread loads is its own affair
with substrate.open({str(tmp_path / "store")!r}, home={str(tmp_path / "home")!r}, background=False) as memory:
    memory.{verb}().close()
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE_S)


def test_the_newest_question_is_the_one_that_is_answered(preview: BootstrapPreview) -> None:
    for letter in range(1, len(OBJECTIVE) + 1):
        preview.objective = OBJECTIVE[:letter]
    for budget in (100, 300, 900):
        preview.max_tokens = budget
    assert preview.wait()
    assert preview.opening["max_tokens"] == 900


# -- conflicts ---------------------------------------------------------------------------------------------------------


def test_a_conflict_is_shown_with_who_when_source_and_evidence_of_both(preview: BootstrapPreview) -> None:
    (conflict,) = preview.conflicts
    first, second = conflict["sides"]
    assert (first["name"], first["value"], first["actor"], first["source"]) == (A, "Stripe", "ann", "contract.pdf")
    assert first["recorded_at"].endswith("Z")
    assert second["confidence"] == 0.9
    assert first["evidence"] > second["evidence"]
    assert any(ground["part"] == "conflict" for ground in second["grounds"])


def test_one_is_kept(stored: Memory, preview: BootstrapPreview) -> None:
    told = settle(preview, "keep", keep=B, reason="the contract ended")
    assert told["ok"], told
    assert not stored.conflicts()
    assert preview.conflicts == []
    (edge,) = stored.edges(A, type="supersedes")
    assert (edge.source, edge.actor, edge.attrs["reason"]) == (B, "ann", "the contract ended")


def test_both_are_right(stored: Memory, preview: BootstrapPreview) -> None:
    assert settle(preview, "both")["ok"]
    assert not stored.conflicts()
    assert len(stored.edges(A, type="consistent_with")) == 1


def test_both_are_kept_each_for_its_time(stored: Memory, preview: BootstrapPreview) -> None:
    told = settle(preview, "windows", windows=[["", "2026-03-01"], ["2026-03-01", ""]], reason="we moved")
    assert told["ok"], told
    assert not stored.conflicts()
    assert preview.conflicts == []
    before = stored.history(A)[-1].atom
    assert before is not None
    assert (before.value, before.origin, before.source) == ("Stripe", "user", "contract.pdf")
    assert before.valid_to is not None
    assert before.valid_to.isoformat() == "2026-03-01T00:00:00+00:00"
    assert before.actor == "ann"
    (edge,) = stored.edges(A, type="consistent_with")
    assert edge.attrs["reason"] == "we moved"


@pytest.mark.parametrize("settled_in", [{"path": "other.ipynb", "cell": "c9", "execution": 1}, None])
def test_what_is_settled_was_recorded_where_it_is_settled(memory: Memory, settled_in: Place | None) -> None:
    made_in = {"path": "analysis.ipynb", "cell": "c1", "execution": 7, "code": "provider = ask()"}
    memory.checkpoint(
        [
            {"name": A, "value": "Stripe", "attrs": {"unit": "EUR", "notebook": made_in}},
            {"name": B, "value": "Adyen", "attrs": {"notebook": made_in}},
        ],
    )
    preview = BootstrapPreview(memory, OBJECTIVE)
    assert preview.wait()
    recorded_by(lambda: settled_in)
    try:
        told = settle(preview, "windows", windows=[["", "2026-03-01"], ["2026-03-01", ""]])
    finally:
        recorded_by(None)
        preview.close()
    assert told["ok"], told
    place = {} if settled_in is None else {"notebook": settled_in}
    latest = {name: memory.history(name)[-1].atom for name in (A, B)}
    assert {name: atom.attrs for name, atom in latest.items() if atom} == {A: {"unit": "EUR", **place}, B: place}
    first = memory.history(A)[0].atom
    assert first is not None
    assert first.attrs["notebook"] == made_in


@pytest.mark.parametrize(
    ("windows", "told"),
    [
        ([["", ""], ["", ""]], "at the same time"),
        ([["", "2026-03-02"], ["2026-03-01", ""]], "at the same time"),
        ([["2026-03-01", ""], ["2026-03-01", ""]], "at the same time"),
        ([["", "soon"], ["2026-03-01", ""]], "not a date"),
    ],
)
def test_windows_that_settle_nothing_are_refused(
    stored: Memory, preview: BootstrapPreview, windows: list[list[str]], told: str
) -> None:
    size = stored.head().head.size
    said = settle(preview, "windows", windows=windows)
    assert not said["ok"]
    assert told in said["text"]
    assert stored.head().head.size == size
    assert len(preview.conflicts) == 1


@pytest.mark.parametrize("do", ["keep", "both", "windows"])
def test_who_was_slower_is_told_and_nothing_is_settled(stored: Memory, preview: BootstrapPreview, do: str) -> None:
    stored.checkpoint([f"{A} = Klarna"])
    told = settle(preview, do, keep=A, windows=[["", "2026-03-01"], ["2026-03-01", ""]])
    assert not told["ok"]
    assert "faster" in told["text"]
    assert len(stored.conflicts()) == 1
    (conflict,) = preview.conflicts
    assert conflict["sides"][1]["value"] == "Klarna"


def test_what_is_no_conflict_any_more_is_told(stored: Memory, preview: BootstrapPreview) -> None:
    stored.checkpoint(tombstones=[B])
    told = settle(preview, "keep", keep=A)
    assert not told["ok"]
    assert "conflict no more" in told["text"]


def test_an_odd_verdict_is_told(preview: BootstrapPreview) -> None:
    for odd in ({"do": "keep"}, {"first": A, "second": B, "seqs": [0, 1], "do": "guess"}):
        preview.verdict = odd
        assert preview.wait()
        assert not preview.settled["ok"]
    assert preview.problem == ""


def test_the_same_mistake_twice_is_told_twice(preview: BootstrapPreview) -> None:
    told = [settle(preview, "windows", windows=[["", ""], ["", ""]]) for _ in range(3)]
    assert len({said["text"] for said in told}) == 1
    assert len({said["number"] for said in told}) == 3


def test_a_verdict_is_told_though_the_opening_fails(stored: Memory, preview: BootstrapPreview) -> None:
    preview.objective = "x" * 200_000
    assert preview.wait()
    assert settle(preview, "both")["ok"]
    assert not stored.conflicts()
    assert preview.conflicts == []
    assert "200,000 characters" in preview.problem
    preview.objective = ""
    assert preview.wait()
    assert preview.problem == ""


def test_a_fault_in_a_verdict_is_told_until_one_goes_well(
    preview: BootstrapPreview, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(type(preview._memory), "resolve", None)
        assert not settle(preview, "both")["ok"]
        assert preview.problem
    assert settle(preview, "both")["ok"]
    assert preview.problem == ""


def test_two_verdicts_at_once_are_both_done(stored: Memory, preview: BootstrapPreview) -> None:
    stored.checkpoint(["v1.fact.api_timeout = 30 s", "v1.fact.api.timeout = 2 min"])
    looked(preview)
    assert len(preview.conflicts) == 2
    for conflict in list(preview.conflicts):
        first, second = conflict["sides"]
        preview.settle(first["name"], second["name"], (first["seq"], second["seq"]), "both")
    assert preview.wait()
    assert not stored.conflicts()


def test_a_store_that_is_read_only_says_so(stored: Memory, tmp_path: Path) -> None:
    with open_memory(stored._store.log.path, home=tmp_path / "home", read_only=True) as reader:
        widget = BootstrapPreview(reader, OBJECTIVE)
        looked(widget)
        assert "read" in settle(widget, "both")["text"]
        widget.close()
