"""Which engram a name means: 40 names in eight scripts meet themselves in every spelling, and nothing else."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

import substrate
from substrate.memory import Memory
from substrate.surfaces.graphnosis.engrams import meant_by
from substrate.text.likeness import slug_of

NAMES = {
    "latin": ["Book Notes", "Café Ideas", "Straße", "Łódź trips", "AI"],
    "greek": ["Αθήνα", "Σημειώσεις", "Ημερολόγιο", "Δουλειά", "Υγεία"],
    "cyrillic": ["Книги", "Работа", "Здоровье", "Дневник", "Москва"],
    "arabic": ["كتب", "عمل", "صحة", "يوميات", "القاهرة"],
    "hebrew": ["ספרים", "עבודה", "בריאות", "יומן", "ירושלים"],
    "devanagari": ["किताबें", "हिन्दी नोट्स", "स्वास्थ्य", "डायरी", "दिल्ली"],
    "han": ["读书笔记", "工作", "健康", "日记", "北京"],
    "hangul": ["독서 노트", "업무", "건강", "일기", "서울"],
}
ALL = [name for names in NAMES.values() for name in names]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    folder = tmp_path_factory.mktemp("engrams")
    with substrate.open(folder / "store", home=folder / "home", model="none", background=False) as memory:
        memory.checkpoint(
            [{"name": f"v1.domain.{slug_of(name)}", "value": name, "attrs": {"title": name}} for name in ALL]
        )
        yield memory  # type: ignore[misc]


def test_there_are_forty_names_in_eight_scripts_each_with_a_slug_of_its_own() -> None:
    assert (len(ALL), len(NAMES)) == (40, 8)
    assert len({slug_of(name) for name in ALL}) == 40


@pytest.mark.parametrize("name", ALL)
def test_a_name_is_found_in_every_spelling(named: Memory, name: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        spelled = unicodedata.normalize(form, name)
        for one in (spelled, spelled.upper(), spelled.casefold(), spelled.replace(" ", "-"), f" {spelled}! "):
            assert meant_by(named, one).slug == slug_of(name), (form, one)


def test_no_two_scripts_meet(named: Memory) -> None:
    for script, names in NAMES.items():
        for name in names:
            near = meant_by(named, f"{name} {name}").near
            others = {slug_of(other) for of, more in NAMES.items() if of != script for other in more}
            assert not others & {one.name.removeprefix("v1.domain.") for one in near}, name


def test_a_short_name_is_close_only_as_a_word(named: Memory) -> None:
    assert meant_by(named, "trainings") == (None, ())
    close = [(one.name, one.reason) for one in meant_by(named, "AI plans").near]
    assert close == [("v1.domain.ai", "your text contains it")]


def test_close_names_have_their_reasons_and_there_are_at_most_three(named: Memory) -> None:
    assert [(one.reason, one.score >= 0.6) for one in meant_by(named, "Bok Notes").near] == [("close spelling", True)]
    assert [one.reason for one in meant_by(named, "Notes Book").near] == ["same words"]
    assert len(meant_by(named, "Notes").near) <= 3


@pytest.mark.parametrize("name", ["!?", "   ", "—", "🙂", "…"])
def test_a_name_of_signs_alone_is_refused(named: Memory, name: str) -> None:
    with pytest.raises(substrate.errors.InputError, match="neither letters nor digits"):
        meant_by(named, name)


def test_a_domain_without_an_atom_of_its_own_is_an_engram_too(tmp_path: Path) -> None:
    with substrate.open(tmp_path / "store", home=tmp_path / "home", model="none") as memory:
        assert meant_by(memory, "Main").slug == "main"
