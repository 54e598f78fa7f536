// What stands in for a widget's model where there is no kernel: traits that can be got, set and listened to.

class Traits {
  #values;
  #listening = new Map();
  #unsaved = new Set();
  #saved;

  /** `saved(names)` is called with what the widget's script has set, once it saves it. */
  constructor(values, saved, manager) {
    this.#values = { ...FRAME, ...values };
    this.#saved = saved;
    this.widget_manager = manager;
  }

  get(name) {
    return this.#values[name];
  }

  set(name, value) {
    if (Object.is(this.#values[name], value)) return;
    this.#values[name] = value;
    this.#unsaved.add(name);
    for (const f of [...(this.#listening.get(`change:${name}`) ?? [])]) f();
  }

  save_changes() {
    const names = [...this.#unsaved];
    this.#unsaved.clear();
    this.receive({ heard: this.get("asked") }); // no cell keeps anyone waiting here
    this.#saved(names);
  }

  on(event, f) {
    if (!this.#listening.has(event)) this.#listening.set(event, new Set());
    this.#listening.get(event).add(f);
  }

  off(event, f) {
    this.#listening.get(event)?.delete(f);
  }

  /** Set traits as the kernel would: nothing is asked for by it. */
  receive(values) {
    for (const [name, value] of Object.entries(values)) {
      this.set(name, value);
      this.#unsaved.delete(name);
    }
  }
}

// What openPage (shared/page.js) needs of any model. A manager without a kernel is told nothing of views.
const FRAME = {
  selected: "", as_of: null, store: "", size: 0, working: "", progress: null, mark: "page", asked: 0, heard: 0, notice: "",
  problem: "", call: 0, page: {},
};

/** What is set in one of two models is set in the other, as if a person had set it there. */
function linkTraits(one, other, names) {
  for (const [from, to] of [[one, other], [other, one]]) {
    for (const name of names) {
      from.on(`change:${name}`, () => {
        if (Object.is(to.get(name), from.get(name))) return;
        to.set(name, from.get(name));
        to.save_changes();
      });
    }
  }
}
