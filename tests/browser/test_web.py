"""The web page of a server, in a real browser: a token, a search, an atom, its history, proofs checked in the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import substrate
from substrate_widgets.web.files import files
from tests.agents import home_for_a_module
from tests.browser.conftest import loop_of
from tests.browser.notebook import Theme
from tests.browser.reading import unreadable
from tests.browser.watching import Watch
from tests.hostile.lies import lies
from tests.hostile.odd_texts import Odd, odd_texts
from tests.hostile.tampering import KINDS, Pool, tamper
from tests.hostile.test_two_verifiers import REJECTED, SEED, script_says
from tests.proof.reference import honest_cases
from tests.scale import EXPLORES, PATIENCE_S, rounds
from tests.server.hosting import Hosted, call, hosting, send

ATTACK = '<img src=x onerror="document.title=1"> \u202eevil\u2066 <script>document.title=2</script>'
WIDE, NARROW = (1280, 900), (390, 844)
LOOKS = [(theme, size) for theme in get_args(Theme) for size in (WIDE, NARROW)]
PICTURES = Path(__file__).parents[2] / "screenshots"
"""If there is such a folder, which git ignores."""


@dataclass(frozen=True)
class Shop:
    served: Hosted
    key: str
    token: str

    @property
    def url(self) -> str:
        return self.served.url.replace("/api/mcp/v1", "/")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    folder = tmp_path_factory.mktemp("web")
    with home_for_a_module(folder / "home"), hosting(folder / "tenants") as served:
        with substrate.open(served.root / "acme", actor="ada", model="none") as memory:
            memory.checkpoint(["v1.fact.provider = Stripe handles our card payments"])
            memory.checkpoint(["v1.fact.provider = Adyen handles our card payments", "v1.fact.colour = Blue"])
            memory.checkpoint([{"name": "v1.fact.attack", "value": ATTACK, "tags": ["<b>tag</b>"]}])
            key = str(memory.key())
        yield Shop(served, key, served.token("acme", "read", rate=100_000))


@dataclass(frozen=True)
class Window:
    page: Page
    watch: Watch
    context: BrowserContext

    def see(self, id: str) -> Any:  # noqa: A002 - as the page has it
        return self.page.get_by_test_id(id)

    def enter(self, shop: Shop) -> None:
        self.page.goto(shop.url)
        self.see("token").fill(shop.token)
        self.see("enter").click()
        expect(self.see("hit").first).to_be_visible()

    def open(self, name: str, query: str) -> None:
        self.see("box").fill(query)
        self.page.locator(f'[data-testid=hit][data-name="{name}"]').click()
        expect(self.see("title")).to_have_text(name)

    def picture(self, name: str) -> None:
        if PICTURES.is_dir():
            theme = "dark" if self.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") else "light"
            file = PICTURES / f"{name}-{theme}-{self.page.evaluate('innerWidth')}.png"
            self.page.screenshot(path=file, full_page=True, animations="disabled")

    def trust(self, key: str) -> None:
        self.see("key").fill(key)
        self.see("key").press("Tab")


@pytest.fixture
def window(browser: Browser, shop: Shop, request: pytest.FixtureRequest) -> Iterator[Window]:
    """A page that keeps nothing of another. Afterwards: no error in it, and no request went to another server."""
    theme, (width, height) = getattr(request, "param", ("light", WIDE))
    with loop_of(browser):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
        context.set_default_timeout(PATIENCE_S * 1000)
        page = context.new_page()
        watch = Watch(page, shop.url)
        yield Window(page, watch, context)
        context.close()
    assert not watch.faults, "\n".join(watch.faults)


@pytest.mark.parametrize("window", LOOKS, indirect=True)
def test_a_person_finds_an_atom_sees_its_history_and_checks_its_proof(window: Window, shop: Shop) -> None:
    window.enter(shop)
    window.open("v1.fact.provider", "card payments")
    expect(window.see("proof")).to_have_text("current, entry 2 of 5, consistent")
    expect(window.see("version")).to_have_count(2)
    window.trust(shop.key)
    expect(window.see("proof")).to_have_text("current, entry 2 of 5, verified")
    expect(window.see("add")).to_be_hidden()
    expect(window.see("edit")).to_have_count(0)
    window.see("prove").click()
    verdict = window.see("verdict")
    expect(verdict).to_contain_text("Verified")
    expect(window.see("trust")).to_have_text("Checked in this browser, against the key that you gave.")
    window.picture("web")
    assert unreadable(window.page.locator("body")) == []
    assert window.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut off"
    window.see("change").click()
    expect(verdict).to_contain_text("Rejected")
    window.see("version").last.get_by_role("button").click()
    expect(window.see("value")).to_have_text("Stripe handles our card payments")
    expect(window.see("proof")).to_have_text("recorded, entry 1 of 5, verified")


def test_the_page_follows_what_others_write_when_somebody_comes_back_to_it(window: Window, shop: Shop) -> None:
    token = shop.served.token("meanwhile", "read", "write", rate=100_000)
    call(shop.served, token, "store_memory", title="Colour", content="The door is blue.")
    window.enter(Shop(shop.served, shop.key, token))
    window.open("v1.fact.colour", "door")
    expect(window.see("version")).to_have_count(1)
    with substrate.open(shop.served.root / "meanwhile", actor="ada", model="none") as memory:
        memory.checkpoint(["v1.fact.colour = The door is green.", "v1.fact.second = A second door."])
    window.page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(window.see("version")).to_have_count(2)
    expect(window.see("value")).to_have_text("The door is green.")
    expect(window.see("hit")).to_have_count(2)


def test_text_that_someone_stored_is_text(window: Window, shop: Shop) -> None:
    window.enter(shop)
    window.open("v1.fact.attack", "evil")
    shown = "".join(f"\u2039{ord(one):04X}\u203a" if one in "\u202e\u2066" else one for one in ATTACK)
    expect(window.see("value")).to_have_text(shown)
    window.see("prove").click()
    expect(window.see("verdict")).to_contain_text("Consistent")
    assert window.page.locator("img, bdi *:not(mark), [onerror]").count() == 0
    assert window.page.title() == "Substrate"


def test_the_token_is_nowhere_but_in_memory_and_its_end_ends_the_page(window: Window, shop: Shop) -> None:
    token, kept = shop.served.book.add("acme", ("read",))
    window.enter(Shop(shop.served, shop.key, token))
    assert window.page.url == shop.url
    found = window.page.evaluate(
        """async () => [document.documentElement.outerHTML,
            JSON.stringify([localStorage, sessionStorage, document.cookie]),
            [...document.querySelectorAll("input")].map((one) => one.value).join(), JSON.stringify(history.state),
            JSON.stringify(await indexedDB.databases()), JSON.stringify(await caches.keys())].join()"""
    )
    assert token not in found
    assert window.context.cookies() == []
    shop.served.book.revoke(kept.id)
    window.see("box").fill("colour")
    expect(window.see("token")).to_be_visible()
    expect(window.see("said")).to_contain_text("revoked")
    assert window.page.locator(".web-place *").count() == 0, "nothing of the store is left in the page"
    window.watch.faults[:] = [one for one in window.watch.faults if "401" not in one]


def test_a_server_that_lies_is_found_out_by_the_page(window: Window, shop: Shop) -> None:
    lie: dict[str, Any] = {}

    def change(route: Any) -> None:
        answer = route.fetch()
        said = answer.json()
        if "detail" in said:
            lie["change"](said["detail"])
        route.fulfill(response=answer, json=said)

    window.page.route("**/page/ask", change)
    lie["change"] = lambda detail: detail.update(value=detail["value"].replace("Adyen", "Other"))
    window.enter(shop)
    window.open("v1.fact.provider", "card payments")
    expect(window.see("proof")).to_have_text("NOT verified: the proof is of another value than the one shown")
    lie["change"] = lambda detail: detail["proof"].update(bundle=detail["proof"]["bundle"].replace("Blue", "Grey"))
    window.open("v1.fact.colour", "blue")
    expect(window.see("proof")).to_have_text("NOT verified: not the body the entry commits to")
    lie["change"] = dict
    window.trust("other.example+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
    window.open("v1.fact.provider", "card payments")
    expect(window.see("proof")).to_contain_text("NOT verified: the verifier key is not")


def test_what_the_page_may_do_is_said_to_the_browser_and_held_by_the_server(shop: Shop) -> None:
    for path in files(asks_token=True):
        page = send(shop.url.rstrip("/") + path, None, None, "GET")
        assert page.status == 200
        headers = {name.lower(): said for name, said in page.headers.items()}
        rules = headers["content-security-policy"]
        for rule in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"):
            assert f"{rule};" in rules
        assert "frame-ancestors 'none'" in rules
        assert "unsafe" not in rules
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    ask, acme = f"{shop.url}page/ask", shop.token
    other, writer = shop.served.token("other", "read"), shop.served.token("acme", "write")
    detail = json.dumps({"detail": {"name": "v1.fact.provider"}}).encode()
    assert send(ask, detail, None).status == 401
    assert send(ask, detail, writer).status == 403
    assert send(ask, detail, acme, Origin="https://evil.example").status == 403
    assert send(ask, detail, acme, Host="evil.example").status == 421
    assert send(ask, detail, other).said["detail"]["state"] == "absent", "another tenant's atom is not there"
    assert send(ask, detail, acme).said["detail"]["state"] == "there"
    hasty = shop.served.token("acme", "read", rate=1)
    assert [send(ask, detail, hasty).status for _ in range(2)] == [200, 429]
    for body, status in (
        (b"{", 400),
        (b"[]", 400),
        (b'{"change": {}}', 400),
        (b'{"find": {"query": 5}}', 400),
        (b'{"find": {"limit": true}}', 400),
        (b'{"detail": {"name": "x", "more": 1}}', 400),
        (b"[" * 200_000, 400),
        (b" " * 300_000, 413),
    ):
        assert send(ask, body, acme).status == status, body[:40]
    assert "problem" in send(ask, b'{"find": {"limit": 100000}}', acme).said["find"]
    assert call(shop.served, acme, "stats").result["memories"] == 3, "nothing was written"


# -- the verifier ------------------------------------------------------------------------------------------------------

AT_ONCE = 200
VERIFY = """async ([source, cases]) => {
  const { Rejected, verify } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const said = [];
  for (const [text, key, pin] of JSON.parse(cases)) {
    try {
      const { trust, claim, name, entry, since, head } = await verify(text, key, pin);
      said.push([trust, claim, name ?? null,
        entry ? [String(entry.seq), entry.kind, hex(entry.subject), String(entry.time)] : null,
        since ? String(since.size) : null, [head.origin, String(head.size), hex(head.root), hex(head.map_root)]]);
    } catch (error) {
      said.push(error instanceof Rejected ? "rejected" : `${error}`);
    }
  }
  return said;
}"""


def _corpus() -> list[Odd]:
    """What both are shown; of the longest ones none, and in every run a part."""
    made, pool = odd_texts(SEED), Pool.of(SEED)
    made = [odd for odd in made if EXPLORES or len(odd.text) < 20_000][:: 1 if EXPLORES else 5]
    made += [Odd(case.label, case.text, case.key, case.pin) for case in [*lies(SEED), *honest_cases(SEED)]]
    for number in range(rounds(60, 2_000)):
        bad = tamper(KINDS[number % len(KINDS)], number, pool)
        made += [Odd(bad.kind, bad.text, bad.key, bad.pin), Odd(f"{bad.kind}, nothing in hand", bad.text)]
    return made


def _told(odd: Odd) -> object:
    """What the auditor's script says, as the page can say it."""
    said = script_says(odd.text, odd.key, odd.pin)
    if said == REJECTED:
        return said
    assert isinstance(said, tuple)
    trust, claim, name, entry, _, since, (origin, size, root, map_root) = said
    shown = entry and [str(entry[0]), entry[1], entry[2].hex(), str(entry[3])]
    return [trust, claim, name, shown, since and str(since), [origin, str(size), root.hex(), map_root.hex()]]


