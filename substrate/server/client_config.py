"""What clients have to be told to use a server: each in its own form, with everything spelt out. Pure.

A client starts a server in a folder and with an environment of its own choosing. So paths are absolute, what our
environment says is said again, and Python is told not to look for modules in that folder (-P), which may hold anyone's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import join
from typing import Final, TypeAlias

from substrate.errors import InputError
from substrate.result import Result
from substrate.server.launch import DEFAULT_SCOPES, DEFAULT_WAIT_S, SCOPES, Launch
from substrate.surfaces import DEFAULT_SURFACES

__all__ = [
    "CLIENTS",
    "PLACEHOLDER",
    "ClientConfig",
    "config_for_http",
    "config_for_stdio",
    "launch_words",
    "server_name",
    "takes_dots",
]

PLACEHOLDER: Final = "PUT-THE-TOKEN-HERE"
_NAME: Final = "substrate"
_NO_DOTS: Final = ("claude-desktop", "claude-code", "codex")
"""Clients that withhold all tools of a server if the name of one has a dot."""
_TOKEN_VARIABLE: Final = "SUBSTRATE_TOKEN"  # noqa: S105 - the name of a variable
_TOKEN_INPUT: Final = "substrate-token"  # noqa: S105 - the name of a question
_DESKTOP_FILE: Final = "claude_desktop_config.json"
_DESKTOP_FOLDERS: Final = {"darwin": "~/Library/Application Support/Claude", "linux": "~/.config/Claude"}


@dataclass(frozen=True, slots=True, repr=False)
class ClientConfig(Result):
    """What one client has to be given: `config` for its file, or the `command` that adds it; and where it belongs."""

    client: str
    place: str
    config: Mapping[str, object] | None = None
    command: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """To be pasted: JSON, or a command for the shell."""
        return join(self.command) if self.config is None else json.dumps(self.config, ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class _Stdio:
    """A server that the client starts."""

    name: str
    words: tuple[str, ...]
    environment: Mapping[str, str]

    def entry(self) -> dict[str, object]:
        entry: dict[str, object] = {"command": self.words[0], "args": list(self.words[1:])}
        return entry | ({"env": dict(self.environment)} if self.environment else {})


@dataclass(frozen=True, slots=True)
class _Http:
    """A server that runs already."""

    name: str
    url: str

    def entry(self, token: str = PLACEHOLDER) -> dict[str, object]:
        return {"url": self.url, "headers": {"Authorization": f"Bearer {token}"}}


_Server: TypeAlias = _Stdio | _Http


def config_for_stdio(  # noqa: PLR0913 - a client, a server and a machine
    client: str, launch: Launch, interpreter: str, environment: Mapping[str, str], platform: str, *, name: str = ""
) -> ClientConfig:
    """For a client that starts the server itself, under a name of its own. InputError if there is no such client."""
    words = (interpreter, "-P", "-m", "substrate", *launch_words(launch))
    return _config_of(client, _Stdio(name or server_name(launch), words, environment), platform)


def config_for_http(client: str, url: str, platform: str, *, name: str = _NAME) -> ClientConfig:
    """For a server that runs already; where its token belongs, the text says so. InputError if the client cannot."""
    return _config_of(client, _Http(name, url), platform)


def server_name(launch: Launch) -> str:
    """What a client calls such a server: by its surfaces, so that a second one does not take the first one's place."""
    return _NAME if launch.surfaces == DEFAULT_SURFACES else "-".join([_NAME, *launch.surfaces])


def takes_dots(client: str) -> bool:
    """Whether the client can call a tool that has a dot in its name."""
    return client not in _NO_DOTS


def launch_words(launch: Launch) -> tuple[str, ...]:
    """The words after `substrate` that start a server so; what is as by default is not said."""
    words = ["mcp", "--store", str(launch.store)]
    if launch.surfaces != DEFAULT_SURFACES:
        words += [word for name in launch.surfaces for word in ("--surface", name)]
    if launch.only:
        words += ["--only", ",".join(launch.only)]
    if launch.scopes != DEFAULT_SCOPES:
        words += ["--scopes", ",".join(scope for scope in SCOPES if scope in launch.scopes)]
    words += ["--vault", str(launch.vault)] if launch.vault is not None else []
    words += ["--underscores"] if launch.underscores else []
    words += ["--wait", f"{launch.wait_s:g}"] if launch.wait_s != DEFAULT_WAIT_S else []
    words += ["--project", launch.project] if launch.project else []
    words += [word for root in launch.roots for word in ("--root", str(root))]
    return (*words, *(["--read-only"] if launch.read_only else []))


