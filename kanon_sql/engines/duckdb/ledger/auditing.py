"""The audit of a ledger in Python: what someone who holds everything that was published can prove."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.ledger.ledger_file import Entry, entries, opened
from kanon_sql.errors import KanonWarning, PolicyError, SourceError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.published_table import PublishedTable
from kanon_sql.model.validation import whole
from kanon_sql.solvers.budget import Budget, Progress, silent

if TYPE_CHECKING:
    from kanon_sql.engines.ledger.audit import LedgerAudit


def ledger_audit(
    ledger: str | os.PathLike[str] | Sequence[PublishedTable],
    n: int = 5,
    *,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> LedgerAudit:
    """Find the groups of 1 to n - 1 people that published tables prove together, whatever tools made them.

    Parameters
    ----------
    ledger : str, PathLike or sequence of PublishedTable
        A ledger, as ``kanon ledger add`` writes it, or the tables themselves.
    n : int
        Groups of 1 to n - 1 people are small.
    time_limit : float, optional
        Seconds. Groups that are not decided by then are counted as undecided.
    progress : callable, optional
        As for `kanon_sql.anonymize`.

    Returns
    -------
    LedgerAudit
        Each provable group, with the published rows that prove it.

    Raises
    ------
    PolicyError
        When an argument is wrong.
    SourceError
        When the ledger cannot be read, or its tables contradict each other.

    Warns
    -----
    KanonWarning
        When the ledger holds protected tables whose published files were not added: they are not audited.

    Notes
    -----
    The source is not needed. Bounds are propagated first; what they leave open is decided by linear programs and programs in
    whole numbers.

    Examples
    --------
    >>> from kanon_sql.model.published_table import PublishedRow, PublishedTable
    >>> tens = [PublishedRow(keys=("10-19",), lower=61, upper=61)]
    >>> adults = [PublishedRow(keys=("10-19",), lower=60, upper=60)]
    >>> tables = [
    ...     PublishedTable(number=1, name="tens", keys=("age",), rows=tuple(tens)),
    ...     PublishedTable(number=2, name="adults", keys=("age",), rows=tuple(adults), condition="age >= 15"),
    ... ]
    >>> [(each.least, each.most) for each in ledger_audit(tables).findings]
    [(1, 1)]
    """
    if isinstance(ledger, str | os.PathLike):
        with opened(ledger) as (con, database):
            found = entries(con, database)
        if left_out := not_audited(found):
            warnings.warn(KanonWarning(in_words(left_out)), stacklevel=2)
        tables = audited(found)
    else:
        tables = list(ledger)
    return audit_of(tables, n, Budget(seconds=time_limit, progress=progress or silent))


def audit_of(tables: Sequence[Any], n: int, budget: Budget) -> LedgerAudit:
    """Return the audit of some tables.

    Raises
    ------
    PolicyError
        When an argument is wrong, or there is no table.
    """
    from kanon_sql.engines.ledger.audit import audit_tables

    if not all(isinstance(each, PublishedTable) for each in tables):
        raise PolicyError("a table of a ledger must be a PublishedTable; hint: pass the path of a ledger")
    if len({each.number for each in tables}) < len(tables):
        raise PolicyError("two tables have the same number; hint: number them in the order of their publication")
    return audit_tables(tables, whole(n, "n", 2), budget)


def audited(found: Sequence[Entry]) -> list[PublishedTable]:
    """Return the tables of a ledger that are audited.

    Raises
    ------
    SourceError
        When there are none.
    """
    tables = [each.table for each in found if each.table is not None]
    if not tables:
        raise SourceError("the ledger has no published tables; hint: add each published file with kanon ledger add")
    return tables


def not_audited(found: Sequence[Entry]) -> list[Entry]:
    """Return the tables of a ledger whose published rows it does not hold."""
    return [each for each in found if each.table is None]


def contradictions(found: LedgerAudit) -> list[str]:
    """Return the rows that cannot all be right, in words."""
    return ["; ".join(map(str, links)) for links in found.contradictions]


def in_words(left_out: Sequence[Entry]) -> str:
    """Return which tables are not audited, and why."""
    listed = ", ".join(str(each.number) for each in left_out)
    return (
        f"{how_many(len(left_out), 'protected table is', 'protected tables are')} not audited ({listed}): the ledger does not "
        "hold the labels; hint: add the published files with kanon ledger add"
    )
