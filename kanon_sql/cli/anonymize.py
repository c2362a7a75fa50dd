"""The command that releases a table: ``kanon anonymize``."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.options import (
    assigned,
    column_names,
    delimiter_option,
    qi_option,
    secret_option,
    sensitive_options,
    show,
    table_option,
)
from kanon_sql.cli.publish import evidence_path, release_file, tables_beside
from kanon_sql.cli.terminal import progress
from kanon_sql.engines.duckdb.staging import staging_beside
from kanon_sql.errors import SourceError

if TYPE_CHECKING:
    from kanon_sql.model.policy import Policy


@click.command()
@click.argument("source", metavar="IN")
@click.option("-o", "--output", "target", required=True, metavar="OUT", help="Where the release goes; its ending says how.")
@qi_option
@click.option("--k", default=2, show_default=True, help="Least number of rows that look alike.")
@click.option("--per", metavar="A", help="The column that tells people apart: --k counts people, and OUT is without it.")
@sensitive_options
@click.option(
    "--mask",
    "masks",
    multiple=True,
    metavar="A,B",
    help="Permitted columns to show together, such as 'zip IN DIGITS (3),age'; repeatable; '' shows none.",
)
@click.option("--linked", multiple=True, metavar="A,B", help="Columns suppressed together or not at all; repeatable.")
@click.option(
    "--keep", multiple=True, metavar="A,B", help="Columns released unchanged on purpose; then all need a role; '' is none."
)
@click.option("--strict", is_flag=True, help="Release nothing where the certificate has a warning.")
@click.option("--weight", "weights", multiple=True, metavar="A=3", help="Cost of suppressing a cell of a column; repeatable.")
@click.option(
    "--recode",
    "recodings",
    multiple=True,
    metavar="A=HOW",
    help="How cells are coarsened before they are suppressed, such as 'zip=DIGITS' or 'age=INTERVALS (5, 10)'; repeatable.",
)
@click.option("--beside", multiple=True, metavar="NAME=FILE", help="A table that --recode names; repeatable.")
@click.option("--algorithm", default="auto", show_default=True, help="Name of the solver.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Take the best release found in this time.")
@click.option("--seed", default=0, show_default=True, help="Seed of the solvers that draw.")
@click.option(
    "--max-suppressed", metavar="SHARE", help="Of --algorithm full_domain: the greatest share of the rows that is suppressed."
)
@click.option("--suppress", metavar="TEXT", help="Text for suppressed cells, such as '*'.  [default: NULL]")
@click.option(
    "--row-order",
    type=click.Choice(["shuffled", "source"]),
    default="shuffled",
    show_default=True,
    help="Order of the released rows; that of the source may tell what is suppressed.",
)
@secret_option
@table_option
@delimiter_option
@click.option("--certificate", metavar="CERT.json", help="Write what is proven of the release to this file.")
@click.option("--force", is_flag=True, help="Replace OUT and CERT.json if they exist.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def anonymize(
    source: str,
    target: str,
    qi: tuple[str, ...],
    masks: tuple[str, ...],
    linked: tuple[str, ...],
    keep: tuple[str, ...],
    strict: bool,
    weights: tuple[str, ...],
    recodings: tuple[str, ...],
    beside: tuple[str, ...],
    metric: str | None,
    hierarchy: str | None,
    table: str | None,
    delimiter: str,
    secret: bytes | None,
    certificate: str | None,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Release the table IN as OUT: every row looks like at least k - 1 others.

    With --sensitive, rows that look alike are also diverse (--l) or like the whole table (--t, --beta, --delta) in that
    column.

    IN and OUT are CSV, TSV, Parquet or JSON files, or tables of a database: FILE.duckdb::TABLE. OUT appears only after
    the written file has been read again and audited.
    """
    from kanon_sql.engines.duckdb.places import Place

    weighted = assigned(weights, "--weight", "column=number")
    recoded = assigned(recodings, "--recode", "column=DIGITS")
    tables = {name: Place.of(file) for name, file in assigned(beside, "--beside", "name=file").items()}
    origin, place = Place.of(source, table), Place.of(target)
    origin.require()
    if origin.same(place):
        raise SourceError("OUT is IN; hint: release to another file, and keep the source")
    if not place.path.parent.is_dir():
        raise SourceError(f"there is no folder {place.path.parent}")
    if place.occupied() and not force:
        raise SourceError(f"{place} exists; hint: --force replaces it")

    evidence = None if certificate is None else evidence_path(certificate, (origin, place), force)
    measures, others = tables_beside(metric, hierarchy)

    given = {"weights": weighted, "recodings": recoded, **measures, **options}

    def policy(columns: list[str]) -> Policy:
        return policy_of(columns, qi=qi, masks=masks, linked=linked, keep=keep, **given).resolve(columns)

    with ExitStack() as stack:
        staging = stack.enter_context(staging_beside(place.path.parent))
        written = None
        if evidence is not None:
            written = (stack.enter_context(staging_beside(evidence.parent)) / "certificate.json", evidence)
        step = stack.enter_context(progress(not quiet))
        beside_it = others | tables
        proven = release_file(
            origin, place, policy, staging, delimiter, step, beside_it, written, force=force, secret=secret, strict=strict
        )
    if not quiet:
        show([("written", place), *([("certificate", evidence)] if evidence else []), *proven.figures().items()])


def policy_of(
    columns: list[str],
    *,
    qi: tuple[str, ...],
    masks: tuple[str, ...],
    linked: tuple[str, ...],
    keep: tuple[str, ...],
    recodings: dict[str, str],
    **options: Any,
) -> Policy:
    """Return the policy that the options of a command say of a table with these columns."""
    from kanon_sql.engines.duckdb.written import read_masks, read_recodings
    from kanon_sql.model.policy import Policy

    return Policy.of(
        quasi_identifiers=column_names(qi, columns) if qi else None,
        masks=read_masks([column_names([mask], columns) for mask in masks] if masks else None),
        linked=[column_names([group], columns) for group in linked],
        keep=column_names(keep, columns) if keep else None,
        recodings=read_recodings(recodings),
        **options,
    )
