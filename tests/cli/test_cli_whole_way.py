"""From a file as people have it to a page that is signed: each command works on what the one before has written."""

from __future__ import annotations

import gzip
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from kanon_process import Kanon
from workbooks import row, workbook

from kanon_sql.engines.duckdb.files.dialect import Dialect
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.studio.hand_over import hand_over
from kanon_sql.studio.run import Run
from kanon_sql.studio.session import Session

HEADER = ["fall", "patient", "plz", "geschlecht", "geburt", "beruf", "datum", "diagnose", "kosten", "notiz"]

FORMS = ["--date-format", "%d.%m.%Y", "--decimal", ","]

Rows = list[list[str]]


def visits() -> Rows:
    """Return visits: several for each patient, who keeps a place, a sex, a date of birth and a job."""
    r = random.Random(7)
    found: Rows = []
    for number in range(40):
        person = [
            f"P{number:03d}",
            r.choice(["80331", "01067"]),
            r.choice("mw"),
            f"0{r.randint(1, 9)}.03.{r.randint(1950, 1990)}",
            r.choice(["Lehrer", "Bäcker"]),
        ]
        for _ in range(r.randint(1, 4)):
            cost = f"{r.randint(1, 9)}.{r.randint(100, 999)},{r.randint(10, 99)}"
            illness = r.choice(["Grippe", "Krebs", "Herz; chronisch"])
            day = f"{r.randint(10, 28)}.{r.randint(10, 12)}.2024"
            found.append([f"F{len(found):04d}", *person, day, illness, cost, r.choice(["", "o. B."])])
    return found


def text(separator: str = ";", end: str = "\n", rows: Rows | None = None, header: list[str] | None = HEADER) -> str:
    lines = [*([header] if header else []), *(rows or visits())]
    special = (separator, "\n")
    quoted = [[f'"{cell}"' if any(each in cell for each in special) else cell for cell in line] for line in lines]
    return "".join(separator.join(line) + end for line in quoted)


def changed(change: Callable[[int, list[str]], list[str]]) -> Rows:
    return [change(number, line) for number, line in enumerate(visits())]


def with_birth(form: Callable[[int, str], str]) -> Rows:
    return changed(lambda n, line: [*line[:4], form(n, line[4]), *line[5:]])


def french() -> str:
    """Return visits with dates and numbers as in France."""
    rows = changed(
        lambda _, each: [
            *each[:4],
            each[4].replace(".", "/"),
            each[5],
            each[6].replace(".", "/"),
            each[7],
            each[8].replace(".", " "),
            each[9],
        ]
    )
    return text(rows=rows)


WRITTEN: dict[str, tuple[Callable[[], bytes], list[str]]] = {
    "utf8.csv": (lambda: text().encode(), FORMS),
    "latin.csv": (lambda: text().encode("latin-1"), FORMS),
    "windows.csv": (lambda: text().replace("o. B.", "o. B. €").encode("cp1252"), FORMS),
    "polish.csv": (lambda: text().replace("Bäcker", "Bąk").encode("cp1250"), ["--encoding", "cp1250", *FORMS]),
    "bom.csv": (lambda: text(end="\r\n").encode("utf-8-sig"), FORMS),
    "utf16.csv": (lambda: text("\t").encode("utf-16"), FORMS),
    "bar.csv": (lambda: text("|").encode(), FORMS),
    "hash.csv": (lambda: text("#").encode(), ["--delimiter", "#", *FORMS]),
    "comma.csv": (lambda: text(",").encode(), FORMS),
    "tab.tsv": (lambda: text("\t").encode(), FORMS),
    "latin.csv.gz": (lambda: gzip.compress(text().encode("latin-1")), FORMS),
    "mixed.csv": (
        lambda: text(rows=with_birth(lambda n, born: born if n % 3 else "-".join(reversed(born.split("."))))).encode(),
        FORMS,
    ),
    "short_years.csv": (
        lambda: text(rows=with_birth(lambda _, born: born[:6] + born[8:])).encode(),
        ["--date-format", "%d.%m.%y", *FORMS],
    ),
    "french.csv": (lambda: french().encode(), ["--date-format", "%d/%m/%Y", "--decimal", ","]),
    "twice.csv": (lambda: text(header=[*HEADER[:-1], "kosten"]).encode(), FORMS),
    "nameless.csv": (lambda: text(header=[*HEADER[:-1], ""]).encode(), FORMS),
    "headless.csv": (lambda: text(header=None).encode(), ["--names", ",".join(HEADER), *FORMS]),
    "lines.csv": (lambda: text(rows=changed(lambda _, each: [*each[:9], each[9].replace(" ", "\n")])).encode(), FORMS),
}
"""Files that people write, and the options that read them."""

COPIED = {
    "visits.parquet": "COPY v TO 'visits.parquet'",
    "visits.json": "COPY v TO 'visits.json' (ARRAY true)",
    "visits.jsonl.gz": "COPY v TO 'visits.jsonl.gz' (FORMAT json)",
    "part-*.csv": "COPY (FROM v LIMIT 40) TO 'part-1.csv'; COPY (FROM v OFFSET 40) TO 'part-2.csv'",
    "clinic.duckdb::visits": "ATTACH 'clinic.duckdb' AS d; CREATE TABLE d.visits AS FROM v; DETACH d",
    "parts": "COPY v TO 'parts' (FORMAT parquet, PARTITION_BY (plz), WRITE_PARTITION_COLUMNS true)",
}

