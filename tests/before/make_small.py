"""Makes a small store, for the versions after this one to open: `python -m tests.before.make_small ARCHIVE`.

Each version that changes what is stored, or what may be, keeps such a store of the version before it, in `stores/`.
The first, `free_names`, is of the last version that took any printable character in a new name.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import substrate
from substrate.clock import ManualClock
from tests.before.make import START, pack

ODD_NAMES = (
    'v1.fact.payment{open("PWNED","w").write("x")}',
    "v1.fact.$HOME",
    "v1.fact.`id`",
    'v1.fact.say"it"',
    "v1.fact.back\\slash",
    "v1.fact.zero\u200bwidth",
    "v1.fact.tag\U000e0041\U000e0042",
)
"""Names that no new atom may have any more, and that those which have them keep."""


def make(folder: Path) -> None:
    """A store with two versions of each odd name, edges, a domain, a training and a session; a pin and a proof."""
    clock = ManualClock(START)
    with substrate.open(
        folder / "store", home=folder / "home", origin="substrate-small", clock=clock, background=False, model="none"
    ) as memory:
        memory.checkpoint(["v1.domain.odd = Names of all kinds", "v1.fact.plain = A plain name"])
        for version in ("first", "second"):
            clock.advance(1_000_000)
            memory.checkpoint(
                [{"name": name, "value": f"The {version} value of name {at}"} for at, name in enumerate(ODD_NAMES)],
                edges=[{"source": name, "type": "member_of", "target": "v1.domain.odd"} for name in ODD_NAMES],
            )
        memory.train([ODD_NAMES[0], "v1.fact.plain", ODD_NAMES[1]])
        with memory.session("read odd names", domain="odd") as session:
            for name in ODD_NAMES:
                session.access(name)
        (folder / "pin.txt").write_text(str(memory.pin()), encoding="utf-8")
        (folder / "proof.json").write_text(memory.prove(ODD_NAMES[0]).to_json(), encoding="utf-8")
        memory.checkpoint(["v1.fact.plain = A plain name, said again"])
        memory.compact()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made_in:
        make(Path(made_in))
        pack(Path(made_in), Path(sys.argv[1]))
