"""An objective that nothing matches is opened with what was saved and accessed last, and little else."""

from __future__ import annotations

from pathlib import Path

import pytest

from substrate.clock import ManualClock
from substrate.embed.tokens import token_counter
from substrate.memory import Memory
from substrate.policy import Policy
from substrate.result import compact
from substrate.values.opening import LAST, MATCHES, WEAK, Opening
from substrate.values.times import from_microseconds
from tests.bootstrap.openings import LONG, Reopen, names
from tests.bootstrap.test_kept import moment
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


def hide(memory: Memory, count: int) -> list[str]:
    """Make so many atoms that an agent may not see; their names."""
    hidden = [f"v1.fact.hidden{at}" for at in range(count)]
    belongs = [{"source": name, "type": "member_of", "target": "v1.domain.vault"} for name in hidden]
    memory.checkpoint(["v1.domain.vault = What nobody else may know"])
    memory.set_tier("vault", "sensitive")
    memory.checkpoint([f"{name} = A diagnosis" for name in hidden], edges=belongs)
    return hidden


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


@pytest.mark.parametrize("objective", [*VAGUE[:1], "pick up where we stopped", "resume last session's work", "next"])
def test_an_objective_that_only_says_to_go_on_matches_no_text_about_going_on(worked: Memory, objective: str) -> None:
    about = "Continue execution where it left off, pick up the next work of the last session: resume where it stopped"
    worked.checkpoint([f"v1.doc.do{at} = {about} {at}" for at in range(20)])
    worked.index()
    opening = worked.bootstrap(objective, begin=False)
    assert names(opening)[: len(LEFT)] == left(opening) == LEFT
    assert MATCHES not in {atom.why for atom in opening}
    # The twin: what says with what to go on has a subject.
    opening = worked.bootstrap("continue the execution", begin=False)
    assert opening[0].why == MATCHES
    assert left(opening) == []


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_what_was_trained_for_an_objective_says_what_it_is_about(worked: Memory, passes: int) -> None:
    worked.train(["v1.note.n3", "v1.note.n7"], passes=passes, objective="weitermachen")
    worked.index()
    opening = worked.bootstrap("weitermachen", begin=False)
    assert set(names(opening)[:2]) == {"v1.note.n3", "v1.note.n7"}
    assert left(opening) == []


def test_sessions_that_needed_the_same_say_what_an_objective_is_about(worked: Memory) -> None:
    for _ in range(2):
        worked.observe(["v1.note.n3", "v1.note.n7"], objective="weitermachen")
    worked.index()
    opening = worked.bootstrap("weitermachen", begin=False)
    assert set(names(opening)[:2]) == {"v1.note.n3", "v1.note.n7"}
    assert left(opening) == []


def test_where_each_session_needed_something_else_the_last_one_is_told_beside_what_they_needed(
    worked: Memory, clock: ManualClock
) -> None:
    for item in ("v1.note.n3", "v1.note.n7"):
        worked.observe([item], objective="weitermachen")
        clock.advance(20 * HOUR)
    worked.checkpoint(["v1.state.else = Something else was saved since"])
    worked.index()
    opening = worked.bootstrap("weitermachen", begin=False)
    assert left(opening) == ["v1.state.else"]
    assert set(names(opening)[:2]) == {"v1.note.n3", "v1.note.n7"}


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


def test_one_that_has_no_room_leaves_it_to_shorter_ones(worked: Memory, clock: ManualClock) -> None:
    short = ["Kim has the key", "Ole paints the door", "The lamp is mended"]
    for text in (*short, *(" ".join(f"{letter}{at}" for at in range(95)) for letter in "xy")):
        worked.checkpoint([f"v1.state.{text.split()[1]} = {text}"])
        clock.advance(MINUTE)
    worked.index()
    opening = worked.bootstrap("good morning", max_tokens=900, begin=False)
    assert left(opening)[:4] == ["v1.state.y1", "v1.state.lamp", "v1.state.paints", "v1.state.has"]
    assert "v1.state.x1" not in names(opening)


def test_it_ends_where_nobody_did_anything_for_half_an_hour(worked: Memory, clock: ManualClock) -> None:
    worked.checkpoint(["v1.state.lunch = Anna brings the soup"])
    clock.advance(29 * MINUTE)
    worked.checkpoint(["v1.state.dinner = Kim brings the bread"])
    worked.index()
    assert left(worked.bootstrap("hi", begin=False)) == ["v1.state.dinner", "v1.state.lunch"]
    clock.advance(31 * MINUTE)
    worked.observe(["v1.note.n5"])
    assert left(worked.bootstrap("hi", begin=False)) == ["v1.note.n5"]


