"""A certificate as a notebook shows it: a small table without the value of any cell."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from kanon_sql.certificate_words import figures

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate


def certificate_html(certificate: Certificate) -> str:
    """Return the figures of a certificate as an HTML table in the colours of the page around it."""
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in figures(certificate).items()
    )
    return f'<table><caption style="text-align:left">certificate</caption><tbody>{rows}</tbody></table>'
