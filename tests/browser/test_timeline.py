"""The timeline in a real page: heads picked by mouse and keyboard, compared, zoomed into, and travelled to."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.notebook import Notebook, Theme

OPEN = """
import substrate
from substrate.clock import ManualClock
from substrate_widgets import Timeline, ProofViewer, link

HOUR = 3_600_000_000
clock = ManualClock()
memory = substrate.open("store", actor="ann", clock=clock)
PAY = "v1.fact.payment_provider"
memory.checkpoint([f"{PAY} = Stripe", "v1.task.ledger = reconcile the ledger by Friday"])           # size 3
for number in range(30):
    clock.advance(HOUR * (3 + 7 * (number % 5)))
    memory.checkpoint([f"v1.fact.n{number}.{each} = number {number}" for each in range(1 + number * number % 17)])
clock.advance(HOUR * 40)
memory.checkpoint([f"{PAY} = Adyen"], edges=[{"source": PAY, "type": "constrains", "target": "v1.task.ledger"}])
for number in range(6):
    clock.advance(40)
    memory.checkpoint([f"v1.event.burst{number} = right after one another"])
clock.advance(HOUR * 20)
memory.checkpoint(tombstones=["v1.fact.n3.0"])
sizes = [head.size for head in memory.heads(limit=1000)][::-1]
"""
SHOW = "timeline = memory.timeline()\ntimeline"
VIEW = "viewer = ProofViewer(memory, selected=PAY)\nlink(timeline, viewer)\nviewer"


def mark(widget: Locator, size: int) -> Locator:
    return widget.locator(f'[data-testid="mark"][data-size="{size}"]')


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_two_heads_are_picked_and_compared(notebook: Notebook, theme: Theme) -> None:
    shown = notebook.run([OPEN, SHOW, VIEW], theme=theme)
    widget, viewer = shown.widget("Timeline"), shown.widget("Proof")
    expect(widget.get_by_test_id("mark").first).to_be_visible()
    sizes = shown.python("sizes")
    assert 1 < widget.get_by_test_id("mark").count() < len(sizes)  # the burst is one mark
    mark(widget, 3).click()
    expect(widget.get_by_test_id("head-A")).to_contain_text("added 2 put")
    mark(widget, sizes[-1]).click(modifiers=["Shift"])
    expect(widget.get_by_test_id("badge")).to_contain_text("contains all of the log at size 3, unchanged: verified")
    assert shown.python("timeline.picked") == [3, sizes[-1]]
    changed = widget.locator('[data-kind="changed"]')
    expect(changed).to_contain_text("v1.fact.payment_provider")
    expect(changed.locator("del")).to_have_text("Stripe")
    shown.screenshot("timeline", widget)
    changed.click()
    shown.until("timeline.selected == viewer.selected == PAY")
    widget.get_by_test_id("look-A").click()
    shown.until("timeline.as_of == viewer.as_of == 2")
    expect(viewer.get_by_test_id("verdict")).to_contain_text("is recorded, just so: it is what v1.fact.pay")
    expect(widget.get_by_test_id("as-of")).to_be_attached()
    shown.screenshot("timeline-travel", widget)
    widget.get_by_test_id("travel").get_by_role("button", name="back to now").click()
    shown.until("viewer.as_of is None")
    expect(viewer.get_by_test_id("verdict")).to_contain_text("is current")
