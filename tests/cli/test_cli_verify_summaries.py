"""`kanon verify` proves the bound of ranges and sets again, and refuses prices that prove nothing."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from generalized_cases import Run, command

SOURCE = [
    ("age", "town", "job"),
    *((str(20 + i * 7 % 45) if i % 9 else "", "abcde"[i * i % 5], "xyz"[i % 3]) for i in range(60)),
]


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return command(folder, monkeypatch)


@pytest.mark.parametrize("guarantee", [(), ("--sensitive", "job", "--l", "2")])
def test_the_bound_is_proven_again_and_higher_prices_are_refused(run: Run, folder: Path, guarantee: tuple[str, ...]) -> None:
    with (folder / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows(SOURCE)
    given = ("--qi", "age,town" if guarantee else "age,town,job", "--k", "4", "--recode", "age=RANGES", "--recode", "town=SETS")
    done = run("anonymize", "in.csv", "-o", "out.csv", *given, *guarantee, "--certificate", "c.json")
    assert done.exit_code == 0, done.output
    found = run("verify", "in.csv", "out.csv", "c.json")
    assert found.exit_code == 0, found.output
    assert "by cheapest classes, proven again by its prices" in " ".join(found.output.split())
    certificate = json.loads((folder / "c.json").read_text())
    assert certificate["bound_method"] == "cheapest classes"
    prices = certificate["prices"]
    for changed, refused in (
        ([price + (i == 7) for i, price in enumerate(prices)], "a row pays more than its class loses per row"),
        ([max(0, price - 1) for price in prices], "but the prices prove only"),
        (prices[1:], "row types"),
    ):
        (folder / "c.json").write_text(json.dumps(certificate | {"prices": changed}))
        found = run("verify", "in.csv", "out.csv", "c.json")
        assert found.exit_code == 1, found.output
        assert refused in " ".join(found.output.split())
