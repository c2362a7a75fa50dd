"""The part of a statement that finds out whom a row describes, before a search begins.

The columns of a source are known when a statement is bound. Then a planner writes a query that gathers the evidence from
hashes of the cells. It runs first, and its answer is an argument of the function that begins a search.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from kanon_sql.engines.duckdb.connect.binding import heard
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.engines.sampled import DRAWN, FEWER, FIRST, TEXTS, VARIED, WHOLE
from kanon_sql.engines.unit import GROWING
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit import Unit
from kanon_sql.recognition import recognized_name

_SETTLED = """(
    SELECT CASE WHEN told.refused IS NULL THEN told.warnings ELSE system.main.error(told.refused) END
    FROM {released} AS "kanon#released", {wide} AS "kanon#wide", system.main.query(system.main.kanon_plan_unit({arguments}))
)"""

KEYS = "released columns", "columns of the source"

FIRST_LOOK, CELLS = '(SELECT "kanon#f" FROM "kanon#first" AS "kanon#f")', 'system.main.list("kanon#h")'
"""What is known of the table, and its sampled rows."""

_NAME = "system.main.lower(system.main.trim(system.main.strip_accents(CAST({0} AS VARCHAR))))"
"""What several spellings of a name have in common."""

_DATE = """CASE WHEN system.main.regexp_matches(system.main.typeof({0}), '^(DATE|TIMESTAMP|VARCHAR)')
    THEN system.main.epoch(TRY_CAST(CAST({0} AS VARCHAR) AS TIMESTAMP)) / 31556952 END"""


def settled_unit(source: str, unit: Unit, surface: Surface, wide: str | None = None) -> str:
    """Return the SQL of a list of warnings about the unit. The statement fails if the unit is not settled.

    Parameters
    ----------
    source : str
        The rows to release, as written after FROM.
    wide : str, optional
        The same rows with further columns of the tables that they are read from.

    Notes
    -----
    Reads the source once more, and counts its rows. Of a large table, only a sample of the rows is kept.
    """
    relations = source, wide or source
    released, wide_table = (heard(key, each) for key, each in zip(KEYS, relations, strict=True))
    arguments = ", ".join(map(literal, (*relations, unit.to_json(), surface)))
    return _SETTLED.format(released=released, wide=wide_table, arguments=arguments)


def stated_unit(source: str, unit: Unit, surface: Surface, wide: str | None, settled: Sequence[str] | None) -> str:
    """Return the SQL of the warnings about the unit: `settled_unit`, ``wide`` being a query, or those that are known."""
    if settled is not None:
        return f"CAST([{', '.join(map(literal, settled))}] AS VARCHAR[])"
    return settled_unit(source, unit, surface, wide and f"({wide})")


def evidence_query(relations: tuple[str, str], columns: tuple[list[str], list[str]], unit: Unit, surface: Surface) -> str:
    """Return the query that gathers the evidence. Its result is one row with the answer of ``kanon_unit``.

    Parameters
    ----------
    relations : tuple of str
        The rows to release, and the same with further columns.
    columns : tuple of list of str
        The columns of each.
    """
    source, wide = relations
    released, every = columns
    named = json.dumps([released, every, _origins(wide)])
    arguments = ", ".join([*map(literal, (unit.to_json(), surface, named)), FIRST_LOOK, CELLS])
    texts = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in released)
    looks = f'(SELECT system.main.list(look) FROM (SELECT [{texts}] AS look FROM {source} AS "kanon#s" LIMIT {TEXTS}))'  # noqa: S608
    return sample_query(
        source, wide, every, f"system.main.kanon_unit({arguments}, {looks}) AS told", needed=not unit.counts_rows_only
    )


def _origins(wide: str) -> dict[str, list[str]]:
    """Return the source columns in each expression of a query. A renamed identifier is still an identifier."""
    if not wide.startswith("(") or " AS " not in wide.upper():
        return {}
    from kanon_sql.clause.origins import origins_of  # sqlglot is loaded only if there is a clause

    return {name: list(columns) for name, columns in origins_of(wide[1:-1]).items()}


def sample_query(source: str, wide: str, every: list[str], answer: str, *, needed: bool = True) -> str:
    """Return the query of an answer about sampled rows, in which cells are hashes.

    Parameters
    ----------
    source, wide : str
        The rows, and the same with further columns.
    every : list of str
        The columns of the latter.
    answer : str
        What is selected of `FIRST_LOOK` and `CELLS`.
    needed : bool
        Whether the answer needs rows.
    """
    names = [quoted(name) for name in every]
    cells = [f"c{place}" for place in range(len(names))]
    kinds = [found.kind if (found := recognized_name(name)) else "" for name in every]
    growing = [place for place, kind in enumerate(kinds) if kind in GROWING]
    dates = [_DATE.format(name) for name, kind in zip(cells, kinds, strict=True) if kind != "date of birth"] if growing else []
    spelled = [place for place, kind in enumerate(kinds) if kind == "name"]
    # some types have one hash for several values; that does not matter here
    hashes = [f"system.main.hash({_NAME.format(cell) if place in spelled else cell})" for place, cell in enumerate(cells)]
    shown = [f"CASE WHEN c{place} IS NOT NULL THEN {each} END AS h{place}" for place, each in enumerate(hashes)]
    shown += [f"CASE WHEN c{place} IS NOT NULL THEN system.main.hash(c{place}) END AS s{place}" for place in spelled]
    shown += [f"TRY_CAST(CAST({cells[place]} AS VARCHAR) AS DOUBLE) AS y{place}" for place in growing]
    shown += [f"coalesce({', '.join([*dates, 'NULL'])}) AS written"] if dates else []
    return text(
        "unit",
        answer=answer,
        source=source,
        wide=wide,
        whole=str(WHOLE),
        drawn=str(DRAWN),
        fewer=str(FEWER),
        first=str(FIRST),
        needed="true" if needed else "false",
        names=", ".join(f"{name} AS {cell}" for name, cell in zip(names, cells, strict=True)),
        distinct=", ".join(f"system.main.approx_count_distinct({cell}) AS {cell}" for cell in cells),
        varied=", ".join(f"{cell} > {VARIED} AS v{place}" for place, cell in enumerate(cells)),
        cells=", ".join(shown),
        hits="".join(f' OR (v{place} AND system.main."&"({each}, finer) = 0)' for place, each in enumerate(hashes)),
    )
