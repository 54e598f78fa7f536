"""Save: remember, checkpoint, edit, rename, replace, undo."""

from __future__ import annotations

from argparse import Namespace
from typing import Any, Final

from substrate.commands.command import Command, Example, Face, argument, flag, option
from substrate.commands.items import Items, read_edge, read_unedge
from substrate.commands.options import NAME, NAMES, ORIGINS
from substrate.commands.readers import expectation, expected, fraction

__all__ = [
    "CHECKPOINT",
    "EDIT",
    "MERGE",
    "PER_ATOM",
    "REMEMBER",
    "RENAME",
    "REPLACE",
    "UNDO",
    "checkpoint_options",
    "said_options",
    "tombstones_of",
]

PER_ATOM = ("confidence", "occurred_at", "valid_from", "valid_to")
"""The options that are fields of each atom given as text; `--tag` is one too, by the name of tags."""

_ORIGIN: Final = "user, agent or ingested; in a terminal, user unless --actor is given"


def checkpoint_options(given: Namespace, items: Items) -> dict[str, Any]:
    """What a checkpoint is called with, beside its atoms. InputError if --expect contradicts itself."""
    said = ("actor", "origin", "session", "source", "task", "partial", "allow_secrets")
    return {
        "edges": items.edges,
        "tombstones": items.tombstones,
        "unedges": items.unedges,
        "expect": expected(given.expect or []),
        **{name: getattr(given, name) for name in said},
    }


def said_options(given: Namespace) -> dict[str, Any]:
    """What the options say of who speaks, and whether credentials may pass."""
    return {name: getattr(given, name) for name in ("actor", "origin", "session", "source", "allow_secrets")}


def tombstones_of(given: Namespace) -> list[str | dict[str, object]]:
    """The atoms that options take out of use, each with the reason, if one is given."""
    names: list[str] = given.tombstone or []
    return [name if given.reason is None else {"name": name, "reason": given.reason} for name in names]


REMEMBER = Command(
    "remember",
    "save",
    "Save a sentence. Substrate makes the name.",
    "The name holds a type and the first words of the text. If the wording is clear, it decides the type: "
    "decision, preference, goal, constraint, procedure, task, event or fact. Otherwise the type is note. The "
    "same text again confirms the same atom. Two texts never share a name. Spaces and empty lines around the text "
    "are removed.",
    (
        Example('substrate remember "we moved to Adyen in May"', "saves v1.event.moved_adyen_may"),
        Example(
            "substrate remember I prefer short answers --tag style",
            "saves v1.preference.prefer_short_answers; plain words need no quotes",
        ),
        Example(
            "printf 'Amounts must be integers, in cents.' | substrate remember -", "saves the text of standard input"
        ),
        Example("%memory remember we moved to Adyen in May"),
        Example("%%memory remember --tag style\nI prefer short answers.\nAnd no tables."),
    ),
    (
        argument("text", "the text to save; in a shell, - for standard input", nargs="*", default=()),
        option("--type", metavar="TYPE", help="the type in its name, such as decision (default: by its wording)"),
        option("--tag", metavar="TAG", repeatable=True, help="a tag; repeat for several"),
        option("--source", metavar="TEXT", help="where it comes from"),
        option("--actor", metavar="TEXT", help="the author: a person or an agent"),
        option("--origin", metavar="WHO", choices=ORIGINS, help=_ORIGIN),
        option("--session", metavar="TEXT", help="the session it belongs to"),
        flag("--allow-secrets", help="also save texts that look like credentials"),
    ),
    about_cli="If no store exists, remember creates one.",
    about_notebook="On a line, options come first, then the text. In a cell, the text is all lines below the first. "
    "Neither `$name` nor `{braces}` are expanded.",
    as_agent=False,
)

