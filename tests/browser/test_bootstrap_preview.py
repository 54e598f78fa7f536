"""BootstrapPreview in a real JupyterLab: shown, typed into, conflicts settled; in the page and in the kernel."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.notebook import Notebook, Shown
from tests.browser.others import elsewhere

A, B = "v1.fact.payment_provider", "v1.fact.payments.provider"
HOSTILE = (
    "<script>window.harmed = 1</script><img src=x onerror=window.harmed=2> "
    "\\u202edetrevni\\u202c javascript:window.harmed=3"
)
STORE = f"""
import substrate
memory = substrate.open("store", actor="ann")
memory.checkpoint([
    {{"name": "{A}", "value": "Stripe", "origin": "user", "source": "contract.pdf, page 3"}},
    {{"name": "{B}", "value": "Adyen Pay", "confidence": 0.9}},
    "v1.goal.settlement = Payments settle within one day in all markets",
    "v1.constraint.pci = Card numbers never enter our logs, our tickets, or our test data",
    "v1.preference.answers = Short answers, with the numbers first",
    "v1.decision.ledger = The ledger is append-only; corrections are entries of their own",
    "v1.procedure.rollout = Roll out by country: Estonia, then Finland, then all others, one week each",
    "v1.fact.provider_fee = The payment provider takes 1.4% and 25 cents of each payment",
    "v1.fact.api_timeout = 30 s", "v1.fact.api.timeout = 2 min",
    "v1.fact.old_gateway = gone soon",
    {{"name": "v1.note.imported", "value": "{HOSTILE} payment provider", "origin": "agent"}},
    "v1.domain.shop = the shop", "v1.domain.warehouse = the warehouse",
], edges=[
    {{"source": "v1.decision.ledger", "type": "member_of", "target": "v1.domain.shop"}},
    {{"source": "v1.procedure.rollout", "type": "depends_on", "target": "{A}"}},
])
memory.checkpoint([  # at one time: of two statements of which one is later, time settles the conflict
    {{"name": "{A}", "value": "Stripe Payments", "origin": "user", "source": "contract.pdf, page 3"}},
    {{"name": "{B}", "value": "Adyen"}},
])
for _ in range(6):
    memory.observe(["{A}", "v1.decision.ledger", "v1.procedure.rollout"], objective="switch the payment provider")
    memory.observe(["v1.fact.provider_fee", "{A}"], objective="compare fees of payment providers")
