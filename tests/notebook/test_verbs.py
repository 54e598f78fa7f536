"""The verbs that learn, judge, prove and forget, in a real shell on a real store."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest
from IPython.core.error import StdinNotImplementedError

import substrate
from substrate.notebook.bookmarks import Bookmark
from substrate.notebook.catalogue import VERBS


@pytest.fixture
def filled(notebook: Any) -> Any:
    notebook.run(
        "%%memory checkpoint --source kick-off\n"
        "v1.fact.currency = The currency is EUR\n"
        "v1.decision.ledger = Amounts are integers, in cents\n"
        "v1.goal.launch = Launch the shop in March\n"
        "v1.decision.ledger -[depends_on]-> v1.fact.currency\n"
    )
    return notebook


def test_a_sentence_is_remembered_as_it_is_typed_on_the_line_or_in_the_cell(notebook: Any, folder: Path) -> None:
    told = notebook.run("%memory remember --tag x we moved to $HOME and {folder} in May")
    assert (told.name, told.value) == ("v1.event.moved_home_folder_may", "we moved to $HOME and {folder} in May")
    assert notebook.run("%memory remember we moved to $HOME and {folder} in May").confirmed == (told.name,)
    below = notebook.run("%%memory remember --type procedure\nfirst this\n  {then} that --yes")
    assert below.value == "first this\n  {then} that --yes"
    assert "nothing to remember" in notebook.error("%memory remember")
    assert "options only" in notebook.error("%%memory remember a\nb")
    assert (folder / "substrate-store").is_dir()


def test_what_was_trained_is_predicted_and_opens_a_session(filled: Any) -> None:
    trained = filled.run("%memory train v1.fact.currency v1.goal.launch --passes 2 --objective 'take it live'")
    assert (trained.learnt, trained.passes) == (("v1.fact.currency", "v1.goal.launch"), 2)
    assert "v1.goal.launch" in [one.name for one in filled.run("%memory predict v1.fact.currency")]
    opening = filled.run("%memory bootstrap take it live --max-tokens 500")
    assert (opening.objective, opening.max_tokens) == ("take it live", 500)
    assert len(opening) == len(list(opening)) > 0
    assert opening[0].name == "v1.goal.launch"
    assert opening.to_dict()["tokens"] <= 500


def test_a_conflict_is_listed_and_settled(filled: Any) -> None:
    filled.run("%memory checkpoint v1.fact.us.currency = The currency is USD")
    assert len(filled.run("%memory conflicts")) == 1
    filled.run("%memory resolve v1.fact.currency v1.fact.us.currency --keep v1.fact.currency --reason 'it's so'")
    assert len(filled.run("%memory conflicts v1.fact.currency")) == 0


def test_context_and_edges_lead_from_one_atom_to_another(filled: Any) -> None:
    assert [edge.target for edge in filled.run("%memory edges v1.decision.ledger --out")] == ["v1.fact.currency"]
    assert filled.run("%memory edges v1.decision.ledger --in").items == ()
    around = filled.run("%memory context v1.fact.currency --depth 2")
    assert {one.name for one in around.atoms} == {"v1.fact.currency", "v1.decision.ledger"}
    assert filled.run("%memory associate v1.fact.currency") is not None


def test_a_proof_is_made_written_and_verified_from_a_file_and_from_variables(filled: Any, folder: Path) -> None:
    filled.run("pin = %memory pin -o me.pin\nkey = %memory key")
    filled.run("%memory checkpoint v1.fact.later = x")
    filled.run("proof = %memory prove v1.fact.currency --since me.pin -o proof.json")
    assert (folder / "proof.json").read_text() == filled.run("str(proof)")
    for line in (
        "proof.json",
        "proof",
        "{proof}",
        "proof.json --pin me.pin",
        "proof --pin pin",
        "proof --key key",
        "proof --key {key}",
        "proof.json --name v1.fact.currency --claim current",
    ):
        verdict = filled.run(f"%memory verify {line}")
        assert (verdict.trusted, verdict.name, verdict.to_dict()["kind"]) == (True, "v1.fact.currency", "put")
    filled.run("%memory access v1.fact.currency --proof")
    assert filled.run("%memory verify _").claim == "current"
    assert filled.run("%memory prove --extended-since me.pin").claim == "extended"
    assert filled.run("%memory prove --entry 1").claim == "recorded"
    assert "it holds" in filled.printed("%memory pin --check me.pin")


def test_a_proof_that_is_not_true_is_rejected_in_a_line(filled: Any, folder: Path) -> None:
    filled.run("%memory prove v1.fact.currency -o proof.json")
    (folder / "proof.json").write_text((folder / "proof.json").read_text().replace("EUR", "USD"))
    assert filled.error("%memory verify proof.json").startswith("UsageError: the proof is rejected: ")
    assert "in nowhere.json cannot be read" in filled.error("%memory verify nowhere.json")
    assert "is not a pin" in filled.error("%memory prove v1.fact.currency --since proof.json")
    assert "one thing" in filled.error("%memory prove")


def test_a_verdict_says_by_which_key_and_that_of_the_store_is_no_witness(filled: Any, folder: Path) -> None:
    filled.run("%memory prove v1.fact.currency -o proof.json")
    filled.run("key = %memory key")
    filled.run("%memory pin -o me.pin")
    said = filled.printed("%memory verify proof.json")
    store = f"the key of the store in {folder / 'substrate-store'}"
    assert f"checked against {store} (" in said
    assert "comes from the store itself" in said
    assert store in filled.run("%memory verify proof.json").against
    assert "comes from the store itself" not in filled.printed("%memory verify proof.json --key key")
    assert "checked against the key you gave" in filled.printed("%memory verify proof.json --key key")
    assert "checked against the pin you gave" in filled.printed("%memory verify proof.json --pin me.pin")


def test_a_proof_of_another_store_is_rejected_with_the_store_that_it_was_checked_against(
    filled: Any, folder: Path
) -> None:
    """The working folder of whoever sends a proof may bring a store along: which one judged must be seen."""
    with substrate.open(folder / "theirs") as theirs:
        theirs.checkpoint(atoms=["v1.fact.currency = USD"])
        (folder / "proof.json").write_text(theirs.prove("v1.fact.currency").to_json())
    said = filled.error("%memory verify proof.json")
    assert "the proof is rejected: " in said
    assert "it was checked against the key of the store in " in said
    filled.run(f"%memory open {folder / 'theirs'}")
    assert f"the key of the store in {folder / 'theirs'} (" in filled.printed("%memory verify proof.json")


def test_a_pin_given_as_a_key_and_the_reverse_is_told(filled: Any) -> None:
    filled.run("%memory prove v1.fact.currency -o proof.json")
    filled.run("%memory pin -o me.pin")
    filled.run("key = %memory key")
    assert "me.pin is a pin: use --pin" in filled.error("%memory verify proof.json --key me.pin")
    assert "key is a key: use --key" in filled.error("%memory verify proof.json --pin key")


def test_without_a_store_and_a_key_a_proof_is_consistent_at_best(filled: Any, folder: Path) -> None:
    filled.run("%memory prove v1.fact.currency -o proof.json")
    filled.shell.magics_manager.registry["MemoryMagics"].stores._opened = Bookmark(folder / "nowhere")
    assert filled.run("%memory verify proof.json").trusted is False


def test_forget_counts_first_and_asks(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answer(question: str) -> str:
        asked.append(question)
        return "no"

    monkeypatch.setattr(builtins, "input", answer)
    would = filled.run("%memory forget v1.fact.currency --dry-run")
    assert (would.dry_run, would.atoms, would.edges) == (True, 1, 1)
    assert asked == []
    assert "nothing was forgotten" in filled.printed("%memory forget v1.fact.currency")
    assert asked == ['This erases for good: 1 atom, 1 version, 1 edge ("v1.fact.currency"). There is no undo. [y/N] ']
    assert filled.run("%memory access v1.fact.currency").value
    monkeypatch.setattr(builtins, "input", lambda _: "Yes")
    assert filled.run("%memory forget v1.fact.currency").atoms == 1
    assert "was forgotten" in filled.error("%memory access v1.fact.currency")
    assert filled.run("%memory forget --source kick-off --yes").atoms == 2


def test_a_domain_is_encrypted_locked_and_unlocked(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.run(
        "%%memory checkpoint\nv1.domain.shop = The shop\nv1.fact.safe = The code is blue\n"
        "v1.fact.safe -[member_of]-> v1.domain.shop"
    )
    questions: list[str] = []
    monkeypatch.setattr("builtins.input", lambda question: questions.append(question) or "no")
    assert "nothing was encrypted" in filled.printed("%memory encrypt shop")
    typed = iter(["one", "two", "one", "one", "two", "one"])
    monkeypatch.setattr("getpass.getpass", lambda question: questions.append(question) or next(typed))
    assert "the two passphrases differ" in filled.error("%memory encrypt shop --yes")
    assert filled.run("%memory encrypt shop --yes").atoms == 1
    assert filled.run("%memory search blue")[0].name == "v1.fact.safe"
    assert filled.run("%memory lock").domains == ("v1.domain.shop",)
    assert not filled.run("%memory search blue")
    assert "the passphrase is wrong" in filled.error("%memory unlock shop")
    assert filled.run("%memory unlock shop").atoms == 1
    assert filled.run("%memory access v1.fact.safe").value == "The code is blue"
    assert questions[:2] == [
        "This encrypts v1.domain.shop: 1 atom and 1 version as text are forgotten for good. There is no undo. [y/N] ",
        "New passphrase for shop: ",
    ]


def test_an_edge_is_forgotten_by_its_id(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(builtins, "input", lambda question: asked.append(question) or "yes")
    (edge,) = filled.run("%memory edges v1.fact.currency")
    assert filled.run(f"%memory forget {edge.id}").edges == 1
    assert asked == [f'This erases for good: 1 edge ("{edge.id}"). There is no undo. [y/N] ']
    assert filled.run("%memory edges v1.fact.currency").items == ()


def test_forget_asks_with_whose_code_the_name_stays_in(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[str] = []
    monkeypatch.setattr("builtins.input", lambda question: questions.append(question) or "no")
    filled.run("memory = %memory open\n%memory record v1.metric.n len(memory.access('v1.fact.currency').value)")
    filled.run("%memory forget v1.fact.currency")
    assert 'In the recorded code of "v1.metric.n" the name stays: forget that too if it must go.' in questions[0]


def test_where_nobody_can_be_asked_forget_says_what_to_add(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> str:
        raise StdinNotImplementedError

    monkeypatch.setattr(builtins, "input", refuse)
    printed = filled.error("%memory forget v1.fact.currency")
    assert "add --yes" in printed
    assert printed.count("\n") == 1
    assert filled.run("%memory access v1.fact.currency").value


ANSWERS = {
    "open": "open",
    "status": "status",
    "remember": "remember we moved to Adyen in May",
    "checkpoint": "checkpoint v1.fact.new = x",
    "rename": "rename v1.fact.currency v1.fact.money",
    "replace": "replace v1.fact.currency v1.fact.currency_2027 euro --at 2027-01-01",
    "merge": "merge v1.fact.currency v1.decision.ledger --dry-run",
    "undo": "undo --dry-run",
    "ingest": "ingest notes.md --source notes --title Notes",
    "document": "document {minutes}",
    "record": "record v1.metric.answer 6 * 7",
    "access": "access v1.fact.currency --proof",
    "list": "list",
    "edges": "edges v1.decision.ledger",
    "history": "history v1.fact.currency",
    "diff": "diff 0",
    "why": "why v1.decision.ledger",
    "search": "search currency",
    "which": "which currency",
    "context": "context v1.fact.currency",
    "path": "path v1.fact.currency v1.decision.ledger",
    "associate": "associate v1.fact.currency",
    "tend": "tend --domain shop --dry-run",
    "tending": "tending",
    "prune": "prune --domain shop",
    "groups": "groups",
    "tier": "tier",
    "vet": "vet Kafka uses Redis",
    "relate": "relate Kafka uses Redis",
    "compare": "compare a b",
    "entities": "entities",
    "extract": "extract we moved from MySQL to PostgreSQL",
    "cues": "cues please remember that we never deploy on Fridays",
    "bootstrap": "bootstrap",
    "train": "train v1.fact.currency",
    "predict": "predict",
    "conflicts": "conflicts",
    "pending": "pending",
    "touch": "touch v1.fact.currency --boost",
    "fading": "fading",
    "due": "due",
    "sweep": "sweep",
    "promote": "promote --vault . --dry-run",
    "resolve": "resolve v1.fact.currency v1.fact.us.currency",
    "prove": "prove v1.fact.currency",
    "verify": "verify proof",
    "pin": "pin",
    "key": "key",
    "forget": "forget v1.fact.currency --dry-run",
    "encrypt": "encrypt shop --dry-run",
}
"""A line for each verb that answers something."""
WITHOUT_AN_ANSWER = {"explore", "watch", "unlock", "lock"}
"""A widget, which is a page; and nothing. The last two have a test of their own."""


def test_every_verb_that_answers_something_is_tried() -> None:
    assert set(ANSWERS) == set(VERBS) - WITHOUT_AN_ANSWER


@pytest.mark.parametrize("verb", ANSWERS)
def test_every_answer_is_a_dictionary_a_short_repr_and_a_table(filled: Any, verb: str) -> None:
    pytest.importorskip("pandas")
    filled.run("%memory checkpoint v1.domain.shop = The shop")
    filled.run("%memory checkpoint v1.fact.us.currency = The currency is USD\nproof = %memory prove v1.fact.currency")
    filled.run("import pathlib\npathlib.Path('notes.md').write_text('Notes')\nmemory = %memory open")
    filled.run("minutes = memory.ingest('We begin.', source='minutes')[0].name")
    result = filled.run(f"%memory {ANSWERS[verb]}")
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict() != {}
    assert 0 < len(repr(result)) < 4000
    if hasattr(result, "items"):
        assert list(result) == [result[at] for at in range(len(result))]
    table = result.to_df()
    assert len(table) == (len(result) if hasattr(result, "__len__") else 1)
    if not hasattr(result, "__len__"):
        assert list(table.columns) == list(result.to_dict())
