"""The Explorer in a real page: typed into, clicked, by keyboard alone; asserted in the page and in the kernel."""

from __future__ import annotations

import re
import subprocess
import sys

from playwright.sync_api import Locator, expect

from tests.browser.notebook import Notebook, Shown

STORE = """
import substrate
memory = substrate.open("store", home="home", actor="ada", background=False)
def place(execution):
    return {"notebook": {"path": "analysis/churn.ipynb", "cell": "c3", "execution": execution}}
PROVIDER = {"name": "v1.fact.payment_provider", "tags": ["billing", "vendor"], "confidence": 0.9}
memory.checkpoint([
    PROVIDER | {"value": "Stripe handles all our card payments.", "source": "minutes of 3 March", "attrs": place(7)},
    {"name": "v1.decision.refunds", "tags": ["billing"],
     "value": "Refunds are paid out within five days, by the same way as the payment came in."},
    {"name": "v1.constraint.card_data", "tags": ["billing", "security"],
     "value": "No card data is stored with us, not even for a moment: payments go through the provider's form."},
    {"name": "v1.goal.fewer_failed_payments", "occurred_at": "2025-02-03",
     "value": "Fewer than one payment in a hundred fails by the end of the year."},
    {"name": "v1.preference.reports", "value": "Reports come as a table, one page at most."},
    {"name": "v1.domain.billing", "value": "All about invoices, payments and refunds."},
    {"name": "v1.document.contract", "value": "Whereas the parties agree. " * 400},
], edges=[
    {"source": "v1.fact.payment_provider", "type": "member_of", "target": "v1.domain.billing"},
    {"source": "v1.decision.refunds", "type": "depends_on", "target": "v1.fact.payment_provider"},
    {"source": "v1.fact.payment_provider", "type": "references", "target": "v1.metric.failed_payments"},
])
memory.checkpoint([PROVIDER | {"value": "Adyen handles all our card payments; Stripe did until May.",
                               "source": "mail of 2 May", "attrs": place(9)}])
memory.observe([{"items": ["v1.fact.payment_provider", "v1.decision.refunds", "v1.constraint.card_data"]}] * 3)
"""
SHOW = "explorer = memory.explore()\nexplorer"
PROVIDER = "v1.fact.payment_provider"


def _explorer(shown: Shown) -> Locator:
    widget = shown.widget("Explorer")
    expect(widget.get_by_test_id("hit").first).to_be_visible()
    return widget


def _hit(widget: Locator, name: str) -> Locator:
    return widget.locator(f'[data-testid="hit"][data-name="{name}"]')


def test_what_is_typed_is_found_and_what_is_clicked_is_shown(notebook: Notebook) -> None:
    shown = notebook.run([STORE, SHOW], "dark")
    widget = _explorer(shown)
    expect(widget.get_by_test_id("count")).to_have_text("7 atoms, the newest first")
    shown.screenshot("explorer-first", widget)
    widget.get_by_test_id("box").press_sequentially("card payments")
    expect(_hit(widget, PROVIDER).locator("mark")).to_have_text(["card", "payments"])
    expect(_hit(widget, PROVIDER)).to_contain_text("has “card”, “payments”")
    assert shown.until("explorer.answer['query'] == 'card payments' and explorer.query == 'card payments'")
    _hit(widget, PROVIDER).click()
    expect(widget.get_by_test_id("value")).to_contain_text("Adyen handles all our card payments")
    assert shown.until(f"explorer.selected == {PROVIDER!r}")
    expect(widget.get_by_test_id("proof")).to_have_text("current, entry 11 of 12, verified")
    expect(widget.get_by_test_id("notebook")).to_have_text("analysis/churn.ipynb, cell c3, run 9")
    expect(widget.get_by_test_id("likely").first).to_contain_text("v1.decision.refunds")
    expect(widget.get_by_test_id("fields")).to_contain_text("mail of 2 May")
    shown.screenshot("explorer", widget)


