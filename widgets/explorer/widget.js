// Explorer: a box, facets, a list of hits, and all there is to know of one atom.

const FACETS = ["type", "domain", "tag", "since", "until"];
const FEW = 30;
const MANY = 100;
const SAID = {
  recorded_at: "recorded", confirmed_at: "said again", actor: "by", origin: "origin", source: "source", session: "session",
  confidence: "confidence", occurred_at: "happened", valid_from: "holds from", valid_to: "holds until", entities: "entities",
  parent: "part of", position: "position", superseded_by: "superseded by",
};

function short(name) {
  return name.replace(/^v1\.[^.]*\./, "");
}

function typeOf(name) {
  return name.split(".")[1] ?? "";
}

/** A name that selects its atom when it is clicked. */
function nameButton(model, name, attributes = {}) {
  return h("button", { type: "button", class: "ex-name", "data-name": name, onclick: () => tell(model, { selected: name }), ...attributes },
    stored(name));
}

// -- facets --------------------------------------------------------------------------------------------------------------

function select(model, facet, label) {
  return h("select", { class: "ex-facet", "aria-label": label, "data-testid": `facet-${facet}`,
    onchange: (event) => tell(model, { [facet]: event.target.value, limit: FEW }) });
}

/** Choices as [value, text]; what is chosen is among them, whether it is offered or not. Who is choosing is left in peace. */
function offerIn(element, all, choices, chosen) {
  const known = choices.some(([value]) => value === chosen) || !chosen;
  const shown = known ? choices : [...choices, [chosen, short(chosen)]];
  const options = [h("option", { value: "" }, all), ...shown.map(([value, text]) => h("option", { value }, visible(text)))];
  const offered = [...element.options].some((option) => option.value === chosen);
  if (document.activeElement !== element || !offered) element.replaceChildren(...options);
  if (element.value !== chosen) element.value = chosen;
  element.classList.toggle("ex-chosen", Boolean(chosen));
}

function facetsIn(model, on) {
  const type = select(model, "type", "Type");
  const domain = select(model, "domain", "Domain");
  const tag = select(model, "tag", "Tag");
  const days = {};
  const day = (facet, label) => h("label", { class: "ex-day", title: `${label} this day, in UTC` }, label,
    h("input", { type: "date", "data-testid": `facet-${facet}`, onblur: () => draw(), onchange: (event) => {
      days[facet] = event.target.value;
      tell(model, { [facet]: event.target.value, limit: FEW });
    } }));
  const since = day("since", "from");
  const until = day("until", "to");
  const clear = h("button", { class: "sub-quiet", type: "button", "data-testid": "clear",
    onclick: () => tell(model, Object.fromEntries(FACETS.map((facet) => [facet, ""]))) }, "clear filters");
  const draw = () => {
    const { types = [], domains = [] } = model.get("offered");
    const answer = model.get("answer");
    const counts = new Map(answer.types ?? []);
    const counted = (name, count) => (count ? `${name} (${count}${answer.more ? "+" : ""})` : name);
    offerIn(type, "all types", types.map((name) => [name, counted(name, counts.get(name))]), model.get("type"));
    offerIn(domain, "all domains", domains.map((name) => [name, short(name)]), model.get("domain"));
    offerIn(tag, "all tags", (answer.tags ?? []).map(([name, count]) => [name, counted(name, count)]), model.get("tag"));
    for (const [facet, label] of [["since", since], ["until", until]]) {
      const chosen = model.get(facet).slice(0, 10);
      // A date that is half typed has no value yet: while one is in the field, only another date is put into it.
      if (document.activeElement !== label.lastChild || days[facet] !== chosen) label.lastChild.value = chosen;
      days[facet] = chosen;
      label.lastChild.classList.toggle("ex-unset", !model.get(facet));
    }
    clear.hidden = FACETS.every((facet) => !model.get(facet));
  };
  for (const element of [type, domain, tag]) element.addEventListener("blur", draw);
  on(["offered", "answer", ...FACETS], draw);
  return h("div", { class: "ex-facets", role: "group", "aria-label": "Filters" }, type, domain, tag, since, until, clear);
}

// -- hits ----------------------------------------------------------------------------------------------------------------

/** The parts of a score as labels, each with a bar as long as its share. */
function partsOf(hit) {
  const parts = Object.entries(hit.parts).sort(([, one], [, other]) => other - one);
  const most = Math.max(...parts.map(([, added]) => Math.abs(added)), 0.001);
  return parts.map(([part, added]) => {
    const bar = h("i", { class: "ex-bar" });
    bar.style.width = `${Math.max(4, Math.round((100 * Math.abs(added)) / most))}%`;
    return h("span", { class: "ex-part", title: `${part} added ${added.toFixed(3)} to a score of ${hit.score}` }, `${part} ${added.toFixed(2)}`, bar);
  });
}

