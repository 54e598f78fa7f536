"""An objective that nothing matches is opened with what was saved and accessed last, and little else."""

from __future__ import annotations

import pytest

from substrate.clock import ManualClock
from substrate.embed.tokens import token_counter
from substrate.memory import Memory
from substrate.result import compact
from substrate.values.opening import LAST, MATCHES, WEAK, Opening
from tests.bootstrap.openings import LONG, Reopen, names
from tests.bootstrap.test_room import OTHERS

HOUR = 3_600_000_000
MINUTE = HOUR // 60
SAVED, DECIDED = "v1.state.search", "v1.decision.search"
ACCESSED = ["v1.fact.lunr", "v1.fact.mkdocs"]
LEFT = [SAVED, DECIDED, *ACCESSED]
"""What the last session left, newest first."""
VAGUE = ("continue where we left off", "hi", "hello, let's go on", "weitermachen", "what were we doing?")


def left(opening: Opening) -> list[str]:
    return [atom.name for atom in opening if atom.why == LAST]


def fill(memory: Memory, clock: ManualClock) -> None:
    """Notes of long ago, sessions about some of them, and a last session about something else."""
    memory.checkpoint([f"v1.note.n{at} = {text}" for at, text in enumerate(OTHERS)])
    memory.checkpoint(["v1.fact.mkdocs = The docs site is built with MkDocs", "v1.fact.lunr = Its search uses lunr"])
    for at in range(0, 18, 3):
        clock.advance(20 * HOUR)
        memory.observe([f"v1.note.n{at + step}" for step in range(3)], objective=f"tidy up room {at}")
    clock.advance(20 * HOUR)
    memory.observe(["v1.fact.mkdocs", "v1.fact.lunr"], objective="find out why nothing is found in the docs")
    clock.advance(MINUTE)
    memory.checkpoint([f"{DECIDED} = Pagefind takes the place of lunr"])
    clock.advance(MINUTE)
    memory.checkpoint([f"{SAVED} = The index of Pagefind is built, the search box is missing"])
    clock.advance(20 * HOUR)


@pytest.fixture
def worked(reopen: Reopen, clock: ManualClock, cache: object) -> Memory:  # noqa: ARG001 - the model that is used
    memory = reopen(background=False)
    fill(memory, clock)
    memory.index()
    return memory


@pytest.fixture
def by_words(reopen: Reopen, clock: ManualClock) -> Memory:
    memory = reopen(model="none", background=False)
    fill(memory, clock)
    return memory


@pytest.mark.parametrize("objective", VAGUE)
def test_an_objective_that_says_nothing_is_opened_with_what_the_last_session_left(
    worked: Memory, objective: str
) -> None:
    opening = worked.bootstrap(objective, max_tokens=3000, begin=False)
    assert names(opening)[: len(LEFT)] == left(opening) == LEFT
    assert len(names(opening)) <= 12, "a larger budget is no reason to show more"
    assert opening.weak
    assert "nothing matches the objective well\nfrom the last session:\nv1.state.search" in opening.text()


def test_by_words_alone_too(by_words: Memory) -> None:
    opening = by_words.bootstrap("weitermachen", begin=False)
    assert left(opening) == LEFT
    assert opening.weak


def test_what_is_known_to_match_needs_no_last_session(worked: Memory) -> None:
    for objective in ("the bike in the cellar", "Kim is allergic to peanuts"):
        opening = worked.bootstrap(objective, begin=False)
        assert opening[0].why == MATCHES
        assert left(opening) == []


def test_one_word_that_texts_about_anything_have_is_no_match_for_sure(worked: Memory) -> None:
    worked.checkpoint([f"v1.note.do{at} = {text}: do it" for at, text in enumerate(OTHERS)])
    worked.index()
    opening = worked.bootstrap("what were we doing?", begin=False)
    assert opening[0].why == MATCHES
    assert set(LEFT) == set(left(opening))


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_what_was_trained_for_an_objective_says_what_it_is_about(worked: Memory, passes: int) -> None:
    worked.train(["v1.note.n3", "v1.note.n7"], passes=passes, objective="weitermachen")
    worked.index()
    opening = worked.bootstrap("weitermachen", begin=False)
    assert set(names(opening)[:2]) == {"v1.note.n3", "v1.note.n7"}
    assert left(opening) == []


def test_what_a_few_sessions_needed_for_objectives_like_this_is_not_put_behind_the_last_one(
    worked: Memory, clock: ManualClock
) -> None:
    worked.observe(["v1.note.n3", "v1.note.n7"], objective="weitermachen mit dem Umzug")
    clock.advance(HOUR)
    worked.checkpoint(["v1.state.else = Something else was saved since"])
    worked.index()
    opening = worked.bootstrap("weitermachen", begin=False)
    assert left(opening) == ["v1.state.else"]
    assert {"v1.note.n3", "v1.note.n7"} <= set(names(opening)[:4])


