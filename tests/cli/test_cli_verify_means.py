"""`kanon verify` of means and medians: what was changed is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from generalized_cases import Run, command


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return command(folder, monkeypatch)


SOURCE = [("pay", "age"), *((str(900 + i * i * 37 % 701), str(20 + i * 7 % 45)) for i in range(60))]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("how", "old", "new", "refused"),
    [
        ("MEANS", None, None, None),
        ("MEDIANS", None, None, None),
        ("MEANS", 0, "1000.25", "do not add up to the numbers in the source"),
        ("MEANS", 0, "99999", "show labels that no value of the source permits"),
        ("MEANS", 0, "many", "show labels that no value of the source permits"),
        ("MEDIANS", 0, "1000.25", "show labels that no value of the source permits"),
        ("MEANS", 1, "", "fewer numbers in the release than in the source"),
    ],
)
def test_changed_numbers_are_refused(
    run: Run, folder: Path, how: str, old: int | None, new: str | None, refused: str | None
) -> None:
    with (folder / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows(SOURCE)
    given = ("--qi", "pay,age", "--k", "5", "--recode", f"pay={how}", "--recode", "age=MEANS", "--certificate", "c.json")
    done = run("anonymize", "in.csv", "-o", "out.csv", *given)
    assert done.exit_code == 0, done.output
    with (folder / "out.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    if old is not None:
        told = rows[1][0]
        changed = [[new or "" if row[0] == told else row[0], row[1]] for row in rows[1:]]
        with (folder / "out.csv").open("w", newline="") as file:
            csv.writer(file).writerows([rows[0], *changed])
    found = run("verify", "in.csv", "out.csv", "c.json")
    assert found.exit_code == (0 if refused is None else 1), found.output
    if refused is not None:
        assert refused in found.output
    else:
        assert "information_loss" in found.output


@pytest.mark.everything
@pytest.mark.parametrize("how", ["MEANS", "MEDIANS"])
def test_rows_that_exchange_their_numbers_are_refused(run: Run, folder: Path, how: str) -> None:
    """Both numbers may be means of some rows, and add up to the same; the column beside them tells that these are others."""
    rows = [(str(10 + n % 2 + 50 * (n // 4)), "ward" if n % 4 else f"ward {n}") for n in range(12)]
    with (folder / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("pay", "ward"), *rows])
    done = run(
        "anonymize", "in.csv", "-o", "out.csv", "--qi", "pay", "--k", "4", "--recode", f"pay={how}", "--certificate", "c.json"
    )
    assert done.exit_code == 0, done.output
    assert run("verify", "in.csv", "out.csv", "c.json").exit_code == 0
    lines = (folder / "out.csv").read_text().splitlines()
    own = {line.split(",")[1]: line.split(",")[0] for line in lines if "ward " in line}
    swapped = {"ward 0": own["ward 8"], "ward 8": own["ward 0"]}
    lines = [f"{swapped[ward]},{ward}" if (ward := line.split(",")[1]) in swapped else line for line in lines]
    (folder / "out.csv").write_text("\n".join(lines) + "\n")
    refused = run("verify", "in.csv", "out.csv", "c.json")
    assert refused.exit_code == 1, refused.output
    assert f'a {how.lower()[:-1]} for the column "pay" that its rows cannot have' in refused.output


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("suppress", [(), ("--suppress", "*")])
@pytest.mark.parametrize("how", ["MEANS", "MEDIANS"])
def test_a_class_of_empty_cells_loses_nothing(run: Run, folder: Path, how: str, suppress: tuple[str, ...]) -> None:
    """Each of its cells was taken to lose what the others do on average, and the true cost was refused."""
    rows = [("" if n < 4 else str(n * n), "a" if n < 4 else "b") for n in range(12)]
    with (folder / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("pay", "ward"), *rows])
    given = ("--qi", "pay,ward", "--k", "4", "--recode", f"pay={how}", "--certificate", "c.json", *suppress)
    done = run("anonymize", "in.csv", "-o", "out.csv", *given)
    assert done.exit_code == 0, done.output
    found = run("verify", "in.csv", "out.csv", "c.json")
    assert found.exit_code == 0, found.output


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("changed", "refused"),
    [(None, None), (1 << 28, "the prices do not prove a bound: a class pays more than it loses"), (-(1 << 28), "prove only")],
)
def test_prices_are_proven_again(run: Run, folder: Path, changed: int | None, refused: str | None) -> None:
    """A price that is raised is too high for some class; prices that are lowered prove less than is claimed."""
    with (folder / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows(SOURCE)
    given = ("--qi", "pay,age", "--k", "3", "--recode", "pay=MEANS", "--recode", "age=MEANS", "--certificate", "c.json")
    done = run("anonymize", "in.csv", "-o", "out.csv", *given)
    assert done.exit_code == 0, done.output
    certificate = json.loads((folder / "c.json").read_text())
    assert certificate["bound_method"] == "prices of classes of k rows"
    if changed is not None:
        certificate["prices"] = [price + changed for price in certificate["prices"]]
        (folder / "c.json").write_text(json.dumps(certificate))
    found = run("verify", "in.csv", "out.csv", "c.json")
    assert found.exit_code == (0 if refused is None else 1), found.output
    assert ("proven again by its prices" if refused is None else refused) in " ".join(found.output.split())
