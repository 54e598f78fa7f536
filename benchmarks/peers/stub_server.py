"""The command line, with vectors made of hashes in the place of a model, as HydraMem's stub makes them."""

from __future__ import annotations

import sys
from unittest.mock import patch

from benchmarks.peers.substrate_pages import Stub
from substrate.cli import main
from substrate.embed import load

if __name__ == "__main__":
    with patch.object(load, "load", lambda *_, **__: Stub()):
        sys.exit(main())
