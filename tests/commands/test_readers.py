"""What a word means, for both faces. No message repeats what was given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import substrate
from substrate.commands.files import write_text
from substrate.commands.readers import expectation, expected, fraction, moment, number, score, seqs
from substrate.errors import InputError

SECRET = "sk-live-51H8x"  # noqa: S105 - none


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (number, "0", 0),
        (number, "9" * 19, int("9" * 19)),
        (fraction, "0.5", 0.5),
        (fraction, "1", 1.0),
        (score, "-0.3", -0.3),
        (moment, "12", "12"),
        (moment, "2026-03-01", "2026-03-01"),
        (seqs, "2:5", range(2, 5)),
        (expectation, "v1.a.b=3", ("v1.a.b", 3)),
        (expectation, "v1.a.b = absent=absent", ("v1.a.b = absent", None)),
    ],
)
def test_a_word_is_read(read: Callable[[str], object], text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text"),
    [
        *((number, text) for text in ("", "-1", "1.5", "many", "\u0663", "9" * 20, SECRET)),
        *((fraction, text) for text in ("", "2", "-0.1", "nan", "much", SECRET)),
        *((score, text) for text in ("", "high", SECRET)),
        *((moment, text) for text in ("9" * 20, "@nowhere")),
        *((seqs, text) for text in ("2", "2:2", "3:2", "b:a", "", SECRET)),
        *((expectation, text) for text in ("x", "v1.a.b=soon", "@nowhere", SECRET)),
    ],
)
def test_a_word_that_means_nothing_is_refused_and_not_repeated(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(InputError) as refused:
        read(text)
    assert SECRET not in str(refused.value)


def test_a_file_stands_for_the_pin_in_it(tmp_path: Path) -> None:
    with substrate.open(tmp_path / "store", background=False) as memory:
        memory.checkpoint(["v1.fact.a = 1"])
        pin = memory.pin()
    kept = tmp_path / "me.pin"
    write_text(str(kept), str(pin), "the pin")
    assert moment(f"@{kept}") == str(pin)
    assert expected([expectation(f"@{kept}")]) == pin
    assert expected([("v1.a.b", 3), ("v1.a.c", None)]) == {"v1.a.b": 3, "v1.a.c": None}
    assert expected([]) is None
    with pytest.raises(InputError, match="either one pin or any number of names"):
        expected([str(pin), ("v1.a.b", 3)])
    with pytest.raises(InputError, match="--expect: "):
        expected(["no pin"])
