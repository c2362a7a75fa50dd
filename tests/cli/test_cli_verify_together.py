"""`kanon verify` of tables that were protected together: forged, swapped and mixed ones are refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

import kanon_sql
from kanon_sql.certificate.file import read
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.certificate.table_file import PROTECTED
from kanon_sql.cli import main
from kanon_sql.report import report

TABLES: list[dict[str, Any]] = [
    {"by": ["region", "sex"], "measures": {"total": "income"}, "k": 14, "p": {"total": 10}, "algorithm": "greedy"},
    {"by": ["age", "region"], "k": 5, "rows": "absent", "suppressed": True, "algorithm": "greedy"},
    {
        "by": ["sex", "age"],
        "measures": {"s": "income", "w": "weight"},
        "grouping": "rollup",
        "contributors": True,
        "algorithm": "greedy",
    },
]


def people(seed: int = 3) -> pa.Table:
    draw = random.Random(seed)
    rows = [
        {
            "region": f"r{draw.choice([0, 1, 1, 2, 2, 3])}",
            "sex": draw.choice("fm"),
            "age": draw.choice([0, 1, 1, 2, 2, 3]),
            "income": draw.randrange(900),
            "weight": draw.randrange(90),
        }
        for _ in range(150)
    ]
    return pa.Table.from_pylist(rows)


@pytest.fixture(scope="module")
def together() -> list[kanon_sql.ProtectedTable]:
    """Three tables that are protected together."""
    return kanon_sql.protect_together(people(), TABLES)


@pytest.fixture
def verify(folder: Path, monkeypatch: pytest.MonkeyPatch, together: list[kanon_sql.ProtectedTable]) -> Callable[..., Result]:
    """Write these tables, and verify some of them."""
    monkeypatch.chdir(folder)
    pyarrow.parquet.write_table(people(), "in.parquet")
    for number, each in enumerate(together):
        pyarrow.parquet.write_table(each.table, f"{number}.parquet")
        Path(f"{number}.json").write_text(each.certificate.to_json())

    def run(*numbers: int) -> Result:
        files = [f"{number}.{ending}" for number in numbers for ending in ("parquet", "json")]
        return CliRunner().invoke(main, ["verify", "in.parquet", *files])

    return run


def forged(name: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a certificate and give it a fitting checksum."""
    data = json.loads(Path(name).read_text())
    change(data)
    Path(name).write_text(TableCertificate.from_claims(read(json.dumps(data), PROTECTED).claims).to_json())


def refused(done: Result, text: str) -> None:
    assert done.exit_code == 1, done.output
    assert text in done.output


@pytest.mark.everything
def test_true_tables_pass_together_and_alone(verify: Callable[..., Result]) -> None:
    for numbers in ((0, 1, 2), (2, 0, 1)):
        done = verify(*numbers)
        assert done.exit_code == 0, done.output
        assert "each recomputed" in done.output
        assert "not given" not in done.output
    done = verify(1)
    assert done.exit_code == 0, done.output
    assert "2 tables not passed, so not compared" in done.output
    certificate = TableCertificate.from_json(Path("1.json").read_text())
    assert certificate == TableCertificate.from_json(certificate.to_json())


@pytest.mark.everything
def test_a_table_given_twice_and_a_file_without_a_certificate_are_refused(verify: Callable[..., Result]) -> None:
    refused(verify(0, 1, 0), "a table is passed twice")
    done = CliRunner().invoke(main, ["verify", "in.parquet", "0.parquet", "0.json", "1.parquet"])
    assert done.exit_code == 2
    assert "has no certificate" in done.output


def test_swapped_tables_and_certificates_are_refused(verify: Callable[..., Result]) -> None:
    one, two = Path("0.json").read_text(), Path("1.json").read_text()
    Path("0.json").write_text(two)
    Path("1.json").write_text(one)
    refused(verify(0, 1), "the columns of the table differ from those in its certificate")


@pytest.mark.everything
def test_tables_of_two_runs_are_refused_together(verify: Callable[..., Result]) -> None:
    source = pyarrow.parquet.read_table("in.parquet")
    alone = kanon_sql.protect(source, ["region", "sex"], k=4)
    pyarrow.parquet.write_table(alone.table, "3.parquet")
    Path("3.json").write_text(alone.certificate.to_json())
    assert verify(3).exit_code == 0
    refused(verify(0, 3), "were not solved together")
    refused(verify(3, 0), "verify each table alone")
    other = kanon_sql.protect_together(source, [{**each, "algorithm": "auto"} for each in TABLES[:2]])
    for number, each in enumerate(other, 4):
        pyarrow.parquet.write_table(each.table, f"{number}.parquet")
        Path(f"{number}.json").write_text(each.certificate.to_json())
    assert verify(4, 5).exit_code == 0
    refused(verify(0, 5), "were not solved together")


