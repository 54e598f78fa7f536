"""Explorer: search as you type, facets, hits with their reasons, and all there is to know of one atom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets
from ipywidgets import widget_serialization

from substrate.errors import SubstrateError

from ..assets import script, style
from ..linked import Linked, link
from ..picture import Row, minute
from ..proof_viewer.widget import ProofViewer
from ..warming import Warming
from .answers import BEGINNING, WHOLE, Query, detail_of, find, offer, pending
from .change import Change, make

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Explorer"]

_HERE = Path(__file__).parent


class Explorer(Warming):
    """Searches a store, and shows an atom of it. To look at an atom here is no access that the model learns from."""

    _esm = script(_HERE)
    _css = style(_HERE)

    query = traitlets.Unicode("", help="the query; empty: the latest atoms").tag(sync=True)
    type = traitlets.Unicode("", help="only atoms of this type; empty: of all").tag(sync=True)
    domain = traitlets.Unicode("", help="only members of this domain; empty: whatever they belong to").tag(sync=True)
    tag = traitlets.Unicode("", help="only atoms with this tag; empty: with any or none").tag(sync=True)
    since = traitlets.Unicode("", help="only events from this day on, in UTC; empty: no limit").tag(sync=True)
    until = traitlets.Unicode("", help="only events up to this day, in UTC; empty: no limit").tag(sync=True)
    limit = traitlets.Int(30, min=1, max=100, help="how many hits a page has at most").tag(sync=True)
    offset = traitlets.Int(0, min=0, help="how many hits are on the pages before").tag(sync=True)
    whole = traitlets.Bool(default_value=False, help="whether a long value is shown beyond its beginning").tag(
        sync=True
    )
    offered = traitlets.Dict(help="types and domains to choose from, and how many atoms the store has").tag(sync=True)
    answer = traitlets.Dict(help="the hits, with the query that they answer").tag(sync=True)
    detail = traitlets.Dict(help="everything about the selected atom; empty: none is").tag(sync=True)

    pending = traitlets.Dict(help="proposals that wait for a person: items, more").tag(sync=True)
    writable = traitlets.Bool(default_value=False, help="whether the store is open for writing").tag(sync=True)
    change = traitlets.Dict(help="the change to make: see change.Change").tag(sync=True)
    changed = traitlets.Dict(help="result of the last change: ok, do, name, text, number").tag(sync=True)
    proving = traitlets.Bool(default_value=False, help="whether the proof of the selected atom is shown").tag(sync=True)
    proof = traitlets.Instance(Linked, None, allow_none=True, help="the proof viewer that shows it").tag(
        sync=True, **widget_serialization
    )

    def __init__(self, memory: Memory, query: str = "", **traits: object) -> None:
        """`memory` is used, not closed, by it. Any trait can be given."""
        self._numbers = count(1)
        super().__init__(memory, query=query, writable=not memory.to_dict()["read_only"], **traits)

    def add(self, value: str, name: str = "", tags: Sequence[str] = ()) -> None:
        """As the page does it: save a text, under a name that is made for it if none is given. Back at once."""
        self._wish({"do": "add", "value": value, "name": name, "tags": list(tags)})

    def edit(self, name: str, seq: int, value: str) -> None:
        """Give an atom another value, if `seq` is still its version. Back at once; `changed` says what came of it."""
        self._wish({"do": "edit", "name": name, "seq": seq, "value": value})

    def forget(self, name: str, seq: int) -> None:
        """Erase an atom for good, if `seq` is still its version. Nobody is asked. Back at once."""
        self._wish({"do": "forget", "name": name, "seq": seq})

    def close(self) -> None:
        """Let go of the page and of the store."""
        if self.proof is not None:
            self.proof.close()
        super().close()

    def _wish(self, said: Mapping[str, object]) -> None:
        self.change = {**said, "at": next(self._numbers)}  # or the same one again would be no change of the trait

    @traitlets.observe("change")
    def _changing(self, event: Mapping[str, object]) -> None:
        said = event["new"]
        if isinstance(said, Mapping) and said:
            self._each("changes", said, self._made, "Saving")

    def _made(self, said: Mapping[str, object]) -> Mapping[str, object]:
        told: dict[str, object] = {"ok": False, "do": said.get("do", ""), "name": said.get("name", "")}
        try:
            told |= {**make(self._memory, Change.of(said)), "ok": True}
        except SubstrateError as error:
            told["text"] = str(error)
        self._set({"changed": {**told, "number": next(self._numbers)}})
        if told["ok"] and said.get("do") in {"add", "edit"}:
            self._set({"selected": told["name"]})
        self._catch_up()
        if said.get("do") in {"accept", "decline"}:  # what waits is not in the log: nothing else tells that it changed
            self._later("pending", lambda: {"pending": pending(self._memory)}, otherwise={"pending": {}})
        return {}

    def _pictured(self) -> tuple[str, Sequence[Row]]:
        hits, total = self.answer.get("hits", ()), self.answer.get("total")
        caption = f"search: {self.query}" if self.query else "the newest first"
        rows = [
            {"name": hit["label"] or hit["name"], "says": hit["snippet"], "recorded": minute(hit["when"])}
            for hit in hits
        ]
        selected = f"; selected: {self.selected} = {value}" if (value := self.detail.get("value")) else ""
        return f"{caption}, {len(rows)}{f' of {total:,}' if total else ''} shown{selected}", rows

    @traitlets.observe("proving")
    def _prove(self, _: object = None) -> None:
        """The viewer is made when it is first asked for, and follows what is selected here."""
        if self.proving and self.proof is None:
            self.proof = ProofViewer(self._memory, selected=self.selected)
            link(self, self.proof)

    def _refresh(self) -> None:
        self._ask()
        self._look()
        self._later("offered", lambda: {"offered": offer(self._memory)})
        self._later("pending", lambda: {"pending": pending(self._memory)}, otherwise={"pending": {}})

    @traitlets.observe("query", "type", "domain", "tag", "since", "until", "as_of")
    def _ask_anew(self, _: object) -> None:
        """Another question begins with its first page."""
        if self.size >= 0:  # a page that is given with the first question is kept
            self.offset = 0
        self._ask()

    @traitlets.observe("limit", "offset")
    def _ask(self, _: object = None) -> None:
        failed: dict[str, object] = {}

        def work() -> dict[str, object]:
            asked = self._question()
            failed["answer"] = {"query": asked.query, "hits": [], "failed": True}
            return {"answer": self._found(asked)}

        self._later("answer", work, otherwise=failed)

    def _question(self) -> Query:
        """As it stands now."""
        with self._guard:
            which = (self.query, self.type, self.domain, self.tag, self.since, self.until, self.as_of)
            return Query(*which, limit=self.limit, offset=self.offset)

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
        failed: dict[str, object] = {}

        def work() -> dict[str, object]:
            with self._guard:
                name, as_of, characters = self.selected, self.as_of, WHOLE if self.whole else BEGINNING
            failed["detail"] = {"asked": name, "state": "failed"}
            return {"detail": detail_of(self._memory, name, as_of, characters) if name else {}}

        self._later("detail", work, otherwise=failed)
