"""A server from npm, in the folder of the peers: installed by the system's npm, started by the system's node."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.peers.environments import FOLDER, Unavailable

__all__ = ["script_of"]


def script_of(package: str, version: str, script: str, say: Callable[[str], None]) -> list[str]:
    """The command that runs a script of this package, which is installed first if it is not there."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Unavailable("node and npm are needed")
    folder = FOLDER / package.rpartition("/")[2]
    path, done = folder / "node_modules" / package / script, folder / ".installed"
    if not (done.exists() and done.read_text(encoding="utf-8") == version):
        say(f"{package}: installing into {folder.relative_to(FOLDER.parent)}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _install(npm, f"{package}@{version}", folder)
        done.write_text(version, encoding="utf-8")
    return [node, str(path)]


def _install(npm: str, what: str, folder: Path) -> None:
    flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--cache", str(folder / "cache")]
    done = subprocess.run(  # noqa: S603 - found on the path
        [npm, "install", *flags, "--prefix", str(folder), what], capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        raise Unavailable(f"npm could not install it: {(lines or ['no reason given'])[0][:300]}")
