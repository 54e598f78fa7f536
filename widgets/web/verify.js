// The verifier of proof bundles, in the page: with the browser's own SHA-256, HMAC and Ed25519. It is the auditor's script
// (examples/verify_proof.py) once more, check by check, without its --disclosed; a test shows that both say the same of every odd bundle. What a
// verdict means, and what it does not, is said there; the formats are in docs/proofs.md.

const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const KINDS = [null, "put", "tombstone", "edge", "unedge", "train", "forget", "model", "key"];
const STATES = { current: ["put", 1], tombstoned: ["tombstone", 2], forgotten: ["forget", 3] }; // kind of entry, state of the leaf
const ORIGIN = /^[A-Za-z0-9._~:/-]{1,200}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
// White space as Python has it, which is not quite that of this language.
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const NOTE = new RegExp(`^(([A-Za-z0-9._~:/-]{1,200})\\n([1-9][0-9]{0,18})\\n([^\\n]+)\\nmap ([^\\n]+)\\n)\\n((?:\u2014 [^${SPACE}+]+ [A-Za-z0-9+/]+={0,2}\\n)+)$`, "u");
// The shape of a bundle. A number: base64 of just so many bytes, of 32 never zeros. `or`: a special value and what it stands
// for (no leaf; an empty subtree, 32 zeros), then any other value.
const EMPTY = new Uint8Array(32);
const PROVEN = { entry: { seq: "int", bytes: 58, path: [32] }, atom: { salt: 16, body: "str" } };
const NAMED = { name: "str", map: { salt: 32, leaf: { or: [null, new Uint8Array(0)], other: 57 }, path: [{ or: ["", EMPTY], other: 32 }] } };
const SINCE = { since: { size: "int", root: 32, path: [32] } };
const SHAPES = new Map([...Object.keys(STATES).map((claim) => [claim, { ...PROVEN, ...NAMED }]), ["recorded", PROVEN], ["absent", NAMED], ["extended", SINCE]]);
const OPTIONAL = { ...SINCE, rotations: [{ head: "str", ...PROVEN }] };

const bytesOf = (text) => new TextEncoder().encode(text);
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const sameBytes = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at]);
const bigOf = (bytes) => BigInt(`0x${hexOf(bytes) || "0"}`);
const bitsOf = (bytes) => bigOf(bytes).toString(2).padStart(8 * bytes.length, "0");

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function sha256(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
}

async function hmac(key, data) {
  const made = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", made, data));
}

/** The value with its base64 decoded, if it has exactly this shape: no member more or less. */
function read(value, shape, what) {
  if (Array.isArray(shape)) {
    need(Array.isArray(value), `${what} has the wrong type`);
    return value.map((item) => read(item, shape[0], what));
  }
  if (typeof shape === "object" && "or" in shape) return value === shape.or[0] ? shape.or[1] : read(value, shape.other, what);
  if (typeof shape === "object") {
    const members = Object.keys(shape);
    need(value instanceof Map, `${what} has the wrong type`);
    need(value.size === members.length && members.every((member) => value.has(member)), `${what} has other members than ${members.join(", ")}`);
    return Object.fromEntries(members.map((member) => [member, read(value.get(member), shape[member], member)]));
  }
  need(typeof value === (shape === "int" ? "bigint" : "string"), `${what} has the wrong type`);
  if (typeof shape === "string") return value;
  need(value.length % 4 === 0 && BASE64.test(value), `${what} is not base64`);
  const raw = atob(value);
  need(btoa(raw) === value, `${what} is not canonical base64`);
  const bytes = Uint8Array.from(raw, (character) => character.charCodeAt(0));
  need(shape !== 32 || !sameBytes(bytes, EMPTY), `${what} is 32 zeros, which is the hash of nothing`);
  need(!shape || bytes.length === shape, `${what} has ${bytes.length} bytes, not ${shape}`);
  return bytes;
}

/** Whether the signature is valid. The browser is asked; it takes no second spelling of S or R, and we none of the key. */
async function ed25519(key, message, signature) {
  const y = bigOf(key.toReversed()) & (2n ** 255n - 1n);
  need(y < P, "not the canonical encoding of a public key");
  if (signature.length !== 64) return false;
  const made = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", made, signature, message);
}

