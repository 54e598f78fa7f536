"""All settings, in one frozen value. The only module that reads environment variables, and that sets any."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from substrate.errors import Denied, InputError
from substrate.files import expanded

__all__ = ["Settings", "environment_for_others", "find_store", "load_settings", "set_offline", "set_untold"]

_STORE = "substrate-store"
_NAMES = (_STORE, ".substrate")
"""What a store's folder is called where it is found without being named."""
_POINTER = "CURRENT"
"""The file by which a folder is known as a store."""
_ROOT = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """`home` holds what must live outside every store folder: signing keys and high-water marks.

    `store` is what the command line uses if it is not told another. By default that is a folder beside the work it is
    about, in the working folder: a project's memory belongs to the project, and no two share one unasked.

    `cache` holds what can be made anew and belongs to no store: exported models. `hub` is where models that were
    downloaded by others lie. `model` is the name or the folder of a model, `none` for search by words alone, None for
    what the store says. `notebook` is the path of the notebook whose kernel this process is, where that is known.
    `editor` is the command that `substrate edit` opens a text with.
    """

    home: Path
    store: Path = Path(_STORE)
    cache: Path = Path.home() / ".cache" / "substrate"
    hub: Path = Path.home() / ".cache" / "huggingface" / "hub"
    model: str | None = None
    notebook: str | None = None
    editor: str = "vi"


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from the environment.

    SUBSTRATE_HOME, else the platform's usual place for a user's configuration; SUBSTRATE_STORE, else ./substrate-store;
    SUBSTRATE_CACHE, else the platform's usual place for caches; SUBSTRATE_MODEL. For `hub`, the hub's own variables;
    for `notebook`, what Jupyter's server says; VISUAL or EDITOR for `editor`.
    """
    env = os.environ if environ is None else environ
    store = _place(env, "SUBSTRATE_STORE") or Path(_STORE)
    model, notebook = env.get("SUBSTRATE_MODEL") or None, env.get("JPY_SESSION_NAME") or None
    editor = env.get("VISUAL") or env.get("EDITOR") or "vi"
    return Settings(_home(env), store, _cache(env), _hub(env), model, notebook, editor)


def find_store(environ: Mapping[str, str] | None = None) -> Path:
    """The store that is meant where none is named: SUBSTRATE_STORE, else the nearest one, else ./substrate-store.

    The nearest one is a folder `substrate-store` or `.substrate` with a store in it, in the working folder or a folder
    above it. The search ends at the home folder and at the end of the file system. It follows no link, but one that is
    yours and called substrate-store in the working folder. Denied if what it finds belongs to another user: who can
    make a folder above yours, or in a folder that all can write to, could hand you a memory otherwise.
    """
    env = os.environ if environ is None else environ
    if given := _place(env, "SUBSTRATE_STORE"):
        return given
    try:
        here = Path.cwd()
        if os.path.lexists(_STORE):
            _refuse_strangers(here / _STORE)
            return Path(_STORE)
        device = here.stat().st_dev
        for folder in (here, *here.parents):
            if folder.stat().st_dev != device:
                break
            for path in (folder / name for name in _NAMES):
                if _is_store(path):
                    return path
            if folder == Path.home():
                break
    except OSError:  # a folder that is gone, or that one may not look into: nothing is found there
        pass
    return Path(_STORE)


def _is_store(path: Path) -> bool:
    """Whether this is a folder with a store in it, and no link. Denied if it is another user's."""
    try:
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode) or not stat.S_ISREG((path / _POINTER).lstat().st_mode):
            return False
    except OSError:
        return False
    _refuse_strangers(path)
    return True


def _refuse_strangers(path: Path) -> None:
    """Denied if a folder, or a link to it, is another user's."""
    owners = [path.lstat().st_uid, *([path.stat().st_uid] if path.exists() else [])]
    for owner in owners:
        if owner not in (os.geteuid(), _ROOT):
            raise Denied(
                f"the store {path}, found from the working folder upwards, belongs to another user (number "
                f"{owner}). It is used only if you name it, or set SUBSTRATE_STORE"
            )


def environment_for_others(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a process that does not have our environment must be given, to find the same as we: all but the store.

    Nothing if our environment changes nothing. Paths are absolute: it may start in any folder.
    """
    ours, bare = load_settings(environ), load_settings({})
    places = {
        "SUBSTRATE_HOME": (ours.home, bare.home),
        "SUBSTRATE_CACHE": (ours.cache, bare.cache),
        "HF_HUB_CACHE": (ours.hub, bare.hub),
    }
    told = {name: str(place.absolute()) for name, (place, default) in places.items() if place != default}
    if ours.model is not None:
        folder = expanded(ours.model)
        told["SUBSTRATE_MODEL"] = str(folder.absolute()) if folder.is_dir() else ours.model
    return told


def set_untold() -> None:
    """Before onnxruntime is loaded, which tells its maker about the machine, over the network, unless told not to."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def set_offline() -> None:
    """For a process of our own that exports a model: whatever a library would like to fetch, it is not fetched."""
    set_untold()
    os.environ.update(
        HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", TOKENIZERS_PARALLELISM="false"
    )


def _place(env: Mapping[str, str], name: str) -> Path | None:
    """The path that a variable gives; None if it gives none. InputError, with its name, if that can be no path."""
    try:
        return expanded(given) if (given := env.get(name)) else None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _home(env: Mapping[str, str]) -> Path:
    if given := _place(env, "SUBSTRATE_HOME"):
        # Absolute from here on: a notebook changes its working folder, and the key must be found all the same.
        return given.resolve()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "substrate"
    xdg = Path(env.get("XDG_CONFIG_HOME") or "")
    return (xdg if xdg.is_absolute() else Path.home() / ".config") / "substrate"


def _cache(env: Mapping[str, str]) -> Path:
    if given := _place(env, "SUBSTRATE_CACHE"):
        return given.resolve()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "substrate"
    return _user_cache(env) / "substrate"


def _hub(env: Mapping[str, str]) -> Path:
    if given := _place(env, "HF_HUB_CACHE"):
        return given
    return (_place(env, "HF_HOME") or _user_cache(env) / "huggingface") / "hub"


def _user_cache(env: Mapping[str, str]) -> Path:
    xdg = Path(env.get("XDG_CACHE_HOME") or "")
    return xdg if xdg.is_absolute() else Path.home() / ".cache"
