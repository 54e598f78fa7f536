"""Row 20: nothing outside of a root is read, whatever a path says and whatever is exchanged meanwhile.

`seen` are the bytes that an ingest took in. The canary lies outside of the root, in every place that a path could lead
to. The twins take one check out, and the same cases must find each of them out.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from substrate import foreign_files
from substrate.documents import files
from substrate.documents.files import locate, open_root
from substrate.errors import Denied, InputError, PathEscape, SubstrateError, TooLarge
from substrate.limits import LIMITS
from substrate.memory import Memory
from tests.scale import PATIENCE_S, rounds

CANARY = "canary-outside-of-the-root"
INSIDE = "inside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a page, a folder, and things that are neither; the canary stands beside it."""
    made = tmp_path / "root"
    (made / "folder").mkdir(parents=True)
    (made / "page.md").write_text(INSIDE)
    (made / "folder" / "page.md").write_text(INSIDE)
    (tmp_path / "outside").mkdir()
    (tmp_path / "rootling").mkdir()
    for place in ("secret.md", "outside/secret.md", "rootling/secret.md"):
        (tmp_path / place).write_text(CANARY)
    (made / "link.md").symlink_to(tmp_path / "secret.md")
    (made / "relative.md").symlink_to("../secret.md")
    (made / "inner.md").symlink_to("page.md")
    (made / "loop.md").symlink_to("loop.md")
    (made / "dangling.md").symlink_to("nowhere.md")
    (made / "linked").symlink_to(tmp_path / "outside")
    (made / "up").symlink_to("..")
    (made / "self").symlink_to(".")
    (made / "process.md").symlink_to("/proc/self/environ")
    (made / "null.md").symlink_to("/dev/null")
    (made / "zero.md").symlink_to("/dev/zero")
    os.mkfifo(made / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(made)
        try:
            listening.bind("socket.md")
        finally:
            os.chdir(here)
    return made


VECTORS = [
    "..",
    "../",
    "../secret.md",
    "../../secret.md",
    "folder/../../secret.md",
    "folder/../page.md",
    "./../secret.md",
    "folder/./../../secret.md",
    "../root/page.md",
    "../rootling/secret.md",
    "../outside",
    "....//secret.md",
    ".../secret.md",
    "/etc/passwd",
    "/etc",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "/proc/1/environ",
    "/dev/zero",
    "/dev/stdin",
    "/dev/tty",
    "/",
    "//",
    "//etc/passwd",
    "///etc/passwd",
    "/../etc/passwd",
    "~",
    "~root",
    "~/secret.md",
    "~nobody/secret.md",
    "$HOME/secret.md",
    "${HOME}/secret.md",
    "`pwd`/secret.md",
    "$(pwd)/secret.md",
    "*.md",
    "?.md",
    "{page,secret}.md",
    "%2e%2e/secret.md",
    "%2e%2e%2fsecret.md",
    "..%2fsecret.md",
    "..%252fsecret.md",
    "%252e%252e/secret.md",
    "..%c0%afsecret.md",
    "..%00/secret.md",
    "..;/secret.md",
    "..\\secret.md",
    "..\\..\\secret.md",
    "folder\\..\\..\\secret.md",
    "C:\\secret.md",
    "C:/secret.md",
    "C:secret.md",
    "\\\\server\\share\\secret.md",
    "//server/share/secret.md",
    "\\\\?\\C:\\secret.md",
    "\\\\.\\pipe\\x",
    "file:///etc/passwd",
    "file:secret.md",
    "http://localhost/secret.md",
    "https://example.org/secret.md",
    "ftp://localhost/secret.md",
    "data:text/plain,canary",
    "zip://page.zip!secret.md",
    "page.zip/secret.md",
    "link.md",
    "relative.md",
    "inner.md",
    "loop.md",
    "dangling.md",
    "linked/secret.md",
    "linked",
    "up/secret.md",
    "up/outside/secret.md",
    "up/root/page.md",
    "self/page.md",
    "self/self/self/page.md",
    "process.md",
    "null.md",
    "zero.md",
    "pipe.md",
    "socket.md",
    "page.md/",
    "page.md/..",
    "page.md/../../secret.md",
    "folder/nowhere/../../../secret.md",
    "PAGE.MD",
    "Folder/page.md",
    "page.md.",
    "page.md ",
    " page.md",
    "page.md::$DATA",
    "page.md:stream",
    "con.md",
    "nul",
    "\u2025/secret.md",
    "\uff0e\uff0e/secret.md",
    "\uff0e\uff0e\uff0fsecret.md",
    "..\u2215secret.md",
    "page\u202e.md",
    "\n../secret.md",
    "..\r/secret.md",
    "\udce4.md",
    "a" * 300 + ".md",
    "a/" * 2000 + "secret.md",
]
FINE = {"./page.md", "folder//page.md", "folder/./page.md"}


def taken(memory: Memory, path: Path, root: Path) -> str:
    """The texts that an ingest took in."""
    memory.ingest(path, root=root)
    return " ".join(memory.document(atom.name).text for atom in memory.list("v1.document.", limit=1000))


def test_there_are_enough_vectors() -> None:
    assert len(set(VECTORS)) >= 80


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_a_path_that_leads_out_reads_nothing(memory: Memory, root: Path, vector: str) -> None:
    before = memory.head()
    seen = ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(root.parent))
        with suppress(SubstrateError):
            seen = taken(memory, Path(vector), root)
    assert CANARY not in seen
    if vector not in {"page.md/", "folder/../page.md"}:  # the first is the page itself
        assert seen == ""
        assert memory.head() == before


