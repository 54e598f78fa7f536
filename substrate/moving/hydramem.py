"""What HydraMem gives away: the signed export of a project, and its file of sessions.

    {"format": "hydramem-export", "version": 1, "algo": "hmac-sha256", "project": ..., "issuer": ..., "created_at": ...,
     "payload": {"entities": [...], "relations": [...], "chunks": [...]}, "signature": HMAC of all but itself}
    [{"session_id": ..., "project": ..., "entries": [{"summary": ..., "ts": ..., "tool_name": ...}]}]

Entities become entities of ours, chunks the chunks of their documents, relations edges with their windows, what was
observed in a session a note. An export has no mentions: a chunk lists the entities whose names stand in it. Its chunks
overlap; what one repeats of the one before is left out, so that a document reads as one text. Headings are lost there.

The graph's own file is a pickle. To load one runs code that stands in it, so it is refused.
"""

from __future__ import annotations

import hmac
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from substrate.atoms.domains import DOMAIN, domain_name
from substrate.documents.naming import chunk_name, document_name
from substrate.entities.naming import entity_name
from substrate.errors import Denied, InputError, SchemaInvalid, SubstrateError
from substrate.files import users_file
from substrate.limits import LIMITS
from substrate.messages import Arg
from substrate.moving.line import Fields, Line, Lines, Read, at_line
from substrate.names import escape_part
from substrate.text.canonical import canonical, is_canonical_key
from substrate.text.extract import extract

__all__ = ["is_hydramem", "is_pickle", "open_hydramem", "refuse_pickle"]

_FORMAT: Final = "hydramem-export"
_VERSION: Final = 1
_ALGORITHM: Final = "hmac-sha256"
_LARGEST: Final = 512 * 1024 * 1024
"""Bytes of a file: it is one JSON value, and is read as a whole."""
_OVERLAP: Final = (16, 600)
"""Characters that a chunk may repeat of the one before; fewer may be chance."""
_DIGITS: Final = 12
_PICKLES: Final = (".pkl", ".pickle")
_PICKLED: Final = b"\x80"
"""How a pickle of protocol 2 or later begins."""
_BRIEF: Final = 64 * 1024
_HALF: Final = re.compile("[\\ud800-\\udfff]")
"""Half a character."""


def is_pickle(path: Path) -> bool:
    """Whether this is a file that runs code when it is loaded."""
    if path.suffix.lower() in _PICKLES:
        return True
    with path.open("rb") as file:
        first = file.read(2)
    return first[:1] == _PICKLED and first[1:] <= b"\x05"


def refuse_pickle(path: Path) -> None:
    """InputError if it is one."""
    if path.is_file() and is_pickle(path):
        raise InputError(
            f"{path} is a pickle: to load one runs code that stands in it. Run `hydramem export FILE`, "
            "and import that file"
        )


