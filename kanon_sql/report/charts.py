"""Plots as static SVG: no script runs, they take the colours of the page, and the tables beside them hold the numbers.

They are 340 pixels wide, so that a phone shows them without shrinking their text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import altair as alt
import vl_convert

if TYPE_CHECKING:
    from kanon_sql.report.points import Point

BEFORE, AFTER = "var(--before)", "var(--after)"
"""Colours of source and release: the style sheet of the page knows them, for light, dark and paper."""

_WIDTH = 340
_LABEL = 150
_TEXT = "currentColor"

_KINDS = ["cost", "lower bound"]

_ZERO = "datum.value == 0 ? '0' : datum.label"
"""Not 0k."""

_CONFIG: dict[str, Any] = {
    "aria": False,  # the page names the whole figure; its parts would be read one by one
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": _TEXT,
        "titleColor": _TEXT,
        "domainColor": _TEXT,
        "tickColor": _TEXT,
        "gridColor": _TEXT,
        "gridOpacity": 0.15,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
}


def bars(
    title: str, labels: Sequence[str], series: Sequence[tuple[str, Sequence[float | None]]], *, share: bool = False
) -> str:
    """Return horizontal bars as SVG, one for each label and series.

    Parameters
    ----------
    title : str
        What a screen reader says of the plot.
    labels : sequence of str
        From the top down.
    series : sequence of (colour, numbers)
        A number, or None for no bar, for each label.
    share : bool
        Whether the numbers are shares from 0 to 1, else rows.
    """
    data = [
        {"place": place, "series": number, "value": value}
        for number, (_, values) in enumerate(series)
        for place, value in enumerate(values)
        if value is not None
    ]
    places, numbers = list(range(len(labels))), list(range(len(series)))
    form = alt.Axis(title=None, format="%" if share else "~s", labelExpr=_ZERO, tickCount=4, domain=False, ticks=False)
    chart = (
        alt.Chart(alt.InlineData(values=data))
        .mark_bar()
        .encode(
            y=alt.Y("place:O", scale=alt.Scale(domain=places, paddingInner=0.25), axis=_labels(labels)),
            yOffset=alt.YOffset("series:O", scale=alt.Scale(domain=numbers)),
            x=alt.X("value:Q", axis=form),
            color=alt.Color("series:O", legend=None, scale=alt.Scale(domain=numbers, range=[colour for colour, _ in series])),
        )
        .properties(width=_WIDTH, height=len(labels) * (12 + 9 * len(series)) + 24)
    )
    return _svg(title, chart)


def _labels(labels: Sequence[str]) -> alt.Axis:
    """Return an axis of labels, with space for a font that is wider than the one that is measured here."""
    width = min(_LABEL, 8 * max(map(len, labels), default=0))
    return alt.Axis(
        title=None,
        # The labels travel beside the data, so that two that are cut to one text stay two bars.
        labelExpr=f"{json.dumps(list(labels))}[datum.value]",
        labelLimit=_LABEL - 20,
        minExtent=width,
        domain=False,
        ticks=False,
        labelPadding=6,
    )


def curve(points: Iterable[Point], *, over: str) -> tuple[str, dict[str, str]]:
    """Return the cost of releases and its lower bound over one of the guarantees, and the colour of each line.

    Parameters
    ----------
    points : iterable of Point
        Those that differ in ``over`` alone form a line.
    over : str
        ``'k'`` or ``'t'``.

    Returns
    -------
    (str, dict)
        The SVG, and the colours by what is the same along a line.
    """
    other = "t" if over == "k" else "k"
    data: list[dict[str, Any]] = []
    for point in points:
        if (certificate := point.certificate) is None:
            continue
        fixed = getattr(point, other)
        place = {"over": float(getattr(point, over)), "line": "" if fixed is None else f"{other} = {float(fixed):.6g}"}
        data += [
            {**place, "what": "cost", "cost": float(certificate.cost)},
            {**place, "what": "lower bound", "cost": float(certificate.lower_bound)},
        ]
    at = sorted({row["over"] for row in data})
    colours = {line: f"var(--line{n % 6})" for n, line in enumerate(dict.fromkeys(row["line"] for row in data))}
    log = at[0] > 0 and at[-1] > 10 * at[0]
    base = alt.Chart(alt.InlineData(values=data)).encode(
        x=alt.X(
            "over:Q",
            title=over,
            scale=alt.Scale(type="log" if log else "linear", zero=False, nice=False),
            axis=alt.Axis(values=at, format="~g", labelOverlap=True, labelFlush=False),
        ),
        y=alt.Y("cost:Q", title="cost", axis=alt.Axis(format="~s", labelExpr=_ZERO, tickCount=5, domain=False)),
        color=alt.Color("line:N", legend=None, scale=alt.Scale(domain=list(colours), range=list(colours.values()))),
        strokeDash=alt.StrokeDash("what:N", legend=None, scale=alt.Scale(domain=_KINDS, range=[[1, 0], [5, 4]])),
    )
    chart = (base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=40)).properties(width=_WIDTH, height=240)
    return _svg(f"Cost of the release and its lower bound over {over}", chart), colours


def _svg(title: str, chart: Any) -> str:
    """Return the SVG of a chart as a part of an HTML page, where it needs no namespaces."""
    specification = chart.properties(autosize=alt.AutoSizeParams(type="fit", contains="padding")).to_dict()
    specification["config"] = _CONFIG
    svg = vl_convert.vegalite_to_svg(specification, vl_version=_VERSION)
    start = svg.index(">")
    view = next(part for part in svg[:start].split(" viewBox=")[1].split('"') if part)
    label = escape(f"{title}; the numbers are in the table below")
    return f'<svg viewBox="{view}" width="{_WIDTH}" role="img" aria-label="{label}">{svg[start + 1 :]}'


_VERSION = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
"""The version of Vega-Lite that altair writes."""
