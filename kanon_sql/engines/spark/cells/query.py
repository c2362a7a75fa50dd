"""The clause PROTECT on Spark: each protected table becomes a temporary view, which takes the place of its query."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from kanon_sql.clause import rewrite
from kanon_sql.clause.cells.place import find_protected
from kanon_sql.clause.cells.select_list import plain_text
from kanon_sql.clause.cells.table_query import TableQuery
from kanon_sql.clause.script import Script
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.named_rows import with_named_rows
from kanon_sql.engines.cells.table_unit import key_places, unit_of
from kanon_sql.engines.spark.cells.protecting import check_supported, protected
from kanon_sql.engines.spark.connect.failures import safe_errors
from kanon_sql.engines.spark.connect.names import fresh, quoted
from kanon_sql.engines.spark.gather.unit import settled_frame
from kanon_sql.errors import ClauseError, PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.protection import Protection
from kanon_sql.solvers.budget import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MENTIONED = re.compile(r"\bprotect\b", re.IGNORECASE)


def with_protected(spark: SparkSession, text: str, progress: Progress | None) -> str | None:
    """Return a text whose protected tables are views; None if it has none.

    Parameters
    ----------
    spark : SparkSession
        The session, which gets the views.

    Raises
    ------
    ClauseError
        When a clause cannot be read, or reads what Spark does not know outside of the statement.
    SourceError, InfeasibleError, AuditError
        As `protect`.
    """
    if not _MENTIONED.search(text):
        return None
    try:
        script = Script.read(text)
        script.match_brackets()
    except ClauseError:  # Spark tells what is wrong with it
        return None
    statements = list(script.statements())
    clauses = [place for first, end in statements for place in find_protected(script, first, end)]
    if not clauses:
        return None
    if len(clauses) > 1:  # each would be safe alone, and not next to the other
        raise script.error(
            "a statement can have only one PROTECT on Spark; hint: count both tables in one query with GROUPING SETS",
            clauses[1],
        )
    if len(statements) > 1:
        raise script.error(
            "a statement with PROTECT must be the only one; hint: run the other statements first", statements[1][0]
        )
    if script.words(clauses[0] + 1, "WITH", "POLICY"):
        hint = "use kanon_sql.spark.protect(df, by=['region'], policy='policies.yaml::weekly')"
        raise script.error(f"PROTECT WITH POLICY is not supported on Spark; hint: {hint}", clauses[0])
    return rewrite(text, _refuse, protect=partial(_view, spark, progress))


def _refuse(_: str, __: Policy, ___: str | None) -> NoReturn:
    raise PolicyError("ANONYMIZE and PROTECT cannot be in one statement on Spark; hint: release into a table first")


def _view(spark: SparkSession, progress: Progress | None, query: TableQuery, protection: Protection, explained: bool) -> str:
    """Protect a table and return the query of its view."""
    if explained:
        raise PolicyError("EXPLAIN PROTECT is not supported on Spark; hint: run the query, and read its certificate")
    check_supported(query.tabulation)
    read = Script.read(query.source)
    if plain_text(read, 0, len(read.tokens)) != query.tabulation.source:
        raise PolicyError(
            "PROTECT on Spark reads tables and views, not WITH queries; hint: create a temporary view of the query first"
        )
    named = [(text, f"kanon#key{place}") for place, text in enumerate(query.keys)]
    named += [(text, f"kanon#value{place}") for place, text in enumerate(query.sums)]
    named += [] if protection.per is None else [(quoted(protection.per), "kanon#person")]
    listed = ", ".join(f"{text} AS {quoted(name)}" for text, name in named)
    with safe_errors("reading the source"):
        text = f"{query.source} WHERE {query.where}" if query.where else query.source
        rows, source = spark.sql(f"SELECT {listed} {text}"), spark.sql(f"SELECT * {text}")
    counting = with_named_rows(
        Counting(tabulation=query.tabulation, keys=query.keys, sums=query.sums, largest=protection.largest), protection
    )
    view = fresh("protected")
    shown = [(quoted(f"kanon#key{place}"), quoted(name)) for name, place in key_places(counting).items()]
    keys = rows.selectExpr(*[f"{key} AS {name}" for key, name in shown])
    warned = settled_frame(keys, source, unit_of(counting, protection), "spark")
    table = protected(rows, counting, protection, progress, warned).table
    with safe_errors("creating the view of the protected table"):
        table.createOrReplaceTempView(view)
    return f"TABLE {quoted(view)}"
