"""The verbs about meaning: index, model."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Facts
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.files import expanded
from substrate.settings import load_settings

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.values.embedding import Embedding

__all__ = ["MODEL_WAIT_S", "index", "model", "waiting_hints"]

MODEL_WAIT_S = 120.0
"""A command waits so long for the model: exporting it, once on a machine, takes half a minute. --words does not."""


_MANY = 100
"""Versions without vectors from which on it takes a while to make them."""


def waiting_hints(memory: Memory) -> tuple[str, ...]:
    """After much was taken in: what to type so that it is found by meaning, too."""
    if load_settings().model == "none" or (waiting := memory.model().waiting) < _MANY:
        return ()
    return (f"{waiting:,} versions have no vectors yet: substrate index makes them",)


def index(given: Namespace, output: Output) -> Answer:
    """Embed what is not embedded yet."""
    with writing(given) as memory, output.progress("embedding") as progress:
        before = memory.model().waiting
        try:
            done = memory.index(progress)
        except KeyboardInterrupt:
            left = memory.model().waiting
            told = f"stopped: {max(0, before - left):,} of {before:,} versions are embedded"
            raise KeyboardInterrupt(f"{told}. To go on from there: substrate index") from None
    facts = [("embedded versions", done.embedded), ("pieces", done.pieces), ("model", done.model or None)]
    return Answer(done.to_dict(), (Facts(facts, "good"),), is_report=True)


def model(given: Namespace, output: Output) -> Answer:
    """Print which model embeds, or choose another."""
    if given.spec is None:
        with reading(given) as memory:
            return _shown(memory.model(), ())
    with writing(given) as memory, output.progress("exporting"):
        folder = expanded(given.spec)
        chosen = memory.use_model(folder if folder.is_dir() else given.spec)
    hints = ("to embed all atoms with it: substrate index; until then search uses the old vectors",)
    return _shown(chosen, hints if chosen.waiting else ())


def _shown(model: Embedding, hints: tuple[str, ...]) -> Answer:
    facts = [
        ("model", model.model or "none yet: the first index names it"),
        ("digest", model.digest or None),
        ("dimensions", model.dimensions or None),
        ("searched still", model.searched or None),
        ("versions waiting", model.waiting),
    ]
    return Answer(model.to_dict(), (Facts(facts),), hints)
