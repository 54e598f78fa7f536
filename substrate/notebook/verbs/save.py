"""The verbs that save: remember, checkpoint, rename, replace, merge, undo."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from IPython.core.error import UsageError

from substrate.commands import calls
from substrate.commands.items import Items
from substrate.commands.verbs.save import (
    CHECKPOINT,
    MERGE,
    PER_ATOM,
    REMEMBER,
    RENAME,
    REPLACE,
    UNDO,
    checkpoint_options,
    said_options,
    tombstones_of,
)
from substrate.errors import InputError, ItemsRefused
from substrate.messages import render
from substrate.notebook.items import read_cell
from substrate.notebook.spelling import WORDS
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.relations import Merged
    from substrate.values.saved import Refused, Remembered, Saved, Undone

__all__ = ["checkpoint", "merge", "remember", "rename", "replace", "undo"]

_SHOWN = 3
"""Of items that were refused, in a line."""


@verb(REMEMBER, rest="text", stores=True, cell=True)
def remember(workspace: Workspace, given: Namespace, cell: str | None) -> Remembered:
    """Save what stands on the line, or in the cell, under a name that is made for it."""
    if cell is not None and given.text:
        raise InputError("in a cell, the text stands below the line: after %%memory remember come options only")
    text = given.text if cell is None else cell
    if not text.strip():
        raise InputError("there is nothing to remember: %memory remember we moved to Adyen in May")
    try:
        if workspace.stores.is_new:
            from substrate.save.new_store import refuse_first_text  # noqa: PLC0415 - few are the first

            refuse_first_text(text, given.type, tags=given.tag or (), said=said_options(given))
        return calls.remember(workspace.memory(create=True), given, text)
    except ItemsRefused as error:
        raise UsageError(_refusal(cast("tuple[Refused, ...]", error.refused), Items())) from None


@verb(CHECKPOINT, rest="item", stores=True, cell=True)
def checkpoint(workspace: Workspace, given: Namespace, cell: str | None) -> Saved:
    """Save what stands on the line, in the cell, and in options."""
    items = _gathered(given, cell)
    options = checkpoint_options(given, items)
    try:
        if workspace.stores.is_new:
            from substrate.save.new_store import refuse_first_checkpoint  # noqa: PLC0415 - few checkpoints are the first

            refuse_first_checkpoint(items.atoms, **options)
        return workspace.memory(create=True).checkpoint(items.atoms, **options)
    except ItemsRefused as error:
        raise UsageError(_refusal(cast("tuple[Refused, ...]", error.refused), items)) from None


@verb(RENAME)
def rename(workspace: Workspace, given: Namespace, _: str | None) -> Saved:
    """Give an atom another name."""
    return calls.rename(workspace.memory(), given)


@verb(REPLACE)
def replace(workspace: Workspace, given: Namespace, _: str | None) -> Saved:
    """Let another value take the place of what an atom says."""
    return calls.replace(workspace.memory(), given)


@verb(MERGE)
def merge(workspace: Workspace, given: Namespace, _: str | None) -> Merged:
    """Put one atom in the place of several."""
    return calls.merge(workspace.memory(), given)


@verb(UNDO)
def undo(workspace: Workspace, given: Namespace, _: str | None) -> Undone:
    """Take the last checkpoint back."""
    return workspace.memory().undo(dry_run=given.dry_run, actor=given.actor, session=given.session)


def _gathered(given: Namespace, cell: str | None) -> Items:
    """What stands on the line, then what stands in the cell, then what options give."""
    if cell is not None and given.item:
        raise InputError("in a cell, items stand below the line: after %%memory checkpoint come options only")
    items = read_cell(given.item if cell is None else cell, 1 if cell is None else 2)
    fields: dict[str, object] = {name: value for name in PER_ATOM if (value := getattr(given, name)) is not None}
    if given.tag:
        fields["tags"] = given.tag
    items.atoms = [_with_fields(atom, fields) for atom in items.atoms]
    items.edges += given.edge or []
    items.tombstones += tombstones_of(given)
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


def _refusal(refused: Iterable[Refused], items: Items) -> str:
    """Why nothing was saved, in a line."""
    reasons = [f"{_place(item.item, items)}: {render(item.reason, WORDS)}" for item in refused]
    more = f"; and {len(reasons) - _SHOWN} more" if len(reasons) > _SHOWN else ""
    return f"nothing was saved: {'; '.join(reasons[:_SHOWN])}{more}"


def _place(item: str, items: Items) -> str:
    line = items.lines.get(item)
    return item if line is None else f"line {line}"
