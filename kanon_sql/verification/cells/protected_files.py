"""Protected tables are checked again from files: the source, and each table with its certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kanon_sql.certificate.file import Document
from kanon_sql.certificate.status import Status
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.certificate.table_file import PROTECTED
from kanon_sql.engines.duckdb.files.tables import load
from kanon_sql.errors import CertificateError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.verification.cells.joint_tables import JointTables
from kanon_sql.verification.cells.level_labels import load_hierarchies
from kanon_sql.verification.cells.published_system import PublishedSystem
from kanon_sql.verification.cells.released_rows import compare
from kanon_sql.verification.cells.table_claims import (
    Checked,
    ClaimedTable,
    check_alike,
    check_all,
    earlier_place,
    read_claims,
    require,
)
from kanon_sql.verification.certificates import UNPROVEN, lines_named, read_certificate

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.places import Place

_NONE: Mapping[str, Place] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedTable:
    """A protected table whose claims hold."""

    claimed: TableCertificate  # its certificate
    tabulation: Tabulation  # what it shows
    protection: Protection  # its requirement
    system: PublishedSystem  # the table without suppression, as its source gives it, with all that was solved together with it
    sets: Mapping[int, tuple[int, ...]]  # the numbers of its grouping sets in the system, each with its keys
    suppressed: frozenset[int]  # the rows that show no count and no sum
    bound: int  # what the cuts of the certificate prove of the cost
    joint: JointTables  # all tables that the certificate is about

    @property
    def tables(self) -> int:
        """Return how many tables were solved together."""
        return len(self.joint.solved)

    def checked(self) -> dict[str, str]:
        """Return what was checked, for people."""
        checked = Checked(system=self.system, suppressed=self.suppressed, decimals=[], bound=self.bound)
        return _report([self.claimed], self.joint, checked, 0)


def verify_table(con: Any, source: Place, release: Place, certificate: str) -> VerifiedTable:
    """Check the certificate of one protected table; arguments and errors as for `verify_tables`."""
    document = read_certificate(certificate, PROTECTED)
    with closing(con), lines_named(certificate, document):
        load(con, source, into="source")
        load(con, release, into="released")
        return verify_loaded(con, document)


def verify_loaded(con: Any, document: Document) -> VerifiedTable:
    """Check a certificate against the tables ``source`` and ``released`` of a connection.

    Raises
    ------
    AuditError
        When a claim does not hold.
    """
    claimed = read_claims(document)
    checked, joint = check_all(con, claimed), claimed.joint
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
        joint=joint,
    )


def verify_tables(
    con: Any, source: Place, files: Sequence[tuple[Place, str]], named_tables: Mapping[str, Place] = _NONE
) -> dict[str, str]:
    """Check the certificates of a protected table, of several that were solved together, and of earlier ones, field by field.

    Parameters
    ----------
    con : connection
        An empty DuckDB connection; it is closed in the end.
    source : Place
        What was counted.
    files : sequence of (Place, str)
        Each table, and the path of its certificate; at least one.
    named_tables : mapping of Place
        The tables that give levels of keys, by their names.

    Returns
    -------
    dict
        What was checked, for people.

    Raises
    ------
    AuditError
        When a claim does not hold; the message names the file and the line of the claim, and shows no count.
    """
    with closing(con):
        claimed = []
        for release, path in files:
            document = read_certificate(path, PROTECTED)
            with lines_named(path, document):
                claimed.append((release, path, read_claims(document)))
        load(con, source, into="source")
        load_hierarchies(con, named_tables)
        # the table that respects most earlier ones
        _, path, first = max(claimed, key=lambda each: each[2].joint.earlier)
        with lines_named(path, first.document):
            checked = check_all(con, first)
        before = {number: earlier_place(first, each) for number, (*_, each) in enumerate(claimed)}
        for number, (release, own, each) in enumerate(claimed):
            with lines_named(own, each.document):
                con.execute("DROP TABLE IF EXISTS released")
                load(con, release, into="released")
                _check_one(con, first, checked, each, (path, before[number]))
        together = [each for number, (*_, each) in enumerate(claimed) if before[number] is None]
        compared = [place for place in before.values() if place is not None]
        with lines_named(path, first.document):
            _check_once(first.joint, [each.joint.own for each in together] + compared)
        return _report([each.certificate for each in together], first.joint, checked, len(compared))


def _check_one(con: Any, first: ClaimedTable, checked: Checked, each: ClaimedTable, about: tuple[str, int | None]) -> None:
    """Check one of several tables: one that was solved with the first, or an earlier one, by its own certificate, too."""
    path, place = about
    if place is None:
        check_alike(first, each, path)
        _check_table(con, checked, each)
    else:
        _check_table(con, check_all(con, each), each)
        compare(con, checked.system, first.joint, place, checked.suppressed, checked.decimals)
    each.document.require_checksum()


def _check_table(con: Any, checked: Checked, claimed: ClaimedTable) -> None:
    """Check what a certificate says of its own table, and the rows of that."""
    certificate, system, joint = claimed.certificate, checked.system, claimed.joint
    all_rows = system.rows_of(joint.own)
    own = [row for row in all_rows if not system.is_empty(row)]
    primary = sum(row in system.primaries for row in own)
    require("rows", certificate.rows, len(own))
    require("empty_rows", certificate.empty_rows, len(all_rows) - len(own))
    require("primary", certificate.primary, primary)
    require("secondary", certificate.secondary, sum(row in checked.suppressed for row in own) - primary)
    compare(con, system, joint, joint.own, checked.suppressed, checked.decimals)


def _check_once(joint: JointTables, own: Sequence[int]) -> None:
    if any(own.count(place) > joint.tables.count(joint.tables[place]) for place in own):
        raise CertificateError("together", "a table is passed twice; hint: pass each table once, with its own certificate")


def _report(certificates: Sequence[TableCertificate], joint: JointTables, checked: Checked, compared: int) -> dict[str, str]:
    """Return what was checked; some earlier tables were compared."""
    first, system, bound = certificates[0], checked.system, checked.bound
    groups = sum(not system.is_seen(row) and system.needs_witness(row) for row in range(system.rows))
    joined = f"; {groups:,} for overlaps of rows" if groups else ""
    again = bound >= first.lower_bound
    proof = f"proven again: {bound:,}" if again else f"{UNPROVEN}: found by a search; the cuts prove {bound:,}"
    solved, not_compared = len(joint.solved), joint.earlier - compared
    left = f"; {how_many(solved - len(certificates), 'table')} not passed, so not compared" * (solved > len(certificates))
    later = f"; {how_many(not_compared, 'table')} not passed, so not compared" * (not_compared > 0)
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
        **({"together": f"{how_many(solved, 'table')}{left}"} if solved > 1 else {}),
        **({"earlier": f"{how_many(joint.earlier, 'table')} respected{later}"} if joint.earlier else {}),
        "witnesses": f"{first.witnesses:,}, each recomputed{joined}",
        "cost": f"{first.cost:,}",
        "lower bound": f"{first.lower_bound:,} by {first.bound_method}, {proof}",
        "status": first.status.value if again or first.status is not Status.OPTIMAL else f"{first.status.value} by that search",
        "only by the checksum": f"{'' if again else 'lower_bound, status, '}algorithm, seconds, number, warnings",
    }
