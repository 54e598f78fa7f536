"""Room is no reason to fill it: an opening holds few that match weakly, and nothing that has nothing to do with it."""

from __future__ import annotations

import pytest

from substrate.bootstrap.bootstrap import Request
from substrate.learn.forecast import Need
from substrate.memory import Memory
from substrate.values.opening import WEAK
from tests.bootstrap.openings import Reopen, names, subject, with_needs

OTHERS = (
    "Our cat Miso is afraid of the vacuum cleaner",
    "The office plants are watered on Fridays by Sam",
    "The holiday party is in the old brewery this year",
    "The recipe for the pancake breakfast needs six eggs",
    "The coffee machine is descaled every two months",
    "Anna plays the cello in an orchestra",
    "The library closes at eight in the evening",
    "The beehives behind the house gave 30 kg of honey",
    "Kim is allergic to peanuts",
    "The bike is in the cellar behind the boxes",
    "The garden hose leaks at the second joint",
    "Ole wrote his thesis on sea ice",
    "The projector in room 4 needs an HDMI adapter",
    "The piano tuner comes in March",
    "The team walks around the lake on Wednesdays",
    "The parking garage code changes every quarter",
    "My sister's birthday is on 4 June",
    "The summer school on Bayesian statistics is in July",
)


@pytest.fixture
def notes(reopen: Reopen, cache: object) -> Memory:  # noqa: ARG001 - the model that is used
    """A store with one fact that matters, and a match of it, among notes about everything else; no last session."""
    memory = reopen(background=False)
    stated = ["v1.fact.provider = The payment provider is Stripe", "v1.fact.checkout = The checkout page uses Stripe"]
    memory.checkpoint([*stated, *(f"v1.note.n{at} = {text}" for at, text in enumerate(OTHERS))])
    memory.index()
    return memory


def test_beside_what_matches_well_room_is_left_empty(notes: Memory) -> None:
    for objective in ("switch the payment provider from Stripe to Adyen", "the payment provider"):
        opening = notes.bootstrap(objective, max_tokens=3000, begin=False)
        shown = names(opening)
        assert shown[0] == "v1.fact.provider"
        assert "v1.fact.checkout" in shown
        assert len(shown) <= 3, "the three best are there as in a search, and no more"
        assert not opening.truncated, "a larger budget would show no more"


def test_where_nothing_matches_well_that_is_said_and_few_are_shown(notes: Memory) -> None:
    opening = notes.bootstrap("plan a trip to Japan", max_tokens=3000, begin=False)
    weak = [atom.name for atom in opening if atom.why == WEAK]
    assert weak == [hit.name for hit in notes.search("plan a trip to Japan")][: len(weak)]
    assert 0 < len(weak) <= 3
    assert opening.weak
    assert "nothing matches the objective well" in opening.text()
    assert set(names(opening)) == set(weak)
    assert len(names(notes.bootstrap(max_tokens=3000, begin=False))) == len(OTHERS) + 2, "without an objective, all"
    # The twin: what is needed for another reason is there, however weakly it matches.
    notes.train(["v1.note.n3", "v1.note.n7"], objective="switch the payment provider")
    notes.index()
    shown = names(notes.bootstrap("switch the payment provider from Stripe to Adyen", begin=False))
    assert {"v1.note.n3", "v1.note.n7"} <= set(shown)


def test_pages_that_are_not_shown_take_no_place_of_what_people_said(notes: Memory) -> None:
    for page in ("Ferries to Norway leave from Kiel", "A travel adapter for sockets", "Hotels in Paris in winter"):
        notes.ingest(page, title=page)
    notes.index()
    found = [hit.name for hit in notes.search("plan a trip to Japan")]
    own = [name for name in found if not name.startswith("v1.chunk.")]
    assert found[0] != own[0], "else this says nothing"
    opening = notes.bootstrap("plan a trip to Japan", max_tokens=3000, begin=False)
    assert names(opening) == own[:3]
    assert opening.left_out.reasons["ingested"] > 0


def test_of_what_only_use_speaks_for_a_few_stand_beside_an_objective_and_all_without_one(memory: Memory) -> None:
    memory.checkpoint([f"v1.note.n{at} = {text}" for at, text in enumerate(OTHERS)])
    needs = [Need(subject(memory, f"v1.note.n{at}"), 0.01 * (at + 1), {"usage": 0.01}) for at in range(len(OTHERS))]
    most_used = [f"v1.note.n{at}" for at in reversed(range(len(OTHERS)))]
    beside = with_needs(memory, needs, Request.of("plan a trip to Japan", max_tokens=3000))
    assert names(beside) == most_used[:5]
    assert not beside.truncated, "a larger budget would show no more"
    assert names(with_needs(memory, needs, Request.of(max_tokens=3000))) == most_used