/** The public key of `<name>+<key id>+<base64>`, by name and key id. */
async function readKey(text) {
  const [name, id = "", ...code] = text.split("+");
  need(ORIGIN.test(name), "not a verifier key");
  const raw = read(code.join("+"), 33, "the verifier key");
  const digest = hexOf((await sha256(bytesOf(name), [10], raw)).slice(0, 4));
  need(raw[0] === 1 && id === digest, "the verifier key is not of Ed25519, or has a false key id");
  const y = bigOf(raw.slice(1).toReversed()) & (2n ** 255n - 1n); // of a point whose order divides 8, these three factors have a zero
  need((y * (y * y - 1n) * (D * y ** 4n + 2n * y * y - 1n)) % P !== 0n, "a public key of small order: anyone could sign for it");
  return new Map([[`${name} ${digest}`, { name, key: raw.slice(1) }]]);
}

/** What a signed note says. If there are keys, one of them signed it; a false signature of any of them rejects. */
async function readHead(note, keys) {
  const parts = NOTE.exec(note);
  const told = "not a signed note of origin, size, root and map root";
  need(parts && BigInt(parts[3]) < 2n ** 63n && Array.from(note).length <= 2 ** 16, told);
  const [, text, origin, size, logRoot, mapRoot, tail] = parts;
  const [root, map_root] = read([logRoot, mapRoot], [32], "a root in the head");
  const known = [];
  for (const line of tail.split("\n").slice(0, -1)) {
    const [, name, code] = line.split(" ");
    const raw = read(code, 0, "a signature");
    const id = `${name} ${hexOf(raw.slice(0, 4))}`;
    if (name === origin && keys.has(id)) known.push([keys.get(id).key, raw.slice(4)]);
  }
  need(known.length || !keys.size, "not signed by a key you trust; if it was rotated, ask for a proof --trusting it");
  for (const [key, signature] of known) need(await ed25519(key, bytesOf(text), signature), "a signature is false");
  return { origin, size: BigInt(size), root, map_root };
}

/** The log roots at `count` and `size` entries, from one node and the path above it (RFC 6962, 2.1.1 and 2.1.2). */
async function climb(nodes, count, size, leaf) {
  const bottom = size === 1n || (count === size && !leaf); // the node: the last leaf of `count`, or largest subtree there
  need(nodes.length && bottom === (nodes.length === 1), "a path has the wrong length");
  if (bottom) return [nodes[0], nodes[0]];
  const half = 1n << BigInt((size - 1n).toString(2).length - 1);
  const top = nodes.at(-1);
  const left = count <= half; // where the node is; to its left, all is in both trees; to its right, only in the later one
  const [older, newer] = await climb(nodes.slice(0, -1), left ? count : count - half, left ? half : size - half, leaf);
  return left ? [older, await sha256([1], newer, top)] : [await sha256([1], top, older), await sha256([1], top, newer)];
}

/** The body, parsed: the entry commits to it and is in the log at `head`. */
async function checkEntry(entry, atom, head) {
  const { bytes } = entry;
  need(bytes[0] === 1 && KINDS[bytes[1]] && bytes[18] < 128, "an unknown format, kind or time");
  need(entry.seq >= 0n && entry.seq < head.size, "the entry's seq lies outside the log");
  Object.assign(entry, { kind: KINDS[bytes[1]], subject: bytes.slice(2, 18), time: bigOf(bytes.slice(18, 26)) });
  need(sameBytes(await hmac(atom.salt, bytesOf(atom.body)), bytes.slice(26)), "not the body the entry commits to");
  const [, root] = await climb([await sha256([0], bytes), ...entry.path], entry.seq + 1n, head.size, true);
  need(sameBytes(root, head.root), "the entry is not in the log of this head");
  return strictJson(atom.body);
}

