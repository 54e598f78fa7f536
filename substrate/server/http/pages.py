"""What a server for several tenants answers beside the protocol: whether it works, and how much it does.

`/health` says nothing of any tenant. `/metrics` counts calls and times of each tool, in Prometheus' text, without
content and without tenants; through a public name it is not there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from substrate import __version__
from substrate.server.http.tenants import Tenants

__all__ = ["Pages"]

_TYPE: Final = "text/plain; version=0.0.4"
_MS_PER_S: Final = 1000
_NOT_FOUND: Final = 404


class Pages:
    """The application around the others. `local` are the values of Host by which this machine calls itself."""

    def __init__(self, app: ASGIApp, tenants: Tenants, local: Collection[str]) -> None:
        self._app = app
        self._tenants = tenants
        self._local = frozenset(local)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a page, or hand on."""
        page = self._page(scope) if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") else None
        await (page or self._app)(scope, receive, send)

    def _page(self, scope: Scope) -> Response | None:
        if scope["path"] == "/health":
            return JSONResponse({"status": "ok", "service": "memory", "version": __version__})
        if scope["path"] == "/metrics":
            if Headers(scope=scope).get("host", "") not in self._local:
                return PlainTextResponse("not here\n", _NOT_FOUND)
            return PlainTextResponse(self._metrics(), media_type=_TYPE)
        return None

    def _metrics(self) -> str:
        rows = self._tenants.meter.read()
        lines = ["# TYPE substrate_open_stores gauge", f"substrate_open_stores {self._tenants.open_stores()}"]
        for word, of in (("calls", "count"), ("errors", "errors")):
            lines.append(f"# TYPE substrate_{word}_total counter")
            lines += [f'substrate_{word}_total{{tool="{tool}"}} {counts[of]:.0f}' for tool, counts in rows.items()]
        lines.append("# TYPE substrate_call_seconds summary")
        for tool, counts in rows.items():
            for quantile, word in (("0.5", "p50"), ("0.95", "p95"), ("0.99", "p99")):
                seconds = counts[word] / _MS_PER_S
                lines.append(f'substrate_call_seconds{{tool="{tool}",quantile="{quantile}"}} {seconds:.6f}')
            total = counts["avg"] * counts["count"] / _MS_PER_S
            lines.append(f'substrate_call_seconds_sum{{tool="{tool}"}} {total:.6f}')
            lines.append(f'substrate_call_seconds_count{{tool="{tool}"}} {counts["count"]:.0f}')
        return "\n".join(lines) + "\n"
