"""Tokens of a server for several tenants: its own, and those of a company's identity provider."""

from __future__ import annotations

import hmac
import random
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import anyio
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.auth.provider import TokenVerifier

from substrate.errors import Denied, InputError, StoreDamaged
from substrate.server.http.issuer import EitherToken, Issuer, keys_from
from substrate.server.http.rates import Rates
from substrate.server.http.tenant_tokens import TenantToken, TokenBook
from tests.scale import SEED, rounds
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


def test_no_token_is_believed_where_others_could_put_one(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    book = TokenBook(root)
    token, kept = book.add("acme", ("read",))
    folder = root / ".tokens"
    for place, mode, believed in (
        (folder, 0o777, False),
        (folder, 0o770, False),
        (folder, 0o755, True),
        (root, 0o777, False),
        (root, 0o1777, True),
        (root, 0o775, True),
    ):
        before = place.stat().st_mode
        place.chmod(mode)
        if believed:
            assert book.read(token) == kept, oct(mode)
        else:
            assert anyio.run(book.verify_token, token) is None, oct(mode)
            with pytest.raises(Denied, match="chmod go-w"):
                book.add("acme", ("read",))
        place.chmod(before)


def _forged(rng: random.Random, ours: str, signer: Ed25519PrivateKey) -> str:
    """A token that nobody gave out: made up, cut, bent, of another kind."""
    key, at = Ed25519PrivateKey.generate(), rng.randrange(4, len(ours))
    letter = rng.choice("AZaz09_-")
    return rng.choice(
        [
            lambda: f"sbt_{secrets.token_urlsafe(32)}",
            lambda: ours[:at] + (letter if ours[at] != letter else "B") + ours[at + 1 :],
            lambda: ours[:at],
            lambda: ours + rng.choice([letter, " ", "\n", "\0", "=", ".json"]),
            lambda: rng.choice([" ", "\t", "Bearer "]) + ours,
            ours.swapcase,
            lambda: sha256(ours.encode()).hexdigest(),
            lambda: f"sbt_{rng.choice(['..', '/', 'é', '٣', '*']) * 43}"[:47],
            lambda: "".join(chr(rng.randrange(0x20, 0x2FFF)) for _ in range(rng.randrange(80))),
            lambda: signed(key),
            lambda: signed(signer, exp=datetime.now(UTC) - timedelta(minutes=rng.randrange(2, 500))),
            lambda: signed(signer, aud=f"https://{letter}.example.org"),
            lambda: signed(signer, tenant=rng.choice(["..", "A", "a/b", ""])),
            lambda: signed(signer)[: -rng.randrange(1, 60)],
        ]
    )()


@pytest.mark.soak
def test_of_forged_expired_foreign_and_malformed_tokens_none_is_let_in(tmp_path: Path) -> None:
    rng, signer = random.Random(f"tokens {SEED}"), Ed25519PrivateKey.generate()
    book, other = TokenBook(tmp_path / "ours"), TokenBook(tmp_path / "others")
    over = datetime.now(UTC) - timedelta(seconds=1)
    ours = book.add("acme", ("read",))[0]
    expired = [book.add("acme", ("read",), expires=over)[0] for _ in range(10)]
    foreign = [other.add("acme", ("read",))[0] for _ in range(10)]
    both = EitherToken(book, Issuer(ISSUER, AUDIENCE, lambda: {"keys": [public_of(signer)]}))

    async def let_in(verifier: TokenVerifier, tokens: Iterable[str]) -> list[str]:
        return [token for token in tokens if await verifier.verify_token(token) is not None]

    forged = [_forged(rng, ours, signer) for _ in range(rounds(400, 10_000))]
    true = [ours, signed(signer)]
    assert anyio.run(let_in, both, true) == true
    assert anyio.run(let_in, both, [*forged, *expired, *foreign]) == []

    class Lenient(TokenBook):
        def read(self, token: str) -> TenantToken | None:
            return super().read(token.strip())

    assert anyio.run(let_in, Lenient(tmp_path / "ours"), forged), "a twin that takes blanks for nothing is found out"


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
