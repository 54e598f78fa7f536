// The graph around an atom: what leads to it on the left, what is needed after it on the right. Drag, wheel and keys move it.

const WIDE = 1000;
const NODE = { width: 252, height: 26, step: 36 };
const MIDDLE = { width: 220, height: 38 };
const LETTERS = 30;
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

/** What a number is made of, in words. */
function because(node) {
  const parts = Object.entries(node.parts).sort((a, b) => b[1] - a[1]);
  return parts.map(([part, added]) => `${PART_WORDS[part] ?? part} ${share(added)}`).join(", ");
}

function nodeBox(node, x, y, side, act) {
  const { width, height } = NODE;
  const told = `${visible(node.name)}, ${share(node.probability)}${node.was === undefined ? "" : `, was ${share(node.was)}`}`;
  const add = s("g", { class: "tr-add", "data-testid": "add", onclick: (event) => { event.stopPropagation(); act.pick(node.name); } },
    s("title", {}, "Add to the training (t)"),
    s("rect", { x: width - 24, y: 3, width: 20, height: height - 6, rx: 3 }), s("path", { d: `M${width - 14} ${height / 2 - 4}v8m-4-4h8` }));
  return s("g", { class: `tr-node${turn(node)}`, transform: `translate(${x} ${y - height / 2})`, tabindex: "-1", role: "button",
    "aria-label": `${side === "after" ? "needed after" : "leads here"}: ${told}`, "data-testid": "node", "data-side": side, "data-name": node.name,
    onclick: () => act.go(node.name), onmouseenter: () => act.tell(node, side), onfocus: () => act.tell(node, side) },
    s("title", {}, visible(node.name)),
    s("rect", { class: "tr-box", width, height, rx: 4 }),
    s("text", { x: 9, y: height / 2, dy: "0.35em" }, shortened(node.name, LETTERS)), add);
}

/** An arc between two points, with its number beside the atom at its outer end: `at`, where there is `wide` room for it. */
function arcLine(node, from, to, most, at, wide) {
  const bend = (from[0] + to[0]) / 2;
  return s("g", { class: `tr-arc${turn(node)}` },
    s("path", { d: `M${from[0]} ${from[1]}C${bend} ${from[1]} ${bend} ${to[1]} ${to[0]} ${to[1]}`, "stroke-width": (1 + (8 * node.probability) / most).toFixed(2) }),
    s("text", { class: "tr-share", x: at[0] + wide / 2, y: at[1], dy: "0.35em" }, change(node)));
}

/** All that is drawn, in its own coordinates. `act` has go, pick and tell. */
function drawing(graph, act) {
  const rows = Math.max(graph.before.length, graph.after.length, 3);
  const high = rows * NODE.step + 8;
  const middle = high / 2;
  const most = Math.max(0.25, ...graph.before.concat(graph.after).map((node) => node.probability));
  const left = (WIDE - MIDDLE.width) / 2;
  const place = (count, at) => middle + (at - (count - 1) / 2) * NODE.step;
  const empty = (x, words) => s("text", { class: "tr-none", x, y: middle, dy: "0.35em", "text-anchor": "middle" }, words);
  const spread = (count, at) => middle + Math.max(-12, Math.min(12, (at - (count - 1) / 2) * 4));
  const [wide, broad] = [room(graph.before), room(graph.after)];
  const arcs = [
    ...graph.before.map((node, at) => {
      const y = place(graph.before.length, at);
      return arcLine(node, [NODE.width + wide, y], [left, spread(graph.before.length, at)], most, [NODE.width, y], wide);
    }),
    ...graph.after.map((node, at) => {
      const y = place(graph.after.length, at);
      return arcLine(node, [left + MIDDLE.width, spread(graph.after.length, at)], [WIDE - NODE.width - broad, y], most, [WIDE - NODE.width - broad, y], broad);
    }),
  ];
  const nodes = [
    ...graph.before.map((node, at) => nodeBox(node, 0, place(graph.before.length, at), "before", act)),
    s("g", { class: "tr-node tr-middle", transform: `translate(${left} ${middle - MIDDLE.height / 2})`, tabindex: "-1", role: "button", "data-testid": "middle", "data-side": "middle", "data-name": graph.name,
      "aria-label": `here: ${visible(graph.name)}`, onfocus: () => act.tell(null), onmouseenter: () => act.tell(null) }, s("title", {}, visible(graph.name)),
      s("rect", { class: "tr-box", width: MIDDLE.width, height: MIDDLE.height, rx: 5 }),
      s("text", { x: MIDDLE.width / 2, y: MIDDLE.height / 2, dy: "0.35em", "text-anchor": "middle" }, shortened(graph.name, 26))),
    ...graph.after.map((node, at) => nodeBox(node, WIDE - NODE.width, place(graph.after.length, at), "after", act)),
  ];
  return { high, content: [...arcs, ...nodes,
    graph.before.length === 0 && empty(NODE.width / 2 + 20, "nothing is known to lead here"), graph.after.length === 0 && empty(WIDE - NODE.width / 2 - 20, "nothing is known to follow")].filter(Boolean) };
}

