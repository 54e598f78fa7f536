"""A contender in a process of its own, and what it measured."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.environments import Unavailable

__all__ = ["QUIET", "measured_by"]

QUIET: Mapping[str, str] = {
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "POSTHOG_DISABLED": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    # The weights of the package, through the library that ships with them; never made-up vectors.
    "MCP_MEMORY_USE_ONNX": "0",
    "MCP_MEMORY_ALLOW_HASH_EMBEDDINGS": "0",
    "MCP_MEMORY_OFFLINE": "1",
    # One thread each: CPU time is then comparable.
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Variables of each contender: one thread; nothing is sent anywhere, and nothing is downloaded."""


def measured_by(command: Sequence[str], out: Path, *, folder: Path, variables: Mapping[str, str]) -> dict[str, Any]:
    """What the command, run in `folder`, wrote to `out` as JSON. Unavailable if it failed."""
    done = subprocess.run(  # noqa: S603
        command, cwd=folder, env={**variables, **QUIET}, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise Unavailable(f"it ended badly: {(done.stderr.strip().splitlines() or ['no reason given'])[-1][:300]}")
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found
