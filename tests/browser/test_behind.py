"""A store of which another copy is ahead, in a real page."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.notebook import Notebook
from tests.browser.test_explorer import SHOW, STORE

OVERTAKEN = """
import shutil
shutil.copytree("store", "copy")
with substrate.open("copy", home="home", background=False) as copy:
    copy.checkpoint(["v1.fact.payment_provider = Mollie handles all our card payments."])
"""


def test_it_is_shown_under_a_notice_that_says_which_copy_is_ahead(notebook: Notebook) -> None:
    shown = notebook.run([STORE, OVERTAKEN, SHOW], "light")
    widget = shown.widget("Explorer")
    expect(widget.get_by_test_id("notice")).to_contain_text("is behind")
    expect(widget.get_by_test_id("notice")).to_contain_text("substrate restore")
    expect(widget.get_by_test_id("hit")).to_have_count(7)
    shown.screenshot("explorer-behind", widget)
