"""Config keys of anonymized models, pseudonyms, snapshots, and what dbt stores of a release."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from dbt_process import NEEDS_DBT, dbt, replace, rows

pytestmark = [NEEDS_DBT, pytest.mark.everything]

TAGS = {"zip": "quasi_identifier", "age": "quasi_identifier", "diagnosis": "insensitive"}
QUERY = "select zip, age, diagnosis from REF"

# A column that is kept, and tells the suppressed ages.
TELLING = "select zip, age // 10 as age, 'about ' || age // 10 as area from REF"
TELLING_TAGS = {"zip": "quasi_identifier", "age": "quasi_identifier", "area": "insensitive"}

REFUSED = {
    # name: (config, tags, meta of diagnosis, query, message)
    "near": ("k=5, time_limt=60", TAGS, "{}", QUERY, r'unknown keys: time_limt \(did you mean "time_limit"\?\)'),
    "far": (
        "k=5, warehouse='large'",
        TAGS,
        "{}",
        QUERY,
        "unknown keys: warehouse; hint: use k, per",
    ),
    "tag": (
        "k=5",
        TAGS | {"zip": "quasi_identifer", "age": "of_others"},
        "{}",
        QUERY,
        r'columns with an unknown tag: zip: quasi_identifer \(did you mean "quasi_identifier"\?\); hint: tag each as one of',
    ),
    "described": (
        "k=5",
        TAGS | {"diagnosys": "insensitive"},
        "{}",
        QUERY,
        r'the query does not have these described columns: diagnosys \(did you mean "diagnosis"\?\)',
    ),
    "abbreviated": ("k=5, timeout=60", TAGS, "{}", QUERY, r'unknown keys: timeout \(did you mean "time_limit"\?\)'),
    "strikt": ("k=5, strikt=true", TAGS, "{}", QUERY, r'strikt \(did you mean "strict"\?\)'),
    "alpha": ("k=5", TAGS | {"diagnosis": "sensitive"}, "{alpha: 0.2}", QUERY, r"hint: write alpha: \{hiv: 0.2\}"),
    "no_keys": (
        "k=5",
        TAGS | {"diagnosis": "sensitive"},
        "3",
        QUERY,
        r'meta.kanon of the column "diagnosis" must be a mapping',
    ),
    "idle": ("k=5, leftover='suppress'", TAGS, "{}", QUERY, "leftover in the config applies only to a growing release"),
    "in_meta": (
        "k=5",
        TAGS | {"diagnosis": "sensitive"},
        "{l: 2, varient: distinct}",
        QUERY,
        r'varient \(did you mean "variant"\?\)',
    ),
    "strict": (
        "k=5, strict=true",
        TELLING_TAGS,
        "{}",
        TELLING,
        "strict: area is released unchanged and gives back .*hint: the previous release is still in place",
    ),
    "filtered": (
        "strict=true",
        {},
        "{}",
        "select * from (select zip, age from REF anonymize by zip, age guarantee k >= 5) limit 50",
        "strict: the query around the clause changes the number of rows",
    ),
    "beside": (  # it looks released, and is not
        "strict=true",
        {},
        "{}",
        "select * from REF where zip in (select zip from REF anonymize by zip guarantee k >= 5)",
        r"strict: the query reads \S*stg_patients outside its ANONYMIZE clause, and releases their rows unchanged",
    ),
    "second": (  # its other release, of as many rows, has nothing to warn of
        "strict=true",
        {},
        "{}",
        "select a.* from (select zip, age // 10 as age, 'about ' || age // 10 as area from REF "
        "anonymize by zip, age keep area guarantee k >= 5) as a "
        "where (select count(*) from (select zip, age from REF anonymize by zip, age guarantee k >= 5)) > 0",
        "strict: area is released unchanged and gives back .*hint: the previous release is still in place",
    ),
    "linking": (
        "k=5",
        TAGS | {"patient_id": "identifier"},
        "{}",
        f"{QUERY.replace('zip', 'patient_id, zip')} "
        "union all select patient_id, '0', age, diagnosis from REF where age % 7 = 0",
        "the tokens of patient_id link rows of this release.* single out",
    ),
    "linkable_only": (
        "k=5",
        TAGS | {"patient_id": "identifier"},
        "{}",
        "select patient_id, zip, age, diagnosis from REF",
        'the column "patient_id" is linkable, but not a pseudonym',
    ),
    "spelled": (
        "k=5, per='patient_id'",
        TAGS | {"patient_id": "identifier"},
        "{}",
        "select (case when n = 0 then 'p' else 'P' end || patient_id)::varchar collate nocase as patient_id, "
        "zip, age, diagnosis from REF, (select unnest([0, 1]) as n)",
        "the column patient_id treats different values as the same person",
    ),
    "groups": (
        "k=5",
        TAGS,
        "{}",
        "select zip, age, max(diagnosis) as diagnosis from REF group by all",
        "GROUP BY can merge several people into one row.* set per_row=true in the config of the model",
    ),
    "groups_above": (
        "k=5",
        TAGS,
        "{}",
        "with g as (select distinct zip, age, diagnosis from REF) select * from g",
        "DISTINCT can merge several people into one row",
    ),
    "groups_that_grow": (
        "k=5, incremental_key='age'",
        TAGS,
        "{}",
        "select distinct zip, age, diagnosis from REF",
        "DISTINCT can merge several people into one row",
    ),
    "groups_of_a_clause": (
        "",
        {},
        "{}",
        "select zip, count(*) as n from REF group by zip anonymize by zip guarantee k >= 5",
        "GROUP BY can merge several people into one row.* write k >= 5 PER ROW",
    ),
    "one_of_many": (
        "k=5, per='who'",
        TAGS | {"who": "identifier"},
        "{}",
        "select min(patient_id) as who, zip, age, diagnosis from REF group by all",
        "GROUP BY can merge several people into one row.* return the column who itself",
    ),
    "rows_without_k": ("presence=0.2, population='stg_patients', per_row=true", TAGS, "{}", QUERY, "per_row needs k"),
    "rows_of_a_clause": (
        "per_row=true",
        {},
        "{}",
        "select zip, age from REF anonymize by zip, age guarantee k >= 5",
        "the ANONYMIZE clause and per_row are two policies",
    ),
    "no_truth": ("k=5, per_row='yes'", TAGS, "{}", QUERY, "per_row must be true or false"),
}

KEPT = {
    "known": ("k=5, tags=['nightly'], meta={'owner': 'me'}, persist_docs={'relation': true}", TAGS, QUERY),
    "warned": ("k=5", TELLING_TAGS, TELLING),
    "tokens": (
        "k=5, per_row=true",
        TAGS | {"patient_id": "identifier"},
        f"{QUERY.replace('zip', 'patient_id, zip')} union all {QUERY.replace('zip', 'patient_id, zip')}",
    ),
    "groups_as_rows": ("k=5, per_row=true", TAGS, "select distinct zip, age, diagnosis from REF"),
    "rows_of_people": (
        "k=5, per='who'",
        TAGS | {"who": "identifier"},
        "select patient_id as who, max(zip) as zip, max(age) as age, max(diagnosis) as diagnosis from REF group by patient_id",
    ),
    "people": (  # they are counted by tokens; no other model has these people
        "k=5, per='patient_id'",
        TAGS | {"patient_id": "identifier"},
        "select 'person ' || patient_id as patient_id, zip, age, diagnosis from REF",
    ),
}

PATIENTS = {"tokens": "{pseudonym: true, linkable: true}", "linkable_only": "{linkable: true}"}
"""What the meta of patients says in models in which it is not just that they are pseudonyms."""


SIBLING = """
from dbt.adapters.duckdb.environments.local import DuckDBCursorWrapper
from dbt.adapters.duckdb.plugins import BasePlugin
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.model.policy import Policy