preview = memory.preview("switch the payment provider v1.fact.nowhere", max_tokens=1200)
preview
"""


def run(notebook: Notebook, theme: str = "light", code: str = STORE) -> Shown:
    shown = notebook.run([code], theme=theme)
    expect(shown.widget("Bootstrap preview").get_by_test_id("atom").first).to_be_visible()
    shown.until("preview.wait()")
    return shown


def picture(shown: Shown, name: str) -> None:
    """All of the widget, which is higher than most screens."""
    shown.page.set_viewport_size({"width": 1280, "height": 2200})
    shown.screenshot(name, shown.widget("Bootstrap preview"))
    shown.page.set_viewport_size({"width": 1280, "height": 1000})


def test_what_would_enter_is_shown_and_selected(notebook: Notebook) -> None:
    shown = run(notebook)
    widget = shown.widget("Bootstrap preview")
    names = widget.get_by_test_id("atom").evaluate_all("(all) => all.map((row) => row.dataset.name)")
    assert names == shown.python(
        "[atom['name'] for section in preview.opening['sections'].values() for atom in section]"
    )
    assert names[:3] == ["v1.goal.settlement", "v1.constraint.pci", "v1.preference.answers"]
    expect(widget.get_by_test_id("absent")).to_contain_text("v1.fact.nowhere")
    row = widget.locator(f'.bp-atom[data-name="{A}"]')
    row.click()
    shown.until(f"preview.selected == {A!r}")
    expect(row).to_contain_text("its author")
    expect(row).to_contain_text("contract.pdf, page 3")
    picture(shown, "bootstrap-preview")
    # By keys alone: up, Enter, and Escape lets go.
    row.focus()
    shown.page.keyboard.press("Home")
    shown.page.keyboard.press("ArrowDown")
    shown.page.keyboard.press("Enter")
    shown.until("preview.selected == 'v1.constraint.pci'")
    expect(widget.locator('.bp-atom[data-name="v1.constraint.pci"]')).to_be_focused()
    shown.page.keyboard.press("Escape")
    shown.until("preview.selected == ''")
    assert shown.python("memory.stats().sessions") == 12


def test_typing_and_the_slider_are_answered(notebook: Notebook) -> None:
    shown = run(notebook)
    widget = shown.widget("Bootstrap preview")
    expect(widget.get_by_test_id("budget-number")).to_have_text("1,200 tokens")
    widget.get_by_test_id("objective").fill("")
    widget.get_by_test_id("objective").press_sequentially("what is the api timeout")
    shown.until("preview.objective == 'what is the api timeout' and preview.wait()")
    shown.until("any(atom['parts'] and 'api' in atom['name'] for atom in preview.opening['sections']['atoms'][:4])")
    first = widget.locator('[role="group"][aria-label="Needed"] .bp-atom').first
    expect(first).to_have_attribute("data-name", shown.python("preview.opening['sections']['atoms'][0]['name']"))
    slider = widget.get_by_test_id("budget")
    slider.focus()
    for _ in range(7):
        shown.page.keyboard.press("ArrowLeft")
    expect(widget.get_by_test_id("budget-number")).to_have_text("200 tokens")
    shown.until("preview.max_tokens == 200 and preview.wait()")
    expect(widget.get_by_test_id("used")).to_contain_text("of 200 tokens")
    assert shown.python("preview.opening['tokens']") <= 200
    expect(widget.get_by_test_id("left-out")).to_contain_text("a larger budget would show it")
    widget.get_by_test_id("domain").select_option("v1.domain.shop")
    widget.get_by_test_id("high-impact").check()
    shown.until("preview.domain == 'v1.domain.shop' and preview.high_impact and preview.wait()")
    expect(widget.get_by_test_id("problem")).to_be_hidden()


def test_a_conflict_is_settled_by_keeping_one(notebook: Notebook) -> None:
    shown = run(notebook)
    widget = shown.widget("Bootstrap preview")
    card = widget.get_by_test_id("conflict").filter(has_text=A)
    expect(card).to_contain_text("in this opening")
    expect(card).to_contain_text("ann (user)")
    card.get_by_test_id("reason").fill("the contract was signed")
    card.locator(f'.bp-side[data-name="{B}"]').get_by_test_id("keep").click()
    expect(widget.get_by_test_id("settled")).to_contain_text(f"{B} is kept")
    expect(card).to_have_count(0)
    assert shown.python(f"[edge.source for edge in memory.edges({A!r}, type='supersedes')]") == [B]
    assert shown.python(f"memory.edges({A!r}, type='supersedes')[0].attrs['reason']") == "the contract was signed"
    expect(widget.locator(f'.bp-atom[data-name="{A}"]')).to_have_count(0)
    widget.get_by_test_id("both").click()
    expect(widget.get_by_test_id("conflicts-heading")).to_have_text("No open conflicts")
    assert shown.python("len(memory.conflicts())") == 0


def test_what_is_typed_into_a_card_outlives_a_change_of_the_opening(notebook: Notebook) -> None:
    shown = run(notebook)
    widget = shown.widget("Bootstrap preview")
    card = widget.get_by_test_id("conflict").filter(has_text=A)
    expect(card.get_by_test_id("here")).to_be_visible()
    reason = card.get_by_test_id("reason")
    reason.press_sequentially("the contract")
    before = card.get_by_test_id("evidence").all_inner_texts()
    shown.python("setattr(preview, 'max_tokens', 50)")
    expect(card.get_by_test_id("here")).to_be_hidden()
    shown.python(f"len([memory.observe([{B!r}, {A!r}]) for _ in range(5)])")
    shown.python("memory.checkpoint(['v1.note.n = x']).to_dict()")
    shown.until("preview.size == memory.head().head.size and preview.wait()")
    shown.until(lambda: card.get_by_test_id("evidence").all_inner_texts() != before)
    expect(reason).to_be_focused()
    shown.page.keyboard.type(" ended")
    expect(reason).to_have_value("the contract ended")


CONTRAST = """(element) => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1});
  const context = canvas.getContext("2d", {willReadFrequently: true});
  const lit = (colours) => {
    for (const colour of colours) { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); }
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const backs = [];
  for (let one = element; one; one = one.parentElement) backs.unshift(getComputedStyle(one).backgroundColor);
  const [back, text] = [lit(backs), lit([...backs, getComputedStyle(element).color])];
  return Math.max(back, text) / Math.min(back, text);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_written_can_be_read(notebook: Notebook, theme: str) -> None:
    shown = run(notebook, theme, STORE.replace("max_tokens=1200", "max_tokens=700"))  # so that some is left out
    widget = shown.widget("Bootstrap preview")
    widget.locator(f'.bp-atom[data-name="{A}"]').click()
    expect(widget.locator(".bp-reasons")).to_be_visible()
    kinds = [
        "bp-name",
        "bp-told",
        "bp-why",
        "bp-atom-name",
        "bp-here",
        "bp-stale",
        "bp-heading",
        "bp-best button",
        "bp-side dt",
    ]
    faint = {kind: widget.locator(f".{kind}").first.evaluate(CONTRAST) for kind in kinds}
    assert min(faint.values()) >= 4.5, faint