def test_an_import_however_short_an_undo_and_a_training_are_nobodys_session(worked: Memory, tmp_path: Path) -> None:
    table = tmp_path / "prices.csv"
    table.write_text("name,value\n" + "".join(f"r{at},Row {at} of a table\n" for at in range(5)), encoding="utf-8")
    worked.import_file(table)
    worked.checkpoint([f"v1.row.r{at} = Row {at} of another" for at in range(40)])
    worked.train(["v1.note.n1", "v1.note.n2"])
    worked.ingest("Ferries to Norway leave from Kiel", title="Ferries")
    worked.index()
    assert left(worked.bootstrap("weitermachen", begin=False)) == LEFT


def test_a_checkpoint_of_few_atoms_and_many_edges_is_no_import(worked: Memory) -> None:
    atoms = [f"v1.state.new{at} = New thing number {at}" for at in range(6)]
    edges = [{"source": f"v1.state.new{at}", "type": "references", "target": SAVED} for at in range(6)]
    worked.checkpoint(atoms, edges=edges)
    worked.index()
    assert left(worked.bootstrap("weitermachen", begin=False))[:6] == [f"v1.state.new{at}" for at in reversed(range(6))]


def test_what_somebody_tells_of_sessions_of_long_ago_is_not_the_last_one(worked: Memory) -> None:
    worked.observe([{"items": [f"v1.note.n{at % 9}"], "at": f"2020-01-01T00:{at % 60:02d}:00Z"} for at in range(120)])
    worked.index()
    assert left(worked.bootstrap("weitermachen", begin=False)) == LEFT


def test_what_a_client_may_not_see_changes_nothing_of_its_opening(worked: Memory, clock: ManualClock) -> None:
    hidden = [f"v1.fact.hidden{at}" for at in range(45)]
    belongs = [{"source": name, "type": "member_of", "target": "v1.domain.vault"} for name in hidden]
    worked.checkpoint(["v1.domain.vault = What nobody else may know"])
    worked.set_tier("vault", "sensitive")
    worked.checkpoint([f"{name} = A diagnosis" for name in hidden[:30]], edges=belongs[:30])
    worked.checkpoint([f"{name} = A diagnosis" for name in hidden[30:]], edges=belongs[30:])
    clock.advance(20 * HOUR)
    worked.checkpoint(["v1.state.morning = The box is ordered"])
    clock.advance(50 * MINUTE)
    worked.checkpoint(["v1.state.noon = The box is here"])
    worked.index()
    agent = worked.client("mcp:atoms:bot", policy=Policy())
    before = left(agent.bootstrap("weitermachen", begin=False))
    assert before == ["v1.state.noon"]
    clock.advance(-25 * MINUTE)
    worked.observe(hidden[:3])  # between the two: it would join them
    clock.advance(50 * MINUTE)
    worked.observe(hidden)  # many, and later
    clock.advance(HOUR)
    worked.checkpoint([f"{hidden[0]} = Another diagnosis"])
    worked.index()
    assert left(agent.bootstrap("weitermachen", begin=False)) == before


def test_what_is_locked_takes_no_places(worked: Memory, clock: ManualClock) -> None:
    worked.checkpoint(["v1.domain.health = The body"])
    worked.encrypt("health", "correct horse battery staple 9")
    clock.advance(HOUR)
    worked.checkpoint(["v1.state.open = Open work"])
    for at in range(9):
        clock.advance(MINUTE)
        member = {"source": f"v1.fact.pill{at}", "type": "member_of", "target": "v1.domain.health"}
        worked.checkpoint([f"v1.fact.pill{at} = Pill {at}"], edges=[member])
    worked.lock()
    worked.index()
    assert left(worked.bootstrap("weitermachen", begin=False)) == ["v1.state.open"]


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


def test_a_domain_that_was_quiet_for_long_has_its_last_session_too(worked: Memory, clock: ManualClock) -> None:
    member = {"source": "v1.note.hose", "type": "member_of", "target": "v1.domain.garden"}
    worked.checkpoint(["v1.domain.garden = The garden", "v1.note.hose = Buy a new joint for the hose"], edges=[member])
    worked.observe(["v1.note.n7"], domain="garden")
    clock.advance(HOUR)
    for at in range(120):
        worked.checkpoint([f"v1.note.other{at} = Other work, number {at}"])
        worked.observe([f"v1.note.other{at}"])
    worked.index()
    opening = worked.bootstrap("weitermachen", domain="garden", begin=False)
    assert set(left(opening)) == {"v1.note.hose", "v1.note.n7"}


