"""Models of a table with names: refused with nothing written, or kept with each warning in the log and in the results.

A second table has columns whose names are code to Jinja, SQL, HTML or a terminal.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pytest
from dbt_process import NEEDS_DBT, dbt, rows

pytestmark = [NEEDS_DBT, pytest.mark.everything]

PEOPLE = """CREATE TABLE people AS SELECT i AS person_id, 'N' || i AS name, '0213' || i % 5 AS zip, 20 + i % 60 AS age,
    ['m', 'f'][1 + i % 2] AS sex FROM range(5000) t(i)"""

REFUSED_TEXT = "columns have no role and look like identifiers of people: person_id (by its name); name (by its name)"

UNTAGGED = "untagged columns: person_id, name, age; hint: tag each as one of"

SHOWN = "zip: quasi_identifier, sex: quasi_identifier"

KEPT_COLUMNS = f"{SHOWN}, name: insensitive, person_id: insensitive, age: insensitive"

QUERY = "select * from {{ source('main', 'people') }}"

FUNCTION = "select * from k_anonymize('{{ source('main', 'people') }}', 5, qi := ['zip', 'sex']"

REFUSED = {
    # name: (config, tags, query, message)
    "clause": ("materialized='anonymized'", "", f"{QUERY} anonymize by zip, sex guarantee k >= 5", REFUSED_TEXT),
    "function": ("materialized='table'", "", f"{FUNCTION})", REFUSED_TEXT),
    "tags": ("materialized='anonymized', k=5", SHOWN, QUERY, UNTAGGED),
    "grows": (
        "materialized='anonymized', k=5, incremental_key='person_id'",
        SHOWN,
        QUERY,
        UNTAGGED,
    ),
}  # fmt: skip

KEPT = {
    # name: (config, tags, query)
    "kept_clause": (
        "materialized='anonymized'",
        "",
        f"{QUERY} anonymize by zip, sex keep name, person_id, age guarantee k >= 5",
    ),
    "kept_function": ("materialized='table'", "", f"{FUNCTION}, keep := ['name', 'person_id', 'age'])"),
    "kept_tags": ("materialized='anonymized', k=5", KEPT_COLUMNS, QUERY),
    "kept_grows": ("materialized='anonymized', k=5, incremental_key='age'", KEPT_COLUMNS, f"{QUERY} where person_id < 60"),
}

HOSTILE = [
    'a"b', "it's", "{{ 1/0 }}", "{% do nothing %}", "{# gone #}", "new\nline", "a; drop table people; --", "ü ☃",
    "<script>alert(1)</script>", "' || (select 1) || '", "back\\slash", "$x", "%s", "a,b", "tab\there", "*/ x /*", "-- c",
    "[a]", "temp.main.kanon_source", "system.main.kanon_append('x')",
]  # fmt: skip


def described(name: str, tag: str) -> dict[str, Any]:
    """Return a column as YAML has it; dbt renders names, too."""
    return {"name": f"{{% raw %}}{name}{{% endraw %}}" if "{" in name else name, "config": {"tags": [tag]}}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A small project, run once, and what dbt said."""
    project = tmp_path_factory.mktemp("people")
    (project / "models").mkdir()
    with duckdb.connect(str(project / "clinic.duckdb")) as con:
        con.execute(PEOPLE)
        names = ['"' + name.replace('"', '""') + '"' for name in HOSTILE]
        columns = ", ".join(f"i{' % 2' if place % 2 else ''} AS {name}" for place, name in enumerate(names))
        con.execute(f"CREATE TABLE hostile AS SELECT i % 2 AS zip, {columns} FROM range(60) t(i)")
    profile = {"type": "duckdb", "path": "clinic.duckdb", "threads": 2, "plugins": [{"module": "kanon_sql.dbt_plugin"}]}
    written = {
        "dbt_project.yml": {"name": "clinic", "version": "1.0.0", "profile": "clinic"},
        "profiles.yml": {"clinic": {"target": "dev", "outputs": {"dev": profile}}},
        "packages.yml": {"packages": [{"local": str(files("kanon_sql") / "dbt")}]},
    }
    models: list[dict[str, Any]] = []
    for name, (config, tags, query, *_) in (REFUSED | KEPT).items():
        pairs = [part.split(": ") for part in tags.split(", ") if part]
        models.append({"name": name, "columns": [described(column, tag) for column, tag in pairs]})
        (project / "models" / f"{name}.sql").write_text(f"{{{{ config({config}) }}}}\n{query}\n")
    query = "{{ config(materialized='anonymized', k=5) }}\nselect * from {{ source('main', 'hostile') }}\n"
    shown = [described("zip", "quasi_identifier")]
    tags_of = ["insensitive", "quasi_identifier"]
    for name, columns_of in {
        "odd": shown + [described(column, tags_of[place % 2]) for place, column in enumerate(HOSTILE)],
        "odd_untagged": shown,
    }.items():
        models.append({"name": name, "columns": columns_of})
        (project / "models" / f"{name}.sql").write_text(query)
    sources = [{"name": "main", "tables": [{"name": "people"}, {"name": "hostile"}]}]
    written["models/models.yml"] = {"models": models, "sources": sources}
    for place, data in written.items():
        (project / place).write_text(json.dumps(data), encoding="utf-8")  # JSON is YAML
    assert dbt(project, "deps").returncode == 0
    done = dbt(project, "run")
    assert done.returncode == 1, done.stdout
    return project, done.stdout, done.stderr


