// What all widgets share in the page. Widgets build their content with `h` and `stored` only: no stored text is ever markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element of HTML: h("button", {class: "x", onclick: f, "aria-label": "…"}, child, "text", …). Texts stay texts. */
function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Characters that are not seen, or that turn the text around them: shown by their number, so that nobody is deceived.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Stored text as a string in which nothing is hidden. For attributes and SVG; elsewhere use `stored`. */
function visible(text) {
  return String(text).replace(UNSEEN, (character) => `‹${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);
}

/** Stored text as an element: as text, by itself (what runs right to left does not turn what stands beside it). */
function stored(text, attributes = {}) {
  return h("bdi", { class: "sub-stored", ...attributes }, visible(text));
}

/** Stored text with some of its places marked: [[start, end], …], counted in code points as Python does. */
function marked(text, marks) {
  const points = Array.from(String(text));
  const parts = [];
  let at = 0;
  for (const [start, end] of marks ?? []) {
    parts.push(visible(points.slice(at, start).join("")), h("mark", {}, visible(points.slice(start, end).join(""))));
    at = end;
  }
  parts.push(visible(points.slice(at).join("")));
  return h("bdi", { class: "sub-stored" }, ...parts);
}

/** `f`, called once nothing more was asked for during so many milliseconds. */
function quiet(milliseconds, f) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...given), milliseconds);
  };
}

/** A time of the store in the reader's own zone, to the minute; the exact one as a tooltip. */
function moment(iso) {
  if (!iso) return h("span");
  const time = new Date(iso);
  const shown = time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return h("time", { datetime: iso, title: iso }, shown);
}

/** Copy a text, and say so on the button for a moment. Where the page may not use the clipboard, the old way. */
function copyButton(text, label) {
  const button = h("button", { class: "sub-quiet", type: "button", title: `Copy ${visible(text)}` }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = h("textarea", { value: text, class: "sub-offscreen" });
      button.after(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    button.textContent = "copied";
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

/** Set traits, and tell the kernel. */
function tell(model, traits) {
  for (const [name, value] of Object.entries(traits)) model.set(name, value);
  model.save_changes();
}

/**
 * The frame of a widget: title, store, time travel, what goes on, what went wrong, and a clear word when the kernel is gone.
 * A widget that has no past says so by `travels(seq)`, in place of whose past it is.
 * Gives `body`, to be filled; `on(trait, f)`, which calls f now and whenever the trait changes; and `close`, for render to return.
 */
function openPage(model, el, title, { travels = (seq) => `As it was known after entry ${seq}. ` } = {}) {
  const listening = [];
  const on = (names, f) => {
    for (const name of [names].flat()) {
      model.on(`change:${name}`, f);
      listening.push([`change:${name}`, f]);
    }
    f();
  };
  const back = h("button", { class: "sub-quiet", type: "button", onclick: () => tell(model, { as_of: null }) }, "back to now");
  const travel = h("div", { class: "sub-travel", role: "status", "data-testid": "travel" });
  const working = h("div", { class: "sub-working", role: "status", "data-testid": "working" });
  const problem = h("div", { class: "sub-problem", role: "alert", "data-testid": "problem" });
  const gone = h("div", { class: "sub-gone", role: "alert", "data-testid": "gone" },
    "The kernel that this was made by is gone: what you see is from before. Run the cell again to go on.");
  const body = h("div", { class: "sub-body" });
  const store = h("span", { class: "sub-store" });
  const root = h("section", { class: "substrate", "aria-label": title },
    h("header", {}, h("h3", {}, title), store), gone, travel, problem, body, working);
  el.replaceChildren(root);

  on("store", () => {
    const path = model.get("store");
    store.replaceChildren(stored(path.split("/").pop()));
    store.title = visible(path);
  });
  on("as_of", () => {
    const seq = model.get("as_of");
    travel.hidden = seq === null;
    travel.replaceChildren(travels(seq), back);
  });
  on("problem", () => {
    problem.hidden = !model.get("problem");
    problem.replaceChildren(stored(model.get("problem")));
  });
  on(["working", "progress"], () => {
    const said = model.get("working");
    const share = model.get("progress");
    working.classList.toggle("sub-idle", !said);
    root.setAttribute("aria-busy", String(Boolean(said)));
    if (said) working.replaceChildren(`${said} `, h("progress", share === null ? {} : { value: share, max: 1 }));
  });
  // A widget is shown with a live kernel; that this changes is told when the kernel goes. What comes back is another kernel.
  const end = () => {
    gone.hidden = false;
    body.inert = true;
  };
  gone.hidden = true;
  model.on("comm_live_update", end);
  listening.push(["comm_live_update", end]);
  // Plain keys are the widget's while it has the focus: JupyterLab would take arrows and letters for commands on cells.
  // It looks for this mark at the element itself, before anyone else hears of the key. Ctrl+S and the like stay its own.
  const keys = (event) => {
    if (root.contains(event.target)) event.target.toggleAttribute("data-lm-suppress-shortcuts", !event.ctrlKey && !event.metaKey);
  };
  window.addEventListener("keydown", keys, true);
  const close = () => {
    listening.forEach(([name, f]) => model.off(name, f));
    window.removeEventListener("keydown", keys, true);
  };
  return { root, body, on, close };
}
