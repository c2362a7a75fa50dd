"""Plots as static SVG: no script runs, they take the colours of the page, and the tables next to them hold the numbers.

A plot that takes the width of the page is drawn twice, and the style sheet shows the one that suits the screen: scaled, its
text would be too small on a phone, or too large elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import altair as alt
import vl_convert

if TYPE_CHECKING:
    from kanon_sql.report.points import Point
    from kanon_sql.report.usefulness import Usefulness

BEFORE, AFTER = "var(--before)", "var(--after)"
"""Colours of source and release: the style sheet of the page knows them, for light, dark and paper."""

NARROW, WIDE = 340, 900
"""Pixels: a phone, or half of the page, and the whole page."""

_LABEL = 150
_TEXT = "currentColor"

_KINDS = ["cost", "lower bound"]

_GUARANTEES = {"k": "k (minimum rows per class)", "t": "t (maximum distance of a class from the whole table)"}

_TAG, _ROLE = re.compile("<[a-z]+ [^<>]*>"), re.compile(' (?:role|aria-[a-z]+)="[^"]*"')
"""The page names the whole figure; Vega names its parts one by one."""

_ZERO = "datum.value == 0 ? '0' : datum.label"
"""Not 0k."""

_CONFIG: dict[str, Any] = {
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
    title: str,
    labels: Sequence[str],
    series: Sequence[tuple[str, Sequence[float | None]]],
    *,
    along: str,
    of: str,
    wide: bool = False,
) -> str:
    """Return horizontal bars as SVG, one for each label and series.

    Parameters
    ----------
    title : str
        What a screen reader says of the plot.
    labels : sequence of str
        From the top down.
    series : sequence of (colour, numbers)
        A share from 0 to 1, or None for no bar, for each label.
    along, of : str
        Titles of the axis of the labels and of that of the shares.
    wide : bool
        Whether the plot takes the width of the page.
    """
    data = [
        {"place": place, "series": number, "value": value}
        for number, (_, values) in enumerate(series)
        for place, value in enumerate(values)
        if value is not None
    ]
    places, numbers = list(range(len(labels))), list(range(len(series)))
    form = alt.Axis(title=f"{of} (%)", format="~%", tickCount=4, domain=False, ticks=False)
    chart = (
        alt.Chart(alt.InlineData(values=data))
        .mark_bar()
        .encode(
            y=alt.Y("place:O", scale=alt.Scale(domain=places, paddingInner=0.25), axis=_labels(labels, along)),
            yOffset=alt.YOffset("series:O", scale=alt.Scale(domain=numbers)),
            x=alt.X("value:Q", axis=form),
            color=alt.Color("series:O", legend=None, scale=alt.Scale(domain=numbers, range=[colour for colour, _ in series])),
        )
        .properties(height=len(labels) * (12 + 9 * len(series)) + 44)
    )
    return _svg(title, chart, wide=wide)


def _labels(labels: Sequence[str], title: str) -> alt.Axis:
    """Return an axis of labels, with space for a font that is wider than the one that is measured here."""
    width = min(_LABEL, 8 * max(map(len, labels), default=0))
    return alt.Axis(
        title=title,
        # The labels travel next to the data, so that two that are cut to one text stay two bars.
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
            title=_GUARANTEES[over],
            scale=alt.Scale(type="log" if log else "linear", zero=False, nice=False),
            axis=alt.Axis(values=at, format="~g", labelOverlap=True, labelFlush=False),
        ),
        y=alt.Y(
            "cost:Q",
            title="cost (weighted suppressed cells)",
            axis=alt.Axis(format="~s", labelExpr=_ZERO, tickCount=5, domain=False),
        ),
        color=alt.Color("line:N", legend=None, scale=alt.Scale(domain=list(colours), range=list(colours.values()))),
        strokeDash=alt.StrokeDash("what:N", legend=None, scale=alt.Scale(domain=_KINDS, range=[[1, 0], [5, 4]])),
    )
    chart = (base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=40)).properties(height=280)
    return _svg(f"Cost of the release and its lower bound over {over}", chart, wide=True), colours


def risk_against_loss(points: Iterable[Point]) -> str:
    """Return the highest risk against the share of suppressed cells, a dot for each release, as SVG."""
    data = [
        {
            "risk": point.certificate.highest_risk,
            "loss": point.certificate.suppressed_share,
            "guarantee": point.guarantee,
        }
        for point in points
        if point.certificate is not None and point.certificate.smallest_class and point.certificate.cells
    ]
    base = alt.Chart(alt.InlineData(values=data)).encode(
        x=alt.X("risk:Q", title="highest risk of re-identification (%)", axis=alt.Axis(format="~%", tickCount=5)),
        y=alt.Y("loss:Q", title="suppressed cells (%)", axis=alt.Axis(format="~%", tickCount=5, domain=False)),
    )
    dots = base.mark_point(filled=True, size=60, color=AFTER)
    names = base.mark_text(align="left", baseline="bottom", dx=6, dy=-4, fontSize=12, fill=_TEXT).encode(text="guarantee:N")
    return _svg("Highest risk against suppressed cells", (dots + names).properties(height=280), wide=True)


def risk_against_error(points: Iterable[Point], best: Collection[Usefulness], of: str) -> str:
    """Return the highest risk against the error of the queries, a dot for each release, as SVG.

    Parameters
    ----------
    points : iterable of Point
        The releases; those without figures are left out.
    best : collection of Usefulness
        Those that no other beats have the colour of a release, the others that of the source.
    of : str
        What the error is of.
    """
    data = [
        {"risk": each.risk, "error": each.error, "guarantee": point.guarantee, "best": each in best}
        for point in points
        if (each := point.usefulness) is not None and each.error is not None
    ]
    base = alt.Chart(alt.InlineData(values=data)).encode(
        x=alt.X("risk:Q", title="highest risk of re-identification (%)", axis=alt.Axis(format="~%", tickCount=5)),
        y=alt.Y("error:Q", title=f"{of} (%)", axis=alt.Axis(format="~%", tickCount=5, domain=False)),
        color=alt.Color("best:N", legend=None, scale=alt.Scale(domain=[True, False], range=[AFTER, BEFORE])),
    )
    names = base.mark_text(align="left", baseline="bottom", dx=6, dy=-4, fontSize=12).encode(text="guarantee:N")
    chart = (base.mark_point(filled=True, size=60) + names).properties(height=280)
    return _svg(f"Highest risk against the {of}", chart, wide=True)


def _svg(title: str, chart: Any, *, wide: bool) -> str:
    """Return the SVG of a chart as a part of an HTML page: where it is wide, one for broad screens and one for narrow ones."""
    if not wide:
        return _drawn(title, chart, NARROW, "")
    return _drawn(title, chart, WIDE, "on-wide") + _drawn(title, chart, NARROW, "on-narrow")


def _drawn(title: str, chart: Any, width: int, kind: str) -> str:
    """Return one SVG; inside of HTML it needs no namespaces."""
    fit = alt.AutoSizeParams(type="fit", contains="padding")
    specification = chart.properties(width=width, autosize=fit).to_dict()
    specification["config"] = _CONFIG
    svg = _TAG.sub(lambda tag: _ROLE.sub("", tag[0]), vl_convert.vegalite_to_svg(specification, vl_version=_VERSION))
    start = svg.index(">")
    view = next(part for part in svg[:start].split(" viewBox=")[1].split('"') if part)
    label = escape(f"{title}; the numbers are in the table below")
    return f'<svg class="{kind}" viewBox="{view}" width="{width}" role="img" aria-label="{label}">{svg[start + 1 :]}'


_VERSION = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
"""The version of Vega-Lite that altair writes."""
