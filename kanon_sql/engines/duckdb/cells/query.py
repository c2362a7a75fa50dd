"""A protected table as one SQL statement: base cells -> solver and gate -> rows -> what may be shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.table_unit import key_places, unit_of
from kanon_sql.engines.duckdb.cells.gathered_cells import bits
from kanon_sql.engines.duckdb.connect.shadowing import unshadowed
from kanon_sql.engines.duckdb.gather.unit import settled_unit
from kanon_sql.engines.duckdb.label_types import unlisted_null
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import cells_text
from kanon_sql.errors import PolicyError
from kanon_sql.model.protection import Protection
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.tabulation import Item, Tabulation, is_condition

_RANK = 'CAST(system.main.dense_rank() OVER (ORDER BY {name} ASC NULLS LAST) AS BIGINT) - 1 AS "kanon#code{key}"'

_FILTERED = """,
           system.main.min("kanon#number") FILTER (WHERE "kanon#code{key}" = 1) AS "kanon#first{key}",
           CAST(coalesce(system.main.sum("kanon#people") FILTER (WHERE "kanon#code{key}" = 1), 0) AS BIGINT)
               AS "kanon#people{key}\""""

_HIDDEN = 'system.main.list_extract("kanon#r"."kanon#hidden", {place})'

_LENDER = """
    LEFT JOIN "kanon#keys" AS "kanon#l{key}" ON "kanon#l{key}"."kanon#number" = system.main.list_extract(lenders, {place})"""

_KEYS = '(SELECT {keys} FROM "kanon#source")'


def protected_query(
    counting: Counting,
    protection: Protection,
    source: str,
    others: Iterable[Counting] = (),
    *,
    above: str = "",
    together: Iterable[Counting] = (),
    ticket: int = 0,
    explained: bool = False,
    warned: Sequence[str] | None = None,
    held: bool = False,
    surface: Surface = "clause",
) -> str:
    """Return the SQL of a query that yields the rows of a protected table, or fails.

    Parameters
    ----------
    source : str
        FROM; used once.
    others : iterable of Counting
        Tables that are released before this one; those of the same source are counted with it.
    above : str
        The WITH in front of the query.
    together : iterable of Counting
        Tables that are solved together with this one.
    ticket : int
        The number of the table among those that are solved together; 0 if it is alone.
    explained : bool
        Whether the query yields what protecting the table would take, and no row of it.
    warned : sequence of str, optional
        Given if ``source`` has base cells that another engine has counted, with the columns of `base_cells.sql`: what it warns
        of.
    held : bool
        Whether the source gives the same rows when it is read again. Otherwise it is read once and kept.

    Notes
    -----
    The source is read by one GROUP BY, and to settle whom its rows describe. Everything else depends on the number of base
    cells.
    """
    if protection.earlier == "fixed":
        counting = counting.widened(others)
    counting, counted = counting.widened(together), warned is not None
    tabulation, numbers, own = counting.tabulation, range(len(counting.keys)), counting.condition
    if counting.where and own is None:
        source = f"{source} WHERE {counting.where}"
    selected = [f'{text} AS "kanon#key{key}"' for key, text in enumerate(counting.keys)]
    selected += [f'{text} AS "kanon#value{place}"' for place, text in enumerate(counting.sums)]
    if protection.per is not None:
        selected.append(f'{quoted(protection.per)} AS "kanon#person"')
    planned = f"{above} SELECT {', '.join(selected)} {source}"
    # all columns are evidence of whom a row describes; counting reads none of them
    selected = ["*"] if counted else [*selected, "*"]
    listed = ", ".join(f'"kanon#key{key}"' for key in numbers)
    coded = ", ".join(f'"kanon#code{key}"' for key in numbers)
    gathered = cells_text(
        "gathered_cells",
        counting=literal(counting.to_json()),
        protection=literal(protection.to_json()),
        unit=_settled(counting, protection, surface) if warned is None else _texts(warned),
        ticket=str(ticket),
        planned=literal(planned),
        unshadowed=unshadowed(),
        columns=",\n           ".join(selected),
        read="NOT MATERIALIZED" if held or counted else "MATERIALIZED",
        source=source,
        keys=listed,
        grouped=coded,
        codes=",\n           ".join(_code(key, counting) for key in numbers),
        nulls=" + ".join(f'CASE WHEN "kanon#key{key}" IS NULL THEN {1 << key} ELSE 0 END' for key in numbers),
        counted=cells_text("base_cells_counted") if counted else _counted(counting, protection),
    )
    if explained:
        return cells_text("table_explained", gathered=gathered)
    return cells_text(
        "protected_table",
        gathered=gathered,
        keys=listed,
        coded=coded,
        grouped=", ".join(f'"kanon#code{key}"' for key in range(counting.own_keys)),
        own="" if own is None else f'\n    WHERE "kanon#code{own}" = 1',
        sets=", ".join(_set(chosen) for chosen in tabulation.sets),
        added="".join(
            [f', system.main.sum("kanon#sum{place}") AS "kanon#sum{place}"' for place in range(counting.own_sums)]
            + [_FILTERED.format(key=key) for key in tabulation.filters]
        ),
        items=",\n       ".join(_item(each, counting) for each in _shown(tabulation, protection)),
        kept="" if protection.rows == "null" else f" AND NOT {_HIDDEN.format(place=1)}",
        codes=", ".join(f'"kanon#c"."kanon#code{key}"' for key in numbers),
        lent=", ".join(f'"kanon#l{key}"."kanon#key{key}"' for key in numbers),
        lent_codes=", ".join(f'"kanon#l{key}"."kanon#code{key}"' for key in numbers),
        lenders="".join(_LENDER.format(key=key, place=1 + key) for key in numbers),
    )


