"""The audit of a released database: every table against its certificate, and what tokens give away over all tables together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from kanon_sql.certificate.history_certificate import HistoryCertificate, Stated, guaranteed_by, stated
from kanon_sql.engines.duckdb.audit.measures import macro_errors, record
from kanon_sql.engines.duckdb.database.fingerprint import fingerprint
from kanon_sql.engines.duckdb.database.joined_histories import Link, joined_histories, links_of
from kanon_sql.engines.duckdb.database.plan import CERTIFICATES, COLUMNS
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.errors import KanonError
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier, same_name

_AUDITED = "released"

_RELEASES = f"SELECT release, certificate, fingerprint FROM {CERTIFICATES} ORDER BY release ASC NULLS LAST"  # noqa: S608

_COLUMNS = f'SELECT release, "column", role, done FROM {COLUMNS}'  # noqa: S608

_TABLES = """SELECT table_name FROM system.information_schema.tables
    WHERE table_catalog = system.main.current_database() ORDER BY table_name ASC NULLS LAST"""
"""Views, too: nobody knows what they show."""

_OTHERS = """SELECT 'view' AS kind, view_name AS name FROM system.main.duckdb_views()
    WHERE NOT internal AND database_name = system.main.current_database()
UNION ALL SELECT 'macro', function_name FROM system.main.duckdb_functions()
    WHERE NOT internal AND database_name = system.main.current_database()
UNION ALL SELECT 'sequence', sequence_name FROM system.main.duckdb_sequences()
    WHERE database_name = system.main.current_database()
UNION ALL SELECT 'type', type_name FROM system.main.duckdb_types()
    WHERE NOT internal AND database_name = system.main.current_database()
UNION ALL SELECT 'table', schema_name || '.' || table_name FROM system.main.duckdb_tables()
    WHERE schema_name <> 'main' AND database_name = system.main.current_database()
ORDER BY kind ASC NULLS LAST, name ASC NULLS LAST"""
"""What no release of a database holds. If there is any, nothing else is audited: a macro could take the place of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseAudit:
    """What was measured in a released database."""

    releases: dict[str, dict[str, Any]]  # for each release its rows, its classes, and the smallest class in rows
    # Over all releases with tokens or shared keys: people, people alone in their history, the fewest candidates of a person,
    # and the most rows of one. None without them.
    tokens: dict[str, Any] | None
    keys: list[str]  # the columns that are released unchanged in several tables and link their rows
    broken: list[str]  # what does not hold
    warnings: list[str]  # what a policy permits


def is_released(path: Path) -> bool:
    """Return whether a file is a database that states certificates."""
    try:
        with duckdb.connect(str(path), read_only=True) as con:
            return {CERTIFICATES, COLUMNS} <= {name for (name,) in con.execute(_TABLES).fetchall()}
    except duckdb.Error:
        return False


def columns_of(path: Path) -> list[tuple[str, str, str, str]]:
    """Return for each column of a released database its release, its name, its role, and what was done to it."""
    with duckdb.connect(str(path), read_only=True) as con:
        found: list[tuple[str, str, str, str]] = con.execute(_COLUMNS).fetchall()
        return found


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
        tables = {name for (name,) in con.execute(_TABLES).fetchall()} - {CERTIFICATES, COLUMNS}
        others = con.execute(_OTHERS).fetchall()
        known = {} if others else _certificates(con, broken)
        broken += [f'the table "{name}" has no certificate' for name in sorted(tables - known.keys())]
        broken += [f'the table "{name}" is missing' for name in sorted(known.keys() - tables)]
        broken += [f'the database has the {kind} "{name}", which was not audited' for kind, name in others]
        there = {release: certificate for release, (certificate, _) in known.items() if release in tables}
        policies = {release: guaranteed_by(each) for release, each in there.items()}
        histories = {release: each.asked for release, each in there.items() if isinstance(each, HistoryCertificate)}
        for release, policy in policies.items():
            if fingerprint(con, f"main.{quoted(release)}") != known[release][1]:
                broken.append(f'the rows of the table "{release}" differ from its certificate')
            with macro_errors():
                columns = [qi.column for qi in policy.quasi_identifiers]
                found[release] = record(
                    con, "FROM k_anonymity($table, $qi)", {"table": f"main.{quoted(release)}", "qi": columns}
                )
            if found[release]["rows"] and found[release]["k"] < policy.least_class_size:
                broken.append(f'the table "{release}" has a class smaller than {policy.least_class_size}')
            if release in histories and (wrong := _history_broken(con, release, histories[release])):
                broken.append(wrong)
        links = links_of(con, policies, apart=histories)
        joined = joined_histories(con, links, policies) if links else None
    keys = [f"{each.release}.{as_identifier(each.column)}" for each in links if each.key]
    if joined is not None and joined["fewest"] < max(each.least_class_size for each in policies.values()):
        by = " and ".join(
            [*(["the tokens of all tables"] if len(keys) < len(links) else []), *([_listed(keys)] if keys else [])]
        )
        finding = (
            f"by {by}, {joined['alone']:,} of {joined['people']:,} people are alone in their history, and everybody has at "
            f"least {joined['fewest']:,} candidates"
        )
        if keys:
            finding += "; hint: drop the key from one table, or release it AS PSEUDONYM (LINKABLE)"
        (warnings if joined["fewest"] and _permitted(links, policies) else broken).append(finding)
    return DatabaseAudit(releases=found, tokens=joined, keys=keys, broken=broken, warnings=warnings)


def _listed(keys: list[str]) -> str:
    return f"the shared key {', '.join(keys)}"


def _history_broken(con: Any, release: str, requested: LinkedHistories) -> str | None:
    """Return what is wrong if some known rows of a table are those of too few people; None if they are not."""
    values = {"person": requested.per, "qi": list(requested.quasi_identifiers), "m": requested.known_rows}
    with macro_errors():
        risk = record(con, f"FROM history_risk({literal(f'main.{quoted(release)}')}, $person, $qi, $m)", values)
    wrong = requested.broken(risk["fewest_candidates"])
    return None if wrong is None else f'the table "{release}": {wrong}'


def _certificates(con: Any, broken: list[str]) -> dict[str, tuple[Stated, str]]:
    """Return the certificate and the fingerprint of each release; what cannot be read is added to ``broken``."""
    found: dict[str, tuple[Stated, str]] = {}
    for release, text, mark in con.execute(_RELEASES).fetchall():
        if release in found:
            broken.append(f'the table "{release}" has two certificates')
        try:
            found[release] = stated(text), mark
        except (KanonError, ValueError, KeyError, TypeError):
            broken.append(f'the certificate of "{release}" cannot be read')
    return found


def _permitted(links: list[Link], policies: dict[str, Policy]) -> bool:
    """Return whether every policy with tokens says that they may link rows; no policy says it of a key."""
    return not any(
        each.key or same_name(each.column) not in set(map(same_name, policies[each.release].linkable)) for each in links
    )
