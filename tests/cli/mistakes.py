"""A folder in which commands go wrong, and the table of mistakes; as a program, it writes what the commands say anew."""

from __future__ import annotations

import gzip
import random
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from click.testing import CliRunner

from kanon_sql.cli import main

TABLE = Path(__file__).with_name("mistakes.txt")

POLICY = """  - name: {}
    table: people
    quasi_identifiers: [{{column: zip}}, {{column: age}}]
    kept: [sex, disease, cost]
    requirements: [{{type: k, k: 5, per_row: true}}]
"""

SCRIPTS = {
    "release": "SELECT zip, age FROM 'people.csv' ANONYMIZE BY zip, age GUARANTEE k >= 5;",
    "counts": "SELECT sex, count(*) AS n FROM 'people.csv' GROUP BY sex PROTECT n >= 5;",
    "people": "SELECT patient_id, zip, age FROM 'visits.csv' ANONYMIZE BY zip, age GUARANTEE k >= 5 PER patient_id;",
    "queries": "SELECT sex, count(*) FROM people GROUP BY sex;",
    "join": "SELECT zip, count(*) FROM people JOIN other USING (zip) GROUP BY zip;",
    "no_guarantee": "SELECT zip, age FROM 'people.csv' ANONYMIZE BY zip, age GUARANTE k >= 5;",
    "no_count": "SELECT sex, count(*) AS n FROM 'people.csv' GROUP BY sex PROTECT m >= 5;",
    "no_group": "SELECT sex, count(*) AS n FROM 'people.csv' PROTECT n >= 5;",
    "wrong_word": "SELECT sex, count(*) AS n FROM 'people.csv' GROUP BY sex PROTECT n >= 5 PER ROW USNG auto;",
    "no_column": "SELECT 1;\n\nSELECT zip, age\nFROM 'people.csv' ANONYMIZE BY zip, aeg GUARANTEE k >= 5;",
    "no_table": "SELECT zip FROM nobody ANONYMIZE BY zip GUARANTEE k >= 5;",
    "repeated": "SELECT zip, age FROM 'visits.csv' ANONYMIZE BY zip, age GUARANTEE k >= 5;",
    "fast": "SELECT zip, age FROM 'people.csv' ANONYMIZE BY zip, age GUARANTEE k >= 5 PER ROW USING fast;",
}

