"""A snapshot: one read transaction, and the moment that is asked about. The facade opens it, verbs receive it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from substrate.kv.api import ReadTransaction
from substrate.veil import bare

__all__ = ["Snapshot"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a read is of: everything in `transaction` up to the seq `upto` (None: now), as valid at a time.

    `valid_at` is that time in microseconds (None: any). `at` is when windows of edges are looked at: the time asked
    about, else that of `upto`, else now. It is good for as long as the transaction is open.
    """

    transaction: ReadTransaction
    upto: int | None
    valid_at: int | None
    at: int
    asked: int | None = None
    """The time that `upto` was given as; None if it was given otherwise. Messages say it."""

    @property
    def is_now(self) -> bool:
        """Whether it asks for what is known and holds now."""
        return self.upto is None and self.valid_at is None

    def bare(self) -> Snapshot:
        """The same with all there is: for what is kept in memory and shared by all who have the store open."""
        transaction = bare(self.transaction)
        return self if transaction is self.transaction else replace(self, transaction=transaction)

    def known_at(self, upto: int | None) -> Snapshot:
        """The same, but of what was known after another seq."""
        return replace(self, upto=upto)

    def holding_at(self, time: int) -> Snapshot:
        """The same, but of what holds at a time in the world."""
        return replace(self, valid_at=time, at=time)
