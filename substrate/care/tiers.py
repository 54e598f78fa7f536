"""The tiers of domains: the verbs that list them and set one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TypeAlias

from substrate.atoms.bodies import require_body
from substrate.atoms.domains import CAP, DOMAIN, TIER, domain_name, find_domain, last_attrs, tier_in
from substrate.errors import Denied, InputError, NotFound
from substrate.hiding.check import ONLY_PEOPLE
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.policy import CAPS, DomainTier, DomainTiers, Policy, check_tier
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.snapshot import Snapshot
from substrate.values.saved import Saved
from substrate.views.atoms import find_name, names

__all__ = ["set_tier", "tiers"]

Reading: TypeAlias = Callable[[], AbstractContextManager[Snapshot]]


def tiers(snapshot: Snapshot, domain: str | None, policy: Policy | None) -> DomainTiers:
    """See `Memory.tiers`."""
    transaction = snapshot.transaction
    if domain is None:
        rows = [row for row in names(transaction, DOMAIN) if row.kind is Kind.PUT]
        return DomainTiers(tuple(_tier(str(row.name), last_attrs(transaction, row), policy) for row in rows))
    name = domain_name(domain)
    find_domain(snapshot, name)
    row = find_name(transaction, name)
    return DomainTiers((_tier(name, {} if row is None else last_attrs(transaction, row), policy),))


def _tier(name: str, attrs: Mapping[str, Json], policy: Policy | None) -> DomainTier:
    tier, own = tier_in(attrs), attrs.get(CAP)
    caps = CAPS if policy is None else policy.caps
    most = own if isinstance(own, int) and not isinstance(own, bool) and own > 0 else caps.get(tier)
    return DomainTier(name.removeprefix(DOMAIN), tier, most, said=TIER in attrs)


def set_tier(
    log: Log, read: Reading, given: tuple[str, str, int | None], policy: Policy | None, said: Mapping[str, object]
) -> Saved:
    """See `Memory.set_tier`. `given`: domain, tier and cap."""
    name, tier, most = domain_name(given[0]), check_tier(given[1]), given[2]
    if policy is not None:
        raise Denied(ONLY_PEOPLE)
    attrs: dict[str, Json] = {TIER: tier}
    if most is not None:
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise InputError(Arg("max_tokens"), " is a whole number of tokens, 1 or more")
        attrs[CAP] = most
    with read() as snapshot:
        atom, seq = _with(snapshot, name, attrs)
    return checkpoint(log, Batch(atoms=(atom,)), expect={name: seq}, said=said)


def _with(snapshot: Snapshot, name: str, attrs: dict[str, Json]) -> tuple[dict[str, object], int | None]:
    """The domain's atom with these attrs, and the version that it goes out from. NotFound, InputError."""
    try:
        find_domain(snapshot, name)
    except NotFound:
        raise NotFound(f"there is no domain {name}: save it first, for example {name} = what it is about") from None
    row = find_name(snapshot.transaction, name)
    if row is None:  # only names of other atoms say that there is such a domain
        return {"name": name, "value": name.removeprefix(DOMAIN), "attrs": attrs}, None
    if row.kind is not Kind.PUT:
        raise InputError(f"{name} is out of use: save it again first, then set its tier")
    value = require_body(snapshot.transaction, row.seq).members["value"]
    return {"name": name, "value": value, "attrs": {**last_attrs(snapshot.transaction, row), **attrs}}, row.seq
