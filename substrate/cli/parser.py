"""From words to a verb and its arguments. Built on argparse, from the declarations of the verbs.

A message of this module never repeats what was given but for verbs and options: a value may be a secret.
"""

from __future__ import annotations

import re
from argparse import SUPPRESS, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from textwrap import fill
from typing import Any, NoReturn

from substrate.cli.catalogue import TITLES, VERBS
from substrate.cli.exits import EXITS
from substrate.cli.options import GLOBAL_OPTIONS, answer_file
from substrate.commands.catalogue import is_elsewhere
from substrate.commands.command import Command, Face
from substrate.commands.files import is_text
from substrate.commands.meant import meant_by
from substrate.commands.parser import add_options, nearest, nearest_verb
from substrate.errors import InputError

__all__ = ["main_help", "parse", "usage", "verb_parser"]

_WIDTH = 98
_ROOM = 16
"""For how an option of every verb is spelled; a longer one has a line of its own."""
_HELP = ("-h", "--help")
_WITH_VALUE = {flag for option in GLOBAL_OPTIONS if option.metavar for flag in option.flags}


def parse(argv: Sequence[str]) -> tuple[Command | None, Namespace]:
    """The verb and everything given. No verb: help or version was asked for, which `given.asked` names.

    InputError if there is no such verb or option, or a value is none; the message says what is nearest.
    """
    if not all(is_text(word) for word in argv):
        raise InputError("an argument is not UTF-8 text, or holds a null character")
    before, rest = _split(argv)
    given = Namespace(store=None, json=False, quiet=False, debug=False, asked=None, to_file=None)
    given.unlock = given.passphrase_file = None
    given.as_agent = False
    _globals_parser().parse_args(before, given)
    if given.asked:
        return None, given
    if not rest:
        raise InputError("no verb was given. Type substrate VERB ...; substrate --help lists the verbs")
    verb = _find(rest[0])
    if any(word in _HELP for word in _until_dashes(rest[1:])):
        given.asked = "help"
        return verb, given
    parser = verb_parser(verb)
    options = _until_dashes(rest[1:])
    _, extra = parser.parse_known_intermixed_args([*options, *map(_Word, rest[len(options) + 2 :])], given)
    if extra:
        raise InputError(_unknown(verb, extra))
    return verb, given


def verb_parser(verb: Command) -> ArgumentParser:
    """The parser of one verb, which also writes its help."""
    parser = _Parser(
        prog=f"substrate {verb.name}",
        usage=usage(verb),
        description=f"{verb.summary}\n\n{fill(verb.about, _WIDTH)}",
        epilog="examples:\n" + "\n\n".join(f"  {item.command}\n      {item.does}" for item in verb.examples),
        formatter_class=_Formatter,
        add_help=False,
        allow_abbrev=False,
    )
    add_options(parser, verb.options)
    shared = parser.add_argument_group("with every verb")
    shared.add_argument(*_HELP, action="store_true", default=SUPPRESS, help="show this")
    add_options(shared, [*GLOBAL_OPTIONS, *answer_file(verb)], with_defaults=False)
    return parser


def usage(verb: Command) -> str:
    """How a verb is written: `substrate access [options] NAME`."""
    return " ".join(["substrate", verb.name, "[options]", *(item.spelling for item in verb.options if item.by_place)])


