"""Heads over time: what changed between any two, shown to belong to one history; and travel to any of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import traitlets

from substrate.result import iso
from substrate.values.times import from_microseconds

from ..assets import script, style
from ..linked import Linked
from ..picture import Row, minute
from .answers import between, erased_since, head, marks

__all__ = ["Timeline"]

_NOTHING: dict[str, object] = {"heads": [], "changes": {}, "badge": {}}


class Timeline(Linked):
    """Shows the heads of a store. One or two of them are `picked`, by size; of two, what lies between is told."""

    _esm = script(Path(__file__).parent)
    _css = style(Path(__file__).parent)

    axis = traitlets.Enum(["time", "entries"], "time", help="the unit of the axis").tag(sync=True)
    window: traitlets.List[int] = traitlets.List(
        traitlets.Int(), help="from where to where on the axis heads are shown: microseconds, or seqs; empty: all"
    ).tag(sync=True)
    picked: traitlets.List[int] = traitlets.List(traitlets.Int(), help="sizes of one or two heads").tag(sync=True)

    marks: traitlets.List[Any] = traitlets.List(help="heads, or runs of them, at their places").tag(sync=True)
    span = traitlets.Dict(help="the range of the axis: low, high, axis, and the newest size").tag(sync=True)
    heads: traitlets.List[Any] = traitlets.List(help="the picked heads, the older first").tag(sync=True)
    changes = traitlets.Dict(help="changes of atoms and edges between them").tag(sync=True)
    badge = traitlets.Dict(help="whether the newer log contains the older one").tag(sync=True)

    @traitlets.validate("window")
    def _ordered(self, proposal: Any) -> list[int]:  # noqa: ANN401 - as traitlets hands it over
        window: list[int] = proposal["value"]
        if window and (len(window) != 2 or not 0 <= window[0] <= window[1] < 2**53):  # noqa: PLR2004 - from, to
            raise traitlets.TraitError("a window is two places on the axis, the lower one first; or empty")
        return window

    _compared = 0
    """How many entries there were when the heads that are picked were compared."""

    def _pictured(self) -> tuple[str, Sequence[Row]]:
        rows = [
            {
                "head of size": mark["size"],
                "signed": minute(iso(from_microseconds(mark["time"]))),
                "entries": mark["entries"],
            }
            for mark in reversed(self.marks)
        ]
        return f"{self.span.get('size', 0):,} entries, the newest heads first", rows

    def _refresh(self) -> None:
        self._look()
        self._later("erased", self._without_what_was_erased)

    @traitlets.observe("axis")
    def _turn(self, _: object) -> None:
        self.window = []
        self._look()

    @traitlets.observe("window")
    def _look(self, _: object = None) -> None:
        def work() -> dict[str, object]:
            with self._guard:
                axis, window = self.axis, list(self.window)
            return marks(self._memory, axis, window)

        self._later("marks", work)

    @traitlets.observe("picked")
    def _compare(self, _: object = None) -> None:
        def picked() -> list[int]:
            return sorted(set(self.picked))[-2:]

        def work() -> dict[str, object]:
            sizes = picked()
            self._compared = self._memory.head().head.size
            found = {**_NOTHING, "heads": [head(self._memory, size) for size in sizes]}
            if len(sizes) == 2:  # noqa: PLR2004 - an older and a newer one
                self._set(found)  # at once: to compare them may take longer
                found |= between(self._memory, *sizes)
            return found

        self._later("between", work, "Comparing the two heads" if len(picked()) == 2 else "")  # noqa: PLR2004

    def _without_what_was_erased(self) -> dict[str, object]:
        """What lies between two heads is worked out once: it cannot change, but for what is erased from it."""
        size = self._memory.head().head.size
        erased = bool(self.changes) and erased_since(self._memory, self._compared)
        found = between(self._memory, *(each["size"] for each in self.heads)) if erased else {}
        self._compared = size
        return found
