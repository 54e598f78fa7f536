"""Use and training speak where they fit: an objective or a session that is about other things hears little of them."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from uuid import UUID

import pytest

from substrate.atoms.supersedes import Heirs
from substrate.clock import ManualClock
from substrate.learn.forecast import Forecaster
from substrate.learn.parts import Reader
from substrate.memory import Memory
from substrate.search.objective import Matched
from substrate.views.learned.sessions import HOLE
from tests.scale import SEED

MAIL = [
    ("v1.note.relay", "the mail relay listens on port 25 and hands messages to the spool"),
    ("v1.note.bounce", "a bounced mail message goes to the postmaster"),
    ("v1.note.spool", "the mail spool is emptied every night"),
    ("v1.note.signature", "outgoing mail messages carry a signature"),
]
FENCE = [
    ("v1.note.primer", "white primer is in the shed"),
    ("v1.note.brush", "brushes are cleaned with turpentine"),
    ("v1.note.ladder", "the ladder is at the neighbours"),
]
OTHERS = [(f"v1.note.other_{i}", f"remark number {i} on the harbour and its ships") for i in range(40)]
TRAINED = [name for name, _ in FENCE]
ABOUT_MAIL = "set up the mail relay for bounced messages"


@pytest.fixture
def noted(memory: Memory) -> Memory:
    memory.checkpoint([{"name": name, "value": value} for name, value in (*MAIL, *FENCE, *OTHERS)])
    return memory


def opened(memory: Memory, objective: str, max_tokens: int = 400) -> list[str]:
    return [atom.name for atom in memory.bootstrap(objective, max_tokens=max_tokens, begin=False)]


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("objective", [None, "paint the fence"])
@pytest.mark.parametrize("times", [1, 5])
def test_an_opening_about_other_things_stays_as_it_was_before_a_training(
    noted: Memory, passes: int, objective: str | None, times: int
) -> None:
    before = opened(noted, ABOUT_MAIL)
    assert set(before[:2]) == {"v1.note.relay", "v1.note.bounce"}
    for _ in range(times):
        noted.train(TRAINED, passes, objective=objective)
    after = opened(noted, ABOUT_MAIL)
    matching = [name for name in before if name in dict(MAIL)]
    assert after[: len(matching)] == matching


@pytest.mark.parametrize("asked", ["paint the fence", "paint our garden fence"])
def test_what_was_trained_is_there_for_an_objective_like_the_one_of_the_training(noted: Memory, asked: str) -> None:
    noted.train(TRAINED, objective="paint the fence")
    assert set(opened(noted, asked, 600)[:3]) == set(TRAINED)


def test_one_word_in_common_does_not_put_a_training_before_what_matches(noted: Memory) -> None:
    noted.train(TRAINED, objective="paint the fence by the spool of wire at the neighbours")
    assert set(opened(noted, ABOUT_MAIL)[:2]) == {"v1.note.relay", "v1.note.bounce"}


def test_after_an_atom_that_no_session_met_nothing_is_said_to_be_likely(noted: Memory) -> None:
    noted.train(TRAINED)
    assert not noted.predict(["v1.note.relay"])
    assert not noted.access("v1.note.spool", predictions=5).predictions
    assert [one.name for one in noted.predict([TRAINED[0]], k=1)] == [TRAINED[1]]


def test_what_is_used_is_there_where_nothing_is_asked_for(noted: Memory) -> None:
    noted.train(TRAINED)
    assert set(TRAINED) <= {atom.name for atom in noted.bootstrap(begin=False)}


def test_use_in_a_domain_counts_for_it(noted: Memory) -> None:
    noted.checkpoint(["v1.domain.house = all about the house"])
    for _ in range(12):
        noted.observe([TRAINED[0], TRAINED[1]], domain="house")
    shown = [atom.name for atom in noted.bootstrap(ABOUT_MAIL, domain="house", max_tokens=400, begin=False)]
    assert set(TRAINED[:2]) <= set(shown)


def test_a_single_training_of_a_domain_says_little_of_it(noted: Memory) -> None:
    noted.checkpoint(["v1.domain.house = all about the house"])
    noted.train(TRAINED, domain="house")
    shown = [atom.name for atom in noted.bootstrap(ABOUT_MAIL, domain="house", max_tokens=400, begin=False)]
    assert set(shown[:2]) == {"v1.note.relay", "v1.note.bounce"}


def test_a_correction_stays_while_weaker_atoms_are_left_out_however_long_it_is(noted: Memory) -> None:
    long = "mail messages are never relayed before the postmaster has been asked, " * 6
    noted.checkpoint([{"name": "v1.procedure.ask", "value": long, "origin": "user"}])
    noted.train(["v1.procedure.ask"], 3, objective="set up the relay")
    for max_tokens in (180, 220, 260):
        opening = noted.bootstrap(ABOUT_MAIL, max_tokens=max_tokens, begin=False)
        assert "v1.procedure.ask" in [atom.name for atom in opening]
        assert opening.truncated, "else this says nothing"


def test_of_several_long_corrections_each_stays_while_weaker_atoms_do(noted: Memory) -> None:
    long = "mail messages are never relayed before the postmaster has been asked, number {}, " * 9
    asked = [f"v1.procedure.ask_{i}" for i in range(4)]
    noted.checkpoint([{"name": name, "value": long.format(*[i] * 9)} for i, name in enumerate(asked)])
    noted.checkpoint([f"v1.constraint.rule_{i} = rule {i}: nobody opens the spool by hand at all" for i in range(9)])
    noted.train(asked, 3, objective="set up the relay")
    for max_tokens in (500, 600, 700):
        opening = noted.bootstrap(ABOUT_MAIL, max_tokens=max_tokens, begin=False)
        weaker = [atom.name for atom in opening.atoms if atom.name not in asked]
        assert not weaker or set(asked) <= {atom.name for atom in opening}, max_tokens
        assert any(atom.shortened for atom in opening), "else this says nothing"


def test_a_correction_without_an_objective_counts_where_it_matches(noted: Memory) -> None:
    noted.train(["v1.note.signature"], 3)
    taught = {atom.name for atom in noted.bootstrap(ABOUT_MAIL, begin=False) if "taught" in atom.parts}
    assert taught == {"v1.note.signature"}
    assert not [atom for atom in noted.bootstrap("ships in the harbour", begin=False) if "taught" in atom.parts]


def test_only_an_objective_like_the_one_of_a_training_fits_it(noted: Memory) -> None:
    noted.train(TRAINED, 2, objective="paint the fence")
    subjects = {UUID(noted.access(name).atom.id).bytes for name in TRAINED}
    for asked, fitting in (("paint our garden fence", subjects), (ABOUT_MAIL, set())):
        with noted._store.read() as snapshot:
            reader = Reader(snapshot, Heirs(snapshot))
            reader.before(HOLE, asked)
        assert reader.fitting == fitting


class WithMeaning:
    """An objective whose vector is known: what matches it is handed in, and no past objective is near in meaning."""

    def __init__(self, shares: Mapping[bytes, float], well: Collection[bytes]) -> None:
        self.found = Matched(dict(shares), set(well))

    def shares(self, _: object, __: object) -> Matched:
        return self.found

    def alike(self, _: object) -> dict[bytes, float]:
        return {}


@pytest.mark.parametrize("is_good", [False, True])
def test_what_an_objective_a_little_like_this_needed_comes_before_weak_matches_alone(
    noted: Memory, *, is_good: bool
) -> None:
    noted.train(TRAINED, objective="paint the fence of the garden")
    trained = {UUID(noted.access(name).atom.id).bytes for name in TRAINED}
    matching = [UUID(noted.access(name).atom.id).bytes for name, _ in OTHERS[:20]]
    match = WithMeaning(dict.fromkeys(matching, 1 / 20), matching[:1] if is_good else ())
    with noted._store.read() as snapshot:
        needs = Forecaster(snapshot).opening(HOLE, "mend a garden gate", match, 40)  # type: ignore[arg-type]
    waiting = {need.subject for need in needs if need.waits}
    assert waiting == (set() if is_good else set(matching))
    assert trained <= {need.subject for need in needs}
    assert not any(need.is_taught for need in needs)


def test_however_many_sessions_needed_something_else_a_correction_and_a_good_match_stay(
    memory: Memory, clock: ManualClock
) -> None:
    others = [f"v1.note.ship_{at}" for at in range(900)]
    memory.checkpoint([f"{name} = remark number {at} on the harbour" for at, name in enumerate(others)])
    asked, match = "v1.procedure.ask", "v1.note.release"
    memory.checkpoint([f"{asked} = the postmaster is told beforehand", f"{match} = how to prepare the release"])
    memory.train([asked], 3, objective="prepare the release")
    rng = random.Random(SEED)
    for _ in range(60):
        clock.advance(3_600_000_000)
        memory.observe(rng.sample(others, 40), objective="prepare the release")
    for max_tokens in (400, 1200):
        opening = memory.bootstrap("prepare the release", max_tokens=max_tokens, begin=False)
        shown = {atom.name: atom.why for atom in opening}
        assert {asked, match} <= shown.keys()
        assert shown[asked] == "taught for objectives like this"


def test_of_hundreds_of_sessions_with_its_objective_a_correction_is_still_found(
    memory: Memory, clock: ManualClock
) -> None:
    others = [f"v1.note.ship_{at}" for at in range(60)]
    memory.checkpoint([f"{name} = remark number {at} on the harbour" for at, name in enumerate(others)])
    asked = "v1.procedure.ask"
    memory.checkpoint([f"{asked} = the postmaster is told beforehand"])
    memory.train([asked], 3, objective="prepare the release")
    rng = random.Random(SEED)
    clock.advance(3_600_000_000)
    memory.observe([{"items": rng.sample(others, 4), "objective": "prepare the release"} for _ in range(120)])
    opening = memory.bootstrap("prepare the release", begin=False)
    assert {atom.name: atom.why for atom in opening}.get(asked) == "taught for objectives like this"
