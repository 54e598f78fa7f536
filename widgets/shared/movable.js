// A picture that is moved by dragging and zoomed by the wheel, by buttons and by keys.

/**
 * Let the `scene` in an SVG be moved and zoomed. `least`: how far out. `parts`: a selector of what is clicked, not dragged.
 * `focus`: who gets the focus when the ground is pressed. `start()`: the view that shows all, or null. `placed(zoom)` is told.
 */
function movable(svg, scene, { least, parts, focus, start = () => ({ x: 0, y: 0, zoom: 1 }), placed = () => {} }) {
  const most = 4;
  let view = { x: 0, y: 0, zoom: 1 };
  let drag = null;
  const place = (to) => {
    view = to;
    scene.setAttribute("transform", `translate(${view.x.toFixed(1)} ${view.y.toFixed(1)}) scale(${view.zoom.toFixed(4)})`);
    svg.dataset.zoom = view.zoom.toFixed(2);
    placed(view.zoom);
  };
  const zoom = (factor, x = svg.clientWidth / 2, y = svg.clientHeight / 2) => {
    const to = Math.max(least, Math.min(most, view.zoom * factor));
    place({ x: x - ((x - view.x) * to) / view.zoom, y: y - ((y - view.y) * to) / view.zoom, zoom: to });
  };
  const move = (x, y) => place({ ...view, x: view.x + x, y: view.y + y });
  const fit = () => { const all = start(); if (all) place(all); };
  const inside = (event) => ({ x: event.clientX - svg.getBoundingClientRect().x, y: event.clientY - svg.getBoundingClientRect().y });
  svg.addEventListener("wheel", (event) => {
    // The page scrolls by the wheel too: it zooms for who has clicked into the picture, or holds Ctrl.
    if (!event.ctrlKey && !svg.contains(document.activeElement)) return;
    event.preventDefault();
    const at = inside(event);
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, at.x, at.y);
  }, { passive: false });
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest(parts)) return;
    focus()?.focus({ preventScroll: true });
    event.preventDefault();
    drag = { from: inside(event), x: view.x, y: view.y };
    svg.setPointerCapture(event.pointerId);
    svg.classList.add("sub-dragged");
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const at = inside(event);
    place({ ...view, x: drag.x + at.x - drag.from.x, y: drag.y + at.y - drag.from.y });
  });
  const drop = () => { drag = null; svg.classList.remove("sub-dragged"); };
  svg.addEventListener("pointerup", drop);
  svg.addEventListener("pointercancel", drop);
  /** Whether a key zooms, or shows all; then it is done. */
  const key = (pressed) => {
    const does = { "+": () => zoom(1.2), "=": () => zoom(1.2), "-": () => zoom(1 / 1.2), 0: fit }[pressed];
    does?.();
    return Boolean(does);
  };
  return { zoom, move, fit, key };
}

/** The buttons of a picture that is moved so. */
function zoomButtons(picture) {
  return [["−", "zoom out", () => picture.zoom(1 / 1.2)], ["+", "zoom in", () => picture.zoom(1.2)], ["fit", "show all", picture.fit]]
    .map(([word, label, f]) => h("button", { type: "button", "aria-label": label, title: label, onclick: f }, word));
}
