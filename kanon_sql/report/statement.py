"""What a release guarantees, and what it does not: the statement for a data-protection officer, with its figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable
from kanon_sql.model.requirements import KnownColumns, People
from kanon_sql.report.cautions import cautions
from kanon_sql.report.claims import Claim
from kanon_sql.report.measured import Measured
from kanon_sql.report.unit import percent_of
from kanon_sql.report.verdict import kept

_OF_VALUES = re.compile(r"(l|t|alpha|beta|delta)\(")
"""How a guarantee about a sensitive column begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The parts of the statement, in plain sentences."""

    guarantee: tuple[str, ...]  # what was guaranteed and counted
    stopped: str  # the attacker whom the guarantee stops
    remains: tuple[str, ...]  # attackers whom it does not stop
    tests: tuple[tuple[str, str], ...]  # each test of WP 216, and its answer for this release


def statement(facts: Measured, claims: Sequence[Claim]) -> Statement | None:
    """Return the statement about a release; None if it has no rows, or must not be handed out."""
    if not facts.rows or not kept(facts, claims):
        return None
    return Statement(guarantee=_guarantee(facts), stopped=stopped(facts), remains=_remains(facts), tests=_tests(facts))


def _guarantee(facts: Measured) -> tuple[str, ...]:
    k, columns = facts.sizes[1]["k"], ", ".join(printable(each.name) for each in facts.columns)
    counted = [each.text for each in facts.requirements if each.kept]
    if facts.known:
        return (f"The release meets {', '.join(counted)}. This was counted by SQL that shares no code with the algorithm.",)
    if facts.unit.per is not None:
        first = f"Rows that share their values in {columns} belong to {facts.unit.surely}."
    else:
        alike = f"Each of the {how_many(facts.rows, 'row')} shares its values in {columns} with"
        first = f"{alike} at least {how_many(k - 1, 'other row')}."
    if not counted:
        return (first,)
    return first, f"Every class meets {', '.join(counted)}. This was counted by SQL that shares no code with the algorithm."


def stopped(facts: Measured) -> str:
    """Return what an attacker of one person finds, whom the guarantee stops."""
    if facts.known:
        known = "; ".join(f"{_what(each)} finds {_finds(each)}" for each in facts.known)
        return f"Someone who {known}, even if this person is in the table."
    what, before, after = "row", facts.risk[0]["prosecutor_risk"], f"{facts.risk[1]['prosecutor_risk']:.1%}"
    if facts.unit.source is not None:
        what, before, after = "person", facts.unit.source["prosecutor_risk"] or 0, percent_of(facts.unit)
    if (repeated := facts.unit.open) is not None:
        return (
            "If each row is a person, someone who knows a person's quasi-identifiers picks the right row with a probability "
            f"of at most {after}. If {printable(repeated.column)} is a person, nothing bounds this probability."
        )
    return (
        f"Someone who knows a person's quasi-identifiers, and that this person is in the table, picks the right {what} with a "
        f"probability of at most {after}. In the source, it was {before:.1%}."
    )


def _remains(facts: Measured) -> tuple[str, ...]:
    unchanged = ", ".join(map(printable, facts.unchanged))
    of_columns = [f"Someone who knows a value of a column released unchanged: {unchanged}."] if unchanged else []
    of_values = [] if bounded_values(facts) else ["Someone who sees that all rows of a class have the same value in a column."]
    of_more = []
    if facts.known:
        smallest = how_many(facts.sizes[1]["k"], "row")
        of_more.append(f"Someone who knows more of the quasi-identifiers: by all of them, the smallest class has {smallest}.")
    return (
        *of_more,
        *of_columns,
        *of_values,
        "Someone who has another release of the same people.",
        "Someone who uses other knowledge to rule out values.",
        "Someone who only wants to know whether a person is in the table.",
    )


def _tests(facts: Measured) -> tuple[tuple[str, str], ...]:
    k, values = facts.sizes[1]["k"], bounded_values(facts)
    undone = any(each.kind == "columns" for each in cautions(facts))
    alone = f"At least {how_many(k, 'row')} share each combination of quasi-identifiers."
    if facts.unit.per is not None:
        alone = f"Rows from {facts.unit.surely} share each combination of quasi-identifiers."
    if facts.unit.open is not None:
        alone += " It is not clear whether they belong to several people."
    if undone:
        alone += " Columns released unchanged single rows out: see the cautions."
    bounded = f"Bounded for sensitive columns: {', '.join(values)}."
    inferred = bounded if values else "Not bounded: no sensitive column has a guarantee."
    return (
        ("singling out", alone if k > 1 else "Not prevented: some rows are unique in the quasi-identifiers."),
        ("linkability", "Not prevented across releases: this must be the only release of these people."),
        ("inference", inferred),
    )


def _what(known: KnownColumns) -> str:
    """Return what the attacker knows whom a guarantee is about."""
    if known.columns is not None:
        return f"knows any {how_many(known.columns, 'quasi-identifier')}"
    return f"knows {' or '.join(printable(', '.join(names)) for names in known.sets or ())}"


def _finds(known: KnownColumns) -> str:
    """Return what such an attacker finds."""
    if known.of is None:
        return f"at least {known.k} rows that fit a person"
    if isinstance(known.of, People):
        return f"rows from at least {known.of.k} people that fit a person"
    return f"rows that meet {printable(known.of.describe())}"


def bounded_values(facts: Measured) -> list[str]:
    """Return the guarantees about sensitive columns that were counted and hold."""
    return [each.text for each in facts.requirements if each.kept and _OF_VALUES.match(each.text)]
