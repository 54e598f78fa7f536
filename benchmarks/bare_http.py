"""The least that a server of the SDK can be over HTTP: tools that do nothing. What ours is measured beside."""

from __future__ import annotations

import sys

import anyio
import uvicorn

from benchmarks.bare_mcp import server
from substrate.server.http.serve import listen


def main() -> None:
    """Serve on any free port of this machine, and say which."""
    listening = listen(0)
    app = server.streamable_http_app(streamable_http_path="/mcp")
    runner = uvicorn.Server(uvicorn.Config(app, lifespan="on", log_config=None, access_log=False, ws="none"))
    sys.stderr.write(f"serving http://127.0.0.1:{listening.getsockname()[1]}/mcp\n")
    sys.stderr.flush()
    anyio.run(runner.serve, [listening])


if __name__ == "__main__":
    main()
