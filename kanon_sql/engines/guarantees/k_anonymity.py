"""k-anonymity: the statement of a release counts the rows of its classes anyway."""

from __future__ import annotations

from kanon_sql.engines.guarantees.audited_guarantee import AuditedGuarantee
from kanon_sql.model.requirements import KAnonymity


class KAnonymityAudit(AuditedGuarantee[KAnonymity]):
    """At least k rows in a class."""

    macro = "k_anonymity"
    release = "k_anonymize('patients', 5)"
