"""The command line, `substrate VERB ...`. It knows the facade and how to show what that answers; nothing below.

parser      from words to a verb and its arguments, and the help
options     the options of every verb
catalogue   the verbs, in the order of the help
dispatch    the function that does each verb
verbs/      these functions, a file for each group
stores      which store, and how it is opened
answer      what a verb answers, before anyone decides how it is shown
output      standard output and standard error: plain text, JSON, hints, errors, questions
terminal    how answers look on a terminal
editor      a text in the person's own editor
exits       exit codes
spelling    what arguments, verbs and hints are called in messages
completion  completion scripts for shells
document    docs/cli.md
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from errno import ENOSPC
from typing import Any, Final

from substrate import __version__
from substrate.cli.dispatch import RUNS
from substrate.cli.exits import Exit, exit_of
from substrate.cli.output import Output
from substrate.cli.parser import main_help, parse, verb_parser
from substrate.cli.stores import has_written, made_store
from substrate.commands.command import Command
from substrate.commands.files import write_text
from substrate.commands.readers import times_read
from substrate.errors import DiskFull, InputError, SubstrateError
from substrate.values.behind import BehindWarning

__all__ = ["main"]

_SAVE_TEXT = frozenset({"remember", "ingest", "import"})
"""Verbs that save whatever they are given as text."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Nothing expected leaves as an exception: an error is a line, or a document."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_what_is_closed()
    output = Output(json="--json" in words, quiet="--quiet" in words)
    with warnings.catch_warnings():
        # Whatever opens a store that is behind, this verb or one to come: the person is told.
        warnings.simplefilter("always", BehindWarning)
        warnings.showwarning = _warner(output)
        return _guarded(words, output)


def _guarded(words: list[str], output: Output) -> int:
    try:
        try:
            return _run(words, output)
        except SubstrateError as error:
            output.tell_warnings(unless=str(error))
            output.error(error)
            return exit_of(type(error))
        except KeyboardInterrupt as stop:
            output.bug("interrupted", str(stop) or "stopped")
            return Exit.INTERRUPTED
        except BrokenPipeError:
            raise
        except OSError as error:
            return _system_error(error, output)
        except Exception as error:  # noqa: BLE001 - the last line of defence: a person must not meet a traceback
            return _bug(error, output, debug="--debug" in words)
    except BrokenPipeError:
        # Python would flush standard output once more at its end, and complain.
        _abandon_stdout()
        return Exit.PIPE_CLOSED


def _run(words: list[str], output: Output) -> int:
    verb, given = parse(words)
    if given.asked:
        sys.stdout.write(_asked(given.asked, verb))
        sys.stdout.flush()
        return Exit.OK
    if verb is None:
        raise AssertionError("parse gives a verb, or says what was asked for instead")
    _check_reader(verb, given)
    if given.to_file is not None:
        return _into_file(verb, given, output)
    answer = RUNS[verb.name](given, output)
    if (made := made_store(given)) is not None:
        output.hint(f"made a new store in {made.absolute()}")
    for option, is_set, used in (
        ("--unlock", given.unlock is not None, "unlocked"),
        ("--as-agent", given.as_agent, "as_agent_used"),
    ):
        if is_set and not getattr(given, used, False):
            output.hint(f"this verb reads no atoms: {option} had no effect")
    if told := times_read(given):
        answer = replace(answer, hints=(*answer.hints, *told))
    try:
        output.show(answer)
    except BrokenPipeError:
        raise
    except OSError as error:
        if answer.is_report or has_written(given):
            return _unprinted(error, output)
        raise
    output.tell_warnings()
    return answer.exit


def _check_reader(verb: Command, given: Namespace) -> None:
    """InputError if this command does not run as an agent, or gets no unlocked domain."""
    if given.as_agent and not verb.as_agent:
        raise InputError(f"--as-agent is for commands that only read atoms: leave it out of substrate {verb.name}")
    if given.unlock is None:
        return
    if verb.name == "mcp":
        raise InputError("a server gives no agent an unlocked domain: leave out --unlock")
    if given.as_agent:
        raise InputError("no agent reads an unlocked domain: leave out --unlock or --as-agent")
    if verb.name in _SAVE_TEXT:
        raise InputError(f"{verb.name} saves as text: use substrate checkpoint for an encrypted domain")


def _into_file(verb: Command, given: Namespace, output: Output) -> int:
    """Run the verb, and write its whole answer to a file, as a pipe would get it. If it fails, there is no file."""
    with output.captured() as written:
        answer = RUNS[verb.name](given, output)
        output.show(answer)
    write_text(given.to_file, written.getvalue(), "the answer")
    output.hint(f"the answer is in {given.to_file}")
    output.tell_warnings()
    return answer.exit


def _asked(what: str, verb: Command | None) -> str:
    if what == "version":
        return f"substrate {__version__}\n"
    return main_help() if verb is None else verb_parser(verb).format_help()


def _unprinted(error: OSError, output: Output) -> int:
    """The work is done, and stays done: nobody must think that it has to be done again."""
    _abandon_stdout()
    reason = error.strerror or type(error).__name__
    output.bug(
        "unprinted", f"done, and what was to be written is written; but the answer could not be printed: {reason}"
    )
    return Exit.UNPRINTED


def _warner(output: Output) -> Callable[..., None]:
    """Shows warnings: ours as a line of ours, others as Python does."""
    shown = warnings.showwarning

    def warn(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:  # noqa: ANN401 - Python's
        if issubclass(category, BehindWarning):
            output.warn(str(message))
        else:
            shown(message, category, *where, **more)

    return warn


def _system_error(error: OSError, output: Output) -> int:
    """What the system refused, where no part of the store was at work: most often standard output."""
    _abandon_stdout()
    if error.errno == ENOSPC:
        output.error(DiskFull("there is no room for the output"))
        return Exit.FULL
    output.bug("system", f"the system refuses: {error.strerror or type(error).__name__}")
    return Exit.USAGE


_READ_ROWS: Final = ("views", "columns")
"""Folders of code that reads tables which follow from the log: they may be damaged, or forged."""


def _bug(error: Exception, output: Output, *, debug: bool) -> int:
    """Say that it is a bug and where, but not what the error says: its text may hold what was to be saved."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "an unknown place"  # noqa: PTH119
    told = "this is an error in Substrate, please report it"
    if any(os.path.basename(os.path.dirname(frame.filename)) in _READ_ROWS for frame in frames):  # noqa: PTH119, PTH120
        told = (
            "a table of the store cannot be read: run substrate fsck. If it finds no damage, please report this error"
        )
    told = f"{told}: {type(error).__name__} at {where}"
    output.bug("bug", told if debug else f"{told}; --debug shows more")
    if debug:
        sys.stderr.write("".join(traceback.format_exception(error)))
    return Exit.BUG


def _open_what_is_closed() -> None:
    """A stream that was closed before we started is None in Python; what is written to it goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - open until the end


def _abandon_stdout() -> None:
    """Send what is still to be written to nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # no file behind it: nothing will be flushed either
        return
