// Explorer: the card of what waits for a person. It is there only while something waits.

const WAITING = { correction: "correction", text: "text without a domain", statement: "statement" };

/** One proposal: what it says, and two buttons. A text also needs a domain: one of the close ones, or a new one. */
function proposalOf(one, decide) {
  const domain = one.kind === "text"
    ? h("input", { type: "text", class: "ex-new sub-mono", "aria-label": "Domain", "data-testid": "pending-domain", value: one.near[0] ?? one.about, spellcheck: "false" })
    : null;
  const create = one.kind === "text" ? h("input", { type: "checkbox", "data-testid": "pending-create" }) : null;
  const button = (label, act) => h("button", { type: "button", "data-testid": `pending-${act}`,
    onclick: () => decide({ do: act, name: one.id, value: act === "accept" ? domain?.value ?? "" : "", tags: act === "accept" && create?.checked ? ["create"] : [] }) }, label);
  return h("div", { class: "ex-proposal", "data-testid": "proposal", "data-id": one.id },
    h("div", { class: "ex-line" }, h("span", { class: "sub-chip" }, WAITING[one.kind] ?? one.kind), stored(one.about, { class: "sub-stored ex-key" }),
      one.changed ? h("span", { class: "ex-badge ex-weak", title: "The atom changed since: it cannot be accepted" }, "changed since") : null,
      one.until ? h("span", { class: "sub-faint" }, "until ", moment(one.until)) : null),
    one.original === null ? null : h("div", { class: "ex-snippet ex-gone" }, "− ", stored(one.original)),
    h("div", { class: "ex-snippet" }, "+ ", stored(one.value),
      one.length > [...one.value].length ? h("span", { class: "sub-faint", "data-testid": "pending-more" }, ` … and ${(one.length - [...one.value].length).toLocaleString()} more characters`) : null),
    h("div", { class: "ex-row" }, domain, create ? h("label", { class: "sub-faint" }, create, " create it") : null, button("Accept", "accept"), button("Decline", "decline")));
}

/** The card. `wish` makes a change of the store. */
function pendingIn(model, on, wish) {
  const card = h("div", { class: "ex-pending", role: "region", "aria-label": "Waiting for you", "data-testid": "pending", hidden: true });
  on(["pending", "writable", "as_of"], () => {
    const { items = [], more = false } = model.get("pending") ?? {};
    card.hidden = !items.length || !model.get("writable") || model.get("as_of") !== null;
    const title = items.length ? [h("b", {}, `${items.length}${more ? "+" : ""} waiting for you`)] : [];
    redraw(card, [...title, items.map((one) => proposalOf(one, wish))], card);
  });
  return card;
}
