"""Files as people have them: separators, encodings, dates and numbers of elsewhere, spreadsheets, and files that are broken."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import duckdb
import pytest
from workbooks import row, workbook

from kanon_sql.engines.duckdb.files.dialect import Dialect
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.engines.duckdb.files.tables import columns, load
from kanon_sql.errors import SourceError

HEADER = ["Ort", "Größe", "Tag", "Kosten"]

ROWS = [[f"K{i % 3}", str(150 + i), f"{1 + i % 28:02d}.{1 + i % 12:02d}.2024", f"1.{100 + i},5"] for i in range(40)]


def text(separator: str = ";", header: list[str] = HEADER, rows: list[list[str]] = ROWS, end: str = "\n") -> str:
    return "".join(separator.join(row) + end for row in [header, *rows])


def read(path: Path, **given: Any) -> tuple[list[str], list[tuple[Any, ...]], list[str]]:
    """Return the remarks, rows and columns of a file."""
    con = duckdb.connect()
    remarks = load(con, Place.of(str(path), given.pop("table", None), Dialect(**given)), into="t")
    return remarks, con.execute("FROM t").fetchall(), columns(con, "t")


def refused(path: Path, **given: Any) -> str:
    with pytest.raises(SourceError) as error:
        read(path, **given)
    return str(error.value).replace(str(path), path.name)


@pytest.mark.parametrize(
    ("name", "content", "remark"),
    [
        ("a.csv", text(",").replace(",5", ".5").encode(), None),
        ("a.csv", text().encode(), "read as: semicolon, UTF-8, 4 columns"),
        ("a.csv", text(end="\r\n").encode("utf-8-sig"), "read as: semicolon, UTF-8, 4 columns"),
        ("a.csv", text().encode("latin-1"), "read as: semicolon, Latin-1, 4 columns"),
        ("a.csv", text().replace("K1", "K1 €").encode("cp1252"), "read as: semicolon, Windows-1252, 4 columns"),
        ("a.csv", text("\t").encode("utf-16"), "read as: tab, UTF-16, 4 columns"),
        ("a.csv", text("|").encode("utf-16-be"), "read as: vertical bar, utf-16-be, 4 columns"),
        ("a.tsv", text("\t").encode(), None),
        ("a.csv.gz", gzip.compress(text().encode("latin-1")), "read as: semicolon, Latin-1, 4 columns"),
        ("a.csv", text(rows=[]).encode(), "read as: semicolon, UTF-8, 4 columns"),
    ],
)
def test_a_file_is_read_as_it_is_written(tmp_path: Path, name: str, content: bytes, remark: str | None) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    remarks, rows, names = read(path)
    assert remarks == ([] if remark is None else [remark])
    assert names == HEADER
    assert len(rows) in (0, len(ROWS))
    assert all(row[1] == own[1] and row[2] == own[2] for row, own in zip(rows, ROWS, strict=False))


def test_latin_1_may_begin_late(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 400_000 + "3,ä\n".encode("latin-1"))
    remarks, rows, _ = read(path)
    assert remarks == ["read as: comma, Latin-1, 2 columns"]
    assert rows[-1] == ("3", "ä")


def test_what_is_given_is_not_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("ł;x\n1;2\n".encode("cp1250"))
    assert read(path, encoding="cp1250") == (["read as: semicolon, cp1250, 2 columns"], [("1", "2")], ["ł", "x"])
    named = read(path, encoding="cp1250", delimiter=";", names=("p", "Q r"))
    assert named[1:] == ([("ł", "x"), ("1", "2")], ["p", "Q r"])
    few = refused(path, encoding="cp1250", delimiter=";", names=("p",))
    assert few == "a.csv has 2 fields in its first line, but --names has 1 name; hint: pass one name for each field"


def test_columns_that_are_called_otherwise_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("zip,ZIP,,age\n1,2,3,4\n", encoding="utf-8")
    remarks, _, names = read(path)
    assert names == ["zip", "ZIP_1", "column2", "age"]
    assert remarks == [
        "column 2 has the name of another column; it is now called ZIP_1",
        "column 3 has no name; it is now called column2",
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty: it has no header line"),
        (b" \n\n", "is empty"),
        (text(rows=[*ROWS[:7], ["K1", "SECRET"], *ROWS[7:]]).encode(), "line 9 has 2 fields, but the first line has 4"),
        (text(rows=[*ROWS, ["K1", "SECRET", "", "", "", "x"]]).encode(), "line 42 has 6 fields, but the first line has 4"),
        (b'a,b\n1,"SECRET\n2,x\n', "a quote that opens in line 2 is never closed; hint: close it"),
        (b'a,b\n1,"SEC"RET"\n2,x\n', "line 2 has a quote within a field; hint: quote the field"),
        (b"a,b\n1,SEC\0RET\n", "is not a text file: line 2 contains a zero byte"),
        (b"a,b\n1,\x81SECRET\n", "is not in UTF-8 or Windows-1252: line 2 contains invalid bytes; hint: pass its encoding"),
        ("a,b\nSECRET,ä\n".encode() + "2,ä\n".encode("latin-1"), "mixes encodings: line 2 is UTF-8, but line 3 is not"),
    ],
)
def test_a_broken_file_is_refused_by_its_line(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    error = refused(path)
    assert words in error
    assert "hint: " in error
    assert "SEC" not in error
    assert "Exception" not in error


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:40]])
def test_a_damaged_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(content)
    assert "a.csv.gz: it is damaged or not compressed" in refused(path)


def test_dates_and_numbers_of_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    mixed = [[place, height, day if int(height) % 4 else "2024-05-31", cost] for place, height, day, cost in ROWS]
    path.write_text(text(rows=mixed), encoding="utf-8")
    _, rows, _ = read(path, dates=("%d.%m.%Y",), decimal=",")
    assert {type(row[2]).__name__ for row in rows} == {"date"}
    assert [row[3] for row in rows] == [float(row[3].replace(".", "").replace(",", ".")) for row in mixed]
    assert [row[1] for row in rows] == [row[1] for row in mixed]  # no number has a comma, so these may be codes


def test_a_sheet_is_a_table(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine", reason="no spreadsheets; hint: pip install 'kanon-sql[excel]'")
    visits = row(1, "zip", "age", "zip") + row(2, "00501", 30, 1.5) + row(3, "00544", 41, 2)
    path = workbook(tmp_path / "a.xlsx", Visits=visits, Empty="")
    remarks, rows, names = read(path)
    assert (rows, names) == ([("00501", 30, 1.5), ("00544", 41, 2.0)], ["zip", "age", "zip_1"])
    assert remarks == ["column 3 has the name of another column; it is now called zip_1"]
    assert "has no sheet Visit with rows; hint: did you mean 'Visits'?" in refused(path, table="Visit")
    both = workbook(tmp_path / "b.xlsx", A=visits, B=visits)
    assert "has several sheets: A, B; hint: choose one, as in b.xlsx::A" in refused(both)
    (tmp_path / "c.xlsx").write_bytes(b"no workbook")
    assert "not a readable spreadsheet" in refused(tmp_path / "c.xlsx")


def test_a_folder_of_parquet_files_is_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    (folder / "more").mkdir(parents=True)
    for number, place in enumerate((folder, folder / "more")):
        duckdb.execute(f"COPY (SELECT {number} AS a) TO '{place}/{number}.parquet'")
    assert sorted(read(folder)[1]) == [(0,), (1,)]
    (folder / "x.csv").write_text("a\n1\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"files other than Parquet: \.csv"):
        Place.of(str(folder))


def test_what_is_not_read_is_remarked(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    few = [[*row[:2], "unknown" if n == 30 else row[2], row[3]] for n, row in enumerate(ROWS)]
    path.write_text(text(rows=few), encoding="utf-8")
    remarks, rows, _ = read(path, dates=("%d.%m.%Y",), decimal=",")
    stays = "Tag stays text: 1 of its 40 values are not dates, the first in row 31; hint: correct it, or leave it empty"
    assert remarks == [stays, "read as: semicolon, UTF-8, 4 columns"]
    assert str(rows[0][3]) == "1100.5"


@pytest.mark.parametrize(
    "values",
    [
        ["98101", "98102"],
        ["2024", "1999"],
        ["31.12.2024", "4/5/2001"],
        ["31.12.2024", "31.02.2024"],
        ["31.12.24", "30.11.24"],
        ["2024-12-31", "K-2024-1"],
        ["31.12.2024 ", "31.12.2024x"],
    ],
)
def test_a_column_with_other_values_than_dates_stays_as_it_is(tmp_path: Path, values: list[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "".join(f"{value},1\n" for value in values))
    assert read(path, dates=("%d.%m.%Y",))[1] == [(value, "1") for value in values]


def test_a_title_above_the_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Export of 1 February\n\n" + text(), encoding="utf-8")
    told = "a.csv has no header in line 1: most lines have 4 fields, separated by a semicolon, but line 1 has only one"
    assert refused(path) == f"{told}; hint: delete the lines above the header"
    path.write_text("note\n" + "".join(f"{n} words, {', ' * (n % 3)} and others\n" for n in range(30)), encoding="utf-8")
    with pytest.raises(SourceError, match="line 2 has"):
        read(path)
    path.write_text("a\n1\n2;3\n", encoding="utf-8")
    assert read(path)[1] == [("1",), ("2;3",)]
