"""The verb remember: free text under a name that is made for it; said again, it confirms."""

from __future__ import annotations

import threading
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from substrate.errors import InputError, ItemsRefused, SchemaInvalid, SubstrateError
from substrate.memory import Memory, open_memory
from tests.credentials import BARE
from tests.scale import PATIENCE_S


def test_a_sentence_is_saved_under_a_name_of_its_type_and_its_words(memory: Memory) -> None:
    told = memory.remember("we moved to Adyen in May", tags=["money"], source="kick-off", confidence=0.9)
    assert (told.name, told.value) == ("v1.event.moved_adyen_may", "we moved to Adyen in May")
    assert told.recorded == (told.name,)
    atom = memory.access(told.name).atom
    assert (atom.value, atom.tags, atom.source, atom.confidence) == (told.value, ("money",), "kick-off", 0.9)
    assert memory.remember("The provider is Stripe").name == "v1.note.provider_stripe"
    assert memory.remember("Decision: use Postgres").name == "v1.decision.use_postgres"
    assert memory.remember("The provider was Stripe", "fact").name == "v1.fact.provider_stripe"


def test_the_same_text_again_confirms_the_same_atom(memory: Memory) -> None:
    first = memory.remember("The office is in Berlin", session="one")
    again = memory.remember("  The office is in Berlin\n", session="two")
    assert (again.name, again.confirmed, again.recorded) == (first.name, (first.name,), ())
    assert len(memory.history(first.name)) == 1
    assert memory.access(first.name).atom.confirmed_at is not None


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("Priya owns the billing service", "Lena owns the billing service", "who owns the billing service"),
        ("The launch deadline is 3 May", "The launch deadline is 10 May", "launch deadline"),
    ],
)
def test_what_is_said_again_after_its_contradiction_comes_first_and_the_conflict_is_told(
    memory: Memory, first: str, second: str, question: str
) -> None:
    old, new = memory.remember(first, tags=["kept"]), memory.remember(second)
    again = memory.remember(first)
    assert (again.recorded, again.confirmed) == ((old.name,), ())
    assert [(one.first, one.second) for one in again.conflicts] == [(new.name, old.name)]
    assert memory.access(old.name).atom.tags == ("kept",)
    assert [(hit.name, hit.newer) for hit in memory.search(question)] == [(old.name, None), (new.name, old.name)]
    more = memory.remember(first)  # it is the last word already: no version, but the conflict is still open
    assert (more.confirmed, len(memory.history(old.name))) == ((old.name,), 2)
    assert more.conflicts == again.conflicts
    memory.resolve(old.name, new.name, keep=old.name)
    assert memory.remember(first).conflicts == ()


def test_an_agent_that_repeats_a_sentence_does_not_outdate_what_a_person_said_since(memory: Memory) -> None:
    agent = {"actor": "mcp:helper", "origin": "agent"}
    old = memory.remember("Priya owns the billing service", **agent)
    new = memory.remember("Lena owns the billing service")
    again = memory.remember("Priya owns the billing service", **agent)
    assert again.confirmed == (old.name,)
    assert [(one.first, one.second) for one in again.conflicts] == [(old.name, new.name)]
    found = memory.search("who owns the billing service")
    assert [(hit.name, hit.newer) for hit in found] == [(new.name, None), (old.name, new.name)]
    assert memory.remember("Priya owns the billing service").recorded == (old.name,)  # a person may


def test_an_agent_that_repeats_a_sentence_outdates_what_an_agent_said_since(memory: Memory) -> None:
    agent = {"actor": "mcp:helper", "origin": "agent"}
    old, new = (memory.remember(f"{who} owns the billing service", **agent) for who in ("Priya", "Lena"))
    assert memory.remember("Priya owns the billing service", **agent).recorded == (old.name,)
    found = memory.search("who owns the billing service")
    assert [(hit.name, hit.newer) for hit in found] == [(old.name, None), (new.name, old.name)]


def test_a_checkpoint_that_repeats_a_value_only_confirms_it(memory: Memory) -> None:
    items = ["v1.note.priya = Priya owns the billing service", "v1.note.lena = Lena owns the billing service"]
    for item in (*items, *items):  # a notebook that is run again states nothing new
        memory.checkpoint([item])
    assert [len(memory.history(name)) for name in ("v1.note.priya", "v1.note.lena")] == [1, 1]


def test_a_text_is_known_again_under_the_type_that_someone_gave_it(memory: Memory) -> None:
    assert memory.remember("The office is in Berlin", "fact").name == "v1.fact.office_berlin"
    assert memory.remember("The office is in Berlin").confirmed == ("v1.fact.office_berlin",)


def test_two_texts_with_the_same_words_get_two_names_and_keep_them(memory: Memory) -> None:
    first, second = memory.remember("the office is in Berlin"), memory.remember("The office? In Berlin!")
    assert second.name.startswith(f"{first.name}_")
    for told in (first, second):
        assert memory.remember(told.value).confirmed == (told.name,)
        assert memory.access(told.name).atom.value == told.value


def test_a_name_that_another_text_has_stays_with_it_even_if_it_is_out_of_use(memory: Memory) -> None:
    first = memory.remember("the office is in Berlin")
    memory.checkpoint(tombstones=[first.name])
    other = memory.remember("The office was in Berlin")
    assert other.name != first.name
    assert memory.remember("the office is in Berlin").recorded == (first.name,)


