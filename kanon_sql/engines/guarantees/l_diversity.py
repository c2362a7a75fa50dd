"""l-diversity: the values of each class are diverse, in one of four variants."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from kanon_sql.engines.guarantees.audited_guarantee import AuditedFigures, Figures, Sql
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import LDiversity


@dataclass(frozen=True, slots=True)
class LDiversityAudit(AuditedFigures[LDiversity]):
    """The values of each class by their number, by the greatest counter, by their entropy, or by all counters."""

    macro = "l_diversity"
    release = "l_diversify('patients', 'disease', 2)"
    title = "l-diversity"
    unions_keep = True

    @property
    def only_measured(self) -> bool:
        """Whether l is 1, which every class has."""
        return self.requirement.l == 1 and self.requirement.c is None

    def instead(self) -> str | None:
        """Return the other variants if this is the entropy, which a function in Python decides where floats leave a doubt."""
        return "use the variant frequency, distinct or recursive" if self.requirement.variant == "entropy" else None

    def question(self, sql: Sql) -> str:
        """Return the diversity of each class; where floats leave a doubt about the entropy, whole numbers decide."""
        requirement = self.requirement
        if requirement.c is None:
            return sql.text(f"l_diversity_{requirement.variant}", **self.ratio(l=requirement.l))
        return sql.text(f"l_diversity_{requirement.variant}", l=str(requirement.l), **self.ratio(c=requirement.c))

    def arguments(self) -> dict[str, Any]:
        """Return the l of the recursive figures; for the others the macro only counts the classes below it."""
        return {"l": max(1 if self.requirement.variant == "recursive" else 2, ceil(self.requirement.l))}

    def keeps(self, figures: Figures) -> tuple[bool, str]:
        """Return the figures of the worst class; the entropy is compared as reported, to 9 decimal places."""
        requirement = self.requirement
        match requirement.variant:
            case "frequency":
                size, count = figures["worst_size"], figures["worst_count"]
                return count * requirement.l <= size, f"in the worst class, one value has {count} of {how_many(size, 'row')}"
            case "distinct":
                different = figures["distinct_l"]
                return different >= requirement.l, f"the worst class has {how_many(different, 'different value')}"
            case "entropy":
                values = figures["entropy_l"]
                return Fraction(str(values)) >= requirement.l, f"the least entropy is that of {values} values"
            case _:
                top, rest = figures["recursive_top"], figures["recursive_rest"]
                found = (
                    f"in the worst class, the most frequent value has {how_many(top, 'row')} and those from place "
                    f"{requirement.l} on {rest}"
                )
                return requirement.c is not None and top < requirement.c * rest, found

    def words(self, figures: Figures) -> list[tuple[str, str]]:
        """Return the figures of all variants."""
        frequency = _frequency(figures)
        if frequency is None:
            return [("least diverse class", "-")]
        worst = [
            ("fewest different values in a class", f"{figures['distinct_l']:,}"),
            ("largest share of one value in a class", f"{float(1 / frequency):.1%}"),
            ("least entropy of a class, as equally frequent values", f"{figures['entropy_l']:.4g}"),
        ]
        if self.requirement.variant == "recursive":
            worst.append((f"largest c of recursive {self.requirement.l}-diversity in a class", f"{figures['recursive_c']:.4g}"))
        return worst

    def audit(self, figures: Figures) -> dict[str, Any]:
        """Return the figures of all variants but the recursive one."""
        return {
            "distinct_l": figures["distinct_l"],
            "frequency_l": _frequency(figures),
            "entropy_l": figures["entropy_l"],
        }


def _frequency(figures: Figures) -> Fraction | None:
    """Return the greatest l for which a table is frequency l-diverse; None if it has no rows."""
    return Fraction(figures["worst_size"], figures["worst_count"]) if figures["classes"] else None
