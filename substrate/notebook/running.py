"""Running code as a cell of its own would, with the value of its last line: for what is to be kept of it.

Not by `shell.run_cell`: within a cell that runs already, it shows what goes wrong but lets the kernel report success,
and the result of a cell in a cell is lost.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from substrate.errors import InputError

__all__ = ["NOTHING", "run"]

NOTHING: Final = object()
"""The value of code whose last line is no expression."""


def run(shell: Any, code: str) -> object:  # noqa: ANN401 - IPython's shell is typed in parts
    """Run the code in the user's namespace, magics and all. What it raises is raised here, and shown as of any cell.

    The value of the last line, if that is an expression, else NOTHING. InputError for code that awaits: a kernel's loop
    is running already.
    """
    transformed = shell.transform_cell(code)
    if shell.should_run_async(code, transformed_cell=transformed):
        raise InputError(
            "a cell that awaits cannot be recorded: run it as it is, then %memory record NAME VARIABLE in another cell"
        )
    name = shell.compile.cache(transformed, shell.execution_count, raw_code=code)
    tree = shell.transform_ast(shell.compile.ast_parse(transformed, filename=name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), shell.user_global_ns, shell.user_ns)  # noqa: S102 - the user's own cell
    if last is None:
        return NOTHING
    expression = ast.Expression(last.value)
    return eval(compile(expression, name, "eval"), shell.user_global_ns, shell.user_ns)  # noqa: S307 - the same
