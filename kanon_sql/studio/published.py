"""The ledger on its page: published tables, and what they prove together."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.engines.duckdb.cells.arguments import check_columns
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.engines.duckdb.files.tables import columns, load
from kanon_sql.errors import PolicyError
from kanon_sql.model.how_many import how_many

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.ledger.ledger_file import Entry
    from kanon_sql.engines.ledger.audit import LedgerAudit


@dataclass(slots=True)
class Published:
    """A ledger that the person looks at.

    Attributes
    ----------
    path : str
        The ledger, a database file; empty before one is chosen.
    tables : list of Entry
        Its tables.
    audit : LedgerAudit or None
        What they prove together; None until that is asked, and again after a table was added or removed.
    """

    path: str = ""
    tables: tuple[Entry, ...] = ()
    audit: LedgerAudit | None = None

    def open(self, path: str) -> None:
        """Read a ledger; one that does not exist yet is empty.

        Raises
        ------
        SourceError
            When it is not a ledger.
        """
        from kanon_sql.engines.duckdb.ledger.ledger_file import entries, opened

        if not path.strip():
            raise PolicyError("no ledger is chosen; hint: enter a path such as research.duckdb")
        path = str(Path(path.strip()).expanduser())
        if Path(path).exists():
            with opened(path) as (con, database):
                self.tables = tuple(entries(con, database))
        else:
            self.tables = ()
        self.path, self.audit = path, None

    def add(self, file: str, keys: str, *, measure: str, condition: str, rounded: int | None) -> None:
        """Add a published table.

        Parameters
        ----------
        file, keys, measure, condition
            The file, its key columns with commas between them, the column of the counts, and the condition of its people.
        rounded : int, optional
            The base of rounded counts.

        Raises
        ------
        SourceError, PolicyError
            When the file or the ledger cannot be read, or a column is unknown.
        """
        from kanon_sql.engines.duckdb.ledger.count_texts import CountTexts
        from kanon_sql.engines.duckdb.ledger.ledger_file import add, opened
        from kanon_sql.engines.duckdb.ledger.published_counts import published_table

        place = Place.of(str(Path(file.strip()).expanduser()))
        with closing(duckdb.connect()) as con:
            load(con, place, into="source")
            by = [name for each in keys.split(",") if (name := each.strip())]
            if not by:
                raise PolicyError("no key is chosen; hint: enter the columns that the table is counted by")
            check_columns([*by, measure.strip() or "n"], columns(con, "source"))
            table = published_table(
                con,
                name=place.path.name,
                by=by,
                measure=measure.strip() or "n",
                texts=CountTexts(rounded=rounded),
                condition=condition.strip() or None,
            )
        with opened(self.path, writable=True) as (con, database):
            add(con, database, [table])
        self.open(self.path)

    def remove(self, number: int) -> None:
        """Remove a table."""
        from kanon_sql.engines.duckdb.ledger.ledger_file import opened, remove

        with opened(self.path, writable=True) as (con, database):
            remove(con, database, number)
        self.open(self.path)

    def look(self, n: int, seconds: float) -> None:
        """Find the groups of 1 to n - 1 people that the tables prove.

        Raises
        ------
        PolicyError, SourceError
            When n is not a whole number above 1, or there is no table.
        """
        from kanon_sql.engines.duckdb.ledger.auditing import audit_of, audited
        from kanon_sql.solvers.budget import Budget

        self.audit = audit_of(audited(self.tables), n, Budget(seconds=seconds))

    def verdict(self) -> tuple[str, str]:
        """Return the colour and the words of what was found."""
        found = self.audit
        if found is None:
            return "", ""
        small, left_out = f"1 to {found.n - 1} people", sum(each.table is None for each in self.tables)
        if found.findings:
            return "bad", f"{how_many(len(found.findings), 'group')} of {small} can be proven from these tables."
        if not found.holds or left_out:
            what = [f"{len(found.undecided):,} groups"] if found.undecided else []
            what += [how_many(left_out, "protected table")] if left_out else []
            return (
                "warn",
                f"No group of {small} was found, but not everything is decided: {' and '.join(what) or 'rows conflict'}.",
            )
        return "good", f"Nobody can prove a group of {small} from these tables. {found.groups:,} groups were examined."
