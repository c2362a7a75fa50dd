"""`kanon verify` of generalized releases: what is changed by hand is refused."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from generalized_cases import (
    HEADER,
    KINDS,
    Run,
    command,
    people,
    refused,
    release,
    released,
    rewrite,
    standard,
    verified,
    write,
)

from kanon_sql.certificate import Certificate
from kanon_sql.verification.certificates import read_certificate


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return command(folder, monkeypatch)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_a_label_in_the_place_of_another_is_refused(run: Run, folder: Path, kind: str) -> None:
    recodings = standard(run, folder, kind)
    rows, draw = released(folder), random.Random(1)
    tried = 0
    for column in map(HEADER.index, recodings):
        labels = sorted({row[column] for row in rows})
        for place in draw.sample(range(len(rows)), 2):
            for other in [label for label in labels if label != rows[place][column]][:1]:
                changed = [list(row) for row in rows]
                changed[place][column] = other
                rewrite(folder, changed)
                refused(recodings)
                tried += 1
    assert tried > 0


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_twice_and_another_left_out_is_refused(run: Run, folder: Path, kind: str) -> None:
    recodings = standard(run, folder, kind)
    rows, draw = released(folder), random.Random(2)
    for _ in range(2):
        one, other = draw.sample(range(len(rows)), 2)
        if rows[one] != rows[other]:
            rewrite(folder, [*rows[:other], rows[one], *rows[other + 1 :]])
            refused(recodings)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("kind", "column", "finer"),
    [
        ("some digits", "zip", lambda row, label: row[0]),
        ("widths", "age", lambda row, label: f"[{row[1] // 2 * 2}, {row[1] // 2 * 2 + 2})"),
        ("periods", "born", lambda row, label: row[3][:7] + "-1"),
        ("hierarchy", "job", lambda row, label: "x "),
        ("bins", "zip", lambda row, label: row[0]),
        ("regions", "zip", lambda row, label: row[0]),
        ("intervals", "age", lambda row, label: str(row[1])),
        ("rectangles", "x", lambda row, label: str(row[4])),
    ],
)
def test_a_label_that_tells_more_than_permitted_is_refused(run: Run, folder: Path, kind: str, column: str, finer: Any) -> None:
    recodings = standard(run, folder, kind)
    rows, place = released(folder), HEADER.index(column)
    labels = {row[place] for row in rows if row[place]}
    # all of one class, so that every class still has k rows
    for label in sorted(labels)[:3]:
        changed = [list(row) for row in rows]
        sample = next(row for row in people(7) if row[place] is not None)
        for row in changed:
            if row[place] == label:
                row[place] = finer(sample, label)
        if changed != rows:
            rewrite(folder, changed)
            refused(recodings)


@pytest.mark.everything
def test_a_range_that_is_too_narrow_or_too_wide_is_refused(run: Run, folder: Path) -> None:
    recodings = standard(run, folder, "ranges")
    rows, place = released(folder), HEADER.index("age")
    tried = 0
    for label in sorted({row[place] for row in rows if row[place].startswith("[")})[:3]:
        low, high = map(int, label.strip("[]").split(", "))
        for ends in ((low + 1, high), (low, high - 1), (low - 1, high), (low, high + 1)):
            narrow = f"[{ends[0]}, {ends[1]}]"
            rewrite(folder, [[*row[:place], narrow if row[place] == label else row[place], *row[place + 1 :]] for row in rows])
            refused(recodings)
            tried += 1
    assert tried >= 8


@pytest.mark.everything
def test_a_set_with_one_value_more_or_less_is_refused(run: Run, folder: Path) -> None:
    recodings = standard(run, folder, "sets")
    rows, place = released(folder), HEADER.index("zip")
    tried = 0
    for label in sorted({row[place] for row in rows if row[place].startswith("{")})[:4]:
        listed = label.strip("{}").split(", ")
        more = sorted({*listed, next(zip_code for zip_code, *_ in people(7) if zip_code not in listed)})
        for other in (listed[1:], more):
            text = other[0] if len(other) == 1 else "{" + ", ".join(map(str, other)) + "}"
            rewrite(folder, [[*row[:place], text if row[place] == label else row[place], *row[place + 1 :]] for row in rows])
            refused(recodings)
            tried += 1
    assert tried >= 4


@pytest.mark.everything
def test_intervals_and_rectangles_with_values_in_common_are_refused(run: Run, folder: Path) -> None:
    for kind, column, word in (("intervals", "age", "two intervals"), ("rectangles", "x", "two rectangles")):
        recodings = standard(run, folder, kind)
        rows, place = released(folder), HEADER.index(column)
        low = min((int(row[place].strip("[]").split(", ")[0]) for row in rows if row[place]), default=0)
        high = max((int(row[place].strip("[]").split(", ")[-1]) for row in rows if row[place]), default=0)
        label = next(row[place] for row in rows if row[place])
        wide = [[*row[:place], f"[{low}, {high}]" if row[place] == label else row[place], *row[place + 1 :]] for row in rows]
        rewrite(folder, wide)
        assert word in refused(recodings)


EDITS: dict[str, tuple[str, str, str]] = {
    "cost": ('": "', '": "1', "cost"),
    "suppressed_cells": (": ", ": 1", "suppressed_cells"),
    "classes": (": ", ": 1", "classes"),
    "lower_bound": ('": "', '": "1', "lower_bound"),
    "policy k": ('"k":4', '"k":3', "requirements"),
    "policy weight": ('"weight":1', '"weight":7', "cost"),
    "cells": (": ", ": 1", "cells"),
    "unit": (": ", ": 3", "unit"),
    "bound_method": ('row distance"', 'row distances"', "sha256"),
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("edit", EDITS)
def test_a_claim_changed_by_hand_is_refused_with_its_line(run: Run, folder: Path, edit: str) -> None:
    recodings = standard(run, folder, "ladders")
    path = folder / "c.json"
    lines, where = path.read_text().splitlines(keepends=True), read_certificate("c.json").lines
    before, after, field = EDITS[edit]
    place = where[edit.split()[0]] - 1
    assert before in lines[place]
    lines[place] = lines[place].replace(before, after, 1)
    path.write_text("".join(lines))
    assert refused(recodings).startswith(f'c.json, line {where[field]}: "{field}": ')


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("some digits", '"shown":[2,1]', '"shown":[1]'),
        ("widths", '"steps":[4,8]', '"steps":[5,10]'),
        ("losses", '"1/4"', '"1/5"'),
        ("ranges", '"type":"ranges"', '"type":"sets"'),
        ("intervals", '"type":"intervals"', '"type":"bins"'),
    ],
)
def test_another_policy_is_refused(run: Run, folder: Path, kind: str, before: str, after: str) -> None:
    recodings = standard(run, folder, kind)
    text = (folder / "c.json").read_text()
    where = Certificate.from_json(text).policy
    policy = where.replace(before, after) if before in where else where.replace("0.25", "0.2")
    if kind == "intervals":
        data = json.loads(policy)
        for qi in data["quasi_identifiers"]:
            if isinstance(qi["recoding"], dict) and qi["recoding"]["type"] == "bins":
                qi["recoding"] = {"type": "bins"}
        policy = json.dumps(data)
    assert policy != where
    certificate = replace(Certificate.from_json(text), policy=policy)
    (folder / "c.json").write_text(certificate.to_json())  # with a checksum that fits
    refused(recodings)


@pytest.mark.everything
def test_a_bound_that_nothing_proves_is_refused(run: Run, folder: Path) -> None:
    recodings = standard(run, folder, "bins")
    certificate = Certificate.from_json((folder / "c.json").read_text())
    assert certificate.bound_method.startswith("none")
    (folder / "c.json").write_text(replace(certificate, lower_bound=Fraction(1)).to_json())
    assert '"lower_bound": 1, but' in refused(recodings)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("bins by name", "at most 3 times", "at most 2 times"),
        ("regions by name", "REGIONS (regions)", "REGIONS (region_exact)"),
        ("bins", "no division has less", "every division has 4 or more"),
    ],
)
def test_what_groups_are_claimed_to_reach_is_made_again(run: Run, folder: Path, kind: str, before: str, after: str) -> None:
    recodings = standard(run, folder, kind)
    certificate = Certificate.from_json((folder / "c.json").read_text())
    assert before in certificate.bound_method
    changed = replace(certificate, bound_method=certificate.bound_method.replace(before, after))
    (folder / "c.json").write_text(changed.to_json())  # with a checksum that fits
    assert '"bound_method": the recomputed groups are missing: zip in ' in refused(recodings)


@pytest.mark.everything
@pytest.mark.parametrize("algorithm", ["full_domain", "attribute"])
def test_one_level_for_the_whole_table(run: Run, folder: Path, algorithm: str) -> None:
    recodings = KINDS["ladders"]
    write(folder / "in.csv", people(2, 80))
    release(run, recodings, "--k", "3", "--qi", "zip,age,job,born", "--algorithm", "greedy")
    write(folder / "local.csv", [[None if cell == "" else cell for cell in row] for row in released(folder)])
    share = ("--max-suppressed", "1/4") if algorithm == "full_domain" else ()
    release(run, recodings, "--k", "3", "--qi", "zip,age,job,born", "--algorithm", algorithm, *share)
    verified(recodings)
    (folder / "out.csv").write_text((folder / "local.csv").read_text())
    refused(recodings)


@pytest.mark.everything
def test_no_cell_in_an_error(run: Run, folder: Path) -> None:
    recodings = standard(run, folder, "ladders")
    rows = released(folder)
    for column in range(4):
        rewrite(folder, [[*row[:column], "SECRET", *row[column + 1 :]] for row in rows])
        assert "SECRET" not in refused(recodings)
