"""A notebook that was saved and opened again, when the kernel of its widgets is gone: the last state is still seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.notebook import Notebook

STORE = """
import substrate
memory = substrate.open("store", home="home", actor="ada", background=False)
memory.checkpoint(["v1.fact.provider = Stripe", "v1.decision.refunds = Within five days"])
memory.observe([{"items": ["v1.fact.provider", "v1.decision.refunds"]}] * 2)
"""
SHOW = ["explorer = memory.explore()\nexplorer", "memory.timeline()", "memory.show_proof('v1.fact.provider')"]


@pytest.fixture
def reopened(notebook: Notebook) -> Iterator[Page]:
    """Widgets that were used and saved, in another window: their kernel is gone, a new one is there."""
    shown = notebook.run([STORE, *SHOW])
    expect(shown.page.locator("section.substrate")).to_have_count(3)
    shown.python("setattr(explorer, 'query', 'refunds') or explorer.wait()")
    expect(shown.output(1).locator(".substrate-still")).to_contain_text("search: refunds")
    for still in shown.page.locator(".substrate-still").all():
        expect(still).to_be_hidden()
    window = shown.reopen()
    yield window
    window.close()


def test_without_its_kernel_a_widget_leaves_a_picture_of_its_last_state(reopened: Page) -> None:
    stills = reopened.locator(".substrate-still")
    expect(stills).to_have_count(3)
    for still in stills.all():
        expect(still).to_be_visible()
    expect(stills.first).to_contain_text("search: refunds")
    expect(stills.first).to_contain_text("v1.decision.refunds")
    missing = reopened.get_by_text("Error displaying widget: model not found")
    expect(missing).to_have_count(3)  # JupyterLab says it, and nobody sees it
    for said in missing.all():
        expect(said).to_be_hidden()
