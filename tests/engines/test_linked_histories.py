"""Linked histories against a plain search of all releases, and against an attacker who knows rows of the source."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, permutations, product

import numpy as np
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.histories import gathered_rows as history_gathering
from kanon_sql.errors import AuditError, InfeasibleError, PolicyError, SourceError
from kanon_sql.solvers.histories.cascade import cascade
from kanon_sql.solvers.histories.exact import exact
from kanon_sql.solvers.histories.known_sets import Support
from kanon_sql.solvers.histories.lower_bound import lower_bound
from kanon_sql.solvers.histories.solve import HistorySolution
from kanon_sql.table.arrays import Int64
from kanon_sql.table.history_table import HistoryTable, Shown

Cell = int | None
Row = tuple[Cell, ...]
History = tuple[Row, tuple[Row, ...]]
"""The own cells of a person, and the other cells of each linked row."""


def holds(histories: list[History], k: int, m: int) -> bool:
    """Return whether any 1 to m rows of a person are those of k people."""
    return all(
        sum(theirs == own and not Counter(known) - Counter(others) for theirs, others in histories) >= k
        for own, rows in histories
        for size in range(1, min(m, len(rows)) + 1)
        for known in combinations(rows, size)
    )


def shown_ways(row: Row) -> list[Row]:
    return list(dict.fromkeys(product(*({cell: None, None: None} for cell in row))))


def releases_of(own: Row, rows: tuple[Row, ...]) -> Iterator[tuple[int, History]]:
    """Yield every way to release a person, with the suppressed cells: each row with its cells, or unlinked."""
    values = sum(cell is not None for cell in own) * len(rows) + sum(cell is not None for row in rows for cell in row)
    for mine in shown_ways(own):
        for chosen in product(*([None, *shown_ways(row)] for row in rows)):
            own_shown = any(cell is not None for cell in mine)
            rows_shown = [row for row in chosen if row is not None and (own_shown or row.count(None) < len(row))]
            linked = tuple(sorted(rows_shown, key=str))
            shown = sum(cell is not None for row in linked for cell in (*mine, *row))
            yield values - shown, (mine, linked)


def no_release_costs_less(people: list[History], k: int, m: int, cost: int) -> bool:
    """Return whether no release costs less, by trying all that do."""
    ways = []
    for own, rows in people:
        least: dict[History, int] = {}
        for price, history in releases_of(own, rows):
            least[history] = min(price, least.get(history, price))
        ways.append(sorted(least.items(), key=lambda pair: pair[1]))
    left = [sum(each[0][1] for each in ways[place:]) for place in range(len(ways) + 1)]

    def found(place: int, chosen: list[History], spent: int) -> bool:
        if spent + left[place] >= cost:
            return False
        if place == len(ways):
            unlinked = sum(len(each[1]) < len(person[1]) for each, person in zip(chosen, people, strict=True))
            return (not 0 < unlinked < k) and holds([each for each in chosen if each[1]], k, m)
        return any(found(place + 1, [*chosen, history], spent + price) for history, price in ways[place])

    return not found(0, [], 0)


def made(seed: int, people: int, most_rows: int) -> pa.Table:
    """Return rows of people with one column of their own, and two others."""
    draw = random.Random(seed)
    rows = [
        (person, own, draw.choice([0, 1, None]), draw.choice([0, 1]))
        for person in range(people)
        for own in [draw.choice([0, 0, 1])]
        for _ in range(draw.randint(1, most_rows))
    ]
    draw.shuffle(rows)
    names = ("person", "sex", "ward", "month")
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})


def histories_of(table: pa.Table, own: tuple[str, ...]) -> list[History]:
    """Return the histories of a table by its column ``person``, without those who are nobody."""
    found: dict[object, list[dict[str, Cell]]] = defaultdict(list)
    for row in table.to_pylist():
        if row["person"] is not None:
            found[row["person"]].append(row)
    others = [name for name in ("sex", "ward", "month") if name not in own]
    for rows in found.values():
        assert len({tuple(row[name] for name in own) for row in rows}) == 1
    return [(tuple(each[0][n] for n in own), tuple(tuple(row[n] for n in others) for row in each)) for each in found.values()]


def linked(table: pa.Table, k: int, m: int) -> kanon_sql.LinkedRelease:
    return kanon_sql.link_histories(
        table, k, per="person", quasi_identifiers=["sex", "ward", "month"], known_rows=m, secret="s"
    )


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(300))
def test_tiny_tables_cost_the_least(seed: int) -> None:
    k, m = 2 + seed // 7 % 2, 1 + seed % 2
    table = made(seed, 3 + seed % 2, 2 + (seed % 3 == 0))
    release = linked(table, k, m)
    certificate = release.certificate
    assert holds(histories_of(release.table, certificate.own_columns), k, m)
    assert no_release_costs_less(histories_of(table, certificate.own_columns), k, m, certificate.suppressed_cells)
    assert (certificate.lower_bound, certificate.gap) == (certificate.suppressed_cells, 0.0)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100))
def test_the_bound_of_larger_tables_is_below_the_least_cost(seed: int) -> None:
    """The bound is compared with the least cost of tiny tables, and the cascade never costs less than that."""
    k, m = 2 + seed // 5 % 2, 1 + seed % 3
    coded = coded_histories(made(seed, 4, 3))
    support = Support(coded)
    found = exact(coded, k, m, lambda: None)
    assert found is not None
    best, proven = found
    assert best.cost(coded) == proven
    assert lower_bound(coded, k, m, support)[0] <= proven <= cascade(coded, k, m, support).cost(coded)


def coded_histories(table: pa.Table) -> HistoryTable:
    """Return the codes of a table whose own column is sex."""
    rows = table.to_pylist()
    people = sorted({row["person"] for row in rows})
    own = {row["person"]: row["sex"] for row in rows}
    return HistoryTable(
        person=np.array([people.index(row["person"]) for row in rows]),
        own=np.array([[own[person]] for person in people], np.int32),
        facts=np.array([[-1 if row[name] is None else row[name] for name in ("ward", "month")] for row in rows], np.int32),
    )


@pytest.mark.sweep
@pytest.mark.parametrize("m", [1, 2, 3])
def test_an_attacker_who_knows_true_rows_finds_k_people(m: int) -> None:
    certificate = attacked(made(m, 60, 4), 3, m)
    assert certificate.lower_bound <= certificate.suppressed_cells < certificate.cells


@pytest.mark.everything
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_an_attacker_finds_k_people_in_a_thousand_tables(first: int) -> None:
    for seed in range(first, first + 50):
        attacked(made(seed, 5 + seed % 40, 1 + seed % 5), 2 + seed % 4, 1 + seed % 2)


def attacked(table: pa.Table, k: int, m: int) -> kanon_sql.HistoryCertificate:
    """Release a table, and look for each person by any m true rows.

    The attacker takes a suppressed cell for any value, and rows without a token for rows of anybody.
    """
    release = linked(table, k, m)
    certificate = release.certificate
    released = histories_of(release.table, certificate.own_columns)
    assert certificate.linked_people == len(released)
    assert holds(released, k, m)
    unlinked = sum(row["person"] is None for row in release.table.to_pylist())
    for own, rows in histories_of(table, certificate.own_columns):
        for known in combinations(rows, min(m, len(rows))):
            candidates = sum(
                fits(theirs, own) and any(missing <= unlinked for missing in missed(known, others))
                for theirs, others in released
            )
            assert candidates >= k or unlinked >= k  # the person may have rows among those that are not linked
    return certificate


def fits(shown: Row, true: Row) -> bool:
    return all(one is None or one == two for one, two in zip(shown, true, strict=True))


def missed(known: tuple[Row, ...], shown: tuple[Row, ...]) -> Iterator[int]:
    """Yield, for each way to give known rows different rows of a person, how many have to be rows without a token."""
    blank: list[Row | None] = [None] * len(known)
    for order in permutations([*shown, *blank], len(known)):
        if all(row is None or fits(row, true) for row, true in zip(order, known, strict=True)):
            yield order.count(None)


@pytest.mark.everything
def test_nothing_else_changes_and_the_order_of_the_source_does_not_matter() -> None:
    table = made(5, 80, 4)
    table = table.append_column("cost", pa.array(range(len(table))))
    options = {"per": "person", "quasi_identifiers": ["SEX", "ward", "month"], "keep": ["cost"], "secret": "s"}
    one = kanon_sql.link_histories(table, 4, **options).table
    two = kanon_sql.link_histories(table.take(pa.array(reversed(range(len(table))))), 4, **options).table
    assert one.equals(two)
    source = {row["cost"]: row for row in table.to_pylist()}
    tokens: dict[str, int] = {}
    for row in one.to_pylist():
        true = source.pop(row["cost"])
        assert all(row[name] in (None, true[name]) for name in ("sex", "ward", "month"))
        bare = all(row[name] is None for name in ("sex", "ward", "month"))
        assert (row["person"] is None) == bare
        if not bare:
            assert tokens.setdefault(row["person"], true["person"]) == true["person"]
    assert not source
    assert len(set(tokens.values())) == len(tokens)


def test_the_gate_refuses_what_breaks_the_guarantee(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(table: HistoryTable, k: int, m: int, report: object) -> HistorySolution:
        return HistorySolution(shown=Shown.everything(table), lower_bound=0, bound_method="none", seconds=0.0)

    monkeypatch.setattr(history_gathering, "solve", careless)
    with pytest.raises(AuditError, match="any 2 rows of a person match only 1 person, fewer than k = 3; nothing was"):
        linked(made(1, 30, 3), 3, 2)


def test_the_gate_refuses_a_row_without_a_token_that_has_no_company(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(table: HistoryTable, k: int, m: int, report: object) -> HistorySolution:
        whole = Shown.everything(table)
        linked = np.arange(len(table.person)) != np.argmax(table.facts[:, 0])
        return HistorySolution(
            shown=Shown(own=whole.own, facts=whole.facts, linked=linked), lower_bound=0, bound_method="none", seconds=0.0
        )

    table = pa.table({"person": [0, 1, 2, 3, 3], "sex": [1] * 5, "ward": [0, 0, 0, 0, 9], "month": [1] * 5})
    monkeypatch.setattr(history_gathering, "solve", careless)
    with pytest.raises(AuditError, match="the rows without a token belong to 1 person, fewer than k = 3"):
        linked(table, 3, 1)


def test_the_gate_refuses_different_own_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"person": [0, 0, 1, 1, 2, 2], "sex": [1] * 6, "ward": [0, 1] * 3, "month": [1] * 6})
    assert linked(table, 3, 2).certificate.suppressed_cells == 0
    honest = history_gathering.HistoryGathering.cells

    def careless(gathering: history_gathering.HistoryGathering, row: Int64) -> pa.Array:
        shown = honest(gathering, row).to_pylist()
        return pa.array([[row[0] > 1, *each[1:]] for row, each in zip(row[:, None], shown, strict=True)])

    monkeypatch.setattr(history_gathering.HistoryGathering, "cells", careless)
    with pytest.raises(AuditError, match="a person's own columns differ between rows; nothing was released"):
        linked(table, 1, 2)


def test_the_gate_refuses_a_release_with_other_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = history_gathering.HistoryGathering.complete
    monkeypatch.setattr(
        history_gathering.HistoryGathering, "complete", lambda self, rows, *counted: honest(self, rows - 1, *counted)
    )
    with pytest.raises(AuditError, match="the release and its source have different rows"):
        linked(made(1, 30, 3), 3, 2)


def test_bad_input() -> None:
    table = pa.table({"p": [1, 1, 2], "x": [1, 2, 1], "y": [1, 2, 3]})
    options = {"per": "p", "quasi_identifiers": ["x", "y"]}
    with pytest.raises(InfeasibleError, match="the table has 2 people, fewer than k = 3"):
        kanon_sql.link_histories(table, 3, **options)
    with pytest.raises(PolicyError, match='the column "y" has no role'):
        kanon_sql.link_histories(table, 2, per="p", quasi_identifiers=["x"])
    with pytest.raises(PolicyError, match="known_rows must be 1, 2 or 3"):
        kanon_sql.link_histories(table, 2, known_rows=4, **options)
    with pytest.raises(PolicyError, match="k must be a whole number"):
        kanon_sql.link_histories(table, 0, **options)
    with pytest.raises(SourceError, match="1 row has no person in p"):
        kanon_sql.link_histories(pa.table({"p": [1, None], "x": [1, 2], "y": [1, 1]}), 1, **options)
    with pytest.raises(InfeasibleError, match="more than 20,000,000 sets of 3 rows"):
        kanon_sql.link_histories(pa.table({"p": [1] * 600, "x": [1] * 600, "y": [1] * 600}), 1, known_rows=3, **options)
