"""Options as arguments of argparse, for both faces."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError

import pytest

from substrate.commands.command import Option, argument, flag, option
from substrate.commands.parser import add_options, nearest
from substrate.commands.readers import number

SECRET = "sk-live-51H8x"  # noqa: S105 - none


def parser(*options: Option) -> ArgumentParser:
    made = ArgumentParser(exit_on_error=False)
    add_options(made, options)
    return made


def test_options_become_arguments_of_a_parser() -> None:
    made = parser(
        argument("names", "", nargs="*", default=()),
        option("--limit", metavar="N", read=number, default=5, help=""),
        option("--tag", metavar="TAG", repeatable=True, help=""),
        flag("--in", dest="into", help=""),
    )
    assert vars(made.parse_args([])) == {"names": (), "limit": 5, "tag": None, "into": False}
    given = made.parse_args(["a", "b", "--limit", "3", "--tag", "x", "--tag", "y", "--in"])
    assert vars(given) == {"names": ["a", "b"], "limit": 3, "tag": ["x", "y"], "into": True}


def test_options_without_defaults_set_nothing() -> None:
    made = ArgumentParser()
    add_options(made, [option("--store", metavar="PATH", help=""), flag("--json", help="")], with_defaults=False)
    assert vars(made.parse_args([])) == {}


def test_a_value_that_is_none_of_the_choices_is_refused_with_these_and_not_repeated() -> None:
    made = parser(option("--origin", metavar="WHO", choices=("user", "agent"), help=""))
    assert made.parse_args(["--origin", "user"]).origin == "user"
    (action,) = (action for action in made._actions if action.dest == "origin")
    assert callable(action.type)
    with pytest.raises(ArgumentTypeError, match=r"^takes one of user, agent$"):
        action.type(SECRET)


def test_the_nearest_word_is_found_or_none() -> None:
    assert nearest("acess", ["access", "list"]) == "access"
    assert nearest("zzz", ["access", "list"]) is None
