"""Tokens of a server for several tenants: its own, and those of a company's identity provider."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from substrate.errors import Denied, InputError, StoreDamaged
from substrate.server.http.issuer import Issuer, keys_from
from substrate.server.http.rates import Rates
from substrate.server.http.tenant_tokens import TokenBook
from tests.server.issuing import AUDIENCE, ISSUER, public_of, signed


def test_a_tokens_file_that_others_can_write_is_not_believed(tmp_path: Path) -> None:
    book = TokenBook(tmp_path)
    token, kept = book.add("acme", ("read",))
    (file,) = (tmp_path / ".tokens").iterdir()
    assert token not in file.read_text(), "only its digest is kept"
    file.chmod(0o666)
    with pytest.raises(Denied):
        book.read(token)
    assert anyio.run(book.verify_token, token) is None
    file.chmod(0o600)
    assert book.read(token) == kept
    file.write_text('{"tenant": "../..", "scopes": [], "rate": 1, "created": "x", "expires": null, "label": ""}')
    with pytest.raises(StoreDamaged):
        book.read(token)
    file.unlink()
    file.symlink_to("/dev/zero")
    with pytest.raises(Denied):
        book.read(token)


@pytest.mark.parametrize("name", ["", "..", ".tokens", "A", "a/b", "a b", "ü", "a" * 65, "-a", "a\n"])
def test_a_tenant_cannot_be_called_so_that_it_leaves_its_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        TokenBook(tmp_path).add(name, ("read",))


@given(st.text(max_size=80) | st.binary(max_size=60).map(lambda said: "sbt_" + said.hex()[:43].ljust(43, "A")))
def test_no_forged_token_is_let_in(tmp_path_factory: pytest.TempPathFactory, forged: str) -> None:
    book = TokenBook(_BOOKS.setdefault("one", tmp_path_factory.mktemp("book")))
    if not _BOOKS.get("made"):
        _BOOKS["made"] = Path("yes")
        book.add("acme", ("read",))
    assert book.read(forged) is None


_BOOKS: dict[str, Path] = {}


def test_a_rate_comes_free_again_evenly() -> None:
    now = [0.0]
    rates = Rates(lambda: now[0])
    assert [rates.take("a", 60) for _ in range(60)] == [0.0] * 60
    assert rates.take("a", 60) == pytest.approx(1.0)
    now[0] += 1.0
    assert rates.take("a", 60) == 0.0
    assert rates.take("a", 60) > 0
    now[0] += 3600
    assert [rates.take("a", 60) for _ in range(61)][-1] > 0, "what was not used for an hour is no hoard"


def test_a_damaged_token_file_keeps_nobody_from_revoking(tmp_path: Path) -> None:
    book = TokenBook(tmp_path)
    bad, good = book.add("acme", ("read",))[1], book.add("acme", ("read",))[1]
    (file,) = (one for one in (tmp_path / ".tokens").iterdir() if one.name.startswith(bad.id))
    file.chmod(0o666)
    assert {one.id for one in book.tokens()} == {bad.id, good.id}
    book.revoke(good.id)
    book.revoke(bad.id)
    assert book.tokens() == []


@pytest.mark.parametrize(
    "place", ["http://localhost.evil.example/k", "http://127.0.0.1.evil.example/k", "http://localhost@evil.example/k"]
)
def test_keys_come_from_this_machine_or_by_https(place: str) -> None:
    with pytest.raises(InputError):
        keys_from(place)


# -- a company's own tokens --------------------------------------------------------------------------------------------


def test_a_token_that_the_issuer_signed_for_this_server_is_let_in_and_no_other() -> None:
    key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    issuer = Issuer(ISSUER, AUDIENCE, lambda: {"keys": [public_of(key)]})

    def known(token: str) -> Any:
        return anyio.run(issuer.verify_token, token)

    found = known(signed(key))
    assert found.subject == "acme"
    assert found.scopes == ["read"], "of its scopes those that are known here"
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    confused = jwt.utils.base64url_encode(b'{"alg":"HS256","kid":"one"}') + b"."
    body = signed(key).split(".")[1].encode()
    mac = jwt.utils.base64url_encode(hmac.digest(public, confused + body, "sha256"))
    for forged in (
        signed(other),
        signed(key, kid="two"),
        signed(key, iss="https://login.example.net"),
        signed(key, aud="https://other.example.org/api/mcp/v1"),
        signed(key, aud=None),
        signed(key, exp=datetime.now(UTC) - timedelta(minutes=5)),
        signed(key, exp=None),
        signed(key, nbf=datetime.now(UTC) + timedelta(hours=1)),
        signed(key, tenant=None),
        signed(key, tenant="../acme"),
        signed(key, rate=0),
        signed(key, rate=10**400),
        signed(None, algorithm="none"),
        (confused + body + b"." + mac).decode(),
        signed(key)[:-4],
        "a.b.c",
        "x" * 20_000,
    ):
        assert known(forged) is None, forged


def test_a_new_key_of_the_issuer_is_found_and_made_up_ones_do_not_make_the_server_ask() -> None:
    first, second = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    asked, now, keys = [], [0.0], [public_of(first)]

    def read() -> dict[str, Any]:
        asked.append(now[0])
        return {"keys": list(keys)}

    issuer = Issuer(ISSUER, AUDIENCE, read, clock=lambda: now[0])
    assert anyio.run(issuer.verify_token, signed(first)) is not None
    keys.append(public_of(second, "two"))
    for _ in range(20):
        assert anyio.run(issuer.verify_token, signed(second, kid="made up")) is None
    assert len(asked) == 1
    now[0] += 31
    assert anyio.run(issuer.verify_token, signed(second, kid="two")) is not None
    assert len(asked) == 2
