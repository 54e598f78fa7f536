"""Which kind of file it is; what is told of files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from substrate.errors import InputError
from substrate.memory import Memory
from substrate.moving.kind import kind_of

KINDS = {
    '{"substrate":1,"kind":"plain","entries":1,"counted":true}': "substrate",
    '{"substrate":1,"kind":"full","origin":"x"}': "substrate-full",
    '{"kind":"put","name":"v1.fact.a","value":"1"}': "substrate",
    '{"type":"entity","name":"A","entityType":"b","observations":[]}': "server-memory",
    '\n\n{"type":"relation","from":"A","to":"B","relationType":"c"}': "server-memory",
    '{"name":"v1.fact.a","value":"1"}': "jsonl",
    '{"type":"entity","text":"of another kind"}': "jsonl",
}


@pytest.mark.parametrize(("first", "kind"), KINDS.items())
def test_a_file_is_told_by_its_first_line(tmp_path: Path, first: str, kind: str) -> None:
    path = tmp_path / "some.json"
    path.write_text(first, encoding="utf-8")
    assert kind_of(path) == kind


def test_a_file_is_told_by_its_name_and_a_folder_holds_documents(tmp_path: Path) -> None:
    for name, kind in {"a.csv": "csv", "b.TSV": "tsv", "c.md": "documents", "d.ipynb": "documents"}.items():
        (tmp_path / name).write_text("x", encoding="utf-8")
        assert kind_of(tmp_path / name) == kind
    assert kind_of(tmp_path) == "documents"


def test_what_cannot_be_told_or_is_for_another_verb_is_refused_with_what_to_say(memory: Memory, tmp_path: Path) -> None:
    odd = tmp_path / "odd.bin"
    odd.write_bytes(b"\x00\x01\x02")
    with pytest.raises(InputError, match=r"of an unknown kind. Name the kind with from_kind: "):
        memory.import_file(odd)
    with pytest.raises(InputError, match="from_kind is one of substrate, server-memory"):
        memory.import_file(odd, "excel")
    with pytest.raises(InputError, match="there is no file"):
        memory.import_file(tmp_path / "absent")
    with pytest.raises(InputError, match=r"ingest\(\) takes them in"):
        memory.import_file(tmp_path)
    odd.write_text('{"substrate":1,"kind":"full","origin":"x"}', encoding="utf-8")
    with pytest.raises(InputError, match="full export"):
        memory.import_file(odd)
