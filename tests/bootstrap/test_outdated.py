"""Of several statements of one thing an opening shows the newest first, and no outdated one without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from substrate.bootstrap.bootstrap import Request
from substrate.clock import ManualClock
from substrate.embed.tokens import token_counter
from substrate.learn.forecast import Need
from substrate.memory import Memory
from substrate.messages import Words
from substrate.policy import Policy
from substrate.surfaces.atoms.opening import as_sent
from substrate.values.opening import Opening
from tests.bootstrap.openings import Reopen, names, opened, subject, with_needs

DAY = 86_400_000_000
OWNERS = (
    "Priya owns the billing service",
    "Aiko owns the billing service",
    "Lena took over the billing service from Aiko",
)
PRIYA, AIKO, LENA = "v1.note.priya", "v1.note.aiko", "v1.note.lena"
OTHER = "v1.note.invoices"


def said(memory: Memory, clock: ManualClock, *values: str, origin: str = "user") -> None:
    """Statements of different days, under the name of their first word."""
    for value in values:
        memory.checkpoint([{"name": f"v1.note.{value.split()[0].lower()}", "value": value, "origin": origin}])
        clock.advance(DAY)


@pytest.fixture
def owned(memory: Memory, clock: ManualClock) -> Memory:
    said(memory, clock, "Invoices of the billing service are sent on the first", *OWNERS)
    return memory


def newer(opening: Opening) -> Mapping[str, str]:
    return {atom.name: atom.newer for atom in opening if atom.newer}


def matched(memory: Memory, shares: Mapping[str, float], weak: Sequence[str] = (), **options: object) -> Opening:
    """An opening in which these match the objective so well, some of them weakly."""
    needs = [Need(subject(memory, name), share, {"match": share}, name in weak) for name, share in shares.items()]
    return with_needs(memory, needs, Request.of("fix the invoices", **options))  # type: ignore[arg-type]


def test_the_newest_takes_the_place_of_what_it_outdates_though_it_does_not_match_itself(owned: Memory) -> None:
    opening = matched(owned, {PRIYA: 0.5, OTHER: 0.3, AIKO: 0.2})
    assert names(opening) == [LENA, OTHER, AIKO, PRIYA]
    assert newer(opening) == {PRIYA: LENA, AIKO: LENA}
    assert opening.conflicting_facts == ()
    text = opening.text()
    assert 'outdated:\nv1.note.aiko = "Aiko owns the billing service" (newer: v1.note.lena)' in text
    assert opening.tokens == token_counter().count(opening.json())


def test_two_statements_of_one_checkpoint_stay_in_conflict(memory: Memory) -> None:
    memory.checkpoint([{"name": name, "value": value} for name, value in zip((PRIYA, AIKO), OWNERS, strict=False)])
    opening = matched(memory, {PRIYA: 0.5, AIKO: 0.2})
    assert names(opening) == [PRIYA, AIKO]
    assert newer(opening) == {}
    assert len(opening.conflicting_facts) == 1


@pytest.mark.parametrize(("first", "second"), [("user", "agent"), ("agent", "user")])
def test_what_a_person_said_is_in_conflict_with_what_an_agent_says_later(
    memory: Memory, clock: ManualClock, first: str, second: str
) -> None:
    said(memory, clock, OWNERS[0], origin=first)
    said(memory, clock, OWNERS[1], origin=second)
    opening = matched(memory, {PRIYA: 0.5})
    is_open = first == "user"
    assert len(opening.conflicting_facts) == is_open
    assert names(opening) == ([PRIYA, AIKO] if is_open else [AIKO, PRIYA])
    assert newer(opening) == ({} if is_open else {PRIYA: AIKO})


def test_a_conflict_that_somebody_confirmed_stays_one(owned: Memory) -> None:
    owned.checkpoint(edges=[{"source": PRIYA, "type": "contradicts", "target": AIKO}])
    owned.checkpoint(tombstones=[LENA])
    opening = matched(owned, {PRIYA: 0.5})
    assert newer(opening) == {}
    assert len(opening.conflicting_facts) == 1


@pytest.mark.parametrize("max_tokens", range(80, 500, 20))
def test_no_budget_shows_what_is_outdated_without_what_is_newer(owned: Memory, max_tokens: int) -> None:
    opening = matched(owned, {PRIYA: 0.5, AIKO: 0.4, OTHER: 0.01}, max_tokens=max_tokens)
    shown = names(opening)
    assert shown[0] == LENA
    assert opening.tokens <= max_tokens
    assert all(shown.index(new) < shown.index(old) for old, new in newer(opening).items())
    assert not {PRIYA, AIKO} & set(shown) - newer(opening).keys()
    assert not {PRIYA, AIKO} & set(opening.left_out.best), "nor is it named where room is short"


def test_a_chain_of_changes_takes_one_mark_each_and_no_conflicts(memory: Memory, clock: ManualClock) -> None:
    dates = [f"{day} {month}" for month in ("May", "June") for day in range(1, 29)]
    chain = [f"v1.note.n{at}" for at in range(len(dates))]
    for name, date in zip(chain, dates, strict=True):
        memory.checkpoint([{"name": name, "value": f"The launch date moved to {date}", "origin": "user"}])
        clock.advance(DAY)
    opening = matched(memory, dict.fromkeys(chain[:20], 0.05), max_tokens=3000)
    assert names(opening)[0] == chain[-1], "though each is compared with few others"
    assert names(opening)[-20:] == chain[19::-1]
    assert {newer(opening)[name] for name in chain[:20]} == {chain[-1]}
    assert opening.conflicting_facts == ()


def test_what_matches_weakly_and_is_outdated_is_left_out_and_counted(owned: Memory) -> None:
    opening = matched(owned, {PRIYA: 0.5, AIKO: 0.2}, weak=[AIKO])
    assert names(opening) == [LENA, OTHER, PRIYA]
    assert opening.left_out.reasons == {"outdated": 1}
    assert not opening.truncated


def test_an_objective_that_asks_for_the_past_keeps_the_order(owned: Memory) -> None:
    objective = "who owned the billing service previously"
    opening = opened(owned, {PRIYA: 0.5, AIKO: 0.2, LENA: 0.1}, objective)
    assert [name for name in names(opening) if name in {PRIYA, AIKO}] == [PRIYA, AIKO]
    assert newer(opening) == {PRIYA: LENA, AIKO: LENA}


def test_a_goal_that_was_changed_stands_behind_the_newer_one(memory: Memory, clock: ManualClock) -> None:
    for at, limit in enumerate((300, 200)):
        value = f"The p95 latency of search is {limit} ms"
        memory.checkpoint([{"name": f"v1.goal.g{at}", "value": value, "origin": "user"}])
        clock.advance(DAY)
    opening = memory.bootstrap(begin=False)
    assert [atom.name for atom in opening.goals] == ["v1.goal.g1", "v1.goal.g0"]
    assert newer(opening) == {"v1.goal.g0": "v1.goal.g1"}


def test_what_denies_an_older_value_tells_none_so_what_tells_one_stands_first(
    memory: Memory, clock: ManualClock
) -> None:
    said(memory, clock, "Our office is in Leipzig")
    for at, value in enumerate(("Our office is in Halle", "Our office is no longer in Leipzig")):
        memory.checkpoint([{"name": f"v1.note.o{at}", "value": value, "origin": "user"}])
        clock.advance(DAY)
    assert names(matched(memory, {"v1.note.our": 0.5}))[0] == "v1.note.o0"


def test_a_newer_one_with_too_little_evidence_keeps_the_older_one_away(memory: Memory, clock: ManualClock) -> None:
    said(memory, clock, OWNERS[0], origin="agent")
    memory.checkpoint([{"name": AIKO, "value": OWNERS[1], "confidence": 0.1}])
    opening = matched(memory, {PRIYA: 0.5}, evidence_threshold=0.4)
    assert names(opening) == []
    assert opening.left_out.reasons == {"low_evidence": 1, "outdated": 1}


def test_a_newer_one_that_a_client_may_not_see_changes_nothing(owned: Memory) -> None:
    owned.checkpoint(["v1.domain.vault = What nobody else may know"])
    owned.set_tier("vault", "sensitive")
    belongs = [{"source": LENA, "type": "member_of", "target": "v1.domain.vault"}]
    owned.checkpoint(edges=belongs)
    agent = owned.client("mcp:atoms:bot", policy=Policy())
    opening = matched(agent, {PRIYA: 0.5, AIKO: 0.2})
    assert names(opening) == [AIKO, OTHER, PRIYA]
    assert newer(opening) == {PRIYA: AIKO}


def test_every_form_of_an_opening_names_what_is_newer(owned: Memory) -> None:
    opening = matched(owned, {PRIYA: 0.5})
    assert [atom.to_dict().get("newer") for atom in opening] == [None, None, LENA]
    structured, text = as_sent(opening, Words({}, {}, {}))
    assert '"newer":"v1.note.lena"' in structured
    assert "(newer: v1.note.lena)" in text
    assert "newer: " in opening._repr_html_()


def test_search_and_opening_agree_which_statement_is_the_newest(
    reopen: Reopen,
    clock: ManualClock,
    cache: object,  # noqa: ARG001 - the model that is used
) -> None:
    memory = reopen(background=False)
    said(memory, clock, "Invoices of the billing service are sent on the first", *OWNERS)
    memory.index()
    hits = {hit.name: hit.newer or "" for hit in memory.search("who owns the billing service")}
    opening = memory.bootstrap("who owns the billing service", begin=False)
    assert names(opening)[0] == LENA
    assert {atom.name: atom.newer for atom in opening} == {atom.name: hits[atom.name] for atom in opening}
    assert newer(opening), "else this says nothing"
