"""Transitions in a real JupyterLab: walked through, dragged, zoomed and trained; in the page and in the kernel."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.notebook import Notebook, Shown
from tests.browser.others import elsewhere

LEDGER = "v1.decision.ledger"
BANK, RECONCILE, LONG = "v1.procedure.bank_file", "v1.procedure.reconcile", "v1.fact." + "a_very_long_name." * 6 + "end"
STORE = f"""
import substrate
memory = substrate.open("store", actor="ann")
names = ["{LEDGER}", "{BANK}", "{RECONCILE}", "{LONG}", "v1.fact.fiscal_year", "v1.contact.auditor",
         "v1.fact.vat_rates", "v1.procedure.month_end", "v1.goal.close_in_three_days", "v1.fact.cost_centres"]
memory.checkpoint([f"{{name}} = all about {{name.rsplit('.', 1)[1].replace('_', ' ')}}" for name in names],
    edges=[{{"source": "{LEDGER}", "type": "depends_on", "target": "v1.fact.cost_centres"}}])
for turn in range(8):
    memory.observe(["v1.procedure.month_end", "{LEDGER}", "{BANK}", "{RECONCILE}"], objective="close the books")
    memory.observe(["v1.fact.fiscal_year", "{LEDGER}", "{LONG}" if turn % 2 else "v1.contact.auditor", "{BANK}"])
    memory.observe(["{LEDGER}", "v1.fact.vat_rates", "v1.goal.close_in_three_days"])