def test_rules_that_were_saved_last_stay_rules(worked: Memory, clock: ManualClock) -> None:
    worked.checkpoint([f"v1.constraint.c{at} = Nobody may {text.lower()}" for at, text in enumerate(OTHERS[:9])])
    clock.advance(MINUTE)
    worked.checkpoint(["v1.state.after = The rules were written down"])
    worked.index()
    opening = worked.bootstrap("weitermachen", max_tokens=3000, begin=False)
    assert len(opening.constraints) == 9
    assert left(opening) == ["v1.state.after"]


def test_by_words_alone_a_text_that_has_one_of_several_words_is_known_to_match(by_words: Memory) -> None:
    opening = by_words.bootstrap("plan the bicycle tour", begin=False)
    assert left(opening) == LEFT
    by_words.checkpoint(["v1.note.tour = The tour goes along the river"])
    assert left(by_words.bootstrap("plan the bicycle tour", begin=False)) == []


def test_in_a_small_budget_it_leaves_half_of_the_room(worked: Memory, clock: ManualClock) -> None:
    for at in range(8):
        worked.checkpoint([f"v1.state.s{at} = {LONG}, {at} times {'over and ' * 9}again"])
        clock.advance(MINUTE)
    worked.index()
    opening = worked.bootstrap("good morning", max_tokens=400, begin=False)
    shown = [atom.why for atom in opening]
    assert shown[0] == LAST
    assert shown.count(WEAK) >= 2
    taken = [token_counter().count(compact(atom)) for atom in opening if atom.why == LAST]
    assert sum(taken) <= 200


def test_it_ends_where_nobody_did_anything_for_half_an_hour(worked: Memory, clock: ManualClock) -> None:
    worked.checkpoint(["v1.state.lunch = Anna brings the soup"])
    clock.advance(29 * MINUTE)
    worked.checkpoint(["v1.state.dinner = Kim brings the bread"])
    worked.index()
    assert left(worked.bootstrap("hi", begin=False)) == ["v1.state.dinner", "v1.state.lunch"]
    clock.advance(31 * MINUTE)
    worked.observe(["v1.note.n5"])
    assert left(worked.bootstrap("hi", begin=False)) == ["v1.note.n5"]


def test_an_import_and_a_training_are_nobodys_session(worked: Memory) -> None:
    worked.checkpoint([f"v1.row.r{at} = Row {at} of a table" for at in range(40)])
    worked.train(["v1.note.n1", "v1.note.n2"])
    worked.ingest("Ferries to Norway leave from Kiel", title="Ferries")
    worked.index()
    assert left(worked.bootstrap("weitermachen", begin=False)) == LEFT


def test_what_took_the_place_of_an_atom_stands_for_it_and_what_is_deleted_does_not(
    worked: Memory, clock: ManualClock
) -> None:
    worked.observe(["v1.note.n5", "v1.note.n6"])
    worked.checkpoint(
        ["v1.note.thesis = Ole wrote his thesis on glaciers", "v1.note.wrong = This is wrong"],
        edges=[{"source": "v1.note.thesis", "type": "supersedes", "target": "v1.note.n6"}],
    )
    clock.advance(HOUR)
    worked.checkpoint(tombstones=["v1.note.wrong"])
    worked.index()
    opening = worked.bootstrap("weitermachen", begin=False)
    assert left(opening) == ["v1.note.thesis", "v1.note.n5"]
    assert "superseded" not in opening.left_out.reasons


def test_with_a_domain_it_is_the_last_session_of_that(worked: Memory, clock: ManualClock) -> None:
    member = {"type": "member_of", "target": "v1.domain.garden"}
    worked.checkpoint(["v1.domain.garden = The garden"], edges=[{"source": "v1.note.n10", **member}])
    clock.advance(HOUR)
    worked.observe(["v1.note.n7", "v1.note.n10"], domain="garden")
    worked.checkpoint(["v1.note.hose = Buy a new joint for the hose"], edges=[{"source": "v1.note.hose", **member}])
    clock.advance(HOUR)
    worked.checkpoint(["v1.state.else = Something else was saved since"])
    worked.index()
    assert left(worked.bootstrap("weitermachen", begin=False)) == ["v1.state.else"]
    opening = worked.bootstrap("weitermachen", domain="garden", begin=False)
    assert set(left(opening)) == {"v1.note.hose", "v1.note.n10", "v1.note.n7"}
    assert {atom.why for atom in opening[:3]} == {LAST}


def test_without_an_objective_what_was_saved_last_has_a_place_beside_what_is_used(worked: Memory) -> None:
    assert set(names(worked.bootstrap(begin=False))) >= set(LEFT)
    assert not worked.bootstrap(begin=False).weak
