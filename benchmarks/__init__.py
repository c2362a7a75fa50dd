"""Benchmarks: `python -m benchmarks` measures releases against the literature and against DuckDB itself."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))  # the fuzz, and the projects of dbt
