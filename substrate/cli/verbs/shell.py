"""The verb for shells: completion."""

from __future__ import annotations

from argparse import Namespace

from substrate.cli.answer import Answer, Raw
from substrate.cli.catalogue import VERBS
from substrate.cli.completion import script
from substrate.cli.output import Output

__all__ = ["completion"]


def completion(given: Namespace, _: Output) -> Answer:
    """Print a completion script."""
    text = script(given.shell, VERBS)
    return Answer({"shell": given.shell, "script": text}, (Raw(text),))
