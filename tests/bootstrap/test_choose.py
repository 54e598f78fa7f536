"""The best matches are in an opening, however long they are; and room that is left is used."""

from __future__ import annotations

import pytest

from substrate.bootstrap.bootstrap import Request
from substrate.learn.forecast import Need
from substrate.memory import Memory
from substrate.values.opening import Opening
from tests.bootstrap.openings import names, subject, with_needs

BEST, NEXT = "v1.procedure.unpack", "v1.procedure.fetch"
SHORT = [f"v1.fact.short_{i}" for i in range(12)]
BUDGETS = [200, 400, 800, 1200]


def said(words: int, about: str) -> str:
    return " ".join(f"{about} step {i} follows." for i in range(words))


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.checkpoint([f"{BEST} = {said(200, 'unpack')}", f"{NEXT} = {said(200, 'fetch')}"])
    memory.checkpoint([f"{name} = Archive {name[-1]} is there" for name in SHORT])
    return memory


def opening_of(memory: Memory, max_tokens: int, *others: Need, second: float = 0.02) -> Opening:
    """An opening in which two long atoms match, the second so well; and many short ones match less."""
    shares = {BEST: 0.1, NEXT: second, **dict.fromkeys(SHORT, 0.03)}
    needs = [Need(subject(memory, name), share, {"match": share}) for name, share in shares.items()]
    return with_needs(memory, [*others, *needs], Request.of("unpack", max_tokens=max_tokens))


@pytest.mark.parametrize("max_tokens", BUDGETS)
def test_shorter_ones_do_not_take_the_place_of_the_best_match(filled: Memory, max_tokens: int) -> None:
    opening = opening_of(filled, max_tokens)
    best = opening.atoms[0]
    assert best.name == BEST
    assert best.shortened
    assert len(best.value) > max_tokens / 4
    assert set(names(opening)) & set(SHORT), "it leaves room for others"


@pytest.mark.parametrize("max_tokens", BUDGETS[1:])
def test_what_matches_nearly_as_well_is_there_too(filled: Memory, max_tokens: int) -> None:
    assert names(opening_of(filled, max_tokens, second=0.09))[:2] == [BEST, NEXT]


def test_room_that_is_left_holds_the_beginning_of_a_further_match(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.long_{i} = {said(200, 'abcdef'[i])}" for i in range(6)])
    shares = {f"v1.fact.long_{i}": 0.1 / 2**i for i in range(6)}
    needs = [Need(subject(memory, name), share, {"match": share}) for name, share in shares.items()]
    opening = with_needs(memory, needs, Request.of("x", max_tokens=1000))
    *others, last = opening.atoms
    assert all(len(last.value) < len(atom.value) for atom in others)
    assert 1000 - opening.tokens < 60


@pytest.mark.parametrize("max_tokens", BUDGETS[1:])
def test_no_rule_is_given_up_for_a_match(filled: Memory, max_tokens: int) -> None:
    rules = [f"v1.constraint.rule_{i}" for i in range(4)]
    filled.checkpoint([f"{name} = Rule {name[-1]} holds" for name in rules])
    opening = opening_of(filled, max_tokens)
    assert {atom.name for atom in opening.constraints} == set(rules)
    assert opening.atoms[0].name == BEST


def test_a_long_hub_that_matches_best_takes_the_place_of_nobody(filled: Memory) -> None:
    filled.checkpoint([f"v1.hub.archives = {said(200, 'archive')}"])
    hub = Need(subject(filled, "v1.hub.archives"), 0.5, {"match": 0.5})
    shown = names(opening_of(filled, 300, hub))
    assert set(shown) & set(SHORT)
    assert "v1.hub.archives" not in shown


def test_a_weak_match_that_waits_comes_before_shorter_ones_that_wait(filled: Memory) -> None:
    shares = {BEST: 0.1, **dict.fromkeys(SHORT, 0.03)}
    needs = [
        Need(subject(filled, name), share, {"match": share}, is_weak=True, waits=True) for name, share in shares.items()
    ]
    needed = Need(subject(filled, NEXT), 0.01, {"goals": 0.01})
    assert names(with_needs(filled, [*needs, needed], Request.of("x", max_tokens=400)))[:2] == [NEXT, BEST]


@pytest.mark.parametrize("max_tokens", [110, 150, 200])
def test_a_best_match_whose_name_is_long_takes_more_than_its_part(memory: Memory, max_tokens: int) -> None:
    long = "v1.procedure.unpack_the_archives_of_the_old_system"
    memory.checkpoint([f"{long} = {said(200, 'unpack')}", *(f"{name} = Archive {name[-1]} is there" for name in SHORT)])
    shares = {long: 0.1, **dict.fromkeys(SHORT, 0.09)}
    needs = [Need(subject(memory, name), share, {"match": share}) for name, share in shares.items()]
    opening = with_needs(memory, needs, Request.of("unpack", max_tokens=max_tokens))
    assert names(opening)[0] == long
    assert opening[0].shortened == len(said(200, "unpack"))


def test_what_has_a_little_less_room_than_thought_is_made_shorter_before_it_is_given_up(memory: Memory) -> None:
    memory.checkpoint(["v1.constraint.python = The code runs on Python 3.11", f"{BEST} = {said(30, 'unpack')}"])
    need = Need(subject(memory, BEST), 0.2, {"match": 0.2})
    for max_tokens in range(119, 200, 3):
        opening = with_needs(memory, [need], Request.of("unpack", max_tokens=max_tokens))
        assert names(opening) == ["v1.constraint.python", BEST], max_tokens
        assert said(30, "unpack").startswith(opening[1].value)
        assert opening[1].shortened == len(said(30, "unpack"))


@pytest.mark.parametrize("max_tokens", range(120, 200, 5))
def test_the_best_match_is_looked_at_and_kept_whatever_else_is_needed(memory: Memory, max_tokens: int) -> None:
    memory.checkpoint([f"{name} = Archive {name[-1]} is there" for name in SHORT])
    memory.checkpoint([f"{BEST} = Unpack the archive with the old program, and never with the one that came after it"])
    needs = [Need(subject(memory, name), 0.05, {"goals": 0.05}) for name in SHORT]
    needs += [Need(subject(memory, BEST), 0.04, {"match": 0.04})]
    assert BEST in names(with_needs(memory, needs, Request.of("unpack", max_tokens=max_tokens)))


@pytest.mark.parametrize("count", [2, 3])
def test_a_conflict_takes_room_once_and_nothing_is_left_out_that_fits_the_budget(memory: Memory, count: int) -> None:
    dates = ("15 March", "2 April", "20 May")[:count]
    memory.checkpoint([f"v1.note.n{at} = The launch date of Halcyon is {date}" for at, date in enumerate(dates)])
    memory.checkpoint([f"{name} = Archive {name[-1]} is there" for name in SHORT[:4]])
    shares = {f"v1.note.n{at}": 0.1 for at in range(count)} | dict.fromkeys(SHORT[:4], 0.05)
    needs = [Need(subject(memory, name), share, {"match": share}) for name, share in shares.items()]
    whole = with_needs(memory, needs, Request.of("launch", max_tokens=2000))
    assert len(whole.conflicting_facts) == count * (count - 1) // 2
    least = whole.tokens + 80  # what a reply keeps for headings, and for counts of what is left out
    for max_tokens in range(least, least + 200, 10):
        opening = with_needs(memory, needs, Request.of("launch", max_tokens=max_tokens))
        assert set(names(opening)) == set(shares), max_tokens
        assert "no_room" not in opening.left_out.reasons
        assert opening.tokens <= max_tokens