def _settled(counting: Counting, protection: Protection, surface: Surface) -> str:
    """Return the SQL of warnings about whom a row describes; the statement fails unless that is settled."""
    keys = ", ".join(f'"kanon#key{place}" AS {quoted(name)}' for name, place in key_places(counting).items())
    shown = _KEYS.format(keys=keys or '"kanon#key0"')  # names of ours are not looked at
    return settled_unit(shown, unit_of(counting, protection), surface, '"kanon#source"')


def _texts(texts: Iterable[str]) -> str:
    return f"CAST([{', '.join(map(literal, texts))}] AS VARCHAR[])"


def _code(key: int, counting: Counting) -> str:
    """Return the SQL of the number of a key: its rank, or of a condition 1 where it holds."""
    name = f'"kanon#key{key}"'
    if is_condition(counting.tabulation.keys[key]):
        return f'CAST({name} AS BIGINT) AS "kanon#code{key}"'
    return _RANK.format(name=name, key=key)


def _set(chosen: Sequence[int]) -> str:
    codes = ", ".join(f'"kanon#code{key}"' for key in chosen)
    return f"({codes})"


def _counted(counting: Counting, protection: Protection) -> str:
    """Return the query of the base cells: people, sums, the least value, and what contributions are between or largest."""
    places = range(len(counting.sums))
    keys = ", ".join(f'"kanon#key{key}"' for key in range(len(counting.keys)))
    if protection.per is None:
        return cells_text("base_cells", keys=keys, measures="".join(_measures(place, counting.largest) for place in places))
    return cells_text(
        "base_cells_of_people",
        added="".join(
            f', system.main.sum("kanon#value{place}") AS "kanon#value{place}", system.main.min("kanon#value{place}") '
            f'AS "kanon#least{place}"'
            for place in places
        ),
        measures="".join(_measures(place, counting.largest, f'"kanon#least{place}"') for place in places),
        keys=keys,
    )


def _measures(place: int, largest: int, least: str | None = None) -> str:
    value = f'"kanon#value{place}"'
    found = f', system.main.sum({value}) AS "kanon#sum{place}", system.main.min({least or value}) AS "kanon#least{place}"'
    found += f', system.main.count(*) FILTER (WHERE {value} <> 0) AS "kanon#some{place}"'
    found += f', system.main.min({value}) AS "kanon#lowest{place}", system.main.max({value}) AS "kanon#highest{place}"'
    square = f"TRY_CAST({value} AS DOUBLE) * TRY_CAST({value} AS DOUBLE)"
    found += f', system.main.sum({square}) AS "kanon#squares{place}"'
    return found + (f', system.main.max({value}, {largest}) AS "kanon#largest{place}"' if largest else "")


def _shown(tabulation: Tabulation, protection: Protection) -> list[Item]:
    items = list(tabulation.items)
    if protection.suppressed:
        if any(each.name.lower() == "suppressed" for each in items):
            raise PolicyError("the table has a column named suppressed; hint: rename it")
        items.append(Item(name="suppressed", kind="suppressed"))
    return items


def _item(item: Item, counting: Counting) -> str:
    """Return the SQL of a column of the table."""
    hidden, name = _HIDDEN.format(place=1), quoted(item.name)
    if item.kind == "key":
        return f"{_keys(item.places, counting)} AS {name}"
    if item.kind == "grouping":
        count = len(item.places)
        parts = [f"{_absent(key, counting)} * {1 << (count - 1 - place)}" for place, key in enumerate(item.places)]
        return f"CAST({' + '.join(parts)} AS BIGINT) AS {name}"
    if item.kind == "suppressed":
        return f"{hidden} AS {name}"
    if item.kind == "count" and item.places:
        value = f'"kanon#r"."kanon#people{item.places[0]}"'
        hidden = _HIDDEN.format(place=2 + counting.tabulation.filters.index(item.places[0]))
    elif item.kind == "count":
        value = '"kanon#r"."kanon#people"'
    else:
        value = f'"kanon#r"."kanon#sum{item.places[0]}"'
    return f"CASE WHEN NOT {hidden} THEN {value} END AS {name}"


def _keys(levels: Sequence[int], counting: Counting) -> str:
    """Return the SQL of the finest level that a row shows."""
    if len(levels) == 1:
        return _key(levels[0], counting)
    shown = [f"WHEN {_absent(key, counting)} = 0 THEN {_key(key, counting)}" for key in levels]
    return f"CASE {' '.join(shown)} END"


def _key(key: int, counting: Counting) -> str:
    value = f'"kanon#c"."kanon#key{key}"'
    shown = f"coalesce({value}, {unlisted_null(value)})"
    if all(key in chosen for chosen in counting.tabulation.sets):
        return shown
    return f"CASE WHEN {_absent(key, counting)} = 0 THEN {shown} END"


def _absent(key: int, counting: Counting) -> str:
    """Return the SQL of 1 where a row does not show a key, else 0."""
    without = [str(bits(chosen, counting.own_keys)) for chosen in counting.tabulation.sets if key not in chosen]
    return f'CASE WHEN "kanon#r"."kanon#set" IN ({", ".join(without)}) THEN 1 ELSE 0 END' if without else "0"
