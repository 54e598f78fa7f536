from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.errors import InputError
from substrate.limits import LIMITS
from substrate.notebook.provenance.summaries import summary_of

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("result", "value", "kind"),
    [
        ("a text", "a text", "text"),
        (3, "3", "number"),
        (2.5, "2.5", "number"),
        (Decimal("1.10"), "1.10", "number"),
        (np.float64(0.25), "0.25", "number"),
        (np.int64(7), "7", "number"),
        (True, "true", "json"),
        (np.True_, "true", "json"),
        ({"a": [1, None]}, '{"a": [1, null]}', "json"),
        ({"a": np.int64(3), "b": [np.float64(0.5)]}, '{"a": 3, "b": [0.5]}', "json"),
    ],
)
def test_texts_numbers_and_json_are_kept_as_they_are(result: object, value: str, kind: str) -> None:
    summary = summary_of(result)
    assert (summary.value, summary.kind) == (value, kind)


@given(_JSON.filter(lambda value: isinstance(value, list | dict)))
def test_json_comes_back_as_it_was(value: object) -> None:
    assert json.loads(summary_of(value).value) == value


def test_a_data_frame_is_kept_as_its_schema_and_a_summary() -> None:
    frame = pd.DataFrame(
        {
            "city": ["Bern", "Bern", None],
            "price": [1.5, 2.5, np.nan],
            "day": pd.to_datetime(["2026-01-01", "2026-01-03", "2026-01-02"]),
            "empty": [None, None, None],
        }
    )
    summary = summary_of(frame)
    assert summary.kind == "frame"
    assert summary.attrs["rows"] == 3
    first, city, price, day, empty = summary.value.splitlines()
    assert first == "Data frame of 3 rows and 4 columns"
    assert city.endswith("2 filled, 1 distinct, most often 'Bern' (2)")
    assert price == "price: float64, 2 filled, 1.5 to 2.5, mean 2.0"
    assert "2026-01-01 00:00:00 to 2026-01-03 00:00:00" in day
    assert empty.endswith("0 filled")


def test_a_series_is_a_frame_of_one_column() -> None:
    assert summary_of(pd.Series([1, 2, 3], name="n")).value.splitlines()[1] == "n: int64, 1 to 3, mean 2.0"


@pytest.mark.parametrize("rows", [3, 2000])
def test_no_row_is_kept_of_however_few_there_are(rows: int) -> None:
    frame = pd.DataFrame({"who": ["Ada", *["Bo"] * (rows - 1)], "paid": [5, 41, *[90] * (rows - 2)]})
    summary = summary_of(frame)
    assert len(summary.value.splitlines()) == 3, "one, and one for each column"
    for inside in ("Ada", "41"):  # neither an end of a range nor what is there most often
        assert inside not in summary.value + str(summary.attrs)


def test_the_rows_of_a_small_frame_are_kept_as_json_or_as_text() -> None:
    frame = pd.DataFrame({"region": ["north", "south", "north"], "sold": [1, 2, 3]}).groupby("region").sum()
    assert summary_of(frame.to_csv()).value == "region,sold\nnorth,4\nsouth,2\n"
    records = frame.reset_index().to_dict("records")
    assert json.loads(summary_of(records).value) == [{"region": "north", "sold": 4}, {"region": "south", "sold": 2}]


def test_a_wide_frame_fits_into_an_atom_and_says_what_is_not_described() -> None:
    frame = pd.DataFrame({f"列の名前はとても長い {at:05}" * 5: ["x" * 500] for at in range(2000)})
    summary = summary_of(frame)
    described = summary.attrs["columns"]
    assert isinstance(described, list)
    assert 100 < len(described) <= 200
    assert summary.value.endswith(f"… and {2000 - len(described):,} more columns")
    assert len(summary.value.encode()) < LIMITS["value_bytes"]
    assert len(json.dumps(summary.attrs, ensure_ascii=False).encode()) < LIMITS["attrs_bytes"] - 12_000, "and the code"


def test_the_ends_of_a_range_are_told_exactly() -> None:
    frame = pd.DataFrame({"id": [2**60 + 1, 5], "price": [1234567.89, 0.1]})
    assert summary_of(frame).value.splitlines()[1:] == [
        f"id: int64, 5 to {2**60 + 1}, mean {float(f'{(2**60 + 6) / 2:.6g}')}",
        "price: float64, 0.1 to 1234567.89, mean 617284.0",
    ]


@pytest.mark.parametrize("result", [object(), {1, 2}, np.zeros(3), {"a": float("nan")}, {"a": object()}])
def test_what_cannot_be_kept_is_refused_with_what_can(result: object) -> None:
    with pytest.raises(InputError, match="JSON"):
        summary_of(result)
