"""Messages in the words of each face: every table knows every word, and nobody spells one that a face would spell."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import substrate.messages
from substrate import errors
from substrate.cli.spelling import WORDS as SHELL
from substrate.errors import InputError, ItemsRefused, NotFound, SubstrateError, TooLarge
from substrate.memory import Memory
from substrate.messages import ATOM, Arg, Hint, Item, Message, Verb, Words, render
from substrate.notebook.spelling import WORDS as MAGIC
from substrate.surfaces import SURFACES, load_surface

ROOT = Path(substrate.messages.__file__).parent
AGENTS = {name: load_surface(name).words_for(None, {}) for name in SURFACES}
AGENT = load_surface("atoms").words_for(None, {"memory_list_atoms": "memory_list_atoms"})
FACES = {"cli": SHELL, "notebook": MAGIC, **AGENTS}
OWN = ("cli", "notebook", "surfaces", "server", "commands", "messages.py", "errors.py")
"""What speaks in the words of one face, or is the words."""
ERRORS = set(errors.__all__)
MARKS = {"Arg", "Verb", "Item", "Hint"}
PARAMETERS = {
    word
    for name, verb in inspect.getmembers(Memory, inspect.isfunction)
    if not name.startswith("_")
    for word in inspect.signature(verb).parameters
} - {"self"}
COMPOUND = re.compile(rf"\b({'|'.join(sorted(word for word in PARAMETERS if '_' in word))})\b")
LEADING = re.compile(rf"({'|'.join(sorted(PARAMETERS))})( and \w+)? (is|are|must)\b")
TYPED = re.compile(r"\brun fsck|\brebuild\b|\bsubstrate (?!to )[a-z]+|%memory|(?<![\w-])--[a-z]|\b[a-z_]+\(\)")
BELOW = ("proof", "kv", "log", "names.py", "codec.py")
"""What has arguments of its own, which are no verb's: a word at the beginning of a message is one of these."""
LAWFUL = {
    "use str()": "a function of Python, in what is below the facade",
    "memory.session()": "a session of Python: no other face has one",
    "there is nothing to rebuild it from": "the word, not the verb",
    "upgrade substrate to open it": "the package",
    "substrate wrote": "the package",
    "read()": "of a transaction, below the facade",
}


