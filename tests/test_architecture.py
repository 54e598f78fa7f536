"""Holds docs/architecture.md: which part may import which, what a module may be called, how long it may be.

`violations` reads syntax trees only, so it sees imports inside functions and under TYPE_CHECKING as well. Each rule has
a broken twin below: a small tree with one fault, which must be reported.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# From the bottom up. A part may import itself and the parts of layers below its own: none of its own layer.
LAYERS = [
    {"messages"},
    {"errors"},
    {"limits", "clock", "extras", "garbage"},
    {"text"},
    {"result"},
    {"foreign_files"},
    {"files"},
    {"names", "settings", "cues", "policy"},
    {"claims", "ciphers"},
    {"relations"},
    {"proof"},
    {"schema"},
    {"values", "codec"},
    {"kv"},
    {"log"},
    {"views"},
    {"embed", "veil"},
    {"snapshot"},
    {"atoms"},
    {"conflicts", "entities"},
    {"search"},
    {"learn"},
    {"relate"},
    {"encryption"},
    {"save", "hiding"},
    {"bootstrap", "forget", "fading"},
    {"care", "documents", "groups"},
    {"moving", "transcripts", "garden", "proposals"},
    {"store"},
    {"client"},
    {"memory"},
    {"substrate"},  # the front door: it loads public names when they are used, and so may name any part
    {"commands", "surfaces", "widgets"},
    {"server"},
    {"cli", "notebook"},
    {"__main__"},
]
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}

# Parts that may import less than the layers allow: nothing but these, and themselves.
ONLY: dict[str, set[str]] = {
    "proof": {"errors", "messages", "result"},
    "text": {"errors", "limits", "messages"},
    "claims": {"errors", "names", "text"},
    "relations": {"claims", "text"},
    "cues": set(),
    "ciphers": {"errors", "messages"},
    "kv": {"errors", "files", "foreign_files", "limits", "values", "messages"},
    # What reads no store: values, text and cues, the wording of a message; all else by way of the memory.
    "surfaces": {
        "cues",
        "errors",
        "limits",
        "names",
        "policy",
        "result",
        "text",
        "values",
        "memory",
        "substrate",
        "messages",
    },
}

# Third-party packages with a single door.
DOORS = {
    "lmdb": "substrate.kv.lmdb.environment",
    "faiss": "substrate.views.nearest.index",
    "scipy": "substrate.learn.matrix",
}

EMPTY_NAMES = {"util", "helper", "common", "manager", "handler", "base", "core", "misc"}
RIDDLES = {"owed", "heirs", "asked", "offers", "weigh", "telling", "given", "shown", "kept", "found", "grown", "learnt"}
"""What modules were called once, and nobody found them."""
SMELL, FAILURE = 400, 600
"""Lines of a module, without imports, docstrings and signatures."""
FILES = 17
"""In one folder: about fourteen, and a few more where they are one idea each."""


def module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def read(path: Path) -> tuple[ast.Module, str]:
    """A file's syntax tree and text. No test writes a file twice, so each is read and parsed once."""
    text = path.read_text(encoding="utf-8")
    return ast.parse(text), text


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
    return other in RANK and RANK[other] < RANK[part]


def direction_faults(module: str, imported: set[str]) -> list[str]:
    part = part_of(module)
    if part not in RANK:
        return [f"{module}: {part} has no place in LAYERS"]
    faults = []
    for name in sorted(imported):
        top, other = name.split(".")[0], part_of(name)
        if top in DOORS and module != DOORS[top]:
            faults.append(f"{module}: only {DOORS[top]} imports {top}")
        if name.startswith("substrate.kv.lmdb") and part != "kv":
            faults.append(f"{module}: stores are opened by substrate.kv.open: only kv imports its engine")
        if top in {"substrate", "widgets"} and other != part and not may_import(part, other):
            faults.append(f"{module}: {part} may not import {other}")
    return faults


def weight(tree: ast.Module, text: str) -> int:
    """The lines of a module that do something: a contract is no fault, and neither are imports and blank lines."""
    blank = {number for number, line in enumerate(text.splitlines(), start=1) if not line.strip()}
    for node in ast.walk(tree):  # but those inside a text are part of it
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            blank -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = len(text.splitlines()) - len(blank)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            lines -= (node.end_lineno or node.lineno) - node.lineno + 1
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                lines -= (first.end_lineno or first.lineno) - first.lineno + 1
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines -= first.lineno - node.lineno
    return lines


def shape_faults(path: Path, tree: ast.Module, text: str) -> list[str]:
    faults = []
    words = {word for name in path.with_suffix("").parts for word in name.strip("_").split("_")}
    if empty := {word for word in words if word.removesuffix("s") in EMPTY_NAMES}:
        faults.append(f"{path}: a name that says nothing: {', '.join(sorted(empty))}")
    if path.stem in RIDDLES:
        faults.append(f"{path}: a name that nobody looks for: use a plain noun or a verb")
    if (lines := weight(tree, text)) > FAILURE:
        faults.append(f"{path}: {lines} lines of code; over {FAILURE} it is two files")
    return faults


