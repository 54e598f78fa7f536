"""Transitions: what is needed after an atom, and what leads to it, as a graph that one walks through and trains.

To look counts as no access. What is trained here is written as the memory's actor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import traitlets

from substrate.errors import InputError, NotFound, SubstrateError
from substrate.learn.around import MOST, PARTS

from ..assets import script, style
from ..linked import Linked
from ..picture import Row
from ..work import Worker
from .answers import Shares, graph_shown, observed_shown, shares_of, trained_shown

if TYPE_CHECKING:
    from substrate.learn.observe import SessionInput
    from substrate.memory import Memory

__all__ = ["Transitions"]

_NAMES: Final = 8
"""That are offered to one who types."""
_TRAIL: Final = 200
"""Places that one can go back to."""
_FIRST: Final = 5
"""Atoms from which to begin, where none is selected: what sessions begin with."""


class Transitions(Linked):
    """`Transitions(memory, selected="v1.decision.ledger", part="next")`."""

    _esm = script(Path(__file__).parent)
    _css = style(Path(__file__).parent)
    _shows_learnt = True

    part = traitlets.Enum(("", *PARTS), "", help="the part of the model that speaks; empty: all").tag(sync=True)
    k = traitlets.Int(12, min=0, max=MOST, help="how many atoms on each side, at most").tag(sync=True)
    graph = traitlets.Dict(help="the neighbours of the selected atom; empty: none is selected").tag(sync=True)
    trail = traitlets.List(traitlets.Unicode(), help="where one was").tag(sync=True)
    place = traitlets.Int(-1, help="where on the trail one is").tag(sync=True)
    typed = traitlets.Unicode("", help="a part of a name, or words of what it says").tag(sync=True)
    names = traitlets.List(traitlets.Unicode(), help="names that match it").tag(sync=True)
    sequence = traitlets.List(traitlets.Unicode(), help="atoms picked for a training, in order").tag(sync=True)
    training = traitlets.Dict(help="the training: atoms, passes, objective").tag(sync=True)
    learnt = traitlets.Dict(help="result of the last training").tag(sync=True)

    def __init__(self, memory: Memory, selected: str = "", **traits: object) -> None:
        """`memory` is used, not closed, by it."""
        self._numbers = count(1)
        self._learner = Worker("substrate-learning")
        self._earlier: tuple[str, str, Shares] | None = None
        super().__init__(memory, selected=selected, **traits)

    # -- for Python as for the page ------------------------------------------------------------------------------------

    def train(self, atoms: Sequence[str], passes: int = 1, objective: str = "") -> None:
        """Train this sequence, in the widget's thread. Back at once; `learnt` says what came of it."""
        said = {"atoms": list(atoms), "passes": passes, "objective": objective}
        self.training = {**said, "number": next(self._numbers)}

    def take_in(self, sessions: Iterable[SessionInput]) -> None:
        """Learn from sessions of the past, as `Memory.observe` does, and show how far it is. Back at once."""
        self._each("sessions", list(sessions), self._observed, "Learning", self._learner, self._look_before)

    def wait(self, seconds: float = 30) -> bool:
        """Until nothing is being learnt nor worked out, or for so long; whether nothing is."""
        return self._learner.wait(seconds) and super().wait(seconds)

    def close(self) -> None:
        """Let go of the page and of the store. A running training still ends."""
        self._learner.close()
        super().close()

    # -- the graph -----------------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        self._later("graph", self._graph)

    @traitlets.observe("selected")
    def _moved_on(self, change: Mapping[str, object]) -> None:
        name = str(change["new"])
        here = self.trail[self.place] if 0 <= self.place < len(self.trail) else ""
        if name and name != here:
            trail = [*self.trail[: self.place + 1], name][-_TRAIL:]
            self._set({"trail": trail, "place": len(trail) - 1})
        self._refresh()

    @traitlets.observe("place")
    def _went(self, _: object) -> None:
        if 0 <= self.place < len(self.trail):
            self.selected = self.trail[self.place]

    @traitlets.observe("part", "k")
    def _asked(self, _: object) -> None:
        self._refresh()

    def _graph(self) -> Mapping[str, object]:
        name, part = self.selected, self.part
        if not name:
            first = self._memory.predict([], _FIRST, objective="", floor=0) or self._memory.list(limit=_FIRST)
            return {"graph": {"first": [one.name for one in first]}}
        try:
            around = self._memory.around(name, self.k, part=part or None)
        except (
            NotFound,
            InputError,
        ) as error:  # not in use, or mistyped: said in its place
            return {"graph": {"name": name, "missing": str(error)}}
        is_same = self._earlier is not None and self._earlier[:2] == (name, part)
        return {"graph": graph_shown(around, self._earlier[2] if self._earlier and is_same else None)}

    def _pictured(self) -> tuple[str, Sequence[Row]]:
        sides = (("before", "leads here"), ("after", "needed after"))
        rows = [
            {"atom": node["name"], "which": word, "probability": f"{node['probability']:.0%}"}
            for side, word in sides
            for node in self.graph.get(side, ())
        ]
        return self.selected, rows

    # -- names ---------------------------------------------------------------------------------------------------------

    @traitlets.observe("typed")
    def _typed(self, _: object) -> None:
        self._later("names", self._names)

    def _names(self) -> Mapping[str, object]:
        typed = self.typed.strip()
        if not typed:
            return {"names": []}
        found = list(self._memory.names_with(typed, limit=_NAMES))
        if not found:  # then it may be words of what it says
            found = [hit.name for hit in self._memory.search(typed[:200], limit=_NAMES)]
        return {"names": found}

    # -- training ------------------------------------------------------------------------------------------------------

    @traitlets.observe("training")
    def _train(self, change: Mapping[str, object]) -> None:
        said = change["new"]
        if isinstance(said, Mapping) and said:
            self._each("training", said, self._trained, "Training", self._learner, self._look_before)

    def _trained(self, said: Mapping[str, object]) -> Mapping[str, object]:
        try:
            atoms, passes = cast("Any", said.get("atoms", ())), cast("Any", said.get("passes", 1))  # train checks both
            trained = self._memory.train(atoms, passes, objective=str(said.get("objective", "")))
        except SubstrateError as error:
            return {"learnt": {"ok": False, "problem": str(error)}}
        self._refresh()
        return {"learnt": trained_shown(trained)}

    def _observed(self, sessions: Sequence[SessionInput]) -> Mapping[str, object]:
        def progress(done: int, total: int) -> None:
            self._set({"progress": done / total, "working": f"Taking in sessions: {done:,} of {total:,}"})
            self._refresh()  # one sees it learn

        return {"learnt": observed_shown(self._memory.observe(sessions, progress=progress))}

    def _look_before(self) -> None:
        """Keep what is around the atom now: what is learnt next is shown beside it, until one moves on."""
        name, part = self.selected, self.part
        with suppress(SubstrateError):
            self._earlier = name, part, shares_of(self._memory.around(name, self.k, part=part or None))
