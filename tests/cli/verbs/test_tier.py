"""`substrate tier`: domains with their tiers, and to set one."""

from __future__ import annotations

import json

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
