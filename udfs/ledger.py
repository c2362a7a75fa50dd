"""`ledger_audit(file)`: the small groups that the published tables of a ledger prove together."""

from __future__ import annotations

import json
from typing import Any

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.validation import named

_COLUMNS = {
    "small_group": "VARCHAR",
    "least": "BIGINT",
    "most": "BIGINT",
    "proof": "VARCHAR",
    "decided": "BOOLEAN",
    "chain": "VARCHAR",
}


def audit(session: Session, file: Any, n: Any, time_limit: Any) -> list[dict[str, Any]]:
    """Return one struct per provable group, and one per group or table that could not be decided."""
    from kanon_sql.engines.duckdb.cells.remembered_source import ledger_path
    from kanon_sql.engines.duckdb.ledger.auditing import audit_of, audited, contradictions, in_words, not_audited
    from kanon_sql.engines.duckdb.ledger.ledger_file import attached, entries
    from kanon_sql.solvers.budget import Budget

    path = ledger_path(named(file, "the ledger", "the path of a ledger", "write ledger_audit('research.duckdb')"))
    if time_limit is not None and not (isinstance(time_limit, int | float) and time_limit > 0):
        raise PolicyError("time_limit must be a number of seconds above 0; hint: write time_limit := 60")
    if not path.is_file():
        raise SourceError(f"there is no ledger {path.name}; hint: create it with kanon ledger add")
    with session.cursor() as con, attached(con, path) as database:
        there = entries(con, database)
    found = audit_of(audited(there), n, Budget(seconds=None if time_limit is None else float(time_limit)))
    rows = [
        (each.group, each.least, each.most, each.text, True, json.dumps([link.to_dict() for link in each.chain]))
        for each in found.findings
    ]
    rows += [(each, None, None, None, False, None) for each in found.undecided]
    rows += [(None, None, None, f"contradiction: {each}", False, None) for each in contradictions(found)]
    rows += [(None, None, None, in_words(left_out), False, None)] if (left_out := not_audited(there)) else []
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]


FUNCTIONS = (
    Function(
        name="kanon_ledger_audit",
        returns=f"STRUCT({', '.join(f'{name} {kind}' for name, kind in _COLUMNS.items())})[]",
        call=audit,
        side_effects=True,
    ),
)

MACROS = (
    "ledger_audit(file, n := 5, time_limit := NULL) AS TABLE "
    "SELECT system.main.unnest(system.main.kanon_ledger_audit(file, n, time_limit), recursive := true)",
)
