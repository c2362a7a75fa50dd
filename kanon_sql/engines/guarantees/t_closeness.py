"""t-closeness: how far each class is from the whole table, along a line or a tree, or by a table of distances."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.engines.guarantees.audited_guarantee import AuditedFigures, Figures, Sql
from kanon_sql.model.hierarchies import DEEPEST
from kanon_sql.model.requirements import TCloseness

_DECIMAL = r"""CASE WHEN system.main.regexp_full_match({0}, '-?[0-9]{{1,22}}(\.[0-9]{{1,15}})?')
     THEN TRY_CAST(system.main.replace(CAST(TRY_CAST({0} AS DECIMAL(38, 15)) AS VARCHAR), '.', '') AS HUGEINT) END"""
"""A decimal text as a whole number of units of 10^-15; NULL where that is not exact."""

_LABEL = 'system.main.concat(\'=\' || CAST("kanon#t".{} AS VARCHAR) COLLATE "binary")'
"""A value in a table of distances, as those of a tally are compared with it."""

_MOMENT = """CASE WHEN system.main.regexp_full_match(
        label, '[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?)?')
     THEN system.main.epoch_us(TRY_CAST(label AS TIMESTAMP))::HUGEINT END"""
"""A date or timestamp in microseconds."""


@dataclass(frozen=True, slots=True)
class TClosenessAudit(AuditedFigures[TCloseness]):
    """Every class is within t of the whole table."""

    macro = "t_closeness"
    release = "t_close('patients', 'disease', 0.2)"
    title = "t-closeness"
    worst = "numerator AS t_numerator, denominator AS t_denominator"

    @property
    def only_measured(self) -> bool:
        """Whether t is the greatest distance that there is."""
        return self.requirement.t >= 1

    def instead(self) -> str | None:
        """Return the metrics of an engine without recursion and without functions of ours, if this is none of them."""
        return None if self.requirement.metric in ("equal", "ordered") else "use the metric equal or ordered"

    def question(self, sql: Sql) -> str:
        """Return the distance of each class, in whole numbers."""
        t = self.ratio(t=self.requirement.t)
        match self.requirement.metric:
            case "equal":
                return sql.text("t_closeness_equal", **t)
            case "hierarchical":
                links = sql.links(self.requirement.hierarchy or "")
                return sql.text("t_closeness_tree", links=links, deepest=str(DEEPEST), **t)
            case "ordered":
                return sql.text("t_closeness_line", position="value::HUGEINT", **t)
            case "numeric":
                return sql.text("t_closeness_line", position=f"coalesce({_DECIMAL.format('label')}, {_MOMENT})", **t)
            case table:
                read = {"a": _LABEL.format("a"), "b": _LABEL.format("b"), "table": sql.table(table)}
                return sql.text("t_closeness_metric", distances=sql.text("t_closeness_distances", **read), **t)

    def arguments(self) -> dict[str, Any]:
        """Return the metric and the tree."""
        return {"metric": self.requirement.metric, "hierarchy": self.requirement.hierarchy}

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
