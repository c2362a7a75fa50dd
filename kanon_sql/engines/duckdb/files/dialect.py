"""How a CSV file is written: what separates its fields, and how its letters are encoded; found by looking, or as given."""

from __future__ import annotations

import codecs
import csv
import glob
import gzip
import shutil
import tempfile
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING

from kanon_sql.engines.duckdb.files.staging import staging_directory
from kanon_sql.errors import SourceError, raise_alone
from kanon_sql.model.how_many import how_many

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.places import Place

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
"""What separates fields, if nothing else is given."""

_SAMPLE = 1 << 20
"""Bytes of a file that are looked at."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""What files begin with, and the encodings of these; UTF-32 begins as UTF-16 does."""

_NAMES = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8", "utf-16": "UTF-16", "latin-1": "Latin-1", "cp1252": "Windows-1252"}

_UNDEFINED = frozenset(b"\x81\x8d\x8f\x90\x9d")
"""Bytes that mean nothing in Windows-1252."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a CSV file is written; what is None is found by looking at the file."""

    delimiter: str | None = None
    encoding: str | None = None  # as Python calls it
    header: bool = True  # whether the first line has the names of the columns
    dates: tuple[str, ...] = ()  # forms of dates, as DuckDB's strptime spells them
    decimal: str = "."  # the sign in front of decimals

    def found_in(self, place: Place) -> Dialect:
        """Return the same, with what the beginning of a file shows; a URL is not looked at.

        Raises
        ------
        SourceError
            When the file is empty, or no text.
        """
        if place.kind == "tsv":
            tabs = replace(self, delimiter=self.delimiter or "\t")
            return tabs if tabs.encoding else tabs._found_in(place)
        return self if self.delimiter and self.encoding else self._found_in(place)

    def _found_in(self, place: Place) -> Dialect:
        files = files_of(place)
        if not files:
            return replace(self, delimiter=self.delimiter or ",", encoding=self.encoding or "utf-8")
        with _opened(files[0]) as file:
            sample = file.read(_SAMPLE)
        if not sample.strip():
            raise SourceError(f"{place} is empty: it has no line with the names of its columns; hint: export it again")
        encoding = self.encoding or _encoding_of(sample, place)
        text = sample.decode(encoding, errors="ignore")
        return replace(self, delimiter=self.delimiter or _delimiter_of(text, whole=len(sample) < _SAMPLE), encoding=encoding)

    def of_whole(self, place: Place) -> Dialect:
        """Return the same with the encoding of all lines: the beginning looked like UTF-8.

        Raises
        ------
        SourceError
            When they have none that is known.
        """
        files = files_of(place)
        with _opened(files[0]) as file:
            return replace(self, encoding=_eight_bits(file, place))

    @property
    def of_releases(self) -> Dialect:
        """What is known of files that were released: they have a header, and their encoding is found."""
        return Dialect(delimiter=self.delimiter)

    @property
    def is_utf8(self) -> bool:
        """Whether DuckDB reads the file as it is."""
        return self.encoding in ("utf-8", "utf-8-sig", None)

    def words(self, columns: int) -> str:
        """Return how a file was read, for people: ``read as: semicolon, Windows-1252, 12 columns``."""
        encoding, sign = self.encoding or "utf-8", self.delimiter or ","
        written = DELIMITERS.get(sign, repr(sign)), _NAMES.get(encoding, encoding), how_many(columns, "column")
        return f"read as: {', '.join(written)}"


def files_of(place: Place) -> list[str]:
    """Return the files of a place; none of a URL."""
    if place.pattern is None:
        return [str(place.path)]
    return [] if "://" in place.pattern else sorted(glob.glob(place.pattern, recursive=True))


def _opened(path: str) -> IO[bytes]:
    return gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb")  # type: ignore[return-value]


def _encoding_of(sample: bytes, place: Place) -> str:
    """Return the encoding of a text by its beginning.

    Raises
    ------
    SourceError
        When it is no text.
    """
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample:
        odd, even = sample[1::2].count(0), sample[::2].count(0)
        if min(odd, even) * 20 < max(odd, even) and max(odd, even) * 4 > len(sample):
            return "utf-16-le" if odd > even else "utf-16-be"
        line = sample[: sample.index(b"\0")].count(b"\n") + 1
        raise SourceError(f"{place} is not a text: line {line} has a zero byte; hint: export it again, as CSV in UTF-8")
    whole = len(sample) < _SAMPLE
    return _eight_bits(sample.splitlines() if whole else sample.splitlines()[:-1], place)