def test_in_a_narrow_page_rows_are_stacked(notebook: Notebook) -> None:
    shown = run(notebook, "dark")
    widget = shown.widget("Bootstrap preview")
    widget.locator(f'.bp-atom[data-name="{A}"]').click()
    try:
        shown.page.set_viewport_size({"width": 700, "height": 2600})
        what = widget.locator(f'.bp-atom[data-name="{B}"] .bp-what')
        room = "(what) => what.clientWidth / what.closest('.bp-list').clientWidth"
        shown.until(lambda: what.evaluate(room) > 0.75)
        shown.screenshot("bootstrap-preview-narrow", widget)
    finally:
        shown.page.set_viewport_size({"width": 1280, "height": 1000})


def test_a_long_list_is_shown_by_its_beginning(notebook: Notebook) -> None:
    many = "memory.checkpoint([f'v1.fact.payment_rule_{at} = payment provider, rule {at}' for at in range(40)])"
    shown = run(notebook, code=STORE.replace("for _ in range(6)", f"{many}\nfor _ in range(6)").replace("1200", "6000"))
    widget = shown.widget("Bootstrap preview")
    seen = widget.locator(".bp-atom:visible")
    expect(seen).to_have_count(15)
    seen.first.focus()
    shown.page.keyboard.press("End")
    expect(seen.last).to_be_focused()
    last = shown.python("preview.opening['sections']['atoms'][-1]['name']")
    shown.python(f"setattr(preview, 'selected', {last!r})")
    expect(widget.locator(f'.bp-atom[data-name="{last}"]')).to_be_visible()
    shown.python("setattr(preview, 'selected', '')")
    expect(seen).to_have_count(15)
    widget.get_by_test_id("more").click()
    expect(widget.locator(f'.bp-atom[data-name="{last}"]')).to_be_visible()


def test_travel_is_not_claimed(notebook: Notebook) -> None:
    shown = run(notebook)
    widget = shown.widget("Bootstrap preview")
    expect(widget.get_by_test_id("travel")).to_be_hidden()
    shown.python("setattr(preview, 'as_of', 2)")
    expect(widget.get_by_test_id("travel")).to_contain_text("Shows now")
    expect(widget).not_to_contain_text("As it was known")


def test_what_another_process_writes_appears(notebook: Notebook) -> None:
    shown = run(notebook)
    widget = shown.widget("Bootstrap preview")
    elsewhere(
        shown, "memory.checkpoint(['v1.goal.cheaper = Low fees', 'v1.fact.api_limit = 30', 'v1.fact.api.limit = 31'])"
    )
    expect(widget.locator('.bp-atom[data-name="v1.goal.cheaper"]')).to_be_visible()
    expect(widget.get_by_test_id("conflict").filter(has_text="v1.fact.api_limit")).to_be_visible()


def test_an_outdated_atom_says_what_is_newer(notebook: Notebook) -> None:
    shown = run(notebook)
    widget = shown.widget("Bootstrap preview")
    expect(widget.get_by_test_id("outdated")).to_have_count(0)
    shown.python(f"memory.checkpoint(['{B} = Adyen Payments']).to_dict()")
    row = widget.locator(f'.bp-atom[data-name="{A}"]')
    expect(row.get_by_test_id("outdated")).to_have_attribute("title", f"newer: {B}")
    expect(row).to_contain_text(f"newer: {B}")
    picture(shown, "bootstrap-outdated")


