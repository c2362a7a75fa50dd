"""A model that grows: each run releases its new rows as a batch, or fails and leaves everything as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from dbt_process import NEEDS_DBT, dbt, replace, rows

pytestmark = [NEEDS_DBT, pytest.mark.everything]

VISITS = """{{ config(materialized='table') }}
select i as visit, 'P' || i as patient, i % 4 as zip, i % 2 as age, 1000 + i as cost from range({{ var('upto') }}) as t(i)
"""

GROWN = """{{ config(materialized='anonymized', incremental_key='visit', k=3) }}
select * from {{ ref('visits') }}
"""

ROLES = """
models:
  - name: grown
    columns:
      - {name: visit, config: {tags: [identifier]}}
      - {name: patient, config: {tags: [identifier]}}
      - {name: zip, config: {tags: [quasi_identifier]}}
      - {name: age, config: {tags: [quasi_identifier]}}
      - {name: cost, config: {tags: [insensitive]}}
"""


def build(project: Path, upto: int, *more: str) -> tuple[int, str]:
    done = dbt(project, "run", "--select", "visits", "grown", "--vars", f"upto: {upto}", *more)
    return done.returncode, done.stdout


@pytest.mark.everything
def test_each_run_is_a_batch(project: Path) -> None:
    models = project / "models"
    (models / "visits.sql").write_text(VISITS)
    (models / "grown.sql").write_text(GROWN)
    (models / "grown.yml").write_text(ROLES)
    assert "no row can be released yet: 2 rows are waiting" in build(project, 2)[1]
    code, told = build(project, 40)
    assert code == 0, told
    assert "kanon: grown: batch 1: 40 rows, 0 wait, 40 in all" in told
    assert "kanon: grown: batch 2: 20 rows, 0 wait, 60 in all" in build(project, 60)[1]
    assert "kanon: grown: nothing was released, 0 wait, 60 in all" in build(project, 60)[1]
    assert rows(project, "select count(*), count(distinct cost) from grown") == [(60, 60)]
    assert rows(project, "select max(batch), count(*) from kanon_ledger_grown") == [(2, 60)]
    assert [row[0] for row in rows(project, "describe grown")] == ["zip", "age", "cost"]
    replace(models / "visits.sql", "1000 + i as cost", "1000 + i + (i = 7)::integer as cost")
    for more, message in (
        ((), "1 row was changed since it was released"),
        (("--full-refresh",), "a growing release cannot be fully refreshed"),
    ):
        code, told = build(project, 80, *more)
        assert code == 1
        assert message in told
        assert rows(project, "select count(*) from grown") == [(60,)]
    replace(models / "grown.sql", "k=3", "k=3, full_refresh=false, changed='ignore'")
    assert "kanon: grown: batch 3: 20 rows, 0 wait, 80 in all" in build(project, 80, "--full-refresh")[1]
    replace(models / "grown.sql", "k=3, full_refresh=false, changed='ignore'", "k=3, leftover='drop'")
    assert "leftover must be one of wait, suppress" in build(project, 80)[1]
    assert rows(project, "select count(*) from grown") == [(80,)]
