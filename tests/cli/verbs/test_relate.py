"""The verbs context, path, associate and stale."""

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


def test_path_prints_each_edge_and_the_way_it_points(joined: Commands) -> None:
    assert joined.ok("path", "v1.fact.rate", "v1.goal.plan").rows == [
        ["v1.fact.rate", "<-", "derived_from", "v1.fact.price", ""],
        ["v1.fact.price", "<-", "depends_on", "v1.goal.plan", ""],
    ]
    document = joined.ok("path", "v1.goal.plan", "v1.fact.rate", "--json").json
    assert (document["found"], document["length"], len(document["edges"])) == (True, 2, 2)
    short = joined.ok("path", "v1.goal.plan", "v1.fact.rate", "--most", "1")
    assert (short.rows, "no path was found" in short.err) == ([], True)
    assert "both are the same atom" in joined.ok("path", "v1.goal.plan", "v1.goal.plan").err
    assert joined("path", "v1.goal.plan", "v1.fact.never").code == 4
    assert joined("path", "v1.goal.plan").code == 2
    assert joined("path", "v1.goal.plan", "v1.fact.rate", "--most", "7").code == 2


def test_search_walks_along_edges_and_says_which(joined: Commands) -> None:
    assert [row[1] for row in joined.ok("search", "sell", "--words").rows] == ["v1.goal.plan", "v1.fact.price"]
    rows = joined.ok("search", "sell", "--words", "--hops", "2", "--why").rows
    assert [row[1] for row in rows] == ["v1.goal.plan", "v1.fact.price", "v1.fact.rate"]
    assert "(v1.goal.plan depends_on v1.fact.price, v1.fact.price derived_from v1.fact.rate)" in rows[2][3]
    ran = joined.ok("search", "sell", "--words", "--hops", "2", "--walk", "pagerank")
    assert [row[1] for row in ran.rows] == ["v1.goal.plan", "v1.fact.price", "v1.fact.rate"]
    assert joined("search", "sell", "--hops", "4").code == 2
    assert joined("search", "sell", "--walk", "drunk").code == 2


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
