"""Protected tables are checked again from files: the source, and each table with its certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kanon_sql.certificate.file import Document
from kanon_sql.certificate.status import Status
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.certificate.table_evidence import TableEvidence
from kanon_sql.certificate.table_file import PROTECTED
from kanon_sql.engines.duckdb.files import load
from kanon_sql.errors import CertificateError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.verification.cells.counted_source import count, source_columns
from kanon_sql.verification.cells.cuts_bound import proven
from kanon_sql.verification.cells.empty_cells import empty_cells
from kanon_sql.verification.cells.exchanges import Exchanges
from kanon_sql.verification.cells.joined_sets import check_complete, check_listed
from kanon_sql.verification.cells.joint_tables import JointTables, joint_tables
from kanon_sql.verification.cells.lone_rows import check_lone_rows
from kanon_sql.verification.cells.published_system import PublishedSystem
from kanon_sql.verification.cells.related_keys import related_keys
from kanon_sql.verification.cells.released_rows import compare
from kanon_sql.verification.cells.witness_sums import check_witnesses
from kanon_sql.verification.certificates import lines_named, read_certificate

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.places import Place

_BY_CUTS = ("line cuts", "minimum cuts of planes")
"""The arguments for a bound that its cuts prove."""

_OF_ALL = ("together", "base_cells", "cost", "status", "lower_bound", "bound_method")
"""What certificates of tables that were solved together say alike, besides their evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claimed:
    """The file of a certificate, and what that says."""

    document: Document
    certificate: TableCertificate
    evidence: TableEvidence
    joint: JointTables


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """What was found of all tables that a certificate is about."""

    system: PublishedSystem
    suppressed: frozenset[int]
    decimals: list[int]
    bound: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedTable:
    """A protected table whose claims hold.

    Attributes
    ----------
    claimed : TableCertificate
        Its certificate.
    tabulation, protection : Tabulation, Protection
        What it shows, and what was asked of it.
    system : PublishedSystem
        The table without suppression, as its source gives it, with all that was solved together with it.
    sets : mapping
        The numbers of its grouping sets in the system, each with its keys.
    suppressed : frozenset of int
        The rows that show no count and no sum.
    bound : int
        What the cuts of the certificate prove of the cost.
    tables : int
        How many tables were solved together.
    """

    claimed: TableCertificate
    tabulation: Tabulation
    protection: Protection
    system: PublishedSystem
    sets: Mapping[int, tuple[int, ...]]
    suppressed: frozenset[int]
    bound: int
    tables: int

    def checked(self) -> dict[str, str]:
        """Return what was checked, for people."""
        return _report([self.claimed], self.tables, self.bound, self.system)


def verify_table(con: Any, source: Place, release: Place, certificate: str, delimiter: str) -> VerifiedTable:
    """Check the certificate of one protected table; arguments and errors as for `verify_tables`."""
    document = read_certificate(certificate, PROTECTED)
    with closing(con), lines_named(certificate, document):
        load(con, source, into="source", delimiter=delimiter)
        load(con, release, into="released", delimiter=delimiter)
        return verify_loaded(con, document)


def verify_loaded(con: Any, document: Document) -> VerifiedTable:
    """Check a certificate against the tables ``source`` and ``released`` of a connection.

    Raises
    ------
    AuditError
        When a claim does not hold.
    """
    claimed = _claimed(document)
    checked, joint = _check_all(con, claimed), claimed.joint
    _check_table(con, checked, claimed)
    document.require_checksum()
    tabulation, protection = joint.tables[joint.own]
    return VerifiedTable(
        claimed=claimed.certificate,
        tabulation=tabulation,
        protection=protection,
        system=checked.system,
        sets=joint.sets_of(joint.own),
        suppressed=checked.suppressed,
        bound=checked.bound,
        tables=len(joint.tables),
    )


