"""A question may end in a question mark.

To IPython a line that ends in `?` asks for help on its last word, also in `%memory search who pays?`. Such a line is
turned into the call that it means before IPython looks at it. `%memory?` still asks for help, and `%memory search?`
for that on the verb.
"""

from __future__ import annotations

import re

__all__ = ["keep_questions"]

_QUESTION = re.compile(r"(?P<before>\s*(?:[^\W\d]\w*\s*=\s*)?)%memory\s+(?P<line>[a-z_]+\s.*\?)\s*")
_HELP = re.compile(r"(?P<before>\s*)%memory\s+(?P<verb>[a-z_]+)\?{1,2}\s*")


def keep_questions(lines: list[str]) -> list[str]:
    """The lines of a cell, with each `%memory VERB ... ?` as a call. Not below `%%magic`, nor in a long string."""
    if not lines or lines[0].startswith("%%"):
        return lines
    kept = []
    quotes = 0
    for line in lines:
        kept.append(line if quotes % 2 else _call(line))
        quotes += line.count('"""') + line.count("'''")
    return kept


def _call(line: str) -> str:
    if (found := _HELP.fullmatch(line)) is not None:
        meant = f"{found['verb']} --help"
    elif (found := _QUESTION.fullmatch(line)) is not None:
        meant = found["line"]
    else:
        return line
    return f"{found['before']}get_ipython().run_line_magic('memory', {meant!r})\n"
