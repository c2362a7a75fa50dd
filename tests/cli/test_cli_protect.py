"""`kanon protect`, and `kanon verify` of what it writes: whatever is changed is refused."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

from kanon_sql.certificate.status import Status
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.cli import main

Run = Callable[..., Result]

ASKED = (
    "--by",
    "region,sex,age",
    "--measures",
    "total=income",
    "--k",
    "4",
    "--algorithm",
    "greedy",
    "--p",
    "total=10",
    "--grouping",
    "rollup",
)


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process, in the folder of the test, with a table of people."""
    monkeypatch.chdir(folder)
    draw = random.Random(5)
    rows = [
        f"r{draw.randrange(4)},{draw.choice('fm')},{draw.randrange(4)},{draw.randrange(10, 400) / 4},{n // 2}"
        for n in range(90)
    ]
    Path("in.csv").write_text("\n".join(["region,sex,age,income,person", *rows]) + "\n")
    return lambda *arguments: CliRunner().invoke(main, arguments)


@pytest.fixture
def protected(run: Run) -> Run:
    """The same, with a protected table and its certificate."""
    done = run("protect", "in.csv", "-o", "out.csv", *ASKED, "--certificate", "cert.json")
    assert done.exit_code == 0, done.output
    return run


def verified(run: Run, release: str = "out.csv") -> Result:
    return run("verify", "in.csv", release, "cert.json")


@pytest.mark.everything
def test_the_table_is_that_of_the_function(protected: Run) -> None:
    con = duckdb.connect()
    found = con.execute("SELECT region, sex, age, n FROM 'out.csv'").fetchall()
    truth = con.execute("SELECT region, sex, age, count(*) FROM 'in.csv' GROUP BY ROLLUP (region, sex, age)").fetchall()
    counts = {each[:3]: each[3] for each in truth}
    empty = {each[:3] for each in found} - set(counts)
    keys = ", ".join(f"(SELECT DISTINCT {key} FROM 'in.csv')" for key in ("region", "sex", "age"))
    assert empty <= set(con.execute(f"FROM {keys}").fetchall())
    assert len(empty) == TableCertificate.from_json(Path("cert.json").read_text()).empty_rows == 2
    counts |= dict.fromkeys(empty, 0)
    assert Counter(each[:3] for each in found) == Counter(set(counts))
    assert all(n is None or n == counts[key] for *key_, n in found for key in [tuple(key_)])
    assert all(n is None for *key_, n in found if counts[tuple(key_)] < 4)


@pytest.mark.everything
def test_a_true_certificate_passes(protected: Run) -> None:
    done = verified(protected)
    assert done.exit_code == 0, done.output
    assert "each recomputed" in done.output
    assert "proven again" in done.output


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("ending", ["parquet", "json", "tsv"])
@pytest.mark.parametrize("options", [(), ("--rows", "absent", "--suppressed"), ("--contributors", "--cost", "parts")])
def test_other_formats_and_options_pass(run: Run, ending: str, options: tuple[str, ...]) -> None:
    asked = ("--by", "region,sex", "--k", "14", *options)
    done = run("protect", "in.csv", "-o", f"out.{ending}", *asked, "--certificate", "cert.json")
    assert done.exit_code == 0, done.output
    done = verified(run, f"out.{ending}")
    assert done.exit_code == 0, done.output


def test_people_of_the_table_may_share_what_they_know(run: Run) -> None:
    asked = ("--by", "region,sex", "--k", "14", "--measures", "total=income", "--p", "total=10", "--contributors")
    done = run("protect", "in.csv", "-o", "out.csv", *asked, "2", "--certificate", "cert.json")
    assert done.exit_code == 0, done.output
    assert "any 2 people in the table" in done.output
    assert verified(run).exit_code == 0
    refused = run("protect", "-o", "out.csv", *asked, "in.csv")
    assert "hint: write --contributors=1, or put the option last" in refused.output