def test_a_match_is_known_also_while_something_else_has_no_vector_yet(worked: Memory) -> None:
    before = names(worked.bootstrap("the bike in the cellar", begin=False))
    worked.checkpoint(["v1.note.teapot = The teapot has a crack"])
    opening = worked.bootstrap("Pagefind", begin=False)
    assert (opening.lag, left(opening)) == (1, [])
    assert names(worked.bootstrap("the bike in the cellar", begin=False))[0] == before[0]


def test_by_words_alone_one_rare_word_is_enough(by_words: Memory) -> None:
    assert left(by_words.bootstrap("Pagefind", begin=False)) == []


def test_without_an_objective_what_was_saved_last_has_a_place_beside_what_is_used(worked: Memory) -> None:
    assert set(names(worked.bootstrap(begin=False))) >= set(LEFT)
    assert not worked.bootstrap(begin=False).weak


def test_one_past_session_for_an_objective_does_not_say_what_it_is_about(worked: Memory, clock: ManualClock) -> None:
    worked.observe(["v1.note.n3", "v1.note.n7"], objective="weitermachen")
    clock.advance(20 * HOUR)
    worked.checkpoint(["v1.state.else = Something else was saved since"])
    worked.index()
    opening = worked.bootstrap("weitermachen", begin=False)
    assert left(opening) == ["v1.state.else"]
    assert set(names(opening)[:2]) == {"v1.note.n3", "v1.note.n7"}


def test_what_matches_weakly_and_is_from_the_last_session_does_not_pass_for_a_match(
    worked: Memory, clock: ManualClock
) -> None:
    for item in ("v1.note.n3", "v1.note.n7"):
        worked.observe([item], objective="weitermachen bitte")
        clock.advance(20 * HOUR)
    worked.checkpoint(["v1.state.hedge = Machen wir weiter mit dem Garten und der Hecke"])
    worked.index()
    opening = worked.bootstrap("weitermachen bitte", begin=False)
    assert "v1.state.hedge" in [hit.name for hit in worked.search("weitermachen bitte")], "else this says nothing"
    assert left(opening) == ["v1.state.hedge"]
    assert MATCHES not in {atom.why for atom in opening}


def test_that_a_past_session_was_a_little_like_it_hides_not_that_nothing_matches(worked: Memory) -> None:
    worked.observe([SAVED], objective="move the box of old letters into the attic")
    worked.index()
    opening = worked.bootstrap("draw the box plot of the survey", begin=False)
    assert not {MATCHES, "needed for objectives like this"} & {atom.why for atom in opening}
    assert any("goals" in atom.parts for atom in opening), "else this says nothing"
    assert opening.weak


@pytest.mark.parametrize("count", [9, 120])
def test_atoms_that_were_deleted_since_take_no_places_however_many(
    by_words: Memory, clock: ManualClock, count: int
) -> None:
    gone = [f"v1.state.gone{at}" for at in range(count)]
    by_words.checkpoint(["v1.state.stays = This stays"])
    for name in gone:
        by_words.checkpoint([f"{name} = This is wrong"])
    by_words.checkpoint(tombstones=gone)
    clock.advance(20 * HOUR)
    assert left(by_words.bootstrap("weitermachen", begin=False)) == ["v1.state.stays"]


def test_an_atom_that_was_saved_again_and_again_takes_one_place(by_words: Memory, clock: ManualClock) -> None:
    by_words.checkpoint(["v1.decision.first = It was decided first"])
    for at in range(120):
        by_words.checkpoint([f"v1.state.progress = {at} of 120 are done"])
    clock.advance(20 * HOUR)
    opening = by_words.bootstrap("weitermachen", begin=False)
    assert left(opening) == ["v1.state.progress", "v1.decision.first"]


def test_what_took_the_place_of_an_atom_for_a_time_stands_for_it_for_that_time(
    by_words: Memory, clock: ManualClock
) -> None:
    window = {"start": moment(clock, -1), "end": moment(clock, 1)}
    edge = {"source": "v1.note.n5", "type": "supersedes", "target": "v1.note.n6", "windows": [window]}
    by_words.checkpoint(edges=[edge])
    by_words.observe(["v1.note.n6"])
    assert left(by_words.bootstrap("weitermachen", begin=False)) == ["v1.note.n5"]
    clock.advance(2 * HOUR)
    assert left(by_words.bootstrap("weitermachen", begin=False)) == ["v1.note.n6"]


