"""The verbs that prove: head, pin, key, prove, verify."""

from __future__ import annotations

import json
from argparse import Namespace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import substrate
from substrate.cli.answer import Answer, Facts, Raw
from substrate.cli.exits import Exit
from substrate.cli.inputs import parse_number, read_key, read_text
from substrate.cli.output import Output
from substrate.cli.stores import check_hint, reading, store_path, write_text, writing
from substrate.cli.verb import Example, Verb, argument, flag, option
from substrate.errors import InputError, ProofInvalid

if TYPE_CHECKING:
    from substrate.proof.head import Pin
    from substrate.proof.verify import Verdict

__all__ = ["HEAD", "KEY", "PIN", "PROVE", "VERIFY"]

_CLAIMS = ("recorded", "current", "tombstoned", "forgotten", "absent", "extended")
_OUTPUT = option("-o", "--output", metavar="FILE", help="write it to this file", complete="file")


# -- head, pin, key ----------------------------------------------------------------------------------------------


def _head(given: Namespace, output: Output) -> Answer:
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


HEAD = Verb(
    "head",
    "prove",
    "Show the latest head: origin, size and roots of the log, signed.",
    "In a pipe it is the signed note itself, as anyone can check it; on a terminal what it says.",
    (
        Example("substrate head", "the latest head"),
        Example("substrate head --json", "its parts, and the note"),
    ),
    (_OUTPUT,),
    _head,
)


def _pin(given: Namespace, _: Output) -> Answer:
    if given.check is not None:
        return _check_pin(given)
    with reading(given) as memory:
        pin = memory.pin()
        if given.output is not None and Path(given.output).expanduser().exists():
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
        return substrate.Pin.parse(read_text(path, "the pin"))
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


PIN = Verb(
    "pin",
    "prove",
    "Make a pin, the head to remember outside the store; or check one.",
    "Who keeps a pin notices if the log is ever rewritten or rolled back. A file that holds a pin already is replaced "
    "only if the log contains what it pinned. --check says whether the log still contains all of a pin that you kept.",
    (
        Example("substrate pin -o me.pin", "remembers the latest head in a file"),
        Example("substrate pin --check me.pin", "checks that the log still contains it"),
    ),
    (_OUTPUT, option("--check", metavar="FILE", help="check this pin against the store", complete="file")),
    _pin,
)


def _key(given: Namespace, _: Output) -> Answer:
    if not given.rotate:
        with reading(given) as memory:
            key = memory.key()
        return Answer({"key": str(key)}, (Raw(str(key)),))
    with writing(given) as memory:
        old, new = memory.key(), memory.rotate_key()
    hint = "who holds the old key needs proofs made with --trusting and the old key; heads it signed stay valid"
    return Answer({"key": str(new), "old": str(old)}, (Raw(str(new)),), (f"the old key was {old}", hint))


KEY = Verb(
    "key",
    "prove",
    "Show the verifier key in force; or put a new one in force.",
    "An auditor needs it, and should get it by another way than the proofs. --rotate makes a new signing key, lets "
    "the old one sign for it, and destroys the old one.",
    (
        Example("substrate key > auditor.key", "the key, for whoever shall check proofs"),
        Example("substrate key --rotate", "puts a new key in force"),
    ),
    (flag("--rotate", help="put a new signing key in force and destroy the old one"),),
    _key,
)


# -- prove and verify --------------------------------------------------------------------------------------------


def _prove(given: Namespace, _: Output) -> Answer:
    asked = [given.name is not None, given.entry is not None, given.extended_since is not None]
    if sum(asked) != 1:
        raise InputError("say what to prove, and one thing: NAME, --entry SEQ or --extended-since PINFILE")
    if given.extended_since is not None and (given.since is not None or given.trusting is not None):
        raise InputError("--extended-since stands alone: it already starts from a pin")
    since = None if given.since is None else _read_pin(given.since)
    trusting = None if given.trusting is None else _trusted_key(given.trusting)
    with reading(given) as memory:
        if given.extended_since is not None:
            bundle = memory.prove_extended(_read_pin(given.extended_since))
        elif given.entry is not None:
            bundle = memory.prove_entry(given.entry, since=since, trusting=trusting)
        else:
            bundle = memory.prove(given.name, since=since, trusting=trusting)
    text = bundle.to_json()
    if given.output is None:
        return Answer(json.loads(text), (Raw(text),))
    write_text(given.output, text, "the proof")
    said = f"{bundle.name} is {bundle.claim}" if bundle.name is not None else bundle.claim
    document = {"claim": bundle.claim, "name": bundle.name, "file": given.output}
    return Answer(document, hints=(f"{given.output} proves: {said}; {check_hint(given, given.output)}",))


