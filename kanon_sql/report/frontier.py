"""What privacy costs: a release for each guarantee along a curve, with its cost and its lower bound."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import duckdb

from kanon_sql.certificate.certificate import WEAK
from kanon_sql.engines.duckdb.connection import Connection, connect, releases
from kanon_sql.engines.duckdb.tables import register_table, register_tables
from kanon_sql.engines.written import read_masks, read_recodings
from kanon_sql.errors import InfeasibleError, InterruptedReleaseError, MissingPackageError, PolicyError, raise_alone
from kanon_sql.model.masks import AtLevels
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import Number
from kanon_sql.model.recodings import Generalization
from kanon_sql.report.points import HEADS, Point
from kanon_sql.solvers.budget import Progress, never


def frontier(
    source: Any,
    *,
    k: Iterable[int],
    t: Iterable[Number] | None = None,
    tables: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> tuple[Point, ...]:
    """Return what each guarantee costs, for every pair of a k and a t.

    Parameters
    ----------
    source : pyarrow.Table, pandas.DataFrame, polars.DataFrame or DuckDBPyRelation
        The table.
    k : iterable of int
        Least numbers of rows of a class.
    t : iterable of numbers, optional
        Largest distances of ``sensitive`` in a class from the whole table.
    tables : mapping, optional
        As in `kanon_sql.anonymize`.
    progress : callable, optional
        Called with a `Moment`; may raise to stop.
    **options
        All else as in `kanon_sql.anonymize`, the same for each point: ``quasi_identifiers``, ``sensitive``, ``metric``,
        ``masks``, ``weights``, ``recodings``, ``algorithm``, ``time_limit`` (of each release), ``seed``, ...

    Returns
    -------
    tuple of Point
        In the order of ``k``, and for each of them in that of ``t``.

    Raises
    ------
    PolicyError
        When an option is wrong.

    Notes
    -----
    Each point is a release of its own, solved and audited; its rows are dropped.
    """
    asked = curve_policies(k, t, **options)
    with closing(connect()) as con:
        register_table(con.raw, "source", source)
        policies = [policy.resolve(con.raw.table("source").columns) for policy in asked]
        register_tables(con.raw, policies[0], tables)
        con.watch(progress)
        return tuple(points(con, policies))


def curve_policies(
    k: Iterable[int],
    t: Iterable[Number] | None = None,
    *,
    masks: Iterable[Iterable[str | AtLevels]] | None = None,
    recodings: Mapping[str, str | Generalization] | None = None,
    **options: Any,
) -> list[Policy]:
    """Return the policies along a curve; arguments as in `frontier`.

    Raises
    ------
    PolicyError
        When there is no k, or an option is wrong.
    """
    for name, values in (("k", k), ("t", () if t is None else t)):
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise PolicyError(f"{name} of a curve must be a list of numbers, got {type(values).__name__}; hint: k=(2, 5, 10)")
    ks = list(k)
    ts: list[Number | None] = [None] if t is None else list(t)
    if not ks or not ts:
        raise PolicyError("a curve needs at least one guarantee; hint: k=(2, 5, 10)")
    read = {"masks": read_masks(masks), "recodings": read_recodings(recodings)}
    return [Policy.of(k=one, t=other, **read, **options) for one in ks for other in ts]


def points(con: Connection, policies: Iterable[Policy], ended: Callable[[], bool] = never) -> Iterator[Point]:
    """Release the table ``source`` of a connection under one policy after the other, and yield what each cost.

    Parameters
    ----------
    con : Connection
        It keeps a temporary table with the last release.
    policies : iterable of Policy
        With k, and t-closeness of one column at most.
    ended : callable
        Whether no more points are wanted; then a release that is interrupted is left out.
    """
    for policy in policies:
        if ended():
            return
        try:
            con.execute("CREATE OR REPLACE TEMP TABLE released AS SELECT * FROM anonymize('source', ?)", [policy.to_json()])
            certificate = releases(con)[-1]
        except InfeasibleError:
            certificate = None
        except (InterruptedReleaseError, duckdb.InterruptException):
            if ended():
                return
            raise
        yield Point(
            k=policy.k,
            t=next((each.t for each in policy.closeness), None),
            certificate=certificate,
        )


def csv_text(found: Iterable[Point]) -> str:
    """Return the points as a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADS)
    writer.writerows(point.row() for point in found)
    return text.getvalue()


def html_text(found: Sequence[Point], settings: Iterable[tuple[str, str]]) -> str:
    """Return the points as a page with a plot; ``settings`` tell how they were found.

    Raises
    ------
    MissingPackageError
        When jinja2, altair or vl-convert-python is not installed.
    """
    try:
        from kanon_sql.report.charts import curve, risk_against_loss
        from kanon_sql.report.page import frontier_page
    except ModuleNotFoundError as error:
        raise_alone(MissingPackageError.of("a report", error.name, "report"))
    over = "t" if len({point.k for point in found}) == 1 and found[0].t is not None else "k"
    plot, lines = curve(found, over=over) if any(point.certificate for point in found) else (None, {})
    return frontier_page(
        summary=_summary(found),
        plot=plot,
        risk=risk_against_loss(found) if plot else None,
        lines=lines,
        over=over,
        heads=("guarantee", "risk", "suppressed", "cost", "lower bound", "gap"),
        rows=[_cells(point) for point in found],
        settings=list(settings),
    )


def _cells(point: Point) -> tuple[str, ...]:
    c = point.certificate
    if c is None:
        return (point.guarantee, "no release", "-", "-", "-", "-")
    share = c.suppressed_cells / c.cells if c.cells else 0.0
    risk = f"{1 / c.smallest_class:.2%}" if c.smallest_class else "-"
    cost, bound = (f"{float(each):,.12g}" for each in (c.cost, c.lower_bound))
    return (point.guarantee, risk, f"{share:.2%}", cost, bound, f"{c.gap:.2%}")


def _summary(found: Sequence[Point]) -> list[str]:
    """Return the curve in three plain sentences."""
    kept = [(point, point.certificate) for point in found if point.certificate is not None and point.certificate.cells]
    if not kept:
        return [
            f"None of the {len(found):,} guarantees can be kept.",
            "The table has too few rows, or the permitted masks suppress too little.",
            "Ask for a weaker guarantee.",
        ]
    shares = [certificate.suppressed_cells / certificate.cells for _, certificate in kept]
    first, last = min(zip(shares, kept, strict=True), key=_share), max(zip(shares, kept, strict=True), key=_share)
    gap = max(certificate.gap for _, certificate in kept)
    return [
        f"{len(kept):,} of {len(found):,} guarantees can be kept.",
        f"The release suppresses from {first[0]:.1%} of the cells ({first[1][0].guarantee}) to {last[0]:.1%} "
        f"({last[1][0].guarantee}).",
        _saving(gap),
    ]


def _saving(gap: float) -> str:
    if gap == 0:
        return "No release that keeps these guarantees costs less."
    if gap <= WEAK:
        return f"At most {gap:.1%} of any cost could be saved."
    return f"Some bounds are weak: they leave a gap of up to {gap:.1%}, which says little about cheaper releases."


def _share(each: tuple[float, object]) -> float:
    return each[0]
