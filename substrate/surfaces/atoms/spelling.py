"""What arguments, verbs and hints of messages are called to an agent: by the names of its tools, and what it can do."""

from __future__ import annotations

from typing import Final

from substrate.messages import Words
from substrate.text.quote import as_command

__all__ = ["WORDS", "words_for"]

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
    *("a", "b", "hops", "most", "walk"),
    *("query", "seqs", "session", "sessions", "since", "source", "start", "stop", "tags", "type", "until", "wait"),
    *("any_tags", "without_domains", "without_tags"),
)
"""Arguments that are spelled as in Python, or that no tool has."""

_ARGUMENTS: Final = {
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
}


def words_for(store: str | None) -> Words:
    """The words to those who work with the store in this folder: a command that the user can run says which it is."""

    def command(*words: str) -> str:
        return f"`{as_command('substrate', *words, *(() if store is None else ('--store', store)))}`"

    return Words(
        arguments=_ARGUMENTS,
        verbs={
            "checkpoint": "session_checkpoint",
            "conflicts": "memory_status",
            "edges": "fewer keys",
            "fsck": f"{command('fsck')} in a terminal, which only the user can",
            "index": f"{command('index')}, which the user can run,",
            "list": "memory_list_atoms",
            "rebuild": f"{command('rebuild')} in a terminal, which only the user can",
            "use_model": f"{command('model')}, which the user can run",
        },
        hints={
            "allow_secrets": f"to save it anyway, the user can run {command('checkpoint', '--allow-secrets')}",
            "import_full": "the user can give it to `substrate import --full`, which makes a new store",
            "index": "ask again soon",
            "prove_since": f"a proof that the user makes by {command('prove', 'NAME', '--since', 'FILE')}",
            "prove_trusting": f"a proof that the user makes by {command('prove', 'NAME', '--trusting', 'KEY')}",
            "watch": f"the user can allow it with {command('watch', 'on')}",
            "writable": "the user can start the server without --read-only",
        },
    )


WORDS: Final = words_for(None)
"""The same, where no store is known."""