TABLE = "SELECT i % 2 AS zip FROM range(200) AS t(i)"


class Plugin(BasePlugin):
    def initialize(self, plugin_config):
        execute = DuckDBCursorWrapper.execute

        def overtaken(self, sql, bindings=None):
            if "kanon_releases() where" in sql:
                with self._cursor.cursor() as other:
                    other.execute(release_query(TABLE, Policy.of(k=2, quasi_identifiers=["zip"]), query=True)).fetchall()
            return execute(self, sql, bindings)

        DuckDBCursorWrapper.execute = overtaken
"""
"""Another model that is always released just before dbt asks for the certificate of one, with as many rows."""


def write_model(project: Path, name: str, config: str, tags: dict[str, str], meta: str, query: str) -> None:
    text = query.replace("REF", "{{ ref('stg_patients') }}")
    (project / "models" / f"{name}.sql").write_text(f"{{{{ config(materialized='anonymized', {config}) }}}}\n{text}\n")
    told = {"diagnosis": meta, "patient_id": PATIENTS.get(name, "{pseudonym: true}")}
    columns = [
        f"{{name: {column}, config: {{tags: [{tag}], meta: {{kanon: {told.get(column, '{}')}}}}}}}"
        for column, tag in tags.items()
    ]
    (project / "models" / f"{name}.yml").write_text(f"models: [{{name: {name}, columns: [{', '.join(columns)}]}}]\n")


@pytest.fixture(scope="module")
def ran(built: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The project with all these models, run once, and what dbt said."""
    from shutil import copytree

    project = Path(copytree(built, tmp_path_factory.mktemp("config") / "clinic", symlinks=True))
    for name, (config, tags, meta, query, _) in REFUSED.items():
        write_model(project, name, config, tags, meta, query)
    for name, (config, tags, query) in KEPT.items():
        write_model(project, name, config, tags, "{}", query)
    (project / "sibling.py").write_text(SIBLING)
    replace(project / "profiles.yml", "      plugins:", "      module_paths: [.]\n      plugins:\n        - module: sibling")
    done = dbt(project, "run", "--select", *REFUSED, *KEPT, "severity_released")
    assert done.returncode == 1
    return project, done.stdout


