"""Proofs: what memory_access hands out holds before every verifier, and memory_verify says what does not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.proof.note import Signer
from tests.agents import ALL_SCOPES, Agent, User, in_memory
from tests.proof.script import SCRIPT
from tests.scale import PATIENCE_S

ACCESS, VERIFY, SAVE = "memory_access", "memory_verify", "session_checkpoint"
KEY = "v1.fact.payment_provider"


@pytest.fixture
def prover(agent: Agent) -> Agent:
    agent.ok(SAVE, atoms=[f"{KEY} = Stripe", "v1.fact.other = x"])
    return agent


def key_of(store: Path) -> str:
    with substrate.open(store, read_only=True) as memory:
        return str(memory.key())


def test_a_check_of_nothing_says_where_a_proof_comes_from(prover: Agent) -> None:
    assert "`substrate prove KEY` prints a bundle" in prover.error(VERIFY)["message"]


def test_a_proof_is_what_the_verifier_accepts_with_the_stores_key(prover: Agent, store: Path) -> None:
    proof = prover.ok(ACCESS, key=KEY, includeProof=True)["proof"]
    verdict = substrate.Verifier(key_of(store)).verify(json.dumps(proof))
    assert (verdict.claim, verdict.name, verdict.trusted) == ("current", KEY, True)


def test_a_proof_is_what_the_auditors_script_accepts(prover: Agent, store: Path, tmp_path: Path) -> None:
    proof = prover.ok(ACCESS, key=KEY, includeProof=True)["proof"]
    bundle = tmp_path / "proof.json"
    bundle.write_text(json.dumps(proof, ensure_ascii=False), encoding="utf-8")
    command = [sys.executable, "-I", "-S", SCRIPT, bundle, "--key", key_of(store)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert KEY in done.stdout


def test_a_version_of_the_past_is_proven_to_have_been_recorded(prover: Agent, store: Path) -> None:
    first = prover.ok(ACCESS, key=KEY)["seq"]
    prover.ok(SAVE, atoms=[f"{KEY} = Adyen"])
    proof = prover.ok(ACCESS, key=KEY, asOf=first, includeProof=True)["proof"]
    verdict = substrate.Verifier(key_of(store)).verify(json.dumps(proof))
    assert (verdict.claim, verdict.seq) == ("recorded", first)


def test_that_a_key_is_not_there_is_not_proven_to_an_agent(prover: Agent) -> None:
    error = prover.error(ACCESS, key="v1.fact.absent", includeProof=True)
    assert error["code"] == "denied"
    assert "proof" not in error
    assert prover.error(ACCESS, key="v1.fact.absent")["code"] == "not_found"


def test_that_an_atom_is_tombstoned_or_forgotten_is_proven_too(store: Path) -> None:
    with in_memory(store, scopes=ALL_SCOPES, user=User(erase=True)) as agent:
        agent.ok(SAVE, atoms=["v1.fact.a = 1", "v1.fact.b = 2"])
        agent.ok(SAVE, tombstone=["v1.fact.a"])
        agent.ok("memory_forget", keys=["v1.fact.b"])
        proofs = {key: agent.error(ACCESS, key=key, includeProof=True)["proof"] for key in ("v1.fact.a", "v1.fact.b")}
    verifier = substrate.Verifier(key_of(store))
    assert verifier.verify(json.dumps(proofs["v1.fact.a"])).claim == "tombstoned"
    assert verifier.verify(json.dumps(proofs["v1.fact.b"])).claim == "forgotten"


@pytest.mark.parametrize("form", [lambda proof: proof, json.dumps])
def test_a_bundle_is_checked_as_an_object_or_as_text(prover: Agent, form: Callable[[Any], Any]) -> None:
    found = prover.ok(ACCESS, key=KEY, includeProof=True)
    said = prover.ok(VERIFY, bundle=form(found["proof"]))
    assert said["valid"] is True
    assert (said["claim"], said["key"], said["seq"]) == ("current", KEY, found["seq"])
    assert said["against"] == "this store's own key"
    assert "comes from this store itself" in said["note"]
    head = prover.ok("memory_status")
    assert (said["size"], said["root"], said["origin"]) == (head["size"], head["root"], head["origin"])


def test_a_bundle_is_checked_against_a_key_or_a_pin(prover: Agent, store: Path) -> None:
    pin = prover.read("memory://head")
    proof = prover.ok(ACCESS, key=KEY, includeProof=True)["proof"]
    by_key = prover.ok(VERIFY, bundle=proof, verifierKey=key_of(store))
    assert (by_key["trusted"], by_key["against"]) == (True, "the key given")
    assert "note" not in by_key
    by_pin = prover.ok(VERIFY, bundle=proof, pin=pin)
    assert (by_pin["trusted"], by_pin["against"]) == (True, "the pin")


def test_the_store_is_checked_against_a_pin(prover: Agent, tmp_path: Path) -> None:
    pin = prover.read("memory://head")
    prover.ok(SAVE, atoms=["v1.fact.later = 3"])
    said = prover.ok(VERIFY, pin=pin)
    assert (said["claim"], said["trusted"], said["size"]) == ("extended", True, prover.ok("memory_status")["size"])
    with in_memory(tmp_path / "another") as stranger:
        stranger.ok(SAVE, atoms=["v1.fact.a = 1"])
        assert stranger.error(VERIFY, pin=pin)["code"] in {"rolled_back", "proof_invalid"}


def test_a_proof_that_was_changed_is_invalid_and_the_reason_is_said(prover: Agent) -> None:
    proof = prover.ok(ACCESS, key=KEY, includeProof=True)["proof"]
    proof["name"] = "v1.fact.other"
    error = prover.error(VERIFY, bundle=proof)
    assert error["code"] == "proof_invalid"
    reason, _, told = error["message"].partition(": ")
    assert reason.replace("_", "").isalpha()
    assert told


def test_a_bundle_with_a_member_twice_is_refused(prover: Agent) -> None:
    whole = json.dumps(prover.ok(ACCESS, key=KEY, includeProof=True)["proof"])
    assert prover.ok(VERIFY, bundle=whole)["valid"]
    error = prover.error(VERIFY, bundle='{"claim": "current", ' + whole[1:])
    assert error["code"] == "proof_invalid"
    assert "twice" in error["message"]


def test_a_proof_of_another_store_is_not_taken_for_one_of_this(prover: Agent, store: Path) -> None:
    proof = prover.ok(ACCESS, key=KEY, includeProof=True)["proof"]
    origin = proof["head"].splitlines()[0]
    foreign = Signer(origin, bytes(32)).key
    assert prover.error(VERIFY, bundle=proof, verifierKey=str(foreign))["code"] == "proof_invalid"
    assert prover.ok(VERIFY, bundle=proof, verifierKey=key_of(store))["trusted"]


@pytest.mark.parametrize(
    "arguments",
    [{}, {"bundle": "no JSON"}, {"bundle": {}}, {"pin": "no pin"}, {"bundle": {}, "verifierKey": "no key"}],
)
def test_what_cannot_be_checked_is_refused_with_what_to_give(prover: Agent, arguments: dict[str, Any]) -> None:
    error = prover.error(VERIFY, **arguments)
    assert error["code"] in {"input", "proof_invalid", "schema_invalid"}
    assert error["message"]
