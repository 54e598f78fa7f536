"""A model made ready, in the cache folder: what it is made of, and whether it still is what was made.

    <cache>/models/<digest of the source>/
      model.onnx       ids and mask -> vectors of length 1, pooling included
      model.weights    its large tensors, if they are not in it
      tokenizer.json   for `tokenizers`
      made.json        what is said below, and the digests of the others
      checked.json     marks of the system on files whose digests were compared: 90 MB are not read at every start

A folder gets its name when it is whole. It is no secret and belongs to no store: it can be copied to another machine.
There its files have other marks, so their digests are compared once more.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Final, TypeGuard

from substrate.errors import ModelUnavailable
from substrate.files import replace_file
from substrate.messages import Verb
from substrate.settings import load_settings

__all__ = [
    "CHECKED",
    "GRAPH",
    "MADE",
    "PIECE_OVERLAP",
    "PIECE_TOKENS",
    "TOKENIZER",
    "WEIGHTS",
    "Made",
    "digest_of",
    "folder_of",
    "read_made",
    "write_made",
]

GRAPH: Final = "model.onnx"
WEIGHTS: Final = "model.weights"
TOKENIZER: Final = "tokenizer.json"
MADE: Final = "made.json"
CHECKED: Final = "checked.json"
_FORMAT: Final = 1
_SETTLED_S: Final = 2.0
"""A file that was written less long ago gets no mark: a second write could leave the same times."""

PIECE_TOKENS: Final = 200
"""How wide the pieces of a long text are. Less than the window of MiniLM: of 250 words, the last are hardly heard."""
PIECE_OVERLAP: Final = 50
"""How many tokens a piece shares with the one before it: what stands at a seam is whole in one of the two."""


@dataclass(frozen=True, slots=True)
class Made:
    """What one must know to run an export. `digest` is the source's; `graph` and `tokenizer` are those of the files."""

    format: int
    model: str
    digest: str
    graph: str
    tokenizer: str
    pooling: str
    dimensions: int
    max_tokens: int
    """The model's window, special tokens included."""
    pad: int
    lower_case: bool
    query_prompt: str
    text_prompt: str
    cosine: float
    """The lowest cosine to what torch made of the same texts, when it was made."""
    by: str
    """What made it: torch and sentence-transformers, or our own graph of the weights."""
    weights: str = ""
    """Digest of the file beside the graph; empty if the graph has all, as those of earlier versions have."""

    @property
    def files(self) -> dict[str, str]:
        """The digest of each file."""
        files = {GRAPH: self.graph, TOKENIZER: self.tokenizer}
        return files | {WEIGHTS: self.weights} if self.weights else files

    @property
    def space(self) -> bytes:
        """What these vectors may be compared with: 8 bytes, the same wherever model and cutting are the same."""
        rule = [self.digest, self.pooling, self.max_tokens, PIECE_TOKENS, PIECE_OVERLAP, "name: value"]
        return sha256(json.dumps(rule).encode()).digest()[:8]


def folder_of(digest: str, cache: Path | None = None) -> Path:
    """Where the export of the source with this digest is, or will be."""
    if not re.fullmatch("[0-9a-f]{64}", digest):
        raise ModelUnavailable(
            "a model's digest has 64 hex digits: the store names none; choose one with ", Verb("use_model")
        )
    return (load_settings().cache if cache is None else cache) / "models" / digest


def write_made(folder: Path, made: Made) -> None:
    """Put the last file into the folder of a new export. Raises OSError."""
    replace_file(folder / MADE, json.dumps(asdict(made), indent=2).encode(), 0o644)


def read_made(folder: Path) -> Made | str:
    """The export in `folder`, checked byte for byte; else why there is none: a reason to make it anew.

    Files that were checked before, and that the system has not seen written since, are not read again.
    """
    try:
        said = json.loads((folder / MADE).read_bytes())
    except FileNotFoundError:
        return "it is not there"
    except (OSError, ValueError) as error:
        return f"{MADE} cannot be read ({type(error).__name__})"
    if not _is_whole(said):
        return f"{MADE} lacks what it must say, or is of another version"
    made = Made(**{field.name: said[field.name] for field in fields(Made) if field.name in said})
    if made.digest != folder.name:
        return f"{MADE} is about another model"
    marks = _marks_of(folder, made)
    if marks is None or marks != _checked_marks(folder):
        for name, expected in made.files.items():
            if digest_of(folder / name) != expected:
                return f"{name} is missing, cut off or changed"
        _keep_marks(folder, marks)
    return made


def _marks_of(folder: Path, made: Made) -> dict[str, list[str | int]] | None:
    """Of each file its expected digest, and what the system says of it; a change of a byte changes the last number.

    None if a file is not there, or was written just now.
    """
    marks: dict[str, list[str | int]] = {}
    for name, digest in made.files.items():
        try:
            said = (folder / name).stat()
        except OSError:
            return None
        if not 0 <= said.st_ctime < time.time() - _SETTLED_S:
            return None
        marks[name] = [digest, said.st_dev, said.st_ino, said.st_size, said.st_mtime_ns, said.st_ctime_ns]
    return marks


def _checked_marks(folder: Path) -> object:
    """The marks when the digests were last compared; None if they never were."""
    try:
        return json.loads((folder / CHECKED).read_bytes())
    except (OSError, ValueError):
        return None


def _keep_marks(folder: Path, marks: dict[str, list[str | int]] | None) -> None:
    if marks is not None:
        with suppress(OSError):  # a cache that this user may only read
            replace_file(folder / CHECKED, json.dumps(marks).encode(), 0o644)


def _is_whole(said: object) -> TypeGuard[dict[str, Any]]:
    types = {"str": str, "int": int, "bool": bool, "float": float}
    return (
        isinstance(said, dict)
        and said.get("format") == _FORMAT
        and all(type(said.get(field.name, field.default)) is types[str(field.type)] for field in fields(Made))
    )


def digest_of(path: Path) -> str | None:
    """SHA-256 of a file as hex digits; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
