"""Cells of CSV files, which have no types: numbers and dates, and what a spreadsheet takes for formulas.

Formulas are written with a quote before them, and read back exactly. Such a cell begins with =, +, -, @, a tab or a line break,
or with a full-width form of these signs. Plain numbers are not formulas. A cell that begins with quotes and then such a sign
gets one more, so that no two texts become the same, and reading takes one quote away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.table.labels.forms import DATES, DECIMAL_COMMA, by_length_of_year, date_forms, or_month_first

_SIGNS = r"[=+\-@\t\r\n" + "\uff1d\uff0b\uff0d\uff20]"
_FORMULA = f"'*{_SIGNS}"
_ESCAPED = f"'+{_SIGNS}"
"""How a cell begins; Python and DuckDB read these patterns alike."""

_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""A whole cell."""

_NUMERIC = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(.*\)|FLOAT|DOUBLE|BIGNUM|VARINT")
"""Types whose cells are numbers; infinities are texts to a spreadsheet."""

_TYPES = ("BIGINT", "DOUBLE", "DATE")

_EXACT = """system.main.count({column}) > 0
    AND system.main.bool_and(TRY_CAST({column} AS {type})::VARCHAR IS NOT DISTINCT FROM {column})"""


def _begins(text: str, pattern: str) -> str:
    return f"system.main.regexp_matches({text}, {literal('^' + pattern)})"


def _is_number(text: str) -> str:
    return f"system.main.regexp_full_match({text}, {literal(_NUMBER)})"


def escape(con: Any, table: str) -> str:
    """Return a view of a table in which cells and names that a spreadsheet takes for formulas have a quote before them.

    Parameters
    ----------
    table : str
        Name of the table, or of the view.
    """
    view = "kanon#escaped"
    shown = []
    for name, kind, *_ in con.execute(f"DESCRIBE FROM {quoted(table)}").fetchall():
        column = quoted(name)
        title = f"'{name}" if re.match(_FORMULA, name) and not re.fullmatch(_NUMBER, name) else name
        text = f"{column}::VARCHAR"
        cell = f"CASE WHEN {_begins(text, _FORMULA)} AND NOT {_is_number(text)} THEN '''' || {text} ELSE {text} END"
        shown.append(f"{column if _NUMERIC.fullmatch(kind) else cell} AS {quoted(title)}")
    con.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(view)} AS SELECT {', '.join(shown)} FROM {quoted(table)}")  # noqa: S608
    return view


def unescape(con: Any, table: str) -> None:
    """Take the quotes away again from a table of texts."""
    shown = []
    for name, *_ in con.execute(f"DESCRIBE FROM {quoted(table)}").fetchall():
        column = quoted(name)
        title = name[1:] if re.match(_ESCAPED, name) else name
        cell = f"CASE WHEN {_begins(column, _ESCAPED)} THEN system.main.substr({column}, 2) ELSE {column} END"
        shown.append(f"{cell} AS {quoted(title)}")
    con.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT {', '.join(shown)} FROM {quoted(table)}")  # noqa: S608


def holds_escaped(con: Any, table: str) -> bool:
    """Return whether a table of texts has cells or names that look escaped."""
    names = [name for name, *_ in con.execute(f"DESCRIBE FROM {quoted(table)}").fetchall()]
    if any(re.match(_ESCAPED, name) for name in names):
        return True
    any_cell = " OR ".join(f"coalesce(system.main.bool_or({_begins(quoted(name), _ESCAPED)}), false)" for name in names)
    return bool(con.execute(f"SELECT {any_cell} FROM {quoted(table)}").fetchall() == [(True,)])  # noqa: S608


def give_types(con: Any, table: str, columns: Iterable[str] | None = None) -> None:
    """Give text columns of a table the first type that writes every value as it stands: 00501 stays a text. None takes all."""
    described = con.execute(f"DESCRIBE {quoted(table)}").fetchall()
    requested = None if columns is None else set(columns)
    texts = [name for name, kind, *_ in described if kind == "VARCHAR" and (requested is None or name in requested)]
    if not texts:
        return
    exact_casts = ", ".join(_EXACT.format(column=quoted(name), type=kind) for name in texts for kind in _TYPES)
    found = iter(con.execute(f"SELECT {exact_casts} FROM {quoted(table)}").fetchone())  # noqa: S608
    exact = {name: [kind for kind in _TYPES if next(found)] for name in texts}
    casts = [f"{quoted(name)}::{kinds[0]} AS {quoted(name)}" for name, kinds in exact.items() if kinds]
    if casts:
        con.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT * REPLACE ({', '.join(casts)}) FROM {quoted(table)}")  # noqa: S608


_WITH_COMMA = """(system.main.bool_or(system.main.contains({text}, ','))
    AND NOT coalesce(system.main.bool_or(system.main.regexp_matches({text}, '^0[0-9]')), false))"""
"""Some value has a comma, and none begins with a zero as postal codes do."""

_WITH_POINT = "system.main.replace(system.main.regexp_replace({text}, '[^0-9,+-]', '', 'g'), ',', '.')"

_DIGITS = """system.main.max(system.main.length(
    system.main.regexp_replace(system.main.string_split({text}, ',')[{part}], '[^0-9]', '', 'g')))"""
"""The most digits in front of the comma (part 1), or behind it (2)."""

_PART = 0.125
"""Share of the rows that are tested first: a text that is no date takes long to test."""

