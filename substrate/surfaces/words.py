"""What arguments, verbs and hints are called in messages to an agent. A surface says what is its own; the rest is here.

Arguments are spelled as the surface spells its own, snake_case or camelCase. A verb is the tool that does it, if that
is served; else the command by which the user can.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic.alias_generators import to_camel

from substrate.messages import Words
from substrate.text.quote import as_command

__all__ = ["ARGUMENTS", "agent_words"]

ARGUMENTS: Final = (
    *("a", "actor", "after", "all_domains", "any_tags", "as_of", "at", "atoms", "b", "before", "by", "columns"),
    *("change", "confidence", "create", "judged", "least", "minutes", "value"),
    *("context", "depth", "direction", "domain", "edges", "entities", "every", "evidence_threshold", "expect"),
    *("floor", "from_kind", "kinds"),
    *("high_impact", "hops", "horizon", "k", "keep", "keys", "kind", "limit", "max_tokens", "media_type"),
    *("min_score", "most", "name", "names", "objective", "offset", "on", "origin", "part", "passes"),
    *("predictions", "prefix", "query", "root", "seqs", "session", "sessions", "since", "source", "start"),
    *("stop", "tags", "task", "title", "tombstones", "type", "unedges", "until", "valid_at", "wait", "walk", "whole"),
    *("passphrase", "secret", "text", "threshold", "undo", "unverified", "without_domains", "without_tags"),
    *("force", "half_life", "model", "order", "status", "strength", "used_since", "vault"),
)
"""All that messages of the engine mark as one."""

_KEEPING: Final = {"conflicts": "memory_status", "stats": "memory_status"}
"""Verbs that the surface for all others has a tool for."""


def agent_words(
    store: str | None,
    tools: Mapping[str, str],
    *,
    camel: bool,
    arguments: Mapping[str, str],
    verbs: Mapping[str, str],
    phrases: Mapping[str, str] | None = None,
    nouns: Mapping[str, str] | None = None,
) -> Words:
    """The words to those who work with the store in this folder: a command that the user can run says which it is.

    `tools` has those that are served, as `Surface.words_for` gets them. `arguments` are those that are spelled
    otherwise than by the rule; `verbs` say which tool does it; `phrases` what is said in the place of a verb; `nouns`
    what "atom", "an atom" and "atoms" are called.
    """

    def command(*words: str) -> str:
        return f"`{as_command('substrate', *words, *(() if store is None else ('--store', store)))}`"

    served = {verb: tools[tool] for verb, tool in (_KEEPING | dict(verbs)).items() if tool in tools}
    return Words(
        arguments={name: to_camel(name) if camel else name for name in ARGUMENTS} | dict(arguments),
        verbs={
            "checkpoint": f"{command('checkpoint')}, which the user can run",
            "conflicts": f"{command('conflicts')}, which the user can run",
            "edges": f"{command('edges')}, which the user can run",
            "encrypt": f"{command('encrypt', 'DOMAIN')}, which only the user can run",
            "fsck": f"{command('fsck')} in a terminal, which only the user can",
            "groups": f"{command('groups')}, which the user can run",
            "index": f"{command('index')}, which the user can run,",
            "ingest": f"{command('ingest', 'PATH')}, which the user can run,",
            "list": f"{command('list')}, which the user can run",
            "proposals": f"{command('pending')}, which the user can run,",
            "rebuild": f"{command('rebuild')} in a terminal, which only the user can",
            "stats": f"{command('stats')}, which the user can run,",
            "unlock": "a notebook or a command of the user, who has the passphrase",
            "which": "a search",
            "use_model": f"{command('model')}, which the user can run",
        }
        | served
        | dict(phrases or {}),
        forget=lambda name: f"{command('forget', name)}, which only the user can decide",
        hints={
            "allow_secrets": f"to save it anyway, the user can run {command('checkpoint', '--allow-secrets')}",
            "forget_seqs": "a person can run substrate forget --seqs",
            "import_full": "the user can give it to `substrate import --full`, which makes a new store",
            "index": "ask again soon",
            "ingested": f"{tools.get('memory_search') or command('search', 'TEXT')} finds them",
            "prove_since": f"a proof that the user makes by {command('prove', 'NAME', '--since', 'FILE')}",
            "prove_trusting": f"a proof that the user makes by {command('prove', 'NAME', '--trusting', 'KEY')}",
            "unlock_forgotten": "",  # an agent cannot, and is not told what is encrypted
            "watch": f"the user can allow it with {command('watch', 'on')}",
            "writable": "the user can start the server without --read-only",
        },
        nouns=dict(nouns or {}),
    )
