// The proof of an atom, with the means to change a byte of it. What is drawn, and how, is in drawing.js.

const COMMAND = "python examples/verify_proof.py proof.json --key auditor.key";

function render({ model, el }) {
  const { body, on, close } = openPage(model, el, "Proof");
  const open = new Set();
  let nodes = new Map();
  let boxes = [];
  let focus = "signed";

  const name = h("input", { class: "pv-name", type: "text", spellcheck: "false", placeholder: "the name of an atom, such as v1.fact.payment_provider", "aria-label": "Atom", "data-testid": "proof-name" });
  const prove = () => tell(model, { selected: name.value.trim() });
  name.addEventListener("keydown", (event) => { if (event.key === "Enter") prove(); });
  const ask = h("div", { class: "pv-ask" }, name, h("button", { type: "button", "data-testid": "prove", onclick: prove }, "Prove"));
  const verdict = h("div", { class: "pv-verdict", role: "status", "data-testid": "verdict" });
  const part = h("select", { "aria-label": "Part to change", "data-testid": "part" });
  const change = h("button", { type: "button", "data-testid": "change", onclick: () => tell(model, { changed: part.value }) }, "Change one byte");
  const restore = h("button", { type: "button", "data-testid": "restore", onclick: () => tell(model, { changed: "" }) }, "Restore");
  const copies = h("span", { class: "pv-copies", role: "group", "aria-label": "Copy" });
  const tools = h("div", { class: "pv-tools" }, part, change, restore, copies);
  const detail = h("div", { class: "pv-detail", "data-testid": "detail", "aria-live": "polite" });
  const svg = s("svg", { class: "pv-drawing", role: "group", "aria-label": "From what was said up to the signature" });
  const empty = h("p", { class: "sub-faint", "data-testid": "empty" }, "Name an atom, or select one in a linked widget, to see its proof. One that is not there has a proof, too.");
  const key = (kind, words) => h("span", { class: "pv-entry" }, h("span", { class: `pv-key pv-key-${kind}` }), h("span", {}, words));
  const legend = h("div", { class: "pv-legend sub-faint" }, key("given", "brought by the bundle"),
    key("made", "worked out from what is below it; of a pair: SHA-256(01 | left | right)"), key("red", "not as it was signed"));
  body.append(ask, verdict, tools, detail, svg, legend, empty);

  function showDetail() {
    const node = nodes.get(focus);
    detail.hidden = !node;
    if (!node) return;
    const names = node.inputs.map((id) => nodes.get(id).title);
    const made = node.formula ? `${node.formula}${names.length ? `, from ${names.join(" and ")}` : ""}` : "as the bundle brings it";
    const side = node.place ? `; it stands to the ${node.place}` : "";
    const what = node.id === "signed" ? (node.good ? `valid: ${model.get("verdict").signer ?? ""}` : "not valid over what this leads to") : node.empty ? "an empty subtree: 32 zero bytes" : node.bytes;
    redraw(detail, [
      h("div", {}, h("b", {}, node.title), h("span", { class: "sub-faint" }, ` ${made}${side}`)),
      node.text && node.id !== "signed" ? h("div", { class: "pv-says" }, stored(node.text)) : null,
      what ? h("div", { class: "pv-bytes sub-mono" }, h("span", { "data-testid": "bytes" }, what), node.bytes && node.id !== "signed" && !node.empty ? copyButton(node.bytes, "copy") : null) : null,
      node.red && node.was && node.was !== node.bytes && node.id !== "signed" ? h("div", { class: "pv-bytes sub-mono sub-faint", "data-testid": "was" }, model.get("changed") ? "was " : "follows from below: ", stored(node.was)) : null]);
  }

  function look(id, { grab = true } = {}) {
    focus = id;
    for (const box of svg.querySelectorAll("[data-node]")) {
      const own = box.dataset.node === id;
      box.setAttribute("tabindex", own ? 0 : -1);
      box.classList.toggle("pv-looked", own);
      if (own && grab) box.focus();
    }
    showDetail();
  }

  function pick(id, isFold) {
    if (isFold) return open.add(id.startsWith("map") ? "map" : "log"), draw(), look(id);
    if (nodes.get(id)?.part && !model.get("changed")) part.value = id;
    look(id);
  }

  function draw() {
    const width = Math.max(320, Math.floor(body.clientWidth || 900));
    const shown = nodes.size > 0;
    svg.style.display = shown ? "" : "none";
    empty.hidden = shown || Boolean(model.get("verdict").words) || Boolean(model.get("problem"));
    tools.hidden = legend.hidden = !shown;
    if (!shown) return svg.replaceChildren(), showDetail();
    const fonts = fontsOf(body);
    const plan = placed(nodes, width, open, fonts);
    boxes = plan.boxes;
    if (!boxes.some((box) => box.id === focus)) focus = "signed";
    const held = svg.contains(document.activeElement); // who has the focus keeps it
    svg.setAttribute("width", width);
    svg.setAttribute("height", plan.height);
    svg.replaceChildren(
      ...plan.labels.map(({ side, x, y, w }) => s("text", { class: "pv-side", x: side === "map" && x ? x + w : x, y, "text-anchor": side === "map" && x ? "end" : "start" }, side === "log" ? "log: it was recorded" : "map of names: it is so now")),
      ...lines(nodes, boxes), ...boxes.map((box) => drawBox(box, nodes, focus, fonts)));
    look(focus, { grab: held });
  }

  svg.addEventListener("click", (event) => {
    const box = event.target.closest("[data-node]");
    if (box) pick(box.dataset.node, box.dataset.testid === "proof-fold");
  });
  svg.addEventListener("mouseover", (event) => {
    const box = event.target.closest("[data-node]");
    if (box && !svg.contains(document.activeElement)) look(box.dataset.node, { grab: false });
  });
  svg.addEventListener("focusin", (event) => look(event.target.dataset.node, { grab: false }));
  svg.addEventListener("keydown", (event) => {
    const here = boxes.find((box) => box.id === focus);
    const go = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (event.key === "Enter" || event.key === " ") pick(here.id, Boolean(here.fold));
    else if (event.key === "Escape") tell(model, { changed: "" });
    else if (go) {
      const middle = (box) => box.x + box.w / 2;
      const ahead = boxes.filter((box) => (go[1] ? Math.sign(box.y - here.y) === go[1] : box.y === here.y && Math.sign(box.x - here.x) === go[0]));
      const far = (box) => (go[1] ? Math.abs(box.y - here.y) * 4 : 0) + Math.abs(middle(box) - middle(here));
      const next = ahead.sort((a, b) => far(a) - far(b))[0];
      if (next) look(next.id);
    } else return;
    event.preventDefault();
  });

  on("selected", () => { name.value = model.get("selected"); open.clear(); });
  on(["nodes", "problem"], () => { nodes = new Map(model.get("nodes").map((node) => [node.id, node])); draw(); });
  on("parts", () => {
    const before = part.value;
    const groups = { log: "log", map: "map of names", head: "head" };
    part.replaceChildren(...Object.entries(groups).map(([side, label]) => h("optgroup", { label },
      ...model.get("parts").filter((each) => each.side === side).map((each) => h("option", { value: each.id }, `${label}: ${each.title}`)))).filter((group) => group.children.length));
    if (model.get("parts").some((each) => each.id === before)) part.value = before;
  });
  on(["changed", "parts"], () => {
    const changed = model.get("changed");
    const held = [change, restore, part].includes(document.activeElement) && document.activeElement;
    if (changed) part.value = changed;
    restore.disabled = !changed;
    change.disabled = part.disabled = Boolean(changed) || !model.get("parts").length; // nothing to change, if it is false as it is
    if (held?.disabled) (change.disabled ? restore : change).focus(); // a button that is disabled would lose it to the page
  });
  on(["verdict", "proof"], () => {
    const said = model.get("verdict");
    verdict.hidden = !said.words;
    verdict.dataset.ok = String(said.ok);
    redraw(verdict, [
      said.change ? h("div", { class: "pv-change", "data-testid": "changed" }, said.change) : null,
      h("div", {}, h("b", {}, said.headline ?? ""), " ", stored(said.words ?? "")),
      said.trust ? h("div", { class: "sub-faint", "data-testid": "trust" }, said.trust) : said.ok ? h("div", { class: "sub-faint" }, "By this store's own key, ", stored(said.signer, { class: "sub-mono" }), ". Give others the key separately from the proof.") : null]);
    const proof = model.get("proof");
    const copy = (what, text, title) => {
      const button = copyButton(text, what);
      return Object.assign(button.dataset, { testid: `copy-${what}` }), title && (button.title = title), button;
    };
    redraw(copies, [h("span", { class: "sub-faint" }, "copy"),
      proof ? copy("proof", proof, "The bundle file, as it is shown") : h("span", { class: "sub-faint", title: "memory.prove(name).to_json()" }, "(large proof: memory.prove(…).to_json())"),
      copy("key", said.key ?? ""),
      copy("command", COMMAND, `Check it without this package: ${COMMAND}`)]);
  });
  const resized = new ResizeObserver(quiet(60, draw));
  resized.observe(body);
  return () => { resized.disconnect(); close(); };
}

export default { render };
