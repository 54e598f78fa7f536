"""All verbs, in the order in which help and docs show them, and the groups they belong to."""

from __future__ import annotations

from substrate.commands.command import Command, Face
from substrate.commands.verbs import (
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
    provenance,
    read,
    relate,
    save,
    shell,
    store,
)

__all__ = ["COMMANDS", "GROUPS", "commands_of", "is_elsewhere"]

GROUPS = {
    "store": "which store",
    "save": "save",
    "read": "read",
    "find": "find",
    "learn": "learn what is needed",
    "fade": "fade and keep",
    "judge": "judge what contradicts",
    "prove": "prove",
    "care": "care for the store",
    "serve": "serve agents",
    "shell": "use it in a shell",
}
"""Each group, with its heading."""

COMMANDS: tuple[Command, ...] = (
    store.OPEN,
    store.STATUS,
    save.REMEMBER,
    save.CHECKPOINT,
    save.EDIT,
    save.RENAME,
    save.REPLACE,
    save.MERGE,
    save.UNDO,
    relate.RELATE,
    documents.INGEST,
    provenance.RECORD,
    read.ACCESS,
    read.LIST,
    read.EDGES,
    read.HISTORY,
    read.DIFF,
    documents.DOCUMENT,
    provenance.WHY,
    find.SEARCH,
    find.WHICH,
    relate.CONTEXT,
    relate.PATH,
    relate.ASSOCIATE,
    relate.GROUPS,
    relate.VET,
    relate.STALE,
    entities.ENTITIES,
    entities.EXTRACT,
    find.CUES,
    find.EXPLORE,
    models.INDEX,
    models.MODEL,
    learn.OBSERVE,
    learn.TRAIN,
    learn.PREDICT,
    learn.BOOTSTRAP,
    learn.WATCH,
    learn.WATCH_CELLS,
    fading.TOUCH,
    fading.FADING,
    fading.DUE,
    fading.SWEEP,
    fading.PROMOTE,
    judge.CONFLICTS,
    judge.RESOLVE,
    judge.PENDING,
    relate.COMPARE,
    prove.HEAD,
    prove.PIN,
    prove.KEY,
    prove.PROVE,
    prove.VERIFY,
    care.FORGET,
    care.ENCRYPT,
    care.UNLOCK,
    care.LOCK,
    care.STATS,
    care.TIER,
    care.FSCK,
    care.REBUILD,
    care.COMPACT,
    garden.TEND,
    garden.TENDING,
    garden.PRUNE,
    copies.EXPORT,
    copies.IMPORT,
    copies.BACKUP,
    copies.RESTORE,
    shell.COMPLETION,
)


def commands_of(face: Face) -> tuple[Command, ...]:
    """The verbs of one face, as it has them."""
    return tuple(command.on(face) for command in COMMANDS if command.only in (None, face))


def is_elsewhere(word: str, face: Face) -> bool:
    """Whether this is a verb, but of another face alone."""
    return any(command.name == word and command.only not in (None, face) for command in COMMANDS)
