"""Imports run strictly downward, and the floors keep what is theirs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

FLOORS = {
    "kanon_sql.distances": 0,
    "kanon_sql.errors": 0,
    "kanon_sql.generalizations": 0,
    "kanon_sql.hierarchies": 0,
    "kanon_sql.links": 0,
    "kanon_sql.masks": 0,
    "kanon_sql.policy": 0,
    "kanon_sql.requirements": 0,
    "kanon_sql.secret": 0,
    "kanon_sql.staging": 0,
    "kanon_sql.stored": 0,
    "kanon_sql.validation": 0,
    "kanon_sql.coded": 1,
    "kanon_sql.equal_values": 1,
    "kanon_sql.keyed_people": 1,
    "kanon_sql.ground": 1,
    "kanon_sql.ladder": 1,
    "kanon_sql.patterns": 1,
    "kanon_sql.certificate": 1,
    "kanon_sql.certificate_file": 1,
    "kanon_sql.certificate_words": 1,
    "kanon_sql.notebook": 1,
    "kanon_sql.claims": 1,
    "kanon_sql.proof": 0,
    "kanon_sql.clause": 1,
    "kanon_sql.kernels": 1,
    "kanon_sql.solvers": 2,
    "kanon_sql.generalize": 3,
    "kanon_sql.pipeline": 3,
    "kanon_sql.summarize": 3,
    "kanon_sql.engines": 4,
    "kanon_sql.udfs": 4,
    "kanon_sql.sql": 4,
    "kanon_sql.cli": 5,
    "kanon_sql.cli_options": 5,
    "kanon_sql.cli_policies": 5,
    "kanon_sql.cli_reports": 5,
    "kanon_sql.frontier": 5,
    "kanon_sql.reporting": 5,
    "kanon_sql.policy_file": 5,
    "kanon_sql.comparison": 5,
    "kanon_sql.shell": 5,
    "kanon_sql.demo": 5,
    "kanon_sql.files": 5,
    "kanon_sql.interrupt": 5,
    "kanon_sql.publish": 5,
    "kanon_sql.script": 5,
    "kanon_sql.terminal": 5,
    "kanon_sql.verify": 5,
    "kanon_sql.report": 5,
    "kanon_sql.dbt_plugin": 5,
    "kanon_sql.__main__": 5,
}

ONLY = {
    "sqlglot": ("kanon_sql.clause",),
    "ortools": ("kanon_sql.solvers",),
    "numba": ("kanon_sql.kernels",),
    "duckdb": (
        "kanon_sql.engines",
        "kanon_sql.udfs",
        "kanon_sql.cli",
        "kanon_sql.comparison",
        "kanon_sql.files",
        "kanon_sql.frontier",
        "kanon_sql.publish",
        "kanon_sql.report",
        "kanon_sql.script",
        "kanon_sql.shell",
    ),
    "click": ("kanon_sql.cli",),
    "rich": ("kanon_sql.cli", "kanon_sql.demo", "kanon_sql.script", "kanon_sql.shell", "kanon_sql.terminal"),
    "prompt_toolkit": ("kanon_sql.shell",),
    "dbt": ("kanon_sql.dbt_plugin",),
    "altair": ("kanon_sql.reporting",),
    "jinja2": ("kanon_sql.reporting",),
    "vl_convert": ("kanon_sql.reporting",),
}


def modules() -> dict[str, Path]:
    found = {}
    for folder, prefix in (("kanon_sql", "kanon_sql"), ("udfs", "kanon_sql.udfs"), ("sql", "kanon_sql.sql")):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join([prefix, *(part for part in parts if part != "__init__")])] = path
    return found


MODULES = modules()


def imports(path: Path) -> Iterator[str]:
    """Yield every module a file imports, at its top or inside a function, for use or for types only."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names if f"{node.module}.{alias.name}" in MODULES)


def floor(module: str) -> int | None:
    while module not in FLOORS and "." in module:
        module = module.rpartition(".")[0]
    return FLOORS.get(module)


def package(module: str) -> str:
    return ".".join(module.split(".")[:2])


