"""Child processes that start at once: each is forked from a process that has imported the package already.

    python -m substrate mcp       a second of processor time, most of it for importing the SDK
    start("substrate", "mcp")     a tenth of it

They are processes like any other: they can be killed, have memory and locks of their own, and had no store open before.
What they are not is fresh. A test whose point is how a process begins (what it imports, what its interpreter is told)
starts it with `subprocess`.

    test ── fork server (one for each worker of the tests, started at the first call) ── child, child, child
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from tests.scale import PATIENCE_S

__all__ = ["Started", "run", "start", "start_fresh"]

ROOT = Path(__file__).parents[1]
_LOADED = (
    "substrate.cli",
    "substrate.memory",
    "substrate.care.fsck",
    "substrate.server.clients",
    "substrate.server.stdio",
    "substrate.surfaces.atoms.opening",
    "anyio._backends._asyncio",
)
"""What every child has imported when it begins. Nothing that starts a thread."""
_LONGEST = 1 << 20
_lock = threading.Lock()
_servers: list[tuple[subprocess.Popen[bytes], socket.socket]] = []
"""None before the first call, and one from then on."""


class Started:
    """A running child, as `subprocess.Popen` has it: `pid`, `stdin`, `stdout`, `kill`, `wait`, `returncode`."""

    def __init__(self, pid: int, status: int, stdin: IO[bytes] | None, stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.returncode: int | None = None
        self._status: int | None = status

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, or minus the signal that ended it. TimeoutExpired if it still runs after `timeout` seconds."""
        if self._status is not None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a child", timeout or 0.0)
            said = os.read(self._status, 16)
            os.close(self._status)
            self._status = None
            assert said, "the fork server went away"
            self.returncode = int(said)
        assert self.returncode is not None
        return self.returncode

    def poll(self) -> int | None:
        """The same if it has ended, or None."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has ended, and its exit code is on the way
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(
    module: str,
    *arguments: str,
    stderr: IO[bytes],
    listens: bool = True,
    environment: Mapping[str, str] | None = None,
) -> Started:
    """`python -m module arguments` in a child, in the folder of the project. It reads nothing unless it `listens`."""
    status, status_there = os.pipe()
    out, out_there = os.pipe()
    if listens:
        in_there, into = os.pipe()
    else:
        in_there, into = os.open(os.devnull, os.O_RDONLY), -1
    said = {"module": module, "arguments": arguments, "environment": {**os.environ, **(environment or {})}}
    given = [in_there, out_there, stderr.fileno(), status_there]
    with _lock:
        server = _running()
        socket.send_fds(server, [json.dumps(said).encode(errors="surrogateescape")], given)
        pid = int(server.recv(16))
    for end in (in_there, out_there, status_there):
        os.close(end)
    return Started(pid, status, open(into, "wb", buffering=0) if listens else None, open(out, "rb", buffering=0))  # noqa: PTH123


def run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same to its end: what it printed, and its exit code."""
    with tempfile.TemporaryFile() as errors:
        child = start(module, *arguments, stderr=errors, listens=False)
        with child.stdout:
            out = child.stdout.read()
        code = child.wait(PATIENCE_S)
        errors.seek(0)
        return subprocess.CompletedProcess((module, *arguments), code, out.decode(), errors.read().decode())


def start_fresh(
    module: str,
    *arguments: str,
    stderr: IO[bytes],
    listens: bool = True,
    environment: Mapping[str, str] | None = None,
    before: tuple[str, ...] = (),
) -> subprocess.Popen[bytes]:
    """The same by an interpreter of its own, behind the words `before`."""
    return subprocess.Popen(
        [*before, sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.PIPE if listens else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        bufsize=0,
    )


def _running() -> socket.socket:
    if not _servers:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)
        with theirs:
            command = [sys.executable, "-m", "tests.ready", str(theirs.fileno())]
            # Its streams are pipes, as those of its children are: Python looks at them once, when it begins.
            pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            _servers.append((subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], **pipes), ours))
        atexit.register(_end)
    return _servers[0][1]


def _end() -> None:
    for process, asked in _servers:
        asked.close()
        process.communicate(timeout=PATIENCE_S)


# -- the fork server ---------------------------------------------------------------------------------------------------


def _serve(asked: socket.socket) -> dict[str, Any]:
    """Fork a child for each request, and tell how each ends. Returns in the child: what it shall run."""
    ended, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([asked, ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            _tell(running)
        if asked in ready:
            data, given, _, _ = socket.recv_fds(asked, _LONGEST, 4)
            if not data:
                os._exit(0)
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for there, end in enumerate(given[:3]):
                    os.dup2(end, there)
                os.closerange(3, 1024)
                asked.detach()
                return dict(json.loads(data))
            running[pid] = given[3]
            for end in given[:3]:
                os.close(end)
            asked.send(str(pid).encode())


def _tell(running: dict[int, int]) -> None:
    for pid in list(running):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            told = running.pop(pid)
            with suppress(BrokenPipeError):  # nobody waits for this one any more
                os.write(told, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(told)


def _main() -> None:
    for name in _LOADED:
        import_module(name)
    gc.collect()
    gc.freeze()
    said = _serve(socket.socket(fileno=int(sys.argv[1])))
    os.environ.clear()
    os.environ.update(said["environment"])
    # That of the fork server may be a file, whose positions Python remembers.
    sys.stderr = sys.__stderr__ = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = [said["module"], *said["arguments"]]
    runpy.run_module(said["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
