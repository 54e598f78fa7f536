"""The verbs about meaning: index, model."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Facts
from substrate.cli.output import Output
from substrate.cli.stores import reading, writing
from substrate.cli.verb import Example, Verb, argument

if TYPE_CHECKING:
    from substrate.findings import Embedding

__all__ = ["INDEX", "MODEL"]


def _index(given: Namespace, output: Output) -> Answer:
    with writing(given) as memory, output.progress("embedding") as progress:
        done = memory.index(progress)
    facts = [("embedded versions", done.embedded), ("pieces", done.pieces), ("model", done.model or None)]
    return Answer(done.to_dict(), (Facts(facts, "good"),), is_report=True)


INDEX = Verb(
    "index",
    "find",
    "Embed what is not embedded yet, so that it is found by meaning.",
    "An open memory does it in the background; a command ends too soon for that. It goes on where it was, also after "
    "it was interrupted. The first time on a machine, the model is exported, which takes about half a minute; nothing "
    "is fetched from the network.",
    (
        Example("substrate index", "embeds what is new since the last time"),
        Example("substrate index --json", "the same for programs"),
    ),
    (),
    _index,
)


def _model(given: Namespace, output: Output) -> Answer:
    if given.spec is None:
        with reading(given) as memory:
            return _shown(memory.model(), ())
    with writing(given) as memory, output.progress("exporting"):
        folder = Path(given.spec).expanduser()
        chosen = memory.use_model(folder if folder.is_dir() else given.spec)
    hints = ("to embed what there is: substrate index; until then the vectors of before are searched",)
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


MODEL = Verb(
    "model",
    "find",
    "Show which model embeds, or choose another.",
    "Without an argument: the model that the store's log names, and how many versions wait to be embedded. With a name "
    "or a folder: that model embeds from here on, and the log says so. It must be on this machine already: a folder "
    "that sentence-transformers saved, an installed package that brings one, or one that was downloaded from the hub "
    "before. What there is is embedded anew by index; until that is done, search uses the vectors of before.",
    (
        Example("substrate model", "which one, and how far it is"),
        Example("substrate model all-MiniLM-L6-v2", "chooses the one that comes with Substrate"),
    ),
    (argument("spec", "the name or the folder of a model", metavar="MODEL", nargs="?", complete="folder"),),
    _model,
)
