"""One table of a database: its rows are released in the transaction of the snapshot, and go into the new database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.certificate.history_certificate import Stated, guaranteed_by
from kanon_sql.engines.announcing import announce
from kanon_sql.engines.duckdb.connect.failures import spoken
from kanon_sql.engines.duckdb.database.coarser_labels import coarser_labels, has_ladder, ladder_of
from kanon_sql.engines.duckdb.database.person_columns import GROUP, KEY, FactsOfPeople, ShownPeople
from kanon_sql.engines.duckdb.database.plan import PlannedRelease, own_unit
from kanon_sql.engines.duckdb.database.snapshot import STAGE
from kanon_sql.engines.duckdb.gather.from_items import from_item_of
from kanon_sql.engines.duckdb.gather.unit import settled_unit
from kanon_sql.engines.duckdb.histories.query import history_query
from kanon_sql.engines.duckdb.label_types import unlisted_null
from kanon_sql.engines.duckdb.names import literal, name_parts, qualified, quoted
from kanon_sql.engines.duckdb.policies.allowed_files import checked
from kanon_sql.engines.duckdb.policies.stored_policies import shown_by
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.errors import AuditError, InfeasibleError, PolicyError, SourceError, UnknownColumnError, raise_alone
from kanon_sql.model.how_many import how_many
from kanon_sql.model.person import Person
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Levels
from kanon_sql.model.refusals import IdentifierError
from kanon_sql.model.repetition import RepeatedPeopleError
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import as_identifier, same_name

if TYPE_CHECKING:
    from kanon_sql.certificate.history_certificate import HistoryCertificate
    from kanon_sql.engines.duckdb.connect.connection import Connection

_RELEASED = '"kanon#released"'

_TYPES = "SELECT column_name, column_type FROM (DESCRIBE {})"

_KEYS = """SELECT system.main.count(*) - system.main.count(DISTINCT {key}) FROM ({body}) WHERE {key} IS NOT NULL"""

_STRANGERS = """SELECT system.main.count(*) FROM ({body}) AS "kanon#fact"
    ANTI JOIN {people} AS "kanon#shown" ON "kanon#fact".{key} = "kanon#shown".{person}"""

_VALUES = """SELECT CAST({column} AS VARCHAR) AS value, system.main.count(*) AS people FROM ({body})
    WHERE {column} IS NOT NULL GROUP BY value ORDER BY value ASC NULLS LAST"""

_SHOWN = """CREATE TEMP TABLE {table} AS SELECT {person}, {group} AS {named}, {columns} FROM {released}"""

_TOKEN = """system.main.kanon_pseudonym(system.main.concat({name}, ' ', CAST(system.main.create_sort_key(
    system.main.row({columns}), 'ASC NULLS LAST') AS VARCHAR)))"""  # noqa: S105 - no password
"""The token of a class: a keyed hash of what it shows, so that all its people and nobody else have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedTable:
    """A table of the released database."""

    planned: PlannedRelease  # the stored policy
    policy: StoredPolicy  # the roles of all its columns, those of a person included
    certificate: Stated  # what is proven about it

    @property
    def name(self) -> str:
        """Return the table in the database that is written."""
        return f"{STAGE}.main.{quoted(self.planned.name)}"

    @property
    def guaranteed(self) -> Policy:
        """Return what is guaranteed of it."""
        return guaranteed_by(self.certificate)


