"""How a table was read, and how else it could be: in the words of the page Open."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kanon_sql.engines.duckdb.files.csv_cells import Unread, looked_at, unread
from kanon_sql.engines.duckdb.files.csv_files import found
from kanon_sql.engines.duckdb.files.dialect import DELIMITERS, Dialect
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.engines.duckdb.files.tables import loading
from kanon_sql.errors import SourceError
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.source import Source
from kanon_sql.table.labels.forms import DATES, DECIMAL_COMMA, date_forms

SIGNS = {**DELIMITERS, ":": "colon", "#": "hash sign", "~": "tilde", "^": "caret", " ": "space"}
"""What can separate the fields of a line."""

ENCODINGS = {
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252 (Western European)",
    "iso8859-1": "Latin-1 (Western European)",
    "iso8859-15": "Latin-9 (Western European, with €)",
    "cp1250": "Windows-1250 (Central European)",
    "iso8859-2": "Latin-2 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp850": "DOS 850 (Western European)",
    "mac-roman": "Mac Roman",
    "utf-16": "UTF-16",
}
"""How letters can be written, as Python calls it and in words."""

DECIMALS = {".": "point, as in 1234.5", ",": "comma, as in 1.234,5"}

KINDS = {"parquet": "Parquet file", "json": "JSON file", "jsonl": "JSON file", "workbook": "workbook", "duckdb": "database"}

_TYPES = (
    (re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?"), "whole number"),
    (re.compile(r"DECIMAL.*|FLOAT|DOUBLE|REAL"), "number"),
    (re.compile(r"DATE"), "date"),
    (re.compile(r"TIMESTAMP.*|DATETIME"), "date and time"),
    (re.compile(r"TIME.*"), "time"),
    (re.compile(r"BOOLEAN"), "yes or no"),
    (re.compile(r"VARCHAR|ENUM.*|UUID"), "text"),
)

_WHOLE = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")


def example(form: str) -> str:
    """Return the last day of 2024 in a form of dates."""
    written = datetime(2024, 12, 31, tzinfo=UTC).strftime(form)
    return f"{written} (month first)" if form.startswith("%m") else written


FORMS = {form: example(form) for form in DATES}
"""Forms of dates, each as an example."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page says of a table that was read."""

    words: str  # how it was read
    columns: tuple[tuple[str, str], ...]  # names and kinds
    remarks: tuple[str, ...]
    unread: tuple[Unread, ...]  # columns of dates or numbers that were left as texts
    sql: str  # what reads it again


def reading(source: Source) -> Reading:
    """Return how a table was read."""
    con = source.con.cursor()
    csv = source.place.kind in ("csv", "tsv")
    looked = looked_at(con, source.name)
    types = source.types
    kinds = [(name, _kind(types[name], looked.get(name, []) if csv else [])) for name in source.columns]
    named = set(source.place.dialect.dates)
    left = [each for each in unread(looked) if not each.dates or not named.issuperset(each.forms)] if csv else []
    remarks = (in_words(each) for each in source.remarks if not each.startswith("read as: "))
    return Reading(how(source), tuple(kinds), tuple(remarks), tuple(left), read_by(source))


def how(source: Source) -> str:
    """Return in a line how a table was read."""
    place, columns = source.place, len(source.columns)
    if place.kind not in ("csv", "tsv"):
        return f"{KINDS[place.kind]}, {how_many(columns, 'column')}"
    said = next((each for each in source.remarks if each.startswith("read as: ")), None)
    words = (said or found(place).words(columns)).removeprefix("read as: ")
    dialect = place.dialect
    more = [f"dates as {', '.join(map(example, dialect.dates))}"] if dialect.dates else []
    more += ["decimal comma"] if dialect.decimal == "," else []
    return "; ".join([words, *more])


