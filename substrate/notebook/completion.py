"""What Tab offers on a line of `%memory`, and in the cell below `%%memory checkpoint`.

Verbs, options, names of atoms, domains, files. It never fails, makes no store, and prints nothing: it is asked for with
every key that someone presses.

What it inserts is taken literally (`text/quote.py`). Where a text is saved as it is typed there are no quotes: there,
names that would be read as something else are not offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from IPython.core.completer import CompletionContext, SimpleCompletion, context_matcher
from IPython.core.interactiveshell import InteractiveShell

from substrate.commands.command import Option
from substrate.errors import InputError
from substrate.files import expanded
from substrate.names import DOMAIN
from substrate.notebook.catalogue import VERBS
from substrate.notebook.items import read_cell
from substrate.notebook.line import split_line
from substrate.notebook.stores import Stores
from substrate.notebook.verb import Verb
from substrate.text.quote import QUOTE, as_word, is_seen, unescaped

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["offer", "register", "unregister"]

_LINE = re.compile(r"\s*(?:[^\W\d]\w*\s*=\s*)?%{1,2}memory\s+(?P<line>.*)", re.DOTALL)
_CELL = re.compile(r"\s*%%memory\s+checkpoint\b")
_TOMBSTONE = re.compile(r"-\s+(?P<word>\S*)")
_WORD = re.compile(r"""(?:^|(?<=\s))(?P<word>\$'(?:[^\\']|\\.)*+\\?|"[^"]*|'[^']*|\S*)$""")
_BARE = re.compile(r"[^\s\\;]+")
"""A name that is one word, also at the end of a line."""
_NAMES = 50
_FILES = 100


@dataclass(frozen=True, slots=True)
class _Offer:
    """What may stand in the place of the word that is being typed."""

    word: str
    texts: list[str]
    kind: str


def register(shell: InteractiveShell, stores: Stores) -> None:
    """From now on Tab knows `%memory`."""
    unregister(shell)

    @context_matcher(identifier="substrate")  # type: ignore[untyped-decorator, unused-ignore]
    def matcher(context: CompletionContext) -> dict[str, Any]:
        found = offer(context.full_text, context.cursor_line, context.cursor_position, stores)
        if found is None:
            return {"completions": [], "suppress": False}
        completions = [SimpleCompletion(text, type=found.kind) for text in found.texts]
        return {"completions": completions, "matched_fragment": found.word, "ordered": True, "suppress": True}

    shell.Completer.custom_matchers.append(matcher)


def unregister(shell: InteractiveShell) -> None:
    """And no more."""
    matchers = shell.Completer.custom_matchers
    matchers[:] = [one for one in matchers if getattr(one, "matcher_identifier", "") != "substrate"]


def offer(text: str, row: int, column: int, stores: Stores) -> _Offer | None:
    """What to offer at a place of a cell; None where IPython knows better."""
    lines = text.split("\n")
    line = lines[row][:column] if row < len(lines) else ""
    found = _LINE.fullmatch(line)
    if found is not None:
        return _on_line(found["line"], stores)
    if row > 0 and _CELL.match(lines[0]):
        return _in_item(line, stores)
    return None


def _in_item(line: str, stores: Stores) -> _Offer | None:
    """Names where an item has one: at its beginning, after `- `, and after the arrow of an edge."""
    before, arrow, after = line.rpartition("]->")
    begun = after.lstrip() if arrow and "-[" in before else line
    tombstone = _TOMBSTONE.fullmatch(begun)
    word = begun if tombstone is None else tombstone["word"]
    if any(map(str.isspace, word)):
        return None
    return _Offer(word, [name for name in _names(stores, word) if _is_saved_as(name)], "atom")


def _on_line(line: str, stores: Stores) -> _Offer | None:
    found = _WORD.search(line)
    word = "" if found is None else found["word"]
    if word.startswith("{"):
        return None  # an expression of the user's
    before = [one.text for one in split_line(line[: len(line) - len(word)])]
    if not before:
        return _Offer(word, [name for name in VERBS if name.startswith(word)], "verb")
    verb = VERBS.get(before[0])
    return None if verb is None else _of_verb(verb, before, word, line, stores)


def _of_verb(verb: Verb, before: list[str], word: str, line: str, stores: Stores) -> _Offer | None:
    open_option = verb.command.option(before[-1])
    if open_option is not None and open_option.takes_value and len(before) > 1:
        return _values(open_option, word, stores)
    if word.startswith("-"):
        return _Offer(word, [flag for flag in verb.command.flags if flag.startswith(word)], "option")
    if verb.stores:
        return _in_text(verb, line, stores)
    place = _place(verb, before[1:])
    return _Offer(word, [], "") if place is None else _values(place, word, stores)


def _in_text(verb: Verb, line: str, stores: Stores) -> _Offer | None:
    """What to offer in the text that a verb stores, which begins after the options."""
    words = list(split_line(line))[1:]
    at = 0
    while at < len(words) and (option := verb.command.option(words[at].text)) is not None:
        at += 2 if option.takes_value else 1
    begun = line[words[at].start :] if at < len(words) else ""
    if any(one.complete == "item" for one in verb.command.options):
        return _in_item(begun, stores) or _Offer("", [], "")
    if any(map(str.isspace, begun)):
        return None  # Python's own, since what follows the name is an expression
    return _Offer(begun, [name for name in _names(stores, begun) if _BARE.fullmatch(name) and is_seen(name)], "name")


def _is_saved_as(name: str) -> bool:
    """Whether an item that is typed with this name has this name, and everyone can see which."""
    try:
        read = [atom.get("name") for atom in read_cell(f"{name} = x").atoms if isinstance(atom, dict)]
    except InputError:
        return False
    return read == [name] and is_seen(name) and not name.endswith("\\")


def _place(verb: Verb, words: list[str]) -> Option | None:
    """The argument that the next word would be, by its place; None if it is free text, or one too many."""
    positional = [one for one in verb.command.options if one.by_place]
    if verb.rest:
        return None
    taken, at = 0, 0
    while at < len(words):
        option = verb.command.option(words[at])
        at += 2 if option is not None and option.takes_value else 1
        taken += option is None
    if not positional:
        return None
    many = positional[-1].nargs == "*"
    return positional[min(taken, len(positional) - 1)] if many or taken < len(positional) else None


def _values(of: Option, word: str, stores: Stores) -> _Offer:
    typed = _typed(word)
    sources: dict[str, Callable[[], list[str]]] = {
        "name": lambda: _names(stores, typed),
        "domain": lambda: _domains(stores, typed),
        "file": lambda: _paths(typed, folders=False),
        "folder": lambda: _paths(typed, folders=True),
    }
    if of.choices:
        return _Offer(word, [one for one in of.choices if one.startswith(typed)], "choice")
    texts = sources[of.complete]() if of.complete else []
    return _Offer(word, [_word(text, word) for text in texts], of.complete or "text")


def _typed(word: str) -> str:
    """What the word that is being typed says so far."""
    if word.startswith("$'"):
        begun = re.sub(r"\\(?:u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?\Z", "", word[len("$'") :])  # an escape half typed
        try:
            return unescaped(begun.removesuffix("'"))
        except ValueError:
            return begun
    return word[1:].replace(QUOTE, "'") if word[:1] in ("'", '"') else word


def _word(text: str, typed: str) -> str:
    """As it must be written on a line to be one word that means itself; in the typed quotes if possible."""
    quote = typed[:1]
    if quote in ("'", '"') and quote not in text and is_seen(text):
        return f"{quote}{text}{quote}"
    return as_word(text)


# -- where it comes from -----------------------------------------------------------------------------------------------


def _names(stores: Stores, prefix: str) -> list[str]:
    return _listed(stores, lambda memory: [atom.name for atom in memory.list(prefix, limit=_NAMES)])


def _domains(stores: Stores, prefix: str) -> list[str]:
    """Domains by their whole names, or, where one begins to type one, by what comes after `v1.domain.`."""
    if not prefix or DOMAIN.startswith(prefix[: len(DOMAIN)]):
        return _names(stores, prefix if len(prefix) > len(DOMAIN) else DOMAIN)
    return [name.removeprefix(DOMAIN) for name in _names(stores, DOMAIN + prefix)]


def _listed(stores: Stores, ask: Callable[[Memory], list[str]]) -> list[str]:
    try:
        return ask(stores.current())
    except Exception:  # noqa: BLE001 - whatever it is: who presses Tab did not ask for it, and the verb will say it
        return []


def _paths(prefix: str, *, folders: bool) -> list[str]:
    folder, slash, begun = prefix.rpartition("/")
    try:
        entries = sorted(expanded(folder + slash or ".").iterdir())[:10_000]
        fitting = [one for one in entries if one.name.startswith(begun) and (begun or not one.name.startswith("."))]
        offered = [f"{folder}{slash}{one.name}{'/' if one.is_dir() else ''}" for one in fitting]
    except (OSError, InputError):  # no such folder; no such user; what can be no path
        return []
    return [text for text in offered if text.endswith("/") or not folders][:_FILES]
