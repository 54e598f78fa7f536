"""The verbs unlock and lock: a domain's atoms as text, in the memory of this process, until it is locked."""

from __future__ import annotations

from substrate.atoms.bodies import require_body
from substrate.atoms.resolve import find_subject, resolve
from substrate.ciphers import unwrap, version_key
from substrate.encryption.domains import encrypted_domains, find_encrypted
from substrate.encryption.unlocked import UnlockedDomains
from substrate.errors import InputError, NotFound, SchemaInvalid
from substrate.log.log import Log
from substrate.messages import Arg, Verb
from substrate.names import normalise
from substrate.proof.entry import Kind
from substrate.values.review.encryption import Locked, Unlocked
from substrate.views.atoms import find_name

__all__ = ["check_passphrase", "check_text", "disclose", "lock", "stored_name", "stored_names", "unlock"]


def check_passphrase(passphrase: object) -> str:
    """The passphrase, if it can be one. SchemaInvalid or InputError."""
    if not isinstance(passphrase, str):
        raise SchemaInvalid(Arg("passphrase"), f" must be a text, not {type(passphrase).__name__}")
    if not passphrase:
        raise InputError(Arg("passphrase"), " is empty: give some words that only you know")
    return passphrase


def unlock(log: Log, unlocked: UnlockedDomains, domain: str, passphrase: str) -> Unlocked:
    """See `Memory.unlock`."""
    passphrase = check_passphrase(passphrase)
    with log.snapshot() as transaction:
        found = find_encrypted(transaction, domain)
    unlocked.unlock(found, unwrap(found.row, passphrase))  # outside of any transaction: it takes a while
    with log.snapshot() as transaction:
        return Unlocked(found.name, *unlocked.counts(transaction), unlocked.clashes(transaction))


def lock(log: Log, unlocked: UnlockedDomains, domain: str | None) -> Locked:
    """See `Memory.lock`."""
    with log.snapshot() as transaction:
        found = encrypted_domains(transaction) if domain is None else [find_encrypted(transaction, domain)]
    return Locked(tuple(one.name for one in found if unlocked.lock(one.subject)))


def stored_name(log: Log, unlocked: UnlockedDomains, name: str) -> str:
    """The name that the log has for an atom, given by name or id: the opaque one if it was decrypted, else as given."""
    if not unlocked.is_any or not isinstance(name, str):
        return name
    with log.snapshot() as transaction:
        covered = unlocked.cover(transaction) or transaction
        subject = find_subject(covered, normalise(name))
        return unlocked.opaque_name(transaction, subject) or name


def stored_names(log: Log, unlocked: UnlockedDomains, name: str) -> tuple[str, ...]:
    """The same, and the name as given too if an atom of that name is saved as text beside the encrypted one."""
    stored = stored_name(log, unlocked, name)
    with log.snapshot() as transaction:
        is_text = stored != name and find_name(transaction, normalise(name)) is not None
    return (stored, name) if is_text else (stored,)


def check_text(log: Log, unlocked: UnlockedDomains, *names: object) -> None:
    """InputError if one of these is the name of a decrypted atom. For verbs that take atoms saved as text only."""
    for name in names if unlocked.is_any else ():
        if isinstance(name, str) and "." in name and name not in stored_names(log, unlocked, name):
            raise InputError(
                f"{name} is encrypted, and this works with text only. To change it, use ", Verb("checkpoint")
            )


def disclose(log: Log, unlocked: UnlockedDomains, name: str) -> str:
    """See `Memory.disclose`."""
    with log.snapshot() as transaction:
        covered = unlocked.cover(transaction) or transaction
        latest = resolve(covered, name)
        opaque = unlocked.opaque_name(transaction, latest.subject)
        key = None if opaque is None else unlocked.key_of(opaque)
        if opaque is None or key is None:
            raise InputError(f"{name} is not in an unlocked domain: it has no key to disclose. See ", Verb("unlock"))
        if latest.kind is not Kind.PUT:
            raise NotFound(f"{name} is out of use: it has no current version")
        value = require_body(transaction, latest.seq).members["value"]
    return version_key(key, latest.subject, str(value)).hex()
