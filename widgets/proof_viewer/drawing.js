// Where the boxes of a proof stand, and how they look: from what was said (below) up to the signature (above). What is
// red was found in the kernel, by working the proof out; the page only shows it.

const BOX = 24;
const GAP = 18;
const SHOWN_LEVELS = 9; // of a longer path the middle is folded
const SINGLE = 200; // the width of a box that stands alone in its row; beside it there is room for how it is made
const NARROW = 620; // below this the two sides stand one above the other

/** The rows of one side, from its root down. A row is a list of ids; a level has `level`, and `empty` if its sibling is. */
function rowsOf(nodes, climb, leaf, path, below) {
  const count = [...nodes.keys()].filter((id) => id.startsWith(`${path}.`)).length;
  const rows = count ? [{ ids: [`${climb}.${count - 1}`] }] : [{ ids: [leaf] }];
  for (let level = count - 1; level >= 0; level--) {
    const pair = [level ? `${climb}.${level - 1}` : leaf, `${path}.${level}`];
    const sibling = nodes.get(pair[1]);
    rows.push({ ids: sibling.place === "left" ? pair.reverse() : pair, level, empty: sibling.empty });
  }
  return [...rows, ...below.map((ids) => ({ ids }))];
}

/** Runs of empty siblings, and the middle of a long path, become one row each; a part that was changed stays in sight. */
function folded(rows, nodes) {
  const levels = rows.filter((row) => row.level !== undefined).length;
  const hides = (row) => row.level !== undefined && !row.ids.some((id) => nodes.get(id).changed) &&
    (row.empty || (levels > SHOWN_LEVELS && row.level >= 3 && row.level < levels - 3));
  const shown = [];
  let run = [];
  const flush = () => {
    if (run.length > 1) shown.push({ ids: run.flatMap((row) => row.ids), fold: run });
    else shown.push(...run);
    run = [];
  };
  for (const row of rows) {
    if (hides(row)) run.push(row);
    else flush(), shown.push(row);
  }
  flush();
  return shown;
}

const RULER = document.createElement("canvas").getContext("2d");

/** How wide a text is in this font, in pixels. */
function wide(text, font) {
  RULER.font = font;
  return RULER.measureText(text).width;
}

/** The fonts of the drawing, as the page has them: what is written in which is in widget.css. */
function fontsOf(element) {
  const style = getComputedStyle(element);
  return { text: `11.5px ${style.fontFamily}`, formula: `10.5px ${style.fontFamily}`, hash: `11px ${style.getPropertyValue("--sub-mono") || "monospace"}` };
}

/** Hex digits, shortened to the room there is: begin and end; nothing, if even a few have none. */
function short(bytes, room, font) {
  const digits = Math.floor(room / wide("0", font));
  if (bytes.length <= digits) return bytes;
  const tail = digits > 12 ? 4 : 0;
  return digits < 5 ? "" : `${bytes.slice(0, digits - tail - 1)}…${tail ? bytes.slice(-tail) : ""}`;
}

/** Text on one line, shortened to the room there is. */
function clipped(text, room, font) {
  const points = Array.from(visible(text.slice(0, 500)).replace(/\s+/g, " "));
  if (wide(points.join(""), font) <= room) return points.join("");
  while (points.length && wide(`${points.join("")}…`, font) > room) points.pop();
  return points.length < 3 ? "" : `${points.join("").trimEnd()}…`;
}

/** What the body says, if it can be read: its value, or its name. */
function saying(text) {
  try {
    const body = JSON.parse(text);
    return body.value ?? body.name ?? text;
  } catch {
    return text;
  }
}

const WEIGHTS = { salt: 2, body: 5, stamp: 4, id: 3, commitment: 4, map_salt: 2, name: 5, head: 4, signature: 1.4 };
const COLUMNS = {
  log: { climb: "log", leaf: "leaf", path: "path", below: [["entry"], ["commitment", "id", "stamp"], ["salt", "body"]] },
  map: { climb: "map", leaf: "map_leaf", path: "map_path", below: [["record"], ["map_key"], ["map_salt", "name"]] },
};

/** Where each box stands: {boxes: [{id, ids, fold, x, y, w, h}], height}. `beside` is the room for how it is made. */
function placed(nodes, width, open, fonts) {
  const boxes = [];
  const put = (row, x, y, w, h = BOX, said = 0) => {
    if (row.fold) return boxes.push({ id: row.ids[0], ids: row.ids, fold: row.fold, x, y, w, h });
    const weights = row.ids.map((id) => (row.level === undefined ? WEIGHTS[id] ?? 1 : 1));
    const whole = weights.reduce((a, b) => a + b, 0);
    const room = row.ids.length === 1 ? Math.min(w, row.ids[0] === "signed" ? 230 : SINGLE) : w - 10 * (row.ids.length - 1);
    // In the middle, or as far to the left of it as all of this side need for what is said beside them.
    let at = row.ids.length === 1 ? x + Math.max(0, Math.min((w - room) / 2, w - room - said)) : x;
    row.ids.forEach((id, i) => {
      const share = (room * weights[i]) / whole;
      boxes.push({ id, ids: [id], x: at, y, w: share, h, beside: row.ids.length === 1 && id !== "signed" ? x + w - at - room : 0 });
      at += share + 10;
    });
  };
  put({ ids: ["signed"] }, 0, 0, width);
  put({ ids: ["head", "signature"] }, 0, BOX + GAP, width, 44);
  const top = 2 * BOX + 2 * GAP + 44;
  const sides = Object.keys(COLUMNS).filter((side) => nodes.has(COLUMNS[side].leaf));
  const stacked = width < NARROW || sides.length === 1;
  const w = stacked ? width : (width - 28) / 2;
  let y = top;
  let height = top;
  const labels = [];
  sides.forEach((side, i) => {
    const { climb, leaf, path, below } = COLUMNS[side];
    let rows = rowsOf(nodes, climb, leaf, path, below);
    if (side === "map") rows = [{ ids: ["map_root"] }, ...rows];
    const x = stacked ? 0 : i * (w + 28);
    labels.push({ side, x: x, y: y - 6, w });
    const said = Math.max(...rows.filter(({ ids }) => ids.length === 1).map(({ ids }) => 8 + wide(nodes.get(ids[0]).formula, fonts.formula)));
    for (const row of open.has(side) ? rows : folded(rows, nodes)) {
      put(row, x, y, w, BOX, said);
      y += BOX + GAP;
    }
    height = Math.max(height, y);
    y = stacked ? y + BOX : top;
  });
  return { boxes, labels, height: height - GAP + 2 };
}