def _claude_desktop(server: _Server, platform: str) -> ClientConfig:
    if isinstance(server, _Http):
        raise InputError("Claude Desktop starts the servers of its file itself: leave out --http")
    folder = _DESKTOP_FOLDERS.get(platform, "the folder of Claude Desktop")
    place = f"{folder}/{_DESKTOP_FILE}, beside what is there; then quit Claude Desktop and start it again"
    return ClientConfig("claude-desktop", place, {"mcpServers": {server.name: server.entry()}})


def _claude_code(server: _Server, _: str) -> ClientConfig:
    place = "a terminal, in the project's folder; for all projects of yours, with `--scope user` after `add`"
    if isinstance(server, _Http):
        header = f"Authorization: Bearer {PLACEHOLDER}"
        words: Sequence[str] = ("--transport", "http", server.name, server.url, "--header", header)
    else:
        # --env takes all words up to the next option: the transport is said to end it, before the name.
        variables = [word for name, value in server.environment.items() for word in ("--env", f"{name}={value}")]
        words = (*variables, "--transport", "stdio", server.name, "--", *server.words)
    return ClientConfig("claude-code", place, command=("claude", "mcp", "add", *words))


def _codex(server: _Server, _: str) -> ClientConfig:
    place = "a terminal; Codex keeps it in ~/.codex/config.toml"
    if isinstance(server, _Http):
        place += f". Set {_TOKEN_VARIABLE} to the token wherever Codex is started"
        words: Sequence[str] = (server.name, "--url", server.url, "--bearer-token-env-var", _TOKEN_VARIABLE)
    else:
        variables = [word for name, value in server.environment.items() for word in ("--env", f"{name}={value}")]
        words = (server.name, *variables, "--", *server.words)
    return ClientConfig("codex", place, command=("codex", "mcp", "add", *words))


@dataclass(frozen=True, slots=True)
class _File:
    """A client with a file of JSON that lists its servers."""

    place: str
    member: str = "mcpServers"
    url: str = "url"
    """What the address of a server that runs already is called."""
    stdio: Mapping[str, str] = field(default_factory=dict)
    http: Mapping[str, str] = field(default_factory=dict)
    """What an entry says beside that."""

    def config(self, client: str, server: _Server) -> ClientConfig:
        if isinstance(server, _Stdio):
            entry = {**self.stdio, **server.entry()}
        else:
            entry = {**self.http, **{self.url if key == "url" else key: said for key, said in server.entry().items()}}
        return ClientConfig(client, f"{self.place}; beside what is there", {self.member: {server.name: entry}})


_FILES: Final[Mapping[str, _File]] = {
    "cursor": _File("~/.cursor/mcp.json for all projects, or .cursor/mcp.json in one"),
    "windsurf": _File("~/.codeium/windsurf/mcp_config.json", url="serverUrl"),
    "zed": _File("the file that `zed: open settings` opens", "context_servers", stdio={"source": "custom"}),
    "gemini-cli": _File("~/.gemini/settings.json for all projects, or .gemini/settings.json in one", url="httpUrl"),
    "json": _File("the file of a client that reads `mcpServers`, as most do", http={"type": "http"}),
}
"""Clients that differ in their file alone."""


def _vscode(server: _Server, _: str) -> ClientConfig:
    place = ".vscode/mcp.json in a workspace, or what `MCP: Open User Configuration` opens; beside what is there"
    if isinstance(server, _Stdio):
        return ClientConfig("vscode", place, {"servers": {server.name: {"type": "stdio"} | server.entry()}})
    asked = {
        "type": "promptString",
        "id": _TOKEN_INPUT,
        "description": "Token of the Substrate server",
        "password": True,
    }
    entry = {"type": "http"} | server.entry(f"${{input:{_TOKEN_INPUT}}}")
    return ClientConfig("vscode", place, {"inputs": [asked], "servers": {server.name: entry}})


_FORMS: Final[dict[str, Callable[[_Server, str], ClientConfig]]] = {
    "claude-desktop": _claude_desktop,
    "claude-code": _claude_code,
    "codex": _codex,
    "vscode": _vscode,
}
CLIENTS: Final = (*_FORMS, *_FILES)


def _config_of(client: str, server: _Server, platform: str) -> ClientConfig:
    if client in _FILES:
        return _FILES[client].config(client, server)
    if client not in _FORMS:
        raise InputError(f"name the client: --client {'|'.join(CLIENTS)}")
    return _FORMS[client](server, platform)
