"""The entity graph in a real page: moved, zoomed, an edge opened, a run reviewed and undone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.notebook import Notebook, Theme
from tests.browser.reading import unreadable

OPEN = """
import substrate
memory = substrate.open("store", actor="ann", model="none")
stated = "Acme Corp owns HydraMem. HydraMem uses LanceDB.", "Marta Silva works for Acme Corp."
named = "We met HydraMem before, and LanceDB too.", "We met Acme Corp before, and Marta Silva too."
for source, text in zip("abcd", stated + named):
    memory.ingest(text, source=source, domain="docs")
done = memory.tend("docs")
"""
SHOW = "graph = memory.graph('docs', run=done.run)\ngraph"


@pytest.mark.parametrize("theme", ["dark"])
def test_an_edge_is_opened_the_picture_moved_and_a_run_undone(notebook: Notebook, theme: Theme) -> None:
    shown = notebook.run([OPEN, SHOW], theme=theme)
    widget = shown.widget("Graph")
    expect(widget.get_by_test_id("node")).to_have_count(4)
    edge = widget.get_by_test_id("edge").filter(has_text="owns")
    edge.focus()
    edge.press("Enter")
    expect(widget.get_by_test_id("cited")).to_contain_text("Acme Corp owns HydraMem")
    expect(widget.get_by_test_id("cited").locator("mark").first).to_have_text("Acme Corp")
    expect(widget.get_by_test_id("proof")).to_contain_text("verified: entry")
    expect(widget.get_by_test_id("change")).to_have_count(3)
    assert unreadable(widget) == []
    shown.screenshot("entity_graph", widget)
    svg = widget.get_by_test_id("graph")
    before = svg.get_attribute("data-zoom")
    widget.get_by_label("zoom in").click()
    assert svg.get_attribute("data-zoom") != before
    widget.get_by_test_id("node").filter(has_text="LanceDB").click()
    expect(widget.locator(".eg-chosen")).to_have_count(1)
    assert shown.python("graph.selected") == "v1.entity.docs.lancedb"
    undo = widget.get_by_test_id("undo")
    undo.click()
    expect(undo).to_contain_text("sure?")
    undo.click()
    expect(widget.get_by_test_id("undone")).to_contain_text("3 edges taken back")
    expect(widget.get_by_test_id("edge")).to_have_count(0)
