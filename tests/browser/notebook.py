"""A notebook, opened and run in a JupyterLab that is already in the browser, and what it shows."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeAlias

from playwright.sync_api import Browser, Locator, Page

from tests.browser.kernel import Kernel
from tests.browser.lab import Lab
from tests.browser.watching import Watch
from tests.scale import PATIENCE_S

__all__ = ["Desk", "Notebook", "Shown", "Theme"]

Theme: TypeAlias = Literal["light", "dark"]

_SCREENSHOTS = Path(__file__).parents[2] / "screenshots"

_OPEN = "async (path) => (await jupyterapp.commands.execute('docmanager:open', {path})).context.ready"
_SAVE = "() => jupyterapp.commands.execute('docmanager:save')"
_RUN = "() => jupyterapp.commands.execute('notebook:run-all-cells')"
_RESTART = "() => ({promise: jupyterapp.commands.execute('kernelmenu:restart')})"
_CELLS = "() => jupyterapp.shell.currentWidget.content.model.toJSON().cells"
_PUT_AWAY = "() => { for (const shown of [...jupyterapp.shell.widgets('main')]) shown.dispose(); }"
_THEME = "(theme) => jupyterapp.commands.execute('apputils:change-theme', {theme})"
_STARTED = "() => Boolean(window.jupyterapp)"
_RESTORED = "() => jupyterapp.restored.then(() => null)"
# JupyterLab takes its splash away 200 ms after the last who showed it; shown again within them, it is taken away twice,
# which is an error on the page. To change the theme shows it, so nobody may do that before it is gone.
_SETTLED = "() => document.readyState === 'complete' && !document.getElementById('jupyterlab-splash')"
_IDLE = "() => jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"
_THEMED = "(theme) => document.body.dataset.jpThemeName === theme"
_POLLING_MS = 30  # by itself Playwright looks with each frame, and so has the page drawn sixty times in a second
_ROOMY = (
    "() => { if (!jupyterapp.shell.leftCollapsed) return jupyterapp.commands.execute('application:toggle-left-area'); }"
)


def _await_lab(page: Page) -> None:
    """Until the page that is being loaded can be used. In three steps: Playwright takes any promise for a yes."""
    page.wait_for_function(_STARTED, polling=_POLLING_MS)
    page.evaluate(_RESTORED)
    page.wait_for_function(_SETTLED, polling=_POLLING_MS)


class Desk:
    """One page with JupyterLab in it, for all tests of a worker: to load it takes longer than most tests do."""

    def __init__(self, browser: Browser, lab: Lab) -> None:
        self.lab = lab
        self._browser = browser
        self._page: Page | None = None
        self._watch: Watch | None = None

    def open(self) -> Page:
        """The page, loaded, with nothing open in it."""
        if self._page is None:
            # A context of its own, so that nothing is left of the page before. The clipboard is for buttons that copy.
            context = self._browser.new_context(
                viewport={"width": 1280, "height": 1000},
                permissions=["clipboard-read", "clipboard-write"],
                base_url=self.lab.url,
            )
            context.set_default_timeout(PATIENCE_S * 1000)
            self._page = context.new_page()
            self._watch = Watch(self._page, self.lab.url)
            self._page.goto("/lab?reset")
            _await_lab(self._page)
            self._page.evaluate(_ROOMY)
        return self._page

    def faults(self) -> list[str]:
        """What happened in the page that must not."""
        return [] if self._watch is None else self._watch.faults

    def put_away(self) -> list[str]:
        """Close what is open in the page, and give its faults. A page that had any is not used again."""
        if self._page is not None:
            self._page.evaluate(_PUT_AWAY)
        faults = self.faults()
        if faults or (self._page is not None and self._page.locator(".jp-Dialog").count()):
            self.renew()
        return faults

    def renew(self) -> None:
        """Throw the page away, with its faults."""
        if self._page is not None:
            self._page.context.close()
        self._page = self._watch = None


class Shown:
    """A notebook that was run, in the page and in its kernel."""

    def __init__(self, page: Page, lab: Lab, path: str, theme: Theme) -> None:
        self.page = page
        self.theme = theme
        self._lab = lab
        self._path = path
        self._kernel: Kernel | None = None

    def widget(self, label: str) -> Locator:
        """The widget with this title."""
        return self.page.locator(f'section.substrate[aria-label="{label}"]')

    def output(self, cell: int) -> Locator:
        """What the cell with this number, from 0, has put out."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(".jp-Cell-outputArea")

    def python(self, expression: str) -> Any:
        """The value of an expression in the notebook's kernel; it must be one that JSON can say."""
        if self._kernel is None:
            self._kernel = Kernel(self._lab, self._session()["kernel"]["id"])
        return self._kernel.value(expression)

    def until(self, condition: str | Callable[[], object], seconds: float = PATIENCE_S) -> Any:
        """The first true value of a Python expression in the kernel, or of a callable here; fails after so long."""
        ask = condition if callable(condition) else lambda: self.python(condition)
        deadline = time.monotonic() + seconds
        while not (value := ask()):
            if time.monotonic() > deadline:
                raise AssertionError(f"still not so after {seconds:g} s: {condition}")
            self.page.wait_for_timeout(30)
        return value

    def in_another_window(self) -> Page:
        """The same notebook, saved and opened in a second window, with the same kernel."""
        self.page.evaluate(_SAVE)
        other = self.page.context.new_page()
        other.goto("/lab/workspaces/other?reset")
        self.open_in(other)
        return other

    def open_in(self, other: Page) -> None:
        """Open the notebook in a window that was just loaded: what a workspace restores is saved late, or never.

        JupyterLab waits four seconds for what the kernel has of a widget, and then shows an error in its place. On a
        busy machine these are over soon, so it is loaded again until the widgets are there.
        """
        given_up = other.get_by_text("Error displaying widget")
        deadline = time.monotonic() + PATIENCE_S
        while True:
            _await_lab(other)
            other.evaluate(_OPEN, self._path)
            other.locator("section.substrate").or_(given_up).first.wait_for()
            if not given_up.count():
                return
            if time.monotonic() > deadline:
                raise AssertionError("a second window cannot get the widgets of the kernel")
            other.reload()

    def reopen(self) -> Page:
        """The notebook, saved, and opened in another window when its kernel is gone: with a new one."""
        self.page.evaluate(_SAVE)
        self.end()
        self.page.evaluate(_PUT_AWAY)
        other = self.page.context.new_page()
        other.goto("/lab/workspaces/again?reset")
        _await_lab(other)
        other.evaluate(_OPEN, self._path)
        other.wait_for_function(_IDLE, polling=_POLLING_MS)
        return other

    def screenshot(self, name: str, of: Locator | None = None) -> Path:
        """A picture of the notebook, or of one part of it, if there is a folder screenshots/, which git ignores."""
        file = _SCREENSHOTS / f"{name}-{self.theme}.png"
        self.page.mouse.move(0, 0)  # nothing is hovered over
        if _SCREENSHOTS.is_dir():
            (of or self.page.locator(".jp-NotebookPanel")).screenshot(path=file, animations="disabled")
        return file

    def restart_kernel(self) -> None:
        """As the menu does it, dialog and all. On return the new kernel is idle."""
        self.forget_kernel()
        restarted = self.page.evaluate_handle(_RESTART)
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        restarted.evaluate("(restarted) => restarted.promise")
        self.await_kernel()

    def await_kernel(self) -> None:
        """Until an idle kernel has the page connected, by the server's word: the page's indicator says so too early."""

        def ready() -> bool:
            kernel = (self._session() or {}).get("kernel") or {}
            return kernel.get("connections", 0) >= 1 and kernel["execution_state"] == "idle"

        self.page.wait_for_function(_IDLE, polling=_POLLING_MS)  # before the server is asked, which takes much more
        self.until(ready)
        self.page.wait_for_function(_IDLE, polling=_POLLING_MS)

    def forget_kernel(self) -> None:
        """Let go of our own line to the kernel."""
        if self._kernel is not None:
            self._kernel.close()
            self._kernel = None

    def end(self) -> None:
        """Shut the kernel down."""
        self.forget_kernel()
        session = self._session()
        if session:
            self._lab.ask(f"/api/sessions/{session['id']}", "DELETE")

    def _session(self) -> dict[str, Any]:
        return next((session for session in self._lab.ask("/api/sessions") if session["path"] == self._path), {})


