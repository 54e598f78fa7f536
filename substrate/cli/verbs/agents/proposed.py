"""The verb proposed: what rules read out of transcripts waits for a person, who confirms or declines it."""

from __future__ import annotations

from argparse import Namespace
from typing import Final

from substrate.cli.answer import Answer, Table
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.cli.verbs.save import saved_answer
from substrate.commands.command import Command, Example, Face, option
from substrate.commands.options import OFFSET, limit
from substrate.values.opening import PROPOSED

__all__ = ["PROPOSED_VERB", "proposed"]

_HINT: Final = "to decide: substrate proposed --confirm NAME, or --decline NAME"


def proposed(given: Namespace, _: Output) -> Answer:
    """List what waits, or decide on some of it."""
    if given.confirm or given.decline:
        with writing(given) as memory:
            saved = memory.confirm(given.confirm or (), decline=given.decline or ())
        lines = [("confirmed", name) for name in saved.recorded]
        return saved_answer(saved, [*lines, *(("declined", name) for name in saved.tombstoned)])
    with reading(given) as memory:
        found = memory.recent(tags=PROPOSED, limit=given.limit, offset=given.offset)
    atoms = [hit.atom for hit in found]
    document = {"items": [atom.to_dict() for atom in atoms], "more": found.more}
    hints = [_HINT] if atoms else ["nothing waits to be confirmed"]
    if found.more:
        hints.append(f"there are more: --offset {given.offset + len(atoms)} goes on")
    table = Table(("name", "text", "?source"), [(atom.name, atom.value, atom.source) for atom in atoms])
    return Answer(document, (table,) if atoms else (), tuple(hints))


PROPOSED_VERB = Command(
    "proposed",
    "serve",
    "List statements that rules found in transcripts, and confirm or decline them.",
    "The hooks of a client record your statements in a session, with the tag proposed. They may be wrong: a mail "
    "that you paste reads like your own words. So they are not rules of openings until you confirm them. A "
    "declined statement goes out of use, and the same transcript does not bring it back. The verb pending lists them "
    "too, with all else that waits for you. In a pipe, each "
    "statement is a line of name, text and source.",
    (
        Example(
            """echo '{"type": "user", "message": {"role": "user", "content": "Never deploy on Mondays."}}' > v.jsonl """
            "&& substrate transcript v.jsonl && substrate proposed",
            "lists the statements that wait for you",
        ),
        Example("substrate proposed --confirm v1.constraint.never_deploy_mondays", "makes it a rule"),
    ),
    (
        option(
            "--confirm",
            metavar="NAME",
            repeatable=True,
            help="confirm this statement; repeat for several",
            complete="name",
        ),
        option("--decline", metavar="NAME", repeatable=True, help="take this statement out of use", complete="name"),
        limit(50),
        OFFSET,
    ),
    only=Face.CLI,
)