def room_faults(folder: Path, root: Path) -> list[str]:
    """Of one folder: too many files, or some that its `__init__` does not list."""
    names = {path.stem for path in (root / folder).glob("*.py") if not path.stem.startswith("__")}
    names |= {path.parent.name for path in (root / folder).glob("*/__init__.py")}
    if folder == Path("substrate"):  # its rooms are in docs/architecture.md
        listed = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
        return [f"docs/architecture.md does not list {name}" for name in sorted(names) if f"`{name}" not in listed]
    listed = ast.get_docstring(read(root / folder / "__init__.py")[0]) or ""
    rows = set(re.findall(r"^([a-z0-9_]+)/? {2,}", listed, re.MULTILINE))
    begin = "^" if rows else ""  # where files are listed line by line, a word of another line is no entry
    faults = [
        f"{folder}: its docstring does not list {name}"
        for name in sorted(names)
        if not re.search(rf"{begin}\b{name}\b", listed, re.MULTILINE)
    ]
    faults += [f"{folder}: its docstring lists {name}, which is not there" for name in sorted(rows - names)]
    if len(names) > FILES:
        faults.append(f"{folder}: {len(names)} files; over {FILES} it is two rooms")
    return faults


def smells(root: Path) -> list[str]:
    """Modules that have become long, the longest first. No fault: a reason to look."""
    paths = [path for part in ("substrate", "widgets") for path in (root / part).rglob("*.py")]
    lines = {path.relative_to(root): weight(*read(path)) for path in paths}
    return [f"{path}: {lines[path]}" for path in sorted(lines, key=lambda path: -lines[path]) if lines[path] > SMELL]


def violations(root: Path) -> list[str]:
    """Every breach of the rules in root/substrate and root/widgets, one line each."""
    paths = sorted(path.relative_to(root) for part in ("substrate", "widgets") for path in (root / part).rglob("*.py"))
    known = {module_name(path) for path in paths}
    graph: dict[str, set[str]] = {}
    faults: list[str] = []
    for path in paths:
        tree, text = read(root / path)
        module = module_name(path)
        imported = imports_of(tree, module, is_package=path.name == "__init__.py", known=known)
        if module == "substrate":
            imported = set()  # the front door
        faults += shape_faults(path, tree, text) + direction_faults(module, imported)
        # The package itself loads its public names lazily and imports them for type checkers only: no cycle.
        graph[module] = set() if module == "substrate" else (imported & known) - {module}
    for folder in sorted({path.parent for path in paths}):
        faults += room_faults(folder, root)
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
        if "widgets" not in path.read_text(encoding="utf-8"):
            continue  # to parse all files of the repository takes seconds
        for node in ast.walk(read(path)[0]):
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
    "docs/architecture.md": "`errors` `limits` `proof/` `kv/` `log/` `views/` `atoms/` `memory` `surfaces/`",
    "substrate/__init__.py": "if TYPE_CHECKING:\n    from substrate import errors\n",
    "substrate/errors.py": "",
    "substrate/limits.py": "from substrate import errors\n",
    "substrate/proof/__init__.py": "'''verify entry'''\nfrom substrate.proof.verify import verify\n",
    "substrate/proof/verify.py": "import hashlib\nfrom substrate.errors import ProofInvalid\nfrom . import entry\n",
    "substrate/proof/entry.py": "from ..errors import ProofInvalid\n",
    "substrate/kv/__init__.py": "'''api lmdb/'''",
    "substrate/kv/api.py": "",
    "substrate/kv/lmdb/__init__.py": "'''environment'''",
    "substrate/kv/lmdb/environment.py": "import lmdb\nfrom substrate.kv import api\n",
    "substrate/log/__init__.py": "'''append'''",
    "substrate/log/append.py": "from substrate.kv.api import Store\nfrom substrate.proof import verify\n",
    "substrate/views/__init__.py": "'''atoms edges'''",
    "substrate/views/atoms.py": "from substrate.log import append\n",
    "substrate/views/edges.py": "",
    "substrate/atoms/__init__.py": "'''access'''",
    "substrate/atoms/access.py": "from substrate.views import atoms\n",
    "substrate/memory.py": "from substrate.atoms import access\n",
    "substrate/surfaces/__init__.py": "'''tool'''",
    "substrate/surfaces/tool.py": "from substrate.memory import Memory\n",
    "widgets/__init__.py": "'''explorer'''\nimport substrate\nfrom substrate_widgets import explorer\n",
    "widgets/explorer.py": "from substrate.memory import Memory\n",
}

