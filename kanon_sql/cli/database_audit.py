"""``kanon audit PUBLIC.duckdb``: a whole released database, without naming a table."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import click

from kanon_sql.cli.options import show
from kanon_sql.errors import AuditError, KanonWarning


def shown_database(file: str, table: str | None, as_json: bool) -> bool:
    """Audit FILE if it is a released database and no table is named; return whether it is.

    Raises
    ------
    AuditError
        When a table does not fit its certificate, or tokens single people out though no policy permits it.
    """
    path = Path(file)
    if table is not None or path.suffix not in (".duckdb", ".ddb", ".db") or not path.is_file():
        return False
    from kanon_sql.engines.duckdb.database.audit import audit_database, is_released

    if not is_released(path):
        return False
    found = audit_database(path)
    if as_json:
        reported = {
            "broken": found.broken,
            "warnings": found.warnings,
            "releases": found.releases,
            "tokens": found.tokens,
            "keys": found.keys,
        }
        click.echo(json.dumps({"holds": not found.broken, **reported}))
    else:
        click.echo(f"FAIL: {'; '.join(found.broken)}" if found.broken else "PASS: every table matches its certificate")
        for release, figures in found.releases.items():
            show(figures.items(), release)
        if found.tokens is not None:
            keys = {"keys": ", ".join(found.keys)} if found.keys else {}
            show([*found.tokens.items(), *keys.items()], "linked rows across all tables")
    if found.warnings:
        warnings.warn(KanonWarning(*found.warnings), stacklevel=1)
    if found.broken:
        raise AuditError(f"{'; '.join(found.broken)}; hint: release the database again")
    return True
