"""What a caller may not come to know of: asked wherever names are looked up or suggested.

For now there is one policy, which hides nothing. A policy is in force within `under`, for this caller alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Protocol

__all__ = ["OPEN", "Policy", "in_force", "under"]


class Policy(Protocol):
    """Which atoms a caller may not come to know of."""

    def hides(self, subject: bytes) -> bool:
        """Whether the atom with this id is to be as if it were not there."""


class _Open:
    def hides(self, subject: bytes) -> bool:  # noqa: ARG002 - every policy is asked so
        return False


OPEN: Final[Policy] = _Open()
"""Hides nothing."""
_IN_FORCE: Final[ContextVar[Policy]] = ContextVar("substrate_policy", default=OPEN)


def in_force() -> Policy:
    """The policy for this caller."""
    return _IN_FORCE.get()


@contextmanager
def under(policy: Policy) -> Iterator[None]:
    """In the block this policy is in force for this caller."""
    before = _IN_FORCE.set(policy)
    try:
        yield
    finally:
        _IN_FORCE.reset(before)
