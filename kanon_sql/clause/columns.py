"""The BY list of the clause: the quasi-identifiers, the masks that may be shown of them, and which of them are linked.

::

    item := column [IN recoding] [WEIGHT number] | (column, column) IN RECTANGLES [(algorithm)] [WEIGHT number]
          | CUBE (columns) | ROLLUP (columns) | GROUPING SETS (set {, set})
    set  := () | (columns) | column | CUBE (columns) | ROLLUP (columns), each may end in COST number; then all do
    keep := KEEP name {, name}
    link := LINKED (name, name {, name})

Recodings are those of :mod:`kanon_sql.clause.recodings`. KEEP and links stand behind all items, each link with its own LINKED:
a comma behind one would read as if the list went on. As an item, ``linked`` is a column like any other, because no item is a
word with a list behind it but for CUBE and ROLLUP.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

from kanon_sql.clause.masks import CostedSet, Cube, GroupingItem, rollup, united
from kanon_sql.clause.mistakes import EXAMPLE, no_list
from kanon_sql.clause.names import column_name
from kanon_sql.clause.reader import Reader
from kanon_sql.clause.recodings import algorithm, recoding
from kanon_sql.model.linked_columns import Group
from kanon_sql.model.masks import AtLevels, Mask
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recoding_levels import joined, level_names
from kanon_sql.model.recodings import Generalization, Rectangles
from kanon_sql.model.validation import same_name


class ColumnList:
    """Read the items of a BY list and gather the columns they name.

    Parameters
    ----------
    reader : Reader
        Comes after BY.

    Attributes
    ----------
    identifiers : dict of str to QuasiIdentifier
        The columns in the order in which they were first named, by the form that :func:`same_name` compares.
    """

    def __init__(self, reader: Reader) -> None:
        self.identifiers: dict[str, QuasiIdentifier] = {}
        self._reader = reader

    def item(self) -> GroupingItem:
        """Read one item; its columns must be new to the list."""
        reader, taken = self._reader, set(self.identifiers)
        if reader.ahead("("):
            return self._rectangle(taken)
        if reader.ahead("["):
            raise no_list(reader, reader.place)
        if not reader.ahead("GROUPING", "SETS", "("):
            return self._cube(taken) or self._rollup(taken) or Cube((self._column(taken),))
        start = reader.place
        reader.skip("GROUPING", "SETS", "(")
        # A column may be in many grouping sets, but in each only once.
        sets = reader.separated(lambda: self._costed_set(set(taken)))
        reader.expect(")", "to close GROUPING SETS")
        return reader.checked(lambda: united(sets), start)

    def kept(self) -> tuple[str, ...] | None:
        """Read the columns that are kept, if KEEP comes next; they have no other role."""
        if not self._reader.skip("KEEP"):
            return None
        return tuple(self._reader.separated(self._kept_column))

    def _kept_column(self) -> str:
        reader, start = self._reader, self._reader.place
        name = self._name()
        if same_name(name) in self.identifiers:
            raise reader.script.error("the column is in both BY and KEEP; hint: remove it from one of them", start)
        return name

    def links(self) -> tuple[Group, ...]:
        """Read the groups of linked columns behind the items; all their columns are of the list."""
        groups: list[Group] = []
        taken: set[str] = set()
        while self._reader.skip("LINKED"):
            groups.append(self._link(taken))
        return tuple(groups)

    def _link(self, taken: set[str]) -> Group:
        reader, start = self._reader, self._reader.place
        reader.expect("(", "after LINKED; hint: write LINKED (city, zip)")
        group = tuple(reader.separated(lambda: self._linked(taken)))
        reader.expect(")", "after the linked columns")
        if len(group) < 2:
            raise reader.script.error(
                "LINKED needs at least two columns; hint: write LINKED (city, zip), after all columns", start, reader.place - 1
            )
        return group

    def _linked(self, taken: set[str]) -> str:
        reader, start = self._reader, self._reader.place
        key = same_name(self._name())
        if key not in self.identifiers:
            raise reader.script.error(
                "a linked column is not in the BY list; hint: write LINKED after all columns, as in "
                "BY city, zip, age LINKED (city, zip)",
                start,
            )
        if key in taken:
            raise reader.script.error("the column is linked twice; hint: use it in only one LINKED group", start)
        taken.add(key)
        return self.identifiers[key].column

    def _costed_set(self, taken: set[str]) -> CostedSet:
        found = self._grouping_set(taken)
        return found, self._reader.number("COST 2 or COST 1/3") if self._reader.skip("COST") else None

    def _grouping_set(self, taken: set[str]) -> GroupingItem:
        reader = self._reader
        if reader.skip("(", ")"):
            return ((),)
        if reader.ahead("("):
            return (self._columns(taken),)
        return self._cube(taken) or self._rollup(taken) or ((self._column(taken),),)

    def _cube(self, taken: set[str]) -> Cube | None:
        return Cube(self._columns(taken)) if self._opens("CUBE") else None

    def _rollup(self, taken: set[str]) -> tuple[Mask, ...] | None:
        return rollup(self._columns(taken)) if self._opens("ROLLUP") else None

    def _opens(self, word: str) -> bool:
        # Without a list behind it, cube is a column.
        return self._reader.ahead(word, "(") and self._reader.skip(word)

    def _columns(self, taken: set[str]) -> Mask:
        self._reader.expect("(", "before the columns")
        columns = self._reader.separated(lambda: self._column(taken))
        self._reader.expect(")", "after the columns")
        return tuple(columns)

    def _column(self, taken: set[str]) -> str | AtLevels:
        reader, start = self._reader, self._reader.place
        name = self._name()
        key = same_name(name)
        if key in taken:
            raise reader.script.error("the column is listed twice; hint: remove one of the two", start)
        taken.add(key)
        coarsened = recoding(reader)
        return self._known(name, coarsened, self._weight(), start)

    def _known(self, name: str, coarsened: Generalization | None, weight: Fraction | None, start: int) -> str | AtLevels:
        """Return the column as it was first named; what is said of it again adds levels, or must not contradict."""
        reader = self._reader
        qi = reader.checked(
            lambda: QuasiIdentifier(column=name, weight=Fraction(1) if weight is None else weight, recoding=coarsened),
            start,
        )
        known = self.identifiers.setdefault(same_name(name), qi)
        if weight is not None and qi.weight != known.weight:
            raise reader.script.error("the column has two weights; hint: write WEIGHT only at its first occurrence", start)
        if (coarsened is None) != (known.recoding is None):
            raise reader.script.error(
                "the column has levels in only some of the sets; hint: write levels in every set, as in "
                "GROUPING SETS ((zip IN DIGITS (3), age), (zip IN DIGITS (5)))",
                start,
            )
        if coarsened is None:
            return known.column
        recoding = reader.checked(lambda: joined(known.recoding or coarsened, coarsened), start)
        self.identifiers[same_name(name)] = replace(known, recoding=recoding)
        return AtLevels(column=known.column, recoding=coarsened) if level_names(coarsened) else known.column

    def _rectangle(self, taken: set[str]) -> Cube:
        """Read two coordinates; both are quasi-identifiers that name each other."""
        reader, start = self._reader, self._reader.place
        reader.expect("(", "before the coordinates")
        names = reader.separated(lambda: self._name())
        if not reader.skip(")", "IN", "RECTANGLES") or len(names) != 2:
            raise no_list(reader, start)
        named = algorithm(reader)
        weight = self._weight()
        for name, other in (names, names[::-1]):
            if same_name(name) in taken or same_name(name) == same_name(other):
                raise reader.script.error("the column is listed twice; hint: remove one of the two", start)
            coarsened = reader.checked(partial(Rectangles, beside=other, **named), start)
            self._known(name, coarsened, weight, start)
        taken.update(map(same_name, names))
        return Cube(tuple(names))

    def _name(self) -> str:
        reader = self._reader
        if reader.ahead("LINKED", "("):
            raise reader.error("LINKED must come after all columns; hint: write BY city, zip, age LINKED (city, zip)")
        if reader.word == "GUARANTEE":
            problem = f"expected a column; hint: write {EXAMPLE}"
            if reader.script.spelled(reader.place - 1) == ",":
                raise reader.mistake(problem, " GUARANTEE", first=reader.place - 1)
            raise reader.error(problem)
        return column_name(reader, EXAMPLE)

    def _weight(self) -> Fraction | None:
        if not self._reader.skip("WEIGHT"):
            return None
        return self._reader.number("WEIGHT 3, WEIGHT 0.5 or WEIGHT 7/3")
