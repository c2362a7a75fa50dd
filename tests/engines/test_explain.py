"""EXPLAIN ANONYMIZE: its figures, counted again in SQL, and that it tells and releases nothing."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import ClauseError, InfeasibleError, InterruptedReleaseError, KanonError, PolicyError
from kanon_sql.solvers.budget import Moment

VALUES = """CREATE TABLE t AS
    SELECT 'secret' || (hash(i) % 5) AS a, 1970 + hash(i * 7) % 4 AS b, 'hush' || (hash(i * 3) % 3) AS c,
    'ill' || (hash(i * 11) % 4) AS s, i AS id FROM range(97) r(i)"""


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    shared_clause.execute(VALUES)
    return shared_clause


Lines = list[tuple[str, str, float | None, int | None]]


def explained(con: Connection, clause: str, body: str = "FROM t") -> Lines:
    return con.execute(f"EXPLAIN ANONYMIZE {body} ANONYMIZE {clause}").fetchall()


def figures(lines: Lines) -> dict[str, str]:
    return {name: value for name, value, *_ in lines if name != "mask"}


def masks(lines: Lines) -> list[tuple[str, float | None, int | None]]:
    return [(value, cost, rows) for name, value, cost, rows in lines if name == "mask"]


def failing(con: Connection, shown: str, having: str) -> int:
    """Count the rows of classes under a mask for the whole table, in SQL."""
    keys = ", ".join(f'"{name}"' for name in shown.split(", ")) if shown != "nothing" else "()"
    query = f"SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM t GROUP BY {keys} HAVING {having})"
    return int(con.execute(query).fetchall()[0][0])


@pytest.mark.sweep
@pytest.mark.parametrize("k", [1, 2, 5, 20, 97])
def test_masks_are_counted_as_in_sql(con: Connection, k: int) -> None:
    lines = explained(con, f"BY a WEIGHT 3, b, c WEIGHT 0.5 GUARANTEE k >= {k}")
    found = figures(lines)
    types = con.execute("SELECT count(*) FROM (SELECT DISTINCT a, b, c FROM t)").fetchall()[0][0]
    assert (found["rows"], found["row types"], found["masks"]) == ("97", str(types), "8")
    assert found["quasi-identifiers"] == "a, b, c"
    assert found["guarantee"] == f"k >= {k}"
    assert len(masks(lines)) == 8
    weight = {"a": Fraction(3), "b": Fraction(1), "c": Fraction(1, 2)}
    for shown, cost, rows in masks(lines):
        assert cost == 97 * sum(weight[name] for name in set(weight) - set(shown.split(", ")))
        assert rows == failing(con, shown, f"count(*) < {k}")
    costs = [cost for _, cost, _ in masks(lines)]
    assert costs == sorted(costs)


@pytest.mark.parametrize(
    ("guarantee", "broken"),
    [
        ("k >= 4 AND l(s) >= 2", "count(*) < 4 OR 2 * list_max(map_values(histogram(s))) > count(*)"),
        ("l(s, 'distinct') >= 3", "count(*) < 2 OR count(DISTINCT s) < 3"),
        ("alpha(s, 'ill1') <= 1/2", "count(*) < 2 OR 2 * count(*) FILTER (s = 'ill1') > count(*)"),
    ],
)
def test_guarantees_on_sensitive_values_are_counted_as_in_sql(con: Connection, guarantee: str, broken: str) -> None:
    for shown, _, rows in masks(explained(con, f"BY a, b GUARANTEE {guarantee}")):
        assert rows == failing(con, shown, broken)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "clause",
    [
        "BY a, b, c GUARANTEE k >= 5",
        "BY a, b, c GUARANTEE k >= 5 USING greedy",
        "BY a, b GUARANTEE k >= 3 AND l(s) >= 2",
        "BY b IN INTERVALS (2, 4), a GUARANTEE k >= 6",
        "BY GROUPING SETS ((a, b), (c), ()) GUARANTEE k >= 5",
        "BY a, b, c LINKED (a, c) GUARANTEE k >= 5",
        "BY a IN BINS, b GUARANTEE k >= 9",
    ],
)
def test_the_bound_and_the_solver_are_those_of_the_release(con: Connection, clause: str) -> None:
    before = con.session.releases
    body = "SELECT * EXCLUDE (id) FROM t"
    lines = explained(con, clause, body)
    assert con.session.releases == before
    con.execute(f"{body} ANONYMIZE {clause}").fetchall()
    (release,) = con.session.releases[len(before) :]
    (bound,) = [cost for name, _, cost, _ in lines if name == "lower bound"]
    assert bound is not None
    assert bound <= float(release.cost)
    if "BINS" in clause:  # the release says nothing of other groups
        assert any("no release with the chosen groups of a costs less" in value for _, value, *_ in lines)
    else:
        assert bound <= float(release.lower_bound)
    planned = {release.algorithm} | (
        {"refine"} if "INTERVALS" in clause else set()
    )  # an exact solver may do better than levels
    assert figures(lines)["solver"].split(" (")[0] in planned
    assert figures(lines)["row types"] == str(release.row_types)
    whole = [cost for _, cost, rows in masks(lines) if rows == 0]
    assert not whole or bound <= whole[0]


@pytest.mark.parametrize(
    "clause",
    ["BY a, b, c GUARANTEE k >= 5", "BY a, b IN RANGES GUARANTEE k >= 5", "BY a IN SETS, b IN INTERVALS (2) GUARANTEE k >= 5"],
)
def test_no_value_is_told(con: Connection, clause: str) -> None:
    before = con.session.releases
    text = repr(explained(con, clause))
    assert not any(word in text for word in ("secret", "hush", "ill", "197"))
    assert con.session.releases == before


def test_levels_are_masks_too(con: Connection) -> None:
    lines = explained(con, "BY b IN INTERVALS (2), a GUARANTEE k >= 5")
    assert figures(lines)["masks"] == "6, as level vectors"
    assert {value for value, *_ in masks(lines)} == {
        "b at level 0, a", "b at level 1, a", "a", "b at level 0", "b at level 1", "nothing",
    }  # fmt: skip


def test_too_many_masks_to_list(con: Connection) -> None:
    columns = ", ".join(f"hash(i * {c}) % 3 AS c{c}" for c in range(20))
    con.execute(f"CREATE TABLE wide AS SELECT {columns} FROM range(60) r(i)")
    lines = explained(con, f"BY {', '.join(f'c{c}' for c in range(20))} GUARANTEE k >= 2", "FROM wide")
    assert figures(lines)["masks"] == "up to 2^20, too many to list"
    assert figures(lines)["solver"].startswith("refine (chosen automatically: too many masks")
    assert [cost for _, cost, _ in masks(lines)] == [0.0] + [60.0] * 9


@pytest.mark.everything
def test_under_a_stored_policy(con: Connection) -> None:
    con.execute("CREATE ANONYMIZATION POLICY p ON t (IDENTIFIER id; BY a, b, c; GUARANTEE k >= 5 AND l(s) >= 2)")
    expected = explained(con, "BY a, b, c GUARANTEE k >= 5 AND l(s) >= 2", "SELECT * EXCLUDE (id) FROM t")
    assert explained(con, "WITH POLICY p") == expected
    assert explained(con, "WITH POLICY p", "SELECT b, a, id FROM t") == explained(
        con, "BY a, b GUARANTEE k >= 5", "SELECT b, a FROM t"
    )
    with pytest.raises(ClauseError, match='there is no policy "q"'):
        explained(con, "WITH POLICY q")


def test_an_empty_table(con: Connection) -> None:
    assert figures(explained(con, "BY a GUARANTEE k >= 5", "FROM t WHERE false")) == {
        "guarantee": "k >= 5", "quasi-identifiers": "a", "rows": "0", "solver": "none (there is nothing to solve)",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("clause", "message", "error"),
    [
        ("BY a GUARANTEE k >= 98", "97 rows, fewer than k = 98", InfeasibleError),
        ("BY a GUARANTEE l(s) >= 5", "cannot hold in any release", InfeasibleError),
        ("BY nope GUARANTEE k >= 5", r'unknown column "nope".*\(line 1, column', ClauseError),
        ("BY a GUARANTEE k >= 5 USING magic", "no algorithm 'magic'", KanonError),
    ],
)
def test_what_cannot_be_released_is_an_error(con: Connection, clause: str, message: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=message):
        explained(con, clause)


@pytest.mark.everything
def test_explain_without_anonymize_is_that_of_duckdb(con: Connection) -> None:
    (row,) = con.execute("EXPLAIN FROM t ANONYMIZE BY a GUARANTEE k >= 5").fetchall()
    assert row[0] == "physical_plan"


def test_a_listener_ends_an_explanation(con: Connection) -> None:
    def stop(moment: Moment) -> None:
        raise KeyboardInterrupt

    con.watch(stop)
    try:
        with pytest.raises(InterruptedReleaseError):
            explained(con, "BY a GUARANTEE k >= 2")
    finally:
        con.watch(None)


def test_parameters_and_a_prepared_explanation(con: Connection) -> None:
    lines = con.execute("EXPLAIN ANONYMIZE FROM t WHERE id < $1 ANONYMIZE BY a GUARANTEE k >= 2 ORDER BY a", [50]).fetchall()
    assert figures(lines)["rows"] == "50"


@pytest.mark.everything
def test_ranges_of_a_table_that_breaks_its_guarantee_and_of_one_without_rows(con: Connection) -> None:
    con.execute("CREATE TABLE same AS SELECT i AS a, 1 AS s FROM range(9) AS t(i)")
    with pytest.raises(InfeasibleError, match="even the whole table breaks it"):
        explained(con, "BY a IN RANGES GUARANTEE k >= 2 AND l(s) >= 2", "FROM same")
    con.execute("FROM same WHERE false ANONYMIZE BY a IN RANGES GUARANTEE k >= 2 AND l(s) >= 2 USING mondrian")
    assert con.session.releases[-1].algorithm == "mondrian"
    with pytest.raises(PolicyError, match="'greedy' cannot create RANGES or SETS"):
        con.execute("FROM same WHERE false ANONYMIZE BY a IN RANGES GUARANTEE k >= 2 USING greedy").fetchall()
