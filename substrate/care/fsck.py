"""The verb fsck: check a whole store from a child process, since a damaged file can crash the process that maps it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from substrate import errors
from substrate.encryption.domains import check_domain_keys
from substrate.errors import SubstrateError
from substrate.files import expanded
from substrate.log.copies.check import Report, check_store
from substrate.settings import load_settings
from substrate.values.progress import Progress
from substrate.views.catalogue import CACHE_CHECKS, CHECKS, VIEWS

__all__ = ["fsck"]

_CHILD: Final = "import sys; sys.path.insert(0, sys.argv[1]); from substrate.care.fsck import main; main(sys.argv[2:])"
_CRASHES: Final = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT})


def fsck(path: str | Path, *, home: str | Path | None = None, progress: Progress | None = None) -> Report:
    """Check the store in a child process, so that even a file that crashes its reader gives a report.

    The high-water mark in `home` (default: settings, as for `open`) is compared too.

    Raises what keeps it from looking (NotFound, Denied, Busy, FormatTooNew), and SubstrateError if the child dies of
    something else than the file.
    """
    # -P: a module in the working folder must not be taken for one of ours.
    keys = load_settings().home if home is None else expanded(home).resolve()
    command = [sys.executable, "-P", "-c", _CHILD, str(Path(__file__).parents[2]), str(path), str(keys)]
    said: dict[str, Any] = {}
    with (
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints, text=True) as child,  # noqa: S603 - ours
    ):
        for line in child.stdout or ():
            with suppress(ValueError):  # a line that was cut off when the child died
                said = json.loads(line)
            if "done" in said and progress is not None:
                progress(said["done"], said["total"])
        code = child.wait()
        if -code in _CRASHES:
            name = signal.Signals(-code).name
            return Report(0, 0, f"the data file is so damaged that reading it ends the process ({name})")
        if "entries" not in said and "error" not in said:
            complaints.seek(0)
            last = (complaints.read().strip() or f"exit code {code}").splitlines()[-1]
            raise SubstrateError(f"the check itself failed, which says nothing about the store: {last}")
    if "error" in said:
        kind: type[SubstrateError] = next(
            getattr(errors, name) for name in errors.__all__ if getattr(errors, name).code == said["error"]
        )
        raise kind(said["message"])
    return Report(said["entries"], said["heads"], said["damage"], said["behind"], said["misfit"])


def main(arguments: Sequence[str]) -> None:
    """The work of the child: check, and say in lines of JSON how far it is, in the last one what was found."""

    def tell(done: int, total: int) -> None:
        print(json.dumps({"done": done, "total": total}), flush=True)  # noqa: T201 - to the parent

    said: dict[str, str | int | None]
    try:
        checks = (*CHECKS, check_domain_keys, *CACHE_CHECKS)
        report = check_store(arguments[0], home=Path(arguments[1]), views=VIEWS, checks=checks, progress=tell)
        said = asdict(report)
    except SubstrateError as error:
        said = {"error": error.code, "message": str(error)}
    sys.stdout.write(json.dumps(said))
