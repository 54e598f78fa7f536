"""Recording what a cell comes to: it is run, and its result is an atom that knows what it was made of."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from substrate.errors import InputError, NotFound
from substrate.notebook.provenance import place_of
from substrate.notebook.summaries import summary_of
from substrate.results import Result
from substrate.secrets import find_secrets

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from substrate.engine.memory import Memory
    from substrate.proof.encoding import Json

__all__ = ["DERIVED_FROM", "Recorded", "record"]

DERIVED_FROM = "derived_from"
_STATED = {"recorded": True}
"""What an edge says that a recorded cell stated, and not a person: the next run may take it back."""
_CODE = 4000
"""Characters of a cell that are kept with its result."""


@dataclass(frozen=True, slots=True, repr=False)
class Recorded(Result):
    """A result that was recorded."""

    name: str
    value: str
    kind: str
    """text, number, json, or frame: of a data frame, schema and summary are kept."""
    is_new: bool
    """False: the same was recorded before, and is confirmed."""
    derived_from: tuple[str, ...] = ()
    """The atoms that the cell accessed."""


def record(
    shell: InteractiveShell, memory: Memory, name: str, code: str, fields: Mapping[str, object] | None = None
) -> Recorded | None:
    """Run the code as a cell, and record what its last line comes to; None if it fails, which the cell itself shows.

    The atom says in its attrs where it was recorded, with the code, and of which kind the result was. A derived_from
    edge leads to each atom that was accessed; those that an earlier run stated, and that this one did not access, are
    taken back. `fields` are further fields of the atom. InputError, with nothing recorded, if the result is none that
    can be kept.
    """
    with memory.accesses() as accessed:
        ran = shell.run_cell(code)  # type: ignore[no-untyped-call]
    if not ran.success:
        print(f"Nothing was recorded as {name}: the cell failed.", file=sys.stderr)  # noqa: T201 - beside its traceback
        return None
    if ran.result is None:
        raise InputError("the cell has no result, so nothing was recorded: its last line must be an expression")
    summary = summary_of(ran.result)
    sources = tuple(source for source in dict.fromkeys(accessed) if source != name)
    where = {**(place_of(shell) or {}), **_code(code)}
    atom = {
        "name": name,
        "value": summary.value,
        **(fields or {}),
        "attrs": {"result": {"kind": summary.kind, **summary.attrs}, "notebook": where},
    }
    saved = memory.checkpoint(
        [atom],
        edges=[{"source": name, "type": DERIVED_FROM, "target": source, "attrs": _STATED} for source in sources],
        unedges=_outdated(memory, name, sources),
    )
    return Recorded(name, summary.value, summary.kind, name in saved.recorded, sources)


def _code(code: str) -> dict[str, Json]:
    if find_secrets(code):
        return {"code_left_out": "it holds what looks like a credential"}
    return {"code": code if len(code) <= _CODE else code[:_CODE] + "…"}


def _outdated(memory: Memory, name: str, sources: tuple[str, ...]) -> list[Any]:
    """Edges that an earlier run of a cell stated, to atoms that this one did not access."""
    try:
        edges = memory.edges(name, direction="out", type=DERIVED_FROM)
    except NotFound:
        return []
    return [edge for edge in edges if edge.attrs.get("recorded") and edge.target not in sources]