def test_a_row_may_cost_its_share_of_a_sum(run: Run) -> None:
    asked = ("--by", "region,sex", "--k", "14", "--measures", "total=income")
    costs = set()
    for cost in ("cells", "total"):
        done = run("protect", "in.csv", "-o", "out.csv", *asked, "--cost", cost, "--certificate", "cert.json", "--force")
        assert done.exit_code == 0, done.output
        assert verified(run).exit_code == 0
        certificate = TableCertificate.from_json(Path("cert.json").read_text())
        costs.add(certificate.cost)
        assert certificate.lower_bound <= certificate.cost
    assert len(costs) == 2
    done = run("protect", "in.csv", "-o", "out.csv", *asked, "--cost", "totl", "--force")
    assert "unknown cost 'totl'; hint: did you mean 'total'" in done.output


@pytest.mark.parametrize("levels", ["income=INTERVALS (2.5, 10, 50) TOP 90", "income=CUTS (20.5, 60) BOTTOM 4"])
def test_levels_of_intervals_are_made_again(run: Run, levels: str) -> None:
    asked = ("--by", "income,sex", "--k", "4", "--grouping", "rollup", "--recode", levels)
    done = run("protect", "in.csv", "-o", "out.csv", *asked, "--certificate", "cert.json")
    assert done.exit_code == 0, done.output
    done = verified(run)
    assert done.exit_code == 0, done.output
    lines = Path("in.csv").read_text().splitlines()
    Path("in.csv").write_text("\n".join(lines[:-1]) + "\n")
    assert verified(run).exit_code == 1


@pytest.mark.everything
def test_a_changed_count_a_missing_row_and_a_shown_one_are_refused(protected: Run) -> None:
    path = Path("out.csv")
    lines = path.read_text().splitlines()
    number = next(place for place, line in enumerate(lines) if place and not line.endswith(",,"))
    cells = lines[number].split(",")
    hidden = next(place for place, line in enumerate(lines) if line.endswith(",,"))
    for changed in (
        [*lines[:number], ",".join([*cells[:3], str(int(cells[3]) + 1), cells[4]]), *lines[number + 1 :]],
        [*lines[:number], ",".join([*cells[:4], cells[4] + "1"]), *lines[number + 1 :]],
        [*lines[:number], *lines[number + 1 :]],
        [*lines, lines[number]],
        [*lines[:hidden], lines[hidden][:-2] + ",2,10", *lines[hidden + 1 :]],
    ):
        path.write_text("\n".join(changed) + "\n")
        done = verified(protected)
        assert done.exit_code == 1
        assert "does not add up" in done.output


@pytest.mark.everything
def test_a_changed_source_is_refused(protected: Run) -> None:
    path = Path("in.csv")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert verified(protected).exit_code == 1


def forged(change: Callable[[dict[str, Any]], object]) -> None:
    """Change a certificate and give it a fitting checksum."""
    data = json.loads(Path("cert.json").read_text())
    change(data)
    from kanon_sql.certificate.file import read
    from kanon_sql.certificate.table_file import PROTECTED

    Path("cert.json").write_text(TableCertificate.from_claims(read(json.dumps(data), PROTECTED).claims).to_json())


def dropped(data: dict[str, Any]) -> None:
    del data["witnesses"][0]


def cheaper(data: dict[str, Any]) -> None:
    data["secondaries"] = data["secondaries"][1:]
    data["cost"] -= 1


def moved(data: dict[str, Any]) -> None:
    data["witnesses"][0][3] += 1


def negative(data: dict[str, Any]) -> None:
    data["witnesses"][0][3] = -(10**6)


def empty(data: dict[str, Any]) -> None:
    data["witnesses"][0] = data["witnesses"][0][:2]


def optimal(data: dict[str, Any]) -> None:
    data["lower_bound"], data["status"] = data["cost"], Status.OPTIMAL.value


def priced(data: dict[str, Any]) -> None:
    data["cuts"][0][2] *= -1


def unlined(data: dict[str, Any]) -> None:
    data["cuts"][0][4] = next(n for n, chosen in enumerate(data["tabulation"]["sets"]) if not chosen)


def cut_short(data: dict[str, Any]) -> None:
    data["cuts"][0] = data["cuts"][0][:3]


