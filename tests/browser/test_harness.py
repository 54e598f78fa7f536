"""The harness itself: notebooks run, widgets are clicked, and its detectors see what they are for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import find_chromium
from tests.browser.lab import Lab, running_lab
from tests.browser.notebook import Desk, Notebook

COUNTER = '''
import anywidget, traitlets
class Counter(anywidget.AnyWidget):
    _esm = """export default { render({ model, el }) {
      const button = document.createElement("button");
      const show = () => { button.textContent = `count ${model.get("value")}`; };
      button.addEventListener("click", () => { model.set("value", model.get("value") + 1); model.save_changes(); });
      model.on("change:value", show);
      show();
      el.append(button);
    } }"""
    value = traitlets.Int(0).tag(sync=True)
counter = Counter()
counter
'''


def test_a_cell_prints_and_a_widget_is_clicked(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = notebook.run(["print('sum', 2 + 3)", COUNTER], theme="dark")
    expect(shown.output(0)).to_have_text("sum 5")
    button = shown.page.get_by_role("button", name="count 0")
    button.click()
    expect(shown.page.get_by_role("button", name="count 1")).to_be_visible()
    shown.until("counter.value == 1")
    assert shown.python("{'value': counter.value, 'text': 'ü' * 3}") == {"value": 1, "text": "üüü"}
    monkeypatch.setattr("tests.browser.notebook._SCREENSHOTS", notebook.folder)
    assert shown.screenshot("harness").stat().st_size > 1000


def test_a_kernel_starts_anew(notebook: Notebook) -> None:
    shown = notebook.run(["kept = 5"])
    assert shown.python("'kept' in globals()")
    shown.restart_kernel()
    assert not shown.python("'kept' in globals()")


def test_a_cell_that_raises_fails_with_its_traceback(notebook: Notebook) -> None:
    with pytest.raises(AssertionError, match=r"cell 1 raised:[\s\S]*ZeroDivisionError"):
        notebook.run(["a = 1", "a / 0", "b = 1"])


def test_an_expression_that_raises_fails_with_its_error(notebook: Notebook) -> None:
    shown = notebook.run(["a = 1"])
    with pytest.raises(AssertionError, match="NameError"):
        shown.python("b")
    with pytest.raises(AssertionError, match="still not so"):
        shown.until("a == 2", seconds=0.1)


def test_what_must_not_happen_in_a_page_is_seen(notebook: Notebook, desk: Desk) -> None:
    planted = {
        "setTimeout(() => { throw new Error('planted'); })": "page error: Error: planted",
        "console.error('planted')": "console error: planted",
        "fetch('http://localhost:9/a').catch(() => null)": "request to another origin: http://localhost:9/a",
        "new WebSocket('ws://localhost:9/b')": "request to another origin: ws://localhost:9/b",
        "new Image().src = '//localhost:9/c'": "request to another origin: http://localhost:9/c",
    }
    cells = [f"from IPython.display import Javascript\nJavascript({fault!r})" for fault in planted]
    shown = notebook.run([*cells, "Javascript(\"fetch('data:,fine')\")"])
    for told in planted.values():
        shown.until(lambda told=told: any(seen.startswith(told) for seen in desk.faults()))
    assert not any("data:" in seen for seen in desk.faults())
    desk.renew()


def test_loops_of_other_tests_run_after_those_in_a_browser(desk: Desk) -> None:
    assert desk.lab.url
    assert asyncio.run(asyncio.sleep(0, "ran")) == "ran"


def test_without_chromium_tests_are_skipped_or_fail_as_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    monkeypatch.delenv("REQUIRE_BROWSER", raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"):
        find_chromium()
    monkeypatch.setenv("REQUIRE_BROWSER", "1")
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
        find_chromium()


def test_a_lab_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.browser.lab._free_port", lambda: "not-a-port")
    with pytest.raises(RuntimeError, match=r"did not start[\s\S]*not-a-port"), running_lab(tmp_path / "lab") as lab:
        assert isinstance(lab, Lab)
