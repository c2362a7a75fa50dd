"""The statement of a protected table of counts, and why rows of it are suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import as_identifier

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.studio.search import Search
    from kanon_sql.studio.source import Source

GROUPINGS = {
    "with all totals": "CUBE ({})",
    "with totals from the right": "ROLLUP ({})",
    "without totals": "{}",
}
"""Which rows a table has, and its GROUP BY."""

PERCENT = 10
"""The p of the p % rule for sums."""


_PROTECT = "\nPROTECT n >= "


def statement_of(
    table: str,
    keys: Sequence[str],
    grouping: str,
    k: int,
    measure: str | None = None,
    person: str | None = None,
    *,
    per_row: bool = False,
    kind: str | None = None,
) -> str:
    """Return the query of a protected table.

    Parameters
    ----------
    table : str
        The source, as SQL spells it.
    keys : sequence of str
        The columns that it is counted by.
    grouping : str
        One of `GROUPINGS`.
    k : int
        Counts of 1 to k - 1 people, or rows, are suppressed.
    measure : str, optional
        A column that is summed; nobody can estimate a contribution more closely than `PERCENT` percent.
    person : str, optional
        The column that tells people apart; else rows are counted.
    per_row : bool
        Whether each row is a person, even if a column seems to repeat people.
    kind : str, optional
        The type of numbers that the summed column is read as, if it has texts.

    Raises
    ------
    PolicyError
        When no column is chosen.
    """
    if not keys:
        raise PolicyError("no column is chosen; hint: choose what to count by")
    named = ", ".join(map(as_identifier, keys))
    counted = "*" if person is None else f"DISTINCT {as_identifier(person)}"
    total = rule = ""
    if measure is not None:
        number = as_identifier(measure) if kind is None else f"CAST({as_identifier(measure)} AS {kind})"
        total, rule = f", sum({number}) AS total", f" AND p(total) >= {PERCENT}"
    per = " PER ROW" * per_row if person is None else f" PER {as_identifier(person)}"
    group = GROUPINGS[grouping].format(named)
    return f"SELECT {named}, count({counted}) AS n{total}\nFROM {table}\nGROUP BY {group}{_PROTECT}{k}{per}{rule}"


def memory_words(remembering: Path | None) -> str:
    """Return what is said before a table is made: which file remembers it, or that none does."""
    if remembering is None:
        return (
            "Nothing remembers this table after you close the studio, so no later table of the same people is compared with "
            "it. Start kanon studio with --ledger research.duckdb to have it remembered."
        )
    return (
        f"{remembering.name} remembers each table that you make here, and later tables respect it. Delete its row of "
        "kanon_protected_tables only if nobody has seen the table."
    )


def reasons(source: Source, search: Search, most: int) -> list[str]:
    """Return why each of the first rows of a protected table is suppressed; an empty text if it is shown.

    Parameters
    ----------
    source : Source
        The opened table, which is counted again without protection.
    search : Search
        A statement of `statement_of` with its rows.
    most : int
        How many rows.
    """
    if search.rows is None:
        return []
    counted, _, rule = search.statement.rpartition(_PROTECT)
    least, sums = int(rule.split()[0]), rule.endswith(f"p(total) >= {PERCENT}")
    exact = dict(_counts(source.con.cursor().sql(counted).to_arrow_table(), sums))
    counts = "people" if " PER " in rule else "rows"
    others = f"a small count{' or a contribution' if sums else ''} could be derived from it"
    return [
        "" if n is not None else f"fewer than {least} {counts}" if exact[key] < least else others
        for key, n in _counts(search.rows.slice(0, most), sums)
    ]


def _counts(rows: pa.Table, sums: bool) -> list[tuple[tuple[str, ...], Any]]:
    """Return the keys of each row, as texts, and its count."""
    columns = [each.to_pylist() for each in rows.columns]
    place = len(columns) - (2 if sums else 1)
    return [(tuple(map(repr, values[:place])), values[place]) for values in zip(*columns, strict=True)]
