"""The verbs that save: remember, checkpoint, edit, rename, replace, undo."""

from __future__ import annotations

import dataclasses
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from substrate.cli.answer import Answer, Facts, Raw
from substrate.cli.editor import edited
from substrate.cli.exits import Exit
from substrate.cli.output import Output
from substrate.cli.spelling import WORDS
from substrate.cli.stores import is_new_store, reading, writing
from substrate.commands import calls
from substrate.commands.files import read_text
from substrate.commands.items import Item, Items, read_items
from substrate.commands.verbs.save import PER_ATOM, checkpoint_options, said_options, tombstones_of
from substrate.errors import Conflict, InputError, ItemsRefused, SubstrateError, TooLarge
from substrate.limits import LIMITS
from substrate.messages import render
from substrate.text.quote import as_command, as_word

if TYPE_CHECKING:
    from substrate.values.atoms import Atom
    from substrate.values.saved import Refused, Saved, Undone

__all__ = ["checkpoint", "edit", "merge", "remember", "rename", "replace", "saved_answer", "undo", "undone_answer"]


_KEPT = ("tags", "entities", "confidence", "source", "occurred_at", "valid_from", "valid_to", "parent", "position")
"""Fields that the new version has, as the one before."""
_SHOWN: Final = 20
"""Items of one kind that a terminal shows; a pipe and `--json` get all."""
_UNDONE: Final = 100
"""Items of one kind that an undo shows; `--json` gets all."""
_IN_PARTS: Final = (
    "save it in parts: split -l {} FILE part. && for part in part.*; do substrate checkpoint - < $part; done"
)


def _origin(given: Namespace, output: Output) -> str | None:
    """Whose word it is: what --origin says, or `user` if a person types it here and names no other author.

    All streams are a terminal then. A script that runs in one cannot be told from a person.
    """
    said: str | None = getattr(given, "origin", None)
    is_typed = output.can_ask and output.on_terminal
    return "user" if said is None and given.actor is None and is_typed else said


def remember(given: Namespace, output: Output) -> Answer:
    """Save a text under a name that is made for it."""
    given.origin = _origin(given, output)
    if given.text == ["-"]:
        text = read_text("-", "the text to remember")
    elif given.text:
        text = " ".join(given.text)
    else:
        raise InputError("there is nothing to remember: substrate remember 'we moved to Adyen in May'")
    try:
        if is_new_store(given):
            from substrate.save.new_store import refuse_first_text  # noqa: PLC0415 - few are the first

            refuse_first_text(text, given.type, tags=given.tag or (), said=said_options(given))
        with writing(given, create=True) as memory:
            remembered = calls.remember(memory, given, text)
    except ItemsRefused as error:
        raise ItemsRefused("nothing was saved", error.refused) from None
    became = "confirmed" if remembered.confirmed else "recorded"
    return saved_answer(remembered, [(became, remembered.name), ("value", remembered.value)])


def checkpoint(given: Namespace, output: Output) -> Answer:
    """Save what is given on the command line and on standard input."""
    given.origin = _origin(given, output)
    items = _gather(given)
    options = checkpoint_options(given, items)
    try:
        if is_new_store(given):
            from substrate.save.new_store import refuse_first_checkpoint  # noqa: PLC0415 - few checkpoints are the first

            refuse_first_checkpoint(items.atoms, **options)
        with writing(given, create=True) as memory, output.progress("saving"):
            saved = memory.checkpoint(items.atoms, **options)
    except TooLarge as error:
        most = LIMITS["checkpoint_items"]
        if error.limit != most:
            raise
        raise TooLarge("checkpoint", error.size, most, "items", _IN_PARTS.format(most)) from None
    except ItemsRefused as error:
        refused = _placed(cast("tuple[Refused, ...]", error.refused), items.lines)
        raise ItemsRefused(f"nothing was saved; refused: {len(refused)}", refused) from None
    return _saved(saved, items.lines, most=_SHOWN if output.on_terminal else None)


def _gather(given: Namespace) -> Items:
    """Everything to be saved: what stands on the command line first, then what standard input holds."""
    typed = _joined(given.atoms)
    words = [word for word in typed if word != "-"]
    if len(typed) - len(words) > 1:
        raise InputError("standard input can be read only once: give - once")
    read = read_items(read_text("-", "the atoms to save")) if "-" in typed else Items()
    items = Items(
        [_with_fields(atom, given) for atom in (*words, *read.atoms)],
        [*(given.edge or []), *read.edges],
        [*tombstones_of(given), *read.tombstones],
        [*(given.unedge or []), *read.unedges],
        {f"atoms[{len(words) + at}]": line for at, line in enumerate(read.lines.values())},
    )
    if items.empty:
        raise InputError(
            "there is nothing to save: give atoms as 'NAME = VALUE', or - to read them from standard input"
        )
    return items


def _joined(words: Sequence[str]) -> Sequence[str]:
    """The atoms on the line. One without quotes, `v1.fact.a = b c`, comes as several words: they are joined again.

    InputError, with the command in quotes, if it could mean more than one atom.
    """
    if "=" not in words:
        return words
    if words.count("=") == 1 and words[1] == "=" and not any(" = " in word for word in words):
        return [" ".join(words)]
    raise InputError(
        "put each atom in quotes, such as: substrate checkpoint 'v1.fact.currency = EUR' 'v1.goal.launch = In March'"
    )


