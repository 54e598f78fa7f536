// The picture of the graph: drag, wheel and keys move it; a node or an edge is chosen by a click or by Enter.

const short = (text, letters) => { const points = Array.from(visible(text)); return points.length <= letters ? points.join("") : `${points.slice(0, letters - 1).join("")}…`; };

/** A line between two places, bent if another edge joins the same two; and the middle of it. */
function line(from, to, bend) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.max(1, Math.hypot(dx, dy));
  const middle = { x: (from.x + to.x) / 2 - (dy / length) * bend, y: (from.y + to.y) / 2 + (dx / length) * bend };
  return { path: `M${from.x.toFixed(1)} ${from.y.toFixed(1)}Q${middle.x.toFixed(1)} ${middle.y.toFixed(1)} ${to.x.toFixed(1)} ${to.y.toFixed(1)}`, at: { x: (from.x + to.x + 2 * middle.x) / 4, y: (from.y + to.y + 2 * middle.y) / 4 } };
}

/** Where the line to an entity meets its box, so that its arrow is seen. */
function border(from, to, half, height) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const by = Math.min(1, half / Math.max(0.01, Math.abs(dx)), height / Math.max(0.01, Math.abs(dy)));
  return { x: to.x - dx * by, y: to.y - dy * by };
}

const MAP = 0.55;
const NAMED = 14;

function graphPicture(act) {
  const scene = s("g", {});
  const arrow = s("marker", { id: "eg-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse" }, s("path", { class: "eg-head", d: "M0 0L8 4L0 8z" }));
  const svg = s("svg", { class: "eg-graph", role: "group", tabindex: "0", "aria-label": "graph; Tab moves between its nodes and edges, Enter opens, arrow keys move the picture, plus and minus zoom, 0 shows all", "data-testid": "graph" }, s("defs", {}, arrow), scene);
  let box = null;
  const all = () => {
    if (!box || !svg.clientWidth) return null;
    const to = Math.min(1.25, svg.clientWidth / box.width, svg.clientHeight / box.height);
    return { x: svg.clientWidth / 2 - (box.x + box.width / 2) * to, y: svg.clientHeight / 2 - (box.y + box.height / 2) * to, zoom: to };
  };
  const placed = (far) => {
    svg.classList.toggle("eg-far", far < 0.7);
    // From afar it is a map: a dot for each node, the larger the more edges, and the names of those with most.
    svg.classList.toggle("eg-map", far < MAP);
    svg.style.setProperty("--eg-scale", (1 / far).toFixed(3));
  };
  const { zoom, move, fit, key } = movable(svg, scene, { least: 0.15, parts: "[data-pick]", focus: () => svg, start: all, placed });
  svg.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    const picked = event.target.closest("[data-pick]");
    if (by) move(...by);
    else if ((event.key === "Enter" || event.key === " ") && picked) picked.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    else if (!key(event.key)) return;
    event.preventDefault();
  });

  let shown = "";
  const show = (graph, selected, opened, changed) => {
    const sign = JSON.stringify([graph.domain, graph.nodes.map((node) => node.name), graph.edges.map((edge) => edge.id)]);
    const isNew = sign !== shown;
    shown = sign;
    const places = isNew || !show.places ? layout(graph.nodes, graph.edges) : show.places;
    show.places = places;
    const halves = graph.nodes.map((node) => (Array.from(short(node.label, 24)).length * 6.7 + 16) / 2);
    const pairs = new Map();
    const lines = graph.edges.map((edge) => {
      const key = [edge.source, edge.target].sort((a, b) => a - b).join(" ");
      const nth = pairs.get(key) ?? 0;
      pairs.set(key, nth + 1);
      const bend = (nth % 2 ? -1 : 1) * Math.ceil(nth / 2) * 26 * (edge.source < edge.target ? 1 : -1);
      const [from, to] = [places[edge.source], places[edge.target]];
      const { path, at } = line(border(to, from, halves[edge.source] + 1, 12), border(from, to, halves[edge.target] + 3, 14), bend);
      const names = [graph.nodes[edge.source].label, edge.type, graph.nodes[edge.target].label].map(visible).join(" ");
      const marks = `${edge.id === opened ? " eg-open" : ""}${changed.has(edge.id) ? " eg-new" : ""}${edge.tended ? " eg-tended" : ""}`;
      return s("g", { class: `eg-edge${marks}`, "data-pick": "edge", "data-key": edge.id, "data-testid": "edge", role: "button", tabindex: "0", "aria-label": `${names}: open the evidence`, onclick: () => act.open(edge.id) },
        s("title", {}, `${names}\nconfidence ${edge.confidence.toFixed(2)}`),
        s("path", { class: "eg-wide", d: path }),
        s("path", { class: "eg-direct", d: `M${from.x.toFixed(1)} ${from.y.toFixed(1)}L${to.x.toFixed(1)} ${to.y.toFixed(1)}` }),
        s("path", { class: "eg-line", d: path, "marker-end": "url(#eg-arrow)", "stroke-opacity": (0.35 + 0.6 * edge.confidence).toFixed(2) }),
        s("text", { x: at.x.toFixed(1), y: at.y.toFixed(1), dy: "0.35em" }, short(edge.type.replaceAll("_", " "), 22)));
    });
    const boxes = graph.nodes.map((node, at) => s("g", { class: `eg-node${node.name === selected ? " eg-chosen" : ""}${at < NAMED ? " eg-major" : ""}`, transform: `translate(${places[at].x.toFixed(1)} ${places[at].y.toFixed(1)})`, "data-pick": "node", "data-name": node.name, "data-testid": "node", role: "button", tabindex: "0", "aria-label": `${visible(node.label)}, ${node.edges} neighbours`, onclick: () => act.choose(node.name) },
      s("title", {}, `${visible(node.label)}${node.type ? `\n${visible(node.type)}` : ""}\n${visible(node.name)}`),
      s("circle", { r: (3.5 + Math.min(7, Math.sqrt(node.edges))).toFixed(1) }),
      s("rect", { x: -halves[at], y: -12, width: halves[at] * 2, height: 24, rx: 5 }),
      s("text", { dy: "0.35em" }, short(node.label, 24))));
    const held = svg.contains(document.activeElement) ? document.activeElement : null;
    const find = held && held !== svg ? placeIn(scene, held) : null;
    scene.replaceChildren(...lines, ...boxes);
    if (find) (find() ?? svg).focus({ preventScroll: true });
    const xs = places.map((one, at) => [one.x - halves[at], one.x + halves[at]]).flat();
    const ys = places.map((one) => one.y);
    box = { x: Math.min(...xs) - 20, y: Math.min(...ys) - 30, width: Math.max(...xs) - Math.min(...xs) + 40, height: Math.max(...ys) - Math.min(...ys) + 60 };
    if (isNew) fit();
  };
  let wide = 0;
  const watch = new ResizeObserver(() => { if (svg.clientWidth !== wide) { wide = svg.clientWidth; fit(); } });
  watch.observe(svg);
  return { svg, show, zoom, fit, close: () => watch.disconnect() };
}
