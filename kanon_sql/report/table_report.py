"""The report about a table of counts: its claims are checked again, and the page holds no figure of the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_sql.errors import MissingPackageError, raise_alone
from kanon_sql.report.release_report import Page, versions
from kanon_sql.verification.cells.protected_files import verify_table

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.places import Place


def report_table(
    con: Any, source: Place, release: Place, certificate: str, delimiter: str, heading: Mapping[str, str | None]
) -> Page:
    """Return the page about a table of counts in a file.

    Parameters
    ----------
    con : connection
        An empty DuckDB connection; it is closed in the end.
    source, release : Place
        The tables.
    certificate : str
        Path of the certificate.
    delimiter : str
        The separator of CSV files.
    heading : mapping
        ``title``, ``purpose`` and ``recipient``, as in `kanon_sql.report.report`.

    Raises
    ------
    AuditError
        When a claim does not hold: there is no page about a table that may be unsafe.
    """
    from kanon_sql.report.fingerprints import file_hash

    try:
        from kanon_sql.report.page import About
        from kanon_sql.report.table_page import table_page
    except ModuleNotFoundError as error:
        raise_alone(MissingPackageError.of("a report", error.name, "report"))
    table = verify_table(con, source, release, certificate, delimiter)
    is_file = release.table is None and release.pattern is None
    origins = [(f"release file {release.path.name}", file_hash(release.path))] if is_file else []
    text = table_page(table, [*origins, ("made by", versions())], About(**heading))
    return Page(text=text, figures={**table.checked(), "holds": True, "cautions": list(table.claimed.warnings)})