def test_what_says_the_same_again_takes_no_place_of_what_use_speaks_for(memory: Memory) -> None:
    again = [f"v1.note.again{at}" for at in range(6)]
    memory.checkpoint([f"{name} = The very same sentence, long enough to stand for itself" for name in again])
    memory.checkpoint([f"v1.note.n{at} = {text}" for at, text in enumerate(OTHERS[:6])])
    needs = [Need(subject(memory, name), 0.5, {"usage": 0.5}) for name in again]
    needs += [Need(subject(memory, f"v1.note.n{at}"), 0.1 / (at + 1), {"usage": 0.1}) for at in range(6)]
    shown = names(with_needs(memory, needs, Request.of("plan a trip to Japan", max_tokens=3000)))
    assert shown == [again[0], *(f"v1.note.n{at}" for at in range(4))]


def test_what_is_said_of_two_people_is_not_the_same_said_twice(memory: Memory) -> None:
    value = "Prefers to be told by mail, and never before ten in the morning"
    for at, whom in enumerate(("Ada", "Bob", "Bob")):
        memory.checkpoint([{"name": f"v1.note.n{at}", "value": value, "entities": [whom]}])
    opening = memory.bootstrap(max_tokens=1000, begin=False)
    assert sorted(atom.entities for atom in opening) == [("Ada",), ("Bob",)]
    assert opening.left_out.reasons == {"duplicate": 1}


def test_in_a_young_store_a_few_of_what_was_recorded_last_stand_beside_an_objective(memory: Memory) -> None:
    memory.checkpoint([f"v1.note.n{at} = {text}" for at, text in enumerate(OTHERS[:12])])
    opening = memory.bootstrap("water the office plants", max_tokens=3000, begin=False)
    assert names(opening)[0] == "v1.note.n1"
    assert [atom.why for atom in opening][1:] == ["recorded last"] * 5


def test_what_was_deleted_since_takes_no_place_of_what_was_recorded_last(memory: Memory) -> None:
    memory.checkpoint([f"v1.note.n{at} = {text}" for at, text in enumerate((*OTHERS, *OTHERS))])
    for at in range(30, 36):
        memory.checkpoint([f"v1.note.n{at} = This is wrong"])
        memory.checkpoint(tombstones=[f"v1.note.n{at}"])
    opening = memory.bootstrap("xylophone", max_tokens=3000, begin=False)
    assert [atom.why for atom in opening] == ["recorded last"] * 5


def test_in_a_young_store_all_that_a_person_said_in_sessions_stands_beside_an_objective(memory: Memory) -> None:
    said = [{"name": f"v1.decision.n{at}", "value": text, "tags": ["proposed"]} for at, text in enumerate(OTHERS[:12])]
    memory.checkpoint(said)
    opening = memory.bootstrap("water the office plants", max_tokens=3000, begin=False)
    assert len(names(opening)) == len(said)
    assert all(atom.unconfirmed for atom in opening)


def test_an_objective_of_many_parts_is_opened_with_what_has_to_do_with_one_of_them(notes: Memory) -> None:
    parts = {
        "retries": "The billing service retries a failed card payment three times",
        "refunds": "Refunds go through the ledger service",
        "invoices": "Invoices are rendered as PDF by the documents worker",
        "portal": "The customer portal runs on Next.js in the web cluster",
        "migrations": "Database migrations run with Alembic before each deploy",
        "taxes": "Customers in Austria pay 20 percent VAT",
        "support": "The support team sees invoices in Zendesk through an app",
    }
    notes.checkpoint([{"name": f"v1.note.{name}", "value": text} for name, text in parts.items()])
    notes.index()
    objective = (
        "Add a new payment method to the customer portal: change the billing service so that refunds and invoices are "
        "correct for customers in Austria, write the database migration, and deploy it to staging and then production"
    )
    shown = names(notes.bootstrap(objective, begin=False))
    assert {f"v1.note.{name}" for name in parts} <= set(shown)
    assert len(shown) <= len(parts) + 4, "beside them the payment provider, and little else"
