"""Stored policies: an ordinary table of the database, and the SQL that reads and writes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as replace_fields
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from kanon_sql.engines.duckdb.connect.binding import heard
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.names import identifier_text, literal, name_parts, qualified, quoted
from kanon_sql.engines.duckdb.policies.allowed_files import AllowedFiles, checked
from kanon_sql.errors import PolicyError
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_names import Stored, any_of_name, of_name, protection_of_name, stored_of
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.stored_protection import StoredProtection
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import as_identifier, same_name

TABLE = "kanon_policies"
"""The table of the policies in the schema ``main`` of the database; it is there once a policy was stored."""

Ask = Callable[[str], list[tuple[Any, ...]]]
"""Run a query and return its rows."""

_EXISTS = """SELECT 1 FROM system.main.duckdb_tables()
    WHERE database_name = {} AND schema_name = 'main' AND table_name = {}"""

_COLUMNS = """SELECT column_name, data_type FROM system.main.duckdb_columns()
    WHERE database_name = {} AND schema_name = 'main' AND table_name = {} ORDER BY column_index ASC NULLS LAST"""

_LAYOUT = [("name", "VARCHAR"), ("table", "VARCHAR"), ("policy", "VARCHAR"), ("created", "TIMESTAMP")]

_CHECK = """system.main.kanon_policy_checked(
    {}, (SELECT system.main.list(name ORDER BY cid ASC NULLS LAST) FROM system.main.pragma_table_info({})))"""
"""The columns of a table or view: another name, such as that of a file, is an error."""

_CHECK_QUERY = """system.main.kanon_policy_checked(
    {}, (SELECT system.main.list(column_name) FROM (DESCRIBE FROM system.main.query({}))))"""
"""The columns of a query: a single SELECT."""

_ROW = 'SELECT {1} AS "name", {2} AS "table", {3} AS "policy", CAST({4} AS TIMESTAMP) AS "created" WHERE {5}'
"""The policy is canonical JSON, the time is that of UTC."""

_CREATE = f"CREATE TABLE {{0}} AS {_ROW}"
_INSERT = f"INSERT INTO {{0}} {_ROW}"
_UPDATE = """UPDATE {0} SET "table" = {2}, "policy" = {3}, "created" = CAST({4} AS TIMESTAMP) WHERE "name" = {1} AND {5}"""
_DELETE = 'DELETE FROM {} WHERE "name" = {}'
_NOTHING = 'SELECT 0 AS "Count" WHERE false'
_STORED = 'SELECT "name", "table", "policy" FROM {} ORDER BY "name" ASC NULLS LAST'
_SHOW = 'FROM {} ORDER BY "name" ASC NULLS LAST'
_SHOW_NONE = """SELECT '' AS "name", '' AS "table", '' AS "policy", CAST(NULL AS TIMESTAMP) AS "created" WHERE false"""
_RELEASED = 'SELECT {} FROM "kanon#body"'

_EVERY = 'FROM "kanon#body"'
"""The rows with the columns that a policy drops."""

_PSEUDONYM = "system.main.kanon_pseudonym({1}) AS {0}"

_PERSON = """system.main.kanon_pseudonym(CASE
    WHEN system.main.encode({1}) <> system.main.min(system.main.encode({1})) OVER (PARTITION BY {0})
    THEN system.main.error({2}) ELSE {1} END) AS {0}"""
"""The token of a person who is counted by it: what the column calls equal is one person, and must have one token."""

_SPELLED = (
    "kanon audit: the column {} treats different values as the same person, so tokens do not count people; nothing was "
    "released; hint: normalize the column in a view over the source, such as lower(name) as plain VARCHAR"
)

_UNDER_POLICY = """WITH "kanon#body" AS NOT MATERIALIZED (
{body}
)
-- the columns of the query are only known while it is bound: the first branch tells them, the second asks for them
SELECT "kanon#released".*
FROM {heard} AS "kanon#columns", system.main.query(
    system.main.{plan}({arguments}, system.main.current_database())) AS "kanon#released\""""