def pricier(data: dict[str, Any]) -> None:
    data["cuts"] = [[*cut[:2], 9 * cut[2], *cut[3:]] for cut in data["cuts"]]


def weaker(data: dict[str, Any]) -> None:
    data["protection"]["k"] = 2


def filtered(data: dict[str, Any]) -> None:
    data["tabulation"]["source"] += " where age > 1"


def injected(data: dict[str, Any]) -> None:
    data["tabulation"]["keys"][0] = "(SELECT 1)"


def beyond(data: dict[str, Any]) -> None:
    data["tabulation"]["sets"][0][0] = 9


def unprimary(data: dict[str, Any]) -> None:
    data["primaries"] = data["primaries"][1:]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("change", "field"),
    [
        (dropped, "witnesses"),
        (moved, "witnesses"),
        (negative, "witnesses"),
        (empty, "witnesses"),
        (optimal, "lower_bound"),
        (priced, "cuts"),
        (unlined, "cuts"),
        (cut_short, "cuts"),
        (pricier, "lower_bound"),
        (weaker, "requirements"),
        (filtered, "tabulation"),
        (injected, "tabulation"),
        (beyond, "tabulation"),
        (unprimary, "primaries"),
        (cheaper, ""),
    ],
)
def test_a_forged_certificate_is_refused(protected: Run, change: Callable[[dict[str, Any]], object], field: str) -> None:
    forged(change)
    done = verified(protected)
    assert done.exit_code == 1, done.output
    assert field in done.output


@pytest.mark.everything
def test_a_bound_by_planes_is_proven_again(run: Run) -> None:
    Path("in.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" * (9 if a or b else 2) for a in range(3) for b in range(3)))
    done = run("protect", "in.csv", "-o", "out.csv", "--by", "a,b", "--certificate", "cert.json", "--algorithm", "greedy")
    assert done.exit_code == 0, done.output
    assert json.loads(Path("cert.json").read_text())["bound_method"] == "minimum cuts of planes"
    done = verified(run)
    assert done.exit_code == 0, done.output
    assert "by minimum cuts of planes, proven again" in done.output
    forged(lambda data: data.update(cuts=[cut for cut in data["cuts"] if len(cut) == 6]))
    done = verified(run)
    assert done.exit_code == 1
    assert "the cuts prove only" in done.output


@pytest.mark.everything
def test_a_field_changed_by_hand_is_refused(protected: Run) -> None:
    path = Path("cert.json")
    path.write_text(path.read_text().replace('"algorithm": "greedy"', '"algorithm": "auto"'))
    done = verified(protected)
    assert done.exit_code == 1
    assert "sha256" in done.output


@pytest.mark.everything
def test_people_with_several_rows_are_counted_once(run: Run) -> None:
    Path("in.csv").write_text(
        "\n".join(["region,sex,age,income,person", *(f"r{n // 2 % 3},f,1,5,{n // 2}" for n in range(60))]) + "\n"
    )
    asked = ("--by", "region", "--measures", "total=income", "--k", "11", "--per", "person")
    done = run("protect", "in.csv", "-o", "out.csv", *asked, "--certificate", "cert.json")
    assert done.exit_code == 0, done.output
    assert verified(run).exit_code == 0


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--by", "regio"), "did you mean"),
        (("--by", "region", "--measures", "s=sex"), "not decimal numbers"),
        (("--by", "region", "--k", "1"), "at least 2"),
        (("--by", "region", "--show", "region", "--k", "60"), "SHOW lists"),
    ],
)
def test_nothing_is_written_after_an_error(run: Run, arguments: tuple[str, ...], text: str) -> None:
    done = run("protect", "in.csv", "-o", "out.csv", *arguments, "--certificate", "cert.json")
    assert done.exit_code == 1
    assert text in done.output
    assert not Path("out.csv").exists()
    assert not Path("cert.json").exists()


def test_the_shell_knows_the_syntax(run: Run) -> None:
    done = CliRunner().invoke(main, ["shell"], input=".help protect\n.help\n")
    assert "AGAINST CONTRIBUTORS" in done.output
    assert ".help protect" in done.output