def is_hydramem(path: Path) -> bool:
    """Whether the beginning of a JSON file says that it is one of these two."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        begin = file.read(_BRIEF)
    if begin.lstrip().startswith("["):
        return '"entries"' in begin and '"session_id"' in begin
    return begin.lstrip().startswith("{") and f'"{_FORMAT}"' in begin[:400]


@contextmanager
def open_hydramem(path: Path, domain: str | None, *, secret: str | bytes | None, unverified: bool) -> Iterator[Lines]:
    """The lines of such a file. `domain`: the name of the domain that all of it goes to; None: as its projects say.

    InputError if it cannot be read, or the secret is empty; Denied if its signature is not made with the secret, or
    nobody gave one. Sessions are never signed: Denied if a secret is given.
    """
    refuse_pickle(path)
    if secret is not None and not secret:
        raise InputError("the ", Arg("secret"), " is empty: give the one that the export was signed with")
    said = _read(path)
    if isinstance(said, list):
        if secret is not None and not unverified:
            raise Denied(
                f"{path} holds sessions, which are not signed: leave the ",
                Arg("secret"),
                " out, or give ",
                Arg("unverified"),
                " to take it as it is",
            )
        yield Lines(_numbered(_sessions(said, domain)), 0)
        return
    _check(path, said, secret, unverified=unverified)
    project = said.get("project")
    of = domain or domain_name(project if isinstance(project, str) and project else "default")
    payload = said.get("payload")
    yield Lines(_numbered(_payload(payload if isinstance(payload, dict) else {}, of)), 0)


def _read(path: Path) -> Mapping[str, object] | list[object]:
    with users_file(path):
        try:
            if path.stat().st_size > _LARGEST:
                raise InputError(f"{path} is larger than {_LARGEST // 2**20} MB, and can only be read as a whole")
            said = json.loads(path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            raise InputError(f"there is no file {path}") from None
        except UnicodeDecodeError:
            raise InputError(f"{path} is not UTF-8 text") from None
        except (ValueError, RecursionError):
            raise InputError(f"{path} is not JSON: export it again") from None
    if isinstance(said, list):
        return said
    if not isinstance(said, dict) or said.get("format") != _FORMAT:
        raise InputError(f"{path} is not an export of HydraMem: make one with `hydramem export FILE`")
    if said.get("version") != _VERSION or said.get("algo", _ALGORITHM) != _ALGORITHM:
        raise InputError(f"{path} is an export of version {said.get('version')}, and only version {_VERSION} is known")
    return said


def _check(path: Path, said: Mapping[str, object], secret: str | bytes | None, *, unverified: bool) -> None:
    """Denied if the file is not what the holder of the secret signed."""
    if unverified:
        return
    if secret is None:
        raise Denied(f"{path} is signed: give its ", Arg("secret"), ", or ", Arg("unverified"), " to take it as it is")
    key = secret.encode(errors="surrogatepass") if isinstance(secret, str) else secret
    body = {word: value for word, value in said.items() if word != "signature"}
    signed = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    given = str(said.get("signature")).encode(errors="surrogatepass")
    if not hmac.compare_digest(hmac.new(key, signed, sha256).hexdigest().encode(), given):
        raise Denied(
            f"the signature of {path} is not made with this ", Arg("secret"), ": it was changed, or is another's"
        )


def _numbered(items: Iterator[tuple[str, Fields] | SubstrateError]) -> Iterator[Read]:
    for number, item in enumerate(items, 1):
        if isinstance(item, SubstrateError):
            yield at_line(number, item.code, item.message)
        else:
            kind, fields = item
            yield Line(number, kind, fields, len(str(fields.get("value", ""))) + 200)


_Items = Iterator[tuple[str, Fields] | SubstrateError]


def _payload(payload: Mapping[str, object], domain: str) -> _Items:
    """Entities, then documents with their chunks, then relations. What cannot be taken is an error in its place."""
    named: dict[str, str] = {}
    for raw in _objects(payload.get("entities")):
        try:
            display = _text(raw, "name")
            atom = entity_name(domain, display)
            named[str(raw.get("id"))] = named[canonical(display)] = display
            attrs: Fields = {"type": str(raw.get("type") or "concept"), "imported": _imported(raw.get("id"))}
            yield "put", {"name": atom, "value": display, "attrs": attrs}
        except SubstrateError as error:
            yield error
    documents: dict[str, list[Mapping[str, object]]] = defaultdict(list)
    for raw in _objects(payload.get("chunks")):
        documents[str(raw.get("doc_id") or raw.get("source") or raw.get("id"))].append(raw)
    for key, chunks in documents.items():
        yield from _document(key, chunks, domain, named)
    for raw in _objects(payload.get("relations")):
        try:
            yield "edge", _relation(raw, domain, named)
        except SubstrateError as error:
            yield error


def _document(key: str, chunks: list[Mapping[str, object]], domain: str, named: Mapping[str, str]) -> _Items:
    chunks.sort(key=lambda raw: (_number(raw.get("chunk_idx")), str(raw.get("id"))))
    texts = _joined([str(raw.get("text") or "") for raw in chunks])
    kept = [(raw, text) for raw, text in zip(chunks, texts, strict=True) if text]
    if not kept:
        yield SchemaInvalid(f"the document {key} has no text")
        return
    whole = "".join(text for _, text in kept)
    source = str(chunks[0].get("source") or key)[: LIMITS["text_characters"]]
    if _HALF.search(source):
        yield SchemaInvalid("the source of a document holds a lone surrogate, which has no UTF-8")
        return
    name = document_name(domain, source)
    for position, (raw, text) in enumerate(kept):
        forms = (canonical(one.name) for one in extract(text) if is_canonical_key(one.name))
        fields: Fields = {
            "parent": name,
            "position": position,
            "source": source,
            "attrs": {"imported": _imported(raw.get("id"))},
        }
        listed = list(dict.fromkeys(named[form] for form in forms if form in named))
        yield (
            "put",
            {"name": chunk_name(name, position), "value": text, **fields, **({"entities": listed} if listed else {})},
        )
    data = whole.encode(errors="surrogatepass")
    attrs = {
        "digest": sha256(data).hexdigest(),
        "bytes": len(data),
        "chunks": len(kept),
        "media_type": "text/markdown",
        "imported": _imported(key),
    }
    yield "put", {"name": name, "value": source, "source": source, "attrs": attrs}


def _joined(texts: list[str]) -> list[str]:
    """The texts without what each repeats of the one before; where nothing is repeated, a blank line between them."""
    parts: list[str] = []
    for text in texts:
        least, most = _OVERLAP
        before = parts[-1] if parts else ""
        common = next(
            (size for size in range(min(most, len(text), len(before)), least - 1, -1) if before.endswith(text[:size])),
            0,
        )
        if parts and before and not common:
            parts[-1] = before.rstrip("\n") + "\n\n"
        parts.append(text[common:])
    return parts


def _relation(raw: Mapping[str, object], domain: str, named: Mapping[str, str]) -> Fields:
    ends = []
    for word in ("from", "to"):
        given = str(raw.get(word) or raw.get(f"{word}_entity") or "")
        form = canonical(given) if is_canonical_key(given) else given
        display = named.get(given) or named.get(form)
        if display is None:
            raise SchemaInvalid(f"a relation leads {word} {given[:80]}, which is not an entity of this export")
        ends.append(entity_name(domain, display))
    qualifiers = raw.get("qualifiers")
    said = qualifiers if isinstance(qualifiers, dict) else {}
    fields: Fields = {"source": ends[0], "type": str(raw.get("relation_type") or "related_to"), "target": ends[1]}
    confidence = raw.get("confidence")
    if isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 1:
        fields["confidence"] = float(confidence)
    for word in ("valid_from", "valid_to"):
        if said.get(word):
            fields[word] = str(said[word])
    rest = {
        word: str(said[word])
        for word in ("verifier", "evidence_chunk_id", "derived_from", "source_doc")
        if said.get(word)
    }
    rest |= {word: str(raw[word]) for word in ("session_id", "origin_tool", "created_at") if raw.get(word)}
    fields["attrs"] = {"imported": {**_imported(None), **rest, "verified": bool(raw.get("verified"))}}
    return fields


def _sessions(sessions: list[object], domain: str | None) -> _Items:
    """A note for each thing that a session has observed."""
    for session in _objects(sessions):
        project = session.get("project")
        of = domain or domain_name(project if isinstance(project, str) and project else "default")
        for entry in _objects(session.get("entries")):
            try:
                text = _text(entry, "summary")
                digest = sha256(text.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
                told = {word: entry[word] for word in ("tool_name", "repeat_count", "query") if entry.get(word)}
                attrs = {"imported": {**_imported(session.get("session_id") or session.get("id")), **told}}
                fields: Fields = {
                    "name": f"v1.note.{escape_part(of.removeprefix(DOMAIN))}.{digest}",
                    "value": text,
                    "attrs": attrs,
                }
                at = entry.get("ts") or session.get("created_at")
                yield "put", {**fields, **({"occurred_at": at} if isinstance(at, str) and at else {})}
            except SubstrateError as error:
                yield error


def _objects(said: object) -> Iterator[Mapping[str, object]]:
    return (item for item in said if isinstance(item, dict)) if isinstance(said, list) else iter(())


def _imported(original: object) -> dict[str, object]:
    return {"from": "hydramem", **({} if original is None else {"id": str(original)[:200]})}


def _number(said: object) -> int:
    return said if isinstance(said, int) else 0


def _text(said: Mapping[str, object], word: str) -> str:
    text = said.get(word)
    if not isinstance(text, str) or not text.strip():
        raise SchemaInvalid(f"its {word} is not a text")
    return text
