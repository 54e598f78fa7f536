"""What `%load_ext substrate` costs, beside `%load_ext` of an empty module: each in an interpreter of its own.

python -m benchmarks.notebook
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

from benchmarks.table import Beside, Result, as_text

_ROUNDS = 15
_TARGET_S = 0.150
_PROBE = """
import os, sys, tempfile, time, types
folder = tempfile.TemporaryDirectory()
os.environ["IPYTHONDIR"] = folder.name
empty = types.ModuleType("empty")
empty.load_ipython_extension = lambda shell: None
sys.modules["empty"] = empty
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.history_manager.enabled = False
before = time.process_time()
shell.run_line_magic("load_ext", sys.argv[1])
print(time.process_time() - before)
"""


def _loading(extension: str) -> float:
    """CPU seconds of loading it, in a shell that is up."""
    run = subprocess.run([sys.executable, "-c", _PROBE, extension], capture_output=True, text=True, check=True)  # noqa: S603
    return float(run.stdout)


def measure() -> Result:
    """The median of the rounds, in turn; the first of each, which may compile, is not counted."""
    ours, empty = [], []
    for turn in range(-1, _ROUNDS):
        taken = _loading("substrate"), _loading("empty")
        if turn >= 0:
            ours.append(taken[0])
            empty.append(taken[1])
    ratio = median(one / other for one, other in zip(ours, empty, strict=True))
    beside = Beside("%load_ext of an empty module", median(empty), "ms", ratio)
    return Result("%load_ext substrate", None, median(ours), "ms", _TARGET_S, (beside,))


if __name__ == "__main__":
    print(as_text([measure()]))
