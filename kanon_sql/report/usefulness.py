"""What a release is still good for, measured against its source: risk, loss, marginals, queries, groups, a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.certificate import Certificate
from kanon_sql.clause.queries import Query
from kanon_sql.engines.duckdb.audit.measures import record
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.how_many import how_many
from kanon_sql.report.query_errors import QueryErrors, query_errors, together

_MACROS = (
    "k_anonymity",
    "reidentification_risk",
    "utility",
    "joint_tables",
    "marginals",
    "correlations",
    "pearson_correlations",
    "predictability",
    "group_loss",
    "weighted_rows",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsefulnessRequest:
    """What is measured of every release."""

    quasi_identifiers: tuple[str, ...]  # by these, rows are in classes, and losses count
    columns: tuple[str, ...]  # those whose marginals and correlations are compared
    queries: tuple[Query, ...] = ()  # the queries that run on the release
    by: tuple[str, ...] = ()  # columns whose values are groups of rows
    target: str | None = None  # the column that a classifier predicts from the quasi-identifiers
    hierarchies: tuple[tuple[str, str], ...] = ()  # columns, and the tables of their hierarchies on the connection

    @property
    def trees(self) -> dict[str, list[str]]:
        """Return the hierarchies as a MAP of DuckDB."""
        return {"key": [name for name, _ in self.hierarchies], "value": [table for _, table in self.hierarchies]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """The losses of the rows of each value of a column."""

    column: str
    least: float  # the mean loss of a cell in the group that loses least
    worst: float  # in the one that loses most


@dataclass(frozen=True, slots=True, kw_only=True)
class Usefulness:
    """The figures of one release."""

    name: str
    k: int | None  # rows of its smallest class, or its people
    risk: float | None  # the prosecutor's risk of the worst row, or of the worst person where people are counted
    average_risk: float | None  # of the average row; None where people are counted: whose the rows are is not shown
    loss: float | None  # the mean loss of a cell
    suppressed: float | None  # the share of suppressed cells
    bound: float | None  # the gap to the lower bound of the certificate, where one is given
    marginals: float | None  # the distance, a mean over all pairs of columns; None with one column
    correlations: float | None  # the absolute drift, likewise
    people: bool = False  # whether people are counted
    smallest: str = "-"  # its smallest class in words
    queries: tuple[QueryErrors, ...] = ()  # of each query
    groups: tuple[Groups, ...] = ()  # of each column whose values are groups
    baseline: float | None = None  # of the classifier: the share of the largest class
    accuracy: float | None = None  # its accuracy after learning from the source
    kept_accuracy: float | None = None  # its accuracy after learning from the release

    @property
    def answers(self) -> QueryErrors | None:
        """Return the errors of all queries together."""
        return together(self.queries) if self.queries else None

    @property
    def error(self) -> float | None:
        """Return the figure by which releases are ranked: the median error of the queries, else the distance of marginals."""
        answers = self.answers
        return self.marginals if answers is None else answers.median

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        answers = self.answers
        return {
            "name": self.name,
            "k": self.k,
            "unit": "people" if self.people else "rows",
            "risk": self.risk,
            "average_risk": self.average_risk,
            "loss": self.loss,
            "suppressed_share": self.suppressed,
            "gap": self.bound,
            "marginals": self.marginals,
            "correlations": self.correlations,
            "queries": [each.to_dict() for each in self.queries],
            "all_queries": None if answers is None else answers.to_dict(),
            "groups": [{"by": each.column, "least_loss": each.least, "worst_loss": each.worst} for each in self.groups],
            "baseline": self.baseline,
            "original_accuracy": self.accuracy,
            "released_accuracy": self.kept_accuracy,
        }


def prepare(con: Any) -> None:
    """Define the macros that `usefulness` calls on a plain connection."""
    audit_macros(con, _MACROS)


def usefulness(
    con: Any,
    name: str,
    released: str,
    requested: UsefulnessRequest,
    certificate: Certificate | None = None,
    people: int | None = None,
) -> Usefulness:
    """Measure a table of a connection that has the table ``source`` and the macros of `prepare`.

    Parameters
    ----------
    con : connection
        A DuckDB connection; temporary tables are left in it.
    name : str
        What the release is called.
    released : str
        The table of the release.
    requested : UsefulnessRequest
        What is measured.
    certificate : Certificate, optional
        That of the release: it says what is proven of its cost, and of how many people classes have rows.
    people : int, optional
        The least of these, as counted; None without people.

    Raises
    ------
    PolicyError
        When a query cannot run.
    """
    alone = {"released": quoted(released), "qi": list(requested.quasi_identifiers)}
    tables = {"released": quoted(released), "source": "source", "trees": requested.trees}
    by_qi = tables | alone
    risk = record(con, "FROM reidentification_risk($released, $qi)", alone)
    lost = record(con, "SELECT ncp, suppressed_share FROM utility($released, $source, $qi, $trees)", by_qi)
    k = record(con, "SELECT k FROM k_anonymity($released, $qi)", alone)["k"]
    smallest = how_many(k, "row") if k else "-"
    if people is not None:
        smallest = f"at least {how_many(people, 'person', 'people')}"
    if certificate is not None and certificate.least_people is not None:
        people, smallest = certificate.least_people, certificate.smallest
    return Usefulness(
        name=name,
        k=k if people is None else people,
        risk=risk["prosecutor_risk"] if people is None else 1 / people,
        average_risk=risk["prosecutor_risk_average"] if people is None else None,
        people=people is not None,
        smallest=smallest,
        loss=lost["ncp"],
        suppressed=lost["suppressed_share"],
        bound=None if certificate is None else certificate.gap,
        queries=query_errors(con, requested.queries, released, requested.trees),
        groups=tuple(_groups(con, each, by_qi) for each in requested.by),
        **_pairs(con, tables | {"columns": list(requested.columns)}),
        **_classifier(con, tables, requested),
    )


def _pairs(con: Any, values: dict[str, Any]) -> dict[str, float | None]:
    if len(values["columns"]) < 2:
        return {"marginals": None, "correlations": None}
    macros = {
        "marginals": "distance) AS found FROM marginals($released, $source, 2, $columns, $trees)",
        "correlations": "system.main.abs(drift)) AS found FROM correlations($released, $source, $columns, $trees)",
    }
    return {name: record(con, f"SELECT system.main.avg({text}", values)["found"] for name, text in macros.items()}


def _groups(con: Any, column: str, values: dict[str, Any]) -> Groups:
    losses = "group_loss($released, $source, $qi, $by, $trees)"
    query = f"SELECT system.main.min(loss) AS least, system.main.max(loss) AS worst FROM {losses}"  # noqa: S608
    found = record(con, query, values | {"by": column})
    return Groups(column=column, least=found["least"] or 0.0, worst=found["worst"] or 0.0)


def _classifier(con: Any, tables: dict[str, Any], requested: UsefulnessRequest) -> dict[str, Any]:
    features: Sequence[str] = [name for name in requested.quasi_identifiers if name != requested.target]
    if requested.target is None or not features:
        return {}
    values = tables | {"target": requested.target, "features": features}
    found = record(con, "FROM predictability($released, $source, $target, $features, $trees)", values)
    return {
        "baseline": found["baseline"],
        "accuracy": found["original_accuracy"],
        "kept_accuracy": found["released_accuracy"],
    }
