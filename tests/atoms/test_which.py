"""The verb which: an atom by whichever of its names, or those that may be meant; and nothing that a policy hides."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from uuid import UUID

import pytest

from substrate.errors import InputError, SchemaInvalid, TooLarge
from substrate.memory import Memory
from substrate.names import unescape_rest
from substrate.values.atoms import Atom
from substrate.values.hits import Matches
from tests.text.test_likeness import NAMES

PAY = "v1.fact.payment_provider"


def told(found: Matches) -> list[tuple[str, float, str]]:
    return [(match.name, round(match.score, 2), match.reason) for match in found]


def exactly(found: Matches) -> tuple[str | None, str]:
    assert found.verdict == "exact"
    assert len(found) == 1
    assert found[0].score == 1
    return found.name, found[0].reason


def test_a_mistyped_name_is_compared_without_its_type(memory: Memory) -> None:
    memory.checkpoint([f"{PAY} = Stripe"])
    for text in ("v1.fact.payment_provdr", "payment_provdr"):
        assert told(memory.which(text)) == [(PAY, 0.87, "close spelling")]
    assert not memory.which("v1.fact.elephant")
    other_type = memory.which("v1.decision.payment_provider")
    assert (other_type.verdict, other_type[0].name) == ("close", PAY)


@pytest.fixture
def some(memory: Memory) -> Memory:
    memory.checkpoint(
        [
            {"name": PAY, "value": "Stripe"},
            {"name": "v1.event.workshop_2026_03", "value": "the workshop", "attrs": {"title": "Workshop at Müller's"}},
            {"name": "v1.document.main.abc123", "value": "How heads are signed"},
            {
                "name": "v1.entity.main.ada%20lovelace",
                "value": "Ada Lovelace",
                "entities": ["Ada Lovelace", "Countess"],
                "attrs": {"type": "person", "aliases": ["Countess"]},
            },
            {"name": "v1.domain.booknotes", "value": "what I read", "attrs": {"title": "Book Notes"}},
            {"name": "v1.domain.ai", "value": "machines"},
        ],
        edges=[{"source": PAY, "type": "references", "target": "v1.document.main.abc123"}],
    )
    return memory


def test_an_atom_is_found_by_each_of_its_names(some: Memory) -> None:
    identity = some.access(PAY).atom.id
    hexadecimal = UUID(identity).hex
    wanted = {
        identity: "its id",
        hexadecimal.upper(): "its id",
        hexadecimal[:8]: "its id begins so",
        identity[:11]: "its id begins so",
        PAY: "its name",
        "payment_provider": "its name, without its type",
        " Payment  Provider ": "its name, without its type",
        "PAYMENT-PROVIDER": "its name, without its type",
        "memory_payment_provider": "its short id",
        f"memory_{identity}": "its short id",
    }
    for text, reason in wanted.items():
        assert exactly(some.which(text)) == (PAY, reason), text
    others = {
        "doc_abc123": ("v1.document.main.abc123", "its short id"),
        "how HEADS are signed": ("v1.document.main.abc123", "its title"),
        "workshop at mu\u0308ller's": ("v1.event.workshop_2026_03", "its title"),
        "ada lovelace": ("v1.entity.main.ada%20lovelace", "its title"),
        "COUNTESS": ("v1.entity.main.ada%20lovelace", "its alias"),
        "Book Notes": ("v1.domain.booknotes", "its name, without its type"),
    }
    for text, answer in others.items():
        assert exactly(some.which(text)) == answer, text


def test_an_edge_is_found_by_its_id(some: Memory) -> None:
    (edge,) = some.edges(PAY)
    for text in (edge.id, f"edge_{edge.id}"):
        (match,) = some.which(text)
        assert (match.id, match.name) == (edge.id, f"{PAY} references v1.document.main.abc123")
    some.checkpoint(unedges=[edge.id])
    assert some.which(f"edge_{edge.id}").verdict == "none"


def test_a_kind_narrows_it(some: Memory) -> None:
    some.checkpoint(["v1.state.payment_provider = up"])
    unclear = some.which("payment provider")
    assert (unclear.verdict, unclear.name) == ("close", None)
    assert [name for name, _, _ in told(unclear)] == [PAY, "v1.state.payment_provider"]
    assert exactly(some.which("payment provider", "state"))[0] == "v1.state.payment_provider"
    assert some.which(PAY, "state").name is None


CHECKED = {
    "booknotes": ("exact", 1.0, "its name, without its type"),
    "BookNotes": ("exact", 1.0, "its name, without its type"),
    "v1.domain.booknotes": ("exact", 1.0, "its name"),
    "Notes Book": ("close", 1.0, "its title: same words"),
    "Bok Notes": ("close", 0.89, "close spelling"),
    "bo": ("close", 0.7, "contains your text"),
}


@pytest.mark.parametrize("text", CHECKED)
@pytest.mark.parametrize("domains", [0, 150])
def test_every_checked_example_of_a_human_name_for_a_domain(some: Memory, text: str, domains: int) -> None:
    """Also among so many domains that not all of them are read."""
    some.checkpoint([f"v1.domain.unlike{number:03} = x" for number in range(domains)] or ["v1.fact.x = 1"])
    found = some.which(text, "domain")
    if domains and text in ("Notes Book", "bo"):  # only its title, which no posting leads to, or many, would tell
        assert found.verdict != "exact"
        return
    assert found.verdict == CHECKED[text][0]
    assert told(found)[0] == ("v1.domain.booknotes", *CHECKED[text][1:])


def test_of_two_domains_of_which_one_has_the_others_title_as_its_name_neither_is_meant(some: Memory) -> None:
    some.checkpoint([{"name": "v1.domain.reading", "value": "x", "attrs": {"title": "book-notes"}}])
    found = some.which("Book Notes", "domain")
    assert (found.verdict, found.name) == ("close", None)
    assert {name for name, _, _ in told(found)} == {"v1.domain.booknotes", "v1.domain.reading"}


def test_a_short_name_is_not_found_within_a_word(some: Memory) -> None:
    assert some.which("trainings", "domain").verdict == "none"
    assert told(some.which("my ai lab", "domain")) == [("v1.domain.ai", 0.9, "your text contains it")]
    some.checkpoint(["v1.domain.trainings = courses"])
    assert exactly(some.which("ai", "domain"))[0] == "v1.domain.ai"


def test_no_name_in_one_script_lands_in_a_domain_of_another(memory: Memory) -> None:
    for name in ("東京", "Книги", "ספרים"):
        memory.checkpoint([f"v1.domain.{name} = x"])
    for script, names in NAMES.items():
        for name in names:
            found = memory.which(name, "domain")
            known = name in ("東京", "Книги", "ספרים")
            assert (found.verdict == "exact") == known, (script, name)
            assert known or all(match.reason != "same letters" for match in found)


def test_of_two_that_differ_in_signs_alone_each_is_meant_by_its_own(memory: Memory) -> None:
    memory.checkpoint(
        [
            {"name": f"v1.entity.main.{form}", "value": name}
            for form, name in (("nodejs", "NodeJS"), ("node.js", "Node.js"))
        ]
    )
    assert exactly(memory.which("node.js", "entity"))[0] == "v1.entity.main.node.js"
    assert exactly(memory.which("NodeJS"))[0] == "v1.entity.main.nodejs"


def test_at_most_three_are_told_the_likest_first(memory: Memory) -> None:
    memory.checkpoint([f"v1.domain.{name} = x" for name in ("colour", "colours", "colors", "colon", "dolour", "zebra")])
    found = memory.which("color", "domain")
    assert found.verdict == "close"
    scores = [match.score for match in found]
    assert (len(scores), scores) == (3, sorted(scores, reverse=True))
    assert min(scores) >= 0.6


def test_what_is_out_of_use_or_forgotten_is_not_meant(some: Memory) -> None:
    identity = some.access(PAY).atom.id
    some.checkpoint(tombstones=[PAY])
    for text in (PAY, identity, "payment provider", "memory_payment_provider", identity[:12]):
        assert some.which(text).verdict == "none", text
    some.forget(["v1.domain.booknotes"])
    assert some.which("Book Notes").verdict == "none"


def test_a_document_is_called_by_its_source_and_its_chunks_are_not(memory: Memory) -> None:
    first = memory.ingest("# Heads\n\nThey are signed.", source="docs/heads.md")[0].name
    memory.checkpoint([{"name": PAY, "value": "Stripe", "source": "docs/heads.md"}])
    assert exactly(memory.which("docs/heads.md")) == (first, "its source")
    assert memory.which("docs/heads.md", kind="fact").verdict != "exact"
    second = memory.ingest("# Tails\n\nThey are not.", source="docs/heads.md", domain="other")[0].name
    assert {match.name for match in memory.which("docs/heads.md")} == {first, second}
    memory.checkpoint(tombstones=[second])
    assert exactly(memory.which("docs/heads.md")) == (first, "its source")


def test_an_older_title_is_not_what_it_is_called(some: Memory) -> None:
    some.checkpoint([{"name": "v1.document.main.abc123", "value": "How pins are made"}])
    assert some.which("how heads are signed", "document").verdict == "none"
    assert exactly(some.which("How pins are made"))[0] == "v1.document.main.abc123"


@pytest.mark.parametrize(
    ("text", "error"),
    [("", InputError), ("!!!", InputError), ("\u200b", InputError), (3, SchemaInvalid), ("a\ud800", SchemaInvalid)],
)
def test_what_can_name_nothing_is_refused(some: Memory, text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        some.which(text)
    with pytest.raises(error):
        some.which(text, "domain")


def test_odd_kinds_and_long_texts_are_refused(some: Memory) -> None:
    with pytest.raises(SchemaInvalid, match="kind must be a type of atoms"):
        some.which("x", "no type")
    with pytest.raises(TooLarge):
        some.which("x" * 1001)


def test_it_is_json_and_a_short_repr(some: Memory) -> None:
    found = some.which("booknotes")
    assert json.loads(json.dumps(found.to_dict()))["verdict"] == "exact"
    assert "v1.domain.booknotes" in repr(found)


def test_every_reason_is_true_of_the_atom_it_is_told_of(memory: Memory, tmp_path: Path) -> None:
    """200 notes, entities and documents, asked for by names, titles, aliases, sources, ids, and parts of these."""
    chance = random.Random(5)
    words = [
        "payment",
        "provider",
        "refund",
        "limit",
        "policy",
        "owner",
        "release",
        "notes",
        "shipping",
        "rules",
        "guide",
    ]

    def some_words() -> str:
        return " ".join(chance.sample(words, 3))

    notes = [{"name": f"v1.note.{some_words().replace(' ', '_')}_{at}", "value": some_words()} for at in range(100)]
    people = [
        {
            "name": f"v1.entity.main.person%20{at}",
            "value": f"Person {at}",
            "attrs": {"aliases": [f"{some_words()} {at}"]},
        }
        for at in range(40)
    ]
    memory.checkpoint([*notes, *people])
    for at in range(60):
        text = f"---\naliases: [{some_words()} page {at}]\n---\n# {some_words().title()} {at}\n\nText.\n"
        (tmp_path / f"page{at}.md").write_text(text)
    memory.ingest(tmp_path, source="docs")
    atoms = {atom.name: atom for atom in memory.list(limit=1000)}
    texts: list[str] = []
    for atom in chance.sample([one for one in atoms.values() if not one.name.startswith("v1.chunk.")], 30):
        called = [str(alias) for alias in atom.attrs.get("aliases", [])]  # type: ignore[union-attr]
        own = [atom.name, atom.id, atom.id[:9], atom.value, atom.name.rpartition(".")[2], atom.source or "x", *called]
        mixed = chance.choice([atom.value, *called]).split()
        texts += [
            *own,
            " ".join(reversed(mixed)),
            " ".join(mixed[1:]),
            " ".join([*mixed, "to"]),
            atom.value[:-2] + "xx",
        ]
    told_of: set[str] = set()
    for text in dict.fromkeys(texts):
        for match in memory.which(text):
            if match.name in atoms:
                assert is_true(match.reason, text, atoms[match.name]), (text, match)
                told_of.add(match.reason)
    assert {"its title: same words", "its alias: same words", "its title: most words are the same"} <= told_of
    assert len(told_of) > 10, told_of


def is_true(reason: str, text: str, atom: Atom) -> bool:
    """Worked out without the rules of `which`: by the atom's own fields."""
    rest = unescape_rest(atom.name.split(".", 2)[2])
    title = [atom.value] if atom.name.split(".")[1] in ("entity", "document") else []
    fields = {
        "its id": [atom.id],
        "its id begins so": [atom.id[: len(text)]],
        "its name": [atom.name, rest, rest.rpartition(".")[2]],
        "its name, without its type": [rest],
        "its title": title,
        "its alias": [str(alias) for alias in atom.attrs.get("aliases", [])],  # type: ignore[union-attr]
        "its source": [atom.source or ""],
    }
    what, _, how = reason.partition(": ") if reason.partition(": ")[0] in fields else ("its name", "", reason)
    how = how if reason not in fields else ""
    labels = fields[reason if reason in fields else what]

    def plain(given: str) -> str:
        return "".join(letter for letter in given.casefold() if letter.isalnum())

    def words_of(given: str) -> set[str]:
        return set(re.findall(r"[a-z0-9]+", given.casefold()))

    ways: dict[str, Callable[[str], bool]] = {
        "": lambda label: plain(label) == plain(text),
        "same letters": lambda label: plain(label) == plain(text),
        "contains your text": lambda label: plain(text) in plain(label),
        "your text contains it": lambda label: plain(label) in plain(text),
        "same words": lambda label: words_of(label) == words_of(text),
        "most words are the same": lambda label: 2 * len(words_of(label) & words_of(text)) > len(words_of(text)),
        "close spelling": lambda label: SequenceMatcher(None, plain(label), plain(text)).ratio() > 0.5,
    }
    return any(map(ways[how], labels))
