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

// Characters that a reader cannot see, or that act: shown by their number, so that nobody is deceived. The same alphabet as
// in substrate/text/visible.py, which says why; a test compares the two. Tabs and line ends are kept.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff\u{13430}-\u{1343f}\u{13441}\u{13442}\u{16fe4}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{1fffe}\u{1ffff}\u{2fffe}\u{2ffff}\u{3fffe}-\u{effff}\u{ffffe}\u{fffff}\u{10fffe}\u{10ffff}]|(?<![\u2801-\u28ff])\u2800|(?<=[\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u200c\u200d])[\ufe0e\ufe0f]|(?<![\u0600-\u109f\u1780-\u18af\u1900-\u1cff\u2190-\u2bff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\u{10a00}-\u{11fff}\u{1e900}-\u{1e95f}\u{1f000}-\u{1faff}])(?<![\u0600-\u109f\u1780-\u18af\u1900-\u1cff\u2190-\u2bff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\u{10a00}-\u{11fff}\u{1e900}-\u{1e95f}\u{1f000}-\u{1faff}]\ufe0f)[\u200c\u200d]/gu;

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

const ZONE = "UTC"; // the one zone of all times in all widgets, as of filters, Python and the command line

/** A time of the store, to the minute; the exact one as a tooltip. */
function moment(iso) {
  if (!iso) return h("span");
  const time = new Date(iso);
  const day = time.toLocaleDateString(undefined, { dateStyle: "medium", timeZone: ZONE });
  const hour = time.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: ZONE });
  return h("time", { datetime: iso, title: iso }, `${day}, ${hour} ${ZONE}`);
}

/** Copy a text, and say so on the button for a moment. Where the page may not use the clipboard, the old way. */
function copyButton(text, label, title = `Copy ${visible(text)}`) {
  const button = h("button", { class: "sub-quiet", type: "button", title }, label);
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

/** Rows as CSV. A text that a spreadsheet would take for a formula gets a ' before it, as `to_csv` in Python does. */
function csvOf(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value) => {
    const text = String(value ?? "");
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

/** Save a table, as `rows()` has it then, as a file. */
function csvButton(file, rows) {
  return h("button", { type: "button", class: "sub-quiet", "data-testid": "csv", title: "Save this table as CSV", onclick: () => {
    const url = URL.createObjectURL(new Blob([csvOf(rows())], { type: "text/csv" }));
    h("a", { href: url, download: file }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } }, "CSV");
}

/** Set traits, and tell the kernel: it says when it has heard of them (see `openPage`), since it does not while a cell runs. */
function tell(model, traits) {
  for (const [name, value] of Object.entries({ ...traits, asked: model.get("asked") + 1 })) model.set(name, value);
  model.save_changes();
}

/** What tells elements of one kind apart, whether they were drawn before or after. */
function signOf(element) {
  const { testid = "", name = "", seq = "", key = "" } = element.dataset;
  return [element.tagName, element.getAttribute("role"), testid, name, seq, key, testid || name || seq || key ? "" : element.textContent].join("\n");
}

/** Where an element is, in words that hold for what is drawn in its place: its sign, and which of those that have it. */
function placeIn(root, element) {
  const sign = signOf(element);
  const nth = [...root.querySelectorAll(element.tagName)].filter((one) => signOf(one) === sign).indexOf(element);
  return () => {
    const alike = [...root.querySelectorAll(element.tagName)].filter((one) => signOf(one) === sign);
    return alike[Math.min(nth, alike.length - 1)];
  };
}

/**
 * Fill an element anew, for who stands in it. A child that is equal to the one in its place is left as it is, with its
 * listeners: they must not depend on anything that is not shown. In the others, focus and scroll go to what is drawn in
 * the place of what had them; if nothing is, the focus goes to `home`, if one is given.
 */
function redraw(element, children, home = null) {
  const scrolled = [element, ...element.querySelectorAll("*")].filter((one) => one.scrollTop || one.scrollLeft)
    .map((one) => ({ find: one === element ? () => element : placeIn(element, one), top: one.scrollTop, left: one.scrollLeft }));
  const held = document.activeElement;
  const inside = held && held !== element && element.contains(held);
  const find = inside ? placeIn(element, held) : null;
  const drawn = [children].flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(child)));
  drawn.forEach((child, at) => {
    const old = element.childNodes[at];
    if (!old) element.append(child);
    else if (!old.isEqualNode(child)) old.replaceWith(child);
  });
  while (element.childNodes.length > drawn.length) element.lastChild.remove();
  for (const { find: findScrolled, top, left } of scrolled) findScrolled()?.scrollTo({ top, left, behavior: "instant" });
  if (inside && document.activeElement !== held) (find() ?? home)?.focus({ preventScroll: true });
}

/** Choices of which one holds: arrow keys move between them. */
function choices(label, options, chosen) {
  const buttons = options.map(([value, word, title]) => h("button", { type: "button", role: "radio", "data-value": value, "data-testid": `${label}-${value || "all"}`, title, onclick: () => chosen(value) }, word));
  const group = h("div", { class: "sub-choices", role: "radiogroup", "aria-label": label }, buttons);
  group.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const to = buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length];
    to.focus();
    chosen(to.dataset.value);
  });
  const show = (value) => buttons.forEach((button) => {
    const is = button.dataset.value === value;
    button.setAttribute("aria-checked", String(is));
    button.setAttribute("aria-pressed", String(is));
    button.tabIndex = is ? 0 : -1;
  });
  return { group, show };
}

