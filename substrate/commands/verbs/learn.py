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
    "Add past sessions: the atoms that each one opened, in order.",
    "Use it for sessions of other programs. Give the names of one session, or many sessions as JSON Lines. Each "
    "line has items (names or ids), and optionally at, objective, domain and session. Older sessions weigh less. "
    "Atoms that are not in use are skipped, with exit code 12. After `substrate watch off`, observe is refused.",
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
            "learns from the first, and reports that the second does not exist",
            exit=12,
        ),
    ),
    (
        replace(NAMES, help="names or ids in the order of access; - for sessions from standard input"),
        option("--file", metavar="FILE", help="sessions from this file, one in each line, as JSON", complete="file"),
        option("--at", metavar="TIME", help="the time of the session, in ISO 8601 (default: now)"),
        OBJECTIVE,
        _DOMAIN,
        option("--session", metavar="TEXT", help="the name of the session, for forget --session"),
    ),
    only=Face.CLI,
    as_agent=False,
)

TRAIN = Command(
    "train",
    "learn",
    "Teach that these atoms are needed together, in this order.",
    "It counts as one session with the weight of --passes. Use 1 normally, 2 when the order worked well, 3 after "
    "a correction. With --objective, a session with a similar objective opens with these atoms. The log records "
    "it. Atoms that are not in use are skipped and reported.",
    (
        Example(
            "substrate train v1.goal.launch v1.fact.payment_provider v1.decision.ledger "
            '--objective "take the shop live" --passes 2',
            "the atoms that a good session needed",
        ),
        Example("substrate train v1.fact.currency v1.decision.ledger --json", "the same for programs"),
        Example("%memory train v1.fact.currency v1.decision.ledger --passes 2 --objective 'write the ledger'"),
    ),
    (
        replace(NAMES, help="names or ids, in the order in which they are needed"),
        option("--passes", metavar="N", read=number, default=1, help="the weight, 1 to 3 (default: 1)"),
        OBJECTIVE,
        _DOMAIN,
    ),
    about_cli="The exit code is 12 if some atoms were skipped, and 4 if none is left.",
    as_agent=False,
)

PREDICT = Command(
    "predict",
    "learn",
    "Show the atoms that are probably needed next, and why.",
    "With names: the atoms needed after these, in this order. Without names: the atoms needed when a session "
    "begins, by its objective and domain. Atoms less likely than --floor are left out. The reasons are the parts "
    "of the model; docs/markov.md explains them. A prediction does not count as an access.",
    (
        Example("substrate predict v1.goal.launch", "the atoms needed after it"),
        Example("substrate predict v1.goal.launch --horizon session --k 3", "the atoms the whole session needs"),
        Example('substrate predict --objective "take the shop live" --json', "when a session begins, as JSON"),
        Example("%memory predict v1.fact.currency"),
        Example("%memory predict --objective 'write the ledger'"),
    ),
    (
        replace(NAMES, help="names or ids of open atoms, in the order of access"),
        option("--k", metavar="N", read=number, default=5, help="maximum number of results (default: 5)"),
        OBJECTIVE,
        _DOMAIN,
        option(
            "--horizon",
            metavar="WHICH",
            default="next",
            choices=("next", "session"),
            help="next: the next atom (default); session: all atoms that the session needs",
        ),
        flag("--again", help="also atoms that are open already"),
        option(
            "--floor",
            metavar="P",
            read=fraction,
            default=0.02,
            help="the least probability to show, 0 to 1 (default: 0.02)",
        ),
    ),
    about_cli="In a pipe, each atom is a line of probability, name and reasons.",
    about_notebook="Without names it uses the accesses of this kernel's session.",
)

BOOTSTRAP = Command(
    "bootstrap",
    "learn",
    "Print the context for a new session, within a token budget.",
    "It shows the atoms that the objective needs, with reasons, and goals, constraints and preferences. It also "
    "shows conflicts, stale atoms, missing atoms, and how much it left out. The whole reply fits the budget, as "
    "JSON and as text. It does not count as an access.",
    (
        Example('substrate bootstrap "switch the payment provider"', "for a session with this objective"),
        Example("substrate bootstrap --max-tokens 300 --json", "without an objective, in 300 tokens, as JSON"),
        Example('substrate bootstrap "go live" --high-impact', "only atoms with strong evidence"),
        Example("%memory bootstrap switch the payment provider --max-tokens 300"),
    ),
    (
        argument("objective", "the purpose of the session, in a sentence", nargs="*"),
        option(
            "--max-tokens",
            metavar="N",
            read=number,
            default=1200,
            help="maximum number of tokens, at least 50 (default: 1200)",
            face=Face.CLI,
        ),
        option(
            "--max-tokens",
            metavar="N",
            read=number,
            help="maximum number of tokens, at least 50 (default: MemoryMagics.max_tokens)",
            face=Face.NOTEBOOK,
        ),
        option("--domain", metavar="DOMAIN", help="its members first: v1.domain.x, or x", complete="domain"),
        flag("--high-impact", help="only atoms with evidence of 0.65 or more, for risky work"),
        option(
            "--evidence-threshold", metavar="X", read=fraction, help="only atoms with at least this evidence, 0 to 1"
        ),
        flag("--ingested", help="also atoms that come from ingested documents"),
        flag("--words", help="match the objective by words alone, without waiting for the model"),
    ),
    about_notebook="The result is a sequence of atoms; `.text()` is for a prompt.",
)

WATCH = Command(
    "watch",
    "learn",
    "Show whether the store learns from sessions, or turn it on or off.",
    "Default: on. The setting holds for every process that has the store open. When off, no access is recorded "
    "and observe is refused. train still works, and learned data stays.",
    (
        Example("substrate watch", "shows the setting"),
        Example("substrate watch off", "stops recording accesses"),
        Example("substrate watch on", "records accesses again"),
    ),
    (argument("state", "on or off", nargs="?", choices=("on", "off")),),
    only=Face.CLI,
)

WATCH_CELLS = Command(
    "watch",
    "learn",
    "Show under each result which atoms will probably be needed next.",
    "They appear under each cell that accesses atoms, with %memory or in Python. `MemoryMagics.limit` is the "
    "maximum number.",
    (Example("%memory watch on"), Example("%memory watch off")),
    (argument("state", "on or off, from the next cell", metavar="on|off", choices=("on", "off")),),
    only=Face.NOTEBOOK,
)
