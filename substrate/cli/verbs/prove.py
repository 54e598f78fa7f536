"""The verbs that prove: head, pin, key, prove, verify."""

from __future__ import annotations

import json
from argparse import Namespace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import substrate
from substrate.cli.answer import Answer, Facts, Raw
from substrate.cli.exits import Exit
from substrate.cli.output import Output
from substrate.cli.spelling import WORDS
from substrate.cli.stores import check_hint, reading, store_path, writing
from substrate.commands import calls
from substrate.commands.files import read_evidence, read_key, read_pin, write_text
from substrate.commands.verbs.prove import NO_WITNESS, check_one_proof, check_one_trust, key_of_store
from substrate.errors import InputError, ProofInvalid
from substrate.files import expanded
from substrate.messages import render

if TYPE_CHECKING:
    from substrate.proof.head import Pin
    from substrate.proof.verify import Verdict

__all__ = ["head", "key", "pin", "prove", "verify"]


# -- head, pin, key ----------------------------------------------------------------------------------------------


def head(given: Namespace, output: Output) -> Answer:
    """Print the latest head, or write it to a file."""
    with reading(given) as memory:
        signed = memory.head()
    document = {**signed.head.to_dict(), "note": str(signed)}
    if given.output is not None:
        write_text(given.output, str(signed), "the head")
        return Answer(document, hints=(f"the head is in {given.output}",))
    if not output.on_terminal:
        return Answer(document, (Raw(str(signed)),))
    facts = [("origin", signed.head.origin), ("entries", f"{signed.head.size:,}")]
    return Answer(
        document, (Facts([*facts, ("root", signed.head.root.hex()), ("map root", signed.head.map_root.hex())]),)
    )


def pin(given: Namespace, _: Output) -> Answer:
    """Print a pin, write it to a file, or check one."""
    if given.check is not None:
        return _check_pin(given)
    with reading(given) as memory:
        pin = memory.pin()
        if given.output is not None and expanded(given.output).exists():
            # A pin is worth something because nobody replaces it unseen: only by one that leads on from it.
            memory.check_pin(_read_pin(given.output, "; it is not overwritten"))
    document = pin.to_dict()
    if given.output is None:
        return Answer(document, (Raw(str(pin)),))
    write_text(given.output, str(pin), "the pin")
    return Answer(
        document, hints=(f"{given.output} holds {pin.head}; keep it where the store's owner cannot change it",)
    )


def _read_pin(path: str, more: str = "") -> Pin:
    try:
        return substrate.Pin.parse(read_evidence(path, "the pin"))
    except ProofInvalid as error:
        raise InputError(f"{path} holds no pin ({error}){more}") from None


def _check_pin(given: Namespace) -> Answer:
    kept = _read_pin(given.check)
    with reading(given) as memory:
        memory.check_pin(kept)
        latest = memory.head().head
    document = {"holds": True, "pinned": kept.head.to_dict(), "head": latest.to_dict()}
    facts = Facts([("holds", "the log contains all that was pinned"), ("pinned", kept.head), ("head", latest)], "good")
    return Answer(document, (facts,), is_report=True)


def key(given: Namespace, _: Output) -> Answer:
    """Print the verifier key, or put a new one in force."""
    if not given.rotate:
        with reading(given) as memory:
            key = memory.key()
        return Answer({"key": str(key)}, (Raw(str(key)),))
    with writing(given) as memory:
        old, new = memory.key(), memory.rotate_key()
    hint = "old heads stay valid. For an auditor with the old key, make proofs with --trusting and that key"
    return Answer({"key": str(new), "old": str(old)}, (Raw(str(new)),), (f"the old key was {old}", hint))


# -- prove and verify --------------------------------------------------------------------------------------------


