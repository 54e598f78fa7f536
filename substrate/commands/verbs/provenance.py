"""Where atoms come from: record, why."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import NAME
from substrate.commands.readers import fraction, number

__all__ = ["RECORD", "WHY"]

RECORD = Command(
    "record",
    "save",
    "Run a cell, and save its result with where and of what it was made.",
    "Texts and numbers are kept as they are, dictionaries and lists as JSON. Of a data frame no rows are kept, but its "
    "columns, with the smallest and the largest value, or the most frequent one, of each; if the rows are the result, "
    'end the cell with `df.to_dict("records")`. The atom knows the notebook, the cell and the execution, with its '
    "code; a derived_from edge leads to each atom that the cell accessed: `%memory why NAME` shows them. What other "
    "threads access is not seen: access in the cell and compute in threads, or submit "
    "`contextvars.copy_context().run` with each task. Run again with the same result, it is confirmed.",
    (
        Example(
            "%%memory record --tag money v1.metric.gross\n"
            "net = 100  # or whatever the cell does: what its last line comes to is kept\n"
            "net * 1.19"
        ),
        Example("%memory record v1.metric.answer 6 * 7"),
    ),
    (
        argument(
            "said",
            "the name to save it under; and, on a line, an expression",
            metavar="NAME [EXPRESSION]",
            nargs="*",
            complete="name",
        ),
        option("--tag", metavar="TAG", repeatable=True, help="a tag; again for several"),
        option("--confidence", metavar="0..1", read=fraction, help="how sure"),
        option("--source", metavar="TEXT", help="where the data comes from"),
        flag("--allow-secrets", help="save what looks like a credential, too"),
    ),
    only=Face.NOTEBOOK,
)

WHY = Command(
    "why",
    "read",
    "Show where an atom comes from: what it was made of, in which cell, by whom.",
    "By edges that say so (derived_from, depends_on, produced_by, supersedes), back to what comes from nothing else. "
    "It tells what has changed since, and is therefore to be reviewed.",
    (Example("%memory why v1.metric.gross"),),
    (NAME, option("--depth", metavar="N", read=number, default=8, help="number of steps back (default: 8)")),
    only=Face.NOTEBOOK,
)
