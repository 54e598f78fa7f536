"""What arguments, verbs and hints of messages are called to an agent: by the names of its tools, and what it can do."""

from __future__ import annotations

from typing import Final

from substrate.messages import Words

__all__ = ["WORDS"]

_SAME: Final = (
    *("actor", "atoms", "before", "by", "context", "depth", "direction", "domain", "edges", "entities", "expect"),
    *(
        "floor",
        "horizon",
        "k",
        "keep",
        "keys",
        "kind",
        "limit",
        "objective",
        "on",
        "offset",
        "origin",
        "part",
        "passes",
        "predictions",
        "prefix",
    ),
    *("query", "seqs", "session", "sessions", "since", "source", "start", "stop", "tags", "type", "until", "wait"),
)
"""Arguments that are spelled as in Python, or that no tool has."""

WORDS: Final = Words(
    arguments={
        **{name: name for name in _SAME},
        "after": "offset",
        "all_domains": "allDomains",
        "as_of": "asOf",
        "at": "at",
        "evidence_threshold": "evidenceThreshold",
        "high_impact": "highImpact",
        "max_tokens": "maxTokens",
        "min_score": "minScore",
        "name": "key",
        "names": "keys",
        "task": "taskContext",
        "tombstones": "tombstone",
        "unedges": "unedge",
        "valid_at": "validAt",
    },
    verbs={
        "conflicts": "memory_status",
        "edges": "fewer keys",
        "fsck": "`substrate fsck` in a terminal, which only the user can",
        "index": "`substrate index`, which the user can run,",
        "list": "memory_list_atoms",
        "rebuild": "`substrate rebuild` in a terminal, which only the user can",
        "use_model": "`substrate model`, which the user can run",
    },
    hints={
        "allow_secrets": "to save it anyway, the user can run `substrate checkpoint --allow-secrets`",
        "import_full": "the user can give it to `substrate import --full`",
        "index": "ask again soon",
        "prove_since": "a proof that the user makes by `substrate prove NAME --since FILE`",
        "prove_trusting": "a proof that the user makes by `substrate prove NAME --trusting KEY`",
        "watch": "the user can allow it with `substrate watch on`",
        "writable": "the user can start the server without --read-only",
    },
)