def under_policy(body: str, stored: StoredPolicy, plan: str, wide: str | None = None, surface: Surface = "policy") -> str:
    """Return a query over another query, whose text a planner writes once the columns of that are known.

    Parameters
    ----------
    stored : StoredPolicy
        The policy; it becomes a part of the text, so what is made from it (a view, say) does not follow later changes.
    plan : str
        Name of the planner.
    wide : str, optional
        A query of the same rows with the columns that ``body`` leaves out.
    """
    noted = heard(stored.name, '"kanon#body"')
    arguments = ", ".join(map(literal, (stored.name, stored.table, stored.to_json(), wide or _EVERY, surface)))
    return _UNDER_POLICY.format(body=body, heard=noted, plan=plan, arguments=arguments)


def planned(session: Session, stored: StoredPolicy, database: str, query: Callable[[str, Policy], str]) -> str:
    """Return a query over what a stored policy releases of ``"kanon#body"``.

    Parameters
    ----------
    session : Session
        Knows the columns of the body, and the files that the policy may read.
    stored : StoredPolicy
        The policy.
    database : str
        The database whose tables it may read.
    query : callable
        Makes it of the query of what may be released, and what is guaranteed of that.

    Raises
    ------
    PolicyError
        When a column has no role in the policy, nothing can be guaranteed of the query, or the policy reads what it may not.
    """
    columns = stored.released(session.binding.columns(stored.name))
    policy = stored.policy_for(columns)
    tables = session.allowed_files.tables_of(policy, stored)
    text = query(_RELEASED.format(", ".join(map(shown_by(stored), columns))), policy)
    return checked(text, tables, database, stored)


def planned_histories(
    session: Session, stored: StoredPolicy, database: str, query: Callable[[str, LinkedHistories], str]
) -> str:
    """Return a query over the linked histories that a stored policy releases of ``"kanon#body"``; as `planned`."""
    columns = stored.released(session.binding.columns(stored.name))
    stored.require_alone()
    histories = stored.histories.within(columns, str(stored))
    text = query(_RELEASED.format(", ".join(map(quoted, columns))), histories)
    return checked(text, [], database, stored)


def shown_by(stored: StoredPolicy) -> Callable[[str], str]:
    """Return what gives for a column that may be released its SQL: a token in the place of a pseudonym."""
    tokens, people = set(map(same_name, stored.pseudonyms)), stored.policy.people
    counted = None if people is None else same_name(people.per)
    return lambda column: (
        token_of(column, counted=same_name(column) == counted) if same_name(column) in tokens else quoted(column)
    )


def token_of(column: str, *, counted: bool) -> str:
    """Return the SQL of the tokens of a column, which people may be counted by."""
    name = quoted(column)
    sql = _PERSON if counted else _PSEUDONYM
    return sql.format(name, identifier_text(name), literal(_SPELLED.format(as_identifier(column))))


def stored_policies(ask: Ask, database: str) -> list[Stored] | None:
    """Return the policies of a database; None where it has no table of them.

    Raises
    ------
    PolicyError
        When the table holds what is no policy.
    """
    if not ask(_EXISTS.format(literal(database), literal(TABLE))):
        return None
    if ask(_COLUMNS.format(literal(database), literal(TABLE))) != _LAYOUT:
        raise PolicyError(f"{home(database)} does not have the columns of a policy table; hint: drop or rename it")
    rows = ask(_STORED.format(home(database)))
    found = [stored_of(*row) for row in rows]
    if len({same_name(each.name) for each in found}) < len(found):
        raise PolicyError(f"{home(database)} contains two policies with the same name; hint: delete one of the two rows")
    return found


def home(database: str) -> str:
    """Return the table of the policies of a database as an SQL name."""
    return f"{quoted(database)}.main.{quoted(TABLE)}"


