// The picture of a curve: the score of one atom over time, its touches, and the thresholds. The height is the root of the score, so that low ones are told apart.

const CURVE = { high: 250, left: 34, right: 12, top: 14, bottom: 22 };
const DAY = 86_400_000;
const dayOf = (time, span) => new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short", year: span > 300 * DAY ? "numeric" : undefined, timeZone: ZONE });
const hourOf = (time) => new Date(time).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: ZONE });

/** Times to be written below the axis, at round days. */
function ticksOf(from, to, wide) {
  const most = Math.max(2, Math.floor(wide / 110));
  const step = [1, 2, 5, 7, 14, 30, 60, 90, 180, 365, 730, 1825, 3650, 7300].find((days) => (to - from) / (days * DAY) <= most) ?? 18_250;
  const first = Math.ceil(from / (step * DAY)) * step * DAY;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / (step * DAY)) + 1) }, (_, at) => first + at * step * DAY);
}

/** The score at a time, between the points around it. */
function scoreAt(points, time) {
  const at = points.findIndex(([moment]) => moment >= time);
  if (at <= 0) return points[at === 0 ? 0 : points.length - 1][1];
  const [[from, low], [to, high]] = [points[at - 1], points[at]];
  return to === from ? high : low + ((high - low) * (time - from)) / (to - from);
}

