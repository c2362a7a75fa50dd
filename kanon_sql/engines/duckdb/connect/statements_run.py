"""How a connection runs statements that may hold a clause or a function of ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.engines.duckdb.connect.caller import streams
from kanon_sql.engines.duckdb.connect.failures import RequestedStatement
from kanon_sql.engines.duckdb.connect.first_use import BLOCKS, CLAUSES, FirstUse
from kanon_sql.engines.duckdb.connect.lazy_relation import run
from kanon_sql.engines.duckdb.connect.registration import macros
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.connect.shadowing import GATED, REFUSED, unshadowed
from kanon_sql.engines.duckdb.files import copying
from kanon_sql.engines.duckdb.policies.stored_policies import Policies
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.errors import KanonError, PolicyError, raise_alone
from kanon_sql.model.policy import Policy

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.cells.waiting_tables import WaitingTables
    from kanon_sql.model.linked_histories import LinkedHistories

_PREPARES, _EXECUTES = (re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("prepare", "execute"))


class Running:
    """The statements of one connection.

    Parameters
    ----------
    raw : DuckDBPyConnection
        The connection.
    session : Session
        What is remembered of its releases.
    first_use : FirstUse, optional
        Makes the functions and macros that are not there yet.
    """

    def __init__(self, raw: duckdb.DuckDBPyConnection, session: Session, first_use: FirstUse | None = None) -> None:
        self._raw, self.session, self._first_use = raw, session, first_use
        self._prepared = False
        self._waiting: WaitingTables | None = None
        self.streams = set[str]()
        self.requested = RequestedStatement()

    @property
    def waits(self) -> bool:
        """Return whether BEGIN PROTECTED was given: tables are made at COMMIT."""
        return self._waiting is not None and self._waiting.begun

    def run(
        self, last: Callable[..., Any], query: Any, ask: Callable[[str], Any], parameters: Any, *, many: bool = False
    ) -> Any:
        """Run statements; tables between BEGIN PROTECTED and COMMIT wait until all of them are known."""
        waiting = self._waiting_for(query)
        if waiting is None:
            with self.session.search.statement():
                return self._run_sent(last, query, self.rewritten(query, ask), parameters, many=many)
        if many or parameters:
            raise PolicyError("BEGIN PROTECTED ... COMMIT accepts no parameters; hint: write the values into the statements")
        return waiting.run(query, partial(self.rewritten, ask=ask), partial(self._run_sent, last, parameters=None))

    def _waiting_for(self, query: object) -> WaitingTables | None:
        """Return what makes a text wait that has BEGIN PROTECTED, or comes after it."""
        if self._waiting is None:
            if not isinstance(query, str) or not BLOCKS.search(query):
                return None
            from kanon_sql.engines.duckdb.cells.waiting_tables import WaitingTables

            self._waiting = WaitingTables(self.session.protected_tables)
        return self._waiting if self._waiting.takes(query) else None

    def rewritten(self, query: Any, ask: Callable[[str], Any], writer: Callable[..., str] | None = None) -> Any:
        """Return the query as DuckDB takes it; stored policies are read by ``ask``, in the transaction of the connection."""
        if not isinstance(query, str) or not CLAUSES.search(query):
            return query
        from kanon_sql.clause import rewrite  # sqlglot is only loaded where the word occurs

        policies = Policies(lambda question: ask(question).fetchall(), self.session.allowed_files)
        return rewrite(
            query, _release_of_query, policies, writer or _table_writer(self.session), _linked, streams() | self.streams
        )

    def _run_sent(self, last: Callable[..., Any], query: Any, sent: Any, parameters: Any, *, many: bool = False) -> Any:
        """Run statements; those that hold a release fail without words of DuckDB that may quote values."""
        requested = RequestedStatement.of(query, sent)
        if self._first_use is not None:
            self._first_use.called(sent)
            requested.everything = self._first_use.everything
        # What was prepared is not bound again when it is executed.
        requested.released = requested.released or (self._prepared and _EXECUTES.search(requested.text) is not None)
        self.requested = requested
        try:
            return run(self.session, requested, self._copied, last, sent, parameters, many)
        finally:
            self._prepared = self._prepared or (requested.released and _PREPARES.search(requested.text) is not None)

    def _copied(self, last: Callable[..., Any], sent: Any, parameters: Any, many: bool) -> Any:
        try:
            return copying.run(self._raw, last, sent, parameters, many=many, written=self.requested.text)
        except duckdb.BinderException:
            refusal = self._shadowed(sent)
            if refusal is None:
                raise
            raise_alone(refusal)

    def _shadowed(self, query: object) -> KanonError | None:
        """Return the refusal of a macro behind the syntax of a statement of ours that could not even be bound."""
        if isinstance(query, str) and _our_statements().search(query):
            try:
                self._raw.execute(f"SELECT {unshadowed((*GATED, *REFUSED))}").fetchall()
            except duckdb.Error as refusal:
                return self.session.failures.cause_of(str(refusal))
        return None


@cache
def _our_statements() -> re.Pattern[str]:
    """Return a pattern for statements that release, explain or audit."""
    return re.compile("|".join(["kanon#", *(text.partition("(")[0] for text in macros())]), re.IGNORECASE)


def _table_writer(session: Session) -> Callable[..., str]:
    """Return what writes the protected tables of one text."""

    @cache
    def writer() -> Callable[..., str]:
        from kanon_sql.engines.duckdb.cells.table_writer import TableWriter

        return TableWriter(session.protected_tables)

    return lambda *requested: writer()(*requested)


def _release_of_query(body: str, policy: Policy, wide: str | None) -> str:
    return release_query(body, policy, query=True, wide=wide)


def _linked(body: str, requested: LinkedHistories, wide: str | None) -> str:
    from kanon_sql.engines.duckdb.histories.query import history_query

    return history_query(body, requested, wide, query=True)
