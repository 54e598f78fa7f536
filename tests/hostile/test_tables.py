"""Tables that somebody else made, to stop an import or to keep it busy."""

from __future__ import annotations

from pathlib import Path

from substrate.memory import Memory


def test_a_row_that_is_nested_too_deeply_is_refused_and_the_others_are_taken(memory: Memory, tmp_path: Path) -> None:
    table = tmp_path / "rows.jsonl"
    deep = '{"a":' * 900 + "1" + "}" * 900
    table.write_text(f'{{"value":"first"}}\n{{"value":"x","a":{deep}}}\n{{"value":"last"}}\n', encoding="utf-8")
    imported = memory.import_file(table)
    assert [atom.value for atom in memory.list(prefix="v1.note.")] == ["first", "last"]
    assert [refused.item for refused in imported.refused] == ["line 2"]


def test_a_cell_of_nothing_but_spaces_between_two_words_is_one_tag_and_refused_at_once(
    memory: Memory, tmp_path: Path
) -> None:
    """A pattern that looks at every space from every space would take hours."""
    table = tmp_path / "rows.csv"
    table.write_text(f"name,value,tags\nn,first,a ; b|c\nm,second,x{' ' * 1_000_000}y\n", encoding="utf-8")
    imported = memory.import_file(table)
    assert memory.access("v1.note.n").atom.tags == ("a", "b", "c")
    assert [refused.item for refused in imported.refused] == ["line 3"]
