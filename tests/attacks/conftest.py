"""The attacks are those of the lab in `benchmarks/attacks`, which is no installed package."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))
