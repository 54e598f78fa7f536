"""Check a proof of an encrypted atom, and read its text by the key that was disclosed for this one version.

`verify_proof.py`, which must lie beside this file, checks the proof: what it proves, and what not, stands at its top.
This adds: the disclosed key is the one that the recorded version was encrypted with, and the text is what it opens to.
The key opens no other version, and no other atom. Standard library alone; the cipher is ChaCha20-Poly1305, RFC 8439.
Exit codes are those of verify_proof.py. Formats: substrate/ciphers.py and docs/proofs.md
"""

import argparse
import base64
import hashlib
import json
import struct
import sys
from types import SimpleNamespace

from verify_proof import Rejected, load, need, strict_json, verify

# The value of an encrypted atom: domain id, nonce, wrapped key, hash of the key, then ciphertext and tag.
MARK, ID, HASH, TEXT, TAG = "ciphertext1:", slice(0, 16), slice(76, 108), slice(108, -16), slice(-16, None)
COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
WORD = 2**32


def chacha20(key: bytes, count: int) -> bytes:
    """The block of this number, of 64 bytes, under a nonce of zeros: each key encrypts one text only."""
    start = struct.unpack("<16I", b"expand 32-byte k" + key + count.to_bytes(4, "little") + bytes(12))
    state = list(start)
    for a, b, c, d in (COLUMNS + DIAGONALS) * 10:
        for to, by, other, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[to] = (state[to] + state[by]) % WORD
            mixed = state[other] ^ state[to]
            state[other] = (mixed << turn | mixed >> (32 - turn)) % WORD
    return struct.pack("<16I", *((one + two) % WORD for one, two in zip(state, start, strict=True)))


def poly1305(once: bytes, message: bytes) -> bytes:
    """The tag of a message whose length is a multiple of 16, by a key that is used once."""
    factor = int.from_bytes(once[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(message), 16):
        total = (total + int.from_bytes(message[at : at + 16] + b"\1", "little")) * factor % (2**130 - 5)
    return ((total + int.from_bytes(once[16:32], "little")) % 2**128).to_bytes(16, "little")


def open_disclosed(key: bytes, atom: bytes, value: object) -> dict:
    """The body of a version, by its key and the id of its atom. Raises Rejected."""
    need(isinstance(value, str) and value.startswith(MARK), "the atom of this proof is not encrypted")
    try:
        data = base64.b64decode(value.removeprefix(MARK), validate=True)
    except ValueError:
        data = b""
    need(len(data) >= TEXT.start + 16, "the value is not a whole ciphertext")
    need(len(key) == 32 and hashlib.sha256(key).digest() == data[HASH], "the key is not that of this version")
    bound, text = data[ID] + atom, data[TEXT]
    message = bound + text + bytes(-len(text) % 16) + struct.pack("<QQ", len(bound), len(text))
    need(poly1305(chacha20(key, 0), message) == data[TAG], "the ciphertext was changed, or is of another atom")
    stream = b"".join(chacha20(key, 1 + at // 64) for at in range(0, len(text), 64))
    return strict_json(bytes(one ^ two for one, two in zip(text, stream[: len(text)], strict=True)).decode())


def main() -> int:
    """The exit code, after printing what was established."""
    parser = argparse.ArgumentParser(description="Check a proof of an encrypted atom, and read its text.")
    parser.add_argument("bundle", metavar="BUNDLE", help="a file, or - for standard input")
    parser.add_argument("disclosed", metavar="DISCLOSED", help="the file with the disclosed key of this version")
    trust = parser.add_mutually_exclusive_group()
    trust.add_argument("--key", metavar="VKEY", help="the verifier key you trust, or a file that holds it")
    trust.add_argument("--pin", metavar="FILE", help="the pin you kept")
    given = parser.parse_args()
    try:
        key = given.key if given.key is None or given.key.count("+") > 1 else load(given.key).strip()
        result = verify(load(given.bundle), key, None if given.pin is None else load(given.pin))
        need(result.entry, "this proof holds no version")
        body = open_disclosed(read_key(load(given.disclosed)), result.entry.subject, result.body.get("value"))
    except OSError as error:
        parser.error(f"cannot be read: {error}")
    except Rejected as why:
        print(f"REJECTED: {why}")
        return 1
    show(result, body)
    return 0 if result.trust else 3


def read_key(text: str) -> bytes:
    """The key of one version: 64 hexadecimal digits."""
    try:
        return bytes.fromhex(text.strip())
    except ValueError:
        raise Rejected("the disclosed key is not 64 hexadecimal digits") from None


def show(result: SimpleNamespace, body: dict) -> None:
    """Print the verdict and the text. Unprintable characters come out escaped."""
    sys.stdout.reconfigure(errors="backslashreplace")
    print("VERIFIED" if result.trust else "CONSISTENT, ORIGIN UNTRUSTED")
    facts = {"claim": result.claim, "stored": result.name, "entry": f"seq {result.entry.seq}"}
    facts |= {word: said if isinstance(said, str) else json.dumps(said) for word, said in body.items()}
    facts["trust"] = f"by the {result.trust} you gave" if result.trust else "none: give --key or --pin"
    for label, fact in facts.items():
        print(f"  {label:8}", "".join(c if c.isprintable() else ascii(c)[1:-1] for c in fact or "-"))


if __name__ == "__main__":
    sys.exit(main())
