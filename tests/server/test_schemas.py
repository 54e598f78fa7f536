"""Schemas as they are published: without titles and nulls that say nothing, and with all that says something."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from substrate.server.schemas import fields_at, lean, skeleton
from substrate.surfaces.shape import CamelShape


class Inner(BaseModel):
    title: str = "no title of a schema"
    default: int | None = None


class Outer(BaseModel):
    """A model whose fields are called as the words of a schema are."""

    title: str | None = None
    default: list[Inner] = Field([], description="kept")
    properties: dict[str, int | None] = {}
    any_of: int | str | None = None
    required: Inner


SCHEMA = Outer.model_json_schema()


def titles_in(schema: Any) -> list[str]:
    """The titles of a schema, which are texts; what is called title and is a schema is a field."""
    match schema:
        case dict():
            own = [schema["title"]] if isinstance(schema.get("title"), str) else []
            return own + [title for value in schema.values() for title in titles_in(value)]
        case list():
            return [title for value in schema for title in titles_in(value)]
        case _:
            return []


def test_titles_go_and_fields_that_are_called_like_words_of_a_schema_stay() -> None:
    assert len(titles_in(SCHEMA)) > 5
    published = lean(SCHEMA)
    assert titles_in(published) == []
    assert set(published["properties"]) == {"title", "default", "properties", "any_of", "required"}
    assert set(published["$defs"]["Inner"]["properties"]) == {"title", "default"}
    assert published["$defs"]["Inner"]["properties"]["title"] == {"default": "no title of a schema", "type": "string"}
    assert published["required"] == ["required"]
    assert published["description"] == SCHEMA["description"]


def test_what_may_be_left_out_is_not_said_to_be_null() -> None:
    published = lean(SCHEMA)["properties"]
    assert published["title"] == {"type": "string"}
    assert published["any_of"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert published["default"]["description"] == "kept"
    assert published["default"]["default"] == []


def test_in_a_mapping_a_null_is_a_value_and_stays_one() -> None:
    values = lean(SCHEMA)["properties"]["properties"]["additionalProperties"]
    assert Draft202012Validator(values).is_valid(None)
    assert Draft202012Validator(values).is_valid(5)


@pytest.mark.parametrize("word", ["$defs", "properties"])
def test_a_schema_may_itself_be_called_title_or_default(word: str) -> None:
    one = {"type": "string", "title": "X"}
    assert lean({word: {"title": one, "default": one, "anyOf": one}}) == {
        word: {name: {"type": "string"} for name in ("title", "default", "anyOf")}
    }


_INNER = st.fixed_dictionaries({}, optional={"title": st.text(max_size=3), "default": st.integers()})
_GIVEN = st.fixed_dictionaries(
    {"required": _INNER},
    optional={
        "title": st.text(max_size=3),
        "default": st.lists(_INNER, max_size=2),
        "properties": st.dictionaries(st.text(max_size=3), st.none() | st.integers(), max_size=2),
        "any_of": st.integers() | st.text(max_size=3) | st.booleans(),
    },
)


@given(_GIVEN)
def test_without_nulls_for_what_is_left_out_both_take_the_same(given: dict[str, Any]) -> None:
    assert Draft202012Validator(lean(SCHEMA)).is_valid(given) == Draft202012Validator(SCHEMA).is_valid(given)


def test_what_is_lean_stays_as_it_is_and_what_was_given_too() -> None:
    before = Outer.model_json_schema()
    assert lean(lean(SCHEMA)) == lean(SCHEMA)
    assert before == SCHEMA


@given(_GIVEN)
def test_whatever_fits_the_whole_fits_its_skeleton(given: dict[str, Any]) -> None:
    assert Draft202012Validator(skeleton(Outer)).is_valid(given)


class Typed(CamelShape):
    """Every kind of type that a reply may have."""

    a_text: str | None = None
    a_number: Annotated[float, Field(ge=0)] = 0.0
    whole_number: Annotated[int | None, Field(ge=0)] = 0
    yes: Literal[True]
    one_of: Literal["a", "b"]
    either: int | str
    anything: Any
    inner: Inner
    some: list[Inner] | None = None
    by_name: dict[str, list[int]]
    from_: int = Field(alias="from")


def test_a_skeleton_has_names_and_plain_types_and_no_more() -> None:
    assert skeleton(Typed) == {
        "type": "object",
        "properties": {
            "aText": {"type": "string"},
            "aNumber": {"type": "number"},
            "wholeNumber": {"type": "integer"},
            "yes": {"type": "boolean"},
            "oneOf": {"type": "string"},
            "either": {},
            "anything": {},
            "inner": {"type": "object"},
            "some": {"type": "array"},
            "byName": {"type": "object"},
            "from": {"type": "integer"},
        },
    }


def test_the_fields_of_an_object_are_found_however_deep_it_is() -> None:
    assert fields_at(SCHEMA, ()) == ["title", "default", "properties", "any_of", "required"]
    assert fields_at(SCHEMA, ("default", 3)) == fields_at(SCHEMA, ("required",)) == ["title", "default"]
    assert fields_at(SCHEMA, ("title", "x", 5)) == []
