"""Release a table that grows: batch by batch, each row once, in one transaction with the ledger that says which."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Unpack

import duckdb

from kanon_sql.engines.duckdb.append.batch import Batch
from kanon_sql.engines.duckdb.append.steps import Append
from kanon_sql.engines.duckdb.connect.connection import Connection, connect
from kanon_sql.engines.duckdb.connect.registration import session_of
from kanon_sql.model.append_options import APPEND_DEFAULTS
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import POLICY_DEFAULTS, PolicyOptions, spelled_out
from kanon_sql.model.recodings import Generalization
from kanon_sql.solvers.budget import Progress


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
    drop: Sequence[str] | None = None,
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
    progress, drop : optional
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
                source,
                release,
                key=key,
                con=opened,
                policy=policy,
                strict=strict,
                progress=progress,
                drop=drop,
                **given,
                **options,
            )
    session = session_of(con.raw if isinstance(con, Connection) else con, secret)
    job = Append(con, session, strict=strict, surface="policy" if isinstance(policy, str) else "python", **given)
    if progress is not None:
        session.search.watch(progress)
    try:
        return job.run(source, release, key=key, policy=policy, drop=drop, options=options)
    finally:
        if progress is not None:
            session.search.watch(None)
