"""transition_matrix: all arcs as a sparse matrix, with the names of its rows and columns."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array

from substrate.errors import InputError
from substrate.memory import Memory
from tests.search.happenings import few
from tests.stories import NAMES, Step, a_story, stories

A, B, C, D, E, F = NAMES


@pytest.fixture
def lettered(memory: Memory) -> Memory:
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    return memory


@few(20)
@given(stories(3, 15))
def test_rows_sum_to_one_or_nothing_and_all_names_are_in_use(steps: list[Step]) -> None:
    with a_story() as story:
        for step in steps:
            story.tell(step)
        listed = {atom.name for atom in story.memory.list(limit=1000)}
        for kind in ("next", "skip"):
            arcs = story.memory.transition_matrix(kind=kind)
            assert isinstance(arcs.matrix, csr_array)
            assert arcs.matrix.shape == (len(arcs.names), len(arcs.names))
            assert len(set(arcs.names)) == len(arcs.names)
            assert set(arcs.names) <= listed
            sums = np.asarray(arcs.matrix.sum(axis=1)).ravel()
            assert all(total == pytest.approx(1) or total == 0 for total in sums)
            assert (arcs.matrix.data > 0).all()


def test_a_row_says_what_came_after_the_likeliest_first(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B]}] * 3 + [{"items": [A, C, D]}])
    arcs = lettered.transition_matrix(kind="next")
    assert arcs.row(A) == pytest.approx({B: 0.75, C: 0.25})
    assert list(arcs.row(A)) == [B, C]
    assert arcs.row(D) == {}
    at = arcs.names.index
    assert arcs.matrix[at(C), at(D)] == pytest.approx(1)
    skip = lettered.transition_matrix(kind="skip").row(A)
    assert skip == pytest.approx({B: 3 / 4.5, C: 1 / 4.5, D: 0.5 / 4.5})
    assert "4 atoms" in repr(arcs)


def test_what_is_not_in_it_is_refused(lettered: Memory) -> None:
    lettered.observe([A, B])
    with pytest.raises(InputError, match="never accessed"):
        lettered.transition_matrix().row(F)
    with pytest.raises(InputError, match="kind"):
        lettered.transition_matrix(kind="far")


def test_a_prefix_restricts_rows_and_columns(lettered: Memory) -> None:
    lettered.checkpoint(["v1.task.t = x"])
    lettered.observe([A, "v1.task.t", B])
    arcs = lettered.transition_matrix(prefix="v1.fact.")
    assert set(arcs.names) == {A, B}
    assert arcs.row(A) == {B: 1.0}


def test_an_empty_store_has_an_empty_one(memory: Memory) -> None:
    arcs = memory.transition_matrix()
    assert (arcs.names, arcs.matrix.shape, arcs.matrix.nnz) == ((), (0, 0), 0)


def test_what_is_out_of_use_is_not_in_it_and_an_heir_has_the_mass(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B, C]}, {"items": [A, D, C]}] * 2)
    lettered.checkpoint(tombstones=[D], edges=[{"source": E, "type": "supersedes", "target": B}])
    arcs = lettered.transition_matrix(kind="next")
    assert set(arcs.names) == {A, C, E}
    assert arcs.row(A) == {E: 1.0}
    assert arcs.row(E) == {C: 1.0}


def test_as_a_data_frame_it_has_a_row_for_each_arc(lettered: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    lettered.observe([A, B])
    arcs = lettered.transition_matrix()
    if find_spec("pandas"):
        frame = arcs.to_df()
        assert list(frame.columns) == ["source", "target", "probability"]
        assert frame.to_numpy().tolist() == [[A, B, 1.0]]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        arcs.to_df()
