"""Compiled kernels are built from the sources that are here."""

from __future__ import annotations

import re
import runpy
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "kanon_sql" / "kernels"

BUILD = "run `python setup.py build_ext --inplace`"

ROOMS = [path.parent for path in sorted(KERNELS.rglob("__init__.py"))]

NO_SOURCE = "_shared"
"""What Cython needs in every module."""


def module(room: Path) -> str:
    return "_basics" if room == KERNELS else f"_{room.name}"


def compiled(room: Path) -> list[Path]:
    return [path for suffix in EXTENSION_SUFFIXES if (path := KERNELS / f"{module(room)}{suffix}").exists()]


def inputs(room: Path) -> list[Path]:
    """Return what a module is compiled from: the sources and declarations of a room, and the declarations that it imports."""
    declarations = sorted(room.glob("*.pxd"))
    imported = {name for path in declarations for name in re.findall(r"from (kanon_sql\S+) cimport", path.read_text("utf-8"))}
    others = (ROOT / f"{name.replace('.', '/')}.pxd" for name in imported)
    return [*room.glob("*.py"), *declarations, *(path for path in others if path.exists())]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_compiled_room_is_newer_than_its_sources(room: Path) -> None:
    found = compiled(room)
    assert found, f"{room.name} is not compiled: {BUILD}"
    newest = max(path.stat().st_mtime_ns for path in inputs(room))
    for path in found:
        assert path.stat().st_mtime_ns >= newest, f"{room.name} is older than what it is compiled from: {BUILD}"


def test_every_compiled_module_has_a_source() -> None:
    known = {NO_SOURCE, *map(module, ROOMS)}
    for path in KERNELS.rglob("*"):
        if path.suffix in {".so", ".pyd"}:
            assert path.parent == KERNELS, f"delete {path.relative_to(ROOT)}"
            assert path.name.partition(".")[0] in known, f"delete {path.relative_to(ROOT)}"


def test_every_name_that_a_room_shows_is_compiled() -> None:
    for module, joined in _joined().items():
        shown = {name for _, name in joined.shown}
        assert shown <= set(dir(__import__(module, fromlist=["*"]))), module


def _joined() -> dict[str, object]:
    return {room.compiled: room for room in runpy.run_path(str(ROOT / "build_kernels.py"))["rooms"]()}
