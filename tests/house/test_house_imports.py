"""Imports run strictly downward, and the floors keep what is theirs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

ROOMS = (
    "kanon_sql.errors",
    "kanon_sql.model",
    "kanon_sql.recognition",
    "kanon_sql.table",
    "kanon_sql.kernels.uncompiled",
    "kanon_sql.kernels.random",
    "kanon_sql.kernels",
    "kanon_sql.kernels.partitions",
    "kanon_sql.kernels.labels",
    "kanon_sql.kernels.instances",
    "kanon_sql.kernels.classes",
    "kanon_sql.kernels.criteria",
    "kanon_sql.kernels.requirements",
    "kanon_sql.kernels.summaries",
    "kanon_sql.kernels.microaggregation",
    "kanon_sql.kernels.projections",
    "kanon_sql.kernels.cells",
    "kanon_sql.solvers",
    "kanon_sql.solvers.budget",
    "kanon_sql.solvers.patience",
    "kanon_sql.solvers.simplex",
    "kanon_sql.solvers.integer_programs",
    "kanon_sql.solvers.guarantees",
    "kanon_sql.solvers.requirements",
    "kanon_sql.solvers.problem",
    "kanon_sql.solvers.registry",
    "kanon_sql.solvers.instances",
    "kanon_sql.solvers.matching",
    "kanon_sql.solvers.summaries",
    "kanon_sql.solvers.microaggregation",
    "kanon_sql.solvers.cells",
    "kanon_sql.solvers.ledger",
    "kanon_sql.solvers.k_anonymity",
    "kanon_sql.solvers.by_parts",
    "kanon_sql.solvers.sensitive",
    "kanon_sql.solvers.people",
    "kanon_sql.solvers.population",
    "kanon_sql.solvers.problem_classes",
    "kanon_sql.solvers.feasibility",
    "kanon_sql.solvers.least_prices",
    "kanon_sql.solvers.placing",
    "kanon_sql.solvers.projections",
    "kanon_sql.solvers.automatic",
    "kanon_sql.solvers.summarizing",
    "kanon_sql.solvers.labels",
    "kanon_sql.solvers.histories",
    "kanon_sql.generalize",
    "kanon_sql.certificate",
    "kanon_sql.pipeline",
    "kanon_sql.clause",
    "kanon_sql.engines",
    "kanon_sql.spark",
    "kanon_sql.udfs",
    "kanon_sql.sql",
    "kanon_sql",
    "kanon_sql.verification",
    "kanon_sql.report",
    "kanon_sql.studio",
    "kanon_sql.cli",
    "kanon_sql.dbt_plugin",
    "kanon_sql.__main__",
)
"""Each room imports from itself and from those before it."""

MOST_ROOMS = 14
"""Folders in `kanon_sql`."""

MOST_MODULES = 6
"""Modules in no room."""

MOST_FLAT = 12
"""Modules of the engine in DuckDB in no room."""

MOST_LINES = 300
"""Lines of a Python file. A macro is one statement, however long: parts of it would be macros that anybody could replace."""

ONLY = {
    "sqlglot": ("kanon_sql.clause",),
    "ortools": ("kanon_sql.solvers.or_tools",),
    "cython": ("kanon_sql.kernels",),
    "duckdb": (
        *("kanon_sql.engines", "kanon_sql.udfs", "kanon_sql.cli", "kanon_sql.verification", "kanon_sql.report"),
        "kanon_sql.studio",
    ),
    "pyspark": ("kanon_sql.engines.spark",),
    "click": ("kanon_sql.cli",),
    "mcp": ("kanon_sql.cli.agent_server",),
    "uvicorn": ("kanon_sql.cli.agent_server", "kanon_sql.studio.server"),
    "nicegui": ("kanon_sql.studio",),
    "fastapi": ("kanon_sql.studio.server",),
    "rich": ("kanon_sql.cli",),
    "IPython": ("kanon_sql.engines.notebook.magic", "kanon_sql.engines.notebook"),
    "prompt_toolkit": ("kanon_sql.cli.shell",),
    "dbt": ("kanon_sql.dbt_plugin",),
    "altair": ("kanon_sql.report",),
    "jinja2": ("kanon_sql.report",),
    "vl_convert": ("kanon_sql.report",),
    "phonenumbers": ("kanon_sql.recognition",),
    "stdnum": ("kanon_sql.recognition",),
}


def modules() -> dict[str, Path]:
    found = {}
    for folder, prefix in (("kanon_sql", "kanon_sql"), ("udfs", "kanon_sql.udfs"), ("sql", "kanon_sql.sql")):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join([prefix, *(part for part in parts if part != "__init__")])] = path
    return found


MODULES = modules()


@cache
def tree(path: Path) -> ast.Module:
    """Return a parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> frozenset[str]:
    """Return every module a file imports, at its top or inside a function, for use or for types only."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner & MODULES.keys()
            if inner - MODULES.keys():
                found.add(node.module or "")
    return frozenset(found)


@cache
def arrows() -> dict[str, set[str]]:
    """Return for each module those of ours that it imports."""
    return {module: {imported for imported in imports(path) if imported in MODULES} for module, path in MODULES.items()}


def room(module: str) -> str | None:
    if module in ROOMS:
        return module
    parent = module.rpartition(".")[0]
    return room(parent) if "." in parent else None


def test_nobody_imports_upward() -> None:
    for module in sorted(MODULES.keys() - {"kanon_sql"}):
        own = room(module)
        assert own is not None, f"{module} has no room: add it to the list of this test"
        for imported in arrows()[module]:
            theirs = room(imported)
            assert theirs is not None, f"{imported} has no room: add it to the list of this test"
            assert ROOMS.index(theirs) <= ROOMS.index(own), f"{module} imports {imported} from a later room"


def reached(module: str) -> set[str]:
    """Return the modules that a module imports, and those that they import, and so on."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        new = arrows()[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def test_no_two_files_import_each_other_in_a_circle() -> None:
    """Imports inside of functions and for types only count as others do."""
    assert not [module for module in MODULES if module in reached(module)]


