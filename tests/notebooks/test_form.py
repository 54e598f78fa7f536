"""Notebooks in git: no outputs, fixed ids, nothing that an editor leaves in them, and links that lead somewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def faults(text: str, folder: Path) -> list[str]:
    """What is wrong with the text of a notebook that lies in `folder`."""
    notebook = json.loads(text)
    nbformat.validate(notebook)
    cells = notebook["cells"]
    found = []
    if text != written(notebook):
        found.append("is not written as Jupyter writes it")
    if (notebook["nbformat"], notebook["nbformat_minor"]) != (4, 5):
        found.append("is not of format 4.5")
    if notebook["metadata"] != METADATA:
        found.append("has other metadata than kernel and language")
    if not "".join(cells[0]["source"]).startswith("# "):
        found.append("does not begin with a title")
    for cell in cells:
        found += [f"cell {cell['id']} {fault}" for fault in faults_of(cell, folder)]
    return found


def faults_of(cell: dict[str, Any], folder: Path) -> list[str]:
    found = []
    source = "".join(cell["source"])
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", cell["id"]):
        found.append("has an id that nobody gave it")
    if cell["metadata"]:
        found.append("has metadata")
    if cell.get("outputs") or cell.get("execution_count") is not None:
        found.append("has been run")
    if not source.strip() or source != source.strip("\n") or re.search(r"[ \t]+$", source, re.MULTILINE):
        found.append("is empty, or has spaces that nobody sees")
    if re.search(r"(?<![\w.~])/(home|root|tmp|work|Users)/", source):
        found.append("names a folder of somebody's machine")
    if cell["cell_type"] == "markdown":
        links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", source)
        found += [f"links to {link}" for link in links if not (folder / link).exists()]
    return found


def written(notebook: dict[str, Any]) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def test_there_are_eight() -> None:
    names = ["agent_and_person", "analysis", "auditing", "engrams", "entity_graph", "fading", "markov", "tour"]
    assert [path.stem for path in NOTEBOOKS] == names


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_in_git_is_as_its_author_wrote_it(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8"), path.parent) == []


def run_it(notebook: dict[str, Any]) -> None:
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    cell["execution_count"] = 1
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["hello\n"]}]


def random_id(notebook: dict[str, Any]) -> None:
    notebook["cells"][1]["id"] = "3f2a9c1e"


def editors_mark(notebook: dict[str, Any]) -> None:
    notebook["cells"][1]["metadata"] = {"scrolled": True}


def other_kernel(notebook: dict[str, Any]) -> None:
    notebook["metadata"]["kernelspec"]["name"] = "my-environment"


def dead_link(notebook: dict[str, Any]) -> None:
    notebook["cells"][0]["source"] += ["\n[more](../docs/nowhere.md#at-all)"]


def somebodys_folder(notebook: dict[str, Any]) -> None:
    notebook["cells"][1]["source"] = ["open('/home/somebody/data.csv')"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (run_it, "has been run"),
        (random_id, "has an id that nobody gave it"),
        (editors_mark, "has metadata"),
        (other_kernel, "has other metadata"),
        (dead_link, "links to ../docs/nowhere.md"),
        (somebodys_folder, "names a folder of somebody's machine"),
    ],
)
def test_what_an_editor_leaves_in_a_notebook_is_noticed(change: Callable[[dict[str, Any]], None], fault: str) -> None:
    path = ROOT / "notebooks" / "tour.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change(notebook)
    found = faults(written(notebook), path.parent)
    assert len(found) == 1
    assert fault in found[0]


def test_another_way_of_writing_is_noticed() -> None:
    path = ROOT / "notebooks" / "tour.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert faults(json.dumps(notebook), path.parent) == ["is not written as Jupyter writes it"]
