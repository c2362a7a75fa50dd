"""The curve of privacy and its price: each point is a release, audited, and the points are in order."""

from __future__ import annotations

import csv
import json
import os
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from page_reader import assert_sound

import kanon_sql
import kanon_sql.cli.frontier
import kanon_sql.report.frontier
from kanon_sql.cli.commands import Kanon
from kanon_sql.cli.frontier import frontier as frontier_command
from kanon_sql.engines.written import read_recodings
from kanon_sql.errors import InterruptedReleaseError, PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_file import written
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.report.frontier import csv_text, frontier, html_text
from kanon_sql.report.points import HEADS, Point
from kanon_sql.solvers.budget import Moment


def people(rows: int = 60) -> pa.Table:
    draw = random.Random(11)
    return pa.table(
        {
            "zip": [draw.choice(["02138", "02139", "02141"]) for _ in range(rows)],
            "age": [draw.choice([31, 38, 45, 52]) for _ in range(rows)],
            "disease": [draw.choice(["flu", "asthma", "ulcer"]) for _ in range(rows)],
        }
    )


@pytest.fixture(scope="module")
def points() -> tuple[Point, ...]:
    return frontier(people(), k=(2, 5, 100), t=("1/2", 0.3), sensitive="disease", quasi_identifiers=["zip", "age"])


@pytest.mark.everything
def test_each_point_is_the_release_of_its_guarantee(points: tuple[Point, ...]) -> None:
    assert [(point.k, point.t) for point in points] == [(k, Fraction(t)) for k in (2, 5, 100) for t in ("1/2", "3/10")]
    for point in points[:4]:
        assert point.certificate is not None
        alone = kanon_sql.anonymize(
            people(), k=point.k, t=point.t, sensitive="disease", quasi_identifiers=["zip", "age"]
        ).certificate
        assert (point.certificate.cost, point.certificate.lower_bound) == (alone.cost, alone.lower_bound)
        assert point.certificate.audited
        assert alone.smallest_class is not None
        assert alone.smallest_class >= point.k
    assert [point.certificate for point in points[4:]] == [None, None]  # more than there are rows


@pytest.mark.everything
def test_no_bound_is_above_the_cost_of_a_stronger_guarantee(points: tuple[Point, ...]) -> None:
    for weak in points[:4]:
        for strong in points[:4]:
            if weak.k <= strong.k and (weak.t or 1) >= (strong.t or 1):
                assert weak.certificate is not None
                assert strong.certificate is not None
                assert weak.certificate.lower_bound <= strong.certificate.cost


@pytest.mark.everything
def test_the_csv_file(points: tuple[Point, ...]) -> None:
    rows = list(csv.DictReader(csv_text(points).splitlines()))
    assert list(rows[0]) == list(HEADS)
    for row, point in zip(rows, points, strict=True):
        c = point.certificate
        assert row["k"] == str(point.k)
        if c is None:
            assert (row["status"], row["cost"]) == ("INFEASIBLE", "")
            continue
        assert Fraction(row["cost"]) == c.cost
        assert Fraction(row["lower_bound"]) == c.lower_bound
        assert float(row["suppressed_share"]) == pytest.approx(c.suppressed_cells / c.cells, abs=1e-6)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("chosen", [slice(None), slice(0, 2), slice(4, 6), slice(0, 1)], ids=["k", "t", "none", "one"])
def test_the_page(points: tuple[Point, ...], chosen: slice) -> None:
    found = assert_sound(html_text(points[chosen], [("source", "<b>&"), ("other columns", "\x1b[31m\u202e")]))
    feasible = [point for point in points[chosen] if point.certificate is not None]
    assert [plot["class"] for plot in found.all("svg")] == (["on-wide", "on-narrow"] * 2 if feasible else [])
    rows = found.table("The points of the curve").rows[1:]
    assert [row[0] for row in rows] == [f"k\xa0=\xa0{point.k}, t\xa0=\xa0{float(point.t or 0):g}" for point in points[chosen]]
    assert found.table("How they were found").pairs == {"source": ["<b>&"], "other columns": ["\\x1b[31m\\u202e"]}


