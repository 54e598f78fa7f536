"""Promotion: a file in the vault, and nowhere else, before the log says so."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from substrate.clock import ManualClock
from substrate.errors import Conflict, Denied, InputError
from substrate.fading import promote as promoting
from substrate.fading.vault import file_name
from substrate.memory import Memory
from tests.days import DAY

AGENT = "mcp:cortexgraph:tester"
HOSTILE = "../../etc/passwd [[x]] `rm` <script> $a$ #tag %%hid%%"
IMAGE = '<img src="https&colon;&sol;&sol;evil.example/x">'
ATTACKS = (
    f"a\n\n{IMAGE}",
    f"x]]\r\n\n{IMAGE}[[y",
    "<%* await tp.user.run() %>",
    "\\<% tp.file.title %>",
    "#\U0001f600 #-x C#tag\n# title\n#/y",
    "key:: v\n(other::: v)",
    "%%%hidden%%% ~~~~js\n```dataviewjs\nx\n```",
    "![[page]] ![](https://evil.example) [a](b) $x$ \\[[z]]",
    "&lt;img&#62; &amp;",
    "x\u2028---\u2028<% x %>\x85---",
)
LINK = re.compile(r"- (?:[a-z]+(?: \(from\))?: )?\[\[[\w .,'()&+-]+\]\]")
HEADING = re.compile(r"(?:# .+|## (?:Context|Links))")
LIVE = re.compile(r"<|::|%%|~~|[`\[\]$#]|&(?!(?:lt|amp);)#?\w+;")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def agent(memory: Memory) -> Memory:
    return memory.client(AGENT)


def files(vault: Path) -> list[str]:
    return sorted(str(path.relative_to(vault)) for path in vault.rglob("*") if path.is_file())


def test_a_note_is_a_file_with_all_that_is_known_of_it(agent: Memory, vault: Path) -> None:
    agent.remember("Adyen takes cards", "note")
    agent.promote("v1.note.adyen_takes_cards", vault=vault, force=True)
    agent.remember(
        "We pay with Stripe\nsince May", "note", tags=["money"], entities=["Stripe"], attrs={"context": "a call"}
    )
    agent.checkpoint(
        edges=[{"source": "v1.note.pay_stripe_since_may", "type": "related", "target": "v1.note.adyen_takes_cards"}]
    )
    (promoted,) = agent.promote("v1.note.pay_stripe_since_may", vault=vault, force=True)
    text = (vault / (promoted.path or "")).read_text(encoding="utf-8")
    assert promoted.path == "promoted/We pay with Stripe.md"
    for part in ('tags: ["money"]', "# We pay with Stripe\n", "since May", "## Context\n\na call", "- [[Stripe]]"):
        assert part in text
    assert "- related: [[Adyen takes cards]]" in text
    (note,) = agent.fading(promoted.id)
    assert (note.status, note.atom.attrs["promoted_to"]) == ("promoted", promoted.path)
    assert {"money", "status:promoted"} <= set(note.atom.tags)
    with pytest.raises(InputError, match="promoted already"):
        agent.promote(promoted.id, vault=vault, force=True)


def test_what_is_worth_it_is_found_and_what_is_merely_new_is_not(
    agent: Memory, vault: Path, clock: ManualClock, memory: Memory
) -> None:
    agent.remember("used often", "note", strength=2.0)
    for _ in range(3):
        agent.touch("v1.note.used_often")
    agent.remember("just new", "note", strength=2.0)
    memory.remember("a person's own", "note", strength=2.0)
    would = agent.promote(vault=None, dry_run=True)
    assert [(one.name, one.path) for one in would] == [("v1.note.used_often", None)]
    clock.time += DAY
    done = memory.promote(vault=vault)
    assert {one.name for one in done} == {"v1.note.used_often", "v1.note.just_new"}
    assert files(vault) == ["promoted/just new.md", "promoted/used often.md"]
    assert agent.promote(vault=vault).total == 0


def test_a_title_leads_nowhere_and_text_is_no_markdown(agent: Memory, vault: Path) -> None:
    name = agent.remember(HOSTILE, "note", entities=["a|b#c]]"]).name
    (promoted,) = agent.promote(name, vault=vault, force=True)
    (path,) = files(vault)
    assert promoted.path == path
    assert path.startswith("promoted/etc passwd")
    text = (vault / path).read_text(encoding="utf-8").split("---\n", 2)[2]
    for live in ("[[x", " `rm", " <script", "$a$", " #tag", "%%hid%%"):
        assert live not in text
    assert "- [[a b c]]" in text


def live(note: str) -> list[str]:
    """What a reader of Markdown, or a plugin, takes for more than text; of the whole file, links to notes aside."""
    _, head, body = note.split("---\n", 2)
    found = re.findall(r"<|[\x7f-\x9f\u2028\u2029]", head)
    found += [line for line in head.splitlines() if not re.match(r"[a-z_]+: [\[\"0-9]", line)]
    for line in body.split("\n"):
        if LINK.fullmatch(line):
            continue
        text = re.sub(r"^#{1,2} ", "", line) if HEADING.fullmatch(line) else line
        found += LIVE.findall(re.sub(r"\\[!-/:-@\[-`{-~]", "..", text))
        found += re.findall("<%|::", text)  # a plugin does not read escapes
    return found


def hostile_note(agent: Memory, vault: Path) -> str:
    """The file of a note with all of the attacks in every field, beside one that claims to be promoted."""
    other = agent.remember("the other", "note", attrs={"promoted_to": f"x/{ATTACKS[1]}.md"}).name
    last = agent.remember(f"{ATTACKS[3]} the last", "note", attrs={"promoted_to": "/"}).name
    every = {"tags": list(ATTACKS), "entities": list(ATTACKS), "attrs": {"context": "\n\n".join(ATTACKS)}}
    name = agent.remember("\n\n".join(reversed(ATTACKS)), "note", source=ATTACKS[2], **every).name  # type: ignore[arg-type]
    agent.checkpoint(edges=[{"source": name, "type": "related", "target": end} for end in (other, last)])
    (promoted,) = agent.promote(name, vault=vault, force=True)
    return (vault / (promoted.path or "")).read_text(encoding="utf-8")


def test_no_stored_text_is_active_in_the_vault_and_all_of_it_is_kept(agent: Memory, vault: Path) -> None:
    note = hostile_note(agent, vault)
    assert live(note) == []
    (entities,) = re.findall(r"^entities: (.*)$", note, re.MULTILINE)
    assert set(json.loads(entities)) == set(ATTACKS)
    assert "- related: [[" in note
    assert "\\#-x" in note


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("as_text", lambda text: text),
        ("as_text", lambda text: re.sub(r"[`<\[\]$\\]|%%|~~~|(?<!\w)#(?=\w)", lambda found: f"\\{found[0]}", text)),
        ("_link", lambda text: re.sub(r"[\[\]|#^\\/:]+", " ", text).strip()),
        ("_quoted", lambda value: json.dumps(value, ensure_ascii=False)),
    ],
)
def test_an_escape_that_leaves_something_out_is_seen(
    agent: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch, name: str, broken: object
) -> None:
    monkeypatch.setattr(promoting, name, broken)
    assert live(hostile_note(agent, vault))


def test_a_link_keeps_the_letters_of_every_script(agent: Memory, vault: Path) -> None:
    name = agent.remember("a plan", "note", entities=["हिन्दी", "O'Brien & Sons (UK), Inc.", "C++", "..", "語"]).name
    (promoted,) = agent.promote(name, vault=vault, force=True)
    text = (vault / (promoted.path or "")).read_text(encoding="utf-8")
    assert text.endswith("## Links\n\n- [[हिन्दी]]\n- [[O'Brien & Sons (UK), Inc.]]\n- [[C++]]\n- [[語]]\n")


@pytest.mark.parametrize("title", ["", "..", "...", "/", "-", "\u202e", "a" * 500, "語" * 300, "a\0b", "CON "])
def test_every_title_makes_a_file_name(title: str) -> None:
    name = file_name(title, "otherwise")
    assert name
    assert not set(name) & set("/\\\0.\u202e:")
    assert len(name.encode()) <= 200


def test_two_notes_of_one_title_are_two_files_and_nothing_is_replaced(agent: Memory, vault: Path) -> None:
    (vault / "promoted").mkdir()
    (vault / "promoted" / "Plan.md").write_text("mine")
    for more in ("one", "two"):
        agent.remember(f"Plan\n{more}", "note")
    for name in ("v1.note.plan_one", "v1.note.plan_two"):
        agent.promote(name, vault=vault, force=True)
    assert files(vault) == ["promoted/Plan-2.md", "promoted/Plan-3.md", "promoted/Plan.md"]
    assert (vault / "promoted" / "Plan.md").read_text() == "mine"


def test_a_link_in_the_vault_leads_nowhere(agent: Memory, vault: Path, tmp_path: Path) -> None:
    agent.remember("secret plan", "note")
    (tmp_path / "outside").mkdir()
    (vault / "promoted").symlink_to(tmp_path / "outside")
    with pytest.raises(Denied, match="a symbolic link"):
        agent.promote("v1.note.secret_plan", vault=vault, force=True)
    (vault / "promoted").unlink()
    (vault / "promoted").mkdir()
    (vault / "promoted" / "secret plan.md").symlink_to(tmp_path / "outside" / "x.md")
    (promoted,) = agent.promote("v1.note.secret_plan", vault=vault, force=True)
    assert promoted.path == "promoted/secret plan-2.md"
    assert list((tmp_path / "outside").iterdir()) == []


def test_no_vault_and_one_that_cannot_be_written_are_said_and_nothing_is_promoted(
    agent: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.remember("a plan", "note")
    (tmp_path / "file").write_text("x")
    for given, told in ((None, "no vault is named"), (" ", "no vault"), (tmp_path / "nowhere", "there is no folder")):
        with pytest.raises(InputError, match=told):
            agent.promote("v1.note.plan", vault=given, force=True)
    with pytest.raises((InputError, Denied)):
        agent.promote("v1.note.plan", vault=tmp_path / "file", force=True)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "mkdir", refuse)  # whoever runs tests as root may write anywhere
    with pytest.raises(Denied, match="the vault cannot be written"):
        agent.promote("v1.note.plan", vault=vault, force=True)
    assert agent.fading("v1.note.plan")[0].status == "active"
    assert files(vault) == []


def test_the_file_is_there_before_the_log_says_so_and_goes_if_that_fails(
    agent: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.remember("a plan", "note")
    seen: list[list[str]] = []

    def refused(*_: object, **__: object) -> None:
        seen.append(files(vault))
        raise Conflict("another writer was faster")

    monkeypatch.setattr(promoting, "checkpoint", refused)
    with pytest.raises(Conflict):
        agent.promote("v1.note.plan", vault=vault, force=True)
    assert seen == [["promoted/a plan.md"]]
    assert files(vault) == []
    assert agent.fading("v1.note.plan")[0].status == "active"


def test_only_its_own_notes_and_only_those_in_use_are_promoted(agent: Memory, memory: Memory, vault: Path) -> None:
    own = memory.remember("a person's", "note").name
    agent.remember("a plan", "note")
    agent.remember("a plan", "note")
    with pytest.raises(Denied, match="only the user may"):
        agent.promote(own, vault=vault, force=True)
    with pytest.raises(InputError, match="three times"):
        agent.promote("v1.note.plan", vault=vault)
    assert memory.promote(own, vault=vault, force=True)[0].path
    agent.checkpoint(tombstones=["v1.note.plan"])
    with pytest.raises(InputError, match="out of use"):
        agent.promote("v1.note.plan", vault=vault, force=True)


def test_a_forget_tells_which_file_of_the_vault_still_holds_it(agent: Memory, vault: Path) -> None:
    agent.remember("a plan", "note")
    agent.promote("v1.note.plan", vault=vault, force=True)
    assert agent.forget("v1.note.plan", dry_run=True).vault_notes == ("promoted/a plan.md",)
    assert agent.forget("v1.note.plan").vault_notes == ("promoted/a plan.md",)
    assert files(vault) == ["promoted/a plan.md"]


def test_a_promoted_note_is_never_swept(agent: Memory, vault: Path, clock: ManualClock) -> None:
    agent.remember("a plan", "note")
    agent.promote("v1.note.plan", vault=vault, force=True)
    clock.time += 400 * DAY
    assert agent.sweep().total == 0
