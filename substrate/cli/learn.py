"""The verbs that learn what is needed, predict it, and open a session with it."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Facts, Raw, Table
from substrate.cli.exits import Exit
from substrate.cli.inputs import parse_fraction, parse_number, read_sessions, read_text
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.cli.verb import Example, Verb, argument, flag, option
from substrate.errors import InputError, NotFound

if TYPE_CHECKING:
    from substrate.model import Refused

_WAIT_S = 120.0
"""For the model: exporting it, once on a machine, takes half a minute. Whoever cannot wait says --words."""

__all__ = ["BOOTSTRAP", "OBSERVE", "PREDICT", "TRAIN", "WATCH"]

_OBJECTIVE = option("--objective", metavar="TEXT", help="what the session is for")
_IN_LINE = re.compile(r"^sessions\[(\d+)\](\.|: )")


def _skipped(items: Sequence[Refused]) -> list[tuple[str, object]]:
    """A line for each item that was left out: which, and why."""
    return [("skipped", f"{item.item} {item.name or ''}".rstrip() + f": {item.reason}") for item in items]


# -- observe -----------------------------------------------------------------------------------------------------


def _observe(given: Namespace, output: Output) -> Answer:
    sessions, lines = _sessions(given)
    taken = 0
    with writing(given) as memory, output.progress("observing") as shown:

        def progress(done: int, total: int) -> None:
            nonlocal taken
            taken = done
            if shown is not None:
                shown(done, total)

        try:
            observed = memory.observe(sessions, progress=progress)
        except (InputError, NotFound) as error:
            # What stands before it was taken in, and would count twice if it were given again.
            far = f"lines before {lines[taken]} were taken in, the others not" if taken else "nothing was taken in"
            error.args = (f"{_placed(str(error), lines)} ({far})",)
            raise
    skipped = tuple(replace(item, item=_placed(item.item, lines)) for item in observed.skipped)
    facts = [("observed sessions", observed.sessions), ("accesses", observed.accesses), *_skipped(skipped)]
    return Answer(
        replace(observed, skipped=skipped).to_dict(),
        (Facts(facts, "doubt" if skipped else "good"),),
        ("what was skipped is not learnt; all the rest is",) if skipped else (),
        is_report=True,
        exit=Exit.PARTIAL if skipped else Exit.OK,
    )


def _sessions(given: Namespace) -> tuple[list[dict[str, object]], list[int]]:
    """The sessions, and in which lines they stood; no lines if it is one, given by names."""
    said = {name: getattr(given, name) for name in ("at", "objective", "domain", "session")}
    names = list(given.names)
    if given.file is None and "-" not in names:
        if not names:
            raise InputError("nothing to observe: give names in the order of access, or - for standard input")
        return [{"items": names, **said}], []
    if names != ([] if given.file is not None else ["-"]):
        raise InputError("either names, or - for sessions from standard input, or --file")
    if any(value is not None for value in said.values()):
        raise InputError("of sessions in lines each says its own at, objective, domain and session")
    sessions, lines = read_sessions(read_text(given.file or "-", "the sessions"))
    if not sessions:
        raise InputError('there is no session: give one in each line, such as {"items": ["v1.fact.a", "v1.fact.b"]}')
    return sessions, lines


def _placed(text: str, lines: Sequence[int]) -> str:
    """A message of the engine about one of several sessions, with the line in which it stood."""

    def place(found: re.Match[str]) -> str:
        return f"line {lines[int(found[1])]}{', ' if found[2] == '.' else ': '}" if lines else ""

    return _IN_LINE.sub(place, text)


OBSERVE = Verb(
    "observe",
    "learn",
    "Take in sessions: what was accessed, in order.",
    "History from elsewhere, or of programs that do their own reading: one session by the names of its atoms, or many "
    "as JSON Lines, a session in each line: items (a list of names or ids) and, as far as known, at, objective, domain "
    "and session. The longer ago a session was, the less it weighs. What is not in use is skipped, which is said; exit "
    "code 12. A store that is not to be observed refuses it: see watch.",
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
            Exit.PARTIAL,
        ),
    ),
    (
        argument(
            "names",
            "names or ids in the order of access; - for sessions from standard input",
            metavar="NAME",
            nargs="*",
            default=(),
            complete="name",
        ),
        option("--file", metavar="FILE", help="sessions from this file, one in each line, as JSON", complete="file"),
        option("--at", metavar="TIME", help="when it was, in ISO 8601 (default: now)"),
        _OBJECTIVE,
        option("--domain", metavar="DOMAIN", help="the domain it belongs to: v1.domain.x, or x", complete="name"),
        option("--session", metavar="TEXT", help="its name, by which forget finds it"),
    ),
    _observe,
)


# -- train -------------------------------------------------------------------------------------------------------


def _train(given: Namespace, _: Output) -> Answer:
    with writing(given) as memory:
        trained = memory.train(given.names, given.passes, objective=given.objective, domain=given.domain)
    facts: list[tuple[str, object]] = [("learnt", name) for name in trained.learnt]
    if trained.learnt:
        facts += [("passes", trained.passes), ("entry", trained.seq)]
    hints = []
    if trained.clamped_from is not None:
        hints.append(f"{trained.passes} passes are the most that one training has; {trained.clamped_from} were given")
    if trained.skipped:
        hints.append("what was skipped is not learnt; all the rest is" if trained.learnt else "nothing was learnt")
    left = (Exit.PARTIAL if trained.learnt else Exit.NOT_FOUND) if trained.skipped else Exit.OK
    return Answer(
        trained.to_dict(),
        (Facts([*facts, *_skipped(trained.skipped)], "doubt" if trained.skipped else "good"),),
        tuple(hints),
        is_report=True,
        exit=left,
    )


TRAIN = Verb(
    "train",
    "learn",
    "Learn on your word that atoms are needed together, in this order.",
    "It counts as one session that weighs as much as --passes: 1 in general, 2 for a way that worked, 3 after a "
    "correction; more are taken as 3, which is said. With --objective, a session with a like objective opens with "
    "these atoms. It is an entry of the log. What is not in use is skipped, which is said: exit code 12, or 4 if "
    "nothing is left.",
    (
        Example(
            "substrate train v1.goal.launch v1.fact.payment_provider v1.decision.ledger "
            '--objective "take the shop live" --passes 2',
            "what a session that worked has needed",
        ),
        Example("substrate train v1.fact.currency v1.decision.ledger --json", "the same for programs"),
    ),
    (
        argument(
            "names", "names or ids, in the order in which they are needed", metavar="NAME", nargs="*", complete="name"
        ),
        option("--passes", metavar="N", parse=parse_number, default=1, help="how much it weighs, 1 to 3 (default 1)"),
        _OBJECTIVE,
        option("--domain", metavar="DOMAIN", help="the domain it belongs to: v1.domain.x, or x", complete="name"),
    ),
    _train,
)


# -- predict -----------------------------------------------------------------------------------------------------


def _predict(given: Namespace, _: Output) -> Answer:
    with reading(given) as memory:
        found = memory.predict(
            given.names or None,
            given.k,
            objective=given.objective,
            domain=given.domain,
            horizon=given.horizon,
            again=given.again,
            floor=given.floor,
        )
    if given.names and not found.context:
        raise NotFound(f"nothing to predict from: {found.skipped[0].name}: {found.skipped[0].reason}")
    rows = [(f"{item.probability:.1%}", item.name, item.why) for item in found]
    hints = [f"{label}: {said}" for label, said in _skipped(found.skipped)]
    if not rows:
        hints.append("nothing is likely enough to be said; --floor 0 shows what there is")
    table = Table(("=probability", "name", "why"), rows)
    return Answer(found.to_dict(), (table,) if rows else (), tuple(hints))


PREDICT = Verb(
    "predict",
    "learn",
    "Show what will probably be needed next, and why.",
    "After these atoms were opened, in this order; without any, when a session begins, by its objective, its domain "
    "and what is in use. What is less likely than --floor is not said. The reasons are the parts of the model, each "
    "with what it added; docs/markov.md explains them. In a pipe each is a line of probability, name and reasons. "
    "Nothing of it counts as an access.",
    (
        Example("substrate predict v1.goal.launch", "what comes after it"),
        Example("substrate predict v1.goal.launch --horizon session --k 3", "what the whole session will need"),
        Example('substrate predict --objective "take the shop live" --json', "when a session begins, as JSON"),
    ),
    (
        argument(
            "names", "names or ids of what is open, in the order of access", metavar="NAME", nargs="*", complete="name"
        ),
        option("--k", metavar="N", parse=parse_number, default=5, help="at most so many (default 5)"),
        _OBJECTIVE,
        option("--domain", metavar="DOMAIN", help="the domain of the session: v1.domain.x, or x", complete="name"),
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
            parse=parse_fraction,
            default=0.02,
            help="not what is less likely than this, 0 to 1 (default 0.02)",
        ),
    ),
    _predict,
)


# -- bootstrap ---------------------------------------------------------------------------------------------------


def _bootstrap(given: Namespace, _: Output) -> Answer:
    with reading(given) as memory:
        opening = memory.bootstrap(
            " ".join(given.objective) or None,
            max_tokens=given.max_tokens,
            high_impact=given.high_impact,
            evidence_threshold=given.evidence_threshold,
            domain=given.domain,
            ingested=given.ingested,
            wait=0 if given.words else _WAIT_S,
        )
    hints = []
    if not list(opening) and (given.high_impact or given.evidence_threshold is not None):
        hints.append("nothing is known so well: ask for less evidence; a source, or --origin user, would lift it")
    elif not list(opening):
        hints.append("nothing is known that would help: save something first")
    if opening.meaning and not given.words:
        hints.append(f"matched by words only: {opening.meaning}")
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
        flag("--words", help="match the objective by words alone, without waiting for the model"),
    ),
    _bootstrap,
)


# -- watch -------------------------------------------------------------------------------------------------------


def _watch(given: Namespace, _: Output) -> Answer:
    if given.state is None:
        with reading(given) as memory:
            watched = memory.watched
    else:
        watched = given.state == "on"
        with writing(given) as memory:
            memory.watch(watched)
    said = "on: what is accessed is learnt from" if watched else "off: nothing that is accessed is written down"
    hints = () if watched else ("what was learnt before stays; to erase a session: substrate forget --session NAME",)
    return Answer({"watch": watched}, (Facts([("watch", said)]),), hints)


WATCH = Verb(
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
    _watch,
)
