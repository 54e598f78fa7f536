"""Atoms that were given another name: the old one is out of use, and an edge `renamed_to` leads from it to the new one.

The verb rename alone states such edges, so that nobody else can make two atoms one. An export can bring some, too: what
is taken for the same atom, and erased with it, must have said the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from substrate.atoms.bodies import body_of
from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.proof.entry import Kind
from substrate.values.edges import RENAMED_TO
from substrate.views.atoms import is_in_use, versions_of
from substrate.views.edges import ever_linked, links_of

__all__ = ["all_renamed_from", "renamed_from", "renamed_to", "same_by_rename"]

_MOST: Final = 10_000
"""Steps of a chain: each name leads to the next one."""


def renamed_to(transaction: ReadTransaction, subject: bytes, upto: int | None = None) -> bytes | None:
    """The atom in use that has this one's place under another name, as of `upto`; None if there is none."""
    for _ in range(_MOST):
        link = next(links_of(transaction, subject, out=True, kind=RENAMED_TO, upto=upto), None)
        if link is None:
            return None
        subject = link.target
        if is_in_use(transaction, subject, upto):
            return subject
    return None


def renamed_from(transaction: ReadTransaction, subject: bytes) -> list[bytes]:
    """The atoms whose place this one has under another name."""
    return [link.source for link in links_of(transaction, subject, out=False, kind=RENAMED_TO)]


def all_renamed_from(transaction: ReadTransaction, subject: bytes) -> Iterator[bytes]:
    """The same over any number of renames, the latest first. Each atom comes once."""
    seen, waiting = {subject}, [subject]
    for at in waiting:
        before = [other for other in renamed_from(transaction, at) if other not in seen]
        yield from before
        seen.update(before)
        waiting += before[: _MOST - len(waiting)]


def same_by_rename(transaction: ReadTransaction, subject: bytes) -> list[bytes]:
    """This atom, and all that hold or held the same under another name, over any number of renames.

    A rename that was taken back counts too: its text is in the history of both. Each atom is read once.
    """
    said = {subject: _said(transaction, subject)}
    same = {subject: None}
    waiting = [subject]
    while waiting:
        at = waiting.pop()
        for other in ever_linked(transaction, at, RENAMED_TO):
            if other in same:
                continue
            if other not in said:
                said[other] = _said(transaction, other)
            if not (said[other] and said[at] and said[other].isdisjoint(said[at])):
                same[other] = None
                waiting.append(other)
    return list(same)


def _said(transaction: ReadTransaction, subject: bytes) -> set[int]:
    """Hashes of what the versions of an atom say, as far as it can be read."""
    texts: set[int] = set()
    for row in versions_of(transaction, subject):
        with suppress(StoreDamaged):
            body = body_of(transaction, row.seq) if row.kind is Kind.PUT else None
            if body is not None and body.damage is None:
                texts.add(hash(body.members.get("value")))
    return texts