def test_the_house_has_few_rooms() -> None:
    inside = [
        path.relative_to(ROOT / "kanon_sql").parts for path in (ROOT / "kanon_sql").rglob("*") if path.suffix in {".py", ".sql"}
    ]
    assert len({parts[0] for parts in inside if len(parts) > 1}) <= MOST_ROOMS
    assert len([parts for parts in inside if len(parts) == 1]) <= MOST_MODULES


def test_an_engine_has_rooms() -> None:
    flat = {path.name for path in (ROOT / "kanon_sql" / "engines" / "duckdb").glob("*.py")}
    assert len(flat) <= MOST_FLAT, "put it into the room of the step that it is about"


def test_files_are_short() -> None:
    for module, path in MODULES.items():
        assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES, f"{module}: split it by what it is about"


@pytest.mark.parametrize("library", ONLY)
def test_a_library_has_one_home(library: str) -> None:
    for module, path in MODULES.items():
        if any(imported.split(".")[0] == library for imported in imports(path)):
            assert module.startswith(ONLY[library]), f"{module} imports {library}"


# These warn, and stand in for Cython: they are no kernels.
NO_KERNELS = {"kanon_sql.kernels", "kanon_sql.kernels.uncompiled"}
KERNELS = [name for name in MODULES if name.startswith("kanon_sql.kernels") and name not in NO_KERNELS]


def test_kernels_know_arrays_only() -> None:
    for module in KERNELS:
        for imported in imports(MODULES[module]):
            told = f"{module} imports {imported}"
            assert imported.split(".")[0] in {"numpy", "__future__", "typing", "math", "cython", "kanon_sql"}, told
            assert not imported.startswith("kanon_sql.") or imported.startswith("kanon_sql.kernels"), told


def test_a_room_of_kernels_has_one_door() -> None:
    inside = {name for name in KERNELS if MODULES[name].name != "__init__.py"}
    for module in MODULES.keys() - set(KERNELS) - NO_KERNELS:
        assert not arrows()[module] & inside, f"{module} imports a file of kernels: import what the `__init__` next to it shows"


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("kanon_sql.clause")])
def test_the_clause_needs_no_database(module: str) -> None:
    for imported in imports(MODULES[module]):
        assert not imported.startswith(
            ("kanon_sql.pipeline", "kanon_sql.engines", "kanon_sql.solvers", "kanon_sql.kernels", "duckdb")
        )


