"""What a reader of a released database joins: the rows that tokens or keys link, over all tables together.

A key is a column that several tables release unchanged, and whose values stand for few rows in each. If each value of a column
belongs to one value of another, as a stay belongs to one patient, its rows are part of the history of the patient.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from kanon_sql.engines.duckdb.audit.measures import record
from kanon_sql.engines.duckdb.database.plan import COLUMNS
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name

_FEWEST_VALUES = 10
"""Values of a column that may be a key."""

_CONTAINED = 0.9
"""Share of the values of one table that another table has, above which they are taken for the same key."""

_ROLES = f"""SELECT release, "column", role FROM {COLUMNS} WHERE role IN ('pseudonym', 'kept')
    ORDER BY release ASC NULLS LAST, "column" ASC NULLS LAST"""  # noqa: S608

_VALUE = "CAST({} AS VARCHAR)"

_COUNTS = """SELECT system.main.count(value), system.main.count(DISTINCT value),
    coalesce(system.main.max(number) - system.main.min(number) + 1 = system.main.count(DISTINCT number), false)
FROM (SELECT {value} AS value, TRY_CAST({value} AS HUGEINT) AS number FROM main.{table})"""
"""Values, distinct ones, and whether they are numbers without gaps."""

_SHARED = """SELECT system.main.count(*) FROM (
    SELECT DISTINCT {value} AS value FROM main.{table} INTERSECT SELECT DISTINCT {other_value} FROM main.{other})"""

_BELONGS = """SELECT coalesce(system.main.max(owners), 0) = 1 FROM (
    SELECT system.main.count(DISTINCT {owner}) AS owners FROM main.{table}
    WHERE {value} IS NOT NULL AND {owner} IS NOT NULL GROUP BY {value})"""

_OWNERS = """SELECT DISTINCT {value} AS value, {owner} AS owner FROM main.{table}
    WHERE {value} IS NOT NULL AND {owner} IS NOT NULL"""

_NO_OWNERS = "SELECT NULL AS value, NULL AS owner WHERE false"

_ENTRY = """SELECT {value} AS value, system.main.row({release},
        system.main.create_sort_key(system.main.row({columns}), 'ASC NULLS LAST')) AS entry
    FROM main.{table} WHERE {value} IS NOT NULL{unowned}"""

_HISTORIES = """WITH owners AS MATERIALIZED ({owners}), histories AS (
    SELECT coalesce(owner, value) AS person, system.main.list(entry ORDER BY entry ASC NULLS LAST) AS history
    FROM ({entries}) LEFT JOIN owners USING (value)
    GROUP BY person
)
SELECT system.main.count(*) AS people, system.main.count(*) FILTER (candidates = 1) AS alone,
    coalesce(system.main.min(candidates), 0) AS fewest, coalesce(system.main.max(most), 0) AS most
FROM (SELECT system.main.count(*) OVER (PARTITION BY history) AS candidates, system.main.len(history) AS most FROM histories)"""
"""The history of a person is what all rows that are linked to the person show, in all releases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A column that links rows."""

    release: str  # the release that it is in
    column: str  # the column that it is in
    key: bool  # whether its values are released unchanged; else they are tokens

    @property
    def value(self) -> str:
        """Return the SQL of what links rows: keys of different names are different."""
        text = _VALUE.format(quoted(self.column))
        if not self.key:
            return text
        return f"CASE WHEN {text} IS NOT NULL THEN system.main.concat({literal(same_name(self.column))}, ' ', {text}) END"


def links_of(con: Any, policies: Mapping[str, Policy], apart: Container[str] = ()) -> list[Link]:
    """Return the columns that link rows of the releases: all tokens, and the keys that several releases share.

    Parameters
    ----------
    con : connection
        With the released tables.
    policies : mapping
        What is guaranteed, by release.
    apart : container of str
        Releases with tokens of their own: any known rows of a person are those of enough people. They link nothing else, unless
        there is a key next to them.
    """
    found, kept = list[Link](), defaultdict[str, list[tuple[str, str]]](list)
    for release, column, role in con.execute(_ROLES).fetchall():
        if release in policies and role == "pseudonym":
            found.append(Link(release=release, column=column, key=False))
        elif release in policies:
            kept[same_name(column)].append((release, column))
    for each in kept.values():
        found += [Link(release=release, column=column, key=True) for release, column in _shared_key(con, each, policies)]
    keyed = {each.release for each in found if each.key}
    return [each for each in found if each.key or each.release not in apart or each.release in keyed]


def _shared_key(con: Any, columns: list[tuple[str, str]], policies: Mapping[str, Policy]) -> list[tuple[str, str]]:
    """Return those of the columns of one name that are a key which another of them has, too.

    Notes
    -----
    Two columns that have each value once are not a key if one of them numbers its rows without gaps: such numbers are equal by
    chance.
    """
    few, unique, numbering = dict[tuple[str, str], int](), set[tuple[str, str]](), set[tuple[str, str]]()
    for release, column in columns if len(columns) > 1 else ():
        counts = _COUNTS.format(value=_VALUE.format(quoted(column)), table=quoted(release))
        rows, distinct, dense = con.execute(counts).fetchall()[0]
        if distinct >= _FEWEST_VALUES and rows < distinct * policies[release].least_class_size:
            few[release, column] = distinct
            unique |= {(release, column)} if rows == distinct else set()
            numbering |= {(release, column)} if dense and rows == distinct else set()
    found = set[tuple[str, str]]()
    for one, other in permutations(few, 2):
        if {one, other} <= found or ({one, other} <= unique and {one, other} & numbering):
            continue
        shared = con.execute(
            _SHARED.format(
                value=_VALUE.format(quoted(one[1])),
                table=quoted(one[0]),
                other_value=_VALUE.format(quoted(other[1])),
                other=quoted(other[0]),
            )
        ).fetchall()[0][0]
        if shared >= _CONTAINED * few[one]:
            found |= {one, other}
    return [each for each in columns if each in found]


def joined_histories(con: Any, links: list[Link], policies: Mapping[str, Policy]) -> dict[str, Any]:
    """Return how many people the links tell apart, how many are alone in their history, the fewest candidates, the most rows.

    Notes
    -----
    A sort of all linked rows.
    """
    owned = [pair for pair in _pairs(links) if _belongs(con, *pair) and not _belongs(con, *reversed(pair))]
    owners = [_OWNERS.format(value=one.value, owner=other.value, table=quoted(one.release)) for one, other in owned]
    entries = []
    for link in links:
        columns = ", ".join(quoted(qi.column) for qi in policies[link.release].quasi_identifiers)
        unowned = "".join(f" AND {other.value} IS NULL" for one, other in owned if one is link)
        slots = {"value": link.value, "release": literal(link.release), "columns": columns, "table": quoted(link.release)}
        entries.append(_ENTRY.format(unowned=unowned, **slots))
    query = _HISTORIES.format(owners=" UNION ".join(owners or [_NO_OWNERS]), entries=" UNION ALL ".join(entries))
    return record(con, query, None)


def _pairs(links: list[Link]) -> Iterator[tuple[Link, Link]]:
    """Yield the pairs of links of one release, in both orders."""
    return ((one, other) for one, other in permutations(links, 2) if one.release == other.release)


def _belongs(con: Any, one: Link, other: Link) -> bool:
    """Return whether each value of a link has one value of another in its release."""
    query = _BELONGS.format(value=one.value, owner=other.value, table=quoted(one.release))
    return bool(con.execute(query).fetchall()[0][0])
