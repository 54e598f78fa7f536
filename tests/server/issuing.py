"""Tokens as a company's identity provider signs them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["AUDIENCE", "ISSUER", "public_of", "signed"]

ISSUER = "https://login.example.org"
AUDIENCE = "https://memory.example.org/api/mcp/v1"


def signed(key: Any, *, kid: str = "one", algorithm: str = "EdDSA", **changed: Any) -> str:
    claims: dict[str, Any] = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "exp": datetime.now(UTC) + timedelta(minutes=5),
        "sub": "anna",
        "tenant": "acme",
        "scope": "read profile",
    }
    claims = {word: said for word, said in (claims | changed).items() if said is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})


def public_of(key: Ed25519PrivateKey, kid: str = "one") -> dict[str, Any]:
    return {**jwt.algorithms.OKPAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid, "alg": "EdDSA"}
