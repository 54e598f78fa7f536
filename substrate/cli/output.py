"""Where a command writes to, and how: answers on standard output, hints, questions and errors on standard error.

`rich` is loaded only when there is a terminal to draw on. A pipe never gets colours, and gets values as they are:
programs want the exact text. A terminal gets hidden characters as escapes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import StringIO, TextIOWrapper
from time import monotonic
from typing import Final, TextIO

from substrate.cli.answer import Answer, Block, Facts, Raw, Sheet, Table, cell
from substrate.cli.spelling import WORDS
from substrate.errors import InputError, SubstrateError
from substrate.messages import render
from substrate.text.visible import as_json, visible
from substrate.values.progress import Progress

__all__ = ["Output"]

_LINE_EVERY_S: Final = 10.0
"""How often long work says how far it is, where there is no terminal."""


class Output:
    """The streams of one command. `json` and `quiet` are the options of that name."""

    def __init__(self, *, json: bool, quiet: bool) -> None:
        self.json = json
        self.quiet = quiet
        self._at_once = False
        self._warnings: list[str] = []
        self.on_terminal = _is_terminal(sys.stdout) and not json
        self.told_on_terminal = _is_terminal(sys.stderr) and not quiet
        self.can_ask = _is_terminal(sys.stdin) and _is_terminal(sys.stderr) and not json
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                # Text is UTF-8 whatever the locale says, and no character that a terminal cannot show ends the program.
                stream.reconfigure(
                    encoding=None if _is_terminal(stream) else "utf-8",
                    errors="backslashreplace" if stream is sys.stderr or _is_terminal(stream) else "strict",
                )

    @contextmanager
    def captured(self) -> Iterator[StringIO]:
        """In this block the answer is kept instead of printed, as a pipe would get it."""
        kept, shown, was_terminal = StringIO(), sys.stdout, self.on_terminal
        sys.stdout, self.on_terminal = kept, False
        try:
            yield kept
        finally:
            sys.stdout, self.on_terminal = shown, was_terminal

    # -- what was asked for --------------------------------------------------------------------------------------

    def show(self, answer: Answer) -> None:
        """Print the answer, and flush: from here on it is the reader's."""
        if self.json:
            self._document(sys.stdout, answer.document)
        elif not (self.quiet and answer.is_report):
            for block in answer.blocks:
                self._block(block)
        sys.stdout.flush()
        for hint in answer.hints:
            self.hint(hint)

    def _block(self, block: Block) -> None:
        if self.on_terminal:
            from substrate.cli.terminal import draw  # noqa: PLC0415 - loads rich

            draw(block, sys.stdout)
            return
        match block:
            case Raw(text, exact=True):
                sys.stdout.write(text)
            case Raw(text) | Sheet(text=text):
                sys.stdout.write(text if text.endswith("\n") and isinstance(block, Raw) else text + "\n")
            case Facts(pairs):
                _write_rows((label, said) for label, said in pairs if said is not None)
            case Table(rows=rows):
                _write_rows(rows)

    # -- what is told beside it ----------------------------------------------------------------------------------

    def hint(self, text: str) -> None:
        """Say what to do next, or what to know."""
        if not (self.json or self.quiet):
            self._tell(render(text, WORDS), "dim")

    def announce(self, text: str) -> None:
        """Say what has to be known while the command goes on, whatever --json and --quiet say."""
        self._tell(text, "")
        sys.stderr.flush()

    def warn(self, text: str) -> None:
        """Say what is wrong with the store, once, and whatever --quiet says: after the answer, or at once.

        With --json it is a document too.
        """
        if text not in self._warnings:
            self._warnings.append(text)
            if self._at_once:
                self._warn(text)

    def tell_warnings(self, *, unless: str = "", from_now_on: bool = False) -> None:
        """Say what was warned of so far, unless this text says it; of a verb that goes on for long, what comes too."""
        if not self._at_once:
            for text in self._warnings:
                if text not in unless:
                    self._warn(text)
        self._at_once = self._at_once or from_now_on

    def _warn(self, text: str) -> None:
        if self.json:
            self._document_beside({"warning": {"code": "behind", "message": text}})
        else:
            self._tell(f"substrate: {text}", "bold yellow")

    def error(self, error: SubstrateError) -> None:
        """Say what went wrong: one line, and one more for each item that was refused. With --json one document."""
        refused: list[dict[str, object]] = [_spelled(item.to_dict()) for item in getattr(error, "refused", ())]
        message = render(error.message, WORDS)
        said = {
            "code": error.code,
            "message": message,
            "retryable": error.retryable,
            **({"reason": error.reason} if hasattr(error, "reason") else {}),
            **({"refused": refused} if refused else {}),
        }
        self._fail(said, message, refused)

    def bug(self, code: str, message: str) -> None:
        """Say that something went wrong which is in no error tree."""
        self._fail({"code": code, "message": message, "retryable": False}, message, [])

    def _fail(self, said: Mapping[str, object], message: str, refused: list[dict[str, object]]) -> None:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError:
            pass  # what is lost of the answer is part of what went wrong: that is told here
        if self.json:
            self._document_beside({"error": said})
            return
        self._tell(f"substrate: {message}", "bold red")
        for item in refused:
            named = f"  {item.get('item', '')} {item.get('name', '')}".rstrip()
            self._tell(f"{named}: {item.get('reason', '')}", "red")
        sys.stderr.flush()

    def _tell(self, text: str, style: str) -> None:
        with _whoever_listens():
            if _is_terminal(sys.stderr):
                from substrate.cli.terminal import tell  # noqa: PLC0415

                tell(text, style, sys.stderr)
            else:
                sys.stderr.write(visible(text) + "\n")

    def _document_beside(self, document: Mapping[str, object]) -> None:
        with _whoever_listens():
            self._document(sys.stderr, document)

    def _document(self, stream: TextIO, document: Mapping[str, object]) -> None:
        if _is_terminal(stream):
            stream.write(visible(json.dumps(document, ensure_ascii=False, indent=2), "\n\t", as_json) + "\n")
        else:
            stream.write(visible(json.dumps(document, ensure_ascii=False), escape=as_json) + "\n")

    # -- long work, and questions --------------------------------------------------------------------------------

    @contextmanager
    def progress(self, label: str) -> Iterator[Progress | None]:
        """While the block runs: a bar on standard error, moved by what is yielded; elsewhere a line now and then."""
        if not self.told_on_terminal:
            yield None if self.quiet or self.json else self._lines(label)
            return
        from substrate.cli.terminal import bar  # noqa: PLC0415

        with bar(label, sys.stderr) as move:
            yield move

    def _lines(self, label: str) -> Progress:
        """Where no bar can be shown, as in a log: how far long work is, every so many seconds."""
        told = monotonic()

        def move(done: int, total: int) -> None:
            nonlocal told
            if monotonic() - told >= _LINE_EVERY_S:
                told = monotonic()
                self._tell(f"{label}: {done:,}" + (f" of {total:,}" if total else ""), "")

        return move

    def agreed(self, question: str) -> bool:
        """Ask the person at the terminal; only `yes` is a yes. InputError if there is nobody to ask."""
        if not self.can_ask:
            raise InputError("there is no terminal to ask on: repeat with --yes")
        self._tell(question, "bold yellow")
        sys.stderr.write("Type yes to go on: ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() == "yes"


@contextmanager
def _whoever_listens() -> Iterator[None]:
    """In this block standard error is written to. If it cannot be, as on a full disk, the exit code must say it all."""
    try:
        yield
        sys.stderr.flush()
    except BrokenPipeError:
        raise
    except OSError:
        # Or Python would try again at its end, and change the exit code.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _spelled(document: Mapping[str, object]) -> dict[str, object]:
    return {word: render(said, WORDS) if isinstance(said, str) else said for word, said in document.items()}


def _is_terminal(stream: TextIO) -> bool:
    """Whether a person looks at it. A stream that was closed before we started is None or raises."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def _write_rows(rows: Iterable[Sequence[object]]) -> None:
    for row in rows:
        sys.stdout.write("\t".join(map(cell, row)) + "\n")
