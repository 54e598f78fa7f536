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
        raise InputError("give exactly one thing to prove: NAME, --entry SEQ or --extended-since PINFILE")
    if given.extended_since is not None and (given.since is not None or given.trusting is not None):
        raise InputError("--extended-since already starts from a pin: leave out --since and --trusting")
    if given.disclose is not None and given.name is None:
        raise InputError("--disclose needs the NAME of an encrypted atom")


NO_WITNESS = "the key comes from the store itself. To be sure, use --key or --pin with one that you got separately"
"""Said of a verdict by the key of a store that nobody pinned: who can write the store can have signed the proof."""


def key_of_store(folder: object) -> str:
    """Whose key it is, where nobody gave one."""
    return f"the key of the store in {folder}"


def check_one_trust(given: Namespace) -> None:
    """InputError if a key and a pin are given."""
    if given.key is not None and given.pin is not None:
        raise InputError("give a key or a pin, not both: a pin already holds the key")


HEAD = Command(
    "head",
    "prove",
    "Show the latest head: the signed summary of the whole log.",
    "A head holds the origin, the size and the roots of the log. In a pipe it prints the signed note itself; on "
    "a terminal its parts.",
    (Example("substrate head", "the latest head"), Example("substrate head --json", "its parts, and the note")),
    (OUTPUT,),
    only=Face.CLI,
)

PIN = Command(
    "pin",
    "prove",
    "Make a pin, or check one. A pin is a head that you keep outside the store.",
    "A pin shows later whether the log was rewritten or rolled back. An existing pin file is replaced only if "
    "the log still contains that pin. --check tells whether the log still contains a pin.",
    (
        Example("substrate pin -o me.pin", "saves the latest head in a file"),
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
    "Show the verifier key, or replace it by a new one.",
    "Give this key to the auditor, separately from the proofs.",
    (
        Example("substrate key > auditor.key", "the key, to give to the auditor separately from the proof"),
        Example("substrate key --rotate", "makes a new key"),
        Example("%memory key -o auditor.key"),
    ),
    (
        flag("--rotate", help="make a new signing key and destroy the old one", face=Face.CLI),
        replace(OUTPUT, face=Face.NOTEBOOK),
    ),
    about_cli="--rotate makes a new signing key, signs it with the old one, and destroys the old one.",
    about_notebook="`substrate key --rotate` makes a new one.",
)

PROVE = Command(
    "prove",
    "prove",
    "Write a proof that an atom is current, tombstoned, forgotten or absent.",
    "The proof is one JSON file. Anyone can check it without this store and without this program. Use --since "
    "for an auditor who holds an older pin. Use --trusting for an auditor who holds a key from before a "
    "rotation. --entry proves that an entry is in the log. --extended-since proves that the log still contains "
    "everything up to a pin. A proof of an atom holds its value; of an encrypted atom, the ciphertext. With "
    "the key that --disclose writes, examples/verify_proof.py --disclosed shows the text of this version alone.",
    (
        Example(
            "substrate prove v1.fact.payment_provider --since me.pin -o proof.json",
            "proves that it is current, to a holder of me.pin",
        ),
        Example("substrate prove v1.fact.nobody_said_this", "proves that no such atom exists"),
        Example("substrate prove --extended-since me.pin -o grown.json", "proves that the log only grew since the pin"),
        Example("%memory prove v1.fact.payment_provider --since me.pin -o proof.json"),
        Example("proof = %memory prove v1.fact.nobody"),
    ),
    (
        argument("name", "the atom's name", nargs="?", complete="name"),
        option("--entry", metavar="SEQ", read=number, help="prove that this entry is in the log"),
        option(
            "--extended-since", metavar="PINFILE", help="prove that the log contains all of this pin", complete="file"
        ),
        option("--since", metavar="PINFILE", help="also prove that this pin leads to the latest head", complete="file"),
        option(
            "--trusting",
            metavar="KEY",
            help="also prove that this older verifier key (or key file) leads to the current one",
            complete="file",
        ),
        option(
            "--disclose",
            metavar="KEYFILE",
            help="of an encrypted atom: write the key of this version to this file",
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
    "Get the key or pin separately from the proof. A valid proof of another atom also verifies: check claim and "
    "name, or give --name and --claim.",
    (
        Example("substrate verify proof.json --pin me.pin", "checks it with a pin that you kept"),
        Example(
            "substrate verify proof.json --key auditor.key --name v1.fact.payment_provider --claim current",
            "checks it with a key; other claims are rejected",
        ),
        Example("substrate verify proof.json", "without a key or a pin the author stays unknown", exit=3),
        Example("proof = %memory prove v1.fact.payment_provider\n%memory verify proof"),
        Example("%memory verify proof.json --pin me.pin"),
    ),
    (
        argument("proof", "the proof's file, or - for standard input", metavar="FILE", complete="file", face=Face.CLI),
        argument(
            "proof",
            "a file, or a variable that holds a proof or a result with one",
            complete="file",
            face=Face.NOTEBOOK,
        ),
        option("--key", metavar="KEY", help="the verifier key you trust, or the file that holds it", complete="file"),
        option("--pin", metavar="PINFILE", help="the pin you kept", complete="file"),
        option("--name", metavar="NAME", help="reject a proof of any other name"),
        option("--claim", metavar="CLAIM", choices=CLAIMS, help=f"reject any other claim: {', '.join(CLAIMS)}"),
    ),
    about_cli="Without a key or a pin, the best answer is: consistent, origin untrusted (exit code 3). With --store, "
    "verify uses the key of that store and says so. examples/verify_proof.py does the same without this program, "
    "with the same exit codes.",
    about_notebook="Without a key or a pin, verify uses the key of the open store and says so. That key is not "
    "independent of the store. Without a store, the best verdict is: consistent, origin untrusted. A false proof "
    "is an error that says why. A key or pin may be a variable.",
)
