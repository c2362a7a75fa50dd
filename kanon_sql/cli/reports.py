"""The command ``kanon report``, and where pages go."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import (
    allow_file_option,
    column_names,
    dialect_options,
    escaped_option,
    given_options,
    json_option,
    per_row_option,
    sensitive_options,
    show,
    table_option,
)
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.publish import metric_and_hierarchy
from kanon_sql.cli.terminal import busy
from kanon_sql.engines.duckdb.files.staging import put_text
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import AuditError, KanonWarning, SourceError
from kanon_sql.model.requirements import THRESHOLD_OPTIONS

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.dialect import Dialect
    from kanon_sql.report.written_page import Page

force_option = click.option("--force", is_flag=True, help="Replace existing files.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print only errors and warnings.")


def page_target(name: str, endings: tuple[str, ...], inputs: Iterable[Path], force: bool) -> Path:
    """Return where a page goes; it never replaces what was read."""
    path = Path(os.path.realpath(name))
    if path.suffix.lower() not in endings:
        raise SourceError(f"{name} has no known extension; hint: use {' or '.join(endings)}")
    if path in inputs:
        raise SourceError(f"{path} is an input to this command; hint: choose a different OUT")
    if not path.parent.is_dir():
        raise SourceError(f"there is no folder {path.parent}; hint: create it first")
    if path.exists() and not (force and path.is_file()):
        raise SourceError(f"{path} exists; hint: pass --force to replace the file")
    return path


@click.command(cls=GroupedCommand)
@click.argument("source", metavar="SOURCE")
@click.argument("release", metavar="RELEASE")
@click.option("-o", "--output", "target", required=True, metavar="OUT.html", help="Where to write the page.")
@click.option(
    "--qi", multiple=True, metavar="A,B", help="Quasi-identifiers; repeatable.  [default: those in the certificate, else all]"
)
@click.option("--k", type=int, metavar="K", help="Minimum number of rows per class.  [default: from the certificate, else 2]")
@click.option("--keep", multiple=True, metavar="A,B", help="Columns released unchanged; every other column then needs a role.")
@click.option(
    "--per", metavar="COLUMN", help="Without a certificate: count people, identified by this column, instead of rows."
)
@per_row_option
@sensitive_options
@click.option("--population", metavar="FILE", help="The population table used in the certificate.")
@allow_file_option
@click.option(
    "--certificate",
    metavar="CERT.json",
    help="Certificate of the release, which contains the quasi-identifiers and the guarantee.",
)
@click.option("--title", metavar="TEXT", help="The title of the page.")
@click.option("--purpose", metavar="TEXT", help="The purpose of the release.")
@click.option("--recipient", metavar="TEXT", help="The recipient of the release.")
@table_option
@dialect_options
@escaped_option
@force_option
@json_option
@quiet_option
@click.pass_context
def report(
    ctx: click.Context,
    /,
    source: str,
    release: str,
    target: str,
    qi: tuple[str, ...],
    keep: tuple[str, ...],
    metric: str | None,
    hierarchy: str | None,
    population: str | None,
    allowed_files: tuple[str, ...],
    certificate: str | None,
    title: str | None,
    purpose: str | None,
    recipient: str | None,
    table: str | None,
    dialect: Dialect,
    escape_formulas: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
    **about: Any,
) -> None:
    """Write an HTML report on a release.

    The page compares RELEASE with SOURCE and shows the guarantee, the remaining risk, and the information lost.

    The page is green if the guarantee holds, and red if the guarantee is broken or a class has too few people. The page is
    amber if a column looks like an identifier, or people seem to have several rows and neither --per nor --per-row was
    passed.

    The page is one self-contained HTML file. Do not publish it: it contains counts from SOURCE. If the guarantee is broken,
    the command still writes the page, but exits with code 1.

    For the certificate of a table of counts, pass that table as RELEASE; the page may be published with it. If a claim does
    not hold, no page is written.
    """
    import duckdb

    from kanon_sql.certificate import Certificate
    from kanon_sql.certificate.table_file import PROTECTED
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.engines.duckdb.policies.allowed_files import AllowedFiles
    from kanon_sql.model.policy import Policy
    from kanon_sql.model.requirements import METRICS
    from kanon_sql.report.release_report import report_files
    from kanon_sql.report.table_report import report_table
    from kanon_sql.verification.certificates import is_of, read_certificate

    con = duckdb.connect()
    origin, place = Place.of(source, table, dialect), Place.of(release, dialect=dialect.of_releases).escaping(escape_formulas)
    names, hierarchies = metric_and_hierarchy(metric, hierarchy, dialect)
    everybody = None if population is None else Place.of(population, dialect=dialect)
    read = [each.path for each in (origin, place, *hierarchies.values(), *([everybody] if everybody else []))]
    if certificate is not None:
        read.append(Path(os.path.realpath(certificate)))
    path = page_target(target, (".html",), read, force)
    if certificate is not None and is_of(certificate, PROTECTED):
        _refuse_options(ctx)
        heading = {"title": title, "purpose": purpose, "recipient": recipient}
        with busy("counting for the page", shown=not quiet):
            page = interruptible(
                con.interrupt, lambda: report_table(con, origin, place, certificate, heading), patience=PATIENCE
            )
        shown = [name for name in page.figures if name not in ("holds", "cautions")]
        _written(page, path, shown, force=force, as_json=as_json, quiet=quiet)
        return
    claimed = None
    if certificate is not None:
        document = read_certificate(certificate)
        document.require_checksum()
        claimed = Certificate(**document.claims)
        allowed = AllowedFiles()
        allowed.allow(allowed_files)
        allowed.tables_of(Policy.from_json(claimed.policy), "the certificate")
    if about["sensitive"] is None:  # then the files are those that the certificate names
        names = {"metric": metric if metric in METRICS else None}

    def work() -> Page:
        return report_files(
            con,
            origin,
            place,
            named_tables=hierarchies,
            population=everybody,
            certificate=claimed,
            names=lambda known: column_names(qi, known) if qi else None,
            keep=lambda known: column_names(keep, known) if keep else None,
            heading={"title": title, "purpose": purpose, "recipient": recipient},
            **about,
            **names,
        )

    with busy("counting for the page", shown=not quiet):
        page = interruptible(con.interrupt, work, patience=PATIENCE)
    _written(page, path, force=force, as_json=as_json, quiet=quiet)
    if not page.figures["holds"]:
        if claimed is None and not qi:
            hint = "pass --certificate, or set the quasi-identifiers with --qi and the guarantee with --k"
            raise AuditError(f"a class is too small if every column is a quasi-identifier; hint: {hint}")
        raise AuditError("the release breaks its guarantee, or does not match the certificate; hint: see the page for details")


def _written(page: Page, path: Path, shown: Iterable[str] = (), *, force: bool, as_json: bool, quiet: bool) -> None:
    """Write a page, and say so; some figures are shown to people, too."""
    put_text(page.text, path, replace=force)
    if as_json and not quiet:
        click.echo(json.dumps({"written": str(path), **page.figures}))
    elif not quiet:
        show([("written", path), *((name, page.figures[name]) for name in shown)])
    if page.figures["cautions"]:
        warnings.warn(KanonWarning(*page.figures["cautions"]), stacklevel=1)


_OF_ROWS = frozenset({"qi", "k", "keep", "per", "per_row", "sensitive", "population", "allowed_files", *THRESHOLD_OPTIONS})
"""Parameters about a release of rows."""


def _refuse_options(ctx: click.Context) -> None:
    """Refuse options that are not about a table of counts."""
    given = given_options(ctx, [each for each in ctx.command.params if each.name in _OF_ROWS])
    if given:
        raise click.UsageError(f"{given[0]} does not apply to a table of counts; hint: omit {given[0]}")
