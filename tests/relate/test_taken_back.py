"""Of a hub whose edges were mostly taken back, no more is read than of any other."""

from __future__ import annotations

import pytest

from substrate.memory import Memory
from substrate.views import edges
from substrate.views.edges import LOOKS, links_of, some_links


def test_edges_of_one_type_are_read_in_part_however_many_were_taken_back(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"v1.fact.n{i}" for i in range(40)]
    stated = [
        {"source": "v1.hub.h", "type": kind, "target": name} for kind in ("a_kind", "depends_on") for name in names
    ]
    memory.checkpoint([f"{name} = x" for name in ("v1.hub.h", *names)], edges=stated)
    memory.checkpoint(unedges=[edge for edge in stated if edge["type"] == "depends_on"][:39])
    hub = bytes.fromhex(memory.access("v1.hub.h").atom.id.replace("-", ""))
    with memory._store.read() as snapshot:
        everything = list(links_of(snapshot.transaction, hub, out=True, kind="depends_on"))
        assert some_links(snapshot.transaction, hub, 10, out=True, kind="depends_on") == (everything, False)
        read = 0
        link_at = edges._link_at

        def counting(*row: object) -> object:
            nonlocal read
            read += 1
            return link_at(*row)  # type: ignore[arg-type]

        monkeypatch.setattr(edges, "_link_at", counting)
        found, more = some_links(snapshot.transaction, hub, 5, out=True, kind="depends_on")
        assert (read, more) == (5 * LOOKS, True)
        assert len(found) <= 1


def test_a_search_names_a_hub_of_which_edges_that_hold_may_have_been_passed_over(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"v1.fact.n{i}" for i in range(25)]
    stated = [{"source": "v1.hub.h", "type": "a_kind", "target": name} for name in names]
    held = {"source": "v1.hub.h", "type": "z_kind", "target": "v1.fact.n0"}
    memory.checkpoint(["v1.hub.h = the meeting point", *(f"{name} = x" for name in names)], edges=[*stated, held])
    memory.checkpoint(unedges=stated)
    assert memory.search("meeting point").cut == ()
    monkeypatch.setattr("substrate.atoms.links._READ", 5)
    assert memory.search("meeting point").cut == ("v1.hub.h",)