BROKEN = {
    "ragged.csv": lambda: text().replace(";Grippe;", ";Grippe;;", 1).encode(),
    "zero.csv": lambda: text().replace("Krebs", "Kr\0bs").encode(),
    "two.csv": lambda: text().encode() + text(header=None).encode("latin-1"),
    "open.csv": lambda: text().replace(";Krebs", ';"Krebs', 1).encode(),
}
"""Files that no command reads."""

FILES = [*WRITTEN, *COPIED, "visits.xlsx"]

TYPICAL = {"latin.csv", "mixed.csv", "visits.parquet"}


def write(folder: Path, name: str) -> list[str]:
    """Write a file, and return the options that read it."""
    if name in WRITTEN:
        content, options = WRITTEN[name]
        (folder / name).write_bytes(content())
        return options
    if name == "visits.xlsx":
        lines = [HEADER, *visits()]
        workbook(folder / name, Visits="".join(row(number, *line) for number, line in enumerate(lines, 1)))
        return []
    with duckdb.connect() as con:
        con.execute("CREATE TABLE v (" + ", ".join(f"{each} VARCHAR" for each in HEADER) + ")")
        con.executemany("INSERT INTO v VALUES (" + ", ".join("?" * len(HEADER)) + ")", visits())
        con.execute(COPIED[name])
    return []


@pytest.mark.parametrize(
    "name", [each if each in TYPICAL else pytest.param(each, marks=pytest.mark.everything) for each in FILES]
)
def test_each_command_works_on_what_the_one_before_wrote(kanon: Kanon, folder: Path, name: str) -> None:
    if name == "visits.xlsx":
        pytest.importorskip("python_calamine", reason="no spreadsheets; hint: pip install 'kanon-sql[excel]'")
    forms = write(folder, name)
    key, database = ["--key", "fall"], name.partition("::")[0] if "::" in name else "grown.duckdb"

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
    assert not re.search(r"\bP0\d\d\b|\bF0\d\d\d\b", released)
    assert name in ("twice.csv", "nameless.csv") or "notiz" not in released, "a free text is recognized by its name"
    assert {"80331", "01067"} <= set(re.split(r"[,;|#\t\n]", released)), "no value is lost"
    written = ["--delimiter", "#"] if name == "hash.csv" else []  # a release has the separator of its source
    done("audit", "released.csv", "--qi", "plz,geschlecht,geburt,beruf", "--k", "5", "--per-row", *written)
    assert done("verify", name, "released.csv", "certificate.json", *forms).startswith("verified")
    done("report", name, "released.csv", "--certificate", "certificate.json", "-o", "page.html", *forms)
    done("compare", name, "released.csv", "--certificate", "certificate.json", "-o", "compared.html", *forms)
    grown = "grown" if "::" in name else f"{database}::grown"
    assert "none: nothing was released" not in done("append", name, grown, *key, "--policy", "policy.yaml", *forms)
    assert "none: nothing was released" in done("append", name, grown, *key, "--policy", "policy.yaml", *forms)
    done("audit", f"{database}::grown", "--qi", "plz,geschlecht,geburt,beruf", "--k", "5", "--per-row")


@pytest.mark.parametrize("name", BROKEN)
def test_each_command_says_where_a_file_is_broken(kanon: Kanon, folder: Path, name: str) -> None:
    (folder / name).write_bytes(BROKEN[name]())
    for command in (
        ("profile", name),
        ("suggest", name),
        ("anonymize", name, "-o", "out.csv", "--qi", "plz", "--k", "5"),
        ("protect", name, "-o", "out.csv", "--by", "plz"),
        ("append", name, "out.duckdb::grown", "--key", "fall", "--qi", "plz", "--k", "5"),
        ("audit", name, "--qi", "plz"),
    ):
        done = kanon(*command)
        assert done.returncode in (1, 3), command
        assert re.search(r"line \d+ ", done.stderr), command
        assert "; hint: " in done.stderr, command
        assert "Exception" not in done.stderr
        assert "P0" not in done.stderr
        assert not (folder / "out.csv").exists()


@pytest.mark.everything
@pytest.mark.parametrize("name", ["latin.csv", "mixed.csv", "comma.csv", "visits.parquet"])
def test_the_folder_of_the_studio_is_verified(kanon: Kanon, folder: Path, name: str) -> None:
    forms = write(folder, name)
    dialect = Dialect(dates=("%d.%m.%Y",), decimal=",") if forms else Dialect()
    session = Session()
    session.open(Place.of(str(folder / name), dialect=dialect))
    assert session.source is not None
    try:
        run, done = Run(1, "run", session.draft), threading.Event()
        run.start(session.source, ended=done.set)
        assert done.wait(120)
        hand_over(session.source, run, str(folder / "out"))
    finally:
        session.close()
    verified = kanon("verify", name, "out/released.csv", "out/certificate.json", *forms)
    assert verified.returncode == 0, verified.stderr
    command = (folder / "out" / "release.sh").read_text(encoding="utf-8")
    assert [each for each in forms if each not in command] == []