def test_the_keyboard_is_enough(notebook: Notebook) -> None:
    shown = notebook.run([STORE, SHOW])
    widget, keyboard = _explorer(shown), shown.page.keyboard
    box = widget.get_by_test_id("box")
    box.focus()
    keyboard.type("refunds")
    expect(widget.get_by_test_id("count")).to_contain_text("hits")
    expect(_hit(widget, "v1.decision.refunds")).to_be_visible()
    keyboard.press("ArrowDown")
    expect(widget.get_by_test_id("hits")).to_be_focused()
    keyboard.press("ArrowDown")
    keyboard.press("ArrowUp")
    assert shown.python("explorer.selected") == ""
    keyboard.press("Enter")
    first = widget.get_by_test_id("hit").first
    expect(first).to_have_attribute("aria-selected", "true")
    expect(widget.get_by_test_id("title")).to_have_text(first.get_attribute("data-name") or "")
    assert shown.until(f"explorer.selected == {first.get_attribute('data-name')!r}")
    keyboard.press("Escape")
    expect(box).to_be_focused()
    # JupyterLab has commands under these keys, for whoever has its notebook in focus.
    assert shown.page.locator(".jp-Notebook .jp-Cell").count() == 2
    keyboard.press("ArrowDown")
    for key in ("d", "d", "a", "b", "x"):
        keyboard.press(key)
    keyboard.press("ArrowUp")
    expect(box).to_be_focused()
    assert shown.page.locator(".jp-Notebook .jp-Cell").count() == 2


def test_facets_narrow_and_python_sees_and_sets_them(notebook: Notebook) -> None:
    shown = notebook.run([STORE, SHOW])
    widget = _explorer(shown)
    widget.get_by_test_id("facet-type").select_option("constraint")
    expect(widget.get_by_test_id("hit")).to_have_count(1)
    assert shown.until("explorer.type == 'constraint' and len(explorer.answer['hits']) == 1")
    widget.get_by_test_id("clear").click()
    widget.get_by_test_id("facet-tag").select_option("billing")
    expect(widget.get_by_test_id("hit")).to_have_count(3)
    widget.get_by_test_id("clear").click()
    widget.get_by_test_id("facet-until").fill("2025-02-03")
    expect(widget.get_by_test_id("hit")).to_have_count(1)
    expect(_hit(widget, "v1.goal.fewer_failed_payments")).to_be_visible()
    shown.python("[setattr(explorer, 'until', ''), setattr(explorer, 'domain', 'v1.domain.billing')]")
    expect(_hit(widget, PROVIDER)).to_be_visible()
    expect(widget.get_by_test_id("hit")).to_have_count(1)
    expect(widget.get_by_test_id("facet-domain")).to_have_value("v1.domain.billing")
    shown.python("[setattr(explorer, 'domain', ''), setattr(explorer, 'query', 'no such words')]")
    expect(widget.get_by_test_id("box")).to_have_value("no such words")
    expect(widget.get_by_test_id("nothing")).to_be_visible()


