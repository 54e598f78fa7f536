"""An opening buys knowledge: reasons once for several atoms, no codes in texts, each form within the budget."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from substrate.bootstrap.bootstrap import Request
from substrate.embed.tokens import ByteCounter, TokenCounter, token_counter
from substrate.learn.forecast import Need
from substrate.memory import Memory, open_memory
from substrate.messages import Words
from substrate.surfaces.atoms.opening import as_sent, structured_opening
from substrate.values.opening import LEFT_OUT, WEAK, LeftOut, Opening, OpeningAtom
from tests.bootstrap.openings import opened, subject, with_needs
from tests.bootstrap.test_budget import a_text
from tests.scale import rounds

TEXT = "we pay invoices within thirty days and ship orders from Hamburg on Monday when the goods are complete"


def test_atoms_that_are_here_for_the_same_reason_stand_under_it(memory: Memory) -> None:
    memory.checkpoint([f"v1.note.n{i} = remark {i}" for i in range(4)])
    opening = opened(memory, {f"v1.note.n{i}": 0.1 for i in range(4)})
    lines = opening.text().splitlines()
    assert lines[0] == "matches the objective:"
    assert lines[1:5] == [f'v1.note.n{i} = "remark {i}"' for i in range(4)]


def test_texts_have_words_and_structured_replies_have_codes() -> None:
    left = LeftOut(dict.fromkeys((*LEFT_OUT, "in_all"), 2), {"v1.fact.a": "rule_no_room"})
    assert not any(code in left.text() for code in (*LEFT_OUT, "in_all") if "_" in code)
    assert "v1.fact.a" in left.text()
    assert left.to_dict()["best"] == {"v1.fact.a": "rule_no_room"}


def test_where_nothing_matches_well_that_is_said(memory: Memory) -> None:
    memory.checkpoint(["v1.note.a = one", "v1.note.b = two"])
    needs = [Need(subject(memory, f"v1.note.{name}"), 0.5, {"match": 0.5}, is_weak=True) for name in "ab"]
    opening = with_needs(memory, needs, Request.of("something else"))
    assert opening.weak
    assert "nothing matches the objective well" in opening.text()
    assert opening.to_dict()["matched"] == "weakly"
    assert {atom.why for atom in opening} == {WEAK}
    assert not Opening("x", 1, 1, atoms=(OpeningAtom("v1.note.a", "b", why="used lately"),)).weak


def as_structured(opening: Opening) -> dict[str, Any]:
    return structured_opening(opening, Words({}, {}, {}))


def test_a_small_structured_copy_counts_nothing_that_truncated_says() -> None:
    left = LeftOut({"no_room": 18, "rule_no_room": 10, "less_needed": 5, "gone": 1})
    small, large = (Opening("MiniLM WordPiece", 700, most, left_out=left) for most in (800, 1000))
    assert as_structured(small)["leftOut"] == {"rule_no_room": 10, "gone": 1}
    assert as_structured(small)["truncated"]
    assert as_structured(large)["leftOut"] == dict(left.reasons)
    assert "18 without room, 10 rules without room" in small.text()


def test_rules_without_room_are_named_or_else_counted_if_there_is_room_for_that() -> None:
    named = LeftOut({"rule_no_room": 10}, {"v1.constraint.a": "rule_no_room"})
    brief = LeftOut({"rule_no_room": 10}, brief=True)
    of_named, of_brief = (as_structured(Opening("x", 700, 800, left_out=left)) for left in (named, brief))
    assert of_named["leftOut"] == {"best": {"v1.constraint.a": "rule_no_room"}}
    assert "leftOut" not in of_brief
    assert of_named["truncated"]
    assert of_brief["truncated"]
    assert brief.to_dict() == {"rule_no_room": 10}, "whoever has room for it says it"


@pytest.mark.no_cover
@pytest.mark.soak
@pytest.mark.parametrize("share", range(2))
def test_no_reply_of_a_random_store_is_over_its_budget_in_either_form(tmp_path: Path, share: int) -> None:
    """10,000 random stores in all, in the large size, each by both counters."""
    hold_budgets(tmp_path, range(share, rounds(10, 10_000), 2))


def test_some_random_stores_keep_to_their_budget_in_either_form(tmp_path: Path) -> None:
    hold_budgets(tmp_path, range(12))


def hold_budgets(folder: Path, seeds: Iterable[int]) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        with open_memory(folder / "store", home=folder / "home", model="none", background=False) as memory:
            needs = some_needs(memory, rng)
            for counter in (token_counter(), ByteCounter()):
                hold_budget(memory, needs, counter, rng, f"seed {seed}")
        shutil.rmtree(folder / "store")
        shutil.rmtree(folder / "home")


def some_needs(memory: Memory, rng: random.Random) -> list[Need]:
    """Of a store that is filled here."""
    kinds = ("fact", "note", "constraint", "goal", "preference")
    texts = [
        a_text(rng) if rng.random() < 0.3 else " ".join(rng.choices(TEXT.split(), k=rng.randint(1, 40)))
        for _ in range(9)
    ]
    names = [f"v1.{rng.choice(kinds)}.n{i}" for i in range(len(texts))]
    atoms = [{"name": name, "value": text} for name, text in zip(names, texts, strict=True)]
    memory.checkpoint(atoms, allow_secrets=True)
    parts = ("match", "goals", "usage", "taught", "newest")
    return [
        Need(subject(memory, name), rng.random(), {rng.choice(parts): 0.1}, is_weak=rng.random() < 0.5)
        for name in names
    ]


def hold_budget(memory: Memory, needs: list[Need], counter: TokenCounter, rng: random.Random, seed: str) -> None:
    least = 50 if counter.name != ByteCounter().name else 200
    asked = Request.of(a_text(rng)[:200], max_tokens=rng.randint(least, 1500))
    sent = partial(as_sent, words=Words({}, {}, {}))
    opening = with_needs(memory, needs, asked, counter=counter, shown=sent)
    sizes = [counter.count(form) for form in sent(opening)]
    assert max(sizes) <= opening.tokens <= asked.max_tokens, seed
    shorter = with_needs(memory, needs, asked, counter=counter)
    assert counter.count(shorter.json()) <= asked.max_tokens, seed
    assert counter.count(shorter.text()) <= asked.max_tokens, seed
