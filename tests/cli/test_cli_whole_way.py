"""From a file as people have it to a page that is signed: each command works on what the one before has written."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from kanon_process import Kanon

HEADER = ["patient", "plz", "geschlecht", "geburt", "beruf", "datum", "diagnose", "kosten", "notiz"]

FORMS = ["--date-format", "%d.%m.%Y", "--decimal", ","]

ELSEWHERE = {f"{name}.csv" for name in ("utf8", "latin", "windows", "bom", "utf16", "bar", "comma", "mixed")} | {
    "latin.csv.gz",
    "tab.tsv",
}
"""Files with dates and numbers as texts of elsewhere."""


def visits() -> list[list[str]]:
    """Return visits: several for each patient, who keeps a place, a sex, a date of birth and a job."""
    r = random.Random(7)
    found = []
    for number in range(40):
        person = [
            f"P{number:03d}",
            r.choice(["80331", "01067"]),
            r.choice("mw"),
            f"0{r.randint(1, 9)}.03.{r.randint(1950, 1990)}",
        ]
        person.append(r.choice(["Lehrer", "Bäcker"]))
        for _ in range(r.randint(1, 4)):
            cost = f"{r.randint(1, 9)}.{r.randint(100, 999)},{r.randint(10, 99)}"
            illness = r.choice(["Grippe", "Krebs", "Herz; chronisch"])
            found.append([*person, f"{r.randint(10, 28)}.{r.randint(10, 12)}.2024", illness, cost, r.choice(["", "o. B."])])
    return found


def text(separator: str = ";", end: str = "\n", rows: list[list[str]] | None = None) -> str:
    cells = [[f'"{cell}"' if separator in cell else cell for cell in row] for row in [HEADER, *(rows or visits())]]
    return "".join(separator.join(row) + end for row in cells)


def mixed() -> str:
    """Return visits of which every third has a date of birth in another form."""
    rows = [[*row[:3], row[3] if n % 3 else "-".join(reversed(row[3].split("."))), *row[4:]] for n, row in enumerate(visits())]
    return text(rows=rows)


WRITTEN: dict[str, Callable[[], bytes]] = {
    "utf8.csv": lambda: text().encode(),
    "latin.csv": lambda: text().encode("latin-1"),
    "windows.csv": lambda: text().replace("o. B.", "o. B. €").encode("cp1252"),
    "bom.csv": lambda: text(end="\r\n").encode("utf-8-sig"),
    "utf16.csv": lambda: text("\t").encode("utf-16"),
    "bar.csv": lambda: text("|").encode(),
    "comma.csv": lambda: text(",").encode(),
    "mixed.csv": lambda: mixed().encode(),
    "tab.tsv": lambda: text("\t").encode(),
    "latin.csv.gz": lambda: gzip.compress(text().encode("latin-1")),
}

COPIED = {
    "visits.parquet": "COPY v TO 'visits.parquet'",
    "visits.json": "COPY v TO 'visits.json' (ARRAY true)",
    "visits.jsonl": "COPY v TO 'visits.jsonl' (FORMAT json)",
    "part-*.csv": "COPY (FROM v LIMIT 40) TO 'part-1.csv'; COPY (FROM v OFFSET 40) TO 'part-2.csv'",
    "clinic.duckdb::visits": "ATTACH 'clinic.duckdb' AS d; CREATE TABLE d.visits AS FROM v; DETACH d",
}


def write(folder: Path, name: str) -> None:
    if name in WRITTEN:
        (folder / name).write_bytes(WRITTEN[name]())
        return
    with duckdb.connect() as con:
        con.execute("CREATE TABLE v (" + ", ".join(f"{each} VARCHAR" for each in HEADER) + ")")
        con.executemany("INSERT INTO v VALUES (" + ", ".join("?" * len(HEADER)) + ")", visits())
        con.execute(COPIED[name])


@pytest.mark.parametrize(
    "name",
    [
        each if each in {"latin.csv", "mixed.csv", "visits.parquet"} else pytest.param(each, marks=pytest.mark.everything)
        for each in [*WRITTEN, *COPIED]
    ],
)
def test_each_command_works_on_what_the_one_before_wrote(kanon: Kanon, folder: Path, name: str) -> None:
    write(folder, name)
    forms = FORMS if name in WRITTEN else []

    def done(*arguments: str) -> str:
        found = kanon(*arguments)
        assert found.returncode == 0, (arguments, found.stdout, found.stderr)
        assert "Exception" not in found.stdout + found.stderr
        return found.stdout + found.stderr

    assert "date of birth" in done("profile", name, *forms)
    assert "40 people have" in done("suggest", name, "-o", "policy.yaml", *forms)
    assert "patient" in (folder / "policy.yaml").read_text(encoding="utf-8")
    done("anonymize", name, "-o", "released.csv", "--policy", "policy.yaml", "--certificate", "certificate.json", *forms)
    released = (folder / "released.csv").read_text(encoding="utf-8")
    assert "P0" not in released
    assert {"80331", "01067"} <= set(re.split(r"[,;|\t\n]", released)), "no value is lost"
    assert "o. B." not in released
    done("audit", "released.csv", "--qi", "plz,geschlecht,geburt,beruf", "--k", "5", "--per-row")
    assert done("verify", name, "released.csv", "certificate.json", *forms).startswith("verified")
    done("report", name, "released.csv", "--certificate", "certificate.json", "-o", "page.html", *forms)
    done("compare", name, "released.csv", "--certificate", "certificate.json", "-o", "compared.html", *forms)
