// Picking atoms in order, and training them; and the box in which names are completed.

/** A box for a name. What is typed is completed by the kernel; `chosen` gets the name. */
function nameBox(model, page, label, chosen) {
  const field = h("input", { type: "text", role: "combobox", "aria-label": label, "aria-expanded": "false", "aria-autocomplete": "list", placeholder: label, autocomplete: "off", spellcheck: "false" });
  // A popover is drawn above the page: no cell that it stands in cuts it off.
  const list = h("div", { class: "tr-names", role: "listbox", "aria-label": "names", popover: "manual", hidden: true });
  let at = -1;
  const ask = quiet(60, () => tell(model, { typed: field.value }));
  const place = () => {
    const { left, top, bottom, width } = field.getBoundingClientRect();
    const below = window.innerHeight - bottom;
    const room = Math.max(below, top) - 12;
    list.style.cssText = `left: ${left}px; min-width: ${width}px; max-width: ${window.innerWidth - left - 8}px; max-height: ${Math.min(240, room)}px; `
      + (below >= Math.min(240, top) ? `top: ${bottom + 2}px;` : `bottom: ${window.innerHeight - top + 2}px;`);
  };
  const show = () => {
    list.hidden = false;
    if (list.isConnected && !list.matches(":popover-open")) list.showPopover();
    place();
    field.setAttribute("aria-expanded", "true");
    window.addEventListener("scroll", place, true);
    window.addEventListener("resize", place);
  };
  const shut = () => {
    if (list.matches(":popover-open")) list.hidePopover();
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    window.removeEventListener("scroll", place, true);
    window.removeEventListener("resize", place);
  };
  const mark = (to) => {
    const options = [...list.children];
    at = options.length ? (to + options.length) % options.length : -1;
    options.forEach((option, place) => option.setAttribute("aria-selected", String(place === at)));
    options[at]?.scrollIntoView({ block: "nearest" });
  };
  const choose = (name) => { field.value = ""; shut(); chosen(name); field.focus(); };
  field.addEventListener("input", ask);
  field.addEventListener("blur", () => setTimeout(shut, 150));
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") mark(at + (event.key === "ArrowDown" ? 1 : -1));
    else if (event.key === "Escape") shut();
    else if (event.key === "Enter") {
      const name = (!list.hidden && list.children[Math.max(0, at)]?.dataset.name) || field.value.trim();
      if (name) choose(name);
    } else return;
    event.preventDefault();
  });
  page.on("names", () => {
    if (document.activeElement !== field || model.get("typed") !== field.value) return shut();
    list.replaceChildren(...model.get("names").map((name) => h("div", { role: "option", "aria-selected": "false", "data-name": name,
      onmousedown: (event) => { event.preventDefault(); choose(name); } }, stored(name, { class: "sub-stored sub-mono" }))));
    at = -1;
    if (list.children.length === 0) shut();
    else show();
  });
  return h("span", { class: "tr-name-box" }, field, list);
}

/** What came of a training, in words. */
function learntWords(model, learnt) {
  if (learnt.problem) return h("span", { class: "sub-bad" }, stored(learnt.problem));
  const many = (count, word) => `${count.toLocaleString()} ${word}${count === 1 ? "" : "s"}`;
  const skipped = (learnt.skipped ?? []).map((one) => h("li", {}, stored(one.name, { class: "sub-stored sub-mono" }), `: ${visible(one.why)}`));
  const words = learnt.sessions !== undefined
    ? `Learnt from ${many(learnt.sessions, "session")} with ${many(learnt.accesses, "access").replace("accesss", "accesses")}.`
    : learnt.ok ? `Learnt ${many(learnt.learnt.length, "atom")} in this order, ${many(learnt.passes, "pass").replace("passs", "passes")}, as entry ${learnt.seq.toLocaleString()} of the log.` : "Nothing was learnt.";
  const unsaid = (learnt.skipped_in_all ?? skipped.length) - skipped.length;
  return h("div", {}, h("span", { class: learnt.ok ? "sub-good" : "sub-bad" }, words),
    skipped.length > 0 && [h("span", {}, " Skipped:"), h("ul", {}, skipped, unsaid > 0 && h("li", { class: "sub-faint" }, `and ${unsaid.toLocaleString()} more`))]);
}

