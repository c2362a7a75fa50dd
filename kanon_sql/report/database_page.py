"""The page about a released database: the guarantees of its tables, what they reveal together, and what each column shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable
from kanon_sql.report.page import count, render, share

if TYPE_CHECKING:
    from kanon_sql.certificate.history_certificate import Stated
    from kanon_sql.engines.duckdb.database.audit import DatabaseAudit

Described = tuple[str, str, str, str]
"""A release, a column of it, the role of the column, and what was done to it."""


def database_page(
    name: str, certificates: Mapping[str, Stated], audit: DatabaseAudit, columns: Sequence[Described], *, folder: bool
) -> str:
    """Return the page; it shows nothing that the released database does not hold.

    Parameters
    ----------
    name : str
        The name of the file or folder.
    certificates : mapping
        By the names of the releases, in their order.
    audit : DatabaseAudit
        What was measured in the written file.
    columns : sequence of Described
        What was done to each column.
    folder : bool
        Whether the releases are Parquet files in a folder.
    """
    tables, rows = how_many(len(certificates), "table"), sum(each.rows for each in certificates.values())
    of_file = "in its table kanon_certificates; kanon audit checks them again"
    certified = "next to the files of the releases" if folder else of_file
    of_columns = [
        (printable(release), [tuple(map(printable, each[1:])) for each in columns if each[0] == release])
        for release in certificates
    ]
    return render(
        "database.html.j2",
        summary=f"{tables} with {how_many(rows, 'row')} in total, released in one step and audited.",
        cautions=list(map(printable, _cautions(certificates, audit))),
        releases=[_row(release, each, audit) for release, each in certificates.items()],
        linked=_linked(audit),
        columns=of_columns,
        settings=[("written", printable(name)), ("certificates", certified)],
    )


def _row(release: str, certificate: Stated, audit: DatabaseAudit) -> tuple[str, ...]:
    figures = audit.releases[release]
    return (
        printable(release),
        printable(", ".join(certificate.requirements)),
        count(certificate.rows),
        count(figures["classes"]),
        count(figures["k"]),
        share(certificate.suppressed_share),
        share(certificate.gap),
    )


def _cautions(certificates: Mapping[str, Stated], audit: DatabaseAudit) -> Iterator[str]:
    yield from audit.warnings
    for release, certificate in certificates.items():
        yield from (f"{release}: {each}" for each in certificate.warnings)


def _linked(audit: DatabaseAudit) -> list[tuple[str, str]]:
    found = audit.tokens
    if found is None:
        return []
    return [
        ("distinct people", count(found["people"])),
        ("people with a unique history", f"{count(found['alone'])}, {share(found['alone'], found['people'])}"),
        ("fewest candidates of a person", count(found["fewest"])),
        ("most rows of a person", count(found["most"])),
        ("shared keys", printable(", ".join(audit.keys)) or "none"),
    ]
