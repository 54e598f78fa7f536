"""`substrate surfaces`: which sets of tools there are, and what each costs."""

from __future__ import annotations

from substrate.surfaces import DEFAULT_SURFACES, SURFACES, load_surface
from tests.cli.run import Commands


def test_each_surface_is_listed_with_tools_bytes_scopes_and_what_it_is_for(run: Commands) -> None:
    listed = {one["name"]: one for one in run.ok("surfaces", "--json").json["surfaces"]}
    assert list(listed) == list(SURFACES)
    for name, one in listed.items():
        surface = load_surface(name)
        assert one["tools"] == [tool.name for tool in surface.tools]
        assert 1_000 < one["bytes"] <= surface.most_bytes
        assert (one["for"], one["default"]) == (surface.purpose, name in DEFAULT_SURFACES)
    assert (listed["atoms"]["scopes"], listed["keeping"]["scopes"]) == (["read", "write", "train"], ["read", "forget"])
    lines = run.ok("surfaces").out.splitlines()
    assert [line.split("\t")[0] for line in lines] == list(SURFACES)
    assert list(run.folder.iterdir()) == []


def test_what_cannot_be_served_is_refused_at_the_start_with_what_to_type(run: Commands) -> None:
    ran = run("mcp", "--http", "--only", "memory_serch")
    assert (ran.code, ran.out) == (2, "")
    assert "near it: memory_search" in ran.err
    assert list(run.folder.iterdir()) == []
