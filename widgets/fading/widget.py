"""Fading: the curve of an atom, atoms that are due for review, and notes that a sweep would take.

To look counts as no access. A touch and a sweep are written as the memory's actor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import traitlets

from substrate.errors import InputError, NotFound
from substrate.limits import LIMITS

from ..assets import script, style
from ..linked import Linked
from ..picture import Row
from .answers import THRESHOLDS, atoms_shown, curve_shown, model_shown, swept_shown, touched_shown

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Fading"]

_SWEEP: Final = "sweep"
_SHOWS: Final = ("faded", "present", "due", _SWEEP)


class Fading(Linked):
    """`Fading(memory, selected="v1.fact.currency", show="due")`."""

    _esm = script(Path(__file__).parent)
    _css = style(Path(__file__).parent)
    _shows_learnt = True

    show = traitlets.Enum(_SHOWS, "faded", help="which atoms: faded, present, due, or sweep").tag(sync=True)
    limit = traitlets.Int(20, min=1, max=100, help="how many atoms a page has").tag(sync=True)
    offset = traitlets.Int(0, min=0, help="how many atoms are on the pages before").tag(sync=True)
    listed = traitlets.Dict(help="the atoms of the page, and how many there are; empty: not read yet").tag(sync=True)
    counts = traitlets.Dict(help="how many atoms each choice of `show` has").tag(sync=True)
    thresholds = traitlets.Dict(THRESHOLDS, help="the scores that mean something").tag(sync=True)
    curve = traitlets.Dict(help="the curve of the selected atom; of the first, if none is").tag(sync=True)
    writable = traitlets.Bool(default_value=False, help="whether the store is open for writing").tag(sync=True)
    looked = traitlets.Int(0, help="how often the page has asked for scores of now").tag(sync=True)
    touching = traitlets.Dict(help="which atom to touch, and whether to boost it").tag(sync=True)
    sweeping = traitlets.Dict(help="how many notes to sweep at most, and whether to archive them").tag(sync=True)
    done = traitlets.Unicode("", help="the result of the last touch or sweep").tag(sync=True)

    def __init__(self, memory: Memory, selected: str = "", **traits: object) -> None:
        """`memory` is used, not closed, by it."""
        self._numbers = count(1)
        super().__init__(memory, selected=selected, writable=not memory.to_dict()["read_only"], **traits)

    # -- for Python as for the page ------------------------------------------------------------------------------------

    def touch(self, name: str, *, boost: bool = False) -> None:
        """Touch an atom, in the widget's thread. Back at once; `done` says what came of it."""
        self.touching = {"name": name, "boost": boost, "number": next(self._numbers)}

    def sweep(self, most: int, *, archive: bool = False) -> None:
        """Take at most `most` faded notes out of use, in the widget's thread. Back at once; `done` tells the rest."""
        self.sweeping = {"most": most, "archive": archive, "number": next(self._numbers)}

    # -- what is shown -------------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        self._later("listed", self._look)

    @traitlets.observe("as_of", "limit", "offset", "looked")
    def _asked(self, _: object) -> None:
        self._refresh()

    @traitlets.observe("show")
    def _chosen(self, _: object) -> None:
        self._set({"offset": 0})
        self._refresh()

    @traitlets.observe("selected")
    def _picked(self, _: object) -> None:
        self._later("curve", lambda: self._curve(self.listed.get("items", [])), otherwise={"curve": {}})

    def _look(self) -> Mapping[str, object]:
        memory, show = self._memory, self.show
        order = "faded" if show == _SWEEP else show
        found = memory.fading(order=order, limit=self.limit, offset=self.offset, as_of=self.as_of)
        due = found if show == "due" else memory.fading(order="due", limit=1, as_of=self.as_of)
        every = memory.fading(limit=1, as_of=self.as_of) if show == "due" else found
        swept = memory.sweep(dry_run=True) if self.as_of is None else None
        items, total = atoms_shown(found.items), found.total
        if show == _SWEEP:
            items, total = ([], 0) if swept is None else (atoms_shown(swept.items), swept.total)
        counts = {"faded": every.total, "present": every.total, "due": due.total}
        told = {
            "listed": {"items": items, "total": total, "show": show, "model": model_shown(found.model)},
            "counts": counts if swept is None else counts | {_SWEEP: swept.total},
        }
        return told | self._curve(items)

    def _curve(self, items: Sequence[Mapping[str, Any]]) -> dict[str, object]:
        name = self.selected or (items[0]["name"] if items else "")
        if not name:
            return {"curve": {}}
        try:
            return {"curve": curve_shown(self._memory.fading_curve(name, as_of=self.as_of))}
        except (NotFound, InputError) as error:  # not there, or mistyped: said in its place
            return {"curve": {"name": name, "missing": str(error)}}

    # -- what is done --------------------------------------------------------------------------------------------------

    @traitlets.observe("touching")
    def _touched(self, change: Mapping[str, Any]) -> None:
        if change["new"]:
            self._each("touch", change["new"], self._touch, "Touching")

    def _touch(self, asked: Mapping[str, Any]) -> Mapping[str, object]:
        touched = self._memory.touch(asked.get("name", ""), boost=asked.get("boost") is True)
        return {"done": touched_shown(touched), **self._look()}

    @traitlets.observe("sweeping")
    def _swept(self, change: Mapping[str, Any]) -> None:
        if change["new"]:
            self._each("sweep", change["new"], self._sweep, "Sweeping")

    def _sweep(self, asked: Mapping[str, Any]) -> Mapping[str, object]:
        """As many as were shown, and no more: what has faded since is for the next time."""
        most = min(asked.get("most", 0), LIMITS["checkpoint_items"])
        swept = self._memory.sweep(archive=asked.get("archive") is True, limit=most)
        return {"done": swept_shown(swept), **self._look()}

    def _pictured(self) -> tuple[str, Sequence[Row]]:
        rows = [
            {"score": f"{one['score']:.3f}", "uses": one["uses"], "name": one["name"], "value": one["value"]}
            for one in self.listed.get("items", [])
        ]
        counts = self.counts
        said = f"{counts.get('faded', 0):,} atoms; {counts.get('due', 0):,} due for review"
        return f"{said}; a sweep would take {counts.get(_SWEEP, 0):,}", rows