def verify_tables(con: Any, source: Place, files: Sequence[tuple[Place, str]], delimiter: str) -> dict[str, str]:
    """Check the certificates of a protected table, or of several that were solved together, field by field.

    Parameters
    ----------
    con : connection
        An empty DuckDB connection; it is closed in the end.
    source : Place
        What was counted.
    files : sequence of (Place, str)
        Each table, and the path of its certificate; at least one.
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
    paths = [path for _, path in files]
    with closing(con):
        claimed = []
        for path in paths:
            document = read_certificate(path, PROTECTED)
            with lines_named(path, document):
                claimed.append(_claimed(document))
        first = claimed[0]
        load(con, source, into="source", delimiter=delimiter)
        with lines_named(paths[0], first.document):
            checked = _check_all(con, first)
        for (release, path), each in zip(files, claimed, strict=True):
            with lines_named(path, each.document):
                _check_alike(first, each, paths[0])
                con.execute("DROP TABLE IF EXISTS released")
                load(con, release, into="released", delimiter=delimiter)
                _check_table(con, checked, each)
                each.document.require_checksum()
        with lines_named(paths[0], first.document):
            _check_once(first.joint, [each.joint.own for each in claimed])
        return _report([each.certificate for each in claimed], len(first.joint.tables), checked.bound, checked.system)


def _claimed(document: Document) -> _Claimed:
    certificate = TableCertificate.from_claims(document.claims)
    evidence = certificate.evidence
    if evidence is None:
        raise CertificateError("witnesses", "is missing")
    joint = joint_tables(certificate)
    if certificate.requirements != joint.tables[joint.own][1].requirements:
        raise CertificateError("requirements", "they differ from the rules in the certificate")
    return _Claimed(document=document, certificate=certificate, evidence=evidence, joint=joint)


def _check_all(con: Any, first: _Claimed) -> _Checked:
    """Check what a certificate says of all its tables."""
    claimed, evidence, joint = first.certificate, first.evidence, first.joint
    per = joint.tables[0][1].per
    cells, decimals = count(con, joint.whole, per, joint.largest, source_columns(con, joint.whole, per))
    _require("base_cells", claimed.base_cells, len(cells))
    check_listed(joint.whole, evidence.joined_sets)
    related = related_keys(joint.whole, cells)
    empty = empty_cells(joint.whole, cells, evidence.empty_cells, related)
    exchanges = Exchanges(joint.whole, joint.tables, cells, related)
    system = PublishedSystem(joint.whole, joint.tables, [*cells, *empty], evidence.joined_sets, exchanges)
    check_complete(system, exchanges)
    suppressed = frozenset((*evidence.primaries, *evidence.secondaries))
    _require("primaries", evidence.primaries, tuple(sorted(system.primaries)))
    _check_secondaries(system, evidence.secondaries)
    check_lone_rows(system, joint, suppressed, related)
    _require("cost", claimed.cost, sum(system.costs[row] for row in evidence.secondaries))
    check_witnesses(system, suppressed, evidence.witnesses)
    bound = proven(system, evidence.cuts, evidence.scale)
    if bound > claimed.cost:
        raise CertificateError("cost", "the cuts prove that no table costs so little")
    if claimed.lower_bound > claimed.cost:
        raise CertificateError("lower_bound", "is above the cost")
    if bound < claimed.lower_bound and claimed.bound_method in _BY_CUTS:
        raise CertificateError("lower_bound", f"{claimed.lower_bound}, but the cuts prove only {bound}")
    if (claimed.status is Status.OPTIMAL) != (claimed.cost == claimed.lower_bound):
        raise CertificateError("status", "it is OPTIMAL if, and only if, the cost is the lower bound")
    return _Checked(system=system, suppressed=suppressed, decimals=decimals, bound=bound)


def _check_alike(first: _Claimed, other: _Claimed, path: str) -> None:
    """Check that two certificates are about the same tables, with the same pattern."""
    if first is not other and first.certificate.together is None:
        raise CertificateError("together", f"{path} is about one table; hint: verify each table alone")
    for field in _OF_ALL:
        if getattr(first.certificate, field) != getattr(other.certificate, field):
            raise CertificateError(field, f"{path} says something else, so the tables were not solved together")
    for field in TableEvidence.__dataclass_fields__:
        if getattr(first.evidence, field) != getattr(other.evidence, field):
            raise CertificateError(field, f"{path} has others, so the tables were not solved together")


def _check_table(con: Any, checked: _Checked, claimed: _Claimed) -> None:
    """Check what a certificate says of its own table, and the rows of that."""
    certificate, system, joint = claimed.certificate, checked.system, claimed.joint
    sets = joint.sets_of(joint.own)
    all_rows = [row for row in range(system.rows) if system.sets[row] in sets]
    own = [row for row in all_rows if not system.is_empty(row)]
    primary = sum(row in system.primaries for row in own)
    _require("rows", certificate.rows, len(own))
    _require("empty_rows", certificate.empty_rows, len(all_rows) - len(own))
    _require("primary", certificate.primary, primary)
    _require("secondary", certificate.secondary, sum(row in checked.suppressed for row in own) - primary)
    compare(con, system, joint, joint.own, checked.suppressed, checked.decimals)


def _check_once(joint: JointTables, own: Sequence[int]) -> None:
    if any(own.count(place) > joint.tables.count(joint.tables[place]) for place in own):
        raise CertificateError("together", "a table is given twice; hint: give each table with its own certificate")


def _require(field: str, claimed: object, found: object) -> None:
    """Refuse a claim that the source contradicts; the error shows no count."""
    if claimed != found:
        raise CertificateError(field, "the source gives others")


def _check_secondaries(system: PublishedSystem, secondaries: tuple[int, ...]) -> None:
    if list(secondaries) != sorted({*secondaries}) or any(
        not (0 <= row < system.rows and system.is_seen(row)) for row in secondaries
    ):
        raise CertificateError("secondaries", "they name a row twice, or one that no table has")
    if system.primaries.intersection(secondaries):
        raise CertificateError("secondaries", "one of them is primary")
    if any(system.has_to_be_shown(row) for row in (*system.primaries, *secondaries)):
        raise CertificateError("secondaries", "a row is suppressed that has to be shown")


def _report(certificates: Sequence[TableCertificate], tables: int, bound: int, system: PublishedSystem) -> dict[str, str]:
    first = certificates[0]
    groups = sum(not system.is_seen(row) and system.needs_witness(row) for row in range(system.rows))
    joined = f"; {groups:,} for groups that rows name together" if groups else ""
    again = bound >= first.lower_bound
    proof = f"proven again: {bound:,}" if again else f"not checked again: a search; the cuts prove {bound:,}"
    missing = tables - len(certificates)
    left = f"; {how_many(missing, 'table')} not given, so not compared" if missing else ""
    return {
        "guarantee": "; ".join(dict.fromkeys(", ".join(each.requirements) for each in certificates)),
        **{
            "table" if len(certificates) == 1 else f"table {place}": (
                f"{how_many(each.rows, 'row')}, each a sum of the source or suppressed: "
                f"{each.primary:,} primary, {each.secondary:,} secondary"
                + (f", and {how_many(each.empty_rows, 'empty row')}" if each.empty_rows else "")
            )
            for place, each in enumerate(certificates, 1)
        },
        **({} if first.together is None else {"together": f"{how_many(tables, 'table')}{left}"}),
        "witnesses": f"{first.witnesses:,}, each added up{joined}",
        "cost": f"{first.cost:,}",
        "lower bound": f"{first.lower_bound:,} by {first.bound_method}, {proof}",
        "status": first.status.value if again or first.status is not Status.OPTIMAL else f"{first.status.value} by that search",
        "only by the checksum": f"{'' if again else 'lower_bound, status, '}algorithm, seconds, number, warnings",
    }
