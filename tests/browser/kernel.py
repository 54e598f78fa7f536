"""A line of our own to a notebook's kernel, beside that of the page: to ask what is true there."""

from __future__ import annotations

import ast
import json
from typing import Any
from uuid import uuid4

import websocket

from tests.browser.lab import Lab
from tests.scale import PATIENCE_S

__all__ = ["Kernel"]


class Kernel:
    """Evaluates expressions in a running kernel, by the server's websocket. The page sees nothing of it."""

    def __init__(self, lab: Lab, kernel: str) -> None:
        self._line = websocket.create_connection(
            f"{lab.url.replace('http', 'ws', 1)}/api/kernels/{kernel}/channels", timeout=PATIENCE_S
        )

    def value(self, expression: str) -> Any:
        """The JSON value of a Python expression, evaluated once the kernel is idle."""
        asked = uuid4().hex
        content = {
            "code": "",
            "silent": True,
            "store_history": False,
            "user_expressions": {"value": f"__import__('json').dumps({expression})"},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        header = {
            "msg_id": asked,
            "msg_type": "execute_request",
            "session": asked,
            "username": "",
            "version": "5.3",
            "date": "",
        }
        self._line.send(
            json.dumps({"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": content})
        )
        while True:
            message = json.loads(self._line.recv())
            if message["msg_type"] == "execute_reply" and message["parent_header"].get("msg_id") == asked:
                break
        said = message["content"]["user_expressions"]["value"]
        if said["status"] != "ok":
            raise AssertionError(f"{expression}: {said['ename']}: {said['evalue']}")
        return json.loads(ast.literal_eval(said["data"]["text/plain"]))

    def close(self) -> None:
        """Let go of the line; the kernel goes on."""
        self._line.close()
