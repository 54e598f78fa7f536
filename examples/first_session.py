"""A working session on a store of its own, on the command line: save, prove, find, learn, tamper, forget.

`make demo` runs it, in a temporary folder, which is removed at the end; pass a folder to keep it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VERIFIER = Path(__file__).with_name("verify_proof.py")
PAY = "v1.fact.payment_provider"


def say(text: str) -> None:
    print(f"\n== {text}")


def run(folder: Path, command: list[str], shown: str) -> str:
    """Run a command, print it and what it says; its standard output."""
    print(f"$ {shown}")
    environment = {**os.environ, "SUBSTRATE_STORE": "store", "SUBSTRATE_HOME": "home", "COLUMNS": "110"}
    done = subprocess.run(  # noqa: S603 - our own programs
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    for line in (done.stdout + done.stderr).strip().splitlines():
        print(f"  {line if len(line) <= 400 else line[:400] + ' ...'}")
    if done.returncode:
        print(f"  (exit code {done.returncode})")
    return done.stdout


def main(folder: Path) -> None:  # noqa: PLR0915 - a session, from its beginning to its end
    def substrate(*words: str) -> str:
        return run(folder, [sys.executable, "-m", "substrate", *words], shlex.join(["substrate", *words]))

    def verify(*words: str) -> None:
        """What an auditor runs: one file, the standard library alone, without this package."""
        shown = ["VKEY" if "+" in word else word for word in words]
        run(folder, [sys.executable, "-I", "-S", str(VERIFIER), *words], f"python verify_proof.py {' '.join(shown)}")

    say("1. Save what we know: atoms and an edge, one checkpoint, one signed head")
    substrate("checkpoint", f"{PAY} = Stripe", "v1.decision.ledger = Amounts are integers, in cents",
              "--edge", f"v1.decision.ledger depends_on {PAY}", "--source", "kick-off")  # fmt: skip
    vkey = substrate("key").strip()
    substrate("pin", "-o", "auditor.pin")

    say("2. Facts change. A lost update is refused")
    substrate("checkpoint", f"{PAY} = Adyen", "--expect", f"{PAY}=1")
    substrate("checkpoint", f"{PAY} = PayPal", "--expect", f"{PAY}=1")

    say("3. Read it with its proof. The auditor checks with her key, or her pin, offline")
    substrate("access", PAY, "--proof", "proof.json")
    verify("proof.json", "--key", vkey)
    substrate("prove", PAY, "--since", "auditor.pin", "-o", "since.json")
    verify("since.json", "--pin", "auditor.pin")
    print("  And with neither: everything fits together, but who made it?")
    verify("proof.json")

    say("4. History, and time travel: what we knew at entry 1")
    substrate("history", PAY)
    substrate("access", PAY, "--as-of", "1")
    substrate("diff", "1")

    say("5. Find it by meaning, word and time. On a new machine the model is prepared first, once")
    substrate("checkpoint", "v1.procedure.release = Run the tests, build the wheel, push a tag",
              "v1.fact.office = The team sits in Lisbon, near the river", "v1.preference.tone = Be brief")  # fmt: skip
    substrate("search", "how do we ship a new version", "--why", "--limit", "2")
    substrate("search", "payment provider before the current one", "--limit", "2")

    say("6. A session needs atoms that its objective does not name. Train it, and the next one opens with them")
    substrate("checkpoint", "v1.fact.sign_off = Up to 50 EUR nobody is asked",
              "v1.procedure.bank_file = Export it before ten in the morning",
              "v1.fact.parcels = Sent at four", "v1.fact.newsletter = Comes out on Fridays", "--quiet")  # fmt: skip
    objective = "a customer wants her money back"
    print("  Before:")
    substrate("bootstrap", objective, "--max-tokens", "250")
    substrate("train", "v1.fact.sign_off", "v1.decision.ledger", "v1.procedure.bank_file",
              "--objective", objective, "--passes", "2")  # fmt: skip
    print("  After, in another process:")
    substrate("bootstrap", objective, "--max-tokens", "250")
    print("  A reader of one of them sees the next atom, and that a dependency has changed since:")
    substrate("access", "v1.decision.ledger")

    say("7. Someone changes a value in a copy of the data file, and in the proof: Adyen becomes Acme!")
    shutil.copytree(folder / "store", folder / "copy")
    data = next((folder / "copy").glob("env.*/data.mdb"))
    data.write_bytes(data.read_bytes().replace(b"Adyen", b"Acme!"))
    substrate("--store", "copy", "access", PAY)
    substrate("--store", "copy", "fsck")
    proof = (folder / "proof.json").read_text(encoding="utf-8")
    (folder / "forged.json").write_text(proof.replace("Adyen", "Acme!"), encoding="utf-8")
    verify("forged.json", "--key", vkey)

    say("8. Forget: erase for good, with a proof. All other proofs stay valid")
    substrate("checkpoint", "v1.person.jane_doe = prefers to be called after six", "v1.fact.jane_doe_invoice = 120 EUR",
              "--edge", "v1.fact.jane_doe_invoice references v1.person.jane_doe")  # fmt: skip
    substrate("forget", "v1.person.jane_doe", "v1.fact.jane_doe_invoice", "--yes")
    found = [path for path in (folder / "store").rglob("*") if path.is_file() and b"jane_doe" in path.read_bytes()]
    print(f"(we look ourselves: files of the store that hold the bytes jane_doe: {len(found)})")
    substrate("access", "v1.person.jane_doe")
    substrate("prove", "v1.person.jane_doe", "-o", "forgotten.json")
    verify("forgotten.json", "--key", vkey)
    verify("proof.json", "--key", vkey)

    say("9. We save once more; then someone puts the older data file in its place")
    data = next((folder / "store").glob("env.*/data.mdb"))
    old = data.read_bytes()
    substrate("checkpoint", "v1.fact.refunds = within 30 days")
    print("(the data file is replaced by its older copy)")
    data.write_bytes(old)
    substrate("list")
    substrate("checkpoint", "v1.fact.refunds = within 60 days")

    print("\nDone. This was examples/first_session.py. README.md begins in Python; docs/cli.md explains every verb.")
    print("make lab opens the tour in JupyterLab.")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory(prefix="substrate-demo-") as temporary:
            main(Path(temporary))
