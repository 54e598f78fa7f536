"""A line of `%memory`, turned into the call that it means before IPython looks at it.

IPython would do so itself, but for two habits of its own that free text runs into:

1. To IPython a line that ends in `?` asks for help on its last word, also in `%memory search who pays?`. And lines are
   joined by brackets and quotes that are not closed: after `%memory checkpoint v1.fact.region = Europe (EU` all that
   follows, up to a question mark, would be one such line, and none of it would be run. So every line is turned into its
   call, the first one first. `%memory?` still asks for help, and `%memory search?` for that on the verb.
2. A semicolon at the end silences a result in Python. Behind a magic it would be part of its last word. So it is put
   behind the call, unless the line says what is to be stored.
"""

from __future__ import annotations

import re
from itertools import pairwise
from tokenize import DEDENT, INDENT, TokenInfo

from IPython.core.inputtransformer2 import (
    TokenTransformBase,
    assemble_continued_line,
    find_end_of_continued_line,
)

from substrate.notebook.catalogue import VERBS

__all__ = ["Call"]

_MAGIC = re.compile(r"%memory[ \t]+(?=[^\s?])")
_HELP = re.compile(r"([a-z_]+)\?{1,2}")


class Call(TokenTransformBase):  # type: ignore[misc, unused-ignore]
    """A line `%memory VERB ...` of code. By tokens, so that what stands in a string or a comment is left alone."""

    priority = 4
    """Before IPython's own help, which begins where the statement does."""

    def __init__(self, statement: tuple[int, int], magic: tuple[int, int]) -> None:
        super().__init__(statement)  # type: ignore[no-untyped-call]
        self._line, self._column = magic[0] - 1, magic[1]

    @classmethod
    def find(cls, tokens_by_line: list[list[TokenInfo]]) -> Call | None:
        """The first such line of a cell."""
        for line in tokens_by_line:
            tokens = [token for token in line if token.type not in (INDENT, DEDENT)]
            for token in _beginnings(tokens):
                if _MAGIC.match(token.line, token.start[1]):
                    return cls(tokens[0].start, token.start)
        return None

    def transform(self, lines: list[str]) -> list[str]:
        """The lines, with that one, and those that it goes on in after a backslash, as the call that it means."""
        end = find_end_of_continued_line(lines, self._line)
        line = assemble_continued_line(lines, (self._line, self._column), end)
        call = lines[self._line][: self._column] + _call(_MAGIC.sub("", line, count=1))
        return [*lines[: self._line], call + "\n", *lines[end + 1 :]]


def _beginnings(tokens: list[TokenInfo]) -> list[TokenInfo]:
    """Where a magic can stand in a statement: at its beginning, and behind the first `=` that is in no brackets."""
    depth = 0
    for token, after in pairwise(tokens):
        if token.string == "=" and not depth:
            return [tokens[0], after]
        depth += (token.string in {"(", "[", "{"}) - (token.string in {")", "]", "}"})
    return tokens[:1]


def _call(said: str) -> str:
    """The call for what is said behind `%memory`."""
    if (asks := _HELP.fullmatch(said)) is not None:
        said = f"{asks[1]} --help"
    verb = VERBS.get(re.split(r"[\s;]", said, maxsplit=1)[0])
    silence = ";" if said.endswith(";") and verb is not None and not verb.stores else ""
    return f"get_ipython().run_line_magic('memory', {said.removesuffix(silence)!r}){silence}"