def read_by(source: Source) -> str:
    """Return the SQL that reads a table, or the command that does where SQL alone cannot."""
    statements = loading(source.place, into=source.name)
    if statements is not None:
        return statements
    command = shlex.join(["kanon", "profile", str(source.place), *source.place.dialect.options])
    return f"-- SQL alone does not read this file exactly. The command line reads it in the same way:\n-- {command}"


def mixed(column: Unread) -> str:
    """Return in a sentence what is left unread in a column."""
    if not column.dates:
        return f"{column.column} has numbers with a decimal comma. They were read as text."
    if len(column.dates) == 1:
        return f"{column.column} has dates such as {example(column.dates[0][0])}. They were read as text."
    counted = ", ".join(f"{count:,} such as {example(form)}" for form, count in column.dates)
    return f"{column.column} mixes forms of dates. Among {column.looked_at:,} different values: {counted}."


def without_names(columns: Sequence[str]) -> bool:
    """Return whether the names of columns look like values: then the first line may be a row."""
    return any(_NUMBER.fullmatch(name) or DECIMAL_COMMA.fullmatch(name) or date_forms([name]) for name in columns)


def forms_for(dialect: Dialect, columns: Sequence[Unread]) -> list[str]:
    """Return the forms of dates that read columns, too."""
    return list(dict.fromkeys([*dialect.dates, *(form for each in columns for form in each.forms)]))


def names_of(text: str) -> tuple[str, ...]:
    """Return the names of columns that a person has written, separated by commas.

    Raises
    ------
    SourceError
        When a name occurs twice.
    """
    found = tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []) if name.strip())
    if len({name.casefold() for name in found}) < len(found):
        raise SourceError("a column name occurs twice; hint: give each column a different name")
    return found


def _kind(type_: str, texts: Sequence[str]) -> str:
    """Return the type of a column in words; some of its values tell what a text is."""
    if type_ == "VARCHAR" and texts:
        if all(_WHOLE.fullmatch(text) for text in texts):
            return "whole number"
        if all(_NUMBER.fullmatch(text) for text in texts):
            return "number"
        if date_forms(texts) == [(DATES[0], len(texts))]:
            return "date"
    return next((words for pattern, words in _TYPES if pattern.fullmatch(type_)), type_.lower())


_FIELDS = (
    (re.compile(r"pass a different --delimiter"), "choose another delimiter"),
    (re.compile(r"pass a different --encoding"), "choose another encoding"),
    (re.compile(r"pass its encoding"), "choose its encoding"),
    (re.compile(r"such as --encoding "), "such as "),
    (re.compile(r"pass --delimiter '(.)' if"), r"choose the delimiter \1 if"),
    (re.compile(r"--names has"), "the field Column names has"),
    (re.compile(r"pass one file, or a pattern"), "choose one file, or write a pattern"),
    (re.compile(r"pass one name for each field"), "write one name for each field"),
    (re.compile(r"check the folder, and quote the pattern"), "check the folder and the pattern"),
    (re.compile(r"delete the lines above the header"), "delete the lines above the header, or choose another delimiter"),
    (re.compile(r"its format differs from.*; hint: check the network.*"), "it was not found; hint: check the address"),
    (re.compile(r"use a file with the extension \.duckdb"), "leave out the part after ::"),
    (re.compile(r"(://)[^\s/@]*@"), r"\1"),
    (re.compile(r"(://[^\s?]*)\?\S*?(?=[:;]?(\s|$))"), r"\1"),
)
"""Hints about options of the command line, and what they are on the page; the parts of a URL that may hold a password."""


def in_words(text: str) -> str:
    """Return a message about reading with the fields of the page in place of the options of the command line."""
    for option, field in _FIELDS:
        text = option.sub(field, text)
    return text


def place_in_words(place: Place) -> str:
    """Return the file of a place, and the table or sheet in it, by names without folders."""
    if "://" in str(place):
        return str(place).partition("?")[0]
    name = place.pattern or place.path.name
    return f"{name}, {place.table}" if place.table else name