/** The part in which one trains. */
function trainingPart(model, page) {
  const picked = h("ol", { class: "tr-picked", "data-testid": "picked" });
  const objective = h("input", { type: "text", placeholder: "for which objective (optional)", "aria-label": "objective", "data-testid": "objective", class: "tr-objective" });
  const passes = h("select", { "aria-label": "passes", "data-testid": "passes" },
    h("option", { value: 1 }, "1 pass: in general"), h("option", { value: 2 }, "2 passes: a way that worked"), h("option", { value: 3 }, "3 passes: after a correction"));
  const set = (sequence) => tell(model, { sequence });
  const train = h("button", { type: "button", class: "tr-main", "data-testid": "train", onclick: () => {
    tell(model, { training: { atoms: model.get("sequence"), passes: Number(passes.value), objective: objective.value.trim(), at: Date.now() } });
  } }, "Train");
  const clear = h("button", { type: "button", class: "sub-quiet", onclick: () => set([]) }, "clear");
  const said = h("div", { class: "tr-said", role: "status", "data-testid": "learnt" });
  const box = nameBox(model, page, "add an atom by name", (name) => set([...model.get("sequence"), name]));
  box.dataset.testid = "add-name";
  // Buttons are drawn anew with the list: the focus goes along with the atom that was moved, or to what is in the place of one left out.
  let next = null;
  const focus = ([at, what]) => {
    const item = picked.children[Math.min(at, picked.children.length - 1)];
    const button = [what, "out"].map((one) => item?.querySelector(`[data-do="${one}"]:not(:disabled)`)).find(Boolean);
    (button ?? box.querySelector("input")).focus({ preventScroll: true });
  };
  const act = (at, what, sequence) => { next = [at, what]; set(sequence); };
  page.on(["sequence", "working"], () => {
    const sequence = model.get("sequence");
    const focused = picked.contains(document.activeElement) ? document.activeElement : null;
    const stay = focused && (next ?? [[...picked.children].indexOf(focused.closest("li")), focused.dataset.do]);
    next = null;
    picked.replaceChildren(...sequence.map((name, at) => h("li", { "data-name": name }, stored(shortened(name, 44), { class: "sub-stored sub-mono", title: visible(name) }),
      h("button", { type: "button", class: "sub-quiet", "data-do": "earlier", "aria-label": `earlier: ${visible(name)}`, title: "earlier", disabled: at === 0, onclick: () => act(at - 1, "earlier", sequence.toSpliced(at, 1).toSpliced(at - 1, 0, name)) }, "↑"),
      h("button", { type: "button", class: "sub-quiet", "data-do": "out", "aria-label": `leave out ${visible(name)}`, title: "leave out", onclick: () => act(at, "out", sequence.toSpliced(at, 1)) }, "×"))));
    if (stay) focus(stay);
    picked.hidden = sequence.length === 0;
    clear.hidden = sequence.length === 0;
    train.disabled = sequence.length < 2 || model.get("working").startsWith("Training");
    train.title = sequence.length < 2 ? "Pick at least two atoms: by + in the graph, or by name" : "";
  });
  page.on("learnt", () => {
    const learnt = model.get("learnt");
    said.replaceChildren(...(Object.keys(learnt).length ? [learntWords(model, learnt)] : []));
  });
  return h("section", { class: "tr-training", "aria-label": "training" },
    h("h4", {}, "Train: these atoms are needed together, in this order"), picked,
    h("div", { class: "tr-fields" }, box, passes, objective, train, clear), said);
}
