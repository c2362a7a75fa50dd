"""Imputed tables: shown cells stay, others come from donors in their shares, and intervals cover what the source has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from statistics import NormalDist, mean, variance
from typing import Any

import duckdb
import pytest

SQL = Path(__file__).parents[2] / "sql"
ADULT_FULL = SQL.parents[1] / "shared" / "data" / "adult_full.csv.gz"


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute((SQL / "kanon.sql").read_text(encoding="utf-8"))
        yield connection


def rows(con: Any, query: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = con.execute(query).fetchall()
    return found


RELEASE = """CREATE OR REPLACE TABLE r AS FROM (VALUES
    ('02138', '[20, 30)', 1.5::DOUBLE, DATE '2026-01-01', 'x'), ('02139', '20', NULL, NULL, 'y'), (NULL, '29', 2.5, NULL, 'x'),
    ('0213*', '[20, 30)', 1.5, DATE '2026-01-01', 'x'), ('0213*', '[51, 52]', NULL, DATE '2026-03-01', 'y'),
    ('{02138, 02139}', NULL, 2.5, DATE '2026-03-01', 'z'), ('*', '[20, 30)', NULL, NULL, 'c1')) AS t(zip, age, cost, day, c1)"""


@pytest.mark.everything
def test_shown_cells_stay_and_others_are_values_that_labels_cover(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(RELEASE)
    covers = {
        "[20, 30)": {"20", "29"}, "[51, 52]": {"51", "52"}, "0213*": {"02138", "02139"}, "*": {"02138", "02139"},
        "{02138, 02139}": {"02138", "02139"},
    }  # fmt: skip
    shown = {"zip": {"02138", "02139"}, "age": {"20", "29", "51", "52"}, "cost": {1.5, 2.5}, "c1": set("xyz")}
    before = rows(con, "FROM r")
    names = [name for name, *_ in rows(con, "DESCRIBE r")]
    seen = set()
    for seed in range(6):
        after = rows(con, f"FROM imputed('r', seed := {seed})")
        assert rows(con, f"FROM imputed('r', {seed})") == after
        seen.add(str(after))
        for one, two in zip(before, after, strict=True):
            for name, old, new in zip(names, one, two, strict=True):
                if old in covers:
                    assert new in covers[old]
                elif old is None:
                    assert new is not None
                    assert name == "day" or new in shown[name]
                else:
                    assert new == old
    assert len(seen) > 1
    assert rows(con, "DESCRIBE FROM imputed('r')") == rows(con, "DESCRIBE r")


@pytest.mark.everything
def test_values_come_in_the_shares_of_the_donors(con: duckdb.DuckDBPyConnection) -> None:
    """Half of the cells are suppressed; those who show 'f' are three of four 'a', those who show 'm' one of four."""
    con.execute("""CREATE OR REPLACE TABLE r AS SELECT ['f', 'm'][1 + i % 2] AS sex,
        CASE WHEN i % 4 > 1 THEN NULL WHEN i // 4 % 4 = 0 THEN ['b', 'a'][1 + i % 2] ELSE ['a', 'b'][1 + i % 2] END AS v
        FROM range(40000) AS t(i)""")
    shares = []
    for seed in range(8):
        drawn = f"imputed('r', {seed}) AS i POSITIONAL JOIN (SELECT v IS NULL AS gone FROM r)"
        query = f"SELECT sex, v, count(*) FROM {drawn} WHERE gone GROUP BY ALL"
        count = Counter({(sex, value): n for sex, value, n in rows(con, query)})
        assert sum(count.values()) == 20_000
        shares += [count["f", "a"] / 10_000, count["m", "b"] / 10_000]
    assert mean(shares) == pytest.approx(0.75, abs=4 * sqrt(0.1875 / 10_000 * 2 / 16))
    # what the shares of 10,000 donors leave open, and the draw of 10,000 cells; of 16 shares, so within wide bounds
    assert variance(shares) == pytest.approx(2 * 0.1875 / 10_000, rel=1.8)


def test_labels_are_drawn_by_their_donors(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""CREATE OR REPLACE TABLE r AS FROM range(20000) AS t(i) SELECT
        CASE WHEN i % 2 = 0 THEN '{a, b}' WHEN i % 20 = 1 THEN 'c' WHEN i % 10 = 5 THEN 'a' ELSE 'b' END AS v""")
    count = dict(rows(con, "SELECT v, count(*) FROM imputed('r') GROUP BY v"))
    assert count["c"] == 1000
    # 2,000 of 9,000 shown cells are 'a'; the labels themselves count for both
    assert 2000 + 10_000 * 2 / 9 < count["a"] < 2000 + 5000