def prove(given: Namespace, _: Output) -> Answer:
    """Print a proof, or write it to a file."""
    check_one_proof(given)
    since = None if given.since is None else _read_pin(given.since)
    trusting = None if given.trusting is None else _trusted_key(given.trusting)
    notes: tuple[str, ...] = ()
    with reading(given) as memory:
        if given.extended_since is not None:
            bundle = memory.prove_extended(_read_pin(given.extended_since))
        elif given.entry is not None:
            bundle = memory.prove_entry(given.entry, since=since, trusting=trusting)
        else:
            bundle = memory.prove(given.name, since=since, trusting=trusting)
            note = calls.proof_note(memory, bundle)
            notes = (note,) if note else ()
        if given.disclose is not None:
            write_text(given.disclose, memory.disclose(given.name) + "\n", "the key")
    text = bundle.to_json()
    if given.output is None:
        return Answer(json.loads(text), (Raw(text),), notes)
    write_text(given.output, text, "the proof")
    pin = given.since if given.since is not None else given.extended_since
    check = check_hint(given, given.output, pin, given.trusting)
    said = f"{bundle.name} is {bundle.claim}" if bundle.name is not None else bundle.claim
    document = {"claim": bundle.claim, "name": bundle.name, "file": given.output}
    return Answer(document, hints=(f"{given.output} proves: {said}; {check}", *notes))


def _trusted_key(given: str) -> str:
    try:
        key = read_key(given, instead="--since")
        substrate.Verifier(key=key)
    except ProofInvalid as error:
        raise InputError(f"--trusting: {error}") from None
    return key


def verify(given: Namespace, _: Output) -> Answer:
    """Check a proof."""
    check_one_trust(given)
    if [given.proof, given.key, given.pin].count("-") > 1:
        raise InputError("only one of the proof, the key and the pin can be -, standard input")
    against = None
    try:
        text = read_evidence(given.proof, "the proof")
        verifier = _verifier(given)
        against = verifier.against
        verdict = verifier.verify(text, name=given.name, claim=given.claim)
    except ProofInvalid as error:
        message = render(error.message, WORDS)
        document = {"verdict": "rejected", "reason": error.reason, "message": message, "against": against}
        facts = Facts([("rejected", message), ("against", against)], "bad")
        return Answer(document, (facts,), is_report=True, exit=Exit.REJECTED)
    return _established(verdict, NO_WITNESS if _is_by_store(given) else None)


def _is_by_store(given: Namespace) -> bool:
    """Whether the key is that of a store, since nobody gave one."""
    return given.key is None and given.pin is None and given.store is not None


def _verifier(given: Namespace) -> substrate.Verifier:
    """Who judges; its verdicts say on whose word."""
    if given.pin is not None:
        return substrate.Verifier(pin=read_pin(given.pin), against=f"the pin in {given.pin}")
    if _is_by_store(given):
        with reading(given) as memory:
            return substrate.Verifier(key=memory.key(), against=key_of_store(store_path(given)))
    return substrate.Verifier(key=None if given.key is None else read_key(given.key))


def _established(verdict: Verdict, note: str | None) -> Answer:
    trust = verdict.against
    word = "verified" if trust else "consistent"
    body = None if verdict.body is None else json.loads(verdict.body)
    head, entry = verdict.head, verdict.entry
    document = {
        "verdict": word,
        "trust": trust,
        "note": note,
        "claim": verdict.claim,
        "name": verdict.name,
        "seq": verdict.seq,
        "kind": None if entry is None else entry.kind.name.lower(),
        "body": body,
        "since": None if verdict.since is None else verdict.since.size,
        "head": head.to_dict(),
    }
    value = body.get("value") if isinstance(body, dict) else None
    since = None if verdict.since is None else f"contains the first {verdict.since.size} entries, unchanged"
    facts = [
        (word, f"by {trust}" if trust else "origin untrusted: anyone could have made it; give --key, --pin or --store"),
        ("note", note),
        ("claim", verdict.claim),
        ("name", verdict.name),
        ("value", value),
        ("entry", None if entry is None else f"seq {verdict.seq}, {entry.kind.name.lower()}, {_clock(entry.time)}"),
        ("since", since),
        ("head", head),
    ]
    return Answer(
        document,
        (Facts(facts, "good" if trust else "doubt"),),
        is_report=True,
        exit=Exit.OK if trust else Exit.UNTRUSTED,
    )


def _clock(microseconds: int) -> str:
    """The entry's time in words. A forged one may lie beyond the years that have a name."""
    try:
        time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    except OverflowError:
        return f"{microseconds} microseconds after 1970 by the store's clock"
    return f"{time:%Y-%m-%dT%H:%M:%SZ} by the store's clock"
