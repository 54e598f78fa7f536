// Transitions: what is needed after what, as a graph around one atom.

const PARTS = [
  ["", "All", "All parts of the model together, each weighed by how far it was right."],
  ["next", "Next", "Atoms used right after it."],
  ["skip", "Skip", "Atoms used within ten steps; nearer ones count more."],
  ["edges", "Declared", "Atoms linked to it by an edge, in either direction."],
  ["episodes", "Episodes", "Atoms of past sessions that used it."],
];

/** The same as the graph, for those who read it: two tables. */
function tables(graph, act) {
  const table = (title, nodes, side) => h("table", { class: "tr-table", "data-testid": `table-${side}` }, h("caption", {}, title),
    h("thead", {}, h("tr", {}, ["Atom", "Probability", "Why", ""].map((word) => h("th", { scope: "col" }, word)))),
    h("tbody", {}, nodes.length === 0 ? h("tr", {}, h("td", { colspan: 4, class: "sub-faint" }, side === "before" ? "nothing is known to lead here" : "nothing is known to follow"))
      : nodes.map((node) => h("tr", { "data-name": node.name, class: turn(node).trim() },
        h("td", {}, h("button", { type: "button", class: "tr-go sub-mono", "data-do": "go", onclick: () => act.go(node.name) }, stored(node.name))),
        h("td", { class: "tr-number", title: because(node) }, change(node)), h("td", { class: "sub-faint" }, because(node)),
        h("td", {}, h("button", { type: "button", class: "sub-quiet", "data-do": "pick", "aria-label": `add ${visible(node.name)} to the training`, onclick: () => act.pick(node.name) }, "+ train"))))));
  const rows = () => ["before", "after"].flatMap((side) => graph[side].map((node) => ({ side, name: node.name, probability: node.probability, why: because(node) })));
  return [table("Leads here", graph.before, "before"), table("Needed after", graph.after, "after"), h("div", {}, csvButton("transitions.csv", rows))];
}

/** Tables in the place of those before. The focus stays on its atom; where that is gone, it is on the first one. */
function retable(written, graph, act) {
  const button = written.contains(document.activeElement) ? document.activeElement : null;
  const [name, side] = [button?.closest("tr")?.dataset.name, button?.closest("table")?.dataset.testid];
  written.replaceChildren(...tables(graph, act));
  if (!button) return;
  const rows = [...written.querySelectorAll("tbody tr[data-name]")].sort((a, b) => (b.closest("table").dataset.testid === side) - (a.closest("table").dataset.testid === side));
  const row = rows.find((one) => one.dataset.name === name) ?? rows[0];
  row?.querySelector(`[data-do="${button.dataset.do}"]`)?.focus({ preventScroll: true });
}

export default {
  render({ model, el }) {
    const page = openPage(model, el, "Transitions", "Shows now: what was learnt has no past.");
    const go = (name) => tell(model, { selected: name });
    const step = (by) => tell(model, { place: model.get("place") + by });
    const detail = h("div", { class: "tr-detail", "aria-live": "polite", "data-testid": "detail" });
    const act = {
      go,
      back: () => model.get("place") > 0 && step(-1),
      pick: (name) => tell(model, { sequence: [...model.get("sequence"), name] }),
      tell: (node, side) => detail.replaceChildren(...(node === null ? [h("span", { class: "sub-faint" }, "Drag to move, wheel or + and − to zoom, click or Enter to go there.")]
        : [stored(node.name, { class: "sub-stored sub-mono" }), h("strong", {}, ` ${change(node)} `), h("span", { class: "sub-faint" }, `${side === "after" ? "when this was opened" : "that this is next, when it was opened"}: ${because(node)}`)])),
    };
    const view = graphView(act);
    const back = h("button", { type: "button", "aria-label": "back", "data-testid": "back", onclick: () => step(-1) }, "←");
    const forward = h("button", { type: "button", "aria-label": "forward", "data-testid": "forward", onclick: () => step(1) }, "→");
    const box = nameBox(model, page, "go to an atom", go);
    box.dataset.testid = "go-to";
    const parts = choices("part", PARTS, (part) => tell(model, { part }));
    let form = "graph";
    const forms = choices("shown as", [["graph", "Graph"], ["table", "Table"]], (value) => { form = value; draw(); });
    const meaning = h("div", { class: "sub-faint tr-meaning" });
    const zooms = h("div", { class: "tr-zooms" }, zoomButtons(view));
    const heads = h("div", { class: "tr-heads" }, h("span", {}, "leads here"), zooms, h("span", {}, "needed after"));
    const picture = h("div", { class: "tr-picture" }, heads, view.svg);
    const written = h("div", { class: "tr-written" });
    const empty = h("div", { class: "tr-empty", "data-testid": "empty" });
    page.body.append(h("div", { class: "tr-bar" }, back, forward, box, parts.group, forms.group), meaning, empty, picture, written, detail, trainingPart(model, page));

    const draw = () => {
      const graph = model.get("graph");
      const isThere = Boolean(graph.after);
      empty.hidden = isThere;
      picture.hidden = !isThere || form !== "graph";
      written.hidden = !isThere || form !== "table";
      detail.hidden = !isThere || form !== "graph";
      forms.show(form);
      if (isThere) {
        if (form === "graph") view.show(graph);
        else retable(written, graph, act);
        act.tell(null);
        meaning.textContent = (PARTS.find(([part]) => part === graph.part)?.[2] ?? "") + (graph.more ? " It follows more than a thousand atoms: on the left are the likeliest of those looked at." : "");
      } else if (graph.missing) empty.replaceChildren(stored(graph.missing));
      else if (graph.first) {
        empty.replaceChildren(...(graph.first.length ? ["Go to an atom by name, or begin with ", ...graph.first.map((name) => h("button", { type: "button", class: "sub-quiet sub-mono", "data-name": name, onclick: () => go(name) }, stored(name)))]
          : ["The store is empty: there is nothing to show yet."]));
      } else empty.textContent = "…";
    };
    page.on("graph", draw);
    page.on("part", () => parts.show(model.get("part")));
    page.on(["trail", "place"], () => {
      const [trail, at] = [model.get("trail"), model.get("place")];
      back.disabled = at <= 0;
      forward.disabled = at >= trail.length - 1;
      back.title = at > 0 ? `Back to ${visible(trail[at - 1])}` : "";
      forward.title = at < trail.length - 1 ? `Forward to ${visible(trail[at + 1])}` : "";
    });
    return () => { view.close(); page.close(); };
  },
};
