// Explorer: all there is to know of one atom.

const SAID = {
  recorded_at: "recorded", confirmed_at: "said again", actor: "by", origin: "origin", source: "source", session: "session",
  confidence: "confidence", occurred_at: "happened", valid_from: "holds from", valid_to: "holds until", entities: "entities",
  parent: "part of", position: "position", superseded_by: "superseded by",
};
const CLAIMS = { current: "current", recorded: "recorded", tombstoned: "out of use", forgotten: "forgotten", absent: "never recorded" };

/** A name that selects its atom when it is clicked. */
function nameButton(model, name, label = "") {
  return h("button", { type: "button", class: "ex-name", "data-name": name, title: label ? visible(name) : null, onclick: () => tell(model, { selected: name }) },
    stored(label || name));
}

function badgeOf(proof) {
  if (!proof) return null;
  const at = proof.seq === null || proof.seq === undefined ? "" : `, entry ${proof.seq} of ${proof.size}`;
  return proof.verified
    ? h("span", { class: "ex-badge ex-proved", "data-testid": "proof", title: proof.title ?? "Proved by the log and checked by the verifier, against this store's own key" },
      `${CLAIMS[proof.claim] ?? proof.claim}${at}, ${proof.word ?? "verified"}`)
    : h("span", { class: "ex-badge ex-refuted", "data-testid": "proof", role: "alert" }, `NOT verified: ${visible(proof.reason)}`);
}

function valueOf(model, { value, shown, whole, length }) {
  const all = whole < length ? `show the first ${whole.toLocaleString()}` : "show all";
  return [
    h("div", { class: "ex-value", tabindex: 0, "aria-label": "Value", "data-testid": "value" }, stored(value)),
    shown < length ? h("div", { class: "ex-cut", "data-testid": "cut" },
      `The first ${shown.toLocaleString()} of ${length.toLocaleString()} characters. `,
      shown < whole ? h("button", { type: "button", class: "sub-quiet", "data-testid": "show-all", onclick: () => tell(model, { whole: true }) }, all) : null) : null,
  ];
}

function fieldsOf(model, detail) {
  const atom = detail.atom;
  const rows = [];
  for (const [field, label] of Object.entries(SAID)) {
    const value = atom[field];
    if (value === undefined) continue;
    const shown = /_at$|^valid_/.test(field) ? moment(value)
      : field === "parent" ? nameButton(model, value)
      : field === "superseded_by" ? value.map((name) => nameButton(model, name))
      : field === "confidence" ? `${Math.round(value * 100)} %`
      : stored(Array.isArray(value) ? value.join(", ") : value);
    rows.push([label, shown]);
  }
  if (detail.notebook) {
    const { path, cell, execution } = detail.notebook;
    const place = [path, cell && `cell ${cell}`, execution && `run ${execution}`].filter(Boolean).join(", ");
    if (place) rows.push(["in notebook", stored(place, { "data-testid": "notebook" })]);
  }
  if (detail.attrs) rows.push(["attrs", stored(detail.attrs, { class: "sub-stored sub-mono" })]);
  return h("dl", { class: "ex-fields", "data-testid": "fields" }, rows.map(([label, shown]) => [h("dt", {}, label), h("dd", {}, shown)]));
}

function historyOf(model, detail) {
  const here = detail.atom?.seq;
  const rows = detail.history.map((version) => h("li", { class: version.seq === here ? "ex-version ex-here" : "ex-version", "data-testid": "version" },
    h("button", { type: "button", class: "sub-quiet ex-seq", title: `Go back to what was known after entry ${version.seq}`, "data-seq": version.seq,
      "aria-pressed": String(detail.as_of === version.seq), onclick: () => tell(model, { as_of: version.seq }) }, `#${version.seq}`),
    h("span", { class: "ex-then" }, undoneMark(version), version.kind === "put" ? stored(version.value) : h("em", {}, version.kind === "gap" ? "forgotten" : "taken out of use")),
    h("span", { class: "ex-when" }, moment(version.when), version.actor ? [" by ", stored(version.actor)] : null)));
  return rows.length ? section(detail.earlier ? "History (the newest 50)" : "History", h("ol", { class: "ex-history" }, rows)) : null;
}

function undoneMark(version) {
  if (version.taken_back_by == null) return null;
  return [h("span", { class: "sub-chip", title: `It never held: entry ${version.taken_back_by} undid it`, "data-testid": "undone" }, "undone"), " "];
}

function edgesOf(model, detail) {
  const rows = detail.edges.map((edge) => h("li", { class: "ex-edge", "data-testid": "edge" },
    h("span", { class: "sub-chip", title: edge.out ? "from this atom" : "to this atom" }, edge.out ? "" : "← ", visible(edge.type), edge.out ? " →" : ""),
    nameButton(model, edge.other, edge.label), edge.there ? null : h("span", { class: "sub-faint" }, "not there yet")));
  return rows.length ? section(detail.more_edges ? "Edges (the first 50)" : "Edges", h("ul", { class: "ex-edges" }, rows)) : null;
}

function likelyOf(model, detail) {
  const rows = (detail.predictions ?? []).map((one) => h("li", { class: "ex-edge", "data-testid": "likely" },
    h("span", { class: "ex-share", title: visible(one.why) }, `${Math.round(one.probability * 100)} %`), nameButton(model, one.name)));
  return rows.length ? section("Likely next", h("ul", { class: "ex-edges" }, rows)) : null;
}

function section(title, ...children) {
  return [h("h4", {}, title), ...children];
}

function detailOf(model, detail, changing) {
  if (!detail.asked) return h("p", { class: "ex-empty" }, "Choose a hit to see what it says, where it comes from and what it is tied to.");
  if (detail.state === "failed") return h("p", { class: "ex-empty", "data-testid": "failed" }, "This atom cannot be shown: what is wrong is said above.");
  const there = detail.state === "there";
  return [
    h("div", { class: "ex-top" }, stored(detail.name, { class: "sub-stored ex-title", "data-testid": "title" }), copyButton(detail.word, "copy key", `Copy ${detail.word}, to paste behind %memory access`)),
    h("div", { class: "ex-acts", role: "group", "aria-label": "This atom" }, changing.acts(detail)),
    h("div", { class: "ex-badges" }, badgeOf(detail.proof), (detail.atom?.tags ?? []).map((tag) => h("span", { class: "ex-tag" }, stored(tag)))),
    detail.note ? h("p", { class: "ex-note", "data-testid": "note" }, visible(detail.note)) : null,
    (detail.stale ?? []).map((why) => h("p", { class: "ex-note", "data-testid": "stale" }, `To be reviewed: ${visible(why)}`)),
    there ? valueOf(model, detail) : null,
    there ? fieldsOf(model, detail) : null,
    edgesOf(model, detail), likelyOf(model, detail), historyOf(model, detail),
  ].flat(Infinity).filter(Boolean);
}
