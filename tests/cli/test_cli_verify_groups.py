"""`kanon verify` of groups that rows of several tables name together: a certificate that leaves one out is refused."""

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

TABLES: list[dict[str, Any]] = [{"by": ["a", "b"], "k": 4, "measures": {"total": "s"}}, {"by": ["b", "c"], "k": 4}]


def people() -> pa.Table:
    """Return people of whom none is z and w."""
    draw = random.Random(4)
    rows = [
        {"a": draw.choice("xyz"), "b": draw.choice("uvw"), "c": draw.randrange(3), "s": draw.randrange(50)} for _ in range(30)
    ]
    return pa.Table.from_pylist([row for row in rows if (row["a"], row["b"]) != ("z", "w")])


@pytest.fixture(scope="module")
def together() -> list[kanon_sql.ProtectedTable]:
    return kanon_sql.protect_together(people(), TABLES)


@pytest.fixture
def verify(folder: Path, monkeypatch: pytest.MonkeyPatch, together: list[kanon_sql.ProtectedTable]) -> Callable[[], Result]:
    monkeypatch.chdir(folder)
    pyarrow.parquet.write_table(people(), "in.parquet")
    for number, each in enumerate(together):
        pyarrow.parquet.write_table(each.table, f"{number}.parquet")
        Path(f"{number}.json").write_text(each.certificate.to_json())
    return lambda: CliRunner().invoke(main, ["verify", "in.parquet", "0.parquet", "0.json"])


@pytest.mark.everything
def test_the_certificate_holds_these_groups(verify: Callable[[], Result], together: list[kanon_sql.ProtectedTable]) -> None:
    done = verify()
    assert done.exit_code == 0, done.output
    assert "for overlaps of rows" in " ".join(done.output.split())
    certificate = TableCertificate.from_json(Path("0.json").read_text())
    assert certificate == together[0].certificate
    data = json.loads(Path("0.json").read_text())
    assert data["joined_sets"] == [[0, 2], [0, 1, 2]]
    assert data["empty_cells"]
    assert any(isinstance(each, list) for witness in data["witnesses"] for each in witness)
    cells = {tuple(row[key] for key in "abc") for row in people().to_pylist()}
    assert data["base_cells"] == len(cells)


def test_a_table_whose_rows_name_no_others_has_the_file_that_it_had() -> None:
    text = kanon_sql.protect(people(), ["a", "c"], k=2).certificate.to_json()
    assert "joined_sets" not in text
    assert "empty_cells" not in text
    assert read(text, PROTECTED).claims["joined_sets"] == ()


def unlisted(data: dict[str, Any]) -> None:
    data["joined_sets"].pop()


def without_sets(data: dict[str, Any]) -> None:
    del data["joined_sets"]


def foreign(data: dict[str, Any]) -> None:
    data["joined_sets"].append([2])


def twice(data: dict[str, Any]) -> None:
    data["joined_sets"].append(data["joined_sets"][0])


def seen(data: dict[str, Any]) -> int:
    """Return how many rows the tables have."""
    cells = sorted({(row["a"], row["b"], row["c"]) for row in people().to_pylist()})
    cells += [tuple(cells[place][key] for key, place in enumerate(each)) for each in data["empty_cells"]]
    return sum(
        len({tuple(cell["abc".index(key)] for key in keys) for cell in cells}) for keys in ("ab", "a", "b", "", "bc", "c")
    )


def of_groups(data: dict[str, Any]) -> list[int]:
    """Return the places of the witnesses of groups."""
    return [place for place, witness in enumerate(data["witnesses"]) if witness[0] >= seen(data)]


def unwitnessed(data: dict[str, Any]) -> None:
    del data["witnesses"][of_groups(data)[-1]]


def unmoved(data: dict[str, Any]) -> None:
    place = of_groups(data)[-1]
    data["witnesses"][place] = data["witnesses"][place][:2]


def with_sums(data: dict[str, Any]) -> list[Any]:
    return next(each for each in data["witnesses"] if isinstance(each[-1], list))


def of_nobody(data: dict[str, Any]) -> None:
    with_sums(data).pop()


def another_sum(data: dict[str, Any]) -> None:
    with_sums(data)[-1][2] += 1


def no_measure(data: dict[str, Any]) -> None:
    with_sums(data)[-1][0] = 2


def unreleased(data: dict[str, Any]) -> None:
    """Name the cell of z, w and the first c: no table has an empty row of them."""
    a, b = ([row[key] for row in sorted(people().to_pylist(), key=lambda row: (row["a"], row["b"], row["c"]))] for key in "ab")
    cells = sorted({(row["a"], row["b"], row["c"]) for row in people().to_pylist()})
    z = next(place for place, cell in enumerate(cells) if cell[0] == max(a))
    w = next(place for place, cell in enumerate(cells) if cell[1] == max(b))
    data["empty_cells"].append([z, w, 0])


