"""Of several statements of one thing the newest comes first, and the outdated ones say what took their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from substrate.cli.verbs.find import _row
from substrate.memory import Memory
from substrate.notebook.display import search as display
from substrate.surfaces.atoms.hits import Hits

Reopen = Callable[..., Memory]


def said(memory: Memory, *sentences: str) -> None:
    """Each saved by itself, one after the other, under names that say nothing."""
    for at, sentence in enumerate(sentences):
        memory.checkpoint([{"name": f"v1.note.n{at}", "value": sentence}])


def found(memory: Memory, query: str, **options: object) -> list[str]:
    return [hit.value for hit in memory.search(query, **options)]  # type: ignore[arg-type]


def newer(memory: Memory, query: str) -> dict[str, str | None]:
    return {hit.value: hit.newer for hit in memory.search(query)}


# -- statements of one thing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("Ada Byron lives in Rome.", "Ada Byron lives in the far north of Oslo.", "where does Ada Byron live"),
        ("The capital of Rohan is Edoras.", "The capital of Rohan is Aldburg on Snowbourn.", "what is Rohan's capital"),
        ("Stripe handles our card payments.", "Adyen handles our card payments.", "card payments"),
        ("The API timeout is 30 seconds.", "The API timeout is 90 seconds.", "how long is the API timeout"),
        ("The beta flag is enabled.", "The beta flag is disabled.", "is the beta flag set"),
    ],
)
def test_the_newest_of_two_that_cannot_both_hold_comes_first_and_the_other_names_it(
    memory: Memory, old: str, new: str, question: str
) -> None:
    said(memory, old, new)
    assert found(memory, question) == [new, old]
    assert newer(memory, question) == {new: None, old: "v1.note.n1"}


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("Our payment provider is Stripe", "Our payment provider is Adyen. We chose it in May.", "payment provider"),
        ("Alice owns billing", "Bob Miller from Oslo owns billing", "who owns billing"),
        ("The standup is at 9:30", "The standup is at 10:00. Ada asked for an hour later.", "when is the standup"),
        ("Alice\u2019s city is Rome.", "Alice\u2019s city is Oslo. She moved there for a job.", "city of Alice"),
    ],
)
def test_of_two_remembered_sentences_that_cannot_both_hold_the_newest_comes_first(
    memory: Memory, old: str, new: str, question: str
) -> None:
    first, second = (memory.remember(sentence) for sentence in (old, new))
    assert [(told.first, told.second) for told in second.conflicts] == [(first.name, second.name)]
    assert found(memory, question) == [new, old]
    assert newer(memory, question) == {new: None, old: second.name}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice owns billing", "Bob owns search"),
        ("The production port is 8080", "The staging port is 9090"),
        ("Model 1 runs on AWS", "Model 2 runs on GCP"),
        ("The default is 30 s", "The default is 60 s"),
        ("The decision is to use Kafka", "The decision is to write the server in Go"),
        ("The problem is the cache", "The problem is the network"),
    ],
)
def test_remembered_sentences_about_two_things_take_no_place_of_each_other(
    memory: Memory, one: str, other: str
) -> None:
    memory.remember(one)
    assert memory.remember(other).conflicts == ()
    assert set(newer(memory, f"{one} {other}").values()) == {None}


def test_without_newest_first_the_shorter_old_one_would_win(memory: Memory) -> None:
    said(memory, "Ada Byron lives in the far north of Oslo.", "Ada Byron lives in Rome.")
    assert found(memory, "where does Ada Byron live")[0] == "Ada Byron lives in Rome."
    hits = memory.search("where does Ada Byron live").items
    plain = [hit.score - hit.parts.get("time", 0) for hit in hits]
    assert plain[0] > plain[1]  # so the order above is by words, and in the test before this one by time


def test_of_three_values_the_newest_comes_first_then_the_one_before_it(memory: Memory) -> None:
    cities = [f"Ada Byron lives in {city}." for city in ("Rome", "Oslo by the sea", "the old town of Porto")]
    said(memory, *cities)
    assert found(memory, "where does Ada Byron live") == cities[::-1]


def test_an_old_value_that_is_stated_again_is_the_newest_and_not_outdated(memory: Memory) -> None:
    rome, oslo = "Ada Byron lives in Rome.", "Ada Byron lives in Oslo."
    said(memory, rome, oslo, rome)
    hits = memory.search("where does Ada Byron live").items
    assert [(hit.name, hit.newer) for hit in hits][:2] == [("v1.note.n2", None), ("v1.note.n1", "v1.note.n2")]
    assert next(hit.newer for hit in hits if hit.name == "v1.note.n0") is None


@pytest.mark.parametrize(
    ("old", "now", "denied", "question"),
    [
        ("The office is in Leipzig", "The office is in Halle", "The office is no longer in Leipzig", "our office"),
        ("We use Kafka for logs", "We use Loki for logs", "We no longer use Kafka for logs", "what do we use for logs"),
        ("Sam owns billing", "Lena owns billing", "Sam no longer owns billing", "who owns billing"),
    ],
)
def test_a_denial_of_the_old_value_says_nothing_against_the_true_one_and_comes_behind_it(
    memory: Memory, old: str, now: str, denied: str, question: str
) -> None:
    said(memory, old, now, denied)
    assert newer(memory, question) == {now: None, denied: None, old: "v1.note.n2"}
    assert found(memory, question)[0] == now


def test_a_denial_of_the_only_value_comes_first(memory: Memory) -> None:
    old, denied = "The office is in Leipzig", "The office is no longer in Leipzig"
    said(memory, old, denied)
    assert newer(memory, "our office") == {denied: None, old: "v1.note.n1"}
    assert found(memory, "our office") == [denied, old]


def test_what_was_settled_to_hold_beside_the_newest_is_not_outdated_by_it(memory: Memory) -> None:
    said(memory, *(f"The payment provider is {name}" for name in ("Stripe", "Adyen", "Klarna")))
    memory.checkpoint(edges=[{"source": "v1.note.n0", "type": "consistent_with", "target": "v1.note.n2"}])
    assert newer(memory, "payment provider")["The payment provider is Stripe"] == "v1.note.n1"


def test_values_under_keys_that_mean_the_same_are_statements_of_one_thing(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.payment_provider = Stripe"])
    memory.checkpoint(["v1.note.payment_provider = Adyen"])
    assert found(memory, "payment provider") == ["Adyen", "Stripe"]
    assert newer(memory, "payment provider")["Stripe"] == "v1.note.payment_provider"


def test_the_time_at_which_something_happened_counts_before_the_order_of_arrival(memory: Memory) -> None:
    memory.checkpoint(
        [
            {"name": "v1.note.late", "value": "Ada Byron lives in Oslo.", "occurred_at": "2024-05-01T00:00:00Z"},
            {"name": "v1.note.early", "value": "Ada Byron lives in Rome.", "occurred_at": "2020-05-01T00:00:00Z"},
        ]
    )
    assert found(memory, "where does Ada Byron live")[0] == "Ada Byron lives in Oslo."
    assert newer(memory, "Ada Byron lives")["Ada Byron lives in Rome."] == "v1.note.late"


def test_what_does_not_hold_any_more_is_not_the_newest(memory: Memory) -> None:
    window = {"valid_from": "2021-01-01T00:00:00Z", "valid_to": "2021-02-01T00:00:00Z"}
    since = {"valid_from": "2020-01-01T00:00:00Z"}
    memory.checkpoint(
        [
            {"name": "v1.note.home", "value": "Ada Byron lives in Rome.", **since},
            {"name": "v1.note.guest", "value": "Ada Byron lives in Oslo.", **window},
        ]
    )
    assert found(memory, "where does Ada Byron live")[0] == "Ada Byron lives in Rome."


def test_of_what_both_may_hold_the_newest_comes_first_if_nothing_in_the_question_tells_them_apart(
    memory: Memory,
) -> None:
    old, new = "Ada Byron is famous for Notes.", "Ada Byron is famous for a poem on the rainbow."
    said(memory, old, new)
    assert found(memory, "what is Ada Byron famous for") == [new, old]
    assert set(newer(memory, "what is Ada Byron famous for").values()) == {None}  # it is as true as before


# -- not statements of one thing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentences", "question"),
    [
        (("Ada Byron lives in Rome.", "Ada Lovelace lives in the far north of Oslo."), "where does Ada Byron live"),
        (("Ada Byron speaks German.", "Ada Byron speaks French with her old aunt."), "does Ada Byron speak German"),
        (("Ada is committed to clean tests.", "Ada is committed to good docs as well."), "Ada committed tests"),
        (("Step 1 is to open the lid.", "Step 2 is to open the inner lid gently."), "step 1 open lid"),
        (("Ada Byron plays chess.", "Ada Byron plays the violin every evening."), "which board game does Ada play"),
    ],
)
def test_other_subjects_and_what_one_can_have_several_of_keep_their_order(
    memory: Memory, sentences: Sequence[str], question: str
) -> None:
    said(memory, *sentences)
    assert found(memory, question)[0] == sentences[0]
    assert set(newer(memory, question).values()) == {None}


def test_turns_of_a_conversation_keep_their_order(memory: Memory) -> None:
    turns = ["Ada Byron lives in Rome.", "Ada Byron lives in the far north of Oslo."]
    memory.checkpoint([{"name": "v1.conversation.c", "value": "A talk"}])
    memory.checkpoint(
        [
            {"name": f"v1.turn.t{i}", "value": t, "parent": "v1.conversation.c", "position": i}
            for i, t in enumerate(turns)
        ]
    )
    assert found(memory, "where does Ada Byron live", type="turn") == turns
    assert set(newer(memory, "where does Ada Byron live").values()) == {None}


def test_an_old_value_that_the_question_names_keeps_its_place_and_is_marked(memory: Memory) -> None:
    rome = "Ada Byron lives in Rome."
    said(memory, rome, "Ada Byron lives in Oslo.")
    assert found(memory, "does Ada Byron live in Rome")[0] == rome
    assert newer(memory, "does Ada Byron live in Rome")[rome] == "v1.note.n1"


def test_two_of_which_somebody_said_that_both_hold_keep_their_order(memory: Memory) -> None:
    sentences = ["Ada Byron lives in Rome.", "Ada Byron lives in the far north of Oslo."]
    said(memory, *sentences)
    assert found(memory, "where does Ada Byron live") == sentences[::-1]
    memory.resolve("v1.note.n0", "v1.note.n1")
    assert set(newer(memory, "home of Ada Byron").values()) == {None}
    assert found(memory, "in which place does Ada Byron live")[0] == sentences[0]


def test_text_that_was_taken_in_does_not_outdate_what_a_person_said(memory: Memory) -> None:
    memory.checkpoint([{"name": "v1.note.own", "value": "The API timeout is 30 seconds."}])
    taken = {"name": "v1.note.taken", "value": "The API timeout is 90 seconds everywhere.", "origin": "ingested"}
    memory.checkpoint([taken])
    assert newer(memory, "which API timeout")["The API timeout is 30 seconds."] is None


def test_a_newer_one_that_is_superseded_outdates_nothing(memory: Memory) -> None:
    said(memory, "Ada Byron lives in Rome.", "Ada Byron lives in Oslo.")
    memory.checkpoint(edges=[{"source": "v1.note.n0", "type": "supersedes", "target": "v1.note.n1"}])
    assert newer(memory, "where does Ada Byron live") == {"Ada Byron lives in Rome.": None}


def test_a_newer_one_that_a_filter_leaves_out_is_not_named(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.payment_provider = Stripe"])
    memory.checkpoint(["v1.note.payment_provider = Adyen"])
    (hit,) = memory.search("payment provider", type="fact")
    assert hit.newer is None


# -- when the question asks for the past -------------------------------------------------------------------------------


def test_time_words_and_as_of_choose_among_the_statements_of_one_thing(memory: Memory) -> None:
    rome, oslo, porto = (f"Ada Byron lives in {city}." for city in ("Rome", "Oslo", "Porto"))
    said(memory, rome, oslo, porto)
    assert found(memory, "where did Ada Byron originally live")[0] == rome
    assert found(memory, "where did Ada Byron live previously")[0] == oslo
    assert found(memory, "where does Ada Byron live now")[0] == porto
    assert found(memory, "where does Ada Byron live", as_of=memory.access("v1.note.n1").atom.seq)[0] == oslo


def test_every_face_shows_what_is_newer(memory: Memory) -> None:
    rome = "Ada Byron lives in Rome."
    said(memory, rome, "Ada Byron lives in Oslo.")
    result = memory.search("where does Ada Byron live")
    old = result.items[1]
    assert old.value == rome
    assert "(newer: v1.note.n1)" in repr(old)
    assert "(newer: v1.note.n1)" in str(_row(old, why=False))
    assert all(word in display.found(result) for word in ("outdated", "newer: ", "v1.note.n1"))
    shown = Hits.said(result, {})["atoms"]  # type: ignore[arg-type]
    assert [one.get("newer") for one in shown] == [None, "v1.note.n1"]
    assert old.to_dict()["newer"] == "v1.note.n1"


# -- who says it -------------------------------------------------------------------------------------------------------

OLD, NEW = "Our payment provider is Stripe.", "Our payment provider is Adyen."


@pytest.mark.parametrize(
    ("first", "second", "is_outdated"),
    [
        ({"origin": "user"}, {"origin": "agent"}, False),
        ({}, {"actor": "mcp:atoms:someone"}, False),
        ({"origin": "user"}, {"origin": "user"}, True),
        ({"origin": "agent"}, {"origin": "agent"}, True),
        ({"origin": "agent"}, {"origin": "user"}, True),
    ],
)
def test_what_a_person_said_is_in_dispute_with_what_an_agent_wrote_later_and_outdated_by_a_person_alone(
    memory: Memory, first: dict[str, str], second: dict[str, str], *, is_outdated: bool
) -> None:
    memory.checkpoint([{"name": "v1.note.n0", "value": OLD, **first}])
    memory.checkpoint([{"name": "v1.note.n1", "value": NEW, **second}])
    (hit,) = [hit for hit in memory.search("payment provider") if hit.value == OLD]
    assert (hit.newer, hit.disputed) == (("v1.note.n1", None) if is_outdated else (None, "v1.note.n1"))
    shown = [repr(hit), str(_row(hit, why=False)), str(Hits.said(memory.search("payment provider"), {}))]  # type: ignore[arg-type]
    assert all(("in conflict" in one or "disputed" in one) is not is_outdated for one in shown)


def test_between_an_agent_and_two_statements_of_a_person_the_persons_newer_one_outdates_the_other(
    memory: Memory,
) -> None:
    for at, (value, origin) in enumerate(((OLD, "user"), (NEW, "user"), ("Our payment provider is Mollie.", "agent"))):
        memory.checkpoint([{"name": f"v1.note.n{at}", "value": value, "origin": origin}])
    hits = {hit.name: (hit.newer, hit.disputed) for hit in memory.search("payment provider")}
    assert hits == {
        "v1.note.n2": (None, None),
        "v1.note.n1": (None, "v1.note.n2"),
        "v1.note.n0": ("v1.note.n1", None),
    }
