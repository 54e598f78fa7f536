"""The rules of Betterleaks for credentials of services. They are data: service_rules.json, under service_rules.LICENSE.

convert_rules.py makes them. To take a later version, see docs/decisions/0014-secrets.md.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["ServiceRule", "entropy", "service_rules"]

_SIGN: Final = "(?:=|>|:{1,3}="


@dataclass(frozen=True, slots=True)
class ServiceRule:
    """A credential of one service. It is the last group of `pattern`, or the whole match."""

    kind: str
    keywords: tuple[str, ...]  # in lower case; without one of them in a text, nothing in it matches
    pattern: str
    entropy: float  # at most so much: an example, a placeholder
    named: bool  # the service's name before it tells, and not its own form

    @property
    def assigned(self) -> bool:
        """Whether a sign of assignment must stand between that name and the credential."""
        return _SIGN in self.pattern


@cache
def service_rules() -> tuple[ServiceRule, ...]:
    """All of them, in the order of their kinds. Read when first needed."""
    rows = json.loads(Path(__file__).with_name("service_rules.json").read_text(encoding="utf-8"))
    return tuple(
        ServiceRule(row["id"].replace("-", "_"), tuple(row["keywords"]), row["regex"], row["entropy"], row["named"])
        for row in rows
    )


def entropy(text: str) -> float:
    """Shannon's, in bits for each character."""
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())
