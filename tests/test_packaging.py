"""What is shipped is what is on disk: packages, typing markers, one version, the public names."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest

import substrate
import substrate_widgets
from tests.scale import PATIENCE_S

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def packages_on_disk() -> list[str]:
    """Every folder with Python files, by the name under which it ships."""
    paths = [path for part in ("substrate", "widgets") for path in (ROOT / part).rglob("*.py")]
    folders = {".".join(path.parent.relative_to(ROOT).parts) for path in paths}
    return sorted(re.sub(r"^widgets\b", "substrate_widgets", folder) for folder in folders)


def test_every_package_on_disk_is_listed() -> None:
    assert PROJECT["tool"]["setuptools"]["packages"] == packages_on_disk()


def test_every_package_has_an_init_file() -> None:
    folders = [name.replace("substrate_widgets", "widgets").replace(".", "/") for name in packages_on_disk()]
    assert [folder for folder in folders if not (ROOT / folder / "__init__.py").is_file()] == []


def test_the_version_is_written_in_one_place() -> None:
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "substrate.__version__"}
    sources = [ROOT / "pyproject.toml", *(ROOT / "substrate").rglob("*.py"), *(ROOT / "widgets").rglob("*.py")]
    holders = [path for path in sources if substrate.__version__ in path.read_text(encoding="utf-8")]
    assert holders == [ROOT / "substrate/__init__.py"]


def test_the_installed_version_is_the_source_version() -> None:
    assert version("substrate-memory") == substrate.__version__


@pytest.mark.parametrize("package", [substrate, substrate_widgets])
def test_public_names_are_sorted_and_importable(package: object) -> None:
    names: list[str] = package.__all__  # type: ignore[attr-defined]
    assert names == sorted(set(names))
    for name in names:
        assert getattr(package, name) is not None
        assert name in dir(package)


def test_every_lazy_name_is_public() -> None:
    assert {*substrate._HOMES, "__version__"} == set(substrate.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = substrate.nonsense


@pytest.mark.parametrize("folder", ["substrate", "widgets"])
def test_both_packages_say_that_they_are_typed(folder: str) -> None:
    assert (ROOT / folder / "py.typed").is_file()


def test_the_wheel_holds_every_package_and_the_typing_markers(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("substrate", "widgets"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = "from setuptools.build_meta import build_wheel; build_wheel('..')"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True, timeout=PATIENCE_S)

    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith(f"substrate_memory-{substrate.__version__}-")
    with ZipFile(wheel) as archive:
        files = set(archive.namelist())
    assert {name.replace(".", "/") + "/__init__.py" for name in packages_on_disk()} <= files
    assert {"substrate/py.typed", "substrate_widgets/py.typed"} <= files
    assert any(name.endswith("licenses/LICENSE") for name in files)
    assert {name.split("/")[0] for name in files if "dist-info" not in name} == {"substrate", "substrate_widgets"}
