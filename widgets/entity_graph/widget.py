"""The graph of a domain's entities, or of all atoms, to be moved and zoomed. An edge opens its evidence.

A gardener's run is a diff. To look counts as no access. What is undone here is written as the memory's actor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import traitlets

from ..assets import script, style
from ..linked import Linked
from ..picture import Row
from .answers import changes_of, evidence_of, graph_shown, nodes_of, runs_shown

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.review.garden import EdgeMap, EntityMap

__all__ = ["EntityGraph"]

_MOST: Final = 300
"""Entities that a picture has room for."""


class EntityGraph(Linked):
    """`EntityGraph(memory, domain="handbook")`. `selected` is the name of an entity, as in the other widgets."""

    _esm = script(Path(__file__).parent)
    _css = style(Path(__file__).parent)

    of = traitlets.Enum(
        ("entities", "atoms"), "entities", help="the entities of a domain, or the atoms with most edges"
    ).tag(sync=True)
    domain = traitlets.Unicode("", help="which domain; empty: the first that has entities").tag(sync=True)
    domains: traitlets.List[str] = traitlets.List(traitlets.Unicode(), help="all domains with entities").tag(sync=True)
    limit = traitlets.Int(120, min=1, max=_MOST, help="how many nodes, at most").tag(sync=True)
    graph = traitlets.Dict(help="nodes and edges; empty: not read yet").tag(sync=True)
    edge = traitlets.Unicode("", help="the id of the edge whose evidence is open; empty: none is").tag(sync=True)
    evidence = traitlets.Dict(help="its evidence").tag(sync=True)
    runs: traitlets.List[Any] = traitlets.List(help="runs of the gardener, the last first").tag(sync=True)
    run = traitlets.Int(0, help="the run that is reviewed; 0: none is").tag(sync=True)
    changes: traitlets.List[Any] = traitlets.List(help="its changes").tag(sync=True)
    undoing = traitlets.Dict(help="which run to undo").tag(sync=True)
    undone = traitlets.Unicode("", help="the result of the last undo").tag(sync=True)

    def __init__(self, memory: Memory, domain: str = "", **traits: object) -> None:
        """`memory` is used, not closed, by it."""
        self._numbers = count(1)
        self._map: EntityMap | EdgeMap | None = None
        super().__init__(memory, domain=domain, **traits)

    def undo(self, run: int) -> None:
        """Take a run back, in the widget's thread. Back at once; `undone` says what came of it."""
        self.undoing = {"run": run, "number": next(self._numbers)}

    def _refresh(self) -> None:
        self._later("graph", self._graph)

    @traitlets.observe("domain", "of", "limit")
    def _asked(self, change: Mapping[str, Any]) -> None:
        if change["name"] == "of" or (change["name"] == "domain" and change["old"]):
            self._set({"edge": "", "run": 0})
        self._refresh()

    def _graph(self) -> Mapping[str, object]:
        memory, wanted = self._memory, self.domain
        found = memory.entity_map(wanted or None, limit=self.limit)
        if not wanted and not found.entities and found.domains:
            wanted = found.domains[0]
            found = memory.entity_map(wanted, limit=self.limit)
        told: dict[str, object] = {"domains": list(found.domains)}
        if self.of == "atoms" or not (wanted or found.domains):  # without entities, the map of all edges
            self._map = memory.edge_map(limit=self.limit)
            told |= {"runs": []}
        else:
            self._map = found
            told |= {"runs": runs_shown(memory.tending(found.domain))}
        return told | {"graph": graph_shown(self._map)} | self._evidence() | self._changes(told["runs"])

    @traitlets.observe("edge")
    def _opened(self, _: object) -> None:
        self._later("evidence", self._evidence, otherwise={"evidence": {}})

    def _evidence(self) -> dict[str, object]:
        found = self._map
        edge = None if found is None else next((one for one in found.items if one.id == self.edge), None)
        if found is None or edge is None:
            return {"evidence": {}}
        labels = {node.id: node.label for node in nodes_of(found)}
        return {"evidence": evidence_of(self._memory, edge, labels)}

    @traitlets.observe("run")
    def _reviewed(self, _: object) -> None:
        self._later("changes", lambda: self._changes(self.runs), otherwise={"changes": []})

    def _changes(self, runs: object) -> dict[str, object]:
        listed = runs if isinstance(runs, list) else []
        seqs: list[int] = next((one["seqs"] for one in listed if one["run"] == self.run), [])
        return {"changes": changes_of(self._memory, *seqs) if seqs else []}

    @traitlets.observe("undoing")
    def _undo(self, _: object) -> None:
        run = self.undoing.get("run")

        def work() -> dict[str, object]:
            done = self._memory.tend(undo=run if isinstance(run, int) else 0)
            out, back = len(getattr(done, "unedged", ())), len(getattr(done, "revived", ()))
            told = f"Run {run} is undone: {out} edges taken back, {back} entities in use again."
            return {"undone": told, **self._graph()}

        self._later("undo", work, "Undoing", otherwise={"undone": ""})

    def _pictured(self) -> tuple[str, Sequence[Row]]:
        nodes = self.graph.get("nodes", [])
        rows = [
            {"source": nodes[edge["source"]]["label"], "type": edge["type"], "target": nodes[edge["target"]]["label"]}
            for edge in self.graph.get("edges", [])
        ]
        domain = self.graph.get("domain", "")
        what = f"{domain}: {len(nodes)} entities" if domain else f"{len(nodes)} atoms"
        return f"{what}, {len(rows)} edges", rows
