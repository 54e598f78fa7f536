// Heads over time. Two of them are picked (A, B), and what lies between is told; from any of them one can look.

const KINDS = {
  added: "added", changed: "changed", tombstoned: "out of use", revived: "revived", forgotten: "forgotten",
  edge_added: "edge added", edge_changed: "edge changed", edge_removed: "edge removed", edge_forgotten: "edge forgotten",
};

function render({ model, el }) {
  const { body, on, close } = openPage(model, el, "Timeline");
  let focus = -1;
  let dragged = null;
  let stop = 0; // where the slider stands, of `stops`
  let pulled = false;

  const button = (label, id, f, title) => h("button", { type: "button", "data-testid": id, onclick: f, title }, label);
  const axes = ["time", "entries"].map((axis) => button(`by ${axis}`, `by-${axis}`, () => tell(model, { axis }), axis === "time" ? "Places are times" : "Places are entries: what happened at once stands apart"));
  const tools = h("div", { class: "tl-tools" }, h("span", { class: "tl-group", role: "group", "aria-label": "Axis" }, axes),
    h("span", { class: "tl-group", role: "group", "aria-label": "Zoom" },
      button("+", "zoom-in", () => zoom(0.5), "Zoom in"), button("−", "zoom-out", () => zoom(2), "Zoom out"), button("all", "zoom-all", () => tell(model, { window: [] }), "Show all heads")),
    h("span", { class: "tl-hint sub-faint" }, "click: A, shift-click: B, double-click or drag: zoom"));
  const svg = s("svg", { class: "tl-drawing", height: HEIGHT, role: "listbox", "aria-label": "Heads, oldest first", "aria-multiselectable": "true" });
  const slider = h("input", { type: "range", step: "any", "aria-label": "Look from a head; at the right end: from now", "data-testid": "travel-slider" });
  const from = h("span", { class: "tl-from", "data-testid": "from" });
  const travel = h("div", { class: "tl-travel" }, slider, h("div", { class: "tl-said" }, "looking from ", from));
  const cards = h("div", { class: "tl-cards" });
  const badge = h("div", { class: "tl-badge", role: "status", "data-testid": "badge" });
  const counted = h("h4", {});
  const list = h("div", { class: "tl-changes", role: "listbox", "aria-label": "Changes", "data-testid": "changes" });
  const csv = csvButton("changes.csv", () => (model.get("changes").items ?? []).map(({ kind, name, before, after }) => ({ kind, name, before, after })));
  body.append(tools, svg, travel, cards, badge, h("div", { class: "tl-counted" }, counted, csv), list);

  const marks = () => model.get("marks");
  const span = () => model.get("span");
  const width = () => Math.max(320, Math.floor(body.clientWidth || 900));

  function draw() {
    if (!marks().length && span().low === undefined) return;
    if (focus < 0 || focus >= marks().length) focus = marks().length - 1;
    const held = svg.contains(document.activeElement);
    const view = { asOf: model.get("as_of"), picked: [...model.get("picked")].sort((a, b) => a - b), focus };
    svg.setAttribute("width", width());
    svg.replaceChildren(...drawAxis(marks(), span(), width(), view));
    if (!marks().length) svg.append(s("text", { class: "tl-label", x: width() / 2, y: 50 }, "no head was signed in here"));
    if (held) svg.querySelector('[tabindex="0"]')?.focus();
    const all = stops();
    if (!pulled) {
      const mark = view.asOf === null ? -1 : marks().findIndex(({ size }) => size > view.asOf);
      stop = mark < 0 ? all.length - 1 : mark;
    }
    const { low, high } = span();
    [slider.min, slider.max] = low === high ? [low - 1, high + 1] : [low, high]; // one place is drawn in the middle
    slider.style.width = `${width() - 2 * (EDGE - THUMB)}px`;
    slider.value = view.asOf === null || pulled ? all[stop]?.at ?? high : placeOf(view.asOf, marks(), span());
    from.textContent = view.asOf === null ? "now" : `after entry ${view.asOf.toLocaleString()}`;
    slider.setAttribute("aria-valuetext", from.textContent);
  }

  /** Where the slider can stand: at each mark, and at the right end for now; the newest head is now. */
  function stops() {
    const all = marks().map((mark) => ({ at: middleOf(mark), seq: mark.size - 1 }));
    if (marks().at(-1)?.size === span().size) all.at(-1).seq = null;
    else all.push({ at: span().high, seq: null });
    return all;
  }

  function zoom(times) {
    const { low, high } = span();
    const mark = marks()[focus];
    const middle = mark && times < 1 ? Math.round(middleOf(mark)) : Math.round((low + high) / 2);
    const half = Math.max(1, Math.round(((high - low) * times) / 2));
    look(middle - half, middle + half);
  }

  function look(low, high) {
    tell(model, { window: [Math.max(0, low), Math.max(0, low, high)] });
  }

  function into(mark) {
    const room = Math.max(1, Math.ceil((mark.at - mark.from) / 20));
    look(mark.from - room, mark.at + room);
  }

  function pick(mark, second) {
    const picked = model.get("picked");
    const first = second && picked.length ? picked[0] : null;
    tell(model, { picked: first === null || first === mark.size ? [mark.size] : [first, mark.size] });
  }

  const at = (event) => {
    const mark = event.target.closest?.("[data-at]");
    return mark ? Number(mark.dataset.at) : -1;
  };
  svg.addEventListener("click", (event) => {
    if (at(event) < 0) return;
    focus = at(event);
    pick(marks()[focus], event.shiftKey);
  });
  svg.addEventListener("dblclick", (event) => { if (at(event) >= 0) into(marks()[at(event)]); });
  svg.addEventListener("focusin", (event) => { if (at(event) >= 0) focus = at(event); });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }[event.key];
    const mark = marks()[focus];
    if (step) {
      focus = Math.min(Math.max(focus + step, 0), marks().length - 1);
      draw();
    } else if (mark && (event.key === "Enter" || event.key === " ")) pick(mark, event.shiftKey);
    else if (mark && event.key === "+") into(mark);
    else if (event.key === "-") zoom(2);
    else if (event.key === "Escape") tell(model, { window: [] });
    else return;
    event.preventDefault();
  });
  const inside = (event) => event.clientX - svg.getBoundingClientRect().left;
  svg.addEventListener("pointerdown", (event) => { dragged = { from: inside(event) }; });
  svg.addEventListener("pointermove", (event) => {
    if (!dragged || Math.abs(inside(event) - dragged.from) < 6) return;
    if (!dragged.shown) {
      svg.setPointerCapture(event.pointerId);
      dragged.shown = s("rect", { class: "tl-brush", y: 4, height: BASE - 4 });
      svg.append(dragged.shown);
    }
    dragged.to = inside(event);
    dragged.shown.setAttribute("x", Math.min(dragged.from, dragged.to));
    dragged.shown.setAttribute("width", Math.abs(dragged.from - dragged.to));
  });
  svg.addEventListener("pointerup", () => {
    const done = dragged;
    dragged = null;
    if (!done?.shown) return;
    done.shown.remove();
    const { place } = scaled(span(), width());
    look(...[done.from, done.to].map(place).sort((a, b) => a - b));
  });
  const travelTo = quiet(80, () => tell(model, { as_of: stops()[stop]?.seq ?? null }));
  const stand = (at) => {
    const all = stops();
    stop = Math.min(Math.max(at, 0), all.length - 1);
    slider.value = all[stop].at;
    travelTo();
  };
  slider.addEventListener("pointerdown", () => (pulled = true));
  slider.addEventListener("change", () => (pulled = false));
  slider.addEventListener("input", () => {
    const far = stops().map(({ at: place }) => Math.abs(place - Number(slider.value)));
    stand(far.lastIndexOf(Math.min(...far)));
  });
  slider.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity }[event.key];
    if (!step) return;
    stand(stop + step);
    event.preventDefault();
  });

  function card(head, letter) {
    const added = Object.entries(head.added).map(([kind, count]) => `${count.toLocaleString()} ${kind}`).join(", ");
    return h("div", { class: "tl-card", "data-testid": `head-${letter}` },
      h("b", {}, letter), " ", h("span", {}, `size ${head.size.toLocaleString()}`), h("span", { class: "sub-faint" }, `, ${when(head.time, span())}`),
      h("div", { class: "sub-faint" }, `added ${added}`),
      h("div", { class: "tl-root" }, h("span", { class: "sub-mono", title: head.root }, `root ${head.root.slice(0, 20)}…`), copyButton(head.root, "copy")),
      button("Look from here", `look-${letter}`, () => tell(model, { as_of: head.size - 1 })));
  }

  function row(change, i) {
    const values = change.before !== undefined || change.after !== undefined;
    return h("div", {
      class: "tl-change", role: "option", tabindex: i ? -1 : 0, "data-testid": "change", "data-kind": change.kind, "data-name": change.atom || null,
      "aria-selected": String(Boolean(change.atom) && change.atom === model.get("selected")),
    }, h("span", { class: `sub-chip tl-kind tl-${change.kind}` }, KINDS[change.kind] ?? change.kind),
      h("span", { class: "tl-name", title: visible(change.name) }, change.name ? stored(change.name) : h("span", { class: "sub-faint" }, "a forgotten one")),
      values ? h("span", { class: "tl-values" },
        change.before === undefined ? null : h("del", {}, stored(change.before)), change.before !== undefined && change.after !== undefined ? " → " : null,
        change.after === undefined ? null : stored(change.after)) : null);
  }

  list.addEventListener("click", (event) => choose(event.target.closest(".tl-change")));
  list.addEventListener("keydown", (event) => {
    const here = event.target.closest(".tl-change");
    const next = { ArrowDown: here?.nextElementSibling, ArrowUp: here?.previousElementSibling, Home: list.firstElementChild, End: list.lastElementChild }[event.key];
    if (event.key === "Enter" || event.key === " ") choose(here);
    else if (next) next.focus();
    else return;
    event.preventDefault();
  });
  function choose(change) {
    if (change?.dataset.name) tell(model, { selected: change.dataset.name });
  }

  on("axis", () => axes.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.testid === `by-${model.get("axis")}`))));
  on(["marks", "span", "as_of", "picked"], draw);
  on(["heads", "picked"], () => {
    const heads = model.get("heads");
    cards.hidden = false;
    redraw(cards, [heads.map((head, i) => card(head, i ? "B" : "A")), heads.length === 1 && heads[0].size !== span().size
      ? h("div", { class: "tl-card tl-more" }, button("Compare with now", "compare", () => tell(model, { picked: [model.get("heads")[0].size, span().size] })), h("div", { class: "sub-faint" }, "or shift-click another head"))
      : heads.length ? null : h("div", { class: "sub-faint", "data-testid": "empty" }, "Pick a head to see what it added; pick a second one to see what changed between them.")]);
  });
  on("badge", () => {
    const said = model.get("badge");
    badge.hidden = !said.words;
    badge.dataset.ok = String(said.ok);
    redraw(badge, [stored(said.words ?? ""), said.ok ? h("b", {}, ": verified") : null, said.proof ? h("span", { class: "tl-copies" },
      copyButton(said.proof, "copy proof"), copyButton(said.pin, "copy pin of A"), copyButton("python examples/verify_proof.py proof.json --pin a.pin", "copy command")) : null]);
  });
  on(["changes", "selected"], () => {
    const { items, left_out: more } = model.get("changes");
    counted.hidden = list.hidden = csv.hidden = !items;
    if (!items) return;
    counted.textContent = items.length ? `${items.length.toLocaleString()} ${items.length === 1 ? "change" : "changes"}${more ? `, the latest first; ${more.toLocaleString()} earlier ones are not shown` : ", the latest first"}` : "Nothing that holds has changed between them.";
    redraw(list, items.map(row));
    csv.hidden = !items.length;
  });
  const resized = new ResizeObserver(quiet(60, draw));
  resized.observe(body);
  return () => { resized.disconnect(); close(); };
}

export default { render };