# file, what stands in it instead, what must be reported
FAULTS = [
    ("substrate/errors.py", "import substrate.names", "errors may not import names"),
    ("substrate/limits.py", "from .kv import api", "limits may not import kv"),
    ("substrate/proof/entry.py", "from substrate import limits", "proof may not import limits"),
    ("substrate/kv/api.py", "import substrate.atoms", "kv may not import atoms"),
    ("substrate/kv/api.py", "from ..proof import entry", "kv may not import proof"),
    ("substrate/log/append.py", "def f():\n    import substrate.client", "log may not import client"),
    ("substrate/log/append.py", "if TYPE_CHECKING:\n    import substrate.client", "log may not import client"),
    ("substrate/log/append.py", "import substrate_widgets", "log may not import widgets"),
    ("substrate/log/append.py", "from substrate import __version__", "log may not import substrate"),
    ("substrate/views/atoms.py", "import substrate.search", "views may not import search"),
    ("substrate/surfaces/tool.py", "import substrate.log.append", "surfaces may not import log"),
    ("substrate/kv/api.py", "import lmdb.cffi", "only substrate.kv.lmdb.environment imports lmdb"),
    ("substrate/log/append.py", "from substrate.kv.lmdb import environment", "only kv imports its engine"),
    ("substrate/views/atoms.py", "from faiss import x", "only substrate.views.nearest.index imports faiss"),
    ("substrate/codec.py", "from substrate.values import x", "codec may not import values"),
    (
        "substrate/codec.py",
        "x = 1\n" * 601,
        "601 lines of code; over 600 it is two files",
    ),
    ("substrate/magic.py", "", "magic has no place in LAYERS"),
    ("substrate/kv/utils.py", "", "a name that says nothing: utils"),
    ("substrate/atoms/owed.py", "", "a name that nobody looks for"),
    ("substrate/atoms/list.py", "", "its docstring does not list list"),
    (
        "substrate/atoms/__init__.py",
        "'''access  reads\ngone  what'''",
        "docstring lists gone, which is not there",
    ),
    ("substrate/views/__init__.py", "'''atoms  of edges'''", "its docstring does not list edges"),
    ("substrate/kv/api.py", "from substrate.kv.lmdb import environment", "cyclic import: substrate.kv."),
]


def test_the_table_of_rooms_has_the_order_of_the_layers() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## The rooms")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    rows = [[RANK[room.strip(" `/")] for room in cell.split(",")] for cell in cells]
    assert all(len(set(ranks)) == 1 for ranks in rows)  # a row is of one layer
    assert [ranks[0] for ranks in rows] == sorted(ranks[0] for ranks in rows)
    assert len(rows) > 30


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
    listed = SOUND["docs/architecture.md"] + " `codec` `magic`"
    tree = {**SOUND, "docs/architecture.md": listed, file: text}
    folder = Path(file).parent
    if "docstring" not in report and folder != Path("substrate"):  # a new file is listed, where that is not the fault
        tree[f"{folder}/__init__.py"] += f"\n# {Path(file).stem}" if file in SOUND else ""
        tree[f"{folder}/__init__.py"] = tree[f"{folder}/__init__.py"].replace("'''", f"'''{Path(file).stem} ", 1)
    write_tree(tmp_path, tree)
    (found,) = violations(tmp_path)
    assert report in found
    assert module_name(Path(file)) in found or file in found or str(folder) in found


@pytest.mark.parametrize("line", ["import widgets", "import widgets.explorer as e", "from widgets import explorer"])
@pytest.mark.parametrize("folder", ["substrate", "widgets", "tests", "examples", "benchmarks"])
def test_a_bare_widgets_import_is_reported(tmp_path: Path, folder: str, line: str) -> None:
    write_tree(tmp_path, {**SOUND, f"{folder}/wrong.py": line})
    assert [fault.split(":")[0] for fault in bare_widget_imports(tmp_path)] == [f"{folder}/wrong.py"]


def test_a_folder_of_too_many_files_is_reported(tmp_path: Path) -> None:
    many = {f"substrate/kv/part{number}.py": "" for number in range(FILES)}
    listed = " ".join(Path(name).stem for name in many)
    write_tree(tmp_path, {**SOUND, **many, "substrate/kv/__init__.py": f"'''api lmdb/ {listed}'''"})
    (found,) = violations(tmp_path)
    assert "it is two rooms" in found


def test_a_room_that_the_page_does_not_list_is_reported(tmp_path: Path) -> None:
    write_tree(tmp_path, {**SOUND, "docs/architecture.md": "nothing"})
    assert all("docs/architecture.md does not list" in found for found in violations(tmp_path))


def test_a_long_module_smells_and_a_contract_does_not(tmp_path: Path) -> None:
    contract = '"""' + "A line of a contract.\n" * 500 + '"""\n'
    write_tree(tmp_path, {**SOUND, "substrate/codec.py": "x = 1\n" * 401, "substrate/limits.py": contract})
    assert smells(tmp_path) == ["substrate/codec.py: 401"]


if __name__ == "__main__":
    print("\n".join(smells(ROOT)) or f"No module has more than {SMELL} lines.")
