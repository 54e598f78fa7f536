"""The verbs that prove: prove, verify, pin, key."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.files import no_key, no_pin, read_evidence, write_text
from substrate.commands.verbs.prove import (
    KEY,
    NO_WITNESS,
    PIN,
    PROVE,
    VERIFY,
    check_one_proof,
    check_one_trust,
    key_of_store,
)
from substrate.errors import InputError, NotFound, ProofInvalid
from substrate.files import expanded
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.proof.bundle import Bundle
    from substrate.proof.head import Pin
    from substrate.proof.note import VerifierKey
    from substrate.proof.verify import Verdict

__all__ = ["key", "pin", "prove", "verify"]


@verb(PROVE)
def prove(workspace: Workspace, given: Namespace, _: str | None) -> Bundle:
    """A proof."""
    check_one_proof(given)
    since = None if given.since is None else _pin(workspace, given.since)
    trusting = None if given.trusting is None else _text(workspace, given.trusting, "the key")
    memory = workspace.memory()
    if given.extended_since is not None:
        bundle = memory.prove_extended(_pin(workspace, given.extended_since))
    elif given.entry is not None:
        bundle = memory.prove_entry(given.entry, since=since, trusting=trusting)
    else:
        bundle = memory.prove(given.name, since=since, trusting=trusting)
        if note := calls.proof_note(memory, bundle):
            workspace.say(note)
    if given.disclose is not None:
        _write(workspace, given.disclose, memory.disclose(given.name) + "\n", "the key")
    if given.output is not None:
        _write(workspace, given.output, str(bundle), "the proof")
    return bundle


@verb(VERIFY)
def verify(workspace: Workspace, given: Namespace, _: str | None) -> Verdict:
    """The verdict on a proof."""
    from substrate.proof.verify import Verifier  # noqa: PLC0415 - loads cryptography

    check_one_trust(given)
    note = by = ""
    try:
        text = _text(workspace, given.proof, "the proof")
        if given.pin is not None:
            verifier = Verifier(pin=no_key(_text(workspace, given.pin, "the pin"), _first_line(given.pin)))
        elif given.key is not None:
            verifier = Verifier(key=no_pin(_text(workspace, given.key, "the key").strip(), _first_line(given.key)))
        elif (key := _own_key(workspace)) is not None:
            folder, why = workspace.stores.path()
            by = f"{key_of_store(folder)} ({why})"
            verifier, note = Verifier(key=key, against=by), f"; {NO_WITNESS}"
        else:
            verifier = Verifier()
        verdict = verifier.verify(text, name=given.name, claim=given.claim)
    except ProofInvalid as error:
        raise InputError("the proof is rejected: ", error.message, by and f"; it was checked against {by}") from None
    if verdict.trusted:
        workspace.say(f"checked against {verdict.against}{note}")
    return verdict


@verb(PIN)
def pin(workspace: Workspace, given: Namespace, _: str | None) -> Pin:
    """A pin that is made, or checked."""
    memory = workspace.memory()
    if given.check is not None:
        kept = _pin(workspace, given.check)
        memory.check_pin(kept)
        workspace.say("it holds: the log contains all that was pinned")
        return kept
    made = memory.pin()
    if given.output is not None:
        if expanded(given.output).exists():
            memory.check_pin(_pin(workspace, given.output))
        _write(workspace, given.output, str(made), "the pin")
    return made


@verb(KEY)
def key(workspace: Workspace, given: Namespace, _: str | None) -> VerifierKey:
    """The verifier key in force."""
    made = workspace.memory().key()
    if given.output is not None:
        _write(workspace, given.output, f"{made}\n", "the key")
    return made


def _own_key(workspace: Workspace) -> VerifierKey | None:
    try:
        return workspace.memory().key()
    except NotFound:
        return None


def _pin(workspace: Workspace, given: str) -> Pin:
    from substrate.proof.head import Pin  # noqa: PLC0415 - loads cryptography

    try:
        return Pin.parse(_text(workspace, given, "the pin"))
    except ProofInvalid as error:
        raise InputError(f"{_first_line(given)} is not a pin ({error})") from None


def _first_line(given: str) -> str:
    """What was given, where a message names it: the whole of it may be a pin's text."""
    return given.split("\n", maxsplit=1)[0]


def _text(workspace: Workspace, given: str, what: str) -> str:
    """The text of a proof, pin or key: of a variable of this name, given as such, or in a file."""
    value = workspace.names.get(given)
    if value is not None:
        value = getattr(value, "proof", value)  # what access gave, with its proof
        if value is None:
            raise InputError(f"{given} holds no proof: %memory access NAME --proof asks for one")
        return str(value)
    if given.lstrip().startswith("{") or "\n" in given or given.count("+") > 1:
        return given
    return read_evidence(given, what)


def _write(workspace: Workspace, path: str, text: str, what: str) -> None:
    write_text(path, text, what)
    workspace.say(f"{what} is in {path}")