BROKEN = {
    "ragged.csv": b"zip,age\n98101,20\n98101,20,3\n",
    "empty.csv": b"",
    "zero.csv": b"zip,age\n98101,2\0\n",
    "two_encodings.csv": "zip,city\n1,Kärnten\n".encode() + "2,Österreich\n".encode("latin-1"),
    "open_quote.csv": b'zip,age\n"98101,20\n98101,20\n',
    "bytes.csv": b"zip,city\n1,\x8da\n",
    "damaged.csv.gz": gzip.compress(b"zip,age\n1,2\n", mtime=0)[:-9],
    "damaged.parquet": b"PAR1 and nothing else",
    "damaged.json": b'[{"zip": 1, "age": ]',
    "damaged.jsonl": b'{"zip": 1}\n{"zip": \n',
    "people.txt": b"zip,age\n",
    "open_bracket.yaml": b"policies:\n  - name: [x\n",
    "wrong_key.yaml": b"policies:\n  - name: a\n    tabel: people\n    quasi_identifiers: []\n",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong command, what it says, and the command that works."""

    wrong: str
    says: str
    right: str | None


def table() -> Iterator[Mistake]:
    """Yield the mistakes of the table."""
    for block in TABLE.read_text(encoding="utf-8").rstrip("\n").split("\n\n"):
        if block.startswith("$ "):
            lines = block.split("\n")
            right = lines[-1][2:] if lines[-1].startswith("> ") else None
            yield Mistake(lines[0][2:], "\n".join(line for line in lines[1:] if not line.startswith("> ")), right)


def run(line: str) -> tuple[int, str]:
    """Run a command in this process, in the current folder; return its code and what it says, without names of folders."""
    done = CliRunner().invoke(main, shlex.split(line)[1:], catch_exceptions=False)
    said = [each for each in done.stderr.strip().split("\n") if each and not each.startswith(("Usage: ", "Try "))]
    return done.exit_code, "\n".join(said).replace(f"{Path.cwd().resolve()}/", "")


def write(folder: Path) -> None:
    """Write the files that the commands read."""
    r = random.Random(5)
    zips, illnesses = ["98101", "98102", "98107", "98203"], ["asthma", "cold", "flu"]
    rows = [
        (r.choice(zips), r.randint(20, 39), r.choice("fm"), r.choice(illnesses), r.choice([100, 200, 300])) for _ in range(240)
    ]
    seen = ["2001-02-03", "03.02.2001", "14/5/2001"]
    visits = [(f"P{n // 4:03d}", rows[n // 4][0], 20 + n // 4 % 3, rows[n // 4][2], r.choice(illnesses)) for n in range(160)]
    tables: dict[str, list[tuple[Any, ...]]] = {
        "people.csv": [("zip", "age", "sex", "disease", "cost"), *rows],
        "other.csv": [("zip", "age", "sex", "disease", "cost"), *rows[:60]],
        "visits.csv": [("patient_id", "zip", "age", "sex", "disease"), *visits],
        "dates.csv": [("zip", "seen"), *((zips[n % 2], seen[n % 3] if n % 7 else "") for n in range(60))],
        "money.csv": [("zip", "income"), *((zips[n % 2], f'"1.{100 + n % 4},50"') for n in range(60))],
        "named.csv": [("name", "zip", "age"), *((f"Ann Smith{n}", zips[n % 2], 20 + n % 3) for n in range(60))],
        "notes.csv": [("zip", "age", "note"), *((zips[n % 2], 20 + n % 3, f"called the doctor on day {n}") for n in range(60))],
        "census.csv": [("zip", "sex"), *((row[0], row[2]) for row in rows + rows)],
        "tree.csv": [("value", "parent"), ("asthma", "lungs"), ("cold", "infection"), ("flu", "infection"), ("lungs", "any")],
        "ages.csv": [("level0", "level1", "level2"), *((age, age // 10 * 10, "*") for age in range(20, 40))],
        "few_ages.csv": [("level0", "level1", "level2"), (20, 20, "*")],
    }
    tables["tree.csv"] += [("infection", "any")]
    for name, lines in tables.items():
        (folder / name).write_text("".join(",".join(map(str, line)) + "\n" for line in lines), encoding="utf-8")
    (folder / "semicolons.csv").write_text((folder / "people.csv").read_text().replace(",", ";"), encoding="latin-1")
    for name, content in BROKEN.items():
        (folder / name).write_bytes(content)
    for name, text in SCRIPTS.items():
        (folder / f"{name}.sql").write_text(text, encoding="utf-8")
    (folder / "policy.yaml").write_text("policies:\n" + POLICY.format("first"))
    (folder / "clinic.yaml").write_text("policies:\n" + POLICY.format("first") + "    identifiers: [id]\n")
    (folder / "two.yaml").write_text("policies:\n" + POLICY.format("first") + POLICY.format("second"))
    with chdir(folder), duckdb.connect("clinic.duckdb") as con:
        con.execute("CREATE TABLE people AS SELECT row_number() OVER () AS id, * FROM 'people.csv'")
        con.execute("CREATE TABLE jobs AS SELECT 1 AS job")
    with chdir(folder):
        for line in (
            "kanon anonymize people.csv -o released.csv --qi zip,age --k 5 --certificate cert.json",
            "kanon protect people.csv -o counts.csv --by sex,disease --k 5",
        ):
            code, said = run(line)
            assert code == 0, said
        forged = re.sub(r'("cost": )"?(\d+)', r"\g<1>1\2", (folder / "cert.json").read_text(), count=1)
        (folder / "forged.json").write_text(forged)


def renew() -> None:
    """Write what the commands say into the table."""
    blocks = TABLE.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        for number, block in enumerate(blocks):
            if block.startswith("$ "):
                place = Path(folder, str(number))
                shutil.copytree(folder, place, ignore=lambda _, names: [name for name in names if name.isdigit()])
                first, *others = block.split("\n")
                with chdir(place):
                    code, said = run(first[2:])
                right = [line for line in others if line.startswith("> ")]
                blocks[number] = "\n".join([first, said if code else "(it works)", *right])
                shutil.rmtree(place)
    TABLE.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


if __name__ == "__main__":
    renew()
