"""The BY list of the clause: the quasi-identifiers, and the masks that may be shown of them.

::

    item := column [WEIGHT number] | CUBE (columns) | ROLLUP (columns) | GROUPING SETS (set {, set})
    set  := () | (columns) | column | CUBE (columns) | ROLLUP (columns)
"""

from __future__ import annotations

from sqlglot import TokenType

from kanon_sql.clause.alias import RESERVED
from kanon_sql.clause.masks import Cube, GroupingItem, rollup, union
from kanon_sql.clause.reader import Reader
from kanon_sql.policy import Mask, QuasiIdentifier
from kanon_sql.validation import same_name


class ColumnList:
    """Read the items of a BY list and gather the columns they name.

    Parameters
    ----------
    reader : Reader
        Stands behind BY.

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
        if not reader.ahead("GROUPING", "SETS", "("):
            return self._cube(taken) or self._rollup(taken) or Cube((self._column(taken),))
        start = reader.place
        reader.skip("GROUPING", "SETS", "(")
        # A column may be in many grouping sets, but in each only once.
        sets = reader.separated(lambda: self._grouping_set(set(taken)))
        reader.expect(")", "at the end of GROUPING SETS")
        return reader.checked(lambda: union(sets), start)

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
        self._reader.expect("(", "in front of the columns")
        columns = self._reader.separated(lambda: self._column(taken))
        self._reader.expect(")", "behind the columns")
        return tuple(columns)

    def _column(self, taken: set[str]) -> str:
        reader, start = self._reader, self._reader.place
        name = self._name()
        key = same_name(name)
        if key in taken:
            raise reader.script.error("the column is named twice; hint: name it once", start)
        taken.add(key)
        if reader.word == "IN" or reader.word == "LINKED":
            feature = f"IN {reader.script.word(reader.place + 1)}" if reader.word == "IN" else "LINKED"
            raise reader.error(f"{feature} is not supported yet; hint: without it each cell is shown or suppressed")
        weight = self._weight()
        qi = reader.checked(lambda: QuasiIdentifier(column=name, weight=weight or 1), start)  # type: ignore[arg-type]
        known = self.identifiers.setdefault(key, qi)
        if weight is not None and qi.weight != known.weight:
            raise reader.script.error("the column has two weights; hint: give its WEIGHT where it is first named", start)
        return known.column

    def _name(self) -> str:
        reader = self._reader
        if reader.kind is TokenType.IDENTIFIER:
            name = reader.unquote()
        elif reader.word in RESERVED:
            raise reader.error(f'{reader.word} is a reserved word; hint: as the name of a column, quote it: "{reader.spelled}"')
        elif reader.word and reader.word != "GUARANTEE":
            name = reader.spelled
            reader.place += 1
        elif reader.spelled == "(":
            raise reader.error("a list needs its kind here; hint: CUBE (...), ROLLUP (...) or GROUPING SETS ((...), ...)")
        else:
            raise reader.error("expected a column; hint: ANONYMIZE BY zip, age GUARANTEE k >= 5")
        if reader.spelled == ".":
            raise reader.error("a column is named as the query returns it; hint: zip, without the table in front")
        return name

    def _weight(self) -> str | None:
        if not self._reader.skip("WEIGHT"):
            return None
        weight = self._reader.decimal()
        if weight is None:
            raise self._reader.error("expected a number behind WEIGHT; hint: WEIGHT 3 or WEIGHT 0.5")
        return weight
