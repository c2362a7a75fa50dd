"""The published system of a table in plain numbers: base cells, rows, and what each row requires.

It shares no code with the solver, the gate or the arrays between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import nlargest
from math import ceil

from kanon_sql.model.protection import Ambiguity, Dominance, Protection
from kanon_sql.model.tabulation import Tabulation

_SAFETY = 10
"""Percent by which the sum of a row of too few people may be greater, at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCell:
    """A combination of all keys.

    Attributes
    ----------
    keys : tuple of str or None
        The keys as texts.
    values : tuple of int
        How many people, then the sums in units of the last decimal place.
    largest : tuple of tuple of int
        For each sum, the largest contributions.
    """

    keys: tuple[str | None, ...]
    values: tuple[int, ...]
    largest: tuple[tuple[int, ...], ...]


class PublishedSystem:
    """The rows of a table as sums of base cells.

    Parameters
    ----------
    tabulation : Tabulation
        The keys, sums and grouping sets of one table, or of several together.
    asked : sequence of (Tabulation, Protection)
        What is asked of each: for a row that several have, the strictest counts.
    cells : sequence of BaseCell
        In the order of their keys.

    Attributes
    ----------
    ancestors : list of tuple of int
        For each base cell its row in each grouping set.
    members : list of list of int
        The base cells of each row.
    sets : list of int
        The grouping set of each row.
    values : list of list of int
        For each measure the value of each row; measure 0 is the count.
    required : list of list of int
        For each measure, the value that a reader has to think possible in each row; 0 if nothing is required.
    """

    def __init__(
        self, tabulation: Tabulation, asked: Sequence[tuple[Tabulation, Protection]], cells: Sequence[BaseCell]
    ) -> None:
        self.tabulation, self.asked, self.cells = tabulation, asked, cells
        self.ancestors: list[tuple[int, ...]] = []
        self.members: list[list[int]] = []
        self.sets: list[int] = []
        self._number_rows()
        measures = range(1 + len(tabulation.sums))
        self.values = [[sum(cells[base].values[measure] for base in each) for each in self.members] for measure in measures]
        self.required = [self._required(measure) for measure in measures]
        self.primaries = frozenset(
            row for row in range(self.rows) if any(self.required[each][row] > self.values[each][row] for each in measures)
        )

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.members)

    def least(self, measure: int) -> int:
        """Return the least value that a reader thinks possible in a suppressed row."""
        return int(measure == 0 and any(protection.rows == "null" for _, protection in self.asked))

    def fixed(self, base: int) -> bool:
        """Return whether a contributor knows a base cell."""
        return self.cells[base].values[0] == 1 and any(protection.contributors for _, protection in self.asked)

    def cost(self, row: int) -> int:
        """Return what it costs to suppress a row that is not primary."""
        return self.values[0][row] if self.asked[0][1].cost == "n" else 1

    def has_to_be_shown(self, row: int) -> bool:
        """Return whether SHOW names the grouping set of a row."""
        shown = {self.tabulation.keys[key] for key in self.tabulation.sets[self.sets[row]]}
        for tabulation, protection in self.asked:
            for names in protection.show:
                items = [tabulation.named(name, "key") for name in names]
                if {tabulation.keys[each.places[0]] for each in items if each is not None} == shown:
                    return True
        return False

    def _number_rows(self) -> None:
        columns = []
        for number, chosen in enumerate(self.tabulation.sets):
            rows: dict[tuple[str | None, ...], int] = {}
            column = []
            for base, cell in enumerate(self.cells):
                group = tuple(cell.keys[key] for key in chosen)
                if group not in rows:
                    rows[group] = len(self.members)
                    self.members.append([])
                    self.sets.append(number)
                self.members[rows[group]].append(base)
                column.append(rows[group])
            columns.append(column)
        self.ancestors = list(zip(*columns, strict=True))

    def _required(self, measure: int) -> list[int]:
        """Return what each row requires of a measure."""
        k, found = max(protection.k for _, protection in self.asked), list[int]()
        for row, members in enumerate(self.members):
            people, total = self.values[0][row], self.values[measure][row]
            if measure == 0:
                found.append(k if people < k else 0)
                continue
            needed = total + max(1, ceil(Fraction(total * _SAFETY, 100))) if people < k else 0
            largest = nlargest(100, (each for base in members for each in self.cells[base].largest[measure - 1]))
            for rule in self._rules(measure - 1):
                if isinstance(rule, Dominance):
                    asked = ceil(sum(largest[: rule.largest]) / rule.share)
                else:
                    first, second = [*largest, 0, 0][:2]
                    asked = ceil(first * (1 + rule.percent / 100)) + second
                if asked > total:
                    needed = max(needed, asked)
            found.append(needed)
        return found

    def _rules(self, place: int) -> list[Dominance | Ambiguity]:
        text, found = self.tabulation.sums[place], list[Dominance | Ambiguity]()
        for tabulation, protection in self.asked:
            sums = {each.name for each in tabulation.items if each.kind == "sum" and tabulation.sums[each.places[0]] == text}
            found += [rule for rule in protection.rules if rule.measure in sums]
        return found
