"""What a process keeps in memory has a bound, however long it runs: caches of calls, claims, the tail of the columns.

`python -m benchmarks.load` measures the same from outside: what grows beyond the store in minutes of load.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from substrate.claims import compare, drop_cached, read
from substrate.claims.words import Sentence
from substrate.learn import calibration
from substrate.memory import Memory
from substrate.search.columns import versions
from substrate.search.columns.versions import Chains

PACKAGE = Path(__file__).parents[1] / "substrate"
SENTENCES = [f"v1.fact.service_{number} = The timeout of service {number} is {number} seconds" for number in range(50)]


# -- caches of calls ---------------------------------------------------------------------------------------------------


def unbounded_caches(source: str) -> Iterator[str]:
    """Functions that remember an answer for every argument they ever had."""
    for node in ast.walk(ast.parse(source)) if "cache" in source else ():
        if isinstance(node, ast.FunctionDef) and ast.unparse(node.args):
            for decorator in map(ast.unparse, node.decorator_list):
                plain = decorator.removeprefix("functools.")
                if plain == "cache" or plain.replace("maxsize=", "") == "lru_cache(None)":
                    yield node.name


def test_every_cache_of_calls_has_a_bound() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in PACKAGE.rglob("*.py")
        for name in unbounded_caches(path.read_text())
    ]
    assert not found


@pytest.mark.parametrize(
    "decorator", ["cache", "functools.cache", "lru_cache(None)", "functools.lru_cache(maxsize=None)"]
)
def test_a_cache_without_a_bound_is_caught(decorator: str) -> None:
    assert list(unbounded_caches(f"@{decorator}\ndef even(word): ...\n@cache\ndef table(): ...")) == ["even"]


# -- claims ------------------------------------------------------------------------------------------------------------


def claims_in_memory() -> int:
    return read._read.cache_info().currsize + compare._keys.cache_info().currsize


def test_a_checkpoint_leaves_no_claim_in_memory(memory: Memory) -> None:
    memory.checkpoint(SENTENCES)
    assert claims_in_memory() == 0


def test_claims_that_a_checkpoint_leaves_in_memory_are_caught(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("substrate.claims.drop_cached", lambda: None)
    memory.checkpoint(SENTENCES)
    assert claims_in_memory() >= len(SENTENCES)
    drop_cached()
    assert claims_in_memory() == 0


def test_a_checkpoint_reads_each_claim_once_though_it_is_compared_and_kept(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []
    first_sentence = read.first_sentence

    def counted(value: str) -> Sentence:
        taken.append(value)
        return first_sentence(value)

    monkeypatch.setattr(read, "first_sentence", counted)
    memory.checkpoint(SENTENCES)
    assert sorted(taken) == sorted(sentence.partition(" = ")[2] for sentence in SENTENCES)


# -- columns -----------------------------------------------------------------------------------------------------------


def longest_tail(atoms: int, step: int) -> int:
    """How many versions are kept one by one, at most, while a log grows by `step` at a time."""
    kind = np.ones(atoms, np.uint8)
    ids = np.random.default_rng(17).integers(0, 2**63, (2, atoms), np.uint64)
    chains, longest = Chains(), 0
    for start in range(0, atoms, step):
        chains.extend(start, start + step, kind, *ids)
        longest = max(longest, len(chains._tail))
    return longest


def test_a_growing_log_is_sorted_before_its_tail_is_long() -> None:
    assert longest_tail(20_000, 100) <= versions._TAIL


def test_of_a_large_log_the_tail_is_a_small_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_TAIL", 1)
    assert longest_tail(20_000, 100) <= 20_000 // versions._SHARE


def test_a_tail_that_is_never_sorted_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chains, "_sort", lambda *_: np.zeros(0, np.int64))
    assert longest_tail(20_000, 100) > versions._TAIL


# -- sessions ----------------------------------------------------------------------------------------------------------


def test_a_session_that_goes_on_is_judged_by_the_first_atoms_it_needed(
    reopen: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "_NEEDED", 8)
    memory = reopen(background=False)
    memory.checkpoint(SENTENCES)
    needed = []
    for sentence in SENTENCES:
        memory.access(sentence.partition(" = ")[0])
        memory._client.recorder.flush()
        judge = memory._client.recorder.current().judge
        assert judge is not None
        needed.append(len(judge._needed))
    assert needed == [*range(1, 8), *[8] * (len(SENTENCES) - 7)]
