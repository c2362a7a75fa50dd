"""Plain SQL refuses a release with columns that identify people, and says which and how to go on; nothing is written."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

ROOT = Path(__file__).parents[2]

PEOPLE = """CREATE TABLE people AS SELECT i AS person_id, 'N' || i AS name, '0213' || i % 5 AS zip, 20 + i % 60 AS age,
    ['m', 'f'][1 + i % 2] AS sex FROM range(5000) t(i)"""

REFUSED = (
    "kanon: columns have no role and look like identifiers of people: person_id (by its name); name (by its name); nothing was "
    "released; hint: drop := ['person_id', 'name'], or name them in keep to release them on purpose"
)

RELEASES = (
    "k_anonymize('people', 5, qi := ['zip', 'sex'])",
    "pattern_guided('people', [['zip', 'sex'], []], k := 5, qi := ['zip', 'sex'])",
)

STATEMENTS = (
    "FROM {}",
    "SELECT zip FROM {} LIMIT 1",
    "SELECT count(*) FROM {}",
    "CREATE TABLE out AS FROM {}",
    "INSERT INTO kept FROM {}",
    "CREATE VIEW v AS FROM {}; FROM v",
)


@pytest.mark.sweep
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_table_with_names_is_refused_and_nothing_is_written(
    con: duckdb.DuckDBPyConnection, statement: str, release: str
) -> None:
    con.execute(f"{PEOPLE}; CREATE TABLE kept AS FROM people LIMIT 0")
    with pytest.raises(duckdb.InvalidInputException) as refusal:
        con.execute(statement.format(release)).fetchall()
    assert REFUSED in str(refusal.value)
    assert con.execute("SELECT count(*) FROM kept").fetchall() == [(0,)]
    assert ("out",) not in con.execute("SHOW TABLES").fetchall()


@pytest.mark.everything
@pytest.mark.parametrize("release", RELEASES)
def test_the_stock_shell_refuses_it_and_writes_nothing(shell: str, tmp_path: Path, release: str) -> None:
    script = f".read {ROOT / 'sql' / 'kanon.sql'}\n{PEOPLE};\nCOPY (FROM {release}) TO 'out.csv';\n"
    command = [shell, "-init", "/dev/null", "-batch", "clinic.duckdb"]
    done = subprocess.run(
        command, input=script, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, timeout=120, check=False
    )
    assert REFUSED in done.stderr.replace("\n", " ")
    assert done.stdout == ""
    written = tmp_path / "out.csv"
    assert not written.exists() or written.stat().st_size == 0  # before DuckDB 2, the target is left empty


@pytest.mark.everything
def test_ways_out(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(PEOPLE)
    con.execute("CREATE VIEW plain AS SELECT zip, age, sex FROM people")
    for call in (
        "k_anonymize('plain', 5, qi := ['zip', 'sex'])",
        "k_anonymize('people', 5, qi := ['zip', 'sex'], drop := ['Name', 'PERSON_ID'])",
        "k_anonymize('people', 5, drop := ['name', 'person_id'])",
        "k_anonymize('people', 5, drop := ['name', 'person_id', 'age'], keep := ['sex'])",
        "k_anonymize('people', 5, qi := ['zip', 'sex'], keep := ['NAME', 'person_id', 'age'])",
        "k_anonymize('people', 5, qi := ['zip', 'sex'], keep := ['NAME', 'age'], drop := ['person_id'])",
        "pattern_guided('people', [['zip'], []], k := 5, qi := ['zip'], keep := ['name', 'person_id', 'age', 'sex'])",
    ):
        assert con.execute(f"SELECT count(*) FROM {call}").fetchall() == [(5000,)]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            "keep := ['name'], drop := ['person_id']",
            "kanon: the column age has no role; nothing was released; hint: name it in keep, in qi or in drop",
        ),
        ("keep := []", "kanon: columns have no role and look like identifiers of people: person_id"),
        ("keep := ['name', 'NAME']", "kanon: keep names a column twice, or one of qi"),
        ("keep := ['zip']", "kanon: keep names a column twice, or one of qi"),
        ("keep := ['name', NULL]", "kanon: keep holds NULL instead of a column name"),
        ("unlisted_limit := 1.1", r"kanon: unlisted_limit is not a share of the rows from 0 to 1 \(write 0.2, the default\)"),
        ("unlisted_limit := 'all'", "kanon: unlisted_limit is not a share of the rows from 0 to 1"),
        ("unlisted_limit := NULL", "kanon: unlisted_limit is not a share of the rows from 0 to 1"),
        ("unlisted_limit := 1", "kanon: columns have no role and look like identifiers of people: person_id"),
        ("drop := ['name', NULL]", "kanon: drop holds NULL instead of a column name"),
        ("drop := ['name', 'NAME']", "kanon: drop names a column twice, or one of qi or keep"),
        ("drop := ['zip']", "kanon: drop names a column twice, or one of qi or keep"),
        ("drop := ['age'], keep := ['AGE']", "kanon: drop names a column twice, or one of qi or keep"),
        ("drop := ['nothing']", 'Column "nothing" in EXCLUDE list not found'),
    ],
)
def test_keep_and_the_limit(con: duckdb.DuckDBPyConnection, arguments: str, told: str) -> None:
    con.execute(PEOPLE)
    with pytest.raises(duckdb.Error, match=told):
        con.execute(f"FROM k_anonymize('people', 5, qi := ['zip', 'sex'], {arguments})").fetchall()


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", ["VARCHAR COLLATE NOCASE", "VARCHAR COLLATE NOACCENT", "VARCHAR"])
def test_values_that_differ_in_case_alone_are_counted_one_by_one(con: duckdb.DuckDBPyConnection, name: str) -> None:
    con.execute(f"CREATE TABLE t (zip INTEGER, v {name})")
    con.execute("INSERT INTO t SELECT i % 5, chr((65 + 32 * (i // 26 % 2) + i % 26)::INTEGER) FROM range(52) AS r(i)")
    con.execute("CREATE TABLE w AS SELECT zip, {'v': v} AS v FROM t")
    for table in ("t", "w"):
        with pytest.raises(duckdb.InvalidInputException, match=r"identifies people: v singles out 100.0% of the rows"):
            con.execute(f"FROM k_anonymize('{table}', 5, qi := ['zip'])").fetchall()


VALUES = {
    "HUGEINT": "[i // 2, -1 - i // 2][1 + i % 2]",
    "INTEGER[]": "[[], [NULL], [NULL, NULL]][1 + i % 3] || [i // 3]",
    "DOUBLE": "i::DOUBLE / 3",
    "BLOB": "i::VARCHAR::BLOB",
    "JSON": "to_json(i)",
}


@pytest.mark.sweep
@pytest.mark.parametrize("kind", VALUES)
def test_values_with_one_hash_are_counted_one_by_one(con: duckdb.DuckDBPyConnection, kind: str) -> None:
    con.execute(f"CREATE TABLE t AS SELECT i % 5 AS zip, ({VALUES[kind]})::{kind} AS v FROM range(1, 61) AS r(i)")
    with pytest.raises(duckdb.InvalidInputException, match=r"identifies people: v singles out (9.|100).*% of the rows"):
        con.execute("FROM k_anonymize('t', 5, qi := ['zip'])").fetchall()


def test_a_few_rare_values_single_nobody_out(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""CREATE TABLE t AS SELECT '9810' || i % 3 AS zip,
        ['flu', 'flu', 'gout', 'flu', 'asthma', 'hiv'][1 + i % 6] || i // 10 AS disease FROM range(12) AS r(i)""")
    assert len(con.execute("FROM k_anonymize('t', 2, qi := ['zip'])").fetchall()) == 12


