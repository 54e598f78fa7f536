"""The proof viewer in a real page: drawn, a byte changed and restored, by mouse and by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.notebook import Notebook, Shown, Theme

OPEN = """
import substrate
memory = substrate.open("store", actor="ann")
memory.checkpoint([f"v1.fact.n{number} = number {number}" for number in range(300)])
memory.checkpoint(["v1.fact.payment_provider = Stripe"])
memory.checkpoint(["v1.fact.payment_provider = Adyen", "v1.fact.gone = x", "v1.fact.erased = y"])
memory.checkpoint(tombstones=["v1.fact.gone"])
_ = memory.forget("v1.fact.erased")
"""
SHOW = "viewer = memory.show_proof('v1.fact.payment_provider')\nviewer"


def node(widget: Locator, identity: str) -> Locator:
    return widget.locator(f'[data-node="{identity}"]')


def red(widget: Locator) -> set[str]:
    return set(widget.locator('[data-red="true"]').evaluate_all("(all) => all.map((each) => each.dataset.node)"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_changed_byte_shows_in_red_from_there_up_until_restored(notebook: Notebook, theme: Theme) -> None:
    shown = notebook.run([OPEN, SHOW], theme=theme)
    widget = shown.widget("Proof")
    verdict = widget.get_by_test_id("verdict")
    expect(verdict).to_contain_text("Verified v1.fact.payment_provider is current")
    expect(verdict).to_contain_text("this store's own key")
    assert red(widget) == set()
    shown.screenshot("proof", widget)
    node(widget, "body").click()
    expect(widget.get_by_test_id("part")).to_have_value("body")
    widget.get_by_test_id("change").click()
    expect(verdict).to_contain_text("Rejected commitment: salt and body are not those the entry commits to")
    expect(widget.get_by_test_id("changed")).to_contain_text("of body: 41 is now 40")
    found = red(widget)
    assert {"body", "commitment", "entry", "leaf", "head", "signed"} <= found
    assert not found & {"salt", "id", "record", "map_root", "signature", "name"}
    assert shown.python("sorted(n['id'] for n in viewer.nodes if n['red'] and n['id'][:4] != 'log.')") == sorted(
        ["body", "commitment", "entry", "leaf", "head", "signed"]
    )
    assert shown.python("viewer.changed") == "body"
    shown.screenshot("proof-changed", widget)
    widget.get_by_test_id("restore").click()
    expect(verdict).to_contain_text("Verified")
    assert red(widget) == set()
    assert shown.python("viewer.changed") == ""
