// Explorer: a box, facets, and a list of hits beside what there is to know of one atom (detail.js).

const FACETS = ["type", "domain", "tag", "since", "until"];

function short(name) {
  return name.replace(/^v1\.[^.]*\./, "");
}

function typeOf(name) {
  return name.split(".")[1] ?? "";
}

// -- facets --------------------------------------------------------------------------------------------------------------

function select(model, facet, label) {
  return h("select", { class: "ex-facet", "aria-label": label, "data-testid": `facet-${facet}`,
    onchange: (event) => tell(model, { [facet]: event.target.value}) });
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
      tell(model, { [facet]: event.target.value});
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

/**
 * The score of a hit as one bar, on the same scale for all hits on all pages: full is the `best`. Its pieces are the
 * parts, which are named behind it; what rounds to nothing is left out.
 */
function scoreOf(hit, best) {
  const parts = Object.entries(hit.parts).filter(([, added]) => Math.abs(added) >= 0.005).sort(([, one], [, other]) => other - one);
  const pieces = parts.filter(([, added]) => added > 0).map(([part, added]) => {
    const piece = h("i", { class: "ex-bar", "data-part": part });
    piece.style.width = `${((100 * added) / best).toFixed(1)}%`;
    return piece;
  });
  return [
    h("span", { class: "ex-track", "data-testid": "score", title: `score ${hit.score}; a full bar is ${best.toFixed(2)}` }, pieces),
    hit.weak ? h("span", { class: "ex-badge ex-weak", "data-testid": "weak", title: "It has few of the words, and little of the meaning. It may have nothing to do with the question." }, "weak match") : null,
    parts.map(([part, added]) => h("span", { class: "ex-part", title: `${part} added ${added.toFixed(3)} to a score of ${hit.score}` }, h("span", { class: "ex-dot", "data-part": part }), `${part} ${added.toFixed(2)}`)),
  ];
}

function hitOf(hit, best, id, chosen, open) {
  return h("div", { class: "ex-hit", role: "option", id, "aria-selected": String(hit.name === chosen), "data-testid": "hit", "data-name": hit.name, onclick: open },
    h("div", { class: "ex-line" },
      stored(hit.label || short(hit.name) || hit.name, { class: "sub-stored ex-key", title: visible(hit.name) }),
      hit.current ? null : h("span", { class: "ex-badge ex-earlier", "data-testid": "earlier", title: "Not what is known now: an earlier version, or superseded" }, "earlier"),
      hit.tags.slice(0, 3).map((tag) => h("span", { class: "ex-tag" }, stored(tag))),
      h("span", { class: "sub-chip" }, visible(typeOf(hit.name)))),
    h("div", { class: "ex-snippet" }, marked(hit.snippet, hit.marks)),
    h("div", { class: "ex-why" }, hit.why ? [scoreOf(hit, best), h("span", {}, visible(hit.why))] : moment(hit.when)));
}

/** The list of hits, and how many they are. Gives what the box needs: `enter`, to go into the list, and `open`. */
function hitsIn(model, on, box) {
  const id = `ex-${Math.random().toString(36).slice(2)}`;
  const list = h("div", { class: "ex-list", role: "listbox", tabindex: 0, id, "aria-label": "Hits", "data-testid": "hits" });
  const count = h("div", { class: "ex-said", role: "status", "data-testid": "count" });
  const all = h("span", { class: "ex-all", "data-testid": "all" });
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
  const turn = (by) => tell(model, { offset: Math.max(0, model.get("offset") + by * model.get("limit")) });
  const page = (by, id, label, word) => h("button", { type: "button", "data-testid": id, "aria-label": label, onclick: () => turn(by) }, word);
  const before = page(-1, "before", "page before", "←");
  const after = page(1, "after", "next page", "→");
  const pager = h("span", { class: "ex-pager", role: "group", "aria-label": "Pages" }, before, after);
  on("answer", () => {
    const answer = model.get("answer");
    const hits = answer.hits ?? [];
    const was = list.querySelector(".ex-active")?.dataset.name;
    redraw(list, [
      hits.map((hit, at) => hitOf(hit, answer.best ?? 1, `${id}-${at}`, model.get("selected"), () => open(at))),
      hits.length ? null : nothing(answer),
    ], list);
    const shown = `${answer.query ?? ""}\n${answer.first}`;
    if (list.dataset.shown !== shown) list.scrollTop = 0;
    list.dataset.shown = shown;
    before.disabled = !(answer.first > 1);
    after.disabled = !answer.more;
    pager.hidden = before.disabled && after.disabled;
    activate(was === undefined ? -1 : names().indexOf(was));
    count.replaceChildren(counted(answer), ...(answer.remarks ?? []).map((remark) => h("span", { class: "ex-remark" }, ` · ${visible(remark)}`)));
  });
  on(["answer", "offered"], () => {
    const { atoms } = model.get("offered");
    all.replaceChildren(atoms === undefined || !model.get("answer").searched ? "" : `${atoms.toLocaleString()} ${atoms === 1 ? "atom" : "atoms"} in the store`);
  });
  on("selected", () => {
    const chosen = model.get("selected");
    for (const option of list.querySelectorAll("[role=option]")) option.setAttribute("aria-selected", String(option.dataset.name === chosen));
  });
  on(["query", "answer"], () => {
    const answered = model.get("answer").query ?? "";
    list.dataset.answers = answered;  // what is drawn: by then it is
    list.setAttribute("aria-busy", String(answered !== model.get("query")));
  });
  box.setAttribute("aria-controls", id);
  const csv = csvButton("atoms.csv", () => (model.get("answer").hits ?? []).map(({ name, snippet, score, why, when, current }) => ({ name, snippet, score, why, recorded: when, current: String(current) })));
  return { list, count: h("div", { class: "ex-count" }, count, all, h("span", { class: "ex-pager" }, csv, pager)), enter, open: () => open(Math.max(active, 0)) };
}

/** Which hits of how many. A search ranks all there is: how many of them are hits nobody can say. */
function counted({ hits, failed, searched, first, more, total }) {
  if (!hits) return "Loading…";
  if (failed) return "No answer";
  const word = `${searched ? "hit" : "atom"}${hits.length === 1 && !more && first === 1 ? "" : "s"}`;
  const order = searched ? "the best first" : "the newest first";
  if (!hits.length) return `${first > 1 ? "no more" : "0"} ${word}`;
  const last = first + hits.length - 1;
  const shown = `${first.toLocaleString()}–${last.toLocaleString()}`;
  if (first === 1 && !more) return `${last.toLocaleString()} ${word}, ${order}`;
  if (typeof total === "number") return `${shown} of ${total.toLocaleString()} ${word}, ${order}`;
  if (!more) return `${shown} of ${last.toLocaleString()} ${word}, ${order}`;
  return searched ? `${word} ${shown}, ${order}` : `${shown} of more than 10,000 ${word}, ${order}`;
}

function nothing(answer) {
  if (!answer.hits) return h("p", { class: "ex-empty" }, "Loading…");
  if (answer.failed) return h("p", { class: "ex-empty", "data-testid": "failed" }, "This could not be answered: what is wrong is said above.");
  return h("p", { class: "ex-empty", "data-testid": "nothing" }, answer.searched
    ? "Nothing fits. Other words, fewer of them, or fewer filters may find it."
    : "Nothing is here: the store is empty, or the filters leave nothing over.");
}

// -- the widget ----------------------------------------------------------------------------------------------------------

function render({ model, el }) {
  const { body, on, close } = openPage(model, el, "Explorer");
  const box = h("input", { type: "search", class: "ex-box", placeholder: "Search what is remembered", "aria-label": "Search", "data-testid": "box",
    spellcheck: "false", autocomplete: "off", value: model.get("query") });
  let asked = model.get("query");
  // One question at a time: what is typed meanwhile is asked once it is answered. So nobody waits for a pause, and a
  // kernel that is slow or busy is not flooded.
  const ask = () => {
    if (box.value === asked || (model.get("answer").query ?? "") !== model.get("query")) return;
    asked = box.value;
    tell(model, { query: asked});
  };
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
  on(["query", "answer", "heard"], ask);  // whichever comes last: none of what was typed meanwhile is left unasked
  const detail = h("div", { class: "ex-detail", role: "region", tabindex: -1, "aria-label": "Atom", "data-testid": "detail" });
  detail.addEventListener("keydown", (event) => {
    if (event.key === "Escape") box.focus();
  });
  const changing = changesIn(model, on);
  on("detail", () => {
    const { asked: name = "" } = model.get("detail");
    const drawn = [detailOf(model, model.get("detail"), changing)].flat();
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
  const proof = proofIn(model, on);
  body.append(h("div", { class: "ex-whole" }, h("div", { class: "ex-ask" }, box, changing.add), facetsIn(model, on), pendingIn(model, on, changing.wish), changing.form, changing.said, hits.count,
    h("div", { class: "ex-panes" }, hits.list, detail), proof.region));
  return () => { proof.close(); close(); };
}

export default { render };
