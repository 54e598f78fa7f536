"""The fading widget without a page: lists, the curve, touches, and a sweep of what was shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from substrate.clock import ManualClock
from substrate.memory import Memory, open_memory
from substrate_widgets import Explorer, Fading, link
from tests.days import DAY

FACT = "v1.fact.currency"
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    """Two notes of an agent that have faded, one that is due, one of a person that is old, and one that was used."""
    options = {"home": tmp_path / "home", "clock": clock, "model": "none"}
    with open_memory(tmp_path / "store", actor="ann", **options) as memory:  # type: ignore[arg-type]
        agent = memory.client("mcp:cortexgraph:tester")
        agent.remember("The printer is on floor two")
        agent.remember(HOSTILE)
        memory.checkpoint(["v1.fact.region = Frankfurt", f"{FACT} = EUR"])
        clock.time += 40 * DAY
        memory.touch(FACT)
        clock.time += 13 * DAY
        agent.remember("The build is red")
        clock.time += 7 * DAY
        yield memory


@pytest.fixture
def widget(memory: Memory) -> Iterator[Fading]:
    widget = Fading(memory)
    assert widget.wait()
    yield widget
    widget.close()


def names(widget: Fading) -> list[str]:
    return [one["name"] for one in widget.listed["items"]]


def test_lists_are_those_of_the_verbs(widget: Fading, memory: Memory) -> None:
    assert (widget.show, widget.counts) == ("faded", {"faded": 5, "present": 5, "due": 2, "sweep": 2})
    assert names(widget) == [one.name for one in memory.fading()]
    for show in ("present", "due"):
        widget.show = show
        assert widget.wait()
        assert names(widget) == [one.name for one in memory.fading(order=show)]
    widget.show = "sweep"
    assert widget.wait()
    assert names(widget) == [one.name for one in memory.sweep(dry_run=True)]
    assert (widget.listed["total"], widget.listed["model"]) == (2, "power law, half-life 3 days")
    assert widget.problem == ""


def test_pages_are_turned_and_another_list_begins_with_its_first(widget: Fading) -> None:
    everything = names(widget)
    widget.limit, widget.offset = 2, 2
    assert widget.wait()
    assert names(widget) == everything[2:4]
    widget.show = "present"
    assert widget.wait()
    assert (widget.offset, names(widget)) == (0, everything[::-1][:2])


def test_the_curve_is_of_the_selected_atom_or_of_the_first(widget: Fading, memory: Memory) -> None:
    assert widget.curve["name"] == names(widget)[0]
    widget.selected = FACT
    assert widget.wait()
    curve = widget.curve
    assert curve["score"] == memory.fading(FACT)[0].score
    assert [(one["kind"], one["times"]) for one in curve["touches"]] == [("used", 1)]
    assert [one["score"] for one in curve["falls"]] == [0.15, 0.05]
    widget.selected = "v1.fact.nowhere"
    assert widget.wait()
    assert "v1.fact.nowhere" in widget.curve["missing"]


def test_a_touch_is_written_and_told(widget: Fading, memory: Memory) -> None:
    widget.touch(FACT, boost=True)
    assert widget.wait()
    assert widget.done.startswith(f"{FACT}: the score rose from 0.18 to 2.13")
    assert (memory.fading(FACT)[0].uses, memory.fading(FACT)[0].strength) == (2, 1.1)
    assert widget.counts["due"] == 1
    widget.touch("v1.fact.nowhere")
    assert widget.wait()
    assert "v1.fact.nowhere" in widget.problem


def test_a_sweep_takes_as_many_as_were_shown_and_no_more(widget: Fading, memory: Memory, clock: ManualClock) -> None:
    shown = widget.counts["sweep"]
    clock.time += 60 * DAY  # the third one has faded since
    assert memory.sweep(dry_run=True).total == shown + 1
    widget.sweep(shown, archive=True)
    assert widget.wait()
    assert widget.done == "2 notes put away: their status is archived. Nothing is erased."
    assert len(memory.fading(status="archived")) == shown
    assert widget.counts["sweep"] == 1
    widget.sweep(0)
    assert widget.wait()
    assert "limit is a whole number" in widget.problem
    assert memory.sweep(dry_run=True).total == 1


def test_it_travels_in_time_and_sweeps_only_now(widget: Fading, memory: Memory) -> None:
    explorer = Explorer(memory)
    link(widget, explorer)
    explorer.as_of = memory.history(FACT)[0].seq
    assert widget.wait()
    assert (widget.counts, len(names(widget))) == ({"faded": 4, "present": 4, "due": 0}, 4)
    assert {one["score"] for one in widget.listed["items"]} == {1.0}
    explorer.close()


def test_its_still_picture_counts_and_keeps_stored_text_as_text(widget: Fading) -> None:
    widget.show = "sweep"
    caption, rows = widget._pictured()
    assert caption == "5 atoms; 2 due for review; a sweep would take 2"
    assert widget.wait()
    shown = widget._repr_mimebundle_()[0]["text/html"]
    assert HOSTILE not in shown
    assert "&lt;img" in shown
    assert len(rows) == 5


def test_a_store_that_is_open_for_reading_only_is_not_writable(memory: Memory, tmp_path: Path) -> None:
    memory.close()
    with open_memory(tmp_path / "store", home=tmp_path / "home", read_only=True) as reader:
        widget = Fading(reader)
        assert widget.wait()
        assert (widget.writable, widget.counts["faded"]) == (False, 5)
        widget.close()
