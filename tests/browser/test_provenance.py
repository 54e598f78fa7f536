"""An atom that is recorded in a notebook knows the notebook, the cell and the execution that made it."""

from __future__ import annotations

from tests.browser.notebook import Notebook

CELLS = [
    "%load_ext substrate\nmemory = %memory open store\n1 + 1",
    "%memory checkpoint v1.fact.net = 100",
    "%%memory record v1.metric.gross\n1.19 * float(memory.access('v1.fact.net').value)",
    "memory.checkpoint(['v1.fact.by_python = yes']);",
    (
        "names = ('fact.net', 'metric.gross', 'fact.by_python')\n"
        "places = [memory.access(f'v1.{name}').atom.attrs['notebook'] for name in names]"
    ),
    "why = %memory why v1.metric.gross",
]


def test_what_is_recorded_knows_notebook_cell_and_execution(notebook: Notebook) -> None:
    shown = notebook.run(CELLS)
    places = shown.python("places")
    assert [(where["cell"], where["execution"]) for where in places] == [("c1", 2), ("c2", 3), ("c3", 4)]
    assert {where["path"].rsplit("/", 1)[-1] for where in places} == {"notebook0.ipynb"}
    assert "1.19 * float" in places[1]["code"]
    assert shown.python("[(step.depth, step.name) for step in why]") == [[0, "v1.metric.gross"], [1, "v1.fact.net"]]
