"""What an undo took back, in search and in what else looks at all versions at once."""

from __future__ import annotations

import pytest

from substrate.clock import ManualClock
from substrate.memory import Memory
from tests.search.test_columns import DAY, compare, said

UNDO = ("undo", None)


def values(memory: Memory, question: str) -> list[str]:
    return [hit.value for hit in memory.search(question)]


def test_a_question_about_the_past_is_not_answered_by_what_was_taken_back(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.port = The port of the server is 8080"])
    memory.checkpoint(["v1.fact.port = The port of the server is 8081"])
    memory.checkpoint(["v1.fact.port = The port of the server is 9999"])
    question = "what was the port of the server before?"
    assert "The port of the server is 9999" not in values(memory, "what is the port of the server?")[1:]
    memory.undo()
    assert "The port of the server is 9999" not in values(memory, question)
    assert "The port of the server is 8080" in values(memory, question)
    memory.undo()  # does it again
    memory.checkpoint(["v1.fact.port = The port of the server is 7000"])
    assert "The port of the server is 9999" in values(memory, question)


def test_what_an_undo_says_again_is_told_once(memory: Memory) -> None:
    """However often it is undone and done again."""
    ports = [f"The port of the server is {number}" for number in (8080, 8081, 9999)]
    for port in ports:
        memory.checkpoint([f"v1.fact.port = {port}"])
    for count in range(1, 5):
        memory.undo()
        told = values(memory, "what was the port of the server before?")
        assert sorted(told) == ports[: 2 + (count % 2 == 0)]


def test_a_value_that_got_other_tags_is_told_once(memory: Memory) -> None:
    ports = [f"The port of the server is {number}" for number in (8080, 8081)]
    for port in ports:
        for tags in ([], ["net"], ["net", "host"]):
            memory.checkpoint([{"name": "v1.fact.port", "value": port, "tags": tags}])
    question = "what was the port of the server before?"
    assert sorted(values(memory, question)) == ports
    as_known = memory.search(question, as_of=2)  # when it had one tag
    assert [(hit.value, hit.atom.tags) for hit in as_known] == [(ports[0], ("net",))]


def test_a_value_that_an_undo_restored_is_found_when_it_was_first_recorded(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint(["v1.fact.port = The port of the server is 8080"])
    day = memory.access("v1.fact.port").atom.recorded_at.date().isoformat()
    clock.advance(40 * DAY)
    memory.checkpoint(["v1.fact.port = The port of the server is 9999"])
    memory.undo()
    hit = memory.search(f"what about the port of the server on {day}?")[0]
    assert (hit.value, hit.atom.seq) == ("The port of the server is 8080", 1)


def test_what_was_taken_back_as_a_whole_is_not_told_as_deleted(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.typo_port = The typo port"])
    memory.undo()
    assert not memory.bootstrap("which typo port is it?", begin=False).absent
    memory.checkpoint(["v1.fact.old_port = The old port"])
    memory.checkpoint(tombstones=["v1.fact.old_port"])
    memory.checkpoint(["v1.fact.old_port = The old port, again"])
    memory.undo()
    assert [one.name for one in memory.bootstrap("which old port is it?", begin=False).absent] == ["v1.fact.old_port"]


def test_an_opening_says_of_what_was_undone_neither_that_it_was_deleted_nor_that_it_is_left_out(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.base = The base"])
    memory.checkpoint(["v1.fact.rocket_fuel = Kerosene"])
    memory.undo()
    opening = memory.bootstrap("rocket fuel", begin=False)
    assert (opening.absent, opening.left_out.reasons) == ((), {})
    (asked,) = memory.bootstrap("look up v1.fact.rocket_fuel", begin=False).absent
    assert (asked.name, asked.why) == ("v1.fact.rocket_fuel", "undone")
    memory.undo()  # does it again
    memory.checkpoint(tombstones=["v1.fact.rocket_fuel"])
    opening = memory.bootstrap("rocket fuel", begin=False)
    assert [(one.name, one.why) for one in opening.absent] == [("v1.fact.rocket_fuel", "deleted")]


def test_a_history_marks_what_was_taken_back(memory: Memory) -> None:
    for value in ("one", "two", "three"):
        memory.checkpoint([f"v1.fact.a = {value}"])
    memory.undo()
    told = [(version.row().get("value"), version.taken_back_by) for version in memory.history("v1.fact.a")]
    assert told == [("one", None), ("two", None), ("three", 4), ("two", None)]
    memory.undo()
    assert [version.taken_back_by for version in memory.history("v1.fact.a")] == [None, None, None, 5, None]
    assert [version.taken_back_by for version in memory.history("v1.fact.a", as_of=3)] == [None] * 3


@pytest.mark.parametrize("count", [1, 2, 3, 4, 9])
def test_however_many_versions_were_taken_back_search_and_list_agree(count: int) -> None:
    said_often = (
        "put",
        (
            [{"name": "v1.fact.a", "value": f"false {i}", "valid_from": f"20{10 + i}-01-01"} for i in range(count)],
            None,
        ),
    )
    compare(
        [said("old"), said_often, UNDO, said("new"), UNDO, UNDO], [(-1, None), *((-1, day * DAY) for day in (1, 16000))]
    )


def test_what_is_said_after_an_undone_mistake_holds_from_ever() -> None:
    happened = [
        said("wrong"),
        ("time passes", DAY),
        UNDO,
        ("time passes", DAY),
        UNDO,
        UNDO,
        said("right"),
        said("left"),
    ]
    compare(happened, [(-1, None), (-1, 0), (1, 0), (2, 0)])


def test_an_atom_that_was_taken_back_holds_from_ever_once_it_is_said_again(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.t = wrong"])
    for _ in range(3):
        memory.undo()
    memory.checkpoint(["v1.fact.t = right"])
    for at in ("2019-01-01", "2999-01-01"):
        assert [atom.value for atom in memory.list(valid_at=at)] == ["right"]
        assert [hit.value for hit in memory.search("right", valid_at=at)] == ["right"]


def test_an_undo_takes_back_a_version_in_between_of_an_atom_that_ended_as_it_began(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.q = true"])
    memory.checkpoint([{"name": "v1.fact.q", "value": "mad", "valid_from": "2019-01-01"}, "v1.fact.q = true"])
    assert memory.access("v1.fact.q", valid_at="2020-01-01").value == "mad"
    assert memory.undo().restored == ("v1.fact.q",)
    assert memory.access("v1.fact.q", valid_at="2020-01-01").value == "true"
    assert [hit.value for hit in memory.search("true mad", valid_at="2020-01-01")] == ["true"]
