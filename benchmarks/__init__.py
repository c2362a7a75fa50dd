"""Benchmarks: `python -m benchmarks` measures releases against the literature and against DuckDB itself."""
