"""What clients are told: that it is whole, that it is theirs, and that a server really comes of it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.cli import main
from substrate.cli.exits import Exit
from substrate.errors import InputError
from substrate.server.client_config import CLIENTS, PLACEHOLDER, config_for_http, config_for_stdio
from substrate.server.launch import Launch, http_url
from substrate.settings import environment_for_others
from substrate.surfaces import SURFACES
from tests.cli.run import Commands
from tests.scale import PATIENCE_S

NASTY = """it's a "store" $HOME `x` \\ ; é"""
FILES = {"claude-desktop": "mcpServers", "cursor": "mcpServers", "vscode": "servers", "windsurf": "mcpServers"}
FILES |= {"zed": "context_servers", "gemini-cli": "mcpServers", "json": "mcpServers"}
"""Clients with a file, and the member that has the servers."""
FILES_OVER_HTTP = ("windsurf", "gemini-cli", "zed", "json")
START = ["-P", "-m", "substrate", "mcp", "--store"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.chdir(tmp_path)
    for name in ("SUBSTRATE_STORE", "SUBSTRATE_CACHE", "SUBSTRATE_MODEL", "XDG_CONFIG_HOME", "HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    return Commands(tmp_path, monkeypatch)


def entry_of(client: str, text: str) -> Any:
    """The server's entry in what was printed for a client with a file."""
    return json.loads(text)[FILES[client]]["substrate"]


def words_in_shell(line: str) -> list[str]:
    """The arguments that a real shell gives to the program `claude`."""
    script = f"claude() {{ printf '%s\\0' \"$@\"; }}\n{line}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, timeout=PATIENCE_S)
    return done.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize("client", FILES)
def test_a_file_starts_this_python_on_this_store_with_absolute_paths(run: Commands, client: str) -> None:
    ran = run.ok("mcp-config", "--client", client, "--store", NASTY)
    entry = entry_of(client, ran.out)
    assert entry["command"] == sys.executable
    assert entry["args"] == [*START, str(run.folder / NASTY)]
    assert entry["env"] == {"SUBSTRATE_HOME": str(run.folder / "home")}
    assert entry.get("type") == ("stdio" if client == "vscode" else None)
    assert "where it belongs: " in ran.err


def test_claude_code_gets_a_command_that_a_shell_reads_as_it_is_meant(run: Commands) -> None:
    words = words_in_shell(run.ok("mcp-config", "--client", "claude-code", "--store", NASTY).out)
    server = [sys.executable, *START, str(run.folder / NASTY)]
    said = f"SUBSTRATE_HOME={run.folder / 'home'}"
    assert words == ["mcp", "add", "--env", said, "--transport", "stdio", "substrate", "--", *server]


@given(store=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_any_path_survives_the_shell_and_json(store: str) -> None:
    launch = Launch(Path("/") / store)
    command = config_for_stdio("claude-code", launch, "python", {"A": store}, "linux")
    assert tuple(shlex.split(command.text)) == command.command
    assert command.command[-1] == str(launch.store)
    for client in FILES:
        entry = entry_of(client, config_for_stdio(client, launch, "python", {"A": store}, "linux").text)
        assert (entry["args"][-1], entry["env"]["A"]) == (str(launch.store), store)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], []),
        (["--scopes", "train,write,read"], []),
        (["--surface", "atoms", "--surface", "keeping"], []),
        (["--only", "memory_search, memory_access"], ["--only", "memory_search,memory_access"]),
        (["--scopes", "forget,read"], ["--scopes", "read,forget"]),
        (["--read-only"], ["--read-only"]),
    ],
)
def test_what_differs_from_the_default_is_said(run: Commands, words: list[str], said: list[str]) -> None:
    entry = entry_of("cursor", run.ok("mcp-config", "--client", "cursor", *words).out)
    assert entry["args"] == [*START, str(run.folder / "substrate-store"), *said]


def test_several_surfaces_are_said_each() -> None:
    config = config_for_stdio("claude-code", Launch(Path("/s"), ("atoms", "other")), "python", {}, "linux")
    assert config.command[-4:] == ("--surface", "atoms", "--surface", "other")
    assert "substrate-atoms-other" in config.command