def test_one_goes_back_in_time_along_edges_and_into_long_values(notebook: Notebook) -> None:
    shown = notebook.run([STORE, "explorer = memory.explore(selected='v1.decision.refunds')\nexplorer"])
    widget = _explorer(shown)
    expect(widget.get_by_test_id("stale")).to_contain_text("v1.fact.payment_provider")
    widget.get_by_test_id("edge").get_by_role("button", name=PROVIDER).click()
    expect(widget.get_by_test_id("version")).to_have_count(2)
    expect(widget.get_by_test_id("edge").filter(has_text="v1.metric.failed_payments")).to_contain_text("not there yet")
    widget.get_by_test_id("version").last.get_by_role("button").click()
    expect(widget.get_by_test_id("value")).to_have_text("Stripe handles all our card payments.")
    expect(widget.get_by_test_id("proof")).to_have_text("recorded, entry 1 of 12, verified")
    expect(widget.get_by_test_id("travel")).to_be_visible()
    assert shown.until("explorer.as_of == 1 and [hit['seq'] for hit in explorer.answer['hits']] == [1]")
    shown.screenshot("explorer-travel", widget)
    widget.get_by_role("button", name="back to now").click()
    expect(widget.get_by_test_id("value")).to_contain_text("Adyen")
    widget.get_by_role("button", name="copy key").click()
    expect(widget.get_by_role("button", name="copied")).to_be_visible()
    assert shown.page.evaluate("() => navigator.clipboard.readText()") == PROVIDER
    widget.get_by_test_id("box").fill("who handled card payments before the current one")
    expect(_hit(widget, PROVIDER).first.get_by_test_id("earlier")).to_be_visible()
    shown.python("setattr(explorer, 'selected', 'v1.document.contract')")
    expect(widget.get_by_test_id("cut")).to_contain_text("The first 4,000 of 10,800 characters.")
    widget.get_by_test_id("show-all").click()
    expect(widget.get_by_test_id("cut")).to_have_count(0)
    assert len(widget.get_by_test_id("value").inner_text()) == 10_800