@pytest.mark.everything
def test_the_page_sets_risk_against_loss(points: tuple[Point, ...]) -> None:
    text = html_text(points, [])
    found = assert_sound(text)
    titles = set(re.findall(r"role-axis-title.*?<text[^>]*>([^<]*)</text>", text, re.DOTALL))
    assert titles == {
        "highest risk of re-identification (%)",
        "suppressed cells (%)",
        "cost (weighted suppressed cells)",
        "k (minimum rows per class)",
    }
    rows = found.table("The points of the curve").rows[1:]
    for row, point in zip(rows, points, strict=True):
        c = point.certificate
        assert row[1:3] == (
            ["no release", "-"] if c is None else [f"{1 / c.smallest_class:.2%}", f"{c.suppressed_cells / c.cells:.2%}"]
        )
    assert "4 of 6 guarantees can be kept." in found.text
    assert "None of the 2 guarantees can be kept." in assert_sound(html_text(points[4:], [])).text


@pytest.mark.everything
def test_without_closeness_and_with_weights() -> None:
    found = frontier(people(), k=[3], quasi_identifiers=["zip", "age"], weights={"zip": "5/2"}, recodings={"zip": "DIGITS"})
    assert [(point.k, point.t) for point in found] == [(3, None)]
    assert_sound(html_text(found, []))


def test_wrong_arguments() -> None:
    with pytest.raises(PolicyError, match="a curve needs at least one guarantee; hint"):
        frontier(people(), k=[])
    with pytest.raises(PolicyError, match="sensitive column"):
        frontier(people(), k=[2], t=[0.5])
    with pytest.raises(PolicyError, match="k"):
        frontier(people(), k=[0])


def test_progress_can_stop_it() -> None:
    def stop(moment: Moment) -> None:
        raise InterruptedReleaseError("enough")

    with pytest.raises(InterruptedReleaseError, match="enough"):
        frontier(people(), k=[2], progress=stop)


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    table = people()
    rows = zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
    Path("in.csv").write_text("\n".join([",".join(table.column_names), *(",".join(map(str, row)) for row in rows)]) + "\n")
    group = Kanon("kanon", commands=[frontier_command])
    return lambda *arguments: CliRunner().invoke(group, ["frontier", "in.csv", *arguments])


@pytest.mark.everything
def test_a_weak_bound_does_not_say_that_a_release_could_be_better() -> None:
    column = {"age": pa.array([20 + 7 * n % 50 for n in range(60)])}
    page = html_text(frontier(pa.table(column), k=[5, 10], quasi_identifiers=["age"], recodings={"age": "INTERVALS"}), [])
    assert "Some bounds are weak: they leave a gap of up to 100.0%, so they prove little about cheaper releases." in page
    assert "could be saved" not in page


@pytest.mark.everything
def test_the_command_writes_both(run: Run, tmp_path: Path) -> None:
    guarantee = ("--qi", "zip,age", "--k", "2,4", "--sensitive", "disease", "--t", "0.5,0.4", "--algorithm", "greedy")
    done = run("-o", "curve.html", "-o", "curve.csv", *guarantee)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "4 of 4" in done.stdout
    rows = list(csv.DictReader(Path("curve.csv").read_text().splitlines()))
    assert [(row["k"], row["t"], row["algorithm"]) for row in rows] == [(k, t, "greedy") for k in "24" for t in ("1/2", "2/5")]
    found = assert_sound(Path("curve.html").read_text())
    assert found.table("How they were found").pairs["quasi-identifiers"] == ["zip, age"]
    assert {path.name for path in tmp_path.iterdir()} == {"in.csv", "curve.html", "curve.csv"}


