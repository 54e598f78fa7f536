// Fading: which atoms fade, how one of them does, what is due for review, and what a sweep would take.

const SHOWS = [
  ["faded", "Most faded", "Atoms with the lowest scores first."],
  ["present", "Most present", "Atoms with the highest scores first."],
  ["due", "Due for review", "Touch the ones that still matter: a review helps them most now."],
  ["sweep", "To sweep", "Notes of the surface cortexgraph that have faded: a sweep takes them out of use. It erases nothing."],
];
const NONE = { faded: "No atoms yet.", present: "No atoms yet.", due: "Nothing is due for review.", sweep: "Nothing has faded so far that a sweep would take it." };

/** So many days ago, in the largest unit that says something. */
function ago(days) {
  const minutes = days * 1440;
  const [count, unit] = minutes < 1 ? [0, ""] : minutes < 60 ? [minutes, "minute"] : minutes < 1440 ? [minutes / 60, "hour"] : [days, "day"];
  const whole = Math.floor(count);
  return unit ? `${whole.toLocaleString()} ${unit}${whole === 1 ? "" : "s"} ago` : "just now";
}

/** What a score means, as a kind of colour and a word. */
function zoneOf(score, limits) {
  if (score < limits.forget) return ["bad", "faded"];
  if (score > limits.review[0] && score < limits.review[1]) return ["warn", "due"];
  return score >= limits.promote ? ["good", "present"] : ["plain", "fading"];
}

function rowPart(one, limits, isOpen, act) {
  const [tone, word] = zoneOf(one.score, limits);
  return h("li", { role: "option", class: "fd-row", "data-testid": "row", "data-name": one.name, "aria-selected": String(isOpen), tabindex: isOpen ? "0" : "-1", onclick: () => act.choose(one.name) },
    h("div", { class: "fd-score" }, h("strong", {}, one.score.toFixed(2)), h("span", { class: "fd-meter", "aria-hidden": "true" }, h("span", { class: `fd-fill fd-${tone}`, style: `width:${(100 * Math.sqrt(Math.min(1, one.score))).toFixed(0)}%` }))),
    h("div", { class: "fd-said" }, h("div", { class: "fd-name" }, stored(one.name, { class: "sub-stored sub-mono" }), h("span", { class: `sub-chip fd-chip fd-${tone}` }, one.status === "active" ? word : one.status)),
      h("div", { class: "fd-value" }, stored(one.value)),
      h("div", { class: "sub-faint fd-when" }, `${one.uses ? `${one.uses.toLocaleString()} ${one.uses === 1 ? "use" : "uses"}, the last ` : "recorded "}${ago(one.idle)}${one.strength > 1 ? `, strength ${one.strength.toFixed(2)}` : ""}`)));
}

/** What is known of the atom whose curve is shown. */
function aboutPart(curve, act, writable) {
  if (!curve.name) return [];
  if (curve.missing) return [h("p", { class: "sub-faint", "data-testid": "missing" }, stored(curve.missing))];
  const touch = (boost, label, title) => h("button", { type: "button", "data-testid": boost ? "boost" : "touch", title, onclick: () => act.touch(curve.name, boost) }, label);
  const falls = curve.falls.map((one) => h("li", { "data-testid": "fall" }, `below ${one.score} on `, moment(one.when), `: ${one.means}`));
  return [
    h("div", { class: "fd-title" }, stored(curve.name, { class: "sub-stored sub-mono" }), h("strong", { "data-testid": "score" }, ` ${curve.score.toFixed(2)}`), writable && h("span", { class: "fd-does" }, touch(false, "Touch", "It was used: it fades from now on (t)"), touch(true, "Touch and boost", "It was used, and matters: it fades more slowly (b)"))),
    h("div", { class: "fd-whole" }, stored(curve.value)),
    h("ul", { class: "fd-falls" }, falls.length ? falls : h("li", { class: "sub-faint" }, "it has fallen below every threshold")),
  ];
}

