"""What a released database says of its releases: their certificates and fingerprints, and what was done to each column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kanon_sql.certificate.history_certificate import HistoryCertificate, Stated
from kanon_sql.engines.duckdb.database.fingerprint import fingerprint
from kanon_sql.engines.duckdb.database.one_table import ReleasedTable
from kanon_sql.engines.duckdb.database.plan import CERTIFICATES, COLUMNS
from kanon_sql.engines.duckdb.database.snapshot import STAGE
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.how_many import how_many
from kanon_sql.model.validation import same_name

_CREATE = (
    f"CREATE TABLE {STAGE}.main.{CERTIFICATES} (release VARCHAR, certificate VARCHAR, fingerprint VARCHAR)",
    f'CREATE TABLE {STAGE}.main.{COLUMNS} (release VARCHAR, "column" VARCHAR, role VARCHAR, done VARCHAR)',
)

_EMPTY = "SELECT system.main.count(*), {} FROM {}"

_COLUMNS = "SELECT column_name FROM (DESCRIBE FROM {})"


def public_certificate(certificate: Stated) -> Stated:
    """Return a certificate without the prices of the row types of the source: they are for whoever has the source."""
    if isinstance(certificate, HistoryCertificate):
        return certificate
    return replace(certificate, prices=None, scale=1, unit=1, number=None)


def write_public_tables(con: Any, tables: list[ReleasedTable]) -> None:
    """Write the certificates and the columns of the releases into the new database."""
    for statement in _CREATE:
        con.execute(statement)
    for each in tables:
        text = public_certificate(each.certificate).to_json()
        row = [each.planned.name, text, fingerprint(con, each.name)]
        con.execute(f"INSERT INTO {STAGE}.main.{CERTIFICATES} VALUES (?, ?, ?)", row)  # noqa: S608
        for name, role, done in _described(con, each):
            con.execute(f"INSERT INTO {STAGE}.main.{COLUMNS} VALUES (?, ?, ?, ?)", [each.planned.name, name, role, done])  # noqa: S608


def _described(con: Any, table: ReleasedTable) -> Iterator[tuple[str, str, str]]:
    """Yield for each column its name, its role, and what was done to it."""
    columns = [name for (name,) in con.execute(_COLUMNS.format(table.name)).fetchall()]
    counts = ", ".join(f"system.main.count({quoted(name)})" for name in columns)
    rows, *shown = con.execute(_EMPTY.format(counts, table.name)).fetchall()[0]
    for name, count in zip(columns, shown, strict=True):
        role, done = _role(table, name)
        if role == "quasi-identifier" and rows:
            done += f"; {1 - count / rows:.1%} of the cells are empty"
        yield name, role, done


def _role(table: ReleasedTable, column: str) -> tuple[str, str]:
    key, policy = same_name(column), table.guaranteed
    if key in set(map(same_name, table.planned.policy.groups)):
        return "group", "the token of the person's class in the table of people, or suppressed"
    if key in set(map(same_name, table.policy.pseudonyms)):
        return "pseudonym", "a keyed token instead of the identifier"
    if table.policy.known_rows is not None and key == same_name(table.policy.histories.per):
        known = how_many(table.policy.known_rows, "known row")
        people = how_many(policy.least_class_size, "person", "people")
        return "pseudonym", f"a token of this table alone; any {known} of a person fit at least {people}"
    if key in set(map(same_name, policy.sensitive)):
        return "sensitive", "released unchanged; the guarantee bounds what a class reveals of it"
    for each in policy.quasi_identifiers:
        if same_name(each.column) == key:
            own = {same_name(qi.column) for qi in table.planned.policy.policy.quasi_identifiers}
            if table.planned.people and key not in own:
                return "quasi-identifier", f'shown as in "{table.planned.people}", more general, or suppressed'
            return "quasi-identifier", "shown or suppressed" if each.recoding is None else "generalized or suppressed"
    return "kept", "released unchanged"
