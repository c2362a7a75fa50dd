"""Build the macros in plain SQL from their parts, and compile the kernels.

Kernels are Cython in pure Python mode, one extension module per file, for the stable ABI of Python 3.11.
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import BaseError, CCompilerError

ROOT = Path(__file__).resolve().parent

KERNELS = Path("kanon_sql/kernels")

BESIDE = ("kanon_sql.sql", "kanon_sql.udfs")
"""Packages whose folders are not in that of `kanon_sql`, as `pyproject.toml` says."""

SHARED = "kanon_sql.kernels._shared"
"""What Cython needs in every module, compiled once."""

CHECKED = os.environ.get("KANON_CHECKED_KERNELS") == "1"
"""Check bounds, overflow and division in every kernel: slow, for tests."""

FLAGS = {"unix": ["-O3", "-g0", "-ffp-contract=off"], "msvc": ["/O2", "/fp:precise"]}
"""Loops over arrays are vectorized; without contraction, floats are the same on every processor."""

STRIP = {"linux": ["-s"], "darwin": ["-Wl,-x"]}
"""Leave out the symbols that nothing is linked by."""

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": CHECKED,
    "initializedcheck": CHECKED,
    "overflowcheck": CHECKED,
    "cdivision": not CHECKED,
    "auto_pickle": False,
    "binding": False,
}
"""No search is pickled, and no kernel asked for its signature: without that, C compiles in two thirds of the time."""


class Package(build_py):
    """Collect modules and data, the macros among them: `build_sql.py` writes these."""

    def run(self) -> None:
        """Build the macros first; the list of files is made after that."""
        runpy.run_path(str(ROOT / "build_sql.py"), run_name="__main__")
        super().run()


class Build(build_ext):
    """Compile all kernels or none: a compiled kernel cannot call one that is not."""

    def run(self) -> None:
        """Compile; an installation without a working C compiler goes on without, and the kernels run as Python."""
        asked_for = self.inplace and not self.editable_mode
        try:
            super().run()
        except (BaseError, CCompilerError) as error:
            if asked_for:
                raise
            self.warn(f"the kernels are not compiled and will be slow: {error}")
            for output in self.get_outputs():
                Path(output).unlink(missing_ok=True)

    def build_extension(self, ext: Extension) -> None:
        """Compile one module."""
        ext.extra_compile_args = FLAGS.get(self.compiler.compiler_type, [])
        ext.extra_link_args = [] if CHECKED else STRIP.get(sys.platform, [])
        super().build_extension(ext)


def extension(name: str, source: Path) -> Extension:
    """Return a module for the stable ABI."""
    return Extension(name, [str(source)], define_macros=[("Py_LIMITED_API", "0x030B0000")], py_limited_api=True)


def kernels() -> list[Extension]:
    """Return all kernels: what imports Cython or declares types for it."""
    sources = sorted(
        path
        for path in KERNELS.rglob("*.py")
        if "import cython" in path.read_text(encoding="utf-8") or path.with_suffix(".pxd").exists()
    )
    return [extension(".".join(path.with_suffix("").parts), path) for path in sources]


setup(
    packages=[*find_packages(include=["kanon_sql", "kanon_sql.*"]), *BESIDE],
    cmdclass={"build_py": Package, "build_ext": Build},
    ext_modules=cythonize(
        [extension(SHARED, KERNELS / "_shared.c"), *kernels()],
        build_dir="build/cython",
        compiler_directives=DIRECTIVES,
        nthreads=os.cpu_count() or 1,
        shared_utility_qualified_name=SHARED,
    ),
    options={"bdist_wheel": {"py_limited_api": "cp311"}, "build_ext": {"parallel": os.cpu_count()}},
)
