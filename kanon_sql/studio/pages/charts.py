"""Charts of the studio: options of ECharts, in colours that colour-blind people tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

BEFORE, AFTER = "#8a8d93", "#0072b2"
"""Source and release (Okabe and Ito's blue, and grey)."""

_TEXT, _LINES = "#7a7a74", "#8a8d9340"
"""Readable on a light and on a dark page."""


def _axis(kind: str, **more: Any) -> dict[str, Any]:
    """Return an axis."""
    label = {"color": _TEXT} | more.pop("axisLabel", {})
    return {
        "type": kind,
        "axisLabel": label,
        "nameTextStyle": {"color": _TEXT},
        "splitLine": {"lineStyle": {"color": _LINES}},
    } | more


def chart(title: str, options: dict[str, Any], *, low: bool = False) -> Any:
    """Show a chart under a title that screen readers read."""
    base = {"animation": False, "textStyle": {"color": _TEXT}, "aria": {"enabled": True, "label": {"description": title}}}
    shown = ui.echart(base | options, renderer="svg").classes("chart low" if low else "chart")
    shown.props["aria-label"] = title
    return shown.props("role=img")


def bars(title: str, labels: Sequence[str], series: Sequence[tuple[str, Sequence[float | None]]], *, low: bool = False) -> Any:
    """Show horizontal bars, one group a label, the first on top."""
    colours = (AFTER,) if len(series) == 1 else (BEFORE, AFTER)
    return chart(
        title,
        {
            "grid": {"left": 8, "right": 24, "top": 28 if len(series) > 1 else 8, "bottom": 8, "containLabel": True},
            "legend": {"show": len(series) > 1, "top": 0, "textStyle": {"color": _TEXT}},
            "tooltip": {"trigger": "axis", "renderMode": "richText"},
            "xAxis": _axis("value"),
            "yAxis": _axis(
                "category",
                inverse=True,
                data=list(labels),
                axisLabel={"width": 130, "overflow": "truncate"},
                splitLine={"show": False},
            ),
            "series": [
                {"name": name, "type": "bar", "data": list(values), "itemStyle": {"color": colour}}
                for (name, values), colour in zip(series, colours, strict=True)
            ],
        },
        low=low,
    )


def search_options(points: Sequence[tuple[float, float | None, float | None]]) -> dict[str, Any]:
    """Return the options of the curve of a search: cost and lower bound over seconds."""
    lines = (("cost", AFTER, 1), ("lower bound", "#d55e00", 2))
    curves = [(*line, [[point[0], point[line[2]]] for point in points if point[line[2]] is not None]) for line in lines]
    return {
        "animation": False,
        "grid": {"left": 8, "right": 24, "top": 28, "bottom": 28, "containLabel": True},
        "legend": {"top": 0, "textStyle": {"color": _TEXT}},
        "tooltip": {"trigger": "axis", "renderMode": "richText"},
        "xAxis": _axis("value", name="seconds", nameLocation="middle", nameGap=24),
        "yAxis": _axis("value", scale=True),
        "series": [
            {
                "name": name,
                "type": "line",
                "step": "end",
                "showSymbol": len(data) == 1,
                "symbolSize": 8,
                "itemStyle": {"color": colour},
                "data": data,
            }
            for name, colour, _, data in curves
        ],
    }


def search_curve(points: Sequence[tuple[float, float | None, float | None]]) -> Any:
    """Show the curve of a search: cost and lower bound over seconds."""
    return chart("Cost of the best release and its lower bound, over the seconds of the search", search_options(points))


def scatter(title: str, points: Sequence[tuple[str, float, float]], x: str, y: str) -> Any:
    """Show named points; those at one place have one label."""
    places: dict[tuple[float, float], list[str]] = {}
    for name, left, up in points:
        places.setdefault((left, up), []).append(name)
    return chart(
        title,
        {
            "grid": {"left": 8, "right": 60, "top": 32, "bottom": 28, "containLabel": True},
            "xAxis": _axis("value", name=x, nameLocation="middle", nameGap=24, scale=True),
            "yAxis": _axis("value", name=y, nameTextStyle={"color": _TEXT, "align": "left"}, scale=True),
            "series": [
                {
                    "type": "scatter",
                    "symbolSize": 12,
                    "itemStyle": {"color": AFTER},
                    "label": {"show": True, "position": "right", "formatter": "{b}", "color": _TEXT},
                    "data": [{"name": ", ".join(names), "value": list(place)} for place, names in places.items()],
                }
            ],
        },
    )
