"""A release of histories as one SQL statement: codes of the rows -> solver -> rows -> audit -> released rows."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.engines.duckdb.connect.shadowing import unshadowed
from kanon_sql.engines.duckdb.gather.policy_columns import columns_heard
from kanon_sql.engines.duckdb.gather.unit import stated_unit
from kanon_sql.engines.duckdb.hashes import UNLIKE, of_type, value_hash
from kanon_sql.engines.duckdb.label_types import unlisted_null
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.release.exposure import EXPOSED, exposure_at_once
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit_of_policy import unit_of_histories

_KEY = "system.main.create_sort_key(system.main.row({0}, {1}), 'ASC NULLS FIRST')"

_CONCEALED = """        SELECT system.main.unnest(system.main.range(1, {qis} + 1)) AS j, system.main.unnest([{hashes}]) AS x,
               NOT system.main.unnest("kanon#v"[:{qis}]) AS hidden, 1 AS n
        FROM "kanon#celled"
"""

_MOST_SETS = "2e7"
"""Sets of known rows that are counted."""


def history_query(
    source: str,
    requested: LinkedHistories,
    wide: str | None = None,
    *,
    query: bool = False,
    surface: Surface = "clause",
    settled: Sequence[str] | None = None,
) -> str:
    """Return the SQL of a query that yields the rows of ``source`` with tokens of their people, or fails.

    Parameters
    ----------
    source : str
        A quoted table name, or with ``query`` the text of a query.
    requested : LinkedHistories
        The guarantee.
    query : bool
        Whether ``source`` is a query.
    wide, surface, settled : optional
        As for `release_query`.

    Notes
    -----
    The source is read once. The audit counts the very rows that are handed out, and shares nothing with the search. The tokens
    follow the rows of the source and the guarantee: they link the rows of this release, and no others.
    """
    names = [quoted(name) for name in requested.quasi_identifiers]
    places = range(len(names))
    per, sizes = quoted(requested.per), range(1, requested.known_rows + 2)
    cells = [
        f'CASE WHEN system.main.list_extract("kanon#v", {place}) THEN {name} ELSE {unlisted_null(name)} END AS {name}'
        for place, name in enumerate(names, 1)
    ]
    token = f'system.main.kanon_pseudonym(system.main.concat((SELECT seed FROM "kanon#seed"), CAST({per} AS VARCHAR)))'  # noqa: S608
    cells.append(f'CASE WHEN system.main.list_extract("kanon#v", {len(names) + 1}) THEN {token} END AS {per}')
    heads = [f"CASE WHEN false THEN {name} ELSE {unlisted_null(name)} END AS {name}" for name in names]
    concealed = _CONCEALED.format(qis=len(names), hashes=", ".join(map(value_hash, names)))
    exposed = ", " + exposure_at_once('"kanon#source"', requested.roles, concealed=concealed) if requested.keep else ""
    return text(
        "linked_histories",
        exposed=exposed,
        exposed_figures=EXPOSED if requested.keep else "NULL",
        requested=literal(requested.to_json()),
        unit=stated_unit('"kanon#source"', unit_of_histories(requested), surface, wide, settled),
        signed=literal(requested.signed),
        unshadowed=unshadowed(),
        source=source if query else f"FROM {source}",
        heard=columns_heard([('"kanon#source"', requested.roles.named_columns)], requested.roles, surface),
        person=_key(f"CAST({per} AS VARCHAR)"),
        per=per,
        codes=",\n           ".join(_code(name, place) for place, name in enumerate(names)),
        heads=", ".join([*heads, f"CAST({per} AS VARCHAR) AS {per}"]),
        cells=",\n        ".join(cells),
        keys=", ".join(f"{_key(name)} AS c{place}" for place, name in enumerate(names)),
        one=", ".join(f"system.main.min(c{place}) = system.main.max(c{place}) AS c{place}" for place in places),
        own=", ".join(f"coalesce(system.main.bool_and(c{place}), true) AS c{place}" for place in places),
        of_person=", ".join(f'CASE WHEN "kanon#own".c{place} THEN "kanon#keys".c{place} END' for place in places),
        of_row=", ".join(f'CASE WHEN NOT "kanon#own".c{place} THEN "kanon#keys".c{place} END' for place in places),
        following=_sets(requested.known_rows + 1),
        found="\n    UNION ALL ".join(_found(size, guarded=size > requested.known_rows) for size in sizes),
        most=_MOST_SETS,
        rows=str(requested.known_rows),
        k=str(requested.k),
        flags=", ".join(f'"kanon#own".c{place}' for place in places),
    )


def _key(value: str) -> str:
    """Return the SQL of a key that is one for values that are one, and look alike."""
    return _KEY.format(value, f"CASE WHEN {of_type(value, UNLIKE)} THEN CAST({value} AS VARCHAR) END")


def _code(name: str, place: int) -> str:
    rank = f"system.main.dense_rank() OVER (ORDER BY {_key(name)} ASC NULLS LAST)"
    return f"CASE WHEN {name} IS NULL THEN -1 ELSE {rank} END AS c{place}"


def _sets(size: int) -> str:
    """Return the SQL of how many sets of so many of their n rows people have."""
    factors = [f"system.main.greatest(n + 1 - {each}, 0) / {each}" for each in range(1, size + 1)]
    return f"coalesce(system.main.sum({' * '.join(factors)}), 0)"


def _found(size: int, *, guarded: bool) -> str:
    """Return the query of the people who have each set of so many known rows."""
    places = range(1, size + 1)
    rows = '"kanon#histories"'
    if guarded:
        rows = f'(FROM "kanon#histories" WHERE (SELECT following <= {_MOST_SETS} FROM "kanon#sets"))'  # noqa: S608
    tables = [f"{rows} AS r{place}" for place in places]
    for place in places[1:]:
        tables[place - 1] += f" ON r{place}.who = r{place - 1}.who AND r{place}.place > r{place - 1}.place"
    facts = ", ".join(f"f{place}" for place in places)
    shown = ", ".join(f"r{place}.fact AS f{place}" for place in places)
    return f"""SELECT who, {size} AS size, system.main.count(*) OVER (PARTITION BY own, {facts}) AS n
        FROM (SELECT DISTINCT r1.who, r1.own, {shown} FROM {" JOIN ".join(tables)})"""  # noqa: S608
