"""A still picture that stands below a widget in the notebook, and says what the widget showed last.

1. It is an output of its own. JupyterLab saves the view of a widget without its state, so a notebook that is opened
   again has no widget to show: the picture is what is left then.
2. While the widget is there, the page hides the picture. While it is not, the page hides the empty place of the
   widget. Both are rules of style: a page that drops them (GitHub) has no widget, and shows the picture.
3. The picture is put out again whenever it changes, so that a saved notebook has the last state.
"""

from __future__ import annotations

from collections import deque
from typing import Any
from uuid import uuid4

from IPython.core.getipython import get_ipython
from IPython.display import publish_display_data

__all__ = ["Still"]

_VIEW = "application/vnd.jupyter.widget-view+json"
_PLACES = 8
"""Where a widget was shown last: so many pictures follow its state, older ones stay as they are."""
_CHILD = ".jp-OutputArea-child"
_STYLE = f"""<style>
body:has(section.substrate[data-mark="MARK"]) .substrate-still[data-mark="MARK"],
{_CHILD}:has(section.substrate[data-mark="MARK"]) + {_CHILD}:has(.substrate-still[data-mark="MARK"]),
{_CHILD}:not(:has(.jp-OutputArea-output > *)):has(+ {_CHILD} .substrate-still[data-mark="MARK"]) {{ display: none; }}
</style>"""


class Still:
    """The picture below one widget. `mark` tells the page which widget it belongs to."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._places = deque[str](maxlen=_PLACES)
        self._shown = ""

    def put(self, view: dict[str, Any], metadata: dict[str, Any], html: str) -> None:
        """Put out the view of the widget, and the picture below it. `view` is what the widget is by itself."""
        if _VIEW not in view or get_ipython() is None:
            _put_out(view, metadata)
            return
        _put_out({**view, "text/html": ""}, metadata)  # empty: where there is no view it takes no place
        place = uuid4().hex
        self._places.append(place)
        self._shown = html
        _put_out({"text/html": self._page(html)}, {}, transient={"display_id": place})

    def update(self, html: str) -> None:
        """Put it out again wherever it stands, if it changed. Any thread may call it."""
        if html == self._shown:
            return
        self._shown = html
        for place in self._places:
            _put_out({"text/html": self._page(html)}, {}, transient={"display_id": place}, update=True)

    def _page(self, html: str) -> str:
        style = _STYLE.replace("MARK", self._mark)
        return f'<div class="substrate-still" data-mark="{self._mark}">{style}{html}</div>'


def _put_out(data: dict[str, Any], metadata: dict[str, Any], **way: object) -> None:
    publish_display_data(data, metadata, **way)  # type: ignore[no-untyped-call]