@pytest.fixture(scope="module")
def responses(ran: tuple[Path, str, str]) -> dict[str, dict[str, Any]]:
    """What dbt stored of each model."""
    results = json.loads((ran[0] / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    return {each["unique_id"].rpartition(".")[2]: each for each in results}


def test_names_are_refused_and_nothing_is_written(ran: tuple[Path, str, str], responses: dict[str, dict[str, Any]]) -> None:
    project, _, _ = ran
    for name, (*_, message) in REFUSED.items():
        assert responses[name]["status"] == "error"
        assert message in responses[name]["message"]
    tables = {row[0] for row in rows(project, "SELECT table_name FROM information_schema.tables")}
    ledger = {"kanon_batches_kept_grows", "kanon_ledger_kept_grows"}
    assert tables == {"people", "hostile", "odd", *KEPT, *ledger}


def test_each_warning_is_logged_and_stored(ran: tuple[Path, str, str], responses: dict[str, dict[str, Any]]) -> None:
    _, out, err = ran
    logged = Counter(line.split("kanon: ", 1)[1] for line in out.splitlines() if "kanon: " in line and "warning: " in line)
    for name in KEPT:
        stored = responses[name]["adapter_response"]
        shared = "" if name == "kept_grows" else " (values shared by fewer than 5 rows)"  # it has 60 rows
        told = {f"{each} is released unchanged and singles out 100.0% of the rows{shared}" for each in ("name", "person_id")}
        assert told <= set(stored["kanon"]["warnings"])
        assert set(stored["_message"].split("; ")) >= {"OK", *told}
        named = "" if name == "kept_function" else f"{name}: "  # a function may be anywhere in a statement
        for warning in stored["kanon"]["warnings"]:
            assert logged[f"{named}warning: {warning}"] == 1
    assert "KanonWarning" not in out + err


def test_names_of_columns_are_never_code(ran: tuple[Path, str, str], responses: dict[str, dict[str, Any]]) -> None:
    project, _, _ = ran
    with duckdb.connect(str(project / "clinic.duckdb"), read_only=True) as con:
        assert con.table("odd").columns == ["zip", *HOSTILE]
        assert con.sql("SELECT count(*) FROM odd").fetchall() == [(60,)]
    stored = responses["odd"]["adapter_response"]["kanon"]
    assert stored["unchanged"] == HOSTILE[::2]
    assert len(stored["warnings"]) == len(HOSTILE[::2])
    for name in HOSTILE[::2]:
        spelled = re.escape(name.replace('"', '""'))
        assert any(re.match(rf'"?{spelled}"? is released', each) for each in stored["warnings"])
    assert responses["odd_untagged"]["status"] == "error"
    assert f"untagged columns: {HOSTILE[0]}, " in responses["odd_untagged"]["message"]
