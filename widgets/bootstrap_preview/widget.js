// BootstrapPreview: what a session would open with, in which order and why.

const BUDGETS = [50, 75, 100, 150, 200, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 7000, 8000];
const SECTIONS = { goals: "Goals", constraints: "Constraints", preferences: "Preferences", atoms: "Needed" };
const COLUMNS = [
  ["objective", "Objective", "matches the objective, or belongs to the domain"],
  ["sessions", "Sessions, links", "needed in past sessions like this one, or linked to what is needed"],
  ["use", "Use", "often used, used lately, or recorded last"],
];

const ROWS = 15;

const percent = (share) => (share >= 0.0995 ? `${Math.round(share * 100)}%` : `${(share * 100).toFixed(1)}%`);

function controls(model, page) {
  const objective = h("input", { type: "text", class: "bp-objective", placeholder: "What is the session for?", "aria-label": "objective", "data-testid": "objective" });
  const slider = h("input", { type: "range", min: 0, max: BUDGETS.length - 1, step: 1, "aria-label": "token budget", "data-testid": "budget" });
  const number = h("output", { class: "bp-number", "data-testid": "budget-number" });
  const domain = h("select", { "aria-label": "domain", "data-testid": "domain" });
  const impact = h("input", { type: "checkbox", role: "switch", "data-testid": "high-impact" });

  const typed = quiet(120, () => tell(model, { objective: objective.value }));
  const moved = quiet(60, () => tell(model, { max_tokens: BUDGETS[slider.value] }));
  const say = (tokens) => {
    number.textContent = `${tokens.toLocaleString()} tokens`;
    slider.setAttribute("aria-valuetext", `${tokens.toLocaleString()} tokens`);
  };
  objective.addEventListener("input", typed);
  slider.addEventListener("input", () => { say(BUDGETS[slider.value]); moved(); });
  domain.addEventListener("change", () => tell(model, { domain: domain.value }));
  impact.addEventListener("change", () => tell(model, { high_impact: impact.checked }));

  page.on("objective", () => { if (document.activeElement !== objective) objective.value = model.get("objective"); });
  page.on("max_tokens", () => {
    const tokens = model.get("max_tokens");
    const nearest = BUDGETS.reduce((best, budget, at) => (Math.abs(budget - tokens) < Math.abs(BUDGETS[best] - tokens) ? at : best), 0);
    if (document.activeElement !== slider || BUDGETS[slider.value] === tokens) slider.value = nearest;
    say(tokens);
  });
  page.on(["domain", "domains"], () => {
    const chosen = model.get("domain");
    const known = model.get("domains");
    const names = !chosen || known.includes(chosen) || known.includes(`v1.domain.${chosen}`) ? known : [chosen, ...known];
    domain.replaceChildren(h("option", { value: "" }, "any domain"),
      ...names.map((name) => h("option", { value: name }, visible(name.replace(/^v1\.domain\./, "")))));
    domain.value = names.includes(chosen) ? chosen : chosen ? `v1.domain.${chosen}` : "";
  });
  page.on("high_impact", () => (impact.checked = model.get("high_impact")));
  return h("div", { class: "bp-controls" }, objective,
    h("label", { class: "bp-budget" }, "Budget", slider, number),
    h("label", {}, "Domain ", domain),
    h("label", { title: "Only atoms with evidence of 0.65 and more: for work in which a mistake is dear" }, impact, " high impact"));
}

/** The budget as a bar: a piece for each atom, in the colour of its section; then the frame around them; then what is free. */
function budgetBar(model, opening, shown) {
  const piece = (tokens, kind, title) => {
    const made = h("span", { class: `bp-piece ${kind}`, title });
    made.style.width = `${(100 * tokens) / opening.max_tokens}%`;
    return made;
  };
  const taken = shown.reduce((sum, { atom }) => sum + atom.tokens, 0);
  const around = Math.max(0, opening.tokens - taken);
  const legend = Object.keys(opening.sections).map((section) => h("span", {}, h("i", { class: `bp-key bp-${section}` }), SECTIONS[section].toLowerCase()));
  return h("div", { class: "bp-used" },
    h("div", { class: "bp-whole", role: "img", "aria-label": `${opening.tokens} of ${opening.max_tokens} tokens` },
      shown.map(({ atom, section }) => piece(atom.tokens, `bp-${section}`, `${visible(atom.name)}: ${atom.tokens} tokens, ${percent(atom.tokens / opening.max_tokens)} of the budget`)),
      piece(around, "bp-around", `the frame around them: ${around} tokens`)),
    h("div", { class: "bp-legend" }, h("strong", { "data-testid": "used" }, `${opening.tokens.toLocaleString()} of ${opening.max_tokens.toLocaleString()} tokens`),
      h("span", {}, `${shown.length} ${shown.length === 1 ? "atom" : "atoms"}`), legend, around > 0 && h("span", {}, h("i", { class: "bp-key bp-around" }), "frame"),
      h("span", { class: "bp-counter", title: "By what tokens are counted" }, opening.counter)));
}

