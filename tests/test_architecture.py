"""Holds docs/architecture.md: which part may import which, what a module may be called, how long it may be.

`violations` reads syntax trees only, so it sees imports inside functions and under TYPE_CHECKING as well. Each rule has
a broken twin below: a small tree with one fault, which must be reported.
"""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# From the bottom up. A part may import its own layer and those before it; cycles are refused separately.
LAYERS = [
    {
        "errors",
        "names",
        "limits",
        "blanks",
        "clock",
        "files",
        "places",
        "results",
        "secrets",
        "settings",
        "terms",
        "claims",
    },
    {"proof"},
    {"codec", "findings", "growth", "learned", "model", "openings", "prediction"},
    {"kv"},
    {"log"},
    {"views", "embed"},
    {"search", "markov", "opening"},
    {"engine"},
    {"surfaces"},
    {"server", "notebook", "cli", "widgets", "__main__", "substrate"},
]
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}

# Parts that may import less than the layers allow: nothing but these, and themselves.
ONLY: dict[str, set[str]] = {
    "errors": set(),
    "results": set(),
    "blanks": set(),
    "proof": {"errors", "results"},
    "secrets": set(),
    "terms": set(),
    "claims": {"terms"},
    "kv": {"errors", "files"},
    "surfaces": {"errors", "limits", "results", "model", "findings", "learned", "openings", "engine"},
}

# Folders whose files do not know each other, and the files in them that are exempt: who knows all, who is known by all.
STRANGERS = {
    "substrate.views": {
        "substrate.views",
        "substrate.views.arcs",
        "substrate.views.episodes",
        "substrate.views.sessions",
        "substrate.views.follower",
        "substrate.views.models",
        "substrate.views.nearest",
        "substrate.views.sealing",
    },
    "substrate.engine": {
        "substrate.engine",
        "substrate.engine.memory",
        "substrate.engine.absence",
        "substrate.engine.arcs",
        "substrate.engine.asked",
        "substrate.engine.batch",
        "substrate.engine.calibration",
        "substrate.engine.caring",
        "substrate.engine.chains",
        "substrate.engine.conflicts",
        "substrate.engine.credentials",
        "substrate.engine.filters",
        "substrate.engine.finding",
        "substrate.engine.forecasting",
        "substrate.engine.gathering",
        "substrate.engine.heirs",
        "substrate.engine.intake",
        "substrate.engine.judging",
        "substrate.engine.learning",
        "substrate.engine.likeness",
        "substrate.engine.mentions",
        "substrate.engine.meaning",
        "substrate.engine.moments",
        "substrate.engine.nearby",
        "substrate.engine.observing",
        "substrate.engine.offers",
        "substrate.engine.owed",
        "substrate.engine.paging",
        "substrate.engine.pinned",
        "substrate.engine.progress",
        "substrate.engine.provenance",
        "substrate.engine.proving",
        "substrate.engine.reading",
        "substrate.engine.recording",
        "substrate.engine.restating",
        "substrate.engine.scope",
        "substrate.engine.selection",
        "substrate.engine.session",
        "substrate.engine.shared",
        "substrate.engine.showing",
        "substrate.engine.staleness",
        "substrate.engine.stores",
        "substrate.engine.validity",
        "substrate.engine.watch",
        "substrate.engine.windows",
    },
}

# Third-party packages with a single door.
DOORS = {"lmdb": "substrate.kv.lmdb", "faiss": "substrate.views.nearest", "scipy": "substrate.engine.matrix"}

EMPTY_NAMES = {"util", "helper", "common", "manager", "handler", "base", "core"}
MAX_LINES = 400


def module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    """`proof` for substrate.proof.verify, `widgets` for widgets.explorer, `substrate` for the package itself."""
    first, *rest = module.split(".")
    return rest[0] if first == "substrate" and rest else first