/** The map at `head` says of the name what is claimed. */
async function checkMap(bundle, head, body) {
  const { salt, leaf, path } = bundle.map;
  const asked = await hmac(salt, bytesOf(bundle.name));
  let node = leaf.length ? await sha256([0], leaf) : EMPTY;
  const bits = bitsOf(asked).slice(0, path.length);
  need(path.length === bits.length && bundle.name.normalize("NFC") === bundle.name, "a map path too long, or a name not in NFC");
  for (const [at, side] of path.entries()) {
    node = bits[path.length - 1 - at] === "1" ? await sha256([1], side, node) : await sha256([1], node, side);
  }
  need(sameBytes(await sha256([2], salt, node), head.map_root), "the map path does not lead to the head's map root");
  if (bundle.claim === "absent") {
    const other = leaf.length && !sameBytes(leaf.slice(0, 32), asked) && [1, 2, 3].includes(leaf[56]) && bitsOf(leaf.slice(0, 32)).startsWith(bits);
    return need(other || !leaf.length, "the leaf does not show that the name is absent");
  }
  const { entry } = bundle;
  const [kind, state] = STATES[bundle.claim];
  const right = kind === "forget" ? body.get("key") === hexOf(asked) : body.get("name") === bundle.name;
  need(entry.kind === kind && right, "the entry is of another kind, or of another name");
  const seq = new Uint8Array(8);
  new DataView(seq.buffer).setBigUint64(0, entry.seq);
  need(sameBytes(leaf, joined(asked, entry.subject, seq, [state])), "the map says otherwise of the name");
}

/** What the bundle proves to one who trusts this key, or this pin; null: none. Throws Rejected. */
async function verify(text, key = null, pinText = null) {
  const raw = strictJson(text);
  const claim = raw.get("claim");
  need(raw.get("format") === "substrate-bundle/1" && SHAPES.has(claim), "unknown format or claim");
  const optional = Object.fromEntries(Object.entries(OPTIONAL).filter(([member]) => raw.has(member)));
  const bundle = read(raw, { format: "str", claim: "str", head: "str", ...SHAPES.get(claim), ...optional }, "bundle");
  let keys = key === null ? new Map() : await readKey(key);
  let pin = null;
  let size = 0n;
  if (pinText !== null) {
    const [title, vkey = "", blank = "", ...note] = pinText.split("\n");
    need(key === null && title === "substrate pin v1" && !blank, "not a pin, or a key beside it");
    keys = await readKey(vkey);
    pin = await readHead(note.join("\n"), keys);
  }
  for (const rotation of bundle.rotations ?? []) {
    const turn = await readHead(rotation.head, keys);
    const said = (await checkEntry(rotation.entry, rotation.atom, turn)).get("vkey");
    const fresh = await readKey(typeof said === "string" ? said : "");
    need(rotation.entry.kind === "key" && turn.size === rotation.entry.seq + 1n && turn.size > size, "a rotation is out of place");
    need([...keys.values(), ...fresh.values()].every(({ name }) => name === turn.origin), "a rotation is of another log");
    keys = keys.size ? fresh : keys; // a handover counts only for who trusts a key to begin with
    size = turn.size;
  }
  const head = await readHead(bundle.head, keys);
  const { since } = bundle;
  need(head.size >= size, "the head is older than a rotation");
  if (since) { // at the same size, or at a power of two, the earlier root is itself a node
    need(since.size > 0n && since.size <= head.size, "the earlier log is empty, or larger than this one");
    const whole = since.size === head.size || (since.size & -since.size) === since.size;
    const [older, newer] = await climb(whole ? [since.root, ...since.path] : since.path, since.size, head.size, false);
    need(sameBytes(older, since.root) && sameBytes(newer, head.root), "the earlier log is not in it");
  }
  const same = (one, other) => one.origin === other.origin && one.size === other.size && sameBytes(one.root, other.root) && sameBytes(one.map_root, other.map_root);
  if (pin && !same(head, pin)) {
    const longer = since && head.origin === pin.origin && head.size > pin.size;
    need(longer && since.size === pin.size && sameBytes(since.root, pin.root), "not tied to your pin: ask for --since it");
  }
  const body = bundle.entry ? await checkEntry(bundle.entry, bundle.atom, head) : new Map();
  if (bundle.name !== undefined) await checkMap(bundle, head, body);
  return { ...bundle, trust: pin ? "pin" : keys.size ? "key" : null, head, body };
}
