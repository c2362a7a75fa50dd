"""The command ``kanon compare``: releases of one table side by side."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import (
    assigned,
    column_names,
    dialect_options,
    escaped_option,
    json_option,
    per_row_option,
    table_option,
    text_of,
)
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.reports import force_option, page_target, quiet_option
from kanon_sql.cli.streams import read_table
from kanon_sql.cli.terminal import busy, lines_of
from kanon_sql.engines.duckdb.files.staging import put_text
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import SourceError
from kanon_sql.model.how_many import how_many

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate
    from kanon_sql.engines.duckdb.files.dialect import Dialect
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.report.comparison import Comparison


@click.command(cls=GroupedCommand)
@click.argument("source", metavar="SOURCE")
@click.argument("releases", metavar="RELEASE...", nargs=-1, required=True)
@click.option("-o", "--output", "target", metavar="OUT.html", help="Write the figures to this HTML page.")
@click.option("--queries", metavar="FILE.sql", help="SELECT statements to run on SOURCE and each RELEASE.")
@click.option("--target", "predicted", metavar="COLUMN", help="Column that a classifier predicts from the quasi-identifiers.")
@click.option("--by", multiple=True, metavar="A,B", help="Compare the loss in the groups that these columns define.")
@click.option(
    "--certificate",
    multiple=True,
    metavar="[RELEASE=]CERT.json",
    help="Certificate of a release; repeatable. five.json next to five.csv is found automatically.",
)
@click.option("--hierarchy", multiple=True, metavar="COLUMN=FILE", help="Hierarchy for a generalized column; repeatable.")
@click.option("--qi", multiple=True, metavar="A,B", help="Quasi-identifiers; repeatable.  [default: as in the certificates]")
@click.option("--per", metavar="A", help="Count people, identified by this SOURCE column, instead of rows.")
@per_row_option
@table_option
@dialect_options
@escaped_option
@force_option
@json_option
@quiet_option
def compare(
    source: str,
    releases: tuple[str, ...],
    target: str | None,
    queries: str | None,
    predicted: str | None,
    by: tuple[str, ...],
    certificate: tuple[str, ...],
    hierarchy: tuple[str, ...],
    qi: tuple[str, ...],
    per: str | None,
    per_row: bool,
    table: str | None,
    dialect: Dialect,
    escape_formulas: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the release that serves your analysis best.

    Compares each RELEASE with SOURCE by risk, loss, marginals, query results, groups of rows, and a classifier. Without --qi,
    the quasi-identifiers are read from the certificates: --certificate, or RELEASE.json next to RELEASE.csv.

    If people have several rows, pass --per or a certificate that counts people.

    Queries can compute counts, sums and averages over one table. A released row counts toward all values that its labels cover.

    Do not publish the page: it contains counts from SOURCE.
    """
    import duckdb

    from kanon_sql.engines.duckdb.files.csv_cells import give_types
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.engines.duckdb.files.tables import columns, load, load_policy_table
    from kanon_sql.report.comparison import compared

    origin = Place.of(source, table, dialect)
    places = [Place.of(each, dialect=dialect.of_releases).escaping(escape_formulas) for each in releases]
    names = _names(places)
    if len(releases) == 1:  # then there is no question whose certificate it is
        certificate = tuple(each if each.startswith(f"{releases[0]}=") else f"{releases[0]}={each}" for each in certificate)
    claims = assigned(certificate, "--certificate", "RELEASE=CERT.json")
    trees = {name: Place.of(each, dialect=dialect) for name, each in assigned(hierarchy, "--hierarchy", "column=file").items()}
    read = [each.path for each in (origin, *places, *trees.values())] + [
        Path(os.path.realpath(each)) for each in claims.values()
    ]
    path = None if target is None else page_target(target, (".html",), read, force)
    text = None if queries is None else text_of(queries)
    known = _found_next_to(zip(names, places, strict=True)) | _certificates(claims, dict(zip(releases, names, strict=True)))
    con = duckdb.connect()

    def work() -> Comparison:
        with closing(con):
            read_table(con, origin)
            if origin.kind in ("csv", "tsv"):
                give_types(con, "source")
            for number, place in enumerate(places):
                load(con, place, into=f"released{number}")
            for number, place in enumerate(trees.values()):
                load_policy_table(con, place, into=f"hierarchy{number}")
            named = columns(con, "source")
            return compared(
                con,
                names,
                known,
                list(trees),
                quasi_identifiers=column_names(qi, named) if qi else None,
                queries=text,
                by=column_names(by, named),
                target=predicted,
                per=per,
                per_row=per_row,
                surface="command",
            )

    with busy("comparing", shown=not quiet):
        found = interruptible(con.interrupt, work, patience=PATIENCE)
    if path is not None:
        put_text(found.html(), path, replace=force)
    if as_json and not quiet:
        click.echo(json.dumps({"written": None if path is None else str(path), **found.to_dict()}))
    elif not quiet:
        _show(found, path)


def _show(found: Comparison, path: Path | None) -> None:
    from rich.console import Console

    from kanon_sql.report.figure_rows import figure_rows

    console = Console(highlight=False)
    names = ("figure", *(each.name for each in found.releases))
    console.print(lines_of(names, figure_rows(found.releases), title=how_many(len(found.releases), "release")))
    console.print(found.advice, markup=False)
    if path is not None:
        console.print(f"written {path}", markup=False)


def _names(places: Iterable[Place]) -> list[str]:
    """Return what releases are called: their files without endings, or with their folders where two are the same."""
    files = [str(place) for place in places]
    short = [Path(each.partition("::")[0]).stem + each.partition("::")[1] + each.partition("::")[2] for each in files]
    if len(set(files)) < len(files):
        raise SourceError("a release is listed twice; hint: list each release once")
    return short if len(set(short)) == len(short) else files


def _found_next_to(places: Iterable[tuple[str, Place]]) -> dict[str, Certificate]:
    """Return the certificates next to releases: ``released.json`` for ``released.csv``, if it is one."""
    from kanon_sql.certificate import Certificate
    from kanon_sql.certificate.file import RELEASE
    from kanon_sql.verification.certificates import is_of, read_certificate

    found = {}
    for name, place in places:
        path = place.path.with_suffix(".json")
        if path != place.path and is_of(str(path), RELEASE):
            document = read_certificate(str(path))
            document.require_checksum()
            found[name] = Certificate(**document.claims)
    return found


def _certificates(claims: dict[str, str], names: dict[str, str]) -> dict[str, Certificate]:
    from kanon_sql.certificate import Certificate
    from kanon_sql.verification.certificates import read_certificate

    found = {}
    for release, path in claims.items():
        if release not in names:
            raise click.BadParameter(
                f"{release} is not one of the releases; hint: use one of {', '.join(names)}", param_hint="--certificate"
            )
        document = read_certificate(path)
        document.require_checksum()
        found[names[release]] = Certificate(**document.claims)
    return found