@pytest.mark.parametrize("module", [name for name in MODULES if name != "kanon_sql"])
def test_nobody_imports_upward(module: str) -> None:
    own = floor(module)
    assert own is not None, f"{module} has no floor: add it to the list of this test"
    for imported in imports(MODULES[module]):
        if imported.startswith("kanon_sql.") and package(imported) != package(module):
            assert floor(imported) <= own, f"{module} imports {imported} from a higher floor"
            beside = {"kanon_sql.engines", "kanon_sql.udfs", "kanon_sql.sql"}
            same_allowed = own in (0, 5) or {package(imported), package(module)} <= beside or own == 1
            assert floor(imported) < own or same_allowed, f"{module} imports {imported} on its own floor"


@pytest.mark.parametrize("library", ONLY)
def test_a_library_has_one_home(library: str) -> None:
    for module, path in MODULES.items():
        if any(imported.split(".")[0] == library for imported in imports(path)):
            assert module.startswith(ONLY[library]), f"{module} imports {library}"


# The one module that asks for a folder is no kernel.
KERNELS = [name for name in MODULES if name.startswith("kanon_sql.kernels") and name != "kanon_sql.kernels.cache"]


@pytest.mark.parametrize("module", KERNELS)
def test_kernels_know_arrays_only(module: str) -> None:
    for imported in imports(MODULES[module]):
        assert imported.split(".")[0] in {"numpy", "numba", "__future__", "typing", "heapq", "math", "kanon_sql"}
        assert not imported.startswith("kanon_sql.") or imported.startswith("kanon_sql.kernels")


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("kanon_sql.clause")])
def test_the_clause_needs_no_database(module: str) -> None:
    for imported in imports(MODULES[module]):
        assert not imported.startswith(
            ("kanon_sql.pipeline", "kanon_sql.engines", "kanon_sql.solvers", "kanon_sql.kernels", "duckdb")
        )


def test_the_pipeline_sees_no_connection_and_no_value() -> None:
    assert not {"duckdb", "pyarrow", "pandas"} & {imported.split(".")[0] for imported in imports(MODULES["kanon_sql.pipeline"])}


def test_nothing_imports_the_dbt_plugin() -> None:
    for module, path in MODULES.items():
        assert "kanon_sql.dbt_plugin" not in set(imports(path)) or module == "kanon_sql.dbt_plugin"


def test_the_audit_shares_nothing_with_the_solvers() -> None:
    for path in (ROOT / "sql").glob("*.sql"):
        text = "\n".join(line.partition("--")[0] for line in path.read_text(encoding="utf-8").splitlines())
        for name in ("kanon_fit", "kanon_plan", "kanon_audited", "kanon_certificates", "kanon_session"):
            assert name not in text, f"{path.name} calls {name}"


@pytest.mark.parametrize("module", [name for name in MODULES if name != "kanon_sql.errors"])
def test_no_error_keeps_the_one_that_it_replaces(module: str) -> None:
    """Inside of ``except``, an error is raised again as it is, by `raise_alone`, or from one of ours that holds no value."""
    for handler in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(handler, ast.ExceptHandler):
            raised = [node for each in handler.body for node in ast.walk(each) if isinstance(node, ast.Raise) and node.exc]
            ours = ast.unparse(handler.type or ast.Constant(None)) == "PolicyError"
            assert all(ours and isinstance(node.cause, ast.Name) for node in raised), f"{module}, line {handler.lineno}"


def test_there_is_no_utils() -> None:
    assert not [name for name in MODULES if name.rpartition(".")[2] in {"utils", "util", "helpers", "misc", "common"}]


def loaded(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_import_loads_nothing_heavy() -> None:
    heavy = {"pyspark", "dbt", "ortools", "pandas", "polars", "numba", "numpy", "pyarrow", "duckdb", "sqlglot", "rich", "click"}
    assert not heavy & loaded("import kanon_sql")


def test_register_loads_no_solver_and_no_parser() -> None:
    heavy = {"pyspark", "dbt", "ortools", "pandas", "polars", "numba", "sqlglot", "rich", "click"}
    statement = "import duckdb, kanon_sql\nwith duckdb.connect() as con: kanon_sql.register(con)"
    assert not heavy & loaded(statement)


def test_a_release_without_the_clause_loads_no_parser_and_no_ilp() -> None:
    statement = (
        "import duckdb, kanon_sql\nwith duckdb.connect() as con:\n"
        "    kanon_sql.register(con).execute('CREATE TABLE t AS SELECT 1 AS a')\n"
        "    con.execute(\"FROM k_anonymize('t', 1)\").fetchall()"
    )
    assert not {"pyspark", "dbt", "ortools", "polars", "sqlglot"} & loaded(statement)
