"""A real JupyterLab for tests: on the loopback, with folders of its own, and gone afterwards with all its kernels."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from tests.browser.forking import forked_kernels
from tests.scale import PATIENCE_S

__all__ = ["Lab", "running_lab"]

_ROOT = Path(__file__).parents[2]

# No news, no toasts over the screenshots, no saving behind our back; and every cell is drawn, also out of sight.
_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}


@dataclass(frozen=True, slots=True)
class Lab:
    """A server that answers. `root` is the folder that it shows; `home` is the SUBSTRATE_HOME of its kernels."""

    url: str
    root: Path
    home: Path

    def ask(self, path: str, method: str = "GET") -> Any:
        """What the server answers, as JSON; None if it answers nothing, or no longer has what is to be deleted."""
        try:
            with urlopen(Request(self.url + path, method=method), timeout=PATIENCE_S) as answer:  # noqa: S310 - our own server
                text = answer.read()
        except HTTPError as error:
            if method == "DELETE" and error.code == 404:
                return None
            raise
        return json.loads(text) if text else None


@contextlib.contextmanager
def running_lab(folder: Path, model: str | None = None) -> Iterator[Lab]:
    """A JupyterLab whose every file is in `folder`, for tests: its kernels see this source, and stores without a model.

    They begin as copies of one process (forking.py). With a model, empty for the default one, they are as everybody's.
    """
    settings = folder / "config" / "labconfig" / "default_setting_overrides.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(_SETTINGS), encoding="utf-8")
    root = folder / "root"
    root.mkdir()
    port = _free_port()
    lab = Lab(f"http://127.0.0.1:{port}", root, folder / "home")
    log = folder / "lab.log"
    environment = _environment(folder, lab.home, "none" if model is None else model)
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(log.open("wb"))
        if model is None:
            stack.enter_context(forked_kernels(folder / "data", environment))
        # In a group of its own: kernels that outlive the server are found by it. No token: loopback and tests only.
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"),
                *("--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.password="),
                *("--ServerApp.allow_root=True", "--ServerApp.disable_check_xsrf=True"),
                *(f"--ServerApp.root_dir={root}", "--LabApp.expose_app_in_browser=True"),
                *("--LabApp.extension_manager=readonly", "--ServerApp.terminals_enabled=False"),
            ],
            cwd=root,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _await(lab, server, log)
            yield lab
        finally:
            _stop(server)


def _environment(folder: Path, home: Path, model: str) -> dict[str, str]:
    paths = [str(_ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    ours = {
        "JUPYTER_CONFIG_DIR": folder / "config",
        "JUPYTER_RUNTIME_DIR": folder / "runtime",
        "JUPYTER_DATA_DIR": folder / "data",
        "JUPYTER_PATH": folder / "data",  # before what is installed
        "IPYTHONDIR": folder / "ipython",
        "SUBSTRATE_HOME": home,
        "SUBSTRATE_MODEL": model,
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
    }
    return os.environ | {name: str(value) for name, value in ours.items()}


def _await(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            lab.ask("/api/status")
        except (URLError, HTTPException, OSError):
            time.sleep(0.05)
        else:
            return
    tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
    raise RuntimeError(f"JupyterLab did not start (exit code {server.poll()}). The end of its log:\n{tail}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Ask it to end, which ends its kernels too; what is left of its group after that is killed."""
    server.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(PATIENCE_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait(PATIENCE_S)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
