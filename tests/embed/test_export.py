"""Making an export: once, whole, checked, without the network; and what happens when it cannot be, or is damaged."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from substrate.embed import artifact
from substrate.embed import compare as comparing
from substrate.embed import export as exporting
from substrate.embed import export_process as exporter
from substrate.embed.artifact import CHECKED, GRAPH, MADE, TOKENIZER, WEIGHTS, Made, digest_of, read_made
from substrate.embed.embedder import Embedder
from substrate.embed.find_model import find_source
from substrate.embed.load import Loading, State, load
from substrate.errors import ModelUnavailable
from tests.scale import PATIENCE_S

WATCH = """
import os, sys
def told(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind"):
        with open(os.environ["TOLD"], "a") as file:
            file.write(f"{event} {arguments[1:]}\\n")
sys.addaudithook(told)
with open(os.environ["TOLD"] + ".started", "a") as file:
    file.write("x")
"""


def copy_of(cache: Path, tiny: Embedder, tmp_path: Path) -> Path:
    """A cache folder of the test's own, with the export of the tiny model in it."""
    there = tmp_path / "cache" / "models" / tiny.digest
    shutil.copytree(cache / "models" / tiny.digest, there)
    return there


def test_the_export_says_what_it_is(cache: Path, minilm: Embedder) -> None:
    said = read_made(cache / "models" / minilm.digest)
    assert isinstance(said, Made)
    assert (said.model, said.pooling, said.max_tokens, said.dimensions) == ("all-MiniLM-L6-v2", "mean", 256, 384)
    assert said.cosine >= comparing.CLOSE_ENOUGH
    assert said.space == minilm.space
    assert len(minilm.space) == 8
    assert said.weights == digest_of(cache / "models" / minilm.digest / WEIGHTS)
    assert sorted(path.name for path in (cache / "models").iterdir() if path.name.startswith(".")) == [".lock"]


@pytest.mark.parametrize(("name", "pooling"), [("tiny-mean", "mean"), ("tiny-cls", "cls"), ("tiny-max", "max")])
def test_each_pooling_is_exported(made: Path, name: str, pooling: str) -> None:
    embedder = load(str(made / "models" / name))
    said = read_made(made / "cache" / "models" / embedder.digest)
    assert isinstance(said, Made)
    assert (said.pooling, said.cosine > comparing.CLOSE_ENOUGH) == (pooling, True)
    assert embedder.model == name
    vectors = embedder.embed(["some text", "", "another, much longer than forty-eight tokens of this model " * 9])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_models_of_other_kinds_have_other_spaces(made: Path) -> None:
    spaces = {load(str(made / "models" / name)).space for name in ("tiny-mean", "tiny-cls", "tiny-max")}
    assert len(spaces | {load().space}) == 4


@pytest.mark.parametrize(
    ("name", "why"), [("tiny-sqrt", "it pools by mean_sqrt_len_tokens"), ("tiny-dense", "Transformer, Pooling, Dense")]
)
def test_what_cannot_be_exported_is_refused_with_the_reason(made: Path, tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(ModelUnavailable, match=why):
        load(str(made / "models" / name), cache=tmp_path)
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]


@pytest.mark.parametrize("harm", ["cut", "flipped", "gone", "unreadable", "foreign", "no word"])
def test_a_damaged_export_is_not_used(cache: Path, tiny: Embedder, tmp_path: Path, harm: str) -> None:
    there = copy_of(cache, tiny, tmp_path)
    assert isinstance(read_made(there), Made)
    graph = (there / GRAPH).read_bytes()
    if harm == "cut":
        (there / GRAPH).write_bytes(graph[:-100])
    elif harm == "flipped":
        (there / GRAPH).write_bytes(graph[:500] + bytes([graph[500] ^ 1]) + graph[501:])
    elif harm == "gone":
        (there / TOKENIZER).unlink()
    elif harm == "unreadable":
        (there / MADE).write_bytes(b"\xff{")
    elif harm == "foreign":
        said = json.loads((there / MADE).read_text(encoding="utf-8"))
        (there / MADE).write_text(json.dumps({**said, "digest": "0" * 64}), encoding="utf-8")
    else:
        said = json.loads((there / MADE).read_text(encoding="utf-8"))
        (there / MADE).write_text(json.dumps({**said, "dimensions": "many"}), encoding="utf-8")
    assert isinstance(read_made(there), str)


def test_files_that_were_compared_once_are_not_read_again_until_one_is_written(
    cache: Path, tiny: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = copy_of(cache, tiny, tmp_path)
    (there / CHECKED).unlink(missing_ok=True)
    assert isinstance(read_made(there), Made)
    assert not (there / CHECKED).exists(), "files that were written just now get no mark"
    monkeypatch.setattr(artifact, "_SETTLED_S", -60.0)
    assert isinstance(read_made(there), Made)
    with monkeypatch.context() as patched:
        patched.setattr(artifact, "digest_of", lambda path: pytest.fail(f"{path.name} was read"))
        assert isinstance(read_made(there), Made)
    said, graph = (there / GRAPH).stat(), (there / GRAPH).read_bytes()
    (there / GRAPH).write_bytes(graph[:500] + bytes([graph[500] ^ 1]) + graph[501:])
    os.utime(there / GRAPH, ns=(said.st_atime_ns, said.st_mtime_ns))
    assert read_made(there) == f"{GRAPH} is missing, cut off or changed"


def test_a_file_beside_the_graph_is_checked_and_an_export_without_one_stays_good(
    cache: Path, tiny: Embedder, tmp_path: Path
) -> None:
    there = copy_of(cache, tiny, tmp_path)
    said = json.loads((there / MADE).read_text(encoding="utf-8"))
    del said["weights"]  # as earlier versions wrote it
    (there / MADE).write_text(json.dumps(said), encoding="utf-8")
    assert isinstance(read_made(there), Made)
    (there / WEIGHTS).write_bytes(b"numbers")
    (there / MADE).write_text(json.dumps({**said, "weights": digest_of(there / WEIGHTS)}), encoding="utf-8")
    assert isinstance(read_made(there), Made)
    (there / WEIGHTS).write_bytes(b"number")
    assert read_made(there) == f"{WEIGHTS} is missing, cut off or changed"
    (there / WEIGHTS).unlink()
    assert read_made(there) == f"{WEIGHTS} is missing, cut off or changed"


@pytest.mark.parametrize("marks", ["", "[]", "null", '{"model.onnx": []}', "\N{SNOWMAN}"])
def test_marks_that_cannot_be_read_or_are_of_other_files_count_for_nothing(
    cache: Path, tiny: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marks: str
) -> None:
    monkeypatch.setattr(artifact, "_SETTLED_S", -60.0)
    there = copy_of(cache, tiny, tmp_path)
    (there / CHECKED).write_text(marks, encoding="utf-8")
    assert isinstance(read_made(there), Made)
    (there / TOKENIZER).write_bytes(b"{}")
    (there / CHECKED).write_text(marks, encoding="utf-8")
    assert isinstance(read_made(there), str)


def test_a_damaged_export_is_made_anew_with_a_word_and_without_the_network(  # noqa: PLR0913, PLR0917
    cache: Path,
    made: Path,
    tiny: Embedder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    there = copy_of(cache, tiny, tmp_path)
    (there / GRAPH).write_bytes(b"not a graph")
    left = there.with_name(".0123.1.new")
    left.mkdir()
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch" / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "watch"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    steps: list[tuple[str, int, int]] = []
    with caplog.at_level(logging.INFO):
        again = load(
            str(made / "models" / "tiny-mean"), cache=tmp_path / "cache", tell=lambda *step: steps.append(step)
        )
    assert (again.digest, again.space) == (tiny.digest, tiny.space)
    assert (again.embed(["x y z"]) @ tiny.embed(["x y z"]).T).item() > 0.9999
    assert "is made anew: model.onnx is missing, cut off or changed" in caplog.text
    assert "exporting the model tiny-mean once" in caplog.text
    assert [step for step, _, _ in steps] == [*exporter._STEPS, "loading"]
    assert not left.exists()
    assert sorted(path.name for path in there.parent.iterdir()) == [".lock", there.name]
    assert (tmp_path / "told.started").exists(), "the child was not watched"
    assert not (tmp_path / "told").exists(), (tmp_path / "told").read_text(encoding="utf-8")


def test_the_child_refuses_the_network() -> None:
    code = """
import socket, sys
from substrate.embed.export_process import _refuse_network
sys.addaudithook(_refuse_network)
for attempt in (lambda: socket.create_connection(("127.0.0.1", 9)), lambda: socket.getaddrinfo("example.org", 80)):
    try:
        attempt()
    except PermissionError:
        print("refused")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert run.stdout.split() == ["refused", "refused"]


def test_an_export_that_is_not_what_torch_says_is_refused(
    cache: Path, tiny: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = read_made(cache / "models" / tiny.digest)
    assert isinstance(said, Made)

    class Torch:
        """Says what the export says, but for one text."""

        def encode(self, texts: list[str], **_: object) -> object:
            vectors = tiny.embed(texts)
            vectors[7, :2] += 0.05
            return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    with pytest.raises(ModelUnavailable, match="does not say what torch says"):
        exporter._compare(Torch(), cache / "models" / tiny.digest, said)
    monkeypatch.setattr(comparing, "CLOSE_ENOUGH", 0.9)
    assert 0.9 < exporter._compare(Torch(), cache / "models" / tiny.digest, said) < 0.9999


def test_without_torch_another_model_says_what_to_install(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelUnavailable, match=r"pip install 'substrate-memory\[models\]'"):
        load(str(made / "models" / "tiny-mean"), cache=tmp_path)


def test_a_model_that_is_not_here_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(
        ModelUnavailable, match="the model nobody/has-this is not on this machine, and Substrate downloads none"
    ):
        load("nobody/has-this")
    with pytest.raises(ModelUnavailable, match=r"modules\.json is missing"):
        load(tmp_path)
    with pytest.raises(ModelUnavailable, match=r"modules\.json is missing"):
        load(tmp_path / "not there")


def test_a_broken_model_says_what_is_wrong_and_leaves_nothing(made: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(made / "models" / "tiny-mean", broken)
    (broken / "modules.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ModelUnavailable, match="cannot be exported"):
        load(broken, cache=tmp_path / "cache")
    assert [path.name for path in (tmp_path / "cache" / "models").iterdir()] == [".lock"]


def test_a_cache_that_cannot_be_written_says_so(made: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelUnavailable, match="SUBSTRATE_CACHE"):
        load(str(made / "models" / "tiny-sqrt"), cache=tmp_path / "file")


def test_no_model_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_MODEL", "none")
    with pytest.raises(ModelUnavailable, match="SUBSTRATE_MODEL is none"):
        load()


def test_by_its_digest_a_model_is_had_from_the_cache_alone(cache: Path, tiny: Embedder, tmp_path: Path) -> None:
    there = copy_of(cache, tiny, tmp_path)
    again = load(digest=tiny.digest, named="tiny-mean", cache=there.parents[1])
    assert again.digest == tiny.digest


def test_another_model_of_the_same_name_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="all-MiniLM-L6-v2 here is another one"):
        load(digest="ab" * 32, named="all-MiniLM-L6-v2", cache=tmp_path)


def test_a_name_from_a_store_leads_to_no_folder(made: Path) -> None:
    assert find_source(str(made / "models" / "tiny-mean")) is not None
    assert find_source(str(made / "models" / "tiny-mean"), by_name_only=True) is None
    assert find_source("../tiny-mean", by_name_only=True) is None


def test_a_model_of_the_hub_is_found_without_asking_it(
    made: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "models--someone--tiny"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text("abc123", encoding="utf-8")
    shutil.copytree(made / "models" / "tiny-mean", place / "snapshots" / "abc123")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    found = find_source("someone/tiny")
    there = find_source(made / "models" / "tiny-mean")
    assert found is not None
    assert there is not None
    assert found.model == "someone/tiny"
    assert found.digest() == there.digest()
    assert find_source("someone/else") is None


def test_loading_tells_how_far_it_is(tiny: Embedder) -> None:
    loading = Loading(digest=tiny.digest)
    assert loading.status.state is State.ABSENT
    assert loading.wait(PATIENCE_S) is loading.embedder is not None
    assert loading.status.state is State.READY
    assert str(loading.status) == "the model is ready"


def test_loading_tells_why_it_failed() -> None:
    loading = Loading("nobody/has-this")
    with pytest.raises(ModelUnavailable, match="Substrate downloads none"):
        loading.wait(PATIENCE_S)
    assert loading.embedder is None
    assert loading.status.state is State.FAILED
    assert "Substrate downloads none" in str(loading.status)


def test_an_export_can_be_stopped_and_leaves_nothing(made: Path, tmp_path: Path) -> None:
    loading = Loading(str(made / "models" / "tiny-mean"), cache=tmp_path)
    loading.start()
    while loading.status.state is not State.EXPORTING:
        time.sleep(0.01)
    loading.stop()
    with pytest.raises(ModelUnavailable, match="stopped"):
        loading.wait(PATIENCE_S)
    loading.join()
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]


def test_one_exporter_at_a_time(tmp_path: Path) -> None:
    inside: list[int] = []

    def enter(number: int) -> None:
        with exporting._alone(tmp_path / "lock", lambda *_: None, threading.Event()):
            inside.append(number)
            time.sleep(0.05)
            assert inside[-1] == number

    threads = [threading.Thread(target=enter, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(inside) == [0, 1, 2]
    stop = threading.Event()
    stop.set()
    with (
        exporting._alone(tmp_path / "lock", lambda *_: None, threading.Event()),
        pytest.raises(ModelUnavailable, match="stopped"),
        exporting._alone(tmp_path / "lock", lambda *_: None, stop),
    ):
        pass


ORPHAN = """
import subprocess, sys, time
from pathlib import Path
real = subprocess.Popen
class Told(real):
    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        print(self.pid, flush=True)
subprocess.Popen = Told
from substrate.embed.load import load
load(sys.argv[1], cache=Path(sys.argv[2]))
"""


def test_the_exporter_ends_with_who_started_it(made: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", ORPHAN, str(made / "models" / "tiny-mean"), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.kill()
    until = time.monotonic() + PATIENCE_S
    while (
        Path(f"/proc/{child}").exists() and "Z" not in Path(f"/proc/{child}/stat").read_text(encoding="utf-8").split()
    ):
        assert time.monotonic() < until
        time.sleep(0.05)
    (left,) = [path for path in (tmp_path / "models").iterdir() if path.name != ".lock"]
    assert left.name.endswith(".new"), "nothing half made has the name of an export"


@pytest.mark.parametrize("name", ["__main__", "os", "no.such.thing", "x" * 300, "a/b/c", ""])
def test_a_name_that_is_no_model_is_none(name: str) -> None:
    assert find_source(name, by_name_only=True) is None


def test_a_model_that_cannot_be_read_is_said(made: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(made / "models" / "tiny-mean", broken)
    (broken / "vocab.txt").unlink(missing_ok=True)
    (broken / "vocab.txt").mkdir()
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        load(broken)
