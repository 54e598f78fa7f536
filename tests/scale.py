"""How much a test does, where, and how long it waits: one size for every run, another for `make soak`.

`make test` is deterministic: every seed is fixed. `make soak` explores: it sets SUBSTRATE_SOAK to a multiplier of the
sizes and SUBSTRATE_SEED to a random seed, which it prints.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

__all__ = ["EXPLORES", "MEMORY", "PATIENCE_S", "SEED", "has_room_in_memory", "rounds"]

PATIENCE_S = 120.0
"""How long a test waits for another process or thread before it fails. Long: on a busy machine everything is slow."""

SEED = os.environ.get("SUBSTRATE_SEED", "1")
"""What random choices begin with. To replay a failure of `make soak`: SUBSTRATE_SEED=<the seed that it printed>."""

EXPLORES = "SUBSTRATE_SOAK" in os.environ
"""Whether this run looks for new failures. Any other run does the same each time."""

MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes folders of its own in it
"""A file system in memory, where a commit does not wait for a disk."""
_ROOM = 4 * 2**30


def has_room_in_memory() -> bool:
    """Whether the folders of a whole run fit into MEMORY, and programs in them can be started."""
    if not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < _ROOM:
        return False
    return not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC


def rounds(pr: int, soak: int) -> int:
    """`pr` in every run, `soak` times the multiplier under `make soak`. Who calls it bears the soak marker."""
    return soak * int(os.environ["SUBSTRATE_SOAK"]) if EXPLORES else pr
