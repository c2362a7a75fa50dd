"""dbt-duckdb: the table functions, the audit, and the clause for the models of a dbt project."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.adapters.duckdb.environments.local import DuckDBCursorWrapper
from dbt.adapters.duckdb.impl import DuckDBConfig
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt.artifacts.resources import ModelConfig
from dbt_common.events.base_types import EventLevel
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Note

from kanon_sql.engines.announcing import Announcements
from kanon_sql.engines.duckdb.append.batch import Batch
from kanon_sql.engines.duckdb.append.batch_terms import terms_of
from kanon_sql.engines.duckdb.append.steps import Append
from kanon_sql.engines.duckdb.cells.protected_models import protected_query, table_figures
from kanon_sql.engines.duckdb.connect.failures import RequestedStatement
from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.lazy_relation import run
from kanon_sql.engines.duckdb.connect.registration import macros, session_of, without_python
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.connect.shadowing import refuse_namesakes
from kanon_sql.engines.duckdb.gather.sources import release_of_table
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.engines.duckdb.policies.stored_policies import token_of
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.errors import PolicyError, SourceError, nearest
from kanon_sql.model.guarantee import Guarantee
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity, People
from kanon_sql.model.synonyms import OPTIONS

if TYPE_CHECKING:
    from kanon_sql.engines.announcing import Announced


def rewritten(_session: Session, sql: str) -> str:
    """Return the SQL text with released rows in the place of each ANONYMIZE clause; without a clause, ``sql`` itself."""
    from kanon_sql.clause import rewrite  # sqlglot is only loaded where a model is anonymized

    def counts(*_table: Any) -> str:
        raise PolicyError("PROTECT creates a table of counts; hint: set materialized='protected'")

    return rewrite(sql, partial(release_query, query=True), protect=counts)


def model_release(session: Session, policy: str, code: str) -> str:
    """Return the SQL of the release of a model, whose rows wait in a table.

    Parameters
    ----------
    policy : str
        The policy as JSON.
    code : str
        The query of the model: columns that it leaves out may repeat people, too.
    """
    from kanon_sql.clause import wide_text

    table = f"temp.main.{_SOURCE}"
    return release_of_table(session, table, Policy.from_json(policy), surface="model", wide=wide_text(code))


def rows_counted(_session: Session, sql: str, per: str, per_row: bool) -> bool:
    """Return true for a query whose rows may be counted.

    Parameters
    ----------
    sql : str
        The query of a model without a clause.
    per : str
        The column by which people are counted; empty for none.
    per_row : bool
        Whether a row is what counts.

    Raises
    ------
    ClauseError
        When its rows are groups, and the config does not say what is counted.
    """
    from kanon_sql.clause.groups import refuse_grouped_query

    people = [People(k=1, per=per)] if per else []
    guarantee = Guarantee(requirements=(KAnonymity(k=1, per_row=per_row), *people))
    refuse_grouped_query(sql, guarantee, "set per_row=true in the config of the model")
    return True


def unreleased(_session: Session, sql: str) -> list[str]:
    """Return the tables that a query reads outside of its ANONYMIZE clauses: their rows are handed out as they are."""
    from kanon_sql.clause.unreleased_tables import unreleased_tables

    return unreleased_tables(sql)


def unknown(_session: Session, keys: list[str], known: list[str], of_model: bool) -> list[str]:
    """Return the keys that are not known, each with the known one that it was probably meant to be.

    Parameters
    ----------
    keys, known : list of str
        Given keys, and those that there are.
    of_model : bool
        Whether they are the config of a model, so that the keys of dbt and of dbt-duckdb are known too.
    """
    of_dbt = {field.name for config in (ModelConfig, DuckDBConfig) for field in fields(config)} if of_model else set()
    wrong = [key for key in keys if key not in known and key.replace("-", "_") not in of_dbt]
    near = {key: nearest(key, known, OPTIONS) for key in wrong}
    return [key if near[key] is None else f'{key} (did you mean "{near[key]}"?)' for key in wrong]


def token(_session: Session, column: str, counted: bool) -> str:
    """Return the SQL of the tokens of a column of a query, which people may be counted by."""
    return token_of(column, counted=counted)


FUNCTIONS = (
    Function(name="kanon_rewrite", returns="VARCHAR", call=rewritten),
    Function(name="kanon_protected_query", returns="VARCHAR", call=protected_query),
    Function(name="kanon_table_figures", returns="VARCHAR", call=table_figures, side_effects=True),
    Function(name="kanon_model_release", returns="VARCHAR", call=model_release, refused=refusing_query),
    Function(name="kanon_rows_counted", returns="BOOLEAN", call=rows_counted),
    Function(name="kanon_beside", returns="VARCHAR[]", call=unreleased),
    Function(name="kanon_unknown", returns="VARCHAR[]", call=unknown),
    Function(name="kanon_token", returns="VARCHAR", call=token),
)


@dataclass
class ReleaseResponse(AdapterResponse):  # type: ignore[misc] # dbt is not there to be checked
    """What dbt stores of a statement in ``run_results.json``, with the figures of its certificate where it is a release."""

    kanon: dict[str, Any] | None = None

    def certified(self, message: str, figures: dict[str, Any] | None, code: str = "CREATE TABLE AS") -> None:
        """Take the message and the figures of an anonymized model."""
        self._message, self.code, self.kanon = message, code, figures

    @classmethod
    def of(cls, cursor: Any) -> ReleaseResponse:
        """Return the response of a statement that a cursor has run: the warnings of its releases are in it."""
        found = vars(cursor).get("kanon_warnings", [])
        return cls(_message="; ".join(["OK", *found]), kanon={"warnings": found} if found else None)


_SOURCE = "kanon_source"
"""The table into which the materialization writes the rows of a model before it releases them."""


_APPEND = re.compile(r"select system\.main\.kanon_append\('(.*)'\)\s*", re.DOTALL)
"""What the materialization runs where a release grows: many statements in the transaction of the model, reported as one."""


_MATERIALIZED = re.compile(rf"{_SOURCE}|system\.main\.kanon_(rewrite|append|model_release|protected_query)\(")
"""What the statements of the materialization have, which logs warnings itself."""


def appended(cursor: Any, job_text: str) -> Batch:
    """Release the new rows of a model as the next batch, in the transaction that is open.

    Parameters
    ----------
    cursor : DuckDBPyConnection
        The cursor of the model.
    job_text : str
        JSON: the release, the key, the policy, the query of the model, and the options of `kanon_sql.append`.

    Raises
    ------
    SourceError
        When no row was ever released, nor can be: there would be no table.
    """
    from kanon_sql.clause import wide_text

    job = json.loads(job_text)
    steps = Append(cursor, session_of(cursor), surface="model", **job["options"])
    policy, place = Policy.from_json(job["policy"]), tuple(job["release"])
    batch = steps.take(
        ("temp", "main", _SOURCE),
        place,
        place[:2],
        lambda columns: terms_of(steps.ask, columns, job["key"], policy, {}, surface="model"),
        wide_text(job["code"]),
    )
    if batch.number is None:
        cursor.execute("ROLLBACK; BEGIN TRANSACTION")
        if not batch.rows:
            raise SourceError(
                f"no row can be released yet: {how_many(batch.waiting, 'row is waiting', 'rows are waiting')}; hint: run the "
                "model again when there are more rows"
            )
    return batch


class Logged(Announcements):
    """Warnings that dbt logs: Python would show them again, at a line of dbt."""

    def add(self, certificate: Announced) -> None:
        """Leave the certificate to whoever ran the statement."""


def warnings_since(session: Session, known: int, connection: int) -> list[str]:
    """Return the warnings of the releases that a connection has made, but for the first ones of the session."""
    made = [each for each in session.releases[known:] if session.maker(each) == connection]
    return list(dict.fromkeys(warning for each in made for warning in each.warnings))


def guard_cursors(wrapper: Any) -> None:
    """Let the cursors of dbt-duckdb tell failed releases without values, before dbt prints, logs and stores what they tell.

    Notes
    -----
    dbt-duckdb hands no plugin the object that runs its statements, so its class is changed, once.
    """
    if hasattr(wrapper, "kanon_guarded"):
        return
    execute = wrapper.execute

    def guarded(self: Any, sql: Any, bindings: Any = None) -> Any:
        if found := _APPEND.search(sql):
            batch = run(
                session_of(self._cursor), RequestedStatement(released=True), appended, self._cursor, found[1].replace("''", "'")
            )
            warnings = () if batch.certificate is None else batch.certificate.warnings
            sql = f"select system.main.unnest(system.main.list_value({', '.join(map(literal, (str(batch), *warnings)))}))"
        requested = RequestedStatement.of(sql, sql)
        requested.released = requested.released or _MATERIALIZED.search(requested.text) is not None
        self.kanon_requested = requested
        session = session_of(self._cursor)
        if not hasattr(self, "kanon_connection"):
            self.kanon_connection = self._cursor.execute("SELECT system.main.current_connection_id()").fetchall()[0][0]
        known = len(session.releases)
        result = run(session, requested, execute, self, sql, bindings)
        self.kanon_warnings = warnings_since(session, known, self.kanon_connection)
        if not _MATERIALIZED.search(sql):
            for warning in self.kanon_warnings:
                fire_event(Note(msg=f"kanon: warning: {warning}"), level=EventLevel.WARN)
        return result

    def fetching(name: str) -> Callable[..., Any]:
        def fetch(self: Any, *arguments: Any) -> Any:
            requested = self.__dict__.get("kanon_requested", RequestedStatement())
            return run(session_of(self._cursor), requested, getattr(self._cursor, name), *arguments)

        return fetch

    wrapper.execute, wrapper.kanon_guarded = guarded, True
    for name in ("fetchall", "fetchmany", "fetchone"):
        setattr(wrapper, name, fetching(name))


class Plugin(BasePlugin):  # type: ignore[misc] # dbt is not there to be checked
    """What ``plugins: [{module: kanon_sql.dbt_plugin}]`` in profiles.yml loads; it has no configuration."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:  # noqa: ARG002 - as the base class has it
        """Guard the words of errors, and make responses that can hold figures: no plugin is handed either."""
        guard_cursors(DuckDBCursorWrapper)
        DuckDBConnectionManager.get_response = classmethod(lambda _manager, cursor: ReleaseResponse.of(cursor))

    def configure_connection(self, conn: Any) -> None:
        """Register the functions, which all cursors of the database share."""
        session = session_of(conn)
        session.announcements = Logged()
        session.serve(conn)  # so that anonymize(tbl, 'name') can look for stored policies
        for function in FUNCTIONS:
            conn.create_function(function.name, session.keep(function.bound(session)), None, function.returns)

    def configure_cursor(self, cursor: Any) -> None:
        """Create the macros: temporary ones, so that none is left in the database file, and those belong to one cursor."""
        for text in macros():
            cursor.execute(f"CREATE OR REPLACE TEMP MACRO {text}")
        refuse_namesakes(cursor, without_python())


if __name__ == "__main__":
    sys.stdout.write(f"{files('kanon_sql').joinpath('dbt')}\n")
