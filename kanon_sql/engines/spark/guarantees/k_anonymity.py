"""k-anonymity: the statement that counts classes asks for k rows."""

from __future__ import annotations

from kanon_sql.engines.spark.guarantees.audited_guarantee import AuditedGuarantee
from kanon_sql.model.requirements import KAnonymity


class KAnonymityAudit(AuditedGuarantee[KAnonymity]):
    """At least k rows in a class."""
