// Explorer: to add an atom, edit or forget the one that is shown, and to see its proof. A store that is only read has the last of these.

/** A button, the form it opens, and what came of it. `acts(detail)`: the buttons of the atom that is shown. */
function changesIn(model, on) {
  const form = h("form", { class: "ex-form", "data-testid": "form", hidden: true, onsubmit: (event) => event.preventDefault() });
  const said = h("div", { class: "ex-changed", role: "status", "data-testid": "changed", hidden: true });
  let opener = null;
  let number = model.get("changed").number;
  const shut = () => {
    const inside = form.contains(document.activeElement);
    form.hidden = true;
    form.replaceChildren();
    if (inside && opener?.isConnected) opener.focus({ preventScroll: true });
  };
  const open = (children) => {
    opener = document.activeElement;
    said.hidden = true;
    form.replaceChildren(...children);
    form.hidden = false;
    const text = form.querySelector("textarea");
    text?.setSelectionRange(0, 0);
    (text ?? form.querySelector("[data-testid=cancel]"))?.focus();
    form.scrollIntoView({ block: "nearest" });
  };
  // `at` makes each wish another one: the same twice would be no change of the trait.
  const wish = (change) => tell(model, { change: { ...change, at: `${Date.now()}-${Math.random()}` } });
  const button = (label, id, act, more = {}) => h("button", { type: "button", "data-testid": id, onclick: act, ...more }, label);
  const cancel = () => button("Cancel", "cancel", shut);
  const text = (value, label) => h("textarea", { class: "ex-text", rows: 6, "aria-label": label, placeholder: "Text to remember", "data-testid": "text", value });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") shut();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.querySelector("[data-testid=save]")?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  const add = button("Add", "add", () => {
    const value = text("", "Text");
    const name = h("input", { type: "text", class: "ex-new sub-mono", "aria-label": "Name", placeholder: "v1.fact.name (empty: a name is made)", "data-testid": "new-name", spellcheck: "false" });
    const tags = h("input", { type: "text", "aria-label": "Tags", placeholder: "tags, with commas", "data-testid": "new-tags" });
    open([h("b", {}, "Add an atom"), value, h("div", { class: "ex-row" }, name, tags), h("div", { class: "ex-row" },
      button("Save", "save", () => wish({ do: "add", value: value.value, name: name.value, tags: tags.value.split(",").map((tag) => tag.trim()).filter(Boolean) })), cancel())]);
  }, { title: "Save a new atom" });

  const edit = ({ name, value, atom: { seq } }) => {
    const box = text(value, "Value");
    open([h("b", {}, "Edit ", stored(name, { class: "sub-stored sub-mono" })), box, h("div", { class: "ex-row" },
      button("Save", "save", () => wish({ do: "edit", name, seq, value: box.value })), cancel(),
      h("span", { class: "sub-faint" }, "The version before stays in the history."))]);
  };

  let asked = null;
  const ask = ({ name, atom: { seq } }) => {
    asked = { name, seq };
    opener = document.activeElement;
    wish({ do: "ask", name, seq });
  };
  const question = (words) => open([h("b", {}, "Forget"), h("p", { class: "ex-question", role: "alert", "data-testid": "question" }, visible(words)), h("div", { class: "ex-row" },
    button("Erase for good", "erase", () => wish({ do: "forget", ...asked }), { class: "ex-danger" }), cancel())]);

  on("changed", () => {
    const told = model.get("changed");
    if (!told.number || told.number === number) return;
    number = told.number;
    if (told.ok && told.ask) {
      if (asked?.name === told.name) question(told.text);
      return;
    }
    if (told.ok) shut();
    said.hidden = false;
    said.classList.toggle("sub-bad", !told.ok);
    said.replaceChildren(stored(told.text));
  });
  on(["writable", "as_of"], () => {
    add.hidden = !model.get("writable") || model.get("as_of") !== null;
    if (add.hidden) shut();
  });
  const acts = (detail) => {
    const writes = model.get("writable") && model.get("as_of") === null && detail.state === "there";
    const cut = detail.shown < detail.length;
    return [
      button("show proof", "prove", () => tell(model, { proving: true }), { class: "sub-quiet", title: "Draw the proof of this atom below" }),
      writes ? button("edit", "edit", () => edit(model.get("detail")), { class: "sub-quiet", disabled: cut, title: cut ? "Show all of the value first; a value too long to show is edited in Python" : "Give it another value" }) : null,
      writes ? button("forget", "forget", () => ask(model.get("detail")), { class: "sub-quiet", title: "Erase it for good. You are asked first." }) : null,
    ];
  };
  return { add, form, said, acts, wish };
}

/** The proof viewer of the kernel, shown below. */
function proofIn(model, on) {
  const place = h("div", { class: "ex-proof" });
  const hide = h("button", { type: "button", class: "sub-quiet", "data-testid": "hide-proof", onclick: () => tell(model, { proving: false }) }, "hide proof");
  const region = h("div", { class: "ex-proving", hidden: true, "data-testid": "proving" }, hide, place);
  let view = null;
  let wanted = false;
  const close = () => {
    wanted = false;
    view?.remove();
    view = null;
  };
  on(["proving", "proof"], async () => {
    const id = model.get("proof");
    region.hidden = !(model.get("proving") && id);
    if (region.hidden) return close();
    if (wanted) return;
    wanted = true;
    const manager = model.widget_manager;
    const child = typeof id === "string" ? await manager.get_model(id.replace("IPY_MODEL_", "")) : id;
    const drawn = await manager.create_view(child);
    if (!wanted) return drawn.remove();
    view = drawn;
    place.replaceChildren(view.el);
    region.scrollIntoView({ block: "nearest", behavior: "smooth" });
  });
  return { region, close };
}
