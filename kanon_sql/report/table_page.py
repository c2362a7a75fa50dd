"""The page about a table of counts: for those who answer for it and those who read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable
from kanon_sql.model.protection import Ambiguity, Dominance, coalition_in_words
from kanon_sql.model.tabulation import level_of
from kanon_sql.model.validation import as_identifier
from kanon_sql.report import charts
from kanon_sql.report.columns import MAX_BARS
from kanon_sql.report.page import About, count, render, share

if TYPE_CHECKING:
    from kanon_sql.verification.cells.protected_files import VerifiedTable

_STEPS = 20
"""The gap is rounded up to one of so many steps: the exact one would give the number of secondary rows away."""

_COSTS = {
    "n": "its count",
    "cells": "1; the grand total costs as much as all rows, so that it is suppressed last",
    "parts": "1, and 1 more for each row that it adds up; the grand total costs at least as much as all rows",
}


def table_page(table: VerifiedTable, origins: Sequence[tuple[str, str]], about: About) -> str:
    """Return the page about a table whose claims hold.

    Parameters
    ----------
    origins : sequence of (str, str)
        By what the released table is recognized, and what made the page.
    about : About
        What the page is headed by.

    Notes
    -----
    It may be published with the table, so it holds no figure of the source. It holds no hash of the source either: guesses of
    suppressed counts could be tried against it.
    """
    figures, protection = table_figures(table), table.protection
    return render(
        "table.html.j2",
        about=about,
        summary=_summary(figures),
        requirements=[tuple(map(printable, each)) for each in requirements_in_words(table)],
        options=[tuple(map(printable, each)) for each in options_in_words(table)],
        heads=_heads(figures),
        rows=[_row(each, figures) for each in figures.sets],
        plot=_plot(figures),
        minimum=_minimum(figures, table),
        tables=table.tables,
        k=protection.k,
        absent=protection.rows == "absent",
        rules=bool(protection.rules),
        sums=any(each.kind == "sum" for each in table.tabulation.items),
        coalition=coalition_in_words(protection.contributors) if protection.contributors else "",
        origins=[(printable(name), value) for name, value in origins],
    )


def _summary(figures: TableFigures) -> str:
    if figures.suppressed is None:
        return f"A table of counts with {how_many(figures.shown, 'row')}. Suppressed rows are omitted."
    rows = figures.shown + figures.suppressed
    suppressed_rows = f"{figures.suppressed:,} ({share(figures.suppressed, rows)})" if figures.suppressed else "none"
    return f"A table of counts with {how_many(rows, 'row')}: {figures.shown:,} are shown and {suppressed_rows} are suppressed."


def _heads(figures: TableFigures) -> tuple[str, ...]:
    of_rows = ("rows shown",) if figures.suppressed is None else ("rows", "shown", "suppressed", "share suppressed")
    counted = any(each.people is not None for each in figures.sets)
    return ("grouping set", *of_rows, *(("people in rows shown", "share of people") if counted else ()))


def _row(each: GroupingSet, figures: TableFigures) -> tuple[str, ...]:
    if each.suppressed is None:
        of_rows: tuple[str, ...] = (count(each.shown),)
    else:
        rows = each.shown + each.suppressed
        of_rows = (count(rows), count(each.shown), count(each.suppressed), share(each.suppressed, rows))
    people = () if each.people is None else (count(each.people), share(each.people, figures.total) if figures.total else "-")
    return (printable(each.name), *of_rows, *people)


def _plot(figures: TableFigures) -> str | None:
    """Return the suppressed rows of the grouping sets, if there is something to see."""
    if not figures.suppressed or not 1 < len(figures.sets) <= MAX_BARS:
        return None
    shares = [each.suppressed / max(1, each.shown + each.suppressed) for each in figures.sets if each.suppressed is not None]
    names, title = [printable(each.name) for each in figures.sets], "Suppressed rows by grouping set"
    return charts.bars(title, names, [(charts.AFTER, shares)], along="grouping set", of="share of the rows", wide=True)


def _minimum(figures: TableFigures, table: VerifiedTable) -> str:
    by_counts, again = table.protection.cost == "n", table.bound >= table.claimed.lower_bound
    what = "the people in rows that are suppressed to protect others" if by_counts else "the cost of rows that protect others"
    other, saves = (
        ("An equally safe table", "No equally safe table suppresses")
        if table.tables == 1
        else (
            f"{table.tables} tables that are equally safe together",
            f"No {table.tables} tables that are equally safe together suppress",
        )
    )
    proof = (
        "The proof was checked again for this page." if again else "A search proved this; it was not repeated for this page."
    )
    if not figures.gap:
        return f"{saves} less, measured by {what}. {proof}"
    return f"{other} could save at most {float(figures.gap):.0%} of {what}; the share is rounded up. {proof}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupingSet:
    """The rows of a table that show the same keys."""

    name: str  # the keys
    shown: int  # how many rows show their counts
    suppressed: int | None  # how many do not; None if suppressed rows are absent, since a missing row may be an empty group
    people: int | None  # the people in the rows that are shown; None if the table shows no counts


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFigures:
    """The figures of a table of counts that may be published with it."""

    # the grouping sets; empty if the table does not show all of its keys, so that readers cannot tell sets apart
    sets: tuple[GroupingSet, ...]
    shown: int  # how many rows show their counts
    suppressed: int | None  # how many do not; None as for a grouping set
    total: int | None  # the people of the table, if its readers know it
    gap: Fraction  # an upper bound of the share of the cost that another table as safe could save


def table_figures(table: VerifiedTable) -> TableFigures:
    """Return the figures of a table whose claims hold.

    Notes
    -----
    The kinds of suppressed rows are not counted apart: if all were primary, a reader would know that each has too few people.
    """
    system, hidden = table.system, table.suppressed
    tabulation, absent = table.tabulation, table.protection.rows == "absent"
    counted = any(each.kind == "count" for each in tabulation.items)
    keys = {place for each in tabulation.items if each.kind == "key" for place in each.places}
    found, total = [], None
    for number, chosen in table.sets.items():
        rows = [row for row, own in enumerate(system.sets) if own == number and system.is_seen(row)]
        shown = [row for row in rows if row not in hidden]
        people = sum(system.values[0][row] for row in shown) if counted else None
        found.append(
            GroupingSet(
                name=", ".join(_names(table, chosen)) or "total",
                shown=len(shown),
                suppressed=None if absent else len(rows) - len(shown),
                people=people,
            )
        )
        if len(shown) == len(rows) and not (absent and chosen):
            total = people
    saved = Fraction(table.claimed.cost - table.claimed.lower_bound, max(1, table.claimed.cost))
    complete = keys.issuperset(key for chosen in tabulation.sets for key in chosen)
    return TableFigures(
        sets=tuple(found) if complete else (),
        shown=sum(each.shown for each in found),
        suppressed=None if absent else sum(each.suppressed or 0 for each in found),
        total=total if complete else None,
        gap=Fraction(ceil(saved * _STEPS), _STEPS),
    )


def requirements_in_words(table: VerifiedTable) -> list[tuple[str, str]]:
    """Return each requirement and what it means."""
    protection = table.protection
    per = protection.per
    who = "Each row of the source is a person." if per is None else f"The column {as_identifier(per)} identifies people."
    named = "Nobody can prove that a row, or an overlap of rows,"
    first = f"{named} has at least one but fewer than {protection.k:,} people. {who}"
    return [
        (protection.requirements[0], first),
        *((rule.describe(), _in_words(rule, protection.contributors)) for rule in protection.rules),
    ]


def options_in_words(table: VerifiedTable) -> list[tuple[str, str]]:
    """Return the further requirements of a table."""
    requested = table.protection
    found = [
        (
            "suppressed rows",
            "are omitted: a missing row is either empty or suppressed"
            if requested.rows == "absent"
            else "are shown without their counts and sums; a group without people has no row or a suppressed one",
        )
    ]
    if requested.contributors:
        found.append(("attackers", f"include {coalition_in_words(requested.contributors)}"))
    if requested.show:
        sets = "; ".join(", ".join(map(as_identifier, names)) or "total" for names in requested.show)
        found.append(("always shown", sets))
    found += [("rows by their values", each) for each in requested.named_rows]
    if table.tabulation.condition:
        found.append(("counted people", "those who meet the condition in the statement"))
    if table.joint.earlier:
        found.append(
            ("earlier tables", f"{how_many(table.joint.earlier, 'table')} of the same source: their shown rows stay shown")
        )
    found.append(
        (
            "cost of a row that is suppressed to protect others",
            _COSTS.get(requested.cost, f"1, and its share of {requested.cost} in millionths"),
        )
    )
    return found


def _in_words(rule: Dominance | Ambiguity, attackers: int) -> str:
    name = as_identifier(rule.measure)
    if isinstance(rule, Dominance):
        largest = "largest contribution makes" if rule.largest == 1 else f"{rule.largest} largest contributions make"
        return f"If the {largest} up more than {float(rule.share):.4g} of {name}, the row is suppressed."
    who = "the second-largest contributor" if attackers < 2 else f"the {attackers} contributors after the largest"
    return (
        f"If {who} could estimate the largest contribution to {name} more closely than {float(rule.percent):.4g} %, the row is "
        "suppressed. A contributor to another row cannot do so either."
    )


def _names(table: VerifiedTable, chosen: tuple[int, ...]) -> Iterator[str]:
    """Yield the keys of a grouping set; a level with the characters that it shows."""
    tabulation = table.tabulation
    for place in chosen:
        item = next((each for each in tabulation.items if each.kind == "key" and place in each.places), None)
        if item is not None:
            level = level_of(tabulation.keys[place])
            yield item.name if level is None or len(item.places) == 1 else f"{item.name} ({_level_words(level[1])})"


def _level_words(level: str) -> str:
    """Return a level as people read it: the characters that it shows, or its words in the statement and its place there."""
    digits = re.fullmatch(r"DIGITS \((\d+)\)", level)
    words, _, place = level.partition(" LEVEL ")
    return how_many(int(digits[1]), "character") if digits else f"{words}, level {int(place) + 1}" if place else words
