"""SHOW and HIDE with rows by values of their keys: what must stay stays, what must go goes, and files prove it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.certificate.file import read
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.certificate.table_file import PROTECTED
from kanon_sql.cli import main
from kanon_sql.errors import KanonError
from kanon_sql.model import policy_file

PEOPLE = pa.table(
    {
        "age": [10 + place % 5 if place < 60 else 20 + place % 40 for place in range(200)],
        "wing": [["east", "west"][place % 3 // 2] for place in range(200)],
        "ward": [place % 7 for place in range(200)],
        "cost": [place % 11 * 10 for place in range(200)],
        "member": [place % 23 < 2 for place in range(200)],
    }
)

QUERY = """SELECT wing, ward, count(*) AS n, sum(cost) AS s, GROUPING(wing) AS g FROM people GROUP BY CUBE (wing, ward)
    PROTECT n >= 5 PER ROW {} USING auto (earlier = 'ignore')"""


@pytest.fixture
def con() -> Any:
    with kanon_sql.connect() as opened:
        opened.register("arrow", PEOPLE)
        opened.execute("CREATE TABLE people AS FROM arrow")
        yield opened


def suppressed(rows: list[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    return {(wing, ward) for wing, ward, people, *_ in rows if people is None}


def test_hidden_rows_are_suppressed_and_protected(con: Any) -> None:
    assert not suppressed(con.execute(QUERY.format("")).fetchall())
    rows = con.execute(QUERY.format("HIDE (wing = 'east', ward = 3), (ward IN (5, 6))")).fetchall()
    hidden = suppressed(rows)
    assert hidden >= {("east", 3), (None, 5), (None, 6)}
    kept = con.execute(
        QUERY.format("SHOW GROUPING SETS (()), (ward = 0), (ward = 1) HIDE (wing = 'east', ward = 3)")
    ).fetchall()
    assert ("east", 3) in suppressed(kept)
    assert not suppressed(kept) & {(None, 0), (None, 1), (None, None)}
    certificate = kanon_sql.protected_tables(con)[-1]
    assert "SHOW (ward = '0'), (ward = '1'); HIDE (wing = 'east', ward = '3')" in repr(certificate)


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        ("HIDE (ward = 44)", "the table has no row for HIDE"),
        ("HIDE (name = 'x')", 'unknown column "name" in a row given by its values'),
        ("HIDE wing", r"expected \("),
        ("HIDE (wing > 'east')", "expected = or IN"),
        ("HIDE (wing = east)", "expected a value"),
        ("SHOW (ward = 3) HIDE (ward = 3)", "SHOW and HIDE list the same row"),
        ("HIDE (ward = 3) SHOW (ward = 2)", "SHOW is in the wrong place"),
    ],
)
def test_rows_that_cannot_be_named_are_refused(con: Any, clause: str, text: str) -> None:
    with pytest.raises(KanonError, match=text):
        con.execute(QUERY.format(clause)).fetchall()


def test_a_row_of_too_few_people_cannot_be_shown(con: Any) -> None:
    query = "SELECT age, count(*) AS n FROM people GROUP BY age PROTECT n >= 5 PER ROW SHOW (age = 59)"
    with pytest.raises(KanonError, match="SHOW lists a row with too few people") as refused:
        con.execute(query).fetchall()
    assert "3" not in str(refused.value).replace("59", "")
    with pytest.raises(KanonError, match="the table has no rows for these keys: "):
        con.execute(query.replace("SHOW (age = 59)", "HIDE ()")).fetchall()
    with pytest.raises(KanonError, match=r"a row has two values for age; hint: for both rows, write age IN"):
        con.execute(query.replace("SHOW (age = 59)", "HIDE (age = 50, AGE = 51)"))


NAMED = (
    "SHOW GROUPING SETS (()), (ward = 0) HIDE (wing = 'east', ward = 3), (ward IN (5, 6)) IMPOSSIBLE (wing = 'east', ward = 9)"
)

POLICY = """policies:
  - name: weekly
    table: people
    protect:
      {k: 5, per_row: true, earlier: ignore, show: [[], {ward: 0}], hide: [{wing: east, ward: 3}, {ward: [5, 6]}],
       impossible: [{wing: east, ward: 9}]}
