"""What all widgets have of the page: colours of the theme, views that are counted, a word when the kernel is busy."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.notebook import Desk, Notebook, Shown, Theme

STORE = """
import threading
import substrate
memory = substrate.open("store", home="home", actor="ada", background=False)
memory.checkpoint(["v1.fact.provider = Stripe", "v1.decision.refunds = Within five days"])
"""
SHOW = "explorer = memory.explore(selected='v1.fact.provider')\nexplorer"
RUN = """(at) => {
    const { content } = jupyterapp.shell.currentWidget;
    content.activeCellIndex = at;
    return { promise: jupyterapp.commands.execute('notebook:run-cell') };
}"""
SUBSHELLS = "(which) => { jupyterapp.serviceManager.kernels.commsOverSubshells = which; }"

# What the browser computed, as red, green, blue and opacity; a mix of colours is told as `color(srgb …)`.
COLOUR = """(element, property) => {
    const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    brush.fillStyle = getComputedStyle(element)[property];
    brush.fillRect(0, 0, 1, 1);
    return [...brush.getImageData(0, 0, 1, 1).data];
}"""


def _colour(element: Locator, which: str, behind: list[float] | None = None) -> list[float]:
    """As it is seen: what lets something through is laid over what is behind it."""
    *colour, opacity = element.evaluate(COLOUR, which)
    share = opacity / 255
    return [one * share + other * (1 - share) for one, other in zip(colour, behind or colour, strict=True)]


def _luminance(colour: list[float]) -> float:
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in (c / 255 for c in colour)]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(one: list[float], other: list[float]) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _explorer(shown: Shown) -> Locator:
    widget = shown.widget("Explorer")
    expect(widget.first.get_by_test_id("value")).to_be_visible()
    return widget


def test_contrast_is_measured() -> None:
    assert round(_contrast([255, 255, 255], [0, 0, 0]), 1) == 21
    assert _contrast([255, 255, 255], [56, 142, 60]) < 4.5  # the theme's own green on white


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_are_those_of_the_theme_and_can_be_read(notebook: Notebook, theme: Theme) -> None:
    shown = notebook.run([STORE, SHOW], theme)
    widget = _explorer(shown)
    back = _colour(widget, "backgroundColor")
    assert (_luminance(back) > 0.5) == (theme == "light")
    raised = _colour(widget.get_by_test_id("value"), "backgroundColor")
    assert raised != back
    assert _contrast(_colour(widget.get_by_test_id("value"), "color"), raised) > 7
    widget.evaluate(
        """(root) => root.append(...["text", "faint", "good", "bad", "warn", "accent"].map((name) => {
            const sample = document.createElement("i");
            sample.className = `sample-${name}`;
            sample.style.color = `var(--sub-${name})`;
            return sample;
        }))"""
    )
    accent_back = [0.12 * one + 0.88 * other for one, other in zip(_of(widget, "accent", back), back, strict=True)]
    for name in ("text", "faint", "good", "bad", "warn", "accent"):
        for behind in (back, raised, accent_back):
            assert _contrast(_of(widget, name, behind), behind) >= 4.5, name
    red, green, _ = _of(widget, "bad", back)
    assert red > green + 50
    red, green, _ = _of(widget, "good", back)
    assert green > red + 50
    assert _colour(widget.get_by_test_id("proof"), "color") == _of(widget, "good", back)


def _of(widget: Locator, name: str, behind: list[float]) -> list[float]:
    return _colour(widget.locator(f".sample-{name}"), "color", behind)


def test_a_widget_keeps_its_colours_when_others_are_shown_after_it(notebook: Notebook) -> None:
    """Each brings the shared sheet again, after the sheets that are there."""
    shown = notebook.run([STORE, SHOW, "memory.timeline()", "memory.preview('payments')"])
    widget = _explorer(shown)
    expect(shown.widget("Bootstrap preview")).to_be_visible()
    widget.evaluate(
        """(root) => {
            const style = document.createElement("style");
            style.textContent = ".substrate .own { color: rgb(1, 2, 3); background: rgb(4, 5, 6); padding: 0 }";
            document.head.prepend(style);
            for (const [tag, shared] of [["span", "sub-chip"], ["button", "sub-quiet"], ["bdi", "sub-stored"]]) {
                const own = document.createElement(tag);
                own.className = `${shared} own`;
                root.append(own);
            }
        }"""
    )
    for own in widget.locator(".own").all():
        assert (_colour(own, "color"), _colour(own, "backgroundColor")) == ([1, 2, 3], [4, 5, 6])


def test_a_widget_takes_no_room_for_what_is_not_going_on(notebook: Notebook) -> None:
    shown = notebook.run([STORE, SHOW])
    widget = _explorer(shown)
    below = (
        "(root) => root.getBoundingClientRect().bottom - root.querySelector('.sub-body').getBoundingClientRect().bottom"
    )
    height = widget.bounding_box()
    assert widget.evaluate(below) < 14  # the padding and the border
    shown.python("setattr(explorer, 'working', 'Taking in sessions')")
    expect(widget.get_by_test_id("working")).to_contain_text("Taking in sessions")
    assert widget.bounding_box() == height


@pytest.fixture
def _one_shell(notebook: Notebook, desk: Desk) -> Iterator[None]:  # noqa: ARG001 - once the page is open
    """As with a kernel that has no subshells: one that has them may hear the page while a cell runs."""
    desk.open().evaluate(SUBSHELLS, "disabled")
    yield
    desk.open().evaluate(SUBSHELLS, "perCommTarget")


@pytest.mark.usefixtures("_one_shell")
def test_while_a_cell_runs_who_asks_is_told_to_wait(notebook: Notebook) -> None:
    code = "while not __import__('pathlib').Path('go-on').exists():\n    threading.Event().wait(0.05)"
    listen = "heard = []\nexplorer.observe(lambda change: heard.append(change['new']), 'query')"
    shown = notebook.run([STORE + "open('go-on', 'w').close()", SHOW, listen, code])
    widget = _explorer(shown)
    (notebook.folder / "go-on").unlink()
    expect(widget.get_by_test_id("busy")).to_be_hidden()
    shown.page.evaluate(RUN, 3)
    expect(shown.page.locator(".jp-Notebook .jp-Cell").nth(3).locator(".jp-InputPrompt")).to_have_text(
        re.compile(r"\*")
    )
    widget.get_by_test_id("box").press_sequentially("refunds")
    expect(widget.get_by_test_id("busy")).to_have_text("The kernel is busy: this is answered when the cell has ended.")
    expect(widget.get_by_test_id("busy")).to_be_visible()
    shown.screenshot("explorer-busy", widget)
    (notebook.folder / "go-on").touch()
    expect(widget.get_by_test_id("busy")).to_be_hidden()
    expect(widget.get_by_test_id("hit").first).to_have_attribute("data-name", "v1.decision.refunds")
    shown.await_kernel()
    assert shown.until("heard[1:] and heard") == ["r", "refunds"]  # one question at a time: the kernel is not flooded


def test_a_widget_whose_cell_was_run_again_works_no_more(notebook: Notebook) -> None:
    keep = "kept = globals().get('kept', [])\nkept.append(memory.explore(selected='v1.fact.provider'))\nkept[-1]"
    shown = notebook.run([STORE, keep])
    _explorer(shown)
    assert shown.until("[one.views for one in kept] == [1]")
    shown.page.evaluate(RUN, 1)
    assert shown.until("[one.views for one in kept] == [0, 1]")
    expect(_explorer(shown)).to_have_count(1)
    was = shown.python("kept[0].size")
    shown.python("len(memory.checkpoint(['v1.fact.other = something else']).seqs)")
    expect(shown.widget("Explorer").locator('[data-name="v1.fact.other"]')).to_be_visible()
    assert shown.python("[one.size for one in kept]") == [was, was + 1]


def test_two_views_of_one_widget_show_the_same(notebook: Notebook) -> None:
    shown = notebook.run([STORE, SHOW, "explorer"])
    views = _explorer(shown)
    expect(views).to_have_count(2)
    assert shown.until("explorer.views == 2")
    views.first.get_by_test_id("box").fill("refunds")
    for view in views.all():
        expect(view.get_by_test_id("box")).to_have_value("refunds")
        expect(view.get_by_test_id("hit").first).to_have_attribute("data-name", "v1.decision.refunds")
    shown.page.evaluate("() => { jupyterapp.shell.currentWidget.content.widgets[2].model.outputs.clear(); }")
    assert shown.until("explorer.views == 1")
    shown.python("len(memory.checkpoint(['v1.fact.refunds = something else']).seqs)")
    expect(views.first.locator('[data-name="v1.fact.refunds"]')).to_be_visible()


def test_while_one_of_two_windows_shows_a_widget_it_is_told_of_writes(notebook: Notebook) -> None:
    shown = notebook.run([STORE, SHOW])
    _explorer(shown)
    other = shown.in_another_window()
    there = other.locator('section.substrate[aria-label="Explorer"]')
    expect(there.get_by_test_id("value")).to_be_visible()
    assert shown.until("explorer.views == 2")
    shown.page.evaluate("() => { jupyterapp.shell.currentWidget.content.widgets[1].model.outputs.clear(); }")
    assert shown.until("explorer.views == 1")
    shown.python("len(memory.checkpoint(['v1.fact.other = something else']).seqs)")
    expect(there.locator('[data-name="v1.fact.other"]')).to_be_visible()
    other.reload()  # the page of before is gone, and the one that comes is another
    shown.open_in(other)
    expect(there.get_by_test_id("value")).to_be_visible()
    other.evaluate("() => { jupyterapp.shell.currentWidget.content.widgets[1].model.outputs.clear(); }")
    assert shown.until("explorer.views == 0")  # whether or not the page of before could say that it goes
    other.close()