@pytest.mark.everything
def test_another_pattern_in_one_of_the_files_is_refused(verify: Callable[..., Result]) -> None:
    """The table shows what the others suppress: alone its own certificate would have to be forged, together it differs."""
    data = json.loads(Path("0.json").read_text())
    rows = pyarrow.parquet.read_table("0.parquet").to_pylist()
    hidden = next(row for row in rows if row["n"] is None)
    hidden["n"], hidden["total"] = 4, 1
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), "0.parquet")
    refused(verify(0, 1, 2), "does not add up")
    forged("0.json", lambda data: data["secondaries"].pop())
    refused(verify(1, 0), "secondaries")
    forged("0.json", lambda changed: changed.update(secondaries=data["secondaries"], seconds=1))
    refused(verify(0, 1, 2), "does not add up")


@pytest.mark.everything
def test_the_tables_of_a_block_of_statements_pass(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with kanon_sql.connect("people.duckdb") as con:
        con.register("arrow", people())
        con.execute("CREATE TABLE people AS FROM arrow")
        con.execute(
            "BEGIN PROTECTED; "
            "CREATE TABLE one AS SELECT sex, age, count(*) AS n FROM people GROUP BY ROLLUP (sex, age) PROTECT n >= 19; "
            "CREATE TABLE two AS SELECT region, count(*) AS n, sum(income) AS s, GROUPING(region) AS g FROM people "
            "GROUP BY CUBE (region) PROTECT n >= 19; COMMIT"
        )
        for name, certificate in zip(("one", "two"), kanon_sql.protected_tables(con), strict=True):
            con.execute(f"COPY {name} TO '{name}.csv'")
            Path(f"{name}.json").write_text(certificate.to_json())
    done = CliRunner().invoke(main, ["verify", "people.duckdb::people", "one.csv", "one.json", "two.csv", "two.json"])
    assert done.exit_code == 0, done.output
    assert "2 tables" in done.output
    assert "not given" not in done.output


def assert_random_tables_pass(seed: int) -> None:
    draw, files = random.Random(seed), []
    source, per = people(seed), draw.choice([None, "person"])
    if per:  # each person has two rows
        source = pa.concat_tables([source.append_column("person", pa.array(range(source.num_rows)))] * 2)
    pyarrow.parquet.write_table(source, "in.parquet")
    shared = {"per": per, "cost": draw.choice(["cells", "n"]), "algorithm": draw.choice(["greedy", "auto"])}
    asked = [
        {
            "by": draw.sample(["region", "sex", "age"], draw.randrange(1, 4)),
            "measures": {f"s{place}": name for place, name in enumerate(draw.sample(["income", "weight"], draw.randrange(3)))},
            "k": draw.randrange(2, 9),
            "grouping": draw.choice(["cube", "rollup", "plain"]),
            "rows": draw.choice(["null", "absent"]),
            "suppressed": draw.random() < 0.5,
            **shared,
        }
        for _ in range(draw.randrange(2, 5))
    ]
    for each in asked:
        if "s0" in each["measures"]:
            each["dominance"], each["p"] = {"s0": (2, 0.7)}, {"s0": 20}
    for number, each in enumerate(kanon_sql.protect_together(source, asked)):
        pyarrow.parquet.write_table(each.table, f"{number}.parquet")
        Path(f"{number}.json").write_text(each.certificate.to_json())
        files += [f"{number}.parquet", f"{number}.json"]
    done = CliRunner().invoke(main, ["verify", "in.parquet", *files])
    assert done.exit_code == 0, (seed, done.output)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(4))
