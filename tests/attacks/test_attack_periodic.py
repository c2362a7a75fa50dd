"""Who diffs all monthly releases: what append leaves, and what releasing the whole table again gives away."""

from __future__ import annotations

import pytest

from benchmarks import periodic
from benchmarks.attacks import periodic as attack
from benchmarks.attacks.trials import judged


@pytest.mark.everything
def test_append_leaves_k_candidates_and_releasing_again_does_not() -> None:
    found = {each["work"]: each for each in periodic.measure(2, 300, 5)}
    for leftover in ("wait", "suppress"):
        assert found[f"append, leftover = {leftover}"]["candidates"] >= periodic.K
    assert found["monthly releases of all rows"]["candidates"] < periodic.K
    batches = [each for work, each in found.items() if work.startswith("batch")]
    appended = found["append, leftover = wait"]
    assert sum(each["released"] for each in batches) == appended["released"]
    assert appended["released"] + appended["waiting"] == 600


def test_the_lab_fails_where_a_batch_gives_more_away_than_k_permits() -> None:
    way = {"work": "append", "released": 10, "candidates": 5, "risk": 0.2, "below_k": 0.0}
    assert all(each["ok"] for each in judged([*attack._linked(way, 10)]))
    assert not all(each["ok"] for each in judged([*attack._linked({**way, "candidates": 4}, 10)]))
