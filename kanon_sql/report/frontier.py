"""What privacy costs: a release for each guarantee along a curve, with its cost and its lower bound."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import duckdb

from kanon_sql.certificate.certificate import WEAK
from kanon_sql.clause.queries import read_queries
from kanon_sql.engines.duckdb.connect.certificates import releases
from kanon_sql.engines.duckdb.connect.connection import Connection, connect
from kanon_sql.engines.duckdb.python_tables.tables import register_table, register_tables
from kanon_sql.engines.written import read_masks, read_recodings
from kanon_sql.errors import InfeasibleError, InterruptedReleaseError, MissingPackageError, PolicyError, raise_alone, use_one_of
from kanon_sql.model.dropped_columns import dropped_columns, remaining
from kanon_sql.model.masks import AtLevels
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import Number
from kanon_sql.model.recodings import Generalization
from kanon_sql.report.comparison import Comparison, require_shared
from kanon_sql.report.figure_rows import percent
from kanon_sql.report.points import HEADS, Candidate, Point
from kanon_sql.report.usefulness import UsefulnessRequest, usefulness
from kanon_sql.solvers.budget import Progress, never


def frontier(
    source: Any,
    *,
    k: Iterable[int],
    t: Iterable[Number] | None = None,
    drop: Sequence[str] | None = None,
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
    drop, tables : optional
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
    requested = curve_policies(k, t, **options)
    with closing(connect()) as con:
        register_table(con.raw, "source", source)
        columns = con.raw.table("source").columns
        policies = [
            policy.resolve(remaining(columns, dropped_columns(drop, policy, columns)), "python") for policy in requested
        ]
        register_tables(con.raw, policies[0], tables)
        con.watch(progress)
        return tuple(points(con, [Candidate.of(con.session, policy, drop=drop) for policy in policies]))


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
            raise PolicyError(f"{name} must be a list of numbers, got {type(values).__name__}; hint: pass k=(2, 5, 10)")
    ks = list(k)
    ts: list[Number | None] = [None] if t is None else list(t)
    if not ks or not ts:
        raise PolicyError("a curve needs at least one guarantee; hint: pass k=(2, 5, 10)")
    read = {"masks": read_masks(masks), "recodings": read_recodings(recodings)}
    return [Policy.of(k=one, t=other, **read, **options) for one in ks for other in ts]


def points(
    con: Connection,
    candidates: Iterable[Candidate],
    ended: Callable[[], bool] = never,
    requested: UsefulnessRequest | None = None,
) -> Iterator[Point]:
    """Release the table ``source`` of a connection under one policy after the other, and yield what each cost.

    Parameters
    ----------
    con : Connection
        It keeps a temporary table with the last release.
    candidates : iterable of Candidate
        With k, and t-closeness of one column at most.
    ended : callable
        Whether no more points are wanted; then a release that is interrupted is left out.
    requested : UsefulnessRequest, optional
        What is measured of each release.
    """
    for candidate in candidates:
        if ended():
            return
        try:
            con.execute(f"CREATE OR REPLACE TEMP TABLE released AS {candidate.query}")
            certificate = releases(con)[-1]
            found = None if requested is None else usefulness(con.raw, candidate.label, "released", requested, certificate)
        except InfeasibleError:
            certificate, found = None, None
        except (InterruptedReleaseError, duckdb.InterruptException):
            if ended():
                return
            raise
        yield Point(
            k=candidate.policy.k,
            t=next((each.t for each in candidate.policy.closeness), None),
            certificate=certificate,
            name=candidate.name,
            usefulness=found,
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
        from kanon_sql.report.charts import curve, risk_against_error, risk_against_loss
        from kanon_sql.report.page import frontier_page
    except ModuleNotFoundError as error:
        raise_alone(MissingPackageError.of("a report", error.name, "report"))
    best = best_of(found)
    over = "t" if len({point.k for point in found}) == 1 and found[0].t is not None else "k"
    plot, lines = curve(found, over=over) if any(point.certificate for point in found) else (None, {})
    return frontier_page(
        summary=[*_summary(found), *([] if best is None else [best.advice])],
        plot=plot,
        risk=risk_against_loss(found) if plot else None,
        useful=None if best is None else risk_against_error(found, best.best, best.measure),
        lines=lines,
        over=over,
        heads=("guarantee", "risk", "suppressed", "cost", "lower bound", "gap", *(_USEFUL if best is not None else ())),
        rows=[(*_cells(point), *_useful(point, best)) for point in found],
        settings=list(settings),
    )


def request_of(
    candidates: Iterable[Candidate], known: Sequence[str], queries: str | None, target: str | None
) -> UsefulnessRequest:
    """Return what is measured of the release of every candidate, over the columns that all of them release.

    Raises
    ------
    PolicyError
        When a column is unknown, or a query cannot run.
    """
    policies = [each.policy for each in candidates]
    shared = [name for name in known if not any(name in each.dropped or name in each.pseudonyms for each in policies)]
    named = {each.column for policy in policies for each in policy.quasi_identifiers}
    chosen = [name for name in shared if name in named and name != target]
    if target is not None and target not in shared:
        raise PolicyError(f"no release has a column {target}; hint: {use_one_of(shared) if shared else 'omit it'}")
    read = () if queries is None else read_queries(queries, known)
    requested = UsefulnessRequest(quasi_identifiers=tuple(chosen), columns=tuple(shared), queries=read, target=target)
    require_shared(requested, shared)
    return requested


_USEFUL = ("marginals", "error of queries", "accuracy", "best")


def best_of(found: Iterable[Point]) -> Comparison | None:
    """Return the releases side by side that were measured; None where none was."""
    measured = tuple(point.usefulness for point in found if point.usefulness is not None)
    return Comparison(measured) if measured else None


def _useful(point: Point, best: Comparison | None) -> tuple[str, ...]:
    if best is None:
        return ()
    if (each := point.usefulness) is None:
        return ("-", "-", "-", "-")
    answers = each.answers
    figures = (each.marginals, None if answers is None else answers.median, each.kept_accuracy)
    return (*map(percent, figures), "yes" if each in best.best else "no")


def _cells(point: Point) -> tuple[str, ...]:
    c = point.certificate
    if c is None:
        return (point.guarantee, "no release", "-", "-", "-", "-")
    risk = percent(c.highest_risk)
    cost, bound = (f"{float(each):,.12g}" for each in (c.cost, c.lower_bound))
    return (point.guarantee, risk, f"{c.suppressed_share:.2%}", cost, bound, f"{c.gap:.2%}")


def _summary(found: Sequence[Point]) -> list[str]:
    """Return the curve in three plain sentences."""
    kept = [(point, point.certificate) for point in found if point.certificate is not None and point.certificate.cells]
    if not kept:
        return [
            f"None of the {len(found):,} guarantees can be kept.",
            "The table has too few rows, or the permitted masks suppress too little.",
            "Use a weaker guarantee.",
        ]
    shares = [certificate.suppressed_share for _, certificate in kept]
    first, last = min(zip(shares, kept, strict=True), key=_share), max(zip(shares, kept, strict=True), key=_share)
    gap = max(certificate.gap for _, certificate in kept)
    return [
        f"{len(kept):,} of {len(found):,} guarantees can be kept.",
        f"The share of suppressed cells ranges from {first[0]:.1%} ({first[1][0].guarantee}) to {last[0]:.1%} "
        f"({last[1][0].guarantee}).",
        _saving(gap),
    ]


def _saving(gap: float) -> str:
    if gap == 0:
        return "No release that keeps these guarantees costs less."
    if gap <= WEAK:
        return f"At most {gap:.1%} of any cost could be saved."
    return f"Some bounds are weak: they leave a gap of up to {gap:.1%}, so they prove little about cheaper releases."


def _share(each: tuple[float, object]) -> float:
    return each[0]
