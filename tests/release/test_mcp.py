"""What a release brings for MCP clients fits the schemas of those who read it, and starts our server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from jsonschema import Draft7Validator

import substrate
from release.mcp import NAME, bundle, main, manifest, registry_entry
from tests.scale import PATIENCE_S

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
URL = "https://example.org/releases"


def faults(document: Any, schema: str) -> list[str]:
    validator = Draft7Validator(json.loads((HERE / schema).read_text(encoding="utf-8")))
    return [error.message for error in validator.iter_errors(document)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As `make dist` has it before; what is in the wheel does not matter here."""
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / f"substrate_memory-{substrate.__version__}-py3-none-any.whl").write_bytes(b"a wheel")
    return dist


def test_the_entry_fits_the_schema_of_the_registry_and_the_readme_names_the_server() -> None:
    entry = registry_entry()
    assert faults(entry, "server.schema.json") == []
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert {entry["version"], *(package["version"] for package in entry["packages"])} == {substrate.__version__}
    assert NAME.count("/") == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", "no slash"),
        ("description", "x" * 101),
        ("version", "latest"),
        ("packages", [{"registryType": "pypi", "identifier": "substrate-memory"}]),
        ("packages", [{"registryType": "mcpb", "identifier": f"{URL}/a.mcpb", "transport": {"type": "stdio"}}]),
        ("registry_type", "pypi"),
    ],
)
def test_an_entry_that_the_registry_refuses_is_caught(key: str, value: object) -> None:
    broken = deepcopy(registry_entry())
    broken[key] = value
    assert faults(broken, "server.schema.json")


def test_both_are_written_and_the_entry_has_the_digest_of_the_bundle(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["release.mcp", str(folder), "--url", URL])
    assert main() == 0
    entry = json.loads((folder / "server.json").read_text(encoding="utf-8"))
    assert faults(entry, "server.schema.json") == []
    (made,) = folder.glob("*.mcpb")
    assert entry["packages"][1]["identifier"] == f"{URL}/{made.name}"
    first = made.read_bytes()
    assert main() == 0
    assert made.read_bytes() == first
    for wheel in folder.glob("*.whl"):
        wheel.unlink()
    with pytest.raises(SystemExit, match="has 0 wheels"):
        main()


def test_the_bundle_holds_what_its_manifest_says_and_starts_the_server(folder: Path, tmp_path: Path) -> None:
    (wheel,) = folder.glob("*.whl")
    with ZipFile(bundle(wheel, folder)) as archive:
        archive.extractall(tmp_path / "unpacked")
    unpacked = tmp_path / "unpacked"
    said = json.loads((unpacked / "manifest.json").read_text(encoding="utf-8"))
    assert said == manifest()
    assert faults(said, "manifest.schema.json") == []
    assert faults({**said, "server": {"type": "uv"}}, "manifest.schema.json")
    project = tomllib.loads((unpacked / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["uv"]["sources"] == {"substrate-memory": {"path": wheel.name}}
    assert (unpacked / wheel.name).read_bytes() == b"a wheel"
    told = subprocess.run(
        [sys.executable, str(unpacked / said["server"]["entry_point"]), "--help"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    ).stdout
    assert "substrate mcp" in told
