"""Planted disclosures are found, nothing else is claimed, and chains are as short as they can be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from planted_ledgers import Ledger, Oracle, Person, planted

from kanon_sql.engines.ledger.audit import LedgerAudit, audit_tables
from kanon_sql.engines.ledger.findings import Finding
from kanon_sql.solvers.budget import Budget

SMALL, LARGE = 60, 400
"""Ledgers of up to 4 tables, of which every tenth is in the default layer, and of up to 30."""


def audited(ledger: Ledger) -> LedgerAudit:
    return audit_tables(ledger.tables, ledger.n, Budget(seconds=120))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(SMALL))
def test_planted_groups_are_found_and_every_finding_is_true(seed: int) -> None:
    check(planted(1_000 + seed, most=4))


@pytest.mark.everything
@pytest.mark.parametrize("seed", range(LARGE))
def test_planted_groups_are_found_in_large_ledgers(seed: int) -> None:
    check(planted(seed))


def check(ledger: Ledger) -> None:
    """Compare the audit with what was planted, and each finding with the program that shares no code."""
    found, oracle = audited(ledger), Oracle(ledger)
    groups = {ledger.members(each.operation, each.rows): each for each in found.findings}
    named = {group - oracle.nobody for group in groups}
    assert [kind for kind, group in ledger.planted if group - oracle.nobody not in named] == []
    assert [each.text for group, each in groups.items() if not oracle.small(group)] == []
    for group, each in groups.items():
        assert each.least <= sum(person in group for person in ledger.people) <= each.most
    assert not found.contradictions


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(30))
def test_a_chain_proves_its_group_and_needs_all_of_its_rows(seed: int) -> None:
    ledger = planted(seed, most=4)
    for each in audited(ledger).findings:
        group, rows = ledger.members(each.operation, each.rows), links(each)
        assert Oracle(ledger, rows).small(group)
        assert not any(Oracle(ledger, [*rows[:place], *rows[place + 1 :]]).small(group) for place in range(len(rows)))


def links(finding: Finding) -> list[tuple[int, tuple[str | None, ...], str | None]]:
    return [(link.table, link.keys, link.closes) for link in finding.chain]


@pytest.mark.everything
def test_chains_are_minimal() -> None:
    """At least 95 of 100 have as few links as the shortest that trying finds."""
    lengths = [each for seed in range(40) for each in compared(seed)]
    assert len(lengths) >= 20
    assert sum(ours == least for ours, least in lengths) >= 0.95 * len(lengths)


def compared(seed: int, most: int = 24) -> list[tuple[int, int]]:
    """Return for each finding with a chain of three or four links how long it is, and how long the shortest one is."""
    ledger = planted(seed, most=4)
    found = []
    for each in audited(ledger).findings:
        group = ledger.members(each.operation, each.rows)
        rows = [
            (table.number, row.keys, closes)
            for table in ledger.tables
            for row in table.rows
            for closes in (None, *(() if table.absent else table.keys))
            if ledger.members("row", [(table.number, row.keys)]) & group
        ]
        if 3 <= len(each.chain) <= 4 and len(rows) <= most:
            sizes = (
                size
                for size in range(1, len(each.chain))
                if any(small(ledger, group, some) for some in combinations(rows, size))
            )
            found.append((len(each.chain), next(sizes, len(each.chain))))
    return found


def small(ledger: Ledger, group: frozenset[Person], rows: Sequence[tuple[int, tuple[str | None, ...], str | None]]) -> bool:
    """Return whether rows prove that a group is small; those without an upper bound of the whole group need no program."""
    oracle = Oracle(ledger, rows)
    return group <= oracle.bounded and oracle.small(group)
