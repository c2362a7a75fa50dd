"""Algorithms of groupings by name: on every surface the named one is used, and says truthfully what it reached."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import combinations

import numpy as np
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import PolicyError, UnknownAlgorithmError
from kanon_sql.generalize.groups import grouped
from kanon_sql.model.policy_file import read, written
from kanon_sql.model.recodings import Bins, Rectangles, Regions, recoding_from_json
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.labels import fold
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.table.ladder import Label

K = 60

CHOICES = [
    *(("BINS", name) for name in Bins.ALGORITHMS),
    *(("REGIONS", name) for name in Regions.ALGORITHMS),
    *(("RECTANGLES", name) for name in Rectangles.ALGORITHMS),
]

GUARANTEES = {
    "balanced": "at most 5/2 times the optimum (Du et al. 2009, Theorem 8, corrected)",
    "spread": "at most 5/2 times the optimum (Du et al. 2009, Theorem 8, corrected)",
    "fold": "at most 3 times the optimum (Du et al. 2009, Theorem 5)",
    "plain_spread": "at most 3 times the optimum (as fold; Du et al. 2009, section 5)",
    "bin_scheme": "at most 3 times the optimum (Du et al. 2009, Theorem 9 with epsilon = 1/4)",
    "bin_exact": "the optimum (constraint programming)",
    "regions": "at most 3 times the optimum (Du et al. 2009, section 2, by a spanning tree of degree 2)",
    "region_exact": "the optimum (constraint programming)",
    "kd_tree": "at most 5 times the optimum (Du et al. 2009, Theorem 2)",
    "guillotine": "the optimum of guillotine cuts (dynamic programming)",
    "rectangle_exact": "the optimum (constraint programming)",
}

Group = Callable[..., Grouping]


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    """People with one of 24 names, each a place of a map of six by four, and points of a grid."""
    shared_clause.execute("""
        CREATE TABLE p AS SELECT printf('n%02d', i) AS name, (i * 37 + j * 5) % 19 AS x, (i * i + j * j) % 13 AS y
            FROM range(24) t(i), range(5 + (7 * i * i + 11 * i) % 37) r(j);
        CREATE TABLE map AS SELECT printf('n%02d', i) AS a, printf('n%02d', i + step) AS b
            FROM range(24) t(i), (VALUES (1), (4)) s(step) WHERE i + step < 24 AND (step = 4 OR i % 4 < 3)
    """)
    return shared_clause


def method(con: Connection) -> str:
    """The argument for the bound of the last release."""
    return con.execute("SELECT bound_method FROM kanon_releases() ORDER BY number DESC LIMIT 1").fetchall()[0][0]


def item(grouping: str, name: str) -> str:
    """The grouping in the BY list, by an algorithm."""
    return {
        "BINS": f"name IN BINS ({name})",
        "REGIONS": f"name IN REGIONS map ({name}, 'merge')",
        "RECTANGLES": f"(x, y) IN RECTANGLES ({name})",
    }[grouping]


def columns_of(grouping: str) -> list[str]:
    """The columns that it groups."""
    return ["x", "y"] if grouping == "RECTANGLES" else ["name"]


def released(con: Connection, grouping: str, name: str) -> dict[tuple[object, ...], tuple[str, ...]]:
    """The group that a release shows for each label, where the groups are all that is released."""
    columns = columns_of(grouping)
    shown, was = (", ".join(f"{each} AS {mark}{each}" if mark else each for each in columns) for mark in ("", "was_"))
    kept = ", ".join(f"was_{each}" for each in columns)
    clause = f"ANONYMIZE BY {item(grouping, name)} KEEP {kept} GUARANTEE k >= {K}"
    rows = con.execute(f"SELECT {shown}, {was} FROM p {clause}").fetchall()
    assert min(Counter(row[: len(columns)] for row in rows).values()) >= K
    return {row[len(columns) :]: row[: len(columns)] for row in rows}


def direct(con: Connection, grouping: str, name: str) -> dict[tuple[object, ...], int]:
    """The number of the group of each label, by a call of the solver."""
    solver = import_module(f"kanon_sql.solvers.labels.{name}").group
    if grouping == "RECTANGLES":
        rows = con.execute("SELECT x, y, count(*) FROM p GROUP BY ALL ORDER BY ALL").fetchall()
        x, y, weight = (np.array(each, np.int64) for each in zip(*rows, strict=True))
        ranks = [np.unique(each, return_inverse=True)[1] for each in (x, y)]
        return dict(zip([row[:2] for row in rows], solver(*ranks, weight, K, UNLIMITED).group.tolist(), strict=True))
    rows = con.execute("SELECT name, count(*) FROM p GROUP BY ALL ORDER BY ALL").fetchall()
    weight = np.array([count for _, count in rows], np.int64)
    labels = [label for label, _ in rows]
    if grouping == "BINS":
        found = solver(weight, K, UNLIMITED)
    else:
        pairs = con.execute("SELECT a, b FROM map ORDER BY ALL").fetchall()
        edges = np.array([(labels.index(a), labels.index(b)) for a, b in pairs], np.int64)
        found = solver(weight, edges, K, UNLIMITED, merge=True)
    return dict(zip([(label,) for label in labels], found.group.tolist(), strict=True))


def same_groups(one: dict[tuple[object, ...], object], other: dict[tuple[object, ...], object]) -> bool:
    """Whether two divisions put the same labels together."""
    pairs = {(one[label], other[label]) for label in one}
    return one.keys() == other.keys() and len(pairs) == len(set(one.values())) == len(set(other.values()))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("grouping", "name"), CHOICES)
def test_the_named_algorithm_makes_the_groups(con: Connection, grouping: str, name: str) -> None:
    assert same_groups(released(con, grouping, name), direct(con, grouping, name))
    columns = "x, y" if grouping == "RECTANGLES" else "name"
    assert f"; {columns} in {grouping} ({name}): {GUARANTEES[name]}; the heaviest of " in method(con)
    (line,) = [
        value
        for kind, value, *_ in con.execute(
            f"EXPLAIN ANONYMIZE SELECT {columns} FROM p ANONYMIZE BY {item(grouping, name)} GUARANTEE k >= {K}"
        ).fetchall()
        if kind == "grouping"
    ]
    assert f"; {line}; " in method(con)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("spelled", "guarantee"),
    [
        ("fold(sorted)", GUARANTEES["fold"]),
        ("FOLD (Random)", GUARANTEES["fold"]),
        ("plain_spread(random)", GUARANTEES["plain_spread"]),
        ("bin_scheme(0.125)", GUARANTEES["bin_scheme"].replace("1/4", "1/8")),
        ("Bin_Scheme(1/2)", "at most 13/4 times the optimum (Du et al. 2009, Theorem 9 with epsilon = 1/2)"),
    ],
)
def test_an_algorithm_says_how_it_works(con: Connection, spelled: str, guarantee: str) -> None:
    made = released(con, "BINS", spelled)
    canonical = Bins(algorithm=spelled).algorithm
    assert f"; name in BINS ({canonical}): {guarantee}; the heaviest of " in method(con)
    rows = con.execute(f"FROM bin_labels('p', 'name', {K}, algorithm := '{spelled}')").fetchall()
    assert same_groups(made, {row[::2]: row[1::2] for row in rows})
    assert Bins(algorithm=canonical) == Bins(algorithm=spelled)


def test_the_order_of_labels_is_the_one_that_was_named() -> None:
    names, rows = [f"n{place}" for place in range(12)], np.array([7, 2, 9, 4, 4, 1, 8, 3, 6, 5, 2, 9])

    def bins(algorithm: str, seed: int = 0) -> list[Label]:
        return grouped(Bins(algorithm=algorithm), names, rows, 10, {}, Budget(seed=seed))[0]

    order = np.argsort(-rows, kind="stable")
    packed = fold.group(rows[order], 10, UNLIMITED).group
    assert same_groups(
        {(names[place],): group for place, group in zip(order, packed, strict=True)},
        {(name,): label for name, label in zip(names, bins("fold(sorted)"), strict=True)},
    )
    assert len({tuple(bins("fold(random)", seed)) for seed in range(20)}) > 10
    assert bins("fold(random)", 3) == bins("fold(random)", 3)
    assert bins("fold") != bins("fold(sorted)")


@pytest.mark.parametrize(
    ("spelled", "message"),
    [
        ("fold(sortd)", r"fold has no order 'sortd'; hint: did you mean 'sorted'"),
        ("fold(1/8)", r"fold has no order '1/8'"),
        ("spread(sorted)", r"spread accepts no arguments; hint: write BINS \(spread\)"),
        ("auto(1/8)", r"auto accepts no arguments; hint: write BINS \(auto\)"),
        ("bin_scheme(0)", r"bin_scheme needs a number above 0 and at most 1/2; hint: write bin_scheme\(1/8\)"),
        ("bin_scheme(3/4)", r"above 0 and at most 1/2"),
        ("bin_scheme(random)", r"above 0 and at most 1/2"),
        ("bin_scheme(1e-9)", r"above 0 and at most 1/2"),
        ("bin_scheme(1/0)", r"above 0 and at most 1/2"),
        ("bin_scheme()", r"above 0 and at most 1/2"),
        ("fold(random", r"no algorithm 'fold\(random'"),
    ],
)
def test_what_an_algorithm_does_not_take_is_refused(con: Connection, spelled: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        con.execute(f"FROM bin_labels('p', 'name', {K}, algorithm := '{spelled}')").fetchall()
    with pytest.raises(PolicyError, match=message):
        recoding_from_json({"type": "bins", "algorithm": spelled})


@pytest.mark.everything
def test_algorithms_differ(con: Connection) -> None:
    found = [direct(con, "BINS", name) for name in ("fold", "spread", "balanced")]
    assert not any(same_groups(one, other) for one, other in combinations(found, 2))
    assert not same_groups(*(direct(con, "RECTANGLES", name) for name in ("kd_tree", "guillotine")))
    assert not same_groups(*(direct(con, "RECTANGLES", name) for name in ("kd_tree", "rectangle_exact")))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("grouping", "name"), CHOICES)
def test_functions_take_the_name(con: Connection, grouping: str, name: str) -> None:
    call = {
        "BINS": f"bin_labels('p', 'name', {K}, algorithm := '{name}')",
        "REGIONS": f"region_labels('p', 'name', 'map', {K}, components := 'merge', algorithm := '{name}')",
        "RECTANGLES": f"rectangle_labels('p', 'x', 'y', {K}, algorithm := '{name}')",
    }[grouping]
    rows = con.execute(f"FROM {call}").fetchall()
    width = len(rows[0]) // 2
    assert same_groups({row[::2]: row[1::2] for row in rows}, direct(con, grouping, name))
    assert width == (2 if grouping == "RECTANGLES" else 1)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("grouping", "name"), CHOICES)
def test_python_and_policies_take_the_name(con: Connection, grouping: str, name: str) -> None:
    columns = columns_of(grouping)
    texts = {
        "BINS": {"name": f"BINS ({name})"},
        "REGIONS": {"name": f"REGIONS map ({name}, 'merge')"},
        "RECTANGLES": {"x": f"RECTANGLES WITH y ({name})", "y": f"RECTANGLES WITH x ({name})"},
    }[grouping]
    table = con.sql(f"SELECT {', '.join(columns)} FROM p").to_arrow_table()
    tables = {"map": con.table("map").to_arrow_table()} if grouping == "REGIONS" else None
    release = kanon_sql.anonymize(table, k=K, recodings=texts, tables=tables)
    expected = f"{', '.join(columns)} in {grouping} ({name}): {GUARANTEES[name]}; "
    assert expected in release.certificate.bound_method

    con.execute(f"""CREATE ANONYMIZATION POLICY own ON p (
        BY {item(grouping, name)}; KEEP {"name" if len(columns) == 2 else "x, y"}; GUARANTEE k >= {K})""")
    (stored,) = con.execute("SHOW ANONYMIZATION POLICIES").fetchall()
    con.execute("SELECT * FROM p ANONYMIZE WITH POLICY own").fetchall()
    assert expected in method(con)
    assert stored[0] == "own"


@pytest.mark.parametrize("ending", [".json", ".yaml"])
def test_files_of_policies_keep_the_name(ending: str) -> None:
    recodings = [
        {"type": "bins", "algorithm": "fold"},
        {"type": "regions", "edges": "map", "algorithm": "region_exact"},
        "bins",
    ]
    identifiers = [{"column": f"c{number}", "recoding": each} for number, each in enumerate(recodings)]
    policy = {"name": "own", "table": "t", "quasi_identifiers": identifiers, "requirements": [{"type": "k", "k": 3}]}
    first = read(json.dumps({"policies": [policy]}), "policies.json")
    text = written(first, ending)
    assert read(text, f"policies{ending}") == first
    assert [each.recoding for each in first[0].policy.quasi_identifiers] == [
        Bins(algorithm="fold"),
        Regions(edges="map", algorithm="region_exact"),
        Bins(),
    ]
    wrong = text.replace("region_exact", "fold")
    with pytest.raises(PolicyError, match="no algorithm 'fold' for REGIONS"):
        read(wrong, f"policies{ending}")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("labels", "grouping", "name"),
    [
        (16, "BINS", "balanced"),
        (17, "BINS", "balanced"),
        (14, "REGIONS", "region_exact"),
        (15, "REGIONS", "regions"),
        (16, "RECTANGLES", "rectangle_exact"),
        (17, "RECTANGLES", "kd_tree"),
    ],
)
def test_the_default_is_exact_where_that_ends_at_once(con: Connection, labels: int, grouping: str, name: str) -> None:
    con.execute(f"CREATE OR REPLACE TABLE p AS SELECT i % {labels} AS name, i % {labels} AS x, i % 3 AS y FROM range(900) t(i)")
    con.execute("CREATE OR REPLACE TABLE map AS SELECT i AS a, i + 1 AS b FROM range(20) t(i)")
    for spelled in ("auto", "AUTO"):
        select = f"SELECT {', '.join(columns_of(grouping))} FROM p"
        con.execute(f"{select} ANONYMIZE BY {item(grouping, spelled)} GUARANTEE k >= {K}").fetchall()
        assert f" in {grouping} ({name}): " in method(con)


def optimum(weight: Sequence[int], k: int, permitted: Callable[[list[int]], bool]) -> int:
    """The least heaviest group of all divisions into permitted groups of k rows or more."""
    best = sum(weight)

    def divide(left: list[int], heaviest: int) -> None:
        nonlocal best
        if heaviest >= best:
            return
        if not left:
            best = heaviest
            return
        first, others = left[0], left[1:]
        for size in range(len(others) + 1):
            for more in combinations(others, size):
                group = [first, *more]
                rows = sum(weight[each] for each in group)
                if rows >= k and permitted(group):
                    divide([each for each in others if each not in more], max(heaviest, rows))

    divide(list(range(len(weight))), 0)
    return best


def drawn(weight: Sequence[int]) -> str:
    """A query of labels with so many rows each."""
    labels = f"SELECT unnest({list(weight)}) AS rows, unnest(range({len(weight)})) AS label"
    return f"SELECT 'n' || label AS name FROM ({labels}), range(rows)"


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(6))
def test_exact_ones_are_optimal(con: Connection, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weight, k = rng.integers(1, 12, 9).tolist(), int(rng.integers(8, 14))
    con.execute(f"CREATE TABLE many AS {drawn(weight)}")
    con.execute("CREATE TABLE road AS SELECT 'n' || i AS a, 'n' || (i + 1) AS b FROM range(8) t(i)")
    calls = {
        f"bin_labels('many', 'name', {k}, algorithm := 'bin_exact')": lambda group: True,
        f"region_labels('many', 'name', 'road', {k}, algorithm := 'region_exact')": lambda group: (
            max(group) - min(group) < len(group)
        ),
    }
    for call, permitted in calls.items():
        rows = Counter()
        for label, group in con.execute(f"FROM {call}").fetchall():
            rows[group] += weight[int(label[1:])]
        assert min(rows.values()) >= k
        assert max(rows.values()) == optimum(weight, k, permitted)
        assert f"has {max(rows.values())} rows, no division has less" in method(con)


def test_a_search_that_does_not_end_claims_no_optimum(con: Connection) -> None:
    weight = np.random.default_rng(9).integers(50, 100, 30).tolist()
    con.execute(f"CREATE TABLE many AS {drawn(weight)}")
    release = "FROM many ANONYMIZE BY name IN BINS (bin_exact) GUARANTEE k >= 230 USING greedy (time_limit = 0.001)"
    con.execute(release).fetchall()
    found = method(con)
    assert "BINS (bin_exact): the search did not end; it began with a solution of at most 5/2 times the optimum" in found
    assert "every division has " in found
    assert "no division has less" not in found


@pytest.mark.everything
@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("(x, y) IN RECTANGLES (rectangle_exact)", "at most 32 different .* 40 and 40; hint: use the algorithm 'kd_tree'"),
        ("(x, y) IN RECTANGLES (guillotine)", "at most 32 different .* 40 and 40; hint: use the algorithm 'kd_tree'"),
        ("name IN BINS (bin_exact)", "at most 20,000 pairs of a weight and a bin, .*; hint: use the algorithm 'balanced'"),
    ],
)
def test_what_is_too_large_is_refused(con: Connection, clause: str, message: str) -> None:
    con.execute(
        "CREATE OR REPLACE TABLE p AS SELECT i % 40 AS x, i % 40 AS y, 'n' || i AS name FROM range(300) t(i), range(1 + i)"
    )
    columns = "x, y" if "RECTANGLES" in clause else "name"
    with pytest.raises(PolicyError, match=message):
        con.execute(f"SELECT {columns} FROM p ANONYMIZE BY {clause} GUARANTEE k >= 320").fetchall()


@pytest.mark.parametrize(
    "call",
    [
        "bin_labels('p', 'name', 60, algorithm := 'regions')",
        "region_labels('p', 'name', 'map', 60, algorithm := 'fold')",
        "rectangle_labels('p', 'x', 'y', 60, algorithm := 'balanced')",
    ],
)
def test_an_unknown_name_is_refused_with_those_that_there_are(con: Connection, call: str) -> None:
    with pytest.raises(
        UnknownAlgorithmError, match=r"no algorithm '\w+' for \w+; hint: the algorithms for \w+ are auto, \w+, \w+"
    ):
        con.execute(f"FROM {call}").fetchall()
    with pytest.raises(PolicyError, match="must be a name, got NoneType"):
        con.execute(f"FROM {call.partition(', algorithm')[0]}, algorithm := NULL)").fetchall()
