"""How the tests start the command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

KANON = [sys.executable, "-m", "kanon_sql.cli"]

Kanon = Callable[..., subprocess.CompletedProcess[str]]
"""Runs the command in the folder of the test: in this process, or in its own, where keywords go to `subprocess.run`."""
