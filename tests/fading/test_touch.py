"""Touches: durable, exact for any past moment, and gone with their atom."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from substrate.clock import ManualClock
from substrate.errors import Forgotten, InputError, NotFound, StoreDamaged, TooLarge
from substrate.fading.decay import DEFAULT, score_of
from substrate.forget import forget as forgetting
from substrate.log.append import Decision
from substrate.log.tables import TOUCHED, TOUCHES
from substrate.memory import Memory, open_memory
from substrate.views.touches import check_touches
from tests.days import DAY
from tests.scale import SEED

FACT = "v1.fact.currency"


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.checkpoint([f"{FACT} = EUR", "v1.fact.region = Frankfurt"])
    return memory


def rows(memory: Memory) -> tuple[int, int]:
    with memory._store.log.snapshot() as transaction:
        check_touches(transaction)
        return transaction.count(TOUCHES), transaction.count(TOUCHED)


def test_a_touch_resets_fading_and_slows_it(filled: Memory, clock: ManualClock) -> None:
    clock.time += 3 * DAY
    (touched,) = filled.touch(FACT)
    assert (touched.name, touched.uses, touched.strength) == (FACT, 1, 1.0)
    assert abs(touched.before - 0.5) < 1e-9
    assert abs(touched.after - 2**0.6) < 1e-9
    clock.time += 3 * DAY
    assert abs(filled.fading(FACT)[0].score - 2**0.6 / 2) < 1e-9


def test_a_boost_makes_it_stronger_up_to_two(filled: Memory) -> None:
    strengths = [filled.touch(FACT, boost=True)[0].strength for _ in range(12)]
    assert strengths == [1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.0, 2.0]
    assert filled.fading()[-1].strength == 2.0


def test_a_remembered_text_keeps_the_strength_that_it_was_saved_with(filled: Memory) -> None:
    name = filled.remember("Deploy on Tuesdays", strength=1.37).name
    assert filled.fading(name)[0].strength == 1.37
    assert filled.touch(name, boost=True)[0].strength == 1.47
    with pytest.raises(InputError, match="from 1 to 2"):
        filled.remember("Never on a Friday", strength=2.1)
    assert len(filled.list()) == 3


def test_scores_are_those_of_a_replay_at_a_thousand_past_moments(memory: Memory, clock: ManualClock) -> None:
    rng = random.Random(SEED)
    names = [memory.remember(f"note {i}", strength=1 + i / 20).name for i in range(5)]
    seen: dict[str, list[tuple[int, float]]] = {
        name: [(0, 1 + i / 20, clock.time)]
        for i, name in enumerate(names)  # type: ignore[list-item]
    }
    start = clock.time
    for _ in range(60):
        clock.time += rng.randrange(1, 2 * DAY)
        name, boost = rng.choice(names), rng.random() < 0.3
        memory.touch(name, boost=boost)
        uses, strength, _ = seen[name][-1]  # type: ignore[misc]
        seen[name].append((uses + 1, min(2.0, round(strength + 0.1 * boost, 2)), clock.time))  # type: ignore[arg-type]
        memory.checkpoint([f"v1.fact.tick = {clock.time}"])  # so that the moment can be asked about
    end = clock.time
    listed = memory.fading(limit=10)
    for moment in sorted(rng.randrange(start, end) for _ in range(1000)):
        when = datetime.fromtimestamp(moment / 1e6, UTC)
        known = {one.name: one for one in memory.fading(limit=10, as_of=when)}
        at = memory._store.time_at(when, None)
        for name in names:
            uses, strength, last = [row for row in seen[name] if row[2] <= at][-1]  # type: ignore[misc]
            wanted = score_of(DEFAULT, uses, (at - last) / 1e6, strength)
            assert abs(known[name].score - wanted) < 1e-9
            assert (known[name].uses, known[name].strength) == (uses, strength)
    assert memory.fading(limit=10) == listed


def test_one_by_one_and_all_at_once_say_the_same(filled: Memory, clock: ManualClock) -> None:
    filled.remember("Deploy on Tuesdays", strength=1.5)
    for model in ("power_law", "exponential", "two_component"):
        filled.use_fading(model)
        filled.touch(FACT, boost=True)
        clock.time += 5 * DAY
        for one in filled.fading(limit=10):
            (alone,) = filled.fading(one.name)
            assert abs(alone.score - one.score) < 1e-9
            assert (alone.uses, alone.strength, alone.last_used) == (one.uses, one.strength, one.last_used)


def test_a_clock_that_steps_back_makes_nothing_older(filled: Memory, clock: ManualClock) -> None:
    clock.time += 10 * DAY
    before = filled.touch(FACT)[0]
    clock.time -= 20 * DAY
    again = filled.touch(FACT)[0]
    assert again.uses == 2
    assert again.after > again.before >= before.after - 1e-9
    assert filled.fading(FACT)[0].last_used == filled.fading(order="present")[0].last_used
    assert abs(filled.fading(FACT)[0].score - 3**0.6) < 1e-9


def test_a_touch_is_on_disk_and_seen_by_another_process(filled: Memory, reopen: Callable[..., Memory]) -> None:
    other = reopen()
    assert other.fading(order="present")[0].uses == 0
    filled.touch([FACT, "v1.fact.region"])
    filled.touch(FACT)
    assert {one.name: one.uses for one in other.fading()} == {FACT: 2, "v1.fact.region": 1}
    other.touch(FACT)
    assert filled.fading(order="present")[0].uses == 3
    assert rows(filled) == (4, 4)


def test_what_is_not_there_is_not_touched_and_nothing_else_is(filled: Memory) -> None:
    filled.checkpoint(tombstones=["v1.fact.region"])
    for names, error in (
        ([FACT, "v1.fact.never"], NotFound),
        (["v1.fact.region"], NotFound),
        (["nonsense"], InputError),
        ([FACT] * 101, TooLarge),
        (["00000000-0000-4000-8000-000000000000"], NotFound),
        (7, InputError),
    ):
        with pytest.raises(error):
            filled.touch(names)  # type: ignore[arg-type]
    assert rows(filled) == (0, 0)
    filled.forget(FACT)
    with pytest.raises(Forgotten):
        filled.touch(FACT)


def test_a_touch_counts_as_an_access(filled: Memory) -> None:
    with filled.session("pay"):
        filled.touch(FACT)
        filled.touch("v1.fact.region")
    assert "v1.fact.region" in [one.name for one in filled.predict(FACT)]


def test_after_a_forget_no_row_is_left_and_no_key_is_used_again(filled: Memory, reopen: Callable[..., Memory]) -> None:
    other = reopen()
    filled.touch([FACT, "v1.fact.region"])
    assert len(other.fading()) == 2
    assert filled.forget(FACT).traces >= 2
    assert rows(filled) == (1, 1)
    filled.touch("v1.fact.region")
    (left,) = other.fading()
    assert (left.name, left.uses) == ("v1.fact.region", 2)
    filled.checkpoint([f"{FACT} = USD"])
    assert filled.fading(FACT)[0].uses == 0


def test_a_forget_that_leaves_touches_is_caught(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.touch(FACT)
    monkeypatch.setattr(forgetting._Plan, "_drop_touches", lambda *_: None)
    filled.forget(FACT)
    assert rows(filled) == (1, 1)


@pytest.mark.parametrize(
    ("table", "key", "row"),
    [
        (TOUCHES, b"\x00" * 7 + b"\x01" + b"\x00" * 4, b"short"),
        (TOUCHES, b"\xff" * 12, b"\x01" * 16 + b"\x00" * 14 + b"\x01"),
        (TOUCHED, b"\x01" * 28, b""),
    ],
)
def test_a_row_that_was_not_written_here_is_found_by_fsck(filled: Memory, table: str, key: bytes, row: bytes) -> None:
    filled.touch(FACT)
    filled._store.log.decide(lambda _, __: Decision((), [(table, key, row)]))
    with pytest.raises(StoreDamaged), filled._store.log.snapshot() as transaction:
        check_touches(transaction)


def test_touches_are_in_a_backup_and_stay_in_a_rebuild(filled: Memory, tmp_path: Path) -> None:
    filled.touch(FACT, boost=True)
    filled.backup(tmp_path / "copy")
    filled.rebuild()
    assert filled.fading(FACT)[0].strength == 1.1
    with open_memory(tmp_path / "copy", read_only=True, home=tmp_path / "elsewhere") as copy:
        assert copy.fading(FACT)[0].uses == 1


def test_the_choice_of_a_model_holds_for_all_who_have_the_store_open(
    filled: Memory, reopen: Callable[..., Memory], clock: ManualClock
) -> None:
    other = reopen()
    assert filled.use_fading("exponential", "1d").to_dict() == {"model": "exponential", "half_life": 1.0}
    clock.time += DAY
    assert abs(other.fading(FACT)[0].score - 0.5) < 1e-9
    assert filled.use_fading(half_life=2).half_life == 2
    assert other.fading().model.to_dict() == {"model": "exponential", "half_life": 2.0}
    assert filled.use_fading("two_component").half_life is None
    with pytest.raises(InputError, match="one of"):
        filled.use_fading("magic")
    assert other.fading().model.model == "two_component"


def test_what_is_due_comes_by_how_much_a_review_helps(memory: Memory, clock: ManualClock) -> None:
    for days in (30, 5, 1, 2, 2):  # from each to the next
        memory.checkpoint([f"v1.fact.d{clock.time} = x{days}"])
        clock.time += days * DAY
    clock.time += 2 * DAY
    due = memory.due()
    assert len(due) == 3
    assert [one.priority for one in due] == sorted((one.priority for one in due), reverse=True)
    assert all(0.15 < one.score < 0.35 for one in due)
    memory.touch(due[0].name)
    assert [one.name for one in memory.due()] == [one.name for one in due[1:]]


def test_ingested_text_and_what_is_superseded_do_not_fade(filled: Memory) -> None:
    filled.ingest("# Handbook\n\nWe pay on the first of the month.", title="handbook")
    filled.checkpoint(edges=[{"source": "v1.fact.region", "type": "supersedes", "target": FACT}])
    assert [one.name for one in filled.fading() if not one.name.startswith("v1.domain")] == ["v1.fact.region"]
    filled.checkpoint(unedges=[{"source": "v1.fact.region", "type": "supersedes", "target": FACT}])
    assert FACT in [one.name for one in filled.fading()]


@pytest.mark.parametrize(
    "given",
    [
        *({"status": "old"}, {"status": ()}, {"order": "best"}, {"limit": 0}, {"limit": 1001}, {"offset": -1}),
        *({"min_score": "much"}, {"used_since": "someday"}),
    ],
)
def test_what_cannot_be_listed_is_refused(filled: Memory, given: dict[str, object]) -> None:
    with pytest.raises(InputError):
        filled.fading(**given)  # type: ignore[arg-type]