@pytest.mark.parametrize("path", sorted(FINE))
def test_a_path_below_the_root_is_read(memory: Memory, root: Path, path: str) -> None:
    assert taken(memory, Path(path), root) == INSIDE


def test_a_folder_is_read_without_what_its_links_lead_to(memory: Memory, root: Path) -> None:
    os.link(root / "page.md", root / "second_name.md")
    ingested = memory.ingest(root)
    assert {item.source for item in ingested} == {"root/folder/page.md", "root/page.md", "root/second_name.md"}
    links = {"inner.md", "link.md", "linked", "loop.md", "dangling.md", "relative.md", "self", "up"}
    odd = {"null.md", "pipe.md", "process.md", "socket.md", "zero.md"}
    denied = {one.item.removeprefix("root/"): one.code for one in ingested.failed}
    assert denied == dict.fromkeys(links | odd, "denied")
    assert memory.search(CANARY).items == ()


@pytest.mark.parametrize("name", ["null.md", "pipe.md", "zero.md", "link.md", "socket.md", "linked"])
def test_a_single_path_that_is_no_plain_file_is_denied(memory: Memory, root: Path, name: str) -> None:
    with pytest.raises(Denied, match="no link is followed"):
        memory.ingest(Path(name), root=root)


def test_a_device_is_not_even_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr(foreign_files.os, "open", lambda path, *_, **__: opened.append(path))
    with pytest.raises(Denied):
        foreign_files.open_file(Path("/dev/zero"))
    assert opened == []


def test_paths_with_nul_or_without_name_are_refused(memory: Memory, root: Path) -> None:
    for path in (Path("a\0b.md"), Path("\0")):
        with pytest.raises(InputError):
            memory.ingest(path, root=root)
        with pytest.raises(InputError):
            memory.ingest(path)
    with open_root(root) as opened:
        for parts in ((), ("",), (".",), ("..", "secret.md"), ("a/b",), ("a\0b",), ("x",) * 65):
            with pytest.raises((InputError, TooLarge)):
                opened.read(parts)
        for parts in (("..",), ("a/..",)):
            with pytest.raises(PathEscape):
                opened.find(parts)


def test_a_file_that_grows_while_it_is_read_is_too_large(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS, "file_bytes", 1000)
    monkeypatch.setattr(files, "_FIRST_READ", 400)
    path = root / "grows.md"
    path.write_bytes(b"x" * 500)
    read = os.read

    def growing(descriptor: int, count: int) -> bytes:
        with path.open("ab") as file:
            file.write(b"y" * 500)
        return read(descriptor, count)

    monkeypatch.setattr(files.os, "read", growing)
    with open_root(root) as opened, pytest.raises(TooLarge):
        opened.read(("grows.md",))


