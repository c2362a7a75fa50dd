"""What a level of a key shows for a value, from the definition: characters, an interval, a period, or an end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.files.tables import columns, load
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import CertificateError, raise_alone
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.places import Place

QUOTES = "'\""

_THERE = "SELECT 1 FROM system.main.duckdb_tables() WHERE table_name = $1"

_DIGITS = re.compile(r"DIGITS \((\d+)\)")

_INTERVALS = re.compile(r"(INTERVALS|CUTS) \(([^()]+)\)(?: TOP (\S+))?(?: BOTTOM (\S+))? LEVEL (\d+)")

_HIERARCHY = re.compile(r"HIERARCHY (.+) \((\d+)\)", re.DOTALL)

_PERIODS = ("day", "month", "quarter", "year", "decade")


def level_sql(con: Any, column: str, level: str, place: int) -> str:
    """Return the SQL of what a level shows; labels of intervals become a temporary table.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the table ``source``.
    column : str
        The column, as SQL.
    level : str
        The name of the level.
    place : int
        The number of the key.

    Raises
    ------
    CertificateError
        When a value has no label, or the table that gives it is not there.
    """
    text, digits = f"CAST({column} AS VARCHAR)", _DIGITS.fullmatch(level)
    if digits is not None:
        shown = f"system.main.left({text}, {digits[1]})"
        return f"system.main.rpad({shown}, CAST(system.main.length({text}) AS INTEGER), '*')"
    hierarchy = _HIERARCHY.fullmatch(level)
    if hierarchy is not None:
        return _looked_up(con, text, _loaded_name(hierarchy[1]), int(hierarchy[2]))
    table, values = quoted(f"labels {place}"), f"SELECT DISTINCT {text} FROM source WHERE {column} IS NOT NULL"  # noqa: S608
    con.execute(f"CREATE OR REPLACE TEMP TABLE {table} (value VARCHAR, label VARCHAR)")
    labels = [(value, label(value, level)) for (value,) in con.execute(values).fetchall()]
    if labels:
        con.executemany(f"INSERT INTO {table} VALUES (?, ?)", labels)  # noqa: S608
    return f"(SELECT system.main.any_value(label) FROM {table} WHERE value = {text})"  # noqa: S608


def load_hierarchies(con: Any, hierarchies: Mapping[str, Place]) -> None:
    """Read the tables that give levels of keys, by their names."""
    for name, place in hierarchies.items():
        load(con, place, into=_loaded_name(name))


def _loaded_name(name: str) -> str:
    """Return the name here of a table that gives levels, from its name in a statement or on the command line."""
    return f"beside {same_name(name.strip(QUOTES))}"


def _looked_up(con: Any, text: str, name: str, level: int) -> str:
    """Return the SQL of a level that a table gives."""
    given = columns(con, name) if con.execute(_THERE, [name]).fetchall() else []
    wanted, table = ["level0", f"level{level}"], quoted(name)
    if not {*wanted} <= set(map(same_name, given)):
        shown = name.partition(" ")[2]
        raise CertificateError(
            "tabulation", f"the table {shown} contains levels of a key, but is missing; hint: " + f"pass --beside {shown}=FILE"
        )
    value, shown = (f"CAST({quoted(each)} AS VARCHAR)" for each in wanted)
    several = f"SELECT 1 FROM {table} GROUP BY {value} HAVING system.main.count(DISTINCT {shown}) <> 1"  # noqa: S608
    missing = (
        f"SELECT 1 FROM source WHERE {text} IS NOT NULL AND {text} NOT IN "  # noqa: S608
        f"(SELECT {value} FROM {table} WHERE {value} IS NOT NULL)"
    )
    if con.execute(f"{several} LIMIT 1").fetchall() or con.execute(f"{missing} LIMIT 1").fetchall():
        raise CertificateError("tabulation", "a key value has no level, or two levels, in the table of levels")
    return f"(SELECT system.main.any_value({shown}) FROM {table} WHERE {value} = {text})"  # noqa: S608


def label(value: str, level: str) -> str:
    """Return what a level of intervals shows for a value.

    Raises
    ------
    CertificateError
        As for `level_sql`.

    Examples
    --------
    >>> label("37", "INTERVALS (5, 50) LEVEL 0"), label("93", "CUTS (18, 65) TOP 90 LEVEL 0"), label("7", "CUTS (18) LEVEL 0")
    ('[35, 40)', '90+', '<18')
    >>> label("2021-05-01", "INTERVALS (quarter, decade) LEVEL 1")
    '2020s'
    """
    found = _INTERVALS.fullmatch(level)
    if found is None:
        raise CertificateError("tabulation", "kanon verify does not recognize the level of a key")
    kind, listed, above, below, number = found.groups()
    steps = listed.split(", ")[int(number) :] if kind == "INTERVALS" else listed.split(", ")
    top, bottom = (None if each is None else Fraction(each) for each in (above, below))
    try:
        moment = datetime.fromisoformat(value) if steps[0] in _PERIODS else None
        size = Fraction(Decimal(value)) if moment is None else Fraction(moment.year)
    except (ValueError, InvalidOperation, OverflowError):
        raise_alone(CertificateError("tabulation", "a key with levels has a value that is neither a number nor a date"))
    if top is not None and size >= top:
        return f"{_text(top)}+"
    if bottom is not None and size <= bottom:
        return f"<={_text(bottom)}"
    if moment is not None:
        return _period(moment, steps[0])
    return _interval(size, kind, [Fraction(each) for each in steps], top, bottom)


def _interval(value: Fraction, kind: str, steps: Sequence[Fraction], top: Fraction | None, bottom: Fraction | None) -> str:
    if kind == "CUTS":
        low = max((each for each in steps if each <= value), default=None)
        high = min((each for each in steps if each > value), default=None)
    else:
        low = max(value // each * each for each in steps)
        high = min((value // each + 1) * each for each in steps)
    if top is not None and (high is None or top < high):
        high = top
    opened, start = "[", low
    if bottom is not None and (low is None or low <= bottom):
        opened, start = "(", bottom
    if high is None:
        return "+" if start is None else f"{_text(start)}+"
    return f"<{_text(high)}" if start is None else f"{opened}{_text(start)}, {_text(high)})"


def _period(day: datetime, step: str) -> str:
    texts = {
        "day": f"{day:%Y-%m-%d}",
        "month": f"{day:%Y-%m}",
        "quarter": f"{day:%Y}-Q{(day.month - 1) // 3 + 1}",
        "year": f"{day:%Y}",
        "decade": f"{day:%Y}"[:3] + "0s",
    }
    return texts[step]


def _text(number: Fraction) -> str:
    """Return a number without an exponent; widths, cuts and ends have few digits."""
    found = format(Decimal(number.numerator) / Decimal(number.denominator), "f")
    return found.rstrip("0").rstrip(".") if "." in found else found
