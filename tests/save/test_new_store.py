"""What a first checkpoint is refused for is known before a store is made for it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from substrate.errors import ItemsRefused, SubstrateError
from substrate.memory import open_memory
from substrate.moving.move import refuse_first_lines
from substrate.save.new_store import refuse_first_checkpoint
from tests.scale import rounds

NAMES = ["v1.fact.a", "v1.fact.b", "v1.fact.c", "bad name", "v1", "0" * 32]
names = st.sampled_from(NAMES)
atoms = st.builds(lambda name, value: f"{name} = {value}", names, st.sampled_from(["x", "Do", "30 s", ""]))
kinds = st.sampled_from(["depends_on", "supersedes", "bad type"])
edges = st.builds(lambda source, kind, target: {"source": source, "type": kind, "target": target}, names, kinds, names)
batches = st.fixed_dictionaries(
    {"atoms": st.lists(atoms, max_size=3)},
    optional={
        "edges": st.lists(edges, max_size=2),
        "tombstones": st.lists(names, max_size=1),
        "unedges": st.lists(edges, max_size=1),
        "expect": st.dictionaries(names, st.none() | st.integers(0, 2), max_size=1),
        "task": names,
        "partial": st.booleans(),
    },
)


def raised(call: Callable[[], object]) -> SubstrateError | None:
    try:
        call()
    except SubstrateError as error:
        return error
    return None


@pytest.mark.no_cover
@settings(max_examples=rounds(12, 400), deadline=None)
@example({"atoms": ["v1.fact.a = x"], "edges": [{"source": "v1.fact.a", "type": "supersedes", "target": "v1.fact.a"}]})
@example({"atoms": ["v1.fact.a = x"], "tombstones": ["v1.fact.b"]})
@example({"atoms": [], "unedges": [{"source": "v1.fact.a", "type": "depends_on", "target": "v1.fact.b"}]})
@example({"atoms": ["v1.fact.a = x"], "task": "0" * 32})
@example({"atoms": ["v1.fact.a = x"], "expect": {"v1.fact.a": 1}})
@example({"atoms": ["bad name = x", "v1.fact.a = x"], "partial": True})
@given(batches)
def test_a_first_checkpoint_is_refused_for_what_a_new_store_would_refuse_it_for(
    tmp_path_factory: pytest.TempPathFactory, batch: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("new")
    before = raised(lambda: refuse_first_checkpoint(**batch))
    with open_memory(folder / "store", home=folder / "home", model="none", background=False) as memory:
        there = raised(lambda: memory.checkpoint(**batch))
        held = memory.list().items
    if batch.get("partial") and there is None and not held:
        return  # a reply that all was refused needs the head of a store: without one it is an error
    assert (type(before), str(before)) == (type(there), str(there))
    if isinstance(before, ItemsRefused) and isinstance(there, ItemsRefused):
        assert before.refused == there.refused


@pytest.mark.no_cover
@settings(max_examples=rounds(8, 200), deadline=None)
@given(said=st.lists(st.tuples(st.sampled_from(["put", "tombstone", "odd"]), names), max_size=4), partial=st.booleans())
def test_a_first_import_is_refused_for_what_a_new_store_would_refuse_all_of_it_for(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str]], *, partial: bool
) -> None:
    folder = tmp_path_factory.mktemp("new")
    lines = "".join(json.dumps({"kind": kind, "name": name, "value": "x"}) + "\n" for kind, name in said)
    before = raised(lambda: refuse_first_lines(io.StringIO(lines), partial=partial))
    with open_memory(folder / "store", home=folder / "home", model="none", background=False) as memory:
        there = raised(lambda: memory.import_lines(io.StringIO(lines), partial=partial))
        held = memory.list().items
    if before is None:
        assert held
    elif there is not None and not held:
        assert (type(before), str(before)) == (type(there), str(there))
    else:
        assert partial
        assert not held
