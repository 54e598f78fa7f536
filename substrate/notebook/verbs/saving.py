"""The verb that saves: checkpoint."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from IPython.core.error import UsageError

from substrate.errors import InputError, ItemsRefused, ProofInvalid
from substrate.notebook.desk import Desk
from substrate.notebook.given import edge, expectation, fraction, unedge
from substrate.notebook.items import Items, read_cell
from substrate.notebook.verb import argument, verb

if TYPE_CHECKING:
    from substrate.model import Refused, Saved
    from substrate.proof.head import Pin

__all__ = ["checkpoint"]

_PER_ATOM = ("confidence", "occurred_at", "valid_from", "valid_to")
_SHOWN = 3
"""Of items that were refused, in a line."""


@verb(
    "checkpoint",
    "save",
    "%memory checkpoint --source kick-off v1.fact.payment_provider = Stripe",
    "%%memory checkpoint --tag plan\n"
    "v1.fact.currency = EUR\n"
    "v1.decision.ledger = Amounts are integers, in cents\n"
    "v1.decision.ledger -[depends_on]-> v1.fact.currency",
    rest="item",
    stores=True,
    cell=True,
)
@argument("item", nargs="*", complete="item", help="NAME = VALUE; or A -[TYPE]-> B; or - NAME, to take it out of use")
@argument("--edge", metavar="EDGE", action="append", type=edge, help="an edge to state: 'SOURCE TYPE TARGET', or JSON")
@argument("--tombstone", metavar="NAME", action="append", complete="name", help="an atom to take out of use")
@argument("--unedge", metavar="EDGE", action="append", type=unedge, help="an edge to take back; or its id")
@argument("--tag", metavar="TAG", action="append", help="a tag for every atom; again for several")
@argument("--confidence", metavar="0..1", type=fraction, help="how sure, for every atom that does not say it itself")
@argument("--occurred-at", metavar="TIME", help="when it happened, likewise")
@argument("--valid-from", metavar="TIME", help="from when it holds, likewise")
@argument("--valid-to", metavar="TIME", help="until when it holds, likewise")
@argument("--source", metavar="TEXT", help="where it comes from")
@argument("--actor", metavar="TEXT", help="who says it")
@argument("--origin", metavar="WHO", choices=("user", "agent", "ingested"), help="user, agent or ingested")
@argument("--session", metavar="TEXT", help="in which session (default: that of this kernel)")
@argument("--task", metavar="NAME", complete="name", help="gets a produced_by edge from each atom recorded")
@argument("--expect", metavar="NAME=SEQ", action="append", type=expectation, help="only if NAME is at SEQ, or absent")
@argument("--partial", action="store_true", help="save what is valid, and tell what was not")
@argument("--allow-secrets", action="store_true", help="save what looks like a credential, too")
def checkpoint(desk: Desk, given: Namespace, cell: str | None) -> Saved:
    """Save atoms and edges, and take others out of use: as one, or not at all.

    On a line, options come first, then one item; all after ` = ` is the value, as it is typed. In a cell, each line is
    an item; an indented line goes on with the value before it, `#` begins a comment. Neither `$name` nor `{braces}` are
    expanded in what is saved. A store is made if there is none.
    """
    items = _gathered(given, cell)
    expect = _expected(given.expect or [])
    memory = desk.memory(create=True)
    try:
        return memory.checkpoint(
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
        raise UsageError(_refusal(cast("tuple[Refused, ...]", error.refused), items)) from None


def _gathered(given: Namespace, cell: str | None) -> Items:
    """What stands on the line, then what stands in the cell, then what options give."""
    if cell is not None and given.item:
        raise InputError("in a cell, items stand below the line: after %%memory checkpoint come options only")
    items = read_cell(given.item if cell is None else cell, 1 if cell is None else 2)
    fields: dict[str, object] = {name: value for name in _PER_ATOM if (value := getattr(given, name)) is not None}
    if given.tag:
        fields["tags"] = given.tag
    items.atoms = [_with_fields(atom, fields) for atom in items.atoms]
    items.edges += given.edge or []
    items.tombstones += given.tombstone or []
    items.unedges += given.unedge or []
    if items.empty:
        raise InputError("there is nothing to save: %memory checkpoint NAME = VALUE, or lines of it in a cell")
    return items


def _with_fields(atom: str | dict[str, object], fields: Mapping[str, object]) -> str | dict[str, object]:
    """The atom, with what the options say of every atom. What it says itself holds; tags are added to its own."""
    if isinstance(atom, str):
        name, equals, value = atom.partition(" = ")
        if not fields or not equals:  # without ` = ` it is no atom: the engine says so, with all others that are none
            return atom
        atom = {"name": name.strip(), "value": value.strip()}
    own = atom.get("tags")
    if "tags" in fields and isinstance(own, list):
        atom = {**atom, "tags": [*own, *(tag for tag in cast("list[str]", fields["tags"]) if tag not in own)]}
    return {**fields, **atom}


def _expected(given: list[tuple[str, int | None] | str]) -> dict[str, int | None] | Pin | None:
    pins = [item for item in given if isinstance(item, str)]
    if not pins:
        return dict(item for item in given if not isinstance(item, str)) or None
    if len(given) > 1:
        raise InputError("--expect takes either one pin or any number of names")
    from substrate.proof.head import Pin  # noqa: PLC0415 - few need it

    try:
        return Pin.parse(pins[0])
    except ProofInvalid as error:
        raise InputError(f"--expect: {error}") from None


def _refusal(refused: Iterable[Refused], items: Items) -> str:
    """Why nothing was saved, in a line."""
    reasons = [f"{_place(item.item, items)}: {item.reason}" for item in refused]
    more = f"; and {len(reasons) - _SHOWN} more" if len(reasons) > _SHOWN else ""
    return f"nothing was saved: {'; '.join(reasons[:_SHOWN])}{more}"


def _place(item: str, items: Items) -> str:
    line = items.lines.get(item)
    return item if line is None else f"line {line}"
