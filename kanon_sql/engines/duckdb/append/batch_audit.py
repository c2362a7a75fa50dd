"""The audit of a batch as it was written, and of the release that it has become a part of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kanon_sql.engines.duckdb.append.batch_terms import Terms
from kanon_sql.engines.duckdb.audit.known_classes import counted_known
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.policies.stored_policies import Ask
from kanon_sql.engines.guarantees import audited
from kanon_sql.errors import AuditError
from kanon_sql.model.requirements import KnownColumns, of_known

_SMALLEST = """SELECT system.main.min(size), system.main.sum(size), (SELECT system.main.count(*) FROM temp.main."kanon#batch")
    FROM (SELECT system.main.count(DISTINCT "kanon#key") AS size FROM temp.main."kanon#released"
          GROUP BY system.main.create_sort_key(system.main.row({}), 'ASC NULLS LAST'))"""

_WHOLE = "kanon#whole"


def counted_batch(ask: Ask, terms: Terms) -> int:
    """Return the number of rows of a batch, counted once more in the rows themselves.

    Raises
    ------
    AuditError
        When there are other rows than in the source, or a class is too small.
    """
    columns = ", ".join(quoted(qi.column) for qi in terms.policy.quasi_identifiers)
    smallest, rows, wanted = ask(_SMALLEST.format(columns))[0]
    if rows != wanted or smallest < terms.policy.least_class_size:
        raise AuditError(
            f"the batch has {rows} of {wanted} rows, and its smallest class has {smallest}; nothing was "
            "released; hint: report this message as a bug"
        )
    return int(rows)


def check_whole_release(con: Any, ask: Ask, terms: Terms, release: str) -> None:
    """Count the classes of all batches together by every set of known columns.

    Parameters
    ----------
    con, ask
        The connection, and what runs a statement on it.
    release : str
        Its quoted name; the batch is in it.

    Raises
    ------
    AuditError
        When some class breaks a guarantee that batches which meet it meet together.
    """
    policy = terms.policy
    if not policy.known_requirements:
        return
    names = [qi.column for qi in policy.quasi_identifiers]
    columns = ", ".join(map(quoted, [*names, *policy.sensitive]))
    ask(f"CREATE OR REPLACE TEMP VIEW {quoted(_WHOLE)} AS SELECT {columns} FROM {release}")  # noqa: S608
    for requirement in dict.fromkeys(map(_of_unions, policy.known_requirements)):
        found = counted_known(con, requirement, names, policy.linked, _WHOLE)
        if not found.kept:
            raise AuditError(
                f"{requirement.describe()} does not hold over all batches together: {found.described()}; nothing was released; "
                "hint: report this message as a bug"
            )
    ask(f"DROP VIEW temp.main.{quoted(_WHOLE)}")


def _of_unions(requirement: KnownColumns) -> KnownColumns:
    """Return what unions of classes keep: rows and diversity do, distances to the table of a batch do not.

    Who is who is in no release, so people are counted as rows.
    """
    of = of_known(requirement)
    return requirement if of is not None and audited(of).unions_keep else replace(requirement, of=None, k=requirement.least)
