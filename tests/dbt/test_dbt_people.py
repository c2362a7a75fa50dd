"""Whom a row of a model describes: refused in the words of dbt, each hint works, and a second release of people warns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from dbt_process import NEEDS_DBT, dbt

pytestmark = [NEEDS_DBT, pytest.mark.everything]

VISITS = """{{ config(materialized='table') }}
select i as visit, 'P' || i % 300 as patient, 1940 + (hash(i % 300) % 60)::int as born, 'Z' || hash(i % 300 + 1000) % 30 as zip,
    ['f', 'm'][1 + (hash(i % 300 + 2000) % 2)::int] as sex, i % 3 as ward
from range(1500) t(i) where i < {{ var('visits', 1500) }}
"""

RELEASED = """models:
- name: visits_released
  columns:
  - {{name: patient, config: {{tags: [{patient}]}}}}
  - {{name: born, config: {{tags: [quasi_identifier]}}}}
  - {{name: zip, config: {{tags: [quasi_identifier]}}}}
  - {{name: sex, config: {{tags: [quasi_identifier]}}}}
  - {{name: ward, config: {{tags: [insensitive]}}}}
"""

COLUMNS = "patient, born, zip, sex, ward"

LEFT_OUT = "\n".join(line for line in RELEASED.splitlines() if "patient" not in line)


def write(project: Path, config: str, columns: str = COLUMNS, tags: str = RELEASED, patient: str = "identifier") -> None:
    models = project / "models"
    (models / "all_visits.sql").write_text(VISITS)
    query = f"select {columns} from {{{{ ref('all_visits') }}}}"
    (models / "visits_released.sql").write_text(f"{{{{ config(materialized='anonymized', {config}) }}}}\n{query}\n")
    (models / "visits_released.yml").write_text(tags.format(patient=patient))


def built(project: Path, *arguments: str) -> str:
    return re.sub(r"\s+", " ", dbt(project, "build", "--select", "all_visits", "visits_released", *arguments).stdout)


def test_repeated_people_are_refused_and_both_hints_work(project: Path) -> None:
    hint = "return patient, tag it as identifier and set per='patient' in the config of the model"
    write(project, "k=5")
    told = built(project)
    assert "patient repeats people: rows that share its value agree on born, zip and sex; k >= 5 would count rows" in told
    assert f"hint: {hint}, or per_row=true if each row is a person" in told
    write(project, "k=5", patient="quasi_identifier")
    assert hint in built(project)
    write(project, "k=5", columns="born, zip, sex, ward", tags=LEFT_OUT)
    assert hint in built(project)
    for config in ("k=5, per='patient'", "k=5, per_row=true"):
        write(project, config)
        assert "ERROR=0" in built(project), config


def test_an_identifier_among_the_quasi_identifiers_is_refused(project: Path) -> None:
    write(
        project,
        "k=5, per_row=true",
        patient="quasi_identifier",
        columns="'N' || visit || '@a.org' as patient, born, zip, sex, ward",
    )
    assert "hint: tag it as identifier" in built(project)


def test_people_who_are_released_a_second_time_are_told(project: Path) -> None:
    warned = "warning: the release differs from the previous one, and anyone who has both can compare them"
    write(project, "k=5, per='patient'")
    first = built(project, "--vars", "visits: 1200")
    assert warned not in first
    fewest = re.search(r"kanon: visits_released: people of the smallest class: (\d+)", first)
    assert fewest is not None
    assert f'"smallest_class_people": {fewest[1]}' in (project / "target" / "run_results.json").read_text()
    assert warned not in built(project, "--vars", "visits: 1200")
    told = built(project, "--vars", "visits: 1500")
    assert warned in told
    assert "set incremental_key to release only these" in told
    results = (project / "target" / "run_results.json").read_text()
    assert "the release differs from the previous one" in results
    assert warned not in built(project, "--vars", "visits: 1500")


def test_a_release_that_grows_is_settled_over_all_of_its_rows(project: Path) -> None:
    write(
        project,
        "k=5, incremental_key='visit'",
        columns=f"visit, {COLUMNS}",
        tags=RELEASED + "  - {{name: visit, config: {{tags: [identifier]}}}}\n",
    )
    told = built(project)
    assert "patient repeats people" in told
    assert "set per='patient' in the config of the model" in told
