"""A question may end in a question mark.

To IPython a line that ends in `?` asks for help on its last word, also in `%memory search who pays?`. Such a line is
turned into the call that it means before IPython looks at it. `%memory?` still asks for help, and `%memory search?`
for that on the verb.
"""

from __future__ import annotations

import re
from tokenize import DEDENT, INDENT, TokenInfo

from IPython.core.inputtransformer2 import TokenTransformBase

__all__ = ["Question"]

_QUESTION = re.compile(r"(?P<before>\s*(?:[^\W\d]\w*\s*=\s*)?)%memory\s+(?P<line>[a-z_]+\s.*\?)\s*")
_HELP = re.compile(r"(?P<before>\s*)%memory\s+(?P<verb>[a-z_]+)\?{1,2}\s*")


class Question(TokenTransformBase):  # type: ignore[misc, unused-ignore]
    """A line `%memory VERB ... ?` of code. By tokens, so that what stands in a string or a comment is left alone."""

    priority = 4
    """Before IPython's own help."""

    def __init__(self, start: tuple[int, int], call: str) -> None:
        super().__init__(start)  # type: ignore[no-untyped-call]
        self._call = call

    @classmethod
    def find(cls, tokens_by_line: list[list[TokenInfo]]) -> Question | None:
        """The first such line of a cell."""
        for line in tokens_by_line:
            first = next((token for token in line if token.type not in (INDENT, DEDENT)), None)
            if first is not None and (call := _call(first.line)) is not None:
                return cls(first.start, call)
        return None

    def transform(self, lines: list[str]) -> list[str]:
        """The lines, with that one as the call that it means."""
        return [*lines[: self.start_line], self._call, *lines[self.start_line + 1 :]]


def _call(line: str) -> str | None:
    if (found := _HELP.fullmatch(line)) is not None:
        meant = f"{found['verb']} --help"
    elif (found := _QUESTION.fullmatch(line)) is not None:
        meant = found["line"]
    else:
        return None
    return f"{found['before']}get_ipython().run_line_magic('memory', {meant!r})\n"
