"""All verbs, in the order in which help and docs show them, and the groups they belong to."""

from __future__ import annotations

from argparse import Namespace

from substrate.cli import care, connect, copies, find, judge, learn, models, prove, read, save, serve
from substrate.cli.answer import Answer, Raw
from substrate.cli.completion import SHELLS, script
from substrate.cli.output import Output
from substrate.cli.verb import Example, Verb, argument

__all__ = ["GROUPS", "VERBS"]

GROUPS = {
    "save": "save",
    "read": "read",
    "find": "find",
    "learn": "learn what is needed",
    "judge": "judge what contradicts",
    "prove": "prove",
    "care": "care for the store",
    "serve": "serve agents",
    "shell": "use it in a shell",
}
"""Each group, with its heading."""


def _completion(given: Namespace, _: Output) -> Answer:
    text = script(given.shell, VERBS)
    return Answer({"shell": given.shell, "script": text}, (Raw(text),))


COMPLETION = Verb(
    "completion",
    "shell",
    "Print a script that lets a shell complete verbs, options and names.",
    "Put the line of the example that fits your shell into its start-up file. Names of atoms are read from the store "
    "when you press the tab key.",
    (
        Example("source <(substrate completion bash)", "for bash, in ~/.bashrc"),
        Example("substrate completion zsh > _substrate", "for zsh, in a folder of $fpath"),
        Example("substrate completion fish > substrate.fish", "for fish, in ~/.config/fish/completions"),
    ),
    (argument("shell", f"one of {', '.join(SHELLS)}", choices=SHELLS),),
    _completion,
)

VERBS: tuple[Verb, ...] = (
    save.CHECKPOINT,
    read.ACCESS,
    read.LIST,
    read.EDGES,
    read.HISTORY,
    read.DIFF,
    find.SEARCH,
    connect.CONTEXT,
    connect.ASSOCIATE,
    connect.STALE,
    models.INDEX,
    models.MODEL,
    learn.OBSERVE,
    learn.TRAIN,
    learn.PREDICT,
    learn.BOOTSTRAP,
    learn.WATCH,
    judge.CONFLICTS,
    judge.RESOLVE,
    prove.HEAD,
    prove.PIN,
    prove.KEY,
    prove.PROVE,
    prove.VERIFY,
    care.FORGET,
    care.STATS,
    care.FSCK,
    care.REBUILD,
    care.COMPACT,
    copies.EXPORT,
    copies.IMPORT,
    copies.BACKUP,
    copies.RESTORE,
    serve.MCP,
    serve.MCP_CONFIG,
    COMPLETION,
)
