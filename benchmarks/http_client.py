"""A server over HTTP in a process of its own, and one connection to it that stays open."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

__all__ = ["HttpServer"]

_PSS = re.compile(r"^Pss:\s+([0-9]+) kB", re.MULTILINE)
_OK = 200


class HttpServer:
    """It says on standard error, or on standard output, where it serves: `serving http://...`."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own modules
            [sys.executable, "-m", *words],
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        url = next(line.split()[1] for line in self._process.stderr or () if line.startswith("serving "))
        split = urlsplit(url)
        self._path = split.path
        self._connection = HTTPConnection(split.hostname or "", split.port)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.close()
        self._process.terminate()
        self._process.communicate()

    @property
    def cpu_ns(self) -> int:
        """Nanoseconds of CPU that it has used so far, with all its threads."""
        return time.clock_gettime_ns((~self._process.pid << 3) | 2)

    def megabytes(self) -> float:
        """Its share of memory just now (PSS): what it has alone, and its part of what others have too."""
        text = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text(encoding="ascii")
        return int(_PSS.findall(text)[0]) / 1024

    def post(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Any:  # noqa: ANN401 - as JSON has it
        """The answer to a request. One that is refused is an error here."""
        said = {"Content-Type": "application/json", **headers}
        self._connection.request("POST", self._path, json.dumps(body).encode(), said)
        answer = self._connection.getresponse()
        data = answer.read()
        if answer.status != _OK:
            raise AssertionError(f"{answer.status}: {data[:300]!r}")
        return json.loads(data)
