"""The table that the studio has opened, and what can be counted of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.engines.duckdb.cells.number_texts import number_type
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.engines.duckdb.files.spilling import private_spilling
from kanon_sql.engines.duckdb.files.tables import columns, load
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.policies.suggestion import suggestion
from kanon_sql.errors import KanonError
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KAnonymity, People, Requirement
from kanon_sql.model.suggested_policy import Suggestion
from kanon_sql.model.validation import as_identifier
from kanon_sql.studio.histogram import counted_by, histogram
from kanon_sql.studio.repetition import Repeated, repeated
from kanon_sql.studio.rows import brief

if TYPE_CHECKING:
    from kanon_sql.studio.draft import Draft

K = 5
"""The k of a new draft, and the rows or people that a value needs before a chart names it."""

PROFILED = 100
"""Columns that are counted in one statement."""

SUGGESTED = 100
"""Columns of a table up to which a policy is suggested."""

MOST = 12
"""Quasi-identifiers of a policy that is not suggested."""

BARS = 12
"""Bars of a chart of one column."""

SAMPLE = 20
"""Rows of a sample."""

_NUMBERS = ("INT", "DECIMAL", "DOUBLE", "FLOAT")
"""Parts of the types of numbers."""

_VALUES = """SELECT CAST({column} AS VARCHAR) AS value, system.main.count(*) AS rows FROM {table}
    WHERE {column} IS NOT NULL GROUP BY ALL HAVING system.main.count({counted}) >= $least
    ORDER BY rows DESC NULLS LAST, value ASC NULLS LAST LIMIT {most}"""

_ALONE = """SELECT system.main.count(DISTINCT person) FROM (
    SELECT system.main.min({person}) AS person FROM {table} WHERE {column} IS NOT NULL GROUP BY {column}
    HAVING system.main.min({person}) = system.main.max({person}))"""
"""The people with a value that no other person has."""

_SAMPLE = "SELECT {columns} FROM {table} USING SAMPLE reservoir({rows} ROWS)"


@dataclass(frozen=True, slots=True)
class Profiled:
    """A column as `profile` counts it."""

    name: str  # the column
    type: str
    distinct: int  # values
    nulls: int  # rows without one
    uniques: int  # rows that it alone singles out
    rows: int  # all rows
    role: str  # what it seems to be
    reason: str  # why it seems so


class Source:
    """A table in the memory of the studio: a snapshot of a file or of a table of a database.

    Parameters
    ----------
    place : Place
        Where it is.

    Raises
    ------
    SourceError
        When it cannot be read.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.temporary = False  # whether the file is a copy in a folder that does not stay
        self.name = place.called
        self.con: Any = audit_macros(duckdb.connect(), ("profile", "unique_columns", "repeated_people"))
        self._alone: dict[str | None, dict[str, int]] = {}
        self._spilling = ExitStack()
        self._spilling.enter_context(private_spilling(":memory:", self.con))
        try:
            self.remarks = load(self.con, place, into=self.name)
        except KanonError:
            self.close()
            raise
        self.columns: list[str] = columns(self.con, self.name)

    @property
    def spelled(self) -> str:
        """Return the table as SQL spells it."""
        return as_identifier(self.name)

    @cached_property
    def types(self) -> dict[str, str]:
        """Return the types of the columns."""
        return {name: kind for name, kind, *_ in self.con.cursor().execute(f"DESCRIBE {quoted(self.name)}").fetchall()}

    @cached_property
    def rows(self) -> int:
        """Return the rows of the table."""
        return int(self.con.cursor().execute(f"SELECT system.main.count(*) FROM {quoted(self.name)}").fetchone()[0])  # noqa: S608

    @cached_property
    def profile(self) -> tuple[Profiled, ...]:
        """Return the columns, counted; about a dozen scans."""
        con = self.con.cursor()
        found: dict[str, Profiled] = {}
        for start in range(0, len(self.columns), PROFILED):
            names = self.columns[start : start + PROFILED]
            con.execute(
                f'CREATE OR REPLACE TEMP VIEW "kanon#part" AS SELECT {", ".join(map(quoted, names))} FROM {quoted(self.name)}'  # noqa: S608
            )
            for name, *counts in con.execute("""FROM profile('"kanon#part"')""").fetchall():
                found[name] = Profiled(name, *counts)
        return tuple(found[name] for name in self.columns)

    @cached_property
    def summable(self) -> dict[str, str | None]:
        """Return the columns that can be summed, and the type that texts are read as; None for columns of numbers."""
        con = self.con.cursor()
        found: dict[str, str | None] = {}
        for each in self.profile:
            if each.type == "VARCHAR" and each.nulls < each.rows and (kind := number_type(con, self.name, each.name)):
                found[each.name] = kind
            elif any(word in each.type for word in _NUMBERS):
                found[each.name] = None
        return found

    @cached_property
    def suggested(self) -> Suggestion | None:
        """Return a policy to start from; None if nothing can be suggested, or there are too many columns to compare."""
        if len(self.columns) > SUGGESTED:
            return None
        try:
            return suggestion(self.con.cursor(), self.spelled, k=K, name="studio", table_as=self.spelled)
        except KanonError:
            return None

    def under_template(self, name: str) -> tuple[Policy, tuple[str, ...]]:
        """Return the policy that a rule asks for, and the identifiers that it drops.

        Raises
        ------
        SourceError, PolicyError
            When no column could be a quasi-identifier, or there is no such rule.
        """
        found = suggestion(self.con.cursor(), self.spelled, k=None, name="studio", table_as=self.spelled, template=name)
        return self._drafted(found)

    def _drafted(self, found: Suggestion) -> tuple[Policy, tuple[str, ...]]:
        """Return a suggestion without KEEP, and without the columns that it leaves open: nobody has said yet what they are."""
        stored = replace(found.policy, identifiers=(*found.policy.identifiers, *found.undecided))
        return replace(stored.policy_for(stored.released(self.columns)), keep=None), stored.identifiers

    @cached_property
    def first_policy(self) -> tuple[Policy, tuple[str, ...]]:
        """Return the policy of a new draft and the identifiers that it drops."""
        if self.suggested is not None:
            return self._drafted(self.suggested)
        person = next((each.column for each in self.repeated if each.column in self.columns), None)
        others = [each for each in self.profile if each.name != person]
        likely = [each for each in others if each.role == "quasi-identifier"] or others
        chosen = tuple(QuasiIdentifier(column=each.name) for each in likely[:MOST])
        counted: Requirement = KAnonymity(k=K) if person is None else People(k=K, per=person)
        shown = {person, *(each.column for each in chosen)}
        policy = Policy(quasi_identifiers=chosen, requirements=(counted,))
        return policy, tuple(name for name in self.columns if name not in shown)  # what nobody looked at is not released

    @cached_property
    def repeated(self) -> tuple[Repeated, ...]:
        """Return the columns that repeat people, the one to count people by first."""
        return repeated(self.con.cursor(), self.spelled)

    @property
    def person(self) -> str | None:
        """Return the column that seems to tell people apart, if there is one."""
        people = None if self.suggested is None else self.suggested.policy.policy.people
        return None if people is None else people.per

    def alone(self, person: str | None) -> dict[str, int]:
        """Return how many people, or rows without a column of people, have a value in each column that nobody else has."""
        if person is None:
            return {each.name: each.uniques for each in self.profile}
        if person not in self._alone:
            con, slots = self.con.cursor(), {"table": quoted(self.name), "person": quoted(person)}
            queries = ((name, _ALONE.format(column=quoted(name), **slots)) for name in self.columns)
            self._alone[person] = {name: int(con.execute(query).fetchall()[0][0]) for name, query in queries}
        return self._alone[person]

    def check(self, query: str) -> None:
        """Raise an error unless the table can answer a query; it is planned, not run."""
        self.con.cursor().execute(f"EXPLAIN {query}").fetchall()

    def before(self, query: str) -> Any:
        """Return the rows of a query as an Arrow table: what a release of it had to start from."""
        return self.con.cursor().sql(query).to_arrow_table()

    def whole(self, draft: Draft) -> Any:
        """Return the same rows with the columns that a draft leaves out: they are evidence of whom its rows describe."""
        return self.before(draft.query if draft.dropped is None else f"FROM {draft.table}")

    def frequent(self, column: str, person: str | None = None) -> list[tuple[str, int]]:
        """Return the most frequent values of a column and their rows, of values that at least `K` rows or people have."""
        counted = counted_by(person)
        query = _VALUES.format(column=quoted(column), table=quoted(self.name), most=BARS, counted=counted)
        return [(brief(value), rows) for value, rows in self.con.cursor().execute(query, {"least": K}).fetchall()]

    def histogram(self, column: str, person: str | None = None) -> list[tuple[str, int]]:
        """Return intervals of a column of many numbers and their rows, of intervals that at least `K` rows or people are in."""
        return histogram(self.con.cursor(), self.name, column, person=person, most=BARS, least=K)

    def sample(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return a few rows of the source; only on request, because they are of people."""
        query = _SAMPLE.format(columns=", ".join(map(quoted, names)), table=quoted(self.name), rows=SAMPLE)
        found = self.con.cursor().execute(query).fetchall()
        return [tuple("" if value is None else brief(value) for value in row) for row in found]

    def values(self, column: str, most: int) -> dict[str, int]:
        """Return the distinct values of a column as texts, in their order and at most some, and the rows of each."""
        query = (
            f"SELECT CAST({quoted(column)} AS VARCHAR) AS value, system.main.count(*) FROM {quoted(self.name)} "  # noqa: S608
            "WHERE value IS NOT NULL GROUP BY value ORDER BY value ASC NULLS LAST LIMIT $most"
        )
        return dict(self.con.cursor().execute(query, {"most": most}).fetchall())

    def close(self) -> None:
        """Forget the table."""
        with suppress(duckdb.Error):  # a page still counts: then the connection ends with the last reference to it
            self.con.close()
        self._spilling.close()