/** Why nothing would enter. What is cut off for want of room is not missing, nor badly supported. */
function emptyWords(opening) {
  if (opening.truncated) return `Nothing fits into ${opening.max_tokens.toLocaleString()} tokens. Give the opening a larger budget.`;
  return "Nothing would enter: the store is empty, or nothing is well enough supported.";
}

/** All that speaks for an atom, and against it. */
function reasons(atom, most) {
  const row = (words, share, told, kind) => h("li", {}, h("span", {}, words), bar(share, kind), h("span", { class: "bp-told" }, told));
  const grounds = atom.grounds.filter((ground) => Math.abs(ground.share) >= 0.005).map((ground) => row(ground.words, Math.abs(ground.share) / 2,
    `${ground.share > 0 ? "+" : "−"}${Math.abs(ground.share).toFixed(2)}`, ground.share > 0 ? "bp-fill-for" : "bp-fill-against"));
  return h("div", { class: "bp-reasons" },
    h("div", {}, h("h5", {}, `Needed: ${percent(atom.need)} of all need`), h("ul", {},
      atom.parts.length ? atom.parts.map((part) => row(part.words, part.share / most, percent(part.share), "bp-fill-need")) : h("li", { class: "sub-faint" }, "a rule of this store: it is shown in any case"))),
    h("div", {}, h("h5", {}, `Supported: ${strength(atom.evidence)}, ${atom.evidence.toFixed(2)}`),
      h("ul", {}, grounds.length ? grounds : h("li", { class: "sub-faint" }, "even odds: nothing speaks for it or against it"))),
    h("div", { class: "bp-from sub-faint" }, atom.origin && h("span", {}, `said by: ${atom.origin}`), atom.source && h("span", {}, "source: ", stored(atom.source)),
      atom.recorded_at && h("span", {}, "recorded ", moment(atom.recorded_at))));
}

/** A bar with its number, and its word where there is no room for the heads of the columns. */
function measure(word, title, share, kind, told) {
  return h("span", { class: "bp-cell", title }, h("span", { class: "bp-word" }, word), bar(share, kind), h("span", { class: "bp-told" }, told));
}

function atomRow(model, { atom, number }, most, hidden) {
  const isSelected = model.get("selected") === atom.name;
  const bars = COLUMNS.map(([group, word, what]) => measure(word, `${what}: ${percent(atom.needs[group])} of all need`,
    atom.needs[group] / most, "bp-fill-need", atom.needs[group] >= 0.0005 ? percent(atom.needs[group]) : "–"));
  const cut = atom.characters > atom.value.length && h("span", { class: "sub-faint" }, ` … ${atom.characters.toLocaleString()} characters in all`);
  return h("div", { class: "bp-atom", role: "option", tabindex: "-1", hidden, "aria-selected": String(isSelected), "data-testid": "atom", "data-name": atom.name,
    "aria-label": `${number}. ${visible(atom.name)}: ${visible(atom.value.slice(0, 200))}. ${atom.why}.${atom.newer && ` Outdated; newer: ${visible(atom.newer)}.`} Evidence ${atom.evidence.toFixed(2)}, ${atom.tokens} tokens` },
    h("span", { class: "bp-place" }, String(number)),
    h("span", { class: "bp-what" },
      h("span", { class: "bp-line" }, stored(atom.name, { class: "sub-stored sub-mono bp-atom-name" }),
        atom.stale && h("span", { class: "sub-chip bp-stale", title: visible(atom.stale) }, "stale"),
        atom.newer && h("span", { class: "sub-chip bp-stale", "data-testid": "outdated", title: `newer: ${visible(atom.newer)}` }, "outdated")),
      h("span", { class: "bp-value" }, stored(atom.value), cut),
      h("span", { class: "bp-why" }, stored(atom.why)),
      atom.newer && h("span", { class: "bp-why bp-warn" }, "newer: ", stored(atom.newer)),
      atom.stale && isSelected && h("span", { class: "bp-why bp-warn" }, "stale: ", stored(atom.stale))),
    h("span", { class: "bp-measures" }, bars, measure("Evidence", `evidence ${atom.evidence.toFixed(2)}: ${strength(atom.evidence)}`, atom.evidence, "bp-fill-evidence", atom.evidence.toFixed(2))),
    h("span", { class: "bp-tokens" }, String(atom.tokens)),
    isSelected && reasons(atom, most));
}