def test_a_text_whose_atom_says_something_else_by_now_gets_a_name_of_its_own(memory: Memory) -> None:
    first = memory.remember("the office is in Berlin")
    memory.checkpoint([f"{first.name} = the office is in Paris"])
    assert memory.remember("the office is in Berlin").name != first.name
    assert memory.access(first.name).atom.value == "the office is in Paris"


def test_an_erased_text_said_again_is_a_new_atom(memory: Memory) -> None:
    first = memory.remember("the office is in Berlin")
    memory.forget([first.name])
    again = memory.remember("the office is in Berlin")
    assert again.recorded == (first.name,)
    assert again.ids[first.name] != first.ids[first.name]


def test_what_looks_like_a_credential_is_refused_and_never_part_of_a_name(memory: Memory) -> None:
    secret = BARE["github_token"](Random(1))
    with pytest.raises(ItemsRefused):
        memory.remember(f"the key is {secret}")
    told = memory.remember(f"the key is {secret} in staging", allow_secrets=True)
    assert told.name == "v1.note.key_staging"


@pytest.mark.parametrize(
    ("text", "kind", "error"),
    [("", None, InputError), (" \n", None, InputError), (3, None, SchemaInvalid), ("x", "My Type", InputError)],
)
def test_no_text_or_no_type_is_refused_with_what_is_wrong(
    memory: Memory, text: object, kind: str | None, error: type[SubstrateError]
) -> None:
    with pytest.raises(error):
        memory.remember(text, kind)  # type: ignore[arg-type]
    with pytest.raises(SchemaInvalid, match="name cannot be given"):
        memory.remember("x", name="v1.fact.x")
    assert not list(memory.list())


def test_writers_who_remember_at_once_neither_overwrite_nor_double_a_text(tmp_path: Path) -> None:
    texts = [f"the office is in Berlin{mark}" for mark in ("", ".", "!", ";")]
    names: list[tuple[str, str]] = []
    with open_memory(tmp_path / "store", home=tmp_path / "home", background=False) as memory:
        clients = [memory.client(f"writer {at}") for at in range(4)]
        workers = [
            threading.Thread(target=lambda one=one: names.extend((text, one.remember(text).name) for text in texts))
            for one in clients
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(PATIENCE_S)
        assert len(names) == 16
        assert len(set(names)) == len({name for _, name in names}) == len(list(memory.list())) == 4


words = st.sampled_from(
    [
        "berlin",
        "Berlin",
        "the",
        "office",
        "$HOME",
        "{x}",
        "`id`",
        "é",
        "e\u0301",
        "日本",
        "🎉",
        "\u202e",
        "--yes",
        "= a",
    ]
)
texts = st.one_of(
    st.lists(words, min_size=1, max_size=5).map(" ".join),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=40),
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(texts.filter(str.strip), min_size=1, max_size=8))
def test_whatever_is_said_each_text_has_one_atom_that_says_it(memory: Memory, said: list[str]) -> None:
    names: dict[str, str] = {}
    for text in said:
        try:
            told = memory.remember(text)
        except ItemsRefused:  # such as a null character
            continue
        assert names.setdefault(text.strip(), told.name) == told.name
        assert memory.access(told.name).atom.value == text.strip()
    assert len(set(names.values())) == len(names)


def test_the_names_in_a_remembered_text_are_its_entities_and_said_again_it_is_confirmed(memory: Memory) -> None:
    text = "Ada Lovelace met Charles Babbage in London"
    first = memory.remember(text)
    assert memory.access(first.name).atom.entities == ("Ada Lovelace", "Charles Babbage", "London")
    assert memory.remember(text).confirmed == (first.name,)
    assert [hit.name for hit in memory.search("met", entities="Charles Babbage")] == [first.name]
    given = memory.remember("Bob met Eve Moneypenny", entities=["Bob"])
    assert memory.access(given.name).atom.entities == ("Bob",)


def test_what_is_to_be_kept_of_a_known_text_is_added_to(memory: Memory) -> None:
    memory.remember("tea is green", "note", tags=["tea"], attrs={"a": 1}, strength=1.8)
    memory.remember(
        "tea is green", "note", tags=["drink"], attrs={"b": 2}, strength=1.1, keep=("tags", "attrs", "strength")
    )
    note = memory.fading()[0]
    assert (sorted(note.atom.tags), dict(note.atom.attrs), note.strength) == (["drink", "tea"], {"a": 1, "b": 2}, 1.8)
    memory.remember("tea is green", "note", tags=["x"], attrs={"c": 3}, strength=1.1)
    note = memory.fading()[0]
    assert (note.atom.tags, dict(note.atom.attrs), note.strength) == (("x",), {"c": 3}, 1.1)
    with pytest.raises(InputError):
        memory.remember("tea is green", "note", keep=("name",))


def test_what_was_remembered_shows_name_and_text_first_and_no_hashes(memory: Memory) -> None:
    saved = memory.remember("the warehouse is in Leipzig")
    assert repr(saved).startswith(f"Remembered(name={saved.name!r}, value='the warehouse is in Leipzig', ")
    assert saved.head.head.root.hex() not in repr(saved)
    assert saved.to_dict()["head"]


def test_a_checkpoint_shows_what_was_saved_and_no_hashes(memory: Memory) -> None:
    saved = memory.checkpoint(["v1.fact.warehouse = Leipzig"])
    assert repr(saved) == "Saved(seqs=[1, 2], recorded=['v1.fact.warehouse'])"
    assert {"head", "ids"} < saved.to_dict().keys()
