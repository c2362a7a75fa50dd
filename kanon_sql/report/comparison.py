"""Releases of one table side by side: what each still risks, has lost, and is good for."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from kanon_sql.certificate import Certificate, Release
from kanon_sql.clause.queries import read_queries
from kanon_sql.engines.audited_unit import person_column
from kanon_sql.engines.duckdb.audit.people_figures import audited_unit
from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.python_tables.tables import register_table
from kanon_sql.errors import AuditError, KanonWarning, MissingPackageError, PolicyError, raise_alone, use_one_of
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.repetition import RepeatedPeopleError
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.report.people import least_people
from kanon_sql.report.usefulness import Usefulness, UsefulnessRequest, prepare, usefulness


@dataclass(frozen=True, slots=True)
class Comparison:
    """The figures of several releases of one source.

    Attributes
    ----------
    releases : tuple of Usefulness
        In the order given.
    settings : tuple of (str, str)
        The columns and queries, by what they are.
    open : RepeatedPeopleError, optional
        Why risks are those of rows though people have several; None if it is settled what a row is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = pa.table({"zip": [1, 1, 2, 2], "age": [30, 30, 40, 50]})
    >>> hidden = pa.table({"zip": [1, 1, 2, 2], "age": [30, 30, None, None]})
    >>> found = compare(source, {"k = 1": source, "k = 2": hidden}, quasi_identifiers=["zip", "age"])
    >>> print(found.advice.partition(". ")[0])
    Choose k = 1: its distance of marginals is 0.00%, the lowest, at a risk of 100.00%
    """

    releases: tuple[Usefulness, ...]
    settings: tuple[tuple[str, str], ...] = ()
    open: RepeatedPeopleError | None = None

    @property
    def best(self) -> tuple[Usefulness, ...]:
        """Return the releases that no other beats: by a lower risk and a smaller error, or one lower and one equal."""
        return tuple(each for each in self.releases if not any(_beats(other, each) for other in self.releases))

    @property
    def measure(self) -> str:
        """Return what releases are ranked by."""
        return "median error of queries" if self.releases[0].queries else "distance of marginals"

    @property
    def advice(self) -> str:
        """Return in a sentence which release to take, and in others which to take if the risk has to be lower."""
        ranked = sorted((each for each in self.best if each.error is not None), key=lambda each: each.error or 0.0)
        if not ranked:
            return "No release can be ranked: there is nothing to compare."
        first, *others = ranked
        said = [f"Choose {first.name}: its {self.measure} is {first.error:.2%}, the lowest, at a risk of {first.risk:.2%}."]
        said += [
            f"Choose {each.name} if the risk must not exceed {each.risk:.2%}: its {self.measure} is {each.error:.2%}."
            for each in others
        ]
        return " ".join(said)

    def html(self) -> str:
        """Return the figures as one page that loads nothing.

        Raises
        ------
        MissingPackageError
            When jinja2, altair or vl-convert-python is not installed.
        """
        try:
            from kanon_sql.report.comparison_page import comparison_page
        except ModuleNotFoundError as error:
            raise_alone(MissingPackageError.of("a report", error.name, "report"))
        return comparison_page(self.releases, self.advice, self.settings, None if self.open is None else str(self.open))

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        best = {each.name for each in self.best}
        return {
            "releases": [{**each.to_dict(), "best": each.name in best} for each in self.releases],
            "advice": self.advice,
            "settled": self.open is None,
        }


def _beats(one: Usefulness, two: Usefulness) -> bool:
    if one.error is None or two.error is None or one.risk is None or two.risk is None:
        return False
    first, second = (one.risk, one.error), (two.risk, two.error)
    return first != second and first[0] <= second[0] and first[1] <= second[1]


def compare(
    source: Any,
    releases: Mapping[str, Any],
    *,
    quasi_identifiers: Iterable[str] | None = None,
    queries: str | None = None,
    by: Iterable[str] = (),
    target: str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    per: str | None = None,
    per_row: bool = False,
) -> Comparison:
    """Measure releases of one table side by side.

    Parameters
    ----------
    source : pyarrow.Table, pandas.DataFrame, polars.DataFrame or DuckDBPyRelation
        The table that was released.
    releases : mapping
        By their names the releases: tables, or each a `Release`, which brings its certificate.
    quasi_identifiers : iterable of str, optional
        By these, rows are in classes. None takes those of the certificates.
    queries : str, optional
        SQL text: SELECT statements of counts, sums and averages over one table, with ``;`` between them. Whatever table they
        name, they run on the source and on each release.
    by : iterable of str
        Columns whose values are groups: the loss of the worst group is shown.
    target : str, optional
        The column that a classifier predicts from the quasi-identifiers.
    hierarchies : mapping, optional
        For columns that are generalized by a hierarchy its table: ``value`` and ``parent``, or ``level0``, ``level1``, ...
    per : str, optional
        The column of the source that tells people apart: the smallest class and the highest risk count people. A certificate
        that counts people comes first.
    per_row : bool
        Whether each row is a person, even if a column seems to repeat people.

    Raises
    ------
    PolicyError
        When a column is unknown, a query cannot run, or nothing says which columns are quasi-identifiers.
    AuditError
        When a release has another number of rows than the source.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = pa.table({"zip": [1, 1, 2, 2], "age": [30, 30, 40, 50]})
    >>> hidden = pa.table({"zip": [1, 1, 2, 2], "age": [30, 30, None, None]})
    >>> queries = "SELECT zip, avg(age) FROM t GROUP BY zip"
    >>> found = compare(source, {"hidden": hidden}, quasi_identifiers=["zip", "age"], queries=queries)
    >>> found.releases[0].k, found.releases[0].loss, found.releases[0].answers.errors[-1]
    (2, 0.25, 0.3333333333333333)
    """
    if not isinstance(releases, Mapping) or not releases:
        raise PolicyError("releases must map names to tables; hint: pass {'k = 5': release}")
    certificates = {name: each.certificate for name, each in releases.items() if isinstance(each, Release)}
    with duckdb.connect() as con:
        register_table(con, "source", source)
        for number, each in enumerate(releases.values()):
            register_table(con, f"released{number}", each.table if isinstance(each, Release) else each)
        for number, each in enumerate((hierarchies or {}).values()):
            register_table(con, f"hierarchy{number}", each)
        requested: dict[str, Any] = {"quasi_identifiers": quasi_identifiers, "queries": queries, "by": by, "target": target}
        unit: dict[str, Any] = {"per": per, "per_row": per_row, "surface": "python"}
        return compared(con, list(releases), certificates, list(hierarchies or {}), **requested, **unit)


def compared(
    con: Any,
    names: Sequence[str],
    certificates: Mapping[str, Certificate],
    hierarchies: Sequence[str] = (),
    *,
    quasi_identifiers: Iterable[str] | None,
    queries: str | None,
    by: Iterable[str],
    target: str | None,
    per: str | None,
    per_row: bool,
    surface: Surface,
) -> Comparison:
    """Measure the tables ``released0``, ``released1``, ... of a connection against its table ``source``; as `compare`.

    Parameters
    ----------
    con : connection
        A plain DuckDB connection. It reads no more files afterwards.
    names : sequence of str
        What the releases are called.
    certificates : mapping
        By these names, those that are known.
    hierarchies : sequence of str
        Columns whose hierarchies are the tables ``hierarchy0``, ``hierarchy1``, ...
    """
    con.execute("SET enable_external_access = false")
    prepare(con)
    known = columns(con, "source")
    person = person_column(per, per_row, known)
    in_all = (name for name in known if all(name in columns(con, f"released{n}") for n in range(len(names))))
    shared = [name for name in in_all if name != person]
    if not shared:
        raise PolicyError("the source and the releases share no column; hint: check that the releases come from this table")
    chosen = _certified(certificates.values(), shared, target) if quasi_identifiers is None else list(quasi_identifiers)
    if person in chosen:
        raise PolicyError(
            f"{as_identifier(person)} identifies people, so it cannot be a quasi-identifier; hint: remove it from the "
            "quasi-identifiers"
        )
    for name in (*chosen, *by, *hierarchies, *([target] if target is not None else [])):
        if name not in shared:
            missing = "the source" if name not in known else "a release"
            raise PolicyError(f"{missing} has no column {name}; hint: {use_one_of(shared)}")
    requested = UsefulnessRequest(
        quasi_identifiers=tuple(chosen),
        columns=tuple(shared),
        queries=() if queries is None else read_queries(queries, known),
        by=tuple(by),
        target=target,
        hierarchies=tuple((name, f"hierarchy{n}") for n, name in enumerate(hierarchies)),
    )
    require_shared(requested, shared)
    rows = _rows(con, "source")
    for number, name in enumerate(names):
        if (count := _rows(con, f"released{number}")) != rows:
            raise AuditError(
                f"{name} has {how_many(count, 'row')}, but the source has {rows:,}; hint: check that it is a release of this "
                "source"
            )
    people = [None if person is None else least_people(con, f"released{n}", chosen, person) for n in range(len(names))]
    found = [
        usefulness(con, name, f"released{n}", requested, certificates.get(name), people[n]) for n, name in enumerate(names)
    ]
    unit = None if person is not None else audited_unit(con, "source", chosen, None, per_row, surface, raw=True).open
    if unit is not None and all(map(_is_settled, (certificates.get(name) for name in names))):
        unit = None
    if unit is not None:
        warnings.warn(KanonWarning(str(unit)), stacklevel=3)
    settings = [("rows", f"{rows:,}"), ("quasi-identifiers", ", ".join(chosen)), ("compared columns", ", ".join(shared))]
    if requested.queries:
        settings.append(("queries", f"{len(requested.queries):,}"))
    return Comparison(tuple(found), tuple(settings), unit)


def _is_settled(certificate: Certificate | None) -> bool:
    """Return whether a certificate says what a row is: people were counted, or its author says that each row is one."""
    if certificate is None:
        return False
    policy = Policy.from_json(certificate.policy)
    return policy.people is not None or policy.per_row


def _certified(certificates: Iterable[Certificate], shared: Sequence[str], target: str | None) -> list[str]:
    """Return the quasi-identifiers of certificates; columns that a release shows unchanged on purpose are none.

    Raises
    ------
    PolicyError
        When nothing says which columns they are.
    """
    policies = [Policy.from_json(each.policy) for each in certificates]
    named = {same_name(qi.column) for policy in policies for qi in policy.quasi_identifiers}
    chosen = [name for name in shared if same_name(name) in named and name != target]
    if not chosen:
        raise PolicyError(
            "the quasi-identifiers are unknown; hint: pass quasi_identifiers=['zip', 'age'], or the certificates"
        ).command("pass --qi zip,age, or --certificate RELEASE=CERT.json")
    return chosen


def require_shared(requested: UsefulnessRequest, shared: Sequence[str]) -> None:
    """Refuse queries about columns that a release does not have."""
    for query in requested.queries:
        for name in (*query.columns, *query.means):
            if name not in shared:
                raise PolicyError(
                    f"query {query.number} uses {name}, which is missing from a release; hint: remove it from the query"
                )


def _rows(con: Any, table: str) -> int:
    return int(con.execute(f"SELECT system.main.count(*) FROM {quoted(table)}").fetchone()[0])  # noqa: S608
