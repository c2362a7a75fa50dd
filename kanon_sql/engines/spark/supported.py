"""Which policies Spark releases: the others are refused, and told what works."""

from __future__ import annotations

from kanon_sql.errors import PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Digits, Intervals, Levels
from kanon_sql.model.requirements import DeltaPresence, KMap, LDiversity, People, Requirement, TCloseness
from kanon_sql.model.validation import as_identifier, named_file

VARIANTS = ("frequency", "distinct", "recursive")

METRICS = ("equal", "ordered")


def check_supported(policy: Policy) -> None:
    """Refuse what Spark does not audit.

    Raises
    ------
    PolicyError
        When it is people, the entropy, a table of distances, another recoding, or the order of the source.
    """
    for requirement in policy.requirements:
        check_requirement(requirement)
    for qi in policy.quasi_identifiers:
        if qi.recoding is not None and not isinstance(qi.recoding, Digits | Intervals | Levels):
            raise PolicyError(
                f"Spark does not release {as_identifier(qi.column)} in {type(qi.recoding).__name__.upper()}; hint: DIGITS, "
                "INTERVALS or HIERARCHY, or release it with DuckDB"
            )
    if any(named_file(name) is not None for name in policy.tables):
        raise PolicyError("Spark reads no file in the place of a table; hint: make a view of spark.read.csv(...), and name it")
    if policy.row_order == "source":
        raise PolicyError("the rows of a DataFrame have no order that could be kept; hint: leave row_order out")


def check_requirement(requirement: Requirement) -> None:
    """Refuse a requirement that Spark does not audit.

    Raises
    ------
    PolicyError
        With what it audits.
    """
    match requirement:
        case KMap() | DeltaPresence():
            hint = "ask for k >= 5, which counts the rows of the release"
        case People():
            hint = "rows are counted: leave PER out, or keep one row of each person"
        case LDiversity(variant=variant) if variant not in VARIANTS:
            hint = f"the variants {', '.join(VARIANTS)}"
        case TCloseness(metric=metric) if metric not in METRICS:
            hint = f"the metrics {', '.join(METRICS)}"
        case _:
            return
    raise PolicyError(f"Spark does not audit {requirement.describe()}; hint: {hint}; or release it with DuckDB")
