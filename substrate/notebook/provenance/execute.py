"""Running code as a cell of its own would, with the value of its last line: for what is to be kept of it.

Not by `shell.run_cell`: within a cell that runs already, it shows what goes wrong but lets the kernel report success,
and the result of a cell in a cell is lost.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, Final

from substrate.errors import InputError

__all__ = ["NOTHING", "Unparsed", "run"]

NOTHING: Final = object()
"""The value of code whose last line is no expression."""


class Unparsed(Exception):
    """A syntax error in a cell that a magic runs, shown as in any cell: alone, without the calls that led to it.

    It is no SyntaxError, since IPython shows one that comes while a cell runs with all those calls.
    """

    def __init__(self, shell: Any, error: SyntaxError) -> None:  # noqa: ANN401 - as below
        super().__init__(str(error))
        self._shown: list[str] = shell.SyntaxTB.structured_traceback(type(error), error, [])

    def _render_traceback_(self) -> list[str]:
        """What IPython shows of it."""
        return self._shown


def run(shell: Any, code: str) -> object:  # noqa: ANN401 - IPython's shell is typed in parts
    """Run the code in the user's namespace, magics and all. What it raises is raised here.

    The value of the last line, if that is an expression, else NOTHING. With nothing run, Unparsed for what is no
    Python, and InputError for code that awaits: a kernel's loop is running already.
    """
    try:
        before, last = _compiled(shell, code)
    except SyntaxError as error:
        kind = type(type(error).__name__, (Unparsed,), {})  # by its name, the error is reported to programs
        raise kind(shell, error) from None
    exec(before, shell.user_global_ns, shell.user_ns)  # noqa: S102 - the user's own cell
    return NOTHING if last is None else eval(last, shell.user_global_ns, shell.user_ns)  # noqa: S307 - the same


def _compiled(shell: Any, code: str) -> tuple[CodeType, CodeType | None]:  # noqa: ANN401
    """All but the last line, and the last one if it is an expression."""
    transformed = shell.transform_cell(code)
    if shell.should_run_async(code, transformed_cell=transformed):
        raise InputError(
            "a cell that awaits cannot be recorded: run it as it is, then %memory record NAME VARIABLE in another cell"
        )
    name = shell.compile.cache(transformed, shell.displayhook.prompt_count, raw_code=code)
    tree = shell.transform_ast(shell.compile.ast_parse(transformed, filename=name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    before = compile(tree, name, "exec")
    return before, None if last is None else compile(ast.Expression(last.value), name, "eval")
