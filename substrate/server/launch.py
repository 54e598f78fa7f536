"""What a server was started with: all that decides what a client may do. No argument and no stored text adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from substrate.errors import InputError
from substrate.surfaces import DEFAULT_SURFACES
from substrate.text.quote import as_command

__all__ = [
    "DEFAULT_SCOPES",
    "DEFAULT_WAIT_S",
    "HTTP_HOST",
    "HTTP_PATH",
    "HTTP_PORT",
    "SCOPES",
    "Launch",
    "http_url",
    "read_scopes",
    "ungranted",
]

SCOPES: Final = ("read", "write", "train", "forget", "admin")
"""`admin` is for tools that set policy, export or take in files; none of the default surfaces needs it."""
DEFAULT_SCOPES: Final = frozenset({"read", "write", "train"})
DEFAULT_WAIT_S: Final = 2.0
"""A model that is on the machine is loaded by then; an agent that waits longer would wonder."""
_VERBS: Final = {"forget": "forget", "write": "checkpoint", "train": "train", "read": "search"}
"""With which verb of the command line the user does what a server may not."""
HTTP_HOST: Final = "127.0.0.1"
HTTP_PORT: Final = 7827
"""SUBS on the keys of a telephone. Assigned to nobody, and below the ports that systems hand out by themselves."""
HTTP_PATH: Final = "/mcp"


@dataclass(frozen=True, slots=True)
class Launch:
    """Which store is served, by which tools, and what these may do."""

    store: Path
    surfaces: tuple[str, ...] = DEFAULT_SURFACES
    scopes: frozenset[str] = DEFAULT_SCOPES
    read_only: bool = False
    """The store is opened for reading: nothing at all is written, and no scope but `read` is left."""
    only: tuple[str, ...] = ()
    """Of their tools, those of these names; empty: all."""
    underscores: bool = False
    """Names of tools are listed with underscores in the place of dots. Calls take both."""
    wait_s: float = DEFAULT_WAIT_S
    """How long a call that compares by meaning waits for a model that is being loaded."""
    hosted: bool = False
    """Its clients are on other machines: they are told no path, and no command to run."""
    project: str = ""
    """Where tools write and read that have a project, if a call says none; empty: the surface's own default."""
    roots: tuple[Path, ...] = ()
    """Folders below which tools may read files; none: no file at all."""
    vault: Path | None = None
    """The folder of the vault that notes are promoted to; None: none is."""

    @property
    def granted(self) -> frozenset[str]:
        """The scopes that tools have."""
        return self.scopes & {"read"} if self.read_only else self.scopes


def read_scopes(text: str) -> frozenset[str]:
    """Scopes from `read,write`. InputError, naming those that there are, if one is none of them."""
    given = [word.strip() for word in text.split(",") if word.strip()]
    unknown = [word for word in given if word not in SCOPES]
    if unknown or not given:
        raise InputError(f"scopes are some of {', '.join(SCOPES)}, with commas between them")
    return frozenset(given)


def ungranted(launch: Launch, scope: str, what: str, verb: str = "") -> str:
    """Why a server that was started so does not do `what`, which needs the scope; and what the user can do instead.

    `verb` is that of the command line which does the same; empty: the one that goes with the scope.
    """
    if launch.hosted:
        return f"this token has no scope {scope}, which {what} needs. Ask the one who gave it to you for another"
    if launch.read_only:
        told, instead = f"this server only reads, and {what} writes", "start the server without --read-only"
    else:
        told = f"this server was started without the scope {scope}, which {what} needs"
        instead = f"start the server with {scope} among its --scopes"
    verb = verb or _VERBS.get(scope, "")
    by_hand = f" do it with `{as_command('substrate', verb, '--store', str(launch.store))} ...`, or" if verb else ""
    return f"{told}. The user can{by_hand} {instead}"


def http_url(port: int, path: str = HTTP_PATH) -> str:
    """Where a server over HTTP is found."""
    return f"http://{HTTP_HOST}:{port}{path}"