def test_random_tables_pass(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert_random_tables_pass(seed)


@pytest.mark.everything
@pytest.mark.parametrize("part", range(10))
def test_many_random_tables_pass(part: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for seed in range(100 + 10 * part, 110 + 10 * part):
        assert_random_tables_pass(seed)


def forgotten(data: dict[str, Any]) -> None:
    data["together"]["tables"].pop()


def alone(data: dict[str, Any]) -> None:
    data["together"] = None


def foreign(data: dict[str, Any]) -> None:
    data["tabulation"]["sets"].pop()


def lenient(data: dict[str, Any]) -> None:
    for each in (data["protection"], *(asked["protection"] for asked in data["together"]["tables"])):
        each["k"] = 2
    data["requirements"][0] = "n >= 2"


def reordered(data: dict[str, Any]) -> None:
    data["together"]["keys"].reverse()


def unkeyed(data: dict[str, Any]) -> None:
    data["together"]["keys"].pop()


def twice(data: dict[str, Any]) -> None:
    data["together"]["sums"].append(data["together"]["sums"][0])


def filtered(data: dict[str, Any]) -> None:
    data["together"]["tables"][-1]["tabulation"]["source"] += " where age > 1"


def conditional(data: dict[str, Any]) -> None:
    data["together"]["tables"][-1]["tabulation"]["condition"] = "age > 1"


def fewer(data: dict[str, Any]) -> None:
    data["primary"] -= 1
    data["secondary"] += 1


def unwitnessed(data: dict[str, Any]) -> None:
    data["witnesses"].pop()


def unpriced(data: dict[str, Any]) -> None:
    data["lower_bound"], data["status"], data["bound_method"] = data["cost"], "OPTIMAL", "line cuts"
    data["cuts"] = []


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (forgotten, "together"),
        (alone, "base_cells"),
        (foreign, "does not list the certificate"),
        (lenient, "primaries"),
        (reordered, ""),
        (unkeyed, "its keys differ from those of its tables"),
        (twice, "its sums differ from those of its tables"),
        (filtered, "differ in source"),
        (conditional, "its keys differ from those of its tables"),
        (fewer, "primary"),
        (unwitnessed, "witnesses"),
        (unpriced, "lower_bound"),
    ],
)
def test_a_forged_certificate_is_refused(
    verify: Callable[..., Result], change: Callable[[dict[str, Any]], object], text: str
) -> None:
    forged("0.json", change)
    refused(verify(0), text)
    refused(verify(0, 1, 2), "")
    refused(verify(1, 0), "")


@pytest.mark.everything
def test_levels_of_tables_together(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The region has levels in one table, and none in the other."""
    monkeypatch.chdir(folder)
    tables = [{"by": ["region", "sex"], "recodings": {"region": "DIGITS (2, 1)"}}, {"by": ["region", "age"], "k": 9}]
    pyarrow.parquet.write_table(people(), "in.parquet")
    for number, each in enumerate(kanon_sql.protect_together(people(), tables)):
        pyarrow.parquet.write_table(each.table, f"{number}.parquet")
        Path(f"{number}.json").write_text(each.certificate.to_json())
    files = ["0.parquet", "0.json", "1.parquet", "1.json"]
    done = CliRunner().invoke(main, ["verify", "in.parquet", *files])
    assert done.exit_code == 0, done.output
    swapped = CliRunner().invoke(main, ["verify", "in.parquet", "0.parquet", "1.json", "1.parquet", "0.json"])
    assert swapped.exit_code == 1


@pytest.mark.everything
def test_a_report_is_about_one_of_the_tables(verify: Callable[..., Result], together: list[kanon_sql.ProtectedTable]) -> None:
    assert verify(0, 1, 2).exit_code == 0
    for number, each in enumerate(together):
        page = report(people(), each)
        shown = sum(count is not None for count in each.table["n"].to_pylist())
        assert f"{shown:,} are shown" in page or f"with {shown:,} rows. Suppressed rows are omitted" in page, number
        assert "The guarantee covers the 3 tables that were protected together" in page, number


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("keys",), [[]]),
        (("keys", 2), [0]),
        (("sums", 1), {}),
        (("tables", 2, "tabulation", "keys", 1), [[]]),
        (("tables", 2, "tabulation", "sums", 0), ["x"]),
        (("tables", 2, "tabulation", "items", 3, "name"), {}),
        (("tables", 2, "tabulation", "items", 3, "places"), []),
        (("tables", 2, "tabulation"), None),
    ],
)
def test_malformed_tables_are_refused_by_their_line(
    verify: Callable[..., Result], place: tuple[Any, ...], value: object
) -> None:
    """No such certificate ends in an internal error."""
    changed = json.loads(Path("0.json").read_text())
    inner = changed["together"]
    for each in place[:-1]:
        inner = inner[each]
    inner[place[-1]] = value
    Path("0.json").write_text(json.dumps(changed))
    done = verify(0, 1)
    refused(done, '"together"')
    assert "internal error" not in done.output


def test_options_about_rows_are_refused(verify: Callable[..., Result]) -> None:
    done = CliRunner().invoke(
        main, ["verify", "in.parquet", "0.parquet", "0.json", "1.parquet", "1.json", "--pseudonym", "sex"]
    )
    assert done.exit_code == 2
    assert "--pseudonym does not apply to tables of counts" in done.output
