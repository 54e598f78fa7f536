"""BootstrapPreview: what a session would open with, in which order and why; and conflicts, to be settled.

It begins no session, and nothing in it counts as an access. What it settles it writes as the memory's actor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

import traitlets

from substrate.errors import NotFound, SubstrateError

from ..assets import script, style
from ..picture import Row
from ..warming import Warming
from .answers import conflict_shown, opening_shown
from .settle import Verdict, settle

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.conflicts import Conflict

__all__ = ["BootstrapPreview"]

_DOMAIN: Final = "v1.domain."
_DOMAINS: Final = 500
_CONFLICTS: Final = 20
"""Shown at once; when some are settled, others come."""


class BootstrapPreview(Warming):
    """`BootstrapPreview(memory, "switch the payment provider", max_tokens=800)`."""

    _esm = script(Path(__file__).parent)
    _css = style(Path(__file__).parent)
    _shows_learnt = True

    objective = traitlets.Unicode("", help="the purpose of the session").tag(sync=True)
    max_tokens = traitlets.Int(1200, help="the budget of the opening in tokens, at least 50").tag(sync=True)
    domain = traitlets.Unicode("", help="the domain whose members count double; empty: none").tag(sync=True)
    high_impact = traitlets.Bool(default_value=False, help="only atoms with strong evidence").tag(sync=True)
    opening = traitlets.Dict(help="the opening of the session").tag(sync=True)
    domains = traitlets.List(traitlets.Unicode(), help="the domains there are").tag(sync=True)
    conflicts = traitlets.List(
        traitlets.Dict(), None, allow_none=True, help="open conflicts, the last first; None: not looked yet"
    ).tag(sync=True)
    more_conflicts = traitlets.Bool(default_value=False, help="whether there are more").tag(sync=True)
    verdict = traitlets.Dict(help="how to settle a conflict: see settling.Verdict").tag(sync=True)
    settled = traitlets.Dict(help="result of the last verdict: ok, text, number").tag(sync=True)

    def __init__(self, memory: Memory, objective: str = "", **traits: object) -> None:
        """`memory` is used, not closed, by it."""
        self._numbers = count(1)
        super().__init__(memory, objective=objective, **traits)

    def settle(self, first: str, second: str, seqs: tuple[int, int], do: str, **further: object) -> None:
        """As the page does it: keep one (`keep=`), both, or both in turn (`windows=`), for a `reason`. Back at once."""
        said = {"first": first, "second": second, "seqs": list(seqs), "do": do, **further}
        self.verdict = {**said, "at": next(self._numbers)}  # or the same one again would be no change of the trait

    def _pictured(self) -> tuple[str, Sequence[Row]]:
        sections = self.opening.get("sections", {})
        rows = [
            {"part": section, "name": atom["name"], "says": atom["value"], "why": atom["why"]}
            for section, atoms in sections.items()
            for atom in atoms
        ]
        used = f"{self.opening.get('tokens', 0):,} of {self.max_tokens:,} tokens"
        return f"for the objective: {self.objective}; {used}" if self.objective else used, rows

    def _refresh(self) -> None:
        self._open()
        self._later("conflicts", self._open_conflicts)

    @traitlets.observe("objective", "max_tokens", "domain", "high_impact")
    def _asked(self, _: object) -> None:
        self._open()

    def _open(self) -> None:
        self._later("opening", self._opening, "Opening")

    def _opening(self) -> Mapping[str, object]:
        opening = self._memory.bootstrap(
            self.objective,
            max_tokens=self.max_tokens,
            domain=self.domain or None,
            high_impact=self.high_impact,
            begin=False,
        )
        if opening.meaning:
            self._ask_when_warm(self._open)
        return {"opening": opening_shown(opening)}

    def _open_conflicts(self) -> Mapping[str, object]:
        found = self._memory.conflicts(limit=_CONFLICTS)
        domains = self._memory.list(_DOMAIN, limit=_DOMAINS)
        return {
            "conflicts": [self._conflict(conflict) for conflict in found],
            "more_conflicts": found.more,
            "domains": [atom.name for atom in domains],
        }

    def _conflict(self, conflict: Conflict) -> dict[str, object]:
        try:
            weighed = self._memory.weigh([conflict.first.name, conflict.second.name])
        except NotFound:  # gone since the conflicts were listed: they are listed anew soon
            weighed = ()
        return conflict_shown(conflict, weighed)

    @traitlets.observe("verdict")
    def _settle(self, change: Mapping[str, object]) -> None:
        said = change["new"]
        if isinstance(said, Mapping) and said:
            self._each("verdicts", said, self._settled, "Settling")

    def _settled(self, said: Mapping[str, object]) -> Mapping[str, object]:
        """It is told as soon as it is done, whatever becomes of the opening after it."""
        told: dict[str, object] = {"ok": False}
        try:
            told |= {"text": settle(self._memory, Verdict.of(said)), "ok": True}
        except SubstrateError as error:
            told["text"] = str(error)
        finally:  # the number: the page waits for a word on its verdict, and the same word twice would be none
            self._set({"settled": {**told, "number": next(self._numbers)}})
        self._refresh()
        return {}
