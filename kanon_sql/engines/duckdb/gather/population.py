"""Tables of the population in the statement of a release: read once, and coded by the row types."""

from __future__ import annotations

from kanon_sql.engines.duckdb.gather.from_items import from_item
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy

_UNSEEN = "-1"
"""Stands for what no row type has."""

_KIND = r"""CASE
    WHEN system.main.regexp_matches(system.main.typeof({0}), '^(U?(TINY|SMALL|BIG|HUGE)?INT|FLOAT|DOUBLE|DECIMAL|BIGNUM)')
    THEN 'number'
    WHEN system.main.regexp_matches(system.main.typeof({0}), '^(DATE|TIMESTAMP)')
    AND NOT system.main.regexp_matches(system.main.typeof({0}), 'TIME ZONE')
    THEN 'date'
    WHEN NOT system.main.regexp_matches(system.main.typeof({0}), '^(VARCHAR|ENUM|JSON|.?NULL)')
    THEN system.main.typeof({0}) END"""
"""Values of one kind are compared, and texts with any; NULL is a text. Which date a moment has, the time zone of the session
decides."""


def populations(policy: Policy) -> str:
    """Return common table expressions, a comma before each, that read the populations of a policy and code them."""
    return "".join(_population(policy, name, number) for number, name in enumerate(policy.populations, 1))


def _population(policy: Policy, name: str, number: int) -> str:
    short = {qi.column: f"q{place}" for place, qi in enumerate(policy.quasi_identifiers, 1)}
    alias, everybody, kinds = quoted(name), numbered("everybody", number), numbered("kinds", number)
    own, theirs, joins, texts, apart = [], [], [], [], []
    for place, (column, as_name) in enumerate(short.items()):
        cells = [f"{row}.{quoted(column)}" for row in ('"kanon#types".qi', alias)]
        apart.append(f"coalesce({' <> '.join(map(_KIND.format, cells))}, false)")
        if column in policy.generalized:
            cells = [f"CAST({cell} AS VARCHAR)" for cell in cells]
        compared = [f"CASE WHEN NOT system.main.list_extract({kinds}.apart, {place + 1}) THEN {cell} END" for cell in cells]
        own.append(f"{compared[0]} AS {as_name}")
        theirs.append(compared[1])
    for unit, columns in units_of(policy).items():
        if columns[0] in policy.generalized:
            found = numbered(f"texts{unit}_", number)
            texts.append(text("population_texts", texts=found, value=short[columns[0]], everybody=everybody))
            joins.append(_join(found, unit, {short[columns[0]]: "value"}))
        else:
            values = ", ".join(short[column] for column in columns)
            found = text("population_values", values=values, everybody=everybody)
            joins.append(_join(found, unit, {short[column]: short[column] for column in columns}))
    return text(
        "population",
        kinds=kinds,
        apart=f"system.main.list_value({', '.join(apart)})",
        own=", ".join(own),
        theirs=", ".join(theirs),
        everybody=everybody,
        known=numbered("known", number),
        coded=numbered("coded", number),
        population=from_item(name),
        alias=alias,
        texts="".join(texts),
        codes=", ".join(f'"kanon#u{unit}".code AS c{unit}' for unit in units_of(policy)),
        grouped=", ".join(f"coalesce(c{unit}, {_UNSEEN})::BIGINT AS c{unit}" for unit in units_of(policy)),
        joins="".join(joins),
    )


def _join(values: str, unit: int, columns: dict[str, str]) -> str:
    match = (f'"kanon#e".{own} IS NOT DISTINCT FROM "kanon#u{unit}".{other}' for own, other in columns.items())
    return f'LEFT JOIN {values} AS "kanon#u{unit}" ON {" AND ".join(match)}\n    '


def coded_populations(policy: Policy) -> str:
    """Return the coded populations as further arguments of a function, see `with_populations`."""
    return "".join(f", {_argument(policy, number)}" for number, _ in enumerate(policy.populations, 1))


def _argument(policy: Policy, number: int) -> str:
    fields = ", ".join([*(f"c{unit} := c{unit}" for unit in units_of(policy)), "n := n"])
    listed = "SELECT system.main.list(value ORDER BY code DESC NULLS LAST) FROM {} WHERE code < -1"
    generalized = (unit for unit, columns in units_of(policy).items() if columns[0] in policy.generalized)
    unseen = (f"({listed.format(numbered(f'texts{unit}_', number))})" for unit in generalized)
    rows = f"(SELECT system.main.list(system.main.struct_pack({fields})) FROM {numbered('coded', number)})"  # noqa: S608
    texts = ", ".join(["NULL::VARCHAR[]", *unseen])
    apart = f"(SELECT system.main.any_value(apart) FROM {numbered('kinds', number)})"  # noqa: S608
    return f"system.main.struct_pack(rows := {rows}, texts := system.main.list_value({texts}), apart := {apart})"


def units_of(policy: Policy) -> dict[int, tuple[str, ...]]:
    """Return the columns, and the groups of linked ones, that are shown or hidden together, by their numbers from 1."""
    return dict(enumerate(map(tuple, units([qi.column for qi in policy.quasi_identifiers], policy.linked)), 1))


def numbered(what: str, number: int) -> str:
    """Return the name of a common table expression about one of the populations."""
    return f'"kanon#{what}{number}"'
