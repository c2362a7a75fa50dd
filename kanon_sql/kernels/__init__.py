"""Compiled loops on arrays: no I/O, no errors, no values, only codes."""

from kanon_sql.kernels.cache import ensure_cache

ensure_cache()
