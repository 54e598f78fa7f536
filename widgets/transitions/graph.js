// The graph around an atom: what leads to it on the left, what is needed after it on the right. Drag, wheel and keys move it.

const NODE = { width: 252, height: 26, step: 36 };
const MIDDLE = { width: 220, height: 38 };
const STACKED = 720;
const ARC = 60;
const PART_WORDS = {
  next: "came right after", skip: "came within ten steps", spread: "one step further", episodes: "needed in sessions like this",
  start: "sessions begin with it", usage: "often used", recent: "used lately", edges: "declared by an edge", repeat: "opened before",
};

const share = (probability) => (probability >= 0.0995 ? `${Math.round(probability * 100)}%` : `${(probability * 100).toFixed(1)}%`);
const change = (node) => (node.was === undefined ? share(node.probability) : node.was === 0 ? `new ${share(node.probability)}` : `${share(node.was).replace("%", "")} → ${share(node.probability)}`);
const turn = (node) => (node.was === undefined ? "" : node.was < node.probability ? " tr-changed tr-more" : " tr-changed tr-less");
const room = (nodes) => Math.max(0, ...nodes.map((node) => change(node).length)) * 6.6 + 10;

/** A name that fits: its beginning and its end, which tell it apart from others. */
function shortened(name, letters) {
  const points = Array.from(visible(name));
  if (points.length <= letters) return points.join("");
  const end = Math.floor((letters - 1) * 0.6);
  return `${points.slice(0, letters - 1 - end).join("")}…${points.slice(-end).join("")}`;
}

/** How many letters fit into so many pixels of the graph's text. */
const fitting = (pixels) => Math.max(8, Math.floor(pixels / 6.9));

/** What a number is made of, in words. */
function because(node) {
  const parts = Object.entries(node.parts).sort((a, b) => b[1] - a[1]);
  return parts.map(([part, added]) => `${PART_WORDS[part] ?? part} ${share(added)}`).join(", ");
}

function nodeBox(node, x, y, width, side, act) {
  const { height } = NODE;
  const told = `${visible(node.name)}, ${share(node.probability)}${node.was === undefined ? "" : `, was ${share(node.was)}`}`;
  const add = s("g", { class: "tr-add", "data-testid": "add", onclick: (event) => { event.stopPropagation(); act.pick(node.name); } },
    s("title", {}, "Add to the training (t)"),
    s("rect", { x: width - 24, y: 3, width: 20, height: height - 6, rx: 3 }), s("path", { d: `M${width - 14} ${height / 2 - 4}v8m-4-4h8` }));
  return s("g", { class: `tr-node${turn(node)}`, transform: `translate(${x} ${y - height / 2})`, tabindex: "-1", role: "button",
    "aria-label": `${side === "after" ? "needed after" : "leads here"}: ${told}`, "data-testid": "node", "data-side": side, "data-name": node.name,
    onclick: () => act.go(node.name), onmouseenter: () => act.tell(node, side), onfocus: () => act.tell(node, side) },
    s("title", {}, visible(node.name)),
    s("rect", { class: "tr-box", width, height, rx: 4 }),
    s("text", { x: 9, y: height / 2, dy: "0.35em" }, shortened(node.name, fitting(width - 36))), add);
}

/** An arc along `path`, with its number in the middle of the `wide` room from `at` on. */
function arcLine(node, path, most, at, wide) {
  return s("g", { class: `tr-arc${turn(node)}` },
    s("path", { d: path, "stroke-width": (1 + (8 * node.probability) / most).toFixed(2) }),
    s("text", { class: "tr-share", x: at[0] + wide / 2, y: at[1], dy: "0.35em" }, change(node)));
}

/** Where things are, side by side: what leads here, the atom, what follows. Texts have the same size at any width. */
function beside(graph, wide) {
  const rooms = { before: room(graph.before), after: room(graph.after) };
  const high = Math.max(graph.before.length, graph.after.length, 3) * NODE.step + 8;
  const middle = { x: (wide - MIDDLE.width) / 2, y: high / 2, width: MIDDLE.width };
  const width = Math.min(NODE.width, middle.x - Math.max(rooms.before, rooms.after) - ARC);
  const at = (side, place) => {
    const off = place - (graph[side].length - 1) / 2;
    const y = middle.y + off * NODE.step;
    const inner = middle.y + Math.max(-12, Math.min(12, off * 4));
    const [from, to] = side === "before" ? [[width + rooms.before, y], [middle.x, inner]] : [[middle.x + middle.width, inner], [wide - width - rooms.after, y]];
    const bend = (from[0] + to[0]) / 2;
    return { x: side === "before" ? 0 : wide - width, y, share: side === "before" ? width : wide - width - rooms.after, room: rooms[side], path: `M${from[0]} ${from[1]}C${bend} ${from[1]} ${bend} ${to[1]} ${to[0]} ${to[1]}` };
  };
  return { high, middle, width, at, none: { before: [width / 2 + 20, middle.y], after: [wide - width / 2 - 20, middle.y] } };
}