def _trusted_key(given: str) -> str:
    key = read_key(given)
    try:
        substrate.Verifier(key=key)
    except ProofInvalid as error:
        raise InputError(f"--trusting: {error}") from None
    return key


PROVE = Verb(
    "prove",
    "prove",
    "Write a proof of what a name is: current, tombstoned, forgotten or absent.",
    "The proof is one JSON file that others check without this store and without this program. Someone who holds an "
    "older pin needs --since, someone who holds the key from before a rotation needs --trusting. --entry proves that "
    "an entry is in the log, --extended-since that the log still contains all that was pinned. A proof of an atom "
    "holds its value.",
    (
        Example(
            "substrate prove v1.fact.payment_provider --since me.pin -o proof.json",
            "that it is current, for a holder of me.pin",
        ),
        Example("substrate prove v1.fact.nobody_said_this", "that there is no such atom"),
        Example("substrate prove --extended-since me.pin -o grown.json", "that the log only grew since the pin"),
    ),
    (
        argument("name", "the atom's name", nargs="?", complete="name"),
        option("--entry", metavar="SEQ", parse=parse_number, help="prove that this entry is in the log"),
        option(
            "--extended-since", metavar="PINFILE", help="prove that the log contains all of this pin", complete="file"
        ),
        option("--since", metavar="PINFILE", help="also lead from this pin to the latest head", complete="file"),
        option(
            "--trusting",
            metavar="KEY",
            help="also lead from this older verifier key, or the file that holds it, to the one in force",
            complete="file",
        ),
        _OUTPUT,
    ),
    _prove,
)


def _verify(given: Namespace, _: Output) -> Answer:
    if given.key is not None and given.pin is not None:
        raise InputError("give a key or a pin, not both: a pin brings the key that was in force with it")
    text = read_text(given.bundle, "the proof")
    try:
        verifier, trust = _verifier(given)
        verdict = verifier.verify(text, name=given.name, claim=given.claim)
    except ProofInvalid as error:
        document = {"verdict": "rejected", "reason": error.reason, "message": str(error)}
        return Answer(document, (Facts([("rejected", error)], "bad"),), is_report=True, exit=Exit.REJECTED)
    return _established(verdict, trust)


def _verifier(given: Namespace) -> tuple[substrate.Verifier, str | None]:
    """Who judges, and on whose word, as a sentence."""
    if given.pin is not None:
        return substrate.Verifier(pin=read_text(given.pin, "the pin")), f"the pin in {given.pin}"
    if given.key is not None:
        return substrate.Verifier(key=read_key(given.key)), "the key you gave"
    if given.store is not None:
        with reading(given) as memory:
            return substrate.Verifier(key=memory.key()), f"the key of the store in {store_path(given)}"
    return substrate.Verifier(), None


def _established(verdict: Verdict, trust: str | None) -> Answer:
    word = "verified" if trust else "consistent"
    body = None if verdict.body is None else json.loads(verdict.body)
    head, entry = verdict.head, verdict.entry
    document = {
        "verdict": word,
        "trust": trust,
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
        (word, f"by {trust}" if trust else "origin untrusted: anyone could have made it; give --key or --pin"),
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


VERIFY = Verb(
    "verify",
    "prove",
    "Check a proof against a key or a pin that you trust.",
    "The key or pin must have come to you by another way than the proof. With neither, the best answer is: "
    "consistent, origin untrusted (exit code 3), unless --store is given, whose own key is used then. A true proof of "
    "something else is verified as well: look at claim and name, or say which you expect. examples/verify_proof.py "
    "does the same without this program, with the same exit codes.",
    (
        Example("substrate verify proof.json --pin me.pin", "by a pin that you kept"),
        Example(
            "substrate verify proof.json --key auditor.key --name v1.fact.payment_provider --claim current",
            "by a key, and only if it proves just this",
        ),
        Example("substrate verify proof.json", "without a key or a pin it can only be consistent", Exit.UNTRUSTED),
    ),
    (
        argument("bundle", "the proof, or - for standard input", metavar="FILE", complete="file"),
        option("--key", metavar="KEY", help="the verifier key you trust, or the file that holds it", complete="file"),
        option("--pin", metavar="FILE", help="the pin you kept", complete="file"),
        option("--name", metavar="NAME", help="reject it unless it is about this name"),
        option(
            "--claim", metavar="CLAIM", choices=_CLAIMS, help=f"reject it unless it claims this: {', '.join(_CLAIMS)}"
        ),
    ),
    _verify,
)
