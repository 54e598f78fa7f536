"""Proofs, pins, keys and verdicts, as HTML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from substrate.notebook.display.markup import Child, badge, facts, footer, h, name, stored
from substrate.notebook.display.style import page
from substrate.notebook.spelling import counted

if TYPE_CHECKING:
    from substrate.proof.bundle import Bundle
    from substrate.proof.head import Head, Pin
    from substrate.proof.note import VerifierKey
    from substrate.proof.verify import Verdict

__all__ = ["bundle", "key", "pin", "verdict"]


def bundle(result: Bundle) -> str:
    """What is claimed, and by what it is shown."""
    origin, size = [*result.head.split("\n"), ""][:2]
    proven = result.entry
    return page(
        [badge(f"proof: {result.claim}", "plain"), name(result.name) if result.name is not None else None],
        facts(
            {
                "value": _value(None if result.opening is None else result.opening.body.decode("utf-8", "replace")),
                "entry": f"{proven.seq}, {counted(len(proven.path), 'hash', 'hashes')} to the root" if proven else None,
                "map": f"{counted(len(result.map.path), 'hash', 'hashes')} to the root" if result.map else None,
                "since": f"size {result.since.size:,}" if result.since else None,
                "head": f"{origin} at size {size}",
            }
        ),
        footer("a claim, not checked yet: %memory verify _", "the file's text: str(_)"),
    )


def verdict(result: Verdict) -> str:
    """What was established, and on whose word."""
    word = badge("verified", "good") if result.trusted else badge("consistent, origin untrusted")
    return page(
        [word, f"{result.claim} ", name(result.name) if result.name is not None else None],
        facts(
            {
                "value": _value(result.body),
                "entry": None if result.seq is None else str(result.seq),
                "contains": None if result.since is None else f"the first {result.since.size:,} entries, unchanged",
                "head": _head(result.head),
                "checked by": None if result.against is None else h("bdi", result.against),
            }
        ),
        footer("" if result.trusted else "anyone could have made it: give --key or --pin"),
    )


def pin(result: Pin) -> str:
    """A head to be kept."""
    said = {"head": _head(result.head), "key": h("bdi", str(result.key), css="ss-name")}
    return page("pin", facts(said), footer("keep it where the store's owner cannot change it: str(_), or -o FILE"))


def key(result: VerifierKey) -> str:
    """A key, to be copied."""
    return page("verifier key", h("div", h("bdi", str(result), css="ss-name")))


def _head(head: Head) -> Child:
    root = h("span", head.root.hex()[:16], css="ss-name", title=head.root.hex())
    return [h("bdi", head.origin), f" at size {head.size:,}, root ", root]


def _value(body: str | None) -> Child:
    """The value in a body; None if there is none. What cannot be read is not shown: a proof may be of anyone."""
    try:
        said = json.loads(body) if body is not None else None
    except (ValueError, RecursionError):
        return None
    value = said.get("value") if isinstance(said, dict) else None
    return stored(value) if isinstance(value, str) else None
