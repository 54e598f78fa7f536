"""Models for tests: MiniLM, made ready once for all workers of a session; and tiny ones that are made here.

Torch and sentence-transformers are used in child processes only, as in the package itself.
"""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from pathlib import Path

from substrate.embed.compare import TEXTS
from substrate.embed.find_model import DEFAULT_MODEL
from substrate.embed.load import load
from tests.scale import PATIENCE_S

ROOT = Path(__file__).parents[1]

TINY = """
import json, random, sys
from pathlib import Path
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, BertTokenizerFast

for line in sys.stdin:
    said = json.loads(line)
    folder = Path(said["folder"])
    torch.manual_seed(said["seed"])
    letters = [chr(c) for c in range(33, 127)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *("##" + c for c in letters)]
    tokenizer = Tokenizer(models.WordPiece({t: i for i, t in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    wide = said["dimensions"]
    config = BertConfig(vocab_size=len(vocabulary), hidden_size=wide, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=2 * wide, max_position_embeddings=64)
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
                      sep_token="[SEP]", mask_token="[MASK]").save_pretrained(folder)
    modules = [{"idx": i, "name": str(i), "path": f"{i}_{kind}" if i else "",
                "type": f"sentence_transformers.models.{kind}"} for i, kind in enumerate(said["modules"])]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 48, "do_lower_case": False}))
    for module in modules[1:]:
        (folder / module["path"]).mkdir()
    pooling = {"word_embedding_dimension": wide, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": False,
               "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False}
    pooling["pooling_mode_" + said["pooling"]] = True
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))

from substrate.embed.export_process import _export
from substrate.embed.find_model import find_source

for name in ("tiny-mean", "tiny-cls", "tiny-max"):
    source = find_source(folder.parent / name)
    target = folder.parents[1] / "cache" / "models" / source.digest()
    target.mkdir(parents=True)
    _export(source.folder, name, source.digest(), target)

from sentence_transformers import SentenceTransformer

reference = SentenceTransformer(str(find_source("all-MiniLM-L6-v2").folder), device="cpu")
vectors = reference.encode(REFERENCE, normalize_embeddings=True, show_progress_bar=False)
(folder.parents[1] / "reference.json").write_text(json.dumps(vectors.tolist()))
"""

REFERENCE = ["Stripe is how we take payments", "größer als 3 €", "Invoices are paid within thirty days. " * 60, *TEXTS]
"""Texts of which sentence-transformers itself is asked."""

PLAIN = ("Transformer", "Pooling", "Normalize")
TINIES = {
    # name: pooling, modules, dimensions, seed
    "tiny-mean": ("mean_tokens", PLAIN, 32, 1),
    "tiny-cls": ("cls_token", ("Transformer", "Pooling"), 32, 2),
    "tiny-max": ("max_tokens", PLAIN, 16, 3),
    "tiny-sqrt": ("mean_sqrt_len_tokens", PLAIN, 32, 4),
    "tiny-dense": ("mean_tokens", ("Transformer", "Pooling", "Dense", "Normalize"), 32, 5),
}


def make_tinies(folder: Path) -> None:
    """Fill `folder` with the tiny models, export some, and ask torch for reference vectors.

    All in one child process: most of its time goes into importing torch.
    """
    asked = []
    for name, (pooling, modules, dimensions, seed) in TINIES.items():
        (folder / name).mkdir()
        said = {"pooling": pooling, "modules": modules, "dimensions": dimensions, "seed": seed}
        asked.append(json.dumps({**said, "folder": str(folder / name)}))
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nREFERENCE = {REFERENCE!r}\n{TINY}"
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(
        command, input="\n".join(asked), capture_output=True, text=True, timeout=5 * PATIENCE_S, check=False
    )
    assert not done.returncode, done.stderr[-2000:]


def shared(base: Path) -> Path:
    """A folder with the tiny models (`models/`) and the exports (`cache/`), made once by whoever comes first."""
    folder = base / "meaning"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            (folder / "models").mkdir()
            make_tinies(folder / "models")
            load(DEFAULT_MODEL, cache=folder / "cache")
            (folder / "done").touch()
    return folder
