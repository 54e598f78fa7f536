"""A still picture of a widget as HTML, for pages that have no kernel: GitHub, nbconvert, a notebook that is reopened.

It is a caption and a table. All of it is stored text, so all of it is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from substrate.result import UNTYPESET
from substrate.text.visible import as_number, visible

__all__ = ["Row", "minute", "picture"]

Row = Mapping[str, object]
_ROWS: Final = 30
_CHARACTERS: Final = 300
_LEFT: Final = 'style="text-align:left"'


def picture(title: str, caption: str, rows: Sequence[Row]) -> str:
    """The title, what is shown, and a row for each thing that is; the first 30."""
    columns = list(dict.fromkeys(column for row in rows[:_ROWS] for column in row))
    head = "".join(f"<th {_LEFT}>{_text(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td {_LEFT}>{_text(row.get(column, ''))}</td>" for column in columns) + "</tr>"
        for row in rows[:_ROWS]
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    more = f"<p>… and {len(rows) - _ROWS:,} more</p>" if len(rows) > _ROWS else ""
    still = "A still picture of the last state. Run the cell to use the widget."
    said = f"<p><b>{_text(title)}</b> {_text(caption)}<br><i>{still}</i></p>"
    return f'<div class="{UNTYPESET}">{said}{table}{more}</div>'


def minute(time: str) -> str:
    """A time of the store, as it is shown elsewhere: to the minute, with its zone."""
    return f"{time[:10]} {time[11:16]} UTC"


def _text(value: object) -> str:
    text = str(value)
    text = text if len(text) <= _CHARACTERS else text[:_CHARACTERS] + "…"
    return escape(visible(text, keep="\n\t", escape=as_number))
