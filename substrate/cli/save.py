"""The verb that saves: checkpoint."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import substrate
from substrate.cli.answer import Answer, Facts
from substrate.cli.exits import Exit
from substrate.cli.inputs import (
    Item,
    Items,
    parse_edge,
    parse_expect,
    parse_fraction,
    parse_unedge,
    read_items,
    read_text,
)
from substrate.cli.output import Output
from substrate.cli.stores import writing
from substrate.cli.verb import Example, Verb, argument, flag, option
from substrate.errors import InputError, ItemsRefused, ProofInvalid

if TYPE_CHECKING:
    from substrate.model import Refused, Saved
    from substrate.proof.head import Pin

__all__ = ["CHECKPOINT", "saved_answer"]

_PER_ATOM = ("confidence", "occurred_at", "valid_from", "valid_to")


def _checkpoint(given: Namespace, _: Output) -> Answer:
    items, expect = _gather(given), _expected(given.expect or [])
    with writing(given, create=True) as memory:
        try:
            saved = memory.checkpoint(
                items.atoms,
                edges=items.edges,
                tombstones=items.tombstones,
                unedges=items.unedges,
                expect=expect,
                actor=given.actor,
                origin=given.origin,
                session=given.session,
                source=given.source,
                task=given.task,
                partial=given.partial,
                allow_secrets=given.allow_secrets,
            )
        except ItemsRefused as error:
            refused = _placed(cast("tuple[Refused, ...]", error.refused), items.places)
            raise ItemsRefused(f"nothing was saved; refused: {len(refused)}", refused) from None
    return _saved(saved, items.places)


def _gather(given: Namespace) -> Items:
    """Everything to be saved: what stands on the command line first, then what standard input holds."""
    words = [word for word in given.atoms if word != "-"]
    if len(given.atoms) - len(words) > 1:
        raise InputError("standard input can be read once: say - once")
    read = read_items(read_text("-", "what to save")) if "-" in given.atoms else Items()
    items = Items(
        [_with_fields(atom, given) for atom in (*words, *read.atoms)],
        [*(given.edge or []), *read.edges],
        [*(given.tombstone or []), *read.tombstones],
        [*(given.unedge or []), *read.unedges],
        ["" for _ in words] + read.places,
    )
    if not (items.atoms or items.edges or items.tombstones or items.unedges):
        raise InputError(
            "there is nothing to save: give atoms as 'NAME = VALUE', or - to read them from standard input"
        )
    return items


def _with_fields(atom: Item, given: Namespace) -> Item:
    """An atom given as text, with the fields that options give to all of these."""
    fields: dict[str, object] = {name: value for name in _PER_ATOM if (value := getattr(given, name)) is not None}
    if given.tag:
        fields["tags"] = given.tag
    if not isinstance(atom, str) or not fields:
        return atom
    name, equals, value = atom.partition(" = ")
    # Without ` = ` it is no atom: the engine says so, with all others that are none.
    return {"name": name.strip(), "value": value.strip(), **fields} if equals else atom


def _expected(given: list[tuple[str, int | None] | str]) -> dict[str, int | None] | Pin | None:
    pins = [item for item in given if isinstance(item, str)]
    if not pins:
        return dict(item for item in given if not isinstance(item, str)) or None
    if len(given) > 1:
        raise InputError("--expect takes either one pin or any number of names")
    try:
        return substrate.Pin.parse(pins[0])
    except ProofInvalid as error:
        raise InputError(f"--expect: {error}") from None


def _placed(refused: Iterable[Refused], places: list[str]) -> tuple[Refused, ...]:
    """What was refused, each atom with the line it stood in, where it came as lines."""
    where = {f"atoms[{at}]": f"atoms[{at}], {place}" for at, place in enumerate(places) if place}
    return tuple(replace(item, item=where.get(item.item, item.item)) for item in refused)


def _saved(saved: Saved, places: list[str]) -> Answer:
    """What became of each item."""
    groups = {
        "recorded": saved.recorded,
        "confirmed": saved.confirmed,
        "tombstoned": saved.tombstoned,
        "edge": saved.edges,
        "unedged": saved.unedged,
        "dangling": saved.dangling,
    }
    rows = [(what, name) for what, names in groups.items() for name in names]
    return saved_answer(replace(saved, refused=_placed(saved.refused, places)), rows)


def saved_answer(saved: Saved, rows: Sequence[tuple[str, object]]) -> Answer:
    """A report of these rows, of what contradicts what is there, and of what was refused."""
    rows = [*rows, *(("conflict", f"{item.first}, {item.second}: {item.reason}") for item in saved.conflicts)]
    rows = [*rows, *(("refused", f"{item.item}: {item.reason}") for item in saved.refused)]
    hints = []
    if saved.dangling:
        hints.append("dangling: edges point to a name that is not there yet; they hold from when it is recorded")
    if saved.conflicts:
        hints.append("conflict: not both can be right; to settle it: substrate resolve FIRST SECOND [--keep NAME]")
    if saved.refused:
        hints.append("what was refused is not saved; all the rest is")
    exit_code = Exit.PARTIAL if saved.refused else Exit.OK
    return Answer(saved.to_dict(), (Facts(rows),), tuple(hints), is_report=True, exit=exit_code)


CHECKPOINT = Verb(
    "checkpoint",
    "save",
    "Save atoms and edges, and take others out of use: as one, or not at all.",
    "An atom is NAME = VALUE, and a name reads v<number>.<type>.<rest>. The store is made if there is none. The same "
    "said again confirms an atom and makes no new version. With - standard input is read: lines of NAME = VALUE, JSON "
    "Lines of atoms, a JSON list of atoms, or one JSON object with atoms, edges, tombstones and unedges; values of "
    "several lines come as JSON. What looks like a credential is refused, since nothing leaves the log but by forget. "
    "If one item is refused, nothing is saved, unless --partial says otherwise.",
    (
        Example(
            'substrate checkpoint "v1.fact.payment_provider = Stripe" --source kick-off',
            "saves one atom; prints what became of it",
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
            "saves only if there is no such atom yet; here there is one, so nothing is saved",
            Exit.CONFLICT,
        ),
    ),
    (
        argument("atoms", "NAME = VALUE, or - for standard input", metavar="ATOM", nargs="*", default=()),
        option(
            "--edge",
            metavar="EDGE",
            repeatable=True,
            parse=parse_edge,
            help="an edge to state: 'SOURCE TYPE TARGET', or a JSON object with the further fields",
        ),
        option(
            "--tombstone",
            metavar="NAME",
            repeatable=True,
            complete="name",
            help="an atom to take out of use; it stays in history",
        ),
        option(
            "--unedge",
            metavar="EDGE",
            repeatable=True,
            parse=parse_unedge,
            help="an edge to take back: as for --edge, or its id",
        ),
        option("--tag", metavar="TAG", repeatable=True, help="a tag for every atom given as text"),
        option("--confidence", metavar="0..1", parse=parse_fraction, help="how sure, for every atom given as text"),
        option("--occurred-at", metavar="TIME", help="when it happened, for every atom given as text"),
        option("--valid-from", metavar="TIME", help="from when it holds, for every atom given as text"),
        option("--valid-to", metavar="TIME", help="until when it holds, for every atom given as text"),
        option("--source", metavar="TEXT", help="where it comes from, for items that do not say"),
        option("--actor", metavar="TEXT", help="who says it, for items that do not say"),
        option(
            "--origin",
            metavar="WHO",
            choices=("user", "agent", "ingested"),
            help="user, agent or ingested, for items that do not say",
        ),
        option("--session", metavar="TEXT", help="in which session, for items that do not say"),
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
            parse=parse_expect,
            help="save only if NAME is still at SEQ, or absent; or @FILE: only if that pin is the latest head",
        ),
        flag("--partial", help="save the items that are valid, and tell which were not"),
        flag("--allow-secrets", help="save what looks like a credential, too"),
    ),
    _checkpoint,
)
