"""What arguments, verbs and hints of messages are called on the command line."""

from __future__ import annotations

from typing import Final

from substrate.commands.spelling import ARGUMENTS
from substrate.messages import Words
from substrate.text.quote import as_command

__all__ = ["WORDS"]

WORDS: Final = Words(
    arguments=ARGUMENTS,
    verbs={
        **{
            name: f"`substrate {name}`"
            for name in (
                *("checkpoint", "conflicts", "edges", "encrypt", "fsck", "groups", "index", "ingest", "list"),
                *("rebuild", "which"),
            )
        },
        "proposals": "`substrate pending`",
        "unlock": "--unlock DOMAIN",
        "use_model": "`substrate model`",
    },
    save=lambda name: as_command("substrate", "checkpoint", f"{name} = ..."),
    forget=lambda name: f"`{as_command('substrate', 'forget', name)}`",
    hints={
        "allow_secrets": "to save it anyway, repeat with --allow-secrets",
        "forget_seqs": "substrate forget --seqs",
        "import_full": "give --full",
        "ingested": "--ingested shows them",
        "index": "`substrate index` embeds all atoms",
        "prove_since": "a proof made by `substrate prove NAME --since FILE`, with the pin in FILE",
        "prove_trusting": "a proof made by `substrate prove NAME --trusting KEY`, with that key",
        "unlock_forgotten": ", unless it was encrypted: then read it with --unlock DOMAIN",
        "watch": "to allow it again, type: substrate watch on",
        "writable": "this verb writes to it",
    },
)
