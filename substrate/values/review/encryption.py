"""What encrypting, unlocking and locking a domain answer. Frozen, without I/O."""

from __future__ import annotations

from dataclasses import dataclass

from substrate.result import Result

__all__ = ["Encrypted", "Locked", "Unlocked"]


@dataclass(frozen=True, slots=True, repr=False)
class Encrypted(Result):
    """A domain that is encrypted from now on; or, in a dry run, what would become of it."""

    domain: str
    dry_run: bool
    atoms: int = 0
    """Atoms that were saved as text, and are encrypted now."""
    dropped: int = 0
    """Atoms out of use: their text is forgotten, and not kept in another way."""
    versions: int = 0
    """Versions as text that are forgotten. Their history and their proofs go with them."""
    edges: int = 0
    """Edges that were stated again, between the encrypted atoms and others."""
    compacted: bool = True
    """Whether the bytes are gone from the store's files. If not, compact the store later."""


@dataclass(frozen=True, slots=True, repr=False)
class Unlocked(Result):
    """A domain whose atoms can be read from now on, by this process alone."""

    domain: str
    atoms: int = 0
    """Encrypted atoms of all domains that are unlocked."""
    refused: int = 0
    """Versions that do not open: they were changed, or belong to another atom. Access says so."""
    clashes: tuple[str, ...] = ()
    """Names of encrypted atoms that were also saved as text, while the domain was locked. The text is covered.

    Save one of the two under another name, or forget the name: that forgets both.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Locked(Result):
    """Domains whose keys and texts are gone from the memory of this process."""

    domains: tuple[str, ...] = ()
