// The page: it asks for a token, then shows the Explorer, whose proofs it checks itself. `verify` is exported for its tests.

import explorer from "./explorer.js";
import proofViewer from "./proof_viewer.js";

const QUESTION = ["query", "type", "domain", "tag", "since", "until", "as_of"];
const SECURE = "This browser checks proofs on https pages and on this machine alone: the server's check is shown instead.";

const SEALED = "ciphertext1:";
const LOOK_MS = 30_000; // between two looks at whether something was written: a token may call 60 times a minute

/** Who is trusted, as the person said it: a verifier key, a pin, or nobody. Its own server is trusted with nothing. */
function trusting(said) {
  const text = said.trim();
  return text.startsWith("substrate pin") ? { pin: `${text}\n`, key: null } : { pin: null, key: text || null };
}

/** What the page's own verifier says of a bundle that is to be about `name`: {ok, result, why, by}. */
async function judge(bundle, name, given, serverKey) {
  const { key, pin } = trusting(given);
  try {
    const result = await verify(bundle, key ?? (pin ? null : serverKey), pin);
    const about = result.name ?? (result.entry?.kind === "forget" ? name : result.body.get("name"));
    need(about === name, "this is a proof of another name");
    return { ok: true, result, by: key ? "the key that you gave" : pin ? "the pin that you gave" : "" };
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    return { ok: false, why: error.message };
  }
}

/** The badge of an atom, by the page's own check: of its proof, and that it proves what is shown. */
async function badgeFor(detail, given, serverKey) {
  const { bundle, ...said } = detail.proof ?? {};
  if (!bundle || !crypto.subtle) return detail.proof;
  const { ok, result, why, by } = await judge(bundle, detail.name, given, serverKey);
  if (!ok) return { bundle, verified: false, reason: why };
  const value = result.body.get("value") ?? "";
  const sealed = value.startsWith(SEALED); // what is shown of it, if anything, only who has its key can compare
  if (detail.state === "there" && !sealed && Array.from(value).slice(0, detail.shown).join("") !== detail.value) {
    return { bundle, verified: false, reason: "the proof is of another value than the one shown" };
  }
  const title = by ? `Checked in this browser, against ${by}` : "Checked in this browser, against the key that this server sent. To know who signed it, give the verifier key above.";
  return { ...said, bundle, verified: true, claim: result.claim, seq: result.entry ? Number(result.entry.seq) : null, size: Number(result.head.size), word: `${by ? "verified" : "consistent"}${sealed ? " as ciphertext" : ""}`, title };
}

/** The verdict on a proof that is drawn. What cannot be checked here says who checked it. */
async function verdictFor(answer, name, given) {
  const said = answer.verdict;
  if (!answer.proof || said.ok === undefined) return said.ok ? { ...said, trust: "Checked by the server: this proof is too large for the page." } : said;
  if (!crypto.subtle) return { ...said, trust: SECURE };
  const { ok, why, by } = await judge(answer.proof, name, given, said.key);
  if (!ok) return { ...said, ok: false, headline: "Rejected", words: why };
  const trust = by ? `Checked in this browser, against ${by}.`
    : "Checked in this browser, against the key that this server sent. To know who signed it, give the verifier key that you got from its keeper.";
  return { ...said, ok: true, headline: by ? "Verified" : "Consistent", trust };
}