/** The same, one below the other, where there is no room beside: what leads here hangs above the atom, what follows below it. */
function stacked(graph, wide) {
  const [trunk, step] = [16, NODE.height + 6];
  const wanted = Math.max(room(graph.before), room(graph.after));
  const x = trunk + 28 + wanted;
  const rows = { before: Math.max(1, graph.before.length), after: Math.max(1, graph.after.length) };
  const middle = { x: 0, y: rows.before * step + MIDDLE.height / 2 + 8, width: Math.min(wide, MIDDLE.width + 120) };
  const below = middle.y + MIDDLE.height / 2 + 8;
  const at = (side, place) => {
    const y = (side === "before" ? 0 : below) + (place + 0.5) * step;
    const end = middle.y + (side === "before" ? -1 : 1) * (MIDDLE.height / 2);
    const path = `M${trunk + 28} ${y}C${trunk} ${y} ${trunk} ${y} ${trunk} ${(y + end) / 2}L${trunk} ${end}`;
    return { x, y, share: trunk + 28, room: wanted, path };
  };
  return { high: below + rows.after * step, middle, width: wide - x, at, none: { before: [wide / 2, step / 2], after: [wide / 2, below + step / 2] } };
}

/** All that is drawn, in pixels. `act` has go, pick and tell. */
function drawing(graph, wide, act) {
  const { high, middle, width, at, none } = (wide < STACKED ? stacked : beside)(graph, wide);
  const most = Math.max(0.25, ...graph.before.concat(graph.after).map((node) => node.probability));
  const both = (f) => ["before", "after"].map((side) => graph[side].map((node, place) => f(node, side, at(side, place))));
  const arcs = both((node, _, spot) => arcLine(node, spot.path, most, [spot.share, spot.y], spot.room)).flat();
  const [before, after] = both((node, side, spot) => nodeBox(node, spot.x, spot.y, width, side, act));
  const empty = (side, words) => graph[side].length === 0 && s("text", { class: "tr-none", x: none[side][0], y: none[side][1], dy: "0.35em", "text-anchor": "middle" }, words);
  const here = s("g", { class: "tr-node tr-middle", transform: `translate(${middle.x} ${middle.y - MIDDLE.height / 2})`, tabindex: "-1", role: "button", "data-testid": "middle", "data-side": "middle", "data-name": graph.name,
    "aria-label": `here: ${visible(graph.name)}`, onfocus: () => act.tell(null), onmouseenter: () => act.tell(null) }, s("title", {}, visible(graph.name)),
    s("rect", { class: "tr-box", width: middle.width, height: MIDDLE.height, rx: 5 }),
    s("text", { x: middle.width / 2, y: MIDDLE.height / 2, dy: "0.35em", "text-anchor": "middle" }, shortened(graph.name, fitting(middle.width - 30))));
  return { high, content: [...arcs, ...before, here, ...after, empty("before", "nothing is known to lead here"), empty("after", "nothing is known to follow")].filter(Boolean) };
}

/** The moving picture. Gives the element, `show(graph)`, and what the buttons do. */
function graphView(act) {
  const scene = s("g", {});
  const svg = s("svg", { class: "tr-graph", role: "group", "aria-label": "graph of arcs; arrow keys move, Enter goes there, t adds to the training, plus and minus zoom", "data-testid": "graph" }, scene);
  const nodes = (side) => [...svg.querySelectorAll(".tr-node")].filter((node) => !side || node.dataset.side === side);
  const focus = (node) => { nodes().forEach((other) => other.setAttribute("tabindex", other === node ? "0" : "-1")); node.focus(); };

  const { zoom, fit, key } = movable(svg, scene, { least: 0.4, parts: ".tr-node", focus: () => svg.querySelector('.tr-node[tabindex="0"]') ?? nodes()[0] });
  svg.addEventListener("keydown", (event) => {
    const here = event.target.closest(".tr-node");
    const sides = ["before", "middle", "after"];
    const column = here && nodes(here.dataset.side);
    const line = svg.clientWidth < STACKED ? nodes() : column;  // what stands below one another is walked along as a whole
    const step = (by) => line?.[line.indexOf(here) + by];
    const across = (by) => {
      for (let at = sides.indexOf(here?.dataset.side) + by; at >= 0 && at < sides.length; at += by) {
        const there = nodes(sides[at]);
        if (there.length) return there[Math.min(there.length - 1, column.length > 1 ? column.indexOf(here) : Math.floor((there.length - 1) / 2))];
      }
      return undefined;
    };
    const to = { ArrowUp: () => step(-1), ArrowDown: () => step(1), ArrowLeft: () => across(-1), ArrowRight: () => across(1) }[event.key];
    if (to) { const node = to(); if (node) focus(node); }
    else if (event.key === "Enter" || event.key === " ") { if (here) act.go(here.dataset.name); }
    else if (event.key === "t") { if (here) act.pick(here.dataset.name); }
    else if (event.key === "Backspace") act.back();
    else if (!key(event.key)) return;
    event.preventDefault();
  });

  let shown = null;
  let wide = 0;
  const draw = () => {
    if (!shown || !svg.clientWidth) return;  // what is not seen has no width; it is drawn when it is
    wide = svg.clientWidth;
    const focused = svg.contains(document.activeElement) ? document.activeElement.dataset : null;
    const { high, content } = drawing(shown, wide, act);
    svg.setAttribute("height", high);
    scene.replaceChildren(...content);
    // Who stands on an atom stays there when someone writes. Who went to another atom stands on that one, in the middle.
    const same = focused && nodes(focused.side).find((node) => node.dataset.name === focused.name);
    const stand = same ?? svg.querySelector(".tr-middle");
    stand.setAttribute("tabindex", "0");
    if (focused) stand.focus({ preventScroll: true });
  };
  const show = (graph) => {
    if (shown?.name !== graph.name) fit();
    shown = graph;
    draw();
  };
  const watch = new ResizeObserver(() => { if (svg.clientWidth !== wide) { fit(); draw(); } });
  watch.observe(svg);
  return { svg, show, zoom, fit, close: () => watch.disconnect() };
}
