"""The verbs context, associate and stale."""

from __future__ import annotations

import pytest

from tests.cli.run import Commands


@pytest.fixture
def joined(run: Commands) -> Commands:
    """A chain of two: the plan depends on the price, the price is derived from the rate."""
    run.ok("checkpoint", "v1.fact.rate = 1.1", "v1.fact.price = 11", "v1.goal.plan = sell")
    edges = ("v1.fact.price derived_from v1.fact.rate", "v1.goal.plan depends_on v1.fact.price")
    run.ok("checkpoint", *(word for edge in edges for word in ("--edge", edge)))
    return run


def test_context_shows_atoms_then_edges(joined: Commands) -> None:
    assert joined.ok("context", "v1.goal.plan").rows == [
        ["0", "v1.goal.plan", "sell", ""],
        ["1", "v1.fact.price", "11", ""],
        ["edge", "v1.goal.plan", "depends_on", "v1.fact.price"],
    ]
    document = joined.ok("context", "v1.goal.plan", "--depth", "2", "--json").json
    assert [atom["distance"] for atom in document["atoms"]] == [0, 1, 2]
    assert len(document["edges"]) == 2
    page = joined.ok("context", "v1.goal.plan", "--depth", "2", "--limit", "1")
    assert "--offset 1" in page.err
    assert joined.ok("context", "v1.goal.plan", "--type", "derived_from").rows == [["0", "v1.goal.plan", "sell", ""]]


def test_context_says_what_is_missing_and_what_is_to_be_reviewed(joined: Commands) -> None:
    joined.ok("checkpoint", "v1.fact.rate = 1.2")
    ran = joined.ok("context", "v1.goal.plan", "v1.fact.never")
    assert "v1.fact.never is missing: there is no v1.fact.never" in ran.err
    assert "to be reviewed: v1.fact.rate changed (entry 6), by way of v1.fact.price" in ran.out
    assert joined("context", "v1.fact.never").code == 4
    assert joined("context").code == 2
    assert joined("context", "v1.goal.plan", "--depth", "4").code == 2


def test_stale_lists_what_is_to_be_reviewed_until_it_is_said_again(joined: Commands) -> None:
    assert "nothing is to be reviewed" in joined.ok("stale").err
    joined.ok("checkpoint", "--tombstone", "v1.fact.rate")
    absent = "v1.fact.rate is absent: it was tombstoned (entry 6)"
    assert joined.ok("stale").rows == [
        ["v1.fact.price", "11", absent],
        ["v1.goal.plan", "sell", f"{absent}, by way of v1.fact.price"],
    ]
    assert [item["atom"]["name"] for item in joined.ok("stale", "v1.goal.", "--json").json["items"]] == ["v1.goal.plan"]
    assert "--after v1.fact.price" in joined.ok("stale", "--limit", "1").err
    assert joined.ok("access", "v1.fact.price", "--json").json["stale"] == [absent]
    joined.ok("checkpoint", "v1.fact.price = 11")
    assert joined.ok("stale", "v1.fact.").rows == []


def test_associate_shows_the_reason_and_how_to_accept_it(run: Commands) -> None:
    run.ok("checkpoint", "v1.domain.yard = ships", "v1.domain.shop = bread")
    run.ok("checkpoint", *(f"v1.fact.n{number} = note number {number}" for number in range(50)))
    run.ok("checkpoint", "v1.fact.a = Ledgerlark is slow", "--edge", "v1.fact.a member_of v1.domain.yard")
    run.ok("checkpoint", "v1.fact.b = The till runs Ledgerlark", "--edge", "v1.fact.b member_of v1.domain.shop")
    ran = run.ok("associate", "v1.fact.a")
    ((_, *row),) = ran.rows
    assert row == ["v1.fact.a", "v1.fact.b", "The till runs Ledgerlark", "both have Ledgerlark; no edge joins them"]
    assert "compared by words only" in ran.err
    accept = "v1.fact.a references v1.fact.b"
    assert f"substrate checkpoint --edge '{accept}'" in ran.err
    assert run.ok("associate", "v1.fact.a", "--other-domain", "yard").rows == []
    assert run.ok("associate", "v1.fact.a", "--domain", "shop", "--json").json["items"] == []
    run.ok("checkpoint", "--edge", accept)
    assert "no unexpected connection" in run.ok("associate", "v1.fact.a").err
