"""What a data-protection officer decides from: what is released, about whom, what it reveals, and what is left open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable
from kanon_sql.report.statement import bounded_values, stopped
from kanon_sql.report.unit import unit_text

if TYPE_CHECKING:
    from kanon_sql.report.measured import Measured


def first_screen(facts: Measured, released: str | None, *, certified: bool) -> list[tuple[str, Sequence[str]]]:
    """Return the answers, each with what it answers and its lines.

    Parameters
    ----------
    released : str, optional
        The name of the released table.
    certified : bool
        Whether a certificate came with the release.
    """
    found = [
        ("released", list(_released(facts, released))),
        ("people", [unit_text(facts.unit, facts.rows)]),
        ("guarantee", [*_guarantee(facts), f"smallest class: {_smallest(facts)}"]),
        ("an attacker who targets one person", list(_learned(facts))),
        ("open questions", list(_open(facts, certified=certified))),
    ]
    return [(name, lines) for name, lines in found if lines]


def _released(facts: Measured, released: str | None) -> Iterator[str]:
    shown = len(facts.columns) + len(facts.exposed)
    yield f"{printable(released) if released else 'the table'}: {how_many(facts.rows, 'row')}, {how_many(shown, 'column')}"
    yield from _role("quasi-identifiers", (each.name for each in facts.columns))
    for role, names in (
        ("sensitive", "sensitive"),
        ("released unchanged on purpose (KEEP)", "kept"),
        ("released unchanged without a role", "unlisted"),
        ("tokens instead of identifiers", "token"),
    ):
        yield from _role(role, (each.name for each in facts.exposed if each.role == names))
    yield from _role("removed", facts.left_out)


def _role(role: str, names: Iterable[str]) -> Iterator[str]:
    listed = ", ".join(map(printable, names))
    if listed:
        yield f"{role}: {listed}"


def _guarantee(facts: Measured) -> Iterator[str]:
    holds = {True: "holds", False: "broken", None: "not counted"}
    for each in facts.requirements:
        yield f"{each.text}: {holds[each.kept]}"


def _smallest(facts: Measured) -> str:
    rows, unit = "-" if facts.sizes[1]["k"] is None else how_many(facts.sizes[1]["k"], "row"), facts.unit
    return rows if unit.per is None and unit.fewest is None else f"{unit.smallest}; no class has fewer than {rows}"


def _learned(facts: Measured) -> Iterator[str]:
    if not facts.rows:
        return
    yield stopped(facts)
    for each in facts.sensitive:
        bounds = [text for text in bounded_values(facts) if printable(each.name) in printable(text)]
        bound = f"bounded by {', '.join(bounds)}" if bounds else "not bounded: all rows of a class may show the same value"
        yield f"The attacker's knowledge of {printable(each.name)} is {bound}."
    if facts.unchanged:
        yield f"In the rows found, these columns are unchanged: {', '.join(map(printable, facts.unchanged))}."


def _open(facts: Measured, *, certified: bool) -> Iterator[str]:
    unit = facts.unit
    if unit.open is not None:
        yield f"what a row is: {printable(unit.open.column)} repeats people, but the policy has neither PER nor PER ROW"
    if unit.per_row:
        yield "PER ROW: the author states that each row is a person"
    kept = [each.name for each in facts.exposed if each.role == "kept" and each.name in facts.identifiers]
    yield from _role("identifiers released on purpose (KEEP)", kept)
    yield from _role("columns without a role, not yet decided", (e.name for e in facts.exposed if e.role == "unlisted"))
    if not certified:
        yield "where the rows come from: there is no certificate"
    yield "whether an attacker knows columns other than the quasi-identifiers"
    yield "whether there are other releases of these people"
