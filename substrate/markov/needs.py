"""What a predictor answers when it is asked who is needed: the seam between the model and the opening of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Need"]


class Need(NamedTuple):
    """An atom that will be needed: its share of all need (shares sum to 1 at most), and which part gave how much."""

    subject: bytes
    share: float
    parts: Mapping[str, float]
    """Such as match, goals, usage, edges; `parts.py` says what each is."""
