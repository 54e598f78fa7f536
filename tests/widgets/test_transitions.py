"""Transitions: the arcs around an atom, by part; where one was; training, with what changed by it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from traitlets import TraitError

from substrate.learn.around import MOST
from substrate.memory import Memory, open_memory
from substrate_widgets import Transitions
from tests.scale import PATIENCE_S

A, B, C, D = (f"v1.fact.{letter}" for letter in "abcd")


@pytest.fixture
def lettered(memory: Memory) -> Memory:
    memory.checkpoint(
        [f"{name} = the letter {name[-1]}" for name in (A, B, C, D)],
        edges=[{"source": A, "type": "depends_on", "target": D}],
    )
    memory.train([A, B, C])
    return memory


@pytest.fixture
def widget(lettered: Memory) -> Iterator[Transitions]:
    widget = Transitions(lettered, B)
    assert widget.wait()
    yield widget
    widget.close()


def sides(widget: Transitions) -> tuple[dict[str, Any], dict[str, Any]]:
    graph: dict[str, Any] = widget.graph
    return {node["name"]: node for node in graph["before"]}, {node["name"]: node for node in graph["after"]}


def test_what_leads_to_an_atom_and_what_follows_it_is_shown(lettered: Memory, widget: Transitions) -> None:
    before, after = sides(widget)
    assert A in before
    assert next(iter(after)) == C
    foreseen = lettered.predict([B], 12, floor=0)
    assert {name: node["probability"] for name, node in after.items()} == {
        one.name: one.probability for one in foreseen
    }
    assert after[C]["parts"].keys() >= {"next", "skip"}


@pytest.mark.parametrize(
    ("part", "after"), [("next", {B}), ("skip", {B, C}), ("edges", {D}), ("episodes", {B, C}), ("", {B, C, D})]
)
def test_a_part_says_what_it_says_alone(widget: Transitions, part: str, after: set[str]) -> None:
    widget.selected = A
    widget.part = part
    assert widget.wait()
    assert widget.graph["part"] == part
    assert set(sides(widget)[1]) == after


def test_one_moves_and_goes_back_and_forward(widget: Transitions) -> None:
    widget.selected = C
    widget.selected = D
    assert widget.trail == [B, C, D]
    widget.place = 0
    assert widget.selected == B
    assert widget.wait()
    assert widget.graph["name"] == B
    widget.place = 1
    assert (widget.selected, widget.trail) == (C, [B, C, D])
    widget.selected = A  # what lay ahead is given up
    assert (widget.trail, widget.place) == ([B, C, A], 2)


def test_to_look_counts_as_no_access(lettered: Memory, widget: Transitions) -> None:
    with lettered.session() as session:
        widget.selected = A
        widget.typed = "letter"
        assert widget.wait()
        assert session.accesses == 0
    assert lettered.stats().sessions == 0


def test_without_an_atom_some_are_offered(lettered: Memory) -> None:
    widget = Transitions(lettered)
    assert widget.wait()
    assert set(widget.graph["first"]) <= {A, B, C, D}
    assert widget.graph["first"]
    widget.close()


def test_an_atom_that_is_not_there_is_told_and_is_no_fault(widget: Transitions) -> None:
    widget.selected = "v1.fact.nowhere"
    assert widget.wait()
    assert "v1.fact.nowhere" in widget.graph["missing"]
    assert widget.problem == ""


@pytest.mark.parametrize("k", [-1, MOST + 1])
def test_more_atoms_than_the_model_tells_of_are_refused(widget: Transitions, k: int) -> None:
    with pytest.raises(TraitError):
        widget.k = k
    for bound in (0, MOST):
        widget.k = bound
        assert widget.wait()
        assert widget.graph["name"] == B
        assert "missing" not in widget.graph


@pytest.mark.parametrize(("typed", "first"), [("v1.fact.c", C), ("fact.C", C), ("the letter d", D), ("", None)])
def test_names_are_completed_by_any_part_of_them_or_by_words(
    widget: Transitions, typed: str, first: str | None
) -> None:
    widget.typed = "v1.fact."
    widget.typed = typed
    assert widget.wait()
    assert widget.names[:1] == ([] if first is None else [first])


def test_what_is_learnt_from_use_is_shown_though_the_log_is_as_it_was(lettered: Memory, widget: Transitions) -> None:
    size = lettered.head().head.size
    for _ in range(5):
        lettered.observe([B, D])
    assert lettered.head().head.size == size
    assert widget.wait()
    assert next(iter(sides(widget)[1])) == D


def test_trainings_that_wait_are_counted(
    lettered: Memory, widget: Transitions, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, float | None]] = []
    train, go_on = lettered.train, threading.Event()

    def slow(*given: Any, **options: Any) -> Any:
        assert go_on.wait(PATIENCE_S)
        told.append((widget.working, widget.progress))
        return train(*given, **options)

    monkeypatch.setattr(lettered, "train", slow)
    for _ in range(4):
        widget.train([A, D])
    go_on.set()
    assert widget.wait()
    assert told[-1] == ("Training: 3 of 4", 0.75)
    assert lettered.stats().trainings == 5


# -- training ----------------------------------------------------------------------------------------------------------


def test_a_training_is_learnt_and_the_change_is_shown(lettered: Memory, widget: Transitions) -> None:
    widget.train([B, D], 3, objective="close the books")
    assert widget.wait()
    assert widget.learnt["ok"]
    assert (widget.learnt["learnt"], widget.learnt["passes"]) == ([B, D], 3)
    assert lettered.stats().trainings == 2
    after = sides(widget)[1]
    assert after[D]["was"] < after[D]["probability"]
    assert after[C]["was"] > after[C]["probability"]
    widget.selected = A
    widget.selected = B
    assert widget.wait()
    assert widget.graph["name"] == B


def test_what_is_new_on_an_arc_was_nothing(lettered: Memory, widget: Transitions) -> None:
    widget.part = "next"
    widget.train([B, D])
    assert widget.wait()
    assert sides(widget)[1][D]["was"] == 0.0
    assert lettered.predict([B], floor=0)


def test_what_was_skipped_is_told_and_why(widget: Transitions) -> None:
    widget.train([A, "v1.fact.nowhere", C])
    assert widget.wait()
    assert widget.learnt["learnt"] == [A, C]
    ((skipped),) = widget.learnt["skipped"]
    assert skipped["name"] == "v1.fact.nowhere"
    assert "no such atom" in skipped["why"]


@pytest.mark.parametrize("odd", [{"atoms": []}, {"atoms": "v1.fact.a"}, {"atoms": [A, B], "passes": 0}, {"atoms": [1]}])
def test_an_odd_training_is_refused_in_words(widget: Transitions, odd: dict[str, Any]) -> None:
    widget.training = odd
    assert widget.wait()
    assert not widget.learnt["ok"]
    assert widget.learnt["problem"]
    assert widget.problem == ""


def test_two_trainings_at_once_are_both_learnt(lettered: Memory, widget: Transitions) -> None:
    widget.train([A, D])
    widget.train([A, D])
    assert widget.wait()
    assert lettered.stats().trainings == 3


def test_sessions_are_all_taken_in_and_in_order_however_fast_they_come(
    lettered: Memory, widget: Transitions, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Any] = []
    observe, go_on = lettered.observe, threading.Event()

    def slow(sessions: Any, **options: Any) -> Any:
        assert go_on.wait(PATIENCE_S)
        taken.append(sessions)
        return observe(sessions, **options)

    monkeypatch.setattr(lettered, "observe", slow)
    given = [[{"items": [A, C]}], [{"items": [A, D]}], [{"items": 7}], *([{"items": [C, D]}] for _ in range(7))]
    for sessions in given:
        widget.take_in(sessions)
    go_on.set()
    assert widget.wait()
    assert taken == given
    assert lettered.stats().sessions == 9
    assert widget.problem  # of the one that is none


def test_many_sessions_are_taken_in_with_progress_while_one_moves(
    lettered: Memory, widget: Transitions, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, float]] = []
    widget_seen = threading.Event()
    go_on = threading.Event()
    observe = lettered.observe

    def slow(sessions: Any, **options: Any) -> Any:
        progress = options["progress"]

        def slower(done: int, total: int) -> None:
            progress(done, total)
            told.append((widget.working, widget.progress))
            widget_seen.set()
            assert go_on.wait(PATIENCE_S)

        return observe(sessions, **{**options, "progress": slower})

    monkeypatch.setattr(lettered, "observe", slow)
    widget.take_in([{"items": [A, C]} for _ in range(100)])
    assert widget_seen.wait(PATIENCE_S)
    widget.selected = A  # while it learns
    assert super(Transitions, widget).wait()
    assert widget.graph["name"] == A
    go_on.set()
    assert widget.wait()
    assert told[0] == ("Taking in sessions: 1 of 100", 0.01)
    assert told[-1] == ("Taking in sessions: 100 of 100", 1.0)
    assert (widget.learnt["sessions"], widget.learnt["accesses"]) == (100, 200)
    assert (widget.working, widget.progress) == ("", None)
    assert lettered.stats().sessions == 100


def test_a_store_that_is_read_only_shows_and_does_not_train(lettered: Memory, tmp_path: Path) -> None:
    with open_memory(lettered._store.log.path, home=tmp_path / "home", read_only=True) as reader:
        widget = Transitions(reader, B)
        assert widget.wait()
        assert C in sides(widget)[1]
        widget.train([A, B])
        assert widget.wait()
        assert "read" in widget.learnt["problem"]
        widget.close()
