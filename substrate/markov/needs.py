"""What a prediction says of one atom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Need"]


class Need(NamedTuple):
    """An atom that is needed: with which probability, and what each part of the model added to it."""

    subject: bytes
    share: float
    parts: Mapping[str, float]
