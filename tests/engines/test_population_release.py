"""k-map at every entrance: what each released row shows, counted again in the population by the texts that a reader sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import AuditError, ClauseError, InfeasibleError, KanonError, PolicyError, SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity, KMap, LDiversity
from kanon_sql.solvers.guarantees import k_map as k_map_guarantee
from kanon_sql.solvers.population import k_map
from kanon_sql.solvers.population.cheapest import Cheapest

PATIENTS = """SELECT (98100 + hash(i) % 30)::VARCHAR AS zip, (20 + hash(i, 1) % 30)::INT AS age,
    DATE '2020-01-01' + (hash(i, 5) % 400)::INT AS day, ['a', 'b', 'c', NULL][1 + (hash(i, 4) % 4)::INT] AS town,
    ['flu', 'gout', 'acne'][1 + (hash(i, 2) % 3)::INT] AS disease FROM range(60) AS t(i)"""

CENSUS = """SELECT (98100 + hash(i, 7) % 40)::VARCHAR AS zip, (18 + hash(i, 8) % 40)::INT AS age, i AS other,
    DATE '2020-01-01' + (hash(i, 9) % 500)::INT AS day, ['a', 'b', 'd', NULL][1 + (hash(i, 3) % 4)::INT] AS town
    FROM range(2000) AS t(i) UNION ALL
    FROM (VALUES ('981', 34, 1, NULL, 'a'), ('98100 12', 34, 1, NULL, 'a'), (NULL, 34, 1, NULL, 'a'))"""

TREE = """SELECT (98100 + i)::VARCHAR AS level0, 'N' || (i // 4) AS level1, 'M' || (i // 12) AS level2, '*' AS level3
    FROM range(36) AS t(i)"""

Cell = Any
Shows = Callable[[Cell, Cell], bool]


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    for name, query in {"patients": PATIENTS, "census": CENSUS, "tree": TREE}.items():
        shared_clause.execute(f"CREATE TABLE {name} AS {query}")
    return shared_clause


def plain(label: Cell, value: Cell) -> bool:
    return label == (None if value is None else str(value))


def digits(label: Cell, value: Cell) -> bool:
    """A star stands for each other character."""
    if value is None or label is None:
        return label == value
    return label == value or any(label == value[:count] + "*" * (len(value) - count) for count in range(1, 5))


def intervals(label: Cell, value: Cell) -> bool:
    if value is None or label is None or not label.startswith("["):
        return plain(label, value)
    low, high = map(int, label[1:-1].split(", "))
    return low <= value < high


def ended(label: Cell, value: Cell) -> bool:
    """TOP 33 BOTTOM 12."""
    if value is not None and not 12 < value < 33:
        return label == ("33+" if value >= 33 else "<=12")
    return intervals(None if label is None else label.replace("(12, ", "[13, "), value)


def tree(label: Cell, value: Cell) -> bool:
    number = int(value) - 98100 if value is not None and value.isdecimal() and len(value) == 5 else 100
    return plain(label, value) or (number < 36 and label in (f"N{number // 4}", f"M{number // 12}"))


def periods(label: Cell, value: Cell) -> bool:
    if value is None or label is None:
        return label == value
    quarter = f"{value.year}-Q{(value.month + 2) // 3}"
    return label in (str(value), f"{value:%Y-%m}", quarter, f"{value.year}")


def least_matches(con: Connection, columns: dict[str, Shows], query: str) -> int:
    """Return the fewest rows of the population that a row of a release shows; '*' is suppressed."""
    names = ", ".join(columns)
    people = con.execute(f"SELECT {names} FROM census").fetchall()
    rows = con.execute(f"SELECT DISTINCT {names} FROM ({query})").fetchall()
    shows = list(columns.values())
    return min(
        sum(
            all(label == "*" or show(label, value) for show, label, value in zip(shows, row, person, strict=True))
            for person in people
        )
        for row in rows
    )


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("by", "columns"),
    [
        ("zip, age, town", {"zip": plain, "age": plain, "town": plain}),
        ("zip IN DIGITS, age", {"zip": digits, "age": plain}),
        ("zip IN DIGITS (4, 3), town", {"zip": digits, "town": plain}),
        ("zip IN HIERARCHY tree, age IN INTERVALS (5, 10, 20)", {"zip": tree, "age": intervals}),
        ("zip, age IN INTERVALS (5, 10, 20) TOP 33 BOTTOM 12", {"zip": plain, "age": ended}),
        ("zip IN HIERARCHY tree (1, 2), town", {"zip": tree, "town": plain}),
        ("day IN INTERVALS (month, quarter, year), zip", {"day": periods, "zip": plain}),
        ("zip, town, age LINKED (zip, town)", {"zip": plain, "town": plain, "age": plain}),
    ],
)
@pytest.mark.parametrize(
    ("k", "beside", "using"),
    [(3, "", "auto"), (25, "", "auto"), (10, " AND k >= 2", "greedy"), (10, " AND l(disease) >= 2", "refine (time_limit = 1)")],
)
def test_each_row_matches_k_of_the_population(
    con: Connection, by: str, columns: dict[str, Shows], k: int, beside: str, using: str
) -> None:
    options = using.replace(")", ", suppress = '*')") if ")" in using else f"{using} (suppress = '*')"
    released = f"SELECT {', '.join(columns)}, disease FROM patients ANONYMIZE BY {by} "
    released += f"GUARANTEE k >= {{}} IN census{beside} USING {options}"
    con.execute(f"CREATE TABLE released AS {released.format(k)}")
    assert least_matches(con, columns, "FROM released") >= k
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.lower_bound <= certificate.cost
    if not beside:
        assert certificate.status.value == "OPTIMAL"
        con.execute(f"CREATE TABLE coarser AS {released.format(4 * k)}")
        assert certificate.cost <= kanon_sql.releases(con)[-1].cost


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("by", "kind", "rows", "others", "shown"),
    [
        (
            "IN INTERVALS (month, year)",
            "DATE",
            ["2020-01-01", "2020-02-03"],
            ["2020-01-31", "2020-02-09"],
            ["2020-01", "2020-02"],
        ),
        ("IN INTERVALS (5, 10)", "INTEGER", ["3", "17"], ["4", "18", "16"], ["[0, 5)", "[15, 20)"]),
        (
            "IN INTERVALS ONLY (month, year) BOTTOM 2019 TOP 2022",
            "DATE",
            ["2018-01-01", "2020-02-03", "2024-01-01"],
            ["2019-12-31", "2020-02-09", "2022-05-05"],
            ["2020-02", "2022+", "<=2019"],
        ),
        ("IN INTERVALS (5) TOP 17 BOTTOM 1", "INTEGER", ["2", "18"], ["1", "4", "99"], ["(1, 5)", "17+"]),
        ("IN CUTS (4, 10)", "INTEGER", ["3", "9", "18"], ["1", "4", "99"], ["<4", "[4, 10)", "10+"]),
        ("TOP 10 BOTTOM 4", "INTEGER", ["3", "18"], ["4", "5", "99"], ["<=4", "10+"]),
        ("IN DIGITS", "VARCHAR", ["981", "775"], ["982", "989", "778"], ["98*", "77*"]),
        ("IN DIGITS (2, 1)", "VARCHAR", ["981", "775"], ["982", "989", "71x"], ["98*", "7**"]),
        ("IN HIERARCHY tree", "VARCHAR", ["98100", "98104"], ["98101", "98107"], ["N0", "N1"]),
    ],
)
def test_a_label_of_one_value_alone_may_stand_for_many_of_the_population(
    con: Connection, by: str, kind: str, rows: list[str], others: list[str], shown: list[str]
) -> None:
    """No row is like another at a level, and yet each shows it: the certificate said that no release loses less."""
    for name, values in {"few": rows, "many": others}.items():
        con.execute(f"CREATE TABLE {name} AS SELECT CAST(unnest({values}) AS {kind}) AS z")
    found = con.sql(f"FROM few ANONYMIZE BY z {by} GUARANTEE k >= 1 IN many").fetchall()
    assert sorted(z for (z,) in found) == sorted(shown)
    assert kanon_sql.releases(con)[-1].status.value == "OPTIMAL"


@pytest.mark.everything
@pytest.mark.parametrize("k", [25, 60])
def test_a_label_of_a_group_may_be_one_of_its_values(con: Connection, k: int) -> None:
    con.execute("""CREATE TABLE heads AS SELECT (98100 + i)::VARCHAR AS level0, (98100 + i // 4 * 4)::VARCHAR AS level1,
        (98100 + i // 12 * 12)::VARCHAR AS level2, '*' AS level3 FROM range(36) AS t(i)""")

    def headed(label: Cell, value: Cell) -> bool:
        number = int(value) - 98100 if value is not None and value.isdecimal() and len(value) == 5 else 100
        return plain(label, value) or (number < 36 and label in (f"{98100 + number // size * size}" for size in (4, 12)))

    clause = f"ANONYMIZE BY zip IN HIERARCHY heads, town GUARANTEE k >= {k} IN census USING auto (suppress = '*')"
    con.execute(f"CREATE TABLE released AS SELECT zip, town FROM patients {clause}")
    assert least_matches(con, {"zip": headed, "town": plain}, "FROM released") >= k


@pytest.mark.everything
def test_the_example_of_the_page_by_hand(con: Connection) -> None:
    """The definition of ARX, for disjoint classes: a class has k rows of the population in it."""
    con.execute("CREATE TABLE few AS FROM (VALUES ('98101', 34), ('98102', 51)) AS t(zip, age)")
    con.execute("CREATE TABLE town AS FROM (VALUES ('98101', 34), ('98101', 34), ('98102', 50), ('98102', 51)) AS t(zip, age)")
    ask = "SELECT zip, age FROM few ANONYMIZE BY zip, age GUARANTEE k >= {} IN town ORDER BY ALL"
    assert con.sql(ask.format(1)).fetchall() == [("98101", 34), ("98102", 51)]
    assert con.sql(ask.format(2)).fetchall() == [("98101", 34), ("98102", None)]
    assert con.sql(ask.format(3)).fetchall() == [(None, None), (None, None)]
    measured = "FROM k_mapping('{}', ['zip', 'age'], 'town')"
    assert con.sql(measured.format("few")).fetchall() == [(1, 2, 0, 2, 4)]
    con.execute(f"CREATE TABLE two AS {ask.format(2)}")
    assert con.sql(measured.format("two")).fetchall() == [(2, 2, 0, 2, 4)]


@pytest.mark.everything
def test_the_audit_shares_nothing_with_the_solver(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that shows everything, and an exact test that sees nothing: no row leaves."""

    def everything(codes: Any, cost: Any, *_: object) -> Cheapest:
        shown = np.full(len(codes), (1 << len(cost)) - 1, np.uint64)
        return Cheapest(shown=shown, cost=np.zeros(len(codes), np.int64), complete=True)

    monkeypatch.setattr(k_map, "cheapest", everything)
    release = "SELECT zip, age FROM patients ANONYMIZE BY {} GUARANTEE k >= 5 IN census"
    with pytest.raises(AuditError, match="the solver created classes that break k >= 5 IN census; nothing was released"):
        con.sql(release.format("zip, age")).fetchall()
    monkeypatch.setattr(k_map_guarantee, "matches", lambda _population, _codes, shown, _ladders: np.full(len(shown), 1 << 40))
    for by in ("zip, age", "zip IN DIGITS, age IN INTERVALS (5, 10)", "zip IN HIERARCHY tree, age"):
        told = r"classes break k >= 5 IN census: the worst matches \d rows of the population; nothing was released"
        with pytest.raises(AuditError, match=told):
            con.sql(release.format(by)).fetchall()


@pytest.mark.everything
def test_the_audit_tells_columns_apart_as_the_database_does(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """É and é are two columns, and a row that hides the one does not hide the other."""
    con.execute('CREATE TABLE letters AS SELECT i AS "É", i AS "é" FROM range(6) AS t(i)')

    def first_hidden(codes: Any, cost: Any, *_: object) -> Cheapest:
        return Cheapest(shown=np.full(len(codes), 2, np.uint64), cost=np.zeros(len(codes), np.int64), complete=True)

    monkeypatch.setattr(k_map, "cheapest", first_hidden)
    monkeypatch.setattr(k_map_guarantee, "matches", lambda _population, _codes, shown, _ladders: np.full(len(shown), 1 << 40))
    with pytest.raises(AuditError, match="6 classes break k >= 2 IN letters: the worst matches 1 row of the population"):
        con.sql('FROM letters ANONYMIZE BY "É", "é" GUARANTEE k >= 2 IN letters').fetchall()


@pytest.mark.everything
def test_every_entrance_makes_the_same_release(con: Connection, tmp_path: Path) -> None:
    others = ["day", "town", "disease"]
    named = f"qi := ['zip', 'age'], keep := {others}"
    policy = Policy.of(k_map=9, population="census", quasi_identifiers=["zip", "age"], keep=others)
    assert policy.requirements == (KMap(k=9, population="census"),)
    con.execute(f"COPY census TO '{tmp_path}/census.parquet'; COPY (SELECT zip, age FROM census) TO '{tmp_path}/census.csv'")
    con.execute("CREATE VIEW everybody AS FROM census")
    releases = [
        "FROM patients ANONYMIZE BY zip, age KEEP day, town, disease GUARANTEE k >= 9 IN census",
        "FROM patients ANONYMIZE BY zip, age KEEP day, town, disease GUARANTEE k > 8 IN everybody",
        "FROM patients ANONYMIZE BY zip, age KEEP day, town, disease GUARANTEE 9 <= k IN main.census",
        f"FROM patients ANONYMIZE BY zip, age KEEP day, town, disease GUARANTEE k >= 9 IN '{tmp_path}/census.parquet'",
        f"FROM patients ANONYMIZE BY zip, age KEEP day, town, disease GUARANTEE k >= 9 IN '{tmp_path}/census.csv'",
        f"FROM k_map('patients', 9, 'census', {named})",
        f"FROM k_anonymize('patients', 1, k_map := 9, population := 'census', {named})",
        f"FROM anonymize('patients', '{policy.to_json()}')",
    ]
    con.execute(
        "CREATE ANONYMIZATION POLICY mapped ON patients (BY zip, age; KEEP disease, day, town; GUARANTEE k >= 9 IN census)"
    )
    releases.append("SELECT zip, age, * EXCLUDE (zip, age) FROM patients ANONYMIZE WITH POLICY mapped")
    found = {tuple(sorted(con.sql(f"SELECT zip, age FROM ({each})").fetchall(), key=str)) for each in releases}
    frames = {name: con.sql(f"FROM {name}").to_arrow_table() for name in ("patients", "census")}
    tables = {"census": frames["census"]}
    release = kanon_sql.anonymize(
        frames["patients"], k_map=9, population="census", quasi_identifiers=["zip", "age"], keep=others, tables=tables
    )
    rows = zip(*(release.table.column(name).to_pylist() for name in ("zip", "age")), strict=True)
    found.add(tuple(sorted(rows, key=str)))
    assert len(found) == 1
    assert release.certificate.requirements == ("k >= 9 IN census",)
    figures = kanon_sql.audit(release.table, quasi_identifiers=["zip", "age"], population=frames["census"], k_map=9)
    assert figures.k_map is not None
    assert figures.k_map >= 9
    assert figures.journalist_risk == 1 / figures.k_map
    with pytest.raises(AuditError, match=r"some class matches \d rows of the population, fewer than k_map = 9; hint: "):
        kanon_sql.audit(frames["patients"], quasi_identifiers=["zip", "age"], population=frames["census"], k_map=9)


def test_two_populations_and_rows_of_the_release(con: Connection) -> None:
    con.execute("CREATE TABLE other AS SELECT zip, age FROM census USING SAMPLE 300 ROWS (reservoir, 3)")
    con.execute(
        "CREATE TABLE r AS SELECT zip, age, disease FROM patients "
        "ANONYMIZE BY zip, age GUARANTEE k >= 8 IN census AND k >= 4 IN other AND k >= 3"
    )
    least = [
        con.sql(f"SELECT k FROM k_mapping('r', ['zip', 'age'], '{name}')").fetchall()[0][0] for name in ("census", "other")
    ]
    assert least[0] >= 8
    assert least[1] >= 4
    assert con.sql("SELECT k FROM k_anonymity('r', ['zip', 'age'])").fetchall()[0][0] >= 3
    assert Policy.from_json(kanon_sql.releases(con)[-1].policy).requirements == (
        KAnonymity(k=3),
        KMap(k=8, population="census"),
        KMap(k=4, population="other"),
    )


@pytest.mark.everything
def test_people_are_counted_in_the_release_and_rows_in_the_population(con: Connection) -> None:
    con.execute("CREATE TABLE visits AS SELECT 'p' || (age % 13) AS patient, zip, age FROM patients")
    con.execute("CREATE TABLE r AS FROM visits ANONYMIZE BY zip, age GUARANTEE k >= 2 PER patient AND k >= 5 IN census")
    assert con.sql("SELECT k FROM k_mapping('r', ['zip', 'age'], 'census')").fetchall()[0][0] >= 5


@pytest.mark.everything
def test_values_are_compared_in_their_common_type(con: Connection) -> None:
    """Numbers by their size, numbers and texts by their texts; what has no common type is an error."""
    con.execute("CREATE TABLE texts AS SELECT zip, age::VARCHAR AS age FROM census")
    con.execute("CREATE TABLE floats AS SELECT zip, age::DOUBLE AS age FROM census")
    ask = "SELECT zip, age FROM patients ANONYMIZE BY zip, age GUARANTEE k >= 9 IN {}"
    found = {tuple(sorted(con.sql(ask.format(name)).fetchall(), key=str)) for name in ("census", "texts", "floats")}
    assert len(found) == 1
    con.execute("CREATE TABLE dates AS SELECT zip, DATE '2020-01-01' AS age FROM census")
    with pytest.raises(PolicyError, match='the column "age" has different types in dates and in the source'):
        con.sql(ask.format("dates")).fetchall()


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("statement", "kind", "told"),
    [
        (
            "SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2004 IN census",
            InfeasibleError,
            "the population has 2,003 rows; hint: ",
        ),
        ("FROM patients ANONYMIZE BY disease GUARANTEE k >= 5 IN census", SourceError, 'not have a column named "disease"'),
        ("FROM patients ANONYMIZE BY zip GUARANTEE k >= 5 IN censsus", SourceError, "censsus does not exist"),
        (
            "FROM patients ANONYMIZE BY zip IN BINS GUARANTEE k >= 5 IN census",
            ClauseError,
            "the labels of zip in BINS depend on",
        ),
        ("FROM patients ANONYMIZE BY age IN RANGES GUARANTEE k >= 5 IN census", ClauseError, "DIGITS, HIERARCHY, CUTS, or"),
        ("FROM patients ANONYMIZE BY age IN INTERVALS GUARANTEE k >= 5 IN census", ClauseError, "INTERVALS with widths"),
        ("FROM patients ANONYMIZE BY zip GUARANTEE k >= 2.5 IN census", ClauseError, "expected a whole number"),
        ("FROM patients ANONYMIZE BY zip GUARANTEE k >= 5 IN", ClauseError, "expected a table"),
        ("FROM patients ANONYMIZE BY zip GUARANTEE k <= 5 IN census", ClauseError, "k supports only >="),
        ("FROM k_map('patients', 5, 'census')", SourceError, "census lacks one of the quasi-identifiers"),
        ("FROM k_map('patients', 0, 'census', qi := ['zip'])", PolicyError, "must be a whole number of at least 1"),
        ("FROM k_anonymize('patients', 5, k_map := 3, qi := ['zip'])", PolicyError, "hint: set population = 'census'"),
        ("FROM k_anonymize('patients', 5, population := 'census', qi := ['zip'])", PolicyError, "hint: set k_map = 5"),
        (
            "SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 5 IN census USING mondrian",
            PolicyError,
            "hint: use cheapest_masks",
        ),
        (
            "SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 5 IN census AND k >= 2 USING optimal",
            PolicyError,
            "use one of refine, greedy",
        ),
        (
            "SELECT zip, age FROM patients ANONYMIZE BY GROUPING SETS ((zip, age), (zip)) GUARANTEE k >= 200 IN census",
            InfeasibleError,
            "60 rows break k >= 200 IN census under every permitted mask; hint: permit masks that show less",
        ),
    ],
)
def test_refusals_have_figures_and_hints(con: Connection, statement: str, kind: type[KanonError], told: str) -> None:
    with pytest.raises(kind) as raised:
        con.sql(statement).fetchall()
    assert told in str(raised.value)
    assert "9810" not in str(raised.value)


@pytest.mark.everything
def test_an_empty_source_and_an_empty_population(con: Connection) -> None:
    con.execute("CREATE TABLE nobody AS FROM census LIMIT 0")
    con.execute("CREATE TABLE nothing AS FROM patients LIMIT 0")
    assert con.sql("FROM nothing ANONYMIZE BY zip, age GUARANTEE k >= 5 IN census").fetchall() == []
    for by in ("zip, age", "zip IN DIGITS, age"):
        with pytest.raises(InfeasibleError, match="the population has 0 rows"):
            con.sql(f"SELECT zip, age FROM patients ANONYMIZE BY {by} GUARANTEE k >= 1 IN nobody").fetchall()


def test_an_explanation_counts_the_rows_whose_mask_matches_too_few(con: Connection) -> None:
    lines = con.sql("EXPLAIN ANONYMIZE FROM patients ANONYMIZE BY zip, age GUARANTEE k >= 9 IN census").fetchall()
    failing = {value: rows for name, value, _, rows in lines if name == "mask"}
    assert failing == {"zip, age": 52, "zip": 0, "age": 0, "nothing": 0}


def test_a_stored_policy_keeps_its_population_where_a_query_returns_less(con: Connection) -> None:
    con.execute(
        "CREATE ANONYMIZATION POLICY partly ON patients (BY zip, age; KEEP day, town; "
        "GUARANTEE k >= 9 IN census AND l(disease) >= 2)"
    )
    con.sql("SELECT zip FROM patients ANONYMIZE WITH POLICY partly").fetchall()
    assert kanon_sql.releases(con)[-1].requirements == ("k >= 9 IN census",)


@pytest.mark.everything
def test_python_names_what_is_missing() -> None:
    people = pa.table({"zip": ["98101", "98101"]})
    with pytest.raises(PolicyError, match="the policy uses the table 'census', which is missing"):
        kanon_sql.anonymize(people, k_map=2, population="census")
    release = kanon_sql.anonymize(people, k_map=2, population="census", k=2, tables={"census": people})
    assert release.certificate.requirements == ("k >= 2", "k >= 2 IN census")
    mixed = kanon_sql.anonymize(
        pa.table({"zip": ["98101", "98101"], "d": ["x", "y"]}),
        quasi_identifiers=["zip"],
        requirements=[KMap(k=2, population="census"), LDiversity(sensitive="d", l=2)],
        tables={"census": people},
    )
    assert mixed.certificate.requirements == ("k >= 2 IN census", "l(d) >= 2")
    with pytest.raises(PolicyError, match="k_map needs a population"):
        kanon_sql.audit(people, k_map=2)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", ["kanon#source", "Kanon#types", "kanon#pieces"])
def test_a_table_that_is_called_as_a_part_of_the_statement_is_not_taken_for_it(con: Connection, name: str) -> None:
    """The source itself was counted as the population that was called "kanon#source"."""
    con.execute(f'CREATE TABLE "{name}" AS SELECT zip, age FROM patients LIMIT 3')
    ask = "SELECT zip, age FROM patients ANONYMIZE BY zip, age GUARANTEE k >= 4 IN {}"
    for statement in (ask.format(f'"{name}"'), f"FROM k_anonymize('\"{name}\"', 2, qi := ['zip'])"):
        with pytest.raises(SourceError, match="such names are reserved; hint: write main"):
            con.sql(statement).fetchall()
    with pytest.raises(InfeasibleError, match="the population has 3 rows"):
        con.sql(ask.format(f'main."{name}"')).fetchall()


@pytest.mark.everything
@pytest.mark.parametrize("by", ["day IN INTERVALS (month, year)", "day"])
def test_a_moment_is_no_date(con: Connection, by: str) -> None:
    """Which date a moment has depends on the time zone of the session; by its text, none matched, and all was suppressed."""
    con.execute("CREATE TABLE moments AS SELECT day::TIMESTAMPTZ AS day, age FROM census")
    ask = f"SELECT {{}} AS day, age FROM patients ANONYMIZE BY {by}, age GUARANTEE k >= 2 IN moments"
    with pytest.raises(PolicyError, match="has different types in"):
        con.sql(ask.format("day::DATE")).fetchall()
    if by == "day":  # moments have no periods
        assert con.sql(ask.format("day::TIMESTAMPTZ")).fetchall()
