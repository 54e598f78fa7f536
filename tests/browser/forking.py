"""Kernels that begin as copies of a process which has imported everything: a second less of work for each notebook.

The server starts a small process for each kernel, which asks for a copy and lives as long as it; signals go through it.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

__all__ = ["forked_kernels"]

_WANTED = ("ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "anywidget")
_NOT_IN_KERNELS = tuple(f"substrate.{name}" for name in ("__main__", "cli", "embed", "server", "surfaces"))
_OURS = ("substrate", "substrate_widgets")


@contextlib.contextmanager
def forked_kernels(data: Path, environment: dict[str, str]) -> Iterator[None]:
    """While this holds, a server that finds `data` on its path has such kernels under the name of the usual ones."""
    spec = data / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as near, socket.socket(socket.AF_UNIX) as server:  # its path must be short
        begin = [sys.executable, "-I", "-S", __file__, "begin", f"{near}/kernels", "{connection_file}"]
        said = {"argv": begin, "display_name": "Python 3", "language": "python", "metadata": {"debugger": True}}
        spec.write_text(json.dumps(said), encoding="utf-8")
        server.bind(f"{near}/kernels")
        server.listen()
        copy = [sys.executable, __file__, "copy", str(server.fileno())]
        with subprocess.Popen(copy, env=environment, pass_fds=[server.fileno()], stdin=subprocess.PIPE):
            yield  # it ends when its input does, so also when these tests are killed


def _begin(listening: str, connection_file: str) -> None:
    """What the server takes for the kernel: it ends when the kernel ends, and the kernel when this is killed."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(listening)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: line.sendall(bytes([number])))
        told = json.dumps([connection_file, str(Path.cwd()), dict(os.environ)]).encode()
        socket.send_fds(line, [len(told).to_bytes(4, "big")], [1, 2])
        line.sendall(told)
        line.recv(1)


def _copy(descriptor: int) -> None:
    """Make a copy of this process for each who asks. No thread may run in here: a copy would not have it."""
    for name in (*_WANTED, *_OURS):
        importlib.import_module(name)
    for name in _OURS:
        for module in pkgutil.walk_packages(sys.modules[name].__path__, f"{name}."):
            if not module.name.startswith(_NOT_IN_KERNELS):
                importlib.import_module(module.name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for copies that ended
    server = socket.socket(fileno=descriptor)
    while sys.stdin not in select.select([server, sys.stdin], [], [])[0]:
        line, _ = server.accept()
        if os.fork() == 0:
            server.close()
            _become_kernel(line)
        line.close()


def _become_kernel(line: socket.socket) -> None:
    from ipykernel.kernelapp import IPKernelApp  # noqa: PLC0415 - loaded long ago, and not by who only asks

    length, outputs, _, _ = socket.recv_fds(line, 4, 2)
    told = b""
    while len(told) < int.from_bytes(length, "big"):
        told += line.recv(2**16)
    connection_file, folder, environment = json.loads(told)
    for number, descriptor in enumerate([os.open(os.devnull, os.O_RDONLY), *outputs]):
        os.dup2(descriptor, number)
        os.close(descriptor)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment | {"JPY_PARENT_PID": str(os.getppid())})
    threading.Thread(target=_obey, args=[line], daemon=True).start()
    IPKernelApp.launch_instance(argv=["-f", connection_file])
    sys.exit()  # as a kernel does, with all that is to be done at the end


def _obey(line: socket.socket) -> None:
    """Get the signals that were sent to who asked for this kernel, and end with it."""
    while said := line.recv(1):
        os.kill(os.getpid(), said[0])
    os._exit(1)


if __name__ == "__main__":
    if sys.argv[1] == "begin":
        _begin(*sys.argv[2:])
    else:
        _copy(int(sys.argv[2]))
