"""`substrate tier`: domains with their tiers, and to set one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run import Commands


def test_a_tier_is_set_and_listed(run: Commands) -> None:
    run.ok("remember", "the shop opens at nine")
    assert "there are no domains yet" in run.ok("tier").err
    run.ok("checkpoint", "v1.domain.health = My health", "v1.domain.shop = A shop")
    assert "sensitive" in run.ok("tier", "health", "sensitive").out
    run.ok("tier", "shop", "personal", "--max-tokens", "500")
    listed = json.loads(run.ok("tier", "--json").out)["items"]
    assert [(one["domain"], one["tier"], one.get("max_tokens")) for one in listed] == [
        ("health", "sensitive", None),
        ("shop", "personal", 500),
    ]
    assert "shop" in run.ok("tier", "shop").out


def test_what_is_no_tier_or_no_domain_is_refused(run: Commands) -> None:
    run.ok("checkpoint", "v1.domain.health = My health")
    refused = run("tier", "health", "secret")
    assert refused.code == 2
    assert "public, personal, sensitive" in refused.err
    assert run("tier", "helth", "sensitive").code == 4
    assert run("tier", "health", "--max-tokens", "5").code == 2


def test_as_agent_shows_what_an_agent_sees_and_writes_nothing(run: Commands) -> None:
    run.ok(
        "checkpoint",
        "v1.domain.health = My health",
        "v1.fact.rash = Penicillin gives a rash",
        "v1.fact.tea = A rash tea",
    )
    run.ok("checkpoint", "--edge", "v1.fact.rash member_of v1.domain.health")
    run.ok("tier", "health", "sensitive")
    for words in (["list"], ["search", "rash"], ["export"], ["tier"], ["stats"]):
        told = run.ok(*words, "--as-agent")
        assert not any(word in (told.out + told.err).lower() for word in ("penicillin", "health")), words
    assert "v1.fact.tea" in run.ok("--as-agent", "search", "rash").out
    assert run("access", "v1.fact.rash", "--as-agent").code == run("access", "v1.fact.rush").code == 4
    assert "Penicillin" in run.ok("access", "v1.fact.rash").out
    assert "leave it out to write" in run("tier", "health", "public", "--as-agent").err
    assert "leave out --unlock or --as-agent" in run("list", "--as-agent", "--unlock", "health").err
    run.ok("prove", "v1.fact.tea", "-o", "tea.json")
    assert "--as-agent had no effect" in run("verify", "tea.json", "--as-agent").err


def test_commands_that_write_or_read_no_atoms_refuse_as_agent_before_they_do_anything(
    run: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.ok("checkpoint", "v1.fact.tea = A rash tea")
    run.ok("backup", "copy")
    monkeypatch.setenv("EDITOR", "touch edited")
    before = sorted(Path().rglob("*"))
    for words in (
        ["rebuild"],
        ["restore", "copy", "--store", "second"],
        ["backup", "third"],
        ["token", "add", "acme", "--tenants", "tenants"],
        ["hooks", "--client", "claude-code"],
        ["mcp"],
        ["fsck"],
        ["edit", "v1.fact.tea"],
        ["remember", "A new text"],
        ["completion", "bash"],
    ):
        refused = run(*words, "--as-agent")
        assert (refused.code, "--as-agent is for" in refused.err) == (2, True), words
    assert sorted(Path().rglob("*")) == before
