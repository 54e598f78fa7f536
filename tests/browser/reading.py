"""Whether what a widget shows can be read: the contrast of its texts, as the page computes it."""

from __future__ import annotations

from playwright.sync_api import Locator

__all__ = ["unreadable"]

_CONTRASTS = """(root) => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const over = (colours) => { // what is seen of colours that are painted one over the other
    paint.fillStyle = "#fff";
    paint.fillRect(0, 0, 1, 1);
    for (const colour of colours) { paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1); }
    return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const found = [];
    for (let at = element; at; at = at.parentElement) {
      found.unshift(getComputedStyle(at).backgroundColor);
      const box = at.tagName === "g" ? at.querySelector(":scope > rect:not(.tl-hit)") : null;
      if (box && element.tagName === "text" && !element.matches(".pv-formula, .tl-letter")) {
        const fill = getComputedStyle(box).fill;
        found.unshift(fill === "none" ? "transparent" : fill);
      }
    }
    return found;
  };
  const found = [];
  const words = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const element = words.currentNode.parentElement;
    const style = getComputedStyle(element);
    if (!words.currentNode.data.trim() || !element.getClientRects().length) continue;
    if (element.closest("title, :disabled, option, .sub-idle")) continue;
    const back = behind(element);
    const ink = element.namespaceURI.endsWith("svg") ? style.fill : style.color;
    const [a, b] = [light(over([...back, ink])), light(over(back))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) found.push(`${contrast.toFixed(2)}: ${words.currentNode.data.trim().slice(0, 60)}`);
  }
  return found;
}"""


def unreadable(widget: Locator) -> list[str]:
    """The texts with a contrast below 4.5 to what is behind them (WCAG, AA), each after its contrast."""
    found: list[str] = widget.evaluate(_CONTRASTS)
    return found
