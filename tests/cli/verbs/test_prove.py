from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import Commands
from tests.scale import PATIENCE_S

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "examples" / "verify_proof.py"


def test_the_head_is_the_signed_note(store: Commands) -> None:
    note = store("head").out
    said = store("head", "--json").json
    assert said["note"] == note
    assert note.splitlines()[:2] == [said["origin"], "6"]
    store.ok("head", "-o", "me.head")
    assert Path("me.head").read_text(encoding="utf-8") == note


def test_a_pin_is_made_and_checked(store: Commands) -> None:
    assert store("pin").out.startswith("substrate pin v1\n")
    store.ok("pin", "-o", "me.pin")
    assert store("pin").out == Path("me.pin").read_text(encoding="utf-8")
    store.ok("checkpoint", "v1.fact.a = 1")
    assert store("pin", "--check", "me.pin").rows[0][0] == "holds"
    said = store("pin", "--check", "me.pin", "--json").json
    assert (said["holds"], said["pinned"]["size"], said["head"]["size"]) == (True, 6, 7)


def test_a_proof_that_a_mistyped_name_is_absent_names_the_one_that_is_near(run: Commands) -> None:
    run.ok("checkpoint", "v1.fact.payment_provider = Adyen")
    mistyped = run.ok("prove", "v1.fact.payment_provdr", "-o", "absent.json").err
    assert "there is no v1.fact.payment_provdr; near it: v1.fact.payment_provider" in mistyped
    assert "near it" not in run.ok("prove", "v1.fact.elephant", "-o", "other.json").err


def go_back_unseen(folder: Path) -> None:
    """The store as it was, and nothing left on this machine that knows better."""
    shutil.rmtree("substrate-store")
    shutil.copytree("copy", "substrate-store")
    for mark in folder.glob("home/keys/*/high-water"):
        mark.unlink()


def test_a_pin_of_another_history_is_noticed(store: Commands) -> None:
    shutil.copytree("substrate-store", "copy")
    store.ok("checkpoint", "v1.fact.a = 1")
    store.ok("pin", "-o", "me.pin")
    go_back_unseen(store.folder)
    ran = store("pin", "--check", "me.pin", "--json")
    assert (ran.code, ran.error["code"]) == (11, "rolled_back")
    store.ok("checkpoint", "v1.fact.b = 2")
    assert store("pin", "--check", "me.pin").code == 11
    assert store("prove", "v1.fact.b", "--since", "me.pin").code == 11


def test_a_pin_is_replaced_only_by_one_that_leads_on_from_it(store: Commands) -> None:
    shutil.copytree("substrate-store", "copy")
    store.ok("pin", "-o", "me.pin")
    first = Path("me.pin").read_text(encoding="utf-8")
    store.ok("checkpoint", "v1.fact.a = 1")
    store.ok("pin", "-o", "me.pin")
    second = Path("me.pin").read_text(encoding="utf-8")
    assert first != second
    go_back_unseen(store.folder)
    assert store("pin", "-o", "me.pin").code == 11
    store.ok("checkpoint", "v1.fact.a = 1", "--store", "other")
    assert store("pin", "-o", "me.pin", "--store", "other").code == 11
    assert Path("me.pin").read_text(encoding="utf-8") == second
    Path("letter").write_text("Dear all", encoding="utf-8")
    ran = store("pin", "-o", "letter")
    assert (ran.code, "is not overwritten" in ran.err) == (2, True)
    assert Path("letter").read_text(encoding="utf-8") == "Dear all"


def test_the_key_is_shown_and_rotated(store: Commands) -> None:
    old = store("key").out
    store.ok("prove", "v1.fact.provider", "-o", "before.json")
    rotated = store.ok("key", "--rotate", "--json").json
    assert rotated["old"] + "\n" == old
    assert store("key").out == rotated["key"] + "\n"
    store.ok("checkpoint", "v1.fact.a = 1")  # the first head that the new key signs
    store.ok("prove", "v1.fact.provider", "-o", "after.json")
    assert store("verify", "before.json", "--key", rotated["old"]).code == 0
    assert store("verify", "after.json", "--key", rotated["old"]).code == 1
    store.ok("prove", "v1.fact.provider", "--trusting", rotated["old"], "-o", "after.json")
    assert store("verify", "after.json", "--key", rotated["old"]).code == 0


