"""Anonymize a table inside DuckDB: least suppression, a certificate, and an audit in plain SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate, Release
    from kanon_sql.certificate.history_certificate import HistoryCertificate, LinkedRelease
    from kanon_sql.certificate.table_certificate import ProtectedTable, TableCertificate
    from kanon_sql.engines.audit_figures import Audit
    from kanon_sql.engines.cells.table_audit import TableAudit
    from kanon_sql.engines.duckdb.append.append import append
    from kanon_sql.engines.duckdb.append.batch import Batch
    from kanon_sql.engines.duckdb.audit.count_tables import audit_table
    from kanon_sql.engines.duckdb.audit.figures_of_table import audit
    from kanon_sql.engines.duckdb.audit.intersection import IntersectionRisk, intersection_risk
    from kanon_sql.engines.duckdb.cells.protecting import protect, protect_together
    from kanon_sql.engines.duckdb.connect.certificates import protected_tables, releases
    from kanon_sql.engines.duckdb.connect.connection import connect, register
    from kanon_sql.engines.duckdb.database.whole_database import release_database
    from kanon_sql.engines.duckdb.histories.release import link_histories
    from kanon_sql.engines.duckdb.ledger.auditing import ledger_audit
    from kanon_sql.engines.duckdb.policies.suggestion import suggest
    from kanon_sql.engines.duckdb.release.anonymization import anonymize
    from kanon_sql.engines.duckdb.release.imputing import impute
    from kanon_sql.engines.ledger.audit import LedgerAudit
    from kanon_sql.errors import KanonWarning, UnlistedColumnError
    from kanon_sql.model.policy import Policy
    from kanon_sql.model.published_table import PublishedRow, PublishedTable
    from kanon_sql.model.refusals import IdentifierError
    from kanon_sql.model.repetition import RepeatedPeopleError
    from kanon_sql.model.requirements import (
        AlphaAnonymity,
        BetaLikeness,
        DeltaDisclosure,
        DeltaPresence,
        KAnonymity,
        KMap,
        KnownColumns,
        LDiversity,
        People,
        TCloseness,
    )
    from kanon_sql.model.suggested_policy import Suggestion
    from kanon_sql.report.comparison import Comparison, compare

__version__ = "0.1.0"

_HOMES = {
    "connect": "kanon_sql.engines.duckdb.connect.connection",
    "register": "kanon_sql.engines.duckdb.connect.connection",
    "protected_tables": "kanon_sql.engines.duckdb.connect.certificates",
    "releases": "kanon_sql.engines.duckdb.connect.certificates",
    "anonymize": "kanon_sql.engines.duckdb.release.anonymization",
    "append": "kanon_sql.engines.duckdb.append.append",
    "Batch": "kanon_sql.engines.duckdb.append.batch",
    "audit": "kanon_sql.engines.duckdb.audit.figures_of_table",
    "Audit": "kanon_sql.engines.audit_figures",
    "audit_table": "kanon_sql.engines.duckdb.audit.count_tables",
    "TableAudit": "kanon_sql.engines.cells.table_audit",
    "impute": "kanon_sql.engines.duckdb.release.imputing",
    "intersection_risk": "kanon_sql.engines.duckdb.audit.intersection",
    "IntersectionRisk": "kanon_sql.engines.duckdb.audit.intersection",
    "suggest": "kanon_sql.engines.duckdb.policies.suggestion",
    "Suggestion": "kanon_sql.model.suggested_policy",
    "compare": "kanon_sql.report.comparison",
    "Comparison": "kanon_sql.report.comparison",
    "IdentifierError": "kanon_sql.model.refusals",
    "RepeatedPeopleError": "kanon_sql.model.repetition",
    "UnlistedColumnError": "kanon_sql.errors",
    "KanonWarning": "kanon_sql.errors",
    "Certificate": "kanon_sql.certificate",
    "Release": "kanon_sql.certificate",
    "release_database": "kanon_sql.engines.duckdb.database.whole_database",
    "link_histories": "kanon_sql.engines.duckdb.histories.release",
    "ledger_audit": "kanon_sql.engines.duckdb.ledger.auditing",
    "LedgerAudit": "kanon_sql.engines.ledger.audit",
    "PublishedRow": "kanon_sql.model.published_table",
    "PublishedTable": "kanon_sql.model.published_table",
    "HistoryCertificate": "kanon_sql.certificate.history_certificate",
    "LinkedRelease": "kanon_sql.certificate.history_certificate",
    "protect": "kanon_sql.engines.duckdb.cells.protecting",
    "protect_together": "kanon_sql.engines.duckdb.cells.protecting",
    "ProtectedTable": "kanon_sql.certificate.table_certificate",
    "TableCertificate": "kanon_sql.certificate.table_certificate",
    "Policy": "kanon_sql.model.policy",
    "KAnonymity": "kanon_sql.model.requirements",
    "People": "kanon_sql.model.requirements",
    "LDiversity": "kanon_sql.model.requirements",
    "AlphaAnonymity": "kanon_sql.model.requirements",
    "KMap": "kanon_sql.model.requirements",
    "KnownColumns": "kanon_sql.model.requirements",
    "DeltaPresence": "kanon_sql.model.requirements",
    "BetaLikeness": "kanon_sql.model.requirements",
    "DeltaDisclosure": "kanon_sql.model.requirements",
    "TCloseness": "kanon_sql.model.requirements",
}

__all__ = [
    "AlphaAnonymity",
    "Audit",
    "Batch",
    "BetaLikeness",
    "Certificate",
    "Comparison",
    "DeltaDisclosure",
    "DeltaPresence",
    "HistoryCertificate",
    "IdentifierError",
    "IntersectionRisk",
    "KAnonymity",
    "KMap",
    "KanonWarning",
    "KnownColumns",
    "LDiversity",
    "LedgerAudit",
    "LinkedRelease",
    "People",
    "Policy",
    "ProtectedTable",
    "PublishedRow",
    "PublishedTable",
    "Release",
    "RepeatedPeopleError",
    "Suggestion",
    "TCloseness",
    "TableAudit",
    "TableCertificate",
    "UnlistedColumnError",
    "anonymize",
    "append",
    "audit",
    "audit_table",
    "compare",
    "connect",
    "impute",
    "intersection_risk",
    "ledger_audit",
    "link_histories",
    "protect",
    "protect_together",
    "protected_tables",
    "register",
    "release_database",
    "releases",
    "suggest",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import kanon_sql` alone loads neither DuckDB nor Arrow."""
    from importlib import import_module

    if name == "spark":
        return import_module("kanon_sql.spark")
    if name not in _HOMES:
        raise AttributeError(f"module 'kanon_sql' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def load_ipython_extension(shell: Any) -> None:
    """Give a notebook the magic ``%%kanon``: ``%load_ext kanon_sql``."""
    from importlib import import_module

    import_module("kanon_sql.engines.notebook.magic").load(shell)


def __dir__() -> list[str]:
    """Return the public names too, so that completion finds what is not imported yet."""
    return sorted({*globals(), *_HOMES, "spark"})
