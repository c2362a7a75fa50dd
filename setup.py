"""Build the macros in plain SQL from their parts, and compile the kernels.

Kernels are Cython in pure Python mode, one extension module per room, for the stable ABI of Python 3.11.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import BaseError, CCompilerError

ROOT = Path(__file__).resolve().parent

BESIDE = ("kanon_sql.sql", "kanon_sql.udfs")
"""Packages whose folders are not in that of `kanon_sql`, as `pyproject.toml` says."""

SHARED = "kanon_sql.kernels._shared"
"""What Cython needs in every module, compiled once."""

CHECKED = os.environ.get("KANON_CHECKED_KERNELS") == "1"
"""Check bounds, overflow and division in every kernel: slow, for tests."""

FLAGS = {
    "unix": ["-O3", "-g0", "-ffp-contract=off", "-DCYTHON_INLINE=__attribute__((unused))"],
    "msvc": ["/O2", "/fp:precise"],
}
"""Loops over arrays are vectorized; without contraction, floats are the same on every processor. No loop calls a helper of
Cython that is worth a copy at each call: without copies, C compiles in three quarters of the time."""

SLOWER = {"unix": ["-O1"]}
"""For `SHARED`, which has no loops of ours."""

AROUND_LOOPS = """#if defined(__GNUC__) && !defined(__clang__)
  #define KANON_AROUND_LOOPS __attribute__((optimize("O1")))
#else
  #define KANON_AROUND_LOOPS
#endif
"""
"""Constructors, arguments and getters are most of the C, and run once where a loop runs a million times."""

FUNCTION = re.compile(r"(?ms)^static (?=[^\n;(]*\b__pyx_(?:pw|pf|getprop|setprop|tp)_\w+\([^;{]*\{\n(.*?)^\}\n)")
"""A function in C that Python calls, and its body."""

LOOP = re.compile(r"Py_UNBLOCK_THREADS|for \(__pyx_t_")
"""What the body of a function has that is a loop itself."""

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
    "emit_code_comments": False,
    "optimize.unpack_method_calls": False,
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
            self._translate()
            super().run()
        except (BaseError, CCompilerError) as error:
            if asked_for:
                raise
            self.warn(f"the kernels are not compiled and will be slow: {error}")
            for output in self.get_outputs():
                Path(output).unlink(missing_ok=True)

    def _translate(self) -> None:
        """Join the kernels, and let Cython make C of them."""
        from Cython.Build import cythonize

        joined = runpy.run_path(str(ROOT / "build_kernels.py"))["join"](ROOT / "build" / "kernels")
        for each in self.extensions:
            each.sources = [
                os.path.relpath(joined[each.name], ROOT) if each.name != SHARED else f"{SHARED.replace('.', '/')}.c"
            ]
        made = cythonize(
            self.extensions,
            build_dir="build/cython",
            include_path=["build/kernels"],
            compiler_directives=DIRECTIVES,
            nthreads=os.cpu_count() or 1,
            shared_utility_qualified_name=SHARED,
        )
        for each, translated in zip(self.extensions, made, strict=True):
            each.sources = translated.sources
            around_loops(Path(each.sources[0]))
        # The largest first, so that all processors end together.
        self.extensions.sort(key=lambda each: Path(each.sources[0]).stat().st_size, reverse=True)

    def build_extension(self, ext: Extension) -> None:
        """Compile one module."""
        ext.extra_compile_args = FLAGS.get(self.compiler.compiler_type, [])
        if ext.name == SHARED:
            ext.extra_compile_args = ext.extra_compile_args + SLOWER.get(self.compiler.compiler_type, [])
        ext.extra_link_args = [] if CHECKED else STRIP.get(sys.platform, [])
        super().build_extension(ext)


def around_loops(path: Path) -> None:
    """Let gcc spend less on the functions of a file in C that have no loop: it then takes three quarters of the time."""
    text = path.read_text(encoding="utf-8")
    if "KANON_AROUND_LOOPS" in text:
        return
    text = FUNCTION.sub(lambda found: found[0] if LOOP.search(found[1]) else f"KANON_AROUND_LOOPS {found[0]}", text)
    first = "#ifndef PY_SSIZE_T_CLEAN"
    path.write_text(text.replace(first, AROUND_LOOPS + first, 1), encoding="utf-8")


def extension(name: str) -> Extension:
    """Return a module for the stable ABI; its sources are found when it is compiled."""
    return Extension(name, [], define_macros=[("Py_LIMITED_API", "0x030B0000")], py_limited_api=True)


setup(
    packages=[*find_packages(include=["kanon_sql", "kanon_sql.*"]), *BESIDE],
    cmdclass={"build_py": Package, "build_ext": Build},
    ext_modules=[extension(name) for name in (SHARED, *runpy.run_path(str(ROOT / "build_kernels.py"))["modules"]())],
    options={"bdist_wheel": {"py_limited_api": "cp311"}, "build_ext": {"parallel": os.cpu_count()}},
)
