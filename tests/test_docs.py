"""What users read is one book in plain English: an index with every page, links that lead somewhere, a short README."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.plain_english import (
    ROOT,
    WORDS,
    Text,
    all_faults,
    docstrings,
    faults,
    literals,
    messages,
    prose,
    script_texts,
)

FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
README_WORDS = 700


def pages(root: Path) -> list[Path]:
    return [*root.glob("*.md"), *(root / "docs").rglob("*.md")]


def links(page: Path) -> list[tuple[Path, str]]:
    """Each relative link: the file that it leads to, and the anchor in it, or nothing."""
    text = re.sub(r"`[^`\n]*`", "", FENCED.sub("", page.read_text(encoding="utf-8")))
    targets = re.findall(r"\]\(([^)\s:]+)\)", text)
    return [
        (((page.parent / path) if path else page).resolve(), anchor)
        for path, _, anchor in (target.partition("#") for target in targets)
    ]


def anchors(page: Path) -> set[str]:
    """Those of its headings, as GitHub makes them."""
    found: Counter[str] = Counter()
    names = set()
    for heading in re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        names.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return names


def dead_links(root: Path) -> list[str]:
    return [
        f"{page.relative_to(root)} links to {target.name}{'#' + anchor if anchor else ''}"
        for page in pages(root)
        for target, anchor in links(page)
        if not target.exists() or (anchor and anchor not in anchors(target))
    ]


def index_faults(root: Path) -> list[str]:
    """Pages that the index lacks, or has twice."""
    index = root / "docs" / "README.md"
    listed = Counter(target for target, _ in links(index))
    return [
        f"the index has {page.relative_to(root)} {listed[page.resolve()]} times"
        for page in (root / "docs").rglob("*.md")
        if page != index and listed[page.resolve()] != 1
    ]


def test_everything_that_users_read_is_in_plain_english() -> None:
    assert all_faults() == [], "python -m tests.plain_english lists them"


def test_every_link_in_the_docs_leads_to_a_file_and_a_heading() -> None:
    assert dead_links(ROOT) == []


def test_the_index_has_every_page_once() -> None:
    assert index_faults(ROOT) == []


def test_the_readme_is_short() -> None:
    words = len((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert words < README_WORDS


# -- broken twins ------------------------------------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("# A\n\n[docs](docs/README.md#the-book) `[no](link)`\n", encoding="utf-8")
    (tmp_path / "docs" / "README.md").write_text("# The book\n\n[one](one.md#a-b-c)\n", encoding="utf-8")
    (tmp_path / "docs" / "one.md").write_text("# One\n\n## A `b`: c\n\n```\n[no](link)\n```\n", encoding="utf-8")
    assert dead_links(tmp_path) == index_faults(tmp_path) == []
    return tmp_path


@pytest.mark.parametrize("link", ["nowhere.md", "one.md#nowhere", "#nowhere"])
def test_a_dead_link_is_found(book: Path, link: str) -> None:
    (book / "docs" / "one.md").write_text(f"# One\n\n## A b c\n\n[dead]({link})\n", encoding="utf-8")
    assert [fault.partition(" links")[0] for fault in dead_links(book)] == ["docs/one.md"]


def test_a_page_outside_of_the_index_is_found(book: Path) -> None:
    (book / "docs" / "deep").mkdir()
    (book / "docs" / "deep" / "two.md").write_text("# Two\n", encoding="utf-8")
    assert index_faults(book) == ["the index has docs/deep/two.md 0 times"]


def test_a_page_that_the_index_has_twice_is_found(book: Path) -> None:
    with (book / "docs" / "README.md").open("a", encoding="utf-8") as file:
        file.write("[again](one.md)\n")
    assert index_faults(book) == ["the index has docs/one.md 2 times"]


def of(text: str) -> list[str]:
    return list(faults(Text("page.md", 7, text)))


LONG = "word " * WORDS


@pytest.mark.parametrize(
    "broken",
    [
        LONG + "more.",
        "at most so many",
        "v1 is no name: it must read v1.type.name",
        "Nothing was forgotten. To do it, say --yes",
        "The key, for whoever shall check.",
        "Make every table anew.",
        "Who has only the folder can read it.",
        "Fine. What was forgotten is gone.",
        "The key, got by another way.",
    ],
)
def test_a_text_that_is_not_plain_is_found_with_its_place(broken: str) -> None:
    (found,) = of(broken)
    assert found.startswith("page.md:7: ")


@pytest.mark.parametrize(
    "sound",
    [
        LONG.strip() + ".",
        LONG.strip() + ". " + LONG.strip().capitalize() + ".",
        "What does it do? There is no such atom. It is no longer here.",
        "Type `say --yes, whoever you are, so many times`.",
        'It answers "so many words", in quotation marks.',
        "- " + LONG.strip() + "\n- " + LONG.strip(),
    ],
)
def test_a_text_that_is_plain_passes(sound: str) -> None:
    assert [fault for text in prose("page.md", sound) for fault in faults(text)] == []


def test_code_blocks_are_not_read_and_cells_items_and_headings_are() -> None:
    page = "# What it is\n\n```\nso many\n```\n\n| what | b |\n|---|---|\n| a | by it |\n\n- anew\n  and on\n"
    found = [fault for text in prose("page.md", page) for fault in faults(text)]
    assert [fault.split(": `")[0] for fault in found] == ["page.md:9", "page.md:11"]


def test_texts_of_sources_are_collected() -> None:
    import ast  # noqa: PLC0415

    tree = ast.parse(
        'def f():\n    """Doc."""\n    raise InputError("a ", Arg("x"), f" b {c} " "d")\n\nclass _C:\n    "no"\n\n'
        'HELP = "first " + NAME + " last"\n'
    )
    assert list(messages(tree, {"InputError"})) == [(3, "a X b X d")]
    assert list(docstrings(tree)) == [(2, "Doc.")]
    assert (8, "first X last") in list(literals(tree))
    script = "// so many\nconst a = 'it\\'s', b = `x ${y} z`; /* anew */\n"
    assert list(script_texts(script)) == [(2, "it\\'s"), (2, "x X z")]
