"""CSV files: how they are written is found by looking, and a broken one is refused by its line."""

from __future__ import annotations

import csv
import glob
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

from kanon_sql.engines.duckdb.connect.resources import system_words
from kanon_sql.engines.duckdb.files.csv_cells import read_forms, unescape
from kanon_sql.engines.duckdb.files.dialect import DELIMITERS, Dialect
from kanon_sql.engines.duckdb.files.encodings import SAMPLE, eight_bits, encoding_of, opened, own_encoding
from kanon_sql.engines.duckdb.files.places import Place, plain, unreadable
from kanon_sql.engines.duckdb.files.staging import staging_directory
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import SourceError, raise_alone
from kanon_sql.model.how_many import how_many

_MOST = 0.9
"""Share of the lines that agree on their number of fields if there is a title above them."""


# Everything that DuckDB would guess about a CSV file is said here, because a guess may drop a line that begins with '#',
# turn the zip code 00501 into 501, or take "" (an empty text) for a missing value.
CSV = """system.main.read_csv($path, all_varchar := true, header := $header,
    delim := $delimiter, quote := '"', escape := '"', comment := '', skip := 0,
    nullstr := '', allow_quoted_nulls := false, strict_mode := true, sample_size := -1, hive_partitioning := false)"""


def load_csv(con: Any, place: Place, into: str) -> list[str]:
    """Copy a CSV file as texts; return the remarks of `load`. One that is not in UTF-8 is written anew before.

    Raises
    ------
    SourceError
        When it cannot be read; the error names the line.
    """
    import duckdb

    dialect = found(place)
    _require_as_many(place, dialect)
    called = f" AS t({', '.join(map(quoted, dialect.names))})" if dialect.names else ""
    create = f"CREATE TABLE {quoted(into)} AS FROM {CSV}{called}"
    for again in (False, True):
        try:
            with in_utf8(place, dialect) as path:
                con.execute(create, {"path": path, "delimiter": dialect.delimiter, "header": not dialect.names})
            if place.escaped:
                unescape(con, into)
            others: list[str] = []
            if dialect.dates or dialect.decimal == ",":
                others = read_forms(con, into, dialect.dates, decimal_comma=dialect.decimal == ",")
            return others + remarks(place, dialect, [name for name, *_ in con.execute(f"DESCRIBE {quoted(into)}").fetchall()])
        except duckdb.Error as error:
            if not again and place.dialect.encoding is None and dialect.is_utf8 and "utf-8" in str(error).lower():
                dialect = _of_whole(place, dialect)
                continue
            raise_alone(unreadable(place, trouble(place, dialect) or plain(error)))
    raise AssertionError("the second attempt returns or raises")


def found(place: Place) -> Dialect:
    """Return how a file is written, as far as its beginning shows; a URL is not looked at.

    Raises
    ------
    SourceError
        When the file is empty, or no text.
    """
    given, files = place.dialect, files_of(place)
    separator = given.delimiter or ("\t" if place.kind == "tsv" else None)
    if not files or (separator and given.encoding):
        return replace(given, delimiter=separator or ",", encoding=given.encoding or "utf-8")
    try:
        with opened(files[0]) as file:
            sample = file.read(SAMPLE)
    except (OSError, EOFError, zlib.error) as error:
        words = (
            system_words(error)
            if isinstance(error, OSError) and error.strerror
            else "it is damaged or not compressed; hint: export it again"
        )
        raise_alone(SourceError(f"cannot read {files[0]}: {words}"))
    if not sample.strip():
        raise SourceError(f"{place} is empty: it has no header line; hint: export it again")
    encoding = given.encoding or encoding_of(sample, files[0])
    text = sample.decode(encoding, errors="ignore")
    whole = len(sample) < SAMPLE
    chosen = separator or _delimiter_of(text, whole=whole)
    if _counts(text, chosen, whole=whole)[:1] == [1]:
        _refuse_title(place, text, [separator] if separator else DELIMITERS, whole=whole)
    return replace(given, delimiter=chosen, encoding=encoding)


def _of_whole(place: Place, dialect: Dialect) -> Dialect:
    """Return a dialect with the encoding of the first file that is not UTF-8: the beginning of the first one looked like it."""
    others = (each for each in map(eight_bits, files_of(place)) if each != "utf-8")
    return replace(dialect, encoding=next(others, "utf-8"))


def files_of(place: Place) -> list[str]:
    """Return the files of a place; none of a URL."""
    if place.pattern is None:
        return [str(place.path)]
    return [] if "://" in place.pattern else sorted(glob.glob(place.pattern, recursive=True))


@contextmanager
def in_utf8(place: Place, dialect: Dialect) -> Iterator[str]:
    """Give what DuckDB is to read: the files themselves, or copies in UTF-8 in a private directory.

    Raises
    ------
    SourceError
        When a file cannot be decoded.
    """
    if dialect.is_utf8:
        yield place.glob
        return
    with staging_directory(Path(tempfile.gettempdir())) as private:
        for number, path in enumerate(files_of(place)):
            encoding = place.dialect.encoding or own_encoding(path)  # each file of a pattern may have another one
            written = (private / f"{number:06d}.csv").open("w", encoding="utf-8", newline="")
            with written as copy, TextIOWrapper(opened(path), encoding, newline="") as text:
                try:
                    shutil.copyfileobj(text, copy)
                except UnicodeError:
                    raise_alone(_not_in(path, encoding))
        yield str(private / "*.csv")


