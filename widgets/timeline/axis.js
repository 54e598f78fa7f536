// The axis of the timeline: where marks stand, what is written under them.

const HEIGHT = 118;
const BASE = 92; // where the bars stand
const EDGE = 14; // so that marks at the ends are seen whole
const THUMB = 7; // half of the slider's, as in widget.css: it stands under what it means
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5]; // milliseconds
const DAY = 864e5;

/** From a place on the axis to one in the drawing, and back. */
function scaled(span, width) {
  const room = width - 2 * EDGE;
  const whole = Math.max(1, span.high - span.low);
  return {
    x: (place) => (span.high === span.low ? width / 2 : EDGE + ((place - span.low) / whole) * room),
    place: (x) => Math.round(span.low + (Math.min(Math.max(x - EDGE, 0), room) / room) * whole),
  };
}

/** Where on the axis a mark's bar is drawn: a run of heads in its middle. */
function middleOf(mark) {
  return mark.first === mark.size ? mark.at : (mark.from + mark.at) / 2;
}

/**
 * Where on the axis stands what was known after an entry: with the head that brought it; among entries, at the entry itself.
 * What is before all that is shown stands at its left end.
 */
function placeOf(asOf, marks, span) {
  const mark = marks.find((each) => each.size > asOf);
  if (!mark) return marks.length ? middleOf(marks.at(-1)) : span.low;
  if (asOf < mark.size - mark.entries) return span.low;
  return span.axis === "time" || asOf === mark.size - 1 ? middleOf(mark) : Math.min(Math.max(asOf, span.low), span.high);
}

/** The day or days of an axis whose labels are times of day; of another nothing. */
function daysOf(span) {
  if (span.axis === "entries" || span.high - span.low > 3 * DAY * 1000) return "";
  const [first, last] = [span.low, span.high].map((at) => new Date(at / 1000).toLocaleDateString(undefined, { dateStyle: "medium", timeZone: ZONE }));
  return `${first === last ? first : `${first} – ${last}`}, ${ZONE}`;
}

/** Round places for labels, at most about one for every 110 pixels. */
function ticks(span, width) {
  const most = Math.max(2, Math.floor(width / 110));
  if (span.low === span.high) return [[span.low, span.axis === "entries" ? span.low.toLocaleString() : clock(span.low / 1000, { second: "2-digit" })]];
  if (span.axis === "entries") {
    const rough = Math.max(1, (span.high - span.low) / most);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough));
    return range(Math.ceil(span.low / step) * step, span.high, step).map((at) => [at, at.toLocaleString()]);
  }
  const [low, high] = [span.low / 1000, span.high / 1000];
  const step = STEPS.find((each) => (high - low) / each <= most);
  if (step === undefined) return days(low, high, most);
  if (step < 1) { // closer than a time of the page can say: with microseconds
    const fine = Math.round(step * 1000);
    return range(Math.ceil(span.low / fine) * fine, span.high, fine).map((at) => [at, exactly(at)]);
  }
  const parts = { ...(step < 6e4 && { second: "2-digit" }), ...(step < 1e3 && { fractionalSecondDigits: 3 }) };
  return range(Math.ceil(low / step) * step, high, step).map((at) => [at * 1000, clock(at, parts)]);
}

/** A time of day in the one zone of all widgets, from milliseconds; from microseconds to the microsecond. */
function clock(milliseconds, parts) {
  return new Date(milliseconds).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: ZONE, ...parts });
}

function exactly(microseconds) {
  return `${clock(microseconds / 1000, { second: "2-digit" })}.${String(microseconds % 1e6).padStart(6, "0")}`;
}

function days(low, high, most) {
  const every = Math.ceil((high - low) / DAY / most);
  const first = new Date(low);
  first.setUTCHours(24, 0, 0, 0);
  const shown = [];
  for (const day = first; day <= high; day.setUTCDate(day.getUTCDate() + every)) {
    shown.push([day.getTime() * 1000, day.toLocaleDateString(undefined, { day: "numeric", month: "short", timeZone: ZONE, ...(high - low > 300 * DAY && { year: "numeric" }) })]);
  }
  return shown;
}