/** The Explorer and the proof viewer of a store that is only read. `lost(error)`: the token is no longer taken. */
function openStore(el, ask, first, trust, lost) {
  const problems = new Map();
  const tellProblem = (model, kinds, problem) => {
    for (const kind of kinds) problems.set(kind, problem);
    model.receive({ problem: [...problems.values()].find(Boolean) ?? "" });
  };
  const failed = (model) => (kinds, error) => {
    model.receive({ working: "" });
    if (error.status === 401) lost(error);
    else tellProblem(model, kinds, error.message);
  };
  const { key: serverKey, store, size, ...offered } = first;

  // -- the proof viewer
  let proof = null;
  const proofModel = () => {
    const model = new Traits({ store, changed: "", nodes: [], parts: [], verdict: {}, proof: "" }, (names) => {
      if (names.includes("selected") || names.includes("as_of")) model.receive({ changed: "" });
      if (["selected", "as_of", "changed"].some((name) => names.includes(name))) want("proof");
    }, { kernel: null });
    const nothing = { nodes: [], parts: [], verdict: {}, proof: "" };
    const take = async (_, answer) => {
      tellProblem(model, ["proof"], answer?.problem ?? "");
      if (!answer || answer.problem) return model.receive(nothing);
      model.receive({ ...answer, verdict: await verdictFor(answer, model.get("selected"), trust()) });
    };
    const want = askingInTurn(ask, () => (model.get("selected") ? { name: model.get("selected"), as_of: model.get("as_of"), changed: model.get("changed") } : null), take, failed(model));
    model.again = () => want("proof");
    return model;
  };

  // -- the Explorer
  const manager = {
    kernel: null,
    create_view: async (model) => {
      const place = h("div");
      const close = proofViewer.render({ model, el: place });
      return { el: place, remove: () => (close(), place.remove()) };
    },
  };
  const model = new Traits({
    store, offered, query: "", type: "", domain: "", tag: "", since: "", until: "", limit: 30, offset: 0, whole: false, answer: {}, detail: {},
    writable: false, change: {}, changed: {}, proving: false, proof: null,
  }, (names) => {
    const has = (...some) => some.some((name) => names.includes(name));
    if (has(...QUESTION)) model.receive({ offset: 0 });
    if (has("selected")) model.receive({ whole: false });
    if (has(...QUESTION, "limit", "offset")) want("find");
    if (has("selected", "as_of", "whole")) want("detail");
    if (has("proving") && model.get("proving") && !proof) {
      proof = proofModel();
      proof.receive({ selected: model.get("selected"), as_of: model.get("as_of") });
      linkTraits(model, proof, ["selected", "as_of"]);
      model.receive({ proof });
      proof.again();
    }
  }, manager);
  const question = (kind) => {
    const of = (...names) => Object.fromEntries(names.map((name) => [name, model.get(name)]));
    model.receive({ working: kind === "find" ? "Searching" : "Reading" });
    if (kind === "find") return of(...QUESTION, "limit", "offset");
    return model.get("selected") ? { name: model.get("selected"), ...of("as_of", "whole") } : null;
  };
  const take = async (kind, answer) => {
    model.receive({ working: "" });
    tellProblem(model, [kind], answer?.problem ?? "");
    if (kind === "find") model.receive({ answer: answer.problem ? { query: model.get("query"), hits: [], failed: true } : answer });
    else if (answer?.problem) model.receive({ detail: { asked: model.get("selected"), state: "failed" } });
    else model.receive({ detail: answer ? { ...answer, proof: await badgeFor(answer, trust(), serverKey) } : {} });
  };
  const want = askingInTurn(ask, question, take, (kinds, error) => {
    if (kinds.includes("find")) model.receive({ answer: { query: model.get("query"), hits: [], failed: true } });
    failed(model)(kinds, error);
  });
  const closeExplorer = explorer.render({ model, el });
  want("find");

  // -- what others write meanwhile: looked for now and then while the page is seen, and when somebody comes back to it
  let seen = size;
  const look = askingInTurn(ask, () => ({}), (_, answer) => {
    tellProblem(model, ["offer"], answer?.problem ?? "");
    if (!answer || answer.problem || answer.size === seen) return;
    seen = answer.size;
    model.receive({ offered: { types: answer.types, domains: answer.domains, atoms: answer.atoms } });
    want("find", "detail");
    if (proof) proof.again();
  }, failed(model));
  const lookIfSeen = () => document.visibilityState === "visible" && look("offer");
  const looking = setInterval(lookIfSeen, LOOK_MS);
  window.addEventListener("focus", lookIfSeen);
  document.addEventListener("visibilitychange", lookIfSeen);
  return {
    close: () => {
      clearInterval(looking);
      window.removeEventListener("focus", lookIfSeen);
      document.removeEventListener("visibilitychange", lookIfSeen);
      closeExplorer();
    },
    /** Someone else is trusted from here on: what is shown is judged again. */
    judgeAgain: async () => {
      const detail = model.get("detail");
      if (detail.proof) model.receive({ detail: { ...detail, proof: await badgeFor(detail, trust(), serverKey) } });
      if (proof) proof.again();
    },
    wait: (seconds) => model.receive({ notice: seconds ? `This token has called often: the next answer comes in ${seconds} s.` : "" }),
  };
}

function start(page) {
  const asksToken = page.dataset.asks === "token";
  const token = h("input", { type: "text", class: "web-secret", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": "Token", "data-testid": "token", placeholder: "sbt_…" });
  const enter = h("button", { type: "submit", "data-testid": "enter" }, "Open");
  const said = h("p", { class: "web-said", role: "alert", "data-testid": "said", hidden: true });
  const door = h("form", { class: "substrate web-door", hidden: true, onsubmit: (event) => (event.preventDefault(), open(token.value.trim())) },
    h("h1", {}, "Memory"), h("p", {}, "Give the token that you got from the keeper of this server."),
    h("div", { class: "web-row" }, token, enter), said,
    h("p", { class: "sub-faint" }, "The token stays in the memory of this page: nothing is stored, and a reload asks for it again. This page only reads."));
  const key = h("input", { type: "text", class: "web-key", autocomplete: "off", spellcheck: "false", "aria-label": "Verifier key or pin", "data-testid": "key", placeholder: "name+id+key: from the keeper, not from this server",
    onchange: () => opened?.judgeAgain() });
  const leave = h("button", { type: "button", class: "sub-quiet", "data-testid": "leave", onclick: () => shut("") }, "leave");
  const bar = h("div", { class: "substrate web-bar", hidden: true }, h("label", { class: "web-trust" }, h("span", {}, "Verifier key"), key),
    h("span", { class: "sub-faint web-hint" }, "Proofs are checked in this browser. With a key that you trust, you also know who signed them."), asksToken ? leave : null);
  const place = h("div", { class: "web-place" });
  page.replaceChildren(door, bar, place);
  let opened = null;

  function shut(why) {
    opened?.close();
    opened = null;
    place.replaceChildren();
    bar.hidden = true;
    door.hidden = false;
    said.hidden = !why;
    said.replaceChildren(visible(why));
    token.focus();
  }

  async function open(given) {
    enter.disabled = true;
    const ask = askingWith(given, (seconds) => opened?.wait(seconds));
    try {
      const { offer } = await ask({ offer: {} });
      if (offer.problem) throw new Refused(0, offer.problem);
      token.value = "";
      door.hidden = said.hidden = true;
      bar.hidden = false;
      opened = openStore(place, ask, offer, () => key.value, (error) => shut(error.message));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      shut(error.message);
    } finally {
      enter.disabled = false;
    }
  }

  if (asksToken) shut("");
  else open("");
}

if (document.getElementById("page")) start(document.getElementById("page"));

export { Rejected, verify };
