// Conflicts, two atoms side by side: keep one, both, or both one after the other.

const FEW_CONFLICTS = 3;

/** An ISO time as a date field has it. */
const dayOf = (iso) => (iso || "").slice(0, 10);

/** How well an atom is supported, as a bar with words. */
function evidenceBar(evidence) {
  if (evidence === null || evidence === undefined) return h("span", { class: "sub-faint" }, "not weighed: it does not hold now");
  return h("span", { class: "bp-evidence" }, bar(evidence, "bp-fill-evidence"), h("span", {}, `${strength(evidence)}, ${evidence.toFixed(2)}`));
}

function strength(evidence) {
  if (evidence >= 0.8) return "strong";
  if (evidence >= 0.65) return "good";
  if (evidence >= 0.45) return "even";
  return "weak";
}

function bar(share, kind) {
  const fill = h("span", { class: `bp-fill ${kind}` });
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return h("span", { class: "bp-bar", "aria-hidden": "true" }, fill);
}

/** What is known of one side: a list of words and what they say. `evidence` is filled by who has it: it changes. */
function side(model, atom, evidence, keep) {
  const said = [atom.actor || "nobody named", atom.origin && `(${atom.origin})`].filter(Boolean).join(" ");
  const held = [atom.valid_from && `from ${dayOf(atom.valid_from)}`, atom.valid_to && `until ${dayOf(atom.valid_to)}`].filter(Boolean).join(" ");
  const facts = [
    ["by", stored(said)],
    ["recorded", moment(atom.recorded_at)],
    ["source", atom.source ? stored(atom.source) : h("span", { class: "sub-faint" }, "none given")],
    atom.confidence !== null && ["confidence", String(atom.confidence)],
    held && ["holds", held],
    ["evidence", evidence],
  ].filter(Boolean);
  const cut = atom.characters > atom.value.length && h("span", { class: "sub-faint" }, ` … of ${atom.characters.toLocaleString()} characters`);
  return h("article", { class: "bp-side", "data-name": atom.name },
    h("button", { class: "bp-name sub-mono", type: "button", title: "Select this atom", onclick: () => tell(model, { selected: atom.name }) }, stored(atom.name)),
    h("div", { class: "bp-said", tabindex: "0", role: "group", "aria-label": "value" }, stored(atom.value), cut),
    h("dl", {}, facts.map(([word, what]) => [h("dt", {}, word), h("dd", {}, what)])),
    keep);
}

/** The fields for when each of the two holds. Where nothing is known, the later one takes over on the day it was recorded. */
function windowFields(sides) {
  const turn = dayOf(sides[1].recorded_at);
  const given = [[sides[0].valid_from, sides[0].valid_to || turn], [sides[1].valid_from || turn, sides[1].valid_to]];
  return sides.map((atom, at) => ["from", "until"].map((word, end) =>
    h("input", { type: "date", value: dayOf(given[at][end]), "aria-label": `${visible(atom.name)} holds ${word}`, "data-testid": `${word}-${at}` })));
}

