"""`bin_labels`, `region_labels` and `rectangle_labels`: every label once, groups of at least k rows, and clear refusals."""

from __future__ import annotations

from collections import Counter

import pytest

from kanon_sql.errors import AuditError, InfeasibleError, PolicyError, SourceError, UnknownColumnError


@pytest.fixture
def con(shared_clause):
    shared_clause.execute("""
        CREATE TABLE "odd; name" AS
        SELECT 'n' || (i * i % 31) AS "la""bel", (i * 37 % 101) / 4 AS x, i % 13 - 6 AS y FROM range(500) t(i);
        CREATE TABLE map AS SELECT 'n' || i AS a, 'n' || (i + 1) AS b FROM range(30) t(i)
    """)
    return shared_clause


def rows_by(con, column: str) -> Counter[str]:
    return Counter(dict(con.execute(f'SELECT {column}, count(*) FROM "odd; name" GROUP BY 1').fetchall()))


def test_bins(con) -> None:
    found = dict(con.execute("""FROM bin_labels('"odd; name"', 'la"bel', 60)""").fetchall())
    rows = rows_by(con, '"la""bel"')
    assert set(found) == set(rows)
    sizes = Counter()
    for label, group in found.items():
        sizes[group] += rows[label]
    assert min(sizes.values()) >= 60
    assert max(sizes.values()) < 2 * max(60, max(rows.values()))


@pytest.mark.everything
def test_regions(con) -> None:
    labels = [label for (label,) in con.execute('SELECT DISTINCT "la""bel" FROM "odd; name"').fetchall()]
    with pytest.raises(
        PolicyError,
        match=r"4 labels are in parts of the map that have fewer than k = 60 rows in total; hint: add",
    ):
        con.execute("""FROM region_labels('"odd; name"', 'la"bel', 'map', 60)""")
    found = con.execute("""FROM region_labels('"odd; name"', 'la"bel', 'map', 60, components := 'merge')""").fetchall()
    assert sorted(label for label, _ in found) == sorted(labels)
    con.execute("""
        CREATE TABLE ring AS
        SELECT a, coalesce(lead(a) OVER (ORDER BY a), (SELECT min("la""bel") FROM "odd; name")) AS b
        FROM (SELECT DISTINCT "la""bel" AS a FROM "odd; name")
    """)
    found = con.execute("""SELECT region FROM region_labels('"odd; name"', 'la"bel', 'ring', 60) ORDER BY label""").fetchall()
    changes = sum(one != other for one, other in zip(found, found[1:] + found[:1], strict=True))
    assert changes == len(set(found)) > 1  # around a ring, a connected region is one stretch


def test_rectangles(con) -> None:
    found = con.execute("""FROM rectangle_labels('"odd; name"', 'x', 'y', 40)""").fetchall()
    points = Counter(con.execute('SELECT x, y FROM "odd; name"').fetchall())
    assert {(x, y) for x, _, y, _ in found} == set(points)
    sizes = Counter()
    for x, x_side, y, y_side in found:
        sizes[x_side, y_side] += points[x, y]
    assert min(sizes.values()) >= 40
    assert len(sizes) > 5


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("bin_labels('no', 'x', 3)", SourceError, "Table with name no does not exist"),
        ("bin_labels('', 'x', 3)", SourceError, "table name"),
        ("bin_labels('map', 'x', 3)", UnknownColumnError, 'unknown column "x"; hint: the columns are "a", "b"'),
        ("bin_labels('map', NULL, 3)", PolicyError, "the labels must be a column name"),
        ("bin_labels('map', 'a', 0)", PolicyError, "k must be a whole number of at least 1"),
        ("bin_labels('map', 'a', 31)", InfeasibleError, "30 rows"),
        ("region_labels('map', 'a', 'map', 3, components := 'drop')", PolicyError, "components cannot be 'drop'"),
        ("rectangle_labels('map', 'a', 'b', 3)", PolicyError, "30 of the 30 coordinates are empty, infinite or not numbers"),
        ("rectangle_labels('nan', 'x', 'y', 3)", PolicyError, "1 of the 1 coordinates are empty, infinite or not numbers"),
    ],
)
def test_bad_input(con, call: str, error: type[Exception], message: str) -> None:
    con.execute("CREATE TABLE nan AS SELECT 'nan'::DOUBLE AS x, 1 AS y FROM range(9)")
    with pytest.raises(error, match=message):
        con.execute(f"FROM {call}").fetchall()


@pytest.mark.everything
def test_an_empty_table(con) -> None:
    con.execute("CREATE TABLE nobody (x INTEGER, y INTEGER)")
    assert con.execute("FROM bin_labels('nobody', 'x', 5)").fetchall() == []
    assert con.execute("FROM rectangle_labels('nobody', 'x', 'y', 5)").fetchall() == []


@pytest.mark.everything
def test_groups_that_are_none_are_not_told(con, monkeypatch) -> None:
    """The audit finds a region in two parts, and rectangles with a point in common."""
    from kanon_sql.generalize import groups
    from kanon_sql.solvers.labels.grouping import Grouping

    con.execute("CREATE TABLE street AS SELECT 'n' || i AS label, i AS x, i % 7 AS y FROM range(40) t(i), range(5)")
    con.execute("CREATE TABLE steps AS SELECT 'n' || i AS a, 'n' || (i + 1) AS b FROM range(39) t(i)")
    calls = ("region_labels('street', 'label', 'steps', 20)", "rectangle_labels('street', 'x', 'y', 20)")
    for call in calls:
        assert len(con.execute(f"FROM {call}").fetchall()) == 40
    regions, solver = groups._regions, groups._solver

    def torn(found: Grouping) -> Grouping:
        group = found.group.copy()
        group[group == group[-1]] = group[0]
        return Grouping.of(group, 0, "")

    monkeypatch.setattr(groups, "_regions", lambda *given: torn(regions(*given)))
    monkeypatch.setattr(groups, "_solver", lambda name: lambda *given, **named: torn(solver(name)(*given, **named)))
    for call in calls:
        with pytest.raises(AuditError, match="do not cover what they stand for; nothing was released"):
            con.execute(f"FROM {call}").fetchall()
