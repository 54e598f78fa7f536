"""How many views of a widget are open, over all pages that show it: each page says how many it has itself.

A page may vanish without a word. So when one comes or goes, all are called to say it again (`call`), and whoever has
said nothing since the call before is forgotten. If it is there after all, its answer brings it back.
"""

from __future__ import annotations

__all__ = ["Pages"]


class Pages:
    """Holds the pages that are there, and at most those that vanished since all were called the last time but one."""

    def __init__(self) -> None:
        self.call = 0
        """How often all were called."""
        self._views: dict[str, int] = {}
        self._heard: set[str] = set()
        """Who said something since the last call."""

    @property
    def views(self) -> int:
        """In all pages together."""
        return sum(self._views.values())

    def hear(self, page: str, views: int, call: int | None = None) -> None:
        """This page, which has an id of its own each time it is loaded, has so many; in answer to a call, or unasked.

        What is said in answer calls nobody: else pages that answer slowly would have each other called for ever.
        """
        comes_or_goes = call is None and bool(views) != (page in self._views)
        self._heard.add(page)
        if comes_or_goes:
            self._views = {one: count for one, count in self._views.items() if one in self._heard}
            self._heard = {page}
            self.call += 1
        if views:
            self._views[page] = views
        else:
            self._views.pop(page, None)
