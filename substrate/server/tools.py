"""A tool of a surface as a tool of the SDK: who may call it, and what becomes of errors.

1. A scope that was not given at the start is refused before anything of the call is looked at.
2. Whatever goes wrong is a reply that an agent can act on: a code, a sentence that says what to do next, and whether to
   try again. No traceback, and nothing of an unexpected error's text, leaves the process: it may hold what was to be
   stored.
3. Arguments that the tool does not have are refused by name, not dropped.
"""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager, nullcontext
from inspect import cleandoc
from typing import Any, Final

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool as SdkTool
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import ValidationError

from substrate.errors import Denied, ItemsRefused, SubstrateError
from substrate.results import Result
from substrate.surfaces.seam import Refusal, Tool, compact_json, visible

__all__ = ["ServedTool", "serve_tool"]

_log = logging.getLogger(__name__)
_MOST_REFUSED: Final = 20
_BY_HAND: Final = {
    "forget": "The user can erase with `substrate forget KEY` in a terminal, or `%memory forget` in a notebook",
    "write": "The user can save with `substrate checkpoint` in a terminal",
    "train": "The user can train with `substrate train` in a terminal",
    "read": "The user can look with `substrate search` in a terminal",
}


class ServedTool(SdkTool):
    """A tool that answers with an error reply where the SDK's own would raise."""

    scope: str
    granted: bool
    reveals: bool
    """Whether this server may read: if not, no message suggests what is stored."""

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: FBT001, FBT002 - the SDK's
    ) -> CallToolResult | InputRequiredResult:
        """See `SdkTool.run`; it raises MCPError only."""
        if not self.granted:
            return self._refused(Denied(self._ungranted()))
        try:
            with nullcontext() if self.reveals else _discreet():
                result: CallToolResult | InputRequiredResult = await super().run(arguments, context, convert_result)
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - the last line of defence
            return self._refused(error)
        else:
            return result

    def _ungranted(self) -> str:
        told = f"this server was started without the scope {self.scope}, which {self.name} needs"
        return f"{told}. {_BY_HAND[self.scope]}; or start the server with {self.scope} among its --scopes"

    def _refused(self, error: Exception) -> CallToolResult:
        cause = error if isinstance(error, SubstrateError) else error.__cause__
        details: dict[str, object] = {}
        if isinstance(cause, Refusal):
            details, cause = cause.details, cause.error
        match cause:
            case ItemsRefused():
                items = [item.to_dict() for item in cause.refused[:_MOST_REFUSED] if isinstance(item, Result)]
                return _error_reply(cause.code, str(cause), items=items, **details)
            case SubstrateError():
                return _error_reply(cause.code, str(cause), retryable=cause.retryable, **details)
            case ValidationError() if not isinstance(error, UnexpectedToolError):  # of a result, it would be a bug
                return _error_reply("arguments", _explained(self.name, cause, self.parameters))
            case ToolError():  # of a question to the user: the client's answer to it was none that was asked for
                return _error_reply("refused", f"{self.name} got no usable answer to its question; nothing was done")
            case _ if isinstance(error, ToolError) and cause is None:
                return _error_reply("refused", str(error))
            case _:
                _log.exception("the tool %s failed", self.name, exc_info=error)
                return _error_reply(
                    "bug", f"{self.name} failed, which is an error in Substrate; the server's log says more"
                )


def serve_tool(tool: Tool, granted: frozenset[str]) -> ServedTool:
    """The tool as the SDK runs it, for a server with these scopes."""
    sdk = SdkTool.from_function(
        tool.run,
        title=tool.title,
        description=cleandoc(tool.run.__doc__ or ""),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.writes,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent or not tool.writes,
            open_world_hint=False,
        ),
        structured_output=True,
    )
    model = sdk.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    fields = {name: getattr(sdk, name) for name in SdkTool.model_fields}
    fields["parameters"] = sdk.parameters | {"additionalProperties": False}
    return ServedTool(**fields, scope=tool.scope, granted=tool.scope in granted, reveals="read" in granted)


def _discreet() -> AbstractContextManager[None]:
    from substrate.engine.likeness import discreet  # noqa: PLC0415 - the engine is loaded by the first call, not before

    return discreet()


def _error_reply(code: str, message: str, **details: object) -> CallToolResult:
    said = {"code": code, "message": message, **{word: value for word, value in details.items() if value}}
    # Not as structured content: that has to fit the tool's output schema, also in an error. Some clients check it, and
    # throw away a reply that does not fit, our message with it.
    text = compact_json(said) if details.get("items") else visible(f"{code}: {message}")
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        _meta={"error": said},
        is_error=True,
    )


def _explained(tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    """What is wrong with the arguments, field by field; without their values, which may be long."""
    known = ", ".join(schema["properties"])
    said = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False)[:_MOST_REFUSED]:
        where = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
            said.append(f"{where}: there is no such argument; {tool} has {known or 'none'}")
        else:
            said.append(f"{where}: {problem['msg']}")
    return "; ".join(said)