def peopled(data: dict[str, Any]) -> None:
    data["empty_cells"].append([0, 0, 0])


def again(data: dict[str, Any]) -> None:
    data["empty_cells"].append(data["empty_cells"][0])


def beyond(data: dict[str, Any]) -> None:
    data["empty_cells"].append([0, 0, 99])


def short(data: dict[str, Any]) -> None:
    data["empty_cells"].append([0, 0])


def unseen_secondary(data: dict[str, Any]) -> None:
    data["secondaries"].append(seen(data))


def unseen_primary(data: dict[str, Any]) -> None:
    data["primaries"].append(data["witnesses"][of_groups(data)[-1]][0])


def emptied(data: dict[str, Any]) -> None:
    data["base_cells"] += len(data["empty_cells"])


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("change", "field", "text"),
    [
        (unlisted, "joined_sets", "overlaps of rows by a, b, c are missing"),
        (without_sets, "", "joined_sets"),
        (foreign, "joined_sets", "does not join"),
        (twice, "joined_sets", "is listed twice"),
        (unwitnessed, "witnesses", "no witness exists for row"),
        (unmoved, "witnesses", "is too small"),
        (of_nobody, "witnesses", "has a sum without people"),
        (another_sum, "witnesses", "changes a row that is shown"),
        (no_measure, "witnesses", "or one that does not exist"),
        (unreleased, "primaries", "it differs from the source"),
        (peopled, "empty_cells", "has people"),
        (again, "empty_cells", "is listed twice"),
        (beyond, "empty_cells", "does not refer to a base cell for each key"),
        (short, "empty_cells", "does not refer to a base cell for each key"),
        (unseen_secondary, "secondaries", "a row that is in no table"),
        (unseen_primary, "primaries", "it differs from the source"),
        (emptied, "base_cells", "it differs from the source"),
    ],
)
def test_a_forged_certificate_is_refused_by_its_line(
    verify: Callable[[], Result], change: Callable[[dict[str, Any]], object], field: str, text: str
) -> None:
    data = json.loads(Path("0.json").read_text())
    change(data)
    forged = TableCertificate.from_claims(read(json.dumps(data), PROTECTED).claims).to_json()
    Path("0.json").write_text(forged)
    done = verify()
    assert done.exit_code == 1, done.output
    assert text in done.output
    lines = forged.splitlines()
    line = next((place for place, line in enumerate(lines, 1) if field and line.startswith(f'  "{field}"')), 0)
    assert not field or f'line {line}: "{field}"' in done.output


ALONE = pa.table({"job": ["astronaut"] + ["cook"] * 60 + ["nurse"] * 60, "illness": ["O80", *["J45", "O80", "I10"] * 40]})


@pytest.mark.parametrize("rows", ["null", "absent"])
def test_a_suppressed_row_is_not_the_only_one_of_its_group(folder: Path, monkeypatch: pytest.MonkeyPatch, rows: str) -> None:
    monkeypatch.chdir(folder)
    released = kanon_sql.protect(ALONE, ["job", "illness"], k=5, rows=rows, per_row=True)
    shown = [row for row in released.table.to_pylist() if row["job"] == "astronaut"]
    assert [row["illness"] for row in shown] == (["I10", "O80", None] if rows == "null" else [])
    assert {row["n"] for row in shown} <= {None}
    assert released.certificate.empty_rows == 1
    pyarrow.parquet.write_table(ALONE, "in.parquet")
    pyarrow.parquet.write_table(released.table, "out.parquet")
    text = released.certificate.to_json()
    verify = ["verify", "in.parquet", "out.parquet", "out.json"]
    Path("out.json").write_text(text)
    done = CliRunner().invoke(main, verify)
    assert done.exit_code == 0, done.output
    assert "and 1 empty row" in " ".join(done.output.split())
    data = json.loads(text)
    row = len(
        {*zip(*(ALONE[name].to_pylist() for name in ALONE.column_names), strict=True)}
    )  # the empty row follows the others
    data["empty_cells"], data["empty_rows"] = [], 0
    data["primaries"].remove(row)
    for name in ("primaries", "secondaries"):
        data[name] = [place - (place > row) for place in data[name]]
    Path("out.json").write_text(TableCertificate.from_claims(read(json.dumps(data), PROTECTED).claims).to_json())
    done = CliRunner().invoke(main, verify)
    assert done.exit_code == 1
    assert '"empty_cells": the suppressed row 0 cannot share a group' in done.output
