"""Prove: head, pin, key, prove, verify."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import OUTPUT
from substrate.commands.readers import number
from substrate.errors import InputError

__all__ = [
    "CLAIMS",
    "HEAD",
    "KEY",
    "NO_WITNESS",
    "PIN",
    "PROVE",
    "VERIFY",
    "check_one_proof",
    "check_one_trust",
    "key_of_store",
]

CLAIMS = ("recorded", "current", "tombstoned", "forgotten", "absent", "extended")
"""As `substrate.proof.bundle` has them, which loads cryptography; a test compares the two."""


def check_one_proof(given: Namespace) -> None:
    """InputError unless just one thing is to be proven, in a way that there is."""
    asked = [given.name is not None, given.entry is not None, given.extended_since is not None]
    if sum(asked) != 1:
        raise InputError("say what to prove, and one thing: NAME, --entry SEQ or --extended-since PINFILE")
    if given.extended_since is not None and (given.since is not None or given.trusting is not None):
        raise InputError("--extended-since stands alone: it already starts from a pin")


NO_WITNESS = (
    "that key comes from the store, so it is no independent witness: to be sure, give --key or --pin, "
    "with one that came to you separately"
)
"""Said of a verdict by the key of a store that nobody pinned: who can write the store can have signed the proof."""


def key_of_store(folder: object) -> str:
    """Whose key it is, where nobody gave one."""
    return f"the key of the store in {folder}"


def check_one_trust(given: Namespace) -> None:
    """InputError if a key and a pin are given."""
    if given.key is not None and given.pin is not None:
        raise InputError("give a key or a pin, not both: a pin brings the key that was in force with it")


HEAD = Command(
    "head",
    "prove",
    "Show the latest head: origin, size and roots of the log, signed.",
    "In a pipe it is the signed note itself, as anyone can check it; on a terminal what it says.",
    (Example("substrate head", "the latest head"), Example("substrate head --json", "its parts, and the note")),
    (OUTPUT,),
    only=Face.CLI,
)

PIN = Command(
    "pin",
    "prove",
    "Make a pin, the head to remember outside the store; or check one.",
    "Who keeps a pin notices if the log is ever rewritten or rolled back. A file that holds a pin already is replaced "
    "only if the log contains what it pinned. --check says whether the log still contains all of a pin that you kept.",
    (
        Example("substrate pin -o me.pin", "remembers the latest head in a file"),
        Example("substrate pin --check me.pin", "checks that the log still contains it"),
        Example("%memory pin -o me.pin"),
        Example("%memory pin --check me.pin"),
    ),
    (
        OUTPUT,
        option("--check", metavar="PINFILE", help="check the pin in this file against the store", complete="file"),
    ),
)

KEY = Command(
    "key",
    "prove",
    "Show the verifier key in force, or put a new one in force.",
    "An auditor needs it: give it separately from the proofs.",
    (
        Example("substrate key > auditor.key", "the key, to give to the auditor separately from the proof"),
        Example("substrate key --rotate", "puts a new key in force"),
        Example("%memory key -o auditor.key"),
    ),
    (
        flag("--rotate", help="put a new signing key in force and destroy the old one", face=Face.CLI),
        replace(OUTPUT, face=Face.NOTEBOOK),
    ),
    about_cli="--rotate makes a new signing key, lets the old one sign for it, and destroys the old one.",
    about_notebook="`substrate key --rotate` puts a new one in force.",
)

PROVE = Command(
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
        Example("%memory prove v1.fact.payment_provider --since me.pin -o proof.json"),
        Example("proof = %memory prove v1.fact.nobody"),
    ),
    (
        argument("name", "the atom's name", nargs="?", complete="name"),
        option("--entry", metavar="SEQ", read=number, help="prove that this entry is in the log"),
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
        OUTPUT,
    ),
    about_notebook="A pin or key is a file, or a variable.",
)

VERIFY = Command(
    "verify",
    "prove",
    "Check a proof against a key or a pin that you trust.",
    "The key or pin must have come to you separately from the proof. A valid proof of another atom also verifies: "
    "check claim and name, or say which you expect.",
    (
        Example("substrate verify proof.json --pin me.pin", "by a pin that you kept"),
        Example(
            "substrate verify proof.json --key auditor.key --name v1.fact.payment_provider --claim current",
            "by a key, and only if it proves just this",
        ),
        Example("substrate verify proof.json", "without a key or a pin it can only be consistent", exit=3),
        Example("proof = %memory prove v1.fact.payment_provider\n%memory verify proof"),
        Example("%memory verify proof.json --pin me.pin"),
    ),
    (
        argument("proof", "the proof's file, or - for standard input", metavar="FILE", complete="file", face=Face.CLI),
        argument(
            "proof", "a file, or a variable that holds a proof or what has one", complete="file", face=Face.NOTEBOOK
        ),
        option("--key", metavar="KEY", help="the verifier key you trust, or the file that holds it", complete="file"),
        option("--pin", metavar="PINFILE", help="the pin you kept", complete="file"),
        option("--name", metavar="NAME", help="reject it unless it is about this name"),
        option(
            "--claim", metavar="CLAIM", choices=CLAIMS, help=f"reject it unless it claims this: {', '.join(CLAIMS)}"
        ),
    ),
    about_cli="Without a key and a pin, the best answer is: consistent, origin untrusted (exit code 3), unless --store "
    "is given: then the key of that store is used, and the answer says so. examples/verify_proof.py does the same "
    "without this program, with the same exit codes.",
    about_notebook="Without a key and a pin, the key of the store in use is taken, and the answer says which store. "
    "That key is no independent witness. Without a store, the best verdict is: consistent, origin untrusted. A proof "
    "that is not true is an error, which says why. A key or pin may be a variable.",
)