def test_what_another_process_writes_appears(notebook: Notebook) -> None:
    shown = notebook.run([STORE, f"explorer = memory.explore(query='payments', selected={PROVIDER!r})\nexplorer"])
    widget = _explorer(shown)
    code = f"""
import substrate
with substrate.open("store", home="home", background=False) as memory:
    memory.checkpoint(["v1.fact.chargebacks = Chargebacks of payments go to the bank.", "{PROVIDER} = Mollie"])
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=notebook.folder, timeout=120)
    expect(_hit(widget, "v1.fact.chargebacks")).to_be_visible()
    expect(widget.get_by_test_id("value")).to_have_text("Mollie")
    assert shown.until("explorer.detail['value'] == 'Mollie' and explorer.size == memory.head().head.size")
    shown.python("memory.close()")
    expect(widget.get_by_test_id("problem")).to_contain_text("The store was closed")


HOSTILE = """
import io, json
import substrate
EVIL = "<script>hit = 1</script><img src=x onerror='hit = 1'><b id=evil>bold</b>\\u202egnp.exe\\u200b!"
memory = substrate.open("store", home="home", actor=EVIL, background=False)
lines = [  # an import still brings names that no new atom may have
    {"kind": "put", "name": f"v1.fact.{EVIL}", "value": f"evil value {EVIL} evil", "tags": [EVIL], "source": EVIL,
     "entities": [EVIL], "session": EVIL,
     "attrs": {"notebook": {"path": EVIL, "cell": EVIL, "execution": 1}, "more": EVIL}},
    {"kind": "put", "name": f"v1.domain.{EVIL}", "value": EVIL},
    {"kind": "edge", "source": f"v1.fact.{EVIL}", "type": "tied_to", "label": EVIL, "target": f"v1.domain.{EVIL}"},
    {"kind": "edge", "source": f"v1.fact.{EVIL}", "type": "member_of", "target": f"v1.fact.{EVIL}?"},
]
memory.import_lines(io.StringIO("\\n".join(map(json.dumps, lines))))
memory.checkpoint([{"name": f"v1.fact.{EVIL}", "value": f"evil value, later {EVIL}", "tags": [EVIL]}])
memory.observe([{"items": [f"v1.fact.{EVIL}", f"v1.domain.{EVIL}"]}] * 2)
explorer = memory.explore(query=f"evil {EVIL}", selected=f"v1.fact.{EVIL}")
explorer
"""


def test_hostile_stored_text_is_text(notebook: Notebook) -> None:
    shown = notebook.run([HOSTILE])
    widget = _explorer(shown)
    expect(widget.get_by_test_id("edge")).to_have_count(2)
    expect(widget.get_by_test_id("version")).to_have_count(2)
    widget.get_by_test_id("version").last.get_by_role("button").click()
    expect(widget.get_by_test_id("value")).to_contain_text("\u2039202E\u203agnp.exe\u2039200B\u203a")
    expect(widget.get_by_test_id("notebook")).to_contain_text("<script>")
    shown.python("[setattr(explorer, 'tag', EVIL), setattr(explorer, 'domain', f'v1.domain.{EVIL}x')]")
    expect(widget.get_by_test_id("problem")).to_contain_text("there is no domain")
    assert widget.locator("script, img, i:not(.ex-bar), b, #evil").count() == 0
    assert shown.page.evaluate("() => window.hit") is None
    assert "\u202e" not in widget.inner_text()
    said = widget.evaluate(
        "(root) => [...root.querySelectorAll('[title], [aria-label]')].map((e) => e.title + e.ariaLabel)"
    )
    assert not any("\u202e" in text for text in said)
    shown.screenshot("explorer-hostile", widget)


def test_when_the_kernel_starts_anew_the_widget_says_so(notebook: Notebook) -> None:
    shown = notebook.run([STORE, SHOW])
    widget = _explorer(shown)
    expect(widget.get_by_test_id("gone")).to_be_hidden()
    shown.restart_kernel()
    expect(widget.get_by_test_id("gone")).to_be_visible()
    expect(widget.get_by_test_id("hit").first).to_be_visible()
    shown.screenshot("explorer-gone", widget)


HELD = "(root) => document.activeElement.textContent + '|' + getSelection().toString()"


def test_enter_opens_the_answer_to_what_is_in_the_box(notebook: Notebook) -> None:
    shown = notebook.run([STORE, SHOW])
    widget = _explorer(shown)
    first = widget.get_by_test_id("hit").first.get_attribute("data-name")
    widget.get_by_test_id("box").focus()
    shown.page.keyboard.type("refunds")
    shown.page.keyboard.press("Enter")  # long before the answer is there
    expect(widget.get_by_test_id("title")).to_have_text("v1.decision.refunds")
    assert first != "v1.decision.refunds"
    assert shown.python("explorer.selected") == "v1.decision.refunds"


def test_what_others_write_leaves_focus_selection_and_scroll_to_who_reads(notebook: Notebook) -> None:
    shown = notebook.run([STORE, f"explorer = memory.explore(selected={PROVIDER!r})\nexplorer"])
    widget = _explorer(shown)
    detail, value = widget.get_by_test_id("detail"), widget.get_by_test_id("value")
    expect(value).to_be_visible()
    widget.get_by_role("button", name="copy key").focus()
    value.evaluate("(value) => getSelection().selectAllChildren(value)")
    detail.evaluate("(detail) => detail.scrollTo(0, 40)")
    held, scrolled = widget.evaluate(HELD), detail.evaluate("(detail) => detail.scrollTop")
    assert held == "copy key|Adyen handles all our card payments; Stripe did until May."
    assert scrolled > 0
    shown.python("len(memory.checkpoint(['v1.fact.other = something else']).seqs)")
    expect(widget.get_by_test_id("proof")).to_contain_text("of 13, verified")
    assert (widget.evaluate(HELD), detail.evaluate("(detail) => detail.scrollTop")) == (held, scrolled)
    widget.get_by_test_id("version").last.get_by_role("button").focus()
    shown.python(f"len(memory.checkpoint(['{PROVIDER} = Mollie']).seqs)")  # the list in which one stands is another
    expect(widget.get_by_test_id("version")).to_have_count(3)
    assert widget.evaluate("() => document.activeElement.dataset.seq") == "1"
    shown.python("len(memory.undo().seqs)")
    expect(widget.get_by_test_id("version")).to_have_count(4)
    expect(widget.get_by_test_id("version").filter(has=shown.page.get_by_test_id("undone"))).to_have_text(
        re.compile("undone.*Mollie")
    )
    widget.get_by_test_id("edge").get_by_role("button").first.focus()
    shown.page.keyboard.press("Enter")
    expect(widget.get_by_test_id("title")).not_to_have_text(PROVIDER)
    expect(detail).to_be_focused()


def test_a_date_that_is_being_typed_is_not_wiped_by_an_answer(notebook: Notebook) -> None:
    shown = notebook.run([STORE, SHOW])
    widget = _explorer(shown)
    widget.get_by_test_id("facet-since").focus()
    shown.page.keyboard.type("0301")
    shown.python("len(memory.checkpoint(['v1.fact.other = something else']).seqs)")
    expect(_hit(widget, "v1.fact.other")).to_be_visible()
    shown.page.keyboard.type("2025")
    expect(widget.get_by_test_id("facet-since")).to_have_value("2025-03-01")
    assert shown.until("explorer.since == '2025-03-01'")
    shown.python("setattr(explorer, 'since', '2025-04-02')")
    expect(widget.get_by_test_id("facet-since")).to_have_value("2025-04-02")


def test_what_cannot_be_answered_shows_no_older_answer(notebook: Notebook) -> None:
    shown = notebook.run([STORE, f"explorer = memory.explore(selected={PROVIDER!r})\nexplorer"])
    widget = _explorer(shown)
    expect(widget.get_by_test_id("value")).to_be_visible()
    shown.python("setattr(explorer, 'as_of', 10**6)")
    expect(widget.get_by_test_id("problem")).to_be_visible()
    expect(widget.get_by_test_id("failed")).to_have_count(2)
    expect(widget.get_by_test_id("value")).to_have_count(0)
    expect(widget.get_by_test_id("hit")).to_have_count(0)


def test_a_narrow_page_has_one_pane_under_the_other(notebook: Notebook) -> None:
    shown = notebook.run([STORE, f"explorer = memory.explore(query='payments', selected={PROVIDER!r})\nexplorer"])
    widget = _explorer(shown)
    size = shown.page.viewport_size
    assert size is not None
    try:
        shown.page.set_viewport_size({"width": 700, "height": 1000})
        hits, detail = widget.get_by_test_id("hits"), widget.get_by_test_id("detail")
        shown.until(lambda: (hits.bounding_box() or {})["width"] < 620)
        above, below = hits.bounding_box(), detail.bounding_box()
        assert above is not None
        assert below is not None
        assert below["y"] >= above["y"] + above["height"]
        assert above["width"] == below["width"] > 400
        assert widget.evaluate("(root) => root.scrollWidth <= root.clientWidth")
        shown.screenshot("explorer-narrow", widget)
    finally:
        shown.page.set_viewport_size(size)


MANY = """
memory.checkpoint([f"v1.note.n{at} = Note {at} about shipping" for at in range(73)])
"""


def test_pages_lead_through_all_atoms_and_bars_have_one_scale(notebook: Notebook) -> None:
    shown = notebook.run([STORE, MANY, SHOW])
    widget = _explorer(shown)
    count = widget.get_by_test_id("count")
    expect(count).to_have_text("1\u201330 of 80 atoms, the newest first")
    expect(widget.get_by_test_id("before")).to_be_disabled()
    widget.get_by_test_id("after").click()
    expect(count).to_have_text("31\u201360 of 80 atoms, the newest first")
    widget.get_by_test_id("after").click()
    expect(count).to_have_text("61\u201380 of 80 atoms, the newest first")
    expect(widget.get_by_test_id("after")).to_be_disabled()
    expect(_hit(widget, "v1.fact.payment_provider")).to_be_visible()
    widget.get_by_test_id("box").fill("refunds of payments")
    expect(_hit(widget, "v1.decision.refunds")).to_be_visible()
    expect(count).to_contain_text("the best first")
    expect(widget.get_by_test_id("all")).to_have_text("80 atoms in the store")
    widths = widget.get_by_test_id("score").evaluate_all(
        "(tracks) => tracks.map((track) => [...track.children].reduce((sum, bar) => sum + bar.offsetWidth, 0))"
    )
    scores = shown.python("[hit['score'] for hit in explorer.answer['hits']]")
    with shown.page.expect_download() as download:
        widget.get_by_test_id("csv").click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0] == "name,snippet,score,why,recorded,current"
    assert len(lines) == len(scores) + 1
    assert scores[0] > 2 * scores[-1]
    assert widths[0] > 2 * widths[-1] - 2


def test_an_atom_is_added_edited_proved_and_after_a_question_forgotten(notebook: Notebook) -> None:
    shown = notebook.run([STORE, SHOW])
    widget = _explorer(shown)
    widget.get_by_test_id("add").click()
    widget.get_by_test_id("text").fill("Invoices go out on <b>Friday</b>")
    widget.get_by_test_id("new-name").fill("v1.fact.invoices")
    widget.get_by_test_id("save").click()
    expect(widget.get_by_test_id("changed")).to_have_text("Saved: v1.fact.invoices.")
    expect(widget.get_by_test_id("form")).to_be_hidden()
    expect(widget.get_by_test_id("value")).to_have_text("Invoices go out on <b>Friday</b>")
    widget.get_by_test_id("edit").click()
    widget.get_by_test_id("text").fill("Invoices go out on Monday")
    shown.page.keyboard.press("Control+Enter")
    expect(widget.get_by_test_id("value")).to_have_text("Invoices go out on Monday")
    expect(widget.get_by_test_id("version")).to_have_count(2)
    widget.get_by_test_id("prove").click()
    proof = widget.get_by_test_id("proving")
    expect(proof.get_by_text("v1.fact.invoices is current")).to_be_visible()
    widget.get_by_test_id("hide-proof").click()
    expect(proof).to_be_hidden()
    widget.get_by_test_id("forget").click()
    expect(widget.get_by_test_id("question")).to_contain_text("Erase v1.fact.invoices for good, with 2 versions")
    shown.page.keyboard.press("Escape")
    expect(widget.get_by_test_id("form")).to_be_hidden()
    assert shown.python("memory.access('v1.fact.invoices').value") == "Invoices go out on Monday"
    widget.get_by_test_id("forget").click()
    widget.get_by_test_id("erase").click()
    expect(widget.get_by_test_id("changed")).to_contain_text("Erased: v1.fact.invoices, 2 versions")
    expect(widget.get_by_test_id("edit")).to_have_count(0)


READ = "memory.close()\nread = substrate.open('store', home='home', read_only=True, background=False)\n"


def test_a_store_that_is_only_read_offers_no_change(notebook: Notebook) -> None:
    shown = notebook.run([STORE, f"{READ}explorer = read.explore(selected={PROVIDER!r})\nexplorer"])
    widget = _explorer(shown)
    expect(widget.get_by_test_id("prove")).to_be_visible()
    expect(widget.get_by_test_id("add")).to_be_hidden()
    expect(widget.get_by_test_id("edit")).to_have_count(0)
    expect(widget.get_by_test_id("forget")).to_have_count(0)


def test_a_card_shows_what_waits_and_a_person_decides_there(notebook: Notebook) -> None:
    made = (
        "one = memory.propose('Mollie handles all our card payments. <b>', name='v1.fact.payment_provider')\n"
        "two = memory.propose('Keep this', domain='Biling')"
    )
    shown = notebook.run([STORE, made, SHOW])
    widget = _explorer(shown)
    card = widget.get_by_test_id("pending")
    expect(card).to_contain_text("2 waiting for you")
    first = card.get_by_test_id("proposal").first
    expect(first).to_contain_text("+ Mollie handles all our card payments. <b>")
    first.get_by_test_id("pending-accept").click()
    assert shown.until("memory.access('v1.fact.payment_provider').value.startswith('Mollie')")
    expect(card).to_contain_text("1 waiting for you")
    expect(card.get_by_test_id("pending-domain")).to_have_value("billing")
    card.get_by_test_id("pending-decline").click()
    expect(card).to_be_hidden()
    assert shown.until("len(memory.proposals()) == 0")
