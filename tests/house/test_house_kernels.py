"""Compiled kernels are built from the sources that are here."""

from __future__ import annotations

import re
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "kanon_sql" / "kernels"

BUILD = "run `python setup.py build_ext --inplace`"

SOURCES = {
    path.relative_to(ROOT).with_suffix("").as_posix(): path
    for path in sorted(KERNELS.rglob("*.py"))
    if "import cython" in path.read_text(encoding="utf-8") or path.with_suffix(".pxd").exists()
}

NO_SOURCE = "kanon_sql/kernels/_shared"
"""What Cython needs in every module."""


def compiled(name: str) -> list[Path]:
    return [path for suffix in EXTENSION_SUFFIXES if (path := ROOT / f"{name}{suffix}").exists()]


def inputs(path: Path) -> list[Path]:
    """Return what a module is compiled from: its source and declarations, and the declarations that it imports."""
    own = path.with_suffix(".pxd")
    imported = re.findall(r"from cython\.cimports\.(kanon_sql\S+) import", path.read_text(encoding="utf-8"))
    if own.exists():
        imported += re.findall(r"from (kanon_sql\S+) cimport", own.read_text(encoding="utf-8"))
    declarations = [own, *(ROOT / f"{name.replace('.', '/')}.pxd" for name in imported)]
    return [path, *(each for each in declarations if each.exists())]


@pytest.mark.parametrize("name", SOURCES)
def test_a_compiled_kernel_is_newer_than_its_source(name: str) -> None:
    found = compiled(name)
    assert found, f"{name} is not compiled: {BUILD}"
    newest = max(path.stat().st_mtime_ns for path in inputs(SOURCES[name]))
    for path in found:
        assert path.stat().st_mtime_ns >= newest, f"{path.name} is older than what it is compiled from: {BUILD}"


def test_every_compiled_kernel_has_a_source() -> None:
    for path in KERNELS.rglob("*"):
        if path.suffix in {".so", ".pyd"}:
            name = (path.parent / path.name.partition(".")[0]).relative_to(ROOT).as_posix()
            assert name in SOURCES or name == NO_SOURCE, f"delete {path.relative_to(ROOT)}: its source is gone"
