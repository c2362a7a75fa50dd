"""The published system of a table in plain numbers: base cells, rows, and what each row requires.

It shares no code with the solver, the gate or the arrays between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import nlargest
from math import ceil

from kanon_sql.errors import CertificateError, PolicyError, raise_alone
from kanon_sql.model.named_rows import NamedRow, check_rows, values_of
from kanon_sql.model.protection import COSTS, Ambiguity, Dominance, Protection
from kanon_sql.model.tabulation import Tabulation, is_condition
from kanon_sql.verification.cells.base_cell import BaseCell, Group
from kanon_sql.verification.cells.exchanges import Exchanges
from kanon_sql.verification.cells.joint_tables import sets_in

_SAFETY = 10
"""Percent by which the sum of a row of too few people may be greater, and less, at least."""


class PublishedSystem:
    """The rows of a table as sums of base cells.

    Parameters
    ----------
    tabulation : Tabulation
        The keys, sums and grouping sets of one table, or of several together.
    requested : sequence of (Tabulation, Protection)
        The requirement of each: for a row that several have, the strictest counts.
    cells : sequence of BaseCell
        In the order of their keys, those without people last.
    joined_sets : sequence of tuple of int
        Grouping sets that no table has: their rows are groups that rows of the tables name together, and nobody sees them.
    exchanges : Exchanges, optional
        What exchanges of keys open.
    before : (int, frozenset of int)
        How many of the tables, the last ones, were released before, and the rows that all tables suppress.

    Attributes
    ----------
    k : int
        Rows of fewer people have too few.
    grouping_sets : list of tuple of int
        Those of the tables, then the joined ones.
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
    gaps : list of list of int
        For each measure, how much less a reader has to think possible in each row; 0 if nothing is required.
    coalition : int
        How many people may share what they know.
    primaries : frozenset of int
        The rows of the tables with less than that.
    exchanged : dict of int to (int, int)
        How many people rows that nobody sees may have, at least and at most, by an exchange of keys.
    open : frozenset of int
        The rows that nobody sees and that may have n people or more, by an exchange of keys.
    may_be_empty : frozenset of int
        The rows that nobody sees with too few people, and that a reader may also think empty instead.
    costs : list of int
        What it costs to suppress each row of a table that is not primary.
    kept, kept_shown : frozenset of int
        The rows that an earlier table suppresses, and those that it shows.
    """

    def __init__(
        self,
        tabulation: Tabulation,
        requested: Sequence[tuple[Tabulation, Protection]],
        cells: Sequence[BaseCell],
        joined_sets: Sequence[tuple[int, ...]] = (),
        exchanges: Exchanges | None = None,
        before: tuple[int, frozenset[int]] = (0, frozenset()),
    ) -> None:
        self.tabulation, self.requested, self.cells = tabulation, requested, cells
        self.grouping_sets = [*tabulation.sets, *joined_sets]
        self.ancestors: list[tuple[int, ...]] = []
        self.members: list[list[int]] = []
        self.sets: list[int] = []
        self.k = max(protection.k for _, protection in requested)
        self._stay = any(protection.rows == "null" for _, protection in requested)
        of_conditions = {each for shape, _ in requested for each in sets_in(tabulation.keys, shape)[len(shape.sets) :]}
        self._under_condition = {number for number, each in enumerate(tabulation.sets) if each in of_conditions}
        self.coalition = max(protection.contributors for _, protection in requested)
        self._number_rows()
        self._seen = [self._is_of_a_table(row) for row in range(self.rows)]
        self._shown_by_name, self._hidden = (
            frozenset(row for shape, each in requested for one in getattr(each, rows) for row in self._named(shape, one))
            for rows in ("show_rows", "hide")
        )
        measures = range(1 + len(tabulation.sums))
        self.values = [[sum(cells[base].values[measure] for base in each) for each in self.members] for measure in measures]
        self.required = [self._required_people()]
        self.gaps = [[0] * self.rows]
        for measure in measures[1:]:
            gaps = self._gaps(measure)
            self.required.append([gap and self.values[measure][row] + gap for row, gap in enumerate(gaps)])
            self.gaps.append([min(gap, self.values[measure][row]) for row, gap in enumerate(gaps)])
        self._pooled = [self.coalition, *(self._attackers(place) for place in range(len(tabulation.sums)))]
        self.primaries = frozenset(row for row in range(self.rows) if self.is_seen(row) and self.needs_witness(row))
        self.exchanged = {} if exchanges is None else exchanges.of_rows(self.grouping_sets, self.sets, self._first())
        self.open = frozenset(row for row, (_, most) in self.exchanged.items() if most >= self.k)
        for row in {*self.open, *(row for row, (fewest, _) in self.exchanged.items() if not fewest)}:
            self.required[0][row] = 0
        self.may_be_empty = frozenset(row for row in range(self.rows) if not self.is_seen(row) and self.required[0][row])
        self.costs = self._costs()
        of_earlier = {row for place in range(len(requested) - before[0], len(requested)) for row in self.rows_of(place)}
        self.kept, self.kept_shown = frozenset(of_earlier & before[1]), frozenset(of_earlier - before[1])

    def _named(self, shape: Tabulation, row: NamedRow) -> list[int]:
        """Return the rows of a table that have some values.

        Raises
        ------
        CertificateError
            When there are none.
        """
        try:
            check_rows([row], shape)
            values = {self.tabulation.keys.index(shape.keys[key]): each for key, each in values_of(row, shape).items()}
        except PolicyError as error:
            raise_alone(CertificateError("protection", str(error)))
        outer = {self.tabulation.keys.index(text) for text in shape.conditions if text in self.tabulation.keys}
        number = self.tabulation.sets.index(tuple(sorted({*values, *outer})))
        of_set = (row for row in range(self.rows) if self.sets[row] == number and self.is_seen(row))
        first = {row: self.cells[self.members[row][0]].keys for row in of_set}
        found = [row for row, keys in first.items() if all(keys[key] in each for key, each in values.items())]
        if not found:
            raise CertificateError("protection", "SHOW or HIDE lists a row that is not in the source")
        return found

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.members)

    def is_seen(self, row: int) -> bool:
        """Return whether a table has a row, shown or suppressed."""
        return self._seen[row]

    def _is_of_a_table(self, row: int) -> bool:
        """Return whether the people of a row of a grouping set of the tables meet its conditions."""
        chosen, keys = self.grouping_sets[self.sets[row]], self.cells[self.members[row][0]].keys
        met = all(keys[key] == "true" for key in chosen if is_condition(self.tabulation.keys[key]))
        return met and self.sets[row] < len(self.tabulation.sets)

    def rows_of(self, place: int) -> list[int]:
        """Return the rows of a table; a filtered count is a row."""
        own = set(sets_in(self.tabulation.keys, self.requested[place][0]))
        return [row for row in range(self.rows) if self.is_seen(row) and self.grouping_sets[self.sets[row]] in own]

    def needs_witness(self, row: int) -> bool:
        """Return whether a row has less than it requires in some measure."""
        return any(required[row] > values[row] for required, values in zip(self.required, self.values, strict=True))

    def is_free(self, row: int) -> bool:
        """Return whether a row shows nothing whatever is suppressed: it is primary, in no table, or suppressed before."""
        return row in self.primaries or not self.is_seen(row) or row in self.kept

    def least(self, measure: int, row: int) -> int:
        """Return the least value that a reader thinks possible in a row that shows nothing."""
        stays = self._stay or self.sets[row] in self._under_condition  # a row is left out, but not a count in a shown row
        return int(measure == 0 and stays and self.is_seen(row) and self.values[0][row] > 0)

    def is_empty(self, row: int) -> bool:
        """Return whether a table suppresses a row that nobody is in."""
        return self.is_seen(row) and not self.values[0][row]

    def fixed(self, base: int) -> bool:
        """Return whether contributors know a base cell."""
        return 0 < self.cells[base].values[0] <= self.coalition

    def known(self, measure: int, base: int) -> int:
        """Return what contributors who share their values know a base cell to have at least."""
        cell, pooled = self.cells[base], self._pooled[measure]
        return sum(nlargest(pooled, cell.largest[measure - 1])) if measure else min(cell.values[0], pooled)

    def has_to_be_shown(self, row: int) -> bool:
        """Return whether SHOW names a row or its grouping set, or an earlier table shows it."""
        if not self.is_seen(row) or row in self.kept_shown or row in self._shown_by_name:
            return self.is_seen(row)
        shown = {self.tabulation.keys[key] for key in self.grouping_sets[self.sets[row]]}
        for tabulation, protection in self.requested:
            outer = {text for text in tabulation.conditions if text in self.tabulation.keys}
            for names in protection.show:
                items = [tabulation.named(name, "key") for name in names]
                if {tabulation.keys[each.places[0]] for each in items if each is not None} | outer == shown:
                    return True
        return False

    def _first(self) -> list[Group]:
        """Return the keys of the first base cell of each row."""
        return [self.cells[each[0]].keys for each in self.members]

    def parts(self, parent: int, number: int) -> list[int]:
        """Return the rows of a grouping set that have base cells of a row."""
        return sorted({self.ancestors[base][number] for base in self.members[parent]})

    def _number_rows(self) -> None:
        columns = []
        for number, chosen in enumerate(self.grouping_sets):
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

    def _costs(self) -> list[int]:
        """Return the costs; without COST n, a grand total costs as much as all rows, so it goes last."""
        table, cost = self.requested[0][0], self.requested[0][1].cost
        item = table.named(cost, "sum") if cost not in COSTS else None
        if item is not None:
            measure = 1 + self.tabulation.sums.index(table.sums[item.places[0]])
            millionth = max(1, ceil(Fraction(sum(cell.values[measure] for cell in self.cells), 1_000_000)))
            return [1 + value // millionth for value in self.values[measure]]
        if cost == "n":
            return self.values[0]
        found, tables = [1] * self.rows, range(len(self.tabulation.sets))
        if cost == "parts":
            for number in tables:
                coarser = [above for above in tables if {*self.grouping_sets[above]} < {*self.grouping_sets[number]}]
                for row in filter(self.is_seen, {rows[number] for rows in self.ancestors}):
                    for above in coarser:
                        found[self.ancestors[self.members[row][0]][above]] += 1
        seen = sum(map(self.is_seen, range(self.rows)))
        totals = {
            place for place in tables if all(is_condition(self.tabulation.keys[key]) for key in self.grouping_sets[place])
        }
        return [max(each, seen) if self.sets[row] in totals else each for row, each in enumerate(found)]

    def _required_people(self) -> list[int]:
        """Return how many people each row requires."""
        return [
            people + self.k if row in self._hidden else self.k if 0 < people < self.k else int(self.is_empty(row))
            for row, people in enumerate(self.values[0])
        ]

    def _gaps(self, measure: int) -> list[int]:
        """Return by how much a sum has to be open in each row: what a rule says, or a share of it."""
        found, rules = list[int](), self._rules(measure - 1)
        share = max((rule.percent for rule, _ in rules if isinstance(rule, Ambiguity)), default=Fraction(0))
        for row, members in enumerate(self.members):
            people, total, gap = self.values[0][row], self.values[measure][row], 0
            if self.is_seen(row) and people:
                largest = nlargest(201, (each for base in members for each in self.cells[base].largest[measure - 1]))
                for rule, attackers in rules:
                    if isinstance(rule, Dominance):
                        needed = ceil(sum(largest[: rule.largest]) / rule.share)
                    else:
                        needed = ceil(sum(largest[:1]) * (1 + rule.percent / 100)) + sum(largest[1 : 1 + attackers])
                    gap = max(gap, needed - total)
                few = Fraction(_SAFETY if people < self.k or row in self._hidden else 0)
                if few or gap:
                    gap = max(gap, 1, ceil(total * max(share, few) / 100))
            found.append(gap)
        return found

    def _rules(self, place: int) -> list[tuple[Dominance | Ambiguity, int]]:
        """Return the rules about a sum, and how many attackers each one is about."""
        found = list[tuple[Dominance | Ambiguity, int]]()
        for protection, names in self._names(place):
            attackers = max(1, protection.contributors)
            found += [(rule, attackers) for rule in protection.rules if rule.measure in names]
        return found

    def _attackers(self, place: int) -> int:
        """Return how many contributors share what they have of a sum; the p % rule is about one at least."""
        return max(self.coalition, *(isinstance(rule, Ambiguity) for rule, _ in self._rules(place)), 0)

    def _names(self, place: int) -> Iterator[tuple[Protection, set[str]]]:
        """Yield the requirement of each table, and its names of a sum."""
        text = self.tabulation.sums[place]
        for shape, protection in self.requested:
            yield protection, {each.name for each in shape.items if each.kind == "sum" and shape.sums[each.places[0]] == text}
