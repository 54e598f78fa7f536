"""A process that seals until it is killed: python -m tests.views.nearest.sealer STORE HOME DIMENSIONS."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.views.vectored import Vectored


def main() -> None:
    store, home, dimensions = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    vectored = Vectored(store, home, dimensions, seal_from=100)
    vectored.seal()
    print("ready", flush=True)
    while True:
        for path in (store / "nearest").glob("*.generation"):
            path.unlink()
        vectored.index.close()
        vectored.seal()


if __name__ == "__main__":
    main()
