"""Fading in a real page: a curve is read, an atom touched, and what was shown is swept after a second press."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.notebook import Notebook, Theme
from tests.browser.reading import unreadable

DAYS = """
import substrate
from substrate.clock import ManualClock
clock = ManualClock()
def days(count):
    clock.advance(count * 86_400_000_000)
memory = substrate.open("store", actor="ann", model="none", clock=clock)
agent = memory.client("mcp:cortexgraph:tester")
"""
FILL = """
for text in ("The printer is on floor two", "<img src=x onerror=alert(1)> \\u202e is a note", "Lunch is at noon"):
    agent.remember(text)
days(30)
memory.checkpoint(["v1.fact.currency = Prices are in EUR", "v1.decision.ledger = The ledger is kept in cents",
                   "v1.fact.region = Servers stand in Frankfurt"])
for wait in (3, 4, 6, 2, 9):
    days(wait)
    memory.touch("v1.decision.ledger", boost=wait == 6)
memory.touch("v1.fact.region")
days(12)
agent.remember("The build is red since Monday")
days(5)
"""
SHOW = "fading = memory.show_fading('v1.decision.ledger')\nfading"


@pytest.mark.parametrize("theme", ["light"])
def test_a_curve_is_read_an_atom_touched_and_what_was_shown_is_swept(notebook: Notebook, theme: Theme) -> None:
    shown = notebook.run([DAYS, FILL, SHOW], theme=theme)
    widget = shown.widget("Fading")
    expect(widget.get_by_test_id("row")).to_have_count(7)
    expect(widget.get_by_test_id("touch-mark")).to_have_count(5)
    assert unreadable(widget) == []
    shown.screenshot("fading", widget)
    curve = widget.get_by_test_id("curve")
    curve.focus()
    curve.press("Home")
    score = shown.python("fading.curve['score']")
    expect(widget.get_by_test_id("read")).to_contain_text(f"score {score:.3f}")
    told = curve.get_attribute("aria-valuetext") or ""
    curve.press("PageUp")
    expect(curve).not_to_have_attribute("aria-valuetext", told)
    first = widget.get_by_test_id("row").first
    first.focus()
    first.press("ArrowDown")
    second = widget.get_by_test_id("row").nth(1)
    expect(second).to_be_focused()
    second.press("Enter")
    expect(second).to_have_attribute("aria-selected", "true")
    second.press("t")
    expect(widget.get_by_test_id("done")).to_contain_text("the score rose")
    widget.get_by_test_id("show-sweep").click()
    expect(widget.get_by_test_id("preview")).to_contain_text("A sweep takes 2 notes")
    shown.screenshot("fading_sweep", widget)
    press = widget.get_by_test_id("archive")
    press.click()
    expect(press).to_contain_text("sure?")
    assert shown.python("memory.sweep(dry_run=True).total") == 2
    press.click()
    expect(widget.get_by_test_id("done")).to_contain_text("2 notes put away")
    expect(widget.get_by_test_id("empty")).to_be_visible()
    assert shown.python("len(memory.fading(status='archived'))") == 2