export default {
  render({ model, el }) {
    const page = openPage(model, el, "Fading");
    const act = {
      choose: (name) => tell(model, { selected: name }),
      touch: (name, boost) => tell(model, { touching: { name, boost, number: Date.now() } }),
    };
    const word = h("div", { class: "sub-faint fd-read", "data-testid": "read" });
    const hint = "Arrow keys or the mouse read the curve. Dots are touches; the dashed part is to come, without further use.";
    const view = curveView((time, score) => { word.textContent = time === null ? hint : `${dayOf(time, 400 * DAY)}, ${hourOf(time)} ${ZONE}: score ${score.toFixed(3)}`; });
    const shows = choices("show", SHOWS, (show) => tell(model, { show }));
    const rows = () => (model.get("listed").items ?? []).map(({ name, value, score, uses, strength, last, status }) => ({ name, value, score, uses, strength, last_used: last, status }));
    const again = h("button", { type: "button", class: "sub-quiet", "data-testid": "again", title: "Work the scores out for this moment", onclick: () => tell(model, { looked: model.get("looked") + 1 }) }, "now");
    const meaning = h("div", { class: "sub-faint fd-meaning" });
    const list = h("ul", { class: "fd-list", role: "listbox", "aria-label": "atoms; arrow keys move, Enter shows the curve, t touches, b touches and boosts", "data-testid": "list" });
    const empty = h("div", { class: "fd-empty", "data-testid": "empty" });
    const pages = h("div", { class: "fd-pages" });
    const about = h("div", { class: "fd-about", "aria-live": "polite" });
    const sweep = h("div", { class: "fd-sweep", "data-testid": "sweep-part" });
    const done = h("p", { class: "sub-good fd-done", role: "status", "data-testid": "done" });
    const picture = h("div", { class: "fd-picture" }, view.svg, word);
    page.body.append(h("div", { class: "fd-bar" }, shows.group, h("span", { class: "fd-ends" }, again, csvButton("fading.csv", rows))), meaning, done,
      h("div", { class: "fd-both" }, h("div", { class: "fd-side" }, empty, list, pages, sweep), h("div", { class: "fd-main" }, about, picture)));

    list.addEventListener("keydown", (event) => {
      const all = [...list.children];
      const here = all.indexOf(event.target.closest(".fd-row"));
      const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
      const name = all[here]?.dataset.name;
      if (to !== undefined) all[Math.max(0, Math.min(all.length - 1, to))]?.focus();
      else if ((event.key === "Enter" || event.key === " ") && name) act.choose(name);
      else if ((event.key === "t" || event.key === "b") && name && model.get("writable")) act.touch(name, event.key === "b");
      else return;
      event.preventDefault();
    });

    let sure = "";
    const sweepPart = () => {
      const [total, show] = [model.get("counts").sweep ?? 0, model.get("show")];
      if (show !== "sweep") { sure = ""; return []; }
      if (model.get("as_of") !== null) return [h("p", { class: "sub-faint" }, "A sweep is about now: go back to now to see what it would take.")];
      if (!total || !model.get("writable")) return [];
      const listed = (model.get("listed").items ?? []).length;
      const press = (kind, label) => h("button", { type: "button", "data-testid": kind, "data-key": kind, class: sure === kind ? "fd-sure" : "", onclick: () => {
        if (sure !== kind) { sure = kind; drawSweep(); return; }
        sure = "";
        tell(model, { sweeping: { most: total, archive: kind === "archive", number: Date.now() } });
      } }, sure === kind ? `${label}: sure?` : label);
      const notes = `${total.toLocaleString()} ${total === 1 ? "note" : "notes"}`;
      return [h("p", {}, h("strong", { "data-testid": "preview" }, `A sweep takes ${notes} out of use.`), listed < total ? ` Above are the ${listed} with the lowest scores.` : "", " Their history stays."),
        h("div", { class: "fd-press" }, press("remove", `Take ${notes} out of use`), press("archive", `Archive ${notes}`))];
    };
    const drawSweep = () => redraw(sweep, sweepPart());
    const drawList = () => {
      const [listed, curve] = [model.get("listed"), model.get("curve")];
      const items = listed.items ?? [];
      const [show, open] = [model.get("show"), model.get("selected") || curve.name || ""];
      redraw(list, items.map((one) => rowPart(one, model.get("thresholds"), one.name === open, act)));
      if (items.length && !list.querySelector('[tabindex="0"]')) list.firstChild.setAttribute("tabindex", "0");
      list.hidden = !items.length;
      empty.hidden = Boolean(items.length) || !listed.items;
      empty.textContent = NONE[show];
      const [total, offset, limit] = [listed.total ?? 0, model.get("offset"), model.get("limit")];
      const turn = (by, label, word, off) => h("button", { type: "button", class: "sub-quiet", "aria-label": label, "data-testid": label, disabled: off, onclick: () => tell(model, { offset: Math.max(0, offset + by * limit) }) }, word);
      redraw(pages, show === "sweep" || total <= limit ? [] : [turn(-1, "page before", "←", offset === 0), h("span", { class: "sub-faint" }, `${(offset + 1).toLocaleString()} to ${Math.min(total, offset + items.length).toLocaleString()} of ${total.toLocaleString()}`), turn(1, "next page", "→", offset + limit >= total)]);
      meaning.textContent = `${SHOWS.find(([one]) => one === show)[2]}${listed.model ? ` Scores by the ${listed.model}.` : ""}`;
    };
    page.on(["listed", "curve", "selected", "show", "offset"], drawList);
    page.on(["show", "counts"], () => {
      shows.show(model.get("show"));
      for (const button of shows.group.children) {
        const [value, label] = SHOWS.find(([one]) => one === button.dataset.value);
        const count = model.get("counts")[value];
        button.textContent = count === undefined || value === "present" || value === "faded" ? label : `${label} (${count.toLocaleString()})`;
      }
    });
    page.on(["show", "counts", "listed", "as_of", "writable"], drawSweep);
    page.on(["curve", "thresholds", "writable"], () => {
      const curve = model.get("curve");
      redraw(about, aboutPart(curve, act, model.get("writable") && model.get("as_of") === null));
      picture.hidden = !curve.points;
      if (curve.points) view.show(curve, model.get("thresholds"));
    });
    page.on("done", () => { done.hidden = !model.get("done"); done.replaceChildren(stored(model.get("done"))); });
    return () => { view.close(); page.close(); };
  },
};
