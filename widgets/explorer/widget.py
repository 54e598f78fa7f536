"""Explorer: search as you type, facets, hits with their reasons, and all there is to know of one atom."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from ..assets import script, style
from ..warming import Warming
from .answers import BEGINNING, WHOLE, Query, detail_of, find, offer

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Explorer"]

_HERE = Path(__file__).parent


class Explorer(Warming):
    """Searches a store, and shows an atom of it. To look at an atom here is no access that the model learns from."""

    _esm = script(_HERE)
    _css = style(_HERE)

    query = traitlets.Unicode("", help="what is looked for; empty: what was recorded last").tag(sync=True)
    type = traitlets.Unicode("", help="only atoms of this type; empty: of all").tag(sync=True)
    domain = traitlets.Unicode("", help="only members of this domain; empty: whatever they belong to").tag(sync=True)
    tag = traitlets.Unicode("", help="only atoms with this tag; empty: with any or none").tag(sync=True)
    since = traitlets.Unicode("", help="only what happened from this day on, in UTC; empty: from ever").tag(sync=True)
    until = traitlets.Unicode("", help="only what happened up to this day, in UTC; empty: to now").tag(sync=True)
    limit = traitlets.Int(30, min=1, max=100, help="how many hits there are at most").tag(sync=True)
    whole = traitlets.Bool(default_value=False, help="whether a long value is shown beyond its beginning").tag(
        sync=True
    )
    offered = traitlets.Dict(help="types and domains to choose from").tag(sync=True)
    answer = traitlets.Dict(help="the hits, with the query that they answer").tag(sync=True)
    detail = traitlets.Dict(help="all there is to know of the selected atom; empty: none is").tag(sync=True)

    def __init__(self, memory: Memory, query: str = "", **traits: object) -> None:
        """`memory` is used, not closed, by it. Any trait can be given."""
        super().__init__(memory, query=query, **traits)

    def _refresh(self) -> None:
        self._ask()
        self._look()
        self._later("offered", lambda: {"offered": offer(self._memory)})

    @traitlets.observe("query", "type", "domain", "tag", "since", "until", "limit", "as_of")
    def _ask(self, _: object = None) -> None:
        asked = Query(
            self.query, self.type, self.domain, self.tag, self.since, self.until, self.as_of, limit=self.limit
        )
        failed = {"query": asked.query, "hits": [], "failed": True}
        self._later("answer", lambda: {"answer": self._found(asked)}, otherwise={"answer": failed})

    def _found(self, asked: Query) -> dict[str, object]:
        """The hits. The first that were found by words alone are looked for again once the model is up."""
        answer = find(self._memory, asked)
        if answer["by_words"]:
            self._ask_when_warm(self._ask)
        return answer

    @traitlets.observe("selected", "as_of", "whole")
    def _look(self, change: Any = None) -> None:  # noqa: ANN401 - traitlets' own
        if change is not None and change["name"] == "selected":
            self.whole = False
        name, as_of, characters = self.selected, self.as_of, WHOLE if self.whole else BEGINNING
        failed = {"asked": name, "state": "failed"}
        self._later(
            "detail",
            lambda: {"detail": detail_of(self._memory, name, as_of, characters) if name else {}},
            otherwise={"detail": failed},
        )
