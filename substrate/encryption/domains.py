"""Which domains are encrypted: the rows of their keys, and what a person calls them."""

from __future__ import annotations

from typing import NamedTuple

from substrate.atoms.domains import domain_name
from substrate.atoms.resolve import find_subject, name_of
from substrate.ciphers import read_wrapped
from substrate.errors import InputError
from substrate.kv.api import ReadTransaction
from substrate.log.tables import DOMAIN_KEYS
from substrate.messages import Verb

__all__ = ["EncryptedDomain", "check_domain_keys", "encrypted_domains", "find_encrypted", "is_any_encrypted"]


class EncryptedDomain(NamedTuple):
    """A domain that is encrypted: the id of its atom, its name, and its key as it is kept."""

    subject: bytes
    name: str
    row: bytes


def is_any_encrypted(transaction: ReadTransaction) -> bool:
    """Whether the store has an encrypted domain."""
    return transaction.any(DOMAIN_KEYS)


def encrypted_domains(transaction: ReadTransaction) -> list[EncryptedDomain]:
    """All encrypted domains, whether this process has unlocked them or not."""
    return [
        EncryptedDomain(subject, name_of(transaction, subject) or "", row)
        for subject, row in transaction.scan(DOMAIN_KEYS)
    ]


def check_domain_keys(transaction: ReadTransaction) -> None:
    """StoreDamaged if the key of an encrypted domain cannot be read. Whether it opens anything, a passphrase tells."""
    for domain in encrypted_domains(transaction):
        read_wrapped(domain.row)


def find_encrypted(transaction: ReadTransaction, domain: str) -> EncryptedDomain:
    """An encrypted domain, by its name or by what follows `v1.domain.` in it. InputError if it is not encrypted."""
    name = domain_name(domain)
    subject = find_subject(transaction, name)
    row = transaction.get(DOMAIN_KEYS, subject)
    if row is None:
        raise InputError(f"{name} is not encrypted: nothing to unlock. To encrypt it, use ", Verb("encrypt"))
    return EncryptedDomain(subject, name, row)
