// EntityGraph: the entities of a domain or the atoms with most edges, what joins them, what says so, and what a gardener did.

const KINDS = { added: ["+ entity", "good"], revived: ["+ entity", "good"], tombstoned: ["− entity", "bad"], changed: ["changed", "warn"], edge_added: ["+ edge", "good"], edge_changed: ["edge changed", "warn"], edge_removed: ["− edge", "bad"] };

/** Stored text, with the names in it marked. */
function withNames(text, names) {
  const points = Array.from(text);
  const low = points.map((one) => one.toLowerCase());
  const marks = [];
  for (const name of names) {
    const wanted = Array.from(name.toLowerCase());
    for (let at = 0; wanted.length && at + wanted.length <= low.length; at += 1) {
      if (wanted.every((one, place) => low[at + place] === one)) { marks.push([at, at + wanted.length]); at += wanted.length - 1; }
    }
  }
  marks.sort((a, b) => a[0] - b[0]);
  return marked(text, marks.filter((mark, place) => !place || mark[0] >= marks[place - 1][1]));
}

function evidencePart(told, act) {
  if (!told.id) return [h("p", { class: "sub-faint eg-hint" }, "Click an edge to see what speaks for it. Drag to move, wheel or + and − to zoom.")];
  const row = (word, ...said) => [h("dt", {}, word), h("dd", {}, said)];
  const proof = told.proof ?? {};
  const facts = [
    ...(told.confidence === null ? [] : row("confidence", Number(told.confidence).toFixed(2))),
    ...told.reasons.flatMap(([word, said]) => row(word, stored(said))),
    ...row("stated", moment(told.when), told.actor ? [" by ", stored(told.actor)] : "", told.session ? [" in ", stored(told.session)] : ""),
    ...told.windows.flatMap(([start, end]) => row("holds", start ? ["from ", moment(start), " "] : "", end ? ["until ", moment(end)] : "")),
    ...row("proof", proof.verified ? [h("span", { class: "sub-good", "data-testid": "proof" }, `verified: entry ${proof.seq} of ${proof.size}`), " ", copyButton(proof.text, "copy proof", "Copy the proof as JSON")] : h("span", { class: "sub-bad", "data-testid": "proof" }, stored(proof.reason ?? "not proven"))),
  ];
  const text = told.text === undefined
    ? h("p", { class: "sub-faint" }, told.gone ? stored(told.gone) : told.cited ? ["it comes from ", stored(told.cited)] : "It was stated without a source.")
    : h("blockquote", { "data-testid": "cited" }, withNames(told.text, told.labels), told.cut ? " …" : "");
  return [
    h("div", { class: "eg-title" }, h("strong", {}, stored(told.labels[0]), h("span", { class: "eg-type" }, ` ${visible(told.type)} `), stored(told.labels[1])), h("button", { type: "button", class: "sub-quiet", "aria-label": "close the evidence", onclick: () => act.open("") }, "close")),
    h("dl", { class: "eg-facts" }, facts),
    told.cited ? h("h4", {}, "Source", told.text === undefined ? "" : h("span", { class: "sub-mono sub-faint" }, "  ", stored(told.cited))) : null,
    text,
  ];
}

function changePart(change, act) {
  const [word, tone] = KINDS[change.kind] ?? [change.kind, "warn"];
  const isEdge = change.kind.startsWith("edge_");
  const name = isEdge ? h("button", { type: "button", class: "sub-quiet eg-go", onclick: () => act.open(change.id) }, stored(change.name)) : stored(change.name, { class: "sub-stored sub-mono" });
  return h("li", { "data-testid": "change", "data-key": change.id }, h("span", { class: `eg-sign eg-${tone}` }, word), name,
    h("span", { class: "sub-faint" }, change.confidence === undefined ? "" : ` ${Number(change.confidence).toFixed(2)}`, change.reason ? [" ", stored(change.reason)] : ""));
}

