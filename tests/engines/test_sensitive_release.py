"""Releases with sensitive attributes: what goes in comes out, under every requirement, and nothing else changes.

The solver is a stand-in that suppresses every quasi-identifier, which keeps any guarantee that the whole table keeps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from asking import ask, tables, types
from solving import module_of

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import InfeasibleError, KanonError, PolicyError, SourceError, UnknownAlgorithmError, UnknownColumnError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import AlphaAnonymity, LDiversity, Requirement, TCloseness
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding

SECRET = "Schickelgruber-4711"

SEEN: list[CodedTable] = []
"""The coded tables that the stand-in was given."""


def everything_hidden(problem: Problem, budget: Budget) -> Recoding:
    table = problem.table
    SEEN.append(table)
    types = np.arange(table.row_types, dtype=np.int32)
    return Recoding(row_type=types, shown=np.zeros(len(types), np.uint64), count=table.weight.copy())


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    SEEN.clear()
    monkeypatch.setitem(__import__("sys").modules, "kanon_sql.solvers.sensitive.refine", module_of(everything_hidden))


@pytest.fixture
def clinic(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute("""
        CREATE TABLE patients AS SELECT * FROM (VALUES
            (1, '98101', 34, 'flu', 10), (2, '98101', 34, 'asthma', 20), (3, '98101', 51, NULL, 20),
            (4, '98109', 51, 'flu', 30), (5, '98109', 28, 'asthma', 50), (6, NULL, 28, 'gout', 50))
            t(id, zip, "Age", "Disease", pay);
        CREATE TABLE tree AS FROM (VALUES
            ('flu', 'lung', '*'), ('asthma', 'lung', '*'), ('gout', 'joint', '*'), (NULL, 'none', '*'))
            t(level0, level1, level2);
        CREATE TABLE parents AS FROM (VALUES
            ('flu', 'lung'), ('asthma', 'lung'), ('lung', '*'), ('gout', '*'), (NULL, '*'), ('*', '*')) t(value, parent);
        CREATE TABLE "odd ""dist" AS FROM (VALUES
            ('flu', 'asthma', 0.5), ('flu', 'gout', 1), ('gout', 'asthma', 1), ('asthma', 'gout', 1.0),
            (NULL, 'flu', 1), (NULL, 'asthma', 1), ('gout', NULL, 0.75)) t(a, b, distance)
    """)
    return con


GUARANTEES = [
    "l_diversify('patients', 'disease', 2{})",
    "l_diversify('patients', 'DISEASE', 3, variant := 'distinct'{})",
    "l_diversify('patients', 'disease', 3.5, variant := 'entropy'{})",
    "l_diversify('patients', 'disease', 2, variant := 'recursive', c := 2{})",
    "t_close('patients', 'disease', 0{})",
    "t_close('patients', 'disease', 0.2, 'ordered'{})",
    "t_close('patients', 'pay', 0.2, 'numeric'{})",
    "t_close('patients', 'disease', 0.2, 'hierarchical', hierarchy := 'tree'{})",
    "t_close('patients', 'disease', 0.2, 'hierarchical', hierarchy := 'MAIN.parents'{})",
    "t_close('patients', 'disease', 0.2, '\"odd \"\"dist\"'{})",
]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_every_requirement_is_released(clinic: duckdb.DuckDBPyConnection, guarantee: str) -> None:
    kept = ["id", "pay"] if "disease" in guarantee.lower() else ["id", "disease"]
    call = guarantee.format(f", qi := ['zip', 'AGE'], keep := {kept}")
    before = len(kanon_sql.releases(clinic))
    source = ask(clinic, "FROM patients ORDER BY id")
    assert ask(clinic, f"FROM {call} ORDER BY id") == [(row[0], None, None, *row[3:]) for row in source]
    assert types(clinic, f"FROM {call}") == types(clinic, "FROM patients")
    for more in ("", ", suppress := '*'"):
        call = guarantee.format(more)
        held = [3] if "disease" in guarantee.lower() else [4]
        gone = "*" if more else None
        rows = ask(clinic, f"FROM {call}")
        expected = Counter(tuple(row[c] if c in held else gone for c in range(5)) for row in source)
        assert Counter(rows) == expected
        assert ask(clinic, f"SELECT count(*) FROM (FROM {call} LIMIT 2)") == [(2,)]
    assert [name for name, _ in types(clinic, f"FROM {guarantee.format('')}")] == ["id", "zip", "Age", "Disease", "pay"]
    certificate = kanon_sql.releases(clinic)[before]
    assert certificate.classes == 1
    assert certificate.algorithm == "refine"


@pytest.mark.everything
def test_the_clause_and_python_and_json(clinic: duckdb.DuckDBPyConnection) -> None:
    requirements: tuple[Requirement, ...] = (
        AlphaAnonymity(sensitive="disease", value="flu", alpha="1/2"),
        TCloseness(sensitive="Pay", t=0.5, metric="numeric"),
        LDiversity(sensitive="DISEASE", l=2),
    )
    options: dict[str, Any] = {"quasi_identifiers": ["zip", "age"], "keep": ["id"], "requirements": requirements}
    policy = Policy.of(k=2, **options)
    expected = [(row[0], None, None, *row[3:]) for row in ask(clinic, "FROM patients ORDER BY id")]
    assert ask(clinic, "FROM anonymize('patients', $1) ORDER BY id", [policy.to_json()]) == expected
    release = kanon_sql.anonymize(clinic.sql("FROM patients").to_arrow_table(), k=2, **options)
    assert [tuple(row.values()) for row in release.table.sort_by("id").to_pylist()] == expected
    assert release.certificate.requirements[1:] == (
        "alpha(Disease, 'flu') <= 1/2",
        "t(pay, 'numeric') <= 1/2",
        "l(Disease) >= 2",
    )
    assert [each.column for each in SEEN[0].sensitive] == ["Disease", "pay"]


def test_two_attributes_where_every_other_column_counts(clinic: duckdb.DuckDBPyConnection) -> None:
    requirements = (
        TCloseness(sensitive="DISEASE", t=0.5, metric="hierarchical", hierarchy="tree"),
        LDiversity(sensitive="pay", l=2),
        TCloseness(sensitive="disease", t="1/3", metric='"odd ""dist"'),
        AlphaAnonymity(sensitive="Pay", value="50", alpha=0.5),
    )
    policy = Policy.of(weights={"zip": 3}, requirements=requirements)
    rows = ask(clinic, "FROM anonymize('patients', $1)", [policy.to_json()])
    assert Counter(rows) == Counter((None, None, None, *row[3:]) for row in ask(clinic, "FROM patients"))
    (table,) = SEEN
    assert [each.column for each in table.sensitive] == ["Disease", "pay"]
    assert sorted(table.sensitive[0].distances) == ['"odd ""dist"', "hierarchical"]
    assert dict(table.sensitive[1].named) == {"50": 3}
    assert table.cost.tolist() == [1, 3, 1]
    assert kanon_sql.releases(clinic)[-1].requirements[1] == "t(Disease, 'hierarchical', 'tree') <= 1/2"


def test_what_the_solver_sees(clinic: duckdb.DuckDBPyConnection) -> None:
    ask(clinic, "FROM l_diversify('patients', 'disease', 2, qi := ['zip'], unlisted_limit := 1)")
    (table,) = SEEN
    (disease,) = table.sensitive
    assert table.columns == (("zip",),)
    assert table.codes[:, 0].tolist() == [0, 0, 0, 1, 1, 2], "ordered by quasi-identifiers, then sensitive values"
    assert disease.codes.tolist() == [0, 1, 3, 0, 1, 2]
    assert disease.count.tolist() == [2, 2, 1, 1]
    assert table.rows == 6


KINDS = [
    ("VARCHAR", "'a'", "'b'", "NULL"),
    ("VARCHAR", "'it''s; \"x\" ${y} {} %'", "'b'", "''"),
    ("ENUM ('low', 'unused', 'high')", "'high'", "'low'", "NULL"),
    ("DECIMAL(9, 3)", "1.100", "1.101", "-7"),
    ("DOUBLE", "0.1", "-0.5", "'nan'"),
    ("HUGEINT", "170141183460469231731687303715884105727", "-1", "0"),
    ("BOOLEAN", "true", "false", "NULL"),
    ("DATE", "DATE '2020-01-01'", "DATE '0044-03-15 (BC)'", "NULL"),
    ("TIMESTAMP", "TIMESTAMP '2020-01-01 00:00:00.000001'", "TIMESTAMP '-infinity'", "NULL"),
    ("TIMESTAMPTZ", "TIMESTAMPTZ '2020-01-01 00:00:00+00'", "TIMESTAMPTZ '2020-01-01 00:00:01+00'", "NULL"),
    ("INTERVAL", "INTERVAL 1 MONTH", "INTERVAL 30 DAY", "NULL"),
    ("BLOB", "'\\x00'::BLOB", "'\\xff'::BLOB", "''::BLOB"),
    ("UUID", "'00000000-0000-0000-0000-000000000001'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "NULL"),
    ("INTEGER[]", "[1, NULL]", "[1]", "[]"),
    ("STRUCT(x INTEGER, y VARCHAR)", "{'x': 1, 'y': 'a'}", "{'x': 1, 'y': NULL}", "NULL"),
    ("MAP(VARCHAR, INTEGER)", "MAP {'a': 1}", "MAP {'a': 2}", "MAP {}"),
    ("JSON", "'{\"a\": 1}'", "'{\"a\":1}'", "NULL"),
    ("VARCHAR COLLATE NOCASE", "'a'", "'A'", "'b'"),
]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[0])
def test_every_type_comes_out_as_it_went_in(con: duckdb.DuckDBPyConnection, kind: tuple[str, ...]) -> None:
    name, *cells = kind
    con.execute(f'CREATE TABLE t (id INTEGER, q INTEGER, "select ""x" {name})')
    con.execute(f"INSERT INTO t VALUES {', '.join(f'({i}, {i // 2}, {cells[i % 3]})' for i in range(6))}")
    con.execute('CREATE TABLE u AS SELECT q, "select ""x" FROM t')
    for metric in ("equal", "ordered"):
        if metric == "ordered" and name.startswith(("INTERVAL", "INTEGER[]", "STRUCT", "MAP")):
            with pytest.raises(duckdb.Error, match="have no order"):
                ask(con, "FROM t_close('t', 'select \"x', 0.5, 'ordered', qi := ['q'], keep := ['id'])")
            continue
        call = f"t_close('t', 'select \"x', 0.5, '{metric}', qi := ['q'], keep := ['id'])"
        con.execute(f"CREATE OR REPLACE TABLE made AS FROM {call}")
        made, there = (f'create_sort_key(row({table}."select ""x"), \'ASC NULLS LAST\')' for table in ("made", "t"))
        query = f"SELECT count(*) FILTER ({made} = {there}), count(made.q) FROM made JOIN t USING (id)"
        assert ask(con, query) == [(6, 0)]
        assert types(con, "FROM made") == types(con, "FROM t")
        con.execute(f"CREATE OR REPLACE TABLE made AS FROM t_close('u', 'select \"x', 0.5, '{metric}')")
        key = 'create_sort_key(row("select ""x"), \'ASC NULLS LAST\') AS key'
        assert ask(con, f"SELECT count(*) FROM (SELECT {key} FROM made INTERSECT ALL SELECT {key} FROM t)") == [(6,)]
        assert types(con, "FROM made") == types(con, "FROM u")
    counts = [2, 2, 2]
    if name in ("INTERVAL", "VARCHAR COLLATE NOCASE"):  # the first two cells are one value there
        counts = [4, 2]
    assert all(each.sensitive[0].count.tolist() == counts for each in SEEN)


@pytest.mark.everything
def test_the_order_of_numbers_dates_and_enums_is_their_own(con: duckdb.DuckDBPyConnection) -> None:
    cells = [
        ("DOUBLE", ["-7.5", "-0.25", "0", "1e300", "'inf'", "'nan'", "NULL"]),
        ("FLOAT", ["'-inf'", "-0.25", "0", "3"]),
        ("ENUM ('z', 'm', 'a')", ["'z'", "'m'", "'a'", "NULL"]),
        ("DATE", ["DATE '0044-03-15 (BC)'", "DATE '1970-01-01'", "DATE 'infinity'"]),
        ("VARCHAR", ["''", "'A'", "'a'", "'é'", "NULL"]),
    ]
    for kind, values in cells:
        con.execute(f"CREATE OR REPLACE TABLE t (q INTEGER, s {kind})")
        for number, value in enumerate(values):
            con.execute(f"INSERT INTO t SELECT {number % 2}, {value} FROM range({number + 1})")
        ask(con, "FROM t_close('t', 's', 1, 'ordered')")
        assert SEEN[-1].sensitive[0].count.tolist() == [number + 1 for number in range(len(values))], kind


@pytest.mark.sweep
@pytest.mark.parametrize(
    "call",
    [
        "l_diversify('t', 's', 1, qi := ['q'])",
        "t_close('t', 's', 0, 'ordered')",
        "t_close('t', 's', 0, 'numeric')",
        "t_close('t', 's', 0, 'hierarchical', hierarchy := 'tree')",
        "t_close('t', 's', 0, 'distances', qi := ['q'])",
    ],
)
@pytest.mark.parametrize("rows", ["", "(1, 5)", "(1, 5), (2, 5), (3, 5)"])
def test_empty_tables_and_one_value(con: duckdb.DuckDBPyConnection, call: str, rows: str) -> None:
    con.execute("CREATE TABLE t (q INTEGER, s INTEGER)")
    con.execute("CREATE TABLE tree AS SELECT 5 AS level0, '*' AS level1")
    con.execute("CREATE TABLE distances AS SELECT 5 AS a, 5 AS b, 0 AS distance")
    if rows:
        con.execute(f"INSERT INTO t VALUES {rows}")
    call = call.replace(")", ", k := 1)", 1) if "[" not in call else call[:-1] + ", k := 1)"
    assert sorted(ask(con, f"FROM {call}")) == [(None, 5)] * (rows.count("(")), call
    assert types(con, f"FROM {call}") == types(con, "FROM t")


@pytest.mark.everything
def test_an_attribute_that_is_all_null(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT i AS q, NULL::VARCHAR AS s FROM range(4) r(i)")
    assert ask(con, "FROM t_close('t', 's', 0)") == [(None, None)] * 4
    assert ask(con, "FROM l_diversify('t', 's', 1)") == [(None, None)] * 4
    with pytest.raises(duckdb.Error, match=r"l\(s\) >= 2 cannot hold in any release.* one value has 4 of 4 rows"):
        ask(con, "FROM l_diversify('t', 's', 2)")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("call", "figures"),
    [
        ("l_diversify('t', 's', 2, qi := ['q'])", "one value has 4 of 6 rows"),
        ("l_diversify('t', 's', 1.6, qi := ['q'])", "one value has 4 of 6 rows"),
        ("l_diversify('t', 's', 4, 'distinct', qi := ['q'])", "it has 3 different values"),
        ("l_diversify('t', 's', 3, 'entropy', qi := ['q'])", "its entropy is that of 2.381102 values"),
        (
            "l_diversify('t', 's', 2, 'recursive', c := 2, qi := ['q'])",
            "its most frequent value has 4 rows, those from place 2 on 2",
        ),
        ("anonymize('t', $policy)", "4 of 6 rows"),
    ],
)
def test_what_the_whole_table_does_not_keep_is_refused_with_figures(
    con: duckdb.DuckDBPyConnection, call: str, figures: str
) -> None:
    con.execute(
        f"CREATE TABLE t AS SELECT i AS q, CASE WHEN i < 4 THEN '{SECRET}' ELSE 'other ' || i END AS s FROM range(6) r(i)"
    )
    alpha = AlphaAnonymity(sensitive="s", value=SECRET, alpha=0.6)
    policy = {"policy": Policy.of(quasi_identifiers=["q"], requirements=[alpha]).to_json()} if "$" in call else None
    with pytest.raises(duckdb.Error) as caught:
        ask(con, f"FROM {call}", policy)
    assert figures in str(caught.value)
    assert "InfeasibleError" in str(caught.value)
    assert SECRET not in str(caught.value).replace(alpha.describe(), "")
    assert SEEN == []


WRONG: list[tuple[str, str, type[KanonError] | None]] = [
    (
        "l_diversify('patients', 'zap', 2)",
        'unknown column "zap" in the guarantee; hint: did you mean "zip"? The columns are',
        UnknownColumnError,
    ),
    ("l_diversify('patients', 'zap', 2, qi := ['zip'])", "zap", None),
    ("l_diversify('patients', 'disease', 2, qi := ['disease', 'zip'])", "is also a quasi-identifier", PolicyError),
    ("l_diversify('patients', 'disease', 2, k := 7)", "6 rows, fewer than k = 7", InfeasibleError),
    ("l_diversify('patients', 'disease', 2, algorithm := 'mondrian')", "cannot meet every guarantee", PolicyError),
    ("l_diversify('patients', 'disease', 2, algorithm := 'magic')", "no algorithm 'magic'", UnknownAlgorithmError),
    ("k_anonymize('patients', 2, algorithm := 'nothing')", "no algorithm 'nothing'", UnknownAlgorithmError),
    ("t_close('patients', 'disease', 0.1, 'numeric')", "empty cells are not numbers", PolicyError),
    (
        "t_close('patients', 'zip', 0.1, 'numeric', drop := ['id', 'disease', 'pay'])",
        "empty cells are not numbers",
        PolicyError,
    ),
    ("t_close('words', 's', 0.1, 'numeric')", "2 of the 3 values are not numbers", PolicyError),
    ("t_close('fine', 's', 0.1, 'numeric')", "span too wide a range", PolicyError),
    ("t_close('patients', 'disease', 0.123456789123)", "t has too many digits", PolicyError),
    ("t_close('patients', 'disease', 0.1, 'no_such_table')", "no_such_table", None),
    ("t_close('patients', 'disease', 0.1, 'a; DROP TABLE patients')", "a; DROP TABLE patients", None),
    ("t_close('patients', 'disease', 0.1, 'a.b.c.d')", "table name", SourceError),
    (
        "t_close('patients', 'disease', 0.1, 'patients')",
        """unknown column "a" in the metric 'patients'; hint: the columns are""",
        UnknownColumnError,
    ),
    (
        "t_close('patients', 'disease', 0.1, 'hierarchical', hierarchy := 'patients')",
        "a hierarchy needs the columns",
        PolicyError,
    ),
    ("t_close('patients', 'disease', 0.1, 'hierarchical', hierarchy := 'none')", "used in the policy is empty", PolicyError),
    (
        "t_close('patients', 'disease', 0.1, 'hierarchical', hierarchy := 'small')",
        "2 of the 4 distinct values are missing from the hierarchy",
        PolicyError,
    ),
    ("t_close('patients', 'disease', 0.1, 'bad')", "lacks 3 pairs of values; hint: add a row for each pair", PolicyError),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("call", "message", "kind"), WRONG, ids=[call for call, _, _ in WRONG])
def test_wrong_input_is_a_clear_error(
    clinic: duckdb.DuckDBPyConnection, call: str, message: str, kind: type[KanonError] | None
) -> None:
    clinic.execute(f"CREATE TABLE words AS FROM (VALUES (1, '{SECRET}'), (2, '2e5'), (3, '7')) t(q, s)")
    clinic.execute("CREATE TABLE fine AS FROM (VALUES (1, 0.000000000001), (2, 5), (3, 7)) t(q, s)")
    clinic.execute("CREATE TABLE none (level0 VARCHAR, level1 VARCHAR)")
    clinic.execute("CREATE TABLE small AS FROM (VALUES ('flu', '*'), ('asthma', '*')) t(level0, level1)")
    clinic.execute(
        "CREATE TABLE bad AS FROM (VALUES ('flu', 'asthma', 1), ('flu', 'gout', 1), (NULL, 'flu', 1)) t(a, b, distance)"
    )
    before = tables(clinic)
    with pytest.raises(duckdb.Error) as caught:
        ask(clinic, f"CREATE TABLE released AS FROM {call}")
    assert message in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert SECRET not in str(caught.value)
    if kind is not None:
        assert f"{kind.__name__}: " in str(caught.value)
        with pytest.raises(kind):
            Connection(clinic).execute(f"FROM {call}")
    assert tables(clinic) == before


def test_tables_beside_the_source_in_python() -> None:
    source = pa.table({"q": [1, 2, 3, 4], "s": ["x", "y", "x", "y"]})
    distances = pa.table({"a": ["x"], "b": ["y"], "distance": [1.0]})
    release = kanon_sql.anonymize(source, sensitive="s", t=0.2, metric="Apart", tables={"apart": distances})
    assert release.table.column("s").to_pylist().count("x") == 2
    assert release.certificate.requirements == ("k >= 2", "t(s, 'Apart') <= 1/5")


def test_a_text_that_stands_for_several_values_cannot_be_limited(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT i AS q, union_value(n := 1)::UNION(n INTEGER, s VARCHAR) AS s FROM range(4) r(i)")
    con.execute("UPDATE t SET s = union_value(s := '1') WHERE q >= 2")
    policy = Policy.of(quasi_identifiers=["q"], requirements=[AlphaAnonymity(sensitive="s", value="1", alpha=1)])
    with pytest.raises(duckdb.Error, match="2 different values match this text"):
        ask(con, "FROM anonymize('t', $1)", [policy.to_json()])


@pytest.mark.everything
def test_dates_and_times_are_numbers_too(con: duckdb.DuckDBPyConnection) -> None:
    days = "DATE '2020-02-28', DATE '2020-02-29', DATE '2020-03-10', DATE '0001-01-01'"
    for kind, more, scale in (("DATE", "0", 737493), ("TIMESTAMP", "12.5", None), ("VARCHAR", "0", 737493)):
        value = f"(unnest([{days}]) + INTERVAL ({more}) SECOND)::DATE" if kind != "TIMESTAMP" else f"unnest([{days}])"
        con.execute(f"CREATE OR REPLACE TABLE t AS SELECT 1 AS q, ({value})::{kind} AS s")
        assert len(ask(con, "FROM t_close('t', 's', 0, 'numeric')")) == 4
        distance = SEEN[-1].sensitive[0].distances["numeric"]
        if scale:
            assert (distance.scale, sorted(distance.length.tolist())) == (scale, [1, 10, scale - 11])
    con.execute("CREATE OR REPLACE TABLE t AS SELECT 1 AS q, unnest(['2020-01-01', '2020-13-45', '2020-02-02']) AS s")
    with pytest.raises(duckdb.Error, match="1 of the 3 values are not numbers") as caught:
        ask(con, "FROM t_close('t', 's', 0, 'numeric')")
    assert "2020-13" not in str(caught.value)


@pytest.mark.everything
@pytest.mark.parametrize("call", ["l_diversify({}, 's', 2, qi := ['a', 'b'])", "l_diversify({}, 's', 2)"])
def test_the_order_of_the_source_does_not_matter(con: duckdb.DuckDBPyConnection, call: str) -> None:
    con.execute("CREATE TABLE t AS SELECT i % 3 AS a, i % 4 AS b, chr((97 + i % 5)::INTEGER) AS s FROM range(60) r(i)")
    con.execute("CREATE TABLE turned AS FROM t ORDER BY random()")
    first, second = (ask(con, f"FROM {call.format(f(name))} ORDER BY ALL") for f, name in ((repr, "t"), (repr, "turned")))
    assert first == second
    assert (SEEN[0].codes == SEEN[1].codes).all()
    assert (SEEN[0].sensitive[0].codes == SEEN[1].sensitive[0].codes).all()


def split(problem: Problem, budget: Budget) -> Recoding:
    """Show half of the rows of every row type, hide the others."""
    table = problem.table
    types = np.arange(table.row_types, dtype=np.int32).repeat(2)
    shown = np.tile(np.array([(1 << len(table.columns)) - 1, 0], np.uint64), table.row_types)
    half = table.weight // 2
    return Recoding(row_type=types, shown=shown, count=np.stack([half, table.weight - half], axis=1).ravel())


@pytest.mark.everything
@pytest.mark.parametrize("call", ["l_diversify({}, 's', 2, qi := ['q'], keep := ['id'])", "l_diversify({}, 's', 2)"])
def test_a_row_type_may_be_split_and_the_rows_do_not_depend_on_their_order(
    con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    modules: Callable[..., None] = monkeypatch.setitem
    modules(__import__("sys").modules, "kanon_sql.solvers.sensitive.refine", module_of(split))
    more = "i AS id, " if "qi" in call else ""
    con.execute(f"CREATE TABLE t AS SELECT {more}i % 2 AS q, chr((97 + i // 2 % 2)::INTEGER) AS s FROM range(40) r(i)")
    con.execute("CREATE TABLE turned AS FROM t ORDER BY random()")
    first, second = (ask(con, f"FROM {call.format(repr(name))} ORDER BY ALL") for name in ("t", "turned"))
    assert first == second
    assert Counter(row[-1] for row in first) == {"a": 20, "b": 20}
    assert Counter(row[-2] for row in first) == {0: 10, 1: 10, None: 20}
