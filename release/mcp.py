"""What a release brings for MCP clients: `server.json` for the registry, and the server as one file, an `.mcpb` bundle.

    python -m release.mcp dist [--url FOLDER-OF-THE-RELEASE]

1. The registry knows a PyPI package by a line of its README, `mcp-name: NAME`. That line is the one home of the name.
2. The bundle is a zip: a manifest, the wheel, and a script that starts it. The client runs it with `uv`, which brings
   what the wheel needs. The same wheel makes the same bytes.
3. A bundle is listed in `server.json` only where it can be fetched: with `--url`, and with its digest.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import substrate

__all__ = ["NAME", "bundle", "manifest", "registry_entry"]

ROOT: Final = Path(__file__).parents[1]
_PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_PACKAGE: Final = _PROJECT["name"]
_SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
_DESCRIPTION: Final = "Memory for people and AI agents: finds by meaning, learns what comes next, proves what it says"
_STORE: Final = "Where memory is kept. The folder is made if it is not there."
_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
_START: Final = """\
import sys

from substrate.cli import main

sys.exit(main(["mcp", *sys.argv[1:]]))
"""


def _name() -> str:
    found = re.search(r"mcp-name: (\S+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit("README.md has no line `mcp-name: NAME`: the registry would not know the package")
    return found[1]


NAME: Final = _name()
"""What the registry calls the server."""


def registry_entry(url: str | None = None, digest: str | None = None) -> dict[str, Any]:
    """The document `server.json`. `url` and `digest`: of the bundle, if it can be fetched."""
    store = {
        "type": "named",
        "name": "--store",
        "description": _STORE,
        "format": "filepath",
        "default": "substrate-store",
    }
    package = {
        "registryType": "pypi",
        "identifier": _PACKAGE,
        "version": substrate.__version__,
        "runtimeHint": "uvx",
        "runtimeArguments": [
            {"type": "named", "name": "--from", "value": f"{_PACKAGE}[mcp]=={substrate.__version__}"},
        ],
        "packageArguments": [{"type": "positional", "value": "mcp"}, store],
        "transport": {"type": "stdio"},
    }
    fetched = {"registryType": "mcpb", "identifier": url, "fileSha256": digest, "transport": {"type": "stdio"}}
    return {
        "$schema": _SCHEMA,
        "name": NAME,
        "title": "Substrate",
        "description": _DESCRIPTION,
        "version": substrate.__version__,
        "packages": [package, *([] if url is None else [fetched])],
    }


def manifest() -> dict[str, Any]:
    """The document `manifest.json` of the bundle."""
    command = ["run", "--directory", "${__dirname}", "server.py", "--store", "${user_config.store}"]
    return {
        "manifest_version": "0.4",
        "name": _PACKAGE,
        "display_name": "Substrate",
        "version": substrate.__version__,
        "description": _DESCRIPTION,
        "author": {"name": "The authors of Substrate"},
        "license": _PROJECT["license"],
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {"command": "uv", "args": command},
        },
        "tools_generated": True,
        "compatibility": {
            "platforms": ["darwin", "linux"],
            "runtimes": {"python": _PROJECT["requires-python"]},
        },
        "user_config": {
            "store": {
                "type": "directory",
                "title": "Store",
                "description": _STORE,
                "required": True,
                "default": "${HOME}/substrate-store",
            }
        },
    }


def bundle(wheel: Path, folder: Path) -> Path:
    """The server as one file in the folder, made of this wheel."""
    needs = {
        "name": f"{_PACKAGE}-server",
        "version": substrate.__version__,
        "requires-python": _PROJECT["requires-python"],
    }
    described = "\n".join(f'{key} = "{value}"' for key, value in needs.items())
    files = {
        "manifest.json": (json.dumps(manifest(), indent=2) + "\n").encode(),
        "server.py": _START.encode(),
        "pyproject.toml": (
            f'[project]\n{described}\ndependencies = ["{_PACKAGE}[mcp]"]\n\n'
            f'[tool.uv.sources]\n{_PACKAGE} = {{ path = "{wheel.name}" }}\n'
        ).encode(),
        wheel.name: wheel.read_bytes(),
    }
    path = folder / f"{_PACKAGE}-{substrate.__version__}.mcpb"
    with ZipFile(path, "w", ZIP_STORED) as archive:
        for name, data in files.items():
            archive.writestr(ZipInfo(name, _LONG_AGO), data)
    return path


def main() -> int:
    """Write both into the folder that has the wheel."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the wheel is")
    parser.add_argument("--url", help="the folder from which the bundle can be fetched, once it is released")
    given = parser.parse_args()
    wheels = list(given.folder.glob(f"{_PACKAGE.replace('-', '_')}-{substrate.__version__}-*.whl"))
    if len(wheels) != 1:
        raise SystemExit(
            f"{given.folder} has {len(wheels)} wheels of {_PACKAGE} {substrate.__version__}: one is needed"
        )
    made = bundle(wheels[0], given.folder)
    url = None if given.url is None else f"{given.url.rstrip('/')}/{made.name}"
    entry = registry_entry(url, None if url is None else sha256(made.read_bytes()).hexdigest())
    described = given.folder / "server.json"
    described.write_text(json.dumps(entry, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(f"{made}\n{described}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
