"""A small hospital, and an attacker who knows every row of its people: three tables whose kept numbers name the source rows."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb

PATIENTS = """
- name: patients
  table: patients
  identifiers: [name]
  groups: [patient]
  kept: [number]
  person: {column: patient, table: patients, columns: [zip, born, sex]}
  quasi_identifiers:
  - {column: zip, recoding: {type: digits}}
  - {column: born, recoding: {type: intervals, steps: [10, 20]}}
  - {column: sex}
  effort: fast
  requirements: [{type: k, k: 3}]
"""

STAYS = """
- name: stays
  table: stays
  person: true
  groups: [patient]
  kept: [number]
  quasi_identifiers: [{column: ward}, {column: month}]
  effort: fast
  requirements: [{type: people, k: 3, per: patient}]
"""

SCRIPTS = """
- name: scripts
  query: SELECT patient, drug, number FROM prescriptions
  person: true
  kept: [number]
  quasi_identifiers: [{column: drug}]
  effort: fast
  requirements: [{type: people, k: 3, per: patient}]
"""

POLICIES = f"policies:{PATIENTS}{STAYS}{SCRIPTS}"


def make(path: Path, people: int = 60, facts: int = 150, seed: int = 1) -> Path:
    """Write the source; names and keys are long texts and numbers that occur nowhere else."""
    draw = random.Random(seed)
    keys = [7_000_000_000_000 + 31 * number for number in range(people)]
    patients, stays, scripts = [], [], []
    for number, key in enumerate(keys):
        zip_code = f"98{draw.choice('12')}0{draw.choice('123')}"
        patients.append((key, f"NAME-OF-{key}", zip_code, draw.randint(1950, 1999), draw.choice("fm"), number))
    for number in range(facts):
        stays.append((draw.choice(keys), draw.choice(["heart", "eyes", "birth"]), draw.randint(1, 4), number))
        scripts.append((draw.choice(keys), draw.choice("ABC"), number, f"NOTE-OF-{number}"))
    with duckdb.connect(str(path)) as con:
        for table, columns, values in (
            ("patients", "patient, name, zip, born, sex, number", patients),
            ("stays", "patient, ward, month, number", stays),
            ("prescriptions", "patient, drug, number, note", scripts),
        ):
            con.execute(f"CREATE TABLE {table} AS SELECT * FROM (VALUES {', '.join(map(str, values))}) AS t({columns})")
    return path


def rows(path: Path, query: str) -> list[dict[str, Any]]:
    """Return the rows of a query as dictionaries."""
    with duckdb.connect(str(path), read_only=True) as con:
        found = con.execute(query)
        names = [each[0] for each in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def covers(label: Any, finer: Any) -> bool:
    """Return whether a shown label is the same as another one or a true value, or coarser: digits, intervals, or suppressed."""
    if label is None or label == finer:
        return True
    if not isinstance(label, str) or finer is None:
        return False
    if label.startswith("["):
        low, high = (int(end) for end in label[1:-1].split(", "))
        inner = [int(end) for end in str(finer).strip("[)").split(", ")]
        return low <= inner[0] and (inner[-1] <= high if len(inner) == 2 else inner[0] < high)
    text = str(finer)
    return len(label) == len(text) and all(mine in ("*", theirs) for mine, theirs in zip(label, text, strict=True))


def people_of_classes(source: list[dict[str, Any]], released: list[dict[str, Any]], apart: set[str]) -> list[set[Any]]:
    """Return the people in each class of released rows that show the same, found by the numbers of the source rows."""
    person = {row["number"]: row["patient"] for row in source}
    classes: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for row in released:
        shown = tuple(value for name, value in row.items() if name not in apart)
        classes[shown].add(person[row["number"]])
    return list(classes.values())