function range(start, stop, step) {
  return Array.from({ length: Math.max(0, Math.min(60, Math.floor((stop - start) / step) + 1)) }, (_, i) => start + i * step);
}

/** A moment in microseconds, in words; below a minute of what is shown, with parts of seconds. */
function when(microseconds, span) {
  const time = new Date(microseconds / 1000);
  const fine = span.axis === "time" && span.high - span.low > 0 && span.high - span.low < 6e7;
  const day = time.toLocaleDateString(undefined, { dateStyle: "medium", timeZone: ZONE });
  return `${day}, ${fine ? exactly(microseconds) : clock(time, { second: "2-digit" })} ${ZONE}`;
}

/** What a mark stands for, in a line. */
function markTitle(mark, span) {
  const what = mark.first === mark.size ? `head of size ${mark.size.toLocaleString()}` : `heads of size ${mark.first.toLocaleString()} to ${mark.size.toLocaleString()}`;
  return `${what}, ${mark.entries.toLocaleString()} ${mark.entries === 1 ? "entry" : "entries"} more, ${when(mark.time, span)}`;
}

/** The drawing: axis, labels, the moment that is looked from, and a bar for each mark, the higher the more it added. */
function drawAxis(marks, span, width, { asOf, picked, focus }) {
  const { x } = scaled(span, width);
  const most = Math.max(1, ...marks.map((mark) => mark.entries));
  const tall = (mark) => 10 + (58 * Math.log1p(mark.entries)) / Math.log1p(most);
  const parts = [s("line", { class: "tl-axis", x1: 0, x2: width, y1: BASE + 0.5, y2: BASE + 0.5 }), s("text", { class: "tl-label tl-days", x: 0, y: 10 }, daysOf(span))];
  for (const [at, label] of ticks(span, width)) {
    parts.push(s("line", { class: "tl-tick", x1: x(at), x2: x(at), y1: BASE, y2: BASE + 5 }),
      s("text", { class: "tl-label", x: Math.min(Math.max(x(at), 26), width - 26), y: BASE + 19 }, label));
  }
  const over = []; // what came later is still there, but faint
  if (asOf !== null) {
    const at = x(placeOf(asOf, marks, span)); // the thumb stands right below; the bar itself stays clear
    over.push(s("rect", { class: "tl-later", x: at + 5, y: 0, width: Math.max(0, width - at - 5), height: BASE }),
      s("line", { class: "tl-now", x1: at, x2: at, y1: 2, y2: BASE + 6, "data-testid": "as-of" }));
  }
  const bars = marks.map((mark, i) => {
    const letter = picked.indexOf(mark.size) < 0 ? "" : picked.length === 2 && picked.indexOf(mark.size) === 1 ? "B" : "A";
    const run = mark.first !== mark.size;
    const [left, right, h] = [x(mark.from), x(mark.at), tall(mark)];
    const w = run ? Math.max(4, right - left - 1) : 5;
    const middle = x(middleOf(mark));
    return s("g", {
      class: ["tl-mark", run && "tl-run", letter && "tl-picked"].filter(Boolean).join(" "), role: "option", tabindex: i === focus ? 0 : -1,
      "aria-selected": String(Boolean(letter)), "aria-label": markTitle(mark, span), "data-testid": "mark", "data-size": mark.size, "data-at": i,
    }, s("title", {}, markTitle(mark, span)),
      s("rect", { class: "tl-hit", x: middle - Math.max(w, 9) / 2, y: 4, width: Math.max(w, 9), height: BASE - 4 }),
      s("rect", { class: "tl-bar", x: middle - w / 2, y: BASE - h, width: w, height: h, rx: 1.5 }),
      letter ? s("text", { class: "tl-letter", x: middle, y: BASE - h - 5 }, letter) : null);
  });
  return [...parts, ...bars, ...over];
}
