"""Where and with what a benchmark ran."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version
from typing import Any

_PACKAGES = ("kanon-sql", "duckdb", "numpy", "pyarrow", "sqlglot")


def description() -> dict[str, Any]:
    """Return versions, cores and load: a load above 0 at the start means that the machine was shared."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "packages": {name: version(name) for name in _PACKAGES},
    }
