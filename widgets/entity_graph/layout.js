// Where entities stand: forces, from places that depend on nothing but their order. The same graph has the same picture.

const SPACE = 96;

/** Places of nodes, each {x, y}: joined ones near, all apart, and all drawn to the middle. */
function layout(nodes, edges) {
  const places = nodes.map((_, at) => {
    const turn = at * 2.399963; // the golden angle: no two in one direction
    const far = SPACE * 0.75 * Math.sqrt(at + 0.5);
    return { x: Math.cos(turn) * far, y: Math.sin(turn) * far };
  });
  const steps = nodes.length > 150 ? 120 : 260;
  for (let step = 0; step < steps; step += 1) {
    const moves = places.map((place) => ({ x: -place.x * 0.012, y: -place.y * 0.02 }));
    for (let a = 0; a < places.length; a += 1) {
      for (let b = a + 1; b < places.length; b += 1) {
        const [dx, dy] = [places[a].x - places[b].x, (places[a].y - places[b].y) * 1.6];
        const square = Math.max(25, dx * dx + dy * dy);
        if (square > 260_000) continue;
        const push = (SPACE * SPACE * 0.55) / square;
        const length = Math.sqrt(square);
        const [px, py] = [(dx / length) * push * 12, (dy / length) * push * 12];
        moves[a].x += px; moves[a].y += py; moves[b].x -= px; moves[b].y -= py;
      }
    }
    for (const edge of edges) {
      if (edge.source === edge.target) continue;
      const [from, to] = [places[edge.source], places[edge.target]];
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const length = Math.max(1, Math.hypot(dx, dy));
      const pull = (length - SPACE * 1.5) * 0.035;
      const [px, py] = [(dx / length) * pull, (dy / length) * pull];
      moves[edge.source].x += px; moves[edge.source].y += py; moves[edge.target].x -= px; moves[edge.target].y -= py;
    }
    const most = 18 * (1 - step / steps) + 0.5;
    places.forEach((place, at) => {
      const length = Math.max(0.001, Math.hypot(moves[at].x, moves[at].y));
      const by = Math.min(most, length) / length;
      place.x += moves[at].x * by;
      place.y += moves[at].y * by;
    });
  }
  return places;
}
