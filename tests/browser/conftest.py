"""One JupyterLab and one headless Chromium for each worker; each test has its own notebook and kernel."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.lab import Lab, running_lab
from tests.browser.notebook import Desk, Notebook
from tests.scale import PATIENCE_S

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str:
    """Where Chromium is. Without one the test is skipped, or fails if REQUIRE_BROWSER is set."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if found and Path(found).exists():
        return found
    reason = "Chromium is missing. On Debian: apt-get install chromium; or set CHROMIUM to the path of one."
    if os.environ.get("REQUIRE_BROWSER", "") not in {"", "0"}:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> str:
    return find_chromium()


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_S * 1000)  # a bound, not a wait: what is expected is looked for again and again
    with sync_playwright() as playwright:
        # Launched by Playwright, which gives each launch a user-data-dir of its own.
        browser = playwright.chromium.launch(executable_path=chromium, headless=True, args=FLAGS)
        asyncio._set_running_loop(None)
        yield browser
        asyncio._set_running_loop(browser._loop)
        browser.close()


@pytest.fixture(scope="session")
def lab(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:  # noqa: ARG001 - no browser, no lab
    with running_lab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


@pytest.fixture(scope="session")
def desk(browser: Browser, lab: Lab) -> Iterator[Desk]:
    desk = Desk(browser, lab)
    yield desk
    with loop_of(browser):
        desk.renew()


@pytest.fixture
def notebook(browser: Browser, desk: Desk, request: pytest.FixtureRequest) -> Iterator[Notebook]:
    """Runs notebooks. Afterwards: no page error, no error on the console, and no request went to another server."""
    number = len(list(desk.lab.root.iterdir()))  # or a long name with two parameters would give one folder twice
    folder = desk.lab.root / f"{re.sub(r'[^A-Za-z0-9]+', '-', request.node.name)[:60]}-{number}"
    folder.mkdir()
    notebook = Notebook(desk, folder)
    with loop_of(browser):
        desk.open()
        yield notebook
        faults = desk.put_away()
        notebook.close()
    assert not faults, "\n".join(faults)


@contextlib.contextmanager
def loop_of(browser: Browser) -> Iterator[None]:
    """Playwright marks its loop as the running one of this thread. Only in here: other tests run loops of their own."""
    asyncio._set_running_loop(browser._loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)
