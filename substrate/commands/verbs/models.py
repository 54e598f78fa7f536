"""Models that embed: index, model."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument

__all__ = ["INDEX", "MODEL"]

INDEX = Command(
    "index",
    "find",
    "Embed new atoms, so that search finds them by meaning.",
    "Open stores embed in the background, but a single command ends too early for that. After an interruption, "
    "index continues. The first use on a machine prepares the model, which takes a few seconds. Nothing is "
    "downloaded.",
    (
        Example("substrate index", "embeds the atoms added since the last time"),
        Example("substrate index --json", "the same for programs"),
    ),
    only=Face.CLI,
    as_agent=False,
)

MODEL = Command(
    "model",
    "find",
    "Show which model embeds, or choose another.",
    "Without an argument it shows the store's model, and how many versions wait for embedding. With a name or a "
    "folder it chooses that model, and the log records it. The model must be on this machine already. It can be "
    "a folder saved by sentence-transformers, an installed package, or an earlier download from the hub. Run "
    "index to embed all versions with it. Until then, search uses the old vectors.",
    (
        Example("substrate model", "shows the model and the progress"),
        Example("substrate model all-MiniLM-L6-v2", "chooses the model that comes with Substrate"),
    ),
    (argument("spec", "the name or the folder of a model", metavar="MODEL", nargs="?", complete="folder"),),
    only=Face.CLI,
)
