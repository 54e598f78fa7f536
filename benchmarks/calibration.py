"""What this machine does with three things that bound us, and what machine it is."""

from __future__ import annotations

import hashlib
import os
import platform
import sqlite3
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

import lmdb
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import substrate
from benchmarks.raw_lmdb import RawLmdb
from benchmarks.timing import Contender, interleave
from substrate.kv.lmdb.filesystem import file_system_type

__all__ = ["Calibration", "calibrate", "machine"]


def _sha256(times: int) -> float:
    data, sha256 = bytes(65), hashlib.sha256
    before = time.process_time()
    for _ in range(times):
        sha256(data).digest()
    return (time.process_time() - before) / times


@dataclass(frozen=True, slots=True)
class Calibration:
    """Seconds: SHA-256 of 65 bytes (CPU), an Ed25519 verification (wall), a synced LMDB commit of one row."""

    sha256: float
    ed25519: float
    commit_wall: float
    commit_cpu: float
    load: float
    """Processes that wanted to run, mean of the last minute."""

    def __str__(self) -> str:
        return (
            f"SHA-256 of 65 bytes {self.sha256 * 1e9:.0f} ns CPU; Ed25519 verification {self.ed25519 * 1e6:.0f} us; "
            f"LMDB synced commit {self.commit_wall * 1e3:.2f} ms wall, {self.commit_cpu * 1e3:.2f} ms CPU; "
            f"load {self.load:.1f}"
        )


def calibrate(folder: Path) -> Calibration:
    """What the machine does right now, in files in `folder`."""
    private = Ed25519PrivateKey.generate()
    public, message = private.public_key(), bytes(200)
    signature = private.sign(message)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        raw = RawLmdb(Path(place), ["rows"])
        samples = interleave(
            {
                "verify": Contender(lambda _: public.verify(signature, message)),
                "commit": Contender(raw.put, lambda number: {"rows": [(number.to_bytes(8, "big"), bytes(250))]}),
            },
            rounds=100,
            warm_up=10,
        )
        raw.close()
    hashing = median(_sha256(20_000) for _ in range(7))
    verify, commit = samples["verify"], samples["commit"]
    return Calibration(hashing, verify.wall, commit.wall, commit.cpu, os.getloadavg()[0])


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine(folder: Path) -> list[str]:
    """Date, versions, processor, and the file system that the stores lie on."""
    system = f"{platform.system()} {platform.release()}; {os.cpu_count()} x {_processor()}"
    engine = ".".join(str(number) for number in lmdb.version())
    versions = {
        "Python": platform.python_version(),
        "substrate": substrate.__version__,
        "py-lmdb": f"{version('lmdb')} (LMDB {engine})",
        "cryptography": version("cryptography"),
        "SQLite": sqlite3.sqlite_version,
    }
    return [
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC; {system}",
        "; ".join(f"{name} {number}" for name, number in versions.items()),
        f"stores in a temporary folder, file system {file_system_type(folder.resolve()) or 'unknown'}",
    ]