def test_a_value_in_two_rows_singles_out(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT i % 3 AS zip, 'N' || i // 2 AS v FROM range(120) AS r(i)")
    told = r"v singles out 100.0% of the rows \(values shared by fewer than 3 rows\)"
    with pytest.raises(duckdb.InvalidInputException, match=told):
        con.execute("FROM k_anonymize('t', 5, qi := ['zip'])").fetchall()


def told_by_counting(
    qi: Sequence[tuple[object, ...]],
    hidden: Sequence[Sequence[bool]],
    others: Sequence[tuple[object, ...]],
    limit: Fraction,
    k: int,
) -> list[str]:
    """What columns without a role reveal beyond the limits, counted row by row in whole numbers."""
    rows, most = len(others), max(limit, Fraction(1, 2))
    shared = max(2, min(k, 10, rows // 40))
    whose = f" (values shared by fewer than {shared} rows)" if shared > 2 else ""
    places = range(len(others[0]))
    counts = [Counter(row[place] for row in others) for place in places]
    single = [sum(count for count in groups.values() if count < shared) for groups in counts]
    found = [
        f"o{place} singles out {100 * single[place] / rows:.1f}% of the rows{whose}"
        for place in places
        if single[place] > most * rows or single[place] > limit * max(rows, 50)
    ]
    alone = sum(count == 1 for count in Counter(others).values())
    if not found and len(places) > 1 and alone > most * rows:
        names = [f"o{place}" for place in places]
        found = [f"{', '.join(names[:-1])} and {names[-1]} together single out {100 * alone / rows:.1f}% of the rows"]
    if found:  # before the search
        return found
    for place, groups in enumerate(counts):
        words = []
        for column in range(len(qi[0])):
            counts = Counter(row[column] for row in qi)
            lost = Counter(row[column] for row, gone in zip(qi, hidden, strict=True) if gone[column])
            shares = []
            for least in (2, 5):
                hit = miss = Fraction(0)
                for value, size in groups.items():
                    within = Counter(row[column] for row, other in zip(qi, others, strict=True) if other[place] == value)
                    cells = {each: Fraction(n * lost[each], counts[each]) for each, n in within.items()}
                    top = max(within, key=lambda each: within[each])
                    if size < least or within[top] * 100 < 95 * (size - 1):
                        continue
                    miss += sum(cells.values()) - (cells[top] if within[top] > 1 else 0)
                    hit += cells[top] if (within[top] - 1) * 100 >= 95 * (size - 1) else 0
                common = Fraction(max(counts.values()), rows)
                if hit > most * sum(lost.values()) and miss / (hit + miss) <= min(Fraction(1, 20), (1 - common) / 2):
                    shares.append(hit / sum(lost.values()))
            if shares:
                words.append(f"gives back {100 * float(max(shares)):.1f}% of the suppressed cells of q{column}")
        if words:
            found.append(f"o{place} {' and '.join(words)}")
    return found


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", [*range(20), *(pytest.param(seed, marks=pytest.mark.everything) for seed in range(20, 300))])
def test_the_columns_and_shares_are_those_of_counting(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    draw = random.Random(seed)
    size, wide = draw.choice([4, 12, 60, 90, 250]), draw.choice([1, 2, 3])
    qi = [(draw.choice("abcd"), draw.randrange(draw.choice([3, 9]))) for _ in range(size)]
    kinds = [draw.choice(["few", "many", "copy", "blend"]) for _ in range(wide)]

    def cell(kind: str, row: tuple[object, ...]) -> str | None:
        if kind == "copy" and draw.random() < 0.98:
            return f"x{row[1]}"
        return None if draw.random() < 0.1 else str(draw.randrange({"few": 3, "many": 40}.get(kind, 12)))

    others = [tuple(cell(kind, row) for kind in kinds) for row in qi]
    k = draw.choice([3, 3, 4, 6, 20] if size > 12 else [3])
    limit = draw.choice(["0", "0.1", "0.2", "0.2", "0.6", "0.35"])
    con.execute(f"CREATE TABLE t (number INTEGER, q0 VARCHAR, q1 INTEGER, {', '.join(f'o{i} VARCHAR' for i in range(wide))})")
    con.executemany(
        f"INSERT INTO t VALUES ({', '.join('?' * (3 + wide))})",
        [(number, *each, *other) for number, (each, other) in enumerate(zip(qi, others, strict=True))],
    )
    con.execute("CREATE VIEW v AS SELECT * EXCLUDE (number) FROM t")
    shown = con.execute(
        f"SELECT q0, q1 FROM k_anonymize('t', {k}, qi := ['q0', 'q1'], unlisted_limit := 1) ORDER BY number"
    ).fetchall()
    hidden = [[each is None for each in row] for row in shown]
    expected = told_by_counting(qi, hidden, others, Fraction(limit), k)
    call = f"SELECT count(*) FROM k_anonymize('v', {k}, qi := ['q0', 'q1'], unlisted_limit := {limit})"
    if not expected:
        assert con.execute(call).fetchall() == [(size,)]
        return
    with pytest.raises(duckdb.InvalidInputException) as refusal:
        con.execute(call).fetchall()
    reveals = str(refusal.value).partition(" people: ")[2].partition("; nothing was released")[0]
    assert reveals == "; ".join(expected)
