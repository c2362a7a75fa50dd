"""How a CSV file is written: what separates its fields, how its letters are encoded, its dates and its numbers."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.model.how_many import how_many

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
"""What separates fields, if nothing else is given."""

_NAMES = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8", "utf-16": "UTF-16", "latin-1": "Latin-1", "cp1252": "Windows-1252"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a CSV file is written; what is None is found by looking at the file."""

    delimiter: str | None = None
    encoding: str | None = None  # as Python calls it
    names: tuple[str, ...] = ()  # the names of the columns, if the first line has none but is a row
    dates: tuple[str, ...] = ()  # forms of dates, as DuckDB's strptime spells them
    decimal: str = "."  # the sign in front of decimals

    @property
    def of_releases(self) -> Dialect:
        """What is known of files that were released: they have a header, and their encoding is found."""
        return Dialect(delimiter=self.delimiter)

    @property
    def is_utf8(self) -> bool:
        """Whether DuckDB reads the file as it is."""
        return self.encoding in ("utf-8", "utf-8-sig", None)

    @property
    def options(self) -> list[str]:
        """The options of the command line that say what is known."""
        found = [] if self.delimiter is None else ["--delimiter", "tab" if self.delimiter == "\t" else self.delimiter]
        found += [] if self.encoding is None else ["--encoding", self.encoding]
        found += ["--names", ",".join(f'"{name}"' if "," in name else name for name in self.names)] if self.names else []
        found += [part for form in self.dates for part in ("--date-format", form)]
        return found + ([] if self.decimal == "." else ["--decimal", self.decimal])

    def words(self, columns: int) -> str:
        """Return how a file was read, for people: ``read as: semicolon, Windows-1252, 12 columns``."""
        encoding, sign = self.encoding or "utf-8", self.delimiter or ","
        written = DELIMITERS.get(sign, repr(sign)), _NAMES.get(encoding, encoding), how_many(columns, "column")
        return f"read as: {', '.join(written)}"
