"""Read: access, list, edges, history, diff."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import AS_OF, DOMAIN, NAME, OFFSET, PREFIX, TAG, TYPE, VALID_AT, limit
from substrate.commands.readers import moment, number

__all__ = ["ACCESS", "DIFF", "EDGES", "HISTORY", "LIST"]

ACCESS = Command(
    "access",
    "read",
    "Read one atom: as it is now, or as it was.",
    "--as-of shows what the store knew at a moment. --valid-at shows what was true in the world at a time. "
    "--proof also writes a proof: that this is the current version, or that the earlier version was recorded.",
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
    about_cli="In a pipe it prints only the value; on a terminal also its fields; with --json everything. Hints name "
    "changed dependencies and the atoms that are probably needed next. It writes nothing, so the store learns "
    "nothing from it: use observe and train.",
    about_notebook="The store learns from the accesses of this kernel's session. The result has `.value`, `.atom`, "
    "`.proof` and `.predictions`.",
)

LIST = Command(
    "list",
    "read",
    "List atoms by name.",
    "Atoms in use whose names begin with PREFIX, in the order of their names.",
    (
        Example("substrate list v1.fact.", "atoms whose names begin with v1.fact."),
        Example("substrate list --type fact --tag plan", "facts with a tag"),
        Example("substrate list --names --all", "every name, a line each"),
        Example("substrate list --as-of 2 --json", "the atoms after entry 2, as JSON"),
        Example("%memory list v1.fact."),
    ),
    (
        PREFIX,
        limit(100),
        OFFSET,
        option("--after", metavar="NAME", help="continue after this name", complete="name"),
        TYPE,
        TAG,
        DOMAIN,
        flag("--all", help="every atom, without a limit", face=Face.CLI),
        flag("--names", help="names only, one per line; the id for a name with invisible characters", face=Face.CLI),
        flag("--tombstoned", help="also atoms that were taken out of use"),
        flag("--superseded", help="also atoms that another one supersedes"),
        AS_OF,
        VALID_AT,
    ),
    about_cli="In a pipe, each atom is a line of name, value, seq, time of recording and state. Tabs separate the "
    "columns. Backslashes, tabs and line ends in a value are written as \\\\, \\t, \\n and \\r.",
)

EDGES = Command(
    "edges",
    "read",
    "Show the edges of an atom, from it and to it.",
    "Shows the current edges. An edge may point to a name that does not exist yet, and NAME may be such a name.",
    (
        Example("substrate edges v1.decision.ledger", "all its edges"),
        Example("substrate edges v1.fact.currency --in --type depends_on", "atoms that depend on it"),
        Example("%memory edges v1.fact.currency --in --type depends_on"),
    ),
    (
        NAME,
        flag("--in", dest="into", help="only edges that lead to it"),
        flag("--out", help="only edges that lead from it"),
        option("--type", metavar="TYPE", help="only edges of this type"),
        limit(1000),
        OFFSET,
        AS_OF,
        VALID_AT,
    ),
    about_cli="In a pipe, each edge is a line of source, type, target, seq, time of validity, state and id.",
)

HISTORY = Command(
    "history",
    "read",
    "Show every version of an atom, oldest first.",
    "It includes tombstones (the atom went out of use) and gaps (a version was forgotten).",
    (
        Example("substrate history v1.fact.payment_provider", "its versions"),
        Example("substrate history v1.fact.payment_provider --json", "with all fields of each"),
        Example("%memory history v1.fact.payment_provider"),
    ),
    (NAME, limit(1000, "versions, the newest"), AS_OF, VALID_AT),
    about_cli="In a pipe, each version is a line of seq, time of recording, kind (put, tombstone, gap), actor, value "
    "and time of validity.",
)

DIFF = Command(
    "diff",
    "read",
    "Show the changes of atoms and edges between two moments.",
    "Changes after START, up to and including STOP (default: now). A moment is an entry number, a time (ISO "
    "8601, or words such as yesterday), or @FILE with a pin or head. With last week's pin you see the changes "
    "since.",
    (
        Example("substrate diff 1", "changes after entry 1"),
        Example("substrate diff 2020-01-01 --prefix v1.fact. --json", "changes of facts since then"),
        Example("%memory diff 2026-03-01"),
        Example("%memory diff 1 4 --prefix v1.fact."),
    ),
    (
        argument("start", "after this: an entry number, a time, or @FILE", read=moment),
        argument("stop", "until this: the same (default: now)", nargs="?", read=moment),
        option("--prefix", metavar="PREFIX", default="", help="only names that begin with this", complete="name"),
        VALID_AT,
        option("--limit", metavar="N", read=number, help="maximum number of changes, the latest (default: all)"),
    ),
    about_cli="In a pipe, each change is a line of kind, name, value before and value after.",
)
