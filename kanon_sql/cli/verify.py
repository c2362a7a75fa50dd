"""The command that checks a release and its certificate: ``kanon verify``."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import (
    UNMEASURED,
    allow_file_option,
    assigned,
    column_names,
    dialect_options,
    escaped_option,
    json_option,
    secret_file_option,
    show,
)
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.publish import metric_and_hierarchy
from kanon_sql.cli.terminal import busy
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import AuditError, SourceError, raise_alone

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.dialect import Dialect
    from kanon_sql.engines.duckdb.files.places import Place


@click.command(cls=GroupedCommand)
@click.argument("source", metavar="SOURCE")
@click.argument("release", metavar="RELEASE")
@click.argument("certificate", metavar="CERT.json")
@click.argument("more", nargs=-1, metavar="[RELEASE CERT.json]...")
@click.option("--table", metavar="NAME", help="Table in SOURCE if SOURCE is a .duckdb file; equivalent to SOURCE.duckdb::NAME.")
@click.option("--metric", metavar="FILE", help="Table of distances (a, b, distance) used in the policy.")
@click.option("--hierarchy", metavar="FILE", help="Hierarchy for the hierarchical metric in the policy.")
@click.option("--beside", multiple=True, metavar="NAME=FILE", help="Table used in a recoding or as the population; repeatable.")
@allow_file_option
@click.option("--pseudonym", multiple=True, metavar="A,B", help="Token columns to recompute with the secret; repeatable.")
@secret_file_option("File with the secret of the release.  [default: KANON_SECRET]")
@dialect_options
@escaped_option
@click.option("--strict", is_flag=True, help="Exit with code 3 if all claims hold but the lower bound cannot be proven again.")
@json_option
def verify(
    source: str,
    release: str,
    certificate: str,
    more: tuple[str, ...],
    table: str | None,
    metric: str | None,
    hierarchy: str | None,
    beside: tuple[str, ...],
    allowed_files: tuple[str, ...],
    pseudonym: tuple[str, ...],
    secret: bytes | None,
    dialect: Dialect,
    escape_formulas: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Check a release and its certificate.

    Checks RELEASE and CERT.json against SOURCE, without repeating the search. Tables protected together are checked together:
    pass each table with its certificate. Each table is also compared with the earlier tables in its certificate.

    Reports the first claim that does not hold, with its line in the certificate, and exits with code 1.
    """
    import duckdb

    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.generalize.groups import grouped_again
    from kanon_sql.verification.cells.protected_files import verify_tables
    from kanon_sql.verification.certificates import UNPROVEN
    from kanon_sql.verification.files import verify_files

    if secret is not None and not pseudonym:
        raise click.UsageError("--secret-file requires --pseudonym; hint: pass --pseudonym patient_id")
    if len(more) % 2:
        raise click.UsageError(f"{more[-1]} has no certificate; hint: write kanon verify SOURCE A.csv A.json B.csv B.json")
    of_rows = {"--metric": metric, "--hierarchy": hierarchy, "--pseudonym": pseudonym}
    if more and (given := [name for name, value in of_rows.items() if value]):
        raise click.UsageError(f"{given[0]} does not apply to tables of counts; hint: omit {given[0]}")
    tables = Place.of(source, table, dialect), Place.of(release, dialect=dialect.of_releases).escaping(escape_formulas)
    together = [
        (Place.of(file, dialect=dialect.of_releases).escaping(escape_formulas), proof)
        for file, proof in zip(more[::2], more[1::2], strict=True)
    ]
    recoded = {name: Place.of(file, dialect=dialect) for name, file in assigned(beside, "--beside", "name=file").items()}
    others = metric_and_hierarchy(metric, hierarchy, dialect)[1] | recoded
    con = audit_macros(duckdb.connect())

    def work() -> dict[str, str]:
        if together:
            return verify_tables(con, tables[0], [(tables[1], certificate), *together], others)
        tokens = (column_names(pseudonym, []), secret)
        return verify_files(con, *tables, certificate, others, tokens, allowed_files, grouped_again)

    try:
        with busy("verifying"):
            found = interruptible(con.interrupt, work, patience=PATIENCE)
    except AuditError as error:
        if not escape_formulas and _looks_escaped(tables[1]):
            error = AuditError(f"{error}; hint: pass --escape-formulas if RELEASE was written with it")
        if as_json:
            click.echo(json.dumps({"holds": False, "broken": [str(error)]}))
        raise_alone(error)
    proven = not any(UNPROVEN in said for said in found.values())
    if as_json:
        click.echo(json.dumps({"holds": True, "broken": [], "proven": proven, **found}))
    else:
        show(found.items(), "verified")
    if strict and not proven:
        words = "the lower bound could not be proven again; hint: omit --strict to check all other claims"
        click.echo(f"error: --strict: {words}", err=True)
        click.get_current_context().exit(UNMEASURED)


def _looks_escaped(release: Place) -> bool:
    """Return whether a CSV file has cells that look as `--escape-formulas` leaves them."""
    import duckdb

    from kanon_sql.engines.duckdb.files.csv_cells import holds_escaped
    from kanon_sql.engines.duckdb.files.tables import load

    if release.kind not in ("csv", "tsv"):
        return False
    with duckdb.connect() as con, suppress(SourceError):
        load(con, release, into="released")
        return holds_escaped(con, "released")
    return False
