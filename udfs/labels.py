"""What `bin_labels`, `region_labels` and `rectangle_labels` share: labels beside the group that a release shows for them."""

from __future__ import annotations

from collections.abc import Mapping

from kanon_sql.engines.duckdb.gather.policy_columns import columns_heard
from kanon_sql.engines.duckdb.names import quoted, table_name
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Generalization
from kanon_sql.model.validation import named


def groups(tbl: str, k: int, columns: Mapping[str, tuple[str, str]], recodings: Mapping[str, Generalization]) -> str:
    """Return the SQL of the labels and their groups, a row for each.

    Parameters
    ----------
    tbl : str
        The table.
    k : int
        Least number of rows of a group.
    columns : mapping
        For each column of the result that shows a group, the one that shows the label, and the column of the table.
    recodings : mapping
        How the groups are made.

    Notes
    -----
    The release itself is asked, beside a copy of the labels that it leaves alone: so what is told has passed its audit.
    """
    policy = Policy.of(k=k, quasi_identifiers=list(columns), recodings=recodings)
    pairs = [
        f"{quoted(named(source, 'the labels'))} AS {quoted(name)}"
        for group, (label, source) in columns.items()
        for name in (label, group)
    ]
    heard = columns_heard([(table_name(tbl), [("the function", source) for _, source in columns.values()])])
    released = release_query(f"SELECT {', '.join(pairs)} FROM {heard}{table_name(tbl)}", policy, query=True, unchanged=False)  # noqa: S608
    shown = ", ".join(quoted(name) for group, (label, _) in columns.items() for name in (label, group))
    return f"SELECT DISTINCT {shown} FROM ({released}) ORDER BY ALL ASC NULLS LAST"  # noqa: S608
