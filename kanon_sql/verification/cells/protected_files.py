"""A protected table is checked again from three files: the source, the table and its certificate."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

from kanon_sql.certificate.file import Document
from kanon_sql.certificate.status import Status
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.certificate.table_file import PROTECTED
from kanon_sql.engines.duckdb.files import load
from kanon_sql.errors import CertificateError, KanonError, raise_alone
from kanon_sql.model.how_many import how_many
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.verification.cells.counted_source import count, source_columns
from kanon_sql.verification.cells.cuts_bound import proven
from kanon_sql.verification.cells.published_system import PublishedSystem
from kanon_sql.verification.cells.released_rows import compare
from kanon_sql.verification.cells.witness_sums import check_witnesses
from kanon_sql.verification.certificates import lines_named, read_certificate

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.places import Place

_BY_CUTS = ("line cuts", "minimum cuts of planes")
"""The arguments for a bound that its cuts prove."""


def verify_table(con: Any, source: Place, release: Place, certificate: str, delimiter: str) -> dict[str, str]:
    """Check the certificate of a protected table, field by field.

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

    Returns
    -------
    dict
        What was checked, for people.

    Raises
    ------
    AuditError
        When a claim does not hold; the message names the file and the line of the claim, and shows no count.
    """
    document = read_certificate(certificate, PROTECTED)
    with closing(con), lines_named(certificate, document):
        return _checked(con, source, release, document, delimiter)


def _checked(con: Any, source: Place, release: Place, document: Document, delimiter: str) -> dict[str, str]:
    """Check what the tables tell first, so that a changed line is named itself, and the checksum last."""
    claimed = TableCertificate.from_claims(document.claims)
    evidence = claimed.evidence
    if evidence is None:
        raise CertificateError("witnesses", "is missing")
    tabulation, protection = _shape(claimed)
    if claimed.requirements != protection.requirements:
        raise CertificateError("requirements", "they differ from the rules in the certificate")
    load(con, source, into="source", delimiter=delimiter)
    cells, places = count(con, tabulation, protection, source_columns(con, tabulation, protection))
    system = PublishedSystem(tabulation, protection, cells)
    suppressed = frozenset((*evidence.primaries, *evidence.secondaries))
    _require("base_cells", claimed.base_cells, len(cells))
    _require("rows", claimed.rows, system.rows)
    _require("primaries", evidence.primaries, tuple(sorted(system.primaries)))
    _check_secondaries(system, evidence.secondaries)
    _require("cost", claimed.cost, sum(system.cost(row) for row in evidence.secondaries))
    check_witnesses(system, suppressed, evidence.witnesses)
    load(con, release, into="released", delimiter=delimiter)
    compare(con, system, suppressed, places, told=protection.suppressed)
    bound = proven(system, evidence.cuts, evidence.scale)
    if bound > claimed.cost:
        raise CertificateError("cost", "the cuts prove that no table costs so little")
    if claimed.lower_bound > claimed.cost:
        raise CertificateError("lower_bound", "is above the cost")
    again = bound >= claimed.lower_bound
    if not again and claimed.bound_method in _BY_CUTS:
        raise CertificateError("lower_bound", f"{claimed.lower_bound}, but the cuts prove only {bound}")
    if (claimed.status is Status.OPTIMAL) != (claimed.cost == claimed.lower_bound):
        raise CertificateError("status", "it is OPTIMAL if, and only if, the cost is the lower bound")
    document.require_checksum()
    return _report(claimed, bound, again=again)


def _shape(claimed: TableCertificate) -> tuple[Tabulation, Protection]:
    """Return the table and its protection as the certificate has them."""
    found: list[Any] = []
    for field, kind in (("tabulation", Tabulation), ("protection", Protection)):
        try:
            found.append(kind.from_dict(json.loads(getattr(claimed, field))))
        except KanonError as error:
            raise_alone(CertificateError(field, str(error)))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise_alone(CertificateError(field, "has missing or unknown fields"))
    tabulation: Tabulation = found[0]
    keys, sums = range(len(tabulation.keys)), range(len(tabulation.sums))
    items = [(place, sums if each.kind == "sum" else keys) for each in tabulation.items for place in each.places]
    places = items + [(key, keys) for chosen in tabulation.sets for key in chosen]
    if any(type(place) is not int or place not in known for place, known in places):
        raise CertificateError("tabulation", "it names a key or a sum that it does not list")
    return tabulation, found[1]


def _require(field: str, claimed: object, found: object) -> None:
    """Refuse a claim that the source contradicts; the error shows no count."""
    if claimed != found:
        raise CertificateError(field, "the source gives others")


def _check_secondaries(system: PublishedSystem, secondaries: tuple[int, ...]) -> None:
    if list(secondaries) != sorted({*secondaries}) or any(not 0 <= row < system.rows for row in secondaries):
        raise CertificateError("secondaries", "they name a row twice, or one that does not exist")
    if system.primaries.intersection(secondaries):
        raise CertificateError("secondaries", "one of them is primary")
    if any(system.has_to_be_shown(row) for row in (*system.primaries, *secondaries)):
        raise CertificateError("secondaries", "a row is suppressed that has to be shown")


def _report(claimed: TableCertificate, bound: int, *, again: bool) -> dict[str, str]:
    proof = f"proven again: {bound:,}" if again else f"not checked again: a search; the cuts prove {bound:,}"
    return {
        "guarantee": ", ".join(claimed.requirements),
        "table": f"{how_many(claimed.rows, 'row')}, each a sum of the source or suppressed",
        "suppressed": f"{claimed.primary:,} primary, {claimed.secondary:,} secondary",
        "witnesses": f"{claimed.witnesses:,}, each added up",
        "cost": f"{claimed.cost:,}",
        "lower bound": f"{claimed.lower_bound:,} by {claimed.bound_method}, {proof}",
        "status": claimed.status.value
        if again or claimed.status is not Status.OPTIMAL
        else f"{claimed.status.value} by that search",
        "only by the checksum": f"{'' if again else 'lower_bound, status, '}algorithm, seconds, number, warnings",
    }
