"""The columns of a relation, known once a statement is bound: a function notes them for a planner that asks next."""

from __future__ import annotations

from kanon_sql.engines.duckdb.names import literal

_HEARD = """(
    SELECT system.main.count(*)
    FROM (SELECT COLUMNS(lambda "kanon#c": system.main.kanon_column({key}, "kanon#c")) FROM {relation} AS "kanon#s" WHERE false)
)"""


def heard(key: str, relation: str) -> str:
    """Return a subquery of one row that notes the columns of a relation while a statement is bound; it reads no row.

    Parameters
    ----------
    key : str
        The key for `Binding.columns`.
    relation : str
        The relation, as written after FROM.

    Notes
    -----
    Items of FROM are bound from the left to the right: what follows can ask for the columns.
    """
    return _HEARD.format(key=literal(key), relation=relation)
