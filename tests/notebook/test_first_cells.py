"""What docs/for-data-scientists.md shows of notebooks is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.notebook.conftest import Notebook

PAGE = (Path(__file__).parents[2] / "docs" / "for-data-scientists.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("cache")
def test_the_cells_do_what_they_say(bare: Notebook) -> None:
    lines, *cells = re.findall(r"```ipython\n(.*?)```", PAGE, re.DOTALL)
    script = Path(__file__).parents[2] / "examples"
    codes = [code.replace("examples", str(script)) for code in [*filter(None, lines.splitlines()), *cells]]
    answers = {code.split()[1]: bare.run(code) for code in codes}
    assert answers["search"][0].name == "v1.fact.payment_provider"
    assert answers["verify"].trusted
    assert {atom.name for atom in answers["bootstrap"]} >= {"v1.procedure.refund", "v1.fact.payment_provider"}
    assert bare.shell.user_ns["_exit_code"] == 0, "the auditor's script"
    assert answers["explore"].wait()
    assert bare.shell.user_ns["_"].value.startswith("119"), "of a cell in a cell, only `_` tells the result"
    assert bare.run("%memory why v1.metric.gross")[0].name == "v1.metric.gross"
    answers["explore"].close()
