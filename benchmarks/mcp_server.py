"""`make bench`: the MCP server over stdio, beside a bare one and beside its own verbs. See docs/benchmarks.md."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path

from benchmarks.arguments import read_arguments
from benchmarks.calibration import calibrate, machine
from benchmarks.elapsed import say
from benchmarks.mcp_calls import measure_calls
from benchmarks.mcp_start import measure_start
from benchmarks.report import Report
from benchmarks.search_stores import fill_search
from benchmarks.search_workload import prepare


def main() -> None:
    """Fill the stores, start servers on all of them in turn, then call one at a time; and print one table."""
    sizes, file = read_arguments("mcp_server", __doc__, "atoms")
    texts = prepare(say)
    with tempfile.TemporaryDirectory(prefix="substrate-bench-") as folder:
        scratch = Path(folder)
        about = [*machine(scratch), "; ".join(f"{name} {version(name)}" for name in ("mcp", "pydantic", "onnxruntime"))]
        stores = []
        for size in sizes:
            (scratch / str(size)).mkdir()
            stores.append(fill_search(size, scratch / str(size), texts, say))
        before = calibrate(scratch)
        say("starting servers")
        results = measure_start(stores, scratch / "empty")
        calibrations = {0: [before, calibrate(scratch)]}
        for store in stores:
            before = calibrate(scratch)
            say(f"{store.size:,} atoms: calls")
            results += measure_calls(store, texts)
            calibrations[store.size] = [before, calibrate(scratch)]
    Report(about, calibrations, results).tell(file)


if __name__ == "__main__":
    main()
