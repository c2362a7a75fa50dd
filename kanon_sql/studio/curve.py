"""The curve of a search: costs of releases that keep the guarantee, never below what is proven."""

from __future__ import annotations

from kanon_sql.studio.run import Run
from kanon_sql.studio.search import RELEASED

Spot = tuple[float, float | None, float | None]
"""Seconds, cost and lower bound."""


def curve(run: Run) -> list[Spot]:
    """Return the points of the search of a run, at last those of its certificate.

    Notes
    -----
    A step may report the cost of something less than the whole release. Such a cost is below the proven bound, or below the
    cost of the final release, and is left out. A bound above the final one was that of a step, too.
    """
    points: list[Spot] = [(each.seconds, each.cost, each.lower_bound) for each in run.points]
    bounds = [bound for _, _, bound in points if bound is not None]
    least, most = max(bounds, default=0.0), None
    if run.state == RELEASED:
        certificate, _ = run.release
        cost, bound = float(certificate.cost), float(certificate.lower_bound)
        last = max([certificate.seconds, *(seconds for seconds, _, _ in points)])
        points.append((last, cost, bound))
        least, most = cost, bound
    return [
        (
            seconds,
            None if cost is None or cost < least * (1 - 1e-9) else cost,
            None if bound is None or (most is not None and bound > most * (1 + 1e-9)) else bound,
        )
        for seconds, cost, bound in points
    ]


def best(run: Run) -> tuple[float | None, float | None]:
    """Return the cost of the best release so far and the best bound."""
    found = curve(run)
    costs = [cost for _, cost, _ in found if cost is not None]
    bounds = [bound for _, _, bound in found if bound is not None]
    return min(costs, default=None), max(bounds, default=None)
