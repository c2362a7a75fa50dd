"""Compiled loops on arrays: no I/O, no errors, no values, only codes."""

import warnings

try:
    from kanon_sql.kernels._basics import *
except ModuleNotFoundError:
    from kanon_sql.kernels.random import COMPILED, seeded

if not COMPILED:
    warnings.warn(
        "the kernels of kanon-sql are not compiled: results are the same, but take up to some hundred times as long; "
        "hint: install a C compiler and reinstall kanon-sql, or install a wheel for this platform",
        RuntimeWarning,
        stacklevel=2,
    )