def test_unknown_keys_and_strict_warnings_are_errors(ran: tuple[Path, str]) -> None:
    project, said = ran
    told = {part.split(" ", 1)[0]: " ".join(part.split()) for part in re.split(r"(?:Failure|Error) in model ", said)[1:]}
    assert set(told) == set(REFUSED), said
    for name, (*_, message) in REFUSED.items():
        assert re.search(message, told[name]), told[name]
    tables = {row[0] for row in rows(project, "SELECT table_name FROM information_schema.tables")}
    assert not tables & set(REFUSED)
    assert tables >= set(KEPT)


def test_dbt_stores_the_figures_of_the_certificate(ran: tuple[Path, str]) -> None:
    project, _ = ran
    results = json.loads((project / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    stored = {each["unique_id"].rpartition(".")[2]: each["adapter_response"] for each in results}
    for name in (*KEPT, "severity_released"):
        figures = stored[name]["kanon"]
        shown = "zip, age"
        classes = f"SELECT count(*) AS n FROM {name} GROUP BY {shown}"
        counted = rows(project, f"SELECT sum(n), count(*), min(n) FROM ({classes})")[0]
        assert (figures["rows"], figures["classes"], figures["smallest_class"]) == counted
        assert 0 <= figures["lower_bound"] <= figures["cost"]
        assert figures["requirements"][0] == ("k >= 5 PER ROW" if name in ("groups_as_rows", "tokens") else "k >= 5")
        assert figures["status"] in {"OPTIMAL", "FEASIBLE"}
    assert (
        stored["known"]["kanon"]["suppressed_cells"]
        == rows(project, "SELECT count(*) FILTER (zip IS NULL) + count(*) FILTER (age IS NULL) FROM known")[0][0]
    )
    assert stored["known"]["kanon"]["warnings"] == []
    assert "area is released" in stored["warned"]["kanon"]["warnings"][0]
    assert stored["warned"]["_message"].startswith("OK; ")
    assert "kanon" not in stored["near"]


def test_pseudonyms_are_tokens_equal_for_equal_values(ran: tuple[Path, str]) -> None:
    project, _ = ran
    raw = [row[0] for row in rows(project, "SELECT patient_id::VARCHAR FROM stg_patients")]
    tokens = [row[0] for row in rows(project, "SELECT patient_id FROM tokens")]
    assert Counter(Counter(tokens).values()) == {2: len(set(raw))}
    assert not set(tokens) & set(raw)
    assert all(len(str(token)) >= 16 for token in tokens)


def test_people_are_counted_by_the_tokens_that_are_released(ran: tuple[Path, str]) -> None:
    project, _ = ran
    results = json.loads((project / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    stored = {each["unique_id"].rpartition(".")[2]: each["adapter_response"].get("kanon") for each in results}
    fewest, people = rows(
        project,
        "SELECT min(n), (SELECT count(DISTINCT patient_id) FROM people) "
        "FROM (SELECT count(DISTINCT patient_id) AS n FROM people GROUP BY zip, age)",
    )[0]
    (told,) = stored["people"]["histories"]
    counted = {"column": "patient_id", "people": people, "alone": 0, "fewest": fewest, "releases": 0}
    assert told == counted | {"average": told["average"]}
    assert fewest >= 5
    assert stored["people"]["requirements"] == ["k >= 5", "k >= 5 PER patient_id"]
    warning = "no database file records the tokens of patient_id"
    assert stored["people"]["warnings"][0].startswith(warning)
    assert stored["tokens"]["histories"][0]["people"] == people
    assert stored["known"]["histories"] == []


def test_a_snapshot_of_a_release_is_refused(built: Path, tmp_path: Path) -> None:
    from shutil import copytree

    project = Path(copytree(built, tmp_path / "clinic", symlinks=True))
    read = "select * from {{ ref('patients_released') }}"
    view = f"{{{{ config(materialized='view') }}}}\n{read} union all {read}"
    (project / "models" / "behind.sql").write_text(view)
    snapshots = {
        "of_a_release": "patients_released",
        "of_a_view": "behind",
        "of_a_function": "diagnoses_close",
        "of_rows": "stg_patients",
    }
    text = ["snapshots:"]
    for name, model in snapshots.items():
        text.append(
            f"  - {{name: {name}, relation: ref('{model}'), config: {{strategy: check, unique_key: zip, check_cols: all}}}}"
        )
    (project / "snapshots").mkdir()
    (project / "snapshots" / "all.yml").write_text("\n".join(text) + "\n")
    done = dbt(project, "snapshot")
    assert done.returncode != 0
    told = dict(re.findall(r"(\w+) is a snapshot of the release (\w+), which would keep the rows of all releases", done.stdout))
    assert told == {"of_a_release": "patients_released", "of_a_view": "patients_released", "of_a_function": "diagnoses_close"}
    assert not rows(project, "FROM information_schema.tables WHERE table_name LIKE 'of_%'")


def test_a_target_without_the_plugin_is_refused(built: Path, tmp_path: Path) -> None:
    from shutil import copytree

    project = Path(copytree(built, tmp_path / "clinic", symlinks=True))
    profile = project / "profiles.yml"
    text = re.sub(r"\n +plugins:\n +- module: kanon_sql\.dbt_plugin\n", "\n", profile.read_text())
    assert "kanon_sql" not in text
    profile.write_text(text)
    done = dbt(project, "run", "--select", "patients_released")
    assert done.returncode != 0
    assert "does not load the kanon-sql plugin; hint: add plugins: [{module: kanon_sql.dbt_plugin}]" in done.stdout