@pytest.mark.everything
def test_the_command_prints_its_points(run: Run) -> None:
    guarantee = ("--qi", "zip,age", "--k", "2,100", "--sensitive", "disease", "--t", "0.5", "--algorithm", "greedy")
    done = run("-o", "curve.csv", *guarantee, "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["written"], told["asked"]) == ([os.path.realpath("curve.csv")], 2)
    for point, row in zip(told["points"], csv.DictReader(Path("curve.csv").read_text().splitlines()), strict=True):
        assert list(point) == list(HEADS)
        rounded = {"gap": ".6f", "suppressed_share": ".6f", "seconds": ".3f"}
        assert {name: "" if value is None else format(value, rounded.get(name, "")) for name, value in point.items()} == row
    kept, lost = told["points"]
    assert (kept["status"] != "INFEASIBLE", kept["t"], kept["smallest_class"] >= 2) == (True, "1/2", True)
    assert lost == {**dict.fromkeys(HEADS), "k": 100, "t": "1/2", "status": "INFEASIBLE"}


QUERIES = "SELECT zip, count(*), avg(age) FROM people GROUP BY zip; SELECT count(*) FROM people WHERE age > 40"


@pytest.mark.everything
def test_the_command_says_which_release_to_take(run: Run) -> None:
    """Each k with each alternative, and the policies of a file; the figures are those of `kanon compare`."""
    Path("q.sql").write_text(QUERIES)
    policy = Policy.of(k=4, quasi_identifiers=["age", "zip"], recodings=read_recodings({"age": "RANGES"}))
    stored = StoredPolicy(name="ranges", table="people", policy=policy, kept=("disease",))
    Path("policies.json").write_text(written([stored], "json"))
    words = (
        "--qi",
        "zip,age",
        "--k",
        "3,6",
        "--recode",
        "age=INTERVALS (10)",
        "--weight",
        "age=3",
        "--policies",
        "policies.json",
    )
    done = run("-o", "curve.html", "-o", "curve.csv", *words, "--queries", "q.sql", "--target", "disease", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    names = [None, "weight age=3", "age=INTERVALS (10)", "age=INTERVALS (10), weight age=3"]
    assert [(point["k"], point["policy"]) for point in told["points"]] == [
        *((k, name) for name in names for k in (3, 6)),
        (4, "ranges"),
    ]
    assert told["advice"].startswith("Choose k = ")
    source = duckdb.from_arrow(people())  # as the command reads it: the secret decides by the rows that DuckDB has
    release = kanon_sql.anonymize(source, k=6, quasi_identifiers=["zip", "age"], recodings={"age": "INTERVALS (10)"})
    figures = kanon_sql.compare(
        people(), {"r": release}, quasi_identifiers=["zip", "age"], queries=QUERIES, target="disease"
    ).releases[0]
    assert figures.answers is not None
    point = told["points"][5]
    assert point["median_error"] == pytest.approx(figures.answers.median)
    assert (point["marginals"], point["accuracy"]) == (pytest.approx(figures.marginals), figures.kept_accuracy)
    page = assert_sound(Path("curve.html").read_text())
    assert told["advice"] in page.text
    assert {row[-1] for row in page.table("The points of the curve").rows[1:]} == {"yes", "no"}
    rows = list(csv.DictReader(Path("curve.csv").read_text().splitlines()))
    assert [row["policy"] for row in rows][-1] == "ranges"


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--queries", "nothing.sql"), "nothing.sql"),
        (("--policies", "nothing.json"), "nothing.json"),
        (("--policies", "in.csv"), "hint"),
        (("--target", "zap"), "no release has a column zap"),
        (("--recode", "age"), "age has the wrong form; hint: write column=DIGITS"),
    ],
)
def test_the_command_refuses_what_it_cannot_measure(run: Run, words: tuple[str, ...], says: str) -> None:
    done = run("-o", "curve.csv", "--qi", "zip,age", *words)
    assert done.exit_code != 0
    assert says in done.stderr


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-o", "curve.pdf"), "has no known extension; hint: use .html or .csv"),
        (("-o", "in.csv", "--force"), "is an input to this command"),
        (("-o", "old.csv"), "exists"),
        (("-o", "curve.csv", "-o", "./curve.csv"), "the same file"),
        (("-o", "curve.csv", "--k", "2,x"), "is not a list of whole numbers"),
        (("-o", "curve.csv", "--k", ","), "a curve needs at least one guarantee; hint"),
        (("-o", "curve.csv", "--algorithm", "magic"), "there is no algorithm"),
        (("-o", "curve.csv", "--qi", "zap"), 'unknown column "zap"'),
    ],
)
def test_the_command_refuses(run: Run, arguments: tuple[str, ...], says: str) -> None:
    Path("old.csv").write_text("old")
    done = run(*arguments)
    assert done.exit_code != 0
    assert says in done.stderr
    assert not Path("curve.csv").exists()
    assert Path("old.csv").read_text() == "old"


@pytest.mark.everything
def test_the_first_ctrl_c_keeps_the_points_that_there_are(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    finishes: list[Callable[[], bool]] = []
    real = kanon_sql.report.frontier.points

    def at_once(interrupt: object, work: Callable[[], object], *, finish: Callable[[], bool], patience: float) -> object:
        assert not finish()  # there is nothing to keep yet
        finishes.append(finish)
        return work()

    def interrupted(*arguments: Any) -> Iterator[Point]:
        for number, point in enumerate(real(*arguments), 1):
            yield point
            if number == 2:
                assert finishes[0]()

    monkeypatch.setattr(kanon_sql.cli.frontier, "interruptible", at_once)
    monkeypatch.setattr(kanon_sql.report.frontier, "points", interrupted)
    done = run("-o", "curve.csv", "--k", "2,3,4,5", "--qi", "zip,age", "--algorithm", "greedy")
    assert done.exit_code == 0, done.output
    assert "2 of 4" in done.stdout
    assert len(Path("curve.csv").read_text().splitlines()) == 3