class Notebook:
    """What a test gets: a folder for its notebooks and stores, and `run`. See `notebook` in conftest.py."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self.folder = folder
        self._desk = desk
        self._shown: list[Shown] = []

    def run(self, cells: list[str], theme: Theme = "light") -> Shown:
        """A new notebook of these code cells, opened and run. Its working folder is `folder`.

        On return every cell was executed and the kernel is idle; what its widgets draw may still be on its way.
        """
        page = self._desk.open()
        file = self.folder / f"notebook{len(self._shown)}.ipynb"
        file.write_text(json.dumps(_notebook(cells)), encoding="utf-8")
        path = file.relative_to(self._desk.lab.root).as_posix()
        wanted = f"JupyterLab {theme.title()}"
        if not page.evaluate(_THEMED, wanted):
            page.evaluate(_THEME, wanted)
            page.wait_for_function(_THEMED, arg=wanted, polling=_POLLING_MS)
            page.wait_for_function(_SETTLED, polling=_POLLING_MS)
        shown = Shown(page, self._desk.lab, path, theme)
        self._shown.append(shown)
        page.evaluate(_OPEN, path)
        shown.await_kernel()
        page.evaluate(_RUN)
        for number, cell in enumerate(page.evaluate(_CELLS)):
            raised = [output for output in cell["outputs"] if output["output_type"] == "error"]
            if raised:
                told = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(raised[0]["traceback"]))
                raise AssertionError(f"cell {number} raised:\n{told}")
            if cells[number].strip() and cell["execution_count"] is None:
                raise AssertionError(f"cell {number} was not executed")
        shown.await_kernel()
        return shown

    def close(self) -> None:
        """End the kernels of all that was run."""
        for shown in self._shown:
            shown.end()


def _notebook(cells: list[str]) -> dict[str, object]:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": kernel},
        "cells": [
            {
                "id": f"c{number}",
                "cell_type": "code",
                "source": code,
                "metadata": {},
                "outputs": [],
                "execution_count": None,
            }
            for number, code in enumerate(cells)
        ],
    }
