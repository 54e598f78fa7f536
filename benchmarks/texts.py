"""Real English sentences to store: the docstrings of the standard library and of whatever is installed beside us.

None is copied into the repository: they are read from the files of this installation, in the order of their digests, so
that two runs on one installation see the same. What was read is kept in the folder for caches.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import sys
import sysconfig
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

__all__ = ["cache_folder", "digest", "digest_of", "docstrings", "save", "sentences", "sentences_of"]

_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_SENTENCE = re.compile(r"[A-Z][^{}<>|\\=_`:]*[.!?]")
_WORD = re.compile(r"[A-Za-z][a-z']*")
_FEWEST, _MOST = 6, 40
"""Words of a sentence."""
_LARGEST = 400_000
"""Bytes of a source file; larger ones are tables."""
_POOL = 40_000
"""So many are read at most: a large installation has ten times as many, and takes minutes to read."""
_PROSE = 0.75
"""The least share of characters that belong to words and the spaces between them."""


def cache_folder() -> Path:
    """Where generated inputs are kept between runs: SUBSTRATE_BENCH_CACHE, or a folder of the user's caches."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "substrate-bench"
    folder = Path(os.environ.get("SUBSTRATE_BENCH_CACHE") or default)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def digest_of(text: str) -> bytes:
    """What puts texts into an order that has nothing to do with where they come from."""
    return hashlib.sha256(text.encode()).digest()


def digest(lines: Iterable[str]) -> str:
    """A short name for these lines."""
    state = hashlib.sha256()
    for line in lines:
        state.update(line.encode() + b"\n")
    return state.hexdigest()[:16]


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text that are English prose, each on one line."""
    for part in _END.split(text):
        line = " ".join(part.split())
        found = _WORD.findall(line)
        if not _FEWEST <= len(found) <= _MOST or not _SENTENCE.fullmatch(line):
            continue
        if sum(map(len, found)) + len(found) - 1 >= _PROSE * len(line):
            yield line


def sentences(count: int, say: Callable[[str], None] = print) -> Sequence[str]:
    """So many sentences, no two alike; fewer if the installation has no more."""
    kept = cache_folder() / f"sentences-{digest(str(path) for path in _roots())}.json"
    if kept.exists():
        found = json.loads(kept.read_text(encoding="utf-8"))
    else:
        say("reading sentences from the docstrings of this installation; kept for the next run")
        found = _read()
        save(kept, json.dumps(found).encode())
    return found[:count]


def save(path: Path, content: bytes) -> None:
    """Write a file as a whole, or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as handle:
        handle.write(content)
    Path(handle.name).replace(path)


def _roots() -> list[Path]:
    paths = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib")}
    return sorted(paths | {Path(sys.prefix).resolve()})


def _read() -> list[str]:
    files = {path.relative_to(root).as_posix(): path for root in _roots() for path in root.rglob("*.py")}
    unique: dict[str, str] = {}
    for name in sorted(files, key=digest_of):
        for text in docstrings(files[name]):
            for line in sentences_of(text):
                unique.setdefault(line.casefold(), line)
        if len(unique) >= _POOL:
            break
    return sorted(unique.values(), key=digest_of)


def docstrings(path: Path) -> Iterator[str]:
    """Those of one source file; none of one that does not parse, or is very large."""
    try:
        if path.stat().st_size > _LARGEST:
            return
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return  # a template, or a file that is meant not to parse
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield text