def _with_fields(atom: Item, given: Namespace) -> Item:
    """An atom given as text, with the fields that options give to all of these."""
    fields: dict[str, object] = {name: value for name in PER_ATOM if (value := getattr(given, name)) is not None}
    if given.tag:
        fields["tags"] = given.tag
    if not isinstance(atom, str) or not fields:
        return atom
    name, equals, value = atom.partition(" = ")
    # Without ` = ` it is no atom: the engine says so, with all others that are none.
    return {"name": name.strip(), "value": value.strip(), **fields} if equals else atom


def _placed(refused: Iterable[Refused], lines: Mapping[str, int]) -> tuple[Refused, ...]:
    """What was refused, each atom with the line it stood in, where it came as lines."""
    return tuple(
        dataclasses.replace(item, item=f"{item.item}, line {lines[item.item]}") if item.item in lines else item
        for item in refused
    )


def rename(given: Namespace, _: Output) -> Answer:
    """Give an atom another name."""
    with writing(given) as memory:
        saved = calls.rename(memory, given)
    return _saved(saved, {})


def replace(given: Namespace, output: Output) -> Answer:
    """Let another value take the place of what an atom says."""
    given.origin = _origin(given, output)
    with writing(given) as memory:
        saved = calls.replace(memory, given)
    return _saved(saved, {})


def merge(given: Namespace, _: Output) -> Answer:
    """Put one atom in the place of several."""
    with reading(given) if given.dry_run else writing(given) as memory:
        merged = calls.merge(memory, given)
    if merged.taken_back:
        rows = [("tombstoned", merged.name), *(("revived", member) for member in merged.members)]
        return Answer(merged.to_dict(), (Facts(rows),), is_report=True)
    rows = [("would be" if merged.dry_run else "recorded", merged.name), *(("of", one) for one in merged.members)]
    hint = f"to take it back: substrate merge --back {as_word(merged.name)}"
    hint = "nothing was changed; repeat without --dry-run" if merged.dry_run else hint
    return Answer(merged.to_dict(), (Facts(rows), Raw(merged.value)), (hint,), is_report=not given.dry_run)


def undo(given: Namespace, _: Output) -> Answer:
    """Take the last checkpoint back."""
    with reading(given) if given.dry_run else writing(given) as memory:
        undone = memory.undo(dry_run=given.dry_run, actor=given.actor, session=given.session)
    unlock = () if given.unlock is None else ("--unlock", given.unlock)
    return undone_answer(undone, f"to take this undo back: {as_command('substrate', 'undo', *unlock)}")


def undone_answer(undone: Undone, again: str) -> Answer:
    """What was taken back, or would be; and how it is done `again`."""
    groups = {
        "tombstoned": undone.tombstoned,
        "restored": undone.restored,
        "revived": undone.revived,
        "unedged": undone.unedged,
        "edge": undone.edges,
    }
    rows = [(what, name) for what, names in groups.items() for name in _first(names, _UNDONE)]
    hint = "nothing was changed; repeat without --dry-run" if undone.dry_run else again
    hints = (*calls.what_was_undone(undone, "substrate"), hint)
    return Answer(undone.to_dict(), (Facts(rows),), hints, is_report=not undone.dry_run)


def _saved(saved: Saved, lines: Mapping[str, int], most: int | None = None) -> Answer:
    """What became of each item; of more than `most` alike, the first, and how many follow."""
    groups = {
        "recorded": saved.recorded,
        "confirmed": saved.confirmed,
        "tombstoned": saved.tombstoned,
        "edge": saved.edges,
        "unedged": saved.unedged,
        "dangling": saved.dangling,
    }
    rows = [(what, name) for what, names in groups.items() for name in _first(names, most)]
    return saved_answer(dataclasses.replace(saved, refused=_placed(saved.refused, lines)), rows)


def _first(names: Sequence[str], most: int | None) -> Iterable[str]:
    if most is None or len(names) <= most:
        return names
    return (*names[:most], f"… {len(names) - most:,} more")


def saved_answer(saved: Saved, rows: Sequence[tuple[str, object]]) -> Answer:
    """A report of these rows, of what contradicts what is there, and of what was refused."""
    rows = [*rows, *(("conflict", f"{item.first}, {item.second}: {item.reason}") for item in saved.conflicts)]
    rows = [*rows, *(("unchecked", name) for name in saved.unchecked)]
    rows = [*rows, *(("refused", f"{item.item}: {render(item.reason, WORDS)}") for item in saved.refused)]
    hints = []
    if saved.dangling:
        hints.append("dangling: edges point to a name that is not there yet; they hold from when it is recorded")
    if saved.conflicts and not getattr(saved, "dry_run", False):
        hints.append("conflict: not both can be right; to settle it: substrate resolve FIRST SECOND [--keep NAME]")
    if saved.unchecked:
        hints.append("unchecked: saved, but the search for conflicts failed; please report the warning in the log")
    if saved.refused:
        hints.append("refused items are not saved; all others are")
    exit_code = Exit.PARTIAL if saved.refused else Exit.OK
    return Answer(saved.to_dict(), (Facts(rows),), tuple(hints), is_report=True, exit=exit_code)


# -- edit --------------------------------------------------------------------------------------------------------


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
                origin=_origin(given, output),
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
