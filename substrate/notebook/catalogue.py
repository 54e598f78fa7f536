"""All verbs of `%memory`, in the order in which help lists them. A new verb is a declaration, and a function here."""

from __future__ import annotations

from types import MappingProxyType

from substrate.commands.catalogue import GROUPS, commands_of
from substrate.commands.command import Face
from substrate.notebook.verb import Verb
from substrate.notebook.verbs import (
    care,
    documents,
    entities,
    fading,
    find,
    garden,
    judge,
    learn,
    prove,
    provenance,
    read,
    relate,
    save,
    store,
)

__all__ = ["VERBS", "table"]

_ALL = (
    store.open_store,
    store.status,
    save.remember,
    save.checkpoint,
    documents.ingest,
    documents.document,
    save.rename,
    save.replace,
    save.merge,
    save.undo,
    provenance.record,
    provenance.why,
    read.access,
    read.list_atoms,
    read.edges,
    read.history,
    read.diff,
    find.search,
    find.which,
    find.cues,
    find.explore,
    relate.context,
    relate.path,
    relate.associate,
    relate.groups,
    relate.vet,
    relate.relate,
    relate.compare,
    entities.entities,
    entities.extract,
    learn.bootstrap,
    learn.train,
    learn.predict,
    learn.watch,
    fading.touch,
    fading.fading,
    fading.due,
    fading.sweep,
    fading.promote,
    judge.conflicts,
    judge.resolve,
    judge.pending,
    prove.prove,
    prove.verify,
    prove.pin,
    prove.key,
    care.forget,
    care.encrypt,
    care.unlock,
    care.lock,
    care.tier,
    garden.tend,
    garden.tending,
    garden.prune,
)
_BY_NAME = {verb.name: verb for verb in _ALL}

VERBS: MappingProxyType[str, Verb] = MappingProxyType(
    {command.name: _BY_NAME[command.name] for command in commands_of(Face.NOTEBOOK)}
)


def table() -> str:
    """Every verb with what it does, as `%memory?` shows it."""
    lines = ["`%memory VERB ...` works with the store of this notebook's folder.", ""]
    for group, title in GROUPS.items():
        verbs = [verb.command for verb in VERBS.values() if verb.command.group == group]
        if verbs:
            lines += [f"{title.capitalize()}:", *(f"  {verb.name:<11} {verb.summary}" for verb in verbs), ""]
    lines += [
        "`%memory VERB --help` explains one. Results are objects: `found = %memory search ...`, or `_` afterwards.",
        "To begin: `%memory open PATH`, then `%memory checkpoint v1.fact.x = what you know`.",
    ]
    return "\n".join(lines)
