"""A tool of a surface as a tool of the SDK: who may call it, and what becomes of errors.

1. A call without the scopes that its tool needs is refused before anything of it is looked at.
2. Whatever goes wrong is a reply that an agent can act on: a code, a sentence that says what to do next, and whether to
   try again. No traceback, and nothing of an unexpected error's text, leaves the process: it may hold what was to be
   stored.
3. Arguments that the tool does not have are refused by name, not dropped.
4. Every call is counted and timed (`metering`).
5. A tool that compares by meaning waits a moment for a model that is being loaded; meanwhile others are served.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from inspect import cleandoc, signature
from time import perf_counter_ns, time_ns
from typing import Any, Final, get_args

from anyio import CapacityLimiter
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool as SdkTool
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from substrate.errors import Denied, ItemsRefused, SubstrateError
from substrate.messages import Words, render
from substrate.result import Result, iso
from substrate.server.clients import Clients
from substrate.server.launch import Launch, ungranted
from substrate.server.logs import log_call, log_fault
from substrate.server.schemas import fields_at, lean, skeleton
from substrate.settings import load_settings
from substrate.surfaces.arguments import TIME_IN_WORDS
from substrate.surfaces.shape import compact_json, shown
from substrate.surfaces.surface import spelled
from substrate.surfaces.tool import Refusal, Tool

__all__ = ["ServedTool", "serve_tool", "shape_of"]

_MOST_REFUSED: Final = 20


class ServedTool(SdkTool):
    """A tool that answers with an error reply where the SDK's own would raise."""

    scopes: frozenset[str]
    """What a call must have been given."""
    ungranted: str
    """What is said if it was not."""
    budget: bool
    """Whether it keeps the size of its replies itself."""
    by_meaning: bool
    """Whether a call waits a moment for a model that is being loaded."""
    moments: tuple[str, ...]
    """Its arguments that take a time in words."""
    wire_name: str
    """Its own; `name` is how it is listed."""
    words: Words = Field(exclude=True)
    """What arguments are called in its messages."""
    turns: Any = Field(exclude=True)
    """Of a tool that writes and asks nobody: how many calls do so at once."""
    hidden: tuple[str, ...] = Field((), exclude=True)
    """Paths of this machine that clients on others are not told."""
    failure: Any = Field(exclude=True)
    """Structured content of an error, if its document promises one."""
    error_fields: Any = Field(exclude=True)
    """What its surface adds to `_meta.error`."""

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: FBT001, FBT002 - the SDK's
    ) -> CallToolResult | InputRequiredResult:
        """See `SdkTool.run`; it raises MCPError only."""
        clients: Clients = context.request_context.lifespan_context
        began, code = perf_counter_ns(), "cancelled"
        try:
            with clients.serving():
                result = await self._answer(arguments, context, clients, convert_result=convert_result)
            code = _code_of(result)
        finally:
            spent = perf_counter_ns() - began
            clients.meter.count(self.wire_name, spent, failed=bool(code))
            log_call(self.wire_name, spent, code, get_access_token())
        return result

    async def _answer(
        self, arguments: dict[str, Any], context: Context[Any, Any], clients: Clients, *, convert_result: bool
    ) -> CallToolResult | InputRequiredResult:
        granted = clients.scopes_of(context.request_context)
        if not self.scopes <= granted:
            return self._refused(Denied(self.ungranted))
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            if self.by_meaning:
                await clients.until_warm()
            async with self.turns or nullcontext():
                with nullcontext() if "read" in granted else _discreet():
                    result: CallToolResult | InputRequiredResult = await super().run(given, context, convert_result)
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - the last line of defence
            return self._refused(error)
        result = _noted(result, _times_read({name: given.get(name) for name in self.moments}))
        return result if self.budget else _noted(result, clients.note(self.words))

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
                return self._error(cause.code, told, items=items[:_MOST_REFUSED], **details)
            case SubstrateError():
                return self._error(cause.code, render(cause.message, self.words), retryable=cause.retryable, **details)
            case ValidationError() if not isinstance(error, UnexpectedToolError):  # of a result, it would be a bug
                return self._error("arguments", _explained(self.name, cause, self.parameters))
            case ToolError():  # of a question to the user: the client's answer to it was none that was asked for
                return self._error("refused", f"{self.name} got no usable answer to its question; nothing was done")
            case _ if isinstance(error, ToolError) and cause is None:
                return self._error("refused", str(error))
            case _:
                log_fault(f"the tool {self.name}", cause or error)
                return self._error(
                    "bug", f"{self.name} failed, which is an error in Substrate; the server's log says more"
                )

    def _error(self, code: str, message: str, **details: object) -> CallToolResult:
        for path in self.hidden:
            message = message.replace(path, "...")
        said = {"code": code, "message": message, **{word: value for word, value in details.items() if value}}
        said = {**self.error_fields(code), **said}  # what the tool itself says goes first
        is_plain = not details.get("proof") and not (isinstance(items := details.get("items"), list) and len(items) > 1)
        text = shown(f"{code}: {message}") if is_plain else compact_json(said)
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            # It has to fit the tool's output schema, also in an error. Some clients check it, and throw away a reply
            # that does not fit, our message with it. So only where the tool's document promises some.
            structured_content=None if self.failure is None else self.failure(shown(message)),
            _meta={"error": said},
            is_error=True,
        )


