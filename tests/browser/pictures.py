"""The pictures of the README, from a real JupyterLab: `make screenshots`."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import substrate
from substrate.clock import ManualClock
from substrate.memory import open_memory
from tests.browser.conftest import FLAGS, find_chromium
from tests.browser.lab import running_lab
from tests.browser.notebook import Desk, Notebook, Shown, Theme

_OPEN = "import substrate\nmemory = substrate.open('shop', actor='ada')\n"

_ATOMS: list[str | dict[str, object]] = [
    {"name": "v1.domain.billing", "value": "All about invoices, payments and refunds"},
    {
        "name": "v1.goal.fewer_failed_payments",
        "value": "Of a hundred payments less than one fails by the end of the year",
    },
    {
        "name": "v1.constraint.card_data",
        "value": "No card data is stored with us, not even for a moment: payments go through the provider's form",
        "tags": ["billing", "security"],
        "source": "audit of March",
    },
    {
        "name": "v1.fact.payment_provider",
        "value": "Stripe handles our card payments",
        "tags": ["billing", "vendor"],
        "source": "kick-off",
    },
    {"name": "v1.fact.currency", "value": "Prices are in EUR; amounts are integers, in cents", "tags": ["billing"]},
    {
        "name": "v1.decision.refunds",
        "value": "Refunds are paid out within five days, by the same way as the payment came in",
        "tags": ["billing"],
        "confidence": 0.9,
    },
    {
        "name": "v1.procedure.refund",
        "value": "Look up the order, refund it at the provider, tell the customer",
    },
    {"name": "v1.procedure.dispute", "value": "Answer within seven days, with the delivery note and the order"},
    {
        "name": "v1.procedure.month_end",
        "value": "Export the bank file before ten, match it with the ledger",
    },
    {
        "name": "v1.metric.failed_payments",
        "value": "1.8 % of card payments failed in October",
        "tags": ["billing"],
    },
    {"name": "v1.preference.reports", "value": "Short answers, with the numbers first"},
]
_EDGES = [
    ("v1.fact.payment_provider", "member_of", "v1.domain.billing"),
    ("v1.decision.refunds", "member_of", "v1.domain.billing"),
    ("v1.decision.refunds", "depends_on", "v1.fact.payment_provider"),
    ("v1.procedure.refund", "derived_from", "v1.decision.refunds"),
    ("v1.metric.failed_payments", "references", "v1.goal.fewer_failed_payments"),
]
_SESSIONS = [
    ["v1.procedure.refund", "v1.fact.payment_provider", "v1.decision.refunds"],
    ["v1.procedure.refund", "v1.decision.refunds", "v1.fact.currency"],
    ["v1.procedure.dispute", "v1.fact.payment_provider", "v1.constraint.card_data"],
    ["v1.metric.failed_payments", "v1.fact.payment_provider", "v1.constraint.card_data"],
    ["v1.procedure.month_end", "v1.fact.currency", "v1.metric.failed_payments"],
    ["v1.procedure.refund", "v1.fact.payment_provider", "v1.fact.currency"],
]


def furnish(store: Path, home: Path) -> None:
    """Make a store that is worth looking at."""
    with substrate.open(store, home=home, actor="ada") as memory:
        edges = [{"source": source, "type": kind, "target": target} for source, kind, target in _EDGES]
        memory.checkpoint(_ATOMS, edges=edges)
        memory.checkpoint([f"v1.note.order_{at} = Order {at}: delivered, paid by card" for at in range(120)])
        memory.checkpoint(
            [
                {
                    "name": "v1.fact.payment_provider",
                    "value": "Adyen handles all our card payments; Stripe did until May",
                    "tags": ["billing", "vendor"],
                    "source": "mail of 2 May",
                    "confidence": 0.9,
                }
            ]
        )
        for number in range(3):
            memory.observe([{"items": items, "objective": "a customer complains"} for items in _SESSIONS[number:]])
        memory.index()


def grow(store: Path, home: Path) -> None:
    """A store of ninety days, on some of which much is written. On day 60, a third goes out of use."""
    clock, drawn, count = ManualClock(1_780_000_000_000_000), random.Random(3), 0
    with open_memory(store, home=home, clock=clock, model="none", background=False) as memory:
        for day in range(90):
            clock.advance(86_400_000_000)
            for _ in range(drawn.choice([0, 0, 1, 2, 6])):
                notes = range(count, count + drawn.randint(1, 9))
                memory.checkpoint([f"v1.note.n{note} = {'word ' * drawn.randint(3, 60)}" for note in notes])
                count = notes.stop
            if day == 60:
                memory.checkpoint(tombstones=[atom.name for atom in memory.list(limit=count // 3)])


def main(folder: Path) -> None:
    """Take them all."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as temporary,
        running_lab(Path(temporary), model="") as lab,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        furnish(lab.root / "shop", lab.home)
        desk = Desk(browser, lab)
        desk.open().set_viewport_size({"width": 1280, "height": 1500})  # no widget is cut off
        notebook = Notebook(desk, lab.root)
        _explorer(notebook, folder / "explorer.png")
        _proof(notebook, folder / "proof.png")
        _transitions(notebook, folder / "transitions.png")
        _graph(notebook, folder / "graph.png")
        grow(lab.root / "grown", lab.home)
        _growth(notebook, folder / "growth.png")
        notebook.close()
        browser.close()


def _run(notebook: Notebook, code: str, theme: Theme) -> Shown:
    return notebook.run([_OPEN + code], theme)


def _explorer(notebook: Notebook, file: Path) -> None:
    code = "explorer = memory.explore('card payments', selected='v1.fact.payment_provider')\nexplorer"
    shown = _run(notebook, code, "light")
    widget = shown.widget("Explorer")
    shown.until("explorer.answer.get('by_words') is False", 60)
    widget.locator("[data-testid=hit]").first.wait_for()
    widget.get_by_text("verified").first.wait_for()
    widget.screenshot(path=file, animations="disabled")


def _proof(notebook: Notebook, file: Path) -> None:
    shown = _run(notebook, "memory.show_proof('v1.fact.payment_provider')", "dark")
    widget = shown.widget("Proof")
    widget.get_by_text("Verified").first.wait_for()
    widget.get_by_role("button", name="Change one byte").click()
    widget.get_by_text("Rejected").first.wait_for()
    widget.screenshot(path=file, animations="disabled")


def _transitions(notebook: Notebook, file: Path) -> None:
    shown = _run(notebook, "memory.transitions('v1.fact.payment_provider')", "light")
    widget = shown.widget("Transitions")
    widget.locator("[data-testid=node]").nth(3).wait_for()
    widget.screenshot(path=file, animations="disabled")


def _graph(notebook: Notebook, file: Path) -> None:
    shown = _run(notebook, "memory.graph(of='atoms', selected='v1.decision.refunds')", "dark")
    widget = shown.widget("Graph")
    widget.get_by_test_id("node").nth(3).wait_for()
    edge = widget.get_by_test_id("edge").filter(has_text="depends on")
    edge.focus()
    edge.press("Enter")
    widget.get_by_text("verified").first.wait_for()
    shown.page.mouse.move(0, 0)
    widget.screenshot(path=file, animations="disabled")


def _growth(notebook: Notebook, file: Path) -> None:
    shown = notebook.run(["%load_ext substrate\nmemory = %memory open grown\nmemory.growth()"], "light")
    drawing = shown.page.locator(".substrate-shown", has=shown.page.locator(".ss-curves"))
    drawing.wait_for()
    drawing.screenshot(path=file, animations="disabled")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