@cache
def named_calls(source: str) -> list[tuple[str, ast.Call]]:
    """Every call of a plain name. Kept, since each test here looks through the whole package."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [(call.func.id, call) for call in found if isinstance(call.func, ast.Name)]


def calls(source: str, names: Iterable[str]) -> Iterator[ast.Call]:
    return (call for name, call in named_calls(source) if name in names)


def texts(call: ast.Call) -> Iterator[str]:
    """What a call spells itself; not what it marks."""
    for argument in call.args:
        if isinstance(argument, ast.Call) and isinstance(argument.func, ast.Name) and argument.func.id in MARKS:
            continue
        for node in ast.walk(argument):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def unmarked(source: str, leading: re.Pattern[str] = LEADING) -> list[str]:
    """Arguments and verbs that messages spell themselves."""
    found = []
    for call in calls(source, ERRORS | {"Message"}):
        for text in texts(call):
            if any(lawful in text for lawful in LAWFUL):
                continue
            spelled = COMPOUND.search(text) or leading.match(text) or TYPED.search(text)
            found += [f"line {call.lineno}: {spelled[0]}"] if spelled else []
    return found


def unknown(source: str, words: Words) -> list[str]:
    """Words that are marked, and that this table does not know."""
    tables = {"Arg": words.arguments, "Item": words.arguments, "Verb": words.verbs, "Hint": words.hints}
    return [
        f"line {call.lineno}: {call.func.id} {call.args[0].value}"
        for call in calls(source, MARKS)
        if isinstance(call.func, ast.Name)
        and isinstance(call.args[0], ast.Constant)
        and call.args[0].value not in tables[call.func.id]
    ]


def sources() -> list[Path]:
    found = [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] not in OWN]
    assert len(found) > 100
    return found


def test_no_message_spells_an_argument_or_a_verb_that_a_face_would_spell() -> None:
    faults = {}
    for path in sources():
        place = path.relative_to(ROOT)
        leading = re.compile("(?!)") if place.parts[0] in BELOW else LEADING
        faults[str(place)] = unmarked(path.read_text(encoding="utf-8"), leading)
    assert not {path: found for path, found in faults.items() if found}


NOUN = re.compile(r"\batoms?\b")
WHERE_WE_SAY_ATOM = ("proof", "codec.py", "log", "documents/naming.py", "atoms/edge_kinds.py", "save/batch.py")
"""What speaks of the log itself, or of arguments by their names."""


def unmarked_nouns(source: str) -> list[str]:
    """Messages that say `atom`, for which a surface may have another word."""
    found = calls(source, ERRORS | {"Message"})
    return [f"line {call.lineno}: {text}" for call in found for text in texts(call) if NOUN.search(text)]


def test_no_message_says_atom_where_a_surface_has_its_own_word() -> None:
    faults = {}
    for path in sources():
        place = path.relative_to(ROOT).as_posix()
        if not place.startswith(WHERE_WE_SAY_ATOM):
            faults[place] = [fault for fault in unmarked_nouns(path.read_text(encoding="utf-8")) if "`v1." not in fault]
    assert not {path: found for path, found in faults.items() if found}


def test_a_message_that_says_atom_is_found() -> None:
    assert unmarked_nouns('raise NotFound(f"there is no atom {name}")')
    assert not unmarked_nouns('raise NotFound("there is no ", ATOM, f" {name}")')
    told = NotFound("there is no such ", ATOM).message
    assert render(told, AGENT) == str(told) == "there is no such atom"
    assert render(told, Words({}, {}, {}, nouns={"atom": "note"})) == "there is no such note"


@pytest.mark.parametrize(
    "broken",
    [
        'raise InputError("give as_of or nothing")',
        'raise InputError(f"limit must be at least {least}")',
        'raise NotFound(Arg("name"), " and valid_at")',
        'raise StoreDamaged("it is damaged; run fsck")',
        'why = Message("nothing is embedded: index() does it")',
        'raise Denied("start it without --read-only")',
    ],
)
def test_a_message_that_spells_one_is_found(broken: str) -> None:
    assert unmarked(broken)


@pytest.mark.parametrize("face", FACES)
def test_every_word_that_is_marked_is_in_the_table_of_every_face(face: str) -> None:
    words = FACES[face]
    read = [*sources(), ROOT / "messages.py"]
    faults = {str(path.relative_to(ROOT)): unknown(path.read_text(encoding="utf-8"), words) for path in read}
    assert not {path: found for path, found in faults.items() if found}


@pytest.mark.parametrize("broken", ['Arg("ass_of")', 'Verb("idnex")', 'Hint("nothing", "")', 'Item("tombs", 3)'])
def test_a_word_that_no_table_knows_is_found(broken: str) -> None:
    for words in FACES.values():
        assert unknown(broken, words)


def test_an_error_reads_in_the_words_of_each_face() -> None:
    error = InputError(Arg("as_of"), " must be a time; to see all, use ", Verb("list"))
    assert str(error) == error.message == "as_of must be a time; to see all, use list()"
    assert render(error.message, AGENT) == "asOf must be a time; to see all, use memory_list_atoms"
    assert render(error.message, SHELL) == "--as-of must be a time; to see all, use `substrate list`"
    assert render(error.message, MAGIC) == "--as-of must be a time; to see all, use `%memory list`"


def test_a_later_surface_needs_only_a_table() -> None:
    words = Words({"as_of": "known_at"}, {}, {"index": "wait"})
    assert render(Message(Arg("as_of"), " fits; ", substrate.messages.INDEX), words) == "known_at fits; wait"
    assert render(Verb("list"), words) == "list()", "what a table does not know stays in Python's words"


def test_an_item_is_told_by_where_it_was_given() -> None:
    item = Message(Item("sessions", 1, "."), "items[0]")
    assert (str(item), render(item, AGENT)) == ("sessions[1].items[0]", "sessions[1].items[0]")
    lines = Words({}, {}, {}, {"sessions": ["line 1", "line 4"]})
    assert render(item, lines) == "line 4, items[0]"
    assert render(Item("sessions", 0, ": "), Words({}, {}, {}, {"sessions": [""]})) == ""
    assert render(Item("tombstones", 2), AGENT) == "tombstone[2]"


def test_fields_of_errors_are_plain_texts_and_numbers() -> None:
    error = TooLarge(Arg("max_tokens"), 3, 2, "tokens")
    assert (error.field, error.size, error.limit) == ("max_tokens", 3, 2)
    assert str(error) == "max_tokens has 3 tokens; the limit is 2"
    assert render(error.message, AGENT) == "maxTokens has 3 tokens; the limit is 2"
    refused = ItemsRefused(Message(Item("tombstones", 0), ": it is not there"), ("x",), "nothing was saved")
    assert (str(refused), refused.before) == ("tombstones[0]: it is not there", "nothing was saved")


def test_an_error_without_a_message_has_an_empty_one() -> None:
    assert SubstrateError().message == ""
    error = NotFound("there is none")
    error.args = ()
    assert error.message == ""


@given(st.lists(st.text()))
def test_stored_text_is_never_taken_for_a_word(parts: list[str]) -> None:
    """However it reads: `as_of`, `{as_of}`, `index()`."""
    looks = [*parts, "as_of", "{as_of}", "tombstones[0]", "index()", "Arg('as_of')"]
    for words in FACES.values():
        assert render(Message(*looks), words) == "".join(looks)


def test_a_marked_text_survives_a_pickle_with_its_marks() -> None:
    for text in (Arg("as_of"), Verb("list"), Hint("index", "x"), Item("atoms", 1, ": "), Message("a", Arg("as_of"))):
        again = pickle.loads(pickle.dumps(text))  # noqa: S301 - our own
        assert (type(again), str(again), render(again, AGENT)) == (type(text), str(text), render(text, AGENT))
