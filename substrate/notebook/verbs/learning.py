"""The verbs that learn what is needed, predict it, and open a session with it: train, predict, bootstrap."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.notebook.desk import Desk
from substrate.notebook.given import fraction, number
from substrate.notebook.verb import argument, verb

if TYPE_CHECKING:
    from substrate.learned import Predictions, Trained
    from substrate.openings import Opening

__all__ = ["bootstrap", "predict", "train"]

_OBJECTIVE = argument("--objective", metavar="TEXT", help="what the session is for")
_DOMAIN = argument("--domain", metavar="DOMAIN", complete="domain", help="the domain: v1.domain.x, or x")


@verb("bootstrap", "learn", "%memory bootstrap switch the payment provider --max-tokens 300", rest="objective")
@argument("objective", nargs="*", metavar="OBJECTIVE", help="what the session is for")
@argument("--max-tokens", metavar="N", type=number, help="at most so many, from 50 on (MemoryMagics.max_tokens)")
@_DOMAIN
@argument("--high-impact", action="store_true", help="only what is well supported: where a mistake is dear")
@argument("--evidence-threshold", metavar="X", type=fraction, help="only what has this evidence, 0 to 1")
@argument("--ingested", action="store_true", help="also text that was taken in from elsewhere")
@argument("--words", action="store_true", help="match by words alone, without waiting for the model")
def bootstrap(desk: Desk, given: Namespace, _: str | None) -> Opening:
    """Open a session: what it should know when it begins, in so many tokens.

    Goals, constraints and preferences, then what is needed most and well supported, with the reasons; open conflicts,
    what is absent, and what was left out. The result is a sequence of atoms; `.text()` is for a prompt.
    """
    return desk.memory().bootstrap(
        given.objective or None,
        max_tokens=desk.max_tokens if given.max_tokens is None else given.max_tokens,
        high_impact=given.high_impact,
        evidence_threshold=given.evidence_threshold,
        domain=given.domain,
        ingested=given.ingested,
        wait=0 if given.words else desk.wait,
    )


@verb("train", "learn", "%memory train v1.fact.currency v1.decision.ledger --passes 2 --objective 'write the ledger'")
@argument("names", nargs="+", metavar="NAME", complete="name", help="names or ids, in the order they are needed")
@argument("--passes", metavar="N", type=number, default=1, help="how much it weighs, 1 to 3 (1)")
@_OBJECTIVE
@_DOMAIN
def train(desk: Desk, given: Namespace, _: str | None) -> Trained:
    """Learn on your word that atoms are needed together, in this order."""
    return desk.memory().train(given.names, given.passes, objective=given.objective, domain=given.domain)


@verb("predict", "learn", "%memory predict v1.fact.currency", "%memory predict --objective 'write the ledger'")
@argument("names", nargs="*", metavar="NAME", complete="name", help="what is open (default: in this kernel's session)")
@argument("--k", metavar="N", type=number, default=5, help="at most so many (5)")
@_OBJECTIVE
@_DOMAIN
@argument("--horizon", metavar="WHICH", default="next", choices=("next", "session"), help="next, or all of the session")
@argument("--again", action="store_true", help="also what is open already")
@argument("--floor", metavar="P", type=fraction, default=0.02, help="not what is less likely than this (0.02)")
def predict(desk: Desk, given: Namespace, _: str | None) -> Predictions:
    """Show what will probably be needed next, and why. It does not count as an access."""
    return desk.memory().predict(
        given.names or None,
        given.k,
        objective=given.objective,
        domain=given.domain,
        horizon=given.horizon,
        again=given.again,
        floor=given.floor,
    )