def test_each_claim_is_proven_and_verified(store: Commands) -> None:
    store.ok("pin", "-o", "me.pin")
    store.ok("checkpoint", "--tombstone", "v1.goal.launch")
    store.ok("forget", "v1.fact.currency", "--yes")
    asked = {
        "current": ["v1.fact.provider"],
        "tombstoned": ["v1.goal.launch"],
        "forgotten": ["v1.fact.currency"],
        "absent": ["v1.no.thing"],
        "recorded": ["--entry", "1"],
        "extended": ["--extended-since", "me.pin"],
    }
    for claim, words in asked.items():
        since = [] if claim == "extended" else ["--since", "me.pin"]
        store.ok("prove", *words, *since, "-o", "p.json")
        said = store("verify", "p.json", "--pin", "me.pin", "--claim", claim, "--json").json
        assert (said["verdict"], said["claim"]) == ("verified", claim)
        others = [other for other in asked if other != claim]
        assert [store("verify", "p.json", "--pin", "me.pin", "--claim", other).code for other in others] == [1] * 5


def test_a_proof_goes_to_standard_output_and_comes_from_standard_input(store: Commands) -> None:
    bundle = store.ok("prove", "v1.fact.provider").out
    assert json.loads(bundle)["claim"] == "current"
    assert store.ok("prove", "v1.fact.provider", "--json").json == json.loads(bundle)
    ran = store("verify", "-", "--store", "substrate-store", stdin=bundle)
    assert ran.code == 0
    assert ["verified", "by the key of the store in substrate-store"] in ran.rows
    assert "comes from the store itself" in dict(ran.rows)["note"]
    assert ["value", "Adyen"] in ran.rows


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["v1.a.b", "--entry", "1"],
        ["--entry", "x"],
        ["--extended-since", "me.pin", "--since", "me.pin"],
        ["v1.a.b", "--since", "letter"],
        ["v1.a.b", "--since", "nowhere"],
        ["v1.a.b", "--trusting", "a+b+c"],
        ["no name"],
    ],
)
def test_a_proof_of_nothing_or_of_too_much_is_wrong_usage(store: Commands, words: list[str]) -> None:
    store.ok("pin", "-o", "me.pin")
    Path("letter").write_text("Dear all", encoding="utf-8")
    ran = store("prove", *words)
    assert (ran.code, ran.out) == (2, ""), ran.err


def test_an_entry_past_the_end_is_not_found(store: Commands) -> None:
    assert store("prove", "--entry", "99").code == 4


def test_verify_agrees_with_the_script_in_every_case(store: Commands) -> None:
    store.ok("key", "--json")
    Path("my.key").write_text(store("key").out, encoding="utf-8")
    store.ok("pin", "-o", "me.pin")
    store.ok("checkpoint", "v1.fact.a = 1")
    store.ok("prove", "v1.fact.provider", "--since", "me.pin", "-o", "good.json")
    store.ok("prove", "v1.fact.provider", "-o", "unconnected.json")
    refused = store("verify", "unconnected.json", "--pin", "me.pin")
    assert "cannot be checked against this pin" in refused.out + refused.err
    store.ok("checkpoint", "v1.fact.a = 1", "--store", "other")
    Path("other.key").write_text(store("key", "--store", "other").out, encoding="utf-8")
    good = Path("good.json").read_text(encoding="utf-8")
    Path("forged.json").write_text(good.replace("Adyen", "Sumup"), encoding="utf-8")
    Path("none.json").write_text("{}", encoding="utf-8")
    Path("binary.json").write_bytes(b"\xff\xfe")
    seen = set()
    for file in ("good.json", "unconnected.json", "forged.json", "none.json", "binary.json", "nowhere.json"):
        for trust in (
            [],
            ["--key", "my.key"],
            ["--key", "other.key"],
            ["--pin", "me.pin"],
            ["--key", "a+b+c"],
            ["--pin", "good.json"],
        ):
            script = subprocess.run(
                [sys.executable, SCRIPT, file, *trust], capture_output=True, check=False, timeout=PATIENCE_S
            )
            assert store("verify", file, *trust).code == script.returncode, (file, trust)
            seen.add(script.returncode)
    assert seen == {0, 1, 2, 3}


def test_every_verdict_says_by_which_key_or_pin_and_if_that_is_no_witness(store: Commands) -> None:
    store.ok("pin", "-o", "me.pin")
    key = store("key").out.strip()
    bundle = store("prove", "v1.fact.provider").out
    said = {
        trust: store("verify", "-", "--json", *words, stdin=bundle).json
        for trust, words in {
            "the pin in me.pin": ["--pin", "me.pin"],
            "the key you gave": ["--key", key],
            "the key of the store in substrate-store": ["--store", "substrate-store"],
        }.items()
    }
    assert {trust: answer["trust"] for trust, answer in said.items()} == {trust: trust for trust in said}
    assert [answer["verdict"] for answer in said.values()] == ["verified"] * 3
    assert [answer["note"] is None for answer in said.values()] == [True, True, False]
    given = store("verify", "-", "--json", "--store", "substrate-store", "--key", key, stdin=bundle).json
    assert (given["trust"], given["note"]) == ("the key you gave", None)


