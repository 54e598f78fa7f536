"""The verbs entities and extract."""

from __future__ import annotations

import json

from tests.cli.run import Commands


def test_entities_prints_the_directory(run: Commands) -> None:
    atom = {"name": "v1.entity.shop.ada", "value": "Ada", "attrs": {"type": "person", "aliases": ["Countess"]}}
    lines = [
        atom,
        {"name": "v1.entity.web.bob", "value": "Bob"},
        {"name": "v1.fact.a", "value": "x", "entities": ["ADA"]},
    ]
    run.ok("checkpoint", "-", stdin=json.dumps(lines))
    ada = ["Ada", "person", "1", "Countess", "v1.entity.shop.ada"]
    assert run.ok("entities").rows == [ada, ["Bob", "", "0", "", "v1.entity.web.bob"]]
    assert run.ok("entities", "--domain", "shop", "--begins", "AD").rows == [ada]
    run.ok(
        "checkpoint", "v1.fact.c = y", "-", stdin=json.dumps([{"name": "v1.fact.b", "value": "x", "entities": ["Bob"]}])
    )
    run.ok("checkpoint", "-", stdin=json.dumps([{"name": "v1.fact.c", "value": "x", "entities": ["Bob"]}]))
    assert [row[0] for row in run.ok("entities").rows] == ["Bob", "Ada"]  # most mentioned first
    assert [row[0] for row in run.ok("entities", "--by", "name").rows] == ["Ada", "Bob"]
    first = run.ok("entities", "--limit", "1")
    assert ([row[0] for row in first.rows], "1 more: --offset 1" in first.err) == (["Bob"], True)
    assert [row[0] for row in run.ok("entities", "--limit", "1", "--offset", "1").rows] == ["Ada"]
    assert [row[0] for row in run.ok("entities", "--after", "v1.entity.shop.ada").rows] == ["Bob"]
    assert run("entities", "--by", "mentions", "--after", "v1.entity.shop.ada").code == 2
    page = run.ok("entities", "--by", "name", "--limit", "1", "--json")
    assert (page.json["items"][0]["mentions"], page.json["next"]) == (1, "v1.entity.shop.ada")
    assert "there are no such entities" in run.ok("entities", "--domain", "none").err
    assert run("entities", "--begins", "...").code == 2


def test_extract_prints_names_and_needs_no_store(run: Commands) -> None:
    assert run.ok("extract", "we moved from MySQL", "to PostgreSQL").rows == [["MySQL", "name"], ["PostgreSQL", "name"]]
    assert "there is no name in it" in run.ok("extract", "nothing here").err
    assert run.ok("extract", " and ".join(f"CamelCase{i}" for i in range(102)), "--json").json["more"] == 2
    assert run("extract").code == 2


def test_entities_names_no_atom_that_is_not_there(run: Commands) -> None:
    run.ok("ingest", "-", "--domain", "shop", "--title", "One", stdin="We moved to PostgreSQL.\n")
    page = run.ok("entities")
    assert page.rows == [["PostgreSQL", "", "1", "", ""]]
    assert "a name without an atom is in one text alone" in page.err
    run.ok("ingest", "-", "--domain", "shop", "--title", "Two", stdin="They left PostgreSQL.\n")
    again = run.ok("entities")
    assert (again.rows[0][-1], "without an atom" in again.err) == ("v1.entity.shop.postgresql", False)
