"""The verb edit: an atom's value in the person's own editor."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer
from substrate.cli.editor import edited
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.cli.verbs.save import saved_answer
from substrate.errors import Conflict, InputError, ItemsRefused, SubstrateError

if TYPE_CHECKING:
    from substrate.values.atoms import Atom

__all__ = ["edit"]

_KEPT = ("tags", "entities", "confidence", "source", "occurred_at", "valid_from", "valid_to", "parent", "position")
"""Fields that the new version has, as the one before."""


def edit(given: Namespace, output: Output) -> Answer:
    """Open the value in an editor, and save what the person makes of it. The store is not held open meanwhile."""
    with reading(given) as memory:
        atom = memory.access(given.name, predictions=0).atom
    text = edited(atom.value)
    if text == atom.value:
        return Answer({"unchanged": atom.name}, hints=("unchanged: nothing was saved",), is_report=True)
    if not text.strip():
        raise InputError(
            "the text is empty: nothing was saved. To take an atom out of use: substrate checkpoint --tombstone NAME"
        )
    try:
        with writing(given) as memory:
            saved = memory.checkpoint(
                [{**_fields(atom, given.source), "name": atom.name, "value": text}],
                expect={atom.name: atom.seq},
                actor=given.actor,
                session=given.session,
                allow_secrets=given.allow_secrets,
            )
    except SubstrateError as error:
        output.announce(f"Your text was:\n{text}")
        if isinstance(error, ItemsRefused):
            raise ItemsRefused("nothing was saved. Your text is printed above", error.refused) from None
        if isinstance(error, Conflict):
            raise Conflict(
                f"another writer changed {atom.name} meanwhile: nothing was saved. Your text is printed above"
            ) from None
        raise
    return saved_answer(saved, [(what, name) for what in ("recorded", "confirmed") for name in getattr(saved, what)])


def _fields(atom: Atom, source: str | None) -> dict[str, object]:
    """What the new version says beside its value. By which code it was worked out is not true of another value."""
    fields: dict[str, object] = {key: said for key in _KEPT if (said := getattr(atom, key)) not in (None, ())}
    attrs = {key: said for key, said in atom.attrs.items() if key != "notebook"}
    return fields | ({"attrs": attrs} if attrs else {}) | ({} if source is None else {"source": source})
