"""The timeline in a real page: heads picked by mouse and keyboard, compared, zoomed into, and travelled to."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.notebook import Notebook
from tests.browser.reading import unreadable

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


THUMB = """(root) => {
  const slider = root.querySelector("input[type=range]");
  const { left, width } = slider.getBoundingClientRect();
  const share = (slider.value - slider.min) / (slider.max - slider.min);
  return left + 7 + share * (width - 14);
}"""
"""Where the middle of the slider's thumb is."""
BAR = """(mark) => {
  const { left, width } = mark.querySelector(".tl-bar").getBoundingClientRect();
  return left + width / 2;
}"""


def mark(widget: Locator, size: int) -> Locator:
    return widget.locator(f'[data-testid="mark"][data-size="{size}"]')


def test_two_heads_are_picked_and_compared(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, SHOW, VIEW], theme="dark")
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
    assert unreadable(widget) == []
    shown.screenshot("timeline", widget)
    changed.click()
    shown.until("timeline.selected == viewer.selected == PAY")
    widget.get_by_test_id("look-A").click()
    shown.until("timeline.as_of == viewer.as_of == 2")
    expect(viewer.get_by_test_id("verdict")).to_contain_text("is recorded, just so: it is the value of v1.fact.pay")
    expect(widget.get_by_test_id("as-of")).to_be_attached()
    shown.screenshot("timeline-travel", widget)
    widget.get_by_test_id("travel").get_by_role("button", name="back to now").click()
    shown.until("viewer.as_of is None")
    expect(viewer.get_by_test_id("verdict")).to_contain_text("is current")


def test_heads_are_walked_picked_and_zoomed_by_keyboard(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, SHOW])
    widget = shown.widget("Timeline")
    marks = widget.get_by_test_id("mark")
    expect(marks.last).to_be_visible()
    sizes = shown.python("sizes")
    marks.last.focus()
    press = shown.page.keyboard.press
    press("Home")
    press("Enter")
    shown.until("len(timeline.heads) == 1")
    first = shown.python("timeline.picked[0]")
    press("End")
    press("Shift+Enter")
    expect(widget.get_by_test_id("badge")).to_contain_text(": verified")
    assert shown.python("timeline.picked") == [first, sizes[-1]]
    before = marks.count()
    press("ArrowLeft")  # the burst: seven heads in one mark
    press("+")
    shown.until("len(timeline.window) == 2")
    expect(marks).to_have_count(7)
    press("Escape")
    expect(marks).to_have_count(before)
    assert shown.python("timeline.window") == []
    change = widget.get_by_test_id("change").first
    change.focus()
    press("ArrowDown")
    press("Enter")
    shown.until("timeline.selected.startswith('v1.')")
    expect(widget.locator('[data-testid="change"][aria-selected="true"]')).to_have_count(1)


def test_the_axis_turns_zooms_by_drag_and_travels_by_its_slider(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, SHOW])
    widget = shown.widget("Timeline")
    marks = widget.get_by_test_id("mark")
    expect(marks.last).to_be_visible()
    widget.get_by_test_id("by-entries").click()
    expect(widget.get_by_test_id("by-entries")).to_have_attribute("aria-pressed", "true")
    shown.until("timeline.span['axis'] == 'entries'")
    expect(marks).to_have_count(shown.python("len(timeline.marks)"))
    everything = marks.count()
    box = widget.get_by_role("listbox", name="Heads, oldest first").bounding_box()
    assert box is not None
    shown.page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + 20)
    shown.page.mouse.down()
    shown.page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 30, steps=4)
    shown.page.mouse.up()
    low, high = shown.until("timeline.window")
    assert 220 < low < high < 260
    expect(marks).not_to_have_count(everything)
    widget.get_by_test_id("zoom-out").click()
    widget.get_by_test_id("zoom-all").click()
    expect(marks).to_have_count(everything)
    slider = widget.get_by_test_id("travel-slider")
    slider.focus()
    shown.page.keyboard.press("ArrowLeft")
    as_of = shown.until("timeline.as_of")
    assert as_of == shown.python("timeline.marks[-2]['size'] - 1")
    expect(widget.get_by_test_id("from")).to_have_text(f"after entry {as_of}")
    shown.page.keyboard.press("End")
    shown.until("timeline.as_of is None")


def test_what_another_process_writes_appears_and_stored_text_is_text(notebook: Notebook) -> None:
    hostile = "<img src=x onerror=window.harmed=1>\u202egnp.exe"
    atom = {"name": "v1.fact.<b>x", "value": hostile}
    write = f"import substrate; substrate.open('store').checkpoint([{atom!r}])"
    elsewhere = (
        "import subprocess, sys\n"
        f"code = {write!r}\n"
        "def write(): return subprocess.run([sys.executable, '-c', code], check=True).returncode"
    )
    shown = notebook.run([OPEN, elsewhere, SHOW])
    widget = shown.widget("Timeline")
    expect(widget.get_by_test_id("mark").last).to_be_visible()
    size = shown.python("sizes[-1]")
    widget.get_by_test_id("by-entries").click()  # by time, all that was before would be one mark
    assert shown.python("write()") == 0
    expect(mark(widget, size + 1)).to_be_attached()
    mark(widget, 1).click()
    widget.get_by_test_id("compare").click()
    change = widget.locator('[data-name="v1.fact.<b>x"]')
    expect(change).to_contain_text("<img src=x onerror=window.harmed=1>‹202E›gnp.exe")  # noqa: RUF001
    assert widget.locator("img, .tl-change b").count() == 0
    assert shown.page.evaluate("window.harmed") is None


