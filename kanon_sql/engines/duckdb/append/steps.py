"""The steps of an append: one transaction with the ledger that says which rows were released."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import duckdb

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.append.batch import Batch
from kanon_sql.engines.duckdb.append.batch_audit import check_whole_release, counted_batch
from kanon_sql.engines.duckdb.append.batch_terms import Terms, terms_of
from kanon_sql.engines.duckdb.append.ledger import Ledger, refuse
from kanon_sql.engines.duckdb.append.waiting_rows import hold_returning, released_batch, returning_people
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.connect.failures import RequestedStatement, spoken
from kanon_sql.engines.duckdb.connect.lazy_relation import run
from kanon_sql.engines.duckdb.connect.resources import way_out
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.unit import settled_unit
from kanon_sql.engines.duckdb.histories.linking import judge_batch
from kanon_sql.engines.duckdb.names import name_parts, qualified, quoted
from kanon_sql.engines.duckdb.policies.stored_policies import Ask
from kanon_sql.errors import AuditError, InfeasibleError, PolicyError, SourceError, raise_alone
from kanon_sql.model.all_columns_known import by_all_columns
from kanon_sql.model.append_options import append_choices
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import PolicyOptions
from kanon_sql.model.recodings import Generalization
from kanon_sql.model.repetition import RepeatedPeopleError
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit_of_policy import unit_of
from kanon_sql.model.validation import same_name

_OVERTAKEN = "another append to this release was running at the same time; nothing was released; hint: run this one again"

_CONFLICT = re.compile(r'conflict|Duplicate key "batch: |UNIQUE constraint violation', re.IGNORECASE)
"""What DuckDB says where two transactions change the same; all else that fails has another cause."""

_TEMPORARY = ("read", "waiting", "fresh_people", "batch", "bare", "released")

Place = tuple[str, str, str]
"""Database, schema and name."""

_PLACES = """SELECT database_name, schema_name, name, kind FROM (
        SELECT database_name, schema_name, table_name AS name, 'table' AS kind FROM system.main.duckdb_tables()
        UNION ALL
        SELECT database_name, schema_name, view_name, 'view' FROM system.main.duckdb_views()
    )"""

_CURRENT = "SELECT system.main.current_database(), system.main.current_schema(), system.main.current_schemas(false)"


class Append:
    """The steps of an append on a connection.

    Parameters
    ----------
    session : Session
        That of its instance.
    strict : bool
        As for `append`.
    **choices : str
        ``leftover``, ``changed``, ``deleted`` and ``returning``, as for `append`.
    """

    def __init__(self, con: Any, session: Session, *, strict: bool, surface: Surface, **choices: str) -> None:
        chosen = append_choices(choices)
        self._raw = con.raw if isinstance(con, Connection) else con
        self._session, self._strict, self._surface = session, strict, surface
        self._wait = chosen["leftover"] == "wait"
        self._changed, self._deleted, self._returning = chosen["changed"], chosen["deleted"], chosen["returning"]
        self._certificate: Certificate | None = None

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows; its errors quote no value."""
        return run(self._session, RequestedStatement(released=True), self._rows, query)  # type: ignore[no-any-return]

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        try:
            rows: list[tuple[Any, ...]] = self._raw.execute(query).fetchall()
            return rows
        except (duckdb.ConstraintException, duckdb.TransactionException) as error:
            if not _CONFLICT.search(str(error)):
                raise
            raise_alone(SourceError(_OVERTAKEN))

    def run(
        self,
        source: str,
        release: str,
        *,
        key: str | Sequence[str],
        policy: Policy | StoredPolicy | str | None,
        drop: Sequence[str] | None,
        options: PolicyOptions[str | Generalization],
        apart: bool = False,
    ) -> Batch:
        """Take the steps in a transaction; see `append`. A source ``apart`` is in another database: that of a file."""

        def terms(columns: Mapping[str, str]) -> Terms:
            files = self._session.allowed_files
            return terms_of(self.ask, columns, key, policy, options, surface=self._surface, drop=drop, allowed_files=files)

        with self._session.announcements.waiting():
            return self._run(source, release, terms, apart=apart)

    def _run(self, source: str, release: str, terms_for: Callable[[Mapping[str, str]], Terms], *, apart: bool) -> Batch:
        try:
            self._raw.execute("BEGIN TRANSACTION")
        except duckdb.TransactionException:
            raise_alone(
                SourceError("a transaction is open; hint: run COMMIT first, because an append runs in its own transaction")
            )
        try:
            origin, place = places(self.ask, source, release, apart=apart)
            batch = self.take(origin, place, place[:2] if apart else origin[:2], terms_for)
            if batch.number is None:
                self._raw.execute("ROLLBACK")
            else:
                self._commit()
            return batch
        except BaseException:
            with suppress(duckdb.Error):
                self._raw.execute("ROLLBACK")
            if self._certificate is not None:
                self._session.forget(self._certificate)
            raise

    def _commit(self) -> None:
        try:
            self._rows("COMMIT")
        except duckdb.Error as error:
            hint = way_out(error) or "run it again"
            raise_alone(SourceError(f"the batch could not be committed: {spoken(error)}; nothing was released; hint: {hint}"))

    def _require_secret(self) -> None:
        if not self._session.secret.repeatable:
            raise SourceError(
                "the secret is lost when this process ends, so later batches could not read the ledger; hint: pass a "
                "secret, or set KANON_SECRET"
            )

    def take(
        self,
        origin: Place,
        place: Place,
        ledger_schema: tuple[str, str],
        terms_for: Callable[[Mapping[str, str]], Terms],
        wide: str | None = None,
    ) -> Batch:
        """Take the steps in the transaction that is open, which has to be rolled back where nothing was released.

        Parameters
        ----------
        origin, place : tuple of str
            The source and the release.
        ledger_schema : tuple of str
            Database and schema of the ledger.
        terms_for : callable
            Makes the terms once the columns are known.
        wide : str, optional
            A query of all rows with further columns than the source has.
        """
        self._require_secret()
        columns = {row[0]: row[1] for row in self.ask(f"DESCRIBE FROM {qualified(origin)}")}
        terms = terms_for(columns)
        if self._returning == "wait" and not terms.people:
            raise PolicyError(
                "returning='wait' needs a column that identifies people; hint: pass per='patient_id', or a policy with a "
                "pseudonym"
            )
        ledger = Ledger(self.ask, ledger_schema, place, self._session.secret)
        ledger.open(terms)
        self.ask(f'CREATE OR REPLACE TEMP TABLE "kanon#read" AS SELECT {terms.read} FROM {qualified(origin)}')  # noqa: S608
        counts = ledger.counts()
        refuse(counts, terms.keys, changed=self._changed, deleted=self._deleted)
        returning, people = returning_people(self.ask, ledger, terms)
        if returning and self._returning == "refuse":
            raise SourceError(
                f"{how_many(people, 'person', 'people')} of {how_many(returning, 'new row')} "
                f"{'was' if people == 1 else 'were'} released before; hint: pass returning='wait' to exclude these rows, or "
                "'release' to release them. An attacker who knows a person's batches may then learn more than each batch "
                "reveals alone"
            )
        if self._returning == "wait":
            hold_returning(self.ask)
        released = 0
        try:
            # a single row that waits gives away columns that nobody is assumed to know: docs/reference/append.md has an example
            wait = self._wait and not by_all_columns(terms.policy).known_requirements
            settled = self._settled(origin, terms, ledger, wide) if counts.fresh else ()
            self._certificate = released_batch(self.ask, self._session, ledger, terms, settled, self._surface, wait=wait)
        except InfeasibleError:
            if not self._wait:
                raise
        if self._certificate is not None:
            self._certificate = judge_batch(self._session, self._raw, self.ask, self._certificate, ledger)
            released = counted_batch(self.ask, terms)
            if self._strict and self._certificate.warnings:
                raise AuditError(f"strict: {'; '.join(self._certificate.warnings)}; nothing was released")
            ledger.add(terms, released, counts.fresh - released, datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"))
            run(
                self._session,
                RequestedStatement(released=True),
                check_whole_release,
                self._raw,
                self.ask,
                terms,
                ledger.release,
            )
            for name in _TEMPORARY:
                self.ask(f'DROP TABLE IF EXISTS temp.main."kanon#{name}"')
        return Batch(
            number=None if self._certificate is None else ledger.batch + 1,
            released=released,
            waiting=counts.fresh - released,
            returning=returning,
            changed=counts.changed,
            deleted=counts.deleted,
            rows=ledger.size + released,
            certificate=self._certificate,
        )

    def _settled(self, origin: Place, terms: Terms, ledger: Ledger, wide: str | None) -> Sequence[str]:
        """Settle by all rows of the source, those of earlier batches too, whom a row describes; return warnings."""
        source = qualified(origin)
        shown = ", ".join(quoted(name) for name, _ in terms.shown)
        released, every = f"(SELECT {shown} FROM {source})", f"({wide or f'FROM {source}'})"  # noqa: S608
        unit = settled_unit(released, unit_of(terms.policy), self._surface, every)
        try:
            found: Sequence[str] = self.ask(f"SELECT {unit}")[0][0]
        except RepeatedPeopleError as error:
            if ledger.batch and not terms.people:
                first = (
                    f"to count people, first drop {ledger.name} and its ledger, because earlier batches did not count people"
                )
                error.args = (f"{error}; {first}",)
            raise_alone(error)
        return found


def places(ask: Ask, source: str, release: str, *, apart: bool = False) -> tuple[Place, Place]:
    """Return database, schema and name of the source and of the release.

    Raises
    ------
    SourceError
        When there is no such source, or the release cannot be next to it.
    """
    known = {tuple(map(same_name, place)): (*place, kind) for *place, kind in ask(_PLACES)}
    database, schema, schemas = ask(_CURRENT)[0]
    origin = _found(known, name_parts(source), database, [schema, *schemas])
    if origin is None:
        raise SourceError(f"there is no table {source}; hint: use a table or view in the database")
    parts = name_parts(release)
    there = _found(known, parts, database, [schema])
    place = there[:3] if there else (*(database, schema)[: 3 - len(parts)], *parts)
    if there and there[3] == "view":
        raise SourceError(f"{release} is a view, but append creates a table; hint: drop the view, or choose a different name")
    if place[0] != origin[0] and not apart:
        raise SourceError(
            f"{source} and {release} are in different databases; hint: keep the release in the source's database, and "
            "COPY it from there"
        )
    if tuple(map(same_name, place)) == tuple(map(same_name, origin[:3])):
        raise SourceError("the release and the source are the same table; hint: choose a different name for the release")
    return origin[:3], place


def _found(known: Mapping[tuple[str, ...], Any], parts: Sequence[str], database: str, schemas: Sequence[str]) -> Any:
    """Return the place and the kind of a table that a name stands for."""
    wanted = list(map(same_name, parts if len(parts) == 3 else [database, *parts]))
    if len(wanted) == 3:
        return known.get(tuple(wanted))
    found = (known.get((wanted[0], same_name(schema), wanted[1])) for schema in schemas)
    return next((each for each in found if each), None)
