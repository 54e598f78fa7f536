"""What all tests share.

- No store embeds in the background unless a test wants it to, since that loads a model.
- Stores lie in memory where there is room (`/dev/shm`), since a disk that others use makes every commit wait. TMPDIR
  says otherwise.
- A passphrase is cheap.
- FAISS and NumPy compute in one thread. Several wait for each other with a busy loop: on cores that other workers use,
  that takes several times as long.
- Properties try the same examples in every run, and new ones under `make soak`, which prints how to replay a failure.
"""

from __future__ import annotations

import gc
import os
import pkgutil
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers

import substrate.log.append
import substrate.proof
from substrate import ciphers
from substrate.clock import ManualClock
from substrate.memory import Memory, open_memory
from tests.scale import EXPLORES, MEMORY, has_room_in_memory, rounds

# jsonschema builds 38 grammars of addresses when it is imported: a second in each process, for what nobody here asks.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type] # "not there"
_ABSENT = str(Path(__file__).parent / "absent")  # and not for child processes
if _ABSENT not in (paths := os.environ.get("PYTHONPATH", "").split(os.pathsep)):  # a worker has it from its parent
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in (_ABSENT, *paths) if path)
os.environ.setdefault("OMP_NUM_THREADS", "1")  # before FAISS is loaded, and for child processes
if "TMPDIR" not in os.environ and has_room_in_memory():
    os.environ["TMPDIR"] = str(MEMORY)  # for pytest's own folders, for `tempfile` and for child processes
    tempfile.tempdir = None
# A passphrase costs a quarter of a second each time, on purpose. What it costs is kept in the store, so that child
# processes of tests have it cheaply too; tests/encryption/test_ciphers.py holds the real price.
ciphers._MEMORY_KIB, ciphers._ITERATIONS = 32, 1
# No limit of time: on a busy machine everything is slow.
_patient = settings(database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("fixed", _patient, derandomize=True, max_examples=40)
settings.register_profile("explore", _patient, derandomize=False, max_examples=rounds(100, 2000))
settings.load_profile("explore" if EXPLORES else "fixed")
if not EXPLORES:
    # Hypothesis also tries what it finds in the modules loaded so far. Which ones are loaded depends on the tests that
    # this worker happened to run before, so a run that must repeat itself does without.
    assert callable(providers._get_local_constants)
    providers._get_local_constants = providers.Constants

_COUNTED = (
    *("tests/proof/", "tests/hostile/test_tampered_proofs.py", "tests/hostile/test_two_verifiers.py"),
    *("tests/log/test_append.py", "tests/log/test_faults.py", "tests/log/test_growth.py", "tests/log/test_open.py"),
    *("tests/log/copies/test_restore.py", "tests/cli/verbs/test_prove.py"),
)
"""Whose lines `make test` counts: together they reach every branch of proof/ and of log/append.py."""
_COUNTS_ALL = "SUBSTRATE_COVERAGE" in os.environ
"""Whether this run is `make coverage`, which counts the lines of the whole. Counting takes half as long again."""
_SLOW = (
    "tests/before/",
    "tests/browser/",
    "tests/cli/test_completion.py",
    "tests/cli/test_exits.py",
    "tests/cli/test_terminal.py",
    "tests/crash/",
    "tests/hostile/",
    "tests/kv/test_compaction.py",
    "tests/kv/test_full.py",
    "tests/kv/test_growth.py",
    "tests/kv/test_readers.py",
    "tests/log/test_concurrency.py",
    "tests/machine/",
    "tests/notebook/test_kernel.py",
    "tests/notebooks/",
    "tests/save/test_full_disk.py",
    "tests/server/test_client_config.py",
    "tests/server/test_http.py",
    "tests/server/test_stdio.py",
    "tests/test_examples.py",
    "tests/test_import_cost.py",
    "tests/test_limits.py",
    "tests/test_many_at_once.py",
    "tests/test_packaging.py",
    "tests/test_verify_script.py",
)
"""What needs a browser, kernels or many processes, or much memory: no part of `make quick`."""
_PAGES = "tests/browser/"
_MODELS = {"made", "cache"}
"""Fixtures that export a model, which takes long."""


@pytest.hookimpl(tryfirst=True)  # before the markers select tests
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests `make quick` leaves out, and which belong to `make soak`: the large ones, and properties.

    What takes long comes first, so that no worker is alone with it at the end. Before all else comes the browser: whose
    worker has nothing else for minutes, so that no other needs a browser and a JupyterLab of its own.
    """
    for item in items:
        is_large = item.get_closest_marker("soak") is not None
        if is_large or item.nodeid.startswith(_SLOW) or not _MODELS.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        if _is_property(item):
            item.add_marker(pytest.mark.soak)
    items.sort(key=lambda item: (not item.nodeid.startswith(_PAGES), item.get_closest_marker("slow") is None))


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Nothing is counted while tests are collected, and no garbage sought: either costs each worker seconds.

    Importing a module runs the first of its lines, so what must be covered whole is imported before.
    """
    gc.disable()
    if (counter := _counter(session.config)) and not _COUNTS_ALL:
        for module in pkgutil.iter_modules(substrate.proof.__path__):
            import_module(f"substrate.proof.{module.name}")
        counter.pause()


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is there now stays to the end: the collector of garbage need not go through it again and again."""
    gc.enable()
    gc.collect()
    gc.freeze()
    if (counter := _counter(session.config)) and _COUNTS_ALL:
        counter.pause()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Count the lines of a test and of its fixtures only where that is asked for: it takes twice the time.

    Outside of what must be covered whole, properties count no lines, since others cover the same.
    """
    counter = _counter(item.config)
    if counter is None:
        return (yield)
    is_counted = item.nodeid.startswith(_COUNTED) or (_COUNTS_ALL and not _is_property(item))
    if is_counted and item.get_closest_marker("no_cover") is None:
        counter.resume()
    try:
        return (yield)
    finally:
        counter.pause()  # and if pytest-cov went on after the call of a test that bears its marker


def _is_property(item: pytest.Item) -> bool:
    return is_hypothesis_test(getattr(item, "obj", None))


def _counter(config: pytest.Config) -> Any:
    """What counts lines in this process (pytest-cov), if anything does."""
    plugin = config.pluginmanager.getplugin("_cov")
    return plugin.cov_controller if plugin else None


@pytest.fixture(autouse=True)
def _without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_MODEL", "none")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models and their exports, made once for all workers of the session; see tests/models.py."""
    from tests.models import shared  # noqa: PLC0415 - only for tests that need it

    base = tmp_path_factory.getbasetemp()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SUBSTRATE_MODEL", raising=False)
        return shared(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)


@pytest.fixture
def cache(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shared cache of exports, as the settings say it, and the default model. A test that harms it makes a copy."""
    monkeypatch.delenv("SUBSTRATE_MODEL", raising=False)
    monkeypatch.setenv("SUBSTRATE_CACHE", str(made / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(made / "hub"))
    return made / "cache"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def reopen(store: Path, home: Path, clock: ManualClock) -> Iterator[Callable[..., Memory]]:
    """Opens the test's store, as often as one likes."""
    opened: list[Memory] = []

    def open_again(**options: object) -> Memory:
        opened.append(open_memory(store, home=home, clock=clock, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield open_again
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(reopen: Callable[..., Memory]) -> Memory:
    return reopen()
