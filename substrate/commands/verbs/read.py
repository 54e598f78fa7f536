"""Read: access, list, edges, history, diff."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import AS_OF, NAME, OFFSET, PREFIX, VALID_AT, limit
from substrate.commands.readers import moment, number

__all__ = ["ACCESS", "DIFF", "EDGES", "HISTORY", "LIST"]

ACCESS = Command(
    "access",
    "read",
    "Read one atom: as it is now, or as it was.",
    "--as-of goes back to what we knew at a moment, --valid-at to what was true in the world at a time. --proof also "
    "proves it: that this is the current version or, of an earlier moment, that it was recorded.",
    (
        Example("substrate access v1.fact.payment_provider", "prints Stripe"),
        Example("substrate access v1.fact.payment_provider --json --as-of 4", "everything about it, as of entry 4"),
        Example("substrate access v1.fact.payment_provider --proof provider.json", "also writes the proof into a file"),
        Example("%memory access v1.fact.payment_provider --proof"),
    ),
    (
        NAME,
        AS_OF,
        VALID_AT,
        option(
            "--predictions",
            metavar="N",
            read=number,
            default=5,
            help="maximum number of atoms to show that will probably be needed next (default: 5)",
        ),
        option(
            "--proof",
            metavar="FILE",
            help="write the proof to this file; - prints it instead of the value",
            complete="file",
            face=Face.CLI,
        ),
        flag("--proof", help="also prove it: the result's .proof", face=Face.NOTEBOOK),
    ),
    about_cli="In a pipe it prints the value and nothing else; on a terminal also what is known about it; with --json "
    "everything. What it depends on and has changed since, and what will probably be needed next, is a hint in a pipe. "
    "It writes nothing, so nothing is learnt from it: observe and train do that.",
    about_notebook="It belongs to the session of this kernel, which is learnt from. The result has `.value`, `.atom`, "
    "`.proof` and `.predictions`.",
)

LIST = Command(
    "list",
    "read",
    "List atoms by name.",
    "Those whose names begin with PREFIX, in the order of their names, without those out of use.",
    (
        Example("substrate list v1.fact.", "the atoms whose names begin so"),
        Example("substrate list --names --all", "every name, a line each"),
        Example("substrate list --as-of 2 --json", "what there was after entry 2, as JSON"),
        Example("%memory list v1.fact."),
    ),
    (
        PREFIX,
        limit(100),
        OFFSET,
        option("--after", metavar="NAME", help="go on after this name", complete="name"),
        flag("--all", help="all there are", face=Face.CLI),
        flag("--names", help="names only, a line each; of a name with unseen characters the id", face=Face.CLI),
        flag("--tombstoned", help="also those that were taken out of use"),
        flag("--superseded", help="also those that another one supersedes"),
        AS_OF,
        VALID_AT,
    ),
    about_cli="In a pipe each is a line of name, value, seq, time of recording and state, with tabs between; "
    "backslashes, tabs and line ends in a value are written as \\\\, \\t, \\n and \\r.",
)

EDGES = Command(
    "edges",
    "read",
    "Show the edges of an atom, from it and to it.",
    "It shows edges that are in force. An edge may point to a name that is not there yet; you can ask for such a name, "
    "too.",
    (
        Example("substrate edges v1.decision.ledger", "all its edges"),
        Example("substrate edges v1.fact.currency --in --type depends_on", "what depends on it"),
        Example("%memory edges v1.fact.currency --in --type depends_on"),
    ),
    (
        NAME,
        flag("--in", dest="into", help="only those that lead to it"),
        flag("--out", help="only those that lead from it"),
        option("--type", metavar="TYPE", help="only those of this type"),
        limit(1000),
        OFFSET,
        AS_OF,
        VALID_AT,
    ),
    about_cli="In a pipe each is a line of source, type, target, seq, when it holds, state and id.",
)

HISTORY = Command(
    "history",
    "read",
    "Show every version of an atom, oldest first.",
    "Tombstones are in it, and gaps where something was forgotten.",
    (
        Example("substrate history v1.fact.payment_provider", "its versions"),
        Example("substrate history v1.fact.payment_provider --json", "with everything that is known about each"),
        Example("%memory history v1.fact.payment_provider"),
    ),
    (NAME, limit(1000, "versions, the newest"), AS_OF, VALID_AT),
    about_cli="In a pipe each is a line of seq, time of recording, kind (put, tombstone, gap), actor, value, and when "
    "it holds.",
)

DIFF = Command(
    "diff",
    "read",
    "Show what became of atoms and edges between two moments.",
    "What changed after START, up to and including STOP (default: now). A moment is a seq, a time (ISO 8601, or words "
    "such as yesterday), or @FILE with a pin or head; a pin kept from last week shows what happened since.",
    (
        Example("substrate diff 1", "what happened after entry 1"),
        Example("substrate diff 2020-01-01 --prefix v1.fact. --json", "what became of the facts since then"),
        Example("%memory diff 2026-03-01"),
        Example("%memory diff 1 4 --prefix v1.fact."),
    ),
    (
        argument("start", "after this: a seq, a time, or @FILE", read=moment),
        argument("stop", "until this: the same (default: now)", nargs="?", read=moment),
        option("--prefix", metavar="PREFIX", default="", help="only names that begin so", complete="name"),
        VALID_AT,
    ),
    about_cli="In a pipe each change is a line of kind, name, value before and value after.",
)
