"""The report about a table of counts: its claims are checked again, and the page holds no figure of the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.certificate.file import read
from kanon_sql.certificate.table_certificate import ProtectedTable
from kanon_sql.certificate.table_file import PROTECTED
from kanon_sql.engines.duckdb.python_tables.tables import register_table
from kanon_sql.errors import MissingPackageError, raise_alone
from kanon_sql.report.written_page import Page, versions
from kanon_sql.verification.cells.protected_files import VerifiedTable, verify_loaded, verify_table

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.places import Place


def report_table(con: Any, source: Place, release: Place, certificate: str, heading: Mapping[str, str | None]) -> Page:
    """Return the page about a table of counts in a file.

    Parameters
    ----------
    con : connection
        An empty DuckDB connection; it is closed in the end.
    certificate : str
        Path of the certificate.
    heading : mapping
        ``title``, ``purpose`` and ``recipient``, as in `kanon_sql.report.report`.

    Raises
    ------
    AuditError
        When a claim does not hold: there is no page about a table that may be unsafe.
    """
    from kanon_sql.report.fingerprints import file_hash

    table = verify_table(con, source, release, certificate)
    is_file = release.table is None and release.pattern is None
    return _page(table, {f"release file {release.path.name}": file_hash(release.path)} if is_file else {}, heading)


def report_protected(source: Any, released: ProtectedTable, heading: Mapping[str, str | None]) -> Page:
    """Return the page about a table of counts in Python; arguments and errors as for `report_table`."""
    with duckdb.connect() as con:
        register_table(con, "source", source)
        register_table(con, "released", released.table)
        return _page(verify_loaded(con, read(released.certificate.to_json(), PROTECTED)), {}, heading)


def _page(table: VerifiedTable, hashes: Mapping[str, str], heading: Mapping[str, str | None]) -> Page:
    try:
        from kanon_sql.report.page import About
        from kanon_sql.report.table_page import table_page
    except ModuleNotFoundError as error:
        raise_alone(MissingPackageError.of("a report", error.name, "report"))
    text = table_page(table, [*hashes.items(), ("made by", versions())], About(**heading))
    return Page(text=text, figures={**table.checked(), "holds": True, "cautions": list(table.claimed.warnings)})
