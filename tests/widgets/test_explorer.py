"""The Explorer in process: traits in, traits out. What of it is seen in a page is in tests/browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import substrate
import substrate_widgets.explorer.widget
from substrate.errors import ProofInvalid
from substrate.memory import Memory
from substrate.values.hits import WELL
from substrate_widgets import Explorer, link
from substrate_widgets.explorer import answers
from substrate_widgets.explorer.answers import Query, detail_of, find, offer, reasons
from tests.hostile.foreign_logs import damaged_store
from tests.scale import PATIENCE_S

PROVIDER = "v1.fact.payment_provider"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with substrate.open(tmp_path / "store", home=tmp_path / "home", actor="ada", background=False) as memory:
        memory.checkpoint(
            [
                {"name": PROVIDER, "value": "Stripe handles card payments", "tags": ["billing"]},
                {"name": "v1.decision.refunds", "value": "Refunds of payments take five days", "tags": ["billing"]},
                {"name": "v1.goal.launch", "value": "Launch in May", "occurred_at": "2025-05-03"},
                {"name": "v1.domain.billing", "value": "Invoices and money"},
            ],
            edges=[
                {"source": PROVIDER, "type": "member_of", "target": "v1.domain.billing"},
                {"source": "v1.decision.refunds", "type": "depends_on", "target": PROVIDER},
                {"source": "v1.decision.refunds", "type": "references", "target": "v1.metric.days"},
            ],
        )
        memory.checkpoint([{"name": PROVIDER, "value": "Adyen handles card payments", "tags": ["billing"]}])
        yield memory


@pytest.fixture
def explorer(memory: Memory) -> Iterator[Explorer]:
    explorer = Explorer(memory)
    assert explorer.wait()
    yield explorer
    explorer.close()


def _names(explorer: Explorer) -> list[str]:
    return [hit["name"] for hit in explorer.answer["hits"]]


def test_it_begins_with_what_was_recorded_last(explorer: Explorer) -> None:
    assert _names(explorer)[0] == PROVIDER
    assert len(_names(explorer)) == 4
    assert explorer.offered == {
        "types": ["decision", "domain", "fact", "goal"],
        "domains": ["v1.domain.billing"],
        "atoms": 4,
    }
    assert explorer.detail == {}
    assert explorer.problem == ""


def test_an_empty_store_can_be_explored(tmp_path: Path) -> None:
    with substrate.open(tmp_path / "store", home=tmp_path / "home", background=False) as memory:
        explorer = Explorer(memory, "anything", selected="v1.fact.nothing")
        assert explorer.wait()
        assert (explorer.answer["hits"], explorer.offered["types"]) == ([], [])
        assert explorer.detail["state"] == "absent"
        assert explorer.detail["proof"]["claim"] == "absent"
        explorer.close()


def test_hits_carry_their_query_their_marks_and_their_reasons(explorer: Explorer) -> None:
    explorer.query = "card payments"
    assert explorer.wait()
    assert explorer.answer["query"] == "card payments"
    hit = explorer.answer["hits"][0]
    assert hit["name"] == PROVIDER
    assert [hit["snippet"][start:stop] for start, stop in hit["marks"]] == ["card", "payments"]
    assert hit["why"].startswith("has “card”, “payments”")
    assert hit["parts"]["words"] > 0


def test_the_newest_question_wins(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    entered, go_on = Event(), Event()
    answered: list[str] = []
    explorer.observe(lambda change: answered.append(change["new"]["query"]), "answer")

    def slow(memory: Memory, asked: Query) -> dict[str, object]:
        if asked.query == "a":
            entered.set()
            assert go_on.wait(PATIENCE_S)
        return find(memory, asked)

    monkeypatch.setattr("substrate_widgets.explorer.widget.find", slow)
    explorer.query = "a"
    assert entered.wait(PATIENCE_S)
    for query in ("ab", "abc", "abcd"):
        explorer.query = query
    go_on.set()
    assert explorer.wait()
    assert answered == ["abcd"]


@pytest.mark.parametrize(
    ("facets", "names"),
    [
        ({"type": "goal"}, {"v1.goal.launch"}),
        ({"domain": "v1.domain.billing"}, {PROVIDER}),
        ({"tag": "billing"}, {PROVIDER, "v1.decision.refunds"}),
        ({"since": "2025-05-03", "until": "2025-05-03"}, {"v1.goal.launch"}),
        ({"until": "2025-05-02"}, set()),
        ({"query": "payments", "type": "decision"}, {"v1.decision.refunds"}),
        ({"query": "payments", "until": "2025-05-03T10:00:00Z"}, set()),
    ],
)
def test_facets_narrow_what_is_found(explorer: Explorer, facets: dict[str, str], names: set[str]) -> None:
    for facet, value in facets.items():
        setattr(explorer, facet, value)
    assert explorer.wait()
    assert set(_names(explorer)) == names


def test_what_is_wrong_is_told_and_passes(explorer: Explorer) -> None:
    explorer.domain = "nowhere"
    assert explorer.wait()
    assert "there is no domain v1.domain.nowhere" in explorer.problem
    explorer.selected = PROVIDER
    assert explorer.wait()
    assert explorer.problem
    explorer.domain = ""
    explorer.until = "9999-12-31"
    assert explorer.wait()
    assert "out of range" in explorer.problem
    explorer.until = ""
    assert explorer.wait()
    assert explorer.problem == ""


def test_when_a_question_fails_the_answer_to_the_one_before_goes(explorer: Explorer) -> None:
    explorer.selected = PROVIDER
    assert explorer.wait()
    assert explorer.detail["value"]
    explorer.as_of = 10**6
    assert explorer.wait()
    assert explorer.problem
    assert (explorer.answer["hits"], explorer.detail) == ([], {"asked": PROVIDER, "state": "failed"})
    explorer.as_of = None
    assert explorer.wait()
    assert explorer.problem == ""
    assert explorer.detail["value"]
    explorer.selected = "no name"
    assert explorer.wait()
    assert explorer.detail == {"asked": "no name", "state": "failed"}


def test_an_observer_that_raises_does_not_end_the_answers(explorer: Explorer) -> None:
    def bad(_: object) -> None:
        raise ZeroDivisionError

    explorer.observe(bad, "answer")
    explorer.query = "card"
    assert explorer.wait(PATIENCE_S)
    assert "ZeroDivisionError" in explorer.problem
    explorer._ask()  # as when the model is up: the same answer again, of which no observer hears
    assert explorer.wait(PATIENCE_S)
    assert "ZeroDivisionError" in explorer.problem
    explorer.unobserve(bad, "answer")
    explorer.query = "refunds"
    assert explorer.wait(PATIENCE_S)
    assert (explorer.answer["query"], explorer.problem) == ("refunds", "")


@pytest.mark.parametrize("name", ["v1.fact.bent", "v1.fact.be\nnt"])
def test_a_damaged_atom_is_marked_and_its_neighbours_are_shown(tmp_path: Path, name: str) -> None:
    damaged_store(tmp_path, name)
    with substrate.open(tmp_path / "store", read_only=True, home=tmp_path / "home", model="none") as memory:
        explorer = Explorer(memory)
        assert explorer.wait(PATIENCE_S)
        shown = {hit["seq"]: hit["snippet"] for hit in explorer.answer["hits"]}
        assert shown[1] == "payments"
        assert shown[2].startswith("damaged: ")
        assert explorer.offered["types"] == ["fact"]
        explorer.selected = explorer.answer["hits"][0]["name"]
        assert explorer.wait(PATIENCE_S)
        assert explorer.detail["state"] == "failed"
        assert "does not fit the schema" in explorer.problem
        explorer.close()


def test_an_atom_is_shown_in_full(explorer: Explorer, memory: Memory) -> None:
    explorer.selected = PROVIDER
    assert explorer.wait()
    detail = explorer.detail
    size = memory.head().head.size
    assert (detail["asked"], detail["name"], detail["value"]) == (PROVIDER, PROVIDER, "Adyen handles card payments")
    assert detail["proof"] == {"verified": True, "claim": "current", "seq": size - 1, "size": size}
    assert [version["value"] for version in detail["history"]] == [
        "Adyen handles card payments",
        "Stripe handles card payments",
    ]
    assert {(edge["out"], edge["type"], edge["other"]) for edge in detail["edges"]} == {
        (True, "member_of", "v1.domain.billing"),
        (False, "depends_on", "v1.decision.refunds"),
    }
    assert detail["atom"]["actor"] == "ada"


def test_what_depends_on_a_change_is_to_be_reviewed_and_ends_can_be_missing(memory: Memory) -> None:
    detail: Any = detail_of(memory, "v1.decision.refunds", None)
    assert PROVIDER in detail["stale"][0]
    assert [edge["other"] for edge in detail["edges"] if not edge["there"]] == ["v1.metric.days"]
    by_id: Any = detail_of(memory, detail["atom"]["id"], None)
    assert by_id["name"] == "v1.decision.refunds"
    assert all(edge["out"] for edge in by_id["edges"])


def test_it_travels_in_time(explorer: Explorer) -> None:
    explorer.selected = PROVIDER
    explorer.as_of = 1
    assert explorer.wait()
    assert explorer.detail["value"] == "Stripe handles card payments"
    assert (explorer.detail["proof"]["claim"], explorer.detail["proof"]["seq"]) == ("recorded", 1)
    assert len(explorer.detail["history"]) == 2
    assert _names(explorer) == [PROVIDER]
    explorer.selected = "v1.goal.launch"
    assert explorer.wait()
    assert explorer.detail["state"] == "absent"
    assert "as of entry 1" in explorer.detail["note"]
    assert [version["seq"] for version in explorer.detail["history"]] == [3]


def test_the_history_marks_the_version_that_an_undo_took_back(memory: Memory) -> None:
    memory.checkpoint(["v1.goal.launch = Launch in June"])
    undone = memory.undo()
    assert undone.seqs is not None
    detail: Any = detail_of(memory, "v1.goal.launch", None)
    marks = [(version["value"], version["taken_back_by"]) for version in detail["history"]]
    assert marks == [("Launch in May", None), ("Launch in June", undone.seqs.start), ("Launch in May", None)]


def test_what_is_out_of_use_or_forgotten_says_so_with_its_proof(memory: Memory) -> None:
    memory.checkpoint(tombstones=["v1.goal.launch"])
    gone: Any = detail_of(memory, "v1.goal.launch", None)
    assert (gone["state"], gone["proof"]["claim"]) == ("absent", "tombstoned")
    assert [version["kind"] for version in gone["history"]] == ["tombstone", "put"]
    memory.forget("v1.goal.launch")
    forgotten: Any = detail_of(memory, "v1.goal.launch", None)
    assert (forgotten["state"], forgotten["proof"]["claim"]) == ("forgotten", "forgotten")
    assert "Launch in May" not in str(forgotten)


def test_a_proof_that_is_refused_is_said_to_be(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ProofInvalid("root", "the path does not lead to the root")

    monkeypatch.setattr(Memory, "verify", refuse)
    detail: Any = detail_of(memory, PROVIDER, None)
    assert detail["proof"]["verified"] is False
    assert "does not lead to the root" in detail["proof"]["reason"]


def test_of_a_long_value_the_beginning_is_sent_and_more_if_asked(memory: Memory, explorer: Explorer) -> None:
    memory.checkpoint(["v1.document.short = abc", {"name": "v1.document.long", "value": "ä " * 250_000}])
    explorer.selected = "v1.document.long"
    assert explorer.wait()
    shown = {part: explorer.detail[part] for part in ("shown", "whole", "length")}
    assert shown == {"shown": answers.BEGINNING, "whole": answers.WHOLE, "length": 500_000}
    assert len(explorer.detail["value"]) == answers.BEGINNING
    explorer.whole = True
    assert explorer.wait()
    assert len(explorer.detail["value"]) == answers.WHOLE
    explorer.selected = "v1.document.short"
    assert explorer.wait()
    assert not explorer.whole
    assert explorer.detail["value"] == "abc"


def test_to_look_at_atoms_is_no_access_that_is_learnt_from(tmp_path: Path, memory: Memory) -> None:
    explorer = Explorer(memory)
    for name in (PROVIDER, "v1.decision.refunds", PROVIDER, "v1.goal.launch"):
        explorer.selected = name
        assert explorer.wait()
    explorer.close()
    memory.close()
    with substrate.open(tmp_path / "store", home=tmp_path / "home", background=False) as later:
        assert later.stats().sessions == 0
        later.access(PROVIDER)  # the broken twin: this one counts
        later.access("v1.goal.launch")
    with substrate.open(tmp_path / "store", home=tmp_path / "home", background=False) as later:
        assert later.stats().sessions == 1


def test_a_store_that_is_only_read_can_be_explored(tmp_path: Path, memory: Memory) -> None:
    memory.close()
    with substrate.open(tmp_path / "store", read_only=True) as read:
        explorer = Explorer(read, "payments", selected=PROVIDER)
        assert explorer.wait()
        assert explorer.detail["proof"]["verified"]
        assert _names(explorer)
        assert not explorer.writable
        explorer.add("more")
        assert explorer.wait()
        assert "read-only" in explorer.changed["text"]
        explorer.close()


def test_linked_widgets_select_and_travel_together(memory: Memory, explorer: Explorer) -> None:
    other = Explorer(memory)
    link(explorer, other)
    explorer.selected, other.as_of = PROVIDER, 1
    assert explorer.wait()
    assert other.wait()
    assert explorer.detail == other.detail
    assert other.detail["value"] == "Stripe handles card payments"
    other.close()


def test_reasons_are_told_the_weightiest_first_and_trifles_not() -> None:
    parts = {"evidence": 0.01, "meaning": 0.6, "words": 0.5, "time": -0.2, "edges": 0.1}
    assert reasons(parts, ["card"]) == "near in meaning; has “card”; an edge leads to it from a match"
    assert reasons({}, []) == ""


def test_each_type_is_offered_once(memory: Memory) -> None:
    memory.checkpoint([f"v1.{kind}.x{number} = 1" for kind in ("fact", "fact_a", "facta", "a") for number in range(3)])
    assert offer(memory)["types"] == ["a", "decision", "domain", "fact", "fact_a", "facta", "goal"]


def test_for_a_widget_that_is_closed_no_model_is_loaded(
    explorer: Explorer, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, go_on, warmed = Event(), Event(), Event()

    def slow(*_: object) -> dict[str, object]:
        asked.set()
        assert go_on.wait(PATIENCE_S)
        return {"by_words": True}

    monkeypatch.setattr(substrate_widgets.explorer.widget, "find", slow)
    monkeypatch.setattr(memory, "warm", warmed.set)
    explorer.query = "refunds"
    assert asked.wait(PATIENCE_S)
    explorer.close()
    go_on.set()
    assert explorer._worker.wait(PATIENCE_S)
    assert explorer._warming.wait(PATIENCE_S)
    assert not warmed.is_set()


@pytest.mark.usefixtures("cache")
def test_what_was_found_by_words_alone_is_looked_for_again_when_the_model_is_up(tmp_path: Path) -> None:
    with substrate.open(tmp_path / "store", home=tmp_path / "home") as memory:
        memory.checkpoint(["v1.fact.provider = Stripe handles card payments"])
        memory.index()
    with substrate.open(tmp_path / "store", home=tmp_path / "home") as memory:  # where no model is loaded
        explorer, by_meaning = Explorer(memory, "who deals with our money"), Event()
        explorer.observe(lambda change: change["new"].get("by_words") or by_meaning.set(), "answer")
        assert by_meaning.wait(PATIENCE_S)
        assert [hit["name"] for hit in explorer.answer["hits"]] == ["v1.fact.provider"]
        for query in ("is there a tulip on the sailing boat", "Stripe handles card payments"):
            explorer.query = query
            assert explorer.wait(PATIENCE_S)
            assert all(hit["weak"] == (hit["score"] < WELL) for hit in explorer.answer["hits"])
        assert [hit["weak"] for hit in explorer.answer["hits"]] == [False]
        explorer.close()


def test_a_full_bar_is_the_best_score_of_the_whole_result_on_every_page(explorer: Explorer) -> None:
    explorer.limit = 1
    pages = []
    for explorer.offset in (0, 1):
        explorer.query = "card payments"
        assert explorer.wait(PATIENCE_S)
        pages.append(explorer.answer)
    first, second = pages
    assert first["hits"][0]["score"] > second["hits"][0]["score"]
    assert first["best"] == second["best"] == pytest.approx(max(1, first["hits"][0]["score"]), abs=0.01)


# -- pages -------------------------------------------------------------------------------------------------------------


def test_a_page_that_is_given_with_the_question_is_shown(memory: Memory) -> None:
    memory.checkpoint([f"v1.note.n{at} = payments, number {at}" for at in range(30)])
    explorer = Explorer(memory, "payments", limit=10, offset=10)
    assert explorer.wait()
    assert (explorer.offset, explorer.answer["first"]) == (10, 11)
    explorer.query = "number"
    assert explorer.wait()
    assert (explorer.offset, explorer.answer["first"]) == (0, 1)
    explorer.close()


@pytest.mark.parametrize("query", ["", "payments"])
def test_pages_lead_through_all_that_is_found_each_once(memory: Memory, query: str) -> None:
    memory.warm()  # else the model may be there from the second page on, and put them in another order
    memory.checkpoint([f"v1.note.n{at} = payments, number {at}" for at in range(250)])
    explorer, seen = Explorer(memory, query, limit=100), list[str]()
    assert explorer.wait()
    while True:
        seen += _names(explorer)
        if not explorer.answer["more"]:
            break
        explorer.offset += explorer.limit
        assert explorer.wait()
        assert explorer.answer["first"] == explorer.offset + 1
    assert len(seen) == len(set(seen)) >= 252
    assert query or (explorer.answer["total"], explorer.offered["atoms"]) == (len(seen), 254)
    explorer.close()


def test_the_total_counts_what_the_filters_leave_and_nothing_superseded(memory: Memory, explorer: Explorer) -> None:
    memory.checkpoint(["v1.fact.new = x"], edges=[{"source": "v1.fact.new", "type": "supersedes", "target": PROVIDER}])
    explorer.type = "fact"
    assert explorer.wait()
    assert (explorer.answer["total"], _names(explorer)) == (1, ["v1.fact.new"])


def test_another_question_begins_with_its_first_page(explorer: Explorer) -> None:
    explorer.offset = 2
    assert explorer.wait()
    assert len(_names(explorer)) == 2
    explorer.type = "goal"
    assert explorer.wait()
    assert (explorer.offset, _names(explorer)) == (0, ["v1.goal.launch"])


# -- changes -----------------------------------------------------------------------------------------------------------


def test_an_atom_is_added_under_its_name_or_one_that_is_made_and_then_shown(memory: Memory, explorer: Explorer) -> None:
    explorer.add("Chargebacks go to the bank", tags=["billing"])
    assert explorer.wait()
    assert explorer.changed["ok"]
    assert explorer.detail["value"] == "Chargebacks go to the bank"
    explorer.add("EUR", "v1.fact.currency")
    assert explorer.wait()
    assert explorer.selected == "v1.fact.currency"
    assert memory.access("v1.fact.currency").atom.actor == "ada"


def test_what_is_there_is_not_overwritten_by_adding(memory: Memory, explorer: Explorer) -> None:
    explorer.add("Mollie", PROVIDER)
    assert explorer.wait()
    assert not explorer.changed["ok"]
    assert "is there already" in explorer.changed["text"]
    assert memory.access(PROVIDER).value.startswith("Adyen")


def test_an_edit_keeps_the_other_fields_and_what_someone_else_wrote_meanwhile(
    memory: Memory, explorer: Explorer
) -> None:
    seq = memory.access(PROVIDER).atom.seq
    explorer.edit(PROVIDER, seq, "Mollie handles card payments")
    assert explorer.wait()
    assert explorer.changed["ok"]
    atom = memory.access(PROVIDER).atom
    assert (atom.value, atom.tags) == ("Mollie handles card payments", ("billing",))
    explorer.edit(PROVIDER, seq, "Stripe")  # as seen before that
    assert explorer.wait()
    assert "has changed since you looked" in explorer.changed["text"]
    assert memory.access(PROVIDER).atom.seq == atom.seq


def test_one_is_asked_before_an_atom_is_forgotten(memory: Memory, explorer: Explorer) -> None:
    seq = memory.access(PROVIDER).atom.seq
    explorer.selected = PROVIDER
    explorer.change = {"do": "ask", "name": PROVIDER, "seq": seq}
    assert explorer.wait()
    assert explorer.changed["ask"]
    assert "2 versions" in explorer.changed["text"]
    memory.rename("v1.goal.launch", "v1.goal.start")
    explorer.change = {"do": "ask", "name": "v1.goal.start", "seq": 0}
    assert explorer.wait()
    assert "Its other names go too: v1.goal.launch" in explorer.changed["text"]
    assert memory.access(PROVIDER).atom.seq == seq  # nothing was erased by asking
    explorer.forget(PROVIDER, seq - 1)
    assert explorer.wait()
    assert not explorer.changed["ok"]
    explorer.forget(PROVIDER, seq)
    assert explorer.wait()
    assert explorer.changed["ok"]
    assert explorer.detail["state"] == "forgotten"


@pytest.mark.parametrize("said", [{"do": "drop"}, {"do": "edit", "name": PROVIDER, "seq": "x"}, {"do": "add"}])
def test_a_change_that_is_none_is_told_and_nothing_is_written(
    memory: Memory, explorer: Explorer, said: dict[str, object]
) -> None:
    size = memory.head().head.size
    explorer.change = said
    assert explorer.wait()
    assert not explorer.changed["ok"]
    assert explorer.changed["text"]
    assert memory.head().head.size == size


def test_what_waits_for_a_person_is_a_card_and_is_decided_there(memory: Memory) -> None:
    waits = memory.propose("Mollie handles card payments", name=PROVIDER)
    text = memory.propose("A text to keep", domain="Notes")
    explorer = Explorer(memory)
    try:
        assert explorer.wait()
        assert [one["kind"] for one in explorer.pending["items"]] == ["correction", "text"]
        assert explorer.pending["items"][0]["original"] == memory.access(PROVIDER).value
        explorer.change = {"do": "accept", "name": waits.id, "at": 1}
        assert explorer.wait()
        assert (explorer.changed["ok"], memory.access(PROVIDER).value) == (True, "Mollie handles card payments")
        explorer.change = {"do": "accept", "name": text.id, "at": 2}
        assert explorer.wait()
        assert (explorer.changed["ok"], "no domain" in explorer.changed["text"]) == (False, True)
        explorer.change = {"do": "accept", "name": text.id, "value": "Notes", "tags": ["create"], "at": 3}
        assert explorer.wait()
        assert explorer.changed["ok"], explorer.changed
        assert explorer.pending["items"] == []
    finally:
        explorer.close()


def test_of_a_long_text_that_waits_the_card_tells_how_long_it_is(memory: Memory) -> None:
    memory.propose("word " * 1_000, domain="Notes")
    explorer = Explorer(memory)
    try:
        assert explorer.wait()
        (one,) = explorer.pending["items"]
        assert (len(one["value"]), one["length"]) == (4_000, 5_000)
    finally:
        explorer.close()


def test_the_proof_of_what_is_selected_is_shown_and_follows(explorer: Explorer) -> None:
    explorer.selected = PROVIDER
    explorer.proving = True
    assert explorer.proof is not None
    assert explorer.proof.wait()
    assert explorer.proof.verdict["ok"]
    explorer.selected = "v1.goal.launch"
    assert explorer.proof.selected == "v1.goal.launch"
