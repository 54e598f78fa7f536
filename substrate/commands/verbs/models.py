"""Models that embed: index, model."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument

__all__ = ["INDEX", "MODEL"]

INDEX = Command(
    "index",
    "find",
    "Embed what is not embedded yet, so that it is found by meaning.",
    "An open memory does it in the background; a command ends too soon for that. It goes on where it was, also after "
    "it was interrupted. The first time on a machine, the model is exported, which takes about half a minute; nothing "
    "is fetched from the network.",
    (
        Example("substrate index", "embeds what is new since the last time"),
        Example("substrate index --json", "the same for programs"),
    ),
    only=Face.CLI,
)

MODEL = Command(
    "model",
    "find",
    "Show which model embeds, or choose another.",
    "Without an argument: the model that the store's log names, and how many versions wait to be embedded. With a name "
    "or a folder: that model embeds from here on, and the log says so. It must be on this machine already: a folder "
    "that sentence-transformers saved, an installed package that brings one, or one that was downloaded from the hub "
    "before. index embeds all versions with it; until that is done, search uses the vectors of before.",
    (
        Example("substrate model", "which one, and how far it is"),
        Example("substrate model all-MiniLM-L6-v2", "chooses the one that comes with Substrate"),
    ),
    (argument("spec", "the name or the folder of a model", metavar="MODEL", nargs="?", complete="folder"),),
    only=Face.CLI,
)
