"""The audit of a released database: every table against its certificate, and what tokens give away over all tables together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.audit_macros import audit_macros
from kanon_sql.engines.duckdb.database.fingerprint import fingerprint
from kanon_sql.engines.duckdb.database.plan import CERTIFICATES, COLUMNS
from kanon_sql.engines.duckdb.measures import macro_errors, record
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name

_AUDITED = "released"

_RELEASES = f"SELECT release, certificate, fingerprint FROM {CERTIFICATES} ORDER BY release ASC NULLS LAST"  # noqa: S608

_TOKENS = f"""SELECT release, "column" FROM {COLUMNS} WHERE role = 'pseudonym'
    ORDER BY release ASC NULLS LAST, "column" ASC NULLS LAST"""  # noqa: S608

_TABLES = """SELECT table_name FROM system.information_schema.tables
    WHERE table_catalog = system.main.current_database() ORDER BY table_name ASC NULLS LAST"""
"""Views, too: nobody knows what they show."""

_ENTRY = """SELECT CAST({token} AS VARCHAR) AS token, system.main.row({release},
        system.main.create_sort_key(system.main.row({columns}), 'ASC NULLS LAST')) AS entry
    FROM main.{table} WHERE {token} IS NOT NULL"""

_HISTORIES = """SELECT system.main.count(*) AS people, system.main.count(*) FILTER (candidates = 1) AS alone,
    coalesce(system.main.min(candidates), 0) AS fewest, coalesce(system.main.max(most), 0) AS most
FROM (
    SELECT system.main.count(*) OVER (PARTITION BY history) AS candidates, system.main.len(history) AS most
    FROM (SELECT token, system.main.list(entry ORDER BY entry ASC NULLS LAST) AS history FROM ({entries}) GROUP BY token)
)"""
"""The history of a person is what all rows with the person's token show, in all releases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseAudit:
    """What was measured in a released database.

    Attributes
    ----------
    releases : dict
        For each release its rows, its classes, and the smallest class in rows.
    tokens : dict or None
        Over all releases with tokens: people, people alone in their history, the fewest candidates of a person, and the most
        rows of one. None without tokens.
    broken : list of str
        What does not hold.
    warnings : list of str
        What a policy permits.
    """

    releases: dict[str, dict[str, Any]]
    tokens: dict[str, Any] | None
    broken: list[str]
    warnings: list[str]


def is_released(path: Path) -> bool:
    """Return whether a file is a database that states certificates."""
    try:
        with duckdb.connect(str(path), read_only=True) as con:
            return {CERTIFICATES, COLUMNS} <= {name for (name,) in con.execute(_TABLES).fetchall()}
    except duckdb.Error:
        return False


def audit_database(path: Path) -> DatabaseAudit:
    """Measure every table of a released database, and all of them together.

    Notes
    -----
    One scan of each table, and a sort of the people with tokens. Only what a reader of the file has is counted: classes in
    rows, because nobody can count people without their keys.
    """
    found, broken, warnings = dict[str, dict[str, Any]](), list[str](), list[str]()
    with audit_macros(duckdb.connect()) as con:
        con.execute(f"ATTACH {literal(str(path))} AS {_AUDITED} (READ_ONLY)")
        con.execute("SET enable_external_access = false")
        con.execute(f"SET search_path = '{_AUDITED}.main,memory.main'")
        stated = {release: (Certificate.from_json(text), mark) for release, text, mark in con.execute(_RELEASES).fetchall()}
        tables = {name for (name,) in con.execute(_TABLES).fetchall()} - {CERTIFICATES, COLUMNS}
        broken += [f'the table "{name}" has no certificate' for name in sorted(tables - stated.keys())]
        broken += [f'the table "{name}" is missing' for name in sorted(stated.keys() - tables)]
        policies = {release: Policy.from_json(each.policy) for release, (each, _) in stated.items() if release in tables}
        for release, policy in policies.items():
            if fingerprint(con, f"main.{quoted(release)}") != stated[release][1]:
                broken.append(f'the table "{release}" has other rows than its certificate')
            with macro_errors():
                columns = [qi.column for qi in policy.quasi_identifiers]
                found[release] = record(
                    con, "FROM k_anonymity($table, $qi)", {"table": f"main.{quoted(release)}", "qi": columns}
                )
            if found[release]["rows"] and found[release]["k"] < policy.least_class_size:
                broken.append(f'the table "{release}" has a class below {policy.least_class_size}')
        tokens = [(release, column) for release, column in con.execute(_TOKENS).fetchall() if release in policies]
        joined = _histories(con, tokens, policies) if tokens else None
    if joined is not None:
        told = (
            f"by the tokens of all tables, {joined['alone']:,} of {joined['people']:,} people are alone in their history, and "
            f"everybody has at least {joined['fewest']:,} candidates"
        )
        (warnings if joined["fewest"] and _permitted(tokens, policies) else broken).extend(
            [told] if joined["fewest"] < max(each.least_class_size for each in policies.values()) else []
        )
    return DatabaseAudit(releases=found, tokens=joined, broken=broken, warnings=warnings)


def _histories(con: Any, tokens: list[tuple[str, str]], policies: dict[str, Policy]) -> dict[str, Any]:
    return record(con, _HISTORIES.format(entries=" UNION ALL ".join(_entries(tokens, policies))), None)


def _entries(tokens: list[tuple[str, str]], policies: dict[str, Policy]) -> Iterator[str]:
    for release, column in tokens:
        columns = ", ".join(quoted(qi.column) for qi in policies[release].quasi_identifiers)
        yield _ENTRY.format(token=quoted(column), release=literal(release), columns=columns, table=quoted(release))


def _permitted(tokens: list[tuple[str, str]], policies: dict[str, Policy]) -> bool:
    """Return whether every policy with tokens says that they may link rows."""
    return all(same_name(column) in set(map(same_name, policies[release].linkable)) for release, column in tokens)
