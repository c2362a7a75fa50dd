"""What is public is documented, what README shows runs, and a wheel holds every file."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql import errors
from kanon_sql.engines.duckdb.connect.registration import macros
from kanon_sql.solvers.registry import SOLVERS

ROOT = Path(__file__).resolve().parent.parent.parent
README = ROOT / "README.md"
DOCUMENTS = [*([README] if README.exists() else []), *sorted((ROOT / "docs").glob("**/*.md"))]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)

ERRORS = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, errors.KanonError)]
MACROS = sorted({text.partition("(")[0] for text in macros()})


def public() -> list[tuple[str, Any]]:
    found = []
    for path in sorted((ROOT / "kanon_sql").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if name.split(".")[1:2] in (["cli"], ["dbt_plugin"]):
            continue
        module = importlib.import_module(name)
        found.append((name, module))
        for key, value in vars(module).items():
            if key.startswith("_") or getattr(value, "__module__", None) != name:
                continue
            if inspect.isfunction(value) or inspect.isclass(value):
                found.append((f"{name}.{key}", value))
    return found


def test_everything_public_has_a_docstring() -> None:
    for name, value in public():
        assert inspect.getdoc(value), name
        if inspect.isclass(value):
            for key, member in vars(value).items():
                if not key.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                    assert inspect.getdoc(member), f"{name}.{key}"


def test_the_public_names_are_there() -> None:
    for name in kanon_sql.__all__:
        assert getattr(kanon_sql, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        kanon_sql.nothing  # noqa: B018 - the lookup itself is under test


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_errors_have_one_root_and_say_what_they_are(error: type[Exception]) -> None:
    assert error.__doc__
    assert issubclass(error, errors.KanonError)


@pytest.mark.skipif(not README.exists(), reason="README.md is not written yet")
@pytest.mark.parametrize("name", [*MACROS, *SOLVERS, *(error.__name__ for error in ERRORS)])
def test_every_function_solver_and_error_is_documented(name: str) -> None:
    assert re.search(rf"\b{re.escape(name)}\b", TEXT), f"{name} is in no document"


def blocks(language: str) -> list[str]:
    if not README.exists():
        return []
    return re.findall(rf"^```{language}\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.everything
@pytest.mark.skipif(not README.exists(), reason="README.md is not written yet")
def test_the_python_of_the_readme_runs_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "\n".join(blocks("python"))
    assert code
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_every_macro_is_registered() -> None:
    with kanon_sql.register(duckdb.connect()) as con:
        names = {row[0] for row in con.execute("SELECT function_name FROM duckdb_functions() WHERE NOT internal").fetchall()}
    assert set(MACROS) <= names
    assert {"k_anonymize", "pattern_guided", "anonymize", "kanon_releases"} <= set(MACROS)
    assert {path.stem for path in (ROOT / "sql").glob("*.sql")} - {"kanon", "greedy_release"} <= set(MACROS)


@pytest.mark.everything
def test_a_wheel_holds_every_file(tmp_path: Path) -> None:
    if find_spec("build") is None or find_spec("setuptools") is None:
        pytest.skip("the build tools are not installed")
    import setuptools

    if int(setuptools.__version__.split(".")[0]) < 77:
        pytest.skip("setuptools is too old to build the project")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path / "wheel"), "."]
    copy = tmp_path / "tree"
    _copy(copy)
    environment = os.environ | {"PYTHONPATH": str(_without_kernels(tmp_path))}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (tmp_path / "wheel").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    for folder, prefix in (("kanon_sql", "kanon_sql"), ("udfs", "kanon_sql/udfs"), ("sql", "kanon_sql/sql")):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".sql", ".j2", ".typed"} and path.parent.parent != ROOT / "sql":
                assert f"{prefix}/{path.relative_to(ROOT / folder).as_posix()}" in held
    assert "kanon_sql/sql/kanon.sql" in held
    assert not [name for name in held if name.startswith(("tests/", "benchmarks/", "udfs/", "sql/", "kanon_sql/sql/parts/"))]


def _without_kernels(folder: Path) -> Path:
    """Return a folder with a module in the place of Cython, which fails as without a compiler: compiling takes minutes."""
    package = folder / "instead" / "Cython"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    failing = "from setuptools.errors import CCompilerError\n\n\ndef cythonize(modules, **options):\n    raise CCompilerError\n"
    (package / "Build.py").write_text(failing)
    return package.parent


def _copy(target: Path) -> None:
    """Copy what a wheel is made of, so that building leaves nothing in the tree."""
    from shutil import copy2, copytree, ignore_patterns

    target.mkdir()
    for folder in ("kanon_sql", "udfs", "sql"):
        copytree(ROOT / folder, target / folder, ignore=ignore_patterns("__pycache__", "*.nbc", "*.nbi"))
    for built in (target / "sql").glob("*.sql"):  # a checkout has none
        built.unlink()
    for name in ("pyproject.toml", "setup.py", "build_sql.py", "build_kernels.py", "LICENSE", "README.md"):
        if (ROOT / name).exists():
            copy2(ROOT / name, target / name)
    if not (target / "README.md").exists():
        (target / "README.md").write_text("# kanon-sql\n")


def test_the_files_of_the_map_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    places = [ROOT, ROOT / "kanon_sql", ROOT / "kanon_sql" / "engines" / "duckdb"]
    map_of_rooms = text[text.index("## A map") : text.index("## Set-up")]
    named = re.findall(r"`([a-z_/]+\.py)`", map_of_rooms)
    assert len(named) > 20
    assert not [name for name in named if not any((place / name).exists() for place in places)]
