"""Row 26 by the front door: a credential is refused wherever it is put, named by kind and place, and kept nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from substrate.errors import ItemsRefused, SecretFound
from substrate.limits import LIMITS
from substrate.memory import Memory, open_memory
from substrate.text.secrets import find_secrets
from tests.credentials import SAMPLE_KINDS, Sample, benign_texts, samples
from tests.leftovers import traces_of
from tests.scale import rounds

NAME = "v1.fact.a"
PLACES: dict[str, Callable[[str], dict[str, Any]]] = {
    "value": lambda text: {"atoms": [{"name": NAME, "value": text}]},
    "text": lambda text: {"atoms": [f"{NAME} = {text}"]},
    "tags": lambda text: {"atoms": [{"name": NAME, "value": "x", "tags": ["plain", text]}]},
    "entities": lambda text: {"atoms": [{"name": NAME, "value": "x", "entities": [text]}]},
    "attrs": lambda text: {"atoms": [{"name": NAME, "value": "x", "attrs": {"a": [1, {"deep": text}]}}]},
    "attrs key": lambda text: {"atoms": [{"name": NAME, "value": "x", "attrs": {text: 1}}]},
    "source": lambda text: {"atoms": [{"name": NAME, "value": "x", "source": text}]},
    "session": lambda text: {"atoms": [{"name": NAME, "value": "x", "session": text}]},
    "edge attrs": lambda text: {"edges": [{"source": NAME, "type": "t", "target": NAME + "b", "attrs": {"a": text}}]},
    "edge cited": lambda text: {"edges": [{"source": NAME, "type": "t", "target": NAME + "b", "cited": text}]},
}
SHORT = {"tags": "tag_characters", "source": "text_characters", "entities": "entity_characters"}
SHORT |= {"session": "text_characters", "edge cited": "text_characters"}


def found_samples(count: int) -> Iterator[Sample]:
    """Of every kind in turn, those that the scanner finds: what it finds at all is tested elsewhere."""
    streams = [samples(kind, count) for kind in sorted(SAMPLE_KINDS)]
    made = (sample for row in zip(*streams, strict=True) for sample in row)
    found = (sample for sample in made if any(sample.kind == f.kind for f in find_secrets(sample.text)))
    return (sample for sample, _ in zip(found, range(count), strict=False))


def places_for(text: str) -> list[str]:
    return [place for place in PLACES if place not in SHORT or len(text) <= LIMITS[SHORT[place]]]


@pytest.mark.soak
def test_a_credential_is_refused_wherever_it_is_and_found_in_no_file(memory: Memory, tmp_path: Path) -> None:
    before = memory.head()
    told: list[Sample] = []
    for number, sample in enumerate(found_samples(rounds(100, 4000))):
        places = places_for(sample.text)
        place = places[number % len(places)]
        with pytest.raises(ItemsRefused) as raised:
            memory.checkpoint(**PLACES[place](sample.text))
        (refused,) = raised.value.refused
        assert refused.code == SecretFound.code  # type: ignore[attr-defined]
        for message in (str(raised.value), repr(raised.value), repr(refused), str(raised.value.refused)):
            assert sample.secret not in message
        assert {f.kind for f in find_secrets(sample.text) if f.kind in refused.reason}  # type: ignore[attr-defined]
        told.append(sample)
    assert {sample.kind for sample in told} == SAMPLE_KINDS
    assert memory.head() == before
    assert traces_of([sample.secret for sample in told], tmp_path) == []


@pytest.mark.parametrize("place", PLACES)
def test_the_message_says_where_in_the_text_the_credential_is(memory: Memory, place: str) -> None:
    (sample,) = samples("npm_token", 1)
    text = f"the key is {sample.secret}"
    start = text.index(sample.secret)
    with pytest.raises(ItemsRefused) as raised:
        memory.checkpoint(**PLACES[place](text))
    (refused,) = raised.value.refused
    item = "edges[0]" if place.startswith("edge") else "atoms[0]"
    assert refused.item == item  # type: ignore[attr-defined]
    reason = refused.reason  # type: ignore[attr-defined]
    assert "npm_token" in reason
    assert str(start) in reason
    field = {"text": "value", "attrs key": "attrs", "edge attrs": "attrs", "edge cited": "cited"}.get(place, place)
    assert field in reason


@pytest.mark.parametrize("kind", ["npm_token", "github_token", "stripe_key", "aws_access_key_id", "google_api_key"])
@pytest.mark.parametrize("where", ["atoms", "source", "target", "tombstones"])
def test_a_credential_in_a_name_is_refused_and_the_name_not_repeated(
    memory: Memory, tmp_path: Path, where: str, kind: str
) -> None:
    (sample,) = samples(kind, 1)
    name = f"v1.fact.{sample.secret}"
    assert find_secrets(name)
    edge = {"source": NAME, "type": "likes", "target": NAME} | {where: name}
    given: dict[str, Any] = {
        "atoms": {"atoms": [{"name": name, "value": "x"}]},
        "tombstones": {"tombstones": [name]},
    }.get(where, {"edges": [edge]})
    with pytest.raises(ItemsRefused) as raised:
        memory.checkpoint(**given)
    (refused,) = raised.value.refused
    assert sample.secret not in f"{raised.value}{refused!r}"
    if where != "tombstones":
        assert refused.code == SecretFound.code  # type: ignore[attr-defined]
        assert refused.name is None  # type: ignore[attr-defined]
    assert traces_of(sample.secret, tmp_path) == []


def test_a_reason_that_holds_a_credential_is_refused_unless_it_is_allowed(memory: Memory) -> None:
    (sample,) = samples("npm_token", 1)
    memory.checkpoint(["v1.fact.payment_provider = Stripe"])
    memory.checkpoint(["v1.fact.payments.provider = Adyen"])
    pair = ("v1.fact.payment_provider", "v1.fact.payments.provider")
    with pytest.raises(ItemsRefused) as raised:
        memory.resolve(*pair, reason=sample.secret)
    assert str(raised.value).endswith("to save it anyway, set allow_secrets=True")
    assert sample.secret not in str(raised.value)
    assert memory.resolve(*pair, reason=sample.secret, allow_secrets=True).seqs


def test_with_partial_the_others_are_saved_and_the_credential_is_not(memory: Memory, tmp_path: Path) -> None:
    (sample,) = samples("openai_key", 1)
    saved = memory.checkpoint(["v1.fact.a = x", f"v1.fact.b = {sample.secret}", "v1.fact.c = z"], partial=True)
    assert saved.recorded == ("v1.fact.a", "v1.fact.c")
    assert [(item.item, item.code) for item in saved.refused] == [("atoms[1]", SecretFound.code)]
    assert sample.secret not in repr(saved)
    assert traces_of(sample.secret, tmp_path) == []


def test_who_allows_secrets_may_keep_them_and_they_are_found_in_the_file(memory: Memory, tmp_path: Path) -> None:
    """The last part is the twin of the search through the files: it does find what is there."""
    for number, sample in enumerate(found_samples(50)):
        place = places_for(sample.text)[0]
        assert memory.checkpoint(**PLACES[place](f"{number} {sample.text}"), allow_secrets=True).seqs
    (sample,) = samples("npm_token", 1)
    memory.checkpoint([f"v1.fact.{sample.secret} = x"], allow_secrets=True)
    assert memory.access(f"v1.fact.{sample.secret}").value == "x"
    assert traces_of(sample.secret, tmp_path) != []


@pytest.mark.soak
def test_benign_texts_are_taken(memory: Memory) -> None:
    count = rounds(400, 10_000)
    texts = [text for text in benign_texts(count) if not find_secrets(text)]
    assert len(texts) > 0.98 * count
    for start in range(0, len(texts), 100):
        batch = [{"name": f"v1.fact.n{start + i}", "value": text} for i, text in enumerate(texts[start : start + 100])]
        assert len(memory.checkpoint(batch).seqs) == len(batch)
    assert memory.access("v1.fact.n7").value == texts[7]


def test_a_credential_in_the_actor_is_refused(memory: Memory, tmp_path: Path) -> None:
    (sample,) = samples("npm_token", 1)
    for given in ({"actor": sample.secret}, {"session": sample.secret}, {"source": sample.secret}):
        with pytest.raises((ItemsRefused, SecretFound)) as raised:
            memory.checkpoint(["v1.fact.a = x"], **given)  # type: ignore[arg-type]
        assert sample.secret not in str(raised.value)
    assert traces_of(sample.secret, tmp_path) == []


def test_a_credential_in_an_imported_line_is_refused_with_the_number_of_the_line(
    memory: Memory, tmp_path: Path, home: Path
) -> None:
    (sample,) = samples("npm_token", 1)
    memory.checkpoint([f"v1.fact.a = {sample.secret}"], allow_secrets=True)
    memory.export(tmp_path / "lines")
    with open_memory(tmp_path / "other", home=home) as other:
        with pytest.raises((ItemsRefused, SecretFound)) as raised:
            other.import_lines(tmp_path / "lines")
        assert sample.secret not in str(raised.value)
        assert len(other.list()) == 0
        other.import_lines(tmp_path / "lines", allow_secrets=True)
        assert other.access("v1.fact.a").value == sample.secret


def test_the_message_names_the_line_of_a_file_and_a_text_of_one_line_has_none(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nb\nsee https://h.example/?token=P9xk2mWq7Tr4Lz8Vn3\n", encoding="utf-8")
    with pytest.raises(SecretFound, match=r"in text, characters 36 to 54 \(line 4\)\. Keep it out of memory"):
        memory.ingest(tmp_path / "a.md")
    with pytest.raises(ItemsRefused) as caught:
        memory.checkpoint(["v1.note.a = see https://h.example/?token=P9xk2mWq7Tr4Lz8Vn3"])
    assert "(line" not in str(caught.value)
