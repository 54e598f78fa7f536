"""Tiers of domains, and the policy of a client: which tiers it may read. Pure values.

`atoms/domains.py` reads the tier of a domain, and `hiding/` applies a policy, for all verbs. Nobody else asks about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from substrate.errors import InputError, SchemaInvalid
from substrate.result import Result, Results

__all__ = [
    "AGENTS",
    "CAPS",
    "PUBLIC",
    "TIERS",
    "DomainTier",
    "DomainTiers",
    "Policy",
    "check_tier",
    "narrowed",
]

TIERS: Final = ("public", "personal", "sensitive")
"""From the one that everybody may read to the strictest. A domain that says none is public."""
PUBLIC: Final = TIERS[0]
CAPS: Final[Mapping[str, int]] = MappingProxyType({"public": 8000, "personal": 2000})
"""Tokens that one recall gives at most of a domain, by its tier."""


def check_tier(tier: object) -> str:
    """A tier. InputError, with the three there are, if it is none."""
    if tier not in TIERS:
        raise InputError(f"a tier is one of {', '.join(TIERS)}")
    return str(tier)


@dataclass(frozen=True, slots=True, init=False)
class Policy:
    """The tiers of domains that a client may read, and how many tokens of a domain one recall gives at most.

    The default is that of agents: public and personal, never sensitive. An atom with a domain that it may not read is
    as if it were not there. A domain's own `maxTokensPerRecall`, in the attrs of its atom, goes before `caps`.
    """

    tiers: frozenset[str]
    caps: Mapping[str, int] = field(hash=False)

    def __init__(self, tiers: Iterable[str] = ("public", "personal"), caps: Mapping[str, int] = CAPS) -> None:
        """InputError if a tier is unknown, if public is not among them, or a cap is not a number above 0."""
        known = frozenset(check_tier(tier) for tier in ((tiers,) if isinstance(tiers, str) else tiers))
        if PUBLIC not in known:
            raise InputError("every client reads what is public: add public to the tiers")
        for tier, cap in caps.items():
            check_tier(tier)
            if isinstance(cap, bool) or not isinstance(cap, int) or cap < 1:
                raise InputError("a cap is a whole number of tokens, 1 or more")
        object.__setattr__(self, "tiers", known)
        object.__setattr__(self, "caps", MappingProxyType(dict(caps)))

    def reads(self, tier: str) -> bool:
        """Whether it may read what has this tier."""
        return tier in self.tiers

    @property
    def reads_all(self) -> bool:
        """Whether it hides nothing."""
        return self.tiers.issuperset(TIERS)


def narrowed(policy: object, by: Policy | None) -> Policy | None:
    """The stricter of two policies: the tiers that both may read, and the smaller caps. None: all may be read.

    SchemaInvalid if the first is not a Policy.
    """
    if policy is None:
        return by
    if not isinstance(policy, Policy):
        raise SchemaInvalid("give a Policy, such as substrate.Policy(tiers=['public'])")
    if by is None:
        return policy
    caps = dict(policy.caps)
    for tier, cap in by.caps.items():
        caps[tier] = min(cap, caps.get(tier, cap))
    return Policy(policy.tiers & by.tiers, caps)


AGENTS: Final = Policy()
"""The policy of clients of the MCP server."""


@dataclass(frozen=True, slots=True, repr=False)
class DomainTier(Result):
    """A domain, its tier, and how many tokens of it one recall gives at most (None: no limit)."""

    domain: str
    """By what follows `v1.domain.`."""
    tier: str
    max_tokens: int | None = None
    said: bool = False
    """Whether its atom says a tier; False: it is public since it says none."""


@dataclass(frozen=True, slots=True, repr=False)
class DomainTiers(Results[DomainTier]):
    """Domains with their tiers, by name."""

    items: tuple[DomainTier, ...]
