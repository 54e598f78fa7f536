"""The kinds of statements that are kept, and the type of atom that each becomes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "constraint": "constraint",
        "decision": "decision",
        "preference": "preference",
        "correction": "fact",
        "note": "fact",
    }
)
