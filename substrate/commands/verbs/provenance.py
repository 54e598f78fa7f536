"""Where atoms come from: record, why."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import NAME
from substrate.commands.readers import fraction, number

__all__ = ["RECORD", "WHY"]

RECORD = Command(
    "record",
    "save",
    "Run a cell and save its result, with its cell and its inputs.",
    "Texts and numbers are kept as they are, dictionaries and lists as JSON. Of a data frame it keeps no rows: "
    "it keeps the columns, each with its smallest and largest, or its most frequent value. To keep the rows, end "
    'the cell with `df.to_dict("records")`. The atom records the notebook, the cell, the execution and the '
    "code. A derived_from edge leads to each atom that the cell accessed: `%memory why NAME` shows them. "
    "Accesses in other threads are not seen. Access atoms in the cell itself, or submit "
    "`contextvars.copy_context().run` with each task. The same result again confirms the atom.",
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
        option("--tag", metavar="TAG", repeatable=True, help="a tag; repeat for several"),
        option("--confidence", metavar="0..1", read=fraction, help="how sure"),
        option("--source", metavar="TEXT", help="where the data comes from"),
        flag("--allow-secrets", help="also save texts that look like credentials"),
    ),
    only=Face.NOTEBOOK,
)

WHY = Command(
    "why",
    "read",
    "Show where an atom comes from: its inputs, its cell and its author.",
    "It follows derived_from, depends_on, produced_by and supersedes edges back to the first inputs. It also "
    "shows which inputs have changed since.",
    (Example("%memory why v1.metric.gross"),),
    (NAME, option("--depth", metavar="N", read=number, default=8, help="number of steps back (default: 8)")),
    only=Face.NOTEBOOK,
)
