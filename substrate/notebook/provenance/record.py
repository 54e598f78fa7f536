"""Recording what a cell comes to: it is run, and its result is an atom that knows what it was made of."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from substrate.errors import InputError, NotFound
from substrate.names import check_name
from substrate.notebook.provenance.execute import NOTHING, run
from substrate.notebook.provenance.summaries import summary_of
from substrate.result import Result
from substrate.save.place import place
from substrate.text.secrets import find_secrets
from substrate.values.edges import DERIVED_FROM

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from substrate.memory import Memory
    from substrate.proof.encoding import Json
    from substrate.values.edges import Edge

__all__ = ["DERIVED_FROM", "Recorded", "record"]

_BY_A_CELL = {"recorded": True}
"""What an edge says that a recorded cell stated, and not a person: the next run may take it back."""
_CODE = 4000
"""Characters of a cell that are kept with its result."""


@dataclass(frozen=True, slots=True, repr=False)
class Recorded(Result):
    """A result that was recorded."""

    name: str
    value: str
    kind: str
    """text, number, json, or frame: of a data frame, schema and summary are kept, and no rows."""
    is_new: bool
    """False: the same was recorded before, and is confirmed."""
    derived_from: tuple[str, ...] = ()
    """The atoms that the cell accessed."""


def record(  # noqa: PLR0913
    shell: InteractiveShell,
    memory: Memory,
    name: str,
    code: str,
    fields: Mapping[str, object] | None = None,
    *,
    allow_secrets: bool = False,
) -> Recorded:
    """Run the code as a cell, and record what its last line comes to. What the code raises is raised.

    The atom says in its attrs where it was recorded, with the code, and of which kind the result was. A derived_from
    edge leads to each atom that was accessed, unless someone stated it already; those that an earlier run stated, and
    that this one did not access, are taken back. `fields` are further fields of the atom. What looks
    like a credential is refused as a result, and left out as code, unless `allow_secrets`. InputError, with nothing
    recorded, if the name is none, before anything is run; or if the result is none that can be kept.
    """
    name = check_name(name)
    with memory.accesses() as accessed:
        result = run(shell, code)
    if result is NOTHING or result is None:
        raise InputError("the cell has no result, so nothing was recorded: its last line must be an expression")
    summary = summary_of(result)
    if summary.kind == "frame":  # of the others, what is recorded is all there is to see
        _show(result)
    sources = tuple(source for source in dict.fromkeys(accessed) if source != name)
    stated = _stated(memory, name)
    atom = {
        "name": name,
        "value": summary.value,
        **(fields or {}),
        "attrs": {
            "result": {"kind": summary.kind, **summary.attrs},
            "notebook": {**(place() or {}), **_code(code, allow_secrets=allow_secrets)},
        },
    }
    saved = memory.checkpoint(
        [atom],
        edges=[
            {"source": name, "type": DERIVED_FROM, "target": source, "attrs": _BY_A_CELL}
            for source in sources
            if source not in stated or _is_by_a_cell(stated[source])
        ],
        unedges=[edge for target, edge in stated.items() if _is_by_a_cell(edge) and target not in sources],
        allow_secrets=allow_secrets,
    )
    return Recorded(name, summary.value, summary.kind, name in saved.recorded, sources)


def _show(result: object) -> None:
    from IPython.display import display  # noqa: PLC0415 - it is there when a cell was run

    display(result)  # type: ignore[no-untyped-call]


def _code(code: str, *, allow_secrets: bool) -> dict[str, Json]:
    if not allow_secrets and find_secrets(code):
        return {"code_left_out": "it holds what looks like a credential"}
    return {"code": code if len(code) <= _CODE else code[:_CODE] + "…"}


def _stated(memory: Memory, name: str) -> dict[str, Edge]:
    """The derived_from edges that there are, by where they lead."""
    with suppress(NotFound):
        return {edge.target: edge for edge in memory.edges(name, direction="out", type=DERIVED_FROM)}
    return {}


def _is_by_a_cell(edge: Edge) -> bool:
    return bool(edge.attrs.get("recorded"))
