"""What arguments, verbs and hints of messages are called in a line of `%memory`; how counts are said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from substrate.commands.parser import nearest
from substrate.commands.spelling import ARGUMENTS
from substrate.messages import Words

__all__ = ["WORDS", "counted", "suggestion"]

WORDS: Final = Words(
    arguments=ARGUMENTS,
    verbs={
        **{
            name: f"`%memory {name}`"
            for name in ("checkpoint", "conflicts", "edges", "encrypt", "groups", "ingest", "list", "unlock", "which")
        },
        **{name: f"`substrate {name}` in a terminal" for name in ("fsck", "rebuild")},
        "index": "`memory.index()`",
        "proposals": "`%memory pending`",
        "use_model": "`memory.use_model()`",
    },
    save=lambda name: f"%memory checkpoint {name} = ...",
    forget=lambda name: f"`%memory forget {name}`",
    hints={
        "allow_secrets": "to save it anyway, repeat with --allow-secrets",
        "forget_seqs": "%memory forget --seqs",
        "import_full": "give it to `substrate import --full` in a terminal",
        "ingested": "--ingested shows them",
        "index": "`memory.index()` embeds all atoms",
        "prove_since": "a proof made by `%memory prove NAME --since FILE`, with the pin in FILE",
        "prove_trusting": "a proof made by `%memory prove NAME --trusting KEY`, with that key",
        "unlock_forgotten": ", unless it was encrypted: then read it with `%memory unlock`",
        "watch": "to allow it again, call memory.watch()",
        "writable": "open it with `substrate.open(path)` to write",
    },
)


def counted(count: int, word: str, words: str = "") -> str:
    """`1 atom`, `1,200 atoms`."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def suggestion(word: str, known: Sequence[str], guess: Callable[[str, Sequence[str]], str | None] = nearest) -> str:
    """The end of a message about a word that there is not: which was meant, perhaps, and which there are."""
    near = guess(word, known)
    meant = f". Did you mean {near}?" if near else "."
    return f"{meant} There are: {', '.join(known)}" if known else meant