def test_both_are_kept_each_for_its_time_and_who_is_slower_is_told(notebook: Notebook) -> None:
    shown = run(notebook, "dark")
    widget = shown.widget("Bootstrap preview")
    card = widget.get_by_test_id("conflict").filter(has_text=A)
    card.get_by_test_id("in-turn").click()
    stripe = 0 if "Stripe" in card.locator(".bp-side").first.inner_text() else 1
    for field in ("from-0", "until-0", "from-1", "until-1"):
        card.get_by_test_id(field).fill("")
    for _ in range(3):  # who errs twice can still go on
        card.get_by_test_id("save-windows").click()
        expect(widget.get_by_test_id("settled")).to_contain_text("at the same time")
    picture(shown, "bootstrap-conflicts")
    card.get_by_test_id(f"until-{stripe}").fill("2026-03-01")
    card.get_by_test_id(f"from-{1 - stripe}").fill("2026-03-01")
    card.get_by_test_id("save-windows").click()
    expect(widget.get_by_test_id("settled")).to_contain_text("each for its time")
    assert shown.python(f"memory.history({A!r})[-1].atom.valid_to.date().isoformat()") == "2026-03-01"
    assert shown.python(f"memory.history({B!r})[-1].atom.valid_from.date().isoformat()") == "2026-03-01"
    assert shown.python(f"len(memory.conflicts({A!r}))") == 0
    # Of the other one another writes while this page still shows what was.
    other = widget.get_by_test_id("conflict")
    expect(other).to_have_count(1)
    shown.python("preview._unfollow()")
    shown.python("memory.checkpoint(['v1.fact.api_timeout = 45 s']).to_dict()")
    other.get_by_test_id("keep").first.click()
    expect(widget.get_by_test_id("settled")).to_contain_text("Someone was faster")
    expect(other).to_contain_text("45 s")
    assert shown.python("len(memory.conflicts())") == 1


def test_hostile_text_is_text_and_a_dead_kernel_is_told(notebook: Notebook) -> None:
    shown = run(notebook)
    widget = shown.widget("Bootstrap preview")
    row = widget.locator('.bp-atom[data-name="v1.note.imported"]')
    row.click()
    expect(row).to_contain_text("<script>window.harmed = 1</script>")
    expect(row).to_contain_text("202E")  # shown by its number
    assert shown.page.evaluate("window.harmed") is None
    assert widget.locator("script, img").count() == 0
    shown.restart_kernel()
    expect(widget.get_by_test_id("gone")).to_be_visible()


def test_an_empty_store_says_so(notebook: Notebook) -> None:
    shown = notebook.run(["import substrate\nmemory = substrate.open('store')\npreview = memory.preview()\npreview"])
    widget = shown.widget("Bootstrap preview")
    expect(widget.get_by_test_id("empty")).to_contain_text("Nothing would enter")
    expect(widget.get_by_test_id("conflicts-heading")).to_have_text("No open conflicts")


def test_the_frame_is_there_before_its_content_and_claims_nothing(notebook: Notebook) -> None:
    held = "import threading\ngate = threading.Event()\nwork = memory.bootstrap\n"
    held += "memory.bootstrap = lambda *given, **options: (gate.wait(600), work(*given, **options))[1]\n"
    held += "preview = memory.preview"
    shown = notebook.run([STORE.replace("preview = memory.preview", held)])
    widget = shown.widget("Bootstrap preview")
    expect(widget.get_by_test_id("empty")).to_have_text("Working out what would enter …")
    expect(widget.get_by_test_id("objective")).to_be_visible()
    expect(widget.get_by_test_id("conflicts-heading")).to_be_hidden()
    shown.python("gate.set()")
    expect(widget.get_by_test_id("empty")).to_be_hidden()
    expect(widget.get_by_test_id("conflicts-heading")).to_have_text("Open conflicts: 2")


def test_many_conflicts_are_one_line_that_opens_and_too_small_a_budget_is_called_so(notebook: Notebook) -> None:
    more = "memory.checkpoint([f'v1.fact.api{at}{dot}limit = {30 + ord(dot)} s' for at in range(4) for dot in '_.'])\n"
    more += "preview = memory.preview"
    shown = notebook.run([STORE.replace("preview = memory.preview", more)])
    widget = shown.widget("Bootstrap preview")
    unfold, cards = widget.get_by_test_id("unfold"), widget.get_by_test_id("conflict")
    expect(unfold).to_contain_text("Open conflicts: 6")
    expect(unfold).to_have_attribute("aria-expanded", "false")
    expect(cards.first).to_be_hidden()
    unfold.press("Enter")
    expect(cards.first).to_be_visible()
    cards.first.get_by_test_id("both").click()
    expect(unfold).to_contain_text("Open conflicts: 5")
    expect(cards.first).to_be_visible()
    shown.python("setattr(preview, 'max_tokens', 50)")
    expect(widget.get_by_test_id("empty")).to_contain_text("Nothing fits into 50 tokens")
