"""Text from elsewhere in an opening: only if it is asked for, only where it fits, and never in the way of the rest."""

from __future__ import annotations

import pytest

from substrate.bootstrap.evidence import Grounds, weigh
from substrate.cli.spelling import WORDS
from substrate.learn.forecast import Need
from substrate.memory import Memory
from substrate.messages import render
from substrate.search import objective
from substrate.search.filters import Filters
from tests.bootstrap.openings import Request, names, opened, subject, with_needs

OBJECTIVE = "rotate the signing keys of the ledger"
PAGES = 200


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """Two facts, and then far more pages that speak of the same."""
    memory.checkpoint(["v1.fact.key_rotation = The signing keys rotate in May", "v1.fact.lunch = Lunch is at noon"])
    for i in range(PAGES):
        memory.ingest(f"Page {i}: rotate the signing keys of the ledger, and rotate the ledger's keys", title=f"P{i}")
    return memory


def test_pages_do_not_crowd_out_what_people_said(filled: Memory) -> None:
    opening = filled.bootstrap(OBJECTIVE, max_tokens=600)
    assert names(opening)[0] == "v1.fact.key_rotation"
    assert not [name for name in names(opening) if name.startswith(("v1.chunk.", "v1.document."))]


def test_twin_without_the_filter_pages_crowd_them_out(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objective, "Filters", lambda **_: Filters())
    assert "v1.fact.key_rotation" not in names(filled.bootstrap(OBJECTIVE, max_tokens=300))


def test_pages_that_fit_are_shown_if_they_are_asked_for(filled: Memory) -> None:
    shown = filled.bootstrap(OBJECTIVE, max_tokens=600, ingested=True)
    assert [name for name in names(shown) if name.startswith("v1.chunk.")]


@pytest.mark.parametrize("ingested", [False, True])
def test_room_is_never_filled_with_pages(filled: Memory, ingested: bool) -> None:  # noqa: FBT001
    assert sorted(names(filled.bootstrap(max_tokens=2000, ingested=ingested))) == [
        "v1.domain.main",
        "v1.fact.key_rotation",
        "v1.fact.lunch",
    ]


@pytest.mark.parametrize(("part", "shown"), [("match", True), ("goals", True), ("usage", False), ("newest", False)])
def test_what_speaks_for_a_page_must_be_about_the_session(memory: Memory, part: str, shown: bool) -> None:  # noqa: FBT001
    name = memory.ingest("How heads are signed", title="Heads")[0].name
    need = Need(subject(memory, name), 1.0, {part: 1.0})
    assert (name in names(with_needs(memory, [need], Request.of(None, ingested=True)))) is shown


def test_a_goal_from_elsewhere_is_a_goal_if_it_is_asked_for(memory: Memory) -> None:
    memory.checkpoint([{"name": "v1.goal.launch", "value": "Launch in May", "origin": "ingested"}])
    assert names(opened(memory, {}, ingested=True)) == ["v1.goal.launch"]
    assert names(opened(memory, {})) == []


def test_text_from_elsewhere_weighs_less_than_the_same_from_anybody() -> None:
    plain = weigh(Grounds(has_source=True)).value
    assert weigh(Grounds(origin="ingested", has_source=True)).value < 0.5 < plain < weigh(Grounds("user", True)).value  # noqa: FBT003


def test_pages_that_were_set_aside_are_counted_and_it_is_said_how_to_see_them(memory: Memory) -> None:
    for i in range(40):
        memory.ingest(f"Page {i}: rotate the signing keys of the ledger", title=f"P{i}")
    opening = memory.bootstrap(OBJECTIVE, max_tokens=600)
    assert opening.left_out.reasons["ingested"] >= 40
    assert "that may match; ingested=True shows them" in repr(opening)
    assert "--ingested shows them" in render(opening.remark, WORDS)
    assert not memory.bootstrap(OBJECTIVE, max_tokens=600, ingested=True).remark


def test_where_something_fits_pages_are_not_spoken_of_but_counted(filled: Memory) -> None:
    opening = filled.bootstrap(OBJECTIVE, max_tokens=600)
    assert not opening.remark
    assert opening.left_out.reasons["ingested"] > 0


def test_an_opening_of_an_empty_store_says_so(memory: Memory) -> None:
    assert memory.bootstrap(OBJECTIVE).remark == "the store is empty: save something first"
    memory.checkpoint(["v1.fact.lunch = Lunch is at noon"])
    assert not memory.bootstrap(OBJECTIVE).remark
