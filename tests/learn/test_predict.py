"""predict: probabilities with their reasons, of what is in use; silent where nothing is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.atoms.supersedes import Heirs
from substrate.errors import InputError, NotFound, SchemaInvalid
from substrate.learn import forecast
from substrate.memory import Memory
from tests.search.happenings import few
from tests.stories import NAMES, Step, a_story, stories

A, B, C, D, E, F = NAMES
EVERYTHING: dict[str, Any] = {"k": 1000, "floor": 0}


@pytest.fixture
def lettered(memory: Memory) -> Memory:
    memory.checkpoint([*(f"{name} = {name}" for name in NAMES), "v1.domain.shop = all of it"])
    return memory


def said(memory: Memory, context: str | list[str] | None = None, **options: Any) -> dict[str, float]:
    return {one.name: one.probability for one in memory.predict(context, **{**EVERYTHING, **options})}


def edge(source: str, kind: str, target: str) -> dict[str, str]:
    return {"source": source, "type": kind, "target": target}


# -- what holds of every answer ----------------------------------------------------------------------------------------


def check_answer(memory: Memory, context: list[str], **options: Any) -> None:
    predictions = memory.predict(context, **{**EVERYTHING, **options})
    probabilities = [one.probability for one in predictions]
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) <= 1 + 1e-4
    names = [one.name for one in predictions]
    assert len(names) == len(set(names))
    superseded = {atom.name for atom in memory.list(superseded=True)} - {atom.name for atom in memory.list()}
    assert not superseded & set(names)
    if not options.get("again"):
        assert not set(names) & set(context)
    for one in predictions:
        assert 0 <= one.probability <= 1
        # Parts of less than a ten-thousandth are not named.
        assert sum(one.parts.values()) == pytest.approx(one.probability, abs=2e-3)
        assert memory.access(one.id).atom.name == one.name
    assert memory.predict(context, **{**EVERYTHING, **options}) == predictions
    few_ = memory.predict(context, k=2, **options)
    assert [one.name for one in few_] == [one.name for one in predictions if one.probability >= 0.02][:2]


@few(25)
@given(
    stories(4, 16),
    st.lists(st.sampled_from(NAMES), max_size=5),
    st.sampled_from(["next", "session"]),
    st.booleans(),
    st.sampled_from([None, "v1.domain.shop"]),
    st.sampled_from([None, "fix the login page"]),
)
def test_probabilities_sum_to_at_most_one_and_parts_to_the_probability(  # noqa: PLR0913, PLR0917
    steps: list[Step],
    context: list[str],
    horizon: str,
    again: bool,  # noqa: FBT001
    domain: str | None,
    objective: str | None,
) -> None:
    with a_story() as story, story.memory.session(observe=False):
        for step in steps:
            story.tell(step)
        live = [name for name in context if story.memory.list(name, superseded=True).items]
        there = None if domain is None or not story.memory.list(domain).items else domain
        check_answer(story.memory, live, horizon=horizon, again=again, domain=there, objective=objective)


def test_an_empty_store_says_nothing(memory: Memory) -> None:
    assert len(memory.predict(**EVERYTHING)) == 0
    assert len(memory.predict(objective="anything", **EVERYTHING)) == 0


def test_what_is_less_likely_than_the_floor_is_not_said(lettered: Memory) -> None:
    lettered.checkpoint([f"v1.fact.n{i} = x" for i in range(80)])
    lettered.observe([{"items": [A, f"v1.fact.n{i}"]} for i in range(80)])
    assert len(lettered.predict(A, k=1000)) == 0
    assert len(lettered.predict(A, k=1000, floor=0)) == 80
    assert lettered.access(A).predictions == ()
    lettered.train([A, B], 3)
    assert [one.name for one in lettered.predict(A, k=1000)] == [B]
    assert [one.name for one in lettered.access(A).predictions] == [B]


def believed(monkeypatch: pytest.MonkeyPatch, **weights: float) -> None:
    """These parts are believed so far from now on; the others as in a new store."""
    monkeypatch.setattr(forecast, "read_mixing", lambda _, __: weights)


def test_a_part_that_is_hardly_believed_says_nothing_above_the_floor(
    lettered: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    lettered.observe([{"items": [A, B, C]}, {"items": [A, C, B]}, {"items": [D, A, B]}])
    believed(monkeypatch, episodes=0.01)
    (likeliest, *_), (of_all, *_) = lettered.predict(A), lettered.predict(A, floor=0)
    assert likeliest.name == of_all.name == B
    assert "episodes" in of_all.parts
    assert "episodes" not in likeliest.parts
    assert 0 < of_all.probability - likeliest.probability < 0.01
    # However much is asked for, what several parts say together is told.
    assert [one.name for one in lettered.predict(A, floor=0.2)] == [B, C]
    assert max(of_all.parts.values()) < 0.2


def test_where_nothing_was_learnt_what_is_stated_is_told_however_little_it_is_believed(
    lettered: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    lettered.checkpoint(edges=[edge(A, "references", B)])
    believed(monkeypatch, edges=0.001)
    for options in ({}, {"floor": 0}, {"again": True}, {"horizon": "session"}):
        assert [(one.name, set(one.parts)) for one in lettered.predict(A, **options)] == [(B, {"edges"})]


def test_where_nothing_was_learnt_several_stated_edges_are_told_whatever_is_asked(lettered: Memory) -> None:
    lettered.checkpoint(edges=[edge(A, "references", target) for target in (B, C, D)])
    for options in ({}, {"again": True}, {"horizon": "session"}):
        assert said(lettered, A, **options) == said(lettered, A)
        assert said(lettered, A, **options).keys() == {B, C, D}


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({"k": -1}, InputError),
        ({"k": 1001}, InputError),
        ({"k": True}, InputError),
        ({"horizon": "ever"}, InputError),
        ({"floor": 2}, SchemaInvalid),
        ({"floor": "low"}, SchemaInvalid),
        ({"domain": "nowhere"}, NotFound),
        ({"context": 7}, SchemaInvalid),
        ({"context": "no name"}, InputError),
    ],
)
def test_what_cannot_be_asked_is_refused(lettered: Memory, options: dict[str, Any], refused: type[Exception]) -> None:
    with pytest.raises(refused):
        lettered.predict(**options)


# -- context -----------------------------------------------------------------------------------------------------------


def test_what_of_the_context_is_not_there_is_skipped_and_told(lettered: Memory) -> None:
    lettered.observe([A, B])
    lettered.forget(F)
    answer = lettered.predict(["v1.fact.unheard_of", A, F])
    assert [one.name for one in answer] == [B]
    assert answer.context == (A,)
    assert [(one.item, one.code) for one in answer.skipped] == [
        ("context[0]", "not_found"),
        ("context[2]", "forgotten"),
    ]


def test_without_context_the_current_session_is_one(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B, C]}] * 2)
    with lettered.session(observe=False) as session:
        found = session.access(A)
        assert session.predict() == lettered.predict([A])
        assert found.predictions == lettered.predict([A]).items
        session.access(B)
        assert [one.name for one in session.predict(k=1)] == [C]
        assert session.predict([A]) == lettered.predict([A])


def test_the_order_of_the_context_counts(lettered: Memory) -> None:
    lettered.observe([{"items": [A, C]}, {"items": [B, D]}] * 3)
    assert lettered.predict([B, A])[0].name == C
    assert lettered.predict([A, B])[0].name == D


def test_with_again_what_is_open_may_be_said_too(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B, A, B, A, C]}] * 5)
    assert set(said(lettered, [A, B])) == {C}
    again = said(lettered, [A, B], again=True)
    assert again[A] > again[C] > 0
    assert lettered.predict([A, B], again=True, k=1)[0].parts.keys() & {"repeat", "next"}


def test_the_horizon_of_a_session_reaches_further_than_the_next_step(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B, C, D, E]}] * 5)
    near, far = said(lettered, [A]), said(lettered, [A], horizon="session")
    assert near[B] > far[B]
    assert far[E] > near[E]
    assert far.keys() == {B, C, D, E}


def test_the_domain_says_what_its_sessions_need(lettered: Memory) -> None:
    lettered.checkpoint(["v1.domain.home = here"])
    lettered.observe([{"items": [A, B], "domain": "shop"}, {"items": [C, D], "domain": "home"}] * 3)
    assert {one.name for one in lettered.predict(domain="shop", k=2)} == {A, B}
    assert {one.name for one in lettered.predict(domain="v1.domain.home", k=2)} == {C, D}
    assert set(said(lettered)) == {A, B, C, D}


# -- edges -------------------------------------------------------------------------------------------------------------


def test_stated_edges_alone_predict_something(lettered: Memory) -> None:
    lettered.checkpoint(edges=[edge(A, "depends_on", B)])
    for context, target in ((A, B), (B, A)):
        (one,) = lettered.predict(context)
        assert (one.name, set(one.parts)) == (target, {"edges"})
    lettered.checkpoint(edges=[edge(C, "references", A)])
    assert set(said(lettered, A)) == {B, C}
    lettered.checkpoint(unedges=[edge(A, "depends_on", B)])
    assert [one.name for one in lettered.predict(A)] == [C]


def test_edges_to_what_is_not_there_predict_nothing(lettered: Memory) -> None:
    lettered.checkpoint(edges=[edge(A, "depends_on", "v1.fact.not_yet"), edge(A, "likes", B)])
    assert set(said(lettered, A)) == {B}
    lettered.checkpoint(tombstones=[B])
    assert said(lettered, A) == {}
    lettered.checkpoint(["v1.fact.not_yet = now it is"])
    assert set(said(lettered, A)) == {"v1.fact.not_yet"}


# -- supersedes --------------------------------------------------------------------------------------------------------


def test_who_superseded_an_atom_stands_in_its_place_with_its_mass_until_that_is_taken_back(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B, C]}] * 3 + [{"items": [A, D]}])
    before, after_b = said(lettered, A), said(lettered, B)
    lettered.checkpoint(edges=[edge(E, "supersedes", B)])
    replaced = said(lettered, A)
    assert B not in replaced
    assert replaced[E] == pytest.approx(before[B], abs=1e-4)
    assert said(lettered, E)[C] == pytest.approx(after_b[C], abs=0.005)
    lettered.checkpoint(unedges=[edge(E, "supersedes", B)])
    assert said(lettered, A) == before
    assert said(lettered, B) == after_b
    assert C not in said(lettered, E) or "next" not in lettered.predict(E, floor=0)[0].parts


def test_a_chain_of_those_is_followed_to_its_end(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B, C]}] * 3)
    lettered.checkpoint(edges=[edge(D, "supersedes", B), edge(E, "supersedes", D)])
    assert set(said(lettered, A)) == {C, E}
    assert said(lettered, E)[C] > 0.2
    lettered.checkpoint(tombstones=[E])
    assert set(said(lettered, A)) == {C, D}


def test_both_masses_are_added_up(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B]}, {"items": [A, C]}] * 3)
    before = said(lettered, A)
    lettered.checkpoint(edges=[edge(C, "supersedes", B)])
    assert said(lettered, A) == {C: pytest.approx(before[B] + before[C], abs=1e-4)}


def test_who_supersedes_what_is_open_is_not_said_if_it_is_open_itself(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B, C]}] * 3)
    lettered.checkpoint(edges=[edge(E, "supersedes", B)])
    assert set(said(lettered, [A, E])) == {C}


def test_a_forecast_without_heirs_is_caught(lettered: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: superseded atoms keep their place."""
    lettered.observe([{"items": [A, B, C]}] * 3)
    lettered.checkpoint(edges=[edge(E, "supersedes", B)])
    monkeypatch.setattr(Heirs, "heir", lambda _, subject: subject)
    with pytest.raises(AssertionError):
        check_answer(lettered, [A])


# -- the same for all --------------------------------------------------------------------------------------------------


def test_two_handles_and_a_rebuilt_store_say_the_same(lettered: Memory, reopen: Callable[..., Memory]) -> None:
    lettered.observe([{"items": [A, B, C]}, {"items": [D, B, E]}, {"items": [F, A]}] * 2)
    before = {name: said(lettered, name) for name in NAMES}
    other = reopen(read_only=True)
    assert {name: said(other, name) for name in NAMES} == before
    lettered.rebuild()
    assert {name: said(other, name) for name in NAMES} == before
