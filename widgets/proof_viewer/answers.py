"""What the proof viewer tells the page, as plain dictionaries: the proof as a graph, its parts, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from substrate.errors import NotFound, ProofInvalid, RolledBack, StoreDamaged

from .change import change, parts
from .graph import draw
from .words import title, told, words

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.proof.bundle import Bundle
    from substrate.proof.note import VerifierKey

__all__ = ["COPIED", "NOTHING", "proof_of"]

COPIED = 200_000
"""Characters of a bundle up to which the page gets it, to be copied. A larger one is had in Python."""
NOTHING: dict[str, object] = {"nodes": [], "parts": [], "verdict": {}, "proof": ""}


def proof_of(memory: Memory, name: str, as_of: int | None, changed: str, most: int) -> dict[str, object]:
    """The proof of an atom, drawn and judged; `changed`: with a byte of this part changed. Raises as `Memory.prove`.

    A bundle of more than `most` characters is judged, and not told.
    """
    try:
        bundle = memory.prove(name) if as_of is None else _recorded(memory, name, as_of)
    except RolledBack as error:  # another copy is ahead: nothing is wrong with this one but its age
        return {**NOTHING, "verdict": {"ok": None, "headline": "Not proven", "words": str(error)}}
    except StoreDamaged as error:  # what it found false it does not even hand out
        return {**NOTHING, "verdict": {"ok": False, "headline": "Rejected", "words": str(error), "reason": "damaged"}}
    if bundle is None:
        said = (
            f"There was no {name} after entry {as_of}. That it was absent then cannot be proven: the map of names is "
            "kept as it is now. Go back to now for that proof."
        )
        return {**NOTHING, "verdict": {"ok": None, "headline": "Nothing to prove", "words": said}}
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
    return {"nodes": shown, "parts": listed, "verdict": verdict, "proof": text if len(text) <= most else ""}


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


def _side(part: str) -> str:
    kind = part.partition(".")[0]
    if kind in {"head", "signature"}:
        return "head"
    return "map" if kind.startswith("map") or kind in {"name", "record"} else "log"
