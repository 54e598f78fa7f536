"""The proof of what an atom is, drawn; and what the verifier says when a byte of it is changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from substrate.errors import NotFound, ProofInvalid, RolledBack, StoreDamaged, SubstrateError

from ..assets import script, style
from ..linked import Linked
from ..picture import Row
from .change import change, parts
from .graph import draw
from .words import title, told, words

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.proof.bundle import Bundle
    from substrate.proof.note import VerifierKey

__all__ = ["ProofViewer"]

_COPIED = 200_000
"""Characters of a bundle up to which the page gets it, to be copied. A larger one is had in Python."""
_LINE = 64
"""Hex digits of a part in a still picture: those of a hash."""
_NOTHING: dict[str, object] = {"nodes": [], "parts": [], "verdict": {}, "proof": ""}


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
        name, as_of, changed = self.selected, self.as_of, self.changed

        def work() -> dict[str, object]:
            try:
                return _shown(self._memory, name, as_of, changed) if name else _NOTHING
            except SubstrateError:
                self._set(_NOTHING)  # or the proof of another atom would stand beside what went wrong
                raise

        self._later("proof", work)


def _shown(memory: Memory, name: str, as_of: int | None, changed: str) -> dict[str, object]:
    try:
        bundle = memory.prove(name) if as_of is None else _recorded(memory, name, as_of)
    except RolledBack as error:  # another copy is ahead: nothing is wrong with this one but its age
        return {**_NOTHING, "verdict": {"ok": None, "headline": "Not proven", "words": str(error)}}
    except StoreDamaged as error:  # what it found false it does not even hand out
        return {**_NOTHING, "verdict": {"ok": False, "headline": "Rejected", "words": str(error), "reason": "damaged"}}
    if bundle is None:
        said = (
            f"There was no {name} after entry {as_of}. That it was absent then cannot be proven: the map of names is "
            "kept as it is now. Go back to now for that proof."
        )
        return {**_NOTHING, "verdict": {"ok": None, "headline": "Nothing to prove", "words": said}}
    key = memory.key()
    verdict = _verdict(memory, bundle, name, as_of, key)
    nodes = draw(bundle, key)
    can_change = parts(bundle) if verdict["ok"] else []  # of what is false already, nothing is learnt by more of it
    listed = [{"id": part, "title": title(part, nodes), "side": _side(part)} for part in can_change]
    if changed not in can_change:
        shown = told(bundle, None, nodes, "", accepted=bool(verdict["ok"]))
    else:
        made = change(bundle, changed, key)
        bundle = made.bundle
        byte = f"byte {made.at + 1} of {title(changed, nodes)}"
        verdict = _verdict(memory, bundle, name, as_of, key)
        verdict["change"] = f"Changed {byte}: {made.before:02x} is now {made.after:02x}."
        shown = told(bundle, nodes, draw(bundle, key), changed, accepted=bool(verdict["ok"]))
    text = bundle.to_json()
    return {"nodes": shown, "parts": listed, "verdict": verdict, "proof": text if len(text) <= _COPIED else ""}


def _recorded(memory: Memory, name: str, as_of: int) -> Bundle | None:
    """That the version in force then was recorded; of one that was erased since, the forgetting. None if none was."""
    try:
        versions = memory.history(name, as_of=as_of, limit=1)
    except NotFound:
        return None
    if not versions:
        return None
    version = versions[-1]
    return memory.prove_entry(version.seq if version.forgotten_by is None else version.forgotten_by)


def _verdict(memory: Memory, bundle: Bundle, name: str, as_of: int | None, key: VerifierKey) -> dict[str, object]:
    """What the verifier says of the bundle's text, trusting this store's own key."""
    said: dict[str, object] = {"key": str(key), "signer": f"{key.name}+{key.key_id.hex()}"}
    try:
        verdict = memory.verify(bundle.to_json())
    except ProofInvalid as error:
        return {**said, "ok": False, "headline": "Rejected", "words": str(error), "reason": error.reason}
    return {**said, "ok": True, "headline": "Verified", "words": words(verdict, name, as_of), "claim": verdict.claim}


def _start(digits: str) -> str:
    """As much as a line of a still picture holds."""
    return digits if len(digits) <= _LINE else f"{digits[:_LINE]}…"


def _side(part: str) -> str:
    kind = part.partition(".")[0]
    if kind in {"head", "signature"}:
        return "head"
    return "map" if kind.startswith("map") or kind in {"name", "record"} else "log"
