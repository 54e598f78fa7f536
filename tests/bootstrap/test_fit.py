"""A reply is within its budget whatever is in it; what can be missed is given up first."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import substrate.bootstrap.fit as fit_module
from substrate.bootstrap.fit import LEAST_TOKENS, Measure, cost_of, fit, form_of, room_in
from substrate.embed.tokens import ByteCounter, TokenCounter, token_counter
from substrate.result import Result, compact
from substrate.values.opening import Absent, ConflictingFacts, LeftOut, Opening, OpeningAtom

COUNTERS: list[TokenCounter] = [token_counter(), ByteCounter()]
both = pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
atoms = st.builds(
    OpeningAtom,
    name=texts.map("v1.fact.x{}".format),
    value=texts,
    shortened=st.integers(0, 10**6),
    tags=st.lists(texts, max_size=3).map(tuple),
    source=st.none() | texts,
    why=texts,
    stale=texts,
)
drafts = st.builds(
    Opening,
    counter=st.just(""),
    tokens=st.just(0),
    max_tokens=st.integers(LEAST_TOKENS, 600),
    objective=st.none() | texts,
    goals=st.lists(atoms, max_size=2).map(tuple),
    atoms=st.lists(atoms, max_size=4).map(tuple),
    conflicting_facts=st.lists(st.builds(ConflictingFacts, texts, texts, texts, texts), max_size=2).map(tuple),
    absent=st.lists(st.builds(Absent, texts, texts), max_size=2).map(tuple),
    left_out=st.builds(LeftOut, st.dictionaries(texts, st.integers(0, 999), max_size=3)),
    seq=st.integers(0, 10**9),
)


@both
@given(drafts)
def test_every_reply_fits_as_json_and_as_text(counter: TokenCounter, draft: Opening) -> None:
    draft = Opening(**{field: getattr(draft, field) for field in Opening.__slots__} | {"counter": counter.name})
    fitted = fit(draft, [atom.name for atom in draft], Measure(counter))
    assert counter.count(fitted.json()) <= fitted.tokens <= fitted.max_tokens
    assert counter.count(fitted.text()) <= counter.count(fitted.json())


@both
@given(atoms, st.integers(0, 200), st.integers(1, 100))
def test_an_atom_takes_no_more_than_its_form_says(
    counter: TokenCounter, atom: OpeningAtom, room: int, longest: int
) -> None:
    form = form_of(atom, room, longest, Measure(counter))
    if form is not None:
        assert cost_of(form.atom, Measure(counter)) == form.cost <= room
        assert form.atom.name == atom.name
        assert atom.value.startswith(form.atom.value)
        assert form.atom.value == atom.value or form.atom.shortened == len(atom.value)


def test_what_can_be_missed_is_given_up_first() -> None:
    counter = token_counter()
    atom = OpeningAtom("v1.fact.a", "the one thing to know")
    draft = Opening(
        counter.name,
        0,
        1000,
        objective="ship the billing page",
        atoms=(atom, OpeningAtom("v1.fact.b", "another thing")),
        absent=(Absent("v1.fact.gone", "deleted", "v1.fact.b"),),
        left_out=LeftOut({"no_room": 3, "gone": 2}, {"v1.fact.c": "no_room"}),
        seq=12,
    )
    whole = counter.count(fit(draft, ["v1.fact.b", "v1.fact.a"], Measure(counter)).json())
    given_up: list[str] = []
    for most in range(whole, LEAST_TOKENS - 1, -1):
        smaller = Opening(**{field: getattr(draft, field) for field in Opening.__slots__} | {"max_tokens": most})
        fitted = fit(smaller, ["v1.fact.b", "v1.fact.a"], Measure(counter))
        here = {
            "best": not fitted.left_out.best,
            "objective": fitted.objective is None,
            "b": len(fitted.atoms) < 2,
            "reasons": "gone" not in fitted.left_out.reasons,
            "count": not fitted.left_out.reasons,
            "a": not fitted.atoms,
        }
        given_up += [what for what, is_gone in here.items() if is_gone and what not in given_up]
    assert given_up == ["best", "objective", "b", "reasons", "count", "a"]


def test_words_that_are_longer_than_their_codes_keep_to_the_budget_too() -> None:
    counter = ByteCounter()
    draft = Opening(counter.name, 0, 97, left_out=LeftOut({"too_large": 11, "ingested": 1}), seq=28)
    fitted = fit(draft, [], Measure(counter))
    assert max(map(counter.count, (fitted.json(), fitted.text()))) <= 97
    assert fitted.truncated


parts_of_replies = st.lists(st.text(st.sampled_from(' ab{},"\n\t.é界'), max_size=300), min_size=2, max_size=8)


@both
@pytest.mark.parametrize("between", ["\n", "},{"])
@given(parts=parts_of_replies)
@example(parts=["a" * 300, " b", "c " * 200])
@example(parts=["a" * 300, "", "c" * 200])
def test_a_long_reply_that_is_counted_in_parts_takes_what_it_takes_as_a_whole(
    counter: TokenCounter, between: str, parts: list[str]
) -> None:
    measure = Measure(counter, lambda item: str(item.to_dict()["why"]))
    for some in (parts, parts[1:], parts):
        text = between.join(some)
        assert measure.count(Absent("v1.fact.a", text)) == counter.count(text)


class Emptying:
    """A form of reply; whenever it is looked up, another thread has emptied what is kept of all forms."""

    def __call__(self, item: Result) -> str:
        return f"{compact(item)}."

    def __hash__(self) -> int:
        fit_module._TIMES.clear()
        fit_module._HEADINGS.clear()
        return 1

    def __eq__(self, other: object) -> bool:
        return self is other


@both
def test_what_is_kept_of_a_form_may_be_emptied_by_another_thread_at_any_time(counter: TokenCounter) -> None:
    measure = Measure.of(counter, Emptying())
    assert measure.copies == 1
    assert 0 < room_in(Opening(counter.name, 0, 3000), measure) < 3000
