"""Claims are kept in a view: to read them otherwise than before needs a new version of it, else `fsck` tells damage."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path

from substrate.claims import pack_claim, read_claim
from substrate.views.claims import ClaimView

TEXTS = [
    str(text)
    for file in ("other_author.jsonl", "forms.jsonl")
    for line in (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines()
    for text in (json.loads(line)["a"], json.loads(line)["b"])
]
READ = (9, "e67ab806fa2159ab")
"""The version of the view, and the digest of what it reads in these texts. If only the texts changed, the digest alone
is another."""


def digest(texts: list[str]) -> str:
    hashed = blake2b(digest_size=8)
    for text in texts:
        claim = read_claim("v1.note.4f1c2d", text)
        hashed.update(b"-" if claim is None else pack_claim(claim))
    return hashed.hexdigest()


def test_what_is_read_otherwise_than_before_is_another_version_of_the_view() -> None:
    assert (ClaimView.version, digest(TEXTS)) == READ


def test_a_claim_that_is_read_otherwise_would_be_found_out() -> None:
    assert digest([*TEXTS, "The lease ends on 5 May 2021."]) != READ[1]
