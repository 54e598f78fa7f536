"""How large a test is: one size for every run, another for `make soak`, which sets SUBSTRATE_SOAK to a multiplier."""

from __future__ import annotations

import os

import pytest

__all__ = ["rounds", "sizes"]


def rounds(pr: int, soak: int) -> int:
    """`pr` in every run, `soak` times the multiplier under `make soak`."""
    times = os.environ.get("SUBSTRATE_SOAK")
    return pr if times is None else soak * int(times)


def sizes(pr: int, soak: int) -> list[object]:
    """Both sizes as parameters of one test, for `pytest.mark.parametrize`; the large one bears the soak marker."""
    return [
        pytest.param(pr, id="pr"),
        pytest.param(soak * int(os.environ.get("SUBSTRATE_SOAK", "1")), id="soak", marks=pytest.mark.soak),
    ]