CHECKPOINT = Command(
    "checkpoint",
    "save",
    "Save atoms and edges, and take others out of use: all of it, or nothing.",
    "An atom is NAME = VALUE. A name is v1.type.name, for example v1.fact.payment_provider. If no store exists, "
    "checkpoint creates one. The same value again confirms an atom and makes no new version. A text that looks "
    "like a credential is refused, because only forget can remove it later. If one item is refused, nothing is "
    "saved. With --partial the valid items are saved.",
    (
        Example(
            'substrate checkpoint "v1.fact.payment_provider = Stripe" --source kick-off',
            "saves one atom; prints the result",
        ),
        Example(
            "printf 'v1.fact.currency = EUR\\nv1.goal.launch = In March\\n' | substrate checkpoint - --tag plan",
            "saves two atoms from standard input, with a tag",
        ),
        Example(
            'substrate checkpoint "v1.decision.ledger = Amounts are integers, in cents" '
            '--edge "v1.decision.ledger depends_on v1.fact.currency"',
            "saves an atom and an edge from it",
        ),
        Example(
            'substrate checkpoint "v1.fact.payment_provider = Adyen" --expect v1.fact.payment_provider=absent',
            "saves only if no such atom exists yet; one exists, so nothing is saved",
            exit=6,
        ),
        Example("%memory checkpoint --source kick-off v1.fact.payment_provider = Stripe"),
        Example(
            "%%memory checkpoint --tag plan\n"
            "v1.fact.currency = EUR\n"
            "v1.decision.ledger = Amounts are integers, in cents\n"
            "v1.decision.ledger -[depends_on]-> v1.fact.currency"
        ),
    ),
    (
        argument(
            "atoms", "NAME = VALUE, or - for standard input", metavar="ATOM", nargs="*", default=(), face=Face.CLI
        ),
        argument(
            "item",
            "NAME = VALUE; or A -[TYPE]-> B; or - NAME, to take it out of use",
            nargs="*",
            complete="item",
            face=Face.NOTEBOOK,
        ),
        option(
            "--edge",
            metavar="EDGE",
            repeatable=True,
            read=read_edge,
            help="an edge to state: 'SOURCE TYPE TARGET', or a JSON object with the further fields",
        ),
        option(
            "--tombstone",
            metavar="NAME",
            repeatable=True,
            complete="name",
            help="an atom to take out of use; it stays in history",
        ),
        option("--reason", metavar="TEXT", help="why, for every atom taken out of use by --tombstone"),
        option(
            "--unedge",
            metavar="EDGE",
            repeatable=True,
            read=read_unedge,
            help="an edge to take back: as for --edge, or its id",
        ),
        option("--tag", metavar="TAG", repeatable=True, help="a tag for every atom given as text"),
        option("--confidence", metavar="0..1", read=fraction, help="how sure, for every atom given as text"),
        option("--occurred-at", metavar="TIME", help="when it happened, for every atom given as text"),
        option("--valid-from", metavar="TIME", help="from when it holds, for every atom given as text"),
        option("--valid-to", metavar="TIME", help="until when it holds, for every atom given as text"),
        option("--source", metavar="TEXT", help="where it comes from, for items without a source"),
        option("--actor", metavar="TEXT", help="the author, for items without one"),
        option("--origin", metavar="WHO", choices=ORIGINS, help=f"{_ORIGIN}; for items without one"),
        option("--session", metavar="TEXT", help="the session, for items without one"),
        option(
            "--task",
            metavar="NAME",
            complete="name",
            help="the atom that gets a produced_by edge from each atom recorded",
        ),
        option(
            "--expect",
            metavar="NAME=SEQ",
            repeatable=True,
            read=expectation,
            help="save only if NAME is still at SEQ, or absent; or @FILE: only if that pin is the latest head",
        ),
        flag("--partial", help="save the items that are valid, and report the others"),
        flag("--allow-secrets", help="also save texts that look like credentials"),
    ),
    about_cli="With - it reads standard input: lines of NAME = VALUE, JSON Lines of atoms, a JSON list of atoms, or "
    "one JSON object. That object has atoms, edges, tombstones and unedges. Values of several lines need JSON.",
    about_notebook="On a line, options come first, then one item. The value is everything after ` = `, as typed. In "
    "a cell, each line is an item. An indented line continues the value before it, and `#` begins a comment. "
    "Neither `$name` nor `{braces}` are expanded.",
    as_agent=False,
)

EDIT = Command(
    "edit",
    "save",
    "Change the value of an atom in your editor.",
    "Opens the value in $VISUAL or $EDITOR (default: vi). Save and close the file to record a new version; the "
    "other fields stay. An unchanged text saves nothing. If another writer changes the atom meanwhile, nothing "
    "is saved and your text is printed.",
    (
        Example(
            "EDITOR='sed -i s/March/April/' substrate edit v1.goal.launch", "any command that changes a file will do"
        ),
        Example("EDITOR=true substrate edit v1.goal.launch", "unchanged: saves nothing"),
    ),
    (
        NAME,
        option("--source", metavar="TEXT", help="where the new value comes from (default: as it was)"),
        option("--actor", metavar="TEXT", help="the author: a person or an agent"),
        option("--session", metavar="TEXT", help="the session it belongs to"),
        flag("--allow-secrets", help="also save texts that look like credentials"),
    ),
    only=Face.CLI,
    as_agent=False,
)

