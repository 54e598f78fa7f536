"""The labelled pairs: how many contradictions are found, and how many that are none.

They were written before the detector. `dev.jsonl` it was developed on; `held.jsonl` was only ever scored.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from substrate.claims import Claim, Contradiction, contradiction, keys_of, read_claim

HERE = Path(__file__).parent
PARTS = ("dev", "held")
LABELS = {"contradiction", "update", "restatement", "unrelated"}
PRECISION, RECALL = 0.9, 0.8

Pair = Mapping[str, Any]
Compare = Callable[[Claim, Claim], Contradiction | None]


def pairs(part: str) -> list[Pair]:
    return [json.loads(line) for line in (HERE / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()]


def overlap(a: Pair, b: Pair) -> bool:
    """As the engine sees it: a window is half open, and one without ends holds always."""
    return a.get("valid_from", "") < b.get("valid_to", "9") and b.get("valid_from", "") < a.get("valid_to", "9")


def contradicts(pair: Pair, compare: Compare) -> bool:
    a, b = pair["a"], pair["b"]
    if a["name"] == b["name"] or not overlap(a, b):
        return False
    one, other = (read_claim(side["name"], side["value"]) for side in (a, b))
    return one is not None and other is not None and compare(one, other) is not None


def score(found: list[Pair], compare: Compare = contradiction) -> tuple[float, float]:
    """Precision and recall."""
    told = [(pair["label"] == "contradiction", contradicts(pair, compare)) for pair in found]
    right = sum(is_one and said for is_one, said in told)
    return right / max(1, sum(said for _, said in told)), right / sum(is_one for is_one, _ in told)


@pytest.mark.parametrize("part", PARTS)
def test_contradictions_are_found_and_little_else(part: str) -> None:
    precision, recall = score(pairs(part))
    print(f"{part}: precision {precision:.3f}, recall {recall:.3f} of {len(pairs(part))} pairs")
    assert precision >= PRECISION
    assert recall >= RECALL


@pytest.mark.parametrize("part", PARTS)
def test_a_detector_that_looks_at_the_last_word_of_a_name_would_not_do(part: str) -> None:
    def by_last_word(pair: Pair) -> bool:
        a, b = pair["a"], pair["b"]
        return a["name"].rsplit(".")[-1].rsplit("_")[-1] == b["name"].rsplit(".")[-1].rsplit("_")[-1]

    told = [(pair["label"] == "contradiction", by_last_word(pair)) for pair in pairs(part)]
    assert sum(is_one and said for is_one, said in told) / sum(said for _, said in told) < PRECISION


@pytest.mark.parametrize("part", PARTS)
def test_a_detector_that_says_yes_or_no_to_all_is_caught(part: str) -> None:
    assert score(pairs(part), lambda *_: Contradiction("value", ""))[0] < PRECISION
    assert score(pairs(part), lambda *_: None)[1] < RECALL


def test_the_set_is_large_and_of_all_kinds() -> None:
    counted = {part: Counter(pair["label"] for pair in pairs(part)) for part in PARTS}
    assert all(set(labels) == LABELS for labels in counted.values())
    assert sum(counted["held"].values()) >= 80
    assert sum(sum(labels.values()) for labels in counted.values()) >= 240
    lines = [json.dumps([pair["a"], pair["b"]]) for part in PARTS for pair in pairs(part)]
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize("part", PARTS)
def test_what_contradicts_meets_under_a_key(part: str) -> None:
    for pair in pairs(part):
        one, other = (read_claim(pair[side]["name"], pair[side]["value"]) for side in "ab")
        if one is not None and other is not None and contradiction(one, other) is not None:
            assert set(keys_of(one)) & set(keys_of(other, against=True)), pair
            assert set(keys_of(other)) & set(keys_of(one, against=True)), pair