function hitOf(hit, id, chosen, open) {
  return h("div", { class: "ex-hit", role: "option", id, "aria-selected": String(hit.name === chosen), "data-testid": "hit", "data-name": hit.name, onclick: open },
    h("div", { class: "ex-line" },
      stored(short(hit.name) || hit.name, { class: "sub-stored ex-key", title: visible(hit.name) }),
      hit.current ? null : h("span", { class: "ex-badge ex-earlier", "data-testid": "earlier", title: "Not what is known now: an earlier version, or superseded" }, "earlier"),
      hit.tags.slice(0, 3).map((tag) => h("span", { class: "ex-tag" }, stored(tag))),
      h("span", { class: "sub-chip" }, visible(typeOf(hit.name)))),
    h("div", { class: "ex-snippet" }, marked(hit.snippet, hit.marks)),
    h("div", { class: "ex-why" }, hit.why ? [partsOf(hit), h("span", {}, visible(hit.why))] : moment(hit.when)));
}

/** The list of hits, and how many they are. Gives what the box needs: `enter`, to go into the list, and `open`. */
function hitsIn(model, on, box) {
  const id = `ex-${Math.random().toString(36).slice(2)}`;
  const list = h("div", { class: "ex-list", role: "listbox", tabindex: 0, id, "aria-label": "Hits", "data-testid": "hits" });
  const count = h("div", { class: "ex-count", role: "status", "data-testid": "count" });
  let active = -1;
  const names = () => (model.get("answer").hits ?? []).map((hit) => hit.name);
  const open = (at) => {
    activate(at);
    if (names()[at] !== undefined) tell(model, { selected: names()[at] });
  };
  const activate = (at) => {
    const options = list.querySelectorAll("[role=option]");
    active = Math.min(Math.max(at, -1), options.length - 1);
    options.forEach((option, place) => option.classList.toggle("ex-active", place === active));
    if (active >= 0) {
      list.setAttribute("aria-activedescendant", options[active].id);
      options[active].scrollIntoView({ block: "nearest" });
    } else list.removeAttribute("aria-activedescendant");
  };
  const enter = () => {
    list.focus({ preventScroll: true });
    activate(Math.max(active, 0));
  };
  const keys = {
    ArrowDown: () => activate(active + 1),
    ArrowUp: () => (active <= 0 ? (activate(-1), box.focus()) : activate(active - 1)),
    Home: () => activate(0),
    End: () => activate(Infinity),
    PageDown: () => activate(active + 5),
    PageUp: () => activate(Math.max(0, active - 5)),
    Enter: () => open(Math.max(active, 0)),
    " ": () => open(Math.max(active, 0)),
    Escape: () => (activate(-1), box.focus()),
  };
  list.addEventListener("keydown", (event) => {
    if (event.target !== list || !keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  const more = h("button", { type: "button", class: "sub-quiet ex-more", "data-testid": "more", onclick: () => tell(model, { limit: MANY }) }, "show more");
  on("answer", () => {
    const answer = model.get("answer");
    const hits = answer.hits ?? [];
    const was = list.querySelector(".ex-active")?.dataset.name;
    redraw(list, [
      hits.map((hit, at) => hitOf(hit, `${id}-${at}`, model.get("selected"), () => open(at))),
      hits.length ? null : nothing(answer),
      answer.more && model.get("limit") < MANY ? more : null,
    ], list);
    if (list.dataset.query !== answer.query) list.scrollTop = 0;
    list.dataset.query = answer.query ?? "";
    activate(was === undefined ? -1 : names().indexOf(was));
    const many = `${hits.length}${answer.more ? "+" : ""} ${answer.searched ? "hit" : "atom"}${hits.length === 1 ? "" : "s"}`;
    count.replaceChildren(!answer.hits ? "Loading…" : answer.failed ? "No answer" : answer.searched ? many : `${many}, the newest first`,
      ...(answer.remarks ?? []).map((remark) => h("span", { class: "ex-remark" }, ` · ${visible(remark)}`)));
  });
  on("selected", () => {
    const chosen = model.get("selected");
    for (const option of list.querySelectorAll("[role=option]")) option.setAttribute("aria-selected", String(option.dataset.name === chosen));
  });
  on(["query", "answer"], () => list.setAttribute("aria-busy", String((model.get("answer").query ?? "") !== model.get("query"))));
  box.setAttribute("aria-controls", id);
  return { list, count, enter, open: () => open(Math.max(active, 0)) };
}

function nothing(answer) {
  if (!answer.hits) return h("p", { class: "ex-empty" }, "Loading…");
  if (answer.failed) return h("p", { class: "ex-empty", "data-testid": "failed" }, "This could not be answered: what is wrong is said above.");
  return h("p", { class: "ex-empty", "data-testid": "nothing" }, answer.searched
    ? "Nothing fits. Other words, fewer of them, or fewer filters may find it."
    : "Nothing is here: the store is empty, or the filters leave nothing over.");
}

// -- one atom ------------------------------------------------------------------------------------------------------------

const CLAIMS = { current: "current", recorded: "recorded", tombstoned: "out of use", forgotten: "forgotten", absent: "never recorded" };

function badgeOf(proof) {
  if (!proof) return null;
  const at = proof.seq === null || proof.seq === undefined ? "" : `, entry ${proof.seq} of ${proof.size}`;
  return proof.verified
    ? h("span", { class: "ex-badge ex-proved", "data-testid": "proof", title: "Proved by the log and checked by the verifier, against this store's own key" },
      `${CLAIMS[proof.claim] ?? proof.claim}${at}, verified`)
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
    h("span", { class: "ex-then" }, version.kind === "put" ? stored(version.value) : h("em", {}, version.kind === "gap" ? "forgotten" : "taken out of use")),
    h("span", { class: "ex-when" }, moment(version.when), version.actor ? [" by ", stored(version.actor)] : null)));
  return rows.length ? section(detail.earlier ? "History (the newest 50)" : "History", h("ol", { class: "ex-history" }, rows)) : null;
}

function edgesOf(model, detail) {
  const rows = detail.edges.map((edge) => h("li", { class: "ex-edge", "data-testid": "edge" },
    h("span", { class: "sub-chip", title: edge.out ? "from this atom" : "to this atom" }, edge.out ? "" : "← ", visible(edge.type), edge.out ? " →" : ""),
    nameButton(model, edge.other), edge.there ? null : h("span", { class: "sub-faint" }, "not there yet")));
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

function detailOf(model, detail) {
  if (!detail.asked) return h("p", { class: "ex-empty" }, "Choose a hit to see what it says, where it comes from and what it is tied to.");
  if (detail.state === "failed") return h("p", { class: "ex-empty", "data-testid": "failed" }, "This atom cannot be shown: what is wrong is said above.");
  const there = detail.state === "there";
  return [
    h("div", { class: "ex-top" }, stored(detail.name, { class: "sub-stored ex-title", "data-testid": "title" }), copyButton(detail.name, "copy key")),
    h("div", { class: "ex-badges" }, badgeOf(detail.proof), (detail.atom?.tags ?? []).map((tag) => h("span", { class: "ex-tag" }, stored(tag)))),
    detail.note ? h("p", { class: "ex-note", "data-testid": "note" }, visible(detail.note)) : null,
    (detail.stale ?? []).map((why) => h("p", { class: "ex-note", "data-testid": "stale" }, `To be reviewed: ${visible(why)}`)),
    there ? valueOf(model, detail) : null,
    there ? fieldsOf(model, detail) : null,
    edgesOf(model, detail), likelyOf(model, detail), historyOf(model, detail),
  ].flat(Infinity).filter(Boolean);
}

// -- the widget ----------------------------------------------------------------------------------------------------------

function render({ model, el }) {
  const { body, on, close } = openPage(model, el, "Explorer");
  const box = h("input", { type: "search", class: "ex-box", placeholder: "Search what is remembered", "aria-label": "Search", "data-testid": "box",
    spellcheck: "false", autocomplete: "off", value: model.get("query") });
  let asked = model.get("query");
  const ask = quiet(40, () => {
    asked = box.value;
    tell(model, { query: asked, limit: FEW });
  });
  const hits = hitsIn(model, on, box);
  // Enter means the first hit for what is in the box: if that is not answered yet, it is opened when it is.
  let entered = null;
  const open = () => {
    entered = null;
    if (model.get("answer").query === box.value) hits.open();
    else entered = box.value;
  };
  on("answer", () => entered !== null && entered === model.get("answer").query && open());
  box.addEventListener("input", () => {
    entered = null;
    ask();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") hits.enter();
    else if (event.key === "Enter") open();
    else return;
    event.preventDefault();
  });
  // What Python, or another view, asks is shown; what was typed here meanwhile is not overwritten by its own echo.
  on("query", () => {
    if (model.get("query") !== asked) box.value = asked = model.get("query");
  });
  const detail = h("div", { class: "ex-detail", role: "region", tabindex: -1, "aria-label": "Atom", "data-testid": "detail" });
  detail.addEventListener("keydown", (event) => {
    if (event.key === "Escape") box.focus();
  });
  on("detail", () => {
    const { asked: name = "" } = model.get("detail");
    const drawn = [detailOf(model, model.get("detail"))].flat();
    if (detail.dataset.asked === name) redraw(detail, drawn, detail);
    else {
      const inside = detail.contains(document.activeElement);
      detail.replaceChildren(...drawn);
      detail.scrollTop = 0;
      if (inside) detail.focus({ preventScroll: true });
    }
    detail.dataset.asked = name;
  });
  on(["selected", "detail"], () => detail.setAttribute("aria-busy", String((model.get("detail").asked ?? "") !== model.get("selected"))));
  body.append(h("div", { class: "ex-whole" }, box, facetsIn(model, on), hits.count, h("div", { class: "ex-panes" }, hits.list, detail)));
  return close;
}

export default { render };
