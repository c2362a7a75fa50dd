"""`kanon verify` of generalized releases: every true one passes."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from generalized_cases import (
    CHOSEN,
    HEADER,
    KINDS,
    SUMMARIES,
    Row,
    Run,
    command,
    people,
    refused,
    release,
    released,
    standard,
    verified,
    write,
)

from kanon_sql.certificate import Certificate
from kanon_sql.errors import InfeasibleError
from kanon_sql.generalize.groups import grouped_again
from kanon_sql.table.ladder import Label
from kanon_sql.verification.coded_source import Regroup


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return command(folder, monkeypatch)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_a_release_passes(run: Run, folder: Path, kind: str) -> None:
    found = verified(standard(run, folder, kind))
    certificate = Certificate.from_json((folder / "c.json").read_text())
    if kind in CHOSEN:
        assert found["lower bound"].endswith("nothing to prove")
    elif kind in SUMMARIES:
        told = "the certificate has no prices" if certificate.prices is None else "proven again by its prices"
        assert told in found["lower bound"]
    else:
        assert certificate.lower_bound > 0
        assert f"proven again by its prices: {float(certificate.lower_bound):,.12g}" in found["lower bound"]
    assert "with permitted labels of its values" in found["release"]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["ladders", "bins", "rectangles", "summaries and ladders", "means", "medians"])
@pytest.mark.parametrize("ending", ["parquet", "jsonl", "duckdb::main.out"])
def test_every_format_passes(run: Run, folder: Path, kind: str, ending: str) -> None:
    rows = [tuple(None if cell in ("b", 3, 12) and kind != "rectangles" else cell for cell in row) for row in people(3)]
    write(folder / "in.csv", rows)
    algorithm = () if kind in SUMMARIES else ("--algorithm", "greedy")
    release(run, KINDS[kind], "--k", "4", "--qi", ",".join(KINDS[kind]), *algorithm, out=f"out.{ending}")
    verified(KINDS[kind], out=f"out.{ending}")


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("suppress", [(), ("--suppress", "*")])
def test_values_of_any_type_are_spelled_as_in_the_release(
    run: Run, folder: Path, con: duckdb.DuckDBPyConnection, ending: str, suppress: tuple[str, ...]
) -> None:
    con.execute(f"ATTACH '{folder}/db.duckdb' AS db")
    con.execute("""CREATE TABLE db.t AS SELECT i AS "an {odd} name", (i % 7)::TINYINT AS age,
        DATE '2020-01-01' + (i % 5)::INTEGER AS born,
        (i % 4 * 1.50)::DECIMAL(9, 2) AS fee, CASE WHEN i % 9 > 0 THEN (i % 3) / 3 END AS rate, i % 2 = 0 AS yes,
        TIMESTAMP '2020-01-01 00:00:00.5' + to_days((i % 3)::INTEGER) AS at, (i % 3 * 0.1)::FLOAT AS single
        FROM range(60) t(i)""")
    con.execute("DETACH db")
    recodings = {
        "age": "INTERVALS (2, 4)",
        "born": "INTERVALS (month)",
        "fee": "DIGITS",
        "rate": "BINS",
        "at": "INTERVALS",
        "single": "INTERVALS (0.5)",
    }
    more = ("--table", "t", "--qi", "age,born,fee,rate,yes,at,single", "--k", "4", "--algorithm", "greedy", *suppress)
    release(run, recodings, *more, out=f"out.{ending}", source="db.duckdb")
    verified(recodings, out=f"out.{ending}", source="db.duckdb::t")


@pytest.mark.everything
def test_the_command_shows_it(run: Run, folder: Path) -> None:
    standard(run, folder, "digits")
    done = run("verify", "in.csv", "out.csv", "c.json")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "with permitted labels" in " ".join(done.stdout.split())


@pytest.mark.everything
def test_a_table_that_the_policy_names_has_to_be_given(run: Run, folder: Path) -> None:
    standard(run, folder, "hierarchy")
    assert "uses the table 'jobs', which is missing" in refused({})


@pytest.mark.everything
def test_bins_under_a_time_limit_are_told_to_be_unchecked(run: Run, folder: Path) -> None:
    found = verified(standard(run, folder, "bins", "--time-limit", "20"))
    assert "the values in each bin or region of zip" in found["only by the checksum"]
    assert "some cells can be read in several ways" in found["cost"]
    recodings = standard(run, folder, "bins")
    assert "bin" not in verified(recodings)["only by the checksum"]
    assert "the values in each bin or region of zip" in verified(recodings, regroup=None)["only by the checksum"]


def regrouped(change: Callable[[list[Label]], list[Label]]) -> Regroup:
    """Return groups that are not those of the release."""

    def found(*column: Any) -> tuple[list[Label], str]:
        groups, described = grouped_again(*column)
        return change(groups), described

    return found


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("bins", lambda groups: groups[1:] + groups[:1], "match no row of the source"),
        ("regions", lambda groups: ["region 1", *["region 2"] * (len(groups) - 2), "region 1"], "a region is not connected"),
    ],
)
def test_what_is_said_of_groups_is_not_believed(run: Run, folder: Path, kind: str, change: Any, message: str) -> None:
    assert message in refused(standard(run, folder, kind), regrouped(change))


@pytest.mark.everything
def test_a_text_that_two_levels_share_is_no_false_alarm(run: Run, folder: Path) -> None:
    # b is a value, and the parent of c; v is above both in different levels
    (folder / "jobs.csv").write_text("level0,level1,level2,level3\na,b,v,*\nb,b,v,*\nc,c,v,*\nd,v,w,*\ne,v,w,*\n")
    for seed in range(3):
        write(folder / "in.csv", people(seed, 40))
        for algorithm in ("greedy", "merge_small"):
            release(run, {"job": "HIERARCHY jobs"}, "--k", "3", "--qi", "job,zip", "--algorithm", algorithm)
            verified({"job": "HIERARCHY jobs"})


@pytest.mark.everything
def test_an_empty_table(run: Run, folder: Path) -> None:
    for kind in ("ladders", "sets"):
        write(folder / "in.csv", [])
        release(run, KINDS[kind], "--k", "3", "--qi", ",".join(KINDS[kind]))
        verified(KINDS[kind])


def drawn(seed: int) -> tuple[list[Row], dict[str, str], list[str]]:
    """Draw a table with empty cells, recodings, and options."""
    draw = random.Random(seed)
    empty = draw.choice([0, 0, 0.1, 0.3])
    rows = [
        tuple(None if draw.random() < empty and c not in (4, 5, 6) else cell for c, cell in enumerate(row))
        for row in people(seed, draw.choice([3, 12, 30]))
    ]
    recodings = {
        column: draw.choice(ways)
        for column, ways in {
            "zip": ["DIGITS", "DIGITS (2, 1)", "BINS", "REGIONS map ('merge')", "INTERVALS", "SETS"],
            "age": ["INTERVALS (4, 8)", "INTERVALS", "BINS", "RANGES"],
            "job": ["HIERARCHY jobs", "BINS", "SETS"],
            "born": ["INTERVALS (month, year)", "INTERVALS ('sum')", "RANGES"],
        }.items()
        if draw.random() < 0.7
    }
    summaries = draw.random() < 0.3
    for column, how in [*recodings.items()]:
        summary, chosen = (
            how in ("SETS", "RANGES"),
            how.split()[0] in ("BINS", "REGIONS") or how in ("INTERVALS", "DIGITS (2, 1)"),
        )
        if (summary and not summaries) or (summaries and (chosen or "'sum'" in how)) or (empty and "REGIONS" in how):
            del recodings[column]
    if not summaries and draw.random() < 0.3:
        recodings |= {"x": "RECTANGLES WITH y", "y": "RECTANGLES WITH x"}
    columns = list(dict.fromkeys([*recodings, *draw.sample(HEADER[:4], 2)]))
    options = [
        "--qi",
        ",".join(columns),
        "--k",
        str(draw.choice([1, 2, 3])),
        "--weight",
        f"{columns[0]}={draw.choice([1, '5/2'])}",
    ]
    if draw.random() < 0.3:
        options += ["--suppress", draw.choice(["*", "b", "1**"])]
    if not any(how in ("SETS", "RANGES") for how in recodings.values()):
        options += ["--algorithm", draw.choice(["greedy", "merge_small", "full_domain"])]
        if draw.random() < 0.4:
            masks = [*([column for column in columns if draw.random() < 0.6] for _ in range(2)), []]
            options += [part for mask in masks for part in ("--mask", ",".join(mask))]
        plain = [column for column in columns if column not in recodings]
        if len(plain) > 1 and draw.random() < 0.5:
            options += ["--linked", ",".join(plain)]
    return rows, recodings, options


@pytest.mark.everything
def test_no_true_release_is_refused(run: Run, folder: Path) -> None:
    passed = exact = 0
    for seed in range(18):
        rows, recodings, options = drawn(seed)
        write(folder / "in.csv", rows)
        ending = ["csv", "parquet", "json"][seed % 3]
        try:
            release(run, recodings, *options, out=f"out.{ending}")
        except InfeasibleError:
            continue
        found = verified(recodings, out=f"out.{ending}")
        passed, exact = passed + 1, exact + ("counted" not in found["cost"])
    assert passed >= 14
    assert exact >= passed // 3


SPELLED_TWICE: list[Row] = [(low, high, cell) for low, high in (("0", "1"), ("00", "1.0"), ("7", "8")) for cell in "aab"]


@pytest.mark.everything
@pytest.mark.parametrize(
    "recodings",
    [{"lat": "INTERVALS", "lon": "INTERVALS"}, {"lat": "RECTANGLES WITH lon", "lon": "RECTANGLES WITH lat"}],
    ids=str,
)
def test_a_label_names_both_of_two_values_that_are_equal_as_numbers(run: Run, folder: Path, recodings: dict[str, str]) -> None:
    header = ("lat", "lon", "job")
    write(folder / "in.csv", SPELLED_TWICE, header)
    release(run, recodings, "--k", "3", "--qi", "lat,lon")
    rows = [(lat, lon) for lat, lon, _ in released(folder)]
    assert rows.count(("[0, 00]", "[1, 1.0]")) == 6
    assert rows.count(("7", "8")) == 3
    verified(recodings)
    text = (folder / "out.csv").read_text()
    (folder / "out.csv").write_text(text.replace('"[0, 00]"', '"[0, 0]"'))
    assert "show labels that no value of the source permits" in refused(recodings)


@pytest.mark.everything
def test_the_finest_labels_of_a_column_are_shown_where_columns_are_dropped(run: Run, folder: Path) -> None:
    """Only values were taken for what `attribute` shows, and bins stand for them."""
    (folder / "in.csv").write_text("\n".join(["town,age", *(f"{'abcd'[n % 4]}xy,{n}" for n in range(24))]) + "\n")
    given = ("--qi", "town,age", "--k", "10", "--recode", "town=BINS", "--algorithm", "attribute", "--certificate", "c.json")
    done = run("anonymize", "in.csv", "-o", "out.csv", *given)
    assert done.exit_code == 0, done.output
    towns = {line.split(",")[0] for line in (folder / "out.csv").read_text().splitlines()[1:]}
    assert len(towns) > 1
    found = run("verify", "in.csv", "out.csv", "c.json")
    assert found.exit_code == 0, found.output
