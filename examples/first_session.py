"""A working session on a store of its own: record, prove, verify, tamper, and see it caught. Run by `make demo`.

Everything happens in a temporary folder, which is removed at the end; pass a folder to keep it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import substrate
from substrate.errors import Conflict, RolledBack

VERIFIER = Path(__file__).with_name("verify_proof.py")


def say(text: str) -> None:
    print(f"\n== {text}")


def run_verifier(*arguments: str) -> None:
    """The script an auditor runs: the standard library alone, without this package."""
    shown = [Path(word).name if Path(word).exists() else "VKEY" if "+" in word else word for word in arguments]
    print(f"$ python verify_proof.py {' '.join(shown)}")
    result = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-I", "-S", str(VERIFIER), *arguments], capture_output=True, text=True, check=False
    )
    print("\n".join(f"  {line}" for line in (result.stdout + result.stderr).strip().splitlines()))
    print(f"  (exit code {result.returncode})")


def main(folder: Path) -> None:  # noqa: PLR0915 - a story, told from top to bottom
    store, home = folder / "store", folder / "home"

    say("1. Open a store. It makes itself a signing key, which lives outside the store's folder")
    with substrate.open_log(store, home=home) as log:
        vkey = str(log.key())
        print(f"  store {log.head().head}")
        print(f"  verifier key for your auditor: {vkey}")

        say("2. Record what we know: several atoms, one checkpoint, one signed head")
        done = log.append(
            [
                substrate.draft_put("v1.fact.payment_provider", "Stripe", {"source": "kick-off meeting"}),
                substrate.draft_put("v1.decision.ledger", "Amounts are integers, in cents"),
                substrate.draft_put("v1.preference.plots", "Colour-blind safe palettes"),
            ]
        )
        print(f"  entries {done.seqs.start} to {done.seqs.stop - 1}, now at {done.head.head}")
        pin = log.pin()
        (folder / "auditor.pin").write_text(str(pin), encoding="utf-8")
        print("  an auditor remembers this head in auditor.pin")

        say("3. Facts change; a lost update is refused")
        seen = log.record("v1.fact.payment_provider")
        expect = substrate.Expect(versions={"v1.fact.payment_provider": seen.seq if seen else None})
        log.append([substrate.draft_put("v1.fact.payment_provider", "Adyen")], expect=expect)
        print("  payment_provider = Adyen, on the version we had read")
        try:
            log.append([substrate.draft_put("v1.fact.payment_provider", "PayPal")], expect=expect)
        except Conflict as error:
            print(f"  a second writer with the old version: Conflict: {error}")
        print(f"  read back: {log.get('v1.fact.payment_provider')}")

        say("4. Prove it: this is the current version. The auditor checks with her key and her pin, offline")
        bundle = folder / "payment_provider.json"
        bundle.write_text(log.prove("v1.fact.payment_provider", since=pin).to_json(), encoding="utf-8")
        run_verifier(str(bundle), "--key", vkey)
        run_verifier(str(bundle), "--pin", str(folder / "auditor.pin"))
        print("  And with neither: everything fits together, but who made it?")
        run_verifier(str(bundle))

        say("5. Someone edits the proof file: Adyen becomes Acme!")
        forged = folder / "forged.json"
        forged.write_text(bundle.read_text(encoding="utf-8").replace("Adyen", "Acme!"), encoding="utf-8")
        run_verifier(str(forged), "--key", vkey)

        say("6. Prove what is not there")
        absent = folder / "absent.json"
        absent.write_text(log.prove("v1.fact.crypto_payments").to_json(), encoding="utf-8")
        run_verifier(str(absent), "--key", vkey)

        say("7. Rotate the signing key. Who trusts the old one can still follow")
        old = log.key()
        log.rotate_key()
        log.append([substrate.draft_tombstone("v1.preference.plots")])
        gone = folder / "tombstoned.json"
        gone.write_text(log.prove("v1.preference.plots", trusting=old).to_json(), encoding="utf-8")
        run_verifier(str(gone), "--key", vkey)

    say("8. fsck derives everything anew")
    report = substrate.fsck(store, home=home)
    print(f"  {report.entries} entries, {report.heads} heads: {report.damage or 'no damage'}")

    say("9. Someone puts last week's copy of the data file in its place")
    data = next(store.glob("env.*/data.mdb"))
    old_copy = data.read_bytes()
    with substrate.open_log(store, home=home) as log:
        log.append([substrate.draft_put("v1.fact.refunds", "within 30 days")])
    data.write_bytes(old_copy)
    try:
        substrate.open_log(store, home=home)
    except RolledBack as error:
        print(f"  RolledBack: {error}")

    print("\nDone. This was examples/first_session.py; README.md has the same in Python, docs/proofs.md the formats.")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory(prefix="substrate-demo-") as temporary:
            main(Path(temporary))