def _eight_bits(lines: Iterable[bytes], place: Place) -> str:
    """Return the encoding of lines: UTF-8 if it can be, else Latin-1, or Windows-1252 if they have letters of that alone.

    Raises
    ------
    SourceError
        When some lines are UTF-8 and others are not, or they are neither.
    """
    utf8 = other = unknown = 0
    windows = False
    for number, line in enumerate(lines, 1):
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            utf8 = utf8 or number
        except UnicodeDecodeError:
            other = other or number
            windows |= any(0x80 <= byte < 0xA0 for byte in line)
            unknown = unknown or number * any(byte in _UNDEFINED for byte in line)
    if utf8 and other:
        raise SourceError(
            f"{place} has two encodings: line {utf8} is UTF-8, and line {other} is not; hint: export it again, or name the one "
            "that it shall be read in, such as --encoding cp1252"
        )
    if unknown:
        raise SourceError(
            f"{place} is not in UTF-8 or Windows-1252: line {unknown} has other bytes; hint: name its encoding, such as "
            "--encoding cp1250, or export it in UTF-8"
        )
    return "cp1252" if windows else "latin-1" if other else "utf-8"


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
            written = (private / f"{number:06d}.csv").open("w", encoding="utf-8", newline="")
            with written as copy, TextIOWrapper(_opened(path), dialect.encoding, newline="") as text:
                try:
                    shutil.copyfileobj(text, copy)
                except UnicodeError:
                    raise_alone(SourceError(f"{path} is not in {dialect.encoding}; hint: name another --encoding"))
        yield str(private / "*.csv")


def _delimiter_of(text: str, *, whole: bool) -> str:
    """Return what separates the fields: it divides the first line, and most others into as many."""
    best, most = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        counts = [len(row) for row in _rows(StringIO(text, newline=""), delimiter) if row]
        counts = counts if whole or len(counts) < 2 else counts[:-1]
        fields = counts[0] if counts else 0
        agreed = sum(count == fields for count in counts) / max(1, len(counts))
        if fields > 1 and (agreed, fields) > most:
            best, most = delimiter, (agreed, fields)
    return best


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
    """Yield the lines of a file in its encoding; what cannot be decoded is replaced."""
    for path in files_of(place)[:1]:
        with TextIOWrapper(_opened(path), dialect.encoding or "utf-8", errors="replace", newline="") as text:
            yield from text


def trouble(place: Place, dialect: Dialect) -> str | None:
    """Return which line of a file cannot be read, and what to do; None if all can.

    Notes
    -----
    Reads the file once more, so it is for files that DuckDB has refused. No field is quoted: it may be about a person.
    """
    reader = csv.reader(lines_of(place, dialect), delimiter=dialect.delimiter or ",", strict=True)
    separator = DELIMITERS.get(dialect.delimiter or ",", "separator")
    before, begun, fields = csv.field_size_limit(1 << 30), 1, 0
    try:
        for row in reader:
            fields = fields or len(row)
            if len(row) != fields and row:
                return (
                    f"line {begun} has {how_many(len(row), 'field')}, and the first line has {fields}, separated by a "
                    f"{separator}; hint: put quotes around a field with a {separator} in it, or mend the line; another "
                    "separator: --delimiter"
                )
            begun = reader.line_num + 1
    except csv.Error as error:
        if "end of data" in str(error):
            return f"a quote that opens in line {begun} is never closed; hint: close it, or double a quote within quotes"
        return f"line {begun} has a quote within a field; hint: put the field into quotes, and double each quote in it"
    finally:
        csv.field_size_limit(before)
    return None


def remarks(place: Place, dialect: Dialect, names: Sequence[str]) -> list[str]:
    """Return how a file was read, if not with commas and in UTF-8, and which columns are called otherwise than in it."""
    with closing(lines_of(place, dialect)) as lines:
        given = next(csv.reader(lines, delimiter=dialect.delimiter or ","), []) if dialect.header else []
    twice = Counter(name.casefold() for name in given)
    usual = dialect.delimiter == {"csv": ",", "tsv": "\t"}[place.kind] or place.dialect.delimiter is not None
    found = [] if usual and (dialect.is_utf8 or place.dialect.encoding) else [dialect.words(len(names))]
    for number, (own, name) in enumerate(zip(given, names, strict=False), 1):
        if not own.strip():
            found.append(f"column {number} has no name, and is called {name}")
        elif own != name and twice[own.casefold()] > 1:
            found.append(f"column {number} has the name of another one, and is called {name}")
    return found