/** The lines from what goes in to what comes out; what is folded away counts as its fold. */
function lines(nodes, boxes) {
  const at = new Map(boxes.flatMap((box) => box.ids.map((id) => [id, box])));
  const drawn = new Map();
  for (const [id, node] of nodes) {
    for (const input of node.inputs) {
      const [from, to] = [at.get(input), at.get(id)];
      // The map's salt goes into its root as well, and the atom's id into the record: said in words, not by a line across.
      if (!from || !to || from === to || from.y < to.y || from.y - to.y > 3 * (BOX + GAP) + BOX) continue;
      if (input === "id" && id === "record") continue;
      const red = nodes.get(input).red && node.red;
      const key = `${from.x},${from.y},${to.x},${to.y}`;
      drawn.set(key, { from, to, red: red || Boolean(drawn.get(key)?.red) });
    }
  }
  return [...drawn.values()].sort((a, b) => a.red - b.red).map(({ from, to, red }) => {
    const [x1, x2, y1, y2] = [from.x + from.w / 2, to.x + to.w / 2, from.y, to.y + to.h];
    return s("path", { class: red ? "pv-line pv-red" : "pv-line", d: `M${x1} ${y1}V${y1 - GAP / 2}H${x2}V${y2}` });
  });
}

function drawBox(box, nodes, focus, fonts) {
  const node = nodes.get(box.id);
  const red = box.ids.some((id) => nodes.get(id).red);
  const kind = box.fold ? "pv-fold" : node.formula ? "pv-made" : "pv-given";
  const classes = ["pv-node", kind, red && "pv-red", node.changed && "pv-changed", node.empty && "pv-empty",
    node.good && "pv-good"].filter(Boolean).join(" ");
  const empties = box.fold?.filter((row) => row.empty).length;
  const label = box.fold
    ? `${box.fold.length} levels${empties === box.fold.length ? " with an empty sibling" : empties ? `, ${empties} with an empty sibling` : " more"}`
    : node.title;
  const said = box.fold ? "" : node.empty ? "empty" : node.id === "body" ? saying(node.text) : node.id === "head" ? "" : node.text;
  const right = box.w - 28 - wide(label, fonts.text); // between the label, a gap, and the edge
  const texts = [s("text", { class: "pv-title", x: box.fold ? box.w / 2 : 8, y: box.id === "head" ? 17 : box.h / 2 + 4, "text-anchor": box.fold ? "middle" : null }, label)];
  if (node.id === "head" && !box.fold) {
    const { origin, size, root, map_root } = node.head;
    const counted = `${size.toLocaleString()} ${size === 1 ? "entry" : "entries"}`;
    const from = clipped(origin, right - wide(`, ${counted}`, fonts.text), fonts.text);
    const half = (box.w - 32) / 2 - wide("map root ", fonts.hash);
    texts.push(
      s("text", { class: "pv-text", x: box.w - 8, y: 17, "text-anchor": "end" }, from ? `${from}, ${counted}` : counted),
      s("text", { class: "pv-hash", x: 8, y: 35 }, `log root ${short(root, half, fonts.hash)}`),
      s("text", { class: "pv-hash", x: box.w - 8, y: 35, "text-anchor": "end" }, `map root ${short(map_root, half, fonts.hash)}`));
  } else if (node.id === "signed") {
    texts.push(s("text", { class: "pv-text", x: box.w - 8, y: box.h / 2 + 4, "text-anchor": "end" }, node.good ? "by this store's own key" : "not what the key signed"));
  } else if (!box.fold) {
    texts.push(s("text", { class: said ? "pv-text" : "pv-hash", x: box.w - 8, y: box.h / 2 + 4, "text-anchor": "end" },
      said ? clipped(said, right, fonts.text) : short(node.bytes, right, fonts.hash)));
  }
  if (node.formula && 8 + wide(node.formula, fonts.formula) <= box.beside) {
    texts.push(s("text", { class: "pv-formula", x: box.w + 8, y: box.h / 2 + 4 }, node.formula));
  }
  return s("g", {
    class: classes, transform: `translate(${box.x} ${box.y})`, tabindex: box.id === focus ? 0 : -1, role: "button",
    "data-testid": box.fold ? "proof-fold" : "proof-node", "data-node": box.id, "data-red": String(red),
    "aria-label": `${label}${red ? ", differs" : ""}${node.part && !box.fold ? ", can be changed" : ""}`,
  }, s("title", {}, box.fold ? "Show all levels" : visible(node.text || node.bytes)), s("rect", { width: box.w, height: box.h, rx: 4 }), texts);
}
