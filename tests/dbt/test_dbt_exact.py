"""The generic tests of the dbt package against the definitions, on random tables."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

import pytest
from dbt_process import NEEDS_DBT, dbt, rows

pytestmark = [NEEDS_DBT, pytest.mark.everything]

Table = list[tuple[int | None, int | None, int | None]]


def k_of(table: Table) -> int:
    return min(Counter((a, b) for a, b, _ in table).values())


def classes(table: Table) -> list[Counter[int | None]]:
    found: defaultdict[tuple[int | None, int | None], Counter[int | None]] = defaultdict(Counter)
    for a, b, value in table:
        found[a, b][value] += 1
    return list(found.values())


def l_of(table: Table) -> Fraction:
    return min(Fraction(each.total(), max(each.values())) for each in classes(table))


def t_of(table: Table, metric: str) -> Fraction:
    whole = Counter(value for _, _, value in table)
    values = sorted(whole, key=lambda value: (value is None, value or 0))
    worst = Fraction(0)
    for each in classes(table):
        gaps = [Fraction(each[v], each.total()) - Fraction(whole[v], whole.total()) for v in values]
        if metric == "equal":
            distance = sum((gap for gap in gaps if gap > 0), Fraction(0))
        else:
            distance = sum(map(abs, accumulate(gaps)), Fraction(0)) / max(len(values) - 1, 1)
        worst = max(worst, distance)
    return worst


@pytest.mark.everything
def test_the_tests_decide_exactly(project: Path) -> None:
    """At the figure of a random table a test passes, and a hair beside it fails."""
    draw = random.Random(5)
    lines, expected = [], {}
    for number in range(4):
        values = [None, *range(1, 5)] if number else [1]
        table: Table = [
            (draw.choice([None, 1, 2]), draw.choice([None, 1]), draw.choice(values)) for _ in range(draw.randint(20, 60))
        ]
        cells = [",".join("" if cell is None else str(cell) for cell in row) for row in table]
        (project / "seeds" / f"drawn{number}.csv").write_text("\n".join(["a,b,s", *cells]) + "\n")
        least, worst = l_of(table), {metric: t_of(table, metric) for metric in ("equal", "ordered")}
        cases = [("k_anonymous", {"k": k_of(table)}, True), ("k_anonymous", {"k": k_of(table) + 1}, False)]
        cases += [("l_diverse", {"l": str(least)}, True), ("l_diverse", {"l": str(least + Fraction(1, 1000))}, False)]
        distinct = min(map(len, classes(table)))
        cases += [("l_diverse", {"l": distinct + n, "variant": "distinct"}, n == 0) for n in (0, 1)]
        for metric, t in worst.items():
            cases.append(("t_close", {"t": str(t), "metric": metric}, True))
            if t:
                cases.append(("t_close", {"t": str(t - Fraction(1, 10000)), "metric": metric}, False))
        types = "{column_types: {a: integer, b: integer, s: integer}}"
        lines.append(f"  - name: drawn{number}\n    config: {types}\n    data_tests:")
        for place, (test, given, holds) in enumerate(cases):
            name = f"{test}_{number}_{place}"
            expected[name] = holds
            sensitive = {} if test == "k_anonymous" else {"sensitive": "s"}
            arguments = ", ".join(f"{key}: {value!r}" for key, value in {**sensitive, **given}.items())
            lines.append(f"      - kanon_sql.{test}: {{name: {name}, arguments: {{quasi_identifiers: [a, b], {arguments}}}}}")
    (project / "seeds" / "drawn.yml").write_text("seeds:\n" + "\n".join(lines) + "\n")
    done = dbt(project, "build", "--select", "path:seeds", "--store-failures")
    results = re.findall(r" \d+ of \d+ (PASS|FAIL \d+|ERROR) (\w+_\d+_\d+) ", done.stdout)
    found = {name: result == "PASS" for result, name in results}
    assert found == expected, done.stdout
    sizes = rows(project, "SELECT class_size FROM main_dbt_test__audit.k_anonymous_1_1")
    assert sizes
    assert all(isinstance(size, int) for (size,) in sizes)
