"""What another process does to a notebook's store meanwhile."""

from __future__ import annotations

from tests.browser.notebook import Shown

__all__ = ["elsewhere"]


def elsewhere(shown: Shown, code: str) -> None:
    """Run this line in a process of its own, started by the kernel, with the same store open as `memory`."""
    whole = f"import substrate\nwith substrate.open('store', actor='bob', background=False) as memory:\n    {code}\n"
    run = "__import__('subprocess').run([__import__('sys').executable, '-c', {!r}], check=True, timeout=120).returncode"
    assert shown.python(run.format(whole)) == 0
