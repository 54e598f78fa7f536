"""The child process that exports a model. The only file that imports torch and sentence-transformers.

It serves any model but the default one. The export is believed only if it says what torch says (see `compare`).
"""

from __future__ import annotations

import json
import os
import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn

from substrate.embed.artifact import GRAPH, TOKENIZER, Made, digest_of, write_made
from substrate.embed.compare import TEXTS, compare
from substrate.errors import ModelUnavailable
from substrate.settings import set_offline

__all__ = ["main"]

_STEPS: Final = ("loading torch", "loading the model", "exporting", "comparing with torch", "writing")
_OPSET: Final = 17
_POOLINGS: Final = ("mean", "cls", "max")
_MOST_TOKENS: Final = 512
"""For a model that does not say how long its window is."""


def main(arguments: Sequence[str]) -> None:
    """Export the model in the folder given first; say in lines of JSON how far it is, and what went wrong."""
    folder, model, digest, target = arguments
    threading.Thread(target=_end_with_parent, daemon=True).start()
    set_offline()
    sys.addaudithook(_refuse_network)
    try:
        _export(Path(folder), model, digest, Path(target))
    except Exception as error:  # noqa: BLE001 - the parent is told, whatever it is
        _say({"failed": str(error) if isinstance(error, ModelUnavailable) else f"{type(error).__name__}: {error}"})
        sys.exit(1)


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}:
        if event == "socket.connect" and isinstance(arguments[1], str | bytes):
            return  # a socket of this machine
        raise PermissionError("a model is exported without the network")


def _say(said: Mapping[str, object]) -> None:
    print(json.dumps(said), flush=True)  # noqa: T201 - to the parent


def _step(at: int) -> None:
    _say({"step": _STEPS[at], "done": at, "total": len(_STEPS)})


def _export(folder: Path, model: str, digest: str, target: Path) -> None:
    pooling = _read_pooling(folder)
    _step(0)
    import torch  # noqa: PLC0415
    from sentence_transformers import SentenceTransformer, __version__  # noqa: PLC0415

    _step(1)
    # Plain attention: what the exporter traces is then plain matrix products, which onnxruntime fuses by itself.
    reference = SentenceTransformer(
        str(folder), device="cpu", local_files_only=True, model_kwargs={"attn_implementation": "eager"}
    )
    reference.eval()
    _step(2)
    _write_graph(reference, pooling, target / GRAPH)
    tokenizer = reference.tokenizer.backend_tokenizer
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.save(str(target / TOKENIZER))
    prompts = {name: text or "" for name, text in reference.prompts.items()}
    default = prompts.get(reference.default_prompt_name or "", "")
    window = reference.max_seq_length or _MOST_TOKENS
    made = Made(
        format=1,
        model=model,
        digest=digest,
        graph=digest_of(target / GRAPH) or "",
        tokenizer=digest_of(target / TOKENIZER) or "",
        pooling=pooling,
        dimensions=int(reference.get_embedding_dimension() or 0),
        max_tokens=int(window),
        pad=int(reference.tokenizer.pad_token_id or 0),
        lower_case=bool(getattr(reference[0], "do_lower_case", False)),
        query_prompt=prompts.get("query") or default,
        text_prompt=prompts.get("document") or prompts.get("passage") or default,
        cosine=0.0,
        by=f"torch {torch.__version__}, sentence-transformers {__version__}",
    )
    _step(3)
    lowest = _compare(reference, target, made)
    _step(4)
    write_made(target, replace(made, cosine=lowest))


def _read_pooling(folder: Path) -> str:
    """How the model makes one vector of many. ModelUnavailable if it does anything that the export would not do."""
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        _refuse(f"it is made of {', '.join(kinds)}, and only Transformer, Pooling and Normalize can be exported")
    config = json.loads((folder / modules[1]["path"] / "config.json").read_text(encoding="utf-8"))
    if config.get("include_prompt") is False:
        _refuse("its pooling leaves out the prompt, which the export cannot do")
    mode = config.get("pooling_mode")
    if mode is None:
        flags = {"mean": "mean_tokens", "cls": "cls_token", "max": "max_tokens"}
        said = [key.removeprefix("pooling_mode_") for key, value in config.items() if "pooling_mode_" in key and value]
        mode = next((name for name, flag in flags.items() if said == [flag]), "+".join(said) or "nothing")
    if mode not in _POOLINGS:
        _refuse(f"it pools by {mode}, and only {', '.join(_POOLINGS)} can be exported")
    return str(mode)


def _refuse(why: str) -> NoReturn:
    raise ModelUnavailable(f"{why}. Choose another model, such as all-MiniLM-L6-v2")


def _write_graph(reference: Any, pooling: str, path: Path) -> None:  # noqa: ANN401 - untyped libraries
    import torch  # noqa: PLC0415

    class Pooled(torch.nn.Module):
        """Tokens to one vector of length 1, as the model's modules say."""

        def __init__(self, inner: Any) -> None:  # noqa: ANN401
            super().__init__()
            self.inner = inner

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            tokens = self.inner(input_ids=ids, attention_mask=mask).last_hidden_state
            there = mask.unsqueeze(-1).to(tokens.dtype)
            if pooling == "cls":
                whole = tokens[:, 0]
            elif pooling == "max":
                whole = (tokens - (1.0 - there) * 1e9).max(dim=1).values
            else:
                whole = (tokens * there).sum(dim=1) / there.sum(dim=1).clamp(min=1e-9)
            return torch.nn.functional.normalize(whole, p=2.0, dim=1)

    ids = torch.full((2, 7), 5, dtype=torch.long)
    mask = torch.ones((2, 7), dtype=torch.long)
    mask[1, 5:] = 0
    sizes = {0: "texts", 1: "tokens"}
    # The older exporter, by tracing: it needs no further package, takes 4 s instead of 17, and its graph is what
    # onnxruntime fuses best. What tracing could freeze by mistake, the comparison below would show.
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Pooled(reference[0].auto_model).eval(),
            (ids, mask),
            str(path),
            dynamo=False,
            opset_version=_OPSET,
            input_names=["input_ids", "attention_mask"],
            output_names=["vectors"],
            dynamic_axes={"input_ids": sizes, "attention_mask": sizes, "vectors": {0: "texts"}},
        )


def _compare(reference: Any, folder: Path, made: Made) -> float:  # noqa: ANN401
    """The lowest cosine of what the export and torch make of a text. ModelUnavailable if it is too low."""
    from substrate.embed.embedder import Embedder  # noqa: PLC0415

    def encoded(prompt: str) -> Any:  # noqa: ANN401
        return reference.encode(
            list(TEXTS), batch_size=4, normalize_embeddings=True, prompt=prompt, show_progress_bar=False
        )

    return compare(Embedder(folder, made), encoded(made.text_prompt), encoded(made.query_prompt))
