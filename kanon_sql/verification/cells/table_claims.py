"""What a certificate claims of all its tables, checked against base cells that are counted again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from kanon_sql.certificate.file import Document
from kanon_sql.certificate.status import Status
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.certificate.table_file import TableEvidence
from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.errors import CertificateError
from kanon_sql.model.validation import same_name
from kanon_sql.verification.cells.counted_source import count, source_columns
from kanon_sql.verification.cells.cuts_bound import proven
from kanon_sql.verification.cells.empty_cells import ImpossibleCells, check_cover, empty_cells
from kanon_sql.verification.cells.exchanges import Exchanges
from kanon_sql.verification.cells.joined_sets import check_complete, check_listed
from kanon_sql.verification.cells.joint_tables import JointTables, joint_tables
from kanon_sql.verification.cells.lone_rows import check_lone_rows
from kanon_sql.verification.cells.published_system import PublishedSystem
from kanon_sql.verification.cells.related_keys import related_keys
from kanon_sql.verification.cells.unlikely_pairs import UnlikelyPairs
from kanon_sql.verification.cells.witness_sums import check_witnesses

_BY_CUTS = ("line cuts", "minimum cuts of planes")
"""The arguments for a bound that its cuts prove."""

_OF_ALL = ("together", "base_cells", "cost", "status", "lower_bound", "bound_method")
"""What certificates of tables that were solved together say alike, besides their evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedTable:
    """The file of a certificate, and what that says."""

    document: Document
    certificate: TableCertificate
    evidence: TableEvidence
    joint: JointTables


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was found of all tables that a certificate is about."""

    system: PublishedSystem
    suppressed: frozenset[int]
    decimals: list[int]
    bound: int


def read_claims(document: Document) -> ClaimedTable:
    """Return what a certificate says."""
    certificate = TableCertificate.from_claims(document.claims)
    joint = joint_tables(certificate)
    if certificate.requirements != joint.tables[joint.own][1].requirements:
        raise CertificateError("requirements", "they differ from the rules in the certificate")
    return ClaimedTable(document=document, certificate=certificate, evidence=certificate.evidence, joint=joint)


def check_all(con: Any, first: ClaimedTable) -> Checked:
    """Check what a certificate says of all its tables."""
    claimed, evidence, joint = first.certificate, first.evidence, first.joint
    per, known = joint.tables[0][1].per, set(map(same_name, columns(con, "source")))
    named = source_columns(con, joint.whole, per)
    cells, decimals = count(con, joint.whole, per, joint.largest, named, joint.condition)
    require("base_cells", claimed.base_cells, len(cells))
    check_listed(joint.whole, evidence.joined_sets)
    related = related_keys(joint.whole, cells, known, joint.condition)
    impossible = ImpossibleCells(joint.whole, joint.tables)
    impossible.check_source(cells)
    empty = empty_cells(joint.whole, cells, evidence.empty_cells, related, impossible)
    unlikely = UnlikelyPairs(cells, len(joint.whole.keys))
    exchanges = Exchanges(joint.whole, joint.tables, cells, unlikely.related(impossible.related(related)))
    suppressed = frozenset((*evidence.primaries, *evidence.secondaries))
    system = PublishedSystem(
        joint.whole, joint.tables, [*cells, *empty], evidence.joined_sets, exchanges, (joint.earlier, suppressed)
    )
    check_cover(system, unlikely, len(cells))
    check_complete(system, exchanges)
    require("primaries", evidence.primaries, tuple(sorted(system.primaries)))
    _check_secondaries(system, evidence.secondaries)
    check_lone_rows(system, joint, suppressed, related, impossible)
    require("cost", claimed.cost, sum(system.costs[row] for row in evidence.secondaries if row not in system.kept))
    check_witnesses(system, suppressed, evidence.witnesses)
    bound = proven(system, evidence.cuts, evidence.scale)
    if bound > claimed.cost:
        raise CertificateError("cost", "the cuts prove that no table costs so little")
    if claimed.lower_bound > claimed.cost:
        raise CertificateError("lower_bound", "the bound is above the cost")
    if bound < claimed.lower_bound and claimed.bound_method in _BY_CUTS:
        raise CertificateError("lower_bound", f"{claimed.lower_bound}, but the cuts prove only {bound}")
    if (claimed.status is Status.OPTIMAL) != (claimed.cost == claimed.lower_bound):
        raise CertificateError("status", "it must be OPTIMAL if and only if the cost equals the lower bound")
    return Checked(system=system, suppressed=suppressed, decimals=decimals, bound=bound)


def check_alike(first: ClaimedTable, other: ClaimedTable, path: str) -> None:
    """Check that two certificates are about the same tables, with the same pattern."""
    if first is not other and first.certificate.together is None:
        raise CertificateError("together", f"{path} covers only one table; hint: verify each table alone")
    for field in _OF_ALL:
        if getattr(first.certificate, field) != getattr(other.certificate, field):
            raise CertificateError(field, f"{path} has a different value, so the tables were not solved together")
    for field in TableEvidence.__dataclass_fields__:
        if getattr(first.evidence, field) != getattr(other.evidence, field):
            raise CertificateError(field, f"{path} has different values, so the tables were not solved together")


def earlier_place(later: ClaimedTable, other: ClaimedTable) -> int | None:
    """Return which earlier table of a certificate the table of another one is; None if it is none."""
    joint = later.joint
    if other.certificate.together == later.certificate.together:
        return None
    shape, requested = other.joint.tables[other.joint.own]
    own = replace(shape, reads=()), requested
    return next(
        (
            place
            for place in range(len(joint.solved), len(joint.tables))
            if (replace(joint.tables[place][0], reads=()), joint.tables[place][1]) == own
        ),
        None,
    )


def require(field: str, claimed: object, found: object) -> None:
    """Refuse a claim that the source contradicts; the error shows no count."""
    if claimed != found:
        raise CertificateError(field, "it differs from the source")


def _check_secondaries(system: PublishedSystem, secondaries: tuple[int, ...]) -> None:
    if list(secondaries) != sorted({*secondaries}) or any(
        not (0 <= row < system.rows and system.is_seen(row)) for row in secondaries
    ):
        raise CertificateError("secondaries", "they list a row twice, or a row that is in no table")
    if system.primaries.intersection(secondaries):
        raise CertificateError("secondaries", "a listed row is primary")
    if any(system.has_to_be_shown(row) for row in (*system.primaries, *secondaries)):
        raise CertificateError("secondaries", "a row that must be shown is suppressed")
