"""What is shipped is what is on disk: packages, typing markers, one version, the public names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest

import substrate
import substrate_widgets
from substrate.embed.find_model import DEFAULT_DIGEST, DEFAULT_MODEL, Source
from substrate.errors import InputError
from substrate.extras import require
from tests.scale import EXPLORES, PATIENCE_S

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


def test_what_is_left_out_is_named_with_the_extra_that_brings_it() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    require("mcp", "this", "json")
    with pytest.raises(InputError, match=r"^this needs nobody_has_it, .* pip install 'substrate-memory\[mcp\]'$"):
        require("mcp", "this", "json", "nobody_has_it")
    code = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("substrate/**/*.py"))
    used = re.findall(r'(?<!\.)\brequire\("(\w+)"', code)  # `client.require` asks for a scope
    assert {"notebook", "mcp", "models", "pdf"} == set(used) <= set(extras)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of the source. Not compressed: that takes most of the time, and changes nothing inside."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("substrate", "widgets"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    stored = {"--build-option": ["--compression=stored"]}
    build = f"from setuptools.build_meta import build_wheel; build_wheel('..', {stored!r})"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True, timeout=PATIENCE_S)
    shutil.rmtree(source)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_every_package_and_the_typing_markers(wheel: Path) -> None:
    assert wheel.name.startswith(f"substrate_memory-{substrate.__version__}-")
    with ZipFile(wheel) as archive:
        files = set(archive.namelist())
    assert {name.replace(".", "/") + "/__init__.py" for name in packages_on_disk()} <= files
    assert {"substrate/py.typed", "substrate_widgets/py.typed"} <= files
    assert {f"substrate_widgets/web/{name}" for name in ("index.html", "web.js", "verify.js", "web.css")} <= files
    assert any(name.endswith("licenses/LICENSE") for name in files)
    assert {name.split("/")[0] for name in files if "dist-info" not in name} == {"substrate", "substrate_widgets"}


def test_the_wheel_brings_the_default_model_whole(wheel: Path, tmp_path: Path) -> None:
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path, [name for name in archive.namelist() if "/embed/weights/" in name])
    weights = tmp_path / "substrate" / "embed" / "weights"
    assert Source(DEFAULT_MODEL, weights).digest() == DEFAULT_DIGEST
    assert "Apache License" in (weights / "LICENSE").read_text(encoding="utf-8")


def added_bytes(environment: Path) -> int:
    """The size of all that was installed into an environment, without the pip that it began with."""
    packages = next(environment.glob("lib/python*/site-packages"))
    began = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
    files = [path for path in packages.rglob("*") if path.is_file() and not path.is_symlink()]
    return sum(path.stat().st_size for path in files if not path.relative_to(packages).parts[0].startswith(began))


def pip_install(environment: Path, *wanted: str) -> None:
    """As a user would, in the versions that were tested. Not compiled: nothing here is run often enough."""
    command = [environment / "bin" / "python", "-m", "pip", "install", "-q", "--no-compile", "--no-input"]
    run = subprocess.run(
        [*command, "-c", ROOT / "constraints.txt", *wanted],
        capture_output=True,
        text=True,
        timeout=10 * PATIENCE_S,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]


LEFT_OUT = """
import substrate
with substrate.open("store") as memory:
    memory.checkpoint(["v1.fact.payment_provider = Stripe"])
    assert memory.index().model == "all-MiniLM-L6-v2"
    assert "meaning" in memory.search("who handles our money")[0].why
    for more in (memory.explore, memory.transition_matrix):
        try:
            more()
        except substrate.errors.InputError as error:
            print(error)
"""


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.timeout(20 * PATIENCE_S)
def test_the_wheel_in_an_empty_environment_is_small_and_does_what_the_readme_shows(wheel: Path, tmp_path: Path) -> None:
    """One environment for all of it; what notebooks need is measured under `make soak` only: it takes minutes."""
    environment = tmp_path / "empty"
    venv.create(environment, with_pip=True)
    pip_install(environment, str(wheel))
    size = added_bytes(environment)
    print(f"core: {size / 1e6:.0f} MB")
    assert size <= 450e6

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        variables = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
        words = [environment / "bin" / command[0], *command[1:]]
        return subprocess.run(
            words, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0]
    used = run("python", "-c", first)
    assert (used.returncode, used.stderr) == (0, "")
    used = run("python", "-W", "error", "-c", LEFT_OUT)
    needs = "needs {}, which is not installed. Type: pip install 'substrate-memory[notebook]'"
    assert used.stdout.splitlines() == [
        "a widget " + needs.format("anywidget"),
        "a sparse matrix " + needs.format("scipy"),
    ], used.stderr
    for verb in (["mcp"], ["mcp-config", "--client", "cursor"], ["surfaces"]):
        served = run("substrate", *verb)
        assert (served.returncode, served.stdout) == (2, ""), served.stderr
        assert "Type: pip install 'substrate-memory[mcp]'" in served.stderr
    if EXPLORES:
        pip_install(environment, f"{wheel}[notebook,mcp]")
        size = added_bytes(environment)
        print(f"with notebook and mcp: {size / 1e6:.0f} MB")
        assert size <= 800e6