def serve_tool(  # noqa: PLR0913 - what a surface and a launch say of it
    tool: Tool,
    words: Words,
    launch: Launch,
    turns: CapacityLimiter,
    *,
    listed: Mapping[str, str] | None = None,
    error_fields: Callable[[str], Mapping[str, object]] = lambda _: {},
) -> ServedTool:
    """The tool as the SDK runs it, for a server that was started so.

    `turns`: how many calls write at once. `listed`: how tools are called in this server's list, by their wire names.
    """
    listed = listed or {}
    sdk = SdkTool.from_function(
        tool.run,
        title=tool.title,
        annotations=ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent or not tool.writes,
            open_world_hint=False,
        ),
        structured_output=False,  # the SDK would make the whole schema, which is not what is published
    )
    model = sdk.fn_metadata.arg_model
    if model.model_config.get("extra") != "forbid":
        model.model_config["extra"] = "forbid"
        model.model_rebuild(force=True)
    fields = {name: getattr(sdk, name) for name in SdkTool.model_fields}
    fields["name"] = listed.get(tool.name, tool.name)
    fields["description"] = spelled(cleandoc(tool.run.__doc__ or ""), listed)
    fields["parameters"] = lean(sdk.parameters) | {"additionalProperties": False}
    shape = shape_of(tool)
    sdk.fn_metadata.output_model, sdk.fn_metadata.output_schema = shape, skeleton(shape)
    missing = next(iter(sorted(tool.scopes - launch.granted)), tool.scope)
    return ServedTool(
        **fields,
        scopes=tool.scopes,
        ungranted=ungranted(launch, missing, fields["name"], tool.verb),
        budget=tool.budget,
        by_meaning=tool.by_meaning,
        moments=tuple(name for name, field in model.model_fields.items() if TIME_IN_WORDS in field.metadata),
        wire_name=tool.name,
        words=words,
        turns=turns if tool.writes and not tool.asks_user else None,
        hidden=(str(launch.store), str(load_settings().home)) if launch.hosted else (),
        failure=tool.failure,
        error_fields=error_fields,
    )


def shape_of(tool: Tool) -> type[BaseModel]:
    """What the tool promises to reply: its function returns `Annotated[CallToolResult, Shape]`."""
    return _shape_of(tool.run)


@lru_cache(maxsize=256)
def _shape_of(run: Callable[..., object]) -> type[BaseModel]:
    _, shape = get_args(signature(run, eval_str=True).return_annotation)
    model: type[BaseModel] = shape
    return model


def _code_of(result: CallToolResult | InputRequiredResult) -> str:
    """The code of an error; empty: it is none."""
    if not isinstance(result, CallToolResult) or not result.is_error:
        return ""
    return str((result.meta or {}).get("error", {}).get("code", "error"))


def _noted(result: CallToolResult | InputRequiredResult, note: str) -> CallToolResult | InputRequiredResult:
    """The reply, and what there is to know of the store beside it."""
    if not note or not isinstance(result, CallToolResult):
        return result
    return result.model_copy(update={"content": [*result.content, TextContent(type="text", text=note)]})


def _times_read(given: Mapping[str, object]) -> str:
    """Which times words such as `2 weeks ago` were taken for; empty: none were given."""
    words = {name: text for name, text in given.items() if isinstance(text, str) and text}
    if not words:
        return ""
    from substrate.atoms.moments import in_words  # noqa: PLC0415 - the engine is loaded by the first call, not before

    now = time_ns() // 1000
    read = {name: in_words(text, now) for name, text in words.items()}
    said = [f"{name} was read as {iso(time)}" for name, time in read.items() if time is not None]
    return f"note: {', '.join(said)}" if said else ""


def _spelled(item: dict[str, object], words: Words) -> dict[str, object]:
    return {word: render(said, words) if isinstance(said, str) else said for word, said in item.items()}


def _discreet() -> AbstractContextManager[None]:
    from substrate.atoms.meant.near_names import discreet  # noqa: PLC0415 - the engine is loaded by the first call, not before

    return discreet()


def _explained(tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    """What is wrong with the arguments, field by field; without their values, which may be long."""
    said = []
    unknown: dict[str, list[str]] = {}
    for problem in error.errors(include_url=False, include_input=False, include_context=False)[:_MOST_REFUSED]:
        where = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            place = problem["loc"][:-1]
            whose = tool if not place else f"an item of {place[0]}" if isinstance(place[-1], int) else f"{place[-1]}"
            unknown.setdefault(f"{whose} has {', '.join(fields_at(schema, place)) or 'none'}", []).append(where)
        elif problem["type"] == "model_type":  # its words name a class of ours
            fields = ", ".join(fields_at(schema, problem["loc"]))
            said.append(f"{where}: give an object" + (f" with {fields}" if fields else ""))
        else:
            said.append(f"{where}: {problem['msg']}")
    for known, names in unknown.items():
        there_is = "there is no such argument" if len(names) == 1 else "there are no such arguments"
        said.append(f"{', '.join(names)}: {there_is}; {known}")
    return "; ".join(said)
