"""What must not happen in a page: an error that nobody caught or that is logged, a request that leaves the server."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Error, Page, Request, WebSocket

__all__ = ["Watch"]

# What JupyterLab itself says when a kernel is restarted or shut down under what it had asked of it, or answers a second
# window after that has given up.
_THEIRS = ("Could not restore the debugger state", "Canceled future for ", "Comm not found for comm id ")


class Watch:
    """Collects the faults of one page, in the words that a test fails with."""

    def __init__(self, page: Page, origin: str) -> None:
        self.faults: list[str] = []
        self._host = urlsplit(origin).netloc
        page.on("pageerror", self._error)
        page.on("console", self._console)
        page.on("request", self._request)
        page.on("websocket", self._socket)

    def _error(self, error: Error) -> None:
        if not error.message.removeprefix("Error: ").startswith(_THEIRS):
            self.faults.append(f"page error: {error.stack or error.message}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_THEIRS):
            self.faults.append(f"console error: {message.text} ({message.location.get('url', '')})")

    def _request(self, request: Request) -> None:
        self._leaves(request.url)

    def _socket(self, socket: WebSocket) -> None:
        self._leaves(socket.url)

    def _leaves(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != self._host:
            self.faults.append(f"request to another origin: {url}")
