"""What a release looks like next to its source: figures for the page, counted once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import duckdb

from kanon_sql.engines.duckdb.audit.measures import macro_errors, record
from kanon_sql.engines.duckdb.audit.people_figures import people_figures
from kanon_sql.engines.duckdb.files.spilling import private_spilling
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.python_tables.tables import register_table
from kanon_sql.model.policy import Policy
from kanon_sql.report.measured import Measured, measured
from kanon_sql.studio.histogram import counted_by
from kanon_sql.studio.rows import brief
from kanon_sql.studio.run import Run
from kanon_sql.studio.source import BARS, K, Source

_LOSSES = """SELECT value, rows, suppressed_share FROM group_loss('released', 'source', $qi, $by, suppress := $suppress)
    WHERE value IN (SELECT CAST({by} AS VARCHAR) FROM source GROUP BY {by} HAVING system.main.count({counted}) >= $least)
    ORDER BY rows DESC NULLS LAST, value ASC NULLS LAST LIMIT $most"""

_LEARNED = """WITH cells AS (
        SELECT {known} AS class, CAST({column} AS VARCHAR) AS value, system.main.count(*) AS n FROM rows GROUP BY ALL
    ), classes AS (
        SELECT class, system.main.sum(n)::BIGINT AS size, system.main.max(n) AS most FROM cells GROUP BY class
    ), whole AS (SELECT system.main.sum(n)::BIGINT AS n FROM cells GROUP BY value)
    SELECT system.main.max(most / size), system.main.arg_max(size, most / size),
        system.main.sum(most)::BIGINT / system.main.sum(size)::BIGINT,
        coalesce(system.main.sum(size) FILTER (most = size), 0)::BIGINT,
        (SELECT system.main.max(n) / system.main.sum(n)::BIGINT FROM whole)
    FROM classes"""

_WHOLE = "kanon#whole"
"""The source with the columns that a release leaves out."""


@dataclass(frozen=True, slots=True)
class Group:
    """The rows with a value of a column."""

    value: str
    rows: int  # rows of the source
    suppressed: float  # the share of their quasi-identifier cells that are suppressed


@dataclass(frozen=True, slots=True)
class Learned:
    """What an attacker learns about a column of the people who are alike."""

    column: str
    largest: float  # the largest share of one value among rows that are alike
    rows: int  # the rows that are alike there
    guessed: float  # the share of all rows whose value is the most frequent one among those that are alike
    certain: int  # rows whose value is known for sure: all rows that are alike have it
    before: float  # the share of the most frequent value in the whole release: what is guessed without knowing anything


def look(source: Source, run: Run) -> Measured:
    """Measure a release and its source: a few GROUP BYs over both, and one more for each quasi-identifier."""
    certificate, rows = run.release
    con = audit_macros(audit_macros(duckdb.connect()), ("utility",))
    with private_spilling(":memory:", con), closing(con):
        register_table(con, "source", source.before(run.draft.query))
        register_table(con, "released", rows)
        register_table(con, _WHOLE, source.whole(run.draft))
        return measured(con, Policy.from_json(certificate.policy), certificate, _WHOLE)


def attacker(source: Source, run: Run, known: Sequence[str]) -> tuple[int, int, bool]:
    """Return the fewest rows that an attacker who knows these columns finds: in the source, and in the release.

    If the guarantee counts people, both numbers are people. The one in the release is then that of the smallest class by all
    quasi-identifiers: any other class is made of such classes.
    The third value is whether people are counted.
    """
    certificate, rows = run.release
    people, least = Policy.from_json(certificate.policy).people_of_classes, certificate.least_people
    with closing(audit_macros(source.con.cursor(), ("k_anonymity",))) as con:
        con.register("kanon#rows", rows)
        con.execute(f'CREATE TEMP VIEW "kanon#before" AS {run.draft.query}')
        before, after = (
            int(record(con, "FROM k_anonymity($table, $qi)", {"table": table, "qi": list(known)})["k"] or 0)
            for table in ('"kanon#before"', '"kanon#rows"')
        )
        if people is None or least is None:
            return before, after, False
        return int(people_figures(con, "kanon#before", known, people.per)["k"] or 0), least, True


def open_columns(run: Run) -> list[str]:
    """Return the released columns that an attacker may learn, the sensitive ones first: neither protected ones nor tokens."""
    policy = Policy.from_json(run.release[0].policy)
    protected = {*(each.column for each in policy.quasi_identifiers), *run.draft.pseudonyms}
    names = [name for name in run.release[1].column_names if name not in protected]
    return sorted(names, key=lambda name: name not in policy.sensitive)


def learned(run: Run, known: Sequence[str], columns: Sequence[str]) -> list[Learned]:
    """Return what an attacker who knows some columns of a person learns about others, by the rows that are alike.

    Parameters
    ----------
    known : sequence of str
        Released columns; without any, all rows are alike.
    columns : sequence of str
        Those that are learned.
    """
    alike = f"[{', '.join(f'CAST({quoted(name)} AS VARCHAR)' for name in known)}]"
    with closing(duckdb.connect()) as con, private_spilling(":memory:", con):
        con.register("rows", run.release[1])
        if not run.release[1].num_rows:
            return []
        queries = ((name, _LEARNED.format(known=alike, column=quoted(name))) for name in columns)
        return [Learned(name, *con.execute(query).fetchall()[0]) for name, query in queries]


def counted_exactly(facts: Measured, column: str) -> bool:
    """Return whether `suppressed_by` counts exactly: no row may belong to several groups, and no cell was empty before."""
    return all(each.name != column and not each.empty for each in facts.columns)


def suppressed_by(source: Source, run: Run, column: str) -> list[Group]:
    """Return the suppressed share of the quasi-identifier cells of each group of rows, the most frequent groups first.

    Parameters
    ----------
    column : str
        A released column; its values are the groups. Values of fewer than `K` rows, or people if they are counted, are left
        out.

    Raises
    ------
    SourceError
        When the column suits no groups.
    """
    certificate, rows = run.release
    policy = Policy.from_json(certificate.policy)
    arguments = {"qi": [qi.column for qi in policy.quasi_identifiers], "by": column, "suppress": policy.suppress}
    con = audit_macros(duckdb.connect(), ("group_loss",))
    with private_spilling(":memory:", con), closing(con), macro_errors():
        register_table(con, "source", source.before(run.draft.query))
        register_table(con, "released", rows)
        counted = counted_by(None if policy.people is None else policy.people.per)
        losses = _LOSSES.format(by=quoted(column), counted=counted)
        found = con.execute(losses, arguments | {"least": K, "most": BARS}).fetchall()
    return [Group(brief(value), rows, share or 0.0) for value, rows, share in found]
