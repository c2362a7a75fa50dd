"""Release a table that grows: batch by batch, each row once, in one transaction with the ledger that says which."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import Any, Unpack

import duckdb

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.batch import Batch
from kanon_sql.engines.duckdb.batch_audit import check_whole_release, counted_batch
from kanon_sql.engines.duckdb.batch_places import Place, places
from kanon_sql.engines.duckdb.batch_terms import Terms, terms_of
from kanon_sql.engines.duckdb.connection import Connection, connect
from kanon_sql.engines.duckdb.failures import Asked, spoken
from kanon_sql.engines.duckdb.ledger import Ledger, refuse
from kanon_sql.engines.duckdb.linking import judge_batch
from kanon_sql.engines.duckdb.names import qualified
from kanon_sql.engines.duckdb.registration import session_of
from kanon_sql.engines.duckdb.relation import run
from kanon_sql.engines.duckdb.resources import way_out
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.waiting import hold_returning, released_batch, returning_people
from kanon_sql.errors import AuditError, InfeasibleError, PolicyError, SourceError, raise_alone
from kanon_sql.model.all_known import by_all_columns
from kanon_sql.model.append_options import APPEND_DEFAULTS, append_choices
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import POLICY_DEFAULTS, PolicyOptions, spelled_out
from kanon_sql.model.recodings import Generalization
from kanon_sql.solvers.budget import Progress

_OVERTAKEN = "another append to this release was at work at the same time; nothing was released; hint: run it again"

_CONFLICT = re.compile(r'conflict|Duplicate key "batch: |UNIQUE constraint violation', re.IGNORECASE)
"""What DuckDB says where two transactions change the same; all else that fails has another cause."""

_TEMPORARY = ("read", "waiting", "fresh_people", "batch", "bare", "released")


@spelled_out(POLICY_DEFAULTS)
def append(
    source: str,
    release: str,
    *,
    key: str | Sequence[str],
    con: duckdb.DuckDBPyConnection | Connection | str,
    policy: Policy | str | None = None,
    leftover: str = APPEND_DEFAULTS["leftover"],
    changed: str = APPEND_DEFAULTS["changed"],
    deleted: str = APPEND_DEFAULTS["deleted"],
    returning: str = APPEND_DEFAULTS["returning"],
    strict: bool = False,
    secret: str | bytes | None = None,
    progress: Progress | None = None,
    **options: Unpack[PolicyOptions[str | Generalization]],
) -> Batch:
    """Release the rows of a table that were never released, as the next batch of a release.

    Parameters
    ----------
    source : str
        The table, or a view.
    release : str
        The table of the release, in the same database; the first batch makes it.
    key : str or sequence of str
        The columns that tell rows apart. Those without a role in the policy are not released.
    con : DuckDBPyConnection, Connection or str
        The connection, or the path of a database file. No transaction may be open.
    policy : Policy or str, optional
        The policy, or the name of a stored one; else ``options`` say it.
    leftover : str
        What to do with rows whose quasi-identifiers would all be suppressed: ``'wait'`` for a later batch, or ``'suppress'``.
        Under known columns no single row waits: it would give away columns that the attacker does not know.
    changed, deleted : str
        What to do with rows that were changed, or deleted, after they were released. ``'refuse'`` raises an error with their
        number; ``'ignore'`` leaves the released rows unchanged.
    returning : str
        What to do with new rows of people who were released before, if the policy identifies people. ``'refuse'`` raises an
        error with their number, ``'wait'`` never releases them, ``'release'`` releases them. Each batch then keeps its
        guarantee, but an attacker who knows a person's batches can intersect the classes, see `intersection_risk`.
    strict : bool
        Whether a warning of the certificate is an error.
    secret : str or bytes, optional
        As for `kanon_sql.register`; the same for all batches.
    progress : callable, optional
        As for `kanon_sql.anonymize`.
    **options
        The policy, as for `kanon_sql.anonymize`.

    Returns
    -------
    Batch
        How many rows were released and how many wait. Without a new row, or where no class of them meets the guarantee yet,
        nothing is written and ``number`` is None.

    Raises
    ------
    PolicyError, UnknownColumnError
        When the policy, the key or an option is wrong.
    SourceError
        When the source, the ledger and the release do not fit each other; the message says how, with counts.
    InfeasibleError
        With ``leftover='suppress'``, when no release of the batch meets the guarantee.
    AuditError
        When the audit finds a class that does not, or with ``strict`` the certificate has a warning.

    Notes
    -----
    Rows, ledger and audit are one transaction. It reads the source once, with two tokens per row, and the release twice. The
    batch is solved again each time rows are found that have to wait.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE visits AS SELECT i AS visit, i % 3 AS ward FROM range(12) AS t(i)")
    >>> append("visits", "released", key="visit", con=con, k=4, secret="of the house").released
    12
    >>> append("visits", "released", key="visit", con=con, k=4, secret="of the house").released
    0
    """
    given = {"leftover": leftover, "changed": changed, "deleted": deleted, "returning": returning}
    if isinstance(con, str):
        with closing(connect(con, secret=secret)) as opened:
            return append(
                source, release, key=key, con=opened, policy=policy, strict=strict, progress=progress, **given, **options
            )
    raw = con.raw if isinstance(con, Connection) else con
    session = session_of(raw, secret)
    job = Append(raw, session, strict=strict, **given)
    if progress is not None:
        session.search.watch(progress)
    try:
        with session.announcements.waiting():
            return job.run(
                source,
                release,
                lambda columns: terms_of(job.ask, columns, key, policy, options, allowed_files=session.allowed_files),
            )
    finally:
        if progress is not None:
            session.search.watch(None)


class Append:
    """The steps of an append on a connection.

    Parameters
    ----------
    raw : DuckDBPyConnection
        The connection.
    session : Session
        That of its instance.
    strict : bool
        As for `append`.
    **choices : str
        ``leftover``, ``changed``, ``deleted`` and ``returning``, as for `append`.
    """

    def __init__(self, raw: Any, session: Session, *, strict: bool, **choices: str) -> None:
        chosen = append_choices(choices)
        self._raw, self._session, self._strict = raw, session, strict
        self._wait = chosen["leftover"] == "wait"
        self._changed, self._deleted, self._returning = chosen["changed"], chosen["deleted"], chosen["returning"]
        self._certificate: Certificate | None = None

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows; its errors quote no value."""
        return run(self._session, Asked(released=True), self._rows, query)  # type: ignore[no-any-return]

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        try:
            return self._raw.execute(query).fetchall()  # type: ignore[no-any-return]
        except (duckdb.ConstraintException, duckdb.TransactionException) as error:
            if not _CONFLICT.search(str(error)):
                raise
            raise_alone(SourceError(_OVERTAKEN))

    def run(self, source: str, release: str, terms_for: Callable[[Mapping[str, str]], Terms]) -> Batch:
        """Take the steps in a transaction; see `append`."""
        try:
            self._raw.execute("BEGIN TRANSACTION")
        except duckdb.TransactionException:
            raise_alone(SourceError("a transaction is open; hint: COMMIT first: an append is a transaction of its own"))
        try:
            origin, place = places(self.ask, source, release)
            batch = self.take(origin, place, origin[:2], terms_for)
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
                "the secret of this process is forgotten when it ends, so no later batch could read the ledger; hint: give a "
                "secret, or set KANON_SECRET"
            )

    def take(
        self, origin: Place, place: Place, beside: tuple[str, str], terms_for: Callable[[Mapping[str, str]], Terms]
    ) -> Batch:
        """Take the steps in the transaction that is open, which has to be rolled back where nothing was released.

        Parameters
        ----------
        origin, place : tuple of str
            The source and the release.
        beside : tuple of str
            Database and schema of the ledger.
        terms_for : callable
            Makes the terms once the columns are known.
        """
        self._require_secret()
        columns = {row[0]: row[1] for row in self.ask(f"DESCRIBE FROM {qualified(origin)}")}
        terms = terms_for(columns)
        if self._returning == "wait" and not terms.people:
            raise PolicyError(
                "returning='wait' needs a column that identifies people; hint: per='patient_id', or a policy with a pseudonym"
            )
        ledger = Ledger(self.ask, beside, place, self._session.secret)
        ledger.open(terms)
        self.ask(f'CREATE OR REPLACE TEMP TABLE "kanon#read" AS SELECT {terms.read} FROM {qualified(origin)}')  # noqa: S608
        counts = ledger.counts()
        refuse(counts, terms.keys, changed=self._changed, deleted=self._deleted)
        returning, people = returning_people(self.ask, ledger, terms)
        if returning and self._returning == "refuse":
            raise SourceError(
                f"{how_many(people, 'person', 'people')} of {how_many(returning, 'new row')} "
                f"{'was' if people == 1 else 'were'} released before; hint: returning='wait' leaves these rows "
                "out, 'release' releases them, but an attacker who knows a person's batches may then learn more "
                "than from each batch alone"
            )
        if self._returning == "wait":
            hold_returning(self.ask)
        released = 0
        try:
            # a single row that waits gives away columns that nobody is assumed to know: docs/reference/append.md has an example
            wait = self._wait and not by_all_columns(terms.policy).known_requirements
            self._certificate = released_batch(self.ask, self._session, ledger, terms, wait=wait)
        except InfeasibleError:
            if not self._wait:
                raise
        if self._certificate is not None:
            self._certificate = judge_batch(self._session, self._raw, self.ask, self._certificate, ledger)
            released = counted_batch(self.ask, terms)
            if self._strict and self._certificate.warnings:
                raise AuditError(f"strict: {'; '.join(self._certificate.warnings)}; nothing was released")
            ledger.add(terms, released, counts.fresh - released, datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"))
            run(self._session, Asked(released=True), check_whole_release, self._raw, self.ask, terms, ledger.release)
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
