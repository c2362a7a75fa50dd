"""The page about a ledger, for those who sign: what is out, what it proves together, and what may still be asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.ledger.auditing import contradictions
from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable
from kanon_sql.report.page import count, render
from kanon_sql.report.written_page import versions

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.ledger.ledger_file import Entry
    from kanon_sql.engines.ledger.audit import LedgerAudit

_LISTED = 200
"""Findings and undecided groups on the page; the command with ``--json`` lists all."""


def ledger_page(name: str, entries: Sequence[Entry], found: LedgerAudit, n: int) -> str:
    """Return the page.

    Parameters
    ----------
    name : str
        What the ledger is called.
    entries : sequence of Entry
        All of its tables.
    found : LedgerAudit
        What was found.
    n : int
        Groups of 1 to n - 1 people are small.

    Notes
    -----
    The page shows how to derive small groups, so it must not be published if there are findings.
    """
    undecided = [printable(each) for each in found.undecided]
    left_out = [each for each in entries if each.table is None]
    return render(
        "ledger.html.j2",
        ledger=printable(name),
        n=n,
        verdict_of=_verdict(found, len(left_out)),
        looked=f"{how_many(found.groups, 'group')} of {how_many(len(entries) - len(left_out), 'table')}",
        tables=[_row(each) for each in entries],
        findings=[(printable(each.group), printable(each.text)) for each in found.findings[:_LISTED]],
        more_findings=max(0, len(found.findings) - _LISTED),
        undecided=undecided[:_LISTED],
        more_undecided=max(0, len(undecided) - _LISTED),
        left_out=[str(each.number) for each in left_out],
        contradictions=[printable(each) for each in contradictions(found)],
        free=[_free(each) for each in entries if _is_exact(each)],
        versions=versions(),
    )


def _verdict(found: LedgerAudit, left_out: int) -> tuple[str, str]:
    """Return the class of the verdict, and its words."""
    if found.findings:
        return "broken", f"{how_many(len(found.findings), 'small group')} can be proven."
    if not found.holds or left_out:
        return "caution", "No small group was proven, but not everything was decided."
    return "", "No small group can be proven."


def _row(entry: Entry) -> tuple[str, ...]:
    table = entry.table
    people = "everybody" if entry.condition is None else printable(entry.condition)
    state = f", state {printable(table.state)}" if table is not None and table.state else ""
    rows, suppressed = "not audited", "-"
    if table is not None:
        rows, suppressed = count(len(table.rows)), count(sum(each.suppressed for each in table.rows))
    keys = ", ".join(map(printable, entry.keys))
    return (
        f"{entry.number}: {printable(entry.name)}",
        f"{entry.added_at:%Y-%m-%d}",
        keys,
        f"{people}{state}",
        rows,
        suppressed,
    )


def _is_exact(entry: Entry) -> bool:
    """Return whether a table shows all of its counts: sums of its rows are known already."""
    return entry.table is not None and not entry.table.absent and all(each.exact for each in entry.table.rows)


def _free(entry: Entry) -> str:
    keys = ", ".join(map(printable, entry.keys))
    people = "" if entry.condition is None else f", people with {printable(entry.condition)}"
    return f"totals over {keys}{people}, as sums of the rows of table {entry.number}"
