"""What a reader gives: one line of a plain export, and where in the file it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from substrate.errors import InputError
from substrate.values.saved import Refused
from substrate.views.touches import Touch

__all__ = ["KINDS", "Broken", "Fields", "Line", "Lines", "Read", "at_line"]

KINDS: Final = {"put": "atoms", "tombstone": "tombstones", "edge": "edges", "unedge": "unedges"}
"""What a line can say, and the argument of a checkpoint that takes it."""
Fields: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class Line:
    """An atom, an edge or the end of one, as a checkpoint takes it, with its place in the file."""

    number: int
    kind: str
    fields: Fields
    size: int
    """Characters, about: checkpoints are made of lines up to some size."""
    read: int = 0
    """How much of the file was read by then, in the unit of `Lines.total`."""
    touches: tuple[Touch, ...] = ()
    """How an atom was used before; of no atom yet."""
    recorded_at: int | None = None
    """When it was recorded in the store that it comes from, if that is said: microseconds since 1970."""
    is_dated: bool = False
    """Whether its `occurred_at` is when it was recorded, and the line itself has none."""
    took_back: frozenset[int] | None = None
    """Of an end that an undo recorded, which left nothing: when that was recorded. A store without it needs no end."""
    shared_name: str | None = None
    """The name that it gives, if a line before it has that name with another text: then it got a name of its own."""

    @property
    def key(self) -> object:
        """What it is about: a name, or the two ends and the type of an edge."""
        if self.kind in ("put", "tombstone"):
            return self.fields["name"]
        return tuple(str(self.fields.get(word)) for word in ("source", "type", "target"))


Read: TypeAlias = Line | Refused
"""A line, or what of the file is no line, and why."""


class Lines(NamedTuple):
    """What is in a file."""

    lines: Iterator[Read]
    total: int
    """Of all `Line.read`; 0 if it is not known."""


class Broken(Exception):
    """A file that ends too early, or goes on as something else: what is wrong, and what to do."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what)
        self._what, self._advice = what, advice

    def told(self, saved: int) -> InputError:
        """The same as an error of ours, given the last line that is saved (0: none is)."""
        before = f"lines up to {saved:,} are saved" if saved else "nothing was saved"
        return InputError(f"{self._what}; {before}. {self._advice}")


def at_line(number: int, code: str, reason: str) -> Refused:
    """What is told of a line that cannot be taken."""
    return Refused(f"line {number}", code, reason)