def test_however_much_is_done_in_what_a_client_may_not_see_its_last_session_stays(
    by_words: Memory, clock: ManualClock
) -> None:
    hidden = hide(by_words, 2)
    clock.advance(20 * HOUR)
    by_words.observe(["v1.note.n4"])
    agent = by_words.client("mcp:atoms:bot", policy=Policy())
    before = agent.bootstrap("weitermachen", begin=False)
    assert left(before) == ["v1.note.n4"]
    clock.advance(HOUR)
    by_words.observe([{"items": hidden} for _ in range(1100)])
    assert left(agent.bootstrap("weitermachen", begin=False)) == left(before)


def test_what_hidden_sessions_needed_for_an_objective_does_not_say_what_it_is_about(
    worked: Memory, clock: ManualClock
) -> None:
    hidden = hide(worked, 2)
    clock.advance(20 * HOUR)
    worked.checkpoint(["v1.state.noon = The box is here"])
    worked.index()
    agent = worked.client("mcp:atoms:bot", policy=Policy())
    before = agent.bootstrap("weitermachen", begin=False)
    assert left(before) == ["v1.state.noon"]
    clock.advance(HOUR)
    for _ in range(2):
        worked.observe(hidden, objective="weitermachen")
    worked.train(hidden, objective="weitermachen")
    worked.index()
    after = agent.bootstrap("weitermachen", begin=False)
    assert {(atom.name, atom.why) for atom in after} == {(atom.name, atom.why) for atom in before}
    # The twin: who sees them is told of them.
    assert set(names(worked.bootstrap("weitermachen", begin=False))[:2]) == set(hidden)


@pytest.mark.parametrize("max_tokens", [100, 120, 150, 250])
def test_in_a_tiny_budget_the_last_session_comes_before_weak_matches(
    worked: Memory, clock: ManualClock, max_tokens: int
) -> None:
    worked.checkpoint([f"v1.state.long = {LONG}, and asks whoever is on call whether anything speaks against it"])
    clock.advance(20 * HOUR)
    worked.index()
    opening = worked.bootstrap("good morning", max_tokens=max_tokens, begin=False)
    assert opening[0].why == LAST


def test_what_has_no_room_of_the_last_session_is_named_before_weak_matches(worked: Memory, clock: ManualClock) -> None:
    for at in range(6):
        worked.checkpoint([f"v1.state.s{at} = {LONG}, {at} times {'over and ' * 9}again"])
        clock.advance(MINUTE)
    worked.index()
    opening = worked.bootstrap("good morning", max_tokens=500, begin=False)
    assert WEAK in {atom.why for atom in opening}
    assert len(opening.left_out.best) == 3
    assert all(name.startswith("v1.state.s") for name in opening.left_out.best)


def test_beside_the_last_session_there_are_few_that_only_use_speaks_for(worked: Memory) -> None:
    opening = worked.bootstrap("hi", max_tokens=3000, begin=False)
    others = [atom.name for atom in opening if atom.why not in {LAST, WEAK}]
    assert len(left(opening)) + len(others) == 5


def test_sessions_that_were_told_in_another_order_are_joined_by_when_they_were(
    by_words: Memory, clock: ManualClock
) -> None:
    clock.advance(20 * HOUR)
    for item, minutes in (("v1.note.n4", 45), ("v1.note.n6", 0), ("v1.note.n5", 20)):
        by_words.observe([{"items": [item], "at": from_microseconds(clock.now() - minutes * MINUTE)}])
    assert set(left(by_words.bootstrap("weitermachen", begin=False))) == {"v1.note.n4", "v1.note.n5", "v1.note.n6"}


@pytest.mark.parametrize("max_tokens", [150, 300, 600, 1200])
def test_however_many_sessions_for_an_objective_needed_something_else_the_last_one_is_there(
    by_words: Memory, clock: ManualClock, max_tokens: int
) -> None:
    for at in range(30):
        by_words.observe([f"v1.note.n{(3 * at + step) % 18}" for step in range(3)], objective="weitermachen")
        clock.advance(20 * HOUR)
    by_words.checkpoint(["v1.state.else = Something else was saved since"])
    opening = by_words.bootstrap("weitermachen", max_tokens=max_tokens, begin=False)
    assert left(opening) == ["v1.state.else"]
    assert len(names(opening)) > 1, "it leaves room for what such sessions needed"
