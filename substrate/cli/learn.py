"""The verbs that learn what is needed, and open a session with it."""

from __future__ import annotations

from argparse import Namespace

from substrate.cli.answer import Answer, Raw
from substrate.cli.inputs import parse_fraction, parse_number
from substrate.cli.output import Output
from substrate.cli.stores import reading
from substrate.cli.verb import Example, Verb, argument, flag, option

__all__ = ["BOOTSTRAP"]


def _bootstrap(given: Namespace, _: Output) -> Answer:
    with reading(given) as memory:
        opening = memory.bootstrap(
            " ".join(given.objective) or None,
            max_tokens=given.max_tokens,
            high_impact=given.high_impact,
            evidence_threshold=given.evidence_threshold,
            domain=given.domain,
            ingested=given.ingested,
        )
    hints = (
        [] if list(opening) else ["nothing is known that would help: save something first, or ask for less evidence"]
    )
    return Answer(opening.to_dict(), (Raw(opening.text()),), tuple(hints))


BOOTSTRAP = Verb(
    "bootstrap",
    "learn",
    "Open a session: what it should know when it begins, in so many tokens.",
    "Atoms that are needed for the objective and well supported, with the reasons; goals, constraints and preferences; "
    "open conflicts; what is stale, what is absent, and what was left out. The whole reply is within the budget, as "
    "JSON and as text; it says by what its tokens are counted. Nothing of it counts as an access.",
    (
        Example('substrate bootstrap "switch the payment provider"', "for a session with this objective"),
        Example("substrate bootstrap --max-tokens 300 --json", "whatever it will be about, in 300 tokens, as JSON"),
        Example('substrate bootstrap "go live" --high-impact', "only what is well supported"),
    ),
    (
        argument("objective", "what the session is for", nargs="*"),
        option(
            "--max-tokens",
            metavar="N",
            parse=parse_number,
            default=1200,
            help="at most so many tokens, from 50 on (default 1200)",
        ),
        option("--domain", metavar="DOMAIN", help="its members first: v1.domain.x, or x", complete="name"),
        flag("--high-impact", help="only what has evidence of 0.65: where a mistake is dear"),
        option("--evidence-threshold", metavar="X", parse=parse_fraction, help="only what has this evidence, 0 to 1"),
        flag("--ingested", help="also text that was taken in from elsewhere"),
    ),
    _bootstrap,
)