@pytest.mark.parametrize("http", [[], ["--http"]])
@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([], "substrate"),
        (["--surface", "atoms", "--surface", "keeping"], "substrate"),
        (["--surface", "keeping"], "substrate-keeping"),
        (["--surface", "keeping", "--name", "past_and-proof"], "past_and-proof"),
    ],
)
def test_a_server_is_called_by_its_surface_so_that_a_second_does_not_take_its_place(
    run: Commands, words: list[str], name: str, http: list[str]
) -> None:
    for client, member in (("cursor", "mcpServers"), ("vscode", "servers")):
        assert list(json.loads(run.ok("mcp-config", "--client", client, *words, *http).out)[member]) == [name]
    assert name in words_in_shell(run.ok("mcp-config", "--client", "claude-code", *words, *http).out)


def test_which_tools_there_are_and_what_they_take_is_said(run: Commands) -> None:
    told = run.ok("mcp-config", "--client", "cursor", "--only", "memory_access,memory_search").err
    assert re.search(r"2 tools, \d,\d{3} bytes in every conversation: memory_search, memory_access\n", told)


def test_a_client_that_rejects_dots_gets_underscores(run: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SURFACES, "keeping", "tests.surfaces.toy")  # which has dots
    for client, said in (("claude-code", True), ("cursor", False)):
        ran = run.ok("mcp-config", "--client", client, "--surface", "keeping", "--store", client)
        assert ("--underscores" in ran.out) == ("toy_keep" in ran.err) == said