def test_a_long_value_is_shown_whole(store: Commands) -> None:
    value = "x" * 5000
    store.ok("checkpoint", f"v1.fact.long = {value}")
    bundle = store("prove", "v1.fact.long").out
    assert ["value", value] in store("verify", "-", stdin=bundle).rows
    assert store("verify", "-", stdin=bundle, terminal=True).out.count("x") >= 5000


def test_a_rejection_is_an_answer_with_a_reason(store: Commands) -> None:
    forged = store("prove", "v1.fact.provider").out.replace("Adyen", "Sumup")
    ran = store("verify", "-", "--json", stdin=forged)
    assert (ran.code, ran.err) == (1, "")
    assert (ran.json["verdict"], ran.json["reason"]) == ("rejected", "commitment")
    assert store("verify", "-", "--quiet", stdin=forged).out == ""


def test_without_a_key_the_origin_is_untrusted_and_the_settings_store_is_not_asked(
    store: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUBSTRATE_STORE", "substrate-store")
    bundle = store("prove", "v1.fact.provider").out
    ran = store("verify", "-", "--json", stdin=bundle)
    assert (ran.code, ran.json["verdict"], ran.json["trust"]) == (3, "consistent", None)


def test_a_key_and_a_pin_are_one_too_many(store: Commands) -> None:
    store.ok("pin", "-o", "me.pin")
    assert store("verify", "-", "--key", "x", "--pin", "me.pin").code == 2


def test_a_rolled_back_store_is_read_with_a_warning_and_proves_nothing_current(store: Commands) -> None:
    shutil.copytree("substrate-store", "copy")
    store.ok("checkpoint", "v1.fact.a = 1")
    shutil.rmtree("substrate-store")
    shutil.copytree("copy", "substrate-store")
    ran = store("list", "--json")
    assert (ran.code, len(ran.json["items"])) == (0, 3)
    assert json.loads(ran.err)["warning"]["code"] == "behind"
    ran = store("prove", "v1.fact.provider", "--json")
    assert (ran.code, ran.error["code"]) == (11, "rolled_back")


def test_a_rejection_names_the_store_whose_key_judged(store: Commands) -> None:
    store.ok("checkpoint", "v1.fact.currency = USD", "--store", "theirs")
    store.ok("prove", "v1.fact.currency", "-o", "proof.json", "--store", "theirs")
    ran = store("verify", "proof.json", "--store", "substrate-store")
    assert (ran.code, ran.rows[1]) == (1, ["against", "the key of the store in substrate-store"])
    assert "your key" not in ran.out
    assert "substrate prove NAME --trusting KEY" in ran.out
    said = store("verify", "proof.json", "--store", "substrate-store", "--json").json
    assert (said["reason"], said["against"]) == ("signature", "the key of the store in substrate-store")


def test_a_proof_that_leads_on_from_a_pin_or_a_key_is_checked_by_that(store: Commands) -> None:
    store.ok("pin", "-o", "my pin")
    Path("old.key").write_text(store.ok("key").out, encoding="utf-8")
    store.ok("checkpoint", "v1.fact.a = 1")
    assert (
        "substrate verify p.json --pin 'my pin'"
        in store.ok("prove", "v1.fact.a", "--since", "my pin", "-o", "p.json").err
    )
    assert (
        "substrate verify p.json --pin 'my pin'" in store.ok("prove", "--extended-since", "my pin", "-o", "p.json").err
    )
    assert (
        "substrate verify p.json --key old.key"
        in store.ok("prove", "v1.fact.a", "--trusting", "old.key", "-o", "p.json").err
    )
    store.ok("prove", "v1.fact.a", "-o", "loose.json")
    ran = store("verify", "loose.json", "--pin", "my pin")
    assert (ran.code, "substrate prove NAME --since FILE" in ran.out, "since=" in ran.out) == (1, True, False)


def test_a_pin_is_no_key_to_prove_by(store: Commands) -> None:
    store.ok("pin", "-o", "me.pin")
    ran = store("prove", "v1.fact.provider", "--trusting", "me.pin")
    assert (ran.code, "me.pin is a pin: use --since" in ran.err) == (2, True)