RENAME = Command(
    "rename",
    "save",
    "Give an atom another name.",
    "One checkpoint moves the value, its fields and its edges to NEW. OLD goes out of use and stays in history. "
    "Access by the old name answers with the new atom. Proofs made before stay valid. Forgetting either name "
    "erases both.",
    (
        Example(
            "substrate rename v1.event.moved_adyen_may v1.decision.move_to_adyen",
            "replaces the name that remember made",
        ),
        Example("substrate access v1.event.moved_adyen_may", "prints the atom under its new name"),
        Example("%memory rename v1.event.moved_adyen_may v1.decision.move_to_adyen"),
    ),
    (
        argument("old", "the atom's name, or its id", complete="name"),
        argument("new", "the name it gets", complete="name"),
        option("--reason", metavar="TEXT", help="why"),
        option("--actor", metavar="TEXT", help="the author: a person or an agent"),
        option("--session", metavar="TEXT", help="the session it belongs to"),
    ),
    as_agent=False,
)

REPLACE = Command(
    "replace",
    "save",
    "Replace an atom by another value from a given time on.",
    "OLD ends at that time and NEW begins; a supersedes edge links them. With --valid-at, a read of an earlier "
    "time finds OLD, and of a later time NEW. If both names are the same, the atom gets a new version. If OLD is "
    "superseded already, or another writer is faster, nothing is saved.",
    (
        Example(
            'substrate checkpoint "v1.fact.vat = 19 percent" && '
            'substrate replace v1.fact.vat v1.fact.vat_2027 "21 percent" --at 2027-01-01 --reason "new law"',
            "saves an atom and its replacement for next year",
        ),
        Example("substrate access v1.fact.vat --valid-at 2026-12-31", "prints 19 percent"),
        Example('%memory replace v1.fact.currency v1.fact.currency_2027 "euro" --at 2027-01-01'),
    ),
    (
        argument("old", "the atom to be replaced: its name, or its id", complete="name"),
        argument("new", "the name of the replacement; the same name for a new version", complete="name"),
        argument("value", "the value of the replacement"),
        option("--at", metavar="TIME", help="from when on, in ISO 8601 (default: now)"),
        option("--reason", metavar="TEXT", help="why"),
        option("--tag", metavar="TAG", repeatable=True, help="a tag for the new one; repeat for several"),
        option("--confidence", metavar="0..1", read=fraction, help="how sure the new one is"),
        option("--source", metavar="TEXT", help="where it comes from"),
        option("--actor", metavar="TEXT", help="the author: a person or an agent"),
        option("--origin", metavar="WHO", choices=ORIGINS, help=_ORIGIN),
        option("--session", metavar="TEXT", help="the session it belongs to"),
        flag("--allow-secrets", help="also save texts that look like credentials"),
    ),
    as_agent=False,
)

MERGE = Command(
    "merge",
    "save",
    "Put one atom in the place of several that say nearly the same.",
    "NAME is the id of a group, or two and more atoms. The new atom holds the text of all of them, once, with "
    "their tags and entities. They leave searches and stay readable; a read of an earlier time finds them. "
    "Learning about them counts for the new one. If one of them changes meanwhile, nothing is saved.",
    (
        Example(
            'substrate checkpoint "v1.note.bins = Bins go out on Tuesday" "v1.note.waste = The bins go out on Tuesday" '
            "&& substrate merge v1.note.bins v1.note.waste --into v1.note.bin_day",
            "saves two notes, and makes one of them",
        ),
        Example("substrate merge v1.note.bin_day --back", "takes that back"),
        Example("%memory merge v1.fact.currency v1.decision.ledger --dry-run"),
    ),
    (
        NAMES,
        option("--into", metavar="NAME", help="the name of the new atom (default: made of its words)", complete="name"),
        flag("--back", help="NAME was made by a merge: take it out of use, and put its members back"),
        flag("--dry-run", help="only print the new text"),
        option("--actor", metavar="TEXT", help="the author: a person or an agent"),
        option("--session", metavar="TEXT", help="the session it belongs to"),
    ),
)

UNDO = Command(
    "undo",
    "save",
    "Undo the last checkpoint.",
    "Undo is a new checkpoint and erases nothing. An import is undone as a whole; an undo of it that was stopped goes "
    "on. New atoms go out of use. Changed atoms get their value from before. Tombstoned atoms come back into use, and "
    "edges likewise. A second undo restores the checkpoint. A forget, a training and a new key cannot be undone. A "
    "choice of model is passed over.",
    (
        Example("substrate undo --dry-run", "prints what it would undo"),
        Example("substrate undo && substrate undo", "undoes the last checkpoint, then restores it"),
        Example("%memory undo --dry-run"),
    ),
    (
        flag("--dry-run", help="only print what it would undo"),
        option("--actor", metavar="TEXT", help="the author: a person or an agent"),
        option("--session", metavar="TEXT", help="the session it belongs to"),
    ),
)
