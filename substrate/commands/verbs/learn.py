"""Learn what is needed, predict it, and open a session with it: observe, train, predict, bootstrap, watch."""

from __future__ import annotations

from dataclasses import replace

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.options import NAMES, OBJECTIVE
from substrate.commands.readers import fraction, number

__all__ = ["BOOTSTRAP", "OBSERVE", "PREDICT", "TRAIN", "WATCH", "WATCH_CELLS"]

_DOMAIN = option("--domain", metavar="DOMAIN", help="the domain: v1.domain.x, or x", complete="domain")

OBSERVE = Command(
    "observe",
    "learn",
    "Take in sessions: what was accessed, in order.",
    "History from elsewhere, or of programs that do their own reading: one session by the names of its atoms, or many "
    "as JSON Lines, a session in each line: items (a list of names or ids) and, as far as known, at, objective, domain "
    "and session. The longer ago a session was, the less it weighs. What is not in use is skipped, and reported with "
    "exit code 12. A store that is not to be observed refuses it: see watch.",
    (
        Example(
            'substrate observe v1.fact.currency v1.decision.ledger --objective "write the ledger" --at 2026-01-15',
            "one session, of a day in January",
        ),
        Example(
            """printf '{"items": ["v1.goal.launch", "v1.fact.payment_provider"], "objective": "go live"}\\n' """
            "| substrate observe -",
            "sessions from standard input, one in each line",
        ),
        Example(
            "substrate observe v1.goal.launch v1.fact.never_recorded",
            "learns from the one, and says that the other is not there",
            exit=12,
        ),
    ),
    (
        replace(NAMES, help="names or ids in the order of access; - for sessions from standard input"),
        option("--file", metavar="FILE", help="sessions from this file, one in each line, as JSON", complete="file"),
        option("--at", metavar="TIME", help="when it was, in ISO 8601 (default: now)"),
        OBJECTIVE,
        _DOMAIN,
        option("--session", metavar="TEXT", help="its name, by which forget finds it"),
    ),
    only=Face.CLI,
)

TRAIN = Command(
    "train",
    "learn",
    "Teach that these atoms are needed together, in this order.",
    "It counts as one session that weighs as much as --passes: 1 in general, 2 for a way that worked, 3 after a "
    "correction; more count as 3. With --objective, a session with a like objective opens with these atoms. It is an "
    "entry of the log. What is not in use is skipped, and reported.",
    (
        Example(
            "substrate train v1.goal.launch v1.fact.payment_provider v1.decision.ledger "
            '--objective "take the shop live" --passes 2',
            "what a session that worked has needed",
        ),
        Example("substrate train v1.fact.currency v1.decision.ledger --json", "the same for programs"),
        Example("%memory train v1.fact.currency v1.decision.ledger --passes 2 --objective 'write the ledger'"),
    ),
    (
        replace(NAMES, help="names or ids, in the order in which they are needed"),
        option("--passes", metavar="N", read=number, default=1, help="how much it weighs, 1 to 3 (default: 1)"),
        OBJECTIVE,
        _DOMAIN,
    ),
    about_cli="The exit code is 12 if some were skipped, and 4 if nothing is left.",
)

PREDICT = Command(
    "predict",
    "learn",
    "Show what will probably be needed next, and why.",
    "After these atoms were opened, in this order; without any, when a session begins, by its objective, its domain "
    "and what is in use. What is less likely than --floor is not said. The reasons are the parts of the model, each "
    "with what it added; docs/markov.md explains them. Nothing of it counts as an access.",
    (
        Example("substrate predict v1.goal.launch", "what comes after it"),
        Example("substrate predict v1.goal.launch --horizon session --k 3", "what the whole session will need"),
        Example('substrate predict --objective "take the shop live" --json', "when a session begins, as JSON"),
        Example("%memory predict v1.fact.currency"),
        Example("%memory predict --objective 'write the ledger'"),
    ),
    (
        replace(NAMES, help="names or ids of what is open, in the order of access"),
        option("--k", metavar="N", read=number, default=5, help="maximum number of results (default: 5)"),
        OBJECTIVE,
        _DOMAIN,
        option(
            "--horizon",
            metavar="WHICH",
            default="next",
            choices=("next", "session"),
            help="next: what is opened next (default); session: all that the session will need",
        ),
        flag("--again", help="also what is open already"),
        option(
            "--floor",
            metavar="P",
            read=fraction,
            default=0.02,
            help="not what is less likely than this, 0 to 1 (default: 0.02)",
        ),
    ),
    about_cli="In a pipe each is a line of probability, name and reasons.",
    about_notebook="Without names it goes by what this kernel's session has accessed.",
)

BOOTSTRAP = Command(
    "bootstrap",
    "learn",
    "Print the context for a new session, within a token budget.",
    "Atoms that are needed for the objective and well supported, with the reasons; goals, constraints and preferences; "
    "open conflicts; what is stale, what is absent, and what was left out. The whole reply is within the budget, as "
    "JSON and as text; it says by what its tokens are counted. Nothing of it counts as an access.",
    (
        Example('substrate bootstrap "switch the payment provider"', "for a session with this objective"),
        Example("substrate bootstrap --max-tokens 300 --json", "whatever it will be about, in 300 tokens, as JSON"),
        Example('substrate bootstrap "go live" --high-impact', "only what is well supported"),
        Example("%memory bootstrap switch the payment provider --max-tokens 300"),
    ),
    (
        argument("objective", "what the session is for", nargs="*"),
        option(
            "--max-tokens",
            metavar="N",
            read=number,
            default=1200,
            help="maximum number of tokens, from 50 on (default: 1200)",
            face=Face.CLI,
        ),
        option(
            "--max-tokens",
            metavar="N",
            read=number,
            help="maximum number of tokens, from 50 on (default: MemoryMagics.max_tokens)",
            face=Face.NOTEBOOK,
        ),
        option("--domain", metavar="DOMAIN", help="its members first: v1.domain.x, or x", complete="domain"),
        flag("--high-impact", help="only what has evidence of 0.65: where a mistake is dear"),
        option("--evidence-threshold", metavar="X", read=fraction, help="only what has this evidence, 0 to 1"),
        flag("--ingested", help="also text that was taken in from elsewhere"),
        flag("--words", help="match the objective by words alone, without waiting for the model"),
    ),
    about_notebook="The result is a sequence of atoms; `.text()` is for a prompt.",
)

WATCH = Command(
    "watch",
    "learn",
    "Show whether sessions of the store are observed, or set it.",
    "It is on until someone turns it off, and holds for all who have the store open, in every process. Off, no access "
    "is written down and observe is refused; train works all the same, and what was learnt before stays.",
    (
        Example("substrate watch", "tells"),
        Example("substrate watch off", "nothing is written down from now on"),
        Example("substrate watch on", "and again it is"),
    ),
    (argument("state", "on or off", nargs="?", choices=("on", "off")),),
    only=Face.CLI,
)

WATCH_CELLS = Command(
    "watch",
    "learn",
    "Show under each result which atoms will probably be needed next.",
    "Under each cell that accesses atoms, be it by %memory or in Python. `MemoryMagics.limit` is the maximum number "
    "that is shown.",
    (Example("%memory watch on"), Example("%memory watch off")),
    (argument("state", "from the next cell on", metavar="on|off", choices=("on", "off")),),
    only=Face.NOTEBOOK,
)