def _require_as_many(place: Place, dialect: Dialect) -> None:
    """Refuse names that are more or fewer than the fields of the first line."""
    with closing(lines_of(place, dialect)) as lines:
        fields = len(next(_rows(lines, dialect.delimiter or ","), dialect.names))
    if dialect.names and fields != len(dialect.names):
        named = how_many(len(dialect.names), "name")
        raise SourceError(
            f"{place} has {how_many(fields, 'field')} in its first line, but --names has {named}; hint: pass one name for "
            "each field"
        )


def _delimiter_of(text: str, *, whole: bool) -> str:
    """Return what separates the fields: it divides the first line, and most others into as many."""
    best, most = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        counts = _counts(text, delimiter, whole=whole)
        fields = counts[0] if counts else 0
        agreed = sum(count == fields for count in counts) / max(1, len(counts))
        if fields > 1 and (agreed, fields) > most:
            best, most = delimiter, (agreed, fields)
    return best


def _counts(text: str, delimiter: str, *, whole: bool) -> list[int]:
    """Return how many fields each line has; a file that is not whole ends within a line."""
    counts = [len(row) for row in _rows(StringIO(text, newline=""), delimiter) if row]
    return counts if whole or len(counts) < 2 else counts[:-1]


def _refuse_title(place: Place, text: str, delimiters: Iterable[str], *, whole: bool) -> None:
    """Refuse a file whose first lines have one field, if nearly all others agree on more: they are above the header."""
    most, separated = 1, ""
    for delimiter in delimiters:
        counts = _counts(text, delimiter, whole=whole)
        above = next((number for number, fields in enumerate(counts) if fields > 1), 0)
        fields, lines = Counter(counts[above:]).most_common(1)[0]
        if above and lines >= max(2, _MOST * len(counts[above:])) and fields > most:
            most, separated = fields, DELIMITERS.get(delimiter, "separator")
    if separated:
        raise SourceError(
            f"{place} has no header in line 1: most lines have {most} fields, separated by a {separated}, but line 1 has only "
            "one; hint: delete the lines above the header"
        )


def _other_delimiter(name: str) -> str | None:
    """Return the separator that the name of an only column has, if any: it may be the names of all columns."""
    return next((each for each in DELIMITERS if each in name), None)


def _rows(lines: Iterator[str] | StringIO, delimiter: str) -> Iterator[list[str]]:
    """Yield the fields of each line until one cannot be read."""
    before = csv.field_size_limit(1 << 30)
    try:
        yield from csv.reader(lines, delimiter=delimiter)
    except csv.Error:
        return
    finally:
        csv.field_size_limit(before)


def lines_of(place: Place, dialect: Dialect) -> Generator[str, None, None]:
    """Yield the lines of the first file in its encoding; what cannot be decoded is replaced."""
    for path in files_of(place)[:1]:
        yield from _lines(path, dialect)


def _lines(path: str, dialect: Dialect) -> Iterator[str]:
    encoding = dialect.encoding or "utf-8"
    with TextIOWrapper(opened(path), encoding, errors="replace", newline="") as text:
        try:
            yield from text
        except UnicodeError:  # UTF-16 without its first mark is an error even where others are replaced
            raise_alone(_not_in(path, encoding))


def _not_in(path: str, encoding: str) -> SourceError:
    return SourceError(f"{path} is not in {encoding}; hint: pass a different --encoding")


def trouble(place: Place, dialect: Dialect) -> str | None:
    """Return which line of a file cannot be read, and what to do; None if all can.

    Notes
    -----
    Reads the files once more, so it is for files that DuckDB has refused. No field is quoted: it may be about a person.
    """
    paths = files_of(place)
    for path in paths:
        if (wrong := _trouble_of(path, dialect)) is not None:
            return wrong if len(paths) == 1 else f"{Path(path).name}: {wrong}"
    return None


def _trouble_of(path: str, dialect: Dialect) -> str | None:
    reader = csv.reader(_lines(path, dialect), delimiter=dialect.delimiter or ",", strict=True)
    separator = DELIMITERS.get(dialect.delimiter or ",", "separator")
    before, begun, fields = csv.field_size_limit(1 << 30), 1, 0
    try:
        for row in reader:
            fields = fields or len(row)
            if len(row) != fields and row:
                return (
                    f"line {begun} has {how_many(len(row), 'field')}, but the first line has {fields}, separated by a "
                    f"{separator}; hint: quote fields that contain a {separator}, repair the line, or pass a different "
                    "--delimiter"
                )
            begun = reader.line_num + 1
    except csv.Error as error:
        if "end of data" in str(error):
            return f"a quote that opens in line {begun} is never closed; hint: close it, or double a quote within quotes"
        return f"line {begun} has a quote within a field; hint: quote the field, and double each quote in it"
    finally:
        csv.field_size_limit(before)
    return None


def remarks(place: Place, dialect: Dialect, names: Sequence[str]) -> list[str]:
    """Return how a file was read, if not with commas and in UTF-8, and which columns are called otherwise than in it."""
    with closing(lines_of(place, dialect)) as lines:
        given = [] if dialect.names else next(_rows(lines, dialect.delimiter or ","), [])
    twice = Counter(name.casefold() for name in given)
    usual = dialect.delimiter == {"csv": ",", "tsv": "\t"}[place.kind] or place.dialect.delimiter is not None
    found = [] if usual and (dialect.is_utf8 or place.dialect.encoding) else [dialect.words(len(names))]
    if len(names) == 1 and place.dialect.delimiter is not None and (other := _other_delimiter(names[0])) is not None:
        found.append(f"the file has one column; hint: pass --delimiter '{other}' if it separates the fields")
    for number, (own, name) in enumerate(zip(given, names, strict=False), 1):
        if not own.strip():
            found.append(f"column {number} has no name; it is now called {name}")
        elif own != name and twice[own.casefold()] > 1:
            found.append(f"column {number} has the name of another column; it is now called {name}")
    return found