/** A card, and `update`, for what may change of the same two versions: evidence, and whether they are in the opening. */
function conflictCard(model, conflict) {
  const { sides } = conflict;
  const busy = { disabled: Boolean(model.get("working") === "Settling") };
  const reason = h("input", { type: "text", class: "bp-reason", placeholder: "why (optional, kept with it)", "aria-label": "reason", "data-testid": "reason" });
  const fields = windowFields(sides);
  const here = h("span", { class: "sub-chip bp-here", "data-testid": "here" }, "in this opening");
  const evidence = sides.map(() => h("span", { "data-testid": "evidence" }));
  const decide = (verdict) => {
    card.querySelectorAll("button.bp-do").forEach((button) => (button.disabled = true));
    tell(model, { verdict: { first: sides[0].name, second: sides[1].name, seqs: sides.map((atom) => atom.seq), reason: reason.value, at: Date.now(), ...verdict } });
  };
  const keep = (atom) => h("button", { class: "bp-do", type: "button", "data-testid": "keep", ...busy, onclick: () => decide({ do: "keep", keep: atom.name }) }, "Keep this one");
  const windows = h("form", { class: "bp-windows", hidden: true, "data-testid": "windows",
    onsubmit: (event) => { event.preventDefault(); decide({ do: "windows", windows: fields.map((pair) => pair.map((field) => field.value)) }); } },
    fields.map(([from, until], at) => h("div", { class: "bp-window" }, stored(sides[at].name, { class: "sub-stored sub-mono bp-window-name", title: visible(sides[at].name) }),
      h("span", { class: "bp-dates" }, h("label", {}, "from ", from), h("label", {}, "until ", until)))),
    h("div", { class: "bp-actions" },
      h("button", { class: "bp-do bp-main", type: "submit", "data-testid": "save-windows" }, "Keep both, each for its time"),
      h("span", { class: "sub-faint" }, "Days are UTC. Empty: since ever, or for good. “Until” is the first day on which it holds no more.")));
  const inTurn = h("button", { type: "button", "aria-expanded": "false", "data-testid": "in-turn", onclick: () => {
    windows.hidden = !windows.hidden;
    inTurn.setAttribute("aria-expanded", String(!windows.hidden));
    if (!windows.hidden) fields[0][1].focus();
  } }, "Both, one after the other …");
  const card = h("section", { class: "bp-conflict", "data-testid": "conflict", "aria-label": `Conflict of ${visible(sides[0].name)} and ${visible(sides[1].name)}` },
    h("div", { class: "bp-conflict-head" }, h("span", { class: "sub-chip" }, conflict.kind), stored(conflict.reason),
      here),
    h("div", { class: "bp-sides" }, sides.map((atom, at) => side(model, atom, evidence[at], keep(atom)))),
    h("div", { class: "bp-actions" }, h("button", { class: "bp-do", type: "button", "data-testid": "both", ...busy, onclick: () => decide({ do: "both" }) }, "Both are right"), inTurn, reason),
    windows);
  const update = (newer, inOpening) => {
    here.hidden = !inOpening;
    evidence.forEach((place, at) => place.replaceChildren(evidenceBar(newer.sides[at].evidence)));
  };
  return { card, update };
}

/** The open conflicts, those of this opening first. A card stays, with what one writes into it, until it is another conflict. */
function showConflicts(model, page) {
  const list = h("div", { class: "bp-conflicts" });
  const heading = h("h4", { "data-testid": "conflicts-heading" });
  // Many are one line, which opens. Only who reads them opens and shuts it, whatever comes and goes meanwhile.
  let opened = null;
  const unfold = h("button", { type: "button", class: "bp-unfold", "data-testid": "unfold", onclick: () => { opened = !opened; draw(); } });
  const said = h("div", { class: "bp-settled", role: "status", "data-testid": "settled", tabindex: "-1" });
  const cards = new Map();
  const draw = () => {
    const here = new Set((model.get("opening").conflicting ?? []).map((pair) => pair.join("\n")));
    const key = (conflict) => conflict.sides.map((atom) => atom.name).join("\n");
    const shown = (model.get("conflicts") ?? []).map((conflict) => [conflict, here.has(key(conflict))]).sort((a, b) => b[1] - a[1]);
    const kept = new Map(cards);
    cards.clear();
    for (const [conflict, inOpening] of shown) {
      const same = JSON.stringify(conflict.sides.map((atom) => [atom.name, atom.seq]));
      cards.set(same, kept.get(same) ?? conflictCard(model, conflict));
      cards.get(same).update(conflict, inOpening);
    }
    const wanted = [...cards.values()].map(({ card }) => card);
    if (wanted.length !== list.children.length || wanted.some((card, at) => list.children[at] !== card)) {
      const focused = list.contains(document.activeElement) ? document.activeElement : null;
      list.replaceChildren(...wanted);  // which takes the focus away, also from a card that stays
      if (focused) (list.contains(focused) ? focused : said).focus({ preventScroll: true });
    }
    const count = shown.length;
    heading.hidden = model.get("conflicts") === null;  // to say that there are none one must have looked
    if (count) opened ??= count <= FEW_CONFLICTS;
    const inside = shown.filter(([, inOpening]) => inOpening).length;
    unfold.textContent = `Open conflicts: ${count}${model.get("more_conflicts") ? " and more" : ""}${inside && !opened ? `, ${inside} in this opening` : ""}`;
    unfold.setAttribute("aria-expanded", String(opened));
    if (!count) heading.replaceChildren("No open conflicts");
    else if (unfold.parentElement !== heading) heading.replaceChildren(unfold);
    list.hidden = !opened;
  };
  page.on(["conflicts", "opening", "more_conflicts"], draw);
  page.on("settled", () => {
    const { ok, text } = model.get("settled");
    said.hidden = !text;
    said.className = `bp-settled ${ok ? "sub-good" : "sub-bad"}`;
    said.replaceChildren(stored(text ?? ""));
    list.querySelectorAll("button.bp-do").forEach((button) => (button.disabled = false));
  });
  return h("div", { class: "bp-conflicts-part" }, heading, said, list);
}