_EARLY = """SELECT (SELECT system.main.count({text}) FROM {table}), system.main.count_if({other}) FROM {table}
    WHERE rowid < {part} * (SELECT system.main.count(*) FROM {table})"""
"""Values, and the others than dates or numbers among the first ones: they may be too many already."""

_OTHERS = """SELECT system.main.count_if({other}), 1 + system.main.min(rowid) FILTER ({other}), {with_comma} FROM {table}"""

_IS_DATE = """({date} IS NOT NULL
    AND (system.main.year({date}) > 999 OR system.main.regexp_matches({text}, '[0-9][0-9][0-9][0-9]')))"""
"""Whether a date was read whose year is whole: DuckDB's %Y takes 24 for the year 24."""

_FEW = 0.1
"""Share of the values of a column up to which others than dates or numbers are worth a remark."""

_LOOKED_AT = 200
"""Values of a column that are looked at."""


def read_forms(con: Any, table: str, dates: Sequence[str], *, decimal_comma: bool) -> list[str]:
    """Give text columns the type of dates in some forms, or of numbers with a decimal comma, where all values are such.

    Returns
    -------
    list of str
        A remark about each column that stays a text because of a few values.

    Raises
    ------
    duckdb.Error
        When a form of dates is none.
    """
    forms = sorted([*dates, DATES[0]], key=by_length_of_year)
    date = f"system.main.try_strptime({{text}}, [{', '.join(map(literal, forms))}])"
    dated = _IS_DATE.format(date=date, text="{text}")
    comma = f"system.main.regexp_full_match({{text}}, {literal(DECIMAL_COMMA.pattern).replace('{', '{{').replace('}', '}}')})"
    kind = "TIMESTAMP" if any("%H" in form for form in dates) else "DATE"
    casts, remarks = [], []
    for name, each, *_ in con.execute(f"DESCRIBE {quoted(table)}").fetchall():
        if each != "VARCHAR":
            continue
        text = quoted(name)
        tests = {"date": dated.format(text=text)} if dates else {}
        tests |= {"number": comma.format(text=text)} if decimal_comma else {}
        for what, test in tests.items():
            other = f"{text} IS NOT NULL AND NOT ({test})"
            values, early = con.execute(_EARLY.format(text=text, other=other, table=quoted(table), part=_PART)).fetchone()
            if not values or early > _FEW * values:
                continue
            with_comma = _WITH_COMMA.format(text=text)
            query = _OTHERS.format(other=other, with_comma=with_comma, table=quoted(table))
            others, first, commas = con.execute(query).fetchone()
            if what == "number" and not commas:
                continue
            if not others and what == "date":
                casts.append(f"{date.format(text=text)}::{kind} AS {text}")
            elif not others:
                query = f"SELECT {_DIGITS.format(text=text, part=1)}, {_DIGITS.format(text=text, part=2)} FROM {quoted(table)}"  # noqa: S608
                digits, places = con.execute(query).fetchone()
                exact = f"DECIMAL(18, {places})" if places <= 6 and digits + places <= 18 else "DOUBLE"
                casts.append(f"{_WITH_POINT.format(text=text)}::{exact} AS {text}")
            elif others <= _FEW * values:
                several = f"{others:,} of its {values:,} values are not {what}s"
                remarks.append(f"{name} stays text: {several}, the first in row {first}; hint: correct it, or leave it empty")
    if casts:
        con.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT * REPLACE ({', '.join(casts)}) FROM {quoted(table)}")  # noqa: S608
    return remarks


@dataclass(frozen=True, slots=True)
class Unread:
    """A text column of dates or numbers in a form that has to be named before they are read."""

    column: str
    looked_at: int  # distinct values
    dates: tuple[tuple[str, int], ...] = ()  # their forms with how many have each; none for numbers with a decimal comma
    month_first: str = ""  # what to add for dates whose days may all be months

    @property
    def forms(self) -> tuple[str, ...]:
        """Return the forms of dates that have to be named."""
        return tuple(form for form, _ in self.dates if form != DATES[0])

    def __str__(self) -> str:
        if not self.dates:
            return f"{self.column} has numbers with a decimal comma; hint: pass --decimal ,"
        options = " ".join(f"--date-format {form}" for form in self.forms)
        return f"{self.column} has dates as texts; hint: pass {options}{self.month_first}"


def looked_at(con: Any, table: str) -> dict[str, list[str]]:
    """Return some distinct values of each text column of a table."""
    query = "SELECT DISTINCT {column} FROM {table} WHERE {column} <> '' LIMIT {most}"
    found = {}
    for name, each, *_ in con.execute(f"DESCRIBE {quoted(table)}").fetchall():
        if each == "VARCHAR":
            filled = query.format(column=quoted(name), table=quoted(table), most=_LOOKED_AT)
            found[name] = [value for (value,) in con.execute(filled).fetchall()]
    return found


def unread(looked: Mapping[str, Sequence[str]]) -> list[Unread]:
    """Return the columns of dates or numbers in a form that has to be named, given some of their values."""
    found = []
    for name, texts in looked.items():
        forms = date_forms(texts)
        if texts and sum(count for _, count in forms) >= (1 - _FEW) * len(texts) and any(form != DATES[0] for form, _ in forms):
            found.append(Unread(name, len(texts), tuple(forms), or_month_first(texts)))
        elif any("," in text for text in texts) and all(DECIMAL_COMMA.fullmatch(text) for text in texts):
            found.append(Unread(name, len(texts)))
    return found
