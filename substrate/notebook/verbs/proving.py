"""The verbs that prove: prove, verify, pin, key."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from substrate.errors import InputError, NotFound, ProofInvalid
from substrate.notebook.desk import Desk
from substrate.notebook.given import number
from substrate.notebook.verb import argument, verb

if TYPE_CHECKING:
    from substrate.proof.bundle import Bundle
    from substrate.proof.head import Pin
    from substrate.proof.note import VerifierKey
    from substrate.proof.verify import Verdict

__all__ = ["key", "pin", "prove", "verify"]

_CLAIMS = ("recorded", "current", "tombstoned", "forgotten", "absent", "extended")
_OUTPUT = argument("-o", "--output", metavar="FILE", complete="file", help="write it to this file, too")


@verb(
    "prove",
    "prove",
    "%memory prove v1.fact.payment_provider --since me.pin -o proof.json",
    "proof = %memory prove v1.fact.nobody",
)
@argument("name", nargs="?", metavar="NAME", complete="name", help="the atom's name")
@argument("--entry", metavar="SEQ", type=number, help="prove that this entry is in the log")
@argument("--extended-since", metavar="PIN", complete="file", help="prove that the log contains all of this pin")
@argument("--since", metavar="PIN", complete="file", help="also lead from this pin to the latest head")
@argument("--trusting", metavar="KEY", complete="file", help="also lead from this older key to the one in force")
@_OUTPUT
def prove(desk: Desk, given: Namespace, _: str | None) -> Bundle:
    """Prove what a name is: current, tombstoned, forgotten or absent.

    The proof is one JSON file that others check without this store and without this program. It holds the value. A pin
    or key is a file, or a variable.
    """
    asked = [given.name is not None, given.entry is not None, given.extended_since is not None]
    if sum(asked) != 1:
        raise InputError("say what to prove, and one thing: NAME, --entry SEQ or --extended-since PIN")
    since = None if given.since is None else _pin(desk, given.since)
    trusting = None if given.trusting is None else _text(desk, given.trusting, "the key")
    memory = desk.memory()
    if given.extended_since is not None:
        bundle = memory.prove_extended(_pin(desk, given.extended_since))
    elif given.entry is not None:
        bundle = memory.prove_entry(given.entry, since=since, trusting=trusting)
    else:
        bundle = memory.prove(given.name, since=since, trusting=trusting)
    if given.output is not None:
        _write(desk, given.output, str(bundle), "the proof")
    return bundle


@verb(
    "verify",
    "prove",
    "proof = %memory prove v1.fact.payment_provider\n%memory verify proof",
    "%memory verify proof.json --pin me.pin",
)
@argument("proof", metavar="PROOF", complete="file", help="a file, or a variable that holds a proof or what has one")
@argument("--key", metavar="KEY", complete="file", help="the verifier key you trust: itself, a file, or a variable")
@argument("--pin", metavar="PIN", complete="file", help="the pin you kept: a file, or a variable")
@argument("--name", metavar="NAME", help="reject it unless it is about this name")
@argument("--claim", metavar="CLAIM", choices=_CLAIMS, help=f"reject it unless it claims this: {', '.join(_CLAIMS)}")
def verify(desk: Desk, given: Namespace, _: str | None) -> Verdict:
    """Check a proof against a key or a pin that you trust; without either, against the key of the store in use.

    A proof that is not true is an error, which says why. Without a key, a pin and a store, the best verdict is:
    consistent, origin untrusted. A true proof of something else is verified as well: look at claim and name.
    """
    from substrate.proof.verify import Verifier  # noqa: PLC0415 - loads cryptography

    if given.key is not None and given.pin is not None:
        raise InputError("give a key or a pin, not both: a pin brings the key that was in force with it")
    text = _text(desk, given.proof, "the proof")
    try:
        if given.pin is not None:
            verifier, by = Verifier(pin=_text(desk, given.pin, "the pin")), "the pin you gave"
        elif given.key is not None:
            verifier, by = Verifier(key=_text(desk, given.key, "the key").strip()), "the key you gave"
        else:
            verifier, by = Verifier(key=_own_key(desk)), "the own key of the store in use"
        verdict = verifier.verify(text, name=given.name, claim=given.claim)
    except ProofInvalid as error:
        raise InputError(f"the proof is rejected: {error}") from None
    if verdict.trusted:
        desk.say(f"checked against {by}")
    return verdict


@verb("pin", "prove", "%memory pin -o me.pin", "%memory pin --check me.pin")
@_OUTPUT
@argument("--check", metavar="PIN", complete="file", help="check that the log still contains all of this pin")
def pin(desk: Desk, given: Namespace, _: str | None) -> Pin:
    """Make a pin, the head to remember outside the store; or check one.

    Who keeps a pin notices if the log is ever rewritten or rolled back. A file that holds a pin already is replaced
    only if the log contains what it pinned.
    """
    memory = desk.memory()
    if given.check is not None:
        kept = _pin(desk, given.check)
        memory.check_pin(kept)
        desk.say("it holds: the log contains all that was pinned")
        return kept
    made = memory.pin()
    if given.output is not None:
        if Path(given.output).expanduser().exists():
            memory.check_pin(_pin(desk, given.output))
        _write(desk, given.output, str(made), "the pin")
    return made


@verb("key", "prove", "%memory key -o auditor.key")
@_OUTPUT
def key(desk: Desk, given: Namespace, _: str | None) -> VerifierKey:
    """Show the verifier key in force, which whoever checks proofs should get by another way than these."""
    made = desk.memory().key()
    if given.output is not None:
        _write(desk, given.output, f"{made}\n", "the key")
    return made


def _own_key(desk: Desk) -> VerifierKey | None:
    try:
        return desk.memory().key()
    except NotFound:
        return None


def _pin(desk: Desk, given: str) -> Pin:
    from substrate.proof.head import Pin  # noqa: PLC0415 - loads cryptography

    try:
        return Pin.parse(_text(desk, given, "the pin"))
    except ProofInvalid as error:
        raise InputError(f"{given.split(chr(10), maxsplit=1)[0]} is no pin ({error})") from None


def _text(desk: Desk, given: str, what: str) -> str:
    """The text of a proof, pin or key: of a variable of this name, given as such, or in a file."""
    from substrate.cli.inputs import read_text  # noqa: PLC0415 - brings the whole command line with it

    value = desk.names.get(given)
    if value is not None:
        value = getattr(value, "proof", value)  # what access gave, with its proof
        if value is None:
            raise InputError(f"{given} holds no proof: %memory access NAME --proof asks for one")
        return str(value)
    if given.lstrip().startswith("{") or "\n" in given or given.count("+") > 1:
        return given
    return read_text(given, what)


def _write(desk: Desk, path: str, text: str, what: str) -> None:
    from substrate.cli.stores import write_text  # noqa: PLC0415 - as above

    write_text(path, text, what)
    desk.say(f"{what} is in {path}")