def test_what_the_environment_says_is_said_again_with_absolute_paths(
    run: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUBSTRATE_HOME", "my keys")
    monkeypatch.setenv("SUBSTRATE_CACHE", "cache")
    monkeypatch.setenv("SUBSTRATE_MODEL", "none")
    monkeypatch.setenv("HF_HUB_CACHE", "hub")
    expected = {
        "SUBSTRATE_HOME": str(run.folder / "my keys"),
        "SUBSTRATE_CACHE": str(run.folder / "cache"),
        "HF_HUB_CACHE": str(run.folder / "hub"),
        "SUBSTRATE_MODEL": "none",
    }
    assert entry_of("vscode", run.ok("mcp-config", "--client", "vscode").out)["env"] == expected
    (run.folder / "none").mkdir()
    assert environment_for_others()["SUBSTRATE_MODEL"] == str(run.folder / "none")
    assert environment_for_others({}) == {}
    assert environment_for_others({"XDG_CONFIG_HOME": "/x"}) == {"SUBSTRATE_HOME": "/x/substrate"}


def test_nothing_is_said_of_an_environment_that_says_nothing() -> None:
    config = config_for_stdio("cursor", Launch(Path("/s")), "python", {}, "linux")
    assert "env" not in entry_of("cursor", config.text)


@pytest.mark.parametrize("client", CLIENTS)
def test_with_json_a_program_gets_the_same(run: Commands, client: str) -> None:
    shown = run.ok("mcp-config", "--client", client).out
    ran = run.ok("mcp-config", "--client", client, "--json")
    assert ran.err == ""
    assert ran.json["client"] == client
    assert ran.json["place"]
    if client in {"claude-code", "codex"}:
        assert shlex.join(ran.json["command"]) + "\n" == shown
    else:
        assert ran.json["config"] == json.loads(shown)


def test_over_http_the_address_and_a_place_for_the_token_are_given(run: Commands) -> None:
    cursor = entry_of("cursor", run.ok("mcp-config", "--client", "cursor", "--http").out)
    assert cursor == {"url": http_url(7827), "headers": {"Authorization": f"Bearer {PLACEHOLDER}"}}

    printed = run.ok("mcp-config", "--client", "vscode", "--http", "--port", "9000")
    document = json.loads(printed.out)
    (question,) = document["inputs"]
    assert question["password"] is True
    assert document["servers"]["substrate"] == {
        "type": "http",
        "url": "http://127.0.0.1:9000/mcp",
        "headers": {"Authorization": f"Bearer ${{input:{question['id']}}}"},
    }
    assert "--http --port 9000\n" in printed.err, "how to start the server is told"

    code = run.ok("mcp-config", "--client", "claude-code", "--http", "--read-only")
    header = f"Authorization: Bearer {PLACEHOLDER}"
    words = ["mcp", "add", "--transport", "http", "substrate", http_url(7827), "--header", header]
    assert words_in_shell(code.out) == words
    assert "--read-only --http\n" in code.err
    assert PLACEHOLDER in code.err


def test_each_client_gets_its_own_words_for_a_server() -> None:
    launch, url = Launch(Path("/s")), http_url(7827)
    zed = entry_of("zed", config_for_stdio("zed", launch, "python", {}, "linux").text)
    assert (zed["source"], zed["command"]) == ("custom", "python")
    bearer = {"Authorization": f"Bearer {PLACEHOLDER}"}
    over_http = {client: entry_of(client, config_for_http(client, url, "linux").text) for client in FILES_OVER_HTTP}
    assert over_http == {
        "windsurf": {"serverUrl": url, "headers": bearer},
        "gemini-cli": {"httpUrl": url, "headers": bearer},
        "zed": {"url": url, "headers": bearer},
        "json": {"type": "http", "url": url, "headers": bearer},
    }
    codex = config_for_stdio("codex", launch, "python", {"A": "b c"}, "linux")
    assert codex.command == ("codex", "mcp", "add", "substrate", "--env", "A=b c", "--", "python", *START, "/s")
    remote = config_for_http("codex", url, "linux")
    assert remote.command[4:] == ("--url", url, "--bearer-token-env-var", "SUBSTRATE_TOKEN")
    assert "SUBSTRATE_TOKEN" in remote.place


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ([], "takes one of claude-desktop, claude-code, codex, vscode, cursor, windsurf, zed, gemini-cli, json"),
        (["--client", "emacs"], "takes one of claude-desktop"),
        (["--client", "claude-desktop", "--http"], "leave out --http"),
        (["--client", "cursor", "--port", "9000"], "needs --http"),
        (["--client", "cursor", "--http", "--port", "0"], "must know the port"),
        (["--client", "cursor", "--scopes", "everything"], "scopes are some of"),
        (["--client", "cursor", "--only", "memory_serch"], "near it: memory_search"),
        (["--client", "cursor", "--only", " , "], "names of tools"),
        (["--client", "cursor", "--name", "two words"], "letters, digits"),
        (["--client", "cursor", "--surface", "nope"], "takes one of atoms, keeping"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(run: Commands, words: list[str], hint: str) -> None:
    ran = run("mcp-config", *words)
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert hint in ran.err


def test_a_home_that_no_json_can_hold_is_refused(run: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_HOME", os.fsdecode(b"/\xff"))
    ran = run("mcp-config", "--client", "cursor")
    assert ran.code == Exit.USAGE
    assert "UTF-8" in ran.err


def test_an_unknown_client_is_told_which_there_are() -> None:
    with pytest.raises(InputError, match="claude-desktop"):
        config_for_http("emacs", "http://x", "linux")


@pytest.mark.parametrize(
    ("platform", "place"), [("darwin", "~/Library/Application Support/Claude/"), ("linux", "~/.config/Claude/")]
)
def test_each_platform_has_its_place(platform: str, place: str) -> None:
    config = config_for_stdio("claude-desktop", Launch(Path("/s")), "python", {}, platform)
    assert config.place.startswith(f"{place}claude_desktop_config.json")


def test_nothing_is_made_by_asking(run: Commands) -> None:
    assert main(["mcp-config", "--client", "cursor", "--quiet"]) == Exit.OK
    assert list(run.folder.iterdir()) == []


def answered(process: subprocess.Popen[bytes], number: int, method: str, params: dict[str, object]) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    return next(said for line in process.stdout if (said := json.loads(line)).get("id") == number)["result"]


def test_what_is_printed_starts_a_server_with_no_environment_in_a_hostile_folder(run: Commands) -> None:
    entry = entry_of("claude-desktop", run.ok("mcp-config", "--client", "claude-desktop", "--store", NASTY).out)
    folder = run.folder / "workspace"
    for module in ("substrate", "mcp", "json"):  # Python would take these, if it looked where it is started
        (folder / module).mkdir(parents=True)
        (folder / module / "__init__.py").write_text("raise SystemExit('hostile')", encoding="ascii")
    environment = {"PATH": os.environ["PATH"], **entry["env"]}
    command = [entry["command"], *entry["args"]]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=folder
    ) as process:
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
        assert answered(process, 1, "initialize", about)["serverInfo"]["name"] == "substrate"
        tools = answered(process, 2, "tools/list", {})["tools"]
        process.kill()
    assert "memory_search" in {tool["name"] for tool in tools}
