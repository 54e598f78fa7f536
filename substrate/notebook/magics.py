"""`%memory` and `%%memory`: finds the verb, reads its line, calls it, and gives back what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class, needs_local_scope, no_var_expand
from traitlets import Float, Int, Unicode, observe

from substrate.commands.catalogue import is_elsewhere
from substrate.commands.command import Face
from substrate.commands.meant import meant_by
from substrate.commands.parser import nearest_verb
from substrate.commands.readers import times_read
from substrate.errors import SubstrateError
from substrate.messages import render
from substrate.notebook.catalogue import VERBS, table
from substrate.notebook.line import asks_for_help, parse_line, split_line
from substrate.notebook.spelling import WORDS, suggestion
from substrate.notebook.stores import Stores
from substrate.notebook.verb import Verb
from substrate.notebook.watch import Watch
from substrate.notebook.workspace import Workspace
from substrate.text.visible import as_number, visible

__all__ = ["MemoryMagics"]


@magics_class  # type: ignore[untyped-decorator, unused-ignore]
class MemoryMagics(Magics):
    """The magic `memory`, and its settings: `%config MemoryMagics` lists them."""

    store = Unicode(help="The store's folder, if the kernel has not opened another; empty: as remembered.").tag(
        config=True
    )
    actor = Unicode(help="Your name, recorded as the author; empty: your login name.").tag(config=True)
    limit = Int(10, min=1, max=100, help="How many hits `%memory search` shows.").tag(config=True)
    max_tokens = Int(1200, min=50, help="How many tokens `%memory bootstrap` takes.").tag(config=True)
    wait = Float(
        30.0, min=0, help="Seconds that search and bootstrap wait for the model; after that they go by words."
    ).tag(config=True)

    def __init__(self, shell: InteractiveShell, stores: Stores) -> None:
        super().__init__(shell)
        self.stores = stores
        self._tell_stores()
        self.watch = Watch(shell, stores.current, lambda: self.limit)

    @observe("store", "actor")  # type: ignore[untyped-decorator, unused-ignore]
    def _tell_stores(self, _change: object = None) -> None:
        """At once, since completion and watching use the stores, too."""
        if hasattr(self, "stores"):  # settings from a file come before it
            self.stores.preferred, self.stores.actor = self.store, self.actor

    @no_var_expand  # what is saved is not expanded; everything else is, word by word (line.py)
    @needs_local_scope
    @line_cell_magic
    def memory(self, line: str, cell: str | None = None, local_ns: Mapping[str, object] | None = None) -> object:
        """Work with the memory of this notebook."""
        word, rest = _first_word(line)
        if word in ("", "--help", "-h", "help"):
            print(table())  # noqa: T201 - help is for the reader of the cell
            return None
        verb = VERBS.get(word)
        if verb is None:
            raise UsageError(_one_line(f"%memory has no verb {word}{_instead(word)}"))
        if asks_for_help(verb, rest):
            print(verb.help())  # noqa: T201
            return None
        if cell is not None and not verb.cell:
            raise UsageError(f"%%memory {word} takes no cell: write %memory {word}, with one percent sign")
        try:
            return self._run(verb, rest, cell, local_ns or {})
        except SubstrateError as error:
            raise UsageError(_one_line(render(error.message, WORDS))) from None

    def _run(self, verb: Verb, rest: str, cell: str | None, local_ns: Mapping[str, object]) -> object:
        shell: Any = self.shell
        names = {**shell.user_ns, **local_ns}
        given = parse_line(verb, rest, names)
        for told in times_read(given):
            print(told)  # noqa: T201 - the result has no place for it
        workspace = Workspace(shell, self.stores, self.watch, names, self.limit, self.max_tokens, self.wait)
        return verb.run(workspace, given, cell)


_IN_PYTHON: Final = {
    "backup": "memory.backup(FOLDER)",
    "head": "memory.head()",
    "import": "memory.import_file(...)",
    "index": "memory.index()",
    "model": "memory.model()",
    "stale": "memory.stale()",
    "stats": "memory.stats()",
}
"""Verbs of the command line that a cell calls in Python."""


_WIDGETS: Final = {
    "bootstrappreview": "preview(OBJECTIVE)",
    "entitygraph": "graph()",
    "explorer": "explore()",
    "fading": "show_fading(NAME)",
    "proofviewer": "show_proof(NAME)",
    "timeline": "timeline()",
    "transitions": "transitions(NAME)",
}
"""The widgets by their names, and what a cell calls to show one."""


def _first_word(line: str) -> tuple[str, str]:
    word = next(split_line(line), None)
    return ("", "") if word is None else (word.text, line[word.end :])


def _instead(word: str) -> str:
    """What to type where there is no such verb."""
    if is_elsewhere(word, Face.NOTEBOOK):
        here = f"In a cell, call {_IN_PYTHON[word]}. " if word in _IN_PYTHON else ""
        return f": it is one of the command line. {here}In a terminal, type: substrate {word} --help"
    call = _WIDGETS.get(word.lower().replace("_", "").replace("-", ""))
    call = next((call for call in _WIDGETS.values() if call.startswith(f"{word}(")), None) if call is None else call
    if call is not None:
        return f": it is a widget. In a cell, call memory.{call}"
    if (meant := meant_by(word, "%memory", in_a_shell=False)) is not None:
        return f": {meant}"
    return suggestion(word, list(VERBS), nearest_verb)


def _one_line(message: str) -> str:
    return visible(" ".join(message.split()), escape=as_number)


MemoryMagics.memory.__doc__ = table()
