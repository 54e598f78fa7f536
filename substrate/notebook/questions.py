"""A question may end in a question mark.

To IPython a line that ends in `?` asks for help on its last word, also in `%memory search who pays?`. Such a line is
turned into the call that it means before IPython looks at it. `%memory?` and `%memory search?` still ask for help.
"""

from __future__ import annotations

import re

__all__ = ["keep_questions"]

_QUESTION = re.compile(r"(?P<before>\s*(?:[^\W\d]\w*\s*=\s*)?)%memory\s+(?P<line>[a-z_]+\s.*\?)\s*")


def keep_questions(lines: list[str]) -> list[str]:
    """The lines of a cell, with each `%memory VERB ... ?` as a call. What stands below `%%magic` stays as it is."""
    if not lines or lines[0].startswith("%%"):
        return lines
    return [_call(line) for line in lines]


def _call(line: str) -> str:
    found = _QUESTION.fullmatch(line)
    if found is None:
        return line
    return f"{found['before']}get_ipython().run_line_magic('memory', {found['line']!r})\n"
