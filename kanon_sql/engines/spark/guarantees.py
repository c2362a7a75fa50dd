"""The guarantees on Spark: how the audit asks for them, and what it measures of them. Counts are compared as whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from kanon_sql.engines.guarantees import audited
from kanon_sql.engines.guarantees.audited_guarantee import Sql
from kanon_sql.engines.spark.connect.names import joined, literal, name_parts, quoted, text
from kanon_sql.errors import PolicyError
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Digits, Intervals, Levels
from kanon_sql.model.requirements import (
    KnownColumns,
    LDiversity,
    SensitiveRequirement,
    ThresholdRequirement,
    of_known,
)
from kanon_sql.model.validation import as_identifier, named_file

Ask = Callable[[str], dict[str, Any]]
"""Runs a statement, and returns its row."""


@dataclass(frozen=True, slots=True)
class SparkSql(Sql):
    """Questions about the tally of ``tally.sql``, whose values are structs: NULL is equal to itself in them."""

    tally: str = "tally"

    all_rows = "(SELECT sum(n) FROM tally)"  # a window over all rows would take one executor

    def text(self, name: str, **slots: str) -> str:
        """Return the text in the SQL of Spark; along a line it is another one, since Spark has no greatest common divisor."""
        if name == "t_closeness_line":
            return text(name, **slots)
        return Sql.text(self, name, **slots).replace("system.main.", "").replace("HUGEINT", "DECIMAL(38, 0)")

    def has(self, value: str) -> str:
        """Return whether the text of the value is that."""
        return f"CAST(label AS STRING) = {literal(value)}"

    def exactly(self, call: str) -> str:  # noqa: ARG002
        """Return that what is in doubt fails."""
        return "false"

    def table(self, name: str) -> str:
        """Return the name in quotes."""
        return joined(name_parts(name))

    def links(self, name: str) -> str:
        """Return nothing: `check_supported` refuses hierarchies."""
        raise NotImplementedError(name)


def check_supported(policy: Policy) -> None:
    """Refuse what Spark does not audit.

    Raises
    ------
    PolicyError
        When it is the entropy, a table of distances, another recoding, tokens, or the order of the source.
    """
    for requirement in policy.requirements:
        if hint := audited(requirement).instead():
            raise PolicyError(f"Spark does not audit {requirement.describe()}; hint: {hint}, or release the table with DuckDB")
    for qi in policy.quasi_identifiers:
        if qi.recoding is not None and not isinstance(qi.recoding, Digits | Intervals | Cuts | Coded | Levels):
            raise PolicyError(
                f"Spark does not support {type(qi.recoding).__name__.upper()} for {as_identifier(qi.column)}; hint: use "
                "DIGITS, INTERVALS, CUTS or HIERARCHY, or release the table with DuckDB"
            )
    if policy.pseudonyms:
        names = ", ".join(map(as_identifier, policy.pseudonyms))
        raise PolicyError(f"Spark cannot create tokens for {names}; hint: drop the column, or release with DuckDB")
    if any(named_file(name) is not None for name in policy.tables):
        raise PolicyError(
            "on Spark, a policy must refer to tables, not files; hint: create a view from spark.read.csv(...) and use its name"
        )
    if policy.row_order == "source":
        raise PolicyError("a DataFrame has no row order to keep; hint: omit row_order")


def check(requirement: SensitiveRequirement, looks: str, written: str) -> str:
    """Return the statement that counts the classes which break a requirement, and says what is known of the worst.

    Parameters
    ----------
    looks : str
        What defines classes.
    written : str
        The quoted name of the table or view.

    Raises
    ------
    PolicyError
        When a threshold has too many digits.
    """
    question = audited(requirement).question(SparkSql())
    return text("check", question=question, tally=_tally(requirement, looks, written), written=written)


def figures(requirement: ThresholdRequirement, ask: Ask, looks: str, written: str) -> dict[str, Any]:
    """Return the figures of a table with rows as those of `Audit`; see `check`."""
    guarantee, tally = audited(requirement), _tally(requirement, looks, written)
    if isinstance(requirement, LDiversity):  # the figures of all variants
        found = ask(text("l_diversity", tally=tally))
    else:
        question = guarantee.question(SparkSql())
        found = ask(text("worst", question=question, worst=guarantee.worst, tally=tally))["worst"]
    whole = {name: int(value) if isinstance(value, Decimal) else value for name, value in found.items()}
    return guarantee.audit({**whole, "classes": 1})


def _tally(requirement: SensitiveRequirement, looks: str, written: str) -> str:
    return text("tally", looks=looks, sensitive=quoted(requirement.sensitive), written=written)


def check_known(requirement: KnownColumns, units: Sequence[str], sets: Sequence[Sequence[int]], written: str) -> str:
    """Return the statement that counts the classes by some sets of known columns.

    Parameters
    ----------
    units : sequence of str
        What defines the values of each column, or group of linked columns.
    sets : sequence of sequence of int
        Places of these.
    written : str
        The quoted name of the table or view.

    Raises
    ------
    PolicyError
        When a threshold has too many digits.
    """
    of = of_known(requirement)
    places = sorted({place for each in sets for place in each})
    labels = [] if of is None else ["label"]
    slots = {
        "units": ", ".join(f"struct({units[place]}) AS u{place}" for place in places),
        "chosen": f"concat({', '.join(f'grouping(u{place})' for place in places)})",
        "sets": ", ".join(f"({', '.join([*(f'u{place}' for place in each), *labels])})" for each in sets),
        "written": written,
    }
    if of is None:
        return text("known_columns", k=str(requirement.least), **slots)
    names = ", ".join(f"u{place}" for place in places)
    question = audited(of).question(SparkSql())
    return text("known_columns_values", names=names, sensitive=quoted(of.sensitive), question=question, **slots)
