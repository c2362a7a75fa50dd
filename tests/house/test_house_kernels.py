"""Compiled kernels are built from the sources that are here."""

from __future__ import annotations

import ast
import re
import runpy
from collections import Counter
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "kanon_sql" / "kernels"

BUILD = runpy.run_path(str(ROOT / "build_kernels.py"))

REMEDY = "run `python setup.py build_ext --inplace`"

ROOMS = [path.parent for path in sorted(KERNELS.rglob("__init__.py"))]

NO_SOURCE = "_shared"
"""What Cython needs in every module."""


def module(room: Path) -> str:
    return "_basics" if room == KERNELS else f"_{room.name}"


def compiled(room: Path) -> list[Path]:
    return [path for suffix in EXTENSION_SUFFIXES if (path := KERNELS / f"{module(room)}{suffix}").exists()]


def inputs(room: Path) -> list[Path]:
    """Return what a module is compiled from: the sources and declarations of a room, and the declarations that it imports."""
    kernels = next(each.kernels for each in _joined().values() if ROOT / each.folder == room)
    imported = {module for kernel in kernels for module, _ in kernel.imports}
    others = (ROOT / f"{name.replace('.', '/')}.pxd" for name in imported)
    return [*room.glob("*.py"), *room.glob("*.pxd"), *(path for path in others if path.exists())]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_compiled_room_is_newer_than_its_sources(room: Path) -> None:
    found = compiled(room)
    assert found, f"{room.name} is not compiled: {REMEDY}"
    newest = max(path.stat().st_mtime_ns for path in inputs(room))
    for path in found:
        assert path.stat().st_mtime_ns >= newest, f"{room.name} is older than what it is compiled from: {REMEDY}"


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


def test_a_kernel_says_each_thing_once() -> None:
    for path in KERNELS.rglob("*.pxd"):
        found = re.search(r"cimport|@cython|^cpdef enum", path.read_text("utf-8"), re.MULTILINE)
        assert not found, f"{path.relative_to(ROOT)}: the build derives {found[0]}"
        names = BUILD["_FUNCTION"].findall(path.read_text("utf-8"))
        assert len(names) == len(set(names)), f"{path.relative_to(ROOT)} declares a function twice"
    kernels = [kernel for room in _joined().values() for kernel in room.kernels]
    defined = Counter(
        name for kernel in kernels for name in re.findall(r"^cdef class (\w+)", kernel.declarations, re.MULTILINE)
    )
    assert not [name for name, times in defined.items() if times > 1], "the build finds the class of a signature by its name"
    for kernel in kernels:
        guards = [node.lineno for node in kernel.tree.body if isinstance(node, ast.If | ast.Try)]
        assert not guards, f"{kernel.path}:{guards[0]}: what is imported is the same, compiled or not"


def test_whole_numbers_have_their_type_from_the_build(tmp_path: Path) -> None:
    text = """
MOST = 5
_FEW = 2

def f(a, first):
    found: cython.ulonglong = 0
    for i, (j, first) in enumerate(a):
        k = [each for each in a]

def g(a):
    x = a
    with cython.nogil:
        y = 1
"""
    (tmp_path / "loops.py").write_text(text)
    (tmp_path / "loops.pxd").write_text("cdef (long long, long long) f(long long[::1] a, long long first) noexcept nogil\n")
    kernel = BUILD["Kernel"](tmp_path / "loops.py")
    assert list(kernel.constants.values()) == ["cpdef enum:\n    MOST = 5\n"]
    assert re.findall(r"@.*", kernel.body) == [
        "@cython.locals(i=cython.longlong, j=cython.longlong, k=cython.longlong)",
        "@cython.locals(y=cython.longlong)",
    ]


@cache
def _joined() -> dict[str, Any]:
    return {room.compiled: room for room in BUILD["rooms"]()}
