"""Figures as a notebook shows them: a small table without the value of any cell."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def table(caption: str, figures: Mapping[str, str]) -> str:
    """Return names and figures as an HTML table in the colours of the page around it."""
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in figures.items()
    )
    return f'<table><caption style="text-align:left">{escape(caption)}</caption><tbody>{rows}</tbody></table>'
