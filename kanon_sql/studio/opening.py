"""What is about to be opened: a file, the table in it, and how it is read; nothing of it is a source before it is used."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.engines.duckdb.files.dialect import Dialect
from kanon_sql.engines.duckdb.files.places import Place, kind_of, tables_in
from kanon_sql.engines.duckdb.files.workbooks import sheets_in
from kanon_sql.errors import SourceError
from kanon_sql.studio.reading import Reading, in_words, reading
from kanon_sql.studio.source import Source

_OWN = "kanon_"
"""How the tables begin that remember releases: nobody anonymizes them."""


class Opening:
    """A file that was chosen.

    Parameters
    ----------
    text : str
        What was chosen: a file, a table in one, a URL or a pattern.
    dialect : Dialect, optional
        How it is written, as far as it is known.
    dropped : bool
        Whether it was dropped on the page: then it is in a private folder, which messages leave out.

    Attributes
    ----------
    inside : list of str
        The tables of a database or the sheets of a workbook, if there is a choice.
    source : Source or None
        The table, once it is read.
    reading : Reading or None
        How it was read.
    wrong : str or None
        Why it cannot be read, in the words of the page.
    """

    def __init__(self, text: str, dialect: Dialect | None = None, *, dropped: bool = False) -> None:
        self.dropped = dropped
        self.text = os.path.expanduser(text.strip())
        self.dialect = dialect or Dialect()
        self.inside: list[str] = []
        self.table: str | None = None
        self.place: Place | None = None
        self.source: Source | None = None
        self.reading: Reading | None = None
        self.wrong: str | None = None
        self._lock = threading.Lock()
        self._read: tuple[str | None, Dialect] | None = None
        self._closed = False

    @property
    def undecided(self) -> bool:
        """Return whether a table or a sheet has to be chosen first."""
        return len(self.inside) > 1 and self.table is None

    @property
    def called(self) -> str:
        """Return the file as a person calls it, and the table or sheet in it."""
        name = self.text if "://" not in self.text else self.text.partition("?")[0]
        name = Path(name).name or name
        return f"{name}, {self.table}" if self.table else name

    @property
    def is_csv(self) -> bool:
        """Return whether the file has a form of its own that can be named."""
        return kind_of(self.text) in ("csv", "tsv")

    def look(self) -> bool:
        """Read the file unless it is read; several pages at once wait for one reading. Return True."""
        with self._lock:
            wanted = (self.table, self.dialect)
            if self._read == wanted or self._closed:
                return True
            self._forget()
            try:
                self._load()
            except Exception as error:
                self.wrong = in_words(error_line(error))
                if self.dropped:
                    self.wrong = self.wrong.replace(f"{Path(self.text).parent}{os.sep}", "")
            if self._closed:
                self._forget()
            self._read = wanted
            return True

    def _load(self) -> None:
        if self.table is None:
            self.inside = _inside(self.text)
            if len(self.inside) > 1:
                return
        table = self.table or (self.inside[0] if self.inside else None)
        self.place = Place.of(self.text, table, self.dialect)
        source = Source(self.place)
        try:
            self.reading = reading(source)
        except BaseException:
            source.close()
            raise
        self.source = source

    def _forget(self) -> None:
        if self.source is not None:
            self.source.close()
        self.source = self.reading = self.wrong = None

    def taken(self) -> Source:
        """Return the table; from then on it belongs to the caller.

        Raises
        ------
        SourceError
            When it is not read.
        """
        if not self._lock.acquire(blocking=False):
            raise SourceError("the table is still being read; hint: wait until its columns are shown")
        source, self.source = self.source, None
        self._lock.release()
        if source is None:
            raise SourceError("no table has been read; hint: correct the error on this page, or choose another file")
        self._closed = True
        return source

    def close(self) -> None:
        """Forget the file; one that is being read is forgotten when it is read."""
        self._closed = True
        if self._lock.acquire(blocking=False):
            self._forget()
            self._lock.release()
        if self.dropped:
            shutil.rmtree(Path(self.text).parent, ignore_errors=True)


def _inside(text: str) -> list[str]:
    """Return the tables of a database or the sheets of a workbook that a text means without saying which one.

    Raises
    ------
    SourceError
        When it has none, or cannot be read.
    """
    kind = kind_of(text)
    if "::" in text or "://" in text or kind not in ("duckdb", "workbook"):
        return []
    path = Path(text)
    place = Place.of(text, "main")
    place.require()
    if kind == "workbook":
        found = sheets_in(path)
        what = "sheets with rows"
    else:
        found = [each for each in tables_in(path) if not each.startswith(_OWN)]
        what = "tables that can be read"
    if not found:
        raise SourceError(f"{path.name} has no {what}; hint: close the program that has it open, or choose another file")
    return found
