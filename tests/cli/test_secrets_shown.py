"""What was refused as a credential is repeated nowhere: in no answer, no error, and by no slip of the fingers."""

from __future__ import annotations

import json

import pytest

from tests.cli.run import Commands
from tests.credentials import samples

KINDS = ["aws_access_key_id", "google_api_key", "private_key", "aws_secret_access_key"]


def leaked(secret: str, *texts: str) -> bool:
    """Whether the credential, or a good part of it, stands in one of the texts."""
    pieces = [secret[at : at + 12] for at in range(0, max(1, len(secret) - 11), 6)]
    return any(piece in text or json.dumps(piece)[1:-1] in text for piece in pieces for text in texts)


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_credential_is_in_no_output(run: Commands, kind: str, terminal: bool) -> None:  # noqa: FBT001
    (sample,) = samples(kind, 1)
    atom = {"name": "v1.fact.key", "value": sample.text, "source": sample.text}
    attempts: list[tuple[list[str], str]] = [
        (["checkpoint", f"v1.fact.key = {sample.text}"], ""),
        (["checkpoint", f"v1.fact.key = {sample.text}", "--partial"], ""),
        (["checkpoint", f"v1.fact.key = {sample.text}", "--json"], ""),
        (["checkpoint", f"v1.fact.key = {sample.text}", "--debug"], ""),
        (["checkpoint", "v1.fact.key = x", "--source", sample.text], ""),
        (["checkpoint", "v1.fact.key = x", "--tag", sample.text[:90]], ""),
        (["checkpoint", "-"], json.dumps([atom])),
        (["checkpoint", "-"], json.dumps([atom])[:-1]),
        (["import", "-"], json.dumps({"kind": "put", **atom})),
        (["import", "-", "--partial"], json.dumps({"kind": "put", **atom})),
    ]
    for words, stdin in attempts:
        ran = run(*words, stdin=stdin, terminal=terminal)
        assert ran.code in (2, 12) or "--tag" in words, words
        assert not leaked(sample.secret, ran.out, ran.err), words
    run("checkpoint", "v1.fact.some = thing")
    assert run("access", "v1.fact.key").code in (0, 4)


def test_a_credential_in_the_wrong_place_is_not_repeated(run: Commands) -> None:
    (sample,) = samples("google_api_key", 1)
    run.ok("checkpoint", "v1.fact.x = y")
    slips = [
        [f"v1.fact.key = {sample.secret}"],
        [sample.secret],
        ["checkpoint", sample.secret],
        ["checkpoint", "--confidence", sample.secret],
        ["checkpoint", "--origin", sample.secret],
        ["checkpoint", "--edge", sample.secret],
        ["checkpoint", "--edge", f'{{"source": "{sample.secret}"'],
        ["checkpoint", "--unedge", f"v1.a.b {sample.secret} v1.c.d"],
        ["checkpoint", "v1.fact.x = y", "--expect", sample.secret],
        ["checkpoint", f"--partial={sample.secret}", "v1.fact.x = y"],
        ["checkpoint", f"--tga={sample.secret}", "v1.fact.x = y"],
        ["list", "a", sample.secret],
        ["list", "--limit", sample.secret],
        ["forget", "--seqs", sample.secret],
        ["completion", sample.secret],
        ["verify", "--claim", sample.secret, "-"],
        ["diff", sample.secret],
    ]
    for words in slips:
        for more in ([], ["--json"]):
            ran = run(*words, *more)
            assert ran.code == 2, words
            assert not leaked(sample.secret, ran.out, ran.err), words


def test_a_leak_would_be_seen(run: Commands) -> None:
    (sample,) = samples("google_api_key", 1)
    run.ok("checkpoint", f"v1.fact.key = {sample.text}", "--allow-secrets")
    assert leaked(sample.secret, run("access", "v1.fact.key").out)
    assert leaked(sample.secret, run("access", "v1.fact.key", "--json").out)


def test_a_refusal_says_what_where_and_how_to_save_it_anyway_and_that_works(run: Commands) -> None:
    (sample,) = samples("npm_token", 1)
    run.ok("checkpoint", "v1.fact.payment_provider = Stripe")
    run.ok("checkpoint", "v1.fact.payments.provider = Adyen")
    line = json.dumps({"kind": "put", "name": "v1.fact.c", "value": sample.secret})
    for words, stdin in [
        (["checkpoint", f"v1.fact.key = {sample.secret}"], ""),
        (["import", "-"], line),
        (["resolve", "v1.fact.payment_provider", "v1.fact.payments.provider", "--reason", sample.secret], ""),
    ]:
        ran = run(*words, stdin=stdin)
        assert ran.code == 2, words
        assert "npm_token" in ran.err
        assert f"characters 0 to {len(sample.secret)}" in ran.err
        assert "to save it anyway, repeat with --allow-secrets" in ran.err
        assert not leaked(sample.secret, ran.out, ran.err)
        run.ok(*words, "--allow-secrets", stdin=stdin)
