"""How long someone waits for widgets in the page, in a real JupyterLab and a real browser. See docs/benchmarks.md.

`python -m benchmarks.widgets_page 100000`. A widget is shown when its content stands in the page, from the moment its
cell is run, in a kernel that has the store open and warm. A letter is answered when the hits of all that was typed so
far are drawn.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.calibration import machine
from benchmarks.elapsed import say
from benchmarks.search_stores import fill_search
from benchmarks.search_workload import name_of, prepare
from tests.browser.conftest import FLAGS, find_chromium
from tests.browser.lab import running_lab
from tests.browser.notebook import Desk, Notebook, Shown

_SHOWN = {
    "Explorer": ("memory.explore()", "[data-testid=hit]"),
    "Proof": ("memory.show_proof(name)", "svg [data-testid]"),
    "Bootstrap preview": ("memory.preview('what was decided')", "[data-name]"),
    "Transitions": ("memory.transitions(name)", "[data-testid=middle]"),
    "Timeline": ("memory.timeline()", "[data-testid=mark]"),
}
# From the run of the last cell to its content.
_RUN = """async ([label, content]) => {
  const seen = () => document.querySelector(`section.substrate[aria-label="${label}"] ${content}`);
  const began = performance.now();
  jupyterapp.commands.execute("notebook:run-cell");
  while (!seen()) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""
# From a letter in the box to the hits of what stands in it.
_TYPE = """async (text) => {
  const box = document.querySelector("[data-testid=box]"), list = document.querySelector("[data-testid=hits]");
  const began = performance.now();
  box.value = text;
  box.dispatchEvent(new Event("input", {bubbles: true}));
  while (list.dataset.answers !== text) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""
_QUESTION = "where did they meet again after the summer"
_ROUNDS = 5


def _told(what: str, milliseconds: list[float], target: int) -> None:
    middle, worst = statistics.median(milliseconds), max(milliseconds)
    print(f"{what:<42} {middle:7.0f} ms {worst:7.0f} ms {target:7,} ms  {'yes' if middle <= target else 'no'}")


def _shown(notebook: Notebook, opening: str, label: str, code: str, content: str) -> tuple[Shown, list[float]]:
    shown = notebook.run([opening, "1"])
    took = []
    for _ in range(_ROUNDS):
        shown.page.evaluate("() => { const book = jupyterapp.shell.currentWidget.content; book.activeCellIndex = 1; }")
        shown.page.evaluate(
            "(code) => jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.setSource(code)", code
        )
        shown.page.evaluate("() => jupyterapp.commands.execute('notebook:clear-cell-output')")
        took.append(shown.page.evaluate(_RUN, [label, content]))
        shown.await_kernel()
    return shown, took


def main() -> None:
    """Make the store, show each widget, type a question; print one table."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    texts = prepare(say)
    with (
        tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch,
        running_lab(Path(scratch) / "lab", model="") as lab,
        sync_playwright() as playwright,
    ):
        store = fill_search(size, Path(scratch) / "filled", texts, say)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        notebook = Notebook(Desk(browser, lab), lab.root)
        opening = (
            "import substrate, substrate_widgets\n"
            f"memory = substrate.open({str(store.path)!r}, home={str(store.home)!r})\n"
            f"name = {name_of(7)!r}\nmemory.warm()"
        )
        print(*machine(Path(scratch)), sep="\n")
        print(f"{size:,} atoms, in the page{'':<21} {'median':>10} {'slowest':>10} {'target':>10}  met?")
        for label, (code, content) in _SHOWN.items():
            shown, took = _shown(notebook, opening, label, code, content)
            _told(f"{label}: shown", took, 1000)
            if label == "Explorer":
                typed = [shown.page.evaluate(_TYPE, _QUESTION[:stop]) for stop in range(1, len(_QUESTION))]
                _told("Explorer: a letter typed, to the hits", typed, 100)
            shown.end()
        browser.close()


if __name__ == "__main__":
    main()
