// JSON, read strictly: what two readers could take for different things is refused. The same rules as the auditor's script has.

const MAX_DEPTH = 100;
const MAX_DIGITS = 4300;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const BLANK = /[ \t\n\r]*/y;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const LITERALS = { true: true, false: false, null: null };

class Rejected extends Error {}

/** Every check goes through here. */
function need(condition, why) {
  if (!condition) throw new Rejected(why);
}

/** Objects as maps, whole numbers as BigInt. A member twice, half a pair, deep nesting and absurd numbers are refused. */
function strictJson(text) {
  let at = 0;
  const bad = "not readable as JSON: the file is damaged or not complete, ask for it again";
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at = pattern.lastIndex;
    return found;
  };
  const next = (expected) => {
    take(BLANK);
    if (text[at] !== expected) return false;
    at += 1;
    return true;
  };
  const string = () => {
    let said = "";
    for (;;) {
      said += take(PLAIN)[0];
      const end = text[at++];
      if (end === '"') break;
      need(end === "\\", bad);
      const kind = text[at++];
      if (kind === "u") {
        const digits = text.slice(at, at + 4);
        need(/^[0-9a-fA-F]{4}$/.test(digits), bad);
        said += String.fromCharCode(parseInt(digits, 16));
        at += 4;
      } else {
        need(Object.hasOwn(ESCAPES, kind ?? ""), bad);
        said += ESCAPES[kind];
      }
    }
    need(said.isWellFormed(), bad);
    return said;
  };
  const value = (depth) => {
    need(depth <= MAX_DEPTH, "nested too deep");
    if (next("{")) {
      const members = new Map();
      if (next("}")) return members;
      do {
        need(next('"'), bad);
        const name = string();
        need(!members.has(name), "a member twice");
        need(next(":"), bad);
        members.set(name, value(depth + 1));
      } while (next(","));
      need(next("}"), bad);
      return members;
    }
    if (next("[")) {
      const items = [];
      if (next("]")) return items;
      do items.push(value(depth + 1)); while (next(","));
      need(next("]"), bad);
      return items;
    }
    if (next('"')) return string();
    for (const [word, meant] of Object.entries(LITERALS)) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return meant;
    }
    NUMBER.lastIndex = at;
    const found = NUMBER.exec(text);
    need(found, bad);
    at = NUMBER.lastIndex;
    if (found[1] === undefined && found[2] === undefined) {
      need(found[0].replace("-", "").length <= MAX_DIGITS, bad);
      return BigInt(found[0]);
    }
    const number = Number(found[0]);
    need(Number.isFinite(number), bad);
    return number;
  };
  const read = value(0);
  take(BLANK);
  need(at === text.length, bad);
  need(read instanceof Map, "the JSON text has the wrong type");
  return read;
}