widget = memory.transitions("{LEDGER}")
widget
"""


def run(notebook: Notebook, theme: str = "light") -> tuple[Shown, Locator]:
    shown = notebook.run([STORE], theme=theme)
    widget = shown.widget("Transitions")
    expect(widget.get_by_test_id("middle")).to_have_attribute("data-name", LEDGER)
    return shown, widget


def node(widget: Locator, name: str, side: str = "after") -> Locator:
    return widget.locator(f'.tr-node[data-side="{side}"][data-name="{name}"]')


def test_one_walks_through_the_graph(notebook: Notebook) -> None:
    shown, widget = run(notebook, "dark")
    drawn = widget.locator('.tr-node[data-side="after"]').evaluate_all("(all) => all.map((one) => one.dataset.name)")
    assert drawn == shown.python("[one.name for one in memory.predict([widget.selected], 12, floor=0)]")
    expect(node(widget, "v1.procedure.month_end", "before")).to_be_visible()
    node(widget, LONG).hover()
    expect(widget.get_by_test_id("detail")).to_contain_text(LONG)
    expect(widget.get_by_test_id("detail")).to_contain_text("came right after")
    shown.screenshot("transitions", widget)
    node(widget, BANK).click()
    shown.until(f"widget.selected == {BANK!r}")
    expect(widget.get_by_test_id("middle")).to_have_attribute("data-name", BANK)
    widget.get_by_test_id("back").click()
    shown.until(f"widget.selected == {LEDGER!r}")
    widget.get_by_test_id("forward").click()
    shown.until(f"widget.selected == {BANK!r}")
    expect(widget.get_by_test_id("forward")).to_be_disabled()


def test_by_keys_alone(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    press = shown.page.keyboard.press
    widget.get_by_test_id("middle").focus()
    press("ArrowRight")
    for _ in range(12):
        press("ArrowUp")
    first = shown.python("widget.graph['after'][0]['name']")
    expect(node(widget, first)).to_be_focused()
    press("ArrowDown")
    expect(node(widget, shown.python("widget.graph['after'][1]['name']"))).to_be_focused()
    press("ArrowUp")
    press("t")
    shown.until(f"widget.sequence == [{first!r}]")
    press("+")
    expect(widget.get_by_test_id("graph")).to_have_attribute("data-zoom", "1.20")
    press("-")
    press("Enter")
    shown.until(f"widget.selected == {first!r}")
    expect(widget.get_by_test_id("middle")).to_be_focused()
    press("Backspace")
    shown.until(f"widget.selected == {LEDGER!r}")
    assert shown.page.evaluate("jupyterapp.shell.currentWidget.content.model.cells.length") == 1


def test_it_is_dragged_and_zoomed(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    graph, middle = widget.get_by_test_id("graph"), widget.get_by_test_id("middle")
    graph.scroll_into_view_if_needed()
    before, frame = middle.bounding_box(), graph.bounding_box()
    assert before is not None
    assert frame is not None
    mouse = shown.page.mouse
    mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + 12)
    mouse.down()
    mouse.move(frame["x"] + frame["width"] / 2 + 60, frame["y"] + 42, steps=4)
    mouse.up()
    after = middle.bounding_box()
    assert after is not None
    assert after["x"] - before["x"] == pytest.approx(60, abs=3)
    assert after["y"] - before["y"] == pytest.approx(30, abs=3)
    mouse.wheel(0, -200)
    expect(graph).to_have_attribute("data-zoom", "1.15")
    widget.get_by_role("button", name="zoom in").click()
    expect(graph).to_have_attribute("data-zoom", "1.38")
    widget.get_by_role("button", name="show all").click()
    expect(graph).to_have_attribute("data-zoom", "1.00")
    assert shown.python("widget.selected") == LEDGER


def test_parts_speak_alone_and_the_table_says_the_same(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    widget.get_by_test_id("part-edges").click()
    shown.until("widget.part == 'edges' and widget.wait() and widget.graph['part'] == 'edges'")
    expect(widget.locator('.tr-node[data-side="after"]')).to_have_count(1)
    expect(node(widget, "v1.fact.cost_centres")).to_be_visible()
    shown.page.keyboard.press("ArrowRight")
    shown.until("widget.part == 'episodes'")
    widget.get_by_test_id("part-next").click()
    shown.until("widget.graph['part'] == 'next'")
    widget.get_by_test_id("shown as-table").click()
    rows = widget.get_by_test_id("table-after").locator("tbody tr")
    names = shown.python("[one.name for one in memory.around(widget.selected, part='next').after]")
    expect(rows).to_have_count(len(names))
    expect(rows.first).to_have_attribute("data-name", names[0])
    assert rows.evaluate_all("(all) => all.map((row) => row.dataset.name)") == names
    shown.screenshot("transitions-table", widget)
    rows.first.get_by_role("button").first.press("Enter")
    shown.until(f"widget.selected == {names[0]!r}")


def test_what_is_trained_here_is_learnt_and_shown(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    box = widget.get_by_test_id("add-name").get_by_role("combobox")
    box.fill("v1.decision")
    expect(widget.get_by_role("option", name=LEDGER)).to_be_visible()
    shown.page.keyboard.press("ArrowDown")
    shown.page.keyboard.press("Enter")
    shown.until(f"widget.sequence == [{LEDGER!r}]")
    expect(widget.get_by_test_id("train")).to_be_disabled()
    node(widget, "v1.contact.auditor").get_by_test_id("add").click()
    box.fill("v1.fact.nowhere")
    shown.until("widget.typed == 'v1.fact.nowhere' and widget.wait()")
    shown.page.keyboard.press("Escape")
    widget.get_by_test_id("passes").select_option("3")
    widget.get_by_test_id("objective").fill("an audit")
    before = shown.python("{one.name: one.probability for one in memory.predict([widget.selected], 12, floor=0)}")
    widget.get_by_test_id("train").click()
    expect(widget.get_by_test_id("learnt")).to_contain_text("Learnt 2 atoms in this order, 3 passes")
    shown.until("'was' in str(widget.graph)")
    expect(node(widget, "v1.contact.auditor")).to_have_attribute("aria-label", _changed(shown))
    after = shown.python("{one.name: one.probability for one in memory.predict([widget.selected], 12, floor=0)}")
    assert after["v1.contact.auditor"] > before["v1.contact.auditor"]
    assert shown.python("memory.stats().trainings") == 1
    shown.screenshot("transitions-trained", widget)


def _changed(shown: Shown) -> str:
    (one,) = [one for one in shown.python("widget.graph['after']") if one["name"] == "v1.contact.auditor"]

    def share(probability: float) -> str:
        return f"{round(probability * 100)}%" if probability >= 0.0995 else f"{probability * 100:.1f}%"

    return f"needed after: {one['name']}, {share(one['probability'])}, was {share(one['was'])}"


def test_many_sessions_are_taken_in_while_the_kernel_is_free(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    shown.python("widget.take_in([{'items': [names[0], names[5]]}] * 400)")
    expect(widget.get_by_test_id("working")).to_contain_text("of 400")
    assert shown.python("1 + 1") == 2
    expect(widget.get_by_test_id("learnt")).to_contain_text("Learnt from 400 sessions")
    shown.until("memory.stats().sessions == 424")
    expect(node(widget, "v1.contact.auditor")).to_have_class("tr-node tr-changed tr-more")


def test_names_are_text_and_a_dead_kernel_is_told(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    box = widget.get_by_test_id("go-to").get_by_role("combobox")
    box.fill("<img src=x onerror=window.harmed=1>")
    shown.page.keyboard.press("Enter")
    shown.until("'img' in widget.selected and widget.wait()")
    expect(widget.get_by_test_id("empty")).to_be_visible()
    assert shown.page.evaluate("window.harmed") is None
    assert widget.locator("img").count() == 0
    shown.restart_kernel()
    expect(widget.get_by_test_id("gone")).to_be_visible()


def narrow(shown: Shown, width: int = 700) -> None:
    shown.page.set_viewport_size({"width": width, "height": 1400})


def test_in_a_narrow_page_it_is_as_legible(notebook: Notebook) -> None:
    shown, widget = run(notebook, "dark")
    frame = widget.get_by_test_id("graph")
    high = "(node) => node.querySelector('text').getBoundingClientRect().height"
    wide_text = node(widget, BANK).evaluate(high)
    assert wide_text >= 12
    try:
        narrow(shown)
        shown.until(lambda: node(widget, BANK).evaluate(high) == pytest.approx(wide_text))
        shown.until(lambda: below(node(widget, BANK), widget.get_by_test_id("middle")))
        inside = frame.evaluate(
            "(svg) => [...svg.querySelectorAll('.tr-node')].every((one) =>"
            " one.getBoundingClientRect().right <= svg.getBoundingClientRect().right + 1)"
        )
        assert inside
        shown.screenshot("transitions-narrow", widget)
        widget.get_by_test_id("middle").focus()
        shown.page.keyboard.press("ArrowDown")
        expect(node(widget, shown.python("widget.graph['after'][0]['name']"))).to_be_focused()
        widget.get_by_test_id("shown as-table").click()
        shown.screenshot("transitions-narrow-table", widget)
    finally:
        shown.page.set_viewport_size({"width": 1280, "height": 1000})


def below(one: Locator, other: Locator) -> bool:
    lower, upper = one.bounding_box(), other.bounding_box()
    return lower is not None and upper is not None and lower["y"] >= upper["y"] + upper["height"]


def test_the_focus_stays_where_it_is_when_someone_writes(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    bank = node(widget, BANK)
    widget.get_by_test_id("middle").focus()
    bank.focus()
    shown.python(f"memory.train([{LEDGER!r}, {BANK!r}], 3).to_dict()")
    shown.until("widget.size == memory.head().head.size and widget.wait()")
    drawn = f"{round(shown.python(_SHARE) * 100)}%"
    expect(bank).to_have_attribute("aria-label", f"needed after: {BANK}, {drawn}")
    expect(bank).to_be_focused()

    widget.get_by_test_id("shown as-table").click()
    row = widget.get_by_test_id("table-after").locator(f'tr[data-name="{BANK}"]')
    row.get_by_role("button").last.focus()
    shown.python(f"memory.train([{LEDGER!r}, {BANK!r}], 3).to_dict()")
    shown.until("widget.size == memory.head().head.size and widget.wait()")
    expect(row).to_contain_text(f"{round(shown.python(_SHARE) * 100)}%")
    expect(row.get_by_role("button").last).to_be_focused()
    row.get_by_role("button").first.press("Enter")
    shown.until(f"widget.graph['name'] == {BANK!r}")
    expect(widget.get_by_test_id("table-after").locator("tbody tr").first.get_by_role("button").first).to_be_focused()


_SHARE = f"[one['probability'] for one in widget.graph['after'] if one['name'] == {BANK!r}][0]"


def test_the_focus_goes_along_with_what_is_picked(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    shown.python("setattr(widget, 'sequence', names[:3])")
    last = widget.get_by_test_id("picked").locator(f'li[data-name="{RECONCILE}"]')
    last.get_by_role("button", name="earlier").press("Enter")
    shown.until(f"widget.sequence[1] == {RECONCILE!r}")
    expect(last.get_by_role("button", name="earlier")).to_be_focused()
    shown.page.keyboard.press("Enter")
    shown.until(f"widget.sequence[0] == {RECONCILE!r}")
    expect(last.get_by_role("button", name="leave out")).to_be_focused()  # it can go no further
    for _ in range(3):
        shown.page.keyboard.press("Enter")
    shown.until("widget.sequence == []")
    expect(widget.get_by_test_id("add-name").get_by_role("combobox")).to_be_focused()


def test_stored_names_that_would_do_harm_are_text(notebook: Notebook) -> None:
    hostile = "v1.fact.<img src=x onerror=window.harmed=1><script>window.harmed=2</script>\u202egnp.exe"
    seen = "<script>window.harmed=2</script>\u2039202E\u203a"
    code = f"\nimport io, json\nname = {hostile!r}\nline = json.dumps({{'kind': 'put', 'name': name, 'value': name}})\n"
    code += "memory.import_lines(io.StringIO(line))\n"
    code += f"memory.train(['{LEDGER}', name, '{BANK}'], 3)\nwidget = memory.transitions(name)\nwidget"
    shown = notebook.run([STORE + code])
    widget = shown.widget("Transitions")
    expect(widget.get_by_test_id("middle")).to_have_attribute("data-name", hostile)
    shown.python("(widget.train([name, name, 'v1.fact.<b>gone</b>']), widget.wait())[1]")
    expect(widget.get_by_test_id("learnt")).to_contain_text("<b>gone</b>")
    shown.python("setattr(widget, 'sequence', [name])")
    expect(widget.get_by_test_id("picked")).to_contain_text("202E\u203agnp.exe")
    widget.get_by_test_id("go-to").get_by_role("combobox").press_sequentially("v1.fact.<img")
    expect(widget.locator(".tr-names:visible [role=option]")).to_contain_text(seen)
    shown.page.keyboard.press("Escape")
    shown.python(f"setattr(widget, 'selected', '{LEDGER}')")
    widget.locator('.tr-node[data-side="after"][aria-label*="gnp.exe"]').hover()
    expect(widget.get_by_test_id("detail")).to_contain_text(seen)
    widget.get_by_test_id("shown as-table").click()
    expect(widget.get_by_test_id("table-after")).to_contain_text(seen)
    assert widget.locator("img, script, b").count() == 0
    assert shown.page.evaluate("window.harmed") is None


def test_what_another_process_trains_or_observes_appears(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    for learnt in (
        f"memory.train([{LEDGER!r}, {BANK!r}], 3)",
        f"[memory.observe([{LEDGER!r}, {BANK!r}]) for _ in 'abcde']",
    ):
        before = shown.python(_SHARE)
        elsewhere(shown, learnt)
        shown.until(f"{_SHARE} > {before}")
        now = f"{round(shown.python(_SHARE) * 100)}%"
        expect(node(widget, BANK)).to_have_attribute("aria-label", f"needed after: {BANK}, {now}")


def test_travel_is_not_claimed(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    expect(widget.get_by_test_id("travel")).to_be_hidden()
    shown.python("setattr(widget, 'as_of', 2)")
    expect(widget.get_by_test_id("travel")).to_contain_text("Shows now")
    expect(widget).not_to_contain_text("As it was known")
    widget.get_by_role("button", name="back to now").click()
    shown.until("widget.as_of is None")


def test_without_an_atom_one_begins_somewhere(notebook: Notebook) -> None:
    shown = notebook.run([STORE.replace(f'memory.transitions("{LEDGER}")', "memory.transitions()")])
    widget = shown.widget("Transitions")
    widget.get_by_test_id("empty").get_by_role("button").first.click()
    shown.until("widget.selected")
    expect(widget.get_by_test_id("middle")).to_be_visible()


def test_a_part_of_a_name_is_enough_and_what_is_offered_is_not_cut_off(notebook: Notebook) -> None:
    shown, widget = run(notebook)
    box = widget.get_by_test_id("add-name").get_by_role("combobox")  # the last thing in the cell
    box.fill("edge")
    option = widget.get_by_role("option", name=LEDGER)
    expect(option).to_be_visible()
    on_top = option.evaluate(
        """(option) => {
          const { left, top, width, height } = option.getBoundingClientRect();
          return option.contains(document.elementFromPoint(left + width / 4, top + height / 2));
        }"""
    )
    assert on_top
    shown.page.keyboard.press("Escape")
    expect(option).to_be_hidden()
