"""From file to file: the release is written next to its place, read again, audited, and only then put there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kanon_sql.cli.publication import Solved
from kanon_sql.cli.terminal import without_bar
from kanon_sql.errors import AuditError, SourceError, hint_of

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate
    from kanon_sql.cli.publication import Publication
    from kanon_sql.engines.duckdb.connect.connection import Connection
    from kanon_sql.engines.duckdb.files.dialect import Dialect
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.model.policy import Policy


def metric_and_hierarchy(
    metric: str | None, hierarchy: str | None, dialect: Dialect
) -> tuple[dict[str, Any], dict[str, Place]]:
    """Return the metric and the hierarchy as a policy names them, and the files behind these names.

    Parameters
    ----------
    metric : str, optional
        Name of a metric, or a file of distances: that has a dot in its name.
    hierarchy : str, optional
        A file.

    Raises
    ------
    SourceError
        When there is no such file, or its name means something else.
    """
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.model.requirements import METRICS
    from kanon_sql.model.validation import as_identifier

    if metric is not None and metric not in METRICS and "." not in metric:
        hint = hint_of(metric, METRICS, f"use one of {', '.join(METRICS)}", spelled=str)
        raise SourceError(f"{metric} is neither a metric nor a file; hint: {hint}")
    names, places = {"metric": metric, "hierarchy": hierarchy}, {}
    for role, file in {"metric": metric if metric and "." in metric else None, "hierarchy": hierarchy}.items():
        if file is None:
            continue
        place = Place.of(file, dialect=dialect)
        place.require()
        name = place.name[1] if place.table else place.path.name[: -len(place.ending)]
        if name.lower() in {*METRICS, "source", "released"}:
            raise SourceError(f"{place} cannot be the {role}, because its name is reserved; hint: choose a different name")
        names[role], places[name] = as_identifier(name), place
    return names, places


_SORTED = """FROM {}
    ORDER BY system.main.create_sort_key(system.main.row(*COLUMNS(*)), 'ASC NULLS LAST') ASC NULLS LAST"""
"""The rows by what they hold; by a key of it, because sorted columns lose the sign of -0.0 before DuckDB 2."""


def population_table(file: str, dialect: Dialect) -> tuple[str, dict[str, Place]]:
    """Return the table of a population as a policy names it, and the file behind the name.

    Raises
    ------
    SourceError
        When there is no such file, or its name means something else.
    """
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.model.validation import as_identifier

    place = Place.of(file, dialect=dialect)
    place.require()
    name = place.name[1] if place.table else place.path.name[: -len(place.ending)]
    if name.lower() in {"source", "released"}:
        raise SourceError(f"{place} cannot be the population, because its name is reserved; hint: choose a different name")
    return as_identifier(name), {name: place}


def release_file(
    job: Publication,
    released: Callable[[Connection, list[str]], tuple[Policy, str]],
    named_tables: Mapping[str, Place],
    *,
    secret: bytes | None = None,
    allowed_files: Iterable[str] = (),
    strict: bool = False,
) -> Certificate:
    """Read, solve, write, audit, publish.

    Parameters
    ----------
    released : callable
        Makes the policy, and the query of the release of the table ``source``, once the columns are known.
    named_tables : mapping
        By their names, the hierarchies and tables of distances that the policy names.
    secret, allowed_files : optional
        As for `kanon_sql.connect`.
    strict : bool
        Whether a warning of the certificate is an error.
    """
    import kanon_sql
    from kanon_sql.engines.duckdb.files.tables import columns, load_named, remembering
    from kanon_sql.engines.duckdb.policies.allowed_files import check_tables
    from kanon_sql.engines.duckdb.release.written_release import audit_written, tallies

    con = without_bar(kanon_sql.connect(secret=secret, allowed_files=allowed_files, config=job.spill))

    def solve(go_on: Callable[[], None]) -> Solved[Certificate]:
        policy, query = released(con, columns(con, "source"))
        check_tables(policy, named_tables, "--beside {}=FILE")
        load_named(con, policy, named_tables)
        rows = con.execute("SELECT system.main.count(*) FROM source").fetchall()[0][0]
        go_on()
        job.step("solving")
        con.watch(lambda moment: job.step("solving", moment))
        with remembering(con, policy, (job.origin, job.place)):
            con.execute(f"CREATE TABLE released AS {query}")
        certificate: Certificate = kanon_sql.releases(con)[-1]
        if strict and certificate.warnings:
            raise AuditError(f"--strict: {'; '.join(certificate.warnings)}; nothing was released")
        return Solved(
            certificate=certificate,
            rows="FROM {}" if policy.row_order == "source" else _SORTED,
            audit=lambda staged: audit_written(staged, policy, rows, tallies(con, policy)),
        )

    return job.publish(con, solve)
