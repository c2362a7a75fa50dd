"""materialized='protected': a table of counts from a query with PROTECT."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dbt_process import NEEDS_DBT, dbt, replace, rows

import kanon_sql

pytestmark = [NEEDS_DBT, pytest.mark.everything]

COUNTS = """{{ config(materialized='protected') }}
select zip, diagnosis, count(*) as n from {{ ref('stg_patients') }}
group by cube (zip, diagnosis) protect n >= 5
"""


def test_a_table_of_counts(project: Path) -> None:
    models = project / "models"
    model = models / "counts.sql"
    model.write_text(COUNTS)
    (models / "seen.sql").write_text("{{ config(materialized='table') }}\nselect count(n) as shown from {{ ref('counts') }}\n")
    done = dbt(project, "run", "--select", "counts", "seen")
    assert done.returncode == 0, done.stdout
    truth = {
        (z, d): n
        for z, d, n in rows(project, "select zip, diagnosis, count(*) from stg_patients group by cube (zip, diagnosis)")
    }
    shown = rows(project, "from counts")
    assert {row[:2] for row in shown} == truth.keys()
    assert all(n in {None, truth[z, d]} and (n is None or n >= 5) for z, d, n in shown)
    suppressed = sum(n is None for _, _, n in shown)
    assert suppressed
    assert f"kanon: counts: {len(shown)} rows, {suppressed} suppressed, n >= 5" in done.stdout
    assert rows(project, "select shown from seen") == [(len(shown) - suppressed,)]
    (result,) = (
        each["adapter_response"]
        for each in json.loads((project / "target" / "run_results.json").read_text())["results"]
        if each["unique_id"].endswith(".counts")
    )
    assert result["kanon"]["requirements"] == ["n >= 5"]
    assert result["kanon"]["primary"] + result["kanon"]["secondary"] == suppressed
    assert rows(project, "select count(*) from kanon_protected_tables") == [(1,)]

    replace(model, "group by", "where zip > '' group by")
    done = dbt(project, "run", "--select", "counts")
    assert done.returncode == 0, done.stdout
    assert rows(project, "from counts") == shown  # all people meet the condition
    replace(model, "where zip", ", range(1) where zip")
    done = dbt(project, "run", "--select", "counts")
    assert done.returncode == 1
    assert "this source was protected before with a different FROM" in done.stdout


def test_people_with_several_rows_are_refused_or_counted(project: Path) -> None:
    repeated = COUNTS.replace("from {{ ref('stg_patients') }}", "from {{ ref('stg_patients') }} cross join range(3)")
    model = project / "models" / "repeated.sql"
    model.write_text(repeated)
    done = dbt(project, "run", "--select", "repeated")
    assert done.returncode == 1
    assert "patient_id repeats people" in done.stdout
    assert "write n >= 5 PER patient_id, or n >= 5 PER ROW if each row is a person" in done.stdout
    ((people,),) = rows(project, "select count(*) from stg_patients")
    for who, count in (("per patient_id", people), ("per row using auto (earlier = 'ignore')", 3 * people)):
        model.write_text(repeated.replace("n >= 5", f"n >= 5 {who}"))
        done = dbt(project, "run", "--select", "repeated")
        assert done.returncode == 0, done.stdout
        assert rows(project, "select max(n) from repeated") == [(count,)]


def test_levels_of_a_key(project: Path) -> None:
    levels = COUNTS.replace("cube (zip", "cube (zip in digits (5, 3)")
    (project / "models" / "levels.sql").write_text(levels)
    done = dbt(project, "run", "--select", "levels")
    assert done.returncode == 0, done.stdout
    shown = rows(project, "from levels")
    assert {zip_code.count("*") for zip_code, _, _ in shown if zip_code} == {0, 2}
    assert all(n is None or n >= 5 for _, _, n in shown)


def test_stored_policies(project: Path) -> None:
    with kanon_sql.connect(project / "clinic.duckdb") as con:
        con.execute(
            "CREATE ANONYMIZATION POLICY weekly ON patients (PROTECT n >= 7 ROWS ABSENT USING auto (earlier = 'ignore')); "
            "CREATE ANONYMIZATION POLICY people ON patients (BY zip, age; KEEP patient_id, full_name, job, diagnosis, "
            "severity; GUARANTEE k >= 2)"
        )
    models = project / "models"
    plain = COUNTS.replace("protect n >= 5", "")
    (models / "clause.sql").write_text(COUNTS.replace("n >= 5", "with policy weekly"))
    (models / "config.sql").write_text(plain.replace("'protected'", "'protected', policy='Weekly'"))
    done = dbt(project, "run", "--select", "clause", "config")
    assert done.returncode == 0, done.stdout
    assert "suppressed, n >= 7" in done.stdout
    assert sorted(map(str, rows(project, "from clause"))) == sorted(map(str, rows(project, "from config")))
    assert all(n >= 7 for _, _, n in rows(project, "from config"))
    (models / "clause.sql").write_text(COUNTS.replace("n >= 5", "with policy weekl").replace("'protected'", "'table'"))
    done = dbt(project, "run", "--select", "clause")
    assert "clause has a PROTECT clause with materialized=table; hint: set materialized='protected'" in done.stdout
    (models / "raw.sql").write_text(plain.replace("'protected'", "'table', policy='weekly'"))
    done = dbt(project, "run", "--select", "raw")
    assert "raw has a policy, but materialized=table would show the raw rows of its query" in done.stdout
    (models / "clause.sql").write_text(COUNTS.replace("n >= 5", "with policy weekl"))
    (models / "config.sql").write_text(plain.replace("'protected'", "'protected', policy='people'"))
    (models / "both.sql").write_text(COUNTS.replace("'protected'", "'protected', policy='weekly'"))
    done = dbt(project, "run", "--select", "clause", "config", "both")
    assert done.returncode == 1
    for message in (
        'there is no policy "weekl"; hint: did you mean "weekly"?',
        'the policy "people" is for rows; hint: write ANONYMIZE WITH POLICY people',
        "a query can have only one PROTECT clause",
    ):
        assert message in done.stdout


REFUSED = {
    "no_clause": (COUNTS.replace("protect n >= 5", ""), "needs a PROTECT clause after GROUP BY; hint: write select region"),
    "key": (
        COUNTS.replace("'protected'", "'protected', k=5"),
        "unknown keys: k; hint: use strict, policy",
    ),
    "strict": (
        COUNTS.replace("'protected'", "'protected', strict=true")
        .replace("select zip, ", "select zip, age // 5 * 5 as age5, ")
        .replace("(zip, ", "(zip, age5, "),
        "strict: the keys zip, age5, diagnosis single out 68.5% of the people",
    ),
    "mistake": (COUNTS.replace("n >= 5", "m >= 5"), "m is not a count of this table"),
}


def test_what_is_refused(project: Path) -> None:
    models = project / "models"
    for name, (text, _) in REFUSED.items():
        (models / f"{name}.sql").write_text(text)
    done = dbt(project, "run", "--select", *REFUSED)
    assert done.returncode == 1
    for name, (_, message) in REFUSED.items():
        assert message in done.stdout, name
        assert rows(project, f"select count(*) from duckdb_tables() where table_name = '{name}'") == [(0,)]
    for name in REFUSED:
        (models / f"{name}.sql").unlink()
    (models / "shown.sql").write_text(COUNTS.replace("'protected'", "'view'"))
    (models / "called.sql").write_text(
        "{{ config(materialized='view') }} select * from protect('{{ ref(\"stg_patients\") }}', by := ['zip'])"
    )
    (models / "released.sql").write_text(
        "{{ config(materialized='protected') }} select zip from {{ ref('stg_patients') }} anonymize by zip guarantee k >= 5"
    )
    done = dbt(project, "run", "--select", "shown", "called", "released")
    assert "released has an ANONYMIZE clause with materialized=protected; hint: set materialized='anonymized'" in done.stdout
    assert "shown has a PROTECT clause with materialized=view; hint: set materialized='protected'" in done.stdout
    assert "called is a release with materialized=view, which would be solved again by each query" in done.stdout
