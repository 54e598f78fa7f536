"""What one does to the store from the Explorer: add an atom, give one another value, forget one, decide a proposal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from substrate.errors import Conflict, InputError
from substrate.save.repeat import PLACE

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.saved import Forgot, Saved

__all__ = ["Change", "make"]

_DO = ("add", "edit", "ask", "forget", "accept", "decline")
_MENTIONED = 5
"""Atoms that are named because they mention the one that is to be forgotten."""


@dataclass(frozen=True, slots=True)
class Change:
    """What someone wants. Of an edit and of forgetting, `seq` is the version that was looked at.

    `do` is add (an empty `name`: one is made for it), edit, ask (what forgetting would erase), forget, accept or
    decline. Of these two `name` is the id of a proposal. To accept a text, `value` is the domain that it goes into, and
    the tag `create` allows a new one.
    """

    do: str
    name: str = ""
    value: str = ""
    tags: tuple[str, ...] = ()
    seq: int = -1

    @classmethod
    def of(cls, said: Mapping[str, object]) -> Change:
        """As the page says it. InputError if it is none."""
        do, name, value = (str(said.get(word, "")) for word in ("do", "name", "value"))
        if do not in _DO:
            raise InputError(f"a change is one of {', '.join(_DO)}")
        try:
            seq = int(cast("Any", said.get("seq", -1)))
        except (TypeError, ValueError):
            raise InputError("the seq of a change is a whole number") from None
        tags = said.get("tags", ())
        return cls(do, name.strip(), value, tuple(map(str, tags)) if isinstance(tags, list | tuple) else (), seq)


def make(memory: Memory, change: Change) -> dict[str, object]:
    """Do it, and say what came of it. Raises as the verbs do, with nothing written."""
    match change.do:
        case "add":
            return _add(memory, change)
        case "edit":
            return _edit(memory, change)
        case "ask":
            told = memory.forget(change.name, dry_run=True)
            return {"name": change.name, "ask": True, "text": _question(change.name, told)}
        case "forget":
            return _forget(memory, change)
        case "accept":
            accepted = memory.accept(
                change.name, domain=change.value.strip() or None, create="create" in change.tags, origin="user"
            )
            return {"name": accepted.name, "text": f"Accepted: {accepted.name}."}
        case _:
            declined = memory.decline(change.name)
            return {"name": declined.name or "", "text": f"Declined: {declined.name or declined.id}."}


def _add(memory: Memory, change: Change) -> dict[str, object]:
    if not change.value.strip():
        raise InputError("The text is empty. Type what to remember.")
    if not change.name:
        remembered = memory.remember(change.value, tags=change.tags)
        return _saved(remembered, remembered.name)
    atom = {"name": change.name, "value": change.value, **({"tags": list(change.tags)} if change.tags else {})}
    try:
        return _saved(memory.checkpoint([atom], expect={change.name: None}), change.name)
    except Conflict:
        raise Conflict(f"{change.name} is there already. Select it and edit it, or choose another name.") from None


def _edit(memory: Memory, change: Change) -> dict[str, object]:
    """The same atom with another value; who says so, and where, is who edits it."""
    with memory.session(observe=False):
        atom = memory.access(change.name).atom
    attrs = {key: value for key, value in atom.attrs.items() if key != PLACE}
    new = replace(atom, value=change.value, attrs=attrs, actor=None, session=None)
    try:
        return _saved(memory.checkpoint([new], expect={change.name: change.seq}), change.name)
    except Conflict:
        raise Conflict(f"{change.name} has changed since you looked. Nothing was saved; look again.") from None


def _forget(memory: Memory, change: Change) -> dict[str, object]:
    with memory.session(observe=False):
        if memory.access(change.name).atom.seq != change.seq:
            raise Conflict(f"{change.name} has changed since you were asked. Nothing was erased; look again.")
    told = memory.forget(change.name)
    left = "" if told.compacted else " Its bytes leave the file when readers let go: call memory.compact() later."
    return {"name": change.name, "text": f"Erased: {change.name}, {_counted(told)}.{left}"}


def _saved(saved: Saved, name: str) -> dict[str, object]:
    text = f"Saved: {name}." if saved.recorded else f"{name} says this already: it is confirmed."
    if saved.conflicts:
        text += f" It contradicts {', '.join(sorted({_other(clash, name) for clash in saved.conflicts}))}."
    return {"name": name, "text": text}


def _other(clash: Any, name: str) -> str:  # noqa: ANN401 - first and second
    return str(clash.second if clash.first == name else clash.first)


def _question(name: str, told: Forgot) -> str:
    text = f"Erase {name} for good, with {_counted(told)}? Nobody can bring it back."
    if told.renamed:
        text += f" Its other names go too: {', '.join(told.renamed)}."
    if told.mentioned_by:
        more = len(told.mentioned_by) - _MENTIONED
        text += f" These stay and mention it: {', '.join(told.mentioned_by[:_MENTIONED])}"
        text += f" and {more} more." if more > 0 else "."
    return text


def _counted(told: Forgot) -> str:
    counts = [(told.versions, "version"), (told.edges, "edge"), (told.trainings, "training")]
    said = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
    return ", ".join(said) or "all of it"
