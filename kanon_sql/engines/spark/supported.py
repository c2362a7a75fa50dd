"""Which policies Spark releases: the others are refused, with a hint at what works."""

from __future__ import annotations

from kanon_sql.engines.spark.guarantees import refuse_unsupported
from kanon_sql.errors import PolicyError
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Digits, Intervals, Levels
from kanon_sql.model.validation import as_identifier, named_file


def check_supported(policy: Policy) -> None:
    """Refuse what Spark does not audit.

    Raises
    ------
    PolicyError
        When it is the entropy, a table of distances, another recoding, tokens, or the order of the source.
    """
    for requirement in policy.requirements:
        refuse_unsupported(requirement)
    for qi in policy.quasi_identifiers:
        if qi.recoding is not None and not isinstance(qi.recoding, Digits | Intervals | Cuts | Coded | Levels):
            raise PolicyError(
                f"Spark does not release {as_identifier(qi.column)} in {type(qi.recoding).__name__.upper()}; hint: DIGITS, "
                "INTERVALS, CUTS or HIERARCHY, or release it with DuckDB"
            )
    if policy.pseudonyms:
        names = ", ".join(map(as_identifier, policy.pseudonyms))
        raise PolicyError(f"Spark makes no tokens of {names}; hint: drop the column, or release with DuckDB")
    if any(named_file(name) is not None for name in policy.tables):
        raise PolicyError("Spark cannot read a file instead of a table; hint: make a view of spark.read.csv(...), and name it")
    if policy.row_order == "source":
        raise PolicyError("the rows of a DataFrame have no order that could be kept; hint: leave row_order out")