@pytest.mark.everything
def test_top_and_bottom_coding_and_cuts(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""CREATE OR REPLACE TABLE r AS
        FROM (VALUES ('90+'), ('<18'), ('(18, 65)'), ('12'), ('30'), ('40'), ('95'), ('<=30')) AS t(age)""")
    found = [rows(con, f"FROM imputed('r', {seed})") for seed in range(12)]
    assert [{row[place][0] for row in found} for place in range(3)] == [{"90", "95"}, {"12"}, {"30", "40"}]
    assert {row[7][0] for row in found} == {"12", "30"}


def test_a_column_that_shows_nothing_stays_empty(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE OR REPLACE TABLE r AS SELECT i AS a, NULL::INTEGER AS b FROM range(3) AS t(i)")
    assert rows(con, "FROM imputed('r')") == [(0, None), (1, None), (2, None)]
    con.execute("CREATE OR REPLACE TABLE r AS FROM r LIMIT 0")
    assert rows(con, "FROM imputed('r')") == []


def test_columns_that_are_named(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE OR REPLACE TABLE r AS FROM (VALUES (1, 'x', NULL), (2, NULL, NULL), (3, 'x', 7)) AS t(id, a, b)")
    assert rows(con, "FROM imputed('r', qi := ['A'])") == [(1, "x", None), (2, "x", None), (3, "x", 7)]
    assert rows(con, "WITH c AS (FROM r) FROM imputed('c', qi := ['a', 'b'])") == [(1, "x", 7), (2, "x", 7), (3, "x", 7)]


@pytest.mark.everything
@pytest.mark.parametrize(
    "tree",
    [
        "VALUES ('a', 'ab', '*'), ('b', 'ab', '*'), ('c', 'c', '*'), ('d', 'de', '*'), ('e', 'de', '*')) "
        "AS t(level0, level1, level2",
        "VALUES ('a', 'ab'), ('b', 'ab'), ('ab', '*'), ('c', '*'), ('d', 'de'), ('e', 'de'), ('de', '*')) AS t(value, parent",
    ],
)
def test_labels_of_a_hierarchy_take_the_values_below_them(con: duckdb.DuckDBPyConnection, tree: str) -> None:
    """A label that is a value itself stays, and a value that the release shows nowhere is drawn, too."""
    con.execute(f"CREATE OR REPLACE TABLE tree AS FROM ({tree})")
    con.execute(
        "CREATE OR REPLACE TABLE r AS SELECT ['a', 'a', 'a', 'ab', 'c', 'de'][1 + i % 6] AS v, i % 6 AS kind "
        "FROM range(1200) t(i)"
    )
    found: dict[int, Counter[str]] = {}
    drawn = "imputed('r', qi := ['v'], hierarchies := MAP {'V': 'tree'})"
    for kind, value in rows(con, f"SELECT kind, v FROM {drawn}"):
        found.setdefault(kind, Counter())[value] += 1
    assert [set(found[kind]) for kind in (0, 3, 4, 5)] == [{"a"}, {"a", "b"}, {"c"}, {"d", "e"}]
    assert found[3]["a"] > 4 * found[3]["b"]
    con.execute("UPDATE r SET v = 'ab' WHERE v = 'a'")
    assert {value for (value,) in rows(con, f"SELECT v FROM {drawn} WHERE kind < 4")} == {"a", "b"}
    assert "ab" in {value for (value,) in rows(con, "SELECT v FROM imputed('r')")}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("imputed('r; DROP TABLE r')", "tbl is not the name of a table"),
        ("imputed('r', qi := [])", "qi is an empty list"),
        ("imputed('r', qi := ['a', 'A'])", "qi names a column twice"),
        ("imputed('r', qi := ['nothing'])", 'does not have a column named "nothing"'),
        ("imputed('r', seed := NULL)", "seed is a whole number"),
        ("imputed_columns('r', NULL)", "qi is missing"),
        ("imputed('r', hierarchies := MAP {'b': 'r'})", "hierarchies names what is none of the columns: b"),
        ("imputed('r', hierarchies := MAP {'a': 'r'})", "the columns of a hierarchy are not value, parent or level0"),
    ],
)
def test_bad_input(con: duckdb.DuckDBPyConnection, call: str, said: str) -> None:
    con.execute("CREATE OR REPLACE TABLE r AS SELECT 1 AS a")
    with pytest.raises(duckdb.Error, match=said):
        con.execute(f"FROM {call}").fetchall()


def pooled(estimates: list[tuple[float, float]]) -> tuple[float, float]:
    """Return an estimate and the half of its 95 % interval, by the rules of Rubin (of the normal distribution)."""
    n, values = len(estimates), [value for value, _ in estimates]
    total = mean(square for _, square in estimates) + (1 + 1 / n) * variance(values)
    return mean(values), NormalDist().inv_cdf(0.975) * sqrt(total)


JOBS = ("Sales", "Craft-repair", "Exec-managerial", "Prof-specialty", "Adm-clerical")
GROUPS = [
    ("age", "true"),
    *(("rich", f"education = '{each}'") for each in ("HS-grad", "Some-college", "Bachelors", "Masters", "11th")),
    *(("rich", f"occupation = '{each}'") for each in JOBS),
    *((what, f"sex = '{each}'") for what in ("hours", "age") for each in ("Male", "Female")),
    *(("rich", f"race = '{each}'") for each in ("White", "Black")),
    *(("age", f"education = '{each}'") for each in ("HS-grad", "Bachelors")),
    ("rich", "age BETWEEN 30 AND 39"),
]


@pytest.mark.everything
def test_intervals_of_twenty_means_cover_those_of_the_source() -> None:
    """Adult at k = 5: each class shows the ranges and sets of its values."""
    import kanon_sql

    if not ADULT_FULL.exists():
        pytest.skip("the data sets are not beside the project")
    con = kanon_sql.connect()
    con.execute(f"""CREATE TABLE adult AS SELECT age, sex, race, education, occupation,
        ("salary-class" = '>50K')::INTEGER AS rich, "hours-per-week" AS hours FROM read_csv('{ADULT_FULL}')""")
    released = con.sql("""FROM adult ANONYMIZE BY age IN RANGES, sex, race IN SETS, education IN SETS, occupation IN SETS
        KEEP rich, hours GUARANTEE k >= 5 USING auto (time_limit = 5)""").to_arrow_table()
    columns = ["age", "sex", "race", "education", "occupation", "rich"]
    found: list[list[tuple[float, float]]] = [[] for _ in GROUPS]
    with duckdb.connect() as plain:
        for table in kanon_sql.impute(released, quasi_identifiers=columns):
            plain.register("drawn", table)
            for place, (what, group) in enumerate(GROUPS):
                found[place] += rows(plain, f"SELECT avg({what}), var_samp({what}) / count(*) FROM drawn WHERE {group}")
    covered = 0
    for (what, group), estimates in zip(GROUPS, found, strict=True):
        estimate, half = pooled(estimates)
        ((truth,),) = con.execute(f"SELECT avg({what}) FROM adult WHERE {group}").fetchall()
        covered += abs(estimate - truth) <= half
    assert len(GROUPS) == 20
    assert covered >= 18
