"""`import substrate` stays light. What it costs in CPU time is printed here, and judged by `make bench`."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = {"numpy", "scipy", "faiss", "torch", "mcp", "IPython", "Stemmer"}

PROBE = """
import json, sys, time
before = time.process_time()
{statement}
print(json.dumps([time.process_time() - before, sorted(name.split(".")[0] for name in sys.modules)]))
"""


def loaded_by(statement: str) -> tuple[float, set[str]]:
    """CPU seconds of the statement in a fresh interpreter, and the top-level modules loaded after it."""
    probe = PROBE.format(statement=statement)
    run = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60)
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


def test_the_probe_sees_what_is_loaded() -> None:
    _, modules = loaded_by("import sys, types; sys.modules['numpy'] = types.ModuleType('numpy')")
    assert modules & HEAVY == {"numpy"}
