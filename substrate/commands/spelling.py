"""How arguments are spelled in messages to those who type options: on the command line and in a line of `%memory`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["ARGUMENTS"]

_OPTIONS: Final = (
    *(
        "actor",
        "after",
        "as_of",
        "at",
        "confidence",
        "depth",
        "domain",
        "evidence_threshold",
        "expect",
        "floor",
        "high_impact",
    ),
    *(
        "horizon",
        "k",
        "keep",
        "least",
        "limit",
        "max_tokens",
        "min_score",
        "offset",
        "origin",
        "passes",
        "predictions",
        "seqs",
    ),
    *("confidence", "least"),
    *("every", "hops", "most", "root", "session", "source", "task", "title", "type", "valid_at", "walk", "whole"),
    *("create", "threshold", "undo", "unverified"),
    *("force", "half_life", "model", "order", "status", "strength", "used_since", "vault"),
)
_PLACES: Final = ("a", "b", "name", "names", "objective", "prefix", "query", "start", "stop", "text", "value")
"""Words that stand without an option, as the help of a verb shows them."""

ARGUMENTS: Final[Mapping[str, str]] = {
    **{name: "--" + name.replace("_", "-") for name in _OPTIONS},
    **{name: name.upper() for name in _PLACES},
    "all_domains": "--other-domain",
    "any_tags": "--any-tag",
    "atoms": "atoms",
    "before": "before",
    "by": "by",
    "context": "NAME",
    "direction": "--in or --out",
    "change": "change",
    "columns": "--column",
    "edges": "--edge",
    "entities": "--entity",
    "from_kind": "--from",
    "judged": "judged",
    "keys": "NAME",
    "kinds": "--kinds",
    "media_type": "media_type",
    "kind": "--kind",
    "minutes": "minutes",
    "on": "on",
    "part": "part",
    "passphrase": "the passphrase",
    "secret": "--secret-file",
    "sessions": "sessions",
    "since": "--happened-since",
    "tags": "--tag",
    "tombstones": "--tombstone",
    "unedges": "--unedge",
    "until": "--happened-until",
    "wait": "wait",
    "without_domains": "--no-domain",
    "without_tags": "--no-tag",
}