class Policies:
    """The policies that one text of statements sees: those of the database, and what it changes itself on the way.

    Parameters
    ----------
    ask : callable
        Runs a query in the transaction of the connection; called when the first policy is needed.
    allowed_files : AllowedFiles, optional
        The files that a new policy may name; by default none.
    database : str, optional
        The database; by default the current one.
    """

    def __init__(self, ask: Ask, allowed_files: AllowedFiles | None = None, database: str | None = None) -> None:
        self._ask = ask
        self._allowed_files = allowed_files or AllowedFiles()
        self._given = database

    @classmethod
    def committed(cls, session: Session, database: str) -> Policies:
        """Return the policies of a database for a function, which cannot ask the connection that calls it."""

        def ask(query: str) -> list[tuple[Any, ...]]:
            with session.cursor() as cursor:
                rows: list[tuple[Any, ...]] = cursor.execute(query).fetchall()
            return rows

        return cls(ask, database=database)

    @cached_property
    def _database(self) -> str:
        return self._given or str(self._ask("SELECT system.main.current_database()")[0][0])

    @cached_property
    def _known(self) -> dict[str, Stored] | None:
        stored = stored_policies(self._ask, self._database)
        return None if stored is None else {same_name(each.name): each for each in stored}

    @property
    def all(self) -> list[Stored]:
        """Return the policies, by name."""
        return list((self._known or {}).values())

    def create(self, policy: Stored, *, replace: bool) -> str:
        """Return the statement that stores a policy, if it fits its table.

        Raises
        ------
        PolicyError
            When there is one of that name that is not to be replaced, or it names a file that is not allowed.
        """
        query = None
        if isinstance(policy, StoredPolicy):
            self._allowed_files.tables_of(policy.policy, policy)
            query = policy.query
        there = (self._known or {}).get(same_name(policy.name))
        if there is not None and not replace:
            raise PolicyError(f'the policy "{there.name}" already exists; hint: use CREATE OR REPLACE ANONYMIZATION POLICY')
        if there is not None:  # the name stays as it was first spelled
            policy = replace_fields(policy, name=there.name)
        texts = [literal(text) for text in (policy.name, policy.table, policy.to_json())]
        read = qualified(name_parts(policy.table)) if query is None else query
        check = (_CHECK if query is None else _CHECK_QUERY).format(", ".join(texts), literal(read))
        created = literal(datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"))
        values = (*texts, created)
        place, new = home(self._database), self._known is None
        self._known = (self._known or {}) | {same_name(policy.name): policy}
        if there is not None:
            return _UPDATE.format(place, *values, check)
        return (_CREATE if new else _INSERT).format(place, *values, check)

    def drop(self, name: str, *, if_exists: bool) -> str:
        """Return the statement that forgets a policy.

        Raises
        ------
        PolicyError
            When there is none of that name.
        """
        known = self._known or {}
        if if_exists and same_name(name) not in known:
            return _NOTHING
        found = any_of_name(name, known.values())
        self._known = {key: each for key, each in known.items() if each != found}
        return _DELETE.format(home(self._database), literal(found.name))

    def show(self) -> str:
        """Return the query that lists the policies."""
        if self._known is None:
            return _SHOW_NONE
        return _SHOW.format(home(self._database))

    def policy(self, name: str) -> Policy:
        """Return what a stored policy guarantees."""
        return of_name(name, self.all).policy

    def protection(self, name: str) -> StoredProtection:
        """Return a stored policy for tables of counts."""
        return protection_of_name(name, self.all)

    def release(self, body: str, name: str, wide: str | None) -> str:
        """Return a query that yields the released rows of a query under a stored policy."""
        return under_policy(body, of_name(name, self.all), "kanon_plan_release", wide)

    def explain(self, body: str, policy: Policy | str, wide: str | None) -> str:
        """Return a query that explains a release without making it."""
        if isinstance(policy, Policy):
            from kanon_sql.engines.duckdb.release.explanation import explanation_query

            return explanation_query(body, policy, wide)
        return under_policy(body, of_name(policy, self.all), "kanon_plan_explanation", wide)
