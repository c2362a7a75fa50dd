"""Costs of masks in a file of policies, and in `kanon verify`: the cost is counted again, and the bound proven again."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kanon_sql.cli import main

POLICY = """
policies:
  - name: visits
    table: visits
    quasi_identifiers: [{column: zip}, {column: age}, {column: sex}]
    masks:
      - {columns: [zip, age], cost: 7}
      - {columns: [zip, sex], cost: 1/3}
      - {columns: [age], cost: 2}
      - {columns: [], cost: 5}
    requirements: [{type: k, k: 3}]
"""


def run(*arguments: str, exit_code: int = 0) -> Result:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == exit_code, done.output
    return done


@pytest.mark.parametrize("empty", [False, True])
def test_a_release_is_verified(folder: Path, monkeypatch: pytest.MonkeyPatch, empty: bool) -> None:
    monkeypatch.chdir(folder)
    lines = [f"{'' if empty and i % 11 == 0 else f'z{i * 7 % 5}'},{i * 3 % 4},{i % 2}" for i in range(60)]
    Path("in.csv").write_text("\n".join(["zip,age,sex", *lines]) + "\n")
    Path("policy.yaml").write_text(POLICY)
    run("anonymize", "in.csv", "-o", "out.csv", "--policy", "policy.yaml", "--certificate", "cert.json")
    claimed = json.loads(Path("cert.json").read_text())
    shown = [line.split(",") for line in Path("out.csv").read_text().split()[1:]]
    if not empty:  # else an empty cell may be one that was empty before
        costs = {(True, True, False): 7, (True, False, True): 1 / 3, (False, True, False): 2, (False, False, False): 5}
        cost = sum(costs[tuple(cell not in ("", '""') for cell in line)] for line in shown)
        assert cost == pytest.approx(float(Fraction(str(claimed["cost"]))))
    verified = run("verify", "in.csv", "out.csv", "cert.json").output
    assert "proven again" in verified
    text = Path("cert.json").read_text()
    Path("forged.json").write_text(text.replace(f'"cost": {json.dumps(claimed["cost"])}', '"cost": 1000'))
    assert "line" in run("verify", "in.csv", "out.csv", "forged.json", exit_code=1).output
