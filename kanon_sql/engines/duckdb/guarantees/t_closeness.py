"""t-closeness: how far each class is from the whole table, along a line or a tree, or by a table of distances."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.engines.duckdb.audit.measures import Figures
from kanon_sql.engines.duckdb.gather.from_items import from_item, hierarchy
from kanon_sql.engines.duckdb.guarantees.audited_guarantee import AuditedFigures
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.texts import guarantee_text, tree_links
from kanon_sql.model.hierarchies import DEEPEST
from kanon_sql.model.requirements import TCloseness
from kanon_sql.model.validation import named_file

_DECIMAL = r"""CASE WHEN system.main.regexp_full_match({0}, '-?[0-9]{{1,22}}(\.[0-9]{{1,15}})?')
     THEN TRY_CAST(system.main.replace(CAST(TRY_CAST({0} AS DECIMAL(38, 15)) AS VARCHAR), '.', '') AS HUGEINT) END"""
"""A decimal text as a whole number of units of 10^-15; NULL where that is not exact."""

NUMBER = r"^-?([0-9]{0,37})(?:\.([0-9]{0,37}))?(?:[eE]([+-]?[0-9]{1,3}))?$"
"""A distance that is no quotient: the digits before and behind its point, and its exponent."""

_MOMENT = """CASE WHEN system.main.regexp_full_match(
        label, '[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?)?')
     THEN system.main.epoch_us(TRY_CAST(label AS TIMESTAMP))::HUGEINT END"""
"""A date or timestamp in microseconds."""


@dataclass(frozen=True, slots=True)
class TClosenessAudit(AuditedFigures[TCloseness]):
    """Every class is within t of the whole table."""

    macro = "t_closeness"
    title = "t-closeness"

    @property
    def only_measured(self) -> bool:
        """Whether t is the greatest distance that there is."""
        return self.requirement.t >= 1

    def question(self, tally: str) -> str:
        """Return the distance of each class, in whole numbers."""
        slots = {"tally": tally, **self.ratio(t=self.requirement.t)}
        match self.requirement.metric:
            case "equal":
                return guarantee_text("t_closeness_tree", edges=guarantee_text("t_closeness_edges_equal", tally=tally), **slots)
            case "hierarchical":
                links = tree_links(hierarchy(self.requirement.hierarchy))
                edges = guarantee_text("t_closeness_edges_hierarchical", tally=tally, links=links, deepest=str(DEEPEST))
                return guarantee_text("t_closeness_tree", edges=edges, **slots)
            case "ordered":
                return guarantee_text("t_closeness_line", position="value::HUGEINT", **slots)
            case "numeric":
                return guarantee_text("t_closeness_line", position=f"coalesce({_DECIMAL.format('label')}, {_MOMENT})", **slots)
            case table:
                distances = guarantee_text("t_closeness_distances", table=from_item(table), decimal=NUMBER)
                return guarantee_text("t_closeness_metric", distances=distances, **slots)

    def arguments(self, con: Any) -> dict[str, Any]:
        """Return the metric and the tree; a file becomes a view, as the macro takes the name of a table."""
        named = {"metric": self.requirement.metric, "hierarchy": self.requirement.hierarchy}
        for role, name in named.items():
            if name is not None and named_file(name) is not None:
                source = hierarchy(name) if role == "hierarchy" else from_item(name)
                named[role] = f"kanon_{role}"
                con.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(f'kanon_{role}')} AS FROM {source}")
        return named

    def keeps(self, figures: Figures) -> tuple[bool, str]:
        """Return the distance of the farthest class."""
        distance = _distance(figures) or 0
        return distance <= self.requirement.t, f"the farthest class is at a distance of {float(distance):.6f}"

    def words(self, figures: Figures) -> list[tuple[str, str]]:
        """Return the distance of the farthest class."""
        distance = _distance(figures)
        farthest = "-" if distance is None else f"{float(distance):.6f}"
        return [(f"distance of the farthest class from the whole table ({self.requirement.metric})", farthest)]

    def audit(self, figures: Figures) -> dict[str, Any]:
        """Return the distance of the farthest class."""
        return {"t": _distance(figures)}


def _distance(figures: Figures) -> Fraction | None:
    """Return the distance of the farthest class; None if a table has no rows."""
    return Fraction(figures["t_numerator"], figures["t_denominator"]) if figures["classes"] else None
