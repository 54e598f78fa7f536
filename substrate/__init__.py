"""Memory for people and AI agents who work together in notebooks, which can prove what it says.

The public names are those of `__all__`. Each is loaded when it is first used, so `import substrate` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from substrate import errors
    from substrate.codec import draft_put, draft_tombstone
    from substrate.log.check import fsck
    from substrate.log.expect import Expect
    from substrate.log.log import Log, open_log
    from substrate.proof.bundle import Bundle
    from substrate.proof.head import Pin
    from substrate.proof.verify import Verdict, Verifier

__all__ = [
    "Bundle",
    "Expect",
    "Log",
    "Pin",
    "Verdict",
    "Verifier",
    "__version__",
    "draft_put",
    "draft_tombstone",
    "errors",
    "fsck",
    "open_log",
]

__version__ = "0.1.0.dev0"

# Where each lazy name lives: "module", or "module:name" for a name in it.
_HOMES = {
    "Bundle": "substrate.proof.bundle:Bundle",
    "Expect": "substrate.log.expect:Expect",
    "Log": "substrate.log.log:Log",
    "Pin": "substrate.proof.head:Pin",
    "Verdict": "substrate.proof.verify:Verdict",
    "Verifier": "substrate.proof.verify:Verifier",
    "draft_put": "substrate.codec:draft_put",
    "draft_tombstone": "substrate.codec:draft_tombstone",
    "errors": "substrate.errors",
    "fsck": "substrate.log.check:fsck",
    "open_log": "substrate.log.log:open_log",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module_name, _, attribute = _HOMES[name].partition(":")
    module = import_module(module_name)
    value: object = getattr(module, attribute) if attribute else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
