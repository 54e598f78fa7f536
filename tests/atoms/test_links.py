"""What edges say of themselves, read out of their bodies as they are stored."""

from __future__ import annotations

import pytest

from substrate.atoms import links
from substrate.codec import decode_body, encode_body
from substrate.proof.encoding import Json
from substrate.proof.entry import SALT_BYTES

ENDS: dict[str, Json] = {"source": "a" * 32, "target": "b" * 32, "type": "causes"}
SHARES: list[Json] = [0, 1, 0.0, 1.0, 0.5, 0.73, 1e-7, 1.5, -0.5, 2, True, "0.5", [0.3]]
BESIDE: list[dict[str, Json]] = [
    {},
    {"actor": "Ada"},
    {"actor": 'x","confidence":0.9,"y', "cited": "a.md"},
    {"actor": "back\\slash"},
    {"attrs": {"confidence": 0.9}},
    {"label": "confidence"},
]


@pytest.mark.parametrize("beside", BESIDE)
def test_a_confidence_is_read_as_the_whole_body_says_it(beside: dict[str, Json]) -> None:
    bodies = [encode_body({**ENDS, **beside}), *(encode_body({**ENDS, **beside, "confidence": one}) for one in SHARES)]
    for body in bodies:
        said = decode_body(body).get("confidence")
        is_share = type(said) in (int, float) and 0 <= said <= 1  # type: ignore[operator]
        assert links._share_in(bytes(SALT_BYTES) + body) == (float(said) if is_share else 1.0)  # type: ignore[arg-type]