// How many views of a widget this page has: what nobody sees is not worked out. By its mark: each view has a `model` of its own.
const VIEWS = new Map();
// Which page this is, of several that may show the same widget: the kernel adds up what they say (see pages.py).
const PAGE = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

function viewed(model, more) {
  const mark = model.get("mark");
  VIEWS.set(mark, (VIEWS.get(mark) ?? 0) + more);
  sayViews(model, VIEWS.get(mark));
}

/** `call`: which one this answers; null: none. */
function sayViews(model, views, call = null) {
  if (model.widget_manager?.kernel === null) return; // The notebook was closed: nobody is left to be told.
  model.set("page", { id: PAGE, views, call });
  model.save_changes();
}

const PATIENCE = 1000;

/**
 * The frame of a widget: title, store, time travel, what goes on, what went wrong, and a clear word when the kernel is gone.
 * `now`: why it shows what is known now, whenever the others look from; a widget that travels has none.
 * Gives `body`, to be filled; `on(trait, f)`, which calls f now and whenever the trait changes; and `close`, for render to return.
 */
function openPage(model, el, title, now = "") {
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
  const busy = h("div", { class: "sub-busy", role: "status", "data-testid": "busy", hidden: true });
  const problem = h("div", { class: "sub-problem", role: "alert", "data-testid": "problem" });
  const notice = h("div", { class: "sub-notice", role: "status", "data-testid": "notice" });
  const gone = h("div", { class: "sub-gone", role: "alert", "data-testid": "gone" },
    "The kernel that this was made by is gone: what you see is from before. Run the cell again to go on.");
  const body = h("div", { class: "sub-body" });
  const store = h("span", { class: "sub-store" });
  const root = h("section", { class: "substrate", "aria-label": title, "data-mark": model.get("mark") },
    h("header", {}, h("h3", {}, title), store, working, busy), gone, notice, travel, problem, body);
  el.replaceChildren(root);

  on("store", () => {
    const path = model.get("store");
    store.replaceChildren(stored(path.split("/").pop()));
    store.title = visible(path);
  });
  on("as_of", () => {
    const seq = model.get("as_of");
    travel.hidden = seq === null;
    travel.replaceChildren(now ? `${now} Other linked widgets look from entry ${seq}. ` : `As it was known after entry ${seq}. `, back);
  });
  on("notice", () => {
    notice.hidden = !model.get("notice");
    notice.replaceChildren(stored(model.get("notice")));
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
    working.replaceChildren(...(said ? [`${said} `, h("progress", share === null ? {} : { value: share, max: 1 })] : []));
  });
  let patience = null;
  on(["asked", "heard"], () => {
    const waits = model.get("heard") < model.get("asked");
    if (waits && patience === null) {
      patience = setTimeout(() => {
        busy.hidden = false;
        busy.replaceChildren("The kernel is busy: this is answered when the cell has ended.");
        working.hidden = true;
      }, PATIENCE);
    } else if (!waits) {
      clearTimeout(patience);
      patience = null;
      busy.hidden = true;
      working.hidden = false;
    }
  });
  // A widget is shown with a live kernel; that this changes is told when the kernel goes. What comes back is another kernel.
  const end = () => {
    gone.hidden = false;
    busy.hidden = true;
    clearTimeout(patience);
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
  viewed(model, 1);
  // The kernel calls all pages: those that answer are there. One that goes says so if it can, and may come back.
  const answer = () => sayViews(model, VIEWS.get(model.get("mark")), model.get("call"));
  const here = () => sayViews(model, VIEWS.get(model.get("mark")));
  const away = () => sayViews(model, 0);
  model.on("change:call", answer);
  listening.push(["change:call", answer]);
  window.addEventListener("pageshow", here);
  window.addEventListener("pagehide", away);
  const close = () => {
    viewed(model, -1);
    window.removeEventListener("pageshow", here);
    window.removeEventListener("pagehide", away);
    clearTimeout(patience);
    listening.forEach(([name, f]) => model.off(name, f));
    window.removeEventListener("keydown", keys, true);
  };
  return { root, body, on, close };
}
