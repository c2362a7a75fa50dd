"""The dbt package as a user meets it: `dbt build` of the example, and what it refuses."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest
from dbt_process import NEEDS_DBT, dbt, replace, rows
from dbt_projects import COMMAND

pytestmark = [NEEDS_DBT, pytest.mark.everything]

QI = {"patients_released": "zip, age, job", "severity_released": "zip, age", "diagnoses_close": "zip, age"}


def smallest(project: Path, table: str) -> int:
    (found,) = rows(project, f"SELECT min(n) FROM (SELECT count(*) AS n FROM {table} GROUP BY {QI[table]})")[0]
    assert isinstance(found, int)
    return found


def test_the_example_keeps_its_guarantees(built: Path) -> None:
    assert smallest(built, "patients_released") >= 5
    assert smallest(built, "severity_released") >= 5
    assert smallest(built, "diagnoses_close") >= 4
    shown = QI["patients_released"]
    counts = f"SELECT {shown}, count(*) AS n FROM patients_released GROUP BY diagnosis, {shown}"
    most = f"SELECT max(n) AS most, sum(n) AS size FROM ({counts}) GROUP BY {shown}"
    assert rows(built, f"SELECT bool_and(most * 2 <= size) FROM ({most})") == [(True,)]


def test_identifiers_stay_behind_and_the_rest_is_kept(built: Path) -> None:
    names = [row[0] for row in rows(built, "DESCRIBE patients_released")]
    assert names == ["zip", "age", "job", "diagnosis", "severity"]
    kept = "SELECT diagnosis, severity, count(*) FROM {} GROUP BY ALL ORDER BY ALL"
    assert rows(built, kept.format("patients_released")) == rows(built, kept.format("patients"))


def test_the_order_of_the_rows_tells_nothing(built: Path) -> None:
    assert rows(built, "FROM patients_released") == rows(built, "FROM patients_released ORDER BY ALL")


def test_nothing_but_the_relations_is_left_in_the_database(built: Path) -> None:
    tables = {row[0] for row in rows(built, "SELECT table_name FROM information_schema.tables")}
    assert tables == {"patients", "job_levels", "stg_patients", *QI}
    assert rows(built, "SELECT count(*) FROM duckdb_functions() WHERE NOT internal") == [(0,)]


@pytest.mark.everything
def test_a_kill_leaves_the_previous_release(project: Path) -> None:
    """The process dies after the audit and the swap, before the commit."""
    before = rows(project, "FROM patients_released ORDER BY ALL")
    slow = "select count(*) from range(1000000000000) as t(i) where hash(i) = 1"
    model = project / "models" / "released" / "patients_released.sql"
    replace(model, "k=5)", f'k=12, post_hook="{slow}")')
    command = [*COMMAND, "build", "--select", "patients_released"]
    process = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        said = next(line for line in process.stdout if "kanon: patients_released" in line)
        assert re.search(r"k = (\d+)", said)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    assert rows(project, "FROM patients_released ORDER BY ALL") == before

    replace(model, f', post_hook="{slow}"', "")
    again = dbt(project, "build", "--select", "patients_released")
    assert again.returncode == 0, again.stdout
    assert smallest(project, "patients_released") >= 12
    assert {row[0] for row in rows(project, "SELECT table_name FROM information_schema.tables")} >= set(QI)
    assert not rows(project, "FROM information_schema.tables WHERE table_name LIKE '%dbt%'")


REFUSED = {
    "a_view": (
        "materialized='view'",
        "select * from k_anonymize('stg_patients', 5)",
        "materialized=view, which would be solved again",
    ),
    "a_growing_table": (
        "materialized='incremental'",
        "select * FROM\n t_close ('x', 'y', 1)",
        "materialized=incremental, which would combine rows of",
    ),
    "a_clause": ("materialized='table'", "from stg_patients anonymize BY zip guarantee k >= 5", "ANONYMIZE clause"),
    "an_alias": ("materialized='table'", "from {{ ref('stg_patients') }}\n  anonymize (zip, age)", "ANONYMIZE clause"),
    "an_alias_behind_dashes": (
        "materialized='table'",
        "select '--' as x, * from {{ ref('stg_patients') }} anonymize (zip, age)",
        "ANONYMIZE clause",
    ),
    "an_alias_without_a_space": (
        "materialized='table'",
        "select * from {{ ref('stg_patients') }}anonymize(zip, age)",
        "ANONYMIZE clause",
    ),
    "a_view_behind_a_comma": (
        "materialized='view'",
        "select '/*' as x, r.* from (select 1), main.\"k_anonymize\"('stg_patients', 5) as r where '*/' > ''",
        "materialized=view, which would be solved again",
    ),
    "a_policy": ("materialized='view', k=5", "select zip from stg_patients", "would release the raw rows"),
}


def test_unsafe_models_are_refused_before_anything_runs(project: Path) -> None:
    models = project / "models"
    for name, (config, sql, _) in REFUSED.items():
        (models / f"{name}.sql").write_text(f"{{{{ config({config}) }}}}\n{sql}\n")
    (models / "harmless.sql").write_text(
        "{{ config(materialized='view') }} -- not from k_anonymize('a', 5)\nselect 1 as anonymize /* anonymize by */\n"
        "from (values (2)) as t(anonymize)"
    )
    (models / "tags.yml").write_text("models: [{name: a_policy, columns: [{name: zip, config: {tags: [quasi_identifier]}}]}]\n")
    done = dbt(project, "build")
    assert done.returncode != 0
    for name, (_, _, message) in REFUSED.items():
        assert re.search(rf"{name} .*{message}", done.stdout), done.stdout
    assert "harmless is" not in done.stdout
    assert not rows(project, "FROM information_schema.tables WHERE table_name IN ('harmless', 'a_view')")
    ran = dbt(project, "run", "--select", "harmless")
    assert ran.returncode == 0, ran.stdout


ALL_TAGGED = {"zip": "quasi_identifier", "age": "quasi_identifier", "diagnosis": "insensitive"}
AUDIT = """-- depends_on: {{ ref('stg_patients') }}
{% if execute %}{{ kanon_sql.audit(ref('stg_patients'), {'quasi_identifiers': [{'column': 'zip'}, {'column': 'age'}],
    'requirements': [{'type': 'k', 'k': 1}, REQUIREMENT]}, 'stg_patients') }}{% endif %} select 1 as x"""
FAILING = {
    # name: (config, tags of zip, age, diagnosis, meta of diagnosis, SQL or None, message)
    "untagged": ("k=5", {"zip": "quasi_identifier", "diagnosis": "sensitive"}, "{l: 2}", None, "untagged columns: age"),
    "tagged_twice": ("k=5", ALL_TAGGED | {"zip": "identifier, quasi_identifier"}, "{}", None, '"zip" is tagged as'),
    "misspelled": ("k=5", ALL_TAGGED | {"aeg": "quasi_identifier"}, "{}", None, "does not have these described columns: aeg"),
    "no_k": ("seed=1", ALL_TAGGED, "{}", None, "no k is guaranteed"),
    "no_guarantee": ("k=5", ALL_TAGGED | {"diagnosis": "sensitive"}, "{}", None, 'sensitive column "diagnosis"'),
    "no_key": ("k=5", ALL_TAGGED | {"diagnosis": "sensitive"}, "{l: 2, tt: 0.3}", None, "unknown keys: tt"),
    "nobody": ("k=5, per='zip'", ALL_TAGGED, "{}", None, 'by "zip", but the query has no identifier with that name'),
    "no_population": ("k_map=5", ALL_TAGGED, "{}", None, "k_map and population must be set together"),
    "no_register": ("presence=0.2", ALL_TAGGED, "{}", None, "presence needs a population"),
    "half": ("k=5", ALL_TAGGED | {"diagnosis": "sensitive"}, "{l: 2, metric: ordered}", None, "metric has no effect without t"),
    "too_few_rows": ("k=201", ALL_TAGGED, "{}", None, "200 rows, fewer than k = 201"),
    "two_policies": ("k=5", {}, "{}", "select zip from REF anonymize by zip guarantee k >= 5", "k are two policies"),
    "bad_clause": ("seed=1", {}, "{}", "select zip from REF anonymize by zip", "GUARANTEE"),
    "contract": ("k=5, contract={'enforced': true}", ALL_TAGGED, "{}", None, "a contract cannot be enforced"),
}
AUDITED = {
    "audit_k": ("{'type': 'k', 'k': 2}", "k = 1"),
    "audit_l": ("{'type': 'l', 'sensitive': 'diagnosis', 'l': '3/2'}", r"l = (\d+)/\1;"),
    "audit_distinct": ("{'type': 'l', 'sensitive': 'diagnosis', 'l': 2, 'variant': 'distinct'}", "l = 1"),
    "audit_entropy": ("{'type': 'l', 'sensitive': 'diagnosis', 'l': 1.5, 'variant': 'entropy'}", r"l = 1\.0"),
    "audit_recursive": ("{'type': 'l', 'sensitive': 'diagnosis', 'l': 2, 'variant': 'recursive', 'c': 3}", r"c = \d+/0"),
    "audit_t": ("{'type': 't', 'sensitive': 'diagnosis', 't': 0.3}", r"t = \d+/\d+"),
    "audit_beta": ("{'type': 'beta', 'sensitive': 'diagnosis', 'beta': '1/2'}", r"beta = \d"),
    "audit_delta": ("{'type': 'delta', 'sensitive': 'diagnosis', 'delta': 0.5}", "delta = inf"),
    "audit_k_map": ("{'type': 'k_map', 'k': 1000, 'population': 'main.stg_patients'}", r"k = \d+ in the population"),
    "audit_presence": ("{'type': 'presence', 'delta': 0.5, 'population': 'main.stg_patients'}", r"presence = 1\.0"),
    "audit_alpha": ("{'type': 'alpha', 'sensitive': 'diagnosis', 'value': 'flu', 'alpha': 0.5}", r"alpha = 1\.0"),
}
KEPT = {
    "all_kinds": (
        "k=4, masks=[['zip', 'age'], ['zip'], ['age'], []], linked=[], algorithm='greedy', time_limit=30, seed=3, suppress='*'",
        ALL_TAGGED | {"diagnosis": "sensitive"},
        "{l: 2, variant: recursive, c: 4, t: 0.6, metric: equal, alpha: {flu: 0.8}, beta: 3, delta: 9}",
    ),
    "by_a_tree": ("k=10", ALL_TAGGED | {"diagnosis": "sensitive"}, "{t: 0.5, metric: hierarchical, hierarchy: diagnosis_tree}"),
    "mapped": ("k_map=3, population='main.stg_patients', suppress='*'", ALL_TAGGED, "{}"),
    "hidden": ("presence=1, k_map=3, population='main.stg_patients', suppress='*'", ALL_TAGGED, "{}"),
    "by_a_table": ("k=10", ALL_TAGGED | {"diagnosis": "sensitive"}, "{t: '2/5', metric: main.diagnosis_distances}"),
}


def write_model(project: Path, name: str, config: str, tags: dict[str, str], meta: str, sql: str | None) -> None:
    ref = "{{ ref('stg_patients') }}"
    text = "select zip, age, diagnosis from REF" if sql is None else sql
    (project / "models" / f"{name}.sql").write_text(
        f"-- depends_on: {{{{ ref('diagnosis_tree') }}}} {{{{ ref('diagnosis_distances') }}}}\n"
        f"{{{{ config(materialized='anonymized', {config}) }}}}\n{text.replace('REF', ref)}\n"
    )
    told = {column: meta if column == "diagnosis" else "{}" for column in tags}
    columns = [
        f"{{name: {column}, data_type: varchar, config: {{tags: [{tag}], meta: {{kanon: {told[column]}}}}}}}"
        for column, tag in tags.items()
    ]
    (project / "models" / f"{name}.yml").write_text(f"models: [{{name: {name}, columns: [{', '.join(columns)}]}}]\n")


@pytest.mark.everything
def test_every_failure_is_told_and_the_previous_release_stays(project: Path) -> None:
    diagnoses = ["flu", "asthma", "diabetes", "ulcer", "hypertension"]
    (project / "seeds" / "diagnosis_tree.csv").write_text(
        "value,parent\nflu,lung\nasthma,lung\ndiabetes,other\nulcer,other\nhypertension,other\nlung,any\nother,any\n"
    )
    pairs = [f"{a},{b},{1 if {a, b} & {'flu', 'asthma'} else 0.5}" for a in diagnoses for b in diagnoses if a < b]
    (project / "seeds" / "diagnosis_distances.csv").write_text("\n".join(["a,b,distance", *pairs]) + "\n")
    for name, (config, tags, meta, sql, _) in FAILING.items():
        write_model(project, name, config, tags, meta, sql)
    for name, (config, tags, meta) in KEPT.items():
        write_model(project, name, config, tags, meta, None)
    twice = "select patient_id, zip, age, diagnosis from REF union all select patient_id, zip, age, diagnosis from REF"
    write_model(project, "people", "k=5, per='patient_id'", ALL_TAGGED | {"patient_id": "identifier"}, "{}", twice)
    for name, (requirement, _) in AUDITED.items():
        (project / "models" / f"{name}.sql").write_text(AUDIT.replace("REQUIREMENT", requirement))
    (project / "macros").mkdir()
    late = project / "models" / "released" / "severity_released.sql"
    replace(late, "materialized='anonymized'", "materialized='anonymized', post_hook=\"select error('too late')\"")
    before = rows(project, "FROM severity_released ORDER BY ALL")

    done = dbt(project, "build")
    assert done.returncode == 1
    told = {part.split(" ", 1)[0]: part for part in re.split(r"(?:Failure|Error) in (?:model|test) ", done.stdout)[1:]}
    messages = {name: case[-1] for name, case in FAILING.items()} | {name: case[-1] for name, case in AUDITED.items()}
    for name, message in {**messages, "severity_released": "too late"}.items():
        assert name in told, f"{name}\n{done.stdout}"
        assert re.search(message, told[name]), told[name]
    assert set(told) == {*messages, "severity_released"}, done.stdout
    assert not re.search("flu|asthma|98101", "".join(told.values()).replace("alpha(diagnosis, 'flu')", ""))
    assert rows(project, "FROM severity_released ORDER BY ALL") == before
    assert rows(project, "SELECT count(*) FROM all_kinds WHERE '*' IN (zip, age)")[0][0]
    columns = "SELECT column_name FROM information_schema.columns WHERE table_name = 'people' ORDER BY ordinal_position"
    assert rows(project, columns) == [("zip",), ("age",), ("diagnosis",)]
    counts = rows(project, "SELECT min(n) FROM (SELECT count(*) AS n FROM people GROUP BY zip, age)")
    assert counts[0][0] >= 10, "each patient is there twice"
    tables = {row[0] for row in rows(project, "SELECT table_name FROM information_schema.tables")}
    assert tables >= set(KEPT)
    assert not tables & {*FAILING, *AUDITED}


@pytest.mark.everything
@pytest.mark.parametrize(
    "model",
    [
        "{{ config(materialized='anonymized') }}\n"
        "select cast(note as int) as n, zip from {{ ref('canaries') }} anonymize by zip guarantee k >= 2",
        "{{ config(materialized='table') }}\n"
        "select cast(note as int) as n from k_anonymize('{{ ref(\"canaries\") }}', 2, qi := ['zip'], keep := ['note'])",
        "{{ config(materialized='anonymized', k=2) }}\nselect cast(note as int) as note, zip from {{ ref('canaries') }}",
    ],
)
def test_no_value_in_what_dbt_prints_logs_and_stores(project: Path, model: str) -> None:
    (project / "seeds" / "canaries.csv").write_text("note,zip\n" + "".join(f"CANARY{i},{i % 2}\n" for i in range(8)))
    (project / "models" / "released" / "broken.sql").write_text(model)
    if "k=2" in model:  # else the clause is the policy
        (project / "models" / "released" / "broken.yml").write_text(
            "models:\n  - name: broken\n    columns:\n      - {name: note, config: {tags: [insensitive]}}\n"
            "      - {name: zip, config: {tags: [quasi_identifier]}}\n"
        )
    done = dbt(project, "build", "--select", "canaries", "broken")
    assert done.returncode == 1
    assert "a value does not fit the type of its column" in done.stdout
    assert "hint: run its query without the release" in done.stdout
    written = [project / "logs" / "dbt.log", *(project / "target").glob("*.json")]
    assert (project / "target" / "run_results.json") in written
    told = [done.stdout, done.stderr, *(path.read_text(encoding="utf-8") for path in written)]
    assert not [text for text in told if "CANARY" in text]
