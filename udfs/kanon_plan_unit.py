"""`kanon_plan_unit(source, wide, unit, surface)`: the query of the evidence, over the columns just heard."""

from __future__ import annotations

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.unit import KEYS, evidence_query
from kanon_sql.model.policy_checks import OWN
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit import Unit
from kanon_sql.model.validation import same_name


def plan(session: Session, source: str, wide: str, unit: str, surface: Surface) -> str:
    """Return the query; runs when the statement is bound."""
    heard = (session.binding.columns(key) for key in KEYS)
    released, every = ([name for name in each if not same_name(name).startswith(OWN)] for each in heard)
    return evidence_query((source, wide), (released, every), Unit.from_json(unit), surface)


FUNCTION = Function(name="kanon_plan_unit", returns="VARCHAR", call=plan, refused=refusing_query)
