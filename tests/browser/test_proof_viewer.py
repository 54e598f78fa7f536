"""The proof viewer in a real page: drawn, a byte changed and restored, by mouse and by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.notebook import Notebook, Theme
from tests.browser.reading import unreadable

OPEN = """
import substrate
memory = substrate.open("store", actor="ann")
memory.checkpoint([f"v1.fact.n{number} = number {number}" for number in range(300)])
memory.checkpoint(["v1.fact.payment_provider = Stripe"])
memory.checkpoint(["v1.fact.payment_provider = Adyen", "v1.fact.gone = x", "v1.fact.erased = y"])
memory.checkpoint(tombstones=["v1.fact.gone"])
_ = memory.forget("v1.fact.erased")
"""
DEEP = """
deep = next(name for n in range(300) if len(memory.prove(name := f"v1.fact.n{n}").map.path) > 10)
viewer = memory.show_proof(deep)
viewer
"""
TAMPERED = """
import pathlib, substrate
name = "v1.fact.n3"
with substrate.open("store", actor="ann") as memory:
    memory.checkpoint([f"v1.fact.n{number} = number {number}" for number in range(300)])
    sibling = memory.prove(name).entry.path[3]
(file,) = pathlib.Path("store").rglob("data.mdb")
file.write_bytes(file.read_bytes().replace(sibling, bytes([sibling[0] ^ 1]) + sibling[1:]))
memory = substrate.open("store", actor="ann")
viewer = memory.show_proof(name)
viewer
"""
IN_COLOUR = """(root, colour) => {
  const probe = document.createElement("i");
  probe.style.color = `var(${colour})`;
  root.append(probe);
  const wanted = getComputedStyle(probe).color;
  probe.remove();
  const nodes = [...root.querySelectorAll("[data-node]")];
  const named = (some) => some.map((node) => node.dataset.node);
  const drawn = (node) => getComputedStyle(node.querySelector("rect")).stroke === wanted;
  return [named(nodes.filter(drawn)), named(nodes.filter((node) => node.dataset.red === "true"))];
}"""
OUTSIDE = """(svg) => {
  const frame = svg.closest(".substrate").getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")];
  const box = (text) => text.getBoundingClientRect();
  const out = texts.filter((text) => box(text).right > frame.right || box(text).left < frame.left);
  const touching = [...svg.querySelectorAll("[data-node]")].flatMap((node) => {
    const [title, said] = [...node.querySelectorAll(".pv-title, .pv-text, .pv-hash")].map(box);
    return said?.width && said.top < title.bottom && said.left < title.right + 4 ? [node] : [];
  });
  return [...out, ...touching].map((each) => each.textContent);
}"""
"""Texts that leave the frame, and boxes in which a label touches its value."""
SHOW = "viewer = memory.show_proof('v1.fact.payment_provider')\nviewer"


def node(widget: Locator, identity: str) -> Locator:
    return widget.locator(f'[data-node="{identity}"]')


def red(widget: Locator) -> set[str]:
    """The nodes that are red to the eye: the colour in which their box is drawn."""
    found, said = widget.evaluate(IN_COLOUR, "--sub-bad")
    assert found == said, "what is said to be red is, and nothing else"
    return set(found)


def green(widget: Locator) -> set[str]:
    return set(widget.evaluate(IN_COLOUR, "--sub-good")[0])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_changed_byte_shows_in_red_from_there_up_until_restored(notebook: Notebook, theme: Theme) -> None:
    shown = notebook.run([OPEN, SHOW], theme=theme)
    widget = shown.widget("Proof")
    verdict = widget.get_by_test_id("verdict")
    expect(verdict).to_contain_text("Verified v1.fact.payment_provider is current")
    expect(verdict).to_contain_text("this store's own key")
    assert (red(widget), green(widget)) == (set(), {"signed"})
    assert unreadable(widget) == []
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
    assert green(widget) == set()
    assert unreadable(widget) == []
    assert shown.python("viewer.changed") == "body"
    shown.screenshot("proof-changed", widget)
    widget.get_by_test_id("restore").click()
    expect(verdict).to_contain_text("Verified")
    assert red(widget) == set()
    assert shown.python("viewer.changed") == ""


def test_a_store_of_which_the_file_was_altered_is_red_and_not_green(notebook: Notebook) -> None:
    shown = notebook.run([TAMPERED], theme="dark")
    widget = shown.widget("Proof")
    expect(widget.get_by_test_id("verdict")).to_contain_text("Rejected root_mismatch")
    expect(node(widget, "signed")).to_contain_text("not what the key signed")
    assert (red(widget), green(widget)) == ({"log.8", "head", "signed"}, set())
    expect(widget.get_by_test_id("change")).to_be_disabled()
    shown.screenshot("proof-tampered", widget)


def test_who_changes_and_restores_by_keyboard_keeps_the_focus(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, SHOW])
    widget = shown.widget("Proof")
    change, restore = widget.get_by_test_id("change"), widget.get_by_test_id("restore")
    expect(widget.get_by_test_id("verdict")).to_contain_text("Verified")
    change.focus()
    for _ in range(2):
        shown.page.keyboard.press("Enter")
        expect(widget.get_by_test_id("verdict")).to_contain_text("Rejected")
        expect(restore).to_be_focused()
        shown.page.keyboard.press("Enter")
        expect(widget.get_by_test_id("verdict")).to_contain_text("Verified")
        expect(change).to_be_focused()
    widget.get_by_test_id("copy-key").focus()
    shown.python("len(memory.checkpoint(['v1.fact.unrelated = x']).seqs)")
    expect(widget.get_by_test_id("verdict")).to_contain_text("of 308")
    expect(widget.get_by_test_id("copy-key")).to_be_focused()


def test_in_a_narrow_page_nothing_leaves_the_frame_or_touches(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, SHOW])
    widget = shown.widget("Proof")
    expect(widget.get_by_test_id("verdict")).to_contain_text("Verified")
    usual = shown.page.viewport_size
    assert usual is not None
    drawing = widget.locator(".pv-drawing")
    try:
        for width in (1100, 700, 520):
            shown.page.set_viewport_size({"width": width, "height": 1500})
            shown.until(lambda: drawing.evaluate("(svg) => svg.clientWidth <= svg.parentElement.clientWidth"))
            shown.until(lambda: drawing.evaluate(OUTSIDE) == [])
            assert widget.evaluate("(root) => root.scrollWidth <= root.clientWidth")
            tops = widget.get_by_test_id("change").evaluate("(b) => b.getBoundingClientRect().top")
            if width >= 700:
                expect(node(widget, "map_key").locator(".pv-formula")).to_have_text("HMAC-SHA256(map salt, name)")
                copy = widget.get_by_test_id("copy-key").evaluate("(b) => b.getBoundingClientRect().top")
                assert abs(copy - tops) < 10
            shown.screenshot(f"proof-{width}", widget)
    finally:
        shown.page.set_viewport_size(usual)


def test_any_name_that_is_typed_has_a_proof(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, "viewer = memory.show_proof('')\nviewer"])
    widget = shown.widget("Proof")
    expect(widget.get_by_test_id("empty")).to_be_visible()
    name, verdict = widget.get_by_test_id("proof-name"), widget.get_by_test_id("verdict")
    for typed, told in {
        "v1.fact.gone": "is out of use",
        "v1.fact.erased": "was forgotten",
        "v1.fact.never": "was never in this store",
        "v1.fact.n7": "is current",
    }.items():
        name.fill(typed)
        name.press("Enter")
        expect(verdict).to_contain_text(f"Verified {typed} {told}")
        assert shown.python("viewer.selected") == typed
    name.fill("payment provider")
    name.press("Enter")
    expect(widget.get_by_test_id("problem")).to_contain_text("v1.")
    expect(widget.get_by_test_id("proof-node")).to_have_count(0)
    name.fill("v1.fact.n7")
    name.press("Enter")
    expect(verdict).to_contain_text("is current")
    widget.get_by_test_id("copy-proof").click()
    expect(widget.get_by_test_id("copy-proof")).to_have_text("copied")
    assert shown.page.evaluate("navigator.clipboard.readText()") == shown.python("viewer.proof")
    widget.get_by_test_id("copy-command").click()
    copied = shown.page.evaluate("navigator.clipboard.readText()")
    assert copied == "python examples/verify_proof.py proof.json --key auditor.key"


def test_the_drawing_is_used_by_keyboard_alone(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, DEEP])
    widget = shown.widget("Proof")
    detail = widget.get_by_test_id("detail")
    node(widget, "signed").focus()
    for key, told in {"ArrowDown": "head", "ArrowRight": "signature", "ArrowUp": "signed"}.items():
        shown.page.keyboard.press(key)
        expect(detail.locator("b")).to_have_text(told)
    shown.page.keyboard.press("ArrowDown")
    shown.page.keyboard.press("ArrowRight")
    shown.page.keyboard.press("Enter")
    expect(widget.get_by_test_id("part")).to_have_value("signature")
    expect(widget.get_by_test_id("bytes")).to_have_text(
        shown.python("{n['id']: n for n in viewer.nodes}['signature']['bytes']")
    )
    widget.get_by_test_id("change").press("Enter")
    expect(widget.get_by_test_id("verdict")).to_contain_text("has no valid signature")
    assert red(widget) == {"signature", "signed"}
    node(widget, "signature").focus()
    shown.page.keyboard.press("Escape")
    expect(widget.get_by_test_id("verdict")).to_contain_text("Verified")
    fold = widget.get_by_test_id("proof-fold").first
    fold.focus()
    shown.page.keyboard.press("Enter")
    expect(node(widget, "map_path.5")).to_be_visible()


def test_the_middle_of_the_map_can_be_changed_and_stays_in_sight(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, DEEP])
    widget = shown.widget("Proof")
    expect(widget.get_by_test_id("proof-fold").first).to_be_visible()
    widget.get_by_test_id("part").select_option("map_path.5")
    widget.get_by_test_id("change").click()
    expect(widget.get_by_test_id("verdict")).to_contain_text("Rejected map_root_mismatch")
    expect(node(widget, "map_path.5")).to_have_attribute("data-red", "true")
    expect(node(widget, "map_root")).to_have_attribute("data-red", "true")
    expect(node(widget, "record")).to_have_attribute("data-red", "false")
    expect(node(widget, "leaf")).to_have_attribute("data-red", "false")


def test_stored_text_is_text_and_what_another_process_writes_appears(notebook: Notebook) -> None:
    hostile = "<img src=x onerror=window.harmed=1><script>window.harmed=1</script>\u202egnp.exe"
    elsewhere = (
        "import subprocess, sys\n"
        "code = \"import substrate; substrate.open('store').checkpoint(['v1.fact.payment_provider = Mollie'])\"\n"
        "def write(): return subprocess.run([sys.executable, '-c', code], check=True).returncode"
    )
    name = "v1.fact.x\u202e<b onclick=1>y"
    shown = notebook.run(
        [
            OPEN,
            "import io, json",
            f"line = json.dumps({{'kind': 'put', 'name': {name!r}, 'value': {hostile!r}}})",
            "_ = memory.import_lines(io.StringIO(line))",
            elsewhere,
            f"viewer = memory.show_proof({name!r})\nviewer",
        ]
    )
    widget = shown.widget("Proof")
    expect(widget.get_by_test_id("verdict")).to_contain_text("‹202E›<b onclick=1>y is current")  # noqa: RUF001
    node(widget, "body").click()
    expect(widget.get_by_test_id("detail")).to_contain_text("<img src=x onerror=window.harmed=1>")
    assert widget.locator("img, script, b[onclick]").count() == 0
    assert shown.page.evaluate("window.harmed") is None
    widget.get_by_test_id("proof-name").fill("v1.fact.payment_provider")
    widget.get_by_test_id("proof-name").press("Enter")
    expect(node(widget, "body")).to_contain_text("Adyen")
    assert shown.python("write()") == 0
    expect(node(widget, "body")).to_contain_text("Mollie")


def test_a_restarted_kernel_leaves_a_clear_word(notebook: Notebook) -> None:
    shown = notebook.run([OPEN, SHOW])
    widget = shown.widget("Proof")
    expect(widget.get_by_test_id("verdict")).to_contain_text("Verified")
    shown.restart_kernel()
    expect(widget.get_by_test_id("gone")).to_be_visible()
    expect(widget.get_by_test_id("gone")).to_contain_text("Run the cell again")
