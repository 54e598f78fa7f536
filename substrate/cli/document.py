"""docs/cli.md, written from the verbs' data. `make docs` does it; a test holds the page to it."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill

from substrate.cli.catalogue import TITLES, VERBS
from substrate.cli.exits import EXITS
from substrate.cli.options import GLOBAL_OPTIONS
from substrate.cli.parser import usage
from substrate.commands.command import Command, Option

__all__ = ["page"]

_WIDTH = 120
_TOP = """\
# The command line

`substrate VERB ...` does what the Python verbs of the same names do. `substrate --help` lists them, and
`substrate VERB --help` explains one. This page is made from the same source by `make docs`.

## Which store

The first of these that applies:

1. `--store PATH`, before or after the verb.
2. The environment variable `SUBSTRATE_STORE`.
3. The nearest store from the working folder upwards, as git does: a folder `substrate-store` or `.substrate`.
4. `substrate-store` in the working folder.

The search upwards stops at your home folder and at the end of the file system. It follows no link, and refuses a store
of another user. `remember`, `checkpoint`, `ingest` and `import` create a missing store and say so. Verbs that only read
create nothing and write nothing. The signing key is outside the store, in `$SUBSTRATE_HOME` (default:
`~/.config/substrate`).

## What is printed

- **On a terminal**: tables and colours; no colours with `NO_COLOR`. Control characters in stored text are shown as
  escapes, never sent.
- **In a pipe**: plain text in UTF-8. `access` prints only the value. A table is one line for each item, with tabs
  between the columns. A cell has `\\\\`, `\\t`, `\\n` and `\\r` for a backslash, tab, newline or carriage return, and
  escapes such as `\\u202e` for invisible characters. Facts are lines of a label, a tab and a value.
- **With `--json`**: one JSON document on standard output. A list is an object with `items`. Empty fields are left out.
- **With `-o FILE`**: the answer goes to a file, in the form of a pipe. If the verb fails, no file is written.
- **Hints, progress and errors** go to standard error. With `--json` an error is
  `{"error": {"code": ..., "message": ..., "retryable": ...}}`, with `refused` for the items of a batch. `--quiet`
  leaves out reports, hints and progress.
- **Moments** (`--as-of`, `START`, `STOP`) have four forms. An entry number such as `12` means: after that entry. A time
  is ISO 8601, such as `2026-03-01` or `2026-03-01T12:00:00Z`. Words are `yesterday`, `2 weeks ago` or `last monday`.
  `@FILE` is a file with a pin or head. Times without a zone, and words, are in UTC. A hint tells how words were
  understood. `--valid-at` takes times and words.
- Messages never repeat a text that was refused as a credential.

"""


def page() -> str:
    """The whole page."""
    parts = [
        _TOP,
        "## With every verb\n\n",
        _table(GLOBAL_OPTIONS),
        "\n",
        "## Exit codes\n\n| code | means |\n|---|---|\n",
    ]
    parts += [f"| {code:d} | {_cell(words)} |\n" for code, words in EXITS.items()]
    for group, title in TITLES.items():
        parts.append(f"\n## Verbs: {title}\n")
        parts += [_verb(verb) for verb in VERBS if verb.group == group]
    return "".join(parts)


def _verb(verb: Command) -> str:
    examples = "\n".join(
        f"{item.command}\n    # {item.does}" + (f" (exit code {item.exit:d})" if item.exit else "")
        for item in verb.examples
    )
    options = "\n" + _table(verb.options) if verb.options else ""
    about = fill(_prose(verb.about), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"\n### {verb.name}\n\n{verb.summary}\n\n{about}\n\n    {usage(verb)}\n{options}\n```\n{examples}\n```\n"


def _prose(text: str) -> str:
    """As Markdown shows it: what looks like a tag or an escape is neither."""
    return text.replace("\\", "\\\\").replace("<", "\\<").replace("*", "\\*")


def _table(options: tuple[Option, ...]) -> str:
    rows = "".join(f"| `{_cell(item.spelling)}` | {_cell(item.help)}{_repeated(item)} |\n" for item in options)
    return f"| argument | what it is |\n|---|---|\n{rows}"


def _repeated(item: Option) -> str:
    return "; may be given several times" if item.repeatable else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