/** The moving picture. Gives the element, `show(curve, thresholds)` and `close`. `read(time, score)` hears where one looks; null: nowhere. */
function curveView(read) {
  const scene = s("g", {});
  const cursor = s("g", { class: "fd-cursor" });
  const svg = s("svg", { class: "fd-curve", role: "slider", tabindex: "0", "data-testid": "curve", "aria-label": "score over time; arrow keys read it at other times, Home goes to now", height: CURVE.high }, scene, cursor);
  let [shown, limits, wide, at] = [null, null, 0, null];
  const span = () => [shown.points[0][0], shown.points.at(-1)[0]];
  const inner = () => wide - CURVE.left - CURVE.right;
  const xOf = (time) => CURVE.left + (inner() * (time - span()[0])) / Math.max(1, span()[1] - span()[0]);
  const top = () => Math.max(1.1, ...shown.points.map(([, score]) => score * 1.08));
  const yOf = (score) => CURVE.top + (CURVE.high - CURVE.top - CURVE.bottom) * (1 - Math.sqrt(Math.max(0, score) / top()));
  const pathOf = (points) => points.map(([time, score], place) => `${place ? "L" : "M"}${xOf(time).toFixed(1)} ${yOf(score).toFixed(1)}`).join("");

  const look = (time) => {
    at = time;
    cursor.replaceChildren();
    if (time === null || !shown) { read(null); return; }
    const score = scoreAt(shown.points, time);
    cursor.append(s("path", { d: `M${xOf(time).toFixed(1)} ${CURVE.top}V${CURVE.high - CURVE.bottom}` }), s("circle", { cx: xOf(time).toFixed(1), cy: yOf(score).toFixed(1), r: 3.5 }));
    read(time, score);
    describe(time, score);
  };
  const describe = (time, score) => {
    const [from, to] = span();
    for (const [name, value] of [["aria-valuemin", Math.round(from)], ["aria-valuemax", Math.round(to)], ["aria-valuenow", Math.round(time)], ["aria-valuetext", `${dayOf(time, to - from)}: score ${score.toFixed(2)}`]]) svg.setAttribute(name, value);
  };
  const timeOf = (event) => {
    const [from, to] = span();
    const share = (event.clientX - svg.getBoundingClientRect().x - CURVE.left) / Math.max(1, inner());
    return from + Math.max(0, Math.min(1, share)) * (to - from);
  };
  svg.addEventListener("pointermove", (event) => shown && look(timeOf(event)));
  svg.addEventListener("pointerleave", () => look(null));
  svg.addEventListener("blur", () => look(null));
  svg.addEventListener("keydown", (event) => {
    if (!shown) return;
    const [from, to] = span();
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (by) look(Math.max(from, Math.min(to, (at ?? shown.now) + (by * (to - from)) / 100)));
    else if (event.key === "Home") look(shown.now);
    else if (event.key === "Escape") look(null);
    else return;
    event.preventDefault();
  });

  const draw = () => {
    if (!shown || !svg.clientWidth) return;
    wide = svg.clientWidth;
    const [from, to] = span();
    const right = wide - CURVE.right;
    const floor = CURVE.high - CURVE.bottom;
    const line = (score, kind, words, end) => [s("path", { class: `fd-line fd-${kind}`, d: `M${CURVE.left} ${yOf(score).toFixed(1)}H${right}` }),
      s("text", { class: `fd-word fd-${kind}`, x: end ? right - 4 : CURVE.left + 5, y: (yOf(score) + (end ? -4 : 12)).toFixed(1), "text-anchor": end ? "end" : "start" }, words)];
    const [low, high] = limits.review;
    const past = shown.points.filter(([time]) => time <= shown.now);
    const coming = shown.points.filter(([time]) => time >= shown.now);
    const scores = [0, 0.5, 1, 2, 3, 5, 8, 12, 20].filter((score) => score < top());
    scene.replaceChildren(...[
      s("path", { class: "fd-band", d: `M${CURVE.left} ${yOf(high).toFixed(1)}H${right}V${yOf(low).toFixed(1)}H${CURVE.left}Z` }),
      scores.map((score) => [s("path", { class: "fd-grid", d: `M${CURVE.left} ${yOf(score).toFixed(1)}H${right}` }), s("text", { class: "fd-tick", x: CURVE.left - 5, y: yOf(score).toFixed(1), dy: "0.35em", "text-anchor": "end" }, String(score))]),
      ticksOf(from, to, inner()).map((time) => s("text", { class: "fd-tick", x: xOf(time).toFixed(1), y: CURVE.high - 6, "text-anchor": xOf(time) > right - 24 ? "end" : "middle" }, dayOf(time, to - from))),
      line(limits.promote, "promote", `from ${limits.promote} on worth keeping`, true), line(limits.forget, "forget", `below ${limits.forget} a sweep may take it`, false),
      s("text", { class: "fd-word fd-review", x: CURVE.left + 5, y: (yOf(high) + 13).toFixed(1) }, `due for review: ${low} to ${high}`),
      s("path", { class: "fd-now", d: `M${xOf(shown.now).toFixed(1)} ${CURVE.top - 4}V${floor}` }),
      s("text", { class: "fd-tick", x: xOf(shown.now).toFixed(1), y: CURVE.top - 5, "text-anchor": xOf(shown.now) > right - 20 ? "end" : xOf(shown.now) < CURVE.left + 20 ? "start" : "middle" }, "now"),
      s("path", { class: "fd-area", d: past.length > 1 ? `${pathOf(past)}L${xOf(shown.now).toFixed(1)} ${floor}L${xOf(from).toFixed(1)} ${floor}Z` : "" }),
      s("path", { class: "fd-past", d: pathOf(past) }), s("path", { class: "fd-coming", d: pathOf(coming) }),
      shown.touches.map((touch) => s("circle", { class: `fd-touch fd-${touch.kind}`, "data-testid": "touch-mark", cx: xOf(touch.time).toFixed(1), cy: yOf(touch.score).toFixed(1), r: 4 },
        s("title", {}, `${touch.kind}${touch.times > 1 ? ` ${touch.times} times` : ""}, ${dayOf(touch.time, to - from)} ${hourOf(touch.time)} ${ZONE}: score ${touch.score.toFixed(2)}`))),
    ].flat(Infinity));
    describe(shown.now, scoreAt(shown.points, shown.now));
    look(at);
  };
  const show = (curve, thresholds) => {
    if (shown?.name !== curve.name) at = null;
    [shown, limits] = [curve, thresholds];
    draw();
  };
  const watch = new ResizeObserver(() => { if (svg.clientWidth !== wide) draw(); });
  watch.observe(svg);
  return { svg, show, close: () => watch.disconnect() };
}
