"""Several tables of a database that are released together: which ones, under which policies, and about which people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import duckdb

from kanon_sql.engines.duckdb.files.places import Place, tables_in
from kanon_sql.engines.duckdb.policies.stored_policies import TABLE
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.person import DECLARED, Person
from kanon_sql.model.requirements import KAnonymity, KnownColumns, People, Requirement
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.studio.draft import IDENTIFIER, NONE, PERSON, Draft
from kanon_sql.studio.source import K, Source

if TYPE_CHECKING:
    from kanon_sql.model.suggested_policy import Suggestion

BUILT, STORED, FILE = POLICIES = ("built here", "stored in the database", "from a file")
"""Where the policies are."""

_OWN = "kanon_"
"""How the tables begin that remember policies and releases: nobody releases them."""


@dataclass(slots=True)
class Chosen:
    """A table of the database."""

    name: str
    released: bool = False
    rows: int = 0
    draft: Draft | None = None  # its policy, once the table was read
    singles: frozenset[str] = frozenset()  # the columns with another value in every row

    def with_person(self, column: str, *, home: bool) -> Draft:
        """Return the draft that drops the column of the person; outside of the table of people it counts people by it."""
        if self.draft is None:
            raise PolicyError(f"the table {self.name} was not read; hint: choose it again")
        return self.draft.with_role(column, IDENTIFIER).with_rows() if home else self.draft.with_role(column, PERSON)


@dataclass(slots=True)
class Several:
    """The choices of the page Several tables.

    Raises
    ------
    SourceError
        When there is no such database, or it has no tables.
    """

    path: Path
    tables: list[Chosen]
    policies: str = BUILT  # one of `POLICIES`
    file: str = ""  # a file of policies
    person: str | None = None  # the column that tells people apart in several tables
    home: str | None = None  # the table with one row for each person
    k: int = K
    into: str = ""
    kind: str = "duckdb"
    has_stored: bool = field(default=False)

    @classmethod
    def of(cls, text: str) -> Several:
        """Read which tables a database has."""
        path = Path(os.path.realpath(Path(text.strip()).expanduser()))
        if not path.is_file():
            raise SourceError(f"there is no database {path}; hint: choose a DuckDB file")
        with path.open("rb") as opened:
            if opened.read(12)[8:] != b"DUCK":
                raise SourceError(f"{path.name} is not a DuckDB database; hint: open a single file on the Open page")
        names = tables_in(path)
        found = [name for name in names if not name.rpartition(".")[2].startswith(_OWN)]
        if not found:
            raise SourceError(f"{path.name} has no tables; hint: choose another database")
        with duckdb.connect(str(path), read_only=True) as con:
            rows = {name: con.execute(f"SELECT count(*) FROM {_spelled(name)}").fetchall()[0][0] for name in found}  # noqa: S608
        has_stored = TABLE in names
        return cls(
            path=path,
            tables=[Chosen(name, rows=rows[name]) for name in found],
            policies=STORED if has_stored else BUILT,
            into=str(_unused(path)),
            has_stored=has_stored,
        )

    def renew(self) -> None:
        """Propose another new database if there is one of this name by now."""
        if Path(self.into).exists():
            self.into = str(_unused(self.path))

    @property
    def released(self) -> list[Chosen]:
        """Return the tables that are released."""
        return [each for each in self.tables if each.released and each.draft is not None]

    def read(self, table: Chosen) -> None:
        """Suggest a policy for a table, and see which column could tell people apart."""
        with closing(Source(Place.of(f"{self.path}::{table.name}"))) as source:
            table.rows = source.rows
            table.singles = frozenset(each.name for each in source.profile if source.rows and each.uniques == source.rows)
            table.draft = _draft(table.name, source)
        table.released = True
        if self.person is None:
            self._find_person()

    def _find_person(self) -> None:
        """Take the column that is in several tables and has another value in every row of one of them."""
        for home in self.released:
            for column in sorted(home.singles):
                others = [each for each in self.released if each is not home and _has(each, column)]
                if others:
                    self.choose_person(column, home.name)
                    return

    @property
    def persons(self) -> list[str]:
        """Return the columns that several of the tables have."""
        names: dict[str, list[str]] = {}
        for each in self.released:
            for column in each.draft.columns if each.draft is not None else ():
                names.setdefault(same_name(column), []).append(column)
        return [columns[0] for columns in names.values() if len(columns) > 1]

    def homes(self) -> list[str]:
        """Return the tables that could have one row for each person."""
        return [each.name for each in self.released if self.person is not None and _has(each, self.person)]

    def choose_person(self, column: str | None, home: str | None = None) -> None:
        """Let a column tell people apart in all tables that have it."""
        self.person = column
        likely = [each.name for each in self.released if column is not None and column in each.singles]
        self.home = None if column is None else home or next(iter(likely or self.homes()), None)

    def stored(self) -> list[StoredPolicy]:
        """Return the policies that were built.

        Raises
        ------
        PolicyError
            When no table is chosen, or a column of one has no role.
        """
        if not self.released:
            raise PolicyError("no table is chosen; hint: release at least one")
        return [self._stored(each) for each in self.released]

    def _stored(self, table: Chosen) -> StoredPolicy:
        draft = table.draft
        person: Person | Literal[True] | None = None
        if draft is None:
            raise PolicyError(f"the table {table.name} was not read; hint: choose it again")
        if self.person is not None and self.home is not None and _has(table, self.person):
            home = table.name == self.home
            draft = table.with_person(self.person, home=home)
            person = Person(column=self.person, table=_spelled(self.home)) if home else DECLARED
        open_ones = [name for name in draft.columns if draft.role(name) == NONE]
        if open_ones:
            raise PolicyError(f"{table.name}: these columns have no role: {', '.join(open_ones)}; hint: choose one for each")
        requirements = tuple(_with_k(each, self.k) for each in draft.policy.requirements)
        draft = draft.with_policy(replace(draft.policy, requirements=requirements))
        return replace(draft.stored, name=table.name, person=person)


def _unused(path: Path) -> Path:
    """Return a new file next to a database for its releases."""
    stems = chain([f"{path.stem}_released"], (f"{path.stem}_released_{number}" for number in count(2)))
    return next(each for stem in stems if not (each := path.with_name(f"{stem}{path.suffix}")).exists())


def _draft(name: str, source: Source) -> Draft:
    """Return the draft of a suggestion: what is open is dropped, and what seems harmless is released unchanged."""
    found: Suggestion | None = source.suggested
    spelled = _spelled(name)
    if found is None:
        policy, dropped = source.first_policy
        return Draft.of(spelled, source.columns, policy, dropped)
    stored = found.policy
    policy = replace(stored.policy, keep=stored.kept or None)
    return Draft.of(spelled, source.columns, policy, (*stored.identifiers, *found.undecided))


def _with_k(requirement: Requirement, k: int) -> Requirement:
    """Return a requirement with another least number of people, or rows; others stay."""
    if isinstance(requirement, KAnonymity | People):
        return replace(requirement, k=k)
    if isinstance(requirement, KnownColumns) and isinstance(requirement.of, People):
        return replace(requirement, of=replace(requirement.of, k=k))
    if isinstance(requirement, KnownColumns) and requirement.k is not None:
        return replace(requirement, k=k)
    return requirement


def _has(table: Chosen, column: str) -> bool:
    columns: Sequence[str] = () if table.draft is None else table.draft.columns
    return same_name(column) in set(map(same_name, columns))


def _spelled(name: str) -> str:
    """Return a table as SQL spells it; its schema may stand in front of it."""
    return ".".join(map(as_identifier, name.split(".", 1)))
