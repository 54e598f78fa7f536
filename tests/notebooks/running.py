"""A notebook, run in a copy of its folder as a reader would run it: what its cells put out, and what it wrote where."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

__all__ = ["Ran", "run", "written_outside"]

_ROOT = Path(__file__).parents[2]
_SECONDS = 120
_STORES = shutil.ignore_patterns("tour-store", ".*")
"""What readers leave there, and their editors."""

# Every Python process that the notebook starts imports this first, and tells what it opens for writing elsewhere.
# Bytecode is Python's own affair.
_WATCH = """
import os, sys

folder, told = os.environ["WATCHED_FOLDER"], os.environ["WATCHED_TOLD"]
devices = tuple(f"/dev/{name}" for name in ("null", "tty", "pt", "fd/", "std", "urandom"))
mine = (folder, "/proc/", *devices, *([sys.pycache_prefix] if sys.pycache_prefix else []))
writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT

def watch(event, given):
    if event == "open" and isinstance(given[0], (str, bytes)) and isinstance(given[2], int) and given[2] & writing:
        path = given[0]
    elif event in ("os.mkdir", "os.symlink", "sqlite3.connect"):
        path = given[1] if event == "os.symlink" else given[0]
    else:
        return
    path = os.path.abspath(os.fsdecode(path))
    if not path.startswith(mine) and "__pycache__" not in path:
        with open(told, "a", encoding="utf-8") as file:
            file.write(f"{path}\\n")

sys.addaudithook(watch)
"""


class Ran:
    """What became of a notebook: its cells by their id."""

    def __init__(self, notebook: Any) -> None:
        self._cells = {cell["id"]: cell for cell in notebook.cells if cell.cell_type == "code"}

    def text(self, cell: str) -> str:
        """What a cell printed and what its results are as plain text, one after the other."""
        outputs = self._cells[cell].outputs
        return "\n".join(
            output.text if output.output_type == "stream" else output.get("data", {}).get("text/plain", "")
            for output in outputs
        )

    def complaints(self) -> str:
        """What was printed to standard error: warnings, above all."""
        outputs = [output for cell in self._cells.values() for output in cell.outputs]
        return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stderr")

    def count(self, kind: str) -> int:
        """How many outputs are of this media type."""
        return sum(kind in output.get("data", {}) for cell in self._cells.values() for output in cell.outputs)


def run(name: str, folder: Path) -> Ran:
    """Run the notebook in `folder`, where its home, its temporary files and its keys are. An error in a cell raises.

    What is there from an earlier run stays, so that a notebook can be run again.
    """
    for part in ("notebooks", "examples"):
        shutil.copytree(_ROOT / part, folder / part, dirs_exist_ok=True, ignore=_STORES)
    notebook = nbformat.read(folder / "notebooks" / f"{name}.ipynb", as_version=4)
    client = NotebookClient(
        notebook,
        timeout=_SECONDS,
        kernel_name="python3",
        coalesce_streams=True,  # else a busy machine decides where printed text is cut
        resources={"metadata": {"path": str(folder / "notebooks")}},
    )
    client.execute(env=_environment(folder))
    return Ran(notebook)


def written_outside(folder: Path) -> list[str]:
    """The files that any process of a notebook that was run in `folder` opened for writing and that are not in it."""
    told = folder / "outside"
    return sorted(set(told.read_text(encoding="utf-8").splitlines())) if told.exists() else []


def _environment(folder: Path) -> dict[str, str]:
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(_WATCH, encoding="utf-8")
    for made in ("user", "tmp"):
        (folder / made).mkdir(exist_ok=True)
    paths = [str(site), str(_ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    ours = {
        "HOME": folder / "user",
        "TMPDIR": folder / "tmp",
        "SUBSTRATE_HOME": folder / "home",
        "SUBSTRATE_MODEL": "none",
        "IPYTHONDIR": folder / "ipython",
        "JUPYTER_CONFIG_DIR": folder / "jupyter",
        "JUPYTER_DATA_DIR": folder / "jupyter",
        "JUPYTER_RUNTIME_DIR": folder / "jupyter",
        "MPLCONFIGDIR": folder / "matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "WATCHED_FOLDER": folder,
        "WATCHED_TOLD": folder / "outside",
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
    }
    # By the last one a kernel knows that it is tested, and then has no standard error that a process could be given.
    left_out = ("SUBSTRATE_STORE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PYTEST_CURRENT_TEST")
    return {key: value for key, value in os.environ.items() if key not in left_out} | {
        name: str(value) for name, value in ours.items()
    }
