"""The timeline without a page: marks, what lies between two heads, and the proof that they are of one history."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import traitlets

from substrate.clock import ManualClock
from substrate.memory import Memory, open_memory
from substrate.proof.verify import Verifier
from substrate_widgets import ProofViewer, Timeline, link
from substrate_widgets.timeline.answers import MARKS, marks

A, B = "v1.fact.a", "v1.fact.b"
HOUR = 3_600_000_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def memory(tmp_path_factory: pytest.TempPathFactory, clock: ManualClock) -> Iterator[Memory]:
    """Heads of size 1 (the key), 3, 5, 7, an hour apart."""
    folder = tmp_path_factory.mktemp("timeline")
    with open_memory(folder / "store", home=folder / "home", clock=clock) as memory:
        clock.advance(HOUR)
        memory.checkpoint([f"{A} = one", f"{B} = x"])
        clock.advance(HOUR)
        memory.checkpoint([f"{A} = two"], edges=[{"source": A, "type": "needs", "target": B}])
        clock.advance(HOUR)
        memory.checkpoint(["v1.fact.c = new"], tombstones=[B])
        yield memory


@pytest.fixture
def timeline(memory: Memory) -> Iterator[Timeline]:
    timeline = Timeline(memory)
    assert timeline.wait()
    yield timeline
    timeline.close()


def ask(timeline: Timeline, **traits: object) -> Timeline:
    for name, value in traits.items():
        setattr(timeline, name, value)
    assert timeline.wait()
    assert timeline.problem == ""
    return timeline


def changes(timeline: Timeline) -> list[tuple[str, str]]:
    return [(change["kind"], change["name"]) for change in timeline.changes["items"]]


def test_each_head_is_a_mark_at_its_time(timeline: Timeline, clock: ManualClock) -> None:
    assert [mark["size"] for mark in timeline.marks] == [1, 3, 5, 7]
    assert [mark["entries"] for mark in timeline.marks] == [1, 2, 2, 2]
    assert timeline.marks[-1]["at"] == clock.time == timeline.span["high"]
    assert [b["at"] - a["at"] for a, b in zip(timeline.marks, timeline.marks[1:], strict=False)] == [HOUR] * 3
    ask(timeline, axis="entries")
    assert [mark["at"] for mark in timeline.marks] == [0, 2, 4, 6]


def test_a_window_shows_what_lies_in_it_and_all_comes_back(timeline: Timeline) -> None:
    second = timeline.marks[1]["at"]
    ask(timeline, window=[second, second + HOUR])
    assert [mark["size"] for mark in timeline.marks] == [3, 5]
    assert [timeline.span["low"], timeline.span["high"]] == [second, second + HOUR]
    ask(timeline, window=[second + 5, second + 6])
    assert timeline.marks == []
    ask(timeline, axis="entries")
    assert timeline.window == []
    ask(timeline, window=[3, 1000])
    assert [mark["size"] for mark in timeline.marks] == [5, 7]
    for wrong in ([1], [2, 1], [-1, 2], [0, 2**60], [1, 2, 3]):
        with pytest.raises(traitlets.TraitError):
            timeline.window = wrong


def test_between_two_heads_changes_are_told_and_the_log_is_shown_to_have_grown(timeline: Timeline) -> None:
    ask(timeline, picked=[7, 3])
    assert [head["size"] for head in timeline.heads] == [3, 7]
    assert timeline.heads[0]["added"] == {"put": 2}
    assert sorted(changes(timeline)) == [
        ("added", "v1.fact.c"),
        ("changed", A),
        ("edge_added", f"{A} needs {B}"),
        ("tombstoned", B),
    ]
    changed = next(change for change in timeline.changes["items"] if change["kind"] == "changed")
    assert (changed["before"], changed["after"], changed["atom"]) == ("one", "two", A)
    assert timeline.badge["ok"]
    assert "at size 7 contains all of the log at size 3" in timeline.badge["words"]
    verdict = Verifier(pin=timeline.badge["pin"]).verify(timeline.badge["proof"], claim="extended")
    assert verdict.head.size == 7


def test_of_one_head_only_what_it_added_is_told(timeline: Timeline) -> None:
    ask(timeline, picked=[5])
    assert timeline.heads[0]["added"] == {"put": 1, "edge": 1}
    assert (timeline.changes, timeline.badge) == ({}, {})
    ask(timeline, picked=[])
    assert timeline.heads == []


def test_a_size_without_a_head_is_a_problem_in_words(timeline: Timeline) -> None:
    timeline.picked = [4]
    assert timeline.wait()
    assert "no head was signed at size 4" in timeline.problem
    ask(timeline, picked=[5])


def test_what_was_forgotten_since_is_told_without_what_it_said(timeline: Timeline, memory: Memory) -> None:
    memory.forget(A)
    ask(timeline, picked=[3, 7])
    assert "two" not in str(timeline.changes)
    assert ("forgotten", "") in changes(timeline)
    assert timeline.badge["ok"], "the log is still shown to have grown"


def test_a_rotation_between_two_heads_does_not_break_the_badge(timeline: Timeline, memory: Memory) -> None:
    memory.rotate_key()
    memory.checkpoint([f"{A} = four"])
    ask(timeline, picked=[3, 9])
    assert timeline.badge["ok"]
    ask(timeline, picked=[3, 8])
    assert timeline.badge["ok"]


def test_what_others_write_is_followed(timeline: Timeline, memory: Memory, clock: ManualClock) -> None:
    clock.advance(HOUR)
    memory.checkpoint([f"{A} = later"])
    timeline._moved(memory.head().head.size)  # what the pulse would say within half a second
    assert timeline.wait()
    assert [mark["size"] for mark in timeline.marks] == [1, 3, 5, 7, 8]


def test_travel_takes_linked_widgets_along(timeline: Timeline, memory: Memory) -> None:
    viewer = ProofViewer(memory, selected=A)
    link(timeline, viewer)
    timeline.as_of = 2
    assert viewer.wait()
    assert "Entry 1 of 7 is recorded" in viewer.verdict["words"]
    timeline.selected = B
    assert viewer.wait()
    assert B in viewer.verdict["words"]
    viewer.close()


def test_of_many_heads_the_page_gets_a_few_marks(memory: Memory, clock: ManualClock) -> None:
    for number in range(MARKS + 20):
        clock.advance(HOUR // 7)
        memory.checkpoint([f"{A} = {number}"])
    shown = marks(memory, "time", [])["marks"]
    assert isinstance(shown, list)
    assert 50 < len(shown) <= MARKS
    assert sum(mark["entries"] for mark in shown) == memory.head().head.size


def test_of_many_changes_the_page_gets_the_last(timeline: Timeline, memory: Memory) -> None:
    memory.checkpoint([{"name": f"v1.fact.many{number}", "value": "x" * 1000} for number in range(250)])
    ask(timeline, picked=[7, 257])
    assert len(timeline.changes["items"]) == 200
    assert timeline.changes["left_out"] == 50
    assert len(str(timeline.changes)) < 120_000


def test_what_others_write_leaves_a_comparison_alone(
    timeline: Timeline, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(timeline, picked=[3, 7])
    said = (timeline.changes, timeline.badge, timeline.heads)
    heard: list[str] = []
    timeline.observe(lambda change: heard.append(change["name"]), ["changes", "badge", "heads", "working"])
    compared: list[int] = []
    diff = Memory.diff
    monkeypatch.setattr(Memory, "diff", lambda self, *given, **named: compared.append(1) or diff(self, *given, **named))
    memory.checkpoint(["v1.fact.unrelated = x"])
    timeline._moved(memory.head().head.size)
    assert timeline.wait()
    assert [mark["size"] for mark in timeline.marks][-1] == 8
    assert (heard, compared) == ([], [])
    assert (timeline.changes, timeline.badge, timeline.heads) == said


def test_what_is_forgotten_leaves_a_comparison_that_is_shown(timeline: Timeline, memory: Memory) -> None:
    ask(timeline, picked=[3, 7])
    assert "two" in str(timeline.changes)
    told: list[object] = []
    timeline.observe(lambda change: told.append(change["new"]), "changes")
    memory.forget(A)
    memory.checkpoint(["v1.fact.unrelated = x"])
    timeline._moved(memory.head().head.size)
    assert timeline.wait()
    state = {trait: value for trait, value in timeline.get_state().items() if not trait.startswith("_")}
    assert "two" not in str(state)
    assert ("forgotten", "") in changes(timeline)
    assert {} not in told, "what else is shown stays meanwhile"
    assert timeline.badge["ok"]


def test_heads_that_are_given_at_once_are_compared(memory: Memory) -> None:
    timeline = Timeline(memory, picked=[3, 7])
    assert timeline.wait()
    assert ("changed", A) in changes(timeline)
    assert timeline.badge["ok"]
    timeline.close()