def imports_of(tree: ast.AST, module: str, *, is_package: bool, known: set[str]) -> set[str]:
    """Every module the tree imports, by its full dotted name."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                here = module.split(".")
                folder = here[: len(here) - node.level + is_package]
                source = ".".join([*folder, *([source] if source else [])])
            for alias in node.names:
                child = f"{source}.{alias.name}"
                found.add(child if child in known else source)
    # `substrate_widgets` is the name under which widgets/ ships.
    return {
        "widgets" + name.removeprefix("substrate_widgets") if name.startswith("substrate_widgets") else name
        for name in found
    }


def may_import(part: str, other: str) -> bool:
    if part in ONLY:
        return other in ONLY[part]
    return other in RANK and RANK[other] <= RANK[part]


def direction_faults(module: str, imported: set[str]) -> list[str]:
    part = part_of(module)
    if part not in RANK:
        return [f"{module}: {part} has no place in LAYERS"]
    faults = []
    for name in sorted(imported):
        top, other = name.split(".")[0], part_of(name)
        if top in DOORS and module != DOORS[top]:
            faults.append(f"{module}: only {DOORS[top]} imports {top}")
        if top in {"substrate", "widgets"} and other != part and not may_import(part, other):
            faults.append(f"{module}: {part} may not import {other}")
    for folder, exempt in STRANGERS.items():
        siblings = {name for name in imported if name.startswith(folder + ".")} - exempt - {module}
        if module.startswith(folder + ".") and module not in exempt and siblings:
            faults.append(f"{module}: files of {folder} do not import each other: {', '.join(sorted(siblings))}")
    return faults


def shape_faults(path: Path, text: str) -> list[str]:
    faults = []
    words = {word for name in path.with_suffix("").parts for word in name.strip("_").split("_")}
    if empty := {word for word in words if word.removesuffix("s") in EMPTY_NAMES}:
        faults.append(f"{path}: a name that says nothing: {', '.join(sorted(empty))}")
    if (lines := len(text.splitlines())) > MAX_LINES:
        faults.append(f"{path}: {lines} lines; over {MAX_LINES} it is two files")
    return faults


def violations(root: Path) -> list[str]:
    """Every breach of the rules in root/substrate and root/widgets, one line each."""
    paths = sorted(path.relative_to(root) for part in ("substrate", "widgets") for path in (root / part).rglob("*.py"))
    known = {module_name(path) for path in paths}
    graph: dict[str, set[str]] = {}
    faults: list[str] = []
    for path in paths:
        text = (root / path).read_text(encoding="utf-8")
        module = module_name(path)
        tree = ast.parse(text)
        imported = imports_of(tree, module, is_package=path.name == "__init__.py", known=known)
        faults += shape_faults(path, text) + direction_faults(module, imported)
        # The package itself loads its public names lazily and imports them for type checkers only: no cycle.
        graph[module] = set() if module == "substrate" else (imported & known) - {module}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        faults.append(f"cyclic import: {' <- '.join(error.args[1])}")
    return faults


def bare_widget_imports(root: Path) -> list[str]:
    """`import widgets` works from the repository's root by accident; the import name is substrate_widgets."""
    folders = ("substrate", "widgets", "tests", "examples", "benchmarks")
    found = []
    for path in sorted(path for folder in folders for path in (root / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            if any(name.split(".")[0] == "widgets" for name in names):
                found.append(f"{path.relative_to(root)}:{node.lineno}: import substrate_widgets, not widgets")
    return found


def write_tree(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


SOUND = {
    "substrate/__init__.py": "if TYPE_CHECKING:\n    from substrate import errors\n",
    "substrate/errors.py": "",
    "substrate/limits.py": "from substrate import errors\n",
    "substrate/proof/__init__.py": "from substrate.proof.verify import verify\n",
    "substrate/proof/verify.py": "import hashlib\nfrom substrate.errors import ProofInvalid\nfrom . import entry\n",
    "substrate/proof/entry.py": "from ..errors import ProofInvalid\n",
    "substrate/kv/__init__.py": "",
    "substrate/kv/api.py": "",
    "substrate/kv/lmdb.py": "import lmdb\nfrom substrate.kv import api\n",
    "substrate/log/__init__.py": "",
    "substrate/log/append.py": "from substrate.kv.api import Store\nfrom substrate.proof import verify\n",
    "substrate/views/__init__.py": "from substrate.views import atoms, vectors\n",
    "substrate/views/atoms.py": "from substrate.log import append\n",
    "substrate/views/edges.py": "",
    "substrate/views/nearest.py": "import faiss\n",
    "substrate/views/vectors.py": "from substrate.views.nearest import Nearest\n",
    "substrate/engine/__init__.py": "",
    "substrate/engine/memory.py": "from substrate.engine import search\n",
    "substrate/engine/search.py": "from substrate.views import atoms\n",
    "substrate/surfaces/default.py": "from substrate.engine.memory import Memory\n",
    "widgets/__init__.py": "import substrate\nfrom substrate_widgets import explorer\n",
    "widgets/explorer.py": "from substrate.engine.memory import Memory\n",
}

# file, what stands in it instead, what must be reported
FAULTS = [
    ("substrate/errors.py", "import substrate.names", "errors may not import names"),
    ("substrate/limits.py", "from .kv import api", "limits may not import kv"),
    ("substrate/proof/entry.py", "from substrate import limits", "proof may not import limits"),
    ("substrate/kv/api.py", "import substrate.limits", "kv may not import limits"),
    ("substrate/kv/api.py", "from ..proof import entry", "kv may not import proof"),
    ("substrate/log/append.py", "def f():\n    from substrate import engine", "log may not import engine"),
    ("substrate/log/append.py", "if TYPE_CHECKING:\n    import substrate.engine", "log may not import engine"),
    ("substrate/log/append.py", "import substrate_widgets", "log may not import widgets"),
    ("substrate/log/append.py", "from substrate import __version__", "log may not import substrate"),
    ("substrate/surfaces/default.py", "import substrate.log.append", "surfaces may not import log"),
    ("substrate/views/atoms.py", "from substrate.views import edges", "files of substrate.views do not import each"),
    ("substrate/engine/train.py", "from .search import x", "files of substrate.engine do not import each other"),
    ("substrate/kv/folder.py", "import lmdb.cffi", "only substrate.kv.lmdb imports lmdb"),
    ("substrate/views/atoms.py", "from faiss import x", "only substrate.views.nearest imports faiss"),
    ("substrate/magic/line.py", "", "magic has no place in LAYERS"),
    ("substrate/kv/utils.py", "", "a name that says nothing: utils"),
    ("substrate/log/lock_manager.py", "", "a name that says nothing: manager"),
    ("widgets/core/explorer.py", "", "a name that says nothing: core"),
    ("substrate/codec.py", "x = 1\n" * 401, "401 lines; over 400 it is two files"),
    ("substrate/kv/api.py", "from substrate.kv import lmdb", "cyclic import: substrate.kv."),
]


def test_the_source_keeps_the_rules() -> None:
    assert violations(ROOT) == []


def test_no_file_imports_widgets_by_its_folder_name() -> None:
    assert bare_widget_imports(ROOT) == []


def test_a_sound_tree_has_no_violations(tmp_path: Path) -> None:
    write_tree(tmp_path, SOUND)
    assert violations(tmp_path) == []
    assert bare_widget_imports(tmp_path) == []


@pytest.mark.parametrize(("file", "text", "report"), FAULTS)
def test_each_fault_is_reported_and_nothing_else(tmp_path: Path, file: str, text: str, report: str) -> None:
    write_tree(tmp_path, {**SOUND, file: text})
    (found,) = violations(tmp_path)
    assert report in found
    assert module_name(Path(file)) in found or file in found


@pytest.mark.parametrize("line", ["import widgets", "import widgets.explorer as e", "from widgets import explorer"])
@pytest.mark.parametrize("folder", ["substrate", "widgets", "tests", "examples", "benchmarks"])
def test_a_bare_widgets_import_is_reported(tmp_path: Path, folder: str, line: str) -> None:
    write_tree(tmp_path, {**SOUND, f"{folder}/wrong.py": line})
    assert [fault.split(":")[0] for fault in bare_widget_imports(tmp_path)] == [f"{folder}/wrong.py"]
