"""The last gate before a release appears in its place: the written file is read again and audited."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.audit.known_classes import counted_known
from kanon_sql.engines.duckdb.audit.measures import record
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.engines.duckdb.files.tables import load
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy

_TALLY = """SELECT system.main.md5(system.main.list(counts ORDER BY counts ASC NULLS LAST)::VARCHAR) AS tally
    FROM (
        SELECT system.main.list(size ORDER BY size ASC NULLS LAST) AS counts
        FROM (
            SELECT system.main.create_sort_key(
                       system.main.row(*COLUMNS(lambda name: system.main.list_contains($qi, name))), 'ASC NULLS FIRST'), {size}
            FROM equivalence_classes('released', system.main.list_concat($qi, system.main.list_value($sensitive)))
        ) AS tally(class, size)
        GROUP BY class
    )"""


def tallies(con: Any, policy: Policy) -> list[str]:
    """Return for each sensitive attribute a digest of how often its values occur in each class of the table ``released``.

    Notes
    -----
    A file has no types of its own, so the order of values and their distances, on which t-closeness rests, are not in it. But
    it tells values apart, and where the tallies are those of the audited rows, it tells nothing that they do not.
    """
    columns = [qi.column for qi in policy.quasi_identifiers]
    taken = any(name.lower() == "class_size" for name in (*columns, *policy.sensitive))
    query = _TALLY.format(size="class_size_1" if taken else "class_size")
    return [record(con, query, {"qi": columns, "sensitive": name})["tally"] for name in policy.sensitive]


def audit_written(written: Place, policy: Policy, rows: int, expected: list[str]) -> None:
    """Read a written file again and audit it: the last gate before it is put in its place.

    Parameters
    ----------
    written : Place
        The file.
    policy : Policy
        What it guarantees.
    rows : int
        Rows of the source.
    expected : list of str
        The `tallies` of the audited rows.

    Raises
    ------
    AuditError
        When it has other rows, or a class below the guarantee.
    """
    with closing(audit_macros(duckdb.connect())) as con:
        load(con, written, into="released")
        count = con.execute("SELECT system.main.count(*) FROM released").fetchall()[0][0]
        if count != rows:
            raise AuditError(f"the written file has {how_many(count, 'row')}, but the source has {rows}; nothing was released")
        columns = [qi.column for qi in policy.quasi_identifiers]
        k = record(con, "FROM k_anonymity('released', $qi)", {"qi": columns})["k"] if rows else None
        if k is not None and k < policy.least_class_size:
            raise AuditError(
                f"the written file has a class of {how_many(k, 'row')}, below {policy.least_class_size}; nothing was released"
            )
        for requirement in policy.known_requirements:
            found = counted_known(con, requirement, columns, policy.linked, "released")
            if not found.kept:
                raise AuditError(
                    f"{requirement.describe()} does not hold in the written file: {found.described()}; nothing was released"
                )
        if tallies(con, policy) != expected:
            raise AuditError(
                "the sensitive values in the written file's classes differ from those in the audited rows; nothing was "
                "released; hint: write a Parquet file, which keeps the types"
            )
