"""A tool of a surface as a tool of the SDK: who may call it, and what becomes of errors.

1. A scope that was not given at the start is refused before anything of the call is looked at.
2. Whatever goes wrong is a reply that an agent can act on: a code, a sentence that says what to do next, and whether to
   try again. No traceback, and nothing of an unexpected error's text, leaves the process: it may hold what was to be
   stored.
3. Arguments that the tool does not have are refused by name, not dropped.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from inspect import cleandoc
from typing import Any, Final

from anyio import CapacityLimiter
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool as SdkTool
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError

from substrate.errors import Denied, ItemsRefused, SubstrateError
from substrate.messages import Words, render
from substrate.result import Result
from substrate.server.launch import Launch
from substrate.server.logs import log_fault
from substrate.server.schemas import lean
from substrate.surfaces.shape import compact_json, shown
from substrate.surfaces.tool import Refusal, Tool
from substrate.text.quote import as_command

__all__ = ["ServedTool", "serve_tool"]

_MOST_REFUSED: Final = 20
_EDGE: Final = "source, target, type, confidence"
_VERBS: Final = {"forget": "forget", "write": "checkpoint", "train": "train", "read": "search"}
"""With which verb of the command line the user does what a server may not."""


class ServedTool(SdkTool):
    """A tool that answers with an error reply where the SDK's own would raise."""

    granted: bool
    ungranted: str
    """What is said if it is not."""
    budget: bool
    """Whether it keeps the size of its replies itself."""
    reveals: bool
    """Whether this server may read: if not, no message suggests what is stored."""
    words: Words = Field(exclude=True)
    """What arguments are called in its messages."""
    turns: Any = Field(exclude=True)
    """Of a tool that writes and asks nobody: how many calls do so at once."""

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: FBT001, FBT002 - the SDK's
    ) -> CallToolResult | InputRequiredResult:
        """See `SdkTool.run`; it raises MCPError only."""
        if not self.granted:
            return self._refused(Denied(self.ungranted))
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            async with self.turns or nullcontext():
                with nullcontext() if self.reveals else _discreet():
                    result: CallToolResult | InputRequiredResult = await super().run(given, context, convert_result)
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - the last line of defence
            return self._refused(error)
        else:
            return result if self.budget else _noted(result, context)

    def _refused(self, error: Exception) -> CallToolResult:
        cause = error if isinstance(error, SubstrateError) else error.__cause__
        details: dict[str, object] = {}
        if isinstance(cause, Refusal):
            details, cause = cause.details, cause.error
        match cause:
            case ItemsRefused():
                items = [_spelled(item.to_dict(), self.words) for item in cause.refused if isinstance(item, Result)]
                told = render(cause.message, self.words)
                if len(items) > 1:
                    told = f"nothing was saved: {len(items)} items cannot be taken"
                return _error_reply(cause.code, told, items=items[:_MOST_REFUSED], **details)
            case SubstrateError():
                return _error_reply(cause.code, render(cause.message, self.words), retryable=cause.retryable, **details)
            case ValidationError() if not isinstance(error, UnexpectedToolError):  # of a result, it would be a bug
                return _error_reply("arguments", _explained(self.name, cause, self.parameters))
            case ToolError():  # of a question to the user: the client's answer to it was none that was asked for
                return _error_reply("refused", f"{self.name} got no usable answer to its question; nothing was done")
            case _ if isinstance(error, ToolError) and cause is None:
                return _error_reply("refused", str(error))
            case _:
                log_fault(f"the tool {self.name}", cause or error)
                return _error_reply(
                    "bug", f"{self.name} failed, which is an error in Substrate; the server's log says more"
                )


def serve_tool(tool: Tool, words: Words, launch: Launch, turns: CapacityLimiter) -> ServedTool:
    """The tool as the SDK runs it, for a server that was started so. `turns`: how many calls write at once."""
    granted = launch.granted
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
    fields["parameters"] = lean(sdk.parameters) | {"additionalProperties": False}
    if sdk.fn_metadata.output_schema is not None:
        sdk.fn_metadata.output_schema = lean(sdk.fn_metadata.output_schema)
    return ServedTool(
        **fields,
        granted=tool.scope in granted,
        budget=tool.budget,
        ungranted=_ungranted(tool, launch),
        reveals="read" in granted,
        words=words,
        turns=turns if tool.writes and not tool.destructive else None,  # what asks the user may wait for long
    )


def _noted(result: CallToolResult | InputRequiredResult, context: Context[Any, Any]) -> Any:  # noqa: ANN401 - the same
    """The reply, and what there is to know of the store beside it."""
    note = context.request_context.lifespan_context.note()
    if not note or not isinstance(result, CallToolResult):
        return result
    return result.model_copy(update={"content": [*result.content, TextContent(type="text", text=note)]})


def _ungranted(tool: Tool, launch: Launch) -> str:
    if launch.read_only:
        told, instead = f"this server only reads, and {tool.name} writes", "start the server without --read-only"
    else:
        told = f"this server was started without the scope {tool.scope}, which {tool.name} needs"
        instead = f"start the server with {tool.scope} among its --scopes"
    verb = _VERBS.get(tool.scope)
    by_hand = (
        "" if verb is None else f" do it with `{as_command('substrate', verb, '--store', str(launch.store))} ...`, or"
    )
    return f"{told}. The user can{by_hand} {instead}"


def _spelled(item: dict[str, object], words: Words) -> dict[str, object]:
    return {word: render(said, words) if isinstance(said, str) else said for word, said in item.items()}


def _discreet() -> AbstractContextManager[None]:
    from substrate.atoms.near_names import discreet  # noqa: PLC0415 - the engine is loaded by the first call, not before

    return discreet()


def _error_reply(code: str, message: str, **details: object) -> CallToolResult:
    said = {"code": code, "message": message, **{word: value for word, value in details.items() if value}}
    # Not as structured content: that has to fit the tool's output schema, also in an error. Some clients check it, and
    # throw away a reply that does not fit, our message with it.
    is_plain = not details.get("proof") and not (isinstance(items := details.get("items"), list) and len(items) > 1)
    text = shown(f"{code}: {message}") if is_plain else compact_json(said)
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
        if problem["type"] == "extra_forbidden":
            whose, has = (tool, known or "none") if len(problem["loc"]) == 1 else ("an edge", _EDGE)
            said.append(f"{where}: there is no such argument; {whose} has {has}")
        elif problem["type"] == "string_type" and problem["loc"][0] == "atoms":
            said.append(f'{where}: an atom is a text, "key = value"')
        else:
            said.append(f"{where}: {problem['msg']}")
    return "; ".join(said)