export default {
  render({ model, el }) {
    const page = openPage(model, el, "Graph", "Shows now.");
    const act = { open: (id) => tell(model, { edge: id }), choose: (name) => tell(model, { selected: model.get("selected") === name ? "" : name }) };
    const picture = graphPicture(act);
    const select = h("select", { "aria-label": "the graph to show", "data-testid": "domain", onchange: () => tell(model, select.value ? { of: "entities", domain: select.value } : { of: "atoms" }) });
    const zooms = zoomButtons(picture);
    const count = h("span", { class: "sub-faint eg-count" });
    const rows = () => { const graph = model.get("graph"); return (graph.edges ?? []).map((edge) => ({ source: graph.nodes[edge.source].name, type: edge.type, target: graph.nodes[edge.target].name, confidence: edge.confidence })); };
    const empty = h("div", { class: "eg-empty", "data-testid": "empty" }, "Nothing is joined yet. State an edge, or ingest a text.");
    const side = h("div", { class: "eg-side", "aria-live": "polite", "data-testid": "evidence" });
    const runs = h("div", { class: "eg-runs", "data-testid": "runs" });
    page.body.append(h("div", { class: "eg-bar" }, h("label", {}, "show ", select), count, h("span", { class: "eg-zooms" }, zooms, csvButton("entity_graph.csv", rows))),
      empty, h("div", { class: "eg-both" }, picture.svg, side), runs);

    const changed = () => new Set(model.get("changes").filter((change) => change.kind === "edge_added").map((change) => change.id));
    page.on(["graph", "selected", "edge", "changes"], () => {
      const graph = model.get("graph");
      const isThere = Boolean(graph.nodes?.length);
      empty.hidden = isThere || !graph.nodes;
      picture.svg.toggleAttribute("hidden", !isThere);
      if (isThere) picture.show(graph, model.get("selected"), model.get("edge"), changed());
      count.textContent = isThere ? `${graph.nodes.length} ${graph.domain ? "entities" : "atoms"}${graph.more ? ` of ${graph.nodes.length + graph.more}` : ""}, ${graph.edges.length} edges` : "";
    });
    page.on(["domains", "graph"], () => {
      const here = model.get("graph").domain;
      const names = [...new Set([...model.get("domains"), ...(here ? [here] : [])])];
      redraw(select, [h("option", { value: "" }, "all atoms"), ...names.map((name) => h("option", { value: name }, visible(`entities of ${name.replace(/^v1\.domain\./, "")}`)))]);
      select.value = here ?? "";
    });
    page.on("evidence", () => redraw(side, evidencePart(model.get("evidence"), act)));
    let sure = 0;
    const drawRuns = () => {
      const [all, run] = [model.get("runs"), model.get("run")];
      const here = all.find((one) => one.run === run);
      const pick = (one) => h("button", { type: "button", "aria-pressed": String(one.run === run), "data-testid": "run", "data-key": String(one.run), onclick: () => { sure = 0; tell(model, { run: one.run === run ? 0 : one.run }); } },
        `run ${one.run}: ${one.undone ? "undone" : one.seqs.length ? `+${one.accepted} −${one.out}` : "no change"}`);
      const undo = here && here.seqs.length && !here.undone && h("button", { type: "button", "data-testid": "undo", onclick: () => {
        if (sure !== run) { sure = run; drawRuns(); return; }
        sure = 0;
        tell(model, { undoing: { run, number: Date.now() } });
      } }, sure === run ? `Undo run ${run}: sure?` : `Undo run ${run}`);
      redraw(runs, all.length === 0 ? [] : [h("h4", {}, "Runs of the gardener"), h("div", { class: "eg-picks" }, all.slice(0, 8).map(pick)),
        here && h("p", { class: "sub-faint" }, moment(here.when), ` — ${here.proposed} candidates, ${here.accepted} stated, ${here.out} taken out of use`),
        here && h("ul", { class: "eg-changes" }, model.get("changes").map((change) => changePart(change, act))), undo,
        model.get("undone") && h("p", { class: "sub-good", role: "status", "data-testid": "undone" }, model.get("undone"))]);
    };
    page.on(["runs", "run", "changes", "undone"], drawRuns);
    return () => { picture.close(); page.close(); };
  },
};
