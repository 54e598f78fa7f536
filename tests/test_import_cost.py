"""`import substrate` stays light. What it costs in CPU time is printed here, and judged by `make bench`."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.scale import PATIENCE_S

HEAVY = {"numpy", "scipy", "faiss", "torch", "mcp", "IPython", "Stemmer", "yaml"}

PROBE = """
import json, sys, time
before = time.process_time()
{statement}
print(json.dumps([time.process_time() - before, sorted(name.split(".")[0] for name in sys.modules)]))
"""


def loaded_by(statement: str) -> tuple[float, set[str]]:
    """CPU seconds of the statement in a fresh interpreter, and the top-level modules loaded after it."""
    probe = PROBE.format(statement=statement)
    run = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    seconds, modules = json.loads(run.stdout)
    return seconds, set(modules)


def test_import_loads_nothing_heavy() -> None:
    seconds, modules = loaded_by("import substrate")
    print(f"import substrate: {seconds * 1000:.1f} ms CPU")
    assert "substrate" in modules
    assert not modules & HEAVY


def test_every_public_name_loads_nothing_heavy() -> None:
    _, modules = loaded_by("import substrate; [getattr(substrate, name) for name in substrate.__all__]")
    assert not modules & HEAVY


LEARNING = """
import os, tempfile
os.environ["SUBSTRATE_MODEL"] = "none"
import substrate
folder = tempfile.TemporaryDirectory()
memory = substrate.open(folder.name + "/store", home=folder.name + "/home")
memory.checkpoint(["v1.fact.a = x", "v1.fact.b = y"])
memory.observe(["v1.fact.a", "v1.fact.b"])
memory.train(["v1.fact.a", "v1.fact.b"])
assert [one.name for one in memory.predict("v1.fact.a")] == ["v1.fact.b"]
assert memory.access("v1.fact.a").predictions
{more}
memory.close()
"""


def test_to_learn_and_to_predict_loads_neither_numpy_nor_scipy_but_the_matrix_does() -> None:
    _, modules = loaded_by(LEARNING.format(more=""))
    assert not modules & {"numpy", "scipy"}
    _, modules = loaded_by(LEARNING.format(more="memory.transition_matrix()"))
    assert modules >= {"numpy", "scipy"}


LISTING = """
import anyio
from pathlib import Path
from substrate.server.clients import Clients
from substrate.server.compose import compose
from substrate.server.launch import Launch
assert anyio.run(compose(Clients(Launch(Path("nowhere")))).list_tools)
"""


def test_a_server_lists_its_tools_before_the_engine_is_loaded() -> None:
    _, modules = loaded_by(LISTING)
    assert "mcp" in modules
    assert not modules & (HEAVY - {"mcp"} | {"lmdb", "onnxruntime", "tokenizers"})


def test_the_probe_sees_what_is_loaded() -> None:
    _, modules = loaded_by("import sys, types; sys.modules['numpy'] = types.ModuleType('numpy')")
    assert modules & HEAVY == {"numpy"}


LOADING = """
import os, tempfile
folder = tempfile.TemporaryDirectory()
os.environ["IPYTHONDIR"] = folder.name
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.history_manager.enabled = False
"""


def test_loading_the_extension_loads_no_engine() -> None:
    statement = LOADING + "before = time.process_time()\nshell.run_line_magic('load_ext', 'substrate')"
    seconds, modules = loaded_by(statement)
    print(f"%load_ext substrate: {seconds * 1000:.1f} ms CPU")
    assert {"IPython", "substrate"} <= modules
    assert not modules & (HEAVY - {"IPython"} | {"lmdb", "pandas", "ipywidgets", "anywidget", "cryptography", "rich"})
    probe = PROBE.format(statement=statement).replace('.split(".")[0]', "")
    run = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    whole = set(json.loads(run.stdout)[1])
    assert "substrate.notebook.magics" in whole
    engine = ("memory", "store", "atoms", "search", "learn", "log", "kv", "views", "cli")
    assert not {name for name in whole if name.startswith(tuple(f"substrate.{part}" for part in engine))}


INGESTING = """
import os, tempfile
os.environ["SUBSTRATE_MODEL"] = "none"
import substrate
folder = tempfile.TemporaryDirectory()
memory = substrate.open(folder.name + "/store", home=folder.name + "/home")
memory.ingest("# Terms\\\\n\\\\nThe timeout is 30 s.", source="terms")
loaded = "substrate.claims.read" in sys.modules
{more}
memory.close()
assert loaded is {claims}
"""


def test_an_ingest_does_not_load_what_reads_claims_but_a_fact_does() -> None:
    loaded_by(INGESTING.format(more="", claims=False))
    again = 'memory.checkpoint(["v1.fact.a = x"]); loaded = "substrate.claims.read" in sys.modules'
    loaded_by(INGESTING.format(more=again, claims=True))