class Releasing:
    """The releases of one database, one after the other.

    Parameters
    ----------
    con : Connection
        That of a `snapshot`.
    """

    def __init__(self, con: Connection, surface: Surface) -> None:
        self._con, self._surface = con, surface
        self._settled: dict[str, Sequence[str]] = {}
        self._shown: dict[str, ShownPeople] = {}
        self._database = str(con.execute("SELECT system.main.current_database()").fetchall()[0][0])

    def settle(self, planned: PlannedRelease) -> None:
        """Settle by all columns of a table whom its rows describe.

        Raises
        ------
        PolicyError
            When a column repeats people and they are not counted, or a column to release looks like an identifier.
        SourceError
            When the table cannot be read.
        """
        stored = planned.policy
        try:
            body, columns = self._read(stored)
            shown = ", ".join(map(quoted, stored.released(columns)))
            unit = settled_unit(f"(SELECT {shown} FROM ({body}))", own_unit(stored), self._surface, f"({body})")  # noqa: S608
            self._settled[planned.name] = self._con.execute(f"SELECT {unit}").fetchall()[0][0]
        except (RepeatedPeopleError, IdentifierError) as error:
            error.args = (f'the release "{planned.name}": {error}',)
            raise_alone(error)
        except duckdb.InterruptException:
            raise
        except duckdb.Error as error:  # its words may quote a value
            raise_alone(SourceError(f"{stored} cannot be read: {spoken(error)}; nothing was released"))

    def release(self, planned: PlannedRelease) -> ReleasedTable:
        """Release one table; the people that it needs have been released.

        Raises
        ------
        PolicyError, SourceError, InfeasibleError, AuditError
            When the policy does not fit the table, the table cannot be read, or no release meets the guarantee.
        """
        try:
            return self._released(planned)
        except (InfeasibleError, AuditError) as error:
            raise_alone(type(error)(f'the release "{planned.name}": {error}'))
        except duckdb.InterruptException:
            raise
        except duckdb.Error as error:  # its words may quote a value
            raise_alone(SourceError(f"{planned.policy} cannot be read: {spoken(error)}; nothing was released"))

    def _released(self, planned: PlannedRelease) -> ReleasedTable:
        body, columns = self._read(planned.policy)
        policy, strangers = planned.policy, 0
        if planned.person is not None:
            shown = self._shown[planned.people]
            strangers = self._strangers(planned.person, policy, body, columns, shown)
            facts = FactsOfPeople.of(policy, planned.person, body, list(columns), shown)
            body, policy = facts.query, facts.policy
        elif planned.key is not None:
            policy = self._require_key(planned, body, columns)
        listed = self._types(body)
        certificate = self._run(planned, policy, body, list(listed))
        if planned.key is not None:
            self._shown[planned.name] = self._keep_people(planned, body, certificate)
        self._write(planned, list(listed))
        if strangers:
            warning = (
                f"{planned.name}: {how_many(strangers, 'row has', 'rows have')} no person in {planned.people}, so the person's "
                "columns are empty"
            )
            announce([replace(certificate, warnings=(warning,))])
            certificate = replace(certificate, warnings=(*certificate.warnings, warning))
        return ReleasedTable(planned=planned, policy=policy, certificate=certificate)

    def _read(self, policy: StoredPolicy) -> tuple[str, dict[str, str]]:
        """Return the query of the rows of a policy, and the types of its columns."""
        if policy.query is None:
            name = qualified(name_parts(policy.table))
            body = checked(f"SELECT * FROM {name}", [policy.table], self._database, policy)  # noqa: S608
        else:
            from kanon_sql.clause.groups import refuse_grouped_query

            refuse_grouped_query(policy.query, policy.policy, 'add the key "per_row": true to k >= n')
            body = f"SELECT * FROM system.main.query({literal(policy.query)})"  # noqa: S608
        return body, self._types(body)

    def _types(self, body: str) -> dict[str, str]:
        return dict(self._con.execute(_TYPES.format(body)).fetchall())

    def _require_key(self, planned: PlannedRelease, body: str, columns: Mapping[str, str]) -> StoredPolicy:
        """Return the policy of a table of people without its key, which names each of them once."""
        policy, key = planned.policy, planned.key or ""
        if same_name(key) not in set(map(same_name, columns)):
            raise UnknownColumnError.of(key, list(columns), f"the key of {policy}")
        twice = self._con.execute(_KEYS.format(key=quoted(key), body=body)).fetchall()[0][0]
        if twice:
            raise SourceError(
                f"{policy}: {how_many(twice, 'row repeats', 'rows repeat')} a value of {as_identifier(key)}; nothing was "
                "released; hint: write a query that returns one row per person"
            )
        return replace(policy, groups=(), identifiers=(*policy.identifiers, *policy.groups))

    def _strangers(
        self, person: Person, policy: StoredPolicy, body: str, columns: Mapping[str, str], shown: ShownPeople
    ) -> int:
        """Return how many rows of facts have a person who is not in the table of people."""
        types = {same_name(name): kind for name, kind in columns.items()}
        if same_name(person.column) not in types:
            raise UnknownColumnError.of(person.column, list(columns), f"the person of {policy}")
        theirs, mine = self._types(f"SELECT {KEY} FROM {shown.table}")[KEY[1:-1]], types[same_name(person.column)]  # noqa: S608
        if theirs != mine and not {theirs, mine} <= _INTEGERS:
            raise PolicyError(
                f"{policy}: {as_identifier(person.column)} is {mine} here, but {theirs} in {person.table}; nothing was "
                f"released; hint: cast one of them in a query, such as CAST({as_identifier(person.column)} AS {theirs})"
            )
        query = _STRANGERS.format(body=body, people=shown.table, key=quoted(person.column), person=KEY)
        return int(self._con.execute(query).fetchall()[0][0])

    def _run(self, planned: PlannedRelease, stored: StoredPolicy, body: str, columns: list[str]) -> Stated:
        """Make the release as a temporary table; in a table of people, with the key of each row."""
        released = stored.released(columns)
        if stored.known_rows is not None:
            return self._link(planned, stored, body, released)
        policy = stored.policy_for(released)
        selected = [*map(shown_by(stored), released), *([] if planned.key is None else [f"{quoted(planned.key)} AS {KEY}"])]
        tables = self._con.session.allowed_files.tables_of(policy, stored)
        query = release_query(
            f"SELECT {', '.join(selected)} FROM ({body})",  # noqa: S608
            policy,
            query=True,
            number=None if planned.key is None else KEY[1:-1],
            surface=self._surface,
            settled=self._settled[planned.name],
        )
        self._con.execute(f"CREATE OR REPLACE TEMP TABLE {_RELEASED} AS {checked(query, tables, self._database, stored)}")
        return self._con.session.releases[-1]

    def _link(self, planned: PlannedRelease, stored: StoredPolicy, body: str, released: list[str]) -> HistoryCertificate:
        """Make the release whose tokens link the rows of each person."""
        rows = f"SELECT {', '.join(map(quoted, released))} FROM ({body})"  # noqa: S608
        requested = stored.histories.within(released, str(stored))
        query = history_query(rows, requested, query=True, settled=self._settled[planned.name])
        self._con.execute(f"CREATE OR REPLACE TEMP TABLE {_RELEASED} AS {checked(query, [], self._database, stored)}")
        return self._con.session.linked_releases[-1]

    def _keep_people(self, planned: PlannedRelease, body: str, certificate: Stated) -> ShownPeople:
        """Keep what the release shows of each person, in memory, for the facts."""
        policy = guaranteed_by(certificate)
        columns = ", ".join(quoted(each.column) for each in policy.quasi_identifiers)
        table = f"temp.main.{quoted(f'kanon#people {planned.name}')}"
        token = _TOKEN.format(name=literal(planned.name), columns=columns)
        self._con.execute(_SHOWN.format(table=table, person=KEY, group=token, named=GROUP, columns=columns, released=_RELEASED))
        shown = tuple(self._coarser(planned, policy, each, body) for each in policy.quasi_identifiers)
        return ShownPeople(table=table, quasi_identifiers=shown, token=token)

    def _coarser(self, planned: PlannedRelease, policy: Policy, qi: QuasiIdentifier, body: str) -> QuasiIdentifier:
        """Return a column of people as facts show it: with a hierarchy of the labels that the people show, where it has one."""
        plain = QuasiIdentifier(column=qi.column, weight=qi.weight)
        if not has_ladder(qi):
            return plain
        column = quoted(qi.column)
        values = dict(self._con.execute(_VALUES.format(column=column, body=body)).fetchall())
        tables = [qi.recoding.table] if isinstance(qi.recoding, Levels) else []
        named = {name: self._texts(f"FROM {from_item_of(policy, name)}") for name in tables}
        ladder = ladder_of(qi, values, named)
        shown = [label for (label,) in self._con.execute(f"SELECT DISTINCT {column} FROM {_RELEASED}").fetchall()]  # noqa: S608
        rows = coarser_labels(ladder, shown)
        if not rows or len(ladder.loss) == 1:
            return plain
        table = f"{planned.name} {qi.column} levels"
        listed = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
        named_levels = ", ".join(f"level{level}" for level in range(len(rows[0])))
        self._con.execute(f"CREATE TEMP TABLE {quoted(table)} AS FROM (VALUES {listed}) AS levels({named_levels})")
        return replace(plain, recoding=Levels(table=as_identifier(table), loss=ladder.loss[1:]))

    def _texts(self, query: str) -> dict[str, list[str | None]]:
        """Return a table as texts, column by column."""
        found = self._con.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) {query}")
        names = [each[0] for each in found.description]
        return dict(zip(names, map(list, zip(*found.fetchall(), strict=True)), strict=False))

    def _write(self, planned: PlannedRelease, columns: list[str]) -> None:
        """Copy the release into the new database, without keys; the group of a person is where the key was."""
        shown = {same_name(name): _unlisted(quoted(name)) for name in self._types(f"FROM {_RELEASED}")}
        if planned.key is not None and planned.policy.groups:
            shown[same_name(planned.key)] = f"{self._shown[planned.name].token} AS {quoted(planned.key)}"
        selected = ", ".join(shown[same_name(name)] for name in columns if same_name(name) in shown)
        name = f"{STAGE}.main.{quoted(planned.name)}"
        self._con.execute(f"CREATE TABLE {name} AS SELECT {selected} FROM {_RELEASED}")  # noqa: S608


def _unlisted(column: str) -> str:
    """Return a column of a type that lists no values: an ENUM would name some that no row of the release has."""
    return f"coalesce({column}, {unlisted_null(column)}) AS {column}"


_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}
"""Types of keys that compare without a cast that could fail."""
