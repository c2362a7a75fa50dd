"""Which rows of a batch wait for the next one: those of which the release would show nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.append.batch_terms import Terms
from kanon_sql.engines.duckdb.append.ledger import Ledger
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.histories.people_behind_tokens import APPENDED
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.policies.stored_policies import Ask
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.errors import SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import as_identifier

NUMBER = "kanon#key"
"""The column by which rows are known again behind the release statement; no reader sees it."""

_WAITING = 'CREATE OR REPLACE TEMP TABLE "kanon#waiting" AS SELECT NULL::VARCHAR AS key WHERE false'

_RETURNING = """SELECT system.main.count(DISTINCT key), system.main.count(DISTINCT person)
    FROM temp.main."kanon#fresh_people" WHERE known"""

_SPELLED = """SELECT (SELECT system.main.count(*) FROM (
        SELECT {0} FROM temp.main."kanon#read" WHERE {0} IS NOT NULL GROUP BY {0}
    )) < system.main.count(DISTINCT system.main.list_extract("kanon#people", {1})) FROM temp.main."kanon#read\""""
"""Whether a person goes by several tokens: what the column calls equal may be other texts, as under a collation.
DuckDB 1 counts such texts as distinct, and groups them as one."""

_RETURN_LATER = """INSERT INTO temp.main."kanon#waiting"
    SELECT DISTINCT key FROM temp.main."kanon#fresh_people" WHERE known"""

_BATCH = """CREATE OR REPLACE TEMP TABLE "kanon#batch" AS
    SELECT {shown}, "kanon#s"."kanon#key"
    FROM temp.main."kanon#read" AS "kanon#s"
    ANTI JOIN {ledger} AS "kanon#l" ON "kanon#l".key = "kanon#s"."kanon#key"
    ANTI JOIN temp.main."kanon#waiting" AS "kanon#w" ON "kanon#w".key = "kanon#s"."kanon#key\""""

_SUPPRESSED = 'SELECT system.main.count(*) FROM temp.main."kanon#bare" WHERE NOT own'

_WAIT = 'INSERT INTO temp.main."kanon#waiting" SELECT key FROM temp.main."kanon#bare" WHERE {}'

_WHOLLY = "wholly AND NOT own"

# all rows of a person, or else the rest could never be released: the person was before
_OF_PEOPLE = """INSERT INTO temp.main."kanon#waiting"
    SELECT DISTINCT key FROM temp.main."kanon#fresh_people" AS "kanon#p"
    WHERE key NOT IN (FROM temp.main."kanon#waiting") AND person IN (
        SELECT person FROM temp.main."kanon#fresh_people" WHERE key IN (FROM temp.main."kanon#waiting"))"""


def returning_people(ask: Ask, ledger: Ledger, terms: Terms) -> tuple[int, int]:
    """Return how many new rows are of people who were released before, and how many people these are.

    Raises
    ------
    SourceError
        When somebody is spelled in several ways: one of them may have been released.
    """
    ask(_WAITING)
    if not terms.people:
        return 0, 0
    for number, name in enumerate(terms.people, 1):
        if ask(_SPELLED.format(quoted(name), number)) != [(False,)]:
            raise SourceError(
                f"the column {as_identifier(name)} treats different values as the same person, so people "
                "released before cannot be recognized; hint: normalize the column in a view over the source, such as "
                "lower(name) as plain VARCHAR"
            )
    ask(text("batch_people", ledger=ledger.rows))
    rows, people = ask(_RETURNING)[0]
    return int(rows), int(people)


def hold_returning(ask: Ask) -> None:
    """Let the rows of people who were released before wait."""
    ask(_RETURN_LATER)


def released_batch(
    ask: Ask, session: Session, ledger: Ledger, terms: Terms, settled: Sequence[str], surface: Surface, *, wait: bool
) -> Certificate | None:
    """Release the rows that were not released and do not wait into ``"kanon#released"``; None where there is none.

    Parameters
    ----------
    ask : callable
        Runs a statement and returns its rows.
    ledger : Ledger
        Knows the rows that were released.
    settled : sequence of str
        Warnings about what is counted in the whole source.
    wait : bool
        Whether rows of which nothing would be shown wait; then they are left out, and the rest is released anew.

    Notes
    -----
    First those wait that too few are like: all rows that are alike in the source are among those of which nothing is shown, and
    are fewer than a class. Rows that only fill up their class are released with those that they are like. Where there are none
    but such rows, larger groups of rows that are alike wait, and at last their class as a whole. Each round is a release of its
    own, and lets at least one row wait, so there is a last one.
    """
    shown = ", ".join(sql if sql.startswith("system.") else f'"kanon#s".{sql}' for _, sql in terms.shown)
    batch = _BATCH.format(shown=shown, ledger=ledger.rows)
    query = release_query(
        'temp.main."kanon#batch"', terms.policy, number=NUMBER, recorded=APPENDED, surface=surface, settled=settled
    )
    connection = ask("SELECT system.main.current_connection_id()")[0][0]  # others may release at the same time
    while True:
        if terms.people:
            while ask(_OF_PEOPLE) != [(0,)]:
                pass
        ask(batch)
        if ask('SELECT system.main.count(*) FROM temp.main."kanon#batch"') == [(0,)]:
            return None
        ask(f'CREATE OR REPLACE TEMP TABLE "kanon#released" AS {query}')
        certificate = next(each for each in reversed(session.releases) if session.maker(each) == connection)
        if not wait or not _more_wait(ask, terms.policy):
            return certificate
        session.forget(certificate)


def _more_wait(ask: Ask, policy: Policy) -> bool:
    """Let rows wait of which the release shows nothing; return whether there are any."""
    columns = [quoted(qi.column) for qi in policy.quasi_identifiers]
    hidden = _hidden(policy.suppress)
    per = None if policy.people is None else quoted(policy.people.per)
    slots = {
        "person": "NULL" if per is None else f'"kanon#b".{per}',
        "size": f"system.main.count({'*' if per is None else 'DISTINCT person'})",
        "bare": " AND ".join(hidden(f'"kanon#r".{column}') for column in columns),
        "own": " AND ".join(hidden(f'"kanon#b".{column}') for column in columns),
        "row_type": ", ".join(f'"kanon#b".{column}' for column in columns),
    }
    ask(text("batch_bare", **slots))
    if ask(_SUPPRESSED) == [(0,)]:
        return False
    few = f"{_WHOLLY} AND size < {policy.least_class_size}"
    return any(ask(_WAIT.format(which)) != [(0,)] for which in (few, _WHOLLY, "true"))


def _hidden(suppress: str | None) -> Callable[[str], str]:
    """Return what gives the SQL of whether a cell looks as a suppressed one."""
    if suppress is None:
        return lambda cell: f"{cell} IS NULL"
    return lambda cell: f"CAST({cell} AS VARCHAR) IS NOT DISTINCT FROM {literal(suppress)}"