/** The list of atoms: arrow keys move, Enter or a click selects. It is drawn anew, and the focus stays where it was. A long one is shown by its beginning. */
function atomList(model, page) {
  let isLong = false;
  const more = h("button", { type: "button", class: "sub-quiet bp-more", "data-testid": "more", onclick: () => { isLong = !isLong; draw(); } });
  const list = h("div", { role: "listbox", "aria-label": "atoms of the opening", class: "bp-list", "data-testid": "atoms" });
  const rows = () => [...list.querySelectorAll(".bp-atom:not([hidden])")];
  const go = (row) => { rows().forEach((other) => (other.tabIndex = other === row ? 0 : -1)); row?.focus(); };
  list.addEventListener("click", (event) => {
    const row = event.target.closest(".bp-atom");
    if (!row || event.target.closest(".bp-reasons")) return;
    go(row);
    tell(model, { selected: model.get("selected") === row.dataset.name ? "" : row.dataset.name });
  });
  list.addEventListener("keydown", (event) => {
    const all = rows();
    const at = all.indexOf(event.target.closest(".bp-atom"));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) go(all[Math.max(0, Math.min(all.length - 1, to))]);
    else if (event.key === "Enter" || event.key === " ") tell(model, { selected: all[at].dataset.name });
    else if (event.key === "Escape") tell(model, { selected: "" });
    else return;
    event.preventDefault();
  });
  const draw = () => {
    const opening = model.get("opening");
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    const shown = placed(opening);
    const most = Math.max(1e-9, ...shown.flatMap(({ atom }) => Object.values(atom.needs))) * (opening.weak ? 4 : 1); // a weak match is no full bar
    list.hidden = shown.length === 0;
    // What is selected, here or in a linked widget, is never hidden.
    const last = isLong ? shown.length : Math.max(ROWS, ...shown.filter(({ atom }) => atom.name === model.get("selected")).map(({ number }) => number));
    more.hidden = shown.length <= ROWS;
    more.textContent = last < shown.length ? `show all ${shown.length}` : `show the first ${ROWS}`;
    const heads = h("div", { class: "bp-heads", "aria-hidden": "true" }, h("span", { class: "bp-heading" }, opening.weak ? "Nothing matches well" : "In this order"),
      h("span", { class: "bp-measures" }, COLUMNS.map(([, word, what]) => h("span", { title: what }, word)), h("span", { title: "how well it is supported" }, "Evidence")), h("span", { class: "bp-tokens" }, "Tokens"));
    list.replaceChildren(heads, ...Object.keys(opening.sections ?? {}).map((section) =>
      h("div", { role: "group", "aria-label": SECTIONS[section], class: "bp-section" },
        h("div", { class: "bp-title", "aria-hidden": "true" }, h("i", { class: `bp-key bp-${section}` }), SECTIONS[section]),
        shown.filter((item) => item.section === section).map((item) => atomRow(model, item, most, item.number > last)))));
    list.querySelectorAll(".bp-section").forEach((section) => (section.hidden = !section.querySelector(".bp-atom:not([hidden])")));
    const row = rows().find((one) => one.dataset.name === focused) ?? rows()[0];
    if (row) row.tabIndex = 0;
    if (focused !== null && row) row.focus();
  };
  page.on(["opening", "selected"], draw);
  return [list, more];
}

const placed = (opening) => Object.entries(opening.sections ?? {})
  .flatMap(([section, atoms]) => atoms.map((atom) => ({ atom, section })))
  .map((item, at) => ({ ...item, number: at + 1 }));

/** What is not shown, and why. */
function notShown(model, opening) {
  const named = (why) => opening.best.filter((item) => item.why === why).map((item) =>
    h("button", { class: "sub-quiet sub-mono", type: "button", title: "Among the most needed of them", onclick: () => tell(model, { selected: item.name }) }, stored(item.name)));
  const out = opening.left_out.map(({ why, count }) => h("li", {}, h("strong", {}, String(count)), h("span", {}, why, h("span", { class: "bp-best" }, named(why)))));
  return [
    out.length > 0 && h("div", { class: "bp-part", "data-testid": "left-out" }, h("h4", {}, "Left out"), h("ul", {}, out)),
    opening.absent.length > 0 && h("div", { class: "bp-part", "data-testid": "absent" }, h("h4", {}, "Absent"),
      h("ul", {}, opening.absent.map((absent) => h("li", {}, stored(absent.name, { class: "sub-stored sub-mono" }), h("span", { class: "sub-faint" }, absent.why, absent.needed_by && [", needed by ", stored(absent.needed_by)]))))),
  ];
}

export default {
  render({ model, el }) {
    const page = openPage(model, el, "Bootstrap preview", "Shows now: a session opens with what is known when it begins.");
    const used = h("div");
    const note = h("div", { class: "sub-faint bp-note" });
    const rest = h("div", { class: "bp-rest" });
    const empty = h("div", { class: "bp-empty", "data-testid": "empty" }, "Working out what would enter …");
    page.body.append(controls(model, page), used, note, empty, ...atomList(model, page), rest, showConflicts(model, page));
    page.on("opening", () => {
      const opening = model.get("opening");
      if (!opening.sections) return;
      const shown = placed(opening);
      empty.hidden = shown.length > 0;
      empty.textContent = emptyWords(opening);
      used.replaceChildren(budgetBar(model, opening, shown));
      rest.replaceChildren(...notShown(model, opening).filter(Boolean));
    });
    page.on("opening", () => {
      const { meaning } = model.get("opening");
      note.hidden = !meaning;
      note.textContent = `Matched by words: ${meaning}`;
    });
    page.on("problem", () => { if (!model.get("opening").sections) empty.hidden = Boolean(model.get("problem")); });
    return page.close;
  },
};