@pytest.mark.parametrize("width", [1280, 700])
def test_the_slider_stands_under_the_head_that_it_means(notebook: Notebook, width: int) -> None:
    shown = notebook.run([OPEN, SHOW])
    widget = shown.widget("Timeline")
    marks = widget.get_by_test_id("mark")
    expect(marks.last).to_be_visible()
    usual = shown.page.viewport_size
    assert usual is not None
    shown.page.set_viewport_size({"width": width, "height": 1000})
    try:
        drawing = widget.locator(".tl-drawing")
        shown.until(lambda: drawing.evaluate("(svg) => Math.abs(svg.clientWidth - svg.parentElement.clientWidth) < 2"))
        assert abs(widget.evaluate(THUMB) - marks.last.evaluate(BAR)) < 2, "now is the newest head"
        slider = widget.get_by_test_id("travel-slider")
        slider.focus()
        for _ in range(9):
            shown.page.keyboard.press("ArrowLeft")
        at = shown.python("len(timeline.marks)") - 10
        shown.until(f"timeline.as_of == timeline.marks[{at}]['size'] - 1")
        assert abs(widget.evaluate(THUMB) - marks.nth(at).evaluate(BAR)) < 2
        expect(slider).to_have_attribute("aria-valuetext", f"after entry {shown.python('timeline.as_of')}")
        box = slider.bounding_box()
        assert box is not None
        shown.page.mouse.click(marks.nth(3).evaluate(BAR) + 1, box["y"] + box["height"] / 2)
        shown.until("timeline.as_of == timeline.marks[3]['size'] - 1")
        assert abs(widget.evaluate(THUMB) - marks.nth(3).evaluate(BAR)) < 2
        assert widget.evaluate("(root) => root.scrollWidth <= root.clientWidth")
        shown.screenshot(f"timeline-{width}", widget)
    finally:
        shown.page.set_viewport_size(usual)


def test_what_others_write_leaves_who_reads_a_comparison_where_he_is(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, SHOW])
    widget = shown.widget("Timeline")
    expect(widget.get_by_test_id("mark").last).to_be_visible()
    shown.python("setattr(timeline, 'picked', [3, sizes[-1]])")
    row = widget.get_by_test_id("change").nth(40)
    row.focus()
    scrolled = widget.get_by_test_id("changes").evaluate("(list) => list.scrollTop")
    assert scrolled > 0
    shown.python("len(memory.checkpoint(['v1.fact.unrelated = x']).seqs)")
    shown.until("timeline.size == memory.head().head.size and timeline.wait()")
    expect(mark(widget, shown.python("sizes[-1] + 1"))).to_be_attached()
    expect(row).to_be_focused()
    assert widget.get_by_test_id("changes").evaluate("(list) => list.scrollTop") == scrolled


def test_a_restarted_kernel_leaves_a_clear_word(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, SHOW])
    widget = shown.widget("Timeline")
    expect(widget.get_by_test_id("mark").last).to_be_visible()
    shown.restart_kernel()
    expect(widget.get_by_test_id("gone")).to_be_visible()
    expect(widget.get_by_test_id("gone")).to_contain_text("Run the cell again")


LINE = "(line) => line.getBoundingClientRect().left"


def test_the_thumb_the_line_and_the_bar_of_an_entry_stand_at_one_place(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, SHOW])
    widget = shown.widget("Timeline")
    expect(widget.get_by_test_id("mark").last).to_be_visible()
    size, before = shown.python("[max((b, a) for a, b in zip(sizes[5:20], sizes[6:21]) if b - a > 3), 0][0]")
    shown.python(f"setattr(timeline, 'as_of', {before})")  # the first entry of a head of several
    line = widget.get_by_test_id("as-of")
    expect(line).to_be_attached()
    bar = mark(widget, size).evaluate(BAR)
    assert abs(widget.evaluate(THUMB) - bar) < 2
    assert abs(line.evaluate(LINE) - bar) < 2
    widget.get_by_test_id("by-entries").click()
    expect(mark(widget, size)).to_be_visible()
    assert shown.until("timeline.span['axis'] == 'entries'")
    shown.until(lambda: abs(widget.evaluate(THUMB) - line.evaluate(LINE)) < 2)


def test_one_head_has_a_time_of_day_and_every_time_names_its_zone(notebook: Notebook) -> None:
    code = (
        "import substrate\nmemory = substrate.open('store', background=False)\nmemory.checkpoint(['v1.fact.a = b'])\n"
    )
    shown = notebook.run([code + "timeline = memory.timeline(picked=[2])\ntimeline"])
    widget = shown.widget("Timeline")
    shown.python("setattr(timeline, 'window', [timeline.span['high']] * 2)")
    expect(widget.locator(".tl-label", has_text=":")).to_have_count(1)
    label = widget.locator(".tl-label", has_text=":").text_content()
    assert label == shown.python("f'{memory.heads(limit=1)[0].recorded_at:%H:%M:%S}'")
    expect(widget.locator(".tl-days")).to_contain_text("UTC")
    expect(widget.get_by_test_id("head-A")).to_contain_text("UTC")
