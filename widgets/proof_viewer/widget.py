"""The proof of what an atom is, drawn; and what the verifier says when a byte of it is changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import traitlets

from substrate.errors import SubstrateError

from ..assets import script, style
from ..linked import Linked
from ..picture import Row
from .answers import COPIED, NOTHING, proof_of

__all__ = ["ProofViewer"]

_LINE = 64
"""Hex digits of a part in a still picture: those of a hash."""


class ProofViewer(Linked):
    """Shows the proof of `selected`, from what was said up to the signed head."""

    _esm = script(Path(__file__).parent)
    _css = style(Path(__file__).parent)

    changed = traitlets.Unicode("", help="the part of which a byte is changed; empty: none").tag(sync=True)
    nodes: traitlets.List[Any] = traitlets.List(help="each part and each hash, with what it follows from").tag(
        sync=True
    )
    parts: traitlets.List[Any] = traitlets.List(help="the parts that can be changed").tag(sync=True)
    verdict = traitlets.Dict(help="the verdict of the verifier").tag(sync=True)
    proof = traitlets.Unicode("", help="the text of the bundle that is shown, changed or not").tag(sync=True)

    def _pictured(self) -> tuple[str, Sequence[Row]]:
        said = f"{self.verdict.get('headline', '')} {self.verdict.get('words', '')}".strip()
        rows = [{"part": node["title"], "value": _start(node["bytes"])} for node in self.nodes]
        return said or self.selected, rows

    @traitlets.observe("selected", "as_of")
    def _asked(self, _: object) -> None:
        self.changed = ""
        self._refresh()

    @traitlets.observe("changed")
    def _refresh(self, _: object = None) -> None:
        def work() -> dict[str, object]:
            with self._guard:
                name, as_of, changed = self.selected, self.as_of, self.changed
            try:
                return proof_of(self._memory, name, as_of, changed, COPIED) if name else NOTHING
            except SubstrateError:
                self._set(NOTHING)  # or the proof of another atom would stand beside what went wrong
                raise

        self._later("proof", work)


def _start(digits: str) -> str:
    """As much as a line of a still picture holds."""
    return digits if len(digits) <= _LINE else f"{digits[:_LINE]}…"