"""

FUNCTION = "FROM protect('people', by := ['wing', 'ward'], {}) ORDER BY ALL"

ROWS = (
    "k := 5, per_row := true, earlier := 'ignore', show_sets := [[]], show_rows := [{'ward': 0}], "
    "hide := [{'wing': ['east'], 'ward': ['3']}, {'ward': ['5', '6']}], impossible := [MAP {'wing': 'east', 'ward': '9'}]"
)


def test_policies_and_the_function_name_rows(con: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    query = "SELECT wing, ward, count(*) AS n FROM people GROUP BY CUBE (wing, ward) PROTECT {} ORDER BY ALL"
    rows = con.execute(query.format(f"n >= 5 PER ROW {NAMED} USING auto (earlier = 'ignore')")).fetchall()
    assert suppressed([(wing, ward, n) for wing, ward, n in rows]) >= {("east", 3), (None, 5), (None, 6)}
    con.execute(
        f"CREATE ANONYMIZATION POLICY weekly ON people (PROTECT n >= 5 PER ROW {NAMED} USING auto (earlier = 'ignore'))"
    )
    assert con.execute(query.format("WITH POLICY weekly")).fetchall() == rows
    assert con.execute(FUNCTION.format("policy := 'weekly'")).fetchall() == rows
    assert con.execute(FUNCTION.format(ROWS)).fetchall() == rows
    Path("policies.yaml").write_text(POLICY)
    (text,) = con.execute("SELECT policy FROM kanon_policies").fetchone()
    (stored,) = policy_file.read(POLICY, "policies.yaml")
    assert json.loads(stored.to_json()) == json.loads(text)
    found = kanon_sql.protect(PEOPLE, ["wing", "ward"], policy="policies.yaml").table
    assert sorted(map(repr, (tuple(row.values()) for row in found.to_pylist()))) == sorted(map(repr, rows))
    con.execute(
        "CREATE ANONYMIZATION POLICY shows ON people (PROTECT n >= 5 PER ROW SHOW (ward = 44), (name = 'x'), (wing = 'east'))"
    )
    assert con.execute("SELECT wing, count(*) AS n FROM people GROUP BY wing PROTECT WITH POLICY shows").fetchall()


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("SELECT wing, count(*) AS n FROM people GROUP BY wing PROTECT WITH POLICY hides", "rows by ward in HIDE, but the"),
        ("SELECT wing, count(*) AS n FROM people GROUP BY wing PROTECT WITH POLICY never", "by ward in IMPOSSIBLE, but the"),
        (
            "SELECT ward, wing, count(*) AS n FROM people GROUP BY ward, wing PROTECT WITH POLICY hides",
            "no rows for these keys",
        ),
        ("CREATE ANONYMIZATION POLICY other ON people (PROTECT n >= 5 HIDE ward = 3)", r"expected \("),
        ("CREATE ANONYMIZATION POLICY other ON people (PROTECT n >= 5 HIDE (ward = 3, ward = 4))", "two values for ward"),
        (FUNCTION.format("hide := [{'ward': NULL}]"), "hide has no value for ward"),
        (FUNCTION.format("hide := {'ward': 3}"), "hide must be a list of rows; hint: pass hide :="),
        (FUNCTION.format("show_rows := [['ward']]"), "show_rows must be a list of rows"),
        (FUNCTION.format("show_sets := [{'ward': 3}]"), "a set of show_sets must be a list"),
        (FUNCTION.format("show_sets := ['ward']"), "a set of show_sets must be a list"),
        (FUNCTION.format("hide := [{'ward': 44}], per_row := true"), "the table has no row for HIDE"),
    ],
)  # fmt: skip
def test_rows_that_policies_and_functions_cannot_name_are_refused(con: Any, statement: str, text: str) -> None:
    con.execute("CREATE ANONYMIZATION POLICY hides ON people (PROTECT n >= 5 PER ROW HIDE (ward = 3))")
    con.execute("CREATE ANONYMIZATION POLICY never ON people (PROTECT n >= 5 PER ROW IMPOSSIBLE (ward = 9, wing = 'east'))")
    with pytest.raises(KanonError, match=text):
        con.execute(statement).fetchall()


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("hide: {ward: 3}", "hide must be a list, got dict"),
        ("hide: [[ward]]", "hide must list rows by their key values"),
        ("hide: [{ward: 1.5}]", "hide needs text or whole numbers, as shown in the table"),
        ("impossible: 5", "impossible must be a list, got int"),
        ("show: [{ward: [3, []]}]", "show needs text or whole numbers, as shown in the table"),
        ("show_rows: [{ward: 3}]", "show"),
    ],
)
def test_rows_in_files_of_policies_that_are_none(said: str, text: str) -> None:
    with pytest.raises(KanonError, match=text) as error:
        policy_file.read(f"policies: [{{name: weekly, table: visits, protect: {{k: 5, {said}}}}}]", "policies.yaml")
    assert "policies.yaml, line 1" in str(error.value)


ASKED: dict[str, Any] = {
    "by": ["wing", "ward"],
    "measures": {"s": "cost"},
    "k": 5,
    "per_row": True,
    "show": [[], {"ward": 0}],
    "hide": [{"wing": "east", "ward": 3}, {"ward": [5, 6]}],
}


def verified(*files: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["verify", "in.parquet", *files])
    return done.exit_code, done.output


def test_files_prove_which_rows_were_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    pyarrow.parquet.write_table(PEOPLE, "in.parquet")
    made = kanon_sql.protect(PEOPLE, **ASKED)
    pyarrow.parquet.write_table(made.table, "out.parquet")
    Path("out.json").write_text(made.certificate.to_json())
    code, output = verified("out.parquet", "out.json")
    assert code == 0, output
    command = ["protect", "in.parquet", "-o", "same.parquet", "--by", "wing,ward", "--measures", "s=cost", "--per-row"]
    command += ["--show", "", "--show", "ward=0", "--hide", "wing=east,ward=3", "--hide", "ward=5,ward=6", "-q"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert pyarrow.parquet.read_table("same.parquet").to_pylist() == made.table.to_pylist()

    def unhidden(data: dict[str, Any]) -> None:
        data["protection"]["hide"] = data["protection"]["hide"][1:]

    def elsewhere(data: dict[str, Any]) -> None:
        data["protection"]["hide"][0][0][1] = ["north"]

    def shown(data: dict[str, Any]) -> None:
        data["protection"]["show_rows"] = data["protection"]["hide"][:1]

    def short(data: dict[str, Any]) -> None:
        for witness in data["witnesses"]:
            for place in range(3, len(witness), 2):
                if not isinstance(witness[place - 1], list) and not isinstance(witness[place], list):
                    witness[place] -= 1 if witness[place] > 0 else -1

    for change, text in (
        (unhidden, "primaries"),
        (elsewhere, "is not in the source"),
        (shown, "that must be shown"),
        (short, "is too small"),
    ):
        data = json.loads(made.certificate.to_json())
        change(data)
        Path("forged.json").write_text(TableCertificate.from_claims(read(json.dumps(data), PROTECTED).claims).to_json())
        code, output = verified("out.parquet", "forged.json")
        assert code == 1, change
        assert text in output, change
    rows = made.table.to_pylist()
    next(row for row in rows if row["ward"] == 5 and row["wing"] is None)["n"] = 28
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), "out.parquet")
    assert "does not add up" in verified("out.parquet", "out.json")[1]


def test_later_tables_protect_hidden_rows_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    pyarrow.parquet.write_table(PEOPLE, "in.parquet")
    first = kanon_sql.protect(PEOPLE, **ASKED, ledger="led.duckdb")
    later = kanon_sql.protect(PEOPLE, ["ward", "member"], k=5, per_row=True, ledger="led.duckdb")
    shown = {row["ward"]: row["n"] for row in later.table.to_pylist() if row["member"] is None}
    assert shown[5] is None
    assert shown[6] is None
    for name, each in (("first", first), ("later", later)):
        pyarrow.parquet.write_table(each.table, f"{name}.parquet")
        Path(f"{name}.json").write_text(each.certificate.to_json())
    code, output = verified("later.parquet", "later.json", "first.parquet", "first.json")
    assert code == 0, output


def test_rows_of_levels_and_of_tables_together(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    pyarrow.parquet.write_table(PEOPLE, "in.parquet")
    tables = [
        {"by": ["age", "wing"], "recodings": {"age": "CUTS (15, 30)"}, "per_row": True, "hide": [{"age": "<15"}]},
        {"by": ["ward"], "per_row": True, "hide": [{"ward": 3}]},
    ]
    files = []
    for number, each in enumerate(kanon_sql.protect_together(PEOPLE, tables)):
        pyarrow.parquet.write_table(each.table, f"{number}.parquet")
        Path(f"{number}.json").write_text(each.certificate.to_json())
        files += [f"{number}.parquet", f"{number}.json"]
        assert each.certificate.primary
    code, output = verified(*files)
    assert code == 0, output


CREW = pa.table({"job": ["astronaut"] + ["cook"] * 60 + ["nurse"] * 60, "illness": ["O80", *["J45", "O80", "I10"] * 40]})


def test_what_nobody_can_have_is_no_cover(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The empty row of an astronaut is one that readers cannot rule out; without any, the job says the illness in any case."""
    monkeypatch.chdir(folder)
    pyarrow.parquet.write_table(CREW, "in.parquet")
    for illnesses, empty in (((), "I10"), (("I10",), "J45"), (("I10", "J45"), None)):
        impossible = [{"job": "astronaut", "illness": list(illnesses)}] if illnesses else []
        made = kanon_sql.protect(CREW, ["job", "illness"], k=5, per_row=True, impossible=impossible)
        shown = [row["illness"] for row in made.table.to_pylist() if row["job"] == "astronaut"]
        assert shown == [*sorted({"O80", empty} - {None}), None]
        pyarrow.parquet.write_table(made.table, "out.parquet")
        Path("out.json").write_text(made.certificate.to_json())
        code, output = verified("out.parquet", "out.json")
        assert code == 0, output
        data = json.loads(made.certificate.to_json())
        data["protection"]["impossible"] = [[["job", ["astronaut"]], ["illness", ["I10", "J45"]]]]
        data["tabulation"]["keys"] = [
            *data["tabulation"]["keys"][:2],
            "WHERE job SHOWS ('astronaut')",
            "WHERE illness SHOWS ('I10', 'J45')",
        ]
        data["empty_cells"] = [each[:2] + each[:2] for each in data.get("empty_cells", [])]
        Path("out.json").write_text(TableCertificate.from_claims(read(json.dumps(data), PROTECTED).claims).to_json())
        code, output = verified("out.parquet", "out.json")
        assert (code, "is ruled out by IMPOSSIBLE" in output) == ((1, True) if empty else (0, False)), output
    with pytest.raises(KanonError, match="a person has values that IMPOSSIBLE rules out"):
        kanon_sql.protect(CREW, ["job", "illness"], per_row=True, impossible=[{"job": "cook", "illness": "I10"}])


def test_the_clause_and_the_command_take_what_is_impossible(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    pyarrow.parquet.write_table(CREW, "in.parquet")
    with kanon_sql.connect() as con:
        rows = con.execute(
            "SELECT job, illness, count(*) AS n FROM 'in.parquet' GROUP BY CUBE (job, illness) PROTECT n >= 5 PER ROW "
            "IMPOSSIBLE (job = 'astronaut', illness IN ('I10'))"
        ).fetchall()
    assert ("astronaut", "J45", None) in rows
    assert not [row for row in rows if row[:2] == ("astronaut", "I10")]
    command = ["protect", "in.parquet", "-o", "out.parquet", "--by", "job,illness", "--per-row", "-q"]
    done = CliRunner().invoke(main, [*command, "--impossible", "job=astronaut,illness=I10"])
    assert done.exit_code == 0, done.output
    assert {tuple(row.values()) for row in pyarrow.parquet.read_table("out.parquet").to_pylist()} == set(rows)
