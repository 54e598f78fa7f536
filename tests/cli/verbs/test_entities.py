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
    page = run.ok("entities", "--limit", "1", "--json")
    assert (page.json["items"][0]["mentions"], page.json["next"]) == (1, "v1.entity.shop.ada")
    assert "there are no such entities" in run.ok("entities", "--domain", "none").err
    assert run("entities", "--begins", "...").code == 2


def test_extract_prints_names_and_needs_no_store(run: Commands) -> None:
    assert run.ok("extract", "we moved from MySQL", "to PostgreSQL").rows == [["MySQL", "name"], ["PostgreSQL", "name"]]
    assert "there is no name in it" in run.ok("extract", "nothing here").err
    assert run.ok("extract", " and ".join(f"CamelCase{i}" for i in range(102)), "--json").json["more"] == 2
    assert run("extract").code == 2