# -- exchanged meanwhile -----------------------------------------------------------------------------------------------


@contextmanager
def swapping(path: Path, outside: Path) -> Iterator[None]:
    """In the block, another thread exchanges what is at `path` for a link to `outside`, and back, without end."""
    stop = threading.Event()
    link, real = path.with_name("link-in-waiting"), path.with_name("real-in-waiting")
    link.symlink_to(outside)

    def swap() -> None:
        while not stop.is_set():
            path.rename(real)
            link.rename(path)
            path.rename(link)
            real.rename(path)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(PATIENCE_S)
        link.unlink(missing_ok=True)


def raced(root: Path, swapped: str, outside: Path, read: Callable[[], bytes], times: int) -> tuple[set[bytes], int]:
    """What was read in so many tries while a link came and went, and how often it was refused."""
    found: set[bytes] = set()
    refused = 0
    with swapping(root / swapped, outside):
        for _ in range(times):
            try:
                found.add(read())
            except (InputError, Denied):
                refused += 1
    return found, refused


RACES = {"a folder": ("folder", "outside"), "a file": ("folder/page.md", "secret.md")}


@pytest.mark.soak
@pytest.mark.parametrize("what", RACES)
def test_a_link_that_is_put_in_the_way_leads_nowhere(root: Path, tmp_path: Path, what: str) -> None:
    swapped, outside = RACES[what]
    (tmp_path / "outside" / "page.md").write_text(CANARY)
    with open_root(root) as opened:
        found, _ = raced(
            root,
            swapped,
            tmp_path / outside,
            lambda: opened.read(("folder", "page.md")).data,
            rounds(120, 25_000),
        )
    assert found <= {INSIDE.encode()}


def swap(path: Path, outside: Path) -> None:
    """Put a link in the place of what is there, once."""
    if not path.is_symlink():
        path.rename(path.with_name("moved"))
        path.symlink_to(outside)


@pytest.mark.parametrize("what", RACES)
def test_a_link_that_comes_between_the_look_and_the_opening_is_refused(
    root: Path, tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    swapped, outside = RACES[what]
    (tmp_path / "outside" / "page.md").write_text(CANARY)
    opening = os.open

    def late(path: str | Path, *given: int, **options: int | None) -> int:
        if str(path) == Path(swapped).name:
            swap(root / swapped, tmp_path / outside)
        return opening(path, *given, **options)  # type: ignore[arg-type]

    with open_root(root) as opened:
        monkeypatch.setattr(foreign_files.os, "open", late)
        with pytest.raises((Denied, InputError)):
            opened.read(("folder", "page.md"))


@pytest.mark.parametrize("what", RACES)
def test_twin_a_reader_that_looks_first_and_opens_then_is_led_out(root: Path, tmp_path: Path, what: str) -> None:
    swapped, outside = RACES[what]
    (tmp_path / "outside" / "page.md").write_text(CANARY)
    path = root / "folder" / "page.md"
    assert not path.is_symlink()
    assert not path.parent.is_symlink()
    swap(root / swapped, tmp_path / outside)
    assert path.read_text() == CANARY


def test_twin_without_nofollow_links_lead_out(memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def follows(path: Path, _: int = 0, *, folder: int | None = None) -> int:
        return os.open(path.name, os.O_RDONLY | os.O_NONBLOCK, dir_fd=folder)

    monkeypatch.setattr(files, "open_file", follows)
    assert taken(memory, Path("link.md"), root) == CANARY


def test_twin_a_path_that_is_only_joined_leads_out(memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "substrate.documents.ingest.locate", lambda path, root: ((root / path).parent, ((root / path).name,))
    )
    assert taken(memory, Path("../secret.md"), root) == CANARY
    assert locate(Path("page.md"), root) == (root, ("page.md",))
