"""Making a model ready once, in the cache folder: the default one from its weights, any other by torch.

Torch works in a child process: so it never lives in ours, and a crash of it is a message.

1. One exporter at a time for each cache folder, across processes, by a lock on a file in it.
2. The folder gets its name when it is whole and on disk; what a killed exporter left is removed by the next.
3. The child ends with us: it reads a pipe that closes when we do.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

from substrate.embed.artifact import Made, read_made
from substrate.embed.find_model import DEFAULT_DIGEST, Source
from substrate.errors import InputError, ModelUnavailable
from substrate.extras import require
from substrate.files import flush, make_folder, open_lock, try_lock

__all__ = ["Stop", "Tell", "export"]

_log = logging.getLogger(__name__)

Tell: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done now, and (done, total) of the whole."""
Stop: TypeAlias = threading.Event

_CHILD: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); from substrate.embed.export_process import main; main(sys.argv[2:])"
)
_LOCK: Final = ".lock"
_NEW: Final = ".new"
_POLL_S: Final = 0.1


def export(source: Source, digest: str, folder: Path, tell: Tell, stop: Stop) -> Made:
    """The export of `source` in `folder`, made unless someone else has made it by now.

    ModelUnavailable if it cannot be made, with the reason and what to do; or if `stop` was set.
    """
    try:
        make_folder(folder.parent)
        with _alone(folder.parent / _LOCK, tell, stop):
            there = read_made(folder)
            if isinstance(there, Made):
                return there
            if folder.exists():
                _log.warning("the export of the model %s is made anew: %s", source.model, there)
            for left in folder.parent.glob(f".*{_NEW}"):
                shutil.rmtree(left, ignore_errors=True)
            return _make(source, digest, folder, tell, stop)
    except OSError as error:
        raise ModelUnavailable(
            f"the model {source.model} cannot be exported into {folder.parent}: {error.strerror}. Make room there, or "
            "set SUBSTRATE_CACHE to a folder that can be written"
        ) from None


def _make(source: Source, digest: str, folder: Path, tell: Tell, stop: Stop) -> Made:
    temporary = folder.with_name(f".{folder.name[:16]}.{os.getpid()}{_NEW}")
    temporary.mkdir()
    try:
        if digest == DEFAULT_DIGEST:
            _prepare(source, digest, temporary, tell)
        else:
            _check_torch(source)
            _log.warning("exporting the model %s once, into %s: about half a minute", source.model, folder.parent)
            _run(source, digest, temporary, tell, stop)
        for path in temporary.iterdir():
            flush(path)
        flush(temporary)
        if folder.exists():  # damaged, or foreign: a folder that is not empty cannot be replaced by a rename
            folder.rename(temporary.with_name(f".{folder.name[:16]}.{os.getpid()}.old{_NEW}"))
        temporary.rename(folder)
        flush(folder.parent)
    finally:
        for left in folder.parent.glob(f".{folder.name[:16]}.{os.getpid()}*{_NEW}"):
            shutil.rmtree(left, ignore_errors=True)
    made = read_made(folder)
    if not isinstance(made, Made):
        raise ModelUnavailable(f"the export of {source.model} is not what was written: {made}. Is the disk sound?")
    _log.info("made the model %s ready; lowest cosine to torch: %.6f", made.model, made.cosine)
    return made


def _prepare(source: Source, digest: str, folder: Path, tell: Tell) -> None:
    """Fill the folder here: this takes a second or two."""
    tell("writing its graph", 0, 1)
    from substrate.embed.minilm import prepare_minilm  # noqa: PLC0415 - loads numpy and onnxruntime

    prepare_minilm(source.folder, digest, folder)


def _check_torch(source: Source) -> None:
    try:
        require("models", f"the model {source.model}", "sentence_transformers", "torch", "onnx")
    except InputError as error:
        raise ModelUnavailable(str(error)) from None


def _run(source: Source, digest: str, folder: Path, tell: Tell, stop: Stop) -> None:
    """Let the child fill the folder."""
    root = str(Path(__file__).parents[2])
    arguments = [str(source.folder), source.model, digest, str(folder)]
    command = [sys.executable, "-P", "-W", "ignore", "-c", _CHILD, root, *arguments]
    said: dict[str, Any] = {}
    with (
        tempfile.TemporaryFile("w+", errors="replace") as complaints,
        subprocess.Popen(  # noqa: S603 - ours
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, text=True
        ) as child,
        _ended_by(child, stop),
    ):
        for line in child.stdout or ():
            with suppress(ValueError):  # not ours: some library prints
                heard = json.loads(line)
                said = heard if isinstance(heard, dict) else said
            if "step" in said:
                tell(said["step"], said["done"], said["total"])
        code = child.wait()
        complaints.seek(0)
        last = ([line for line in complaints.read().splitlines() if line.strip()] or [f"exit code {code}"])[-1]
    if stop.is_set():
        raise ModelUnavailable(f"the export of {source.model} was stopped; it is made when it is next needed")
    if code or "failed" in said:
        raise ModelUnavailable(f"the model {source.model} cannot be exported: {said.get('failed', last)}")


@contextmanager
def _ended_by(child: subprocess.Popen[str], stop: Stop) -> Iterator[None]:
    """While the block runs, setting `stop` kills the child; and so does leaving it by an exception."""
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            if stop.wait(_POLL_S):
                child.kill()
                return

    watcher = threading.Thread(target=watch, name="substrate-export-watch", daemon=True)
    watcher.start()
    try:
        yield
    except BaseException:
        child.kill()
        raise
    finally:
        over.set()
        watcher.join()


@contextmanager
def _alone(path: Path, tell: Tell, stop: Stop) -> Iterator[None]:
    """While the block runs nobody else exports into this cache."""
    with open_lock(path) as lock:
        while not try_lock(lock):
            tell("another process exports a model", 0, 1)
            if stop.wait(_POLL_S):
                raise ModelUnavailable("stopped while another process exported a model")
        yield
