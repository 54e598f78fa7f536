"""around: what comes after an atom and what leads to it, by the whole model or by one part of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.errors import InputError, NotFound
from substrate.learn import around as verb
from substrate.memory import Memory
from substrate.values.predictions import Around
from tests.search.happenings import few
from tests.stories import NAMES, Step, a_story, stories

A, B, C, D, E, F = NAMES


@pytest.fixture
def lettered(memory: Memory) -> Memory:
    memory.checkpoint([*(f"{name} = {name}" for name in NAMES), "v1.domain.shop = all of it"])
    return memory


def after(found: Around) -> dict[str, float]:
    return {one.name: one.probability for one in found.after}


def before(found: Around) -> dict[str, float]:
    return {one.name: one.probability for one in found.before}


def edge(source: str, kind: str, target: str) -> dict[str, str]:
    return {"source": source, "type": kind, "target": target}


@few(25)
@given(stories(), st.sampled_from(NAMES), st.sampled_from([None, *verb.PARTS]))
def test_a_number_means_the_same_on_both_sides(steps: list[Step], name: str, part: str | None) -> None:
    with a_story() as story:
        for step in steps:
            story.tell(step)
        memory = story.memory
        if name not in {atom.name for atom in memory.list()}:
            return
        found = memory.around(name, 50, part=part)
        shares = [one.probability for one in found.after]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) <= 1 + 1e-4
        assert name not in after(found) | before(found)
        for one in found.before:
            there = after(memory.around(one.name, 50, part=part))
            assert there[name] == pytest.approx(one.probability, abs=1e-4)


def test_all_parts_together_say_what_predict_says(lettered: Memory) -> None:
    lettered.train([A, B, C], 3)
    foreseen = lettered.predict([A], 12, floor=0)
    assert after(lettered.around(A)) == {one.name: one.probability for one in foreseen}


def test_one_part_says_what_it_says_alone(lettered: Memory) -> None:
    lettered.train([A, B, C])
    lettered.checkpoint(edges=[edge(A, "depends_on", D)])
    right_after = lettered.around(A, part="next")
    assert right_after.part == "next"
    assert set(after(right_after)) == {B}
    assert [one.parts.keys() for one in right_after.after] == [{"next"}]
    assert set(after(lettered.around(A, part="skip"))) == {B, C}
    assert set(after(lettered.around(A, part="edges"))) == {D}
    assert set(after(lettered.around(A, part="episodes"))) == {B, C}


def test_what_leads_to_an_atom_is_found_by_arcs_and_by_stated_edges(lettered: Memory) -> None:
    lettered.train([A, B, C])
    lettered.checkpoint(edges=[edge(D, "depends_on", C)])
    assert set(before(lettered.around(C, part="next"))) == {B}
    assert set(before(lettered.around(C, part="skip"))) == {A, B}
    assert set(before(lettered.around(C, part="edges"))) == {D}
    assert {A, B, D} <= set(before(lettered.around(C)))


def test_who_took_the_place_of_another_stands_on_both_sides_for_it(lettered: Memory) -> None:
    lettered.train([A, B, C])
    lettered.checkpoint(edges=[edge(D, "supersedes", A), edge(E, "supersedes", B)])
    assert set(after(lettered.around(D, part="skip"))) == {E, C}
    assert set(before(lettered.around(C, part="skip"))) == {D, E}
    assert set(before(lettered.around(E, part="next"))) == {D}


def test_what_is_out_of_use_leads_nowhere(lettered: Memory) -> None:
    lettered.train([A, B, C])
    lettered.checkpoint(tombstones=[B])
    assert after(lettered.around(A, part="next")) == {}
    assert before(lettered.around(C, part="next")) == {}


def test_of_more_rows_than_are_read_it_is_said(lettered: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    for source in (B, C, D, E):
        lettered.train([source, A])
    assert not lettered.around(A).more
    monkeypatch.setattr(verb, "_ROWS", 3)
    assert lettered.around(A).more
    assert len(before(lettered.around(A, part="next"))) == 3


def test_it_goes_by_no_session_and_counts_as_no_access(lettered: Memory) -> None:
    lettered.train([A, B, C], objective="close the books")
    with lettered.session("another thing", domain="shop") as session:
        session.access(C)
        assert session.accesses == 1
        assert lettered.around(A) == lettered.around(A)
        assert C in after(lettered.around(A))
        assert session.accesses == 1


@pytest.mark.parametrize("options", [{"k": -1}, {"k": 51}, {"k": True}, {"part": "usage"}, {"part": ""}])
def test_odd_questions_are_refused(lettered: Memory, options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        lettered.around(A, **options)
    with pytest.raises(NotFound):
        lettered.around("v1.fact.nowhere")