@pytest.mark.slow
@pytest.mark.soak
def test_the_page_says_of_every_odd_bundle_what_the_auditors_script_says(browser: Browser, shop: Shop) -> None:
    web = Path(substrate.__file__).parents[1] / "widgets" / "web"
    source = "".join((web / name).read_text() for name in ("json.js", "verify.js")) + "export { Rejected, verify };"
    corpus = [(odd, _told(odd)) for odd in _corpus()]

    def differing(page: Page, script: str) -> Iterator[str]:
        for start in range(0, len(corpus), AT_ONCE):
            some = corpus[start : start + AT_ONCE]
            cases = json.dumps([[odd.text, odd.key, odd.pin] for odd, _ in some])
            for (odd, told), said in zip(some, page.evaluate(VERIFY, [script, cases]), strict=True):
                if told != said:
                    yield f"{odd.label}: {told} and {said}"

    with loop_of(browser):
        page = browser.new_page()
        page.goto(f"{shop.url}health")  # without the page's rules, which would refuse a script from here
        assert list(islice(differing(page, source), 5)) == []
        for check in ("sameBytes(root, head.root)", "!members.has(name)", "depth <= MAX_DEPTH", "id === digest"):
            assert check in source
            twin = source.replace(check, "true")
            assert next(differing(page, twin), None), f"a twin without {check} is not noticed"
        page.close()