def main_help() -> str:
    """What `substrate --help` prints."""
    lines = [
        "usage: substrate [--store PATH] [--json] [--quiet] VERB ...",
        "",
        "Memory for people and AI agents who work together, which can prove what it says.",
        "A unit of memory is an atom, a named value with a history:",
        "",
        '  substrate remember "We moved our payments to Adyen"      # saves it, and prints its name',
        '  substrate search "who handles our payments"              # finds it by meaning',
        '  substrate checkpoint "v1.fact.payment_provider = Adyen"  # saves it under a name of yours',
        "  substrate prove v1.fact.payment_provider -o proof.json   # proves that it is current",
        "",
    ]
    for group, title in TITLES.items():
        lines += [f"{title}:", *(f"  {verb.name:<12}{verb.summary}" for verb in VERBS if verb.group == group), ""]
    lines += ["with every verb, before or after it:"]
    for item in GLOBAL_OPTIONS:
        room = f"\n  {'':<{_ROOM}}" if len(item.spelling) >= _ROOM else ""
        lines.append(f"  {item.spelling:<{_ROOM}}{room}{item.help}")
    for spelling, said in (("-h, --help", "show this, or the help of a verb"), ("--version", "show the version")):
        lines.append(f"  {spelling:<{_ROOM}}{said}")
    lines.append("")
    lines += ["exit codes:", *(f"  {code:>3}  {words}" for code, words in EXITS.items()), ""]
    lines += ["substrate VERB --help explains a verb, with examples that work. More: docs/cli.md", ""]
    return "\n".join(lines)


class _Formatter(RawDescriptionHelpFormatter):
    """As argparse writes help, with room for our options, and as wide everywhere."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32, width=_WIDTH)


class _Word(str):
    """A word behind `--`: it is no option, whatever it begins with."""

    __slots__ = ()


class _Parser(ArgumentParser):
    """Raises instead of leaving, and repeats no value. What stands behind `--` is never an option."""

    def _parse_optional(self, arg_string: str) -> Any:  # noqa: ANN401 - argparse's own
        return None if isinstance(arg_string, _Word) else super()._parse_optional(arg_string)

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"ignored explicit argument .*", "takes no value", message, flags=re.DOTALL)
        raise InputError(f"{message}; see {self.prog} --help")


def _globals_parser() -> ArgumentParser:
    parser = _Parser(prog="substrate", add_help=False, allow_abbrev=False)
    parser.add_argument(*_HELP, action="store_const", const="help", dest="asked", default=SUPPRESS)
    parser.add_argument("--version", action="store_const", const="version", dest="asked", default=SUPPRESS)
    add_options(parser, GLOBAL_OPTIONS, with_defaults=False)
    return parser


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The options before the verb; the verb and what follows it."""
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "-":
        at += 2 if argv[at] in _WITH_VALUE else 1
    return list(argv[:at]), list(argv[at:])


def _until_dashes(words: Sequence[str]) -> Sequence[str]:
    return words[: words.index("--")] if "--" in words else words


def _find(word: str) -> Command:
    for verb in VERBS:
        if verb.name == word:
            return verb
    if " = " in word:
        raise InputError("a verb comes first; to save an atom: substrate checkpoint 'NAME = VALUE'")
    if " " in word.strip():
        raise InputError("a verb comes first; to save a sentence: substrate remember TEXT")
    if not re.fullmatch("[A-Za-z_-]{1,20}", word):
        raise InputError("the first word must be a verb; substrate --help lists them")
    if (meant := meant_by(word, "substrate", in_a_shell=True)) is not None:
        raise InputError(f"there is no verb {word}: {meant}")
    if word == "lock":
        raise InputError("there is no verb lock: nothing stays unlocked here, since --unlock ends with its command")
    if is_elsewhere(word, Face.CLI):
        raise InputError(f"there is no verb {word} here: it is one of notebooks. In a cell: %memory {word} --help")
    near = nearest_verb(word, [verb.name for verb in VERBS])
    meant = f"did you mean {near}?" if near else "substrate --help lists the verbs"
    raise InputError(f"there is no verb {word}: {meant}")


def _unknown(verb: Command, extra: Sequence[str]) -> str:
    known = [*verb.flags, *(flag for item in (*GLOBAL_OPTIONS, *answer_file(verb)) for flag in item.flags)]
    for word in extra:
        found = re.match("--?[A-Za-z][A-Za-z-]{0,30}", word)
        if found:
            near = nearest(found[0], known, cutoff=0.6)
            meant = f"did you mean {near}?" if near else f"see substrate {verb.name} --help"
            return f"{verb.name} has no option {found[0]}: {meant}"
    return f"{verb.name} got too many arguments ({len(extra)} too many): see substrate {verb.name} --help"
