"""What a table of counts shows, as the form says it, and the statement that makes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.studio.draft import IDENTIFIER, LINKABLE, PERSON, PSEUDONYM
from kanon_sql.studio.source import K

if TYPE_CHECKING:
    from kanon_sql.model.policy import Policy
    from kanon_sql.studio.draft import Draft
    from kanon_sql.studio.source import Profiled, Source

EVERY, RIGHT, PLAIN = "with all totals", "with totals from the right", "without totals"
GROUPINGS = {EVERY: "CUBE ({})", RIGHT: "ROLLUP ({})", PLAIN: "{}"}
"""Which rows a table has, and its GROUP BY."""

PERCENT = 10
"""The p of the p % rule for sums."""

YEAR, MONTH = "year", "month"
WIDTHS = ("5", "10", "20")
"""What values of a key can be grouped by: the parts of a date, and the widths of groups of whole numbers."""

UNKNOWN = "unknown"
"""The text of empty cells of a key."""

_WHOLE = "DECIMAL(18, 0)"
"""The type of texts that are whole numbers, as `Source.summable` names it."""

_INTEGERS = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"},
)

_DATES = r"""SELECT system.main.bool_and(system.main.regexp_matches({column}, '^\d{{4}}-\d{{2}}(-\d{{2}})?\b')) FROM {table}"""

_LEAST = "SELECT system.main.min({column}) >= 0 FROM {table}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountForm:
    """The choices of the page Table of counts."""

    keys: tuple[str, ...] = ()  # the columns that it is counted by
    widths: Mapping[str, str] = field(default_factory=dict)  # what values of some keys are grouped by
    grouping: str = EVERY  # one of `GROUPINGS`
    k: int = K  # counts of 1 to k - 1 people, or rows, are suppressed
    measure: str | None = None  # a column that is summed; nobody can estimate a contribution to within `PERCENT` percent
    unknown: bool = False  # whether empty cells of keys are counted as `UNKNOWN`

    def without(self, names: Iterable[str]) -> CountForm:
        """Return the form that does not count by some columns."""
        gone = set(names)
        return replace(self, keys=tuple(name for name in self.keys if name not in gone))

    @property
    def count(self) -> str:
        """Return the column of the counts; a key may have its name."""
        return _free("n", self.keys)

    @property
    def total(self) -> str | None:
        """Return the column of the sums."""
        return None if self.measure is None else _free("total", self.keys)

    def expressions(self, source: Source) -> dict[str, str]:
        """Return for each key what it is counted by, as SQL."""
        columns = {each.name: each for each in source.profile}
        return {name: self._expression(columns[name]) for name in self.keys}

    def _expression(self, column: Profiled) -> str:
        name, width = as_identifier(column.name), self.widths.get(column.name)
        is_text = column.type == "VARCHAR"
        text = name if is_text else f"CAST({name} AS VARCHAR)"
        if width in (YEAR, MONTH):
            value = f"left({text}, {4 if width == YEAR else 7})"
        elif width is not None:
            low = f"{f'CAST({name} AS BIGINT)' if is_text else name} // {width} * {width}"
            value = f"CAST({low} AS VARCHAR) || ' to ' || CAST({low} + {int(width) - 1} AS VARCHAR)"
        else:
            value = text if self.unknown and column.nulls else name
        return f"coalesce({value}, '{UNKNOWN}')" if self.unknown and column.nulls else value

    def query(self, source: Source, policy: Policy, *, summed: bool = True) -> str:
        """Return the query without protection.

        Raises
        ------
        PolicyError
            When no column is chosen.
        """
        if not self.keys:
            raise PolicyError("no column is chosen; hint: choose what to count by")
        by = self.expressions(source)
        shown = [sql if sql == as_identifier(name) else f"{sql} AS {as_identifier(name)}" for name, sql in by.items()]
        people = policy.people
        shown.append(f"count({'*' if people is None else f'DISTINCT {as_identifier(people.per)}'}) AS {self.count}")
        if self.measure is not None and summed:
            shown.append(f"sum({as_identifier(self.measure)}) AS {self.total}")
        grouped = GROUPINGS[self.grouping].format(", ".join(by.values()))
        return f"SELECT {', '.join(shown)}\nFROM {source.spelled}\nGROUP BY {grouped}"

    def statement(self, source: Source, policy: Policy) -> str:
        """Return the query of the protected table; errors as for `query`."""
        people = policy.people
        per = " PER ROW" * policy.per_row if people is None else f" PER {as_identifier(people.per)}"
        rule = "" if self.measure is None else f" AND p({self.total}) >= {PERCENT}"
        return f"{self.query(source, policy)}\nPROTECT {self.count} >= {self.k}{per}{rule}"

    def reading(self, source: Source) -> str | None:
        """Return the statement that gives texts that are summed the type of their numbers, as `kanon verify` does."""
        kind = None if self.measure is None else source.summable[self.measure]
        if self.measure is None or kind is None:
            return None
        name = as_identifier(self.measure)
        numbers = f"SELECT * REPLACE (CAST({name} AS {kind}) AS {name})"
        return f"CREATE OR REPLACE TABLE {source.spelled} AS\n{numbers}\nFROM {source.spelled}"


def unit(policy: Policy) -> str:
    """Return what is counted: people, or rows as long as nobody has said that a row is a person."""
    return "people" if policy.people is not None or policy.per_row else "rows"


def countable(source: Source, draft: Draft) -> list[str]:
    """Return the columns that can be keys: all but those that identify people, by their role or by their values."""
    suggested = source.suggested
    undecided = () if suggested is None else suggested.undecided  # dropped because nobody has said yet what they are
    gone = (PSEUDONYM, LINKABLE, PERSON, IDENTIFIER)
    return [
        each.name
        for each in source.profile
        if each.role != IDENTIFIER and (draft.role(each.name) not in gone or each.name in undecided)
    ]


def measures(source: Source) -> list[str]:
    """Return the columns that can be summed exactly, and checked again in their file."""
    types = {each.name: each.type for each in source.profile}
    stored = source.place.kind == "duckdb"  # its texts stay texts: the table itself is read
    return [
        name
        for name, kind in source.summable.items()
        if not (kind is not None and stored) and not types[name].startswith(("DOUBLE", "FLOAT"))
    ]


def widths(source: Source, name: str) -> tuple[str, ...]:
    """Return what the values of a column can be grouped by; empty if they are no dates and no whole numbers of at least 0."""
    column = next(each for each in source.profile if each.name == name)
    slots = {"column": quoted(name), "table": quoted(source.name)}
    if column.type.startswith(("DATE", "TIMESTAMP")):
        return (YEAR, MONTH)
    if column.type in _INTEGERS or source.summable.get(name) == _WHOLE:
        least = _LEAST.format(
            column=slots["column"] if column.type != "VARCHAR" else f"CAST({slots['column']} AS BIGINT)",
            table=slots["table"],
        )
        return WIDTHS if _holds(source, least) else ()
    return (YEAR, MONTH) if column.type == "VARCHAR" and _holds(source, _DATES.format(**slots)) else ()


def _holds(source: Source, query: str) -> bool:
    return bool(source.con.cursor().execute(query).fetchall()[0][0])


def _free(name: str, taken: Iterable[str]) -> str:
    known = set(map(same_name, taken))
    while name in known:
        name = f"{name}_"
    return name


def memory_words(remembering: Path | None) -> str:
    """Return what is said before a table is made: which file remembers it, or that none does."""
    if remembering is None:
        return (
            "Tables that you make here are safe together. Nothing remembers them after you close the studio. Start kanon "
            "studio with --ledger research.duckdb to keep a record."
        )
    return (
        f"{remembering.name} remembers each table that you make here, and later tables respect it. Delete its row of "
        "kanon_protected_tables only if nobody has seen the table."
    )
