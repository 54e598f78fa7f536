"""The names in a text: how many of them are found, how many found are none, and what is true of any text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from substrate.text.canonical import canonical
from substrate.text.extract import KINDS, Entity, Extracted, extract

HERE = Path(__file__).parent
LABELLED = ["sentences.json", "held_out.json"]
"""The second was written by another, and read when the extractor was finished: precision .920, recall .847 then;
faults of a general kind were mended since."""
PRECISION, RECALL = 0.9, 0.8


def measure(rows: list[dict[str, object]], found: list[set[str]]) -> tuple[float, float]:
    """Precision and recall, by canonical names."""
    wanted = [{canonical(name) for name in row["entities"]} for row in rows]  # type: ignore[attr-defined]
    right = sum(len(a & b) for a, b in zip(wanted, found, strict=True))
    return right / max(1, sum(map(len, found))), right / max(1, sum(map(len, wanted)))


def read(file: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((HERE / file).read_text(encoding="utf-8"))
    return rows


def forms(text: object) -> set[str]:
    return {canonical(entity.name) for entity in extract(str(text))}


@pytest.mark.parametrize("file", LABELLED)
def test_of_a_hundred_sentences_nine_in_ten_names_are_right_and_four_in_five_are_found(file: str) -> None:
    rows = read(file)
    precision, recall = measure(rows, [forms(row["text"]) for row in rows])
    assert len(rows) == 100
    assert precision >= PRECISION, precision
    assert recall >= RECALL, recall


def test_every_word_with_a_capital_would_not_do() -> None:
    """The broken twin: a sentence's first word makes half of them wrong."""
    rows = read(LABELLED[0])
    found = [
        {canonical(word.strip(".,;:!?\"'")) for word in str(row["text"]).split() if word[0].isupper()} for row in rows
    ]
    assert measure(rows, found)[0] < PRECISION


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What? Do it. The end. I am here. Yes, Monday in May.", []),
        ("Ada Lovelace", ["Ada Lovelace"]),
        ("Deserialize ``s`` (a ``str`` or ``bytes``), not `x`.", ["s", "str", "bytes", "x"]),
        ("We use C++, C# and Notepad++ at AT&T.", ["C++", "C#", "Notepad++", "AT&T"]),
        ("`or`, `to` and `None` are syntax; `import` and `plugin` are names.", ["import", "plugin"]),
        ("the cache of Anna\u2019s O\u2019Brien build", ["Anna", "O\u2019Brien"]),
        ("## Getting Started With The Package\n\nwe use it", []),
        ("PLEASE READ THIS NOW", []),
        (
            "an [index](https://a.example/b_(c)) and <https://d.example>.",
            ["https://a.example/b_(c)", "https://d.example"],
        ),
        (
            "ask @maria, mail ada@example.org; see docs/a.md, ~/x/y.",
            ["@maria", "ada@example.org", "docs/a.md", "~/x/y"],
        ),
        ("it calls `f()`, os.path.join and close() in search_atoms", ["f", "os.path.join", "close", "search_atoms"]),
        ("```\nclass NotHere: pass\n```\nbut here is CamelCase", ["CamelCase"]),
        (
            "with `--watch` or `-v`, `#`, `+`, `&lt;`, `<b>`, `![[Note]]`, `\\u202e`, `'x'`, but `C#` and `.gai`",
            ["C#", ".gai"],
        ),
        ("run `pip install it` at version 1.2.3 with 10_000 rows, 3.5 and/or 24/7", []),
        ("in Zu\u0308rich", ["Zu\u0308rich"]),
        ("a line that is long enough to be wrapped goes on behind its New\nYork", ["New York"]),
        ("# Identity\nAn atom", []),
        ("DO NOT RUN THIS, it is URGENT NOW and L'équipe de Lyon", ["Lyon"]),
        ("copy .env.example to .env", [".env.example", ".env"]),
        ("Die Hälfte der Antworten in München nennt die API-Prüfung", ["München", "API"]),
        ("他们用docker部署《三体》", ["docker", "三体"]),
        ("有两个文件、.env在前", [".env"]),
        ("The cat sat. A dog of Berlin ran. It is in The Hague.", ["Berlin", "The Hague"]),
    ],
)
def test_names_show_by_how_they_are_written(text: str, names: list[str]) -> None:
    assert [entity.name for entity in extract(text)] == names


def test_each_name_comes_once_as_it_is_spelt_first() -> None:
    assert extract("at NASA, then nasa, NASA and at Nasa").entities == (Entity("NASA", "acronym"),)


def test_of_five_thousand_names_a_hundred_are_given_and_the_rest_are_counted() -> None:
    found = extract(" and ".join(f"CamelCase{number}" for number in range(5000)))
    assert len(found) == 100
    assert found.more == 4900
    assert extract("none here") == Extracted(())


PIECES = (
    "Ada|the|of|I|`x_y`|NASA|'L\u2019Oréal'|\"The Sea\"|《书》|a@b.org|https://a.b/c|x.py|f()|iPhone|B.|Dr.|-based"
    "|\n\n# |\n|-|.|!|:|;|, |und|der|in|Berlin|Москва|田中さん|東京大学に|GPT-4|U.S.|&|\u0301|\u200d"
    "|\x01|_|/|@|```|\ud800|3M|C#|ß|İ"
)
WORDS = st.sampled_from(PIECES.split("|"))


@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join), st.lists(WORDS).map("".join)))
@example("\x01Ada\x01 `\x01`")
@example("A's I's -A A- A-a a-A")
@example('"Aa Ab""Aa\n')
@example("X\u200dY\u00adZ")
def test_any_text_is_read_and_every_name_is_a_part_of_it(text: str) -> None:
    found = extract(text)
    shown = " ".join(text.split())
    for entity in found:
        assert entity.kind in KINDS
        assert canonical(entity.name) in canonical(shown)
    assert len({canonical(entity.name) for entity in found}) == len(found)
    assert extract(text) == found


@pytest.mark.parametrize(
    "unit",
    [
        "A.",
        "A ",
        "`",
        '"',
        "@",
        "/a",
        "Ab_",
        "<a ",
        "Ab-",
        "《",
        "ア・",
        "山",
        "\n",
        "# Ab Cd\n",
        "a.b",
        "Of of ",
        "'s",
        "http://",
    ],
)
def test_no_text_takes_more_than_its_length(unit: str) -> None:
    """Each was or could have been quadratic: a hundred thousand of them would then take minutes."""
    extract(unit * 30_000)