@pytest.mark.parametrize("room", ["verification", "engines", "engines.duckdb", "engines.spark"])
def test_who_audits_a_guarantee_knows_nothing_of_who_meets_it(room: str) -> None:
    makers = ("solvers", "kernels", "generalize", "pipeline", *(["engines"] if room == "verification" else []))
    for module in [each for each in MODULES if each.startswith(f"kanon_sql.{room}.guarantees")]:
        met = [each for each in reached(module) if each.startswith(tuple(f"kanon_sql.{maker}" for maker in makers))]
        assert not met, f"{module} reaches {met}"


SHARED = tuple(
    f"kanon_sql.{name}"
    for name in (
        *("errors", "model", "table", "certificate", "verification", "engines.audit_figures", "engines.guarantees"),
        *(f"engines.duckdb.{name}" for name in ("audit", "files", "guarantees", "names", "texts", "policies.allowed_files")),
        *("engines.duckdb.cells.number_texts", "engines.duckdb.connect.remembered_failures"),
        *("engines.duckdb.connect.resources", "engines.duckdb.gather.from_items"),
    )
)
"""What a release has in common with its verification: the format, how files are read, and the audit in SQL."""


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("kanon_sql.verification")])
def test_verification_reaches_nothing_that_made_the_claim(module: str) -> None:
    assert not [each for each in reached(module) if not f"{each}.".startswith(tuple(f"{shared}." for shared in SHARED))]
    text = MODULES[module].read_text(encoding="utf-8")
    assert not re.search(r"kanon_sql\.(solvers|kernels|generalize|pipeline)", text)
    for call in (node for node in ast.walk(tree(MODULES[module])) if isinstance(node, ast.Call)):
        if ast.unparse(call.func).endswith("import_module"):
            assert ast.unparse(call.args[0]).startswith("f'{__name__}."), f"{module} imports what nobody can tell"


def test_spark_knows_duckdb_only_where_it_runs_it() -> None:
    """DuckDB on the driver compares labels with values and protects counts; two functions are DuckDB for one partition."""
    ours = [module for module in MODULES if module.startswith("kanon_sql.engines.spark")]
    known = {module for module in ours if "kanon_sql.engines.duckdb" in str(imports(MODULES[module]))}
    assert known == {
        f"kanon_sql.engines.spark.{name}" for name in ("cells.protecting", "connect.table_functions", "release.cover")
    }


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


def test_no_error_keeps_the_one_that_it_replaces() -> None:
    """Inside of ``except``, an error is raised again as it is, by `raise_alone`, or from one of ours that holds no value."""
    for module in sorted(MODULES.keys() - {"kanon_sql.errors"}):
        for handler in ast.walk(tree(MODULES[module])):
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
    heavy = {"pyspark", "dbt", "ortools", "pandas", "polars", "numpy", "pyarrow", "duckdb", "sqlglot", "rich", "click"}
    assert not (heavy | {"phonenumbers", "stdnum"}) & loaded("import kanon_sql, kanon_sql.recognition")


@pytest.mark.everything
def test_register_loads_no_solver_and_no_parser() -> None:
    heavy = {"pyspark", "dbt", "ortools", "pandas", "polars", "sqlglot", "rich", "click"}
    statement = "import duckdb, kanon_sql\nwith duckdb.connect() as con: kanon_sql.register(con)"
    assert not heavy & loaded(statement)


@pytest.mark.everything
def test_a_release_without_the_clause_loads_no_parser_and_no_ilp() -> None:
    statement = (
        "import duckdb, kanon_sql\nwith duckdb.connect() as con:\n"
        "    kanon_sql.register(con).execute(\"CREATE TABLE t AS SELECT i % 3 AS a, 'x' || i % 5 AS b FROM range(30) r(i)\")\n"
        "    con.execute(\"FROM k_anonymize('t', 2, qi := ['a'], keep := ['b'])\").fetchall()"
    )
    assert not {"pyspark", "dbt", "ortools", "pandas", "polars", "sqlglot"} & loaded(statement)
