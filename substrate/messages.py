"""Messages whose words each face spells itself: arguments, verbs, hints, nouns, and items of a list that was given.

An error says `max_tokens` in Python, `--max-tokens` on the command line, `maxTokens` to an agent. So a message is made
of parts, and a part that a face spells is marked by its type:

    InputError(Arg("max_tokens"), f" must be at least {least}")

As text, every part is in Python's words: `str(error)`, `==`, `json` and logs need to know nothing of this. A face calls
`render(error.message, WORDS)` with its own table of words. Nothing is ever looked for in a text: a stored name that
reads like an argument stays what it is. Putting a message into an f-string leaves it in Python's words, so give parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

__all__ = [
    "ALLOW_SECRETS",
    "AN_ATOM",
    "ATOM",
    "ATOMS",
    "EMPTY_STORE",
    "FORGET_SEQS",
    "FSCK",
    "IMPORT_FULL",
    "INDEX",
    "INGEST",
    "INGESTED",
    "PROVE_SINCE",
    "PROVE_TRUSTING",
    "REBUILD",
    "WATCH",
    "WRITABLE",
    "Arg",
    "Forget",
    "Hint",
    "Item",
    "Message",
    "Noun",
    "Save",
    "Unlock",
    "Verb",
    "Words",
    "render",
]


class Arg(str):
    """An argument of a verb, by its name in Python."""

    __slots__ = ()


class Verb(str):
    """A verb to call, by its name. In Python it reads `index()`."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Self:
        """As it is typed in Python."""
        verb = super().__new__(cls, f"{name}()")
        verb.name = name
        return verb

    def __getnewargs__(self) -> tuple[str]:
        return (self.name,)


class Unlock(Verb):
    """The verb unlock, for a domain that is known: as it is typed, by what follows `v1.domain.`."""

    __slots__ = ("domain",)
    domain: str

    def __new__(cls, domain: str) -> Self:
        """A face whose words for the verb say DOMAIN says this domain there."""
        verb = super().__new__(cls, "unlock")
        verb.domain = domain
        return verb

    def __getnewargs__(self) -> tuple[str]:
        return (self.domain,)


class Hint(str):
    """What to do next, where faces differ in more than spelling. `name` is what their tables know it by."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str, text: str) -> Self:
        """`text` is for those who write Python."""
        hint = super().__new__(cls, text)
        hint.name = name
        return hint

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.name, str(self)


class Item(str):
    """One of a list that was given: `tombstones[3]`, and what comes between it and the rest of the message."""

    __slots__ = ("argument", "at", "then")
    argument: str
    at: int
    then: str

    def __new__(cls, argument: str, at: int, then: str = "") -> Self:
        """`then` belongs to it: a face that needs not say which item was meant leaves out both."""
        item = super().__new__(cls, f"{argument}[{at}]{then}")
        item.argument, item.at, item.then = argument, at, then
        return item

    def __getnewargs__(self) -> tuple[str, int, str]:  # type: ignore[override]
        return self.argument, self.at, self.then


class Save(str):
    """How an atom of this name is saved, as one would type it: as text, `"v1.note.x = ..."`."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Self:
        """As the text that a checkpoint takes."""
        save = super().__new__(cls, f'"{name} = ..."')
        save.name = name
        return save

    def __getnewargs__(self) -> tuple[str]:
        return (self.name,)


class Forget(str):
    """How an atom, edge or other entry is erased for good, by its name or id: `forget('v1.note.x')`."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Self:
        """As it is typed in Python."""
        forget = super().__new__(cls, f"forget({name!r})")
        forget.name = name
        return forget

    def __getnewargs__(self) -> tuple[str]:
        return (self.name,)


class Noun(str):
    """What memory holds, by our word for it, with its article if it has one. A surface may have another word."""

    __slots__ = ()


class Message(str):
    """A text that is made of parts."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        """The parts in a row."""
        message = super().__new__(cls, "".join(parts))
        message.parts = parts
        return message

    def __getnewargs__(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.parts


@dataclass(frozen=True, slots=True)
class Words:
    """How a face spells the parts of a message."""

    arguments: Mapping[str, str]
    verbs: Mapping[str, str]
    hints: Mapping[str, str]
    places: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For an argument that is a list: where each item was given, such as `line 3`. Empty: there is only one."""
    save: Callable[[str], str] | None = None
    """The command that saves an atom of this name. None: the text of the atom is enough."""
    forget: Callable[[str], str] | None = None
    """What erases an atom of this name or id."""
    nouns: Mapping[str, str] = field(default_factory=dict)
    """Those that the face has another word for."""


def render(text: str, words: Words) -> str:
    """The text in the words of a face. What a table does not know, and all that is not marked, stays as it is."""
    match text:
        case Message(parts=parts):
            return "".join(render(part, words) for part in parts)
        case Arg():
            spelled = words.arguments.get(text)
        case Unlock(domain=domain):
            spelled = words.verbs.get("unlock")
            spelled = None if spelled is None else spelled.replace("DOMAIN", domain)
        case Verb(name=name):
            spelled = words.verbs.get(name)
        case Hint(name=name):
            spelled = words.hints.get(name)
        case Save(name=name):
            spelled = None if words.save is None else words.save(name)
        case Forget(name=name):
            spelled = None if words.forget is None else words.forget(name)
        case Noun():
            spelled = words.nouns.get(text)
        case Item():
            spelled = _place(text, words)
        case _:
            spelled = None
    return str(text) if spelled is None else spelled


def _place(item: Item, words: Words) -> str:
    if item.argument not in words.places:
        return f"{words.arguments.get(item.argument, item.argument)}[{item.at}]{item.then}"
    place = words.places[item.argument][item.at]
    return f"{place}{', ' if item.then == '.' else item.then}" if place else ""


ATOM, AN_ATOM, ATOMS = Noun("atom"), Noun("an atom"), Noun("atoms")
FSCK = Verb("fsck")
INGEST = Verb("ingest")
REBUILD = Verb("rebuild")
ALLOW_SECRETS = Hint("allow_secrets", "to save it anyway, set allow_secrets=True")
EMPTY_STORE: Final = "the store is empty: save something first"
"""What is told of a store that holds its key and nothing else."""
INGESTED = Hint("ingested", "ingested=True shows them")
INDEX = Hint("index", "index() embeds all atoms")
WATCH = Hint("watch", "to allow it again, call watch()")
FORGET_SEQS = Hint("forget_seqs", "forget with seqs")
IMPORT_FULL = Hint("import_full", "give it to substrate.clone()")
PROVE_SINCE = Hint("prove_since", "a bundle made with since=<your pin>")
PROVE_TRUSTING = Hint("prove_trusting", "a bundle made with trusting=<that key>")
WRITABLE = Hint("writable", "open it with read_only=False to write")
