"""`kanon_audited(release, classes, smallest)`: the audit, in SQL, tells that the released rows passed."""

from __future__ import annotations

from kanon_sql.engines.duckdb.functions import Function
from kanon_sql.engines.duckdb.session import Session


def audited(session: Session, release: int, classes: int, smallest: int) -> bool:
    """Note the counts of the audit on the certificate of the release."""
    session.passed(release, classes, smallest)
    return True


FUNCTION = Function(name="kanon_audited", returns="BOOLEAN", call=audited, side_effects=True)
