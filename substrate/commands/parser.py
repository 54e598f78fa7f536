"""From a verb's options to argparse, for both faces; and which word was probably meant.

A message never repeats a value: it may be a secret in the wrong place.
"""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, _ArgumentGroup
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

from substrate.commands.command import Option
from substrate.errors import InputError

__all__ = ["add_options", "nearest", "nearest_verb"]


def add_options(
    parser: ArgumentParser | _ArgumentGroup, options: Iterable[Option], *, with_defaults: bool = True
) -> None:
    """Let the parser know these options. Without defaults, an option that is not given sets nothing."""
    for item in options:
        properties: dict[str, object] = {"help": item.help, "default": item.default if with_defaults else SUPPRESS}
        if not item.takes_value:
            properties |= {"action": "store_true", "default": False if with_defaults else SUPPRESS}
        elif item.by_place:
            properties |= {"metavar": item.metavar, "type": _typed(item), "nargs": item.nargs}
        else:
            action = "append" if item.repeatable else "store"
            properties |= {"metavar": item.metavar, "type": _typed(item), "action": action}
        if item.dest is not None:
            properties["dest"] = item.dest
        parser.add_argument(*item.flags, **properties)  # type: ignore[arg-type]


def _typed(item: Option) -> Callable[[str], object]:
    """The option's reader as argparse wants it: argparse's own message would repeat the value."""

    def typed(text: str) -> object:
        if item.choices and text not in item.choices:
            raise ArgumentTypeError(f"takes one of {', '.join(item.choices)}")
        try:
            return item.read(text)
        except InputError as error:
            raise ArgumentTypeError(str(error)) from None
        except ValueError:  # such as a number of five thousand digits, which Python does not read
            raise ArgumentTypeError("not a value that can be read") from None

    return typed


def nearest(word: str, known: Sequence[str], cutoff: float = 0.5) -> str | None:
    """The known word that was probably meant; None if none is near."""
    near = get_close_matches(word, known, n=1, cutoff=cutoff)
    return near[0] if near else None


def nearest_verb(word: str, verbs: Iterable[str]) -> str | None:
    """The verb that was probably meant. Never `forget`: nobody who mistyped is led to what erases."""
    return nearest(word.lower(), [verb for verb in verbs if verb != "forget"])
