"""Claims of a sample of values, as they were recorded: to read faster must not be to read otherwise.

`sample.jsonl` has a name, a value, the claim and its keys in each line. Who means to read sentences otherwise records
it anew, and gives the view of claims another version.
"""

from __future__ import annotations

import json
from pathlib import Path

from substrate import claims

SAMPLE = [json.loads(line) for line in (Path(__file__).parent / "sample.jsonl").read_text().splitlines()]


def test_the_sample_has_claims_of_every_kind_and_values_that_claim_nothing() -> None:
    kinds = [None if claim is None else claim[0] for _, _, claim, _ in SAMPLE]
    assert all(kinds.count(kind) >= 10 for kind in ("number", "date", "thing", "truth", None))


def test_what_a_value_claims_is_what_it_was_recorded_to_claim() -> None:
    other = []
    for name, value, claim, keys in SAMPLE:
        read = claims.read_claim(name, value)
        found = None if read is None else json.loads(claims.pack_claim(read))
        if found != claim or (read is not None and [key.hex() for key in claims.keys_of(read)] != keys):
            other.append((name, value, found))
    assert not other
