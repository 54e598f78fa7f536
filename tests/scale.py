"""How large a test is: one size for every run, another for `make soak`, which sets SUBSTRATE_SOAK to a multiplier."""

from __future__ import annotations

import os

__all__ = ["rounds"]


def rounds(pr: int, soak: int) -> int:
    """`pr` in every run, `soak` times the multiplier under `make soak`. Who calls it bears the soak marker."""
    times = os.environ.get("SUBSTRATE_SOAK")
    return pr if times is None else soak * int(times)
