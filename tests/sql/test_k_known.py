"""`k_known` against a plain count of the classes of every set of columns."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli.commands import main
from kanon_sql.errors import AuditError, PolicyError

Row = tuple[int | None, ...]


def counted(rows: Sequence[Row], m: int, k: int, people: Sequence[int | None] = ()) -> tuple[int, int, int, int | None]:
    """Return the smallest class, the number of sets, the rows below by the worst set, and those for sets of one column more.

    Of ``people``, whose rows they are, None is nobody.
    """
    width = len(rows[0])

    def below(chosen: tuple[int, ...]) -> tuple[int, int]:
        classes = defaultdict(list)
        for number, row in enumerate(rows):
            classes[tuple(row[place] for place in chosen)].append(people[number] if people else number)
        sizes = [(len({*each} - {None}), len(each)) for each in classes.values()]
        return min(sizes)[0], sum(rows for size, rows in sizes if size < k)

    found = [below(chosen) for chosen in combinations(range(width), min(m, width))]
    more = [below(chosen)[1] for chosen in combinations(range(width), m + 1)]
    return min(least for least, _ in found), len(found), max(rows for _, rows in found), max(more, default=None)


@pytest.fixture
def table(con: duckdb.DuckDBPyConnection, request: pytest.FixtureRequest) -> list[Row]:
    draw = random.Random(request.param)
    width = draw.randint(1, 9)
    values: list[int | None] = [None, 0, 1, 2, 3]
    rows = [tuple(draw.choice(values[: 2 + place % 4]) for place in range(width)) for _ in range(draw.randint(1, 90))]
    con.execute(f"CREATE TABLE t ({', '.join(f'c{place} INTEGER' for place in range(width))})")
    con.executemany(f"INSERT INTO t VALUES ({', '.join('?' * width)})", rows)
    return rows


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("table", range(12), indirect=True)
def test_figures_are_those_of_plain_counting(con: duckdb.DuckDBPyConnection, table: list[Row]) -> None:
    width = len(table[0])
    names = [f"C{place}" for place in range(width)]
    for m, k in ((1, 3), (2, 2), (3, 4), (width, 5), (width + 1, 5)):
        smallest, sets, worst, *below = con.execute("FROM k_known('t', $1, $2, k := $3)", [names, m, k]).fetchall()[0]
        assert (smallest, sets, *below) == counted(table, m, k)
        places = [names.index(name) for name in worst]
        assert len(places) == min(m, width)
        assert min(Counter(tuple(row[place] for place in places) for row in table).values()) == smallest
    (plain,) = con.execute("SELECT k FROM k_anonymity('t')").fetchall()
    assert con.execute("SELECT k FROM k_known('t', $1, $2)", [names, width]).fetchall() == [plain]


@pytest.mark.parametrize("table", [3], indirect=True)
def test_python_counts_the_same(con: duckdb.DuckDBPyConnection, table: list[Row]) -> None:
    found = kanon_sql.audit(con.table("t"), known=2)
    figures = found.k_known, found.known_sets, found.known_rows_below, found.known_rows_below_next
    assert figures == counted(table, 2, 5)
    assert found.known_worst_set is not None
    assert len(found.known_worst_set) == 2


@pytest.mark.everything
@pytest.mark.parametrize("table", range(4), indirect=True)
def test_people_are_counted(con: duckdb.DuckDBPyConnection, table: list[Row]) -> None:
    people = [None if number % 7 == 0 else number * number % 11 for number in range(len(table))]
    con.execute('ALTER TABLE t ADD COLUMN "who""" INTEGER')
    con.executemany('UPDATE t SET "who""" = $1 WHERE rowid = $2', [*zip(people, range(len(table)), strict=True)])
    names = [f"c{place}" for place in range(len(table[0]))]
    for m in (1, 2, len(names)):
        expected = counted(table, m, 4, people)
        found = con.execute("FROM k_known('t', $1, $2, k := 4, person := 'WHO\"')", [names, m]).fetchall()[0]
        assert (*found[:2], *found[3:]) == expected
        figures = kanon_sql.audit(con.table("t"), quasi_identifiers=names, known=m, per='who"')
        assert (figures.k_known, figures.known_sets) == expected[:2]
    assert figures.k_known == figures.k


@pytest.mark.everything
def test_an_audit_refuses_classes_of_few_people(tmp_path: Path) -> None:
    import pyarrow as pa

    table = pa.table({"who": [1, 1, 2, 3] * 5, "zip": [1, 1, 2, 2] * 5, "sex": [1, 1, 1, 1] * 5})
    told = "the smallest class by any 1 column has rows of 1 person, fewer than k = 2"
    asked = {"quasi_identifiers": ["zip", "sex"], "k": 2, "known": 1}
    assert kanon_sql.audit(table, **asked, per_row=True).k_known == 10
    with pytest.raises(AuditError, match=told):
        kanon_sql.audit(table, **asked, per="who")
    duckdb.from_arrow(table).write_csv(str(tmp_path / "t.csv"))
    options = ["--qi", "zip,sex", "--k", "2", "--known", "1", "--per", "who"]
    done = CliRunner().invoke(main, ["audit", str(tmp_path / "t.csv"), *options])
    assert (done.exit_code, done.stdout.partition("\n")[0]) == (1, f"FAIL: {told}")


def test_an_empty_table_has_no_k(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t (a INTEGER, b VARCHAR, c VARCHAR)")
    assert con.execute("FROM k_known('t', ['a', 'b', 'c'], 2)").fetchall() == [(None, 3, None, 0, 0)]


@pytest.mark.everything
def test_python_refuses_what_has_too_few_rows() -> None:
    import pyarrow as pa

    table = pa.table({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [1, 1, 1, 1]})
    assert kanon_sql.audit(table, k=2, known=1).k_known == 2
    with pytest.raises(AuditError, match="smallest class by any 2 columns has 1 row, fewer than k = 2"):
        kanon_sql.audit(table, k=2, known=2)
    with pytest.raises(AuditError, match="if the release is for attackers who know any 3 columns, pass known=3"):
        kanon_sql.audit(table, k=2)
    with pytest.raises(PolicyError, match="known must be a whole number of at least 1"):
        kanon_sql.audit(table, known=0)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("NULL, 1", "qi is missing"),
        ("['a'], 0", "m is the number of columns that are known, at least 1"),
        ("['a'], NULL", "m is the number of columns that are known, at least 1"),
        ("['a'], 1, k := 0", "k is a number of rows"),
        ("['a'], 1, person := ''", "person is not a column name"),
        ("[], 1", "empty list"),
        (f"{[f'c{place}' for place in range(61)]}, 1", "more than 60 columns"),
        (f"{[f'c{place}' for place in range(60)]}, 4", "more than 5,000 sets of 4 columns"),
    ],
)
def test_bad_arguments(con: duckdb.DuckDBPyConnection, arguments: str, message: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    with pytest.raises(duckdb.Error, match=message):
        con.execute(f"FROM k_known('t', {arguments})")