/** The moving picture. Gives the element, `show(graph)`, and what the buttons do. */
function graphView(act) {
  const scene = s("g", {});
  const svg = s("svg", { class: "tr-graph", role: "group", "aria-label": "graph of arcs; arrow keys move, Enter goes there, t adds to the training, plus and minus zoom", "data-testid": "graph" }, scene);
  let view = { x: 0, y: 0, zoom: 1 };
  let drag = null;
  const place = () => {
    scene.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.zoom})`);
    svg.dataset.zoom = view.zoom.toFixed(2);
  };
  const zoom = (factor, x = WIDE / 2, y = svg.viewBox.baseVal.height / 2) => {
    const to = Math.max(0.4, Math.min(4, view.zoom * factor));
    view = { x: x - ((x - view.x) * to) / view.zoom, y: y - ((y - view.y) * to) / view.zoom, zoom: to };
    place();
  };
  const fit = () => { view = { x: 0, y: 0, zoom: 1 }; place(); };
  const inside = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const nodes = (side) => [...svg.querySelectorAll(".tr-node")].filter((node) => !side || node.dataset.side === side);
  const focus = (node) => { nodes().forEach((other) => other.setAttribute("tabindex", other === node ? "0" : "-1")); node.focus(); };

  svg.addEventListener("wheel", (event) => {
    // The page scrolls by the wheel too: it zooms for who has clicked into the graph, or holds Ctrl.
    if (!event.ctrlKey && !svg.contains(document.activeElement)) return;
    event.preventDefault();
    const at = inside(event);
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, at.x, at.y);
  }, { passive: false });
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest(".tr-node")) return;
    (svg.querySelector('.tr-node[tabindex="0"]') ?? nodes()[0])?.focus({ preventScroll: true });
    event.preventDefault();
    drag = { from: inside(event), x: view.x, y: view.y };
    svg.setPointerCapture(event.pointerId);
    svg.classList.add("tr-dragged");
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const at = inside(event);
    view = { ...view, x: drag.x + at.x - drag.from.x, y: drag.y + at.y - drag.from.y };
    place();
  });
  const drop = () => { drag = null; svg.classList.remove("tr-dragged"); };
  svg.addEventListener("pointerup", drop);
  svg.addEventListener("pointercancel", drop);
  svg.addEventListener("keydown", (event) => {
    const here = event.target.closest(".tr-node");
    const sides = ["before", "middle", "after"];
    const column = here && nodes(here.dataset.side);
    const step = (by) => column?.[column.indexOf(here) + by];
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
    else if (event.key === "+" || event.key === "=") zoom(1.2);
    else if (event.key === "-") zoom(1 / 1.2);
    else if (event.key === "0") fit();
    else if (event.key === "Backspace") act.back();
    else return;
    event.preventDefault();
  });

  let shown = null;
  const show = (graph) => {
    const focused = svg.contains(document.activeElement);
    const { high, content } = drawing(graph, act);
    svg.setAttribute("viewBox", `0 0 ${WIDE} ${high}`);
    scene.replaceChildren(...content);
    if (shown !== graph.name) fit();
    shown = graph.name;
    const middle = svg.querySelector(".tr-middle");
    middle.setAttribute("tabindex", "0");
    if (focused) middle.focus({ preventScroll: true });
  };
  return { svg, show, zoom, fit };
}
