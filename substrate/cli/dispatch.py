"""The function that does each verb of the command line."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from substrate.cli.answer import Answer
from substrate.cli.output import Output
from substrate.cli.verbs import (
    care,
    copies,
    documents,
    entities,
    fading,
    find,
    garden,
    judge,
    learn,
    models,
    prove,
    read,
    relate,
    save,
    shell,
)
from substrate.cli.verbs.agents import hooks, proposed, serve, tokens

__all__ = ["RUNS", "Run"]

Run: TypeAlias = Callable[[Namespace, Output], Answer]

RUNS: Mapping[str, Run] = MappingProxyType(
    {
        "remember": save.remember,
        "checkpoint": save.checkpoint,
        "edit": save.edit,
        "rename": save.rename,
        "replace": save.replace,
        "merge": save.merge,
        "undo": save.undo,
        "relate": relate.relate,
        "ingest": documents.ingest,
        "access": read.access,
        "list": read.list_atoms,
        "edges": read.edges,
        "history": read.history,
        "diff": read.diff,
        "document": documents.document,
        "search": find.search,
        "which": find.which,
        "context": relate.context,
        "path": relate.path,
        "associate": relate.associate,
        "groups": relate.groups,
        "vet": relate.vet,
        "stale": relate.stale,
        "entities": entities.entities,
        "extract": entities.extract,
        "cues": find.cues,
        "index": models.index,
        "model": models.model,
        "observe": learn.observe,
        "train": learn.train,
        "predict": learn.predict,
        "bootstrap": learn.bootstrap,
        "watch": learn.watch,
        "touch": fading.touch,
        "fading": fading.fading,
        "due": fading.due,
        "sweep": fading.sweep,
        "promote": fading.promote,
        "conflicts": judge.conflicts,
        "resolve": judge.resolve,
        "pending": judge.pending,
        "compare": relate.compare,
        "head": prove.head,
        "pin": prove.pin,
        "key": prove.key,
        "prove": prove.prove,
        "verify": prove.verify,
        "forget": care.forget,
        "encrypt": care.encrypt,
        "unlock": care.unlock,
        "stats": care.stats,
        "tier": care.tier,
        "fsck": care.fsck,
        "rebuild": care.rebuild,
        "compact": care.compact,
        "tend": garden.tend,
        "tending": garden.tending,
        "prune": garden.prune,
        "export": copies.export,
        "import": copies.import_lines,
        "backup": copies.backup,
        "restore": copies.restore,
        "mcp": serve.mcp,
        "mcp-config": serve.mcp_config,
        "surfaces": serve.surfaces,
        "token": tokens.token,
        "quota": tokens.quota,
        "hooks": hooks.hooks,
        "hook": hooks.hook,
        "transcript": hooks.transcript,
        "proposed": proposed.proposed,
        "completion": shell.completion,
    }
)
"""What does each verb, by its name."""
