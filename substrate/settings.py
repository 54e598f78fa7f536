"""All settings, in one frozen value. The only module that reads environment variables."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Settings", "load_settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """`home` holds what must live outside every store folder: signing keys and high-water marks."""

    home: Path


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from the environment: SUBSTRATE_HOME, else the platform's usual place for a user's configuration."""
    env = os.environ if environ is None else environ
    if given := env.get("SUBSTRATE_HOME"):
        # Absolute from here on: a notebook changes its working folder, and the key must be found all the same.
        return Settings(Path(given).expanduser().resolve())
    if sys.platform == "darwin":
        return Settings(Path.home() / "Library" / "Application Support" / "substrate")
    xdg = Path(env.get("XDG_CONFIG_HOME") or "")
    return Settings((xdg if xdg.is_absolute() else Path.home() / ".config") / "substrate")
