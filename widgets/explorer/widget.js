// Explorer: a box, facets, and a list of hits beside what there is to know of one atom (detail.js).

const FACETS = ["type", "domain", "tag", "since", "until"];
const FEW = 30;
const MANY = 100;

function short(name) {
  return name.replace(/^v1\.[^.]*\./, "");
}

function typeOf(name) {
  return name.split(".")[1] ?? "";
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

/** The parts of a score as labels, each with a bar as long as its share. What rounds to nothing is left out. */
function partsOf(hit) {
  const parts = Object.entries(hit.parts).filter(([, added]) => Math.abs(added) >= 0.005).sort(([, one], [, other]) => other - one);
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
  on(["query", "answer"], () => {
    const answered = model.get("answer").query ?? "";
    list.dataset.answers = answered;  // what is drawn: by then it is
    list.setAttribute("aria-busy", String(answered !== model.get("query")));
  });
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
    tell(model, { query: asked, limit: FEW });
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
  on("answer", ask);
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
