"""The verbs that show: widgets of an open store, for notebooks. `Memory` has them.

The engine does not know the widgets, which know it: they are looked up by name, when one is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from substrate.log.log import Log
from substrate.model import Name
from substrate.results import Tabular

__all__ = ["Showing"]


class Showing(Tabular):
    """What an open store shows of itself in a notebook. All widgets of it are linked by `substrate_widgets.link`."""

    _log: Log
    _actor: str | None
    _read_only: bool

    def to_dict(self) -> dict[str, object]:
        """Which store it is, and who works in it. How much it holds, `stats` counts."""
        actor = {} if self._actor is None else {"actor": self._actor}
        return {"store": str(self._log.path), **actor, "read_only": self._read_only}

    def explore(self, query: str = "", **traits: Any) -> Any:  # noqa: ANN401 - a widget, of a class not known here
        """Search as you type, narrow down, and see all there is to know of an atom."""
        return self._widget("Explorer", query=query, **traits)

    def show_proof(self, name: Name, **traits: Any) -> Any:  # noqa: ANN401
        """The proof of what an atom is, drawn from leaf to signed head; change a byte, and see where it breaks."""
        return self._widget("ProofViewer", selected=name, **traits)

    def preview(self, objective: str = "", **traits: Any) -> Any:  # noqa: ANN401
        """What a session with this objective would open with, in which order and why; and conflicts to settle."""
        return self._widget("BootstrapPreview", objective=objective, **traits)

    def transitions(self, name: Name = "", **traits: Any) -> Any:  # noqa: ANN401
        """What is needed after what, as a graph around one atom."""
        return self._widget("Transitions", selected=name, **traits)

    def timeline(self, **traits: Any) -> Any:  # noqa: ANN401
        """The store's heads over time: what changed between any two, and travel to any of them."""
        return self._widget("Timeline", **traits)

    def _widget(self, kind: str, **traits: object) -> object:
        made: object = getattr(import_module("substrate_widgets"), kind)(self, **traits)
        return made
