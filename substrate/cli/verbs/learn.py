"""The verbs that learn what is needed, predict it, and open a session with it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Facts, Raw, Table
from substrate.cli.exits import Exit
from substrate.cli.output import Output
from substrate.cli.spelling import WORDS
from substrate.cli.stores import reading, writing
from substrate.cli.verbs.models import MODEL_WAIT_S
from substrate.commands import calls
from substrate.commands.files import read_text
from substrate.commands.items import read_sessions
from substrate.errors import InputError, NotFound
from substrate.messages import Message, render
from substrate.text.visible import as_json, visible

if TYPE_CHECKING:
    from substrate.values.saved import Refused

__all__ = ["bootstrap", "observe", "predict", "train", "watch"]


def _skipped(items: Sequence[Refused]) -> list[tuple[str, object]]:
    """A line for each item that was left out: which, and why."""
    return [("skipped", f"{item.item} {item.name or ''}".rstrip() + f": {item.reason}") for item in items]


# -- observe -----------------------------------------------------------------------------------------------------


def observe(given: Namespace, output: Output) -> Answer:
    """Take in sessions."""
    sessions, lines = _sessions(given)
    places = replace(WORDS, places={"sessions": [f"line {line}" for line in lines] or [""]})
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
            error.args = (f"{render(error.message, places)} ({far})",)
            raise
    skipped = tuple(replace(item, item=render(item.item, places)) for item in observed.skipped)
    facts = [("observed sessions", observed.sessions), ("accesses", observed.accesses), *_skipped(skipped)]
    return Answer(
        replace(observed, skipped=skipped).to_dict(),
        (Facts(facts, "doubt" if skipped else "good"),),
        ("skipped atoms are not learned; all others are",) if skipped else (),
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
        raise InputError("give names, or - for standard input, or --file: only one of them")
    if any(value is not None for value in said.values()):
        raise InputError("each line has its own at, objective, domain and session: leave out these options")
    sessions, lines = read_sessions(read_text(given.file or "-", "the sessions"))
    if not sessions:
        raise InputError('there is no session: give one in each line, such as {"items": ["v1.fact.a", "v1.fact.b"]}')
    return sessions, lines


# -- train -------------------------------------------------------------------------------------------------------


def train(given: Namespace, _: Output) -> Answer:
    """Teach that atoms are needed together."""
    with writing(given) as memory:
        trained = memory.train(given.names, given.passes, objective=given.objective, domain=given.domain)
    facts: list[tuple[str, object]] = [("learnt", name) for name in trained.learnt]
    if trained.learnt:
        facts += [("passes", trained.passes), ("entry", trained.seq)]
    hints = []
    if trained.clamped_from is not None:
        hints.append(f"{trained.passes} passes are the most that one training has; {trained.clamped_from} were given")
    if trained.skipped:
        hints.append("skipped atoms are not learned; all others are" if trained.learnt else "nothing was learned")
    left = (Exit.PARTIAL if trained.learnt else Exit.NOT_FOUND) if trained.skipped else Exit.OK
    return Answer(
        trained.to_dict(),
        (Facts([*facts, *_skipped(trained.skipped)], "doubt" if trained.skipped else "good"),),
        tuple(hints),
        is_report=True,
        exit=left,
    )


# -- predict -----------------------------------------------------------------------------------------------------


def predict(given: Namespace, _: Output) -> Answer:
    """Print what will probably be needed next."""
    with reading(given) as memory:
        found = calls.predict(memory, given)
    if given.names and not found.context:
        raise NotFound(f"nothing to predict from: {found.skipped[0].name}: {found.skipped[0].reason}")
    rows = [(f"{item.probability:.1%}", item.name, item.why) for item in found]
    hints = [f"{label}: {said}" for label, said in _skipped(found.skipped)]
    if not rows:
        hints.append("no atom is likely enough; --floor 0 shows all")
    table = Table(("=probability", "name", "why"), rows)
    return Answer(found.to_dict(), (table,) if rows else (), tuple(hints))


# -- bootstrap ---------------------------------------------------------------------------------------------------


def bootstrap(given: Namespace, _: Output) -> Answer:
    """Print the context for a new session."""
    with reading(given) as memory:
        opening = memory.bootstrap(
            " ".join(given.objective) or None,
            max_tokens=given.max_tokens,
            high_impact=given.high_impact,
            evidence_threshold=given.evidence_threshold,
            domain=given.domain,
            ingested=given.ingested,
            wait=0 if given.words else MODEL_WAIT_S,
        )
    hints = []
    if not list(opening) and (given.high_impact or given.evidence_threshold is not None):
        hints.append("no atom has that much evidence: ask for less; a source or --origin user adds evidence")
    elif opening.remark:
        hints.append(opening.remark)
    elif not list(opening):
        hints.append("the store has nothing for this: save something first")
    if opening.meaning and not given.words:
        hints.append(Message("matched by words only: ", opening.meaning))
    return Answer(opening.to_dict(), (Raw(visible(opening.text(), "\n\t", as_json)),), tuple(hints))


# -- watch -------------------------------------------------------------------------------------------------------


def watch(given: Namespace, _: Output) -> Answer:
    """Print whether sessions are observed, or set it."""
    if given.state is None:
        with reading(given) as memory:
            watched = memory.watched
    else:
        watched = given.state == "on"
        with writing(given) as memory:
            memory.watch(watched)
    said = "on: the store learns from accesses" if watched else "off: accesses are not recorded"
    hints = () if watched else ("learned data stays; to erase a session: substrate forget --session NAME",)
    return Answer({"watch": watched}, (Facts([("watch", said)]),), hints)
