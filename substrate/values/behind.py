"""A store that is behind: this machine has signed more of its log, or another one, in another copy of its folder."""

from __future__ import annotations

from dataclasses import dataclass

from substrate.result import Result

__all__ = ["Behind", "BehindWarning"]


class BehindWarning(UserWarning):
    """The store that was opened is behind. It can be read; writing and proving what is current raise RolledBack."""


@dataclass(frozen=True, slots=True, repr=False)
class Behind(Result):
    """A store that is behind, and how to repair it. As text, it is the message that users see."""

    store: str
    size: int
    root: str
    """Of the log here, at `known_size` if it reaches so far."""
    known_size: int
    known_root: str
    """The value that the high-water mark remembers."""
    forked: bool
    """Whether this log holds what the other one does not: two histories, not an older state of one."""
    ahead: str | None
    """The folder that was signed last; None if it is not known. It may be this one, if that was rolled back."""
    is_there: bool
    """Whether a store of this log is still in `ahead`."""
    command: str
    """The command that continues from here as a separate store."""

    def __str__(self) -> str:
        return f"{self.happened} {self.remedy}"

    @property
    def happened(self) -> str:
        """The problem, and the verbs that still work."""
        if self.forked and self.root == self.known_root:
            told = (
                f"{self.store} forked: at size {self.known_size:,} its map of names differs from the one that was "
                f"signed{self._where}."
            )
        elif self.forked:
            told = (
                f"{self.store} forked: at size {self.known_size:,} it has root {self.root[:16]}, and root "
                f"{self.known_root[:16]} was signed{self._where}."
            )
        else:
            told = (
                f"{self.store} is behind: it has {self.size:,} entries, and {self.known_size:,} were signed"
                f"{self._where}."
            )
        return f"{told} You can read it. Writing to it and proving what is current are refused."

    @property
    def remedy(self) -> str:
        """The remedy: commands to type."""
        if self.ahead == self.store:
            newer = "If the newer data still exists, bring it back. "
        elif self.ahead is not None and self.is_there:
            newer = f"To use the newer copy, open {self.ahead}. "
        else:
            newer = "If the newer copy still exists, use that one. "
        return f"{newer}To go on from this one as a store of its own, type: {self.command}"

    @property
    def _where(self) -> str:
        if self.ahead is None:
            return " in another copy"
        if self.ahead == self.store:
            return " in this folder, which was rolled back since"
        return f", last in {self.ahead}" + ("" if self.is_there else ", which is gone")
