"""The base cells of one running statement: they arrive in chunks, and each row of the table asks whether it may be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, row_numbers
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.refused_tables import adds_two_numbers
from kanon_sql.engines.cells.table_release import TableRelease
from kanon_sql.engines.duckdb.cells.cell_numbers import matrix, numbers, units
from kanon_sql.engines.duckdb.cells.table_record import Home
from kanon_sql.engines.duckdb.gather.gathering import Gathering
from kanon_sql.errors import AuditError, SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.model.validation import as_identifier
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools

if TYPE_CHECKING:
    import pyarrow as pa


_DIFFERENT = "kanon audit: the table does not add up to its base cells; nothing was released"


class CellGathering(Gathering):
    """The base cells of one statement while it runs.

    Parameters
    ----------
    counting, protection
        What is counted, and the requirement of the table.
    ticket : int
        The number of the table in `ProtectedTables.together`; 0 if it is alone.
    home : Home
        Where the table is remembered.
    warnings : sequence of str
        About whom a row describes.
    """

    def __init__(
        self, counting: Counting, protection: Protection, ticket: int, home: Home, warnings: Sequence[str] = ()
    ) -> None:
        self.counting, self.protection, self.ticket, self.home = counting, protection, ticket, home
        super().__init__(warnings)
        self._requested = 0
        self._found: TableRelease | None = None
        self._first: list[Int64] = []
        self._lenders: list[Int64] = []
        self._own = np.zeros(0, np.int64)

    @property
    def _shape(self) -> Tabulation:
        return self.counting.tabulation

    def whole(self) -> BaseCells:
        """Return all base cells in the order of their keys.

        Raises
        ------
        SourceError
            When a sum is no whole or decimal number, is negative or too long, or a NULL in a key would be read as a total.
        """
        count = self._rows
        if not count:
            return BaseCells.none(len(self._shape.keys), len(self._shape.sums), self.counting.largest)
        cells = self._joined()
        column = {field.name: cells.field(place) for place, field in enumerate(cells.type)}
        order = np.argsort(numbers(column["kanon#number"]), kind="stable")
        keys = [numbers(column[f"kanon#code{place}"])[order] for place in range(len(self._shape.keys))]
        condition = self.counting.condition
        self._own = np.arange(count) if condition is None else np.flatnonzero(keys[condition])
        self._refuse_nulls(numbers(column["kanon#nulls"])[order][self._own])
        sums, some, largest = [], [], []
        for place in range(len(self._shape.sums)):
            name = self._name_of_sum(place)
            sums.append(units(column[f"kanon#sum{place}"], name)[order])
            some.append(numbers(column[f"kanon#some{place}"])[order])
            if (units(column[f"kanon#least{place}"], name) < 0).any():
                raise SourceError(
                    f"the sum {name} includes negative numbers, which cannot be protected; hint: sum the absolute values"
                )
            if place < self.counting.own_sums and len(self._own):
                self._refuse_two_numbers(column, place, order[self._own])
            if self.counting.largest:
                largest.append(matrix(column[f"kanon#largest{place}"], self.counting.largest, name)[order])
        return BaseCells(
            keys=np.stack(keys, axis=1),
            people=numbers(column["kanon#people"])[order],
            sums=np.stack(sums, axis=1) if sums else np.zeros((count, 0), np.int64),
            contributors=np.stack(some, axis=1) if some else np.zeros((count, 0), np.int64),
            largest=largest or [np.zeros((count, 0), np.int64) for _ in sums],
        )

    def found(self, release: TableRelease, cells: BaseCells) -> None:
        """Take what may be shown of the base cells."""
        self._found = release
        ancestors, _ = row_numbers(cells.keys[self._own], [chosen for chosen, _ in self._shape.groups])
        self._first = [self._own[np.unique(column, return_index=True)[1]] for column in ancestors.T]
        firsts = [np.unique(column, return_index=True)[1] for column in cells.keys[self._own].T]
        self._lenders = [self._own[first] + 1 for first in firsts]

    def suppressed(self, rows: pa.StructArray) -> Bools:
        """Return what rows of the table do not show: for each the row itself, and each filtered count.

        Parameters
        ----------
        rows : structs
            ``kanon#set``, a bit for each key that the row does not show, the first key being the highest; ``kanon#first``, the
            number of its first base cell; its people and its sums. For each condition the number of the first base cell that
            meets it, and its people.

        Raises
        ------
        AuditError
            When a row, or what it adds up to, is not the one that was checked.
        """
        column = {field.name: rows.field(place) for place, field in enumerate(rows.type)}
        filters = self._shape.filters
        with self._lock:
            self._requested += len(rows)
        if self._found is None:
            raise AssertionError("no table has been found yet")
        if not len(self._own):  # the total of nobody
            if numbers(column["kanon#people"]).any():
                raise AuditError(_DIFFERENT)
            return np.zeros((len(rows), 1 + len(filters)), np.bool_)
        table, hidden = self._found.table, self._found.suppression.suppressed
        row = self._rows_of(column, 0, "kanon#first")
        sums = [f"kanon#sum{place}" for place in range(self.counting.own_sums)]
        values = [numbers(column["kanon#people"]), *(units(column[name], name) for name in sums)]
        measured = [self._measure(text) for text in ("people", *self._shape.sums[: len(sums)])]
        same = all((table.values(number)[row] == value).all() for number, value in zip(measured, values, strict=True))
        found = [hidden[row]]
        for place, key in enumerate(filters, 1):
            people, own = numbers(column[f"kanon#people{key}"]), hidden[row].copy()
            some = people > 0
            met = self._rows_of(column, place, f"kanon#first{key}", some)
            same &= bool((table.values(0)[met] == people[some]).all())
            own[some] |= hidden[met]
            own |= np.isin(row, self._found.empty_counts[place - 1])
            found.append(own)
        if not same:
            raise AuditError(_DIFFERENT)
        return np.stack(found, axis=1)

    def empty_rows(self) -> list[dict[str, object]]:
        """Return the rows that the table has though nobody is in them.

        For each its ``set`` as for `suppressed`, for each key the number of a base cell that has it (``lenders``), and that all
        of it is ``suppressed``.
        """
        if self._found is None or self.protection.rows == "absent":
            return []
        hidden, own = [True] * (1 + len(self._shape.filters)), self.counting.own_keys
        return [
            {
                "set": bits(chosen, own),
                "lenders": [int(self._lenders[key][code]) if key in chosen else None for key, code in enumerate(codes)],
                "suppressed": hidden,
            }
            for chosen, codes in self._found.empty_rows
        ]

    def _rows_of(self, column: Mapping[str, Any], part: int, first: str, chosen: Bools | None = None) -> Int64:
        """Return the rows of the system that rows of the table are, or what they count under a condition."""
        if self._found is None:
            raise AssertionError("no table has been found yet")
        sets, cell = numbers(column["kanon#set"]), numbers(column[first]) - 1
        if chosen is not None:
            sets, cell = sets[chosen], cell[chosen]
        row, width = np.full(len(sets), -1, np.int64), len(self._shape.sets)
        offset = sum(map(len, self._first[: part * width]))
        for keys, firsts in zip(self._shape.sets, self._first[part * width : (part + 1) * width], strict=True):
            own_set = sets == bits(keys, self.counting.own_keys)
            place = np.minimum(np.searchsorted(firsts, cell), len(firsts) - 1)
            known = own_set & (firsts[place] == cell)
            row[known] = offset + place[known]
            offset += len(firsts)
        if (row < 0).any():
            raise AuditError(_DIFFERENT)
        return self._found.rows[row]

    def complete(self, rows: int) -> TableRelease:
        """Return the release; raise unless each row of the table was requested, once."""
        if self._found is None:
            raise AssertionError("no table has been found yet")
        if self.protection.rows == "null":
            rows -= len(self._found.empty_rows)
        own = sum(map(len, self._first[: len(self._shape.sets)])) or self._requested  # without people, only the total is a row
        if not rows == self._requested == own:
            raise AuditError("kanon audit: the rows of the table do not match its base cells; nothing was released")
        return self._found

    def close(self) -> None:
        """Let go of everything."""
        super().close()
        self._found, self._first = None, []

    def _measure(self, text: str) -> int:
        """Return the measure of a sum in the joint table; the count is the first."""
        if self._found is None or text == "people":
            return 0
        return 1 + self._found.sums.index(text)

    def _name_of_sum(self, place: int) -> str:
        """Return the name of a sum; that of an earlier table has none here, only its SQL."""
        names = [each.name for each in self._shape.items if each.kind == "sum" and each.places == (place,)]
        return as_identifier(names[0]) if names else self.counting.sums[place]

    def _refuse_two_numbers(self, column: Mapping[str, Any], place: int, own: Int64) -> None:
        """Refuse a sum to which everyone adds one of two numbers: next to the count, it shows how many add each."""
        name, total = self._name_of_sum(place), column[f"kanon#sum{place}"]
        added, some, low, high = (
            units(column[f"kanon#{each}{place}"], name)[own] for each in ("sum", "some", "lowest", "highest")
        )
        people = numbers(column["kanon#people"])[own]
        squares = column[f"kanon#squares{place}"].fill_null(0.0).to_numpy()[own] * 100.0 ** getattr(total.type, "scale", 0)
        if (some == people).all() and adds_two_numbers(added, people, (low, high), squares):
            raise SourceError(
                f"everyone adds one of two numbers to the sum {name}, so the sum reveals how many people add each; nothing was "
                "released; hint: count people with FILTER (WHERE ...), or make the number a key"
            )

    def _refuse_nulls(self, nulls: Int64) -> None:
        """Refuse a key with NULLs where a NULL also means all of its values, and no GROUPING tells them apart."""
        grouped = {key for each in self._shape.items if each.kind == "grouping" for key in each.places}
        for each in self._shape.items:
            if each.kind != "key":
                continue
            key = each.places[0]
            partial = any(key not in chosen for chosen in self._shape.sets)
            if partial and key not in grouped and (nulls >> key & 1).any():
                name = as_identifier(each.name)
                raise SourceError(
                    f"the key {name} has NULLs, but NULL in the table also means a total; nothing was released; hint: add "
                    f"GROUPING({name}) to the SELECT list, or write coalesce({name}, 'unknown')"
                )


def bits(chosen: tuple[int, ...], keys: int) -> int:
    """Return GROUPING of all keys in a grouping set: a bit for each key that is not in it, the first being the highest."""
    return sum(1 << (keys - 1 - key) for key in range(keys) if key not in chosen)
